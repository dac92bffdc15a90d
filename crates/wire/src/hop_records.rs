//! A stack of per-hop records, as HPCC and PowerTCP carry it: a 2-byte hop count, then the records
//! in the order of the hops.
//!
//! | form | bytes | where |
//! |---|---|---|
//! | travelling | 2 + 5 × record, whatever the number of hops: 42 compact, 162 exact | a packet that switches write into |
//! | packed | 2 + hops × record | the reflection in an ack, which no switch touches |
//!
//! The travelling form has a fixed size, so that a switch writes in place, the packet does not
//! grow, and the MTU is the same on every path. [`HopStack`] is generic over the record:
//! [`CompactHop`](crate::compact_hop::CompactHop) or [`ExactHop`](crate::exact_hop::ExactHop).
//!
//! # Deviations
//! The simulator of HPCC puts the hop count behind the records, and a sixth hop overwrites the
//! first record. Here the count comes first, because a switch needs it first, and a hop beyond the
//! fifth is refused: the sender would take a core switch for its own uplink.

use crate::error::{Format, WireError};
use crate::field;
use core::fmt;

const FORMAT: Format = Format::HopRecords;
const COUNT_SIZE: usize = 2;

/// The most hops that a stack holds: a fat-tree's longest path.
pub const MAX_HOPS: usize = 5;

/// A record of fixed size.
pub trait Record: Copy + 'static {
    /// Its bytes: an array of `u8`.
    type Raw: Copy + PartialEq + 'static;
    /// Reads a record; every bit pattern is one.
    fn from_raw(raw: &Self::Raw) -> Self;
    /// Writes a record.
    fn to_raw(self) -> Self::Raw;
    /// The bytes cut into whole records; a rest is left out.
    fn cut(bytes: &[u8]) -> &[Self::Raw];
    /// The bytes cut into whole records that may be rewritten.
    fn cut_mut(bytes: &mut [u8]) -> &mut [Self::Raw];
}

/// The bytes of one record.
const fn record_size<R: Record>() -> usize {
    size_of::<R::Raw>()
}

/// The bytes of a travelling stack of such records, whatever the number of hops.
#[must_use]
pub const fn travelling_size<R: Record>() -> usize {
    COUNT_SIZE + MAX_HOPS * record_size::<R>()
}

/// The bytes of a packed stack of so many records.
#[must_use]
pub const fn packed_size<R: Record>(hops: usize) -> usize {
    COUNT_SIZE + hops * record_size::<R>()
}

/// The records of a packet, where they lie.
#[derive(Clone, Copy)]
pub struct HopStack<'a, R: Record> {
    /// At most [`MAX_HOPS`].
    records: &'a [R::Raw],
}

impl<'a, R: Record> HopStack<'a, R> {
    /// No hop yet.
    pub const EMPTY: Self = Self { records: &[] };

    /// Reads the travelling form; gives the records and the bytes behind the stack.
    pub fn parse_travelling(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), WireError> {
        let size = travelling_size::<R>();
        let (stack, rest) = bytes.split_at_checked(size).ok_or(FORMAT.truncated(size, bytes.len()))?;
        let (packed, _) = Self::parse_packed(stack)?;
        Ok((packed, rest))
    }

    /// Reads the packed form; gives the records and the bytes behind them.
    pub fn parse_packed(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), WireError> {
        let (count, rest) = field::split::<COUNT_SIZE>(FORMAT, bytes)?;
        let hops = checked_count(*count)?;
        let (records, rest) = rest
            .split_at_checked(hops * record_size::<R>())
            .ok_or(FORMAT.truncated(packed_size::<R>(hops), bytes.len()))?;
        Ok((Self { records: R::cut(records) }, rest))
    }

    /// Writes records in the packed form; gives the number of bytes written.
    pub fn encode_packed(hops: &[R], output: &mut [u8]) -> Result<usize, WireError> {
        if hops.len() > MAX_HOPS {
            return Err(FORMAT.above_limit("hop count", hops.len() as u64, MAX_HOPS as u64));
        }
        let size = packed_size::<R>(hops.len());
        let (count, records) = field::split_mut::<COUNT_SIZE>(FORMAT, field::room(FORMAT, output, size)?)?;
        *count = (hops.len() as u16).to_be_bytes();
        for (place, hop) in R::cut_mut(records).iter_mut().zip(hops) {
            *place = hop.to_raw();
        }
        Ok(size)
    }

    /// Writes this stack in the packed form; gives the number of bytes written. A receiver reflects
    /// with it what it found in a data packet.
    pub fn copy_packed(&self, output: &mut [u8]) -> Result<usize, WireError> {
        let size = packed_size::<R>(self.len());
        let (count, records) = field::split_mut::<COUNT_SIZE>(FORMAT, field::room(FORMAT, output, size)?)?;
        *count = (self.len() as u16).to_be_bytes();
        for (place, raw) in R::cut_mut(records).iter_mut().zip(self.records) {
            *place = *raw;
        }
        Ok(size)
    }

    /// Writes an empty stack in the travelling form, as a sender does; gives the bytes written.
    pub fn start_travelling(output: &mut [u8]) -> Result<usize, WireError> {
        let size = travelling_size::<R>();
        field::room(FORMAT, output, size)?.fill(0);
        Ok(size)
    }

