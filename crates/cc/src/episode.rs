//! One answer per window of data.
//!
//! A sender that has reduced its window hears of the same congestion until everything it had sent
//! by then is acked: further echoes and further holes of that window are not new congestion
//! (RFC 3168 §6.1.2, RFC 6582 §3.2). An episode is that stretch of the stream.

use plimsoll_units::Bytes;

/// What the flow is doing about its last congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing: new congestion is answered.
    #[default]
    Open,
    /// It answered an echo, or has just filled the last hole.
    Reduced,
    /// It fills holes.
    Recovery,
    /// It starts again after a timeout.
    Restart,
}

/// Where an ack falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Outside any recovery: the window may grow.
    Free,
    /// Holes are left.
    Recovering,
    /// The ack that fills the last hole.
    Ending,
}

/// What a loss is to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LossNews {
    /// New congestion.
    New,
    /// The hole belongs to a window whose echo was answered: fill it, the answer stands.
    Echoed,
    /// The hole belongs to a window that timed out: it is being sent again anyway.
    TimedOut,
}

/// The stretch of the stream for which congestion has been answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Episode {
    /// What was next to send at the reduction.
    end: Bytes,
    phase: Phase,
}

impl Episode {
    /// Counts an ack. Recovery ends when all that had been sent is acked. An echo is news only
    /// beyond that: the packet that tells the receiver of the reduction is the next one.
    pub(crate) fn on_ack(&mut self, acked_to: Bytes) -> Place {
        match self.phase {
            Phase::Open => Place::Free,
            Phase::Recovery if acked_to < self.end => Place::Recovering,
            Phase::Recovery => {
                self.phase = if acked_to > self.end { Phase::Open } else { Phase::Reduced };
                Place::Ending
            }
            Phase::Reduced | Phase::Restart => {
                if acked_to > self.end {
                    self.phase = Phase::Open;
                }
                Place::Free
            }
        }
    }

    /// Whether an echo would be news.
    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Open
    }

    /// What a loss is, when everything below `acked_to` has arrived.
    pub(crate) fn judge_loss(&self, acked_to: Bytes) -> LossNews {
        match self.phase {
            Phase::Reduced if acked_to < self.end => LossNews::Echoed,
            Phase::Restart if acked_to < self.end => LossNews::TimedOut,
            // A transport reports each episode once, so a loss inside recovery is a lost repair.
            _ => LossNews::New,
        }
    }

    /// An echo was answered.
    pub(crate) fn reduce(&mut self, sent_to: Bytes) {
        *self = Self { end: sent_to, phase: Phase::Reduced };
    }

    /// A loss was found.
    pub(crate) fn recover(&mut self, sent_to: Bytes) {
        *self = Self { end: sent_to, phase: Phase::Recovery };
    }

    /// The timer expired.
    pub(crate) fn restart(&mut self, sent_to: Bytes) {
        *self = Self { end: sent_to, phase: Phase::Restart };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: u64) -> Bytes {
        Bytes::new(position)
    }

    #[test]
    fn recovery_ends_with_the_last_byte_and_echoes_count_again_one_packet_later() {
        let mut episode = Episode::default();
        episode.recover(at(5000));
        assert_eq!(episode.on_ack(at(4999)), Place::Recovering);
        assert_eq!(episode.on_ack(at(5000)), Place::Ending);
        assert!(!episode.is_over(), "the ack of 5000 still echoes the old window");
        assert_eq!(episode.on_ack(at(6000)), Place::Free);
        assert!(episode.is_over());
    }

    #[test]
    fn a_hole_in_an_answered_window_is_old_news_and_a_hole_behind_it_is_new() {
        let mut episode = Episode::default();
        episode.reduce(at(5000));
        assert_eq!(episode.judge_loss(at(4000)), LossNews::Echoed);
        assert_eq!(episode.judge_loss(at(5000)), LossNews::New, "byte 5000 was sent after the answer");
        episode.restart(at(9000));
        assert_eq!(episode.judge_loss(at(8000)), LossNews::TimedOut);
        episode.recover(at(9000));
        assert_eq!(episode.judge_loss(at(8000)), LossNews::New, "a repair was lost");
    }
}
