//! Fig. 5c and d: HPCC with VAI and SF in the 96:1 incast.

use super::with_mechanisms;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    with_mechanisms::HPCC.compute(runs, "96:1")
}
