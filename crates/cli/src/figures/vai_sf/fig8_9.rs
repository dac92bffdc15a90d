//! Figs. 8 and 9: who finishes when, with and without VAI and SF.

use super::incast::{Variants, finish_chart, settings, spread};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

const HPCC: &Variants = &[("hpcc", "HPCC"), ("hpcc-vai-sf", "HPCC VAI SF")];
const SWIFT: &Variants = &[("swift", "Swift"), ("swift-vai-sf", "Swift VAI SF")];

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for (measure, title, variants) in
        [("hpcc", "HPCC: 16:1 staggered incast", HPCC), ("swift", "Swift: 16:1 staggered incast", SWIFT)]
    {
        outcome.measure(measure, spread(runs.get(variants[1].0)?) / spread(runs.get(variants[0].0)?));
        settings(&mut outcome, runs, variants)?;
        outcome.chart(measure, finish_chart(runs, title, variants)?);
    }
    Ok(outcome)
}
