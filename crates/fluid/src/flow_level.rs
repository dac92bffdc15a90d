//! A workload flow by flow: every flow has its max-min fair rate at every moment, and ends when its bytes are
//! through.
//!
//! This is what a perfect law would do with no queues, no round trips and no packets. It says which flows are
//! there at a moment without a packet-level run.

use crate::max_min::{self, Link};
use plimsoll_scenario::{Start, Workload};
use plimsoll_units::{Bytes, Rate, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Links, and what is sent over them.
#[derive(Clone, Copy, Debug)]
pub struct FlowLevel<'w> {
    /// Each link's rate.
    pub capacities: &'w [Rate],
    /// The links of each connection.
    pub paths: &'w [Vec<Link>],
    /// What hosts send.
    pub workload: &'w Workload,
    /// Bytes on the wire for each byte of payload, at least 1.
    pub wire_per_payload: f64,
}

/// A workload under way.
struct Progress<'w> {
    model: FlowLevel<'w>,
    /// In seconds.
    now: f64,
    /// Messages that begin at a known time, the earliest first; doubles that are not negative are in the order of
    /// their bits.
    begins: BinaryHeap<Reverse<(u64, usize)>>,
    /// Of each message how many it still waits for, and who waits for it.
    waits: Vec<(u32, Vec<usize>)>,
    /// Of each connection the messages that it has to send, each with its bits left.
    queues: Vec<VecDeque<(usize, f64)>>,
    /// Connections with something to send, ascending, and the rate of each.
    active: Vec<usize>,
    rates: Vec<f64>,
}

/// Bits of a message below which it is through: rounding leaves less than that.
const NOTHING: f64 = 1e-3;

impl FlowLevel<'_> {
    /// The connections that have something to send at this moment.
    ///
    /// # Errors
    /// If a connection crosses an unknown link or none.
    pub fn active_at(&self, at: Time) -> Result<Vec<usize>, max_min::Error> {
        let mut progress = Progress::new(*self);
        let at = at.as_secs_f64();
        progress.begin_due();
        loop {
            progress.share()?;
            let next = progress.next_event();
            if next > at {
                return Ok(progress.active);
            }
            progress.advance(next);
        }
    }
}

impl<'w> Progress<'w> {
    fn new(model: FlowLevel<'w>) -> Self {
        let messages = model.workload.messages.len();
        let mut begins = BinaryHeap::new();
        let mut waits = vec![(0, Vec::new()); messages];
        for (index, message) in model.workload.messages.iter().enumerate() {
            if let Start::At(time) = message.start {
                begins.push(Reverse((time.as_secs_f64().to_bits(), index)));
            }
            for &other in model.workload.dependencies(index) {
                waits[index].0 += 1;
                if let Some((_, waiting)) = waits.get_mut(other as usize) {
                    waiting.push(index);
                }
            }
        }
        let queues = vec![VecDeque::new(); model.workload.connections.len()];
        Self { model, now: 0.0, begins, waits, queues, active: Vec::new(), rates: Vec::new() }
    }

    /// Gives every active connection its fair rate.
    fn share(&mut self) -> Result<(), max_min::Error> {
        let FlowLevel { workload, paths, capacities, .. } = self.model;
        let has_work = |&connection: &usize| {
            let stop = workload.connections[connection].stop;
            !self.queues[connection].is_empty() && stop.as_secs_f64() > self.now
        };
        self.active = (0..self.queues.len()).filter(has_work).collect();
        let active: Vec<Vec<Link>> = self
            .active
            .iter()
            .map(|&connection| paths.get(connection).cloned().unwrap_or_default())
            .collect();
        let rates = max_min::allocate(capacities, &active)?.rates;
        self.rates = rates.into_iter().map(Rate::as_bps_f64).collect();
        Ok(())
    }

    /// When the next message begins or ends, or the next connection stops.
    fn next_event(&self) -> f64 {
        let begin = self.begins.peek().map_or(f64::INFINITY, |Reverse((time, _))| f64::from_bits(*time));
        let ends = self.active.iter().zip(&self.rates).map(|(&connection, rate)| {
            let left = self.queues[connection].front().map_or(0.0, |(_, bits)| *bits);
            let stop = self.model.workload.connections[connection].stop.as_secs_f64();
            (self.now + left / rate).min(stop)
        });
        ends.fold(begin, f64::min)
    }

