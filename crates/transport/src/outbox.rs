//! [`Outbox`]: the messages of a connection, one behind the other on its byte stream.
//!
//! A message begins a new packet, so that the receiver can hand it over as soon as its own bytes
//! are there; only its last packet may be short.

use crate::packet::MessageId;
use core::fmt;
use plimsoll_units::{Bytes, Time};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Message {
    end: Bytes,
    size: Bytes,
    enqueued_at: Time,
    acked_at: Time,
}

/// A message whose every byte was acked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Which message.
    pub id: MessageId,
    /// Its bytes.
    pub size: Bytes,
    /// When the application handed it over.
    pub enqueued_at: Time,
    /// When the ack of its last byte arrived. For the only message of a connection,
    /// `acked_at - enqueued_at` is the flow completion time.
    pub acked_at: Time,
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnqueueError {
    /// It has no bytes, so nothing would be sent and nothing acked.
    Empty,
    /// The byte stream would exceed 2⁶⁴ bytes.
    StreamFull {
        /// Bytes enqueued so far.
        enqueued: Bytes,
    },
}

impl fmt::Display for EnqueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a message needs at least one byte"),
            Self::StreamFull { enqueued } => {
                write!(f, "the stream has {enqueued} already and cannot hold the message")
            }
        }
    }
}

impl core::error::Error for EnqueueError {}

/// The next piece to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) length: u32,
    pub(crate) ends_message: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    queue: VecDeque<Message>,
    /// The number of the message at the head of the queue.
    first: u64,
    /// Messages of the queue that are cut, or being cut, into packets.
    opened: usize,
    /// Messages of the queue that are acked and wait for [`Outbox::pop_completed`].
    acked: usize,
    /// The end of the last opened message.
    opened_end: Bytes,
    /// The end of the last message.
    end: Bytes,
}

impl Outbox {
    pub(crate) fn push(&mut self, now: Time, size: Bytes) -> Result<MessageId, EnqueueError> {
        if size == Bytes::ZERO {
            return Err(EnqueueError::Empty);
        }
        let end = self.end.checked_add(size).ok_or(EnqueueError::StreamFull { enqueued: self.end })?;
        self.end = end;
        self.queue.push_back(Message { end, size, enqueued_at: now, acked_at: Time::NEVER });
        Ok(MessageId(self.first + self.queue.len() as u64 - 1))
    }

    /// What to send at stream position `sent_to`, in packets of at most `mss` bytes.
    #[inline]
    pub(crate) fn piece(&mut self, sent_to: Bytes, mss: u32) -> Option<Piece> {
        if sent_to == self.opened_end {
            self.opened_end = self.queue.get(self.opened)?.end;
            self.opened += 1;
        }
        let rest = self.opened_end.saturating_sub(sent_to).get();
        Some(match u32::try_from(rest) {
            Ok(rest) if rest <= mss => Piece { length: rest, ends_message: true },
            _ => Piece { length: mss, ends_message: false },
        })
    }

    /// The message that [`Outbox::piece`] is cutting.
    pub(crate) fn being_cut(&self) -> MessageId {
        MessageId((self.first + self.opened as u64).saturating_sub(1))
    }

    /// The message that holds the byte at `offset`.
    pub(crate) fn message_at(&self, offset: Bytes) -> MessageId {
        MessageId(self.first + self.queue.partition_point(|message| message.end <= offset) as u64)
    }

    /// The ends of `count` more messages were acked.
    pub(crate) fn acked(&mut self, now: Time, count: u32) {
        for message in self.queue.range_mut(self.acked..).take(count as usize) {
            message.acked_at = now;
            self.acked += 1;
        }
    }

    pub(crate) fn pop_completed(&mut self) -> Option<Completed> {
        if self.acked == 0 {
            return None;
        }
        let message = self.queue.pop_front()?;
        let id = MessageId(self.first);
        self.first += 1;
        self.acked -= 1;
        self.opened -= 1;
        let Message { size, enqueued_at, acked_at, .. } = message;
        Some(Completed { id, size, enqueued_at, acked_at })
    }

    /// Bytes enqueued since the start.
    pub(crate) fn end(&self) -> Bytes {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_into_full_packets_and_a_short_last_one() {
        let mut outbox = Outbox::default();
        for size in [2500, 1000, 1] {
            outbox.push(Time::ZERO, Bytes::new(size)).unwrap();
        }
        let mut pieces = Vec::new();
        let mut sent_to = Bytes::ZERO;
        while let Some(Piece { length, ends_message }) = outbox.piece(sent_to, 1000) {
            pieces.push((outbox.being_cut().0, length, ends_message));
            assert_eq!(outbox.message_at(sent_to), outbox.being_cut());
            sent_to += Bytes::new(u64::from(length));
        }
        let expected = [(0, 1000, false), (0, 1000, false), (0, 500, true), (1, 1000, true), (2, 1, true)];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn messages_complete_in_order_with_their_times() {
        let mut outbox = Outbox::default();
        let at = |ps| Time::from_ps(ps);
        outbox.push(at(1), Bytes::new(10)).unwrap();
        outbox.push(at(2), Bytes::new(20)).unwrap();
        outbox.piece(Bytes::ZERO, 100);
        outbox.piece(Bytes::new(10), 100);
        assert_eq!(outbox.pop_completed(), None);
        outbox.acked(at(7), 1);
        outbox.acked(at(9), 1);
        let completed = |id, size, enqueued_at, acked_at| Completed {
            id: MessageId(id),
            size: Bytes::new(size),
            enqueued_at: at(enqueued_at),
            acked_at: at(acked_at),
        };
        assert_eq!(outbox.pop_completed(), Some(completed(0, 10, 1, 7)));
        let third = outbox.push(at(10), Bytes::new(5));
        assert_eq!(third, Ok(MessageId(2)), "numbers go on when old messages are gone");
        assert_eq!(outbox.pop_completed(), Some(completed(1, 20, 2, 9)));
        assert_eq!(outbox.pop_completed(), None);
        assert_eq!(outbox.piece(Bytes::new(30), 100), Some(Piece { length: 5, ends_message: true }));
        assert_eq!(outbox.being_cut(), MessageId(2));
    }

    #[test]
    fn messages_without_bytes_or_beyond_the_stream_are_refused() {
        let mut outbox = Outbox::default();
        assert_eq!(outbox.push(Time::ZERO, Bytes::ZERO), Err(EnqueueError::Empty));
        outbox.push(Time::ZERO, Bytes::MAX).unwrap();
        let full = EnqueueError::StreamFull { enqueued: Bytes::MAX };
        assert_eq!(outbox.push(Time::ZERO, Bytes::new(1)), Err(full));
    }
}
