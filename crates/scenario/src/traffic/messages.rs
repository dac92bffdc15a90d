//! Messages over connections that stay.

use super::choice::Choice;
use super::demand::{Demand, Targets};
use super::{Ground, Plan, Source};
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::sizes::Sizes;
use crate::table::table;
use crate::workload::Start;
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::collections::HashMap;

table! {
    /// Messages that arrive at random over connections that stay (operation latency): arrivals are one
    /// Poisson process, sender and receiver are drawn uniformly, and each pair has one connection for all its
    /// messages.
    pub struct Messages in "traffic.messages" {
        /// The senders.
        from: Hosts = Hosts::all(),
        /// The receivers to draw from.
        to: Hosts = Hosts::all(),
        /// How large messages are.
        size: Sizes = Sizes::Fixed(Bytes::new(131_072)),
        /// What all senders send together, on average.
        rate: Rate where [Rate::from_bps(1), Rate::from_bps(u64::MAX)],
        /// When messages begin to arrive.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When they end; "auto" = with the scenario's `duration`, or 1 ms after the start if that is "auto"
        /// too.
        stop: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
    }
}

impl Messages {
    fn prepare(&self, ground: &Ground<'_>) -> Result<(Vec<u32>, Choice, Span), Refusal> {
        let from = ground.hosts("from", &self.from)?;
        let choice = Choice::new(ground, &ground.hosts("to", &self.to)?);
        choice.check(ground, &from, false)?;
        let stop = ground.stop(self.start, self.stop)?;
        let seconds = stop.saturating_sub(self.start).as_secs_f64();
        let messages = self.rate.as_bps_f64() * seconds / 8.0 / self.size.distribution().mean();
        ground.refuse_too_many(messages, "rate")?;
        Ok((from, choice, stop))
    }
}

impl Source for Messages {
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal> {
        let (from, choice, stop) = self.prepare(ground)?;
        let sizes = self.size.distribution();
        let gap = sizes.mean() * 8.0 / self.rate.as_bps_f64();
        let mut random = random(0);
        let mut connections = HashMap::new();
        let mut now = self.start;
        loop {
            now = now.saturating_add(random.exponential(gap));
            if now >= stop {
                return Ok(());
            }
            let sender = from[random.below(from.len() as u32) as usize];
            let to = choice.draw(ground, &mut random, sender, false);
            let size = sizes.at(random.unit());
            let connection =
                *connections.entry((sender, to)).or_insert_with(|| plan.connection(sender, to, Time::NEVER));
            plan.message(connection, size, Start::At(Time::after_start(now)));
        }
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.prepare(ground).map(|_| ())
    }

    fn demand(&self, ground: &Ground<'_>, demand: &mut Demand<'_>) -> Result<(), Refusal> {
        let mut targets = Targets::new(ground, &ground.hosts("to", &self.to)?);
        let from = ground.hosts("from", &self.from)?;
        let each = self.rate.as_bps_f64() / from.len() as f64;
        from.iter().for_each(|&host| demand.spread(host, &mut targets, each, false));
        demand.settle(&targets, false);
        demand.check("rate")
    }
}
