//! [`Pacer`]: when the next packet may go.
//!
//! A packet that leaves at t opens the next slot at t + wire size / rate, exact to the picosecond, or
//! cut to whole ticks as simulators with a coarser clock do.
//! A rate below one packet per round trip is nothing special: the slot is just far away.

use crate::config::{Config, PendingSlot};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};

const PICOSECOND: Span = Span::from_ps(1);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    next: Time,
    /// When the last packet left, as the pace counts it: not later than it really did.
    last: Time,
    rate: Rate,
    /// The time that `size` bytes take at `rate`, in whole ticks, kept because both rarely change.
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

    /// A packet of `size` bytes on the wire leaves. If it leaves late, up to `pacing_credit` of the
    /// lateness is not held against the next.
    #[inline]
    pub(crate) fn sent(&mut self, now: Time, size: u32, config: &Config) {
        if size != self.size {
            self.size = size;
            self.gap = gap(size, self.rate, config.tick);
        }
        let floor = Time::after_start(now.since_start().saturating_sub(config.pacing_credit));
        debug_assert!(self.next <= now, "the sender waits for its slot");
        self.last = self.next.max(floor);
        self.next = self.last.saturating_add(self.gap);
    }

    /// The law has a rate, mostly the same as before.
    #[inline]
    pub(crate) fn set_rate(&mut self, rate: Rate, config: &Config) {
        if rate != self.rate {
            self.change_rate(rate, config);
        }
    }

    fn change_rate(&mut self, rate: Rate, config: &Config) {
        self.rate = rate;
        self.gap = gap(self.size, rate, config.tick);
        if config.pending_slot == PendingSlot::Retime {
            self.next = self.last.saturating_add(self.gap);
        }
    }
}

/// Exact, it is rounded up, so that the pace is never above the rate. In ticks it is rounded down once,
/// from the exact quotient: up to the picosecond and then down could reach the next tick. A rate of
/// zero means never.
fn gap(size: u32, rate: Rate, tick: Span) -> Span {
    let size = Bytes::new(u64::from(size));
    let gap = if tick == PICOSECOND {
        rate.checked_serialize(size, Rounding::Up)
    } else {
        rate.checked_serialize(size, Rounding::Down).map(|exact| cut(exact, tick))
    };
    gap.unwrap_or(Span::MAX)
}

/// The settings are checked: the tick is not zero.
fn cut(span: Span, tick: Span) -> Span {
    let rest = span.as_ps().checked_rem(tick.as_ps()).unwrap_or_default();
    span.saturating_sub(Span::from_ps(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::ZERO + Span::from_ns(ns)
    }

    fn exact() -> Config {
        Config::default()
    }

    #[test]
    fn gaps_are_wire_size_over_rate_to_the_picosecond() {
        // 1048 B · 8 / 100 Gb/s = 83.84 ns.
        let mut pacer = Pacer::new(Rate::from_gbps(100));
        pacer.sent(at(1_000), 1048, &exact());
        assert_eq!(pacer.next(), Time::from_ps(1_083_840));
        // 1000 B · 8 / 3 Gb/s = 2666.67 ns, rounded up to the picosecond.
        let mut pacer = Pacer::new(Rate::from_gbps(3));
        pacer.sent(at(0), 1000, &exact());
        assert_eq!(pacer.next(), Time::from_ps(2_666_667));
    }

    /// The gap in picoseconds behind a packet of `size` bytes.
    fn gap_of(size: u32, rate: Rate, tick: Span) -> u64 {
        let mut pacer = Pacer::new(rate);
        pacer.sent(at(0), size, &Config { tick, ..exact() });
        pacer.next().as_ps()
    }

    #[test]
    fn gaps_are_cut_to_whole_ticks() {
        let (rate, nanosecond) = (Rate::from_gbps(100), Span::from_ns(1));
        // 1048 B · 8 / 100 Gb/s = 83.84 ns.
        assert_eq!(gap_of(1048, rate, nanosecond), 83_000);
        assert_eq!(gap_of(1048, rate, Span::from_ns(10)), 80_000);
        assert_eq!(gap_of(1048, rate, Span::from_ps(7)), 83_839, "11 977 · 7 ps");
        assert_eq!(gap_of(1000, rate, nanosecond), 80_000, "a whole number of ticks stays");
        assert_eq!(gap_of(1048, rate, Span::from_us(1)), 0, "shorter than a tick is none");
        // 8000 b / 83 ns = 96 385 542 168.67 b/s: at …169 b/s the gap is a hair below 83 ns. Rounded
        // up to the picosecond first, it would be 83 ns.
        let hair_below = Rate::from_bps(96_385_542_169);
        assert_eq!(gap_of(1000, hair_below, Span::from_ps(1)), 83_000);
        assert_eq!(gap_of(1000, hair_below, nanosecond), 82_000);
    }

    #[test]
    fn a_new_rate_is_cut_to_ticks_too_and_never_stays_never() {
        let config = Config { tick: Span::from_ns(1), ..exact() };
        let mut pacer = Pacer::new(Rate::from_gbps(100));
        pacer.sent(at(500), 1048, &config);
        // 1048 B · 8 / 30 Gb/s = 279.47 ns.
        pacer.set_rate(Rate::from_gbps(30), &config);
        assert_eq!(pacer.next(), at(779));
        pacer.set_rate(Rate::ZERO, &config);
        assert_eq!(pacer.next(), Time::NEVER);
    }

    #[test]
    fn a_tenth_of_a_packet_per_round_trip_is_a_slot_ten_round_trips_away() {
        // Decision::packets gives 0.1 · 1048 B · 8 / 10 µs = 83.84 Mb/s.
        let mut pacer = Pacer::new(Rate::from_bps(83_840_000));
        pacer.sent(at(0), 1048, &exact());
        assert_eq!(pacer.next(), at(100_000));
    }

    #[test]
    fn a_new_rate_moves_the_pending_slot_or_leaves_it_as_configured() {
        // 1250 B take 100 ns at 100 Gb/s and 1000 ns at 10 Gb/s: next += 1000 − 100.
        let mut retimed = Pacer::new(Rate::from_gbps(100));
        retimed.sent(at(500), 1250, &exact());
        let mut kept = retimed;
        let pending = |pending_slot| Config { pending_slot, ..exact() };
        retimed.set_rate(Rate::from_gbps(10), &pending(PendingSlot::Retime));
        kept.set_rate(Rate::from_gbps(10), &pending(PendingSlot::Keep));
        assert_eq!((retimed.next(), kept.next()), (at(1_500), at(600)));
        kept.sent(at(600), 1250, &exact());
        assert_eq!(kept.next(), at(1_600), "the next packet is paced at the new rate");
    }

    #[test]
    fn lateness_is_caught_up_only_within_the_credit() {
        // Gap 100 ns; slots at 100, 200, …; the host comes at 170 instead of 100.
        let next_after = |credit| {
            let mut pacer = Pacer::new(Rate::from_gbps(100));
            pacer.sent(at(0), 1250, &exact());
            let config = Config { pacing_credit: Span::from_ns(credit), ..exact() };
            pacer.sent(at(170), 1250, &config);
            pacer.next()
        };
        assert_eq!(next_after(0), at(270), "no credit: the slot counts from the late departure");
        assert_eq!(next_after(30), at(240), "170 − 30 + 100");
        assert_eq!(next_after(1_000), at(200), "all caught up, and never more than that");
    }
}
