//! The transport's own packets, over UDP: [`Data`] and [`Ack`]. Everything is big-endian.
//!
//! ```text
//!  byte 0         | version 4 | type 4 |
//!  byte 1 … 3     depends on the type
//!  byte 4 … 7     CRC-32C of the packet without these four bytes
//!  byte 8 … 11    connection
//! ```
//! The checksum is for the host to notice what a switch or a driver broke. What switches are meant
//! to rewrite is not under it: the telemetry, which travels in front of the packet
//! ([`telemetry`](crate::telemetry)), and two bits, one that a ToR switch sets on data packets
//! ([`set_circuit_up_in_place`]) and one that a switch with reverse-path marking sets on acks
//! ([`mark_congestion_in_place`]).
//!
//! Bytes behind the end of a packet (Ethernet pads short frames) are ignored.

mod ack;
mod data;

pub use ack::{Ack, AckView, ByteRange, MAX_RANGES, mark_congestion_in_place};
pub use data::{Data, DataFlags, DataView, set_circuit_up_in_place};

use crate::checksum::Crc32c;
use crate::error::{Format, WireError, WireErrorKind};

/// The version that this crate speaks.
pub const VERSION: u8 = 1;

const TYPE_DATA: u8 = 1;
const TYPE_ACK: u8 = 2;

/// Which connection: chosen by the side that opens it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

/// Which packet, counted in the order of the byte stream. A retransmission has the number of the
/// original and says that it is one ([`DataFlags::retransmission`]); when it was sent tells the copies
/// apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketNumber(pub u64);

/// Which message of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// A packet of either type.
#[derive(Clone, Copy, Debug)]
pub enum Packet<'a> {
    /// Payload.
    Data(DataView<'a>),
    /// An acknowledgement.
    Ack(AckView<'a>),
}

impl<'a> Packet<'a> {
    /// Reads and checks a packet (behind the travelling telemetry).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let &first = bytes.first().ok_or(Format::Packet.truncated(1, 0))?;
        match first & 0xF {
            TYPE_DATA => DataView::parse(bytes).map(Self::Data),
            TYPE_ACK => AckView::parse(bytes).map(Self::Ack),
            other => Err(Format::Packet.above_limit("packet type", u64::from(other), u64::from(TYPE_ACK))),
        }
    }
}

/// A flag as it lies in the byte of flags.
const fn flag(set: bool, bit: u8) -> u8 {
    if set { bit } else { 0 }
}

const fn first_byte(kind: u8) -> u8 {
    VERSION << 4 | kind
}

fn check_first_byte(format: Format, first: u8, kind: u8) -> Result<(), WireError> {
    if first >> 4 != VERSION {
        return Err(format.error(WireErrorKind::BadVersion { found: first >> 4, expected: VERSION }));
    }
    if first & 0xF != kind {
        return Err(format.bad_value("packet type", u64::from(first & 0xF), u64::from(kind)));
    }
    Ok(())
}

/// The sum over a packet: four bytes (as far as they are covered), then all behind the sum itself.
fn checksum(start: [u8; 4], header_behind_sum: &[u8], body: &[u8]) -> u32 {
    Crc32c::new().add(&start).add(header_behind_sum).add(body).finish()
}

fn check_sum(format: Format, found: u32, computed: u32) -> Result<(), WireError> {
    if found == computed {
        return Ok(());
    }
    Err(format.error(WireErrorKind::BadChecksum { found, computed }))
}
