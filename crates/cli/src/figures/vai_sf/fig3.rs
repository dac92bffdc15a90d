//! Fig. 3: Swift's flows by start and finish.

use super::{finishes, incast};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    finishes::compute(runs, "Swift: 16:1 staggered incast", incast::SWIFT)
}
