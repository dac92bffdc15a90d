//! `plimsoll check FILE`.

use crate::error::{Error, Verdict};
use clap::Args;
use plimsoll_scenario::Scenario;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Check a scenario file and show what it resolves to.
///
/// Every problem is shown with its line; the exit code is then 2. A good file is printed with
/// all its parameters written out, which is a scenario again.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll check scenario.toml\n  \
    printf '[cc]\\nlaw = \"swift\"\\n' | plimsoll check -")]
pub(crate) struct Check {
    /// The file; `-` reads standard input.
    file: PathBuf,
    /// Print the resolved scenario as JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let mut text = String::new();
        let read = if self.file.as_os_str() == "-" {
            std::io::stdin().read_to_string(&mut text)
        } else {
            std::fs::File::open(&self.file).and_then(|mut file| file.read_to_string(&mut text))
        };
        read.map_err(Error::file(&self.file))?;
        let scenario = Scenario::parse(&self.file.display().to_string(), &text).map_err(Error::Scenario)?;
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
