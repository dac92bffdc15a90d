//! Fig. 13: median slowdown by size, web search and storage.

use super::medians;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    medians::compute(runs, "Web search and storage")
}
