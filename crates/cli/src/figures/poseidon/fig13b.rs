//! Fig. 13b: reverse traffic at 10 Gb/s.

use super::fig12b::victims;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let (outcome, ..) = victims(runs, "Victim of reverse traffic, 10 Gb/s", ("paper: Swift's victim", 1.91))?;
    Ok(outcome)
}
