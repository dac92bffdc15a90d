//! Fig. 2: HPCC's flows by start and finish.

use super::{finishes, incast};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    finishes::compute(runs, "HPCC: 16:1 staggered incast", incast::HPCC)
}
