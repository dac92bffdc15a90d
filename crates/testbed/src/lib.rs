//! A scenario on real packets: the same laws, transport and formats as in the simulator, between Linux network
//! namespaces, through a software switch with the scenario's links and queues.
//!
//! ```text
//!   namespace h0        namespace switch          namespace h1
//!   UDP sockets ─ eth0 ══ p0  packet sockets  p1 ══ eth0 ─ UDP sockets
//!        │                      │                       │
//!     hosts' loop (one thread for all)   switch's loop (another thread)
//! ```
//!
//! | room | what is there |
//! |---|---|
//! | `fabric` | links, queues, marks, telemetry: a machine that is told the time, without I/O |
//! | `packet` | what a switch reads and writes in a frame |
//! | `routes`, `way` | shortest paths, and what a connection's has |
//! | `ports` | from which port each connection sends |
//! | `switch`, `hosts`, `cards` | the two loops, and what one tells the other |
//! | `namespace`, `sockets` | what Linux must give |
//! | `programs` | commands of the user in hosts' namespaces |
//! | `noise` | when the machine was busy with other things |
//! | `run` | all of it together |
//!
//! Only namespaces are made, whose names begin with `plimsoll-` and the number of the process; they go when the run
//! ends, however it ends, or with the next run or [`clean`] if it was killed.
#![forbid(unsafe_code)]

mod cards;
mod clock;
mod error;
mod fabric;
mod hosts;
mod namespace;
mod noise;
mod packet;
mod ports;
mod programs;
mod routes;
mod run;
mod sockets;
mod switch;
mod way;

pub use error::Error;
pub use fabric::{Counted, Fabric, address};
pub use namespace::{PREFIX, clean};
pub use programs::Program;
pub use run::{Control, Noise, Run, run, sizes};
