//! Flows from these hosts to those.

use super::{Ground, Plan, Source};
use crate::problem::Kind;
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use crate::workload::{Message, Start};
use plimsoll_cc::choice;
use plimsoll_units::{Bytes, Span, Time};

choice! {
    /// Who sends to whom.
    pub enum Pairing {
        /// The first to the first, the second to the second; the shorter list begins again.
        OneToOne = "one-to-one",
        /// Each to each.
        All = "all",
    }
}

table! {
    /// Flows from these hosts to those, one after the other or together; endless if no size is given.
    pub struct Flows in "traffic.flows" {
        /// The senders.
        from: Hosts,
        /// The receivers.
        to: Hosts,
        /// Who sends to whom: "one-to-one" (the shorter list begins again) or "all" (each to each).
        pairing: Pairing = Pairing::OneToOne,
        /// Flows for each pair.
        flows_per_pair: u32 where [1, 1_000_000] = 1,
        /// Bytes of each flow; "auto" = endless.
        size: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = None,
        /// When the first begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// How many begin together; "auto" = all, or one if there is a `gap`.
        batch: Option<u32> where [1, 10_000_000] = None,
        /// Time between two batches.
        gap: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// Each begins up to so much later, drawn from the seed: runs of several seeds then differ in who comes first.
        jitter: Span where [Span::ZERO, Span::from_s(1)] = Span::ZERO,
        /// How long each lasts at most; "auto" = no limit.
        lifetime: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
        /// When all end at the latest; "auto" = no limit.
        stop: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
    }
}

impl Flows {
    fn pairs(&self, ground: &Ground<'_>) -> Result<Vec<(u32, u32)>, Refusal> {
        let from = ground.hosts("from", &self.from)?;
        let to = ground.hosts("to", &self.to)?;
        let count = match self.pairing {
            Pairing::OneToOne => from.len().max(to.len()),
            Pairing::All => from.len() * to.len(),
        };
        ground.refuse_too_many(count as f64 * f64::from(self.flows_per_pair), "flows_per_pair")?;
        let pairs: Vec<(u32, u32)> = match self.pairing {
            Pairing::OneToOne => {
                (0..count).map(|pair| (from[pair % from.len()], to[pair % to.len()])).collect()
            }
            Pairing::All => {
                let pairs = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
                pairs.filter(|(from, to)| from != to).collect()
            }
        };
        if let Some((host, _)) = pairs.iter().find(|(from, to)| from == to) {
            let message = format!("{} would send to itself", ground.network.name(*host));
            return Err(Refusal::new(Kind::Contradiction, "to", message));
        }
        if pairs.is_empty() {
            return Err(Refusal::new(Kind::Missing, "to", "nobody sends to anybody"));
        }
        if let Some(stop) = self.stop
            && stop <= self.start.saturating_add(self.jitter)
        {
            let begin = self.start.saturating_add(self.jitter);
            let message = format!("flows end at \"{stop}\", but begin at \"{begin}\"; they must end later");
            return Err(Refusal::new(Kind::Contradiction, "stop", message));
        }
        Ok(pairs)
    }

    fn start_of(&self, flow: u64) -> Span {
        let together = match self.batch {
            Some(batch) => u64::from(batch),
            None if self.gap == Span::ZERO => u64::MAX,
            None => 1,
        };
        self.start.saturating_add(self.gap.saturating_mul(flow / together))
    }
}

impl Source for Flows {
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal> {
        let mut random = random(0);
        let mut flow = 0;
        for (from, to) in self.pairs(ground)? {
            for _ in 0..self.flows_per_pair {
                let late = Span::saturating_from_secs_f64(self.jitter.as_secs_f64() * random.unit());
                let start = self.start_of(flow).saturating_add(late);
                let life = self.lifetime.map(|lifetime| start.saturating_add(lifetime));
                let stop = life.into_iter().chain(self.stop).min().map_or(Time::NEVER, Time::after_start);
                let connection = plan.connection(from, to, stop);
                let bytes = self.size.unwrap_or(Message::UNBOUNDED);
                plan.message(connection, bytes, Start::At(Time::after_start(start)));
                flow += 1;
            }
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.pairs(ground).map(|_| ())
    }

    fn last_endless_start(&self, ground: &Ground<'_>) -> Option<Span> {
        let endless = self.size.is_none() && self.lifetime.is_none() && self.stop.is_none();
        let pairs = self.pairs(ground).ok().filter(|_| endless)?;
        let flows = pairs.len() as u64 * u64::from(self.flows_per_pair);
        Some(self.start_of(flows.saturating_sub(1)).saturating_add(self.jitter))
    }
}
