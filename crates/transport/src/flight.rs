//! [`Flight`]: the packets that were sent and are not acked up to their end yet.
//!
//! One slot per packet in a ring indexed by packet number; nothing is searched or allocated per
//! packet. Each copy that is sent gets the next serial number, and a packet is lost when a copy
//! with a serial number larger by the reordering threshold has arrived. That finds lost
//! repetitions too. For first copies the order of serial numbers is the order of packet numbers,
//! so one mark that only moves forward judges them; repetitions wait in a queue of their own.
//!
//! A slot is in one of three states: in flight, lost (waits to be repeated), or arrived (acked
//! selectively; the bit ring knows).

use crate::bits::BitRing;
use crate::packet::AckPacket;
use plimsoll_units::{Bytes, Time};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) offset: Bytes,
    pub(crate) sent_at: Time,
    serial: u64,
    pub(crate) length: u32,
    pub(crate) ends_message: bool,
    repeated: bool,
    lost: bool,
}

// Two slots per cache line, and an index that is a shift.
const _: () = assert!(size_of::<Slot>() == 32);

impl Slot {
    const EMPTY: Self = Self {
        offset: Bytes::ZERO,
        sent_at: Time::ZERO,
        serial: 0,
        length: 0,
        ends_message: false,
        repeated: false,
        lost: false,
    };

    fn bytes(&self) -> u64 {
        u64::from(self.length)
    }

    fn end(&self) -> Bytes {
        self.offset.saturating_add(Bytes::new(self.bytes()))
    }
}

/// Whether repetitions must be watched for losses of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    Repetitions,
    Nothing,
}

/// Whether selective acks are still believed when everything else is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrivals {
    Keep,
    Forget,
}

/// What an ack brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Bytes delivered for the first time, as far as the sender knew.
    pub(crate) bytes: u64,
    /// Messages whose end is now acked.
    pub(crate) messages: u32,
    /// A packet that was thought lost has arrived, after one that was sent so many packets later.
    pub(crate) reordered_by: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    slots: Vec<Slot>,
    /// The oldest packet that is not acked up to its end; the number that a new packet will have.
    first: u64,
    next: u64,
    /// Bytes in flight: sent and neither arrived nor lost.
    bytes: u64,
    acked_to: Bytes,
    /// The serial number of the next copy, and one more than the largest that arrived.
    next_serial: u64,
    arrived_serial: u64,
    /// One more than the largest packet number that arrived.
    arrived_end: u64,
    arrived: BitRing,
    lost: u32,
    /// No packet before this one is lost.
    lost_from: u64,
    /// The first copies of all packets before this one have arrived or were found lost.
    judged: u64,
    /// Copies of repeated packets, by serial number.
    repetitions: VecDeque<(u64, u64)>,
}

