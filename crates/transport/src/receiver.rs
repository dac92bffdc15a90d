//! [`Receiver`]: the receiving end of a connection.

use crate::config::{Config, Reliability};
use crate::ecn::EchoWriter;
use crate::packet::{AckPacket, DataPacket, MessageId, PacketNumber};
use crate::reorder::{Place, Waiting};
use core::fmt;
use plimsoll_units::{Bytes, Span, Time};
use plimsoll_wire::header::ByteRange;

/// What became of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was the next one: its bytes, and those that waited for it, can be read.
    Delivered,
    /// Its bytes are new; they wait behind a hole.
    Kept,
    /// Its bytes had arrived before.
    Duplicate,
    /// It came behind a hole and was dropped (go-back-N).
    Dropped,
    /// It makes no sense.
    Refused(Refusal),
}

/// Why a packet makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has no payload.
    Empty,
    /// It lies further ahead than any sender with these settings may be.
    TooFarAhead {
        /// The packet.
        number: PacketNumber,
        /// The first that would be too far.
        limit: PacketNumber,
    },
    /// Its bytes do not follow those of the packet before it. If that packet came later, this one
    /// was acked already, and nothing can be delivered any more.
    Misplaced {
        /// The packet.
        number: PacketNumber,
        /// Where it says that its bytes begin.
        offset: Bytes,
        /// Where the packet before it ended; behind a hole, the least that it could be.
        expected: Bytes,
    },
    /// The stream broke before.
    Broken,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the packet has no payload"),
            Self::TooFarAhead { number, limit } => {
                write!(f, "packet {} is too far ahead; it must be below {}", number.0, limit.0)
            }
            Self::Misplaced { number, offset, expected } => write!(
                f,
                "packet {} begins at byte {} of the stream and must begin at {}",
                number.0,
                offset.get(),
                expected.get()
            ),
            Self::Broken => f.write_str("an earlier packet broke the stream"),
        }
    }
}

impl core::error::Error for Refusal {}

/// What the arrival of a packet leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<T = ()> {
    /// What became of the packet.
    pub fate: Fate,
    /// Messages that are now complete; the last of them is `Receiver::messages() - 1`.
    pub messages: u32,
    /// An ack to be sent first: for earlier packets, because this one's congestion mark differs.
    pub earlier: Option<AckPacket<T>>,
    /// An ack to be sent.
    pub ack: Option<AckPacket<T>>,
}

/// The packet that an ack will answer.
#[derive(Clone, Copy, Debug, Default)]
struct Newest<T> {
    number: PacketNumber,
    sent_at: Time,
    arrived_at: Time,
    circuit_up: bool,
    hops: u8,
    telemetry: T,
}

impl<T: Copy> Newest<T> {
    #[inline]
    fn of(packet: &DataPacket<T>, now: Time) -> Self {
        Self {
            number: packet.number,
            sent_at: packet.sent_at,
            arrived_at: now,
            circuit_up: packet.circuit_up,
            hops: packet.hops,
            telemetry: packet.telemetry,
        }
    }
}

/// The receiving end of a connection. The settings are handed to every step; they must be the
/// sender's.
#[derive(Clone, Debug, Default)]
pub struct Receiver<T = ()> {
    /// The first packet that has not arrived, and where it begins.
    next: u64,
    delivered_to: Bytes,
    messages: u64,
    /// Packets that arrived, repetitions not counted.
    packets: u64,
    waiting: Waiting,
    echo: EchoWriter,
    /// Packets that arrived since the last ack, the newest of them, and when their ack must leave.
    unacked: u32,
    newest: Newest<T>,
    ack_deadline: Option<Time>,
    /// The hole of the last refusal, and when it may be refused again.
    refused: Option<(u64, Time)>,
    broken: bool,
}

impl<T: Copy + Default> Receiver<T> {
    /// A connection begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A data packet arrived.
    // Inlined always, for the reason given at `Sender::poll_send`.
    #[inline(always)]
    pub fn on_data(&mut self, config: &Config, now: Time, packet: &DataPacket<T>) -> Arrival<T> {
        // The usual case first: every packet is acked, this one is the next, there is no hole.
        let quick = packet.number.0 == self.next
            && packet.offset == self.delivered_to
            && packet.length > 0
            && self.waiting.is_empty()
            && config.ack_every == 1
            && !self.broken;
        if quick { self.answer_next(config, now, packet) } else { self.take_in(config, now, packet) }
    }

