//! Delays over time, as senders measure them or switches write them down.

use super::Recorded;
use crate::chart::Chart;

const MICROSECOND: f64 = 1e6;

/// The round trip of each flow's last ack.
pub(super) fn round_trips(run: &Recorded<'_>) -> Option<Chart> {
    run.over_time("rtt", "round trip times", "Round trip time (µs)", MICROSECOND)
}

/// The longest wait at a hop that each flow's last ack told.
pub(super) fn hop_delays(run: &Recorded<'_>) -> Option<Chart> {
    run.over_time("max-hop-delay", "longest delay at a hop", "Delay at a hop (µs)", MICROSECOND)
}
