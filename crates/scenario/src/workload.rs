//! What hosts send: connections, and messages on them.
//!
//! A connection that carries one message is a flow. A message begins at a time of its own, or when
//! others have been delivered (collectives, request and response).

use plimsoll_units::{Bytes, Span, Time};

/// A sequence of messages from one host to another, under one law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The sending host.
    pub from: u32,
    /// The receiving host.
    pub to: u32,
    /// The class of its packets in switches.
    pub class: u8,
    /// When it ends, whatever is left of its messages; [`Time::NEVER`] = when all are delivered.
    pub stop: Time,
    /// Which `[[traffic]]` table it comes from: an index into [`Workload::groups`].
    pub group: u16,
}

/// So many bytes on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The connection: an index into [`Workload::connections`].
    pub connection: u32,
    /// Its payload; [`Message::UNBOUNDED`] = until the connection stops or the run ends.
    pub bytes: Bytes,
    /// When it begins.
    pub start: Start,
}

impl Message {
    /// More bytes than any run can send.
    pub const UNBOUNDED: Bytes = Bytes::new(1 << 60);
}

/// When a message begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time.
    At(Time),
    /// `delay` after another message is done: delivered, if its receiver is the host that sends
    /// this message; acked to the last byte, if its sender is that host.
    After {
        /// The other message: an index into [`Workload::messages`].
        message: u32,
        /// How long after it.
        delay: Span,
    },
    /// `delay` after several messages are done, each as with [`Start::After`]: those that
    /// [`Workload::waits_for`] lists from `first` on.
    AfterAll {
        /// Where the list begins.
        first: u32,
        /// How many.
        count: u32,
        /// How long after the last of them.
        delay: Span,
    },
}

/// All that hosts send in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// The connections.
    pub connections: Vec<Connection>,
    /// The messages: first those with a time of their own, by that time; then the others. Messages
    /// of one connection are in the order in which it sends them.
    pub messages: Vec<Message>,
    /// Messages that others wait for; see [`Start::AfterAll`].
    pub waits_for: Vec<u32>,
    /// The names of the `[[traffic]]` tables.
    pub groups: Vec<String>,
    /// For each of them where its packets must pass: for each waypoint the switches of which one must be on the
    /// path. None = any path will do.
    pub waypoints: Vec<Vec<Vec<u32>>>,
}

impl Workload {
    /// The messages that message `index` waits for.
    #[must_use]
    pub fn dependencies(&self, index: usize) -> &[u32] {
        match &self.messages[index].start {
            Start::At(_) => &[],
            Start::After { message, .. } => std::slice::from_ref(message),
            Start::AfterAll { first, count, .. } => &self.waits_for[*first as usize..][..*count as usize],
        }
    }
}
