//! The compact tag of CSIG (draft-ravi-ippm-csig): a 4-byte L2 tag, placed like a VLAN tag, that
//! carries the worst value on the path in one of 32 buckets.
//!
//! ```text
//!  | MAC addresses | tag protocol identifier 16 | type 3 | reserved 1 | value 5 | locator 7 | EtherType …
//! ```
//! The type says which signal: 2 is the largest per-hop delay. A switch whose own delay falls into a
//! higher bucket replaces the value, and writes its own locator (which hop, which tier: up to the
//! network). The receiver reflects the tag in L4.
//!
//! No EtherType is assigned to the tag: the network names one. [`EXPERIMENTAL_TPID`] is IEEE 802's
//! first local experimental EtherType; 0x9900 is seen in public switch tests.
//!
//! # Buckets
//! What a value means is up to the network too ([`Buckets`]). Our default is a small floating-point
//! number, 3 bits of exponent and 2 of mantissa, in units of 512 ns: steps of one unit up to 8 units,
//! then four steps for each doubling, up to 448 units = 229 µs. Poseidon's targets (2 to 42 µs) so get
//! 19 buckets, and a value read as the middle of its bucket is wrong by at most an eighth from 4
//! units (2 µs) on. Units and steps are powers of two, which switches ask for.
//!
//! # Deviations
//! The reserved bit is kept by a switch and ignored by a reader. (Ultra Ethernet's later text uses
//! it to say "do not update"; the draft does not.)

use crate::error::{Format, WireError, WireErrorKind};
use crate::field;
use plimsoll_units::{Rounding, Span};

const FORMAT: Format = Format::Csig;

/// Bytes of the tag.
pub const SIZE: usize = 4;

/// The tag protocol identifier that we use where nobody names one.
pub const EXPERIMENTAL_TPID: u16 = 0x88B5;

/// The number of buckets.
pub const BUCKETS: usize = 32;

const MAX_TYPE: u8 = 7;
const MAX_VALUE: u8 = 31;
const MAX_LOCATOR: u8 = 127;

/// Which signal the tag carries: three bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalType(u8);

impl SignalType {
    /// The smallest available bandwidth on the path.
    pub const AVAILABLE_BANDWIDTH: Self = Self(0);
    /// The smallest share of a link that is available.
    pub const AVAILABLE_SHARE: Self = Self(1);
    /// The largest per-hop delay.
    pub const MAX_HOP_DELAY: Self = Self(2);

    /// A type by its number.
    pub const fn new(number: u8) -> Result<Self, WireError> {
        if number > MAX_TYPE {
            return Err(FORMAT.above_limit("signal type", number as u64, MAX_TYPE as u64));
        }
        Ok(Self(number))
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// What a tag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsigTag {
    /// Which signal.
    pub signal: SignalType,
    /// Which bucket, 0 to 31.
    pub value: u8,
    /// Which hop, 0 to 127.
    pub locator: u8,
}

impl CsigTag {
    /// What the sender writes to ask for the largest per-hop delay.
    pub const START: Self = Self { signal: SignalType::MAX_HOP_DELAY, value: 0, locator: 0 };

    /// Reads the tag; gives it and the bytes behind it, where the next EtherType stands.
    pub fn parse(bytes: &[u8], tpid: u16) -> Result<(Self, &[u8]), WireError> {
        let (tag, rest) = field::split::<SIZE>(FORMAT, bytes)?;
        let found = u16::from_be_bytes(field::get::<0, 2, _>(tag));
        if found != tpid {
            return Err(FORMAT.bad_value("tag protocol identifier", u64::from(found), u64::from(tpid)));
        }
        let control = u16::from_be_bytes(field::get::<2, 2, _>(tag));
        let signal = SignalType((control >> 13) as u8);
        let value = (control >> 7) as u8 & MAX_VALUE;
        let locator = control as u8 & MAX_LOCATOR;
        Ok((Self { signal, value, locator }, rest))
    }

