//! Packets that wait in front of a pipe, by class.

use crate::packet::Packet;
use plimsoll_cc::codel;
use std::collections::VecDeque;

/// How many classes there can be.
pub(crate) const CLASSES: usize = 8;

/// The waiting packets of a port whose departures are events.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    lines: [VecDeque<Packet>; CLASSES],
    bytes: u64,
    bytes_by_class: [u64; CLASSES],
    /// Bit c: class c must not leave (PFC).
    pub(crate) paused: u8,
    /// Among classes of equal priority, the one after this is next.
    last: usize,
    /// CoDel's memory, where there is CoDel.
    pub(crate) codel: Option<codel::Queue>,
    /// The port works like this for good: it may not go back to a bare pipe when it is empty.
    pub(crate) permanent: bool,
}

impl Queue {
    /// A queue that stays, with CoDel or without.
    pub(crate) fn permanent(codel: Option<codel::Queue>) -> Self {
        Self { permanent: true, codel, ..Self::default() }
    }

    pub(crate) fn push(&mut self, packet: Packet) {
        self.bytes += u64::from(packet.size);
        self.bytes_by_class[packet.class()] += u64::from(packet.size);
        self.lines[packet.class()].push_back(packet);
    }

    /// Bytes that wait.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of one class that wait.
    pub(crate) fn bytes_of(&self, class: usize) -> u64 {
        self.bytes_by_class[class]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.iter().all(VecDeque::is_empty)
    }

    /// Whether any packet may leave.
    pub(crate) fn may_leave(&self) -> bool {
        (0..CLASSES).any(|class| !self.lines[class].is_empty() && self.paused & (1 << class) == 0)
    }

    /// The class whose turn it is: of the highest priority that may leave; classes of equal priority
    /// take turns.
    fn next_class(&self, priorities: &[u8; CLASSES]) -> Option<usize> {
        let ready = |class: &usize| !self.lines[*class].is_empty() && self.paused & (1 << class) == 0;
        let best = (0..CLASSES).filter(ready).map(|class| priorities[class]).max()?;
        (1..=CLASSES)
            .map(|step| (self.last + step) % CLASSES)
            .find(|class| ready(class) && priorities[*class] == best)
    }

    /// The size of the packet whose turn it is.
    pub(crate) fn next_size(&self, priorities: &[u8; CLASSES]) -> Option<u16> {
        let class = self.next_class(priorities)?;
        self.lines[class].front().map(|packet| packet.size)
    }

    /// Takes the packet whose turn it is.
    pub(crate) fn pop(&mut self, priorities: &[u8; CLASSES]) -> Option<Packet> {
        let class = self.next_class(priorities)?;
        self.last = class;
        let packet = self.lines[class].pop_front()?;
        self.bytes -= u64::from(packet.size);
        self.bytes_by_class[class] -= u64::from(packet.size);
        Some(packet)
    }

    /// All that wait.
    pub(crate) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.lines.iter().flatten()
    }

    /// Empties it.
    pub(crate) fn drain(&mut self) -> Vec<Packet> {
        self.bytes = 0;
        self.bytes_by_class = [0; CLASSES];
        self.lines.iter_mut().flat_map(std::mem::take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(class: u8, size: u16) -> Packet {
        Packet { size, flags: Packet::of_class(class), ..Packet::EMPTY }
    }

    #[test]
    fn higher_priority_leaves_first_and_equal_ones_take_turns() {
        let mut queue = Queue::default();
        for class in [0, 0, 1, 1, 2] {
            queue.push(packet(class, 100 + u16::from(class)));
        }
        // Class 2 is above 0 and 1, which are equal.
        let priorities = [0, 0, 7, 0, 0, 0, 0, 0];
        let order: Vec<u16> =
            std::iter::from_fn(|| queue.pop(&priorities)).map(|packet| packet.size).collect();
        assert_eq!(order, [102, 100, 101, 100, 101]);
        assert!(queue.is_empty() && queue.bytes() == 0);
    }

    #[test]
    fn a_paused_class_waits_while_others_leave() {
        let mut queue = Queue::default();
        queue.push(packet(0, 1));
        queue.push(packet(1, 2));
        queue.paused = 1 << 1;
        assert_eq!(queue.pop(&[0, 7, 0, 0, 0, 0, 0, 0]).unwrap().size, 1);
        assert!(!queue.may_leave() && queue.pop(&[0; 8]).is_none());
        queue.paused = 0;
        assert_eq!(queue.pop(&[0; 8]).unwrap().size, 2);
    }
}
