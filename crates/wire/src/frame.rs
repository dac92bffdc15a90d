//! What lies in front of the transport's bytes on a real link: Ethernet (IEEE 802.3), IPv4 (RFC 791, with
//! the ECN field of RFC 3168) and UDP (RFC 768).
//!
//! ```text
//!   0  destination (6)   6  source (6)   12  type 0x0800 (2)
//!  14  0x45   15  class (6 bits), ECN (2 bits)   16  length (2)   18  identification, 0 (2)
//!  20  don't fragment (2)   22  hop limit   23  protocol 17   24  checksum (2)
//!  26  source (4)   30  destination (4)
//!  34  source port (2)   36  destination port (2)   38  length (2)   40  checksum (2)
//!  42  telemetry, the transport's header, payload
//! ```
//! A capture may leave out the end of a payload; lengths and checksums are those of the whole. The UDP
//! checksum covers telemetry, which switches rewrite: they would have to correct it, as NATs do.

use crate::error::{Format, WireError, WireErrorKind};
use crate::field;

const FORMAT: Format = Format::Frame;
const TYPE_IPV4: u16 = 0x0800;
const VERSION_AND_LENGTH: u8 = 0x45;
const DONT_FRAGMENT: u16 = 0x4000;
const PROTOCOL_UDP: u8 = 17;

/// Bytes in front of the UDP payload.
pub const HEADER_SIZE: usize = 42;
const ETHERNET_SIZE: usize = 14;
const UDP_SIZE: usize = 8;
/// The most bytes behind the UDP header: the IPv4 length has 16 bits and covers 28 bytes of headers.
pub const LONGEST_PAYLOAD: usize = 65_535 - (HEADER_SIZE - ETHERNET_SIZE);

/// The congestion field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum EcnField {
    /// Not ECN-capable.
    #[default]
    NotCapable = 0b00,
    /// ECT(1).
    CapableOne = 0b01,
    /// ECT(0), what senders use.
    Capable = 0b10,
    /// Congestion experienced.
    Marked = 0b11,
}

impl EcnField {
    const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotCapable,
            0b01 => Self::CapableOne,
            0b10 => Self::Capable,
            _ => Self::Marked,
        }
    }
}

/// The headers of a UDP datagram in an Ethernet frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Ethernet address of the node that sent the frame over this link.
    pub from_node: [u8; 6],
    /// Ethernet address of the node at the link's far end.
    pub to_node: [u8; 6],
    /// IPv4 address of the host that sent the packet.
    pub source: [u8; 4],
    /// IPv4 address of the host that it is for.
    pub destination: [u8; 4],
    /// UDP port of the sender.
    pub source_port: u16,
    /// UDP port of the receiver.
    pub destination_port: u16,
    /// Differentiated services code point, six bits.
    pub class: u8,
    /// The congestion field.
    pub ecn: EcnField,
    /// Hop limit: counts down at every switch.
    pub hop_limit: u8,
}

impl Frame {
    /// Writes the headers in front of `length` bytes of UDP payload. As many of them as `output` has room for
    /// must lie there already, from [`HEADER_SIZE`] on; those beyond its end count as zero.
    ///
    /// # Errors
    /// If `output` is shorter than the headers, the payload longer than [`LONGEST_PAYLOAD`], or the class has
    /// more than six bits.
    pub fn encode(&self, length: usize, output: &mut [u8]) -> Result<(), WireError> {
        if length > LONGEST_PAYLOAD {
            return Err(FORMAT.above_limit("payload length", length as u64, LONGEST_PAYLOAD as u64));
        }
        if self.class > 0x3F {
            return Err(FORMAT.above_limit("class", u64::from(self.class), 0x3F));
        }
        let have = output.len();
        let no_room = FORMAT.error(WireErrorKind::NoRoom { need: HEADER_SIZE, have });
        let (header, payload) = output.split_first_chunk_mut::<HEADER_SIZE>().ok_or(no_room)?;
        // At most 65 535, just checked.
        let udp_length = (UDP_SIZE + length) as u16;
        let ip_length = udp_length + (HEADER_SIZE - ETHERNET_SIZE - UDP_SIZE) as u16;

        *header = [0; HEADER_SIZE];
        field::set::<0, 6, _>(header, self.to_node);
        field::set::<6, 6, _>(header, self.from_node);
        field::set::<12, 2, _>(header, TYPE_IPV4.to_be_bytes());
        field::set::<14, 2, _>(header, [VERSION_AND_LENGTH, self.class << 2 | self.ecn as u8]);
        field::set::<16, 2, _>(header, ip_length.to_be_bytes());
        field::set::<20, 2, _>(header, DONT_FRAGMENT.to_be_bytes());
        field::set::<22, 2, _>(header, [self.hop_limit, PROTOCOL_UDP]);
        field::set::<26, 4, _>(header, self.source);
        field::set::<30, 4, _>(header, self.destination);
        let sum = Sum::default().add(&field::get::<14, 20, _>(header)).finish();
        field::set::<24, 2, _>(header, sum.to_be_bytes());

        field::set::<34, 2, _>(header, self.source_port.to_be_bytes());
        field::set::<36, 2, _>(header, self.destination_port.to_be_bytes());
        field::set::<38, 2, _>(header, udp_length.to_be_bytes());
        let kept = payload.get(..length).unwrap_or(payload);
        // Zero means that there is no checksum; a sum that is zero is sent as its other form.
        let sum = match udp_sum(header, udp_length).add(kept).finish() {
            0 => 0xFFFF,
            sum => sum,
        };
        field::set::<40, 2, _>(header, sum.to_be_bytes());
        Ok(())
    }

