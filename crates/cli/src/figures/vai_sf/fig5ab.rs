//! Fig. 5a and b: HPCC with VAI and SF in the 16:1 incast.

use super::with_mechanisms;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    with_mechanisms::HPCC.compute(runs, "16:1")
}
