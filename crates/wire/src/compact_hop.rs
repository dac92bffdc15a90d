//! HPCC's compact per-hop record: 64 bits, with wrap-around (HPCC, SIGCOMM'19; widths and units as
//! in its published simulator, ALGORITHMS.md §0). PowerTCP uses the same record (NSDI'22 §3.6).
//!
//! ```text
//!  63  61 60          37 36        17 16         0
//!  | rate |    time     |    sent    |   queue   |     one u64, big-endian
//!    3       24            20            17
//! ```
//! | field | unit | what happens at the end of the range |
//! |---|---|---|
//! | time | 1 ns | wraps after 2²⁴ ns = 16.8 ms |
//! | sent | 128 B × multi | wraps after 2²⁰ units = 134 MB × multi |
//! | queue | 80 B × multi | saturates at 2¹⁷ − 1 units = 10.5 MB × multi |
//! | rate | code | [`RATES`] |
//!
//! `multi` is [`UnitScale`]: the NIC's rate over 25 Gb/s. All three counts are rounded down.
//!
//! # Wrap-around
//! [`CompactHop::after`] turns a record into exact values that never run backwards, given the one
//! before. It is right as long as, between two records of one port, less than 16.8 ms pass and less
//! than 134 MB × multi leave the port, and records are handed over in the order in which the
//! packets left the port. At 25 Gb/s × multi the time wraps first (134 MB last 43 ms); on a link of
//! more than 64 Gb/s × multi the bytes wrap first (400 Gb/s with multi 1: after 2.7 ms). A flow that
//! was silent for longer, or moved to another path, starts anew with [`CompactHop::first`].
//!
//! # Deviations
//! - The simulator's queue length wraps like a counter; here it saturates, because a queue is not
//!   one.
//! - The simulator leaves the rate codes 5 to 7 empty; here they are 10 Gb/s, 800 Gb/s and 1.6 Tb/s.
//! - The simulator writes the fields as the C compiler lays them out; here the order is the
//!   declared one, from the highest bit, in network order.

use crate::error::{Format, WireError, WireErrorKind};
use crate::exact_hop::ExactHop;
use crate::hop_records::Record;
use plimsoll_units::{Bytes, Rate, Time};

const TIME_BITS: u32 = 24;
const SENT_BITS: u32 = 20;
const QUEUE_BITS: u32 = 17;

const SENT_AT: u32 = QUEUE_BITS;
const TIME_AT: u32 = SENT_AT + SENT_BITS;
const RATE_AT: u32 = TIME_AT + TIME_BITS;

const SENT_UNIT: u64 = 128;
const QUEUE_UNIT: u64 = 80;
const PS_PER_NS: u64 = 1_000;

/// The largest queue that the record can say, in units.
pub const LARGEST_QUEUE: u64 = mask(QUEUE_BITS);

/// The link rate of each code.
pub const RATES: [Rate; 8] = [
    Rate::from_gbps(25),
    Rate::from_gbps(50),
    Rate::from_gbps(100),
    Rate::from_gbps(200),
    Rate::from_gbps(400),
    Rate::from_gbps(10),
    Rate::from_gbps(800),
    Rate::from_gbps(1600),
];

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// HPCC's "INT multi": the factor on the byte units, so that faster networks wrap no sooner. All
/// hosts and switches of a network use the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitScale(u32);

impl UnitScale {
    /// The units as they are: NICs of up to 25 Gb/s.
    pub const ONE: Self = Self(1);

    /// The factor for a network whose NICs have this rate: rate / 25 Gb/s rounded down, at least 1.
    #[must_use]
    pub const fn for_nic(rate: Rate) -> Self {
        let factor = rate.as_bps() / 25_000_000_000;
        // At most u64::MAX / 25e9 = 737 869 762, which fits.
        if factor == 0 { Self::ONE } else { Self(factor as u32) }
    }

    /// The factor.
    #[must_use]
    pub const fn factor(self) -> u32 {
        self.0
    }

    /// The bytes of one unit of `sent`.
    #[must_use]
    pub const fn sent_unit(self) -> Bytes {
        Bytes::new(SENT_UNIT * self.0 as u64)
    }

    /// The bytes of one unit of `queue`.
    #[must_use]
    pub const fn queue_unit(self) -> Bytes {
        Bytes::new(QUEUE_UNIT * self.0 as u64)
    }
}

