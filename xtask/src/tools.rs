//! Installing what a step needs. An error is the reason why the step has to be skipped.

use std::path::Path;
use std::process::Command;

use crate::child;

/// Makes `cargo SUBCOMMAND` available, which is the rustup component `component`.
pub(crate) fn need_component(root: &Path, component: &str, subcommand: &str) -> Result<(), String> {
    let is_there = || child::succeeds(child::cargo(root, &[subcommand, "--version"]));
    install(component, is_there, rustup(&["component", "add", component]))
}

/// Makes the standard or core library for `target` available.
pub(crate) fn need_target(target: &str) -> Result<(), String> {
    install(target, || has_core_library(target), rustup(&["target", "add", target]))
}

/// Makes something available that is there once Debian's packages are installed. Lists of packages may be old or not
/// there at all on a fresh machine, so a second try begins with new ones.
pub(crate) fn need_packages(
    what: &str,
    packages: &[&str],
    is_there: impl Fn() -> bool,
) -> Result<(), String> {
    let install_them = format!("apt-get install --yes --no-install-recommends {}", packages.join(" "));
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{install_them} || (apt-get update && {install_them})")]);
    shell.env("DEBIAN_FRONTEND", "noninteractive");
    install(what, is_there, shell)
}

fn rustup(arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(arguments);
    command
}

fn install(what: &str, is_there: impl Fn() -> bool, mut installer: Command) -> Result<(), String> {
    if is_there() {
        return Ok(());
    }
    child::announce(&installer);
    // Only the result matters: what the installer says is on the screen, and it may not exist at all where
    // the toolchain comes from a distribution.
    let _ = installer.status();
    if is_there() {
        Ok(())
    } else {
        Err(format!("{what} is not installed, and '{}' did not help", child::describe(&installer)))
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

    fn missing_installer() -> Command {
        let mut command = Command::new("/nowhere/rustup");
        command.args(["add", "it"]);
        command
    }

    #[test]
    fn what_is_there_needs_no_installer() {
        assert_eq!(install("it", || true, missing_installer()), Ok(()));
    }

    #[test]
    fn what_cannot_be_had_is_named_with_the_command_that_was_tried() {
        let reason = install("it", || false, missing_installer()).unwrap_err();
        assert_eq!(reason, "it is not installed, and 'rustup add it' did not help");
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
