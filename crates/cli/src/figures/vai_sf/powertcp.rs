//! Ours: VAI and SF over PowerTCP.

use super::incast::{
    Variants, fairness_chart, finish_chart, mean_queue, queue_chart, settings, spread, time_to_fair,
};
use crate::figures::Outcome;
use crate::figures::runs::Runs;

const VARIANTS: &Variants = &[
    ("powertcp", "PowerTCP"),
    ("powertcp-vai", "PowerTCP VAI only"),
    ("powertcp-sf", "PowerTCP SF only"),
    ("powertcp-vai-sf", "PowerTCP VAI SF"),
];

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (default, both) = (runs.get("powertcp")?, runs.get("powertcp-vai-sf")?);
    outcome.measure("fair", time_to_fair(both) / time_to_fair(default));
    outcome.measure("spread", spread(both) / spread(default));
    outcome.measure("queue_more", mean_queue(both) - mean_queue(default));
    settings(&mut outcome, runs, VARIANTS)?;
    outcome.chart("fairness", fairness_chart(runs, "PowerTCP: fairness, 16:1 incast", VARIANTS)?);
    outcome.chart("queue", queue_chart(runs, "PowerTCP: queue, 16:1 incast", VARIANTS)?);
    let ends = [VARIANTS[0], VARIANTS[3]];
    outcome.chart("finishes", finish_chart(runs, "PowerTCP: 16:1 staggered incast", &ends)?);
    Ok(outcome)
}
