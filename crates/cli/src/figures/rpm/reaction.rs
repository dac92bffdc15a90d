//! From a switch's decision to mark to the sender's reaction, flow by flow.

use crate::figures::observed::Observed;

/// A mark counts if the flow had none for so long before it, in milliseconds: longer than any round trip here, so
/// that the sender is done with the last one.
const QUIET: f64 = 500.0;

/// Of one connection, how long each mark that came after quiet took to reduce the window, in milliseconds; infinite
/// if it never did before the next mark.
pub(super) fn reactions(run: &Observed, connection: u32) -> Vec<f64> {
    let marks: Vec<f64> = run.curve("mark", connection).iter().map(|(at, _)| *at).collect();
    let reductions: Vec<f64> = run.curve("reduction", connection).iter().map(|(at, _)| *at).collect();
    answered(&marks, &reductions)
}

fn answered(marks: &[f64], reductions: &[f64]) -> Vec<f64> {
    let quiet = |index: usize| index == 0 || marks[index] - marks[index - 1] > QUIET;
    let answer = |index: usize| {
        let next = reductions.iter().find(|at| **at >= marks[index]);
        let later = marks.iter().find(|at| **at > marks[index] + QUIET).copied().unwrap_or(f64::INFINITY);
        next.filter(|at| **at < later).map_or(f64::INFINITY, |at| at - marks[index])
    };
    (0..marks.len()).filter(|index| quiet(*index)).map(answer).collect()
}

/// The smallest or the largest of these, NaN if one of them is, so that a number that is missing is seen.
pub(super) fn extreme(values: impl IntoIterator<Item = f64>, pick: fn(f64, f64) -> f64) -> f64 {
    let either =
        |one: f64, other: f64| if one.is_nan() || other.is_nan() { f64::NAN } else { pick(one, other) };
    values.into_iter().reduce(either).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_number_is_seen_in_the_extremes() {
        assert_eq!((extreme([2.0, 1.0], f64::min), extreme([2.0, 1.0], f64::max)), (1.0, 2.0));
        assert!(extreme([f64::NAN, 1.0, 2.0], f64::min).is_nan() && extreme([], f64::max).is_nan());
    }

    #[test]
    fn the_first_reduction_after_a_mark_that_follows_quiet_is_its_answer() {
        // 100 and 2000 follow quiet; 130 does not. 100 is answered at 120, 2000 never.
        assert_eq!(answered(&[100.0, 130.0, 2000.0], &[120.0, 160.0]), [20.0, f64::INFINITY]);
        // 90 s of quiet: an answer that comes after the next mark is the next one's.
        assert_eq!(answered(&[100.0, 2000.0], &[2010.0]), [f64::INFINITY, 10.0]);
    }
}
