//! An experiment as data.
//!
//! A scenario is a TOML text: a topology, its switches and hosts, the law that hosts run, who sends
//! what to whom, what goes wrong, and what is recorded. Reading needs the text, a name for messages
//! and, if the scenario names files, somebody who loads them; no file system, so it works in a
//! browser too. What is not said has a default that follows from the rest.
//!
//! ```toml
//! [topology]
//! kind = "single-switch"
//! hosts = 17
//!
//! [cc]
//! law = "poseidon"
//! preset = "nsdi23"      # optional; the first preset of `plimsoll explain poseidon` if absent
//! m = 0.5                # any parameter of the law
//!
//! [[traffic]]
//! kind = "incast"
//! to = 16
//! ```
//!
//! # Tour
//! | room | what is there |
//! |---|---|
//! | [`Scenario`] | what a text means, read, checked and written back |
//! | [`topology`], [`traffic`], [`switch`] | its larger tables, one file per kind |
//! | [`fault`], [`record`], [`routing`] | its smaller tables |
//! | [`HostParams`] | the `[host]` table |
//! | [`Network`] | hosts and switches, joined by links: what a topology describes |
//! | [`Workload`] | connections and messages: what traffic becomes |
//! | [`sizes`] | distributions of flow sizes |
//! | [`Sweep`] | many runs of one scenario: a grid of keys, laws and seeds |
//! | [`hpcc`] | files of HPCC's simulator, and how they become a scenario |
//! | [`explain()`], [`json_schema`] | every table and key, for people and for editors |
//! | [`Problem`] | what is wrong with a text: file, line, column, key, value, bound |
//!
//! # Example
//! ```
//! use plimsoll_scenario::Scenario;
//! let scenario = Scenario::parse("cc.toml", "[cc]\nlaw = \"poseidon\"\nm = 0.5\n").unwrap();
//! assert_eq!(scenario.cc.entry().name, "poseidon");
//!
//! let problems = Scenario::parse("cc.toml", "[cc]\nlaw = \"poseidon\"\nm = 3.0\n").unwrap_err();
//! assert!(problems.to_string().starts_with(
//!     "cc.toml:3:5: `m = 3.0` is out of bounds; it must be a number from 0.001 to 1.999"));
//! ```
#![forbid(unsafe_code)]

pub mod explain;
pub mod fault;
mod host;
pub mod hpcc;
mod load;
pub mod network;
mod problem;
mod random;
mod read;
pub mod record;
mod resolve;
pub mod routing;
mod scenario;
mod schema;
pub mod select;
pub mod sizes;
mod source;
pub mod sweep;
pub mod switch;
pub mod table;
pub mod topology;
pub mod traffic;
pub mod workload;
mod write;

pub use explain::explain;
pub use fault::Fault;
pub use host::HostParams;
pub use load::{Loader, NoFiles};
pub use network::{Link, Network, NetworkError};
pub use problem::{Kind, Problem, Problems};
pub use record::Record;
pub use routing::{Paths, Routing};
pub use scenario::{Overrides, Scenario};
pub use schema::json_schema;
pub use select::Refusal;
pub use sweep::Sweep;
pub use switch::{IntMode, SwitchSettings};
pub use topology::Topology;
pub use traffic::Traffic;
pub use workload::{Connection, Message, Start, Workload};
