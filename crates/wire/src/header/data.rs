//! A data packet.
//!
//! ```text
//!   0  version and type   1  flags   2  payload length (2)
//!   4  checksum (4)
//!   8  connection (4)
//!  12  packet number (8)
//!  20  stream offset of the first payload byte (8)
//!  28  message (8)
//!  36  sent at, picoseconds of the sender's clock (8)
//!  44  payload
//! ```
//! Flags: 1 window reduced, 2 end of message, 4 end of stream, 8 retransmission, 16 circuit up.

use super::{
    ConnectionId, MessageId, PacketNumber, TYPE_DATA, check_first_byte, check_sum, checksum, first_byte, flag,
};
use crate::error::{Format, WireError};
use crate::field;
use plimsoll_units::{Bytes, Time};

const FORMAT: Format = Format::Data;

const CONGESTION_WINDOW_REDUCED: u8 = 0x01;
const END_OF_MESSAGE: u8 = 0x02;
const END_OF_STREAM: u8 = 0x04;
const RETRANSMISSION: u8 = 0x08;
/// Set by a switch on the way; not under the checksum.
const CIRCUIT_UP: u8 = 0x10;
const ALL_FLAGS: u8 = 0x1F;

/// The flags of a data packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataFlags {
    /// The sender has answered an echoed congestion mark (RFC 3168's CWR).
    pub congestion_window_reduced: bool,
    /// The last byte of the payload is the last of the message.
    pub end_of_message: bool,
    /// The last byte of the payload is the last of the connection.
    pub end_of_stream: bool,
    /// The payload, or part of it, was sent before.
    pub retransmission: bool,
    /// A circuit to the destination is up; ToR switches set it ([`set_circuit_up_in_place`]).
    pub circuit_up: bool,
}

impl DataFlags {
    fn to_byte(self) -> u8 {
        flag(self.congestion_window_reduced, CONGESTION_WINDOW_REDUCED)
            | flag(self.end_of_message, END_OF_MESSAGE)
            | flag(self.end_of_stream, END_OF_STREAM)
            | flag(self.retransmission, RETRANSMISSION)
            | flag(self.circuit_up, CIRCUIT_UP)
    }

    const fn from_byte(byte: u8) -> Self {
        Self {
            congestion_window_reduced: byte & CONGESTION_WINDOW_REDUCED != 0,
            end_of_message: byte & END_OF_MESSAGE != 0,
            end_of_stream: byte & END_OF_STREAM != 0,
            retransmission: byte & RETRANSMISSION != 0,
            circuit_up: byte & CIRCUIT_UP != 0,
        }
    }
}

/// A data packet to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// Which connection.
    pub connection: ConnectionId,
    /// Which packet.
    pub packet: PacketNumber,
    /// Where the payload begins in the byte stream.
    pub offset: Bytes,
    /// Which message the payload belongs to.
    pub message: MessageId,
    /// When the packet was handed to the NIC.
    pub sent_at: Time,
    /// Flags.
    pub flags: DataFlags,
    /// At most 65 535 bytes.
    pub payload: &'a [u8],
}

impl Data<'_> {
    /// Bytes in front of the payload.
    pub const HEADER_SIZE: usize = 44;

    /// Writes the packet; gives the number of bytes written.
    pub fn encode(&self, output: &mut [u8]) -> Result<usize, WireError> {
        let length = self.payload.len();
        let limit = u64::from(u16::MAX);
        let length16 =
            u16::try_from(length).map_err(|_| FORMAT.above_limit("payload length", length as u64, limit))?;
        let [high, low] = length16.to_be_bytes();
        let start = [first_byte(TYPE_DATA), self.flags.to_byte(), high, low];

        let mut header = [0; Self::HEADER_SIZE];
        field::set::<0, 4, _>(&mut header, start);
        field::set::<8, 4, _>(&mut header, self.connection.0.to_be_bytes());
        field::set::<12, 8, _>(&mut header, self.packet.0.to_be_bytes());
        field::set::<20, 8, _>(&mut header, self.offset.get().to_be_bytes());
        field::set::<28, 8, _>(&mut header, self.message.0.to_be_bytes());
        field::set::<36, 8, _>(&mut header, self.sent_at.as_ps().to_be_bytes());
        let sum = checksum(covered(start), &field::get::<8, 36, _>(&header), self.payload);
        field::set::<4, 4, _>(&mut header, sum.to_be_bytes());

        let size = Self::HEADER_SIZE + length;
        let (head, body) =
            field::split_mut::<{ Data::HEADER_SIZE }>(FORMAT, field::room(FORMAT, output, size)?)?;
        *head = header;
        body.copy_from_slice(self.payload);
        Ok(size)
    }
}

