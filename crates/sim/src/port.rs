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
    pub(crate) tick: u32,
}

/// One direction of a link. Times in picoseconds.
///
/// The pipe's places are numbered from the first packet on, and wrap; those from `head` to `tail` are
/// taken, and lie in a ring. The other places never fall behind `head`. All that a hop needs is in two
/// cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Port {
    ring: Box<[Packet]>,
    head: u32,
    tail: u32,
    /// Packets before this place are counted in `joined_bytes`.
    counted: u32,
    /// On packets before this place the switch has written.
    stamped: u32,
    /// Packets before this place no longer count in the switch's buffer.
    released: u32,
    /// The node at the far end.
    pub(crate) to: u32,
    /// Bytes of packets that have left the queue: of hosts always, of switches if
    /// [`Shared::counts_departures`](crate::shared::Shared::counts_departures).
    pub(crate) left_bytes: u64,
    joined_bytes: u64,
    full: u16,
    ack: u16,
    /// It belongs to a switch.
    pub(crate) from_switch: bool,
    /// The far end belongs to the same part of the network.
    pub(crate) leads_within: bool,
    /// The link works.
    pub(crate) is_up: bool,
    /// The switch writes telemetry.
    pub(crate) stamps: bool,

    /// When the last packet in the pipe will have left the queue.
    pub(crate) free_at: u64,
    /// From the last bit's departure to the packet's arrival in the next queue: the link's delay
    /// and the next switch's pipeline.
    pub(crate) delay: u64,
    full_time: u64,
    ack_time: u64,
    /// Packets that wait in front of the pipe, if leaving is an event.
    pub(crate) queue: Option<Box<Queue>>,
    /// The longest queue, as the time that it takes at the present rate.
    longest_wait: u64,
    pub(crate) rate: Rate,
    tick: u32,
    /// Which port of the switch at the far end faces it.
    pub(crate) entry: u16,
}

const _: () = assert!(size_of::<Port>() == 128);

