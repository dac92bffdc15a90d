//! An acknowledgement.
//!
//! ```text
//!   0  version and type   1  flags   2  ranges (4 bits), telemetry kind (4 bits)   3  hops (1)
//!   4  checksum (4)
//!   8  connection (4)
//!  12  the packet that this ack answers (8)
//!  20  next byte expected: all before it have arrived (8)
//!  28  that packet's sending time, echoed (8)
//!  36  how long the receiver kept the ack back, picoseconds (8)
//!  44  bytes that arrived with a congestion mark, since the start (8)
//!  52  packets that arrived with a congestion mark, since the start (8)
//!  60  packets that arrived, since the start (8)
//!  68  up to 4 ranges that have arrived beyond the next byte expected: start (8), end (8)
//!   …  reflected telemetry: none, 2 bytes, or a packed stack of records
//! ```
//! The three counts run from the start of the connection, so that a lost ack loses nothing: the
//! sender takes the difference to the last ack that it saw, and knows how many packets, and how many
//! marked ones, an ack covers.
//!
//! Flags: 1 congestion echo, 2 refused (go-back-N's NACK), 4 the packet came with its circuit flag set.

use super::{ConnectionId, PacketNumber, TYPE_ACK, check_first_byte, check_sum, checksum, first_byte, flag};
use crate::error::{Format, WireError, WireErrorKind};
use crate::field;
use crate::telemetry::{Telemetry, TelemetryKind};
use plimsoll_units::{Bytes, Span, Time};

const FORMAT: Format = Format::Ack;
const FIXED_SIZE: usize = 68;
const RANGE_SIZE: usize = 16;

/// Set by the receiver or by a switch on the way back; not under the checksum.
const CONGESTION_ECHOED: u8 = 0x01;
const REFUSED: u8 = 0x02;
const CIRCUIT_UP: u8 = 0x04;
const ALL_FLAGS: u8 = 0x07;

/// The most ranges in one ack.
pub const MAX_RANGES: usize = 4;

/// Bytes from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: Bytes,
    /// The byte behind the last.
    pub end: Bytes,
}

/// An ack to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// Which connection.
    pub connection: ConnectionId,
    /// The packet that this ack answers: the newest that arrived.
    pub packet: PacketNumber,
    /// The next byte expected; all before it have arrived.
    pub next_expected: Bytes,
    /// The sending time of `packet`, by the sender's clock.
    pub echoed_sent_at: Time,
    /// From the arrival of `packet` to the sending of this ack.
    pub receiver_delay: Span,
    /// Bytes that arrived with a congestion mark, since the start.
    pub marked_bytes: Bytes,
    /// Packets that arrived with a congestion mark, since the start.
    pub marked_packets: u64,
    /// Packets that arrived, since the start.
    pub received_packets: u64,
    /// Whether `packet` arrived with a congestion mark.
    pub congestion_echoed: bool,
    /// Whether `packet` was dropped because one before it is missing: a NACK (go-back-N).
    pub refused: bool,
    /// Whether `packet` arrived with its circuit flag set.
    pub circuit_up: bool,
    /// Switches that `packet` passed: the hop limit that it left with less the one it arrived with.
    pub hops: u8,
    /// At most [`MAX_RANGES`] ranges beyond `next_expected`, in any order.
    pub ranges: &'a [ByteRange],
    /// What `packet` gathered on its way.
    pub telemetry: Telemetry<'a>,
}

impl Ack<'_> {
    /// Bytes that the ack takes.
    #[must_use]
    pub const fn size(&self) -> usize {
        FIXED_SIZE + self.ranges.len() * RANGE_SIZE + self.telemetry.packed_size()
    }

    /// Writes the ack; gives the number of bytes written.
    pub fn encode(&self, output: &mut [u8]) -> Result<usize, WireError> {
        check_range_count(self.ranges.len())?;
        for range in self.ranges {
            check_range(*range, self.next_expected)?;
        }
        let flags = flag(self.congestion_echoed, CONGESTION_ECHOED)
            | flag(self.refused, REFUSED)
            | flag(self.circuit_up, CIRCUIT_UP);
        // At most four, just checked.
        let contents = (self.ranges.len() as u8) << 4 | self.telemetry.kind() as u8;
        let start = [first_byte(TYPE_ACK), flags, contents, self.hops];

        let mut fixed = [0; FIXED_SIZE];
        field::set::<0, 4, _>(&mut fixed, start);
        field::set::<8, 4, _>(&mut fixed, self.connection.0.to_be_bytes());
        field::set::<12, 8, _>(&mut fixed, self.packet.0.to_be_bytes());
        field::set::<20, 8, _>(&mut fixed, self.next_expected.get().to_be_bytes());
        field::set::<28, 8, _>(&mut fixed, self.echoed_sent_at.as_ps().to_be_bytes());
        field::set::<36, 8, _>(&mut fixed, self.receiver_delay.as_ps().to_be_bytes());
        field::set::<44, 8, _>(&mut fixed, self.marked_bytes.get().to_be_bytes());
        field::set::<52, 8, _>(&mut fixed, self.marked_packets.to_be_bytes());
        field::set::<60, 8, _>(&mut fixed, self.received_packets.to_be_bytes());

        let size = self.size();
        let (head, body) = field::split_mut::<FIXED_SIZE>(FORMAT, field::room(FORMAT, output, size)?)?;
        for (place, range) in body.as_chunks_mut::<RANGE_SIZE>().0.iter_mut().zip(self.ranges) {
            field::set::<0, 8, _>(place, range.start.get().to_be_bytes());
            field::set::<8, 8, _>(place, range.end.get().to_be_bytes());
        }
        if let Some(reflection) = body.get_mut(self.ranges.len() * RANGE_SIZE..) {
            self.telemetry.encode_packed(reflection)?;
        }
        let sum = checksum(covered(start), &field::get::<8, 60, _>(&fixed), body);
        field::set::<4, 4, _>(&mut fixed, sum.to_be_bytes());
        *head = fixed;
        Ok(size)
    }
}

