//! The `[record]` table.

use crate::select::{Names, Ports, Switches};
use crate::table::table;
use plimsoll_units::Span;

table! {
    /// What is sampled while the run goes on, besides the flows; by default nothing.
    pub struct Record in "record" {
        /// Time between two samples.
        interval: Span where [Span::from_ns(1), Span::from_s(1_000)] = Span::from_us(10),
        /// Ports whose queue length is sampled.
        queues: Ports = Ports::none(),
        /// Ports whose throughput is sampled.
        throughput: Ports = Ports::none(),
        /// Switches whose buffer is sampled: the bytes that wait in all their queues.
        buffers: Switches = Switches::none(),
        /// Whether each flow's delivered bytes per interval are recorded.
        rates: bool = false,
        /// Whether each flow's window and pacing rate are sampled.
        windows: bool = false,
        /// Whether each flow's latest round trip time is sampled.
        rtt: bool = false,
        /// Whether what each flow has in flight is sampled.
        in_flight: bool = false,
        /// Whether the longest wait at a hop that each flow's last ack told is sampled; only where switches
        /// write telemetry.
        hop_delay: bool = false,
        /// Whether each mark that a switch decides on for a flow, each that a switch sends back itself, and each
        /// time that its sender's window falls, because of a mark or not, are recorded, at their own moments and
        /// not by `interval`.
        marks: bool = false,
        /// The traffic whose flows are sampled, by `name`; "all".
        groups: Names = Names(vec!["all".to_owned()]),
        /// When sampling begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When sampling ends; "auto" = with the run.
        stop: Option<Span> where [Span::ZERO, Span::from_s(100_000)] = None,
        /// Ports whose packets are captured, headers and telemetry included, as `packets.pcapng` in the results;
        /// a packet's time is that at which its last bit left the port. `plimsoll export pcapng` can do it later.
        packets: Ports = Ports::none(),
    }
}

impl Record {
    /// Nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            interval: Span::from_us(10),
            queues: Ports::none(),
            throughput: Ports::none(),
            buffers: Switches::none(),
            rates: false,
            windows: false,
            rtt: false,
            in_flight: false,
            hop_delay: false,
            marks: false,
            groups: Names(vec!["all".to_owned()]),
            start: Span::ZERO,
            stop: None,
            packets: Ports::none(),
        }
    }
}
