//! Figs. 5 and 6: a law, its variants, and the law with VAI and SF, together and one by one.

use super::incast::{Variants, fairness_chart, mean_queue, queue_chart, settings, time_to_fair};
use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::runs::Runs;

/// A law in all its forms.
pub(super) struct Law {
    name: &'static str,
    default: &'static str,
    others: [&'static str; 2],
    both: &'static str,
    /// What the paper draws.
    shown: &'static Variants,
    /// The mechanisms one by one.
    parts: &'static Variants,
}

pub(super) const HPCC: Law = Law {
    name: "HPCC",
    default: "hpcc",
    others: ["hpcc-1gbps", "hpcc-probabilistic"],
    both: "hpcc-vai-sf",
    shown: &[
        ("hpcc", "HPCC"),
        ("hpcc-1gbps", "HPCC 1Gbps"),
        ("hpcc-probabilistic", "HPCC Probabilistic"),
        ("hpcc-vai-sf", "HPCC VAI SF"),
    ],
    parts: &[
        ("hpcc", "HPCC"),
        ("hpcc-vai", "HPCC VAI only"),
        ("hpcc-sf", "HPCC SF only"),
        ("hpcc-vai-sf", "HPCC VAI SF"),
    ],
};

pub(super) const SWIFT: Law = Law {
    name: "Swift",
    default: "swift",
    others: ["swift-1gbps", "swift-probabilistic"],
    both: "swift-vai-sf",
    shown: &[
        ("swift", "Swift"),
        ("swift-1gbps", "Swift 1Gbps"),
        ("swift-probabilistic", "Swift Probabilistic"),
        ("swift-vai-sf", "Swift VAI SF"),
    ],
    parts: &[
        ("swift", "Swift"),
        ("swift-vai", "Swift VAI only"),
        ("swift-sf", "Swift SF only"),
        ("swift-vai-sf", "Swift VAI SF"),
    ],
};

impl Law {
    /// A number of the two other variants, the smaller one.
    fn best_other(&self, runs: &Runs, number: fn(&Observed) -> f64) -> Result<f64, String> {
        let [one, other] = self.others;
        Ok(number(runs.get(one)?).min(number(runs.get(other)?)))
    }

    /// Fairness and queue with numbers that both laws' figures have, and their pictures.
    pub(super) fn compute(&self, runs: &Runs, incast: &str) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        let (default, both) = (runs.get(self.default)?, runs.get(self.both)?);
        let fair = time_to_fair(both);
        outcome.measure("fair", fair / time_to_fair(default));
        outcome.measure("fair_variants", fair / self.best_other(runs, time_to_fair)?);
        let queue = mean_queue(both);
        outcome.measure("queue_more", queue - mean_queue(default));
        outcome.measure("queue_1gbps", queue / mean_queue(runs.get(self.others[0])?));
        outcome.measure("queue_all", queue / self.best_other(runs, mean_queue)?.min(mean_queue(default)));
        settings(&mut outcome, runs, self.shown)?;
        settings(&mut outcome, runs, &self.parts[1..3])?;
        let title = |what: &str| format!("{}: {what}, {incast} incast", self.name);
        outcome.chart("fairness", fairness_chart(runs, &title("fairness"), self.shown)?);
        outcome.chart("queue", queue_chart(runs, &title("queue"), self.shown)?);
        outcome.chart("parts-fairness", fairness_chart(runs, &title("fairness by mechanism"), self.parts)?);
        outcome.chart("parts-queue", queue_chart(runs, &title("queue by mechanism"), self.parts)?);
        Ok(outcome)
    }
}
