//! Hosts that ask several others at once.

use super::{Ground, Plan, Source};
use crate::problem::Kind;
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use plimsoll_cc::choice;
use plimsoll_units::{Bytes, Span};

choice! {
    /// Where those that answer stand.
    pub enum Responders {
        /// In one rack other than the requester's, drawn for each query.
        OneRack = "one-rack",
        /// Anywhere else.
        Any = "any",
    }
}

table! {
    /// Hosts ask at random moments, and several others answer at once (PowerTCP, §4.1). The answers are the
    /// flows; what is asked is not sent.
    pub struct QueryIncast in "traffic.query-incast" {
        /// The hosts that ask, each an independent Poisson process.
        requesters: Hosts = Hosts::all(),
        /// Queries of each requester per second.
        queries_per_second: f64 where [0.000_001, 1e9] = 1_000.0,
        /// How many answer each query.
        responders: u32 where [1, 100_000] = 10,
        /// Where they stand: in "one-rack" other than the requester's, drawn for each query, or "any"where
        /// else.
        responders_in: Responders = Responders::OneRack,
        /// Bytes of all answers to a query together.
        size: Bytes where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = Bytes::from_mb(2),
        /// When queries begin.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When queries end; "auto" = with the scenario's `duration`, or 1 ms after the start if that is
        /// "auto" too.
        stop: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
    }
}

impl QueryIncast {
    fn prepare(&self, ground: &Ground<'_>) -> Result<(Vec<u32>, Span), Refusal> {
        let requesters = ground.hosts("requesters", &self.requesters)?;
        let racks = &ground.racks.hosts;
        match self.responders_in {
            Responders::OneRack if racks.len() < 2 => {
                let message = "there is no other rack; use `responders_in = \"any\"`";
                return Err(Refusal::new(Kind::Contradiction, "responders_in", message));
            }
            Responders::Any if ground.network.hosts <= self.responders => {
                let message = format!(
                    "{} hosts cannot answer: there are {} others",
                    self.responders,
                    ground.network.hosts - 1
                );
                return Err(Refusal::new(Kind::OutOfBounds, "responders", message));
            }
            Responders::OneRack => {
                let smallest = racks.iter().map(Vec::len).min().unwrap_or(0);
                if smallest < self.responders as usize {
                    let message = format!(
                        "{} hosts of one rack cannot answer: the smallest rack has {smallest}; use \
                         `responders_in = \"any\"`",
                        self.responders
                    );
                    return Err(Refusal::new(Kind::OutOfBounds, "responders", message));
                }
            }
            Responders::Any => {}
        }
        let stop = ground.stop(self.start, self.stop)?;
        let seconds = stop.saturating_sub(self.start).as_secs_f64();
        let queries = requesters.len() as f64 * self.queries_per_second * seconds;
        ground.refuse_too_many(queries * f64::from(self.responders), "queries_per_second")?;
        let asked = self.queries_per_second * self.size.as_f64() * 8.0;
        for &host in &requesters {
            let rate = ground.host_rates[host as usize];
            if asked > rate.as_bps_f64() {
                let message = format!(
                    "{} would receive {:.3} Gb/s of answers on average, but its link has {:.3} Gb/s",
                    ground.network.name(host),
                    asked / 1e9,
                    rate.as_gbps_f64()
                );
                return Err(Refusal::new(Kind::OutOfBounds, "queries_per_second", message));
            }
        }
        Ok((requesters, stop))
    }

    /// Those that answer this query, each once.
    fn draw(&self, ground: &Ground<'_>, random: &mut Random, requester: u32) -> Vec<u32> {
        let mut candidates = match self.responders_in {
            Responders::OneRack => {
                let own = ground.racks.of_host[requester as usize];
                let drawn = random.below(ground.racks.hosts.len() as u32 - 1);
                ground.racks.hosts[(drawn + u32::from(drawn >= own)) as usize].clone()
            }
            Responders::Any => (0..ground.network.hosts).filter(|&host| host != requester).collect(),
        };
        // The first places of a shuffle.
        let wanted = self.responders as usize;
        for place in 0..wanted {
            let other = place + random.below((candidates.len() - place) as u32) as usize;
            candidates.swap(place, other);
        }
        candidates.truncate(wanted);
        candidates
    }
}

impl Source for QueryIncast {
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal> {
        let (requesters, stop) = self.prepare(ground)?;
        let each = Bytes::new((self.size.get() / u64::from(self.responders)).max(1));
        for requester in requesters {
            let mut random = random(u64::from(requester));
            let mut now = self.start;
            loop {
                now = now.saturating_add(random.exponential(1.0 / self.queries_per_second));
                if now >= stop {
                    break;
                }
                for responder in self.draw(ground, &mut random, requester) {
                    plan.flow(responder, requester, each, now);
                }
            }
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.prepare(ground).map(|_| ())
    }
}
