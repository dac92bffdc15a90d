//! Jain's index, of one moment and over time.
//!
//! ```text
//! J = (Σ x)² / (n · Σ x²)        1: all equal;  1/n: one has everything
//! ```
//! R. Jain, D. Chiu, W. Hawe, DEC-TR-301 (1984).

use crate::record::MessageRecord;
use plimsoll_units::{Bytes, Rate, Span, Time};

/// Jain's index; `None` if there is no value, all are zero, or one is negative or not finite.
pub fn jain(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    if values.iter().any(|value| !value.is_finite() || *value < 0.0) {
        return None;
    }
    // The index does not change when all are scaled; this keeps squares of large and small rates in range.
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(sum, squares), value| {
        let share = value / largest;
        (sum + share, squares + share * share)
    });
    Some(sum * sum / (values.len() as f64 * squares))
}

/// From when until when a flow wanted to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Its start.
    pub start: Time,
    /// Its end; never, if it was still sending when the run ended.
    pub end: Time,
}

impl From<&MessageRecord> for Lifetime {
    fn from(record: &MessageRecord) -> Self {
        let given_up = record.failure.map(|failure| failure.at);
        Self { start: record.start, end: record.finish.or(given_up).unwrap_or(Time::NEVER) }
    }
}

/// Bytes that each flow delivered in each bin of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateBins {
    from: Time,
    width: Span,
    bins: u64,
    /// Of each flow the bins in which it delivered, ascending, with the bytes.
    flows: Vec<Vec<(u64, u64)>>,
}

/// Fairness in one bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FairnessPoint {
    /// The beginning of the bin.
    pub at: Time,
    /// Flows that wanted to send throughout the bin: only they are compared.
    pub active: u32,
    /// Jain's index of their rates; `None` if there are none or nothing was delivered.
    pub jain: Option<f64>,
    /// What all flows delivered together, those that came or went meanwhile included.
    pub total: Rate,
}

impl RateBins {
    /// For so many flows, bins of this width, at least 1 ps, from one moment to another; a last bin that would
    /// be cut short is left out. Memory grows with the bins in which flows deliver.
    #[must_use]
    pub fn new(flows: usize, from: Time, until: Time, width: Span) -> Self {
        let width = width.max(Span::from_ps(1));
        let bins = until.saturating_since(from).as_ps() / width.as_ps();
        Self { from, width, bins, flows: vec![Vec::new(); flows] }
    }

    /// A flow, counted from 0, delivers bytes. Moments and flows that are not covered are passed over.
    pub fn deliver(&mut self, flow: usize, at: Time, bytes: Bytes) {
        let (Some(since), Some(counts)) = (at.checked_since(self.from), self.flows.get_mut(flow)) else {
            return;
        };
        let bin = since.as_ps() / self.width.as_ps();
        if bin >= self.bins {
            return;
        }
        // Deliveries come in the order of time or nearly so: the place is at the end or close to it.
        let place = counts.iter().rposition(|(earlier, _)| *earlier <= bin).map_or(0, |before| before + 1);
        match place.checked_sub(1).and_then(|before| counts.get_mut(before)) {
            Some((same, count)) if *same == bin => *count = count.saturating_add(bytes.get()),
            _ => counts.insert(place, (bin, bytes.get())),
        }
    }

    /// The rate of a flow in each bin up to its last delivery, with the beginning of the bin.
    pub fn rates(&self, flow: usize) -> impl Iterator<Item = (Time, Rate)> {
        let used = self.flows.get(flow).and_then(|counts| counts.last()).map_or(0, |(bin, _)| bin + 1);
        (0..used).map(move |bin| (self.beginning(bin), self.rate(self.bytes(flow, bin))))
    }

    /// Fairness over time, up to the last delivery, among the flows with these lifetimes, in the order of
    /// their numbers.
    pub fn fairness(&self, lifetimes: &[Lifetime]) -> impl Iterator<Item = FairnessPoint> {
        let last_bins = self.flows.iter().filter_map(|counts| counts.last());
        let used = last_bins.map(|(bin, _)| bin + 1).max().unwrap_or(0);
        (0..used).map(move |bin| self.point(bin, lifetimes))
    }

    fn point(&self, bin: u64, lifetimes: &[Lifetime]) -> FairnessPoint {
        let at = self.beginning(bin);
        let end = at.saturating_add(self.width);
        let throughout = lifetimes.iter().enumerate().filter(|(_, life)| life.start <= at && life.end >= end);
        let active: Vec<f64> = throughout.map(|(flow, _)| self.bytes(flow, bin) as f64).collect();
        let total = (0..self.flows.len()).fold(0_u64, |sum, flow| sum.saturating_add(self.bytes(flow, bin)));
        FairnessPoint { at, active: active.len() as u32, jain: jain(active), total: self.rate(total) }
    }

    fn bytes(&self, flow: usize, bin: u64) -> u64 {
        let Some(counts) = self.flows.get(flow) else { return 0 };
        let place = counts.binary_search_by_key(&bin, |(at, _)| *at);
        place.ok().and_then(|place| counts.get(place)).map_or(0, |(_, bytes)| *bytes)
    }

    fn beginning(&self, bin: u64) -> Time {
        self.from.saturating_add(self.width.saturating_mul(bin))
    }

