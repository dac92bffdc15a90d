//! `plimsoll`: parse, call, print.
//!
//! One file per command in `commands/`; the figures of the papers in `figures/`, beside the
//! folders of the same names in `papers/`.
#![forbid(unsafe_code)]

mod bench;
mod brownfield;
mod catalogue;
mod claims;
mod commands;
mod draws;
mod error;
mod expected;
mod figures;
mod files;
mod fingerprint;
mod fluid_scenario;
mod human;
#[cfg(target_os = "linux")]
mod noise;
mod packets;
mod plots;
mod progress;
mod results;
mod scenario_file;
mod subjects;
mod sweep;
mod watched;

use clap::Parser;
use error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Datacenter congestion control: laws, a packet simulator, models, figures.
#[derive(Parser)]
#[command(name = "plimsoll", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Examples:\n  \
    plimsoll run scenarios/incast16.toml                         one scenario, packet by packet\n  \
    plimsoll compare scenarios/incast16.toml --cc hpcc,swift     the same under several laws\n  \
    plimsoll sweep scenarios/sweeps/load.toml                    a grid of keys, laws and seeds on all cores\n  \
    plimsoll brownfield scenarios/brownfield.toml                what does INT in some switches bring?\n  \
    plimsoll fluid maxmin scenarios/parking-lot.toml             the fair rates, without packets\n  \
    sudo plimsoll testbed compare scenarios/testbed/multi-hop.toml   the same on real packets\n  \
    sudo plimsoll kernel load poseidon   a law as Linux's TCP congestion control\n  \
    sudo plimsoll testbed reproduce      claims of the papers on real packets\n  \
    plimsoll reproduce --quick           check the papers' claims, draw their figures\n  \
    plimsoll reproduce poseidon/fig7a    one figure\n  \
    plimsoll list cc                     all congestion control laws\n  \
    plimsoll explain poseidon.m          one parameter: meaning, bounds, published values\n  \
    plimsoll check scenario.toml         is this file right, and what does it resolve to?")]
struct Arguments {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = io::stdout().lock();
    let result = arguments.command.run(&mut out).and_then(|verdict| {
        out.flush()?;
        Ok(verdict)
    });
    match result {
        Ok(verdict) => verdict.exit_code(),
        // Whoever reads stopped reading, `| head` for instance: nothing is wrong.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If even this cannot be written there is nobody left to tell.
            let _ = writeln!(io::stderr(), "{error}");
            error.exit_code()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        for command in Arguments::command().get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            assert!(help.contains("Examples:"), "{help}");
        }
    }
}
