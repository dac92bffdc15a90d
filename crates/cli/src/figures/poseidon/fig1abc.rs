//! Fig. 1: a new flow beside two established ones.

use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, mean, reaches, within};
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

/// 90 % of a third of 200 Gb/s.
const GOAL: f64 = 60.0;
/// Samples of 10 µs whose mean is a rate.
const BIN: usize = 5;

/// How often the new flow's window falls before it has its share.
fn decreases(run: &Observed) -> f64 {
    let Some(flow) = run.flows("new").first().copied() else { return f64::NAN };
    let window = Window { from: run.start("new"), to: run.end };
    let rate: Vec<(f64, f64)> = run
        .curve("goodput", flow.connection)
        .chunks(BIN)
        .filter_map(|bin| Some((bin.last()?.0, mean(bin.iter().map(|point| point.1)))))
        .collect();
    let end = reaches(&rate, window, GOAL).unwrap_or(run.end);
    let windows: Vec<f64> = within(run.curve("window", flow.connection), Window { to: end, ..window })
        .map(|point| point.1)
        .collect();
    windows.windows(2).filter(|pair| pair[1] < pair[0]).count() as f64
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (poseidon, swift) = (runs.get("poseidon")?, runs.get("swift")?);
    outcome.measure("swift", decreases(swift));
    outcome.measure("poseidon", decreases(poseidon));
    let mut rates = over_time("Rate of the new flow", "Rate (Gb/s)");
    rates.series.push(Series::guide("fair share", [(0.0, 200.0 / 3.0), (swift.end, 200.0 / 3.0)]));
    let mut windows = over_time("Window of the new flow", "Window (KB)");
    for (name, run) in [("Swift", swift), ("Poseidon", poseidon)] {
        rates.series.push(run.mean_series(name, "goodput", "new"));
        windows.series.push(run.mean_series(name, "window", "new"));
    }
    outcome.chart("rates", rates);
    outcome.chart("windows", windows);
    Ok(outcome)
}
