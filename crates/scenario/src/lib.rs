//! An experiment as data.
//!
//! A scenario is a TOML text. It says which law a host runs and with which parameters; topology
//! and workload join it with the simulator. Reading needs the text and a name for messages, no
//! file system, so it works in a browser too.
//!
//! ```toml
//! [host]
//! nic_rate = "100Gbps"
//! base_rtt = "8us"
//!
//! [cc]
//! law = "poseidon"
//! preset = "nsdi23"      # optional; the first preset of `plimsoll explain poseidon` if absent
//! m = 0.5                # any parameter of the law
//! ```
//!
//! # Tour
//! | room | what is there |
//! |---|---|
//! | [`Scenario`] | what a text means, read, checked and written back |
//! | [`HostParams`] | the `[host]` table |
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

mod host;
mod problem;
mod read;
mod source;
mod write;

pub use host::HostParams;
pub use problem::{Kind, Problem, Problems};

use plimsoll_cc::registry::AnyParams;

/// What a scenario text says.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The hosts.
    pub host: HostParams,
    /// The law that the hosts run, with its parameters.
    pub cc: AnyParams,
}

impl Scenario {
    /// Reads and checks a text; `name` stands in front of messages, usually the file's path.
    ///
    /// # Errors
    /// All problems of the text, in the order of their place.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        read::scenario(name, text)
    }

    /// The scenario as text with every parameter written out: reads back to the very same.
    #[must_use]
    pub fn to_toml(&self) -> String {
        write::scenario(self)
    }
}
