//! The hash of everything that happens in a run does not depend on how the program was compiled, nor on the
//! machine: `golden/hashes.txt` holds what it is. `cargo xtask test` runs this in the dev profile and in release.
//!
//! A hash that changes means that results change. If they should, say why in the commit and write the file anew:
//! `PLIMSOLL_BLESS=1 cargo test -p plimsoll-sim --test golden`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run_scenario, shipped};
use std::fmt::Write;

/// All run on two threads; these have racks enough for three, and run on one, too.
const OTHER_THREADS: [&str; 2] = ["leaf-spine-websearch", "link-failure"];

#[test]
fn runs_go_as_they_always_went() {
    let path = format!("{}/tests/golden/hashes.txt", env!("CARGO_MANIFEST_DIR"));
    let golden = std::fs::read_to_string(&path).unwrap();
    let mut actual = String::new();
    for line in golden.lines() {
        if line.starts_with('#') || line.is_empty() {
            writeln!(actual, "{line}").unwrap();
            continue;
        }
        let mut fields = line.split('|').map(str::trim);
        let (name, law, set) = (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap());
        let set: Vec<&str> = set.split_whitespace().collect();
        let scenario = shipped(name, Some(law), &set);
        let run = run_scenario(&scenario, 2, None);
        if OTHER_THREADS.contains(&name) {
            for threads in [1, 3] {
                let other = run_scenario(&scenario, threads, None);
                assert_eq!(other.outcome, run.outcome, "{name} on {threads} threads");
                assert_eq!(other.summary.threads as usize, threads, "{name}");
            }
        }
        let totals = &run.outcome.totals;
        let (hash, hops, set) = (run.summary.trace_hash, totals.packet_hops, set.join(" "));
        writeln!(actual, "{name} | {law} | {set} | {hash} | {hops}").unwrap();
    }
    if std::env::var_os("PLIMSOLL_BLESS").is_some() {
        std::fs::write(&path, &actual).unwrap();
    }
    assert_eq!(actual, golden, "left: what happened; right: {path}");
}
