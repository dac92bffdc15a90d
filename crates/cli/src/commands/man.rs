//! `plimsoll man DIR`.

use crate::Arguments;
use crate::error::{Error, Verdict};
use crate::files;
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use std::path::PathBuf;

/// Write manual pages, one for plimsoll and one for each of its commands.
#[derive(Args)]
#[command(after_help = "Examples:\n  plimsoll man ~/.local/share/man/man1 && man plimsoll-reproduce")]
pub(crate) struct Man {
    /// The folder to write to.
    dir: PathBuf,
}

impl Man {
    pub(super) fn run(self) -> Result<Verdict, Error> {
        let mut command = Arguments::command();
        command.build();
        let parts = command.get_subcommands().filter(|part| part.get_name() != "help").cloned();
        for command in std::iter::once(command.clone()).chain(parts) {
            let page = Page::new(command);
            let mut text = Vec::new();
            page.render(&mut text)?;
            files::write(&self.dir.join(page.get_filename()), &text)?;
        }
        Ok(Verdict::Good)
    }
}
