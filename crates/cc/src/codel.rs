//! CoDel: congestion is a queue that has not been short for an interval.
//!
//! ```text
//! per dequeued packet, s = its time in the queue:
//!   s < target or backlog ≤ MTU:   above = none                             ok = no
//!   else, above = none:            above = now + interval                   ok = no
//!   else:                                                                   ok = now ≥ above
//!
//!   not signalling, ok:    signal;  count = recent ? count − lastcount : 1
//!                          lastcount = count;  next = now + interval / √count
//!   signalling, not ok:    stop signalling
//!   signalling, now ≥ next:   signal;  count += 1;  next += interval / √count
//!
//!   recent: count − lastcount > 1 and now − next < 16 · interval
//! ```
//!
//! A burst makes a queue that drains within a round trip and is good; a queue that stays is bad.
//! CoDel looks at the smallest delay of the last interval, and while that is too large it signals
//! ever more often: for a TCP, whose throughput goes with 1/√(loss rate), 1/√count makes the
//! throughput fall linearly.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | s | how long the packet was queued | time |
//! | target | acceptable standing delay | time |
//! | interval | how long it must persist; about the worst round trip | time |
//! | above | when the delay will have persisted | time |
//! | next | time of the next signal | time |
//! | count, lastcount | signals since signalling began, and that at its begin | 1 |
//! | backlog | bytes left in the queue | bytes |
//!
//! Source: RFC 8289 §4–5 (the appendix' pseudocode has Linux's rule for count); Linux
//! codel_impl.h for marking instead of dropping.
//!
//! # Deviations
//! - *One packet per call*: RFC 8289 dequeues, drops and dequeues again in a loop. Here the caller
//!   asks for each packet: after [`Verdict::Drop`] it asks for the next at the same time. The order
//!   of tests is the RFC's: the packet after the first drop of an episode always passes, and while
//!   it drops, the time of the next drop moves only if the next packet is over the target too.
//! - *Marking* (`signal = "mark"`) marks at most one packet per call, as Linux does: a marked packet
//!   is also delivered, so there is no next one to look at.
//! - *1/√count* is exact; Linux iterates Newton's method in fixed point.

use crate::params::{ParamError, Parameters, not_above};
use crate::verdict::Verdict;
use plimsoll_units::{Bytes, Span, Time};

/// How many intervals after the last episode its rate of signals is still a good guess.
const MEMORY: u64 = 16;

crate::choice! {
    /// How congestion is signalled.
    pub enum Signal {
        /// The packet is marked and delivered.
        Mark = "mark",
        /// The packet is discarded.
        Drop = "drop",
    }
}

crate::parameters! {
    /// CoDel's parameters.
    pub struct Params {
        /// Acceptable standing delay.
        target: Span where [Span::from_ns(1), Span::from_s(100)],
        /// How long the delay must persist; about the worst round trip.
        interval: Span where [Span::from_ns(1), Span::from_s(1_000)],
        /// A backlog of up to this is never too long.
        mtu: Bytes where [Bytes::ZERO, Bytes::from_mb(10)],
        /// How congestion is signalled.
        signal: Signal,
    }
    presets {
        "rfc8289" => rfc8289, "RFC 8289 §4.3–4.4: 5 ms and 100 ms, dropping",
        "rpm" => rpm, "RPM, §V.B: 1 ms and 20 ms, marking",
        "datacenter" => datacenter, "RFC 8289 §4.4's rule (target 5 % of interval) for round trips below 1 ms",
    }
}

impl Params {
    /// The standard, for the Internet.
    #[must_use]
    pub fn rfc8289() -> Self {
        Self {
            target: Span::from_ms(5),
            interval: Span::from_ms(100),
            mtu: Bytes::new(1_500),
            signal: Signal::Drop,
        }
    }

    /// The testbed of Reverse Path Congestion Marking, and of its baseline.
    #[must_use]
    pub fn rpm() -> Self {
        Self {
            target: Span::from_ms(1),
            interval: Span::from_ms(20),
            signal: Signal::Mark,
            ..Self::rfc8289()
        }
    }

    /// Ours, by the RFC's rule: interval of the worst round trip, target a twentieth of it.
    #[must_use]
    pub fn datacenter() -> Self {
        Self {
            target: Span::from_us(50),
            interval: Span::from_ms(1),
            signal: Signal::Mark,
            ..Self::rfc8289()
        }
    }
}

