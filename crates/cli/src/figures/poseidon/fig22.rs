//! Fig. 22: message latency by ratio and by distance.

use super::operations::{draw, percentile};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.measure("tail", percentile(runs, "distance", 0.999)? / percentile(runs, "ratio", 0.999)?);
    draw(&mut outcome, runs, &[("distance", "by distance"), ("ratio", "by ratio")])?;
    Ok(outcome)
}
