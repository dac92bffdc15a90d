//! Fig. 10: tail slowdown by size, Hadoop.

use super::tails;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    tails::compute(runs, "Hadoop")
}