    /// What a switch does to a travelling stack when the packet leaves its queue: adds a record in
    /// place. A full or damaged stack is left as it is.
    pub fn push(travelling: &mut [u8], hop: R) -> Result<(), WireError> {
        let (size, have) = (travelling_size::<R>(), travelling.len());
        let stack = travelling.get_mut(..size).ok_or(FORMAT.truncated(size, have))?;
        let (count, records) = field::split_mut::<COUNT_SIZE>(FORMAT, stack)?;
        let hops = checked_count(*count)?;
        let full = FORMAT.above_limit("hop count", hops as u64 + 1, MAX_HOPS as u64);
        *R::cut_mut(records).get_mut(hops).ok_or(full)? = hop.to_raw();
        *count = (hops as u16 + 1).to_be_bytes();
        Ok(())
    }

    /// The number of hops.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether no hop has written yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The records, the hop next to the sender first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = R> + 'a {
        self.records.iter().map(R::from_raw)
    }
}

fn checked_count(count: [u8; COUNT_SIZE]) -> Result<usize, WireError> {
    let hops = usize::from(u16::from_be_bytes(count));
    if hops > MAX_HOPS {
        return Err(FORMAT.above_limit("hop count", hops as u64, MAX_HOPS as u64));
    }
    Ok(hops)
}

impl<R: Record + fmt::Debug> fmt::Debug for HopStack<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<R: Record> PartialEq for HopStack<'_, R> {
    fn eq(&self, other: &Self) -> bool {
        self.records == other.records
    }
}

impl<R: Record> Eq for HopStack<'_, R> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact_hop::{CompactHop, UnitScale};
    use crate::error::WireErrorKind;
    use crate::exact_hop::ExactHop;
    use plimsoll_units::{Bytes, Rate, Time};

    fn hop(number: u64) -> ExactHop {
        ExactHop {
            time: Time::from_ps(number * 1_000),
            sent: Bytes::new(number * 128),
            queue: Bytes::new(number * 80),
            rate: Rate::from_gbps(400),
        }
    }

    #[test]
    fn a_travelling_stack_has_hpccs_42_bytes() {
        assert_eq!(travelling_size::<CompactHop>(), 42);
        assert_eq!(travelling_size::<ExactHop>(), 162);
    }

    #[test]
    fn golden_compact_stack_of_one_hop() {
        // Two bytes of count, then rate 400G = code 4 = 100, time 1 ns, sent 1 unit, queue 1 unit:
        // 100 00000 | 0 | 0 0 | 001 00000 | 0 | 0000001 0 | 0 | 00000001
        let mut packet = [0xEE; 43];
        assert_eq!(HopStack::<CompactHop>::start_travelling(&mut packet), Ok(42));
        HopStack::push(&mut packet, CompactHop::quantise(&hop(1), UnitScale::ONE).unwrap()).unwrap();
        assert_eq!(packet[..10], [0x00, 0x01, 0x80, 0x00, 0x00, 0x20, 0x00, 0x02, 0x00, 0x01]);
        assert_eq!(packet[10..42], [0; 32], "room for four more hops");
        assert_eq!(packet[42], 0xEE, "the byte behind the stack is not touched");
    }

    #[test]
    fn golden_exact_record() {
        let mut packet = [0; 34];
        let hop = ExactHop {
            time: Time::from_ps(0x0102_0304_0506_0708),
            sent: Bytes::new(0x1112_1314_1516_1718),
            queue: Bytes::new(0x2122),
            rate: Rate::from_gbps(1), // 0x3B9A_CA00
        };
        HopStack::encode_packed(&[hop], &mut packet).unwrap();
        assert_eq!(packet[..2], [0x00, 0x01]);
        assert_eq!(packet[2..10], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(packet[10..18], [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]);
        assert_eq!(packet[18..26], [0, 0, 0, 0, 0, 0, 0x21, 0x22]);
        assert_eq!(packet[26..34], [0, 0, 0, 0, 0x3B, 0x9A, 0xCA, 0x00]);
    }

    #[test]
    fn five_switches_write_and_the_receiver_reads_them_in_order() {
        let mut packet = [0; 170];
        HopStack::<ExactHop>::start_travelling(&mut packet).unwrap();
        for number in 0..5 {
            HopStack::push(&mut packet, hop(number)).unwrap();
        }
        let (stack, rest) = HopStack::<ExactHop>::parse_travelling(&packet).unwrap();
        assert!(stack.iter().eq((0..5).map(hop)));
        assert_eq!(rest.len(), 170 - 162);
    }

    #[test]
    fn a_sixth_hop_is_refused_and_leaves_the_packet_as_it_was() {
        let mut packet = [0; 42];
        for _ in 0..5 {
            HopStack::push(&mut packet, CompactHop::default()).unwrap();
        }
        let before = packet;
        let error = HopStack::push(&mut packet, CompactHop::default()).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::AboveLimit { field: "hop count", found: 6, limit: 5 });
        assert_eq!(packet, before);
    }

    #[test]
    fn a_count_above_five_is_refused_with_its_value() {
        let error = HopStack::<CompactHop>::parse_packed(&[0x01, 0x00, 1, 2, 3]).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::AboveLimit { field: "hop count", found: 256, limit: 5 });
    }

    #[test]
    fn reflection_copies_the_records_without_the_empty_room() {
        let mut data = [0; 42];
        let compact = CompactHop::quantise(&hop(9), UnitScale::ONE).unwrap();
        HopStack::push(&mut data, compact).unwrap();
        let (stack, _) = HopStack::<CompactHop>::parse_travelling(&data).unwrap();
        let mut ack = [0; 64];
        assert_eq!(stack.copy_packed(&mut ack), Ok(10));
        let (reflected, rest) = HopStack::<CompactHop>::parse_packed(&ack).unwrap();
        assert_eq!(reflected, stack);
        assert_eq!(rest.len(), 54);
    }
}
