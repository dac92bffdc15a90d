//! What a queue's law says about a packet.

/// What to do with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Send it as it is.
    Pass,
    /// Tell of congestion and send it: set CE, or whatever the switch does instead
    /// (see [`rpm`](crate::rpm)).
    Mark,
    /// Discard it.
    Drop,
}
