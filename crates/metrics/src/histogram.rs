//! [`Histogram`]: a distribution in fixed memory.
//!
//! Log-linear: up to 128 every number has its own bucket; from there on each doubling is cut into 64 equal
//! buckets. A bucket is answered by its middle, so an answer is off by at most 1/128 = 0.8 %, for any value up
//! to 2⁶⁴, in 3776 buckets (30 kB). Two histograms have the same buckets and can be added.

use crate::counted::Counted;
use crate::slowdown::rank;
use core::marker::PhantomData;

/// Buckets per doubling, as a power of two.
const BITS: u32 = 6;
/// Bucket of the largest number, plus one: 57 doublings above the first 64 numbers, the last one whole.
const BUCKETS: usize = bucket(u64::MAX) + 1;

/// A distribution of quantities in fixed memory; quantiles are right to 1/128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram<Q> {
    buckets: Box<[u64]>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    quantity: PhantomData<Q>,
}

impl<Q: Counted> Default for Histogram<Q> {
    fn default() -> Self {
        Self {
            buckets: vec![0; BUCKETS].into_boxed_slice(),
            count: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
            quantity: PhantomData,
        }
    }
}

impl<Q: Counted> Histogram<Q> {
    /// Takes one value.
    pub fn record(&mut self, value: Q) {
        self.record_weighted(value, 1);
    }

