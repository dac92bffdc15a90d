//! `plimsoll schema`.

use crate::error::{Error, Verdict};
use clap::Args;
use std::io::Write;

/// Print the JSON schema of scenario files, for editors.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll schema > scenario.schema.json\n  \
    # then, as the first line of a scenario, for editors that know taplo:\n  \
    #:schema ./scenario.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        writeln!(out, "{}", plimsoll_scenario::json_schema().trim_end())?;
        Ok(Verdict::Good)
    }
}
