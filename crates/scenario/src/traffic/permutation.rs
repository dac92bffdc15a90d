//! Each host sends to one other, and receives from one other.

use super::{Ground, Plan, Source};
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use crate::workload::Message;
use plimsoll_units::{Bytes, Span};

table! {
    /// Each host sends to one other, drawn at random, and receives from one other.
    pub struct Permutation in "traffic.permutation" {
        /// The hosts.
        hosts: Hosts = Hosts::all(),
        /// Bytes of each flow; "auto" = endless.
        size: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = None,
        /// When all begin.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
    }
}

impl Source for Permutation {
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal> {
        let hosts = ground.several("hosts", &self.hosts, 2)?;
        // One cycle through all hosts in a random order: nobody sends to itself.
        let mut cycle = hosts.clone();
        random(0).shuffle(&mut cycle);
        let mut to_of = vec![0; ground.network.hosts as usize];
        for (place, &from) in cycle.iter().enumerate() {
            to_of[from as usize] = cycle[(place + 1) % cycle.len()];
        }
        for from in hosts {
            plan.flow(from, to_of[from as usize], self.size.unwrap_or(Message::UNBOUNDED), self.start);
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        ground.several("hosts", &self.hosts, 2).map(|_| ())
    }

    fn last_endless_start(&self, _: &Ground<'_>) -> Option<Span> {
        self.size.is_none().then_some(self.start)
    }
}
