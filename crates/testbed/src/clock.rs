//! One clock for the switch and the hosts.

use plimsoll_units::{Span, Time};
use std::time::Instant;

/// Time since the run began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Time {
        let elapsed = self.0.elapsed();
        // A picosecond count of 64 bits lasts seven months.
        Time::after_start(Span::from_ns(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX / 1_000)))
    }
}
