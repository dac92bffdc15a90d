//! The packets of HOMA, over UDP. Everything is big-endian.
//!
//! ```text
//!   0  version 4 | kind 4   1  flags   2  payload length (2)
//!   4  CRC-32C of the packet without these four bytes (4)
//!   8  message (8)
//!  16  first byte: of the payload, or of what is to be sent again (8)
//!  24  end: of the message, or of what may be sent or is to be sent again (8)
//!  32  level at which it is to be sent   33  zero (3)
//!  36  payload
//! ```
//! Kinds: 1 data, 2 grant, 3 resend, 4 busy, 5 probe, 6 done, 7 unknown. Flag: 1 sent before. Only data has a
//! payload; fields that a kind has no use for are zero.

use crate::checksum::Crc32c;
use crate::error::{Format, WireError, WireErrorKind};
use crate::field;
use plimsoll_units::Bytes;

const FORMAT: Format = Format::Homa;
/// Apart from that of the other transport, so that neither reads the other's packets.
const VERSION: u8 = 2;
const REPEATED: u8 = 1;
const LAST_KIND: u8 = 7;

/// Bytes in front of the payload.
pub const HEADER_SIZE: usize = 36;

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of a message.
    Data = 1,
    /// Bytes may be sent.
    Grant = 2,
    /// Bytes are missing.
    Resend = 3,
    /// What is missing will be sent.
    Busy = 4,
    /// A message exists.
    Probe = 5,
    /// All has arrived.
    Done = 6,
    /// There is no such message.
    Unknown = 7,
}

/// A packet to be written, or that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Homa<'a> {
    /// What it is for.
    pub kind: Kind,
    /// The message.
    pub message: u64,
    /// The first byte of the payload, or of what is to be sent again.
    pub from: Bytes,
    /// The end of the message, or of what may be sent or is to be sent again.
    pub to: Bytes,
    /// The level at which it is to be sent.
    pub level: u8,
    /// The payload was sent before.
    pub repeated: bool,
    /// At most 65 535 bytes.
    pub payload: &'a [u8],
}

impl<'a> Homa<'a> {
    /// Writes the packet; gives the number of bytes written.
    pub fn encode(&self, output: &mut [u8]) -> Result<usize, WireError> {
        let length = self.payload.len();
        let limit = u64::from(u16::MAX);
        let length16 =
            u16::try_from(length).map_err(|_| FORMAT.above_limit("payload length", length as u64, limit))?;
        let [high, low] = length16.to_be_bytes();
        let start = [VERSION << 4 | self.kind as u8, u8::from(self.repeated) * REPEATED, high, low];
        let mut header = [0; HEADER_SIZE];
        field::set::<0, 4, _>(&mut header, start);
        field::set::<8, 8, _>(&mut header, self.message.to_be_bytes());
        field::set::<16, 8, _>(&mut header, self.from.get().to_be_bytes());
        field::set::<24, 8, _>(&mut header, self.to.get().to_be_bytes());
        field::set::<32, 4, _>(&mut header, [self.level, 0, 0, 0]);
        let sum = checksum(start, &header, self.payload);
        field::set::<4, 4, _>(&mut header, sum.to_be_bytes());
        let size = HEADER_SIZE + length;
        let (head, body) = field::split_mut::<HEADER_SIZE>(FORMAT, field::room(FORMAT, output, size)?)?;
        *head = header;
        body.copy_from_slice(self.payload);
        Ok(size)
    }