    /// Everything up to `next`, which is no later than the next event.
    fn advance(&mut self, next: f64) {
        let seconds = next - self.now;
        self.now = next;
        let mut through = Vec::new();
        for (&connection, rate) in self.active.iter().zip(&self.rates) {
            let queue = &mut self.queues[connection];
            if let Some((message, left)) = queue.front_mut() {
                *left -= rate * seconds;
                // What takes no more time than the clock can tell is through, however many bits it is.
                if *left <= NOTHING || self.now + *left / rate <= self.now {
                    through.push(*message);
                    queue.pop_front();
                }
            }
        }
        for message in through {
            for waiting in std::mem::take(&mut self.waits[message].1) {
                self.waits[waiting].0 -= 1;
                if self.waits[waiting].0 == 0 {
                    let delay = match self.model.workload.messages[waiting].start {
                        Start::After { delay, .. } | Start::AfterAll { delay, .. } => delay.as_secs_f64(),
                        Start::At(_) => 0.0,
                    };
                    self.begins.push(Reverse(((self.now + delay).to_bits(), waiting)));
                }
            }
        }
        self.begin_due();
    }

    /// Messages whose time has come join their connections' queues.
    fn begin_due(&mut self) {
        while let Some(&Reverse((time, index))) = self.begins.peek() {
            if f64::from_bits(time) > self.now {
                return;
            }
            self.begins.pop();
            let message = &self.model.workload.messages[index];
            let bits = wire_bits(message.bytes, self.model.wire_per_payload);
            self.queues[message.connection as usize].push_back((index, bits));
        }
    }
}

fn wire_bits(payload: Bytes, wire_per_payload: f64) -> f64 {
    payload.as_f64() * 8.0 * wire_per_payload
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_scenario::{Connection, Message};
    use plimsoll_units::Span;

    const LINK: [Rate; 1] = [Rate::from_gbps(100)];

    fn us(microseconds: u64) -> Time {
        Time::after_start(Span::from_us(microseconds))
    }

    /// Connections on one link, each with these messages.
    fn workload(connections: usize, messages: Vec<Message>) -> Workload {
        let connection = Connection { from: 0, to: 1, class: 0, stop: Time::NEVER, group: 0 };
        Workload { connections: vec![connection; connections], messages, ..Workload::default() }
    }

    fn message(connection: u32, kilobytes: u64, start: Start) -> Message {
        Message { connection, bytes: Bytes::from_kb(kilobytes), start }
    }

    fn active(workload: &Workload, at: Time) -> Vec<usize> {
        let paths = vec![vec![0]; workload.connections.len()];
        let model = FlowLevel { capacities: &LINK, paths: &paths, workload, wire_per_payload: 1.0 };
        model.active_at(at).unwrap()
    }

    /// 100 Gb/s carry 12.5 KB in 1 µs. A, 1250 KB, is alone for 20 µs (250 KB); then A and B, 500 KB, have half
    /// each: B's 500 KB take 80 µs, until 100 µs. A has then 1250 − 250 − 500 = 500 KB left, alone: 40 µs more.
    #[test]
    fn flows_end_when_their_bytes_are_through() {
        let both = workload(2, vec![message(0, 1_250, Start::At(us(0))), message(1, 500, Start::At(us(20)))]);
        assert_eq!(active(&both, us(19)), [0]);
        assert_eq!(active(&both, us(20)), [0, 1]);
        assert_eq!(active(&both, us(99)), [0, 1]);
        assert_eq!(active(&both, us(101)), [0]);
        assert_eq!(active(&both, us(139)), [0]);
        assert_eq!(active(&both, us(141)), [0_usize; 0]);
    }

    /// A's 125 KB take 10 µs; B's follow 5 µs later and take 10 µs.
    #[test]
    fn a_message_begins_after_the_one_that_it_waits_for() {
        let after = Start::After { message: 0, delay: Span::from_us(5) };
        let both = workload(2, vec![message(0, 125, Start::At(us(0))), message(1, 125, after)]);
        assert_eq!(active(&both, us(9)), [0]);
        assert_eq!(active(&both, us(12)), [0_usize; 0]);
        assert_eq!(active(&both, us(16)), [1]);
        assert_eq!(active(&both, us(26)), [0_usize; 0]);
    }

    #[test]
    fn endless_flows_stay_until_their_connection_stops() {
        let endless = Message { connection: 0, bytes: Message::UNBOUNDED, start: Start::At(us(0)) };
        let mut one = workload(1, vec![endless]);
        assert_eq!(active(&one, Time::after_start(Span::from_s(1))), [0]);
        one.connections[0].stop = us(50);
        assert_eq!(active(&one, us(49)), [0]);
        assert_eq!(active(&one, us(50)), [0_usize; 0]);
    }
}
