//! Fig. 18a: round trips as flows are added one by one.

use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, mean};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

/// Steps in which flows are added.
const STEPS: u32 = 8;

/// The second half of each step.
pub(super) fn settled(run: &Observed) -> Vec<Window> {
    let step = run.end / f64::from(STEPS);
    let window = |index: u32| Window { from: step * f64::from(index), to: step * f64::from(index + 1) };
    (0..STEPS).map(|index| window(index).last(0.5)).collect()
}

/// The mean round trip of each step, in microseconds.
pub(super) fn trips(run: &Observed) -> Vec<f64> {
    settled(run).into_iter().map(|window| run.mean("rtt", "flows", window)).collect()
}

/// Poseidon's round trip over Swift's, step by step.
pub(super) fn ratios(runs: &Runs) -> Result<Vec<f64>, String> {
    let (poseidon, swift) = (trips(runs.get("poseidon")?), trips(runs.get("swift")?));
    Ok(poseidon.into_iter().zip(swift).map(|(ours, theirs)| ours / theirs).collect())
}

/// Order, utilisation and picture, which both cases of the figure have; `per_step` flows are added in a step.
pub(super) fn common(runs: &Runs, port: &str, per_step: f64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (poseidon, swift, hpcc) = (runs.get("poseidon")?, runs.get("swift")?, runs.get("hpcc")?);
    let steps = trips(poseidon).into_iter().zip(trips(swift)).zip(trips(hpcc));
    let ordered = steps.filter(|((poseidon, swift), hpcc)| swift > poseidon && poseidon > hpcc).count();
    outcome.measure("order", 100.0 * ordered as f64 / f64::from(STEPS));
    let busy = settled(poseidon).into_iter().map(|window| poseidon.throughput(port, window) / 2.0);
    outcome.measure("busy", busy.fold(f64::INFINITY, f64::min));
    let mut chart = over("Round trip as flows are added", "Flows", "Round trip (µs)");
    for (name, run) in [("Poseidon", poseidon), ("Swift", swift), ("HPCC", hpcc)] {
        let points = trips(run).into_iter().zip(1..).map(|(trip, step)| (per_step * f64::from(step), trip));
        chart.series.push(Series::line(name, points).marked(Marks::Points));
    }
    outcome.chart("rtt", chart);
    Ok(outcome)
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = common(runs, "s0>h8", 1.0)?;
    outcome.measure("ratio", mean(ratios(runs)?));
    Ok(outcome)
}