impl Flight {
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }

    /// Everything before this stream position is acked.
    pub(crate) fn acked_to(&self) -> Bytes {
        self.acked_to
    }

    /// The oldest packet that is not acked; equals [`Flight::next`] if all are.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The number that a new packet will have.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Packets that wait to be repeated.
    pub(crate) fn lost(&self) -> u32 {
        self.lost
    }

    fn slot(&self, number: u64) -> &Slot {
        &self.slots[number as usize & (self.slots.len() - 1)]
    }

    fn slot_mut(&mut self, number: u64) -> &mut Slot {
        let mask = self.slots.len() - 1;
        &mut self.slots[number as usize & mask]
    }

    /// When the newest copy of the oldest packet that is not acked was sent.
    pub(crate) fn first_sent_at(&self) -> Time {
        if self.first == self.next { Time::NEVER } else { self.slot(self.first).sent_at }
    }

    /// A new packet is sent; gives its number.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, offset: Bytes, length: u32, ends_message: bool) -> u64 {
        let number = self.next;
        if (number - self.first) as usize == self.slots.len() {
            self.grow();
        }
        let serial = self.next_serial;
        let slot = Slot { offset, sent_at: now, serial, length, ends_message, repeated: false, lost: false };
        *self.slot_mut(number) = slot;
        self.bytes += u64::from(length);
        self.next_serial += 1;
        self.next += 1;
        number
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = vec![Slot::EMPTY; (self.slots.len() * 2).max(8)];
        let mask = larger.len() - 1;
        for number in self.first..self.next {
            larger[number as usize & mask] = *self.slot(number);
        }
        self.slots = larger;
    }

    /// The oldest lost packet.
    pub(crate) fn next_lost(&mut self) -> Option<(u64, Slot)> {
        if self.lost == 0 {
            return None;
        }
        self.lost_from = self.lost_from.max(self.first);
        while self.lost_from < self.next && !self.slot(self.lost_from).lost {
            self.lost_from += 1;
        }
        debug_assert!(self.lost_from < self.next, "{} lost packets are nowhere", self.lost);
        Some((self.lost_from, *self.slot(self.lost_from)))
    }

    /// A lost packet is sent again.
    pub(crate) fn repeat(&mut self, now: Time, number: u64, watch: Watch) {
        let serial = self.next_serial;
        self.next_serial += 1;
        let slot = self.slot_mut(number);
        debug_assert!(slot.lost);
        *slot = Slot { sent_at: now, serial, repeated: true, lost: false, ..*slot };
        self.bytes += self.slot(number).bytes();
        self.lost -= 1;
        if watch == Watch::Repetitions {
            self.repetitions.push_back((number, serial));
        }
    }

    /// Takes in an ack that was checked: its number is below [`Flight::next`].
    pub(crate) fn acknowledge<T>(&mut self, ack: &AckPacket<T>) -> Progress {
        let mut progress = Progress::default();
        while self.first < self.next {
            let slot = self.slot(self.first);
            let end = slot.end();
            if end > ack.next_expected {
                break;
            }
            progress.messages += u32::from(slot.ends_message);
            if !(slot.lost || slot.repeated) && self.arrived.count() == 0 {
                // The usual case, spelled out: the oldest packet arrives, sent once, missed by nobody.
                let (bytes, serial) = (slot.bytes(), slot.serial);
                progress.bytes += bytes;
                self.bytes -= bytes;
                self.arrived_serial = self.arrived_serial.max(serial + 1);
                self.arrived_end = self.arrived_end.max(self.first + 1);
            } else {
                let slot = *slot;
                if !self.arrived.take(self.first) {
                    self.settle(self.first, &slot, ack, &mut progress);
                }
            }
            self.acked_to = end;
            self.first += 1;
        }
        if ack.number.0 >= self.first && ack.arrived != 0 {
            self.acknowledge_selectively(ack, &mut progress);
        }
        progress
    }

    fn acknowledge_selectively<T>(&mut self, ack: &AckPacket<T>, progress: &mut Progress) {
        let newest = ack.number.0;
        self.arrived.reserve(self.first, newest);
        // The top bit is `newest`; what lies before `first` is acked already.
        let span = (newest - self.first).min(63);
        let mut fresh = ack.arrived & !self.arrived.up_to(newest) & (u64::MAX << (63 - span));
        while fresh != 0 {
            let back = fresh.leading_zeros();
            fresh &= !(1 << (63 - back));
            let number = newest - u64::from(back);
            let slot = *self.slot(number);
            self.settle(number, &slot, ack, progress);
            self.slot_mut(number).lost = false;
            self.arrived.insert(number);
        }
    }

    /// A packet has arrived that was in flight or thought lost.
    fn settle<T>(&mut self, number: u64, slot: &Slot, ack: &AckPacket<T>, progress: &mut Progress) {
        progress.bytes += slot.bytes();
        if slot.lost {
            self.lost -= 1;
        } else {
            self.bytes -= slot.bytes();
        }
        // Which copy arrived? With one copy that is clear; otherwise the echoed time tells.
        let newest_copy = number == ack.number.0 && ack.echoed_sent_at == slot.sent_at;
        if !slot.repeated || newest_copy {
            self.arrived_serial = self.arrived_serial.max(slot.serial + 1);
        }
        let older_copy = number == ack.number.0 && ack.echoed_sent_at < slot.sent_at;
        if (slot.lost && !slot.repeated) || (slot.repeated && older_copy) {
            let reordered_by = self.arrived_end.saturating_sub(number + 1);
            progress.reordered_by = progress.reordered_by.max(reordered_by);
        }
        self.arrived_end = self.arrived_end.max(number + 1);
    }

    /// Finds packets that were overtaken by `threshold` later ones; gives their bytes.
    #[inline]
    pub(crate) fn find_lost(&mut self, threshold: u32) -> Bytes {
        if self.arrived.count() == 0 && self.repetitions.is_empty() {
            return Bytes::ZERO;
        }
        self.judge(threshold)
    }

    fn judge(&mut self, threshold: u32) -> Bytes {
        let before = self.bytes;
        // A copy is lost if its serial number + threshold ≤ the largest that arrived.
        let lost_below = self.arrived_serial.saturating_sub(u64::from(threshold));
        self.judged = self.judged.max(self.first);
        while self.judged < self.next && self.slot(self.judged).serial < lost_below {
            self.lose(self.judged);
            self.judged += 1;
        }
        while let Some(&(number, serial)) = self.repetitions.front() {
            let current = number >= self.first && self.slot(number).serial == serial;
            if current && serial >= lost_below && !self.arrived.get(number) {
                break;
            }
            if current {
                self.lose(number);
            }
            self.repetitions.pop_front();
        }
        Bytes::new(before - self.bytes)
    }

    /// If the packet is in flight, it is lost.
    fn lose(&mut self, number: u64) {
        let slot = *self.slot(number);
        if slot.lost || self.arrived.get(number) {
            return;
        }
        self.slot_mut(number).lost = true;
        self.lost += 1;
        self.bytes -= slot.bytes();
        self.lost_from = self.lost_from.min(number);
    }

    /// Everything in flight is lost: the timer expired, or the receiver wants all from the hole on.
    pub(crate) fn lose_all(&mut self, arrivals: Arrivals) {
        for number in self.first..self.next {
            self.lose(number);
            if arrivals == Arrivals::Forget && self.arrived.take(number) {
                // It is not in flight: its bytes were taken out when it arrived.
                self.slot_mut(number).lost = true;
                self.lost += 1;
            }
        }
        self.lost_from = self.first;
        self.repetitions.clear();
    }

    /// Which of the 64 packets up to `newest`, the top bit, lie within these bytes of the stream,
    /// among those that are not acked.
    pub(crate) fn bits_within(&self, newest: u64, start: Bytes, end: Bytes) -> u64 {
        let low = newest.saturating_sub(63).max(self.first);
        (low..newest.saturating_add(1).min(self.next))
            .filter(|number| {
                let slot = self.slot(*number);
                slot.offset >= start && slot.end() <= end
            })
            .fold(0, |bits, number| bits | 1 << (63 - (newest - number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketNumber;

    /// `count` packets of 1000 B, packet i sent at i ps.
    fn flight(count: u64) -> Flight {
        let mut flight = Flight::default();
        for number in 0..count {
            flight.push(Time::from_ps(number), Bytes::new(number * 1000), 1000, false);
        }
        flight
    }

    fn ack(next_expected: u64, number: u64, arrived: u64, sent_at: u64) -> AckPacket {
        AckPacket {
            next_expected: Bytes::new(next_expected * 1000),
            number: PacketNumber(number),
            arrived,
            echoed_sent_at: Time::from_ps(sent_at),
            ..AckPacket::default()
        }
    }

    /// The bitmap of an ack that answers `newest`.
    fn bits(newest: u64, numbers: &[u64]) -> u64 {
        numbers.iter().fold(0, |bits, number| bits | 1 << (63 - (newest - number)))
    }

    #[test]
    fn a_packet_is_lost_when_the_third_later_one_arrives_and_not_before() {
        let mut flight = flight(6);
        for (newest, lost) in [(1, 0), (2, 0), (3, 1000)] {
            let arrived: Vec<u64> = (1..=newest).collect();
            let progress = flight.acknowledge(&ack(0, newest, bits(newest, &arrived), newest));
            assert_eq!(progress.bytes, 1000);
            assert_eq!(flight.find_lost(3), Bytes::new(lost), "ack of {newest}");
        }
        assert_eq!(flight.next_lost().map(|(number, _)| number), Some(0));
        // 6 sent, 3 arrived, 1 lost.
        assert_eq!(flight.bytes(), Bytes::new(2000));
    }

    #[test]
    fn one_ack_repeats_the_news_of_63_lost_acks() {
        let mut flight = flight(80);
        let arrived: Vec<u64> = (10..=70).collect();
        let progress = flight.acknowledge(&ack(3, 70, bits(70, &arrived), 70));
        assert_eq!(progress.bytes, 3000 + 61_000);
        let again = flight.acknowledge(&ack(3, 70, bits(70, &arrived), 70));
        assert_eq!(again, Progress::default(), "a duplicate brings nothing");
        // Packets 3 … 9 are missing, all 70 − 9 ≥ 3 overtaken.
        assert_eq!(flight.find_lost(3), Bytes::new(7000));
    }

    #[test]
    fn a_lost_repetition_is_found_when_three_later_copies_arrive() {
        let mut flight = flight(5);
        flight.acknowledge(&ack(0, 4, bits(4, &[1, 2, 3, 4]), 4));
        assert_eq!(flight.find_lost(3), Bytes::new(1000));
        flight.repeat(Time::from_ps(100), 0, Watch::Repetitions);
        assert_eq!(flight.find_lost(3), Bytes::ZERO);
        // The repetition has serial 5; packets 5, 6, 7 have serials 6, 7, 8.
        for number in 5..8 {
            flight.push(Time::from_ps(100 + number), Bytes::new(number * 1000), 1000, false);
        }
        flight.acknowledge(&ack(0, 6, bits(6, &[5, 6]), 106));
        assert_eq!(flight.find_lost(3), Bytes::ZERO, "two later ones are not enough");
        flight.acknowledge(&ack(0, 7, bits(7, &[5, 6, 7]), 107));
        assert_eq!(flight.find_lost(3), Bytes::new(1000));
        assert_eq!(flight.next_lost().map(|(number, _)| number), Some(0));
    }

    #[test]
    fn an_original_that_arrives_after_its_repetition_tells_how_far_it_was_overtaken() {
        let mut flight = flight(6);
        flight.acknowledge(&ack(0, 5, bits(5, &[1, 2, 3, 4, 5]), 5));
        flight.find_lost(3);
        flight.repeat(Time::from_ps(50), 0, Watch::Repetitions);
        // The echoed time 0 is the original's. Packet 5 came before packet 0.
        let progress = flight.acknowledge(&ack(6, 0, 0, 0));
        assert_eq!((progress.bytes, progress.reordered_by), (1000, 5));
        assert_eq!((flight.bytes(), flight.first()), (Bytes::ZERO, 6));
    }

    #[test]
    fn after_a_timeout_selective_acks_are_kept_or_forgotten_as_asked() {
        for (arrivals, lost) in [(Arrivals::Keep, 3), (Arrivals::Forget, 5)] {
            let mut flight = flight(5);
            flight.acknowledge(&ack(0, 3, bits(3, &[2, 3]), 3));
            flight.lose_all(arrivals);
            assert_eq!((flight.lost(), flight.bytes()), (lost, Bytes::ZERO));
            let mut repeated = 0;
            while let Some((number, _)) = flight.next_lost() {
                flight.repeat(Time::from_ps(9), number, Watch::Repetitions);
                repeated += 1;
            }
            assert_eq!((repeated, flight.bytes()), (lost, Bytes::new(u64::from(lost) * 1000)));
        }
    }

    #[test]
    fn first_copies_are_judged_after_a_timeout_although_an_old_packet_is_repeated_twice() {
        let mut flight = flight(2);
        flight.lose_all(Arrivals::Keep);
        for number in [0, 1] {
            flight.repeat(Time::from_ps(10 + number), number, Watch::Repetitions);
        }
        // The repetitions have serials 2 and 3; packets 2 … 6 have serials 4 … 8.
        for number in 2..7 {
            flight.push(Time::from_ps(20 + number), Bytes::new(number * 1000), 1000, false);
        }
        flight.acknowledge(&ack(0, 3, bits(3, &[1, 2, 3]), 23));
        assert_eq!(flight.find_lost(3), Bytes::new(1000), "2 + 3 ≤ 5: packet 0");
        flight.repeat(Time::from_ps(30), 0, Watch::Repetitions);
        flight.push(Time::from_ps(31), Bytes::new(7000), 1000, false);
        flight.acknowledge(&ack(0, 7, bits(7, &[5, 6, 7]), 31));
        assert_eq!(flight.find_lost(3), Bytes::new(1000), "6 + 3 ≤ 10: packet 4; packet 0 has serial 9");
        assert_eq!(flight.next_lost().map(|(number, _)| number), Some(4));
    }

    #[test]
    fn byte_ranges_become_bits_of_whole_packets() {
        let mut flight = flight(100);
        flight.acknowledge(&ack(5, 4, 0, 4));
        let within = |newest, start, end| flight.bits_within(newest, Bytes::new(start), Bytes::new(end));
        assert_eq!(within(9, 7000, 9000), bits(9, &[7, 8]));
        assert_eq!(within(9, 6001, 8999), bits(9, &[7]), "parts of packets do not count");
        assert_eq!(within(9, 0, 7000), bits(9, &[5, 6]), "what is acked does not count");
        assert_eq!(within(99, 0, u64::MAX), u64::MAX, "the 64 packets from 36 on");
        assert_eq!(within(u64::MAX, 0, u64::MAX), 0);
    }
}
