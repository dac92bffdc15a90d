//! When the machine did something else: loops that look at the clock all the time notice.

use plimsoll_units::{Span, Time};

/// A loop that is away for longer than this was interrupted. A turn takes some microseconds.
pub(crate) const STALL: Span = Span::from_us(200);
/// How long after a stall its queue is still felt: round trips, and at least this.
const AFTERMATH: (u64, Span) = (4, Span::from_ms(1));

/// A time that must not be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it began.
    pub from: Time,
    /// When it was over, or what it led to.
    pub to: Time,
}

impl Stall {
    /// With the time in which flows with this round trip still feel it.
    pub(crate) fn with_aftermath(self, base_rtt: Span) -> Self {
        let aftermath = base_rtt.saturating_mul(AFTERMATH.0).max(AFTERMATH.1);
        Self { to: self.to.saturating_add(aftermath), ..self }
    }
}

/// Watches a loop.
#[derive(Debug)]
pub(crate) struct Watch {
    last: Time,
    stalls: Vec<Stall>,
    turns: u64,
    longest: Span,
}

impl Watch {
    pub(crate) fn start(now: Time) -> Self {
        Self { last: now, stalls: Vec::new(), turns: 0, longest: Span::ZERO }
    }

    /// The loop begins a turn.
    pub(crate) fn turn(&mut self, now: Time) {
        let away = now.saturating_since(self.last);
        if away > STALL {
            self.stalls.push(Stall { from: self.last, to: now });
        }
        self.longest = self.longest.max(away);
        self.turns += 1;
        self.last = now;
    }

    pub(crate) fn finish(self) -> (Vec<Stall>, Span) {
        (self.stalls, self.longest)
    }
}

/// Stalls of several loops as times that do not overlap, in order.
pub(crate) fn merge(mut stalls: Vec<Stall>) -> Vec<Stall> {
    stalls.sort_by_key(|stall| stall.from);
    let mut merged: Vec<Stall> = Vec::new();
    for stall in stalls {
        match merged.last_mut() {
            Some(last) if stall.from <= last.to => last.to = last.to.max(stall.to),
            _ => merged.push(stall),
        }
    }
    merged
}

/// How much of the time up to `end` was disturbed.
pub(crate) fn disturbed(merged: &[Stall], end: Time) -> Span {
    let span = |stall: &Stall| stall.to.min(end).saturating_since(stall.from);
    merged.iter().map(span).fold(Span::ZERO, Span::saturating_add)
}

/// Whether a reading of the time from `from` to `to` touches a stall.
pub(crate) fn is_disturbed(merged: &[Stall], from: Time, to: Time) -> bool {
    let next = merged.partition_point(|stall| stall.to < from);
    merged.get(next).is_some_and(|stall| stall.from <= to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::after_start(Span::from_us(us))
    }

    #[test]
    fn a_loop_that_was_away_has_stalled() {
        let mut watch = Watch::start(at(0));
        for now in [100, 300, 501, 600] {
            watch.turn(at(now));
        }
        let (stalls, longest) = watch.finish();
        // From 300 to 501 µs are 201 µs; 200 from 100 to 300 are not more than allowed.
        assert_eq!(stalls, [Stall { from: at(300), to: at(501) }]);
        // Four round trips of 2 ms; of 100 µs, a millisecond at least.
        assert_eq!(stalls[0].with_aftermath(Span::from_ms(2)).to, at(8_501));
        assert_eq!(stalls[0].with_aftermath(Span::from_us(100)).to, at(1_501));
        assert_eq!(longest, Span::from_us(201));
    }

    #[test]
    fn stalls_that_overlap_count_once() {
        let stall = |from, to| Stall { from: at(from), to: at(to) };
        let merged = merge(vec![stall(500, 900), stall(0, 100), stall(50, 300), stall(300, 400)]);
        assert_eq!(merged, [stall(0, 400), stall(500, 900)]);
        // 400 and, up to 700, another 200.
        assert_eq!(disturbed(&merged, at(700)), Span::from_us(600));
        assert!(is_disturbed(&merged, at(390), at(450)) && is_disturbed(&merged, at(450), at(500)));
        assert!(!is_disturbed(&merged, at(401), at(499)) && !is_disturbed(&merged, at(901), at(2_000)));
    }
}
