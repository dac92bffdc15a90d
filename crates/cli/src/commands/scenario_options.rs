//! What `run` and `compare` both ask for.

use clap::Args;
use plimsoll_scenario::Overrides;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ScenarioOptions {
    /// The scenario's file; `-` reads standard input.
    pub(crate) scenario: PathBuf,
    /// Another value for a key of the scenario, as often as needed: `switch.buffer.size=4MB`,
    /// `traffic.0.load=0.8` (`plimsoll explain scenario` shows the keys).
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Another seed than the scenario's.
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Threads to run on, at most one per rack; the result is the same with any number.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
}

impl ScenarioOptions {
    pub(crate) fn overrides(&self, law: Option<String>) -> Overrides {
        Overrides { law, seed: self.seed, set: self.set.clone() }
    }

    pub(crate) fn threads(&self) -> usize {
        usize::from(self.threads)
    }
}
