//! Fig. 4: how laws take an incast, of ten flows (top) and of 255 (bottom).

use super::schemes::present;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, binned, mean_within, within};
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

/// The port into the receiver.
const PORT: &str = "tor0>h16";
/// The incast, in milliseconds.
const INCAST: f64 = 2.0;
/// The base round trip that laws are told, in milliseconds.
const TAU: f64 = 0.028_96;

fn queue(run: &Observed) -> &[(f64, f64)] {
    run.port("queue", PORT)
}

fn after(run: &Observed) -> Window {
    Window { from: INCAST, to: run.end }
}

/// The longest queue after the incast, in KB.
fn peak(run: &Observed) -> f64 {
    within(queue(run), after(run)).map(|(_, kilobytes)| kilobytes).fold(0.0, f64::max)
}

/// The time after the incast from which the queue stays below so many KB, in milliseconds.
fn below(run: &Observed, kilobytes: f64) -> f64 {
    let last = within(queue(run), after(run)).filter(|(_, value)| *value >= kilobytes).last();
    last.map_or(0.0, |(at, _)| at - INCAST)
}

/// The least throughput in bins of 100 µs, from 0.2 ms after the incast, in Gb/s.
fn least_throughput(run: &Observed) -> f64 {
    let window = Window { from: INCAST + 0.2, to: INCAST + 4.0 };
    let bins = binned(run.port("throughput", PORT), 0.1);
    // A bin is named by its end; the first whole one ends 0.1 ms later.
    let whole = Window { from: window.from + 0.05, ..window };
    within(&bins, whole).map(|(_, gbps)| gbps).fold(f64::INFINITY, f64::min)
}

fn mean_queue(run: &Observed) -> f64 {
    mean_within(queue(run), after(run))
}

/// Numbers and pictures; an axis of queues that ends at `axis` KB.
fn common(runs: &Runs, axis: f64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for (name, run) in present(runs) {
        outcome.setting(
            &format!("{name}: longest and mean queue (KB), least throughput (Gb/s)"),
            format!("{:.0}, {:.1}, {:.2}", peak(run), mean_queue(run), least_throughput(run)),
        );
        outcome.setting(
            &format!("{name}: queue below 50 and below 100 KB from (ms)"),
            format!("{:.3}, {:.3}", below(run, 50.0), below(run, 100.0)),
        );
    }
    let mut queues = over_time("Queue of the receiver's port", "Queue (KB)");
    let mut rates = over_time("Throughput of the receiver's port", "Throughput (Gb/s)");
    let shift = |curve: &[(f64, f64)]| -> Vec<(f64, f64)> {
        curve.iter().map(|(at, value)| (at - INCAST, *value)).collect()
    };
    for (name, run) in present(runs) {
        queues.series.push(Series::line(name, shift(queue(run))).fine());
        let bins = binned(run.port("throughput", PORT), 0.1);
        rates.series.push(Series::line(name, shift(&bins)).fine());
    }
    queues.y = queues.y.from_to(0.0, axis);
    queues.notes.push("The incast begins at 0.".to_owned());
    rates.notes.push("Means over 100 µs; the incast begins at 0.".to_owned());
    outcome.chart("queue", queues);
    outcome.chart("throughput", rates);
    Ok(outcome)
}

/// Ten flows.
pub(crate) fn top(runs: &Runs) -> Result<Outcome, String> {
    // The paper's axis; who leaves it at the top does not control the queue.
    let mut outcome = common(runs, 600.0)?;
    let (powertcp, hpcc, timely) = (runs.get("powertcp")?, runs.get("hpcc")?, runs.get("timely")?);
    let homa = runs.get("homa")?;
    outcome.measure("settled", below(powertcp, 50.0) / TAU);
    outcome.measure("throughput", least_throughput(powertcp));
    outcome.measure("theta_throughput", least_throughput(runs.get("theta")?));
    outcome.measure("hpcc_peak", peak(hpcc) / peak(powertcp));
    outcome.measure("hpcc_throughput", least_throughput(hpcc) / least_throughput(powertcp));
    outcome.measure("timely_throughput", least_throughput(timely) / least_throughput(powertcp));
    outcome.measure("timely_queue", mean_queue(timely) / mean_queue(powertcp));
    outcome.measure("homa_queue", mean_queue(homa) / mean_queue(powertcp));
    Ok(outcome)
}

/// 255 flows.
pub(crate) fn bottom(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = common(runs, 2_500.0)?;
    let (powertcp, theta) = (runs.get("powertcp")?, runs.get("theta")?);
    outcome.measure("settled", below(powertcp, 100.0));
    outcome.measure("theta_settled", below(theta, 100.0));
    outcome.measure("hpcc_throughput", least_throughput(runs.get("hpcc")?) / least_throughput(powertcp));
    outcome.measure("timely_throughput", least_throughput(runs.get("timely")?) / least_throughput(powertcp));
    outcome.measure("homa_peak", peak(runs.get("homa")?) - peak(powertcp));
    Ok(outcome)
}
