//! Collecting connections and messages of all tables, and putting them in order.

use crate::workload::{Connection, Message, Start, Workload};
use plimsoll_units::{Bytes, Span, Time};

/// A workload that grows. Messages are known by the order in which they were added until it is finished.
#[derive(Default)]
pub(crate) struct Plan {
    connections: Vec<Connection>,
    messages: Vec<Message>,
    waits_for: Vec<u32>,
    groups: Vec<String>,
    class: u8,
}

impl Plan {
    /// What follows belongs to this group.
    pub(crate) fn group(&mut self, name: &str, class: u8) {
        self.groups.push(name.to_owned());
        self.class = class;
    }

    pub(super) fn connection(&mut self, from: u32, to: u32, stop: Time) -> u32 {
        let group = (self.groups.len() - 1) as u16;
        self.connections.push(Connection { from, to, class: self.class, stop, group });
        self.connections.len() as u32 - 1
    }

    pub(super) fn message(&mut self, connection: u32, bytes: Bytes, start: Start) -> u32 {
        self.messages.push(Message { connection, bytes, start });
        self.messages.len() as u32 - 1
    }

    /// A connection with one message.
    pub(super) fn flow(&mut self, from: u32, to: u32, bytes: Bytes, start: Span) -> u32 {
        let connection = self.connection(from, to, Time::NEVER);
        self.message(connection, bytes, Start::At(Time::after_start(start)))
    }

    /// The start of a message that waits for these.
    pub(super) fn after_all(&mut self, messages: &[u32], delay: Span) -> Start {
        match *messages {
            [message] => Start::After { message, delay },
            _ => {
                let first = self.waits_for.len() as u32;
                self.waits_for.extend_from_slice(messages);
                Start::AfterAll { first, count: messages.len() as u32, delay }
            }
        }
    }

    /// The workload: messages with a time of their own first, by that time, then the others.
    pub(crate) fn finish(self) -> Workload {
        let Self { connections, messages, mut waits_for, groups, .. } = self;
        let mut order: Vec<u32> = (0..messages.len() as u32).collect();
        // The sort is stable: what begins together stays in the order of the tables.
        order.sort_by_key(|&index| match messages[index as usize].start {
            Start::At(time) => time,
            Start::After { .. } | Start::AfterAll { .. } => Time::NEVER,
        });
        let mut place = vec![0; messages.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        for message in &mut waits_for {
            *message = place[*message as usize];
        }
        let moved = |old: &u32| {
            let mut message = messages[*old as usize];
            if let Start::After { message: other, .. } = &mut message.start {
                *other = place[*other as usize];
            }
            message
        };
        let messages = order.iter().map(moved).collect();
        Workload { connections, messages, waits_for, groups, waypoints: Vec::new() }
    }
}
