//! The once-per-round-trip gate.
//!
//! A round is closed by the first ack beyond the position that was next to send when the round
//! began: everything in flight at that moment has been answered.

use crate::event::Ack;
use plimsoll_units::Bytes;

crate::choice! {
    /// Which acks a law that reads telemetry listens to.
    pub enum Updates {
        /// All.
        EveryAck = "every-ack",
        /// Those that close a round: it measures from one to the next, and the window moves once per round trip.
        EveryRound = "every-round",
    }
}

/// Where in its round an ack falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundEvent {
    /// The flow's first ack: it opens the first round and closes none.
    First,
    /// An ack inside the round.
    Inside,
    /// The ack that closes the round and opens the next.
    Closed,
}

/// The present round of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    end: Bytes,
    open: bool,
}

impl Round {
    /// Counts the ack; a closed round is followed at once by the next.
    pub fn on_ack(&mut self, ack: &Ack<'_>) -> RoundEvent {
        if !self.open {
            *self = Self { end: ack.sent_to, open: true };
            return RoundEvent::First;
        }
        if ack.acked_to <= self.end {
            return RoundEvent::Inside;
        }
        self.end = ack.sent_to;
        RoundEvent::Closed
    }

    /// Starts a new round that ends when all sent so far is acked.
    pub fn restart(&mut self, sent_to: Bytes) {
        *self = Self { end: sent_to, open: true };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(acked_to: u64, sent_to: u64) -> Ack<'static> {
        Ack { acked_to: Bytes::new(acked_to), sent_to: Bytes::new(sent_to), ..Ack::default() }
    }

    #[test]
    fn a_round_closes_when_the_ack_passes_what_was_next_to_send() {
        let mut round = Round::default();
        assert_eq!(round.on_ack(&ack(1000, 4000)), RoundEvent::First);
        assert_eq!(round.on_ack(&ack(2000, 5000)), RoundEvent::Inside);
        assert_eq!(round.on_ack(&ack(4000, 7000)), RoundEvent::Inside, "equal is not beyond");
        assert_eq!(round.on_ack(&ack(5000, 8000)), RoundEvent::Closed);
        assert_eq!(round.on_ack(&ack(8000, 9000)), RoundEvent::Inside);
        assert_eq!(round.on_ack(&ack(8001, 9000)), RoundEvent::Closed);
    }
}
