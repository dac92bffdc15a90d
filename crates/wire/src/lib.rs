//! Bytes on the wire for telemetry-driven congestion control: what switches write into packets,
//! how receivers reflect it, and the transport's own packets.
//!
//! | format | file | bytes | who uses it |
//! |---|---|---|---|
//! | Poseidon's max-hop delay | [`max_hop_delay`] | 2, and 2 more in an ack | Poseidon |
//! | HPCC's compact records | [`compact_hop`] in [`hop_records`] | 42 for up to 5 hops | HPCC, PowerTCP as published |
//! | exact records | [`exact_hop`] in [`hop_records`] | 162 for up to 5 hops | the same laws without rounding |
//! | TCP option of records | [`tcp_option`] | 4 + 8 a hop, at most 36 | PowerTCP over TCP |
//! | TCP option of the max-hop delay | [`tcp_max_hop`] | 10 | Poseidon over TCP |
//! | IFA 2.0 | [`ifa`] | 12 | Poseidon on switches that speak IFA |
//! | P4-INT v2.1 | [`p4_int`] | 20 | Poseidon on switches that speak P4-INT |
//! | CSIG compact tag | [`csig`] | 4 | Poseidon, Swift on switches that speak CSIG |
//! | the transport's packets | [`header`] | 44 data, 68 to 294 ack | our transport, over UDP |
//! | HOMA's packets | [`homa`] | 36 | hosts that speak HOMA, over UDP |
//! | telemetry in front of them | [`telemetry`] | 0, 2, 42, 162 | our transport and our switches |
//! | Ethernet, IPv4 and UDP in front of that | [`frame`] | 42 | captures of the simulator |
//!
//! [`quantisation`] says how wrong a delay may be after it went through each of them.
//!
//! # Three rules
//! - **Nothing panics on any bytes.** A parser gives a value, or a [`WireError`] that names the
//!   format, the field, its value and the bound. Fixed fields lie at constant places of arrays, so
//!   that a wrong place does not compile.
//! - **Nothing is copied.** Payloads and records stay where they lie; views decode on demand.
//! - **What switches rewrite is not under a checksum**, and each format has the operation of the
//!   switch beside that of the host (`update_in_place`, `push`).
//!
//! # Life of a packet
//! ```
//! use plimsoll_units::{Bytes, Rounding, Span, Time};
//! use plimsoll_wire::header::*;
//! use plimsoll_wire::max_hop_delay::MaxHopDelay;
//! use plimsoll_wire::telemetry::{Telemetry, TelemetryKind};
//! # fn main() -> Result<(), plimsoll_wire::WireError> {
//! // The sender leaves room for telemetry, then writes the packet.
//! let kind = TelemetryKind::MaxHopDelay;
//! let mut wire = [0; 64];
//! let front = kind.start_travelling(&mut wire)?;
//! let data = Data {
//!     connection: ConnectionId(1),
//!     packet: PacketNumber(1),
//!     offset: Bytes::ZERO,
//!     message: MessageId(1),
//!     sent_at: Time::ZERO,
//!     flags: DataFlags::default(),
//!     payload: b"hello",
//! };
//! data.encode(&mut wire[front..])?;
//!
//! // Two switches write what the packet waited.
//! MaxHopDelay::update_in_place(&mut wire, Span::from_us(3), Rounding::Down)?;
//! MaxHopDelay::update_in_place(&mut wire, Span::from_us(1), Rounding::Down)?;
//!
//! // The receiver finds the larger, and would put it into the ack.
//! let (telemetry, rest) = kind.parse_travelling(&wire)?;
//! assert_eq!(telemetry, Telemetry::MaxHopDelay(MaxHopDelay::from_units(11)));
//! assert_eq!(DataView::parse(rest)?.payload(), b"hello");
//! # Ok(())
//! # }
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod checksum;
pub mod compact_hop;
pub mod csig;
mod error;
pub mod exact_hop;
mod field;
pub mod frame;
pub mod header;
pub mod homa;
pub mod hop_records;
pub mod ifa;
pub mod max_hop_delay;
pub mod p4_int;
pub mod quantisation;
pub mod tcp_max_hop;
pub mod tcp_option;
pub mod telemetry;

pub use error::{Format, WireError, WireErrorKind};
