//! A host: one network card, its connections, and their timers.
//!
//! The card sends one packet at a time. Acks go before data; connections with something to send
//! take turns. A host has one event at a time, the next moment at which it can do anything.

use crate::packet::Packet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// When something is due, and for which connection or message.
pub(crate) type Due = Reverse<(u64, u32)>;

/// The sending side of a host; the connections themselves live with the partition.
#[derive(Debug, Default)]
pub(crate) struct Host {
    /// The port of its card.
    pub(crate) port: u32,
    /// Acks that wait for the card.
    pub(crate) acks: VecDeque<Packet>,
    /// Acks that the host has not got round to, and when it will have; by time.
    pub(crate) slow_acks: VecDeque<(u64, Packet)>,
    /// Connections that may have something to send, in turn.
    pub(crate) ready: VecDeque<u32>,
    /// Connections that their pace holds back.
    pub(crate) paced: BinaryHeap<Due>,
    /// Timers of its sending ends; some may be outdated, and are looked at again when they fire.
    pub(crate) timers: BinaryHeap<Due>,
    /// Timers of its receiving ends.
    pub(crate) ack_timers: BinaryHeap<Due>,
    /// Its messages that have a time of their own and have not begun, the first last.
    pub(crate) coming: Vec<(u64, u32)>,
    /// Its messages that waited for others and now have a time.
    pub(crate) following: BinaryHeap<Due>,
    /// Bit c: class c must not be sent (PFC).
    pub(crate) paused: u8,
    /// Acks and connections that came to their turn while their class was paused.
    pub(crate) held_acks: VecDeque<Packet>,
    pub(crate) held: VecDeque<u32>,
}

impl Host {
    /// The next moment at which the host can do anything; `u64::MAX` = none.
    pub(crate) fn next_event(&self, card_free_at: u64) -> u64 {
        let due = |heap: &BinaryHeap<Due>| heap.peek().map_or(u64::MAX, |Reverse((time, _))| *time);
        let coming = self.coming.last().map_or(u64::MAX, |(time, _)| *time);
        let slow_ack = self.slow_acks.front().map_or(u64::MAX, |(time, _)| *time);
        let mut next =
            coming.min(slow_ack).min(due(&self.following)).min(due(&self.timers)).min(due(&self.ack_timers));
        // A slot that comes while the card is busy is taken when the card is free.
        next = next.min(due(&self.paced).max(card_free_at));
        if !self.ready.is_empty() || !self.acks.is_empty() {
            next = next.min(card_free_at);
        }
        next
    }

    /// Whether a class is not paused.
    #[inline]
    pub(crate) fn may_send(&self, class: usize) -> bool {
        self.paused & (1 << class) == 0
    }

    /// The classes in `bits` may go on: who was held back is first in line again.
    pub(crate) fn resume(&mut self, bits: u8) {
        self.paused &= !bits;
        for ack in self.held_acks.drain(..).rev() {
            self.acks.push_front(ack);
        }
        for connection in self.held.drain(..).rev() {
            self.ready.push_front(connection);
        }
    }

    /// Takes the first of `heap` if it is due.
    pub(crate) fn take_due(heap: &mut BinaryHeap<Due>, now: u64) -> Option<u32> {
        let &Reverse((time, what)) = heap.peek()?;
        if time > now {
            return None;
        }
        heap.pop();
        Some(what)
    }

    /// Acks that are due go to the card.
    pub(crate) fn release_acks(&mut self, now: u64) {
        while let Some(&(_, ack)) = self.slow_acks.front().filter(|(time, _)| *time <= now) {
            self.slow_acks.pop_front();
            self.acks.push_back(ack);
        }
    }

    /// Takes the next message that begins by `now`.
    pub(crate) fn take_coming(&mut self, now: u64) -> Option<u32> {
        match self.coming.last() {
            Some(&(time, message)) if time <= now => {
                self.coming.pop();
                Some(message)
            }
            _ => Self::take_due(&mut self.following, now),
        }
    }
}
