//! The max-hop delay in P4-INT v2.1 (P4.org, "In-band Network Telemetry Dataplane Specification",
//! sections "INT over TCP/UDP" and "INT-MD Metadata Header Format"; Poseidon, NSDI'23, Fig. 10b).
//!
//! ```text
//!  | IP | UDP or TCP | shim (4) | INT-MD header (12) | metadata (4) | payload
//!
//!  shim     | type 4 | next protocol type 2 | zero 2 | length 8 | port, protocol or DSCP 16 |
//!  INT-MD   | version 4 | D E M | zero 12 | hop length 5 | remaining hops 8 |
//!           | instruction bitmap 16                | domain 16              |
//!           | domain instruction 16                | domain flags 16        |
//!  metadata | max-hop delay 16                     | zero 16                |
//! ```
//! The shim's length counts words of 4 bytes without the shim itself: 3 + 1.
//!
//! # What the specification leaves open, and our choice
//! INT-MD stacks metadata per hop and has no maximum. But a domain may define its own instructions,
//! and metadata that only the source inserts, which the per-hop length does not count. So the source
//! inserts one word under [`DOMAIN`] and [`KEEP_MAXIMUM`], the per-hop length is zero, a switch of
//! the domain overwrites the word with the maximum, and any other INT switch adds nothing. The frame
//! has a fixed size, and the remaining hop count, which only counts insertions, stays as it is.
//!
//! # Deviations
//! Poseidon counts 12 bytes of overhead. The INT-MD header alone takes 12 since v2.0 (8 in v1.0, which
//! gives 12 with the shim); with shim and padding the frame of v2.1 takes [`SIZE`] = 20 bytes.

use crate::error::{Format, WireError, WireErrorKind};
use crate::field;
use crate::max_hop_delay::MaxHopDelay;
use plimsoll_units::{Rounding, Span};

const FORMAT: Format = Format::P4Int;

/// Bytes of the shim.
pub const SHIM_SIZE: usize = 4;
/// Bytes of the INT-MD header.
pub const HEADER_SIZE: usize = 12;
/// Bytes of the metadata.
pub const METADATA_SIZE: usize = 4;
/// Bytes in all.
pub const SIZE: usize = SHIM_SIZE + HEADER_SIZE + METADATA_SIZE;

/// The version in the INT-MD header.
pub const VERSION: u8 = 2;
/// The shim type of INT-MD.
const TYPE_MD: u8 = 1;
const MAX_DSCP: u8 = 63;
const LENGTH_WORDS: u8 = ((HEADER_SIZE + METADATA_SIZE) / 4) as u8;

/// Our domain, "PL"; the specification lets each network choose.
pub const DOMAIN: u16 = 0x504C;
/// Our domain's one instruction: keep the maximum in the word that the source inserted.
pub const KEEP_MAXIMUM: u16 = 0x8000;

/// How the packet announces INT, and what the last switch must put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextProtocol {
    /// By a DSCP value; the original DSCP (6 bits).
    Dscp(u8),
    /// By the UDP port; the original destination port.
    UdpPort(u16),
    /// By an inserted UDP header; the original IP protocol.
    IpProtocol(u8),
}

impl NextProtocol {
    /// The two bits of type and the 16 bits of value.
    fn to_wire(self) -> Result<(u8, u16), WireError> {
        match self {
            Self::Dscp(dscp) if dscp > MAX_DSCP => {
                Err(FORMAT.above_limit("DSCP", u64::from(dscp), u64::from(MAX_DSCP)))
            }
            Self::Dscp(dscp) => Ok((0, u16::from(dscp) << 2)),
            Self::UdpPort(port) => Ok((1, port)),
            Self::IpProtocol(protocol) => Ok((2, u16::from(protocol))),
        }
    }

    fn from_wire(kind: u8, value: u16) -> Result<Self, WireError> {
        let [_, low] = value.to_be_bytes();
        match kind {
            0 => Ok(Self::Dscp(low >> 2)),
            1 => Ok(Self::UdpPort(value)),
            2 => Ok(Self::IpProtocol(low)),
            other => Err(FORMAT.above_limit("next protocol type", u64::from(other), 2)),
        }
    }
}

/// A frame that carries the max-hop delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P4Int {
    /// How the packet announces INT.
    pub next_protocol: NextProtocol,
    /// How many hops may still insert metadata of their own.
    pub remaining_hops: u8,
    /// The largest delay so far.
    pub delay: MaxHopDelay,
}

impl P4Int {
    /// Reads the frame; gives it and the bytes behind it. Reserved bits are ignored, as the
    /// specification asks.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let (frame, rest) = field::split::<SIZE>(FORMAT, bytes)?;
        let [kinds, length] = field::get::<0, 2, _>(frame);
        expect("INT type", kinds >> 4, TYPE_MD)?;
        expect("length", length, LENGTH_WORDS)?;
        let value = u16::from_be_bytes(field::get::<2, 2, _>(frame));
        let next_protocol = NextProtocol::from_wire(kinds >> 2 & 0b11, value)?;

