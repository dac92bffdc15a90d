//! Poseidon's max-hop delay: two bytes directly behind the L4 header, the largest queueing delay
//! that the packet met so far (Poseidon, NSDI'23, §4.2 and §5.1 with Listing 1).
//!
//! ```text
//!  data   | Ethernet | IP | UDP | max-hop delay (2) | transport header, payload …
//!  ack    | Ethernet | IP | UDP | max-hop delay (2) | reflected (2) | …
//! ```
//! The value is an unsigned 16-bit big-endian count of [`UNIT`] = 256 ns. A switch takes the
//! larger of the value in the packet and the packet's own wait, when the packet leaves the queue.
//!
//! # Reflection
//! A switch treats an ack like any other packet, so the first two bytes of an ack gather the
//! maximum of the way back. The receiver writes the maximum of the way there into the next two,
//! which no switch touches. The sender so learns both ([`AckDelays`]); brownfield deployments
//! (§4.1) need both.
//!
//! # Rounding
//! The testbed's switch shifts the wait in nanoseconds right by 8: [`Rounding::Down`]. A reader
//! gets the lower edge, so the true delay is at most one unit larger.
//!
//! # Deviations
//! Listing 1 cuts the shifted wait to 16 bits, so that a wait of 16.8 ms reads as zero. Here the
//! value saturates: the worst congestion must not look like none.

use crate::error::{Format, WireError};
use crate::field;
use plimsoll_units::{Rounding, Span};

const FORMAT: Format = Format::MaxHopDelay;

/// Bytes of the header.
pub const SIZE: usize = 2;

/// What one count stands for.
pub const UNIT: Span = Span::from_ns(256);

/// A max-hop delay as it stands in the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaxHopDelay(u16);

impl MaxHopDelay {
    /// What the sender writes: no queue met yet.
    pub const ZERO: Self = Self(0);
    /// The largest value; the true delay may be longer (16.78 ms and more).
    pub const SATURATED: Self = Self(u16::MAX);

    /// So many units of 256 ns.
    #[must_use]
    pub const fn from_units(units: u16) -> Self {
        Self(units)
    }

    /// The number of units of 256 ns.
    #[must_use]
    pub const fn units(self) -> u16 {
        self.0
    }

    /// A delay as the header can say it: rounded as named, at most [`MaxHopDelay::SATURATED`].
    #[must_use]
    pub const fn quantise(delay: Span, rounding: Rounding) -> Self {
        let (units, rest) = (delay.as_ps() / UNIT.as_ps(), delay.as_ps() % UNIT.as_ps());
        let up = match rounding {
            Rounding::Down => false,
            Rounding::Up => rest > 0,
            Rounding::Nearest => rest >= UNIT.as_ps() / 2,
        };
        // No overflow: the quotient is at most u64::MAX / 256 000.
        let units = units + up as u64;
        if units > u16::MAX as u64 { Self::SATURATED } else { Self(units as u16) }
    }

    /// The delay that the value stands for.
    #[must_use]
    pub const fn delay(self) -> Span {
        Span::from_ps(self.0 as u64 * UNIT.as_ps())
    }

    /// What a switch writes when a packet that carries this value leaves its queue after `wait`.
    #[must_use]
    pub const fn update(self, wait: Span, rounding: Rounding) -> Self {
        let own = Self::quantise(wait, rounding);
        if own.0 > self.0 { own } else { self }
    }

    /// Reads the header; gives it and the bytes behind it.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let (header, rest) = field::split::<SIZE>(FORMAT, bytes)?;
        Ok((Self::from_bytes(*header), rest))
    }

    /// Writes the header; gives the number of bytes written.
    pub fn encode(self, output: &mut [u8]) -> Result<usize, WireError> {
        field::write(FORMAT, output, &self.to_bytes())
    }

    /// [`MaxHopDelay::update`] on the bytes behind the L4 header, in place; gives the new value.
    pub fn update_in_place(behind_l4: &mut [u8], wait: Span, rounding: Rounding) -> Result<Self, WireError> {
        let (header, _) = field::split_mut::<SIZE>(FORMAT, behind_l4)?;
        let updated = Self::from_bytes(*header).update(wait, rounding);
        *header = updated.to_bytes();
        Ok(updated)
    }

    pub(crate) const fn from_bytes(bytes: [u8; SIZE]) -> Self {
        Self(u16::from_be_bytes(bytes))
    }

    pub(crate) const fn to_bytes(self) -> [u8; SIZE] {
        self.0.to_be_bytes()
    }
}

/// Bytes of an ack's two values.
pub const ACK_SIZE: usize = 2 * SIZE;

/// The two values behind the L4 header of an ack, as the sender of the data finds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckDelays {
    /// The ack's own maximum: the way from the receiver back to the sender.
    pub reverse: MaxHopDelay,
    /// The data packet's maximum, reflected by the receiver: the way there.
    pub forward: MaxHopDelay,
}