/// A per-hop record in 64 bits. Every bit pattern is a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactHop(u64);

impl CompactHop {
    /// What is left of an exact record; an error if the link's rate has no code.
    pub fn quantise(exact: &ExactHop, scale: UnitScale) -> Result<Self, WireError> {
        let code = RATES.iter().position(|&rate| rate == exact.rate);
        let bits_per_second = exact.rate.as_bps();
        let code =
            code.ok_or(Format::HopRecords.error(WireErrorKind::RateWithoutCode { bits_per_second }))?;
        let time = exact.time.as_ps() / PS_PER_NS;
        let sent = exact.sent.get() / scale.sent_unit().get();
        let queue = quantise_queue(exact.queue, scale);
        Ok(Self(
            (code as u64) << RATE_AT
                | (time & mask(TIME_BITS)) << TIME_AT
                | (sent & mask(SENT_BITS)) << SENT_AT
                | queue,
        ))
    }

    /// The low 24 bits of the time in nanoseconds.
    #[must_use]
    pub const fn time_ns(self) -> u64 {
        self.0 >> TIME_AT & mask(TIME_BITS)
    }

    /// The low 20 bits of the bytes sent, in units.
    #[must_use]
    pub const fn sent_units(self) -> u64 {
        self.0 >> SENT_AT & mask(SENT_BITS)
    }

    /// The queue in units.
    #[must_use]
    pub const fn queue_units(self) -> u64 {
        self.0 & mask(QUEUE_BITS)
    }

    /// The rate of the link.
    #[must_use]
    pub const fn rate(self) -> Rate {
        // Three bits: the index is below 8.
        RATES[(self.0 >> RATE_AT) as usize]
    }

    /// The record as exact values when none came before it: the counters as they stand.
    #[must_use]
    pub fn first(self, scale: UnitScale) -> ExactHop {
        self.after(&ExactHop::default(), scale)
    }

    /// The record as exact values, given the one before it from the same port: the next moment and
    /// the next byte count that have these low bits.
    #[must_use]
    pub fn after(self, previous: &ExactHop, scale: UnitScale) -> ExactHop {
        let time = advance(previous.time.as_ps() / PS_PER_NS, self.time_ns(), TIME_BITS);
        let sent_unit = scale.sent_unit().get();
        let sent = advance(previous.sent.get() / sent_unit, self.sent_units(), SENT_BITS);
        ExactHop {
            // A previous record that is finer than the units must not lie ahead of this one.
            time: Time::from_ps(time.saturating_mul(PS_PER_NS)).max(previous.time),
            sent: Bytes::new(sent.saturating_mul(sent_unit)).max(previous.sent),
            queue: Bytes::new(self.queue_units() * scale.queue_unit().get()),
            rate: self.rate(),
        }
    }
}

/// The queue in units: rounded down, saturating.
pub(crate) fn quantise_queue(queue: Bytes, scale: UnitScale) -> u64 {
    (queue.get() / scale.queue_unit().get()).min(LARGEST_QUEUE)
}

/// The smallest count from `previous` on whose low bits are `low`.
const fn advance(previous: u64, low: u64, bits: u32) -> u64 {
    previous.saturating_add(low.wrapping_sub(previous) & mask(bits))
}

impl Record for CompactHop {
    type Raw = [u8; 8];

    fn from_raw(raw: &[u8; 8]) -> Self {
        Self(u64::from_be_bytes(*raw))
    }

