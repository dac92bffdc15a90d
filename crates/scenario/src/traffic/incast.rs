//! Many hosts send to one.

use super::{Ground, Plan, Source};
use crate::problem::Kind;
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use plimsoll_units::{Bytes, Span};

table! {
    /// Many hosts send one flow each to the same host, together or staggered, once or again and again.
    pub struct Incast in "traffic.incast" {
        /// The senders; the receiver is left out.
        from: Hosts = Hosts::all(),
        /// The receiver.
        to: Hosts,
        /// Flows of each sender in each round.
        flows_per_sender: u32 where [1, 1_000_000] = 1,
        /// Bytes of each flow.
        size: Bytes where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = Bytes::from_mb(1),
        /// When the first flow begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// How many flows begin together; "auto" = all, or one if there is a `gap`.
        batch: Option<u32> where [1, 10_000_000] = None,
        /// Time between two batches.
        gap: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// How often it happens.
        rounds: u32 where [1, 1_000_000] = 1,
        /// Time between the beginnings of two rounds.
        period: Span where [Span::from_ps(1), Span::from_s(100_000)] = Span::from_ms(1),
    }
}

impl Incast {
    fn ends(&self, ground: &Ground<'_>) -> Result<(Vec<u32>, u32), Refusal> {
        let to = ground.host("to", &self.to)?;
        let mut from = ground.hosts("from", &self.from)?;
        from.retain(|&host| host != to);
        if from.is_empty() {
            return Err(Refusal::new(Kind::Contradiction, "from", "nobody is left to send to the receiver"));
        }
        let flows = from.len() as f64 * f64::from(self.flows_per_sender) * f64::from(self.rounds);
        ground.refuse_too_many(flows, "rounds")?;
        Ok((from, to))
    }
}

impl Source for Incast {
    fn plan(&self, ground: &Ground<'_>, _: &dyn Fn(u64) -> Random, plan: &mut Plan) -> Result<(), Refusal> {
        let (from, to) = self.ends(ground)?;
        let together = match self.batch {
            Some(batch) => u64::from(batch),
            None if self.gap == Span::ZERO => u64::MAX,
            None => 1,
        };
        for round in 0..self.rounds {
            let begin = self.start.saturating_add(self.period.saturating_mul(u64::from(round)));
            let senders = (0..self.flows_per_sender).flat_map(|_| from.iter().copied());
            for (flow, sender) in senders.enumerate() {
                let late = self.gap.saturating_mul(flow as u64 / together);
                plan.flow(sender, to, self.size, begin.saturating_add(late));
            }
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.ends(ground).map(|_| ())
    }
}
