//! What laws allow, and what is in flight.

use super::Recorded;
use super::queue::bytes_over_time;
use super::rates::rate_over_time;
use crate::chart::Chart;

/// Each flow's congestion window.
pub(super) fn windows(run: &Recorded<'_>) -> Option<Chart> {
    bytes_over_time(run, "window", "congestion windows", "Window")
}

/// Each flow's pacing rate.
pub(super) fn pacing(run: &Recorded<'_>) -> Option<Chart> {
    rate_over_time(run, "pacing-rate", "pacing rates", "Pacing rate (Gb/s)")
}

/// What each flow has in flight.
pub(super) fn in_flight(run: &Recorded<'_>) -> Option<Chart> {
    bytes_over_time(run, "in-flight", "bytes in flight", "In flight")
}
