//! Abstract: variation of throughput.

use super::fig17b::{mean_gain, pairs};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.measure("mean", mean_gain(&pairs(runs)));
    Ok(outcome)
}