    /// Writes the tag; gives the number of bytes written.
    pub fn encode(self, tpid: u16, output: &mut [u8]) -> Result<usize, WireError> {
        let control = self.control()?;
        let mut tag = [0; SIZE];
        field::set::<0, 2, _>(&mut tag, tpid.to_be_bytes());
        field::set::<2, 2, _>(&mut tag, control.to_be_bytes());
        field::write(FORMAT, output, &tag)
    }

    /// What a switch does when the packet leaves its queue after `wait`, in place: compare and
    /// replace. A tag that asks for another signal is left as it is. Gives the new tag.
    pub fn update_in_place(
        frame: &mut [u8],
        tpid: u16,
        wait: Span,
        hop: &CsigHop<'_>,
    ) -> Result<Self, WireError> {
        let (mut tag, _) = Self::parse(frame, tpid)?;
        let own = hop.buckets.bucket_of(wait);
        if tag.signal == SignalType::MAX_HOP_DELAY && own > tag.value {
            tag = Self { value: own, locator: hop.locator, ..tag };
            let (bytes, _) = field::split_mut::<SIZE>(FORMAT, frame)?;
            let [high, _] = field::get::<2, 2, _>(bytes);
            let reserved = u16::from(high & 0x10) << 8;
            field::set::<2, 2, _>(bytes, (tag.control()? | reserved).to_be_bytes());
        }
        Ok(tag)
    }

    fn control(self) -> Result<u16, WireError> {
        if self.value > MAX_VALUE {
            return Err(FORMAT.above_limit("signal value", u64::from(self.value), u64::from(MAX_VALUE)));
        }
        if self.locator > MAX_LOCATOR {
            return Err(FORMAT.above_limit("locator", u64::from(self.locator), u64::from(MAX_LOCATOR)));
        }
        Ok(u16::from(self.signal.0) << 13 | u16::from(self.value) << 7 | u16::from(self.locator))
    }
}

/// What a switch needs to know to update tags.
#[derive(Clone, Copy, Debug)]
pub struct CsigHop<'a> {
    /// The network's buckets.
    pub buckets: &'a Buckets,
    /// The name of this hop, 0 to 127.
    pub locator: u8,
}

/// What the 32 values mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The shortest delay of each bucket, ascending, the first zero.
    lower: [Span; BUCKETS],
    reading: Rounding,
}

impl Buckets {
    /// Buckets by their shortest delays, which begin at zero and ascend. `reading` says which delay
    /// of a bucket a reader takes: the shortest, the longest (the next bucket's shortest), or the
    /// middle. The last bucket has no end and is always read as its shortest.
    pub fn new(lower: [Span; BUCKETS], reading: Rounding) -> Result<Self, WireError> {
        if lower[0] != Span::ZERO {
            return Err(FORMAT.bad_value("first bucket (ps)", lower[0].as_ps(), 0));
        }
        for edges in lower.windows(2) {
            let &[below, edge] = edges else { continue };
            if edge <= below {
                let (found, above) = (edge.as_ps(), below.as_ps());
                let field = "bucket edge (ps)";
                return Err(FORMAT.error(WireErrorKind::OutOfOrder { field, found, above }));
            }
        }
        Ok(Self { lower, reading })
    }

    /// Our default, described at the top of this file.
    #[must_use]
    pub const fn small_float(unit: Span, reading: Rounding) -> Self {
        let mut lower = [Span::ZERO; BUCKETS];
        let mut code = 0;
        while code < BUCKETS {
            let steps = if code < 8 { code as u64 } else { (4 + (code as u64 & 3)) << (code / 4 - 1) };
            lower[code] = unit.saturating_mul(steps);
            code += 1;
        }
        Self { lower, reading }
    }

    /// The bucket that a delay falls into.
    #[must_use]
    pub fn bucket_of(&self, delay: Span) -> u8 {
        // The first edge is zero, so at least one is not above the delay.
        self.lower.partition_point(|&edge| edge <= delay).saturating_sub(1) as u8
    }

