//! The steps of `cargo xtask test`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::count::Count;
use crate::licences::Policy;
use crate::metadata::Metadata;
use crate::{arrows, child, nostd, tools};

/// One thing to check.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    run: fn(&Path) -> Outcome,
}

/// How a step ended. The text is the reason.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
    Counted(Count),
}

impl Outcome {
    fn count(&self) -> Count {
        match self {
            Self::Passed => Count::PASSED,
            Self::Failed(_) => Count::FAILED,
            Self::Skipped(_) => Count::SKIPPED,
            Self::Counted(count) => *count,
        }
    }
}

/// In this order: first what is quick to fail and quick to mend.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "format", what: "the code is formatted", run: format },
    Step { name: "clippy", what: "no warning from the compiler or from clippy", run: clippy },
    Step { name: "tests", what: "unit, property and command-line tests", run: tests },
    Step { name: "doctests", what: "the examples in the documentation work", run: doctests },
    Step { name: "kernel", what: "laws in the kernel: its programs against ours, and live", run: kernel },
    Step { name: "release", what: "runs go the same way in release as in the dev profile", run: release },
    Step { name: "rustdoc", what: "the documentation builds without a warning", run: rustdoc },
    Step { name: "arrows", what: "dependencies between our crates point down only", run: arrows },
    Step { name: "no-std", what: "the no_std crates contain nothing that they must not", run: no_std },
    Step { name: "bare-metal", what: "the no_std crates build where there is no std", run: bare_metal },
    Step { name: "browser", what: "the no_std crates and the simulator build for WebAssembly", run: browser },
    Step { name: "licences", what: "dependencies obey deny.toml", run: licences },
];

/// Runs the steps, all of them even if one fails, and shows a summary.
pub(crate) fn run(root: &Path, steps: &[&Step]) -> Count {
    let mut total = Count::default();
    let mut summary = Vec::new();
    for step in steps {
        println!("\n=== {}: {} ===", step.name, step.what);
        let start = Instant::now();
        let outcome = (step.run)(root);
        let line = summary_line(step.name, &outcome, start.elapsed());
        println!("{line}");
        if let Outcome::Failed(reason) | Outcome::Skipped(reason) = &outcome {
            println!("{reason}");
        }
        total += outcome.count();
        summary.push(line);
    }
    println!("\n=== summary ===\n{}", summary.join("\n"));
    total
}

fn summary_line(name: &str, outcome: &Outcome, duration: Duration) -> String {
    let verdict = match outcome {
        Outcome::Skipped(_) => "SKIPPED",
        _ if outcome.count().failed > 0 => "FAILED",
        _ => "passed",
    };
    let cases = if let Outcome::Counted(count) = outcome { format!("  {count}") } else { String::new() };
    format!("{name:<10} {verdict:<7} {:>6.1} s{cases}", duration.as_secs_f64())
}

fn format(root: &Path) -> Outcome {
    if let Err(reason) = tools::need_component(root, "rustfmt", "fmt") {
        return Outcome::Skipped(reason);
    }
    child::check(child::cargo(root, &["fmt", "--all", "--check"]))
}

