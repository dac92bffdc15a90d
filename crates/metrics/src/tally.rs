//! [`Tally`]: what a run needs to remember of messages that went to a file.

use crate::record::{MessageRecord, Outcome};
use crate::sink::Sink;
use crate::slowdown::SizedSlowdown;
use std::io;

/// Counts messages and keeps the slowdowns of the completed ones, 16 bytes each, for exact percentiles. A run
/// fills it beside the file: `(writer, tally)` is a [`Sink`] too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Messages whose last ack came.
    pub completed: u64,
    /// Messages that were given up.
    pub failed: u64,
    /// Messages that were neither completed nor had failed at the end; some may not have begun.
    pub unfinished: u64,
    /// Packets that were sent again.
    pub retransmitted: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Sizes and slowdowns, in the order in which the records came.
    pub slowdowns: Vec<SizedSlowdown>,
}

impl Tally {
    /// Of these records.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a MessageRecord>) -> Self {
        let mut tally = Self::default();
        for record in records {
            tally.count(record);
        }
        tally
    }

    /// Counts one message.
    pub fn count(&mut self, record: &MessageRecord) {
        match record.outcome() {
            Outcome::Completed => self.completed += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Unfinished => self.unfinished += 1,
        }
        self.retransmitted += u64::from(record.retransmitted);
        self.timeouts += u64::from(record.timeouts);
        let slowdown = record.slowdown();
        self.slowdowns.extend(slowdown.map(|slowdown| SizedSlowdown { bytes: record.bytes, slowdown }));
    }
}

impl Sink<MessageRecord> for Tally {
    fn put(&mut self, record: MessageRecord) -> io::Result<()> {
        self.count(&record);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::made_up::{completed, failed, never_started};
    use plimsoll_units::{Bytes, Span};

    #[test]
    fn messages_are_counted_by_how_they_ended() {
        let unknown_ideal = MessageRecord { ideal: Span::ZERO, ..completed() };
        let mut tally = Tally::default();
        for record in [completed(), failed(), never_started(), unknown_ideal] {
            tally.put(record).unwrap();
        }
        let expected = Tally {
            completed: 2,
            failed: 1,
            unfinished: 1,
            // Three packets sent again and one timeout in each record, however it ended.
            retransmitted: 12,
            timeouts: 4,
            slowdowns: vec![SizedSlowdown { bytes: Bytes::from_kb(10), slowdown: 1.5 }],
        };
        assert_eq!(tally, expected);
    }
}
