//! A port: a queue and the link behind it, as one pipe.
//!
//! A FIFO port's future is known when a packet joins it: the packet starts when the one before it
//! is done. So a packet is put into the pipe with its arrival time at the far end, only the head of
//! the pipe needs an event, and a packet-hop costs one event. What switches write when the packet
//! leaves the queue (records, marks) depends on who joins the queue meanwhile; it is worked out
//! when the packet reaches the far end, from the pipe's own memory of who joined when. Nobody can
//! look at the packet in between, so nobody can tell.
//!
//! Where the moment of leaving decides something (classes, CoDel, pauses, a changed rate), the
//! packets wait in a [`Queue`] of their own in front of the pipe, and leaving is a second event. A
//! port can change from the one to the other at any time.

use crate::packet::Packet;
use crate::queue::Queue;
use plimsoll_units::{Bytes, Rate, Rounding, Span};

/// What ports reckon with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The size that most data packets have.
    pub(crate) full: u16,
    /// The size of acks.
    pub(crate) ack: u16,
    /// Times are cut to whole multiples of this many picoseconds.
    pub(crate) tick: u64,
}

/// One direction of a link. Times in picoseconds.
#[derive(Debug)]
pub(crate) struct Port {
    /// When the last packet in the pipe will have left the queue.
    pub(crate) free_at: u64,
    /// From the last bit's departure to the packet's arrival in the next queue: the link's delay
    /// and the next switch's pipeline.
    pub(crate) delay: u64,
    sizes: Sizes,
    full_time: u64,
    ack_time: u64,
    /// The pipe: `len` packets from `head`, in a ring of a power of two.
    head: u32,
    len: u32,
    ring: Vec<Packet>,
    /// Packets from the head that are counted in `joined_bytes`.
    counted: u32,
    /// Packets from the head on which the switch has written.
    stamped: u32,
    /// Packets from the head that no longer count in the switch's buffer.
    released: u32,
    joined_bytes: u64,
    /// Bytes of packets that have left the queue: of hosts always, of switches if
    /// [`Shared::counts_departures`](crate::shared::Shared::counts_departures).
    pub(crate) left_bytes: u64,
    pub(crate) rate: Rate,
    /// The node at the far end.
    pub(crate) to: u32,
    /// It belongs to a switch.
    pub(crate) from_switch: bool,
    /// Packets that wait in front of the pipe, if leaving is an event.
    pub(crate) queue: Option<Box<Queue>>,
    /// The longest wait of any packet.
    pub(crate) longest_wait: u64,
}

/// What a port's queue was like when a packet left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// When the first bit left.
    pub(crate) time: u64,
    /// Bytes in the queue behind it.
    pub(crate) queue: u64,
    /// Bytes that had left before it.
    pub(crate) sent: u64,
}

/// What waits at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Bytes of packets whose first bit has not left.
    pub(crate) bytes: u64,
    /// How long those of them that are in the pipe will take to leave.
    pub(crate) time: u64,
    /// Bytes of packets that have left and are not counted in [`Port::left_bytes`] yet.
    pub(crate) just_left: u64,
}

impl Port {
    pub(crate) fn new(from_switch: bool, to: u32, rate: Rate, delay: Span, sizes: Sizes) -> Self {
        let mut port = Self {
            free_at: 0,
            delay: delay.as_ps(),
            sizes,
            full_time: 0,
            ack_time: 0,
            head: 0,
            len: 0,
            ring: Vec::new(),
            counted: 0,
            stamped: 0,
            released: 0,
            joined_bytes: 0,
            left_bytes: 0,
            rate,
            to,
            from_switch,
            queue: None,
            longest_wait: 0,
        };
        port.set_rate(rate);
        port
    }

