//! [`QueueLevel`]: how long a queue was, over time.

use plimsoll_units::{Bytes, Time};

/// The level of a queue from change to change: its peak and its mean over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLevel {
    began: Time,
    changed: Time,
    level: Bytes,
    peak: Bytes,
    /// Byte-picoseconds up to the last change.
    area: u128,
}

impl QueueLevel {
    /// Empty from this moment on.
    #[must_use]
    pub const fn empty(at: Time) -> Self {
        Self { began: at, changed: at, level: Bytes::ZERO, peak: Bytes::ZERO, area: 0 }
    }

    /// The level changes. Moments come in order; one that lies before the last counts as the last.
    pub fn set(&mut self, at: Time, level: Bytes) {
        self.area = self.area_until(at);
        self.changed = self.changed.max(at);
        self.level = level;
        self.peak = self.peak.max(level);
    }

    /// The level now.
    #[must_use]
    pub const fn level(&self) -> Bytes {
        self.level
    }

    /// The highest level so far.
    #[must_use]
    pub const fn peak(&self) -> Bytes {
        self.peak
    }

    /// The mean number of bytes from the beginning to this moment; zero if no time has passed.
    #[must_use]
    pub fn mean_bytes(&self, until: Time) -> f64 {
        let elapsed = until.max(self.changed).saturating_since(self.began).as_ps();
        if elapsed == 0 { 0.0 } else { self.area_until(until) as f64 / elapsed as f64 }
    }

    fn area_until(&self, until: Time) -> u128 {
        let unchanged = until.saturating_since(self.changed).as_ps();
        self.area.saturating_add(u128::from(self.level.get()) * u128::from(unchanged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::{Rate, Span};

    fn ns(nanoseconds: u64) -> Time {
        Time::after_start(Span::from_ns(nanoseconds))
    }

    #[test]
    fn mean_weighs_each_level_by_its_time() {
        let mut queue = QueueLevel::empty(ns(100));
        queue.set(ns(110), Bytes::new(3_000));
        queue.set(ns(130), Bytes::new(1_000));
        // 10 ns · 0 + 20 ns · 3000 B + 10 ns · 1000 B = 70,000 B·ns over 40 ns.
        assert_eq!(queue.mean_bytes(ns(140)), 1_750.0);
        assert_eq!((queue.peak(), queue.level()), (Bytes::new(3_000), Bytes::new(1_000)));
    }

    #[test]
    fn littles_law_holds_for_packets_in_line() {
        // Four packets of 1000 B arrive at once at 100 Gb/s (80 ns each) and wait 80, 160, 240, 320 ns until
        // they are gone: 4 packets in 320 ns, mean stay 200 ns, so the mean is 4/320 · 200 = 2.5 packets.
        let mut queue = QueueLevel::empty(ns(0));
        let packet = Bytes::from_kb(1);
        let service = Rate::from_gbps(100).serialize_up(packet);
        for left in (0..=4).rev() {
            queue.set(Time::ZERO + service * (4 - left), Bytes::new(left * packet.get()));
        }
        assert_eq!(queue.mean_bytes(ns(320)), 2_500.0);
    }

    #[test]
    fn time_that_stands_still_or_runs_back_is_no_time() {
        let mut queue = QueueLevel::empty(ns(100));
        assert_eq!(queue.mean_bytes(ns(100)), 0.0);
        queue.set(ns(50), Bytes::new(10));
        assert_eq!((queue.mean_bytes(ns(0)), queue.peak()), (0.0, Bytes::new(10)));
    }
}
