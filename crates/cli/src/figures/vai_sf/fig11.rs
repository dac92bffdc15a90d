//! Fig. 11: tail slowdown by size, web search and storage.

use super::tails;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    tails::compute(runs, "Web search and storage")
}
