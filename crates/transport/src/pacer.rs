//! [`Pacer`]: when the next packet may go.
//!
//! A packet that leaves at t opens the next slot at t + wire size / rate, exact to the picosecond.
//! A rate below one packet per round trip is nothing special: the slot is just far away.

use crate::config::PendingSlot;
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    next: Time,
    /// When the last packet left, as the pace counts it: not later than it really did.
    last: Time,
    rate: Rate,
    /// The time that `size` bytes take at `rate`, kept because both rarely change.
    gap: Span,
    size: u32,
}

impl Pacer {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { next: Time::ZERO, last: Time::ZERO, rate, gap: Span::ZERO, size: 0 }
    }

    /// The next packet must not go before this.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// A packet of `size` bytes on the wire leaves. If it leaves late, up to `credit` of the
    /// lateness is not held against the next.
    #[inline]
    pub(crate) fn sent(&mut self, now: Time, size: u32, credit: Span) {
        if size != self.size {
            self.size = size;
            self.gap = gap(size, self.rate);
        }
        let floor = Time::after_start(now.since_start().saturating_sub(credit));
        debug_assert!(self.next <= now, "the sender waits for its slot");
        self.last = self.next.max(floor);
        self.next = self.last.saturating_add(self.gap);
    }

    /// The law has a rate, mostly the same as before.
    #[inline]
    pub(crate) fn set_rate(&mut self, rate: Rate, pending: PendingSlot) {
        if rate != self.rate {
            self.change_rate(rate, pending);
        }
    }

    fn change_rate(&mut self, rate: Rate, pending: PendingSlot) {
        self.rate = rate;
        self.gap = gap(self.size, rate);
        if pending == PendingSlot::Retime {
            self.next = self.last.saturating_add(self.gap);
        }
    }
}

/// Rounded up, so that the pace is never above the rate. A rate of zero means never.
fn gap(size: u32, rate: Rate) -> Span {
    rate.checked_serialize(Bytes::new(u64::from(size)), Rounding::Up).unwrap_or(Span::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::ZERO + Span::from_ns(ns)
    }

    #[test]
    fn gaps_are_wire_size_over_rate_to_the_picosecond() {
        // 1048 B · 8 / 100 Gb/s = 83.84 ns.
        let mut pacer = Pacer::new(Rate::from_gbps(100));
        pacer.sent(at(1_000), 1048, Span::ZERO);
        assert_eq!(pacer.next(), Time::from_ps(1_083_840));
        // 1000 B · 8 / 3 Gb/s = 2666.67 ns, rounded up to the picosecond.
        let mut pacer = Pacer::new(Rate::from_gbps(3));
        pacer.sent(at(0), 1000, Span::ZERO);
        assert_eq!(pacer.next(), Time::from_ps(2_666_667));
    }

    #[test]
    fn a_tenth_of_a_packet_per_round_trip_is_a_slot_ten_round_trips_away() {
        // Decision::packets gives 0.1 · 1048 B · 8 / 10 µs = 83.84 Mb/s.
        let mut pacer = Pacer::new(Rate::from_bps(83_840_000));
        pacer.sent(at(0), 1048, Span::ZERO);
        assert_eq!(pacer.next(), at(100_000));
    }

    #[test]
    fn a_new_rate_moves_the_pending_slot_or_leaves_it_as_configured() {
        // 1250 B take 100 ns at 100 Gb/s and 1000 ns at 10 Gb/s: next += 1000 − 100.
        let mut retimed = Pacer::new(Rate::from_gbps(100));
        retimed.sent(at(500), 1250, Span::ZERO);
        let mut kept = retimed;
        retimed.set_rate(Rate::from_gbps(10), PendingSlot::Retime);
        kept.set_rate(Rate::from_gbps(10), PendingSlot::Keep);
        assert_eq!((retimed.next(), kept.next()), (at(1_500), at(600)));
        kept.sent(at(600), 1250, Span::ZERO);
        assert_eq!(kept.next(), at(1_600), "the next packet is paced at the new rate");
    }

    #[test]
    fn lateness_is_caught_up_only_within_the_credit() {
        // Gap 100 ns; slots at 100, 200, …; the host comes at 170 instead of 100.
        let next_after = |credit| {
            let mut pacer = Pacer::new(Rate::from_gbps(100));
            pacer.sent(at(0), 1250, Span::ZERO);
            pacer.sent(at(170), 1250, Span::from_ns(credit));
            pacer.next()
        };
        assert_eq!(next_after(0), at(270), "no credit: the slot counts from the late departure");
        assert_eq!(next_after(30), at(240), "170 − 30 + 100");
        assert_eq!(next_after(1_000), at(200), "all caught up, and never more than that");
    }
}
