//! The command as a user sees it, on small made-up workspaces that need neither network nor dependencies.

// Clippy knows a test by its attribute, and so does not see that the helpers here belong to tests.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes a workspace of the given files, and returns its folder.
fn workspace(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if root.exists() {
        fs::remove_dir_all(&root).unwrap();
    }
    let manifest = ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
    for (path, text) in files.iter().chain([&manifest]) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// A manifest of the given name, followed by whatever else it should say.
fn manifest(name: &str, rest: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT\"\n{rest}\n"
    )
}

fn xtask(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .env("CARGO_MANIFEST_DIR", root.join("xtask"))
        .env("CARGO_TARGET_DIR", root.join("target"))
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn last_line(output: &Output) -> String {
    stdout(output).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn test_cases_are_counted_and_a_failed_one_sets_the_exit_code() {
    let code = "#[test]\nfn good() {}\n#[test]\nfn fine() {}\n#[test]\nfn bad() { panic!() }\n";
    let root = workspace(
        "one-bad-test",
        &[("crates/units/Cargo.toml", &manifest("units", "")), ("crates/units/src/lib.rs", code)],
    );
    let output = xtask(&root, &["test", "tests"]);
    assert_eq!(last_line(&output), "2 passed, 1 failed");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("test good ... ok"), "the harness's own output is shown");
}

#[test]
fn code_that_does_not_compile_is_a_failure_and_the_next_step_still_runs() {
    let root = workspace(
        "does-not-compile",
        &[("crates/units/Cargo.toml", &manifest("units", "")), ("crates/units/src/lib.rs", "fn broken(")],
    );
    let output = xtask(&root, &["test", "tests", "arrows"]);
    assert_eq!(last_line(&output), "1 passed, 1 failed");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_ignored_test_is_reported_as_skipped() {
    let code = "#[test]\nfn good() {}\n#[test]\n#[ignore]\nfn slow() {}\n";
    let root = workspace(
        "one-ignored-test",
        &[("crates/units/Cargo.toml", &manifest("units", "")), ("crates/units/src/lib.rs", code)],
    );
    let output = xtask(&root, &["test", "tests"]);
    assert_eq!(last_line(&output), "1 passed, 0 failed, 1 skipped");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn an_arrow_that_points_up_fails_and_is_named() {
    let upward = manifest("units", "[dependencies]\ncc = { path = \"../cc\" }");
    let root = workspace(
        "upward-arrow",
        &[
            ("crates/units/Cargo.toml", &upward),
            ("crates/units/src/lib.rs", ""),
            ("crates/cc/Cargo.toml", &manifest("cc", "")),
            ("crates/cc/src/lib.rs", ""),
        ],
    );
    let output = xtask(&root, &["test", "arrows"]);
    assert_eq!(last_line(&output), "0 passed, 1 failed");
    assert!(stdout(&output).contains("units uses cc"), "{}", stdout(&output));
}

#[test]
fn a_no_std_crate_without_its_attributes_fails() {
    let good = "#![no_std]\n#![forbid(unsafe_code)]\n";
    let root = workspace(
        "forgotten-attribute",
        &[
            ("crates/units/Cargo.toml", &manifest("plimsoll-units", "")),
            ("crates/units/src/lib.rs", good),
            ("crates/cc/Cargo.toml", &manifest("plimsoll-cc", "")),
            ("crates/cc/src/lib.rs", good),
            ("crates/wire/Cargo.toml", &manifest("plimsoll-wire", "")),
            ("crates/wire/src/lib.rs", "#![no_std]\n"),
        ],
    );
    let broken = xtask(&root, &["test", "no-std"]);
    assert_eq!(last_line(&broken), "0 passed, 1 failed");
    assert!(stdout(&broken).contains("#![forbid(unsafe_code)] is missing"), "{}", stdout(&broken));

    fs::write(root.join("crates/wire/src/lib.rs"), good).unwrap();
    assert_eq!(last_line(&xtask(&root, &["test", "no-std"])), "1 passed, 0 failed");
}

#[test]
fn a_licence_outside_of_deny_toml_fails_and_is_named() {
    let policy = "[licenses]\nallow = [\"ISC\"]\n[sources]\nallow-registry = []\n";
    let root = workspace(
        "wrong-licence",
        &[
            ("deny.toml", policy),
            ("crates/units/Cargo.toml", &manifest("units", "")),
            ("crates/units/src/lib.rs", ""),
        ],
    );
    let output = xtask(&root, &["test", "licences"]);
    assert_eq!(last_line(&output), "0 passed, 1 failed");
    assert!(stdout(&output).contains("units 0.1.0: licence 'MIT' is not allowed"), "{}", stdout(&output));
}

#[test]
fn help_shows_examples_and_a_wrong_argument_shows_help() {
    let root = workspace("nothing", &[]);
    let help = xtask(&root, &["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Examples:\n  cargo xtask test "));

    let wrong = xtask(&root, &["tets"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8(wrong.stderr).unwrap().starts_with("error: there is no command 'tets'"));
}