        let [first, _, hop_length, remaining_hops] = field::get::<4, 4, _>(frame);
        if first >> 4 != VERSION {
            return Err(FORMAT.error(WireErrorKind::BadVersion { found: first >> 4, expected: VERSION }));
        }
        expect("hop length", hop_length & 0x1F, 0)?;
        expect("instruction bitmap", u16::from_be_bytes(field::get::<8, 2, _>(frame)), 0)?;
        expect("domain", u16::from_be_bytes(field::get::<10, 2, _>(frame)), DOMAIN)?;
        expect("domain instruction", u16::from_be_bytes(field::get::<12, 2, _>(frame)), KEEP_MAXIMUM)?;
        let delay = MaxHopDelay::from_bytes(field::get::<16, 2, _>(frame));
        Ok((Self { next_protocol, remaining_hops, delay }, rest))
    }

    /// Writes the frame; gives the number of bytes written.
    pub fn encode(self, output: &mut [u8]) -> Result<usize, WireError> {
        let (kind, value) = self.next_protocol.to_wire()?;
        let mut frame = [0; SIZE];
        field::set::<0, 2, _>(&mut frame, [TYPE_MD << 4 | kind << 2, LENGTH_WORDS]);
        field::set::<2, 2, _>(&mut frame, value.to_be_bytes());
        field::set::<4, 4, _>(&mut frame, [VERSION << 4, 0, 0, self.remaining_hops]);
        field::set::<10, 2, _>(&mut frame, DOMAIN.to_be_bytes());
        field::set::<12, 2, _>(&mut frame, KEEP_MAXIMUM.to_be_bytes());
        field::set::<16, 2, _>(&mut frame, self.delay.to_bytes());
        field::write(FORMAT, output, &frame)
    }

    /// What a switch of the domain does when the packet leaves its queue after `wait`, in place;
    /// gives the new frame.
    pub fn update_in_place(behind_l4: &mut [u8], wait: Span, rounding: Rounding) -> Result<Self, WireError> {
        let (mut frame, _) = Self::parse(behind_l4)?;
        frame.delay = frame.delay.update(wait, rounding);
        let (bytes, _) = field::split_mut::<SIZE>(FORMAT, behind_l4)?;
        field::set::<16, 2, _>(bytes, frame.delay.to_bytes());
        Ok(frame)
    }
}

fn expect<T: Copy + PartialEq + Into<u64>>(
    field: &'static str,
    found: T,
    expected: T,
) -> Result<(), WireError> {
    if found == expected { Ok(()) } else { Err(FORMAT.bad_value(field, found.into(), expected.into())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte by hand, from the specification's figures.
    const GOLDEN: [u8; SIZE] = [
        0x14, // type 1 = INT-MD, next protocol type 1 = UDP port follows, two reserved bits
        0x04, // four words follow the shim
        0x12, 0xB7, // original UDP port 4791
        0x20, 0x00, // version 2, D E M clear, reserved
        0x00, // reserved, hop length 0
        0x08, // eight hops may insert
        0x00, 0x00, // no standard instruction
        0x50, 0x4C, // our domain
        0x80, 0x00, // keep the maximum
        0x00, 0x00, // no flags
        0x00, 0x75, // 117 units of 256 ns
        0x00, 0x00, // padding
    ];

    const FRAME: P4Int = P4Int {
        next_protocol: NextProtocol::UdpPort(4791),
        remaining_hops: 8,
        delay: MaxHopDelay::from_units(117),
    };

    #[test]
    fn golden_frame() {
        let mut bytes = [0; SIZE];
        assert_eq!(FRAME.encode(&mut bytes), Ok(20));
        assert_eq!(bytes, GOLDEN);
        assert_eq!(P4Int::parse(&GOLDEN), Ok((FRAME, &[][..])));
    }

    #[test]
    fn dscp_stands_in_the_upper_six_bits_of_the_last_shim_byte() {
        // DSCP 46 (expedited forwarding) = 101110, shifted by two: 0xB8.
        let mut bytes = [0; SIZE];
        P4Int { next_protocol: NextProtocol::Dscp(46), ..FRAME }.encode(&mut bytes).unwrap();
        assert_eq!(bytes[..4], [0x10, 0x04, 0x00, 0xB8]);
        let error = P4Int { next_protocol: NextProtocol::Dscp(64), ..FRAME }.encode(&mut bytes).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::AboveLimit { field: "DSCP", found: 64, limit: 63 });
    }

    #[test]
    fn a_switch_overwrites_only_the_delay() {
        let mut bytes = GOLDEN;
        P4Int::update_in_place(&mut bytes, Span::from_us(40), Rounding::Down).unwrap();
        let mut expected = GOLDEN;
        expected[17] = 0x9C; // 40 us = 156.25 units
        assert_eq!(bytes, expected);
        P4Int::update_in_place(&mut bytes, Span::from_us(1), Rounding::Down).unwrap();
        assert_eq!(bytes, expected, "a shorter wait changes nothing");
    }

    #[test]
    fn foreign_frames_are_refused_by_name() {
        let kind = |at: usize, byte: u8| {
            let mut bytes = GOLDEN;
            bytes[at] = byte;
            P4Int::parse(&bytes).unwrap_err().kind
        };
        let bad = |field, found, expected| WireErrorKind::BadValue { field, found, expected };
        assert_eq!(kind(0, 0x34), bad("INT type", 3, 1));
        assert_eq!(
            kind(0, 0x1C),
            WireErrorKind::AboveLimit { field: "next protocol type", found: 3, limit: 2 }
        );
        assert_eq!(kind(1, 0x07), bad("length", 7, 4));
        assert_eq!(kind(4, 0x10), WireErrorKind::BadVersion { found: 1, expected: 2 });
        assert_eq!(kind(6, 0x02), bad("hop length", 2, 0));
        assert_eq!(kind(8, 0x20), bad("instruction bitmap", 0x2000, 0));
        assert_eq!(kind(11, 0x4D), bad("domain", 0x504D, 0x504C));
        assert_eq!(kind(12, 0x00), bad("domain instruction", 0, 0x8000));
        let short = P4Int::parse(&GOLDEN[..19]).unwrap_err().kind;
        assert_eq!(short, WireErrorKind::Truncated { need: 20, have: 19 });
    }
}