    /// Reads the headers; gives them, the length of the UDP payload, and as much of it as there is. The UDP
    /// checksum is checked as if what is left out were zero.
    ///
    /// # Errors
    /// If the bytes are no such frame, or damaged.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize, &[u8]), WireError> {
        let (header, payload) = field::split::<HEADER_SIZE>(FORMAT, bytes)?;
        let expect = |field, found: u64, expected: u64| {
            if found == expected { Ok(()) } else { Err(FORMAT.bad_value(field, found, expected)) }
        };
        let word = |bytes: [u8; 2]| u16::from_be_bytes(bytes);
        expect("type", word(field::get::<12, 2, _>(header)).into(), TYPE_IPV4.into())?;
        let [version, class_and_ecn] = field::get::<14, 2, _>(header);
        expect("IP version and header length", version.into(), VERSION_AND_LENGTH.into())?;
        let [hop_limit, protocol] = field::get::<22, 2, _>(header);
        expect("protocol", protocol.into(), PROTOCOL_UDP.into())?;
        let udp_length = word(field::get::<38, 2, _>(header));
        let ip_length = u64::from(word(field::get::<16, 2, _>(header)));
        expect("IP length", ip_length, u64::from(udp_length) + 20)?;
        let length = usize::from(udp_length).checked_sub(UDP_SIZE);
        let length = length.ok_or(FORMAT.truncated(UDP_SIZE, usize::from(udp_length)))?;
        let kept = payload.get(..length).unwrap_or(payload);
        let check = |rest: u16, at: [u8; 2]| {
            if rest == 0 {
                return Ok(());
            }
            let found = u32::from(word(at));
            let computed = u32::from(Sum::default().add(&[!at[0], !at[1]]).add_word(!rest).finish());
            Err(FORMAT.error(WireErrorKind::BadChecksum { found, computed }))
        };
        // A sum over a block that contains its own checksum is zero.
        check(Sum::default().add(&field::get::<14, 20, _>(header)).finish(), field::get::<24, 2, _>(header))?;
        check(udp_sum(header, udp_length).add(kept).finish(), field::get::<40, 2, _>(header))?;
        let frame = Self {
            to_node: field::get::<0, 6, _>(header),
            from_node: field::get::<6, 6, _>(header),
            source: field::get::<26, 4, _>(header),
            destination: field::get::<30, 4, _>(header),
            source_port: word(field::get::<34, 2, _>(header)),
            destination_port: word(field::get::<36, 2, _>(header)),
            class: class_and_ecn >> 2,
            ecn: EcnField::from_bits(class_and_ecn),
            hop_limit,
        };
        Ok((frame, length, kept))
    }
}

/// The sum over the pseudo-header and the UDP header of a frame.
fn udp_sum(header: &[u8; HEADER_SIZE], udp_length: u16) -> Sum {
    Sum::default()
        .add(&field::get::<26, 8, _>(header))
        .add_word(u16::from(PROTOCOL_UDP))
        .add_word(udp_length)
        .add(&field::get::<34, 8, _>(header))
}

/// The Internet checksum (RFC 1071): the complement of the sum of 16-bit words, carries added back.
#[derive(Clone, Copy, Default)]
struct Sum(u64);

impl Sum {
    /// A block of bytes; an odd one at the end is the high half of a word.
    fn add(mut self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<2>();
        // A frame has less than 2¹⁶ words: the sum stays far below 2⁶⁴.
        self.0 += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        self.0 += rest.first().map_or(0, |byte| u64::from(*byte) << 8);
        self
    }

    fn add_word(mut self, word: u16) -> Self {
        self.0 += u64::from(word);
        self
    }