/// What a switch with reverse-path marking (RPM) does to an ack that passes: says that the way of
/// the data is congested. The checksum stays right.
pub fn mark_congestion_in_place(ack: &mut [u8]) -> Result<(), WireError> {
    let (start, _) = field::split_mut::<2>(FORMAT, ack)?;
    let [first, flags] = *start;
    check_first_byte(FORMAT, first, TYPE_ACK)?;
    *start = [first, flags | CONGESTION_ECHOED];
    Ok(())
}

/// The first four bytes as far as the checksum covers them.
const fn covered([first, flags, contents, hops]: [u8; 4]) -> [u8; 4] {
    [first, flags & !CONGESTION_ECHOED, contents, hops]
}

fn check_range_count(count: usize) -> Result<(), WireError> {
    if count > MAX_RANGES {
        return Err(FORMAT.above_limit("range count", count as u64, MAX_RANGES as u64));
    }
    Ok(())
}

/// A range must lie beyond the next byte expected, or that byte would have arrived; and hold bytes.
fn check_range(range: ByteRange, next_expected: Bytes) -> Result<(), WireError> {
    let out_of_order = |field, found: Bytes, above: Bytes| {
        let (found, above) = (found.get(), above.get());
        Err(FORMAT.error(WireErrorKind::OutOfOrder { field, found, above }))
    };
    if range.start <= next_expected {
        return out_of_order("range start", range.start, next_expected);
    }
    if range.end <= range.start {
        return out_of_order("range end", range.end, range.start);
    }
    Ok(())
}

/// An ack, where it lies; checked.
#[derive(Clone, Copy, Debug)]
pub struct AckView<'a> {
    fixed: &'a [u8; FIXED_SIZE],
    ranges: &'a [[u8; RANGE_SIZE]],
    telemetry: Telemetry<'a>,
}

impl<'a> AckView<'a> {
    /// Reads and checks an ack.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let (fixed, body) = field::split::<FIXED_SIZE>(FORMAT, bytes)?;
        let start @ [first, flags, contents, _] = field::get::<0, 4, _>(fixed);
        check_first_byte(FORMAT, first, TYPE_ACK)?;
        let count = usize::from(contents >> 4);
        check_range_count(count)?;
        let kind = TelemetryKind::from_number(contents & 0xF)?;
        let ranges_size = count * RANGE_SIZE;
        let (ranges, reflection) = body
            .split_at_checked(ranges_size)
            .ok_or(FORMAT.truncated(FIXED_SIZE + ranges_size, bytes.len()))?;
        let (telemetry, behind) = kind.parse_packed(reflection)?;

