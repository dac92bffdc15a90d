//! Fig. 21d: sensitivity to m.

use super::sensitivity::{draw, spreads, times};
use crate::figures::Outcome;
use crate::figures::observed::spearman;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (times, spreads) = (times(runs, "few "), spreads(runs, "many "));
    let pairs: Vec<(f64, f64)> =
        times.iter().zip(&spreads).map(|(time, spread)| (time.1, spread.1)).collect();
    outcome.measure("trade", spearman(&pairs));
    outcome.measure("direction", spearman(&times));
    draw(&mut outcome, "time", ("m", "Time to 90 % of the share (ms)"), times);
    draw(&mut outcome, "spread", ("m", "Standard deviation (Gb/s)"), spreads);
    Ok(outcome)
}