/// What a ToR switch does to a passing data packet while a circuit to its destination is up (reTCP).
/// The checksum stays right.
pub fn set_circuit_up_in_place(data: &mut [u8]) -> Result<(), WireError> {
    let (start, _) = field::split_mut::<2>(FORMAT, data)?;
    let [first, flags] = *start;
    check_first_byte(FORMAT, first, TYPE_DATA)?;
    *start = [first, flags | CIRCUIT_UP];
    Ok(())
}

/// The first four bytes as far as the checksum covers them.
const fn covered([first, flags, high, low]: [u8; 4]) -> [u8; 4] {
    [first, flags & !CIRCUIT_UP, high, low]
}

/// A data packet, where it lies; checked.
#[derive(Clone, Copy, Debug)]
pub struct DataView<'a> {
    header: &'a [u8; Data::HEADER_SIZE],
    payload: &'a [u8],
}

impl<'a> DataView<'a> {
    /// Reads and checks a packet.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let (header, rest) = field::split::<{ Data::HEADER_SIZE }>(FORMAT, bytes)?;
        let start @ [first, flags, high, low] = field::get::<0, 4, _>(header);
        check_first_byte(FORMAT, first, TYPE_DATA)?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        let need = Data::HEADER_SIZE + length;
        let payload = rest.get(..length).ok_or(FORMAT.truncated(need, bytes.len()))?;
        let found = u32::from_be_bytes(field::get::<4, 4, _>(header));
        check_sum(FORMAT, found, checksum(covered(start), &field::get::<8, 36, _>(header), payload))?;
        if flags & !ALL_FLAGS != 0 {
            return Err(FORMAT.above_limit("flags", u64::from(flags), u64::from(ALL_FLAGS)));
        }
        Ok(Self { header, payload })
    }

    /// Which connection.
    #[must_use]
    pub const fn connection(&self) -> ConnectionId {
        ConnectionId(u32::from_be_bytes(field::get::<8, 4, _>(self.header)))
    }

    /// Which packet.
    #[must_use]
    pub const fn packet(&self) -> PacketNumber {
        PacketNumber(u64::from_be_bytes(field::get::<12, 8, _>(self.header)))
    }

    /// Where the payload begins in the byte stream.
    #[must_use]
    pub const fn offset(&self) -> Bytes {
        Bytes::new(u64::from_be_bytes(field::get::<20, 8, _>(self.header)))
    }

    /// Which message the payload belongs to.
    #[must_use]
    pub const fn message(&self) -> MessageId {
        MessageId(u64::from_be_bytes(field::get::<28, 8, _>(self.header)))
    }

    /// When the packet was sent, by the sender's clock.
    #[must_use]
    pub const fn sent_at(&self) -> Time {
        Time::from_ps(u64::from_be_bytes(field::get::<36, 8, _>(self.header)))
    }

    /// Flags.
    #[must_use]
    pub const fn flags(&self) -> DataFlags {
        let [flags] = field::get::<1, 1, _>(self.header);
        DataFlags::from_byte(flags)
    }

    /// The payload.
    #[must_use]
    pub const fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// All of it.
    #[must_use]
    pub const fn to_data(&self) -> Data<'a> {
        Data {
            connection: self.connection(),
            packet: self.packet(),
            offset: self.offset(),
            message: self.message(),
            sent_at: self.sent_at(),
            flags: self.flags(),
            payload: self.payload,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::WireErrorKind;

    const GOLDEN: [u8; 47] = [
        0x11, // version 1, type 1
        0x0A, // end of message, retransmission
        0x00, 0x03, // three bytes of payload
        0x35, 0xDC, 0x5B, 0xE4, // CRC-32C, computed apart with a bit-by-bit program
        0x00, 0x00, 0x00, 0x07, // connection 7
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, // packet 256
        0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, // offset 2^32
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, // message 2
        0x00, 0x00, 0x00, 0x00, 0x00, 0xB7, 0x1B, 0x00, // sent at 12 us = 12 000 000 ps
        b'a', b'b', b'c',
    ];

    const DATA: Data<'static> = Data {
        connection: ConnectionId(7),
        packet: PacketNumber(256),
        offset: Bytes::new(1 << 32),
        message: MessageId(2),
        sent_at: Time::from_ps(12_000_000),
        flags: DataFlags {
            congestion_window_reduced: false,
            end_of_message: true,
            end_of_stream: false,
            retransmission: true,
            circuit_up: false,
        },
        payload: b"abc",
    };

    #[test]
    fn golden_packet() {
        let mut bytes = [0; 47];
        assert_eq!(DATA.encode(&mut bytes), Ok(47));
        assert_eq!(bytes, GOLDEN);
        assert_eq!(DataView::parse(&GOLDEN).unwrap().to_data(), DATA);
    }

    #[test]
    fn padding_behind_the_payload_is_ignored() {
        let mut padded = [0xEE; 60];
        padded[..47].copy_from_slice(&GOLDEN);
        assert_eq!(DataView::parse(&padded).unwrap().payload(), b"abc");
    }

    #[test]
    fn any_flipped_bit_but_the_circuit_flag_is_noticed() {
        for bit in 0..GOLDEN.len() * 8 {
            let mut damaged = GOLDEN;
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Bit 4 of byte 1 is what switches may set.
            assert_eq!(DataView::parse(&damaged).is_ok(), bit == 12, "bit {bit}");
        }
    }

    #[test]
    fn each_flag_has_a_bit_of_its_own_in_byte_1() {
        let byte = |flags: DataFlags| {
            let mut bytes = [0; 47];
            Data { flags, ..DATA }.encode(&mut bytes).unwrap();
            assert_eq!(DataView::parse(&bytes).unwrap().flags(), flags);
            bytes[1]
        };
        let none = DataFlags::default();
        assert_eq!(byte(none), 0);
        assert_eq!(byte(DataFlags { congestion_window_reduced: true, ..none }), 1);
        assert_eq!(byte(DataFlags { end_of_message: true, ..none }), 2);
        assert_eq!(byte(DataFlags { end_of_stream: true, ..none }), 4);
        assert_eq!(byte(DataFlags { retransmission: true, ..none }), 8);
        assert_eq!(byte(DataFlags { circuit_up: true, ..none }), 16);
    }

    #[test]
    fn a_switch_says_that_the_circuit_is_up_and_the_checksum_stays_right() {
        let mut data = GOLDEN;
        set_circuit_up_in_place(&mut data).unwrap();
        let flags = DataFlags { circuit_up: true, ..DATA.flags };
        assert_eq!(DataView::parse(&data).unwrap().to_data(), Data { flags, ..DATA });
        // Written with the flag, the packet is the same: 0x0A and 0x10 in byte 1, and the old sum.
        assert_eq!((data[1], &data[2..]), (0x1A, &GOLDEN[2..]));
        let mut written = [0; 47];
        Data { flags, ..DATA }.encode(&mut written).unwrap();
        assert_eq!(written, data);
        let mut ack = [0x12, 0x00];
        let error = set_circuit_up_in_place(&mut ack).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::BadValue { field: "packet type", found: 2, expected: 1 });
        assert_eq!(ack, [0x12, 0x00]);
    }

    #[test]
    fn damage_is_named() {
        let kind = |at: usize, byte: u8| {
            let mut damaged = GOLDEN;
            damaged[at] = byte;
            DataView::parse(&damaged).unwrap_err().kind
        };
        assert_eq!(kind(0, 0x21), WireErrorKind::BadVersion { found: 2, expected: 1 });
        assert_eq!(kind(0, 0x12), WireErrorKind::BadValue { field: "packet type", found: 2, expected: 1 });
        assert_eq!(kind(3, 0x04), WireErrorKind::Truncated { need: 48, have: 47 });
        assert!(matches!(kind(46, b'x'), WireErrorKind::BadChecksum { found: 0x35DC_5BE4, .. }));
    }

    #[test]
    fn a_payload_beyond_16_bits_of_length_is_refused() {
        let payload = [0; 65_536];
        let error = Data { payload: &payload, ..DATA }.encode(&mut [0; 66_000]).unwrap_err();
        let (found, limit) = (65_536, 65_535);
        assert_eq!(error.kind, WireErrorKind::AboveLimit { field: "payload length", found, limit });
    }
}