        // The sum covers the ack without what lies behind it.
        let body = body.get(..body.len() - behind.len()).unwrap_or(body);
        let found = u32::from_be_bytes(field::get::<4, 4, _>(fixed));
        check_sum(FORMAT, found, checksum(covered(start), &field::get::<8, 60, _>(fixed), body))?;
        if flags & !ALL_FLAGS != 0 {
            return Err(FORMAT.above_limit("flags", u64::from(flags), u64::from(ALL_FLAGS)));
        }
        let ack = Self { fixed, ranges: ranges.as_chunks().0, telemetry };
        for range in ack.ranges() {
            check_range(range, ack.next_expected())?;
        }
        Ok(ack)
    }

    /// Which connection.
    #[must_use]
    pub const fn connection(&self) -> ConnectionId {
        ConnectionId(u32::from_be_bytes(field::get::<8, 4, _>(self.fixed)))
    }

    /// The packet that this ack answers.
    #[must_use]
    pub const fn packet(&self) -> PacketNumber {
        PacketNumber(u64::from_be_bytes(field::get::<12, 8, _>(self.fixed)))
    }

    /// The next byte expected; all before it have arrived.
    #[must_use]
    pub const fn next_expected(&self) -> Bytes {
        Bytes::new(u64::from_be_bytes(field::get::<20, 8, _>(self.fixed)))
    }

    /// The sending time of the packet, by the sender's clock.
    #[must_use]
    pub const fn echoed_sent_at(&self) -> Time {
        Time::from_ps(u64::from_be_bytes(field::get::<28, 8, _>(self.fixed)))
    }

    /// From the arrival of the packet to the sending of this ack.
    #[must_use]
    pub const fn receiver_delay(&self) -> Span {
        Span::from_ps(u64::from_be_bytes(field::get::<36, 8, _>(self.fixed)))
    }

    /// Bytes that arrived with a congestion mark, since the start.
    #[must_use]
    pub const fn marked_bytes(&self) -> Bytes {
        Bytes::new(u64::from_be_bytes(field::get::<44, 8, _>(self.fixed)))
    }

    /// Packets that arrived with a congestion mark, since the start.
    #[must_use]
    pub const fn marked_packets(&self) -> u64 {
        u64::from_be_bytes(field::get::<52, 8, _>(self.fixed))
    }

    /// Packets that arrived, since the start.
    #[must_use]
    pub const fn received_packets(&self) -> u64 {
        u64::from_be_bytes(field::get::<60, 8, _>(self.fixed))
    }

    /// Whether the packet arrived with a congestion mark, or a switch on the way back says that the
    /// way there is congested (reverse-path marking).
    #[must_use]
    pub const fn congestion_echoed(&self) -> bool {
        self.has(CONGESTION_ECHOED)
    }

    /// Whether the packet was dropped because one before it is missing: a NACK (go-back-N).
    #[must_use]
    pub const fn refused(&self) -> bool {
        self.has(REFUSED)
    }

    /// Whether the packet arrived with its circuit flag set.
    #[must_use]
    pub const fn circuit_up(&self) -> bool {
        self.has(CIRCUIT_UP)
    }

    const fn has(&self, flag: u8) -> bool {
        let [flags] = field::get::<1, 1, _>(self.fixed);
        flags & flag != 0
    }

    /// Switches that the packet passed.
    #[must_use]
    pub const fn hops(&self) -> u8 {
        let [hops] = field::get::<3, 1, _>(self.fixed);
        hops
    }

    /// The ranges that have arrived beyond the next byte expected.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = ByteRange> + 'a {
        self.ranges.iter().map(|raw| ByteRange {
            start: Bytes::new(u64::from_be_bytes(field::get::<0, 8, _>(raw))),
            end: Bytes::new(u64::from_be_bytes(field::get::<8, 8, _>(raw))),
        })
    }

    /// What the packet gathered on its way to the receiver.
    #[must_use]
    pub const fn telemetry(&self) -> Telemetry<'a> {
        self.telemetry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::max_hop_delay::MaxHopDelay;

    const GOLDEN: [u8; 86] = [
        0x12, // version 1, type 2
        0x06, // no congestion echoed; refused; the circuit was up
        0x11, // one range; the max-hop delay is reflected
        0x05, // five switches on the way there
        0x8A, 0x97, 0xEF, 0x4A, // CRC-32C, computed apart with a bit-by-bit program
        0x00, 0x00, 0x00, 0x07, // connection 7
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, // answers packet 256
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, // byte 4096 is expected next
        0x00, 0x00, 0x00, 0x00, 0x00, 0xB7, 0x1B, 0x00, // the packet was sent at 12 us
        0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0xA1, 0x20, // 500 ns at the receiver
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, // 8192 bytes were marked so far
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, // in 2 packets
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, // of 5
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, // bytes 8192
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00, // to 12287 have arrived
        0x00, 0x75, // 117 units of 256 ns on the way there
    ];

    const ACK: Ack<'static> = Ack {
        connection: ConnectionId(7),
        packet: PacketNumber(256),
        next_expected: Bytes::new(4096),
        echoed_sent_at: Time::from_ps(12_000_000),
        receiver_delay: Span::from_ns(500),
        marked_bytes: Bytes::new(8192),
        marked_packets: 2,
        received_packets: 5,
        congestion_echoed: false,
        refused: true,
        circuit_up: true,
        hops: 5,
        ranges: &[ByteRange { start: Bytes::new(8192), end: Bytes::new(12_288) }],
        telemetry: Telemetry::MaxHopDelay(MaxHopDelay::from_units(117)),
    };

    #[test]
    fn golden_ack() {
        let mut bytes = [0; 86];
        assert_eq!(ACK.encode(&mut bytes), Ok(86));
        assert_eq!(bytes, GOLDEN);
        let view = AckView::parse(&GOLDEN).unwrap();
        assert_eq!(view.connection(), ACK.connection);
        assert_eq!(view.packet(), ACK.packet);
        assert_eq!(view.next_expected(), ACK.next_expected);
        assert_eq!(view.echoed_sent_at(), ACK.echoed_sent_at);
        assert_eq!(view.receiver_delay(), ACK.receiver_delay);
        assert_eq!(view.marked_bytes(), ACK.marked_bytes);
        assert_eq!((view.marked_packets(), view.received_packets()), (2, 5));
        assert_eq!((view.congestion_echoed(), view.refused(), view.circuit_up()), (false, true, true));
        assert_eq!(view.hops(), 5);
        assert!(view.ranges().eq(ACK.ranges.iter().copied()));
        assert_eq!(view.telemetry(), ACK.telemetry);
    }

    #[test]
    fn each_flag_has_a_bit_of_its_own_in_byte_1() {
        let plain = Ack { congestion_echoed: false, refused: false, circuit_up: false, ..ACK };
        let flags = |ack: Ack<'_>| {
            let mut bytes = [0; 86];
            ack.encode(&mut bytes).unwrap();
            bytes[1]
        };
        assert_eq!(flags(plain), 0);
        assert_eq!(flags(Ack { congestion_echoed: true, ..plain }), 1);
        assert_eq!(flags(Ack { refused: true, ..plain }), 2);
        assert_eq!(flags(Ack { circuit_up: true, ..plain }), 4);
    }

    #[test]
    fn any_flipped_bit_but_the_congestion_echo_is_noticed() {
        for bit in 0..GOLDEN.len() * 8 {
            let mut damaged = GOLDEN;
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Bit 0 of byte 1 is what switches may set.
            assert_eq!(AckView::parse(&damaged).is_ok(), bit == 8, "bit {bit}");
        }
    }

    #[test]
    fn a_switch_marks_an_ack_and_the_checksum_stays_right() {
        let mut ack = GOLDEN;
        assert!(!AckView::parse(&ack).unwrap().congestion_echoed());
        mark_congestion_in_place(&mut ack).unwrap();
        assert!(AckView::parse(&ack).unwrap().congestion_echoed());
        let mut data = [0x11, 0x00];
        let error = mark_congestion_in_place(&mut data).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::BadValue { field: "packet type", found: 1, expected: 2 });
    }

    #[test]
    fn ranges_that_cannot_be_are_refused() {
        let kind = |ranges: &[ByteRange]| Ack { ranges, ..ACK }.encode(&mut [0; 256]).unwrap_err().kind;
        let range = |start, end| ByteRange { start: Bytes::new(start), end: Bytes::new(end) };
        let below = WireErrorKind::OutOfOrder { field: "range start", found: 4096, above: 4096 };
        assert_eq!(kind(&[range(4096, 5000)]), below);
        let empty = WireErrorKind::OutOfOrder { field: "range end", found: 5000, above: 5000 };
        assert_eq!(kind(&[range(5000, 5000)]), empty);
        let many = WireErrorKind::AboveLimit { field: "range count", found: 5, limit: 4 };
        assert_eq!(kind(&[range(5000, 5001); 5]), many);
    }

    #[test]
    fn a_range_that_cannot_be_is_refused_even_under_a_right_checksum() {
        let mut ack = GOLDEN;
        ack[74] = 0x0F; // the range now begins at byte 0x0F00 = 3840, before byte 4096 that is missing
        let WireErrorKind::BadChecksum { computed, .. } = AckView::parse(&ack).unwrap_err().kind else {
            panic!("the checksum covers the ranges")
        };
        ack[4..8].copy_from_slice(&computed.to_be_bytes());
        let kind = AckView::parse(&ack).unwrap_err().kind;
        assert_eq!(kind, WireErrorKind::OutOfOrder { field: "range start", found: 3840, above: 4096 });
    }

    #[test]
    fn damage_is_named() {
        let kind = |at: usize, byte: u8| {
            let mut damaged = GOLDEN;
            damaged[at] = byte;
            AckView::parse(&damaged).unwrap_err().kind
        };
        assert_eq!(kind(0, 0x11), WireErrorKind::BadValue { field: "packet type", found: 1, expected: 2 });
        assert_eq!(kind(2, 0x91), WireErrorKind::AboveLimit { field: "range count", found: 9, limit: 4 });
        assert_eq!(kind(2, 0x21), WireErrorKind::Truncated { need: 100, have: 86 });
        assert_eq!(kind(2, 0x17), WireErrorKind::AboveLimit { field: "telemetry kind", found: 7, limit: 3 });
        assert!(matches!(kind(3, 4), WireErrorKind::BadChecksum { .. }));
        assert!(matches!(kind(85, 0), WireErrorKind::BadChecksum { .. }));
    }
}