    /// The delay that a reader takes for a bucket; a value above 31 is read as 31.
    #[must_use]
    pub fn delay_of(&self, bucket: u8) -> Span {
        let lower = self.lower(bucket);
        let Some(width) = self.width(bucket) else { return lower };
        match self.reading {
            Rounding::Down => lower,
            Rounding::Up => lower.saturating_add(width),
            Rounding::Nearest => lower.saturating_add(width / 2),
        }
    }

    /// The largest error of [`Buckets::delay_of`] for any delay in the bucket; `None` for the last,
    /// which has no end.
    #[must_use]
    pub fn worst_error(&self, bucket: u8) -> Option<Span> {
        let width = self.width(bucket)?;
        Some(match self.reading {
            // The longest delay of the bucket is one picosecond short of the next.
            Rounding::Down => width.saturating_sub(Span::from_ps(1)),
            Rounding::Up => width,
            Rounding::Nearest => width / 2,
        })
    }

    /// The delay from which all delays look alike.
    #[must_use]
    pub fn saturation(&self) -> Span {
        self.lower(MAX_VALUE)
    }

    fn lower(&self, bucket: u8) -> Span {
        self.lower[usize::from(bucket.min(MAX_VALUE))]
    }

    fn width(&self, bucket: u8) -> Option<Span> {
        (bucket < MAX_VALUE).then(|| self.lower(bucket + 1).saturating_sub(self.lower(bucket)))
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self::small_float(Span::from_ns(512), Rounding::Nearest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_tag() {
        // 88B5, then type 010, reserved 0, value 10001, locator 0000101:
        // 0100 1000 1000 0101
        let tag = CsigTag { signal: SignalType::MAX_HOP_DELAY, value: 17, locator: 5 };
        let mut bytes = [0; SIZE];
        assert_eq!(tag.encode(EXPERIMENTAL_TPID, &mut bytes), Ok(4));
        assert_eq!(bytes, [0x88, 0xB5, 0x48, 0x85]);
        assert_eq!(CsigTag::parse(&bytes, EXPERIMENTAL_TPID), Ok((tag, &[][..])));
    }

    #[test]
    fn the_field_places_agree_with_a_public_switch_test() {
        // Its ingress tag is 99 00 2B 85: type 1 (available share), value 0x17, locator 5; the egress
        // tag 99 00 28 42: type 1, value 0x10, locator 0x42.
        let share = |value, locator| CsigTag { signal: SignalType::AVAILABLE_SHARE, value, locator };
        assert_eq!(CsigTag::parse(&[0x99, 0x00, 0x2B, 0x85], 0x9900).unwrap().0, share(0x17, 5));
        assert_eq!(CsigTag::parse(&[0x99, 0x00, 0x28, 0x42], 0x9900).unwrap().0, share(0x10, 0x42));
    }

    #[test]
    fn the_default_buckets_are_four_steps_an_octave() {
        let units: [u64; 32] = [
            0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160,
            192, 224, 256, 320, 384, 448,
        ];
        assert_eq!(Buckets::default().lower, units.map(|unit| Span::from_ns(unit * 512)));
        // 448 * 512 ns
        assert_eq!(Buckets::default().saturation(), Span::from_ns(229_376));
    }

    #[test]
    fn a_delay_is_read_as_the_middle_of_its_bucket() {
        // 10 us = 19.53 units: bucket 12 is 16 to 20 units, its middle 18 units = 9216 ns.
        let buckets = Buckets::default();
        assert_eq!(buckets.bucket_of(Span::from_us(10)), 12);
        assert_eq!(buckets.delay_of(12), Span::from_ns(9_216));
        assert_eq!(buckets.worst_error(12), Some(Span::from_ns(1_024)));
        assert_eq!(buckets.bucket_of(Span::from_ms(1)), 31);
        assert_eq!(buckets.delay_of(31), buckets.saturation());
    }

    #[test]
    fn poseidons_targets_of_2_to_42_us_span_19_buckets() {
        let buckets = Buckets::default();
        let (low, high) = (buckets.bucket_of(Span::from_us(2)), buckets.bucket_of(Span::from_us(42)));
        // 2 us = 3.9 units: bucket 3; 42 us = 82.03 units: bucket 21 (80 to 96).
        assert_eq!((low, high), (3, 21));
    }

    #[test]
    fn a_switch_replaces_a_smaller_value_and_keeps_the_reserved_bit() {
        let buckets = Buckets::default();
        let hop = CsigHop { buckets: &buckets, locator: 9 };
        // type 2, reserved 1, value 3, locator 1 = 010 1 0001 1 0000001
        let mut tag = [0x88, 0xB5, 0x51, 0x81];
        let mut update = |us| CsigTag::update_in_place(&mut tag, 0x88B5, Span::from_us(us), &hop).unwrap();
        assert_eq!(update(1).locator, 1, "1 us is bucket 1, less than 3");
        assert_eq!(update(10), CsigTag { signal: SignalType::MAX_HOP_DELAY, value: 12, locator: 9 });
        // 010 1 0110 0 0001001
        assert_eq!(tag, [0x88, 0xB5, 0x56, 0x09]);
        let later = CsigHop { buckets: &buckets, locator: 10 };
        CsigTag::update_in_place(&mut tag, 0x88B5, Span::from_us(10), &later).unwrap();
        assert_eq!(tag, [0x88, 0xB5, 0x56, 0x09], "of two equal hops the first is named");
    }

    #[test]
    fn a_tag_that_asks_for_bandwidth_is_left_alone() {
        let buckets = Buckets::default();
        let hop = CsigHop { buckets: &buckets, locator: 9 };
        let mut tag = [0x99, 0x00, 0x28, 0x42];
        CsigTag::update_in_place(&mut tag, 0x9900, Span::from_ms(1), &hop).unwrap();
        assert_eq!(tag, [0x99, 0x00, 0x28, 0x42]);
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let kind = |tag: CsigTag| tag.encode(0x9900, &mut [0; SIZE]).unwrap_err().kind;
        let above = |field, found, limit| WireErrorKind::AboveLimit { field, found, limit };
        assert_eq!(kind(CsigTag { value: 32, ..CsigTag::START }), above("signal value", 32, 31));
        assert_eq!(kind(CsigTag { locator: 128, ..CsigTag::START }), above("locator", 128, 127));
        assert_eq!(SignalType::new(8).unwrap_err().kind, above("signal type", 8, 7));
        let other = CsigTag::parse(&[0x81, 0x00, 0, 0], 0x9900).unwrap_err().kind;
        let field = "tag protocol identifier";
        assert_eq!(other, WireErrorKind::BadValue { field, found: 0x8100, expected: 0x9900 });
    }

    #[test]
    fn buckets_must_begin_at_zero_and_ascend() {
        let mut lower = [Span::ZERO; BUCKETS];
        for (index, edge) in lower.iter_mut().enumerate() {
            *edge = Span::from_us(index as u64);
        }
        assert!(Buckets::new(lower, Rounding::Down).is_ok());
        let mut late = lower;
        late[0] = Span::from_ps(7);
        let kind = Buckets::new(late, Rounding::Down).unwrap_err().kind;
        assert_eq!(kind, WireErrorKind::BadValue { field: "first bucket (ps)", found: 7, expected: 0 });
        let mut twice = lower;
        twice[5] = twice[4];
        let kind = Buckets::new(twice, Rounding::Down).unwrap_err().kind;
        let (found, above) = (4_000_000, 4_000_000);
        assert_eq!(kind, WireErrorKind::OutOfOrder { field: "bucket edge (ps)", found, above });
    }
}