fn clippy(root: &Path) -> Outcome {
    if let Err(reason) = tools::need_component(root, "clippy", "clippy") {
        return Outcome::Skipped(reason);
    }
    child::check(child::cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Everything but the benchmarks, which measure and take their time (clippy still compiles them).
fn tests(root: &Path) -> Outcome {
    let what = ["--lib", "--bins", "--tests", "--examples"];
    child::count(child::cargo(root, &[&["test", "--workspace", "--no-fail-fast"][..], &what].concat()))
}

fn doctests(root: &Path) -> Outcome {
    child::count(child::cargo(root, &["test", "--workspace", "--no-fail-fast", "--doc"]))
}

/// What compiles and runs the kernel's programs is not needed for anything else, so it has its own step.
fn kernel(root: &Path) -> Outcome {
    if let Err(reason) = kernel_tools() {
        return Outcome::Skipped(format!("THE KERNEL TRACK WAS NOT TESTED: {reason}"));
    }
    let packages = ["--package", "plimsoll-kernel", "--package", "plimsoll", "--features", "plimsoll/kernel"];
    let clippy = [&["clippy"][..], &packages, &["--all-targets", "--", "-D", "warnings"]].concat();
    match child::check(child::cargo(root, &clippy)) {
        // The command is compiled without code and not run: that would be a second build of everything.
        Outcome::Passed => {
            let test = ["test", "--package", "plimsoll-kernel", "--features", "bpf", "--no-fail-fast"];
            child::count(child::cargo(root, &test))
        }
        outcome => outcome,
    }
}

fn kernel_tools() -> Result<(), String> {
    let mut id = Command::new("id");
    id.arg("-u");
    if child::read(id)?.trim() != "0" {
        return Err("only root may load programs".to_owned());
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Err("this kernel does not describe itself (CONFIG_DEBUG_INFO_BTF)".to_owned());
    }
    let packages = ["clang", "libelf-dev", "zlib1g-dev", "pkg-config", "make", "iproute2"];
    tools::need_packages("what builds and tests kernel programs", &packages, || {
        let runs = |program: &str, argument: &str| {
            let mut command = Command::new(program);
            command.arg(argument);
            child::succeeds(command)
        };
        let headers = ["/usr/include/libelf.h", "/usr/include/zlib.h"];
        runs("clang", "--version")
            && runs("pkg-config", "--version")
            && runs("make", "--version")
            && runs("ip", "-V")
            && runs("tc", "-V")
            && headers.iter().all(|header| Path::new(header).exists())
    })
}

/// The step before it ran the same test in the dev profile.
fn release(root: &Path) -> Outcome {
    child::count(child::cargo(root, &["test", "--release", "--package", "plimsoll-sim", "--test", "golden"]))
}

fn rustdoc(root: &Path) -> Outcome {
    let mut command = child::cargo(root, &["doc", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    child::check(command)
}

fn arrows(root: &Path) -> Outcome {
    rule(Metadata::of_members(root).map(|members| arrows::violations(&members)))
}

fn no_std(root: &Path) -> Outcome {
    rule(Metadata::of_members(root).map(|members| nostd::violations(&members)))
}

/// A microcontroller: no operating system, and only single-precision floats in hardware.
fn bare_metal(root: &Path) -> Outcome {
    build_for(root, "thumbv7em-none-eabihf")
}

/// What a page in the browser will run, simulator included, besides the no_std crates.
fn browser(root: &Path) -> Outcome {
    const TARGET: &str = "wasm32-unknown-unknown";
    match build_for(root, TARGET) {
        Outcome::Passed => {
            // The simulator uses scenario, metrics and transport; building it builds them.
            child::check(child::cargo(root, &["build", "--target", TARGET, "--package", "plimsoll-sim"]))
        }
        outcome => outcome,
    }
}

fn build_for(root: &Path, target: &str) -> Outcome {
    if let Err(reason) = tools::need_target(target) {
        return Outcome::Skipped(reason);
    }
    child::check(child::cargo(root, &nostd::build_arguments(target)))
}

/// Our own reading of `deny.toml` always runs, so that the verdict is the same on every machine; cargo-deny
/// adds what only it can tell. Its advisories are left out: they change by the day, a test should not.
fn licences(root: &Path) -> Outcome {
    let ours = Policy::read(root)
        .and_then(|policy| Metadata::of_everything(root).map(|everything| policy.violations(&everything)));
    match rule(ours) {
        Outcome::Passed if child::succeeds(child::cargo(root, &["deny", "--version"])) => {
            child::check(child::cargo(root, &["deny", "check", "bans", "licenses", "sources"]))
        }
        outcome => outcome,
    }
}

/// The outcome of a rule that lists its violations, or could not be checked.
fn rule(violations: Result<Vec<String>, String>) -> Outcome {
    match violations {
        Ok(found) if found.is_empty() => Outcome::Passed,
        Ok(found) => Outcome::Failed(found.join("\n")),
        Err(error) => Outcome::Failed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, run: fn(&Path) -> Outcome) -> Step {
        Step { name, what: "made up", run }
    }

    #[test]
    fn later_steps_run_after_a_failure_and_all_are_counted() {
        let steps = [
            step("a", |_| Outcome::Failed("no".to_owned())),
            step("b", |_| Outcome::Counted(Count { passed: 40, failed: 0, skipped: 3 })),
            step("c", |_| Outcome::Skipped("no tool".to_owned())),
            step("d", |_| Outcome::Passed),
        ];
        let total = run(Path::new("."), &steps.iter().collect::<Vec<_>>());
        assert_eq!(total, Count { passed: 41, failed: 1, skipped: 4 });
    }

    #[test]
    fn a_skipped_step_is_never_called_passed() {
        let line = summary_line("x", &Outcome::Skipped("no tool".to_owned()), Duration::from_millis(1500));
        assert_eq!(line, "x          SKIPPED    1.5 s");
    }

    #[test]
    fn one_failed_test_fails_its_step() {
        let count = Count { passed: 9, failed: 1, skipped: 0 };
        let line = summary_line("tests", &Outcome::Counted(count), Duration::from_secs(2));
        assert_eq!(line, "tests      FAILED     2.0 s  9 passed, 1 failed");
    }

    #[test]
    fn a_rule_that_cannot_be_checked_has_failed() {
        assert_eq!(rule(Err("no metadata".to_owned())), Outcome::Failed("no metadata".to_owned()));
        assert_eq!(rule(Ok(vec!["x".to_owned(), "y".to_owned()])), Outcome::Failed("x\ny".to_owned()));
        assert_eq!(rule(Ok(vec![])), Outcome::Passed);
    }
}
