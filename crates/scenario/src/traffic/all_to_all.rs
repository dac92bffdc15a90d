//! Each host sends to each other.

use super::{Ground, Plan, Source};
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use crate::workload::Start;
use plimsoll_cc::choice;
use plimsoll_units::{Bytes, Span, Time};

choice! {
    /// When a host sends to whom.
    pub enum Schedule {
        /// To all at once.
        AtOnce = "at-once",
        /// To one after the other, to the next in the list first.
        Rounds = "rounds",
    }
}

table! {
    /// Each host sends to each other, as in the shuffle of MapReduce or of an expert-parallel model.
    pub struct AllToAll in "traffic.all-to-all" {
        /// The hosts.
        hosts: Hosts = Hosts::all(),
        /// Bytes from each to each.
        size: Bytes where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = Bytes::from_kb(100),
        /// When a host sends to whom: to all "at-once", or in "rounds": in round r to the r-th host after it,
        /// when its flow of the round before is acked.
        schedule: Schedule = Schedule::AtOnce,
        /// When it begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
    }
}

impl AllToAll {
    fn prepare(&self, ground: &Ground<'_>) -> Result<Vec<u32>, Refusal> {
        let hosts = ground.several("hosts", &self.hosts, 2)?;
        ground.refuse_too_many(hosts.len() as f64 * (hosts.len() - 1) as f64, "hosts")?;
        Ok(hosts)
    }
}

impl Source for AllToAll {
    fn plan(&self, ground: &Ground<'_>, _: &dyn Fn(u64) -> Random, plan: &mut Plan) -> Result<(), Refusal> {
        let hosts = self.prepare(ground)?;
        let at = Start::At(Time::after_start(self.start));
        for (place, &from) in hosts.iter().enumerate() {
            let mut before: Option<u32> = None;
            for round in 1..hosts.len() {
                let to = hosts[(place + round) % hosts.len()];
                let start = match (self.schedule, before) {
                    (Schedule::Rounds, Some(message)) => Start::After { message, delay: Span::ZERO },
                    _ => at,
                };
                let connection = plan.connection(from, to, Time::NEVER);
                before = Some(plan.message(connection, self.size, start));
            }
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.prepare(ground).map(|_| ())
    }
}
