//! Fig. 19a: message latency, uniform random traffic.

use super::operations::{draw, percentile};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

/// Median and tail of Poseidon beside another law's.
pub(super) fn beside(
    outcome: &mut Outcome,
    runs: &Runs,
    law: &str,
    names: (&'static str, &'static str),
) -> Result<(), String> {
    outcome.measure(names.0, percentile(runs, "poseidon", 0.5)? / percentile(runs, law, 0.5)?);
    outcome.measure(names.1, percentile(runs, law, 0.999)? / percentile(runs, "poseidon", 0.999)?);
    Ok(())
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    beside(&mut outcome, runs, "swift", ("median_swift", "tail_swift"))?;
    beside(&mut outcome, runs, "hpcc", ("median_hpcc", "tail_hpcc"))?;
    draw(&mut outcome, runs, &[("poseidon", "Poseidon"), ("swift", "Swift"), ("hpcc", "HPCC")])?;
    Ok(outcome)
}
