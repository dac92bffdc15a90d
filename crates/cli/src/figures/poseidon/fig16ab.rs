//! Fig. 16: flows that come and go on one hop.

use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, deviation, mean, mean_within};
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

const FLOWS: [&str; 4] = ["first", "second", "third", "fourth"];

/// The last third of each of seven steps: in, in, in, in, out, out, out.
fn settled(run: &Observed) -> Vec<Window> {
    let step = run.end / 7.0;
    (0..7)
        .map(|index| {
            Window { from: step * f64::from(index), to: step * f64::from(index + 1) }.last(1.0 / 3.0)
        })
        .collect()
}

/// Who is there in a step.
fn present(step: usize) -> &'static [&'static str] {
    &FLOWS[..[1, 2, 3, 4, 3, 2, 1][step]]
}

/// The mean coefficient of variation of a flow's rate.
fn variation(run: &Observed) -> f64 {
    let of = |(step, window): (usize, Window)| {
        mean(present(step).iter().flat_map(|group| run.flows(group)).map(|flow| {
            let rate = run.curve("goodput", flow.connection);
            deviation(rate, window) / mean_within(rate, window)
        }))
    };
    // A flow alone has nobody to differ with.
    mean(settled(run).into_iter().enumerate().filter(|(step, _)| present(*step).len() > 1).map(of))
}

fn least_jain(run: &Observed) -> f64 {
    let indices = settled(run).into_iter().enumerate().map(|(step, window)| run.jain(present(step), window));
    indices.fold(f64::INFINITY, f64::min)
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (poseidon, swift) = (runs.get("poseidon")?, runs.get("swift")?);
    outcome.measure("jain_poseidon", least_jain(poseidon));
    outcome.measure("jain_swift", least_jain(swift));
    outcome.measure("variation", variation(poseidon) / variation(swift));
    for (name, title, run) in [
        ("poseidon", "Poseidon: flows that come and go", poseidon),
        ("swift", "Swift: flows that come and go", swift),
    ] {
        let mut chart = over_time(title, "Rate (Gb/s)");
        chart.series.extend(FLOWS.map(|flow| run.mean_series(flow, "goodput", flow)));
        outcome.chart(name, chart);
    }
    Ok(outcome)
}
