//! `plimsoll testbed …`.

use crate::error::{Error, Verdict};
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::PathBuf;

/// Run scenarios on real packets, between Linux network namespaces.
///
/// Each host is a namespace with sockets of its own; a software switch between them has the scenario's links and
/// queues, marks and telemetry; hosts run the same transport and laws as in the simulator, over UDP. Needs root and
/// `ip`; only namespaces whose names begin with `plimsoll-` are made, and they go when the run ends.
#[derive(Args)]
#[command(after_help = EXITS)]
pub(crate) struct Testbed {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scenario on real packets and write what it yields.
    ///
    /// The folder of results is that of `plimsoll run`. The time is real: a scenario of 2 s takes 2 s. While the
    /// machine did something else, readings are left out; above --limit the run fails.
    ///
    /// With --program, ordinary programs run in hosts' namespaces and share the switch with the scenario's flows; the
    /// scenario may have none of its own. Their output is in the folder of results.
    #[command(after_help = EXITS)]
    Run(Run),
    /// Run a scenario in the simulator and on real packets, and lay both side by side.
    #[command(after_help = EXITS)]
    Compare(Scenario),
    /// Remove namespaces that killed runs have left.
    #[command(after_help = "Examples:\n  sudo plimsoll testbed clean")]
    Clean,
}

const EXITS: &str = "Exit codes:\n  \
    0    the run reached its end and no flow failed\n  \
    1    a flow failed\n  \
    2    the scenario is wrong or cannot be run on real packets, or a file cannot be written\n  \
    3    root, `ip` or a feature of the kernel is missing; the message says which\n  \
    4    the machine was too busy for a result that could be believed\n  \
    130  stopped by Ctrl-C or SIGTERM; the results are partial\n\n\
    Examples:\n  \
    sudo plimsoll testbed run scenarios/testbed/incast.toml\n  \
    sudo plimsoll testbed run scenarios/testbed/incast.toml --cc swift --set duration=1s\n  \
    sudo plimsoll testbed run scenarios/testbed/incast.toml --program 'h1: iperf3 -s -1' --program 'h0: iperf3 -c {h1} -t 1'\n  \
    sudo plimsoll testbed compare scenarios/testbed/multi-hop.toml\n  \
    sudo plimsoll testbed clean";

#[derive(Args)]
struct Run {
    #[command(flatten)]
    scenario: Scenario,
    /// A command for a host's shell, as often as needed; `{h1}` stands for the address of host 1.
    #[arg(long, value_name = "HOST: COMMAND")]
    program: Vec<String>,
}

#[derive(Args)]
struct Scenario {
    /// The scenario's file; `-` reads standard input.
    scenario: PathBuf,
    /// Another law than the scenario's: `name` or `name:preset` (`plimsoll list cc`).
    #[arg(long, value_name = "NAME")]
    cc: Option<String>,
    /// Another value for a key of the scenario, as often as needed.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Another seed than the scenario's.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The most disturbed time that is believed, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0)]
    limit: f64,
    /// The folder for results, which are replaced if they exist [default: results/NAME-LAW-SEED-testbed].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print summary.json instead of a table.
    #[arg(long)]
    json: bool,
}

impl Testbed {
    #[cfg(target_os = "linux")]
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self.command {
            Command::Run(run) => real::run(&run.scenario, &run.program, out),
            Command::Compare(scenario) => real::compare(&scenario, out),
            Command::Clean => real::clean(out),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn run(self, _: &mut dyn Write) -> Result<Verdict, Error> {
        Err(Error::Missing("real packets need Linux: network namespaces and packet sockets".to_owned()))
    }
}

#[cfg(target_os = "linux")]
#[path = "testbed/real.rs"]
mod real;
