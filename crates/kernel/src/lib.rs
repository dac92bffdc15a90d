//! The laws as Linux TCP congestion controls, and network devices as switches that give them their signals.
//!
//! ```text
//!   plimsoll-cc ──constants/──▶ tables ──┐
//!   bpf/poseidon.bpf.c …  ──clang──▶ program ──▶ kernel: tcp_congestion_ops "plim_poseidon"
//!   bpf/telemetry.bpf.c   TCP options of all connections: ask, gather, reflect
//!   bpf/stamp.bpf.c       at a device: writes telemetry into passing segments
//!   bpf/rpm.bpf.c         at a device: sets the echo of passing acks
//! ```
//!
//! | room | what is there |
//! |---|---|
//! | `law`, `settings` | which laws have programs, and what they must know |
//! | `constants`, `fixed` | numbers and curves of a law, as its program has them |
//! | `place`, `building` | where loaded programs stay, how they go and how they come |
//! | `load`, `switch`, `tcx` | laws and devices |
//! | `status` | what is loaded, and how its connections are |
//! | `drive` | events for a program without any connection, for tests |
//! | `requirements` | what the machine must have |
//!
//! The feature `bpf` compiles the programs, which needs clang, libelf and zlib. Without it this crate builds
//! everywhere and can tell what is loaded and unload it, but not load.
#![cfg(target_os = "linux")]

#[cfg(feature = "bpf")]
mod building;
mod constants;
#[cfg(feature = "bpf")]
mod drive;
mod error;
mod fixed;
mod law;
#[cfg(feature = "bpf")]
mod load;
#[cfg(feature = "bpf")]
mod objects;
mod place;
#[cfg(feature = "bpf")]
mod program;
mod requirements;
mod settings;
mod status;
#[cfg(feature = "bpf")]
mod switch;
#[cfg(feature = "bpf")]
mod tcx;

#[cfg(feature = "bpf")]
pub use drive::{Answer, Driver, Event, Heard, Occasion};
pub use error::Error;
pub use law::Law;
#[cfg(feature = "bpf")]
pub use load::load;
pub use place::Place;
pub use settings::Settings;
pub use status::{Connection, Counts, Device, Status, status};
#[cfg(feature = "bpf")]
pub use switch::{Bench, Duty, Port, attach};
