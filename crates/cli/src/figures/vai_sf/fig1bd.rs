//! Fig. 1b and d: what a large additive increase does to the queue.

use super::incast::{HPCC, SWIFT, queue_chart, queue_deviation};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

/// Queues are looked at from here on, in milliseconds.
const FROM: f64 = 0.4;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for (measure, variants) in [("hpcc", HPCC), ("swift", SWIFT)] {
        let of = |variant| runs.get(variant).map(|run| queue_deviation(run, FROM));
        outcome.measure(measure, of(variants[1].0)? / of(variants[0].0)?);
        for (variant, name) in variants {
            outcome.setting(&format!("{name}: deviation of the queue"), format!("{:.1} kB", of(variant)?));
        }
    }
    outcome.chart("hpcc", queue_chart(runs, "HPCC: queue of the 16:1 incast", HPCC)?);
    outcome.chart("swift", queue_chart(runs, "Swift: queue of the 16:1 incast", SWIFT)?);
    Ok(outcome)
}
