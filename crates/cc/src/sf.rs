//! Sampling frequency (SF): decreases after a number of acks instead of a round trip.
//!
//! ```text
//! candidate below the reference:   commit once s acks came since the last commit
//! otherwise:                       commit at the end of the round trip
//! ```
//!
//! A faster flow gets more acks and so decreases more often than a slower one, which brings their
//! shares together. Increases stay with the round trip: by acks, the faster flow would also grow
//! more often.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | s | acks between two decreases of the reference | 1 |
//!
//! Source: Snyder and Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail Latency in
//! Datacenter Networks", §IV-B, §V-B; s = 30 (§VI-A). When it converges faster than once per round
//! trip, and the fluid model behind that, is in the `plimsoll-fluid` crate.
//!
//! # Deviations
//! - *When the count begins* is not said. It counts every ack, whichever way its candidate points,
//!   and begins anew at any commit; so a flow that has been growing commits its first decrease
//!   within s acks.
//! - *Acks*, not packets: where one ack covers several packets, s should be smaller by as much.

use crate::reference::Direction;
use crate::round::RoundEvent;

/// SF with its constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplingFrequency {
    /// s.
    pub acks: u32,
}

/// Acks since the last commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    acks: u32,
}

impl SamplingFrequency {
    /// Counts an ack and says whether its candidate is due to become the reference; if so, the next
    /// sample begins.
    pub fn is_due(&self, sample: &mut Sample, direction: Direction, round: RoundEvent) -> bool {
        sample.acks = sample.acks.saturating_add(1);
        let due = match direction {
            Direction::Down => sample.acks >= self.acks,
            Direction::Up => round == RoundEvent::Closed,
        };
        if due {
            *sample = Sample::default();
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Down, Up};
    use RoundEvent::{Closed, First, Inside};

    #[test]
    fn decreases_commit_by_acks_and_increases_by_round_trips() {
        let gate = SamplingFrequency { acks: 3 };
        let mut sample = Sample::default();
        let trace = [
            (Down, First, false),
            (Down, Inside, false),
            // Third ack.
            (Down, Inside, true),
            (Down, Inside, false),
            // A round trip ends, and only one more ack came: not yet.
            (Down, Closed, false),
            // Acks that point up count as well …
            (Up, Inside, false),
            // … so that the fourth is due as soon as it points down.
            (Down, Inside, true),
            // Upwards no number of acks suffices …
            (Up, Inside, false),
            (Up, Inside, false),
            (Up, Inside, false),
            (Up, Inside, false),
            // … but the end of the round trip does, and begins the count anew.
            (Up, Closed, true),
            (Down, Inside, false),
            (Down, Inside, false),
            (Down, Closed, true),
        ];
        for (index, (direction, round, due)) in trace.into_iter().enumerate() {
            assert_eq!(gate.is_due(&mut sample, direction, round), due, "ack {index}");
        }
    }

    #[test]
    fn a_flow_with_twice_the_acks_decreases_twice_as_often() {
        let gate = SamplingFrequency { acks: 30 };
        let commits = |acks: u32| {
            let mut sample = Sample::default();
            (0..acks).filter(|_| gate.is_due(&mut sample, Down, Inside)).count()
        };
        assert_eq!(commits(300), 10);
        assert_eq!(commits(600), 20);
    }
}