/// What a port's queue was like when a packet left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// When the first bit left.
    pub(crate) time: u64,
    /// How long it had waited.
    pub(crate) wait: u64,
    /// Bytes in the queue behind it.
    pub(crate) queue: u64,
    /// The same of its class.
    pub(crate) class_queue: u64,
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
            ring: Box::default(),
            head: 0,
            tail: 0,
            counted: 0,
            stamped: 0,
            released: 0,
            to,
            left_bytes: 0,
            joined_bytes: 0,
            full: sizes.full,
            ack: sizes.ack,
            from_switch,
            leads_within: true,
            is_up: true,
            stamps: false,
            free_at: 0,
            delay: delay.as_ps(),
            full_time: 0,
            ack_time: 0,
            queue: None,
            longest_wait: 0,
            rate,
            tick: sizes.tick,
            entry: 0,
        };
        port.set_rate(rate);
        port
    }

    /// The link runs at this rate from the next packet on. Only for ports whose waiting packets are
    /// in a [`Queue`].
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        let longest_queue = self.longest_queue();
        self.rate = rate;
        self.longest_wait = self.time_of(longest_queue);
        self.full_time = self.reckon_time(self.full);
        self.ack_time = self.reckon_time(self.ack);
    }

    /// The most bytes that waited, what was left of the packet on the link included.
    pub(crate) fn longest_queue(&self) -> Bytes {
        self.rate.bytes_in(Span::from_ps(self.longest_wait))
    }

    fn time_of(&self, bytes: Bytes) -> u64 {
        self.rate.checked_serialize(bytes, Rounding::Up).map_or(u64::MAX / 8, Span::as_ps)
    }

    /// The packet joins the queue in front of the pipe.
    pub(crate) fn join_queue(&mut self, now: u64, packet: Packet) {
        let Some(queue) = &mut self.queue else { return };
        let waiting = Bytes::new(queue.bytes());
        queue.push(packet);
        let wait = self.time_of(waiting) + self.free_at.saturating_sub(now);
        self.longest_wait = self.longest_wait.max(wait);
    }

    /// How long `size` bytes take.
    #[inline(always)]
    pub(crate) fn serialize(&self, size: u16) -> u64 {
        if size == self.full {
            self.full_time
        } else if size == self.ack {
            self.ack_time
        } else {
            self.reckon_time(size)
        }
    }

    #[cold]
    fn reckon_time(&self, size: u16) -> u64 {
        // Links are checked to have a rate, and a packet's time fits.
        let exact = self.rate.checked_serialize(Bytes::new(u64::from(size)), Rounding::Up);
        let exact = exact.map_or(u64::MAX / 8, Span::as_ps);
        exact - exact % u64::from(self.tick)
    }

    /// The packet joins the queue at `now` and enters the pipe. Gives its arrival time if it is now
    /// the pipe's head.
    #[inline(always)]
    pub(crate) fn push(&mut self, now: u64, mut packet: Packet) -> Option<u64> {
        let wait = self.free_at.saturating_sub(now);
        if wait > self.longest_wait {
            self.longest_wait = wait;
        }
        self.free_at = now + wait + self.serialize(packet.size);
        packet.set_joined(now);
        packet.arrive = self.free_at + self.delay;
        self.append(packet)
    }

    /// The packet leaves the waiting queue at `now` and enters the pipe, with all written on it.
    pub(crate) fn push_departing(&mut self, now: u64, mut packet: Packet) -> Option<u64> {
        self.free_at = now + self.serialize(packet.size);
        packet.arrive = self.free_at + self.delay;
        self.left_bytes += u64::from(packet.size);
        // Nobody is counted behind it: what waits, waits in the queue.
        self.joined_bytes = self.left_bytes;
        self.push_stamped(packet)
    }

    /// A packet whose arrival time is known enters the pipe, with all written on it.
    pub(crate) fn push_stamped(&mut self, packet: Packet) -> Option<u64> {
        debug_assert!(self.stamped == self.tail);
        let head = self.append(packet);
        (self.counted, self.stamped, self.released) = (self.tail, self.tail, self.tail);
        head
    }

    #[inline(always)]
    fn append(&mut self, packet: Packet) -> Option<u64> {
        let before = self.tail.wrapping_sub(self.head);
        if before as usize == self.ring.len() {
            self.grow();
        }
        let index = self.tail as usize & (self.ring.len() - 1);
        self.ring[index] = packet;
        self.tail = self.tail.wrapping_add(1);
        if before == 0 { Some(packet.arrive) } else { None }
    }

    /// Takes the head, which is there.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Packet {
        let packet = *self.at(self.head);
        let head = self.head.wrapping_add(1);
        if self.stamped == self.head {
            (self.stamped, self.counted) = (head, head);
        }
        if self.released == self.head {
            self.released = head;
        }
        self.head = head;
        packet
    }

    /// The head, if there is one.
    #[inline(always)]
    pub(crate) fn head(&self) -> Option<&Packet> {
        if self.is_empty() { None } else { Some(self.at(self.head)) }
    }

    /// Whether nothing has been written on the head yet.
    #[inline(always)]
    pub(crate) fn head_is_blank(&self) -> bool {
        self.stamped == self.head
    }

    /// Whether the head still counts in the switch's buffer.
    #[inline(always)]
    pub(crate) fn head_is_held(&self) -> bool {
        self.released == self.head
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// The packet in this place.
    #[inline(always)]
    fn at(&self, place: u32) -> &Packet {
        &self.ring[place as usize & (self.ring.len() - 1)]
    }

    /// When the packet left (or will leave) the queue.
    #[inline(always)]
    pub(crate) fn start_of(&self, packet: &Packet) -> u64 {
        // Of a packet on the link when the rate fell, this may lie before the start of time.
        packet.arrive.saturating_sub(self.delay + self.serialize(packet.size))
    }

    /// What the queue was like when the first packet left it on which nothing is written yet. To be
    /// asked once per packet, and not before it has left; the packet counts as written on from now.
    #[inline(always)]
    pub(crate) fn next_departure(&mut self) -> Departure {
        let place = self.stamped;
        let (time, wait, size) = {
            let packet = self.at(place);
            let time = self.start_of(packet);
            (time, packet.wait_until(time), u64::from(packet.size))
        };
        // Who joined before that moment? Each packet is counted once; the one that leaves has
        // joined even if it never waited.
        let (mut counted, mut joined) = (self.counted, self.joined_bytes);
        if counted == place {
            counted = place.wrapping_add(1);
            joined += size;
        }
        while counted != self.tail {
            let packet = self.at(counted);
            if !packet.joined_before(time) {
                break;
            }
            joined += u64::from(packet.size);
            counted = counted.wrapping_add(1);
        }
        let sent = self.left_bytes;
        let left = sent + size;
        (self.counted, self.joined_bytes) = (counted, joined);
        (self.stamped, self.left_bytes) = (place.wrapping_add(1), left);
        let queue = joined - left;
        Departure { time, wait, queue, class_queue: queue, sent }
    }

    /// The packet that [`Port::next_departure`] spoke of last.
    pub(crate) fn last_stamped(&mut self) -> &mut Packet {
        let index = self.stamped.wrapping_sub(1) as usize & (self.ring.len() - 1);
        &mut self.ring[index]
    }

    /// Whether a packet on which nothing is written has left by `now`.
    pub(crate) fn has_departure_by(&self, now: u64) -> bool {
        self.stamped != self.tail && self.start_of(self.at(self.stamped)) <= now
    }

    /// What waits at `now`, when everything up to then has happened and nothing after it.
    pub(crate) fn waiting(&self, now: u64) -> Waiting {
        let mut waiting = Waiting::default();
        if let Some(queue) = &self.queue {
            waiting.bytes = queue.bytes();
        }
        for packet in self.from(self.stamped) {
            if self.start_of(packet) > now {
                waiting.bytes += u64::from(packet.size);
                waiting.time += self.serialize(packet.size);
            } else if self.from_switch {
                waiting.just_left += u64::from(packet.size);
            }
        }
        waiting
    }

    /// Takes note that the first packet that counts in the buffer has left the queue, if it has by
    /// `now`, and gives it.
    pub(crate) fn release(&mut self, now: u64) -> Option<Packet> {
        let packet = (self.released != self.tail).then(|| *self.at(self.released))?;
        if self.start_of(&packet) > now {
            return None;
        }
        self.released = self.released.wrapping_add(1);
        Some(packet)
    }

    /// The packets in places from `place` on.
    fn from(&self, place: u32) -> impl DoubleEndedIterator<Item = &Packet> {
        (0..self.tail.wrapping_sub(place)).map(move |step| self.at(place.wrapping_add(step)))
    }

    /// Packets in the pipe that have not left the queue by `now`, the last first.
    pub(crate) fn in_queue(&self, now: u64) -> impl Iterator<Item = &Packet> {
        self.from(self.stamped).rev().take_while(move |packet| self.start_of(packet) > now)
    }

    /// Packets that have left the queue by `now` no longer count in the buffer; those that have not, do.
    pub(crate) fn count_from(&mut self, now: u64) {
        self.released = self.tail.wrapping_sub(self.in_queue(now).count() as u32);
    }

    /// Takes back the packets that have not left, to wait in a [`Queue`]. All that have left must be
    /// written on and released.
    pub(crate) fn take_waiting(&mut self) -> Vec<Packet> {
        let keep = self.stamped;
        if keep != self.tail {
            self.free_at = self.start_of(self.at(keep));
        }
        let joined = |packet: &Packet| {
            let start = self.start_of(packet);
            Packet { arrive: start - packet.wait_until(start), ..*packet }
        };
        let waiting = self.from(keep).map(joined).collect();
        self.tail = keep;
        (self.counted, self.released) = (keep, keep);
        self.joined_bytes = self.left_bytes;
        waiting
    }

    /// Empties the pipe.
    pub(crate) fn drain(&mut self) -> Vec<Packet> {
        let packets = self.from(self.head).copied().collect();
        self.head = self.tail;
        self.forget();
        packets
    }

    /// The pipe was emptied out of turn: the port is free.
    pub(crate) fn forget(&mut self) {
        (self.counted, self.stamped, self.released) = (self.tail, self.tail, self.tail);
        self.free_at = 0;
        self.joined_bytes = self.left_bytes;
    }

    /// When the head leaves or left the queue, if there is one.
    pub(crate) fn head_leaves(&self) -> Option<u64> {
        self.head().map(|packet| self.start_of(packet))
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = vec![Packet::EMPTY; (self.ring.len() * 2).max(4)].into_boxed_slice();
        for step in 0..self.tail.wrapping_sub(self.head) {
            let place = self.head.wrapping_add(step);
            larger[place as usize & (larger.len() - 1)] = *self.at(place);
        }
        self.ring = larger;
    }
}
