//! Fig. 1a and c: how fast shares become fair.

use super::incast::{HPCC, SWIFT, fairness_chart, settings, time_to_fair};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let measures =
        [("hpcc", ["hpcc_1gbps", "hpcc_probabilistic"]), ("swift", ["swift_1gbps", "swift_probabilistic"])];
    for ((default, names), variants) in measures.into_iter().zip([HPCC, SWIFT]) {
        let slowest = time_to_fair(runs.get(default)?);
        outcome.measure(default, slowest);
        for (name, (variant, _)) in names.into_iter().zip(&variants[1..]) {
            outcome.measure(name, time_to_fair(runs.get(variant)?) / slowest);
        }
        settings(&mut outcome, runs, variants)?;
    }
    outcome.chart("hpcc", fairness_chart(runs, "HPCC: 16:1 incast, two flows every 20 µs", HPCC)?);
    outcome.chart("swift", fairness_chart(runs, "Swift: 16:1 incast, two flows every 20 µs", SWIFT)?);
    Ok(outcome)
}
