//! Introduction: gain when only some switches stamp.

use super::fig20a::kept;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.measure("four", kept(runs, "four")?);
    Ok(outcome)
}
