//! `cargo xtask test`: everything that the project checks about itself, in one command; and
//! `cargo xtask bench-ns3`, a comparison with another simulator that anybody can rerun.
//!
//! | file | holds |
//! |---|---|
//! | `steps.rs` | the list of steps, in the order in which they run, and the summary |
//! | `child.rs` | running a command with its output shown live and, for tests, counted |
//! | `count.rs` | passed, failed, skipped; reading cargo's `test result:` lines |
//! | `tools.rs` | installing the rustup components, targets and Debian packages that a step needs |
//! | `metadata.rs` | the part of `cargo metadata` that the rules below look at |
//! | `arrows.rs` | the rule: dependency arrows point down only |
//! | `nostd.rs` | the rule: what a crate without the standard library may contain |
//! | `licences.rs`, `spdx.rs` | the rule: dependencies obey `deny.toml` |
//! | `bench_ns3.rs` | the same flows through Debian's ns-3 (`../ns3/plimsoll_peer.cc`) and through ours |
//! | `agreement.rs` | how well two simulators agree about the same flows |
#![forbid(unsafe_code)]

mod agreement;
mod arrows;
mod bench_ns3;
mod child;
mod count;
mod licences;
mod metadata;
mod nostd;
mod spdx;
mod steps;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use steps::{STEPS, Step};

/// What the arguments ask for.
enum Request {
    Help,
    Test(Vec<&'static Step>),
    BenchNs3 { as_json: bool },
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match parse(&arguments) {
        Ok(Request::Help) => {
            print!("{}", help());
            ExitCode::SUCCESS
        }
        Ok(Request::Test(chosen)) => {
            let total = steps::run(&root(), &chosen);
            println!("{total}");
            if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Ok(Request::BenchNs3 { as_json }) => match bench_ns3::run(&root(), as_json) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
        },
        Err(message) => {
            eprintln!("error: {message}\n\n{}", help());
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h" | "help")) {
        return Ok(Request::Help);
    }
    match arguments.split_first() {
        None => Err("a command is missing".to_owned()),
        Some((command, names)) if command == "test" => choose(names).map(Request::Test),
        Some((command, rest)) if command == "bench-ns3" => match rest {
            [] => Ok(Request::BenchNs3 { as_json: false }),
            [option] if option == "--json" => Ok(Request::BenchNs3 { as_json: true }),
            _ => Err("'bench-ns3' takes '--json' or nothing".to_owned()),
        },
        Some((command, _)) => Err(format!("there is no command '{command}', only 'test' and 'bench-ns3'")),
    }
}

/// The named steps in the order of the list, or all of them if none is named.
fn choose(names: &[String]) -> Result<Vec<&'static Step>, String> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(format!("there is no step '{unknown}'; the steps are {}", known.join(", ")));
    }
    Ok(STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)).collect())
}

/// The folder of the workspace. Cargo names the folder of this crate when it starts the program; the one
/// noted at build time serves a program that was started by hand.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), Path::to_path_buf)
}

fn help() -> String {
    let steps: String = STEPS.iter().map(|step| format!("  {:<10} {}\n", step.name, step.what)).collect();
    format!(
        "\
Checks the project: code, tests, documentation, architecture, licences; and compares it with ns-3.

Usage: cargo xtask test [STEP]...
       cargo xtask bench-ns3 [--json]

'test' installs what a step needs (rustfmt, clippy, two build targets with rustup; as root on Debian and Ubuntu,
clang and libraries for the kernel's programs with apt-get), runs every step even after one has failed, and ends
with the line 'N passed, N failed'. A step whose tools cannot be had is skipped, and the line then says so. Exit code: 0 if nothing failed, 1 if something did, 2 for a wrong argument.

Steps, in this order:
{steps}
Examples:
  cargo xtask test                    everything, as continuous integration does
  cargo xtask test format clippy      only the two quick ones, before a commit
  cargo xtask test arrows licences    only the rules about dependencies
  cargo xtask bench-ns3               the same flows through Debian's ns-3 and through ours: a table of
                                      time per packet-hop and of completion times (a minute or two;
                                      installs libns3-dev, libgsl-dev and g++ with apt-get, as root)
  cargo xtask bench-ns3 --json        the same for programs; progress is on standard error
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        match parse(&arguments)? {
            Request::Help => Ok(vec!["help"]),
            Request::Test(chosen) => Ok(chosen.iter().map(|step| step.name).collect()),
            Request::BenchNs3 { as_json } => Ok(vec![if as_json { "ns3, json" } else { "ns3" }]),
        }
    }

    #[test]
    fn test_without_names_means_every_step() {
        assert_eq!(names(&["test"]).unwrap().len(), STEPS.len());
    }

    #[test]
    fn named_steps_run_once_and_in_the_order_of_the_list() {
        assert_eq!(names(&["test", "arrows", "format", "arrows"]).unwrap(), ["format", "arrows"]);
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let message = names(&["test", "formt"]).unwrap_err();
        assert!(message.contains("'formt'") && message.contains("format, clippy"), "{message}");
    }

    #[test]
    fn the_comparison_takes_json_or_nothing() {
        assert_eq!(names(&["bench-ns3"]).unwrap(), ["ns3"]);
        assert_eq!(names(&["bench-ns3", "--json"]).unwrap(), ["ns3, json"]);
        assert!(names(&["bench-ns3", "dumbbell"]).unwrap_err().contains("'--json' or nothing"));
    }

    #[test]
    fn help_wins_wherever_it_stands() {
        assert_eq!(names(&["test", "--help"]).unwrap(), ["help"]);
        assert_eq!(names(&["-h"]).unwrap(), ["help"]);
    }

    #[test]
    fn help_names_every_step_and_no_step_name_twice() {
        for step in STEPS {
            assert!(help().contains(&format!("\n  {} ", step.name)), "{} is missing", step.name);
            assert_eq!(STEPS.iter().filter(|other| other.name == step.name).count(), 1, "{}", step.name);
        }
    }
}
