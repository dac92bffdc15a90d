//! What a run is made of, but for the law.

use crate::sample::Sampling;
use plimsoll_cc::plb;
use plimsoll_scenario::{Network, SwitchSettings, Workload};
use plimsoll_transport::Config;
use plimsoll_units::{Bytes, Rate, Span, Time};

/// How packets of a flow spread over equal paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spreading {
    /// All take the same, by a hash of the flow.
    PerFlow,
    /// The same, until the flow stays congested and draws another.
    Plb(plb::Params),
    /// Each takes its own.
    PerPacket,
}

/// What happens to the network during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// What.
    pub what: ChangeKind,
}

/// What happens to a link or a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChangeKind {
    /// A link breaks: all on it and waiting for it is lost.
    LinkDown(u32),
    /// A link works again.
    LinkUp(u32),
    /// A link's rate changes, both ways.
    LinkRate(u32, Rate),
    /// A link loses packets with this probability from now on.
    LinkLoss(u32, f64),
    /// A link damages packets with this probability from now on.
    LinkCorruption(u32, f64),
}

/// A run, but for the law.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Hosts, switches, links.
    pub network: Network,
    /// What hosts send.
    pub workload: Workload,
    /// The transport of all hosts.
    pub transport: Config,
    /// Payload of a full packet.
    pub mss: Bytes,
    /// Bytes that headers and telemetry add to a data packet.
    pub header: Bytes,
    /// The network's base round trip time, which laws are told.
    pub base_rtt: Span,
    /// Bytes of an ack on the wire.
    pub ack_size: Bytes,
    /// Time in a receiver from a packet's arrival to its ack.
    pub receive_delay: Span,
    /// Whether acks report how long their packets were in the receiver.
    pub reports_delay: bool,
    /// Whether switches write on acks, too.
    pub stamps_acks: bool,
    /// The class of acks; `None` = that of the data.
    pub ack_class: Option<u8>,
    /// What switches do.
    pub switch: SwitchSettings,
    /// Which switches write telemetry, by number of the switch.
    pub stamping: Vec<bool>,
    /// Which switches have CoDel and reverse path congestion marking, by number of the switch.
    pub managing: Vec<bool>,
    /// How flows spread over equal paths.
    pub spreading: Spreading,
    /// Whether acks take the way of their data back.
    pub same_way_back: bool,
    /// For each connection the label that leads it through its waypoints, if it has any; empty if none has.
    pub pinned: Vec<Option<u16>>,
    /// What happens to the network, by time.
    pub changes: Vec<Change>,
    /// Serialisation times are cut to whole multiples of this: 1 ps is exact, 1 ns is what ns-3 does.
    pub tick: Span,
    /// What is read while the run goes on.
    pub sampling: Option<Sampling>,
    /// When the run ends, whatever is under way.
    pub end: Time,
    /// Every random number comes from it.
    pub seed: u64,
}
