//! A datacenter at packet level: deterministic, parallel, one event per packet-hop.
//!
//! # Tour
//! | room | what is there |
//! |---|---|
//! | [`Setup`] | what a run is made of, but for the law |
//! | `run` | one thread or many, with the same result |
//! | `partition` | a part of the network, and the loop |
//! | `wheel` | the event queue |
//! | `port`, `queue` | a queue and its link as one pipe; queues where leaving is an event |
//! | `forwarding`, `routes` | packets on links and in switches |
//! | [`paths()`] | which way each connection goes |
//! | `stamp` | what switches write on packets |
//! | `buffer` | shared buffers, PFC |
//! | `endpoint`, `host` | connections and network cards |
//! | `sample` | what is read while the run goes on |
//! | `capture` | packets of chosen ports as real bytes |
//! | `change` | links that break, return, slow down |
//! | `crossing` | what goes from one part to another |
//! | [`bare`] | a loop without laws, telemetry and records: how fast could it be? |
#![forbid(unsafe_code)]

pub mod bare;
mod buffer;
mod capture;
mod change;
mod crossing;
mod endpoint;
mod forwarding;
mod homa;
mod host;
mod packet;
mod partition;
mod paths;
mod port;
mod queue;
mod record;
mod reflect;
mod routes;
mod run;
mod sample;
mod setup;
mod shared;
mod simulate;
mod slab;
mod stamp;
mod timeline;
mod unit;
mod wheel;

pub use capture::{CapturedFrame, FIRST_PORT, FrameSink, HOMA_PORT, HOP_LIMIT, PAYLOAD_LIMIT, Tap};
pub use paths::paths;
pub use record::{Delivered, Ended, Outcome, Sent, Totals};
pub use run::{Control, Phase, PhaseHook, run};
pub use sample::{ConnectionReadings, Sampling};
pub use setup::{Change, ChangeKind, Setup, Spreading};
pub use simulate::{Options, Run, SimError, simulate, simulate_recorded};