    fn rate(&self, bytes: u64) -> Rate {
        Rate::saturating_from(Bytes::new(bytes), self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::made_up::{completed, failed, never_started};
    use proptest::prelude::*;

    fn us(microseconds: u64) -> Time {
        Time::after_start(Span::from_us(microseconds))
    }

    #[test]
    fn equal_shares_are_fair_and_one_for_all_is_one_over_n() {
        assert_eq!(jain([7.0; 5]), Some(1.0));
        assert_eq!(jain([0.0, 0.0, 3.0, 0.0]), Some(0.25));
    }

    #[test]
    fn worked_example() {
        // (1 + 2 + 3)² / (3 · (1 + 4 + 9)) = 36 / 42.
        assert!((jain([1.0, 2.0, 3.0]).unwrap() - 36.0 / 42.0).abs() < 1e-15);
    }

    #[test]
    fn without_a_rate_there_is_no_fairness() {
        assert_eq!(jain([]), None);
        assert_eq!(jain([0.0, 0.0]), None);
        assert_eq!(jain([1.0, f64::NAN]), None);
        assert_eq!(jain([1.0, -1.0]), None);
        assert_eq!(jain([1.0, f64::INFINITY]), None);
    }

    #[test]
    fn only_flows_that_last_throughout_a_bin_are_compared() {
        // Bins of 10 µs. Flow 0 lives for all three, flow 1 begins within the second.
        let mut bins = RateBins::new(4, us(100), us(130), Span::from_us(10));
        for (flow, at, kilobytes) in [(0, 100, 125), (0, 115, 75), (1, 116, 25), (0, 129, 75), (1, 120, 25)] {
            bins.deliver(flow, us(at), Bytes::from_kb(kilobytes));
        }
        let lifetimes =
            [(0, 1_000), (112, 1_000)].map(|(start, end)| Lifetime { start: us(start), end: us(end) });
        let points: Vec<_> = bins.fairness(&lifetimes).collect();
        // 125 kB in 10 µs are 100 Gb/s. Third bin: (75 + 25)² / (2 · (75² + 25²)) = 10,000 / 12,500 = 0.8.
        let expected = [(100, 1, 1.0, 100), (110, 1, 1.0, 80), (120, 2, 0.8, 80)];
        assert_eq!(points.len(), 3);
        for (point, (at, active, index, gbps)) in points.iter().zip(expected) {
            assert_eq!((point.at, point.active, point.total), (us(at), active, Rate::from_gbps(gbps)));
            assert!((point.jain.unwrap() - index).abs() < 1e-12, "{point:?}");
        }
    }

    #[test]
    fn an_active_flow_that_delivers_nothing_is_starved_not_absent() {
        let mut bins = RateBins::new(4, us(0), us(10), Span::from_us(10));
        bins.deliver(0, us(5), Bytes::from_kb(1));
        let point = bins.fairness(&[Lifetime { start: us(0), end: Time::NEVER }; 2]).next().unwrap();
        assert_eq!((point.active, point.jain), (2, Some(0.5)));
    }

    #[test]
    fn what_lies_outside_of_the_bins_is_passed_over() {
        let mut bins = RateBins::new(4, us(10), us(39), Span::from_us(10));
        for at in [us(9), us(30), Time::NEVER] {
            bins.deliver(3, at, Bytes::from_kb(1));
        }
        bins.deliver(usize::MAX, us(15), Bytes::from_kb(1));
        assert_eq!(bins.fairness(&[]).count(), 0);
        bins.deliver(3, us(29), Bytes::new(1_250));
        let rates: Vec<_> = bins.rates(3).collect();
        assert_eq!(rates, [(us(10), Rate::from_bps(0)), (us(20), Rate::from_gbps(1))]);
        assert_eq!(bins.rates(99).count(), 0);
    }

    #[test]
    fn late_reports_of_early_deliveries_count_in_their_bin() {
        let mut bins = RateBins::new(1, us(0), us(50), Span::from_us(10));
        for at in [25, 5, 45, 26, 15, 7] {
            bins.deliver(0, us(at), Bytes::new(1_250));
        }
        let gbps: Vec<_> = bins.rates(0).map(|(_, rate)| rate.as_gbps_f64()).collect();
        assert_eq!(gbps, [2.0, 1.0, 2.0, 0.0, 1.0]);
    }

    #[test]
    fn bins_without_deliveries_take_no_memory() {
        // A week in bins of a picosecond.
        let mut bins = RateBins::new(1, Time::ZERO, Time::NEVER, Span::ZERO);
        bins.deliver(0, us(604_800_000_000), Bytes::new(1));
        assert_eq!(bins.rates(0).next(), Some((Time::ZERO, Rate::from_bps(0))));
    }

    #[test]
    fn a_message_lives_until_its_last_ack_its_failure_or_for_ever() {
        let ends = [completed(), failed(), never_started()].map(|record| Lifetime::from(&record).end);
        assert_eq!(ends, [us(4), us(9), Time::NEVER]);
    }

    proptest! {
        #[test]
        fn the_index_lies_between_one_over_n_and_one_and_has_no_scale(
            values in prop::collection::vec(0.0..1e12_f64, 1..50), scale in 1e-150..1e150_f64
        ) {
            prop_assume!(values.iter().any(|value| *value > 1.0));
            let index = jain(values.iter().copied()).unwrap();
            prop_assert!(index <= 1.0 + 1e-12 && index >= 1.0 / values.len() as f64 - 1e-12);
            let scaled = jain(values.iter().map(|value| value * scale)).unwrap();
            prop_assert!((scaled - index).abs() < 1e-9);
        }
    }
}
