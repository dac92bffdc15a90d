//! Fig. 21c: sensitivity to k.

use super::sensitivity::{draw, trips, utilisations};
use crate::figures::Outcome;
use crate::figures::observed::spearman;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (busy, trips) = (utilisations(runs, "few "), trips(runs, "many "));
    let at = |k: f64| busy.iter().find(|point| point.0 == k).map_or(f64::NAN, |point| point.1);
    outcome.measure("small", at(0.5) - at(2.0));
    outcome.measure("two", at(2.0));
    outcome.measure("rtt", spearman(&trips));
    draw(&mut outcome, "utilisation", ("k (µs)", "Utilisation (%)"), busy);
    draw(&mut outcome, "rtt", ("k (µs)", "Round trip (µs)"), trips);
    Ok(outcome)
}
