//! `plimsoll completions SHELL`.

use crate::Arguments;
use crate::error::{Error, Verdict};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

/// Print a script that completes plimsoll's commands in a shell.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll completions bash > ~/.local/share/bash-completion/completions/plimsoll\n  \
    plimsoll completions fish > ~/.config/fish/completions/plimsoll.fish")]
pub(crate) struct Completions {
    /// For which shell.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        // Into memory first: the generator panics if its output closes.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "plimsoll", &mut script);
        out.write_all(&script)?;
        Ok(Verdict::Good)
    }
}