    fn finish(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        !(sum as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame {
        from_node: [2, 0, 0, 0, 0, 1],
        to_node: [2, 0, 0, 0, 0, 2],
        source: [192, 168, 0, 1],
        destination: [192, 168, 0, 199],
        source_port: 0x1234,
        destination_port: 0x0050,
        class: 0,
        ecn: EcnField::NotCapable,
        hop_limit: 64,
    };

    #[test]
    fn the_ip_checksum_is_that_of_a_header_known_from_textbooks() {
        // 4500 0073 0000 4000 4011 xxxx c0a8 0001 c0a8 00c7, whose checksum is b861: a datagram of
        // 0x73 − 28 = 87 bytes.
        let mut bytes = [0; HEADER_SIZE + 87];
        FRAME.encode(87, &mut bytes).unwrap();
        assert_eq!(bytes[14..24], [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11]);
        assert_eq!(bytes[24..26], [0xB8, 0x61]);
    }

    #[test]
    fn the_udp_checksum_is_right_by_hand() {
        // Pseudo-header c0a8 0001 c0a8 00c7 0011 000b, header 1234 0050 000b, payload "abc" 6162 6300:
        // c0a8 + 0001 + c0a8 + 00c7 + 0011 + 000b = 18234; + 1234 + 0050 + 000b = 194c3; + 6162 + 6300 =
        // 25925; 5925 + 2 = 5927; its complement is a6d8.
        let mut bytes = [0; HEADER_SIZE + 3];
        bytes[HEADER_SIZE..].copy_from_slice(b"abc");
        FRAME.encode(3, &mut bytes).unwrap();
        assert_eq!(bytes[38..42], [0x00, 0x0B, 0xA6, 0xD8]);
    }

    #[test]
    fn what_is_written_is_read_and_zeros_at_the_end_may_be_left_out() {
        let frame = Frame { class: 0x28, ecn: EcnField::Marked, ..FRAME };
        let mut whole = [0; HEADER_SIZE + 1000];
        whole[HEADER_SIZE..HEADER_SIZE + 5].copy_from_slice(b"hello");
        let mut cut = [0; HEADER_SIZE + 5];
        cut.copy_from_slice(&whole[..HEADER_SIZE + 5]);
        frame.encode(1000, &mut whole).unwrap();
        frame.encode(1000, &mut cut).unwrap();
        assert_eq!(whole[..HEADER_SIZE + 5], cut);
        let (read, length, payload) = Frame::parse(&cut).unwrap();
        assert_eq!((read, length, payload), (frame, 1000, &b"hello"[..]));
        // 0x28 = 101000, then 11.
        assert_eq!(cut[15], 0b1010_0011);
    }

    #[test]
    fn padding_of_short_frames_is_not_payload() {
        let mut bytes = [0; 60];
        FRAME.encode(3, &mut bytes[..HEADER_SIZE + 3]).unwrap();
        bytes[HEADER_SIZE + 3..].fill(0xEE);
        assert_eq!(Frame::parse(&bytes).unwrap().2, [0, 0, 0]);
    }

    #[test]
    fn every_flipped_bit_of_ip_and_udp_is_noticed() {
        let mut bytes = [7; HEADER_SIZE + 9];
        FRAME.encode(9, &mut bytes).unwrap();
        for bit in ETHERNET_SIZE * 8..bytes.len() * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Frame::parse(&damaged).is_err(), "bit {bit}");
        }
        let mut damaged = bytes;
        damaged[24] ^= 1;
        let found = u32::from(u16::from_be_bytes([damaged[24], damaged[25]]));
        let computed = u32::from(u16::from_be_bytes([bytes[24], bytes[25]]));
        let error = Frame::parse(&damaged).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::BadChecksum { found, computed });
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_bound() {
        let kind = |error: WireError| error.kind;
        let error = FRAME.encode(65_508, &mut [0; 100]).map_err(kind).unwrap_err();
        assert_eq!(
            error,
            WireErrorKind::AboveLimit { field: "payload length", found: 65_508, limit: 65_507 }
        );
        let error = FRAME.encode(0, &mut [0; 41]).map_err(kind).unwrap_err();
        assert_eq!(error, WireErrorKind::NoRoom { need: 42, have: 41 });
        let error = Frame { class: 64, ..FRAME }.encode(0, &mut [0; 42]).map_err(kind).unwrap_err();
        assert_eq!(error, WireErrorKind::AboveLimit { field: "class", found: 64, limit: 63 });
        assert!(Frame::parse(&[0; 41]).is_err() && Frame::parse(&[0; 80]).is_err());
    }
}