impl AckDelays {
    /// What the receiver writes into the ack of a packet that arrived with `forward`.
    #[must_use]
    pub const fn reflecting(forward: MaxHopDelay) -> Self {
        Self { reverse: MaxHopDelay::ZERO, forward }
    }

    /// Reads both values; gives them and the bytes behind them.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let (both, rest) = field::split::<ACK_SIZE>(FORMAT, bytes)?;
        let reverse = MaxHopDelay::from_bytes(field::get::<0, SIZE, _>(both));
        let forward = MaxHopDelay::from_bytes(field::get::<SIZE, SIZE, _>(both));
        Ok((Self { reverse, forward }, rest))
    }

    /// Writes both values; gives the number of bytes written.
    pub fn encode(self, output: &mut [u8]) -> Result<usize, WireError> {
        let mut both = [0; ACK_SIZE];
        field::set::<0, SIZE, _>(&mut both, self.reverse.to_bytes());
        field::set::<SIZE, SIZE, _>(&mut both, self.forward.to_bytes());
        field::write(FORMAT, output, &both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::WireErrorKind;

    /// The two lines of Listing 1 on whole nanoseconds, before the cut to 16 bits.
    fn listing_1(nanoseconds: u64) -> u64 {
        nanoseconds >> 8
    }

    #[test]
    fn rounding_down_is_the_testbeds_shift() {
        for nanoseconds in [0, 1, 255, 256, 257, 511, 512, 2_000, 42_000, 1_000_000, 16_777_215] {
            let header = MaxHopDelay::quantise(Span::from_ns(nanoseconds), Rounding::Down);
            assert_eq!(u64::from(header.units()), listing_1(nanoseconds), "{nanoseconds} ns");
        }
    }

    #[test]
    fn ten_microseconds_are_39_40_or_39_units() {
        // 10 000 / 256 = 39.06
        let units = |rounding| MaxHopDelay::quantise(Span::from_us(10), rounding).units();
        assert_eq!(units(Rounding::Down), 39);
        assert_eq!(units(Rounding::Up), 40);
        assert_eq!(units(Rounding::Nearest), 39);
    }

    #[test]
    fn a_delay_beyond_16_bits_saturates_instead_of_wrapping() {
        // 2^16 * 256 ns = 16 777 216 ns is the first that does not fit; the testbed would read 0.
        let first = Span::from_ns(16_777_216);
        assert_eq!(MaxHopDelay::quantise(first, Rounding::Down), MaxHopDelay::SATURATED);
        assert_eq!(MaxHopDelay::quantise(Span::MAX, Rounding::Up), MaxHopDelay::SATURATED);
        assert_eq!(MaxHopDelay::SATURATED.delay(), Span::from_ns(16_776_960));
    }

    #[test]
    fn a_switch_keeps_the_larger_of_the_packets_value_and_its_own_wait() {
        // 0x0010 = 16 units = 4096 ns; 5 us = 19.5 units -> 19 = 0x13; then a wait of 1 us changes nothing.
        let mut packet = [0x00, 0x10, 0xAA];
        let updated = MaxHopDelay::update_in_place(&mut packet, Span::from_us(5), Rounding::Down);
        assert_eq!(updated, Ok(MaxHopDelay::from_units(19)));
        assert_eq!(packet, [0x00, 0x13, 0xAA]);
        MaxHopDelay::update_in_place(&mut packet, Span::from_us(1), Rounding::Down).unwrap();
        assert_eq!(packet, [0x00, 0x13, 0xAA]);
    }

    #[test]
    fn golden_header_is_big_endian() {
        // 0x01 0x02 = 258 units; the third byte is payload.
        let (header, rest) = MaxHopDelay::parse(&[0x01, 0x02, 0x77]).unwrap();
        assert_eq!(header.units(), 258);
        assert_eq!(header.delay(), Span::from_ns(258 * 256));
        assert_eq!(rest, [0x77]);
    }

    #[test]
    fn an_ack_brings_the_forward_maximum_beside_its_own() {
        // The data packet met 30 us: 117 units = 0x75. The receiver reflects it, the ack meets 3 us
        // on its way back: 11 units = 0x0B.
        let forward = MaxHopDelay::quantise(Span::from_us(30), Rounding::Down);
        let mut ack = [0; ACK_SIZE];
        AckDelays::reflecting(forward).encode(&mut ack).unwrap();
        assert_eq!(ack, [0x00, 0x00, 0x00, 0x75]);
        MaxHopDelay::update_in_place(&mut ack, Span::from_us(3), Rounding::Down).unwrap();
        assert_eq!(ack, [0x00, 0x0B, 0x00, 0x75]);
        let (delays, _) = AckDelays::parse(&ack).unwrap();
        assert_eq!(delays.forward.units(), 117);
        assert_eq!(delays.reverse.units(), 11);
    }

    #[test]
    fn short_bytes_say_what_is_missing() {
        let error = MaxHopDelay::parse(&[0x01]).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::Truncated { need: 2, have: 1 });
        let error = MaxHopDelay::ZERO.encode(&mut [0; 1]).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::NoRoom { need: 2, have: 1 });
    }
}