    /// The link runs at this rate from the next packet on. Only for ports whose waiting packets are
    /// in a [`Queue`].
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
        self.full_time = self.reckon_time(self.sizes.full);
        self.ack_time = self.reckon_time(self.sizes.ack);
    }

    /// How long `size` bytes take.
    #[inline]
    pub(crate) fn serialize(&self, size: u16) -> u64 {
        if size == self.sizes.full {
            self.full_time
        } else if size == self.sizes.ack {
            self.ack_time
        } else {
            self.reckon_time(size)
        }
    }

    fn reckon_time(&self, size: u16) -> u64 {
        // Links are checked to have a rate, and a packet's time fits.
        let exact = self.rate.checked_serialize(Bytes::new(u64::from(size)), Rounding::Up);
        let exact = exact.map_or(u64::MAX / 8, Span::as_ps);
        exact - exact % self.sizes.tick
    }

    /// The packet joins the queue at `now` and enters the pipe. Gives its arrival time if it is now
    /// the pipe's head.
    #[inline]
    pub(crate) fn push(&mut self, now: u64, mut packet: Packet) -> Option<u64> {
        let start = self.free_at.max(now);
        self.longest_wait = self.longest_wait.max(start - now);
        self.free_at = start + self.serialize(packet.size);
        packet.enqueued = now;
        packet.arrive = self.free_at + self.delay;
        self.append(packet)
    }

    /// The packet leaves the waiting queue at `now` and enters the pipe, with all written on it.
    pub(crate) fn push_departing(&mut self, now: u64, mut packet: Packet) -> Option<u64> {
        self.longest_wait = self.longest_wait.max(now - packet.enqueued);
        self.free_at = now + self.serialize(packet.size);
        packet.arrive = self.free_at + self.delay;
        self.left_bytes += u64::from(packet.size);
        // Nobody is counted behind it: what waits, waits in the queue.
        self.joined_bytes = self.left_bytes;
        self.push_stamped(packet)
    }

    /// A packet whose arrival time is known enters the pipe, with all written on it.
    pub(crate) fn push_stamped(&mut self, packet: Packet) -> Option<u64> {
        debug_assert!(self.stamped == self.len);
        let head = self.append(packet);
        (self.counted, self.stamped, self.released) = (self.len, self.len, self.len);
        head
    }

    #[inline]
    fn append(&mut self, packet: Packet) -> Option<u64> {
        if self.len as usize == self.ring.len() {
            self.grow();
        }
        let mask = self.ring.len() as u32 - 1;
        self.ring[((self.head + self.len) & mask) as usize] = packet;
        self.len += 1;
        (self.len == 1).then_some(packet.arrive)
    }

    /// Takes the head, which is there.
    #[inline]
    pub(crate) fn pop(&mut self) -> Packet {
        let mask = self.ring.len() as u32 - 1;
        let packet = self.ring[self.head as usize];
        self.head = (self.head + 1) & mask;
        self.len -= 1;
        self.counted = self.counted.saturating_sub(1);
        self.stamped = self.stamped.saturating_sub(1);
        self.released = self.released.saturating_sub(1);
        packet
    }

    /// When the head arrives, if there is one.
    #[inline]
    pub(crate) fn head_arrives(&self) -> Option<u64> {
        if self.len > 0 { Some(self.ring[self.head as usize].arrive) } else { None }
    }

    /// Whether nothing has been written on the head yet.
    #[inline]
    pub(crate) fn head_is_blank(&self) -> bool {
        self.stamped == 0
    }

    /// Whether the head still counts in the switch's buffer.
    #[inline]
    pub(crate) fn head_is_held(&self) -> bool {
        self.released == 0
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The packet at place `index` from the head.
    fn at(&self, index: u32) -> &Packet {
        &self.ring[((self.head + index) & (self.ring.len() as u32 - 1)) as usize]
    }

    /// When the packet left (or will leave) the queue.
    #[inline]
    pub(crate) fn start_of(&self, packet: &Packet) -> u64 {
        packet.arrive - self.delay - self.serialize(packet.size)
    }

    /// What the queue was like when the first packet left it on which nothing is written yet. To be
    /// asked once per packet, and not before it has left; the packet counts as written on from now.
    #[inline]
    pub(crate) fn next_departure(&mut self) -> Departure {
        let (time, size) = {
            let packet = self.at(self.stamped);
            (self.start_of(packet), packet.size)
        };
        // Who joined before that moment? Each packet is counted once; the one that leaves has
        // joined even if it never waited.
        while self.counted < self.len {
            let packet = self.at(self.counted);
            if packet.enqueued >= time && self.counted > self.stamped {
                break;
            }
            self.joined_bytes += u64::from(packet.size);
            self.counted += 1;
        }
        let sent = self.left_bytes;
        self.left_bytes += u64::from(size);
        self.stamped += 1;
        Departure { time, queue: self.joined_bytes - self.left_bytes, sent }
    }

    /// The packet that [`Port::next_departure`] spoke of last.
    pub(crate) fn last_stamped(&mut self) -> &mut Packet {
        let mask = self.ring.len() as u32 - 1;
        let index = (self.head + self.stamped - 1) & mask;
        &mut self.ring[index as usize]
    }

    /// Whether a packet on which nothing is written has left by `now`.
    pub(crate) fn has_departure_by(&self, now: u64) -> bool {
        self.stamped < self.len && self.start_of(self.at(self.stamped)) <= now
    }

    /// What waits at `now`, when everything up to then has happened and nothing after it.
    pub(crate) fn waiting(&self, now: u64) -> Waiting {
        let mut waiting = Waiting::default();
        if let Some(queue) = &self.queue {
            waiting.bytes = queue.bytes();
        }
        for index in self.stamped..self.len {
            let packet = self.at(index);
            if self.start_of(packet) > now {
                waiting.bytes += u64::from(packet.size);
                waiting.time += self.serialize(packet.size);
            } else if self.from_switch {
                waiting.just_left += u64::from(packet.size);
            }
        }
        waiting
    }

    /// Calls `released` with each packet that has left the queue by `now` and still counted in the
    /// buffer.
    pub(crate) fn release(&mut self, now: u64, mut released: impl FnMut(&Packet)) {
        while self.released < self.len {
            let packet = *self.at(self.released);
            if self.start_of(&packet) > now {
                break;
            }
            released(&packet);
            self.released += 1;
        }
    }

    /// Takes back the packets that have not left, to wait in a [`Queue`]. All that have left must be
    /// written on and released.
    pub(crate) fn take_waiting(&mut self) -> Vec<Packet> {
        let keep = self.stamped;
        let waiting: Vec<Packet> = (keep..self.len).map(|index| *self.at(index)).collect();
        self.len = keep;
        self.counted = keep;
        self.joined_bytes = self.left_bytes;
        if let Some(first) = waiting.first() {
            self.free_at = self.start_of(first);
        }
        waiting
    }

    /// Empties the pipe.
    pub(crate) fn drain(&mut self) -> Vec<Packet> {
        let packets = (0..self.len).map(|index| *self.at(index)).collect();
        self.len = 0;
        self.forget();
        packets
    }

    /// The pipe was emptied out of turn: the port is free.
    pub(crate) fn forget(&mut self) {
        (self.counted, self.stamped, self.released, self.free_at) = (0, 0, 0, 0);
        self.joined_bytes = self.left_bytes;
    }

    /// When the head leaves or left the queue, if there is one.
    pub(crate) fn head_leaves(&self) -> Option<u64> {
        if self.len > 0 { Some(self.start_of(self.at(0))) } else { None }
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = vec![Packet::EMPTY; (self.ring.len() * 2).max(4)];
        for (index, place) in larger.iter_mut().enumerate().take(self.len as usize) {
            *place = *self.at(index as u32);
        }
        self.ring = larger;
        self.head = 0;
    }
}