    /// Any case.
    fn take_in(&mut self, config: &Config, now: Time, packet: &DataPacket<T>) -> Arrival<T> {
        // Before the packet is taken in, so that the ack covers only what came before it.
        let earlier = if self.unacked > 0 && self.echo.changes_with(config.ecn, packet.ecn) {
            Some(self.answer(now, &{ self.newest }))
        } else {
            None
        };
        let messages_before = self.messages;
        let had_holes = !self.waiting.is_empty();
        let fate = self.place(config, packet);
        match fate {
            Fate::Refused(_) => return Arrival { fate, messages: 0, earlier, ack: None },
            Fate::Delivered | Fate::Kept => {
                self.packets += 1;
                self.echo.count(packet.ecn, packet.length);
            }
            Fate::Duplicate | Fate::Dropped => {}
        }
        let notify = self.echo.arrive(config.ecn, config.cnp_interval, now, packet);
        let newest = Newest::of(packet, now);
        let messages = (self.messages - messages_before) as u32;
        let ack = match fate {
            Fate::Dropped => self.refuse(config, now, &newest, notify),
            _ => {
                self.unacked += 1;
                // Only packets in order, in the middle of a message, can wait.
                let at_once = fate != Fate::Delivered || had_holes || messages > 0 || notify;
                if at_once || self.unacked >= config.ack_every {
                    Some(self.answer(now, &newest))
                } else {
                    self.newest = newest;
                    self.ack_deadline.get_or_insert(now.saturating_add(config.ack_delay));
                    None
                }
            }
        };
        Arrival { fate, messages, earlier, ack }
    }

    /// The usual case of [`Receiver::on_data`].
    #[inline(always)]
    fn answer_next(&mut self, config: &Config, now: Time, packet: &DataPacket<T>) -> Arrival<T> {
        self.next += 1;
        self.packets += 1;
        self.delivered_to = self.delivered_to.saturating_add(Bytes::new(u64::from(packet.length)));
        self.messages += u64::from(packet.ends_message);
        self.echo.count(packet.ecn, packet.length);
        self.echo.arrive(config.ecn, config.cnp_interval, now, packet);
        let ack = self.answer(now, &Newest::of(packet, now));
        let messages = u32::from(packet.ends_message);
        Arrival { fate: Fate::Delivered, messages, earlier: None, ack: Some(ack) }
    }

    /// Finds the packet's place in the stream.
    fn place(&mut self, config: &Config, packet: &DataPacket<T>) -> Fate {
        let number = packet.number.0;
        if self.broken {
            return Fate::Refused(Refusal::Broken);
        }
        if packet.length == 0 {
            return Fate::Refused(Refusal::Empty);
        }
        if number < self.next {
            return Fate::Duplicate;
        }
        let place = Place { start: packet.offset, length: packet.length, ends_message: packet.ends_message };
        if number == self.next {
            return match self.deliver(place) {
                Ok(()) => self.deliver_waiting(),
                Err(refusal) => Fate::Refused(refusal),
            };
        }
        if config.reliability == Reliability::GoBackN {
            return Fate::Dropped;
        }
        let limit = self.next.saturating_add(u64::from(config.max_outstanding));
        if number >= limit {
            return Fate::Refused(Refusal::TooFarAhead { number: packet.number, limit: PacketNumber(limit) });
        }
        if self.waiting.has(number) {
            return Fate::Duplicate;
        }
        let fits = packet.offset.checked_add(Bytes::new(u64::from(packet.length))).is_some();
        if packet.offset <= self.delivered_to || !fits {
            let expected = self.delivered_to.saturating_add(Bytes::new(1));
            return Fate::Refused(Refusal::Misplaced {
                number: packet.number,
                offset: packet.offset,
                expected,
            });
        }
        self.waiting.insert(self.next, number, place);
        Fate::Kept
    }