    fn to_raw(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    fn cut(bytes: &[u8]) -> &[[u8; 8]] {
        bytes.as_chunks().0
    }

    fn cut_mut(bytes: &mut [u8]) -> &mut [[u8; 8]] {
        bytes.as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::Span;

    fn hop(time_ns: u64, sent: u64, queue: u64) -> ExactHop {
        ExactHop {
            time: Time::after_start(Span::from_ns(time_ns)),
            sent: Bytes::new(sent),
            queue: Bytes::new(queue),
            rate: Rate::from_gbps(100),
        }
    }

    #[test]
    fn golden_record() {
        // rate 100G = code 2        = 010
        // time 0xABCDEF ns          = 1010 1011 1100 1101 1110 1111
        // sent 0x12345 * 128 B      = 0001 0010 0011 0100 0101
        // queue 0x10001 * 80 B      = 1 0000 0000 0000 0001
        // 010 10101 | 01111001 | 10111101 | 111 00010 | 01000110 | 1000101 1 | 00000000 | 00000001
        let exact = hop(0xABCDEF, 0x12345 * 128, 0x10001 * 80);
        let compact = CompactHop::quantise(&exact, UnitScale::ONE).unwrap();
        assert_eq!(compact.to_raw(), [0x55, 0x79, 0xBD, 0xE2, 0x46, 0x8B, 0x00, 0x01]);
        assert_eq!(compact.first(UnitScale::ONE), exact);
    }

    #[test]
    fn the_scale_of_hpcc_is_the_nics_rate_over_25_gbps() {
        assert_eq!(UnitScale::for_nic(Rate::from_gbps(10)).factor(), 1);
        assert_eq!(UnitScale::for_nic(Rate::from_gbps(25)).factor(), 1);
        assert_eq!(UnitScale::for_nic(Rate::from_gbps(100)).factor(), 4);
        assert_eq!(UnitScale::for_nic(Rate::from_gbps(400)).factor(), 16);
        assert_eq!(UnitScale::for_nic(Rate::from_gbps(100)).sent_unit(), Bytes::new(512));
        assert_eq!(UnitScale::for_nic(Rate::from_gbps(100)).queue_unit(), Bytes::new(320));
    }

    #[test]
    fn counts_are_rounded_down_to_the_unit() {
        // 1000 / 128 = 7.8 -> 7; 1000 / 80 = 12.5 -> 12; times 4: 1000 / 512 = 1, 1000 / 320 = 3.
        let compact = CompactHop::quantise(&hop(5, 1000, 1000), UnitScale::ONE).unwrap();
        assert_eq!((compact.sent_units(), compact.queue_units()), (7, 12));
        let scale = UnitScale::for_nic(Rate::from_gbps(100));
        let compact = CompactHop::quantise(&hop(5, 1000, 1000), scale).unwrap();
        assert_eq!((compact.sent_units(), compact.queue_units()), (1, 3));
    }

    #[test]
    fn time_and_bytes_wrap_and_are_unwrapped() {
        // Just below both wraps: 2^24 ns and 2^20 * 128 B = 134 217 728 B; then just above.
        let before = hop(16_777_200, 134_217_600, 0);
        let after = hop(16_777_232, 134_217_856, 160);
        let compact = CompactHop::quantise(&after, UnitScale::ONE).unwrap();
        assert_eq!((compact.time_ns(), compact.sent_units(), compact.queue_units()), (16, 1, 2));
        assert_eq!(compact.after(&before, UnitScale::ONE), after);
    }

    #[test]
    fn a_full_round_of_the_clock_cannot_be_seen() {
        // The documented limit: 2^24 ns later looks like no time at all.
        let before = hop(1_000, 0, 0);
        let compact = CompactHop::quantise(&hop(1_000 + (1 << 24), 0, 0), UnitScale::ONE).unwrap();
        assert_eq!(compact.after(&before, UnitScale::ONE).time, before.time);
    }

    #[test]
    fn a_previous_record_finer_than_the_units_is_not_overtaken_backwards() {
        // 1.5 ns and 200 B lie within units 1 ns and 1 * 128 B.
        let previous = ExactHop { time: Time::from_ps(1_500), ..hop(0, 200, 0) };
        let same_units = CompactHop::quantise(&hop(1, 128, 0), UnitScale::ONE).unwrap();
        let next = same_units.after(&previous, UnitScale::ONE);
        assert_eq!((next.time, next.sent), (previous.time, previous.sent));
    }

    #[test]
    fn a_queue_beyond_17_bits_saturates() {
        let compact = CompactHop::quantise(&hop(0, 0, 64_000_000), UnitScale::ONE).unwrap();
        assert_eq!(compact.first(UnitScale::ONE).queue, Bytes::new(131_071 * 80));
    }

    #[test]
    fn a_link_rate_without_a_code_is_refused_by_name() {
        let slow = ExactHop { rate: Rate::from_gbps(1), ..ExactHop::default() };
        let error = CompactHop::quantise(&slow, UnitScale::ONE).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::RateWithoutCode { bits_per_second: 1_000_000_000 });
    }

    #[test]
    fn every_coded_rate_comes_back() {
        for rate in RATES {
            let exact = ExactHop { rate, ..ExactHop::default() };
            assert_eq!(CompactHop::quantise(&exact, UnitScale::ONE).unwrap().rate(), rate);
        }
    }
}