    /// Takes one value as if it came `weight` times: the picoseconds that a queue stayed at a level make the
    /// distribution over time.
    pub fn record_weighted(&mut self, value: Q, weight: u64) {
        if weight == 0 {
            return;
        }
        let value = value.count();
        if let Some(bucket) = self.buckets.get_mut(bucket(value)) {
            *bucket = bucket.saturating_add(weight);
        }
        self.count = self.count.saturating_add(weight);
        self.sum = self.sum.saturating_add(u128::from(value) * u128::from(weight));
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds all values of the other one.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine = mine.saturating_add(*theirs);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values, weights included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The smallest value, exactly.
    #[must_use]
    pub fn min(&self) -> Option<Q> {
        (self.count > 0).then(|| Q::from_count(self.min))
    }

    /// The largest value, exactly.
    #[must_use]
    pub fn max(&self) -> Option<Q> {
        (self.count > 0).then(|| Q::from_count(self.max))
    }

    /// The mean of the values, rounded down to the unit in which they are counted.
    #[must_use]
    pub fn mean(&self) -> Option<Q> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        Some(Q::from_count(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// Element floor(n·p) of the sorted values, as everywhere in this crate, within 1/128.
    #[must_use]
    pub fn percentile(&self, p: f64) -> Option<Q> {
        let rank = rank(self.count, p)?;
        let mut below = 0_u64;
        let holds_it = |&(_, &count): &(usize, &u64)| {
            below = below.saturating_add(count);
            below > rank
        };
        let middle =
            self.buckets.iter().enumerate().find(holds_it).map_or(self.max, |(index, _)| middle(index));
        Some(Q::from_count(middle.clamp(self.min, self.max)))
    }

    /// The cumulative distribution: for each bucket in use its middle and the share of values up to it.
    pub fn cumulative(&self) -> impl Iterator<Item = (Q, f64)> {
        let total = self.count as f64;
        let used = self.buckets.iter().enumerate().filter(|(_, count)| **count > 0);
        used.scan(0_u64, move |below, (index, count)| {
            *below = below.saturating_add(*count);
            Some((Q::from_count(middle(index).clamp(self.min, self.max)), *below as f64 / total))
        })
    }
}

/// The bucket of a number.
const fn bucket(value: u64) -> usize {
    if value < 1 << BITS {
        return value as usize;
    }
    // The leading bit and the six after it name the bucket, the position of the leading bit the doubling.
    let shift = value.ilog2() - BITS;
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// The middle of a bucket.
const fn middle(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let low = ((bucket - (shift << BITS)) as u64) << shift;
    low + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slowdown::Sorted;
    use plimsoll_units::{Bytes, Span};
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram<Bytes> {
        let mut histogram = Histogram::default();
        for &value in values {
            histogram.record(Bytes::new(value));
        }
        histogram
    }

    #[test]
    fn buckets_begin_where_the_table_says() {
        // Below 128 a bucket each; 128–129 share one; the last of that doubling is 254–255; 256–259 share one.
        let cases = [
            (0, 0),
            (63, 63),
            (64, 64),
            (127, 127),
            (128, 128),
            (129, 128),
            (255, 191),
            (256, 192),
            (259, 192),
        ];
        for (value, expected) in cases {
            assert_eq!(bucket(value), expected, "{value}");
        }
        assert_eq!(BUCKETS, 3776);
        assert_eq!((middle(100), middle(128), middle(192)), (100, 129, 258));
    }

    #[test]
    fn small_numbers_are_exact() {
        let histogram = of(&(0..100).collect::<Vec<_>>());
        assert_eq!(histogram.percentile(0.5), Some(Bytes::new(50)));
        assert_eq!(histogram.percentile(0.99), Some(Bytes::new(99)));
        assert_eq!(histogram.mean(), Some(Bytes::new(49)));
    }

    #[test]
    fn nothing_recorded_is_nothing_answered() {
        let histogram = of(&[]);
        assert_eq!((histogram.min(), histogram.max(), histogram.mean()), (None, None, None));
        assert_eq!((histogram.percentile(0.5), histogram.cumulative().next()), (None, None));
    }

    #[test]
    fn weights_make_a_distribution_over_time() {
        // 30 ns empty, 10 ns at 1000 B: the mean is 250 B and three quarters of the time it was empty.
        let mut histogram = Histogram::default();
        histogram.record_weighted(Bytes::ZERO, Span::from_ns(30).as_ps());
        histogram.record_weighted(Bytes::from_kb(1), Span::from_ns(10).as_ps());
        histogram.record_weighted(Bytes::from_mb(9), 0);
        assert_eq!(histogram.mean(), Some(Bytes::new(250)));
        assert_eq!(histogram.percentile(0.74), Some(Bytes::ZERO));
        assert_eq!(histogram.percentile(0.75), Some(Bytes::from_kb(1)));
        assert_eq!(
            histogram.cumulative().collect::<Vec<_>>(),
            [(Bytes::ZERO, 0.75), (Bytes::from_kb(1), 1.0)]
        );
    }

    #[test]
    fn the_largest_numbers_fit() {
        let mut histogram = Histogram::default();
        histogram.record_weighted(Span::MAX, u64::MAX);
        histogram.record_weighted(Span::MAX, u64::MAX);
        assert_eq!(histogram.percentile(0.5), Some(Span::MAX));
        assert_eq!(histogram.count(), u64::MAX);
    }

    #[test]
    fn slowdowns_keep_their_decimals() {
        let mut histogram = Histogram::<f64>::default();
        for value in [1.0, 1.02, 6.9] {
            histogram.record(value);
        }
        assert_eq!((histogram.min(), histogram.max()), (Some(1.0), Some(6.9)));
        assert!((histogram.percentile(0.5).unwrap() / 1.02 - 1.0).abs() < 0.008);
    }

    fn any_size() -> impl Strategy<Value = u64> {
        // Every order of magnitude alike.
        (any::<u64>(), 0_u32..64).prop_map(|(value, shift)| value >> shift)
    }

    proptest! {
        #[test]
        fn percentiles_are_within_one_percent_of_the_exact_ones(
            values in prop::collection::vec(any_size(), 1..400), p in 0.0..=1.0
        ) {
            let exact = Sorted::new(values.iter().map(|&value| value as f64)).percentile(p).unwrap();
            let found = of(&values).percentile(p).unwrap().as_f64();
            prop_assert!((found - exact).abs() <= exact / 128.0 * (1.0 + 1e-12), "{found} for {exact}");
        }

        #[test]
        fn a_merged_histogram_is_that_of_all_values(
            left in prop::collection::vec(any_size(), 0..200), right in prop::collection::vec(any_size(), 0..200)
        ) {
            let mut merged = of(&left);
            merged.merge(&of(&right));
            prop_assert_eq!(merged, of(&[left, right].concat()));
        }

        #[test]
        fn the_middle_of_a_bucket_lies_in_it(value in any_size()) {
            prop_assert_eq!(bucket(middle(bucket(value))), bucket(value));
        }
    }
}
