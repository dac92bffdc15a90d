//! [`MessageRecord`]: what became of one message.

use core::fmt;
use core::str::FromStr;
use plimsoll_units::{Bytes, Span, Time};

/// One message: so many bytes from one host to another. A connection with a single message is a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// Its number in the workload.
    pub message: u32,
    /// The connection that carried it.
    pub connection: u32,
    /// Which part of the workload it belongs to.
    pub group: u16,
    /// The sending host.
    pub from: u32,
    /// The receiving host.
    pub to: u32,
    /// Its payload.
    pub bytes: Bytes,
    /// Packets that the payload was cut into, each counted once.
    pub packets: u32,
    /// When it was handed to the sender; never, if it waited for a message that did not arrive.
    pub start: Time,
    /// When the sender had the ack of its last byte.
    pub finish: Option<Time>,
    /// When the receiver had all of it.
    pub delivered: Option<Time>,
    /// From start to finish if it were alone in the network; zero if nobody knows.
    pub ideal: Span,
    /// Packets that were sent again; zero if its connection has other messages, too: the sender counts for all of
    /// them together, which is in the summary.
    pub retransmitted: u32,
    /// Expiries of its retransmission timer; zero if its connection has other messages, too.
    pub timeouts: u32,
    /// Why it was given up, if it was.
    pub failure: Option<Failure>,
}

// A run holds one per message under way and many per row group of a file.
const _: () = assert!(size_of::<MessageRecord>() <= 112);

/// A message that was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// When.
    pub at: Time,
}

/// Why a message was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Too many timeouts in a row.
    TimedOut,
    /// No path led to the receiver.
    NoRoute,
    /// One of its hosts was down.
    HostDown,
    /// The message that it was to follow was given up.
    PredecessorFailed,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The sender had its last ack.
    Completed,
    /// It was given up.
    Failed(Failure),
    /// The run ended first.
    Unfinished,
}

impl MessageRecord {
    /// How it ended.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match (self.finish, self.failure) {
            (Some(_), _) => Outcome::Completed,
            (None, Some(failure)) => Outcome::Failed(failure),
            (None, None) => Outcome::Unfinished,
        }
    }

    /// The completion time, from start to the last ack at the sender.
    #[must_use]
    pub fn completion_time(&self) -> Option<Span> {
        self.finish?.checked_since(self.start)
    }

    /// The time from start until the receiver had all of it.
    #[must_use]
    pub fn delivery_time(&self) -> Option<Span> {
        self.delivered?.checked_since(self.start)
    }

    /// Completion time over that in an empty network, at least 1. `None` if it did not complete or if the
    /// time in an empty network is unknown.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        crate::slowdown::slowdown(self.completion_time()?, self.ideal)
    }
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::TimedOut, Self::NoRoute, Self::HostDown, Self::PredecessorFailed];

    /// The word for it in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimedOut => "timed-out",
            Self::NoRoute => "no-route",
            Self::HostDown => "host-down",
            Self::PredecessorFailed => "predecessor-failed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(text: &str) -> Result<Self, UnknownReason> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.name() == text)
            .ok_or_else(|| UnknownReason(text.to_owned()))
    }
}

/// A word that is no [`Reason`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownReason(pub String);

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" is no reason of failure; known: {}",
            self.0,
            Reason::ALL.map(Reason::name).join(", ")
        )
    }
}

impl core::error::Error for UnknownReason {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.reason, self.at)
    }
}

#[cfg(test)]
pub(crate) mod made_up {
    use super::*;

    /// 10 kB from host 1 to host 2, alone 2 µs, taken 3 µs from 1 µs on.
    pub(crate) fn completed() -> MessageRecord {
        MessageRecord {
            message: 7,
            connection: 5,
            group: 1,
            from: 1,
            to: 2,
            bytes: Bytes::from_kb(10),
            packets: 10,
            start: Time::from_ps(1_000_000),
            finish: Some(Time::from_ps(4_000_000)),
            delivered: Some(Time::from_ps(3_500_000)),
            ideal: Span::from_us(2),
            retransmitted: 3,
            timeouts: 1,
            failure: None,
        }
    }

    /// The same, given up after 9 µs.
    pub(crate) fn failed() -> MessageRecord {
        let failure = Some(Failure { reason: Reason::TimedOut, at: Time::from_ps(9_000_000) });
        MessageRecord { message: 8, finish: None, delivered: None, failure, ..completed() }
    }

    /// The same, under way when the run ended, after it had waited for another one.
    pub(crate) fn never_started() -> MessageRecord {
        MessageRecord { message: 9, start: Time::NEVER, finish: None, delivered: None, ..completed() }
    }
}

#[cfg(test)]
mod tests {
    use super::made_up::{completed, failed, never_started};
    use super::*;

    #[test]
    fn times_count_from_the_start_to_the_last_ack_and_to_the_last_byte() {
        assert_eq!(completed().completion_time(), Some(Span::from_us(3)));
        assert_eq!(completed().delivery_time(), Some(Span::from_ps(2_500_000)));
        assert_eq!(completed().slowdown(), Some(1.5));
    }

    #[test]
    fn what_did_not_complete_has_no_times() {
        for record in [failed(), never_started()] {
            assert_eq!(
                (record.completion_time(), record.delivery_time(), record.slowdown()),
                (None, None, None)
            );
        }
    }

    #[test]
    fn a_finish_before_the_start_gives_no_time_instead_of_a_panic() {
        let record = MessageRecord { finish: Some(Time::ZERO), delivered: Some(Time::ZERO), ..completed() };
        assert_eq!((record.completion_time(), record.delivery_time()), (None, None));
    }

    #[test]
    fn a_record_says_how_its_message_ended() {
        assert_eq!(completed().outcome(), Outcome::Completed);
        assert!(matches!(failed().outcome(), Outcome::Failed(Failure { reason: Reason::TimedOut, .. })));
        assert_eq!(never_started().outcome(), Outcome::Unfinished);
    }

    #[test]
    fn reasons_survive_being_written_as_words() {
        for reason in Reason::ALL {
            assert_eq!(reason.to_string().parse(), Ok(reason));
        }
        let error = "tired".parse::<Reason>().unwrap_err().to_string();
        assert!(error.contains("\"tired\"") && error.contains("timed-out"), "{error}");
    }

    #[test]
    fn a_failure_reads_as_a_sentence() {
        assert_eq!(failed().failure.unwrap().to_string(), "timed-out at 9us");
    }
}
