//! Fig. 6c and d: Swift with VAI and SF in the 96:1 incast.

use super::with_mechanisms;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    with_mechanisms::SWIFT.compute(runs, "96:1")
}