/// CoDel with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDel {
    target: Span,
    interval: Span,
    mtu: Bytes,
    signal: Signal,
}

/// A packet that has just left its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dequeued {
    /// The time now.
    pub now: Time,
    /// How long the packet was queued.
    pub sojourn: Span,
    /// Bytes left in the queue without the packet.
    pub backlog: Bytes,
}

/// What CoDel does about the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Watching,
    Signalling,
    /// It has dropped the first packet of an episode; the next one passes.
    FirstDropped,
    /// It has dropped another packet; the time of the next drop is yet to be set.
    Dropped,
}

/// What CoDel remembers of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    phase: Phase,
    /// When the delay will have been too long for an interval, if it is now.
    above: Option<Time>,
    next: Time,
    count: u32,
    last_count: u32,
}

impl Queue {
    /// Signals since signalling began, or began last.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }
}

impl CoDel {
    /// CoDel with these parameters.
    ///
    /// # Errors
    /// If a parameter is out of bounds, or the target is above the interval.
    pub fn new(params: &Params) -> Result<Self, ParamError<'static>> {
        params.check()?;
        not_above("target", params.target, "interval", params.interval)?;
        let Params { target, interval, mtu, signal } = *params;
        Ok(Self { target, interval, mtu, signal })
    }

    /// What to do with a packet. After [`Verdict::Drop`], ask for the next one; if there is none,
    /// call [`CoDel::on_empty`].
    pub fn on_dequeue(&self, queue: &mut Queue, packet: &Dequeued) -> Verdict {
        let persists = self.delay_persists(queue, packet);
        match queue.phase {
            Phase::Watching if persists => self.begin(queue, packet.now),
            Phase::Watching => Verdict::Pass,
            Phase::FirstDropped => {
                queue.phase = Phase::Signalling;
                Verdict::Pass
            }
            Phase::Signalling | Phase::Dropped if !persists => {
                queue.phase = Phase::Watching;
                Verdict::Pass
            }
            Phase::Dropped => {
                queue.phase = Phase::Signalling;
                queue.next = self.after(queue.next, queue.count);
                self.signal_if_due(queue, packet.now)
            }
            Phase::Signalling => self.signal_if_due(queue, packet.now),
        }
    }

    /// The queue is empty, which ends an episode.
    pub fn on_empty(&self, queue: &mut Queue) {
        queue.phase = Phase::Watching;
        queue.above = None;
    }

    /// Whether the delay has been above the target for an interval.
    fn delay_persists(&self, queue: &mut Queue, packet: &Dequeued) -> bool {
        if packet.sojourn < self.target || packet.backlog <= self.mtu {
            queue.above = None;
            return false;
        }
        if let Some(above) = queue.above {
            return packet.now >= above;
        }
        queue.above = Some(packet.now.saturating_add(self.interval));
        false
    }

    /// Begins an episode with a signal.
    fn begin(&self, queue: &mut Queue, now: Time) -> Verdict {
        let signals = queue.count.saturating_sub(queue.last_count);
        let recent = now.saturating_since(queue.next) < self.interval.saturating_mul(MEMORY);
        queue.count = if signals > 1 && recent { signals } else { 1 };
        queue.last_count = queue.count;
        queue.next = self.after(now, queue.count);
        match self.signal {
            Signal::Mark => {
                queue.phase = Phase::Signalling;
                Verdict::Mark
            }
            Signal::Drop => {
                queue.phase = Phase::FirstDropped;
                Verdict::Drop
            }
        }
    }

    fn signal_if_due(&self, queue: &mut Queue, now: Time) -> Verdict {
        if now < queue.next {
            return Verdict::Pass;
        }
        queue.count = queue.count.saturating_add(1);
        match self.signal {
            Signal::Mark => {
                queue.next = self.after(queue.next, queue.count);
                Verdict::Mark
            }
            Signal::Drop => {
                queue.phase = Phase::Dropped;
                Verdict::Drop
            }
        }
    }

    /// The control law: `interval / √count` after `time`.
    fn after(&self, time: Time, count: u32) -> Time {
        time.saturating_add(self.interval.saturating_scale(1.0 / libm::sqrt(f64::from(count.max(1)))))
    }
}

#[cfg(test)]
mod tests;
