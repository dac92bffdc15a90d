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
    /// Reproduce what the papers show on testbeds, on real packets, and check their claims.
    ///
    /// Does for the figures in `papers/testbed/` what `plimsoll reproduce` does for the others: runs their scenarios with
    /// several seeds, one after the other and in real time, holds medians against the claims, draws, and writes one page.
    /// Rates and times are scaled to what real packets can do here; each folder says how. A run that was disturbed for
    /// more than --limit is done again, three times at most; if the machine does not become quiet, figures that need the
    /// run get no verdict and the exit code is 4. Runs that are done are kept for the next call.
    #[command(after_help = REPRODUCE)]
    Reproduce(Reproduce),
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
    sudo plimsoll testbed reproduce\n  \
    sudo plimsoll testbed clean";

const REPRODUCE: &str = "Exit codes:\n  \
    0    no claim fails\n  \
    1    a claim fails\n  \
    2    a scenario or the claims cannot be read, or a file cannot be written\n  \
    3    root, `ip` or a feature of the kernel is missing; the message says which\n  \
    4    the machine was too busy for a verdict\n  \
    130  stopped by Ctrl-C or SIGTERM; runs that are done are kept\n\n\
    Examples:\n  \
    sudo plimsoll testbed reproduce                  all of them\n  \
    sudo chrt -f 1 plimsoll testbed reproduce poseidon   a paper, ahead of other work on the machine\n  \
    sudo plimsoll testbed reproduce poseidon/fig12   one; its scenario is papers/testbed/poseidon/fig12/scenario.toml\n  \
    sudo plimsoll testbed reproduce --json | jq '.[] | select(.pass | not)'";

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

#[derive(Args)]
struct Reproduce {
    /// A paper (`poseidon`) or a figure (`poseidon/fig12`); all if absent.
    #[arg(value_name = "PAPER[/FIGURE]")]
    which: Option<String>,
    /// Shorter runs and one seed; for a first look.
    #[arg(long)]
    quick: bool,
    /// Do all runs again, also those that are there.
    #[arg(long)]
    fresh: bool,
    /// Take runs that are there although another build of plimsoll did them.
    #[arg(long, conflicts_with = "fresh")]
    any_build: bool,
    /// The most disturbed time that is believed, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0)]
    limit: f64,
    /// The folder for runs, pictures and the page; files in it are replaced, none is deleted.
    #[arg(long, value_name = "DIR", default_value = "results/testbed")]
    out: PathBuf,
    /// Print the claims as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Write our numbers into the tables of `papers/testbed/*/*/README.md`: for those who work on Plimsoll.
    #[arg(long, hide = true, conflicts_with = "quick")]
    update_readmes: bool,
}

impl Testbed {
    #[cfg(target_os = "linux")]
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self.command {
            Command::Run(run) => real::run(&run.scenario, &run.program, out),
            Command::Compare(scenario) => real::compare(&scenario, out),
            Command::Reproduce(reproduce) => real::reproduce(&reproduce, out),
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
