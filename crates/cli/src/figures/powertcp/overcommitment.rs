//! Figs. 9 to 11: HOMA's degree of overcommitment, from 1 to 6.

use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, binned, mean_within, within};
use crate::figures::pictures::{over, over_time};
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

/// The port into the receiver of the incasts.
const PORT: &str = "tor0>h16";
/// The incast, in milliseconds.
const INCAST: f64 = 2.0;
/// A packet on the wire, in KB: queues that differ by less do not differ.
const PACKET: f64 = 1.048;
/// The flows of Fig. 11, in the order in which they come and go.
const FLOWS: [&str; 4] = ["first", "second", "third", "fourth"];

fn degrees(runs: &Runs) -> Result<Vec<(String, &Observed)>, String> {
    (1..=6).map(|degree| Ok((format!("D = {degree}"), runs.get(&format!("d{degree}"))?))).collect()
}

fn after(run: &Observed) -> Window {
    Window { from: INCAST, to: run.end }
}

/// The longest queue after the incast, in KB.
fn peak(run: &Observed) -> f64 {
    within(run.port("queue", PORT), after(run)).map(|(_, kilobytes)| kilobytes).fold(0.0, f64::max)
}

fn mean_queue(run: &Observed) -> f64 {
    mean_within(run.port("queue", PORT), after(run))
}

/// The least throughput in bins of 100 µs, from 0.2 to 4 ms after the incast, in Gb/s.
fn least_throughput(run: &Observed) -> f64 {
    // A bin is named by its end; the first whole one ends 0.1 ms later.
    let window = Window { from: INCAST + 0.25, to: INCAST + 4.0 };
    let bins = binned(run.port("throughput", PORT), 0.1);
    within(&bins, window).map(|(_, gbps)| gbps).fold(f64::INFINITY, f64::min)
}

/// Figs. 9 and 10: the queue of the receiver's port.
pub(crate) fn incast(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let degrees = degrees(runs)?;
    let peaks: Vec<f64> = degrees.iter().map(|(_, run)| peak(run)).collect();
    let grows = peaks.windows(2).filter(|pair| pair[1] >= pair[0] - PACKET).count();
    outcome.measure("order", grows as f64);
    let (first, last) = (runs.get("d1")?, runs.get("d6")?);
    outcome.measure("queue", mean_queue(last) / mean_queue(first));
    outcome.measure("throughput", least_throughput(first));
    let mut queues = over_time("HOMA: queue of the receiver's port", "Queue (KB)");
    let mut lengths = over("HOMA: longest and mean queue", "Degree of overcommitment", "Queue (KB)");
    let by_degree = |value: &dyn Fn(&Observed) -> f64| -> Vec<(f64, f64)> {
        (1..).zip(&degrees).map(|(degree, (_, run))| (f64::from(degree), value(run))).collect()
    };
    for (name, run) in &degrees {
        outcome.setting(
            &format!("{name}: longest and mean queue (KB), least throughput (Gb/s)"),
            format!("{:.0}, {:.0}, {:.2}", peak(run), mean_queue(run), least_throughput(run)),
        );
        let curve = run.port("queue", PORT).iter().map(|(at, value)| (at - INCAST, *value));
        queues.series.push(Series::line(name, curve).fine());
    }
    queues.notes.push("The incast begins at 0.".to_owned());
    lengths.series.push(Series::line("longest", by_degree(&peak)).marked(Marks::Points));
    lengths.series.push(Series::line("mean", by_degree(&mean_queue)).marked(Marks::Points));
    outcome.chart("queue", queues);
    outcome.chart("degree", lengths);
    Ok(outcome)
}

/// Fig. 11: who gets the link as flows come and go.
pub(crate) fn fairness(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (mut busy, mut jains) = (f64::INFINITY, Vec::new());
    for (name, run) in degrees(runs)? {
        // Seven steps; what came or went at the beginning of one has settled in its second half.
        let step = run.end / 7.0;
        let settled = |index: f64| Window { from: step * index, to: step * (index + 1.0) }.last(0.5);
        let rates = |index: f64| FLOWS.map(|flow| run.rate(flow, settled(index)));
        let sum = |index: f64| rates(index).into_iter().filter(|rate| rate.is_finite()).sum::<f64>();
        busy = (0..7).map(|index| sum(f64::from(index))).fold(busy, f64::min);
        // All four are there in the fourth step.
        let four = rates(3.0);
        let largest = four.into_iter().fold(0.0, f64::max) / four.into_iter().sum::<f64>();
        match name.as_str() {
            "D = 1" => outcome.measure("largest", 100.0 * largest),
            "D = 6" => outcome.measure("largest_6", 100.0 * largest),
            _ => {}
        }
        jains.push(run.jain(&FLOWS, settled(3.0)));
        outcome.setting(
            &format!("{name}: four flows (Gb/s), Jain's index"),
            format!("{four:.2?}, {:.2}", jains.last().copied().unwrap_or(f64::NAN)),
        );
    }
    outcome.measure("busy", busy);
    for (file, variant) in [("rates", "d1"), ("rates-6", "d6")] {
        let run = runs.get(variant)?;
        let degree = variant.trim_start_matches('d');
        let mut chart = over_time(&format!("HOMA: rates of four flows, D = {degree}"), "Rate (Gb/s)");
        for flow in FLOWS {
            chart.series.push(run.mean_series(flow, "goodput", flow));
        }
        outcome.chart(file, chart);
    }
    let mut chart = over("HOMA: fairness of four flows", "Degree of overcommitment", "Jain's index");
    chart.y = chart.y.from_to(0.0, 1.0);
    let points = (1..).zip(jains).map(|(degree, jain)| (f64::from(degree), jain));
    chart.series.push(Series::line("Jain's index", points).marked(Marks::Points));
    outcome.chart("jain", chart);
    Ok(outcome)
}
