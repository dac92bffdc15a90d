//! Fig. 12: median slowdown by size, Hadoop.

use super::medians;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    medians::compute(runs, "Hadoop")
}
