//! [`DataPacket`] and [`AckPacket`]: what the two ends say to each other, in memory.
//!
//! Small and copyable, because the simulator moves them through its queues. Both are generic over
//! the telemetry `T` that rides along, so that a law without telemetry pays nothing for it; see
//! [`telemetry`](crate::telemetry).

use plimsoll_units::{Bytes, Span, Time};

/// Which message of a connection, counted from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// Which packet of a connection, counted from zero in the order of the byte stream. A repetition
/// has the number of the original: the number says which bytes, `sent_at` says which copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketNumber(pub u64);

/// The congestion field of a packet's IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Switches must drop it instead of marking it.
    #[default]
    NotCapable,
    /// Switches may mark it (ECT).
    Capable,
    /// A switch marked it (CE).
    Marked,
}

/// A packet with payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataPacket<T = ()> {
    /// Which packet.
    pub number: PacketNumber,
    /// Where its first byte lies in the stream.
    pub offset: Bytes,
    /// The message that it is a part of.
    pub message: MessageId,
    /// When this copy left the sender, by the sender's clock.
    pub sent_at: Time,
    /// Bytes of payload, never zero.
    pub length: u32,
    /// Its last byte is the last of its message.
    pub ends_message: bool,
    /// These bytes were sent before.
    pub repeated: bool,
    /// The sender has answered the echoed congestion mark (RFC 3168's CWR).
    pub window_reduced: bool,
    /// Marked by switches.
    pub ecn: Ecn,
    /// A circuit to the destination is up; set by ToR switches (reTCP).
    pub circuit_up: bool,
    /// Switches passed so far; counted by them.
    pub hops: u8,
    /// What the switches wrote.
    pub telemetry: T,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckPacket<T = ()> {
    /// The next byte of the stream that is expected: all before it have arrived.
    pub next_expected: Bytes,
    /// The packet that caused this ack: the newest that arrived.
    pub number: PacketNumber,
    /// Which packets of the 64 up to `number` have arrived and wait behind a hole: the top bit
    /// stands for `number` itself, the bit below for the packet before it, and so on. Packets
    /// before the first hole are not shown here; `next_expected` covers them.
    pub arrived: u64,
    /// When that packet left the sender, echoed.
    pub echoed_sent_at: Time,
    /// From the arrival of that packet to the departure of this ack. The state machine counts
    /// only the wait for more packets; a host with a slow stack adds its own.
    pub receiver_delay: Span,
    /// Bytes that arrived with a congestion mark since the start.
    pub marked: Bytes,
    /// The longest wait of this ack in a queue; written by switches that stamp acks.
    pub reverse_delay: Span,
    /// A congestion echo: set by the receiver, or on the way by a switch (RPM).
    pub congestion_echo: bool,
    /// The packet was refused because one before it is missing (go-back-N).
    pub refused: bool,
    /// A circuit to the destination is up; echoed from the data packet.
    pub circuit_up: bool,
    /// Switches that the data packet passed.
    pub hops: u8,
    /// What the switches wrote on the data packet, reflected.
    pub reflected: T,
}

// Both travel through the simulator's queues; a cache line is 64 bytes.
const _: () = assert!(size_of::<DataPacket>() == 48);
const _: () = assert!(size_of::<AckPacket>() == 64);
