//! Slowdown: completion time over that in an empty network.
//!
//! As the HPCC authors' scripts and those of the papers after it count: values below 1 are 1, because the
//! time in an empty network is computed, not measured; and the percentile p of n values is element
//! floor(n·p) of the sorted list, counted from 0.

use plimsoll_units::{Bytes, Span};
use serde::{Deserialize, Serialize};

/// Completion time over that in an empty network, at least 1; `None` if the latter is zero, that is unknown.
#[must_use]
pub fn slowdown(completion: Span, ideal: Span) -> Option<f64> {
    (ideal > Span::ZERO).then(|| (completion / ideal).max(1.0))
}

/// Values in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts the values; what is not a number is left out.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    /// The values, ascending.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Element floor(n·p); the last one for p ≥ 1, the first one for p ≤ 0; `None` if there is none.
    #[must_use]
    pub fn percentile(&self, p: f64) -> Option<f64> {
        self.0.get(rank(self.0.len() as u64, p)? as usize).copied()
    }

    /// The mean, summed in ascending order: the same bits whatever the order of arrival.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().sum::<f64>() / self.0.len() as f64)
    }
}

/// The place, from 0, of percentile p among n sorted values.
pub(crate) fn rank(n: u64, p: f64) -> Option<u64> {
    // The cast takes NaN and what is negative to 0 and what is too large to the largest number.
    Some(((n as f64 * p) as u64).min(n.checked_sub(1)?))
}

/// The usual numbers of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values.
    pub count: u64,
    /// The median.
    pub p50: f64,
    /// 95 of 100 are below.
    pub p95: f64,
    /// 99 of 100 are below.
    pub p99: f64,
    /// 999 of 1000 are below.
    pub p999: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

impl Distribution {
    /// Of these values; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let sorted = Sorted::new(values);
        Some(Self {
            count: sorted.values().len() as u64,
            p50: sorted.percentile(0.5)?,
            p95: sorted.percentile(0.95)?,
            p99: sorted.percentile(0.99)?,
            p999: sorted.percentile(0.999)?,
            mean: sorted.mean()?,
            max: sorted.percentile(1.0)?,
        })
    }
}

/// A message's size and slowdown: all that the tables need to remember of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizedSlowdown {
    /// Its payload.
    pub bytes: Bytes,
    /// Its slowdown.
    pub slowdown: f64,
}

/// Bounds that cut sizes into bins: a size is in the first bin whose bound is not below it, and above the
/// last bound in one more bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeBins(Vec<Bytes>);

impl SizeBins {
    /// Bins that end at these sizes, in whatever order they are given.
    pub fn up_to(bounds: impl IntoIterator<Item = Bytes>) -> Self {
        let mut bounds: Vec<Bytes> = bounds.into_iter().collect();
        bounds.sort_unstable();
        bounds.dedup();
        Self(bounds)
    }

    /// Decades: 1 kB, 10 kB, 100 kB, 1 MB and more, as the tables of `data/peers` have them.
    #[must_use]
    pub fn decades() -> Self {
        Self::up_to([1, 10, 100, 1_000].map(Bytes::from_kb))
    }

    /// The bins of the PowerTCP artifact.
    #[must_use]
    pub fn powertcp() -> Self {
        let kilobytes = [5, 10, 20, 30, 50, 75, 100, 200, 400, 600, 800, 1_000, 5_000, 10_000, 30_000];
        Self::up_to(kilobytes.map(Bytes::from_kb))
    }

    /// The table of slowdowns, one row per bin that has a message, by size.
    pub fn table(&self, messages: impl IntoIterator<Item = SizedSlowdown>) -> Vec<SizeRow> {
        let mut bins = vec![Vec::new(); self.0.len() + 1];
        for message in messages {
            let bin = self.0.partition_point(|bound| *bound < message.bytes);
            if let Some(values) = bins.get_mut(bin) {
                values.push(message.slowdown);
            }
        }
        let bounds = |bin: usize| SizeRange {
            above: bin.checked_sub(1).and_then(|before| self.0.get(before).copied()),
            up_to: self.0.get(bin).copied(),
        };
        let rows = bins.into_iter().enumerate();
        rows.filter_map(|(bin, values)| {
            Some(SizeRow { sizes: bounds(bin), slowdown: Distribution::of(values)? })
        })
        .collect()
    }
}

