//! From when on something holds: the moment from which flows are fair, or a rate is near its target.

use plimsoll_units::{Span, Time};

/// What is to be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At least this value, as Jain's index or a share of the final rate.
    AtLeast(f64),
    /// Near a target.
    Within {
        /// The target.
        target: f64,
        /// How far from it, as a share of the target: 0.1 is 10 %.
        tolerance: f64,
    },
}

/// For how long it must hold from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// As long as there are values.
    ToTheEnd,
    /// For this long, and there are values for so long; zero means that it is reached once.
    For(Span),
}

impl Goal {
    /// Whether a value is what is to be reached; what is not a number never is.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::Within { target, tolerance } => (value - target).abs() <= tolerance * target.abs(),
        }
    }
}

/// The first moment from which on the goal holds, among values in the order of time; `None` if there is none.
pub fn converged_at(values: impl IntoIterator<Item = (Time, f64)>, goal: Goal, hold: Hold) -> Option<Time> {
    let mut since = None;
    for (at, value) in values {
        if !goal.holds(value) {
            since = None;
            continue;
        }
        let first = *since.get_or_insert(at);
        if let Hold::For(span) = hold
            && at.saturating_since(first) >= span
        {
            return Some(first);
        }
    }
    match hold {
        Hold::ToTheEnd => since,
        Hold::For(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn us(microseconds: u64) -> Time {
        Time::after_start(Span::from_us(microseconds))
    }

    /// One value every 10 µs.
    fn every_10us(values: &[f64]) -> impl Iterator<Item = (Time, f64)> {
        values.iter().enumerate().map(|(index, value)| (us(10 * index as u64), *value))
    }

    const INDEX: [f64; 7] = [0.5, 0.95, 0.8, 0.9, 0.97, 0.85, 0.99];

    #[test]
    fn the_last_relapse_counts_if_it_must_hold_to_the_end() {
        assert_eq!(converged_at(every_10us(&INDEX), Goal::AtLeast(0.9), Hold::ToTheEnd), Some(us(60)));
        assert_eq!(converged_at(every_10us(&INDEX), Goal::AtLeast(0.8), Hold::ToTheEnd), Some(us(10)));
        assert_eq!(converged_at(every_10us(&INDEX), Goal::AtLeast(1.0), Hold::ToTheEnd), None);
    }

    #[test]
    fn a_hold_time_forgives_later_relapses() {
        let at = |hold| converged_at(every_10us(&INDEX), Goal::AtLeast(0.9), Hold::For(Span::from_us(hold)));
        assert_eq!(at(0), Some(us(10)));
        // It holds at 30 and 40 µs.
        assert_eq!(at(10), Some(us(30)));
        // The run at 60 µs is too short to know.
        assert_eq!(at(20), None);
    }

    #[test]
    fn within_ten_percent_of_the_target_on_both_sides() {
        let goal = Goal::Within { target: 50.0, tolerance: 0.1 };
        let rates = [100.0, 55.1, 55.0, 45.0, 44.9, 50.0];
        assert_eq!(converged_at(every_10us(&rates), goal, Hold::For(Span::from_us(10))), Some(us(20)));
        assert_eq!(converged_at(every_10us(&rates), goal, Hold::ToTheEnd), Some(us(50)));
        assert!(!goal.holds(f64::NAN) && !Goal::AtLeast(0.0).holds(f64::NAN));
    }

    #[test]
    fn nothing_converges_to_nothing() {
        assert_eq!(converged_at([], Goal::AtLeast(0.0), Hold::ToTheEnd), None);
        assert_eq!(converged_at([], Goal::AtLeast(0.0), Hold::For(Span::ZERO)), None);
    }

    proptest! {
        #[test]
        fn from_the_answer_on_every_value_holds_and_the_one_before_does_not(
            values in prop::collection::vec(0.0..1.0_f64, 1..60), bound in 0.0..1.0_f64
        ) {
            let found = converged_at(every_10us(&values), Goal::AtLeast(bound), Hold::ToTheEnd);
            let bad = values.iter().rposition(|value| *value < bound);
            let expected = bad.map_or(0, |index| index + 1);
            prop_assert_eq!(found, (expected < values.len()).then(|| us(10 * expected as u64)));
        }
    }
}
