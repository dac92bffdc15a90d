//! What a run yields.

use crate::routes::mix;
use plimsoll_transport::{Counters, Failure};
use plimsoll_units::{Bytes, Time};

/// How the sending end of a message fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The message, as an index into the workload's messages.
    pub message: u32,
    /// When it began.
    pub begin: Time,
    /// When its last ack reached the sender.
    pub acked: Time,
}

/// When a message had arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The message, as an index into the workload's messages.
    pub message: u32,
    /// When.
    pub at: Time,
}

/// What a connection's sender did, until it ended or the run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The connection.
    pub connection: u32,
    /// What its sender did.
    pub counters: Counters,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
}

/// Sums over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets that reached the far end of a link.
    pub packet_hops: u64,
    /// Packets that hosts sent, and their bytes on the wire.
    pub sent: u64,
    /// Bytes on the wire that hosts sent.
    pub sent_bytes: u64,
    /// Bytes on the wire that reached the host they were for.
    pub arrived_bytes: u64,
    /// Bytes on the wire that were dropped, lost or damaged.
    pub dropped_bytes: u64,
    /// Bytes on the wire in queues and on links at the end.
    pub remaining_bytes: u64,
    /// Packets dropped for want of buffer.
    pub buffer_drops: u64,
    /// Packets dropped by CoDel.
    pub codel_drops: u64,
    /// Packets lost on links at random.
    pub link_losses: u64,
    /// Packets damaged on links at random.
    pub damaged: u64,
    /// Packets that a broken link took with it.
    pub broken: u64,
    /// Packets that no path led on.
    pub unroutable: u64,
    /// Packets marked.
    pub marks: u64,
    /// PFC pauses sent.
    pub pauses: u64,
    /// A sum over all packet arrivals of a hash of time, port, label and size, and a hash of the sums of
    /// drops, marks and pauses: equal runs have equal hashes, however they were split.
    pub trace_hash: u64,
}

impl Totals {
    #[inline]
    pub(crate) fn hash(&mut self, now: u64, port: u32, label: u16, size: u16) {
        let what = u64::from(port) << 32 ^ u64::from(label) ^ u64::from(size) << 48;
        let mut x = (now ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ what;
        x = (x ^ x >> 32).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.trace_hash = self.trace_hash.wrapping_add(x ^ x >> 29);
    }

    /// All parts are summed up: the hash takes in what no arrival tells, who was dropped and marked.
    pub(crate) fn seal(&mut self) {
        let untold = [
            self.sent,
            self.buffer_drops,
            self.codel_drops,
            self.link_losses,
            self.damaged,
            self.broken,
            self.unroutable,
            self.marks,
            self.pauses,
        ];
        for sum in untold {
            self.trace_hash = mix(self.trace_hash ^ mix(sum));
        }
    }

    /// The sums of two parts of a run.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.packet_hops += other.packet_hops;
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.arrived_bytes += other.arrived_bytes;
        self.dropped_bytes += other.dropped_bytes;
        self.remaining_bytes += other.remaining_bytes;
        self.buffer_drops += other.buffer_drops;
        self.codel_drops += other.codel_drops;
        self.link_losses += other.link_losses;
        self.damaged += other.damaged;
        self.broken += other.broken;
        self.unroutable += other.unroutable;
        self.marks += other.marks;
        self.pauses += other.pauses;
        self.trace_hash = self.trace_hash.wrapping_add(other.trace_hash);
    }
}

/// What a run yields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Messages whose every byte was acked, by number.
    pub sent: Vec<Sent>,
    /// Messages that arrived whole, by number.
    pub delivered: Vec<Delivered>,
    /// Connections that ended, by number.
    pub ended: Vec<Ended>,
    /// Connections that were still open at the end of the run, by number.
    pub open: Vec<Ended>,
    /// The most bytes that waited at each port.
    pub longest_queues: Vec<Bytes>,
    /// Sums.
    pub totals: Totals,
    /// When the run ended.
    pub now: Time,
    /// The run was stopped before its end.
    pub partial: bool,
}
