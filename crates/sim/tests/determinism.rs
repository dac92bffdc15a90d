//! The same scenario and seed give the same run: on one thread and on many, with pauses, drops and faults.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run_scenario, scenario};
use plimsoll_sim::{Control, Options, Run, simulate};
use std::sync::atomic::Ordering;

fn run(text: &str, threads: usize, seed: u64) -> Run {
    run_scenario(&scenario(text), threads, Some(seed))
}

fn leaf_spine(law: &str, more: &str) -> String {
    format!(
        r#"
duration = "300us"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_leaf = 4
host_rate = "100Gbps"
[cc]
law = "{law}"
[[traffic]]
kind = "poisson"
load = 0.6
size = "hadoop"
{more}
"#
    )
}

fn same_on_all_threads(text: &str) -> Run {
    let one = run(text, 1, 7);
    for threads in [2, 3, 4] {
        let many = run(text, threads, 7);
        assert_eq!(many.outcome, one.outcome, "{threads} threads");
    }
    assert_ne!(
        run(text, 1, 8).outcome.totals.trace_hash,
        one.outcome.totals.trace_hash,
        "another seed, another run"
    );
    one
}

#[test]
fn telemetry_laws_run_alike_on_one_thread_and_on_many() {
    for law in ["hpcc", "poseidon", "powertcp"] {
        same_on_all_threads(&leaf_spine(law, ""));
    }
}

#[test]
fn drops_are_the_same_on_all_threads() {
    let run = same_on_all_threads(&leaf_spine("newreno", "[switch.buffer]\nsize = \"30KB\"\n"));
    assert!(run.summary.drops_by_cause.buffer > 0, "the buffer is small enough to matter");
}

#[test]
fn pauses_are_the_same_on_all_threads() {
    let text = leaf_spine("dcqcn", "[transport]\npreset = \"rdma\"\n[switch.buffer]\nsize = \"1MB\"\n");
    let incast = "[[traffic]]\nkind = \"incast\"\nto = 0\nsize = \"300KB\"\nbatch = 15\n";
    let run = same_on_all_threads(&(text + incast));
    assert!(run.summary.pfc_pauses > 0, "the incast fills the buffer");
    assert_eq!(run.summary.drops_by_cause.buffer, 0, "PFC keeps the fabric lossless");
}

#[test]
fn faults_are_the_same_on_all_threads() {
    let text = leaf_spine(
        "dctcp",
        "[[fault]]\nkind = \"link-down\"\nlinks = \"leaf0:spine0\"\nstart = \"60us\"\nstop = \"150us\"\n\
         [[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 0.001\n",
    );
    let run = same_on_all_threads(&text);
    assert!(run.summary.drops_by_cause.loss > 0 && run.summary.drops_by_cause.down > 0, "{:?}", run.summary);
}

#[test]
fn a_stopped_run_says_that_it_is_partial() {
    let text = leaf_spine("swift", "");
    let scenario = scenario(&text);
    let control = Control::default();
    control.stop.store(true, Ordering::Relaxed);
    let run = simulate(&scenario, &Options { threads: 2, seed: None }, &control).unwrap();
    common::check_books(&run, scenario.duration);
    assert!(run.summary.partial && run.summary.packet_hops == 0);
}
