//! The transport: a sender and a receiver without clock and I/O, generic over the congestion
//! control law. The simulator drives it in its hot loop, the testbed over UDP; both only move
//! packets and call it when time has passed.
#![forbid(unsafe_code)]

mod bits;
pub mod config;
mod ecn;
mod flight;
mod outbox;
mod pacer;
pub mod packet;
pub mod receiver;
mod reorder;
mod rto;
pub mod sender;
pub mod stack;
pub mod telemetry;
#[cfg(test)]
mod testing;

pub use config::{Config, EcnEcho, LossReport, PendingSlot, Reliability, WindowRule};
pub use outbox::{Completed, EnqueueError};
pub use packet::{AckPacket, DataPacket, Ecn, MessageId, PacketNumber};
pub use receiver::{Arrival, Fate, Receiver, Refusal};
pub use sender::{Acked, Blocked, Counters, Failure, Poll, Sender};
pub use stack::{Stack, StackError};
pub use telemetry::{HopRecords, MaxHopDelay, Reflect};
