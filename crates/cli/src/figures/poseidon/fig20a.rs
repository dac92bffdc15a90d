//! Fig. 20a: brownfield message latency.

use super::operations::{draw, percentile};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

/// The percentile at which deployments are compared.
const TAIL: f64 = 0.99;

/// Latencies that differ by less than this are taken for equal.
const SLACK: f64 = 0.05;

/// The gain over Swift at the tail, in percent of that of full deployment; 0 if full deployment has none.
pub(super) fn kept(runs: &Runs, variant: &str) -> Result<f64, String> {
    let tail = |variant| percentile(runs, variant, TAIL);
    Ok(share_of_gain(tail("swift")?, tail("full")?, tail(variant)?))
}

fn share_of_gain(swift: f64, full: f64, partial: f64) -> f64 {
    if full < (1.0 - SLACK) * swift { 100.0 * (swift - partial) / (swift - full) } else { 0.0 }
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome
        .measure("gain", 100.0 * (1.0 - percentile(runs, "full", TAIL)? / percentile(runs, "swift", TAIL)?));
    outcome.measure("four", kept(runs, "four")?);
    outcome.measure("two", kept(runs, "two")?);
    let mut excess = f64::MIN;
    for pair in ["full", "four", "two", "swift"].windows(2) {
        let (more, less) = (percentile(runs, pair[0], TAIL)?, percentile(runs, pair[1], TAIL)?);
        excess = excess.max(100.0 * (more / less - 1.0));
    }
    outcome.measure("order", excess);
    let names =
        [("full", "all switches"), ("four", "four ToRs"), ("two", "two ToRs"), ("swift", "none: Swift")];
    draw(&mut outcome, runs, &names)?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_way_from_swift_to_full_deployment_is_half_the_gain() {
        // 100 → 40 is a gain of 60; 70 has 30 of it.
        assert_eq!(share_of_gain(100.0, 40.0, 70.0), 50.0);
        assert_eq!(share_of_gain(100.0, 40.0, 130.0), -50.0);
        // Full deployment is no better, or hardly: there is nothing to keep, whatever the rest does.
        assert_eq!(share_of_gain(100.0, 110.0, 90.0), 0.0);
        assert_eq!(share_of_gain(100.0, 96.0, 90.0), 0.0);
    }
}
