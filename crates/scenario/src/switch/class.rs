//! Classes of packets.

use crate::table::table;

table! {
    /// A class of packets with queues of its own; the first `[[switch.class]]` is class 0. Without any
    /// there is one class.
    pub struct Class in "switch.class" {
        /// A class is served while no class of higher priority waits; equal ones take turns.
        priority: u32 where [0, 7] = 0,
        /// Whether PFC, if it is on, protects the class from loss.
        lossless: bool = true,
        /// Whether its packets are marked.
        marks: bool = true,
        /// The class's factor of dynamic thresholds; "auto" = `switch.buffer.alpha`.
        alpha: Option<f64> where [0.000_001, 1_000_000.0] = None,
    }
}

impl Default for Class {
    fn default() -> Self {
        Self { priority: 0, lossless: true, marks: true, alpha: None }
    }
}
