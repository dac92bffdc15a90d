//! Tails of slowdowns, by the paper's classes of sizes.

use crate::figures::observed::Observed;
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::confidence::{Interval, percentile_at_least, percentile_interval};
use plimsoll_metrics::slowdown::{Sorted, slowdown};
use plimsoll_units::{Bytes, Span, Time};
use std::fmt;

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
    let flows = run.flows_of_family("websearch").into_iter().filter(|flow| class.holds(flow.bytes));
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
    /// The lower end, also where there are too few values for the upper one.
    pub(super) at_least: Option<f64>,
}

impl Tail {
    pub(super) fn of(values: &Sorted, percentile: f64) -> Self {
        Self {
            value: values.percentile(percentile).unwrap_or(f64::NAN),
            interval: percentile_interval(values, percentile, 0.95),
            at_least: percentile_at_least(values, percentile, 0.95),
        }
    }
}

/// `1.92 (1.78 to 2.15)`
impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.value)?;
        match (self.interval, self.at_least) {
            (Some(Interval { low, high }), _) => write!(f, " ({low:.2} to {high:.2})"),
            (None, Some(low)) => write!(f, " ({low:.2} or more)"),
            (None, None) => Ok(()),
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
    fn a_tail_says_what_is_sure_about_it() {
        let tail = |count: u32| Tail::of(&Sorted::new((1..=count).map(f64::from)), 0.999).to_string();
        // 0.999 to the 3688th power is 2.5 %: with fewer values the percentile may lie above all of them.
        assert!(tail(4_000).contains(" to "), "{}", tail(4_000));
        assert!(tail(3_600).ends_with(" or more)"), "{}", tail(3_600));
        assert_eq!(Tail::of(&Sorted::new([1.5]), 0.5).to_string(), "1.50");
    }

    #[test]
    fn a_percentile_has_at_least_two_values_above_it() {
        // 0.1 % of 2000 and 1 % of 200 are two.
        assert_eq!([1_999, 2_000].map(percentile_for), [0.99, 0.999]);
        assert_eq!([199, 200].map(percentile_for), [0.95, 0.99]);
        assert_eq!([0.999, 0.99].map(name), ["99.9th percentile", "99th percentile"]);
    }
}
