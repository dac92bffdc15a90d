//! Abstract: time to converge.

use super::fig17a::time_to_share;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.measure("swift", time_to_share(runs.get("swift")?) / time_to_share(runs.get("poseidon")?));
    Ok(outcome)
}
