//! Fig. 20b: brownfield multi-hop congestion.

use super::fig15a::second_half;
use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (at_bottleneck, elsewhere) = (runs.get("2-9")?, runs.get("9-2")?);
    outcome.measure("victim", at_bottleneck.rate("victim", second_half(at_bottleneck)));
    outcome.measure("blue", at_bottleneck.rate("blue", second_half(at_bottleneck)));
    let window = second_half(elsewhere);
    outcome.measure("unfair", elsewhere.rate("victim", window) / elsewhere.rate("green", window));
    let mut chart = over_time("Brownfield: telemetry at rack 10 only", "Rate (Gb/s)");
    for (case, run) in [("(2, 9)", at_bottleneck), ("(9, 2)", elsewhere)] {
        for group in ["victim", "blue", "green"] {
            chart.series.push(run.mean_series(&format!("{case} {group}"), "goodput", group));
        }
    }
    outcome.chart("rates", chart);
    Ok(outcome)
}
