//! Fig. 18b: round trips as flows are added by fifty.

use super::fig18a::{common, ratios};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = common(runs, "s0>h50", 50.0)?;
    outcome.measure("ratio", ratios(runs)?.into_iter().fold(f64::MIN, f64::max));
    Ok(outcome)
}
