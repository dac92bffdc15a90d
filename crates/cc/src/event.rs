//! What a law is told: its host, its path, and the events of a flow.

use crate::params::{self, ParamError};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// How many switches of a path can leave a record. HPCC's header has room for five; eight covers
/// a five-layer path and keeps a flow's state small. Records beyond it are ignored by the laws, so
/// whoever builds a network refuses longer paths for the laws that need records.
pub const MAX_HOPS: usize = 8;

/// The sending host: constant for all of its flows, so laws turn it into constants of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// Line rate of the network card.
    pub nic_rate: Rate,
    /// The network's base round trip time as configured (HPCC's T, PowerTCP's τ): the largest
    /// over all pairs, without queueing.
    pub base_rtt: Span,
    /// A full packet as rates count it: payload and headers.
    pub mtu: Bytes,
    /// The payload of a full packet, which windows count.
    pub mss: Bytes,
}

impl Host {
    /// Bandwidth-delay product of the card at the base round trip time.
    #[must_use]
    pub fn bdp(&self) -> Bytes {
        self.nic_rate.bytes_in(self.base_rtt)
    }

    /// Refuses hosts on which no law can be defined.
    ///
    /// # Errors
    /// Names the field, its value and the bound.
    pub fn check(&self) -> Result<(), ParamError<'static>> {
        params::bounds("nic_rate", self.nic_rate, Rate::from_bps(1_000), Rate::from_gbps(100_000))?;
        params::bounds("base_rtt", self.base_rtt, Span::from_ns(1), Span::from_s(1_000))?;
        params::bounds("mtu", self.mtu, Bytes::new(1), Bytes::from_mb(1))?;
        params::bounds("mss", self.mss, Bytes::new(1), self.mtu)
    }
}
/// The path of one flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Round trip time of this path without queueing.
    pub base_rtt: Span,
    /// Switches on the forward path.
    pub hops: u32,
    /// Seed for laws that flip coins; the same seed gives the same run.
    pub seed: u64,
}

/// What one switch wrote when the packet left its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopRecord {
    /// When the packet left the queue, by the switch's clock.
    pub time: Time,
    /// Bytes that the port had sent before this packet.
    pub sent: Bytes,
    /// Bytes queued at the port after this packet left.
    pub queue: Bytes,
    /// Rate of the link.
    pub rate: Rate,
}

/// What the network said about the acked packet's path.
#[derive(Clone, Copy, Debug, Default)]
pub enum Telemetry<'a> {
    /// Nothing.
    #[default]
    None,
    /// The longest wait in any stamping switch's queue.
    MaxHop {
        /// Seen by the data packet.
        forward: Span,
        /// Seen by its ack; zero where no switch stamps acks.
        reverse: Span,
    },
    /// One record per switch, from sender to receiver.
    Hops(&'a [HopRecord]),
}

/// An acknowledgement reached the sender.
///
/// `Ack::default()` with a few fields set is how tests write one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack<'a> {
    /// The time now.
    pub now: Time,
    /// Round trip of the packet that caused this ack, card to card.
    pub rtt: Span,
    /// The part of that round trip spent in the receiving host (Swift's endpoint delay).
    pub endpoint_delay: Span,
    /// Bytes delivered for the first time, cumulatively or selectively; zero for a duplicate ack.
    pub acked: Bytes,
    /// How many of those bytes travelled with a congestion mark (CE).
    pub marked: Bytes,
    /// The ack itself carries a congestion echo (TCP's ECE, RoCE's CNP bit).
    pub ece: bool,
    /// The ack says that a circuit to the destination is up (reTCP).
    pub circuit_up: bool,
    /// Bytes sent and neither delivered nor lost, after this ack.
    pub in_flight: Bytes,
    /// Everything below this stream position has been delivered.
    pub acked_to: Bytes,
    /// The next stream position that will be sent.
    pub sent_to: Bytes,
    /// Switches that the packet passed.
    pub hops: u32,
    /// What the network said.
    pub telemetry: Telemetry<'a>,
}

impl Ack<'_> {
    /// The round trip without the receiving host's part: what the network is to blame for. Without
    /// it, an ack that the receiver held back to cover several packets would look like a queue.
    #[must_use]
    pub fn network_rtt(&self) -> Span {
        self.rtt.saturating_sub(self.endpoint_delay)
    }
}

/// The transport found a loss by acks and begins a recovery episode (once per episode).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// The time now.
    pub now: Time,
    /// Bytes in flight when the loss was found, the lost ones included.
    pub in_flight: Bytes,
    /// The next stream position that will be sent: the episode ends when it is acked.
    pub sent_to: Bytes,
}

/// The retransmission timer expired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeout {
    /// The time now.
    pub now: Time,
    /// Bytes in flight when the timer expired.
    pub in_flight: Bytes,
    /// The next stream position that had been due.
    pub sent_to: Bytes,
}