    /// Reads and checks a packet. Bytes behind its end are ignored.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let (header, rest) = field::split::<HEADER_SIZE>(FORMAT, bytes)?;
        let start @ [first, flags, high, low] = field::get::<0, 4, _>(header);
        if first >> 4 != VERSION {
            return Err(FORMAT.error(WireErrorKind::BadVersion { found: first >> 4, expected: VERSION }));
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        let payload = rest.get(..length).ok_or(FORMAT.truncated(HEADER_SIZE + length, bytes.len()))?;
        let found = u32::from_be_bytes(field::get::<4, 4, _>(header));
        let computed = checksum(start, header, payload);
        if found != computed {
            return Err(FORMAT.error(WireErrorKind::BadChecksum { found, computed }));
        }
        let kind = match first & 0xF {
            1 => Kind::Data,
            2 => Kind::Grant,
            3 => Kind::Resend,
            4 => Kind::Busy,
            5 => Kind::Probe,
            6 => Kind::Done,
            7 => Kind::Unknown,
            other => return Err(FORMAT.above_limit("kind", u64::from(other), u64::from(LAST_KIND))),
        };
        if flags & !REPEATED != 0 {
            return Err(FORMAT.above_limit("flags", u64::from(flags), u64::from(REPEATED)));
        }
        let [level, zeros @ ..] = field::get::<32, 4, _>(header);
        if zeros != [0; 3] {
            return Err(FORMAT.bad_value("reserved byte", u64::from(zeros[0] | zeros[1] | zeros[2]), 0));
        }
        Ok(Self {
            kind,
            message: u64::from_be_bytes(field::get::<8, 8, _>(header)),
            from: Bytes::new(u64::from_be_bytes(field::get::<16, 8, _>(header))),
            to: Bytes::new(u64::from_be_bytes(field::get::<24, 8, _>(header))),
            level,
            repeated: flags & REPEATED != 0,
            payload,
        })
    }
}

/// The sum over a packet: the first four bytes, then all behind the sum itself.
fn checksum(start: [u8; 4], header: &[u8; HEADER_SIZE], payload: &[u8]) -> u32 {
    Crc32c::new().add(&start).add(&field::get::<8, 28, _>(header)).add(payload).finish()
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    const DATA: Homa<'static> = Homa {
        kind: Kind::Data,
        message: 0x0102_0304_0506_0708,
        from: Bytes::new(1_000),
        to: Bytes::new(2_005),
        level: 0,
        repeated: true,
        payload: b"hello",
    };

    #[test]
    fn a_packet_lies_where_the_table_says() {
        let mut wire = [0xEE; 50];
        assert_eq!(DATA.encode(&mut wire), Ok(41));
        assert_eq!(wire[..4], [0x21, 1, 0, 5]);
        assert_eq!(wire[8..16], [1, 2, 3, 4, 5, 6, 7, 8]);
        // 1000 = 0x3E8, 2005 = 0x7D5.
        assert_eq!((&wire[22..24], &wire[30..32]), (&[3, 0xE8][..], &[7, 0xD5][..]));
        assert_eq!((&wire[32..36], &wire[36..41]), (&[0; 4][..], &b"hello"[..]));
        assert_eq!(Homa::parse(&wire), Ok(DATA), "what is behind it is ignored");
    }

    #[test]
    fn every_kind_reads_back() {
        use Kind::{Busy, Data, Done, Grant, Probe, Resend, Unknown};
        for kind in [Data, Grant, Resend, Busy, Probe, Done, Unknown] {
            let packet = Homa { kind, level: 7, repeated: false, payload: &[], ..DATA };
            let mut wire = [0; HEADER_SIZE];
            assert_eq!(packet.encode(&mut wire), Ok(HEADER_SIZE));
            assert_eq!(Homa::parse(&wire), Ok(packet));
        }
    }

    #[test]
    fn a_flipped_bit_anywhere_is_noticed() {
        let mut wire = [0; 41];
        DATA.encode(&mut wire).unwrap();
        for bit in 0..8 * wire.len() {
            let mut broken = wire;
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(Homa::parse(&broken).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn what_is_too_short_or_of_another_transport_is_refused_by_name() {
        let mut wire = [0; 41];
        assert!(DATA.encode(&mut wire[..40]).is_err());
        DATA.encode(&mut wire).unwrap();
        for length in 0..wire.len() {
            assert!(Homa::parse(&wire[..length]).is_err(), "{length} bytes");
        }
        wire[0] = 0x11;
        let error = Homa::parse(&wire).unwrap_err();
        assert_eq!(error.format, Format::Homa);
        assert!(error.to_string().contains("HOMA packet"), "{error}");
    }
}
