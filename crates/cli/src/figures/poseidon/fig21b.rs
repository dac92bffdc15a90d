//! Fig. 21b: sensitivity to p.

use super::sensitivity::{draw, spreads, trips};
use crate::figures::Outcome;
use crate::figures::observed::spearman;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (spreads, trips) = (spreads(runs, ""), trips(runs, ""));
    outcome.measure("spread", spearman(&spreads));
    outcome.measure("rtt", spearman(&trips));
    draw(&mut outcome, "spread", ("p (µs)", "Standard deviation (Gb/s)"), spreads);
    draw(&mut outcome, "rtt", ("p (µs)", "Round trip (µs)"), trips);
    Ok(outcome)
}
