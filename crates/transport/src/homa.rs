//! HOMA's protocol around the rules of [`plimsoll_cc::homa`]: what a host does with messages that it sends
//! and receives. Like the rest of the transport it has no clock and does no I/O.
//!
//! A message needs no connection. Its number is the same at both ends, and no other
//! message of either has it.
//!
//! | packet | from | says |
//! |---|---|---|
//! | DATA | sender | these bytes of a message of so many |
//! | GRANT | receiver | bytes up to here may be sent, at this level |
//! | RESEND | receiver | these bytes are missing; send them at this level |
//! | BUSY | sender | they will come, shorter messages go first |
//! | PROBE | sender | there is a message of so many bytes; how does it fare? |
//! | DONE | receiver | all of it has arrived |
//! | UNKNOWN | sender | there is no such message (any more) |
//!
//! # Life of a message
//! [`Sender::begin`] makes its first bytes ready; [`Sender::poll_send`] takes a packet of the message
//! that has the fewest bytes left to send. [`Receiver::on_data`] puts it together and grants more to
//! those that have the fewest bytes left to come; the last byte is answered by DONE.
//!
//! # What goes wrong
//! A receiver that has granted and hears nothing of a message for `resend_timeout` asks for its first gap.
//! A sender that has sent all it may and hears nothing asks, too, more and more rarely: its first packets may be
//! lost, so that the receiver knows nothing of it, or DONE may. After `max_resends` questions in vain the
//! message is given up. In the paper these questions are the client's, who waits for an answer; a message
//! that has none needs DONE and PROBE in its place. Ours are also these: what is asked for again comes at the level of
//! the message's present rank, and what is here of messages that were given up is remembered (1024 of them), should their
//! senders go on.

mod ranges;
mod receiver;
mod sender;

use plimsoll_cc::homa::{Homa, Policy};
use plimsoll_units::{Bytes, Span};

pub use receiver::{Arrival, Receiver};
pub use sender::{Finished, Sender};

/// What all messages of a host share.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Who is granted, how much, and at which level.
    pub policy: Policy,
    resend_timeout: Span,
    max_resends: u32,
    mss: u32,
}

impl Rules {
    /// The rules of a law for messages of these sizes, which come from the smallest to the largest, in packets
    /// of `mss` bytes.
    #[must_use]
    pub fn new(law: &Homa, mss: Bytes, sizes: &[Bytes]) -> Self {
        Self {
            policy: law.policy(sizes),
            resend_timeout: law.resend_timeout(),
            max_resends: law.max_resends(),
            mss: u32::try_from(mss.get()).unwrap_or(u32::MAX).max(1),
        }
    }

    /// A level that a peer names, as far as there are levels.
    fn level(&self, level: u8) -> u8 {
        level.min(self.policy.control_level())
    }
}

/// The number of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageNumber(pub u64);

/// What one host tells another about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The message.
    pub message: MessageNumber,
    /// The level at which the packet travels.
    pub level: u8,
    /// What it says.
    pub kind: Kind,
}

/// What a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of a message.
    Data(Data),
    /// Bytes may be sent.
    Grant {
        /// All before this one.
        to: Bytes,
        /// At this level.
        level: u8,
    },
    /// Bytes are missing.
    Resend {
        /// The first.
        from: Bytes,
        /// Behind the last.
        to: Bytes,
        /// The level at which they are to be sent.
        level: u8,
    },
    /// What was asked for will be sent.
    Busy,
    /// A message exists.
    Probe {
        /// It has so many bytes.
        total: Bytes,
    },
    /// All has arrived.
    Done,
    /// There is no such message.
    Unknown,
}

/// Bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Where they begin in it.
    pub offset: Bytes,
    /// How many they are.
    pub length: u32,
    /// How many the message has.
    pub total: Bytes,
    /// They were sent before.
    pub repeated: bool,
}

impl Data {
    /// The place behind the last byte; `None` if a message cannot have these bytes.
    fn end(&self) -> Option<u64> {
        let end = self.offset.get().checked_add(u64::from(self.length))?;
        (self.length > 0 && end <= self.total.get()).then_some(end)
    }
}

/// What a step leads to. Callers keep one and empty it after each step.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Packets to the other end of their message; they carry no data.
    pub packets: Vec<Packet>,
    /// Messages that were given up: nobody answered.
    pub given_up: Vec<MessageNumber>,
}

impl Output {
    fn say(&mut self, rules: &Rules, message: MessageNumber, kind: Kind) {
        self.packets.push(Packet { message, level: rules.policy.control_level(), kind });
    }
}
