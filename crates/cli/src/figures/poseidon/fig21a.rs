//! Fig. 21a: ablations.

use super::multihop::{STEPS, fair, fair_curve, settled};
use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut chart = over_time("Rate of the victim without a part of Poseidon", "Rate (Gb/s)");
    chart.series.push(Series::guide("fair share", fair_curve(runs.get("full")?)));
    for (measure, variant, name) in [
        ("full", "full", "all parts"),
        ("aimd", "aimd", "additive increase"),
        ("no_mpd", "no-mpd", "no per-hop maximum"),
        ("fixed", "fixed-target", "fixed target"),
    ] {
        let run = runs.get(variant)?;
        outcome.measure(measure, run.rate("victim", settled(run)[4]) / fair(STEPS[4]));
        chart.series.push(run.mean_series(name, "goodput", "victim"));
    }
    outcome.chart("rate", chart);
    Ok(outcome)
}
