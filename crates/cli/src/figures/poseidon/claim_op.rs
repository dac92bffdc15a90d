//! Abstract: message latency.

use super::fig19a::beside;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    beside(&mut outcome, runs, "swift", ("median_swift", "tail_swift"))?;
    Ok(outcome)
}
