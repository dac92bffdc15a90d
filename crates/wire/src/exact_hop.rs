//! The exact per-hop record: 32 bytes, nothing rounded. For experiments that ask what HPCC's
//! compression costs, and for software switches, where bytes are cheap.
//!
//! ```text
//!  0        8            16             24            32
//!  | time ps | bytes sent | bytes queued | rate bit/s |     all u64 big-endian
//! ```

use crate::field;
use crate::hop_records::Record;
use plimsoll_units::{Bytes, Rate, Time};

/// What a port says of itself at the moment a packet leaves it (ALGORITHMS.md §0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactHop {
    /// When the packet left the queue, by the switch's clock.
    pub time: Time,
    /// Bytes that the port had sent before this packet.
    pub sent: Bytes,
    /// Bytes that stay in the port's queues without this packet.
    pub queue: Bytes,
    /// The rate of the link.
    pub rate: Rate,
}

impl Record for ExactHop {
    type Raw = [u8; 32];

    fn from_raw(raw: &[u8; 32]) -> Self {
        Self {
            time: Time::from_ps(u64::from_be_bytes(field::get::<0, 8, _>(raw))),
            sent: Bytes::new(u64::from_be_bytes(field::get::<8, 8, _>(raw))),
            queue: Bytes::new(u64::from_be_bytes(field::get::<16, 8, _>(raw))),
            rate: Rate::from_bps(u64::from_be_bytes(field::get::<24, 8, _>(raw))),
        }
    }

    fn to_raw(self) -> [u8; 32] {
        let mut raw = [0; 32];
        field::set::<0, 8, _>(&mut raw, self.time.as_ps().to_be_bytes());
        field::set::<8, 8, _>(&mut raw, self.sent.get().to_be_bytes());
        field::set::<16, 8, _>(&mut raw, self.queue.get().to_be_bytes());
        field::set::<24, 8, _>(&mut raw, self.rate.as_bps().to_be_bytes());
        raw
    }

    fn cut(bytes: &[u8]) -> &[[u8; 32]] {
        bytes.as_chunks().0
    }

    fn cut_mut(bytes: &mut [u8]) -> &mut [[u8; 32]] {
        bytes.as_chunks_mut().0
    }
}
