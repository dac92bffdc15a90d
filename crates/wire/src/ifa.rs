//! The max-hop delay in an IFA 2.0 frame (In-band Flow Analyzer, draft-kumar-ippm-ifa; Poseidon,
//! NSDI'23, Fig. 10a): 12 bytes for a 2-byte value.
//!
//! ```text
//!  | IP, protocol = IFA | IFA header (4) | L4 | metadata header (4) | metadata (4) | payload
//!
//!  IFA header       | version 4 | name space 4 | next header 8 | flags 8 | maximum length 8 |
//!  metadata header  | request vector 8 | action vector 8 | hop limit 8 | current length 8 |
//!  metadata         | max-hop delay 16 | zero 16 |
//! ```
//! The frame stands in two places, so it is read in two parts: [`IfaHeader`] between IP and L4, and
//! [`IfaMetadata`] behind L4. Lengths count words of 4 bytes. The IP protocol number that announces
//! IFA is a matter of configuration (253, an experimental one, in switch examples).
//!
//! # What the draft leaves open, and our choice
//! - IFA stacks one block of metadata per hop and has no action for a maximum, but its action vector
//!   has free bits (Poseidon §4.2). We take the lowest, [`KEEP_MAXIMUM`]: a hop overwrites the one
//!   word with the maximum instead of adding its own.
//! - The meaning of the metadata is that of a name space; ours is [`NAME_SPACE`]. (0xF means that
//!   each hop names its own.)
//! - Version 2 is IFA 2.0, and is written. Public tools for later drafts write 3 with the same
//!   layout, so 3 is read too.

use crate::error::{Format, WireError, WireErrorKind};
use crate::field;
use crate::max_hop_delay::MaxHopDelay;
use plimsoll_units::{Rounding, Span};

const FORMAT: Format = Format::Ifa;

/// The version of IFA 2.0.
pub const VERSION: u8 = 2;
const LATER_VERSION: u8 = 3;

/// Our name space.
pub const NAME_SPACE: u8 = 0xE;

/// The flag "in-band": this is live traffic, from which the last node strips IFA.
pub const IN_BAND: u8 = 0x04;

/// The action "keep the maximum in place".
pub const KEEP_MAXIMUM: u8 = 0x01;

/// Bytes between IP and L4.
pub const HEADER_SIZE: usize = 4;

/// Bytes behind L4.
pub const METADATA_SIZE: usize = 8;

/// Bytes in all: what Poseidon calls excessive for a value of two bytes.
pub const OVERHEAD: usize = HEADER_SIZE + METADATA_SIZE;

/// The metadata's length in words: one block for the whole path.
const METADATA_WORDS: u8 = 1;

/// The part between IP and L4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IfaHeader {
    /// The IP protocol number of the L4 header behind it.
    pub next_header: u8,
}

impl IfaHeader {
    /// Reads the header; gives it and the bytes behind it, where L4 begins.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let (&[first, next_header, _flags, _max_length], rest) = field::split::<HEADER_SIZE>(FORMAT, bytes)?;
        let (version, name_space) = (first >> 4, first & 0xF);
        if version != VERSION && version != LATER_VERSION {
            return Err(FORMAT.error(WireErrorKind::BadVersion { found: version, expected: VERSION }));
        }
        if name_space != NAME_SPACE {
            return Err(FORMAT.bad_value("name space", u64::from(name_space), u64::from(NAME_SPACE)));
        }
        Ok((Self { next_header }, rest))
    }

    /// Writes the header; gives the number of bytes written.
    pub fn encode(self, output: &mut [u8]) -> Result<usize, WireError> {
        let first = VERSION << 4 | NAME_SPACE;
        field::write(FORMAT, output, &[first, self.next_header, IN_BAND, METADATA_WORDS])
    }
}

/// The part behind L4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IfaMetadata {
    /// How many more hops may take part.
    pub hop_limit: u8,
    /// The largest delay so far.
    pub delay: MaxHopDelay,
}

