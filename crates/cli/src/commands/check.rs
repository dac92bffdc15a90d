//! `plimsoll check FILE`.

use crate::error::{Error, Verdict};
use crate::scenario_file;
use clap::Args;
use plimsoll_scenario::Overrides;
use std::io::Write;
use std::path::PathBuf;

/// Check a scenario file and show what it resolves to.
///
/// Every problem is shown with its line; the exit code is then 2. A good file is printed with
/// all its parameters written out, which is a scenario again.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll check scenario.toml\n  \
    plimsoll check scenario.toml --set traffic.0.load=0.8\n  \
    printf '[cc]\\nlaw = \"swift\"\\n' | plimsoll check -")]
pub(crate) struct Check {
    /// The file; `-` reads standard input.
    file: PathBuf,
    /// Another value for a key, as in `plimsoll run`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print the resolved scenario as JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let text = scenario_file::text(&self.file)?;
        let scenario =
            scenario_file::parse(&self.file, &text, &Overrides { set: self.set, ..Overrides::default() })?;
        let resolved = scenario.to_toml();
        if self.json {
            // What we wrote is TOML; if it were not, its tests would fail.
            let table: toml::Table =
                toml::from_str(&resolved).map_err(|error| std::io::Error::other(error.to_string()))?;
            serde_json::to_writer_pretty(&mut *out, &table)?;
            writeln!(out)?;
        } else {
            write!(out, "{resolved}")?;
        }
        Ok(Verdict::Good)
    }
}
