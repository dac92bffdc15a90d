//! Laws in the kernel from outside. Without root or without the feature these tests check the refusal instead.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::process::{Command, Output};
use std::sync::Mutex;

/// Names of congestion controls are the machine's.
static ALONE: Mutex<()> = Mutex::new(());

fn kernel(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plimsoll")).arg("kernel").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn available() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap()
}

/// Whether this build and this machine can load programs; if not, how the program says so.
fn can_run() -> bool {
    let output = kernel(&["load", "swift"]);
    let why = text(&output.stderr);
    match output.status.code() {
        Some(3) => {
            assert!(
                why.contains("root") || why.contains("--features kernel") || why.contains("kernel"),
                "{why}"
            );
            eprintln!("SKIPPED: NO LAWS IN THE KERNEL HERE: {why}");
            false
        }
        Some(0) => {
            assert_eq!(kernel(&["unload", "swift"]).status.code(), Some(0));
            true
        }
        code => {
            // Somebody has loaded it: theirs is left alone.
            assert!(code == Some(2) && why.contains("loaded already"), "{why}");
            eprintln!("SKIPPED: SWIFT IS LOADED ON THIS MACHINE ALREADY");
            false
        }
    }
}

#[test]
fn a_law_is_loaded_shown_and_unloaded_and_nothing_is_left() {
    let _alone = ALONE.lock();
    if !can_run() {
        return;
    }
    let output = kernel(&["load", "swift", "--rate", "1Gbps", "--set", "base_target=50us"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("plim_swift"), "{}", text(&output.stdout));
    assert!(available().contains("plim_swift"));
    let again = kernel(&["load", "swift"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("kernel unload swift"), "{}", text(&again.stderr));
    let shown = text(&kernel(&["status"]).stdout);
    assert!(shown.contains("swift as plim_swift: 0 connections"), "{shown}");
    let json: serde_json::Value = serde_json::from_slice(&kernel(&["status", "--json"]).stdout).unwrap();
    assert!(json["laws"].as_array().unwrap().iter().any(|law| law["kernel_name"] == "plim_swift"), "{json}");
    let gone = kernel(&["unload", "swift"]);
    assert_eq!(gone.status.code(), Some(0), "{}", text(&gone.stderr));
    assert!(text(&gone.stdout).contains("swift"), "{}", text(&gone.stdout));
    assert!(!available().contains("plim_swift"));
}

#[test]
fn wrong_names_and_values_are_refused_with_their_reason() {
    let _alone = ALONE.lock();
    let refusals: [(&[&str], &str); 3] = [
        (&["load", "cubic"], "theta-powertcp"),
        (&["load", "poseidn"], "poseidon"),
        (&["unload", "cubic"], "no law with a program `cubic`"),
    ];
    for (arguments, reason) in refusals {
        let output = kernel(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{arguments:?}: {}", text(&output.stderr));
    }
    if !can_run() {
        return;
    }
    let refusals: [(&[&str], &str); 5] = [
        (&["load", "poseidon", "--set", "kk=1us"], "unknown key `kk`"),
        (&["load", "poseidon", "--set", "m=7"], "out of bounds"),
        (&["load", "poseidon:ratio"], "update"),
        (&["load", "poseidon", "--mtu", "40B"], "--mtu"),
        (&["attach", "int", "no-such-device", "--rate", "1Gbps"], "no-such-device"),
    ];
    for (arguments, reason) in refusals {
        let output = kernel(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{arguments:?}: {}", text(&output.stderr));
    }
}