    fn deliver(&mut self, place: Place) -> Result<(), Refusal> {
        if place.start != self.delivered_to {
            let (number, offset) = (PacketNumber(self.next), place.start);
            return Err(Refusal::Misplaced { number, offset, expected: self.delivered_to });
        }
        self.delivered_to = place.end();
        self.messages += u64::from(place.ends_message);
        self.next += 1;
        Ok(())
    }

    /// A hole was filled: what waited behind it follows.
    fn deliver_waiting(&mut self) -> Fate {
        while !self.waiting.is_empty() {
            let Some(place) = self.waiting.take(self.next) else { break };
            if let Err(refusal) = self.deliver(place) {
                // It was acked, so the sender will not send it again: the stream cannot go on.
                self.broken = true;
                self.waiting.clear();
                return Fate::Refused(refusal);
            }
        }
        Fate::Delivered
    }

    /// The ack that answers `newest` and everything before it.
    #[inline]
    fn answer(&mut self, now: Time, newest: &Newest<T>) -> AckPacket<T> {
        self.unacked = 0;
        self.ack_deadline = None;
        AckPacket {
            next_expected: self.delivered_to,
            number: newest.number,
            arrived: self.waiting.up_to(newest.number.0),
            echoed_sent_at: newest.sent_at,
            receiver_delay: now.saturating_since(newest.arrived_at),
            marked: self.echo.marked(),
            reverse_delay: Span::ZERO,
            congestion_echo: self.echo.echo(),
            refused: false,
            circuit_up: newest.circuit_up,
            hops: newest.hops,
            reflected: newest.telemetry,
        }
    }

    /// A packet behind a hole was dropped: refused, but not too often, so that the sender does not
    /// go back again for packets that were under way when it went back. Between two refusals it is
    /// answered only if a congestion notification is due.
    fn refuse(
        &mut self,
        config: &Config,
        now: Time,
        newest: &Newest<T>,
        notify: bool,
    ) -> Option<AckPacket<T>> {
        let again = self.refused.is_none_or(|(hole, not_before)| hole != self.next || now >= not_before);
        if again {
            self.refused = Some((self.next, now.saturating_add(config.nack_interval)));
            return Some(AckPacket { refused: true, ..self.answer(now, newest) });
        }
        notify.then(|| self.answer(now, newest))
    }

    /// When [`Receiver::on_timer`] wants to be called.
    #[must_use]
    pub fn next_timer(&self) -> Time {
        self.ack_deadline.unwrap_or(Time::NEVER)
    }

    /// Time has passed: gives the ack that waited long enough. To be called too early does no harm.
    pub fn on_timer(&mut self, now: Time) -> Option<AckPacket<T>> {
        let due = self.ack_deadline.is_some_and(|deadline| now >= deadline);
        due.then(|| self.answer(now, &{ self.newest }))
    }

    /// The bytes before this stream position can be read.
    #[must_use]
    pub fn delivered_to(&self) -> Bytes {
        self.delivered_to
    }

    /// Messages that arrived completely; they are numbered from zero.
    #[must_use]
    pub fn messages(&self) -> MessageId {
        MessageId(self.messages)
    }

    /// Packets that arrived, repetitions not counted.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Packets that arrived with a congestion mark.
    #[must_use]
    pub fn marked_packets(&self) -> u64 {
        self.echo.marked_packets()
    }

    /// Writes what `ack` says has arrived behind the hole as ranges of bytes, the newest first,
    /// as far as there is room; gives their number.
    pub(crate) fn arrived_ranges(&self, ack: &AckPacket<T>, ranges: &mut [ByteRange]) -> usize {
        let mut count = 0;
        let mut open = ByteRange::default();
        for back in 0..64 {
            let number = ack.number.0.checked_sub(back).filter(|_| ack.arrived >> (63 - back) & 1 != 0);
            let Some(place) = number.and_then(|number| self.waiting.place(number)) else { continue };
            if count > 0 && place.end() == open.start {
                open.start = place.start;
            } else {
                open = ByteRange { start: place.start, end: place.end() };
                count += 1;
            }
            let Some(range) = ranges.get_mut(count - 1) else { return count - 1 };
            *range = open;
        }
        count
    }

    /// Bytes that arrived with a congestion mark.
    #[must_use]
    pub fn marked(&self) -> Bytes {
        self.echo.marked()
    }
}

#[cfg(test)]
mod tests;
