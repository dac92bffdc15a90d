//! Hosts sum up vectors, and all get the sum.

use super::{Ground, Plan, Source};
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use crate::workload::Start;
use plimsoll_cc::choice;
use plimsoll_units::{Bytes, Span, Time};

choice! {
    /// Who sends what to whom.
    pub enum Algorithm {
        /// Pieces go round a ring twice: once to be summed up, once to be handed out.
        Ring = "ring",
        /// Sums go up a binary tree, the result comes down.
        Tree = "tree",
    }
}

table! {
    /// Hosts sum up vectors, and all get the sum, as in the training of models. A message is sent when those
    /// that it is made of have arrived.
    pub struct AllReduce in "traffic.all-reduce" {
        /// The hosts, in the order of the ring or of the tree.
        hosts: Hosts = Hosts::all(),
        /// Who sends what to whom: "ring" (n hosts send n-ths in 2·(n − 1) steps) or "tree" (whole vectors go
        /// up a binary tree and the sum comes down).
        algorithm: Algorithm = Algorithm::Ring,
        /// Bytes of each host's vector.
        size: Bytes where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = Bytes::from_mb(10),
        /// How often it happens.
        iterations: u32 where [1, 1_000_000] = 1,
        /// Time that a host computes between two iterations.
        compute: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When it begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
    }
}

impl AllReduce {
    fn prepare(&self, ground: &Ground<'_>) -> Result<Vec<u32>, Refusal> {
        let hosts = ground.several("hosts", &self.hosts, 2)?;
        let others = (hosts.len() - 1) as f64;
        let messages = match self.algorithm {
            Algorithm::Ring => 2.0 * others * hosts.len() as f64,
            Algorithm::Tree => 2.0 * others,
        };
        ground.refuse_too_many(messages * f64::from(self.iterations), "iterations")?;
        Ok(hosts)
    }

    /// Each host has one connection, to the next. In step s it sends the piece that it got in step s − 1.
    fn ring(&self, hosts: &[u32], plan: &mut Plan) {
        let count = hosts.len();
        let connections: Vec<u32> = (0..count)
            .map(|place| plan.connection(hosts[place], hosts[(place + 1) % count], Time::NEVER))
            .collect();
        let piece = Bytes::new(self.size.get().div_ceil(count as u64));
        // What each host sent last; the next host waits for it.
        let mut last: Vec<u32> = Vec::new();
        for iteration in 0..self.iterations {
            for step in 0..2 * (count - 1) {
                let delay = if step == 0 && iteration > 0 { self.compute } else { Span::ZERO };
                let sent = (0..count).map(|place| {
                    let start = match last.get((place + count - 1) % count) {
                        Some(&message) => Start::After { message, delay },
                        None => Start::At(Time::after_start(self.start)),
                    };
                    plan.message(connections[place], piece, start)
                });
                last = sent.collect();
            }
        }
    }

    /// Host p's children are 2p + 1 and 2p + 2. It sends up when both have, and down what came from above.
    fn tree(&self, hosts: &[u32], plan: &mut Plan) {
        let count = hosts.len();
        let parent = |place: usize| (place - 1) / 2;
        let children = |place: usize| (2 * place + 1..=2 * place + 2).filter(move |&child| child < count);
        let connections: Vec<(u32, u32)> = (1..count)
            .map(|place| {
                let (child, parent) = (hosts[place], hosts[parent(place)]);
                (plan.connection(child, parent, Time::NEVER), plan.connection(parent, child, Time::NEVER))
            })
            .collect();
        // What each host but the root got last from above.
        let mut got: Vec<u32> = Vec::new();
        for iteration in 0..self.iterations {
            let mut up = vec![0; count];
            for place in (1..count).rev() {
                let below: Vec<u32> = children(place).map(|child| up[child]).collect();
                let start = match (below.is_empty(), got.get(place)) {
                    (true, None) => Start::At(Time::after_start(self.start)),
                    (true, Some(&message)) => Start::After { message, delay: self.compute },
                    // Its own part is ready, too: what came from above last came before what its children
                    // sent.
                    (false, _) => plan.after_all(&below, Span::ZERO),
                };
                up[place] = plan.message(connections[place - 1].0, self.size, start);
            }
            debug_assert!(iteration == 0 || got.len() == count);
            let mut down = vec![0; count];
            for place in 1..count {
                let start = match parent(place) {
                    0 => {
                        let below: Vec<u32> = children(0).map(|child| up[child]).collect();
                        plan.after_all(&below, Span::ZERO)
                    }
                    above => Start::After { message: down[above], delay: Span::ZERO },
                };
                down[place] = plan.message(connections[place - 1].1, self.size, start);
            }
            got = down;
        }
    }
}

impl Source for AllReduce {
    fn plan(&self, ground: &Ground<'_>, _: &dyn Fn(u64) -> Random, plan: &mut Plan) -> Result<(), Refusal> {
        let hosts = self.prepare(ground)?;
        match self.algorithm {
            Algorithm::Ring => self.ring(&hosts, plan),
            Algorithm::Tree => self.tree(&hosts, plan),
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.prepare(ground).map(|_| ())
    }
}
