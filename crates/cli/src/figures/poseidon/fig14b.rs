//! Fig. 14b: rate of the victim.

use super::multihop::{STEPS, fair, fair_curve, settled};
use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

const NAMES: [&str; 5] = ["rate_0_0", "rate_0_2", "rate_2_2", "rate_2_9", "rate_9_9"];

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let poseidon = runs.get("poseidon")?;
    for (name, window) in NAMES.into_iter().zip(settled(poseidon)) {
        outcome.measure(name, poseidon.rate("victim", window));
    }
    for (law, name, step) in [("swift", "swift_2_2", 2), ("swift", "swift_9_9", 4), ("hpcc", "hpcc_9_9", 4)] {
        let run = runs.get(law)?;
        outcome.measure(name, run.rate("victim", settled(run)[step]) / fair(STEPS[step]));
    }
    let mut chart = over_time("Rate of the victim", "Rate (Gb/s)");
    chart.series.push(Series::guide("fair share", fair_curve(poseidon)));
    for (law, name) in [("poseidon", "Poseidon"), ("swift", "Swift"), ("hpcc", "HPCC"), ("dctcp", "DCTCP")] {
        chart.series.push(runs.get(law)?.mean_series(name, "goodput", "victim"));
    }
    chart.notes.push("M green, N blue flows: (0, 0), (0, 2), (2, 2), (2, 9), (9, 9).".into());
    outcome.chart("rate", chart);
    Ok(outcome)
}
