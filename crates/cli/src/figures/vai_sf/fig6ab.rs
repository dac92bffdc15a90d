//! Fig. 6a and b: Swift with VAI and SF in the 16:1 incast.

use super::with_mechanisms;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    with_mechanisms::SWIFT.compute(runs, "16:1")
}
