//! The commands, one file each.

mod bench;
mod brownfield;
mod check;
mod compare;
mod completions;
mod explain;
mod export;
mod fluid;
mod import;
mod kernel;
mod list;
mod man;
mod plot;
mod reproduce;
mod run;
mod scenario_options;
mod schema;
mod sweep;
mod testbed;

use crate::error::{Error, Verdict};
use clap::Subcommand;
use std::io::Write;

#[derive(Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Compare(compare::Compare),
    Plot(plot::Plot),
    Fluid(fluid::Fluid),
    Sweep(sweep::Sweep),
    Brownfield(brownfield::Brownfield),
    Testbed(testbed::Testbed),
    Kernel(kernel::Kernel),
    Bench(bench::Bench),
    Reproduce(reproduce::Reproduce),
    List(list::List),
    Explain(explain::Explain),
    Check(check::Check),
    Schema(schema::Schema),
    Import(import::Import),
    Export(export::Export),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self {
            Self::Run(command) => command.run(out),
            Self::Compare(command) => command.run(out),
            Self::Plot(command) => command.run(out),
            Self::Fluid(command) => command.run(out),
            Self::Sweep(command) => command.run(out),
            Self::Brownfield(command) => command.run(out),
            Self::Testbed(command) => command.run(out),
            Self::Kernel(command) => command.run(out),
            Self::Bench(command) => command.run(out),
            Self::Reproduce(command) => command.run(out),
            Self::List(command) => command.run(out),
            Self::Explain(command) => command.run(out),
            Self::Check(command) => command.run(out),
            Self::Schema(command) => command.run(out),
            Self::Import(command) => command.run(out),
            Self::Export(command) => command.run(out),
            Self::Completions(command) => command.run(out),
            Self::Man(command) => command.run(),
        }
    }
}

/// Names of `known` that are like `name`: the nearest by spelling, and those that contain it.
pub(crate) fn near<'k>(name: &str, known: impl Iterator<Item = &'k str> + Clone) -> Vec<String> {
    const MOST: usize = 8;
    let mut names: Vec<&str> = Vec::new();
    while names.len() < MOST / 2 {
        let others = known.clone().filter(|known| !names.contains(known));
        match plimsoll_cc::params::nearest(name, others) {
            Some(nearest) => names.push(nearest),
            None => break,
        }
    }
    for containing in known.filter(|known| !name.is_empty() && known.contains(name)) {
        if names.len() < MOST && !names.contains(&containing) {
            names.push(containing);
        }
    }
    names.into_iter().map(str::to_owned).collect()
}
