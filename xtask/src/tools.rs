//! Installing what a step needs. An error is the reason why the step has to be skipped.

use std::path::Path;
use std::process::Command;

use crate::child;

/// Makes `cargo SUBCOMMAND` available, which is the rustup component `component`.
pub(crate) fn need_component(root: &Path, component: &str, subcommand: &str) -> Result<(), String> {
    let is_there = || child::succeeds(child::cargo(root, &[subcommand, "--version"]));
    install(component, is_there, &["component", "add", component])
}

/// Makes the standard or core library for `target` available.
pub(crate) fn need_target(target: &str) -> Result<(), String> {
    install(target, || has_core_library(target), &["target", "add", target])
}

fn install(what: &str, is_there: impl Fn() -> bool, rustup_arguments: &[&str]) -> Result<(), String> {
    if is_there() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(rustup_arguments);
    child::announce(&rustup);
    // Only the result matters: what rustup says is on the screen, and it may not exist at all where the
    // toolchain comes from a distribution.
    let _ = rustup.status();
    if is_there() {
        Ok(())
    } else {
        Err(format!("{what} is not installed, and 'rustup {}' did not help", rustup_arguments.join(" ")))
    }
}

/// rustc names the folder of a target's libraries even if it does not exist, so look inside.
fn has_core_library(target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]);
    let Ok(folder) = child::read(rustc) else { return false };
    let Ok(entries) = std::fs::read_dir(folder.trim_end()) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_installed_again() {
        assert_eq!(install("it", || true, &["no-such-command"]), Ok(()));
    }

    #[test]
    fn what_cannot_be_had_is_named_with_the_command_that_was_tried() {
        let reason = install("it", || false, &["no-such-command"]).unwrap_err();
        assert_eq!(reason, "it is not installed, and 'rustup no-such-command' did not help");
    }

    #[test]
    fn the_host_has_a_core_library_and_an_invented_target_has_none() {
        let mut rustc = Command::new("rustc");
        rustc.args(["--print", "host-tuple"]);
        let host = child::read(rustc).unwrap();
        assert!(has_core_library(host.trim_end()));
        assert!(!has_core_library("pdp11-dec-unix"));
    }
}
