//! Tails of slowdowns, by the paper's classes of sizes.

use crate::figures::observed::Observed;
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::confidence::{Interval, percentile_interval};
use plimsoll_metrics::slowdown::{Sorted, slowdown};
use plimsoll_units::{Bytes, Span, Time};

/// Sizes of flows as the paper names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Below 10 KB.
    Short,
    /// From 100 KB to 1 MB.
    Medium,
    /// Above 1 MB.
    Long,
}

impl Class {
    pub(super) fn holds(self, size: Bytes) -> bool {
        let kilobytes = size.as_f64() / 1e3;
        match self {
            Self::Short => kilobytes < 10.0,
            Self::Medium => (100.0..=1_000.0).contains(&kilobytes),
            Self::Long => kilobytes > 1_000.0,
        }
    }
}

/// The slowdown of a flow; one that is under way when the run ends counts with its time so far.
pub(super) fn slowdown_so_far(flow: &MessageRecord, end: Time) -> Option<f64> {
    flow.slowdown().or_else(|| slowdown(end.checked_since(flow.start)?, flow.ideal))
}

/// The slowdowns of the web search flows of a class.
pub(super) fn slowdowns(run: &Observed, class: Class) -> Sorted {
    let end = Time::after_start(Span::saturating_from_secs_f64(run.end * 1e-3));
    let flows = run.flows("websearch").into_iter().filter(|flow| class.holds(flow.bytes));
    Sorted::new(flows.filter_map(|flow| slowdown_so_far(flow, end)))
}

/// The percentile that a figure shows: the paper's 99.9th if at least two of the fewest values lie above it, else
/// the 99th or 95th.
pub(super) fn percentile_for(fewest: usize) -> f64 {
    match fewest {
        2_000.. => 0.999,
        200.. => 0.99,
        _ => 0.95,
    }
}

/// `99.9th percentile`
pub(super) fn name(percentile: f64) -> String {
    let text = format!("{:.1}", 100.0 * percentile);
    format!("{}th percentile", text.trim_end_matches(".0"))
}

/// A percentile with what 95 % of confidence leave of it, where there are values enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    pub(super) value: f64,
    pub(super) interval: Option<Interval>,
}

impl Tail {
    pub(super) fn of(values: &Sorted, percentile: f64) -> Self {
        Self {
            value: values.percentile(percentile).unwrap_or(f64::NAN),
            interval: percentile_interval(values, percentile, 0.95),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_papers() {
        let classes = |bytes: u64| {
            [Class::Short, Class::Medium, Class::Long].map(|class| class.holds(Bytes::new(bytes)))
        };
        assert_eq!(classes(9_999), [true, false, false]);
        assert_eq!(classes(10_000), [false, false, false]);
        assert_eq!(classes(100_000), [false, true, false]);
        assert_eq!(classes(1_000_000), [false, true, false]);
        assert_eq!(classes(1_000_001), [false, false, true]);
    }

    #[test]
    fn a_percentile_has_at_least_two_values_above_it() {
        // 0.1 % of 2000 and 1 % of 200 are two.
        assert_eq!([1_999, 2_000].map(percentile_for), [0.99, 0.999]);
        assert_eq!([199, 200].map(percentile_for), [0.95, 0.99]);
        assert_eq!([0.999, 0.99].map(name), ["99.9th percentile", "99th percentile"]);
    }
}
