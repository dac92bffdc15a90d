//! From a switch's decision to mark to the sender's reaction, flow by flow.

use crate::figures::observed::Observed;

/// A mark counts if the flow had none for so long before it, in milliseconds, and lost nothing from then until as long
/// after it: longer than any round trip here. A sender answers once per round trip, and one that repairs a loss has
/// reduced its window already.
const QUIET: f64 = 500.0;

/// What became of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    /// How long it took from the mark to the fall of the window, in milliseconds; infinite if the window never fell.
    pub(super) whole: f64,
    /// How much of that the switch waited for a packet that takes the mark back, if it sends marks back.
    pub(super) wait: Option<f64>,
}

impl Answer {
    /// What is left of it without the wait for a packet.
    pub(super) fn way(&self) -> f64 {
        self.whole - self.wait.unwrap_or(0.0)
    }
}

/// When things happened to one connection, in milliseconds.
struct Events {
    marks: Vec<f64>,
    /// Marks that a switch handed to passing packets.
    echoes: Vec<f64>,
    /// Windows that fell because of a mark.
    reductions: Vec<f64>,
    /// Windows that fell because of something else.
    decreases: Vec<f64>,
}

/// The answers to the marks of one connection that count.
pub(super) fn reactions(run: &Observed, connection: u32) -> Vec<Answer> {
    let times = |reading| run.curve(reading, connection).iter().map(|(at, _)| *at).collect();
    let events = Events {
        marks: times("mark"),
        echoes: times("echo"),
        reductions: times("reduction"),
        decreases: times("decrease"),
    };
    events.answers()
}

impl Events {
    fn answers(&self) -> Vec<Answer> {
        let first = |times: &[f64], from: f64| times.iter().copied().find(|at| *at >= from);
        let answer = |(index, &mark): (usize, &f64)| {
            let quiet = index == 0 || mark - self.marks[index - 1] > QUIET;
            let lossless = !self.decreases.iter().any(|at| (at - mark).abs() <= QUIET);
            // An answer that comes after the next mark of a quiet flow is that one's.
            let later = first(&self.marks, mark + QUIET).unwrap_or(f64::INFINITY);
            let fell = first(&self.reductions, mark).filter(|at| *at < later);
            let whole = fell.map_or(f64::INFINITY, |at| at - mark);
            (quiet && lossless).then(|| Answer { whole, wait: first(&self.echoes, mark).map(|at| at - mark) })
        };
        self.marks.iter().enumerate().filter_map(answer).collect()
    }
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

    fn events(marks: &[f64], reductions: &[f64]) -> Events {
        let (marks, reductions) = (marks.to_vec(), reductions.to_vec());
        Events { marks, echoes: Vec::new(), reductions, decreases: Vec::new() }
    }

    fn wholes(events: &Events) -> Vec<f64> {
        events.answers().iter().map(|answer| answer.whole).collect()
    }

    #[test]
    fn the_first_reduction_after_a_mark_that_follows_quiet_is_its_answer() {
        // 100 and 2000 follow quiet; 130 does not. 100 is answered at 120, 2000 never.
        assert_eq!(wholes(&events(&[100.0, 130.0, 2000.0], &[120.0, 160.0])), [20.0, f64::INFINITY]);
        // 90 s of quiet: an answer that comes after the next mark is the next one's.
        assert_eq!(wholes(&events(&[100.0, 2000.0], &[2010.0])), [f64::INFINITY, 10.0]);
    }

    #[test]
    fn a_mark_beside_a_loss_does_not_count() {
        // The window fell at 400 because of a loss: 600 and 100 are beside it, 1000 is not.
        for mark in [100.0, 600.0, 1000.0] {
            let events = Events { decreases: vec![400.0], ..events(&[mark], &[mark + 30.0]) };
            assert_eq!(wholes(&events), if mark == 1000.0 { vec![30.0] } else { vec![] }, "{mark}");
        }
    }

    #[test]
    fn the_wait_for_a_packet_is_told_apart_from_the_way() {
        // Marked at 100, handed to a packet at 118, heard of at 128.
        let events = Events { echoes: vec![50.0, 118.0], ..events(&[100.0], &[128.0]) };
        let answer = events.answers()[0];
        assert_eq!((answer.whole, answer.wait, answer.way()), (28.0, Some(18.0), 10.0));
    }
}