/// Sizes from one bound to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeRange {
    /// Sizes above this; the first bin has no such bound and takes empty messages too.
    pub above: Option<Bytes>,
    /// Sizes up to and including this; the last bin has no such bound.
    pub up_to: Option<Bytes>,
}

/// One row of a table by size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeRow {
    /// Which sizes.
    pub sizes: SizeRange,
    /// Their slowdowns.
    pub slowdown: Distribution,
}

/// One point of a curve of slowdown over size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizePoint {
    /// The largest size of the group, where the point is drawn.
    pub largest: Bytes,
    /// The slowdowns of the group.
    pub slowdown: Distribution,
}

/// Sorts messages by size and cuts them into `groups` groups of equal count: 100 groups are "1 % of the flows
/// a point". Messages of equal size stay in the order given, so that a group is no selection by slowdown.
/// Group i of g has the messages from i·n/g to (i+1)·n/g; with fewer messages than groups some are empty and
/// are left out. Each group has its largest size and its slowdowns.
pub fn equal_counts(
    messages: impl IntoIterator<Item = SizedSlowdown>,
    groups: usize,
) -> impl Iterator<Item = (Bytes, Sorted)> {
    let mut messages: Vec<SizedSlowdown> = messages.into_iter().collect();
    messages.sort_by_key(|message| message.bytes);
    let cut = move |group: usize, count: usize| {
        usize::try_from(group as u128 * count as u128 / groups.max(1) as u128).unwrap_or(count)
    };
    (0..groups).filter_map(move |index| {
        let (from, to) = (cut(index, messages.len()), cut(index + 1, messages.len()));
        let members = messages.get(from..to).unwrap_or_default();
        Some((members.last()?.bytes, Sorted::new(members.iter().map(|message| message.slowdown))))
    })
}