impl IfaMetadata {
    /// Reads both words; gives them and the bytes behind them.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let (words, rest) = field::split::<METADATA_SIZE>(FORMAT, bytes)?;
        let [_request, action, hop_limit, length] = field::get::<0, 4, _>(words);
        if action & KEEP_MAXIMUM == 0 {
            return Err(FORMAT.bad_value("action vector", u64::from(action), u64::from(KEEP_MAXIMUM)));
        }
        if length != METADATA_WORDS {
            return Err(FORMAT.bad_value("current length", u64::from(length), u64::from(METADATA_WORDS)));
        }
        let delay = MaxHopDelay::from_bytes(field::get::<4, 2, _>(words));
        Ok((Self { hop_limit, delay }, rest))
    }

    /// Writes both words; gives the number of bytes written.
    pub fn encode(self, output: &mut [u8]) -> Result<usize, WireError> {
        let [high, low] = self.delay.to_bytes();
        let words = [0, KEEP_MAXIMUM, self.hop_limit, METADATA_WORDS, high, low, 0, 0];
        field::write(FORMAT, output, &words)
    }

    /// What a switch does when the packet leaves its queue after `wait`, in place; gives the new
    /// words. A hop limit of zero leaves the packet as it is.
    pub fn update_in_place(behind_l4: &mut [u8], wait: Span, rounding: Rounding) -> Result<Self, WireError> {
        let (mut metadata, _) = Self::parse(behind_l4)?;
        if metadata.hop_limit > 0 {
            metadata.hop_limit -= 1;
            metadata.delay = metadata.delay.update(wait, rounding);
            let (words, _) = field::split_mut::<METADATA_SIZE>(FORMAT, behind_l4)?;
            field::set::<2, 1, _>(words, [metadata.hop_limit]);
            field::set::<4, 2, _>(words, metadata.delay.to_bytes());
        }
        Ok(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_frame_takes_twelve_bytes() {
        // 2E: version 2, name space 14; 11: UDP follows; 04: in-band; 01: one word of metadata.
        let mut header = [0; HEADER_SIZE];
        IfaHeader { next_header: 17 }.encode(&mut header).unwrap();
        assert_eq!(header, [0x2E, 0x11, 0x04, 0x01]);
        // 00: no standard metadata asked for; 01: keep the maximum; 20: 32 hops left; 01: one word;
        // 0075: 117 units = 29.95 us; 0000: padding.
        let mut words = [0; METADATA_SIZE];
        let delay = MaxHopDelay::from_units(117);
        IfaMetadata { hop_limit: 32, delay }.encode(&mut words).unwrap();
        assert_eq!(words, [0x00, 0x01, 0x20, 0x01, 0x00, 0x75, 0x00, 0x00]);
        assert_eq!(OVERHEAD, 12);
    }

    #[test]
    fn the_field_places_agree_with_a_switch_vendors_ifa_2_example() {
        // A public example of an IFA 2.0 node sends 2F 06 00 FF before TCP: version 2, name space
        // 0xF, next header 6 = TCP. It is not our name space, and the error says whose it is.
        let error = IfaHeader::parse(&[0x2F, 0x06, 0x00, 0xFF]).unwrap_err();
        let kind = WireErrorKind::BadValue { field: "name space", found: 0xF, expected: 0xE };
        assert_eq!(error.kind, kind);
        let (header, _) = IfaHeader::parse(&[0x2E, 0x06, 0x00, 0xFF]).unwrap();
        assert_eq!(header.next_header, 6);
    }

    #[test]
    fn a_hop_keeps_the_maximum_and_counts_down() {
        let mut words = [0x00, 0x01, 0x02, 0x01, 0x00, 0x75, 0xAB, 0xCD];
        // 40 us = 156.25 units -> 156 = 0x9C; then 1 us, which is less; then nobody may write.
        let mut update = |us| IfaMetadata::update_in_place(&mut words, Span::from_us(us), Rounding::Down);
        assert_eq!(update(40).unwrap().delay.units(), 156);
        assert_eq!(update(1).unwrap().hop_limit, 0);
        assert_eq!(update(80).unwrap().delay.units(), 156);
        assert_eq!(words, [0x00, 0x01, 0x00, 0x01, 0x00, 0x9C, 0xAB, 0xCD]);
    }

    #[test]
    fn foreign_frames_are_refused_by_name() {
        let kind = |bytes: &[u8]| IfaHeader::parse(bytes).unwrap_err().kind;
        assert_eq!(kind(&[0x1E, 0, 0, 0]), WireErrorKind::BadVersion { found: 1, expected: 2 });
        assert_eq!(kind(&[0x2E, 0, 0]), WireErrorKind::Truncated { need: 4, have: 3 });
        let kind = |bytes: &[u8]| IfaMetadata::parse(bytes).unwrap_err().kind;
        let stacked = WireErrorKind::BadValue { field: "action vector", found: 0, expected: 1 };
        assert_eq!(kind(&[0xFF, 0, 9, 1, 0, 0, 0, 0]), stacked);
        let long = WireErrorKind::BadValue { field: "current length", found: 8, expected: 1 };
        assert_eq!(kind(&[0, 1, 9, 8, 0, 0, 0, 0]), long);
    }
}
