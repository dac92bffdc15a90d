//! Figs. 2 and 3: who finishes when, for a law and its variants.

use super::incast::{Variants, finish_chart, kendall, settings, spread};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(super) fn compute(runs: &Runs, title: &str, variants: &Variants) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let default = runs.get(variants[0].0)?;
    outcome.measure("tau", kendall(default));
    for (measure, (variant, name)) in ["1gbps", "probabilistic"].into_iter().zip(&variants[1..]) {
        let run = runs.get(variant)?;
        let (order, apart) = (kendall(run).abs() / kendall(default).abs(), spread(run) / spread(default));
        outcome.measure(measure, order.min(apart));
        outcome.setting(
            &format!("{name}: order and spread over the default's"),
            format!("{order:.2}, {apart:.2}"),
        );
    }
    settings(&mut outcome, runs, variants)?;
    outcome.chart("finishes", finish_chart(runs, title, variants)?);
    Ok(outcome)
}