/// The groups of [`equal_counts`], each as one point.
pub fn by_equal_count(messages: impl IntoIterator<Item = SizedSlowdown>, groups: usize) -> Vec<SizePoint> {
    let point = |(largest, slowdowns): (Bytes, Sorted)| {
        Some(SizePoint { largest, slowdown: Distribution::of(slowdowns.values().iter().copied())? })
    };
    equal_counts(messages, groups).filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(bytes: u64, slowdown: f64) -> SizedSlowdown {
        SizedSlowdown { bytes: Bytes::new(bytes), slowdown }
    }

    #[test]
    fn faster_than_an_empty_network_counts_as_one() {
        // The peer's first flow: 4098 ns against 4199 ns alone.
        assert_eq!(slowdown(Span::from_ns(4_098), Span::from_ns(4_199)), Some(1.0));
        assert_eq!(slowdown(Span::from_ns(3), Span::from_ns(2)), Some(1.5));
    }

    #[test]
    fn an_unknown_ideal_gives_no_slowdown() {
        assert_eq!(slowdown(Span::from_ns(3), Span::ZERO), None);
        assert_eq!(slowdown(Span::ZERO, Span::ZERO), None);
    }

    #[test]
    fn percentile_is_element_floor_of_n_times_p() {
        // 1 … 10: floor(10 · 0.5) = 5 → the sixth value; floor(10 · 0.95) = 9 → the tenth.
        let sorted = Sorted::new((1..=10).rev().map(f64::from));
        assert_eq!(sorted.percentile(0.5), Some(6.0));
        assert_eq!(sorted.percentile(0.95), Some(10.0));
        assert_eq!(sorted.percentile(0.0), Some(1.0));
        // floor(10 · 0.19) = 1 → the second value.
        assert_eq!(sorted.percentile(0.19), Some(2.0));
    }

    #[test]
    fn percentiles_beyond_the_ends_are_the_ends() {
        let sorted = Sorted::new([2.0, 1.0, f64::NAN]);
        for (p, expected) in [(1.0, 2.0), (7.0, 2.0), (-1.0, 1.0), (f64::NAN, 1.0), (f64::INFINITY, 2.0)] {
            assert_eq!(sorted.percentile(p), Some(expected), "{p}");
        }
        assert_eq!(Sorted::default().percentile(0.5), None);
        assert_eq!(Distribution::of([]), None);
    }

    #[test]
    fn distribution_of_a_thousand() {
        // 1 … 1000: floor(1000 p) = 500, 950, 990, 999; mean (1 + 1000) / 2.
        let found = Distribution::of((1..=1000).map(f64::from)).unwrap();
        let expected = Distribution {
            count: 1000,
            p50: 501.0,
            p95: 951.0,
            p99: 991.0,
            p999: 1000.0,
            mean: 500.5,
            max: 1000.0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_size_on_a_bound_belongs_to_the_bin_below() {
        let sizes = [1_000, 1_001, 0, 1_000_000, 1_000_001];
        let table = SizeBins::decades().table(sizes.map(|bytes| message(bytes, 1.0)));
        let rows: Vec<_> =
            table.iter().map(|row| (row.sizes.above, row.sizes.up_to, row.slowdown.count)).collect();
        let kb = |kilobytes| Some(Bytes::from_kb(kilobytes));
        assert_eq!(
            rows,
            [(None, kb(1), 2), (kb(1), kb(10), 1), (kb(100), kb(1_000), 1), (kb(1_000), None, 1),]
        );
    }

    #[test]
    fn powertcp_has_fifteen_bounds_from_5_kb_to_30_mb() {
        let SizeBins(bounds) = SizeBins::powertcp();
        assert_eq!((bounds.len(), bounds[0], bounds[14]), (15, Bytes::from_kb(5), Bytes::from_mb(30)));
    }

    #[test]
    fn groups_of_equal_count_are_drawn_at_their_largest_size() {
        // 10 messages in 4 groups: cuts at 0, 2 (10/4), 5 (20/4), 7 (30/4), 10.
        let points = by_equal_count((1..=10).rev().map(|size| message(size, size as f64)), 4);
        let found: Vec<_> = points.iter().map(|point| (point.largest.get(), point.slowdown.count)).collect();
        assert_eq!(found, [(2, 2), (5, 3), (7, 2), (10, 3)]);
        // 3, 4, 5: element floor(3 · 0.5) = 1.
        assert_eq!(points[1].slowdown.p50, 4.0);
    }

    #[test]
    fn messages_of_equal_size_are_not_selected_by_slowdown() {
        let points = by_equal_count([4.0, 1.0, 3.0, 2.0].map(|slowdown| message(100, slowdown)), 2);
        assert_eq!(points.iter().map(|point| point.slowdown.mean).collect::<Vec<_>>(), [2.5, 2.5]);
    }

    #[test]
    fn no_groups_or_no_messages_give_no_points() {
        assert!(by_equal_count([message(1, 1.0)], 0).is_empty());
        assert!(by_equal_count([], 100).is_empty());
        assert_eq!(by_equal_count([message(1, 1.0), message(2, 1.0)], 100).len(), 2);
    }

    proptest! {
        #[test]
        fn slowdown_is_never_below_one(completion: u64, ideal in 1..u64::MAX) {
            let found = slowdown(Span::from_ps(completion), Span::from_ps(ideal)).unwrap();
            prop_assert!(found >= 1.0);
        }

        #[test]
        fn tables_and_curves_lose_no_message(sizes in prop::collection::vec(0_u64..3_000_000, 0..300), groups in 1_usize..120) {
            let messages = sizes.iter().map(|&size| message(size, 1.0));
            let table = SizeBins::decades().table(messages.clone());
            prop_assert_eq!(table.iter().map(|row| row.slowdown.count).sum::<u64>(), sizes.len() as u64);
            let curve = by_equal_count(messages, groups);
            prop_assert_eq!(curve.iter().map(|point| point.slowdown.count).sum::<u64>(), sizes.len() as u64);
            prop_assert!(curve.is_sorted_by_key(|point| point.largest));
        }

        #[test]
        fn percentiles_do_not_depend_on_the_order(mut values in prop::collection::vec(0.0_f64..1e9, 1..200), p in 0.0..1.0) {
            let forward = Sorted::new(values.iter().copied());
            values.reverse();
            let backward = Sorted::new(values);
            prop_assert_eq!(forward.percentile(p), backward.percentile(p));
            prop_assert_eq!(forward.mean(), backward.mean());
        }
    }
}
