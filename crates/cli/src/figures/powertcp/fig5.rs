//! Fig. 5: four flows come and go.

use super::schemes::present;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, deviation, mean, mean_within, within};
use crate::figures::pictures::{over_time, thin};
use crate::figures::runs::Runs;
use plimsoll_metrics::fairness::jain;
use plimsoll_report::Series;

const FLOWS: [&str; 4] = ["first", "second", "third", "fourth"];
/// Who is there in each of seven steps, from which to before which: the first to come is the first to go.
const PRESENT: [(usize, usize); 7] = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 4), (2, 4), (3, 4)];
/// What a change is given to settle, in milliseconds.
const SETTLING: f64 = 5.0;

/// The steps, each from when it should have settled.
fn settled(run: &Observed) -> impl Iterator<Item = (&'static [&'static str], Window)> {
    let step = run.end / 7.0;
    PRESENT.into_iter().zip(0_u32..).map(move |((first, end), index)| {
        let begin = step * f64::from(index);
        (&FLOWS[first..end], Window { from: begin + SETTLING, to: begin + step })
    })
}

fn rate<'r>(run: &'r Observed, flow: &str) -> &'r [(f64, f64)] {
    run.flows(flow).first().map_or(&[], |flow| run.curve("goodput", flow.connection))
}

/// The least Jain index of any millisecond from 5 ms after each change.
fn least_jain(run: &Observed) -> f64 {
    let of_step = |(present, window): (&[&str], Window)| {
        let rates: Vec<Vec<f64>> = present
            .iter()
            .map(|flow| within(rate(run, flow), window).map(|point| point.1).collect())
            .collect();
        let moments = rates.iter().map(Vec::len).min().unwrap_or(0);
        let at = |moment: usize| jain(rates.iter().map(|rates| rates[moment])).unwrap_or(f64::NAN);
        (0..moments).map(at).fold(f64::INFINITY, f64::min)
    };
    settled(run).map(of_step).fold(f64::INFINITY, f64::min)
}

/// The largest coefficient of variation of a flow's rate in a step.
fn variation(run: &Observed) -> f64 {
    let of_step = |(present, window): (&[&str], Window)| {
        let of = |flow: &&str| deviation(rate(run, flow), window) / mean_within(rate(run, flow), window);
        present.iter().map(of).fold(0.0, f64::max)
    };
    settled(run).map(of_step).fold(0.0, f64::max)
}

/// The mean of all flows' rates together, in Gb/s.
fn together(run: &Observed) -> f64 {
    mean(settled(run).map(|(present, window)| -> f64 {
        present.iter().map(|flow| mean_within(rate(run, flow), window)).sum()
    }))
}

/// Names of files; charts have static ones.
const FILES: [(&str, &str); 8] = [
    ("PowerTCP", "powertcp"),
    ("θ-PowerTCP", "theta"),
    ("HPCC", "hpcc"),
    ("DCQCN", "dcqcn"),
    ("TIMELY", "timely"),
    ("HOMA", "homa"),
    ("PowerTCP as printed", "powertcp-paper"),
    ("θ-PowerTCP as printed", "theta-paper"),
];

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let powertcp = runs.get("powertcp")?;
    outcome.measure("jain", least_jain(powertcp));
    outcome.measure("variation", variation(powertcp));
    for (name, run) in present(runs) {
        outcome.setting(
            &format!("{name}: least Jain index, largest variation, mean of all (Gb/s)"),
            format!("{:.4}, {:.3}, {:.2}", least_jain(run), variation(run), together(run)),
        );
        let mut chart = over_time(&format!("{name}: flows that come and go"), "Rate (Gb/s)");
        chart.y = chart.y.from_to(0.0, 25.0);
        chart.series.extend(FLOWS.map(|flow| Series::line(flow, thin(rate(run, flow))).fine()));
        let file = FILES.iter().find(|(known, _)| *known == name).map_or("other", |(_, file)| *file);
        outcome.chart(file, chart);
    }
    Ok(outcome)
}
