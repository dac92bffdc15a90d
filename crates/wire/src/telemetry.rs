//! [`Telemetry`]: what a packet of the transport gathers on its way, in a place of its own between
//! UDP and the transport's header, and what the receiver reflects of it.
//!
//! ```text
//!  | UDP | travelling telemetry (0, 2, 42 or 162) | transport header | payload or reflection
//! ```
//! Switches rewrite the telemetry, so it lies outside the transport's checksum. Both ends agree on
//! the kind when they connect, and switches know it from the traffic class, so the bytes in front
//! say nothing about it; the reflection, which is the transport's own, says its kind.

use crate::compact_hop::CompactHop;
use crate::error::{Format, WireError};
use crate::exact_hop::ExactHop;
use crate::hop_records::{HopStack, packed_size, travelling_size};
use crate::max_hop_delay::{self, MaxHopDelay};

/// Which telemetry a connection gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TelemetryKind {
    /// None: laws that live on round-trip times, marks and losses.
    None = 0,
    /// The largest queueing delay: Poseidon.
    MaxHopDelay = 1,
    /// Compact records: HPCC and PowerTCP as published.
    CompactHops = 2,
    /// Exact records: the same without rounding.
    ExactHops = 3,
}

impl TelemetryKind {
    const LAST: u8 = 3;

    /// The kind of a number on the wire.
    pub const fn from_number(number: u8) -> Result<Self, WireError> {
        match number {
            0 => Ok(Self::None),
            1 => Ok(Self::MaxHopDelay),
            2 => Ok(Self::CompactHops),
            3 => Ok(Self::ExactHops),
            _ => Err(Format::Ack.above_limit("telemetry kind", number as u64, Self::LAST as u64)),
        }
    }

    /// Bytes in front of the transport's header.
    #[must_use]
    pub const fn travelling_size(self) -> usize {
        match self {
            Self::None => 0,
            Self::MaxHopDelay => max_hop_delay::SIZE,
            Self::CompactHops => travelling_size::<CompactHop>(),
            Self::ExactHops => travelling_size::<ExactHop>(),
        }
    }

    /// Writes empty telemetry, as a sender does; gives the number of bytes written.
    pub fn start_travelling(self, output: &mut [u8]) -> Result<usize, WireError> {
        match self {
            Self::None => Ok(0),
            Self::MaxHopDelay => MaxHopDelay::ZERO.encode(output),
            Self::CompactHops => HopStack::<CompactHop>::start_travelling(output),
            Self::ExactHops => HopStack::<ExactHop>::start_travelling(output),
        }
    }

    /// Reads what a packet gathered; gives it and the bytes behind it.
    pub fn parse_travelling(self, bytes: &[u8]) -> Result<(Telemetry<'_>, &[u8]), WireError> {
        match self {
            Self::None => Ok((Telemetry::None, bytes)),
            Self::MaxHopDelay => read(MaxHopDelay::parse(bytes), Telemetry::MaxHopDelay),
            Self::CompactHops => read(HopStack::parse_travelling(bytes), Telemetry::CompactHops),
            Self::ExactHops => read(HopStack::parse_travelling(bytes), Telemetry::ExactHops),
        }
    }

    /// Reads a reflection; gives it and the bytes behind it.
    pub(crate) fn parse_packed(self, bytes: &[u8]) -> Result<(Telemetry<'_>, &[u8]), WireError> {
        match self {
            Self::None => Ok((Telemetry::None, bytes)),
            Self::MaxHopDelay => read(MaxHopDelay::parse(bytes), Telemetry::MaxHopDelay),
            Self::CompactHops => read(HopStack::parse_packed(bytes), Telemetry::CompactHops),
            Self::ExactHops => read(HopStack::parse_packed(bytes), Telemetry::ExactHops),
        }
    }
}

fn read<'a, T>(
    parsed: Result<(T, &'a [u8]), WireError>,
    wrap: impl FnOnce(T) -> Telemetry<'a>,
) -> Result<(Telemetry<'a>, &'a [u8]), WireError> {
    parsed.map(|(value, rest)| (wrap(value), rest))
}

/// What a packet gathered, or what an ack reflects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telemetry<'a> {
    /// Nothing.
    None,
    /// The largest queueing delay.
    MaxHopDelay(MaxHopDelay),
    /// Compact records.
    CompactHops(HopStack<'a, CompactHop>),
    /// Exact records.
    ExactHops(HopStack<'a, ExactHop>),
}

impl Telemetry<'_> {
    /// Which telemetry this is.
    #[must_use]
    pub const fn kind(&self) -> TelemetryKind {
        match self {
            Self::None => TelemetryKind::None,
            Self::MaxHopDelay(_) => TelemetryKind::MaxHopDelay,
            Self::CompactHops(_) => TelemetryKind::CompactHops,
            Self::ExactHops(_) => TelemetryKind::ExactHops,
        }
    }

    /// Bytes of the reflection.
    pub(crate) const fn packed_size(&self) -> usize {
        match self {
            Self::None => 0,
            Self::MaxHopDelay(_) => max_hop_delay::SIZE,
            Self::CompactHops(hops) => packed_size::<CompactHop>(hops.len()),
            Self::ExactHops(hops) => packed_size::<ExactHop>(hops.len()),
        }
    }

    /// Writes the reflection; gives the number of bytes written.
    pub(crate) fn encode_packed(&self, output: &mut [u8]) -> Result<usize, WireError> {
        match self {
            Self::None => Ok(0),
            Self::MaxHopDelay(delay) => delay.encode(output),
            Self::CompactHops(hops) => hops.copy_packed(output),
            Self::ExactHops(hops) => hops.copy_packed(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::WireErrorKind;

    #[test]
    fn each_kind_takes_its_room_in_front_of_the_header() {
        let kinds = [
            (TelemetryKind::None, 0),
            (TelemetryKind::MaxHopDelay, 2),
            (TelemetryKind::CompactHops, 42),
            (TelemetryKind::ExactHops, 162),
        ];
        for (kind, size) in kinds {
            assert_eq!(kind.travelling_size(), size);
            let mut packet = [0x55; 200];
            assert_eq!(kind.start_travelling(&mut packet), Ok(size));
            let (telemetry, rest) = kind.parse_travelling(&packet).unwrap();
            assert_eq!(telemetry.kind(), kind);
            assert_eq!(rest.len(), 200 - size);
            assert_eq!(TelemetryKind::from_number(kind as u8), Ok(kind));
        }
    }

    #[test]
    fn an_unknown_kind_is_refused_with_its_number() {
        let error = TelemetryKind::from_number(4).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::AboveLimit { field: "telemetry kind", found: 4, limit: 3 });
    }
}
