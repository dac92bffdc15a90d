//! The same scenario and seed give the same run: on one thread and on many, with pauses, drops and faults.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run_scenario, scenario};
use plimsoll_sim::{Control, Options, Run, simulate};
use std::sync::atomic::Ordering;
use std::thread;

fn run(text: &str, threads: usize, seed: u64) -> Run {
    run_scenario(&scenario(text), threads, Some(seed))
}

fn leaf_spine(law: &str, more: &str) -> String {
    common::racks(law, 0.6, more)
}

fn same_on_all_threads(text: &str) -> Run {
    let one = common::same_on_threads(text, Some(7));
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

/// The run is stopped when it begins to run its second window: after its first events, long before its end.
#[test]
fn a_stopped_run_says_that_it_is_partial() {
    let scenario = scenario(&leaf_spine("swift", ""));
    let whole = run_scenario(&scenario, 2, None);
    for threads in [1, 2] {
        let control = Control::default();
        let run = thread::scope(|scope| {
            scope.spawn(|| {
                while control.packet_hops.load(Ordering::Relaxed) == 0 {
                    thread::yield_now();
                }
                control.stop.store(true, Ordering::Relaxed);
            });
            simulate(&scenario, &Options { threads, seed: None }, &control).unwrap()
        });
        common::check_books(&run, scenario.duration);
        assert!(run.summary.partial && run.summary.packet_hops > 0);
        assert!(run.summary.packet_hops < whole.summary.packet_hops, "{threads} threads: it ran to its end");
    }
}

/// A rack stays whole: four racks are at most four parts, one rack is one.
#[test]
fn the_summary_tells_how_many_threads_were_used() {
    let used = |text: &str, threads| run(text, threads, 1).summary.threads;
    let four_racks = leaf_spine("newreno", "");
    assert_eq!([1, 3, 8].map(|threads| used(&four_racks, threads)), [1, 3, 4]);
    let one_rack = "[topology]\nkind = \"single-switch\"\nhosts = 4\n[cc]\nlaw = \"newreno\"\n\
                    [[traffic]]\nkind = \"incast\"\nto = 0\nsize = \"1KB\"\n";
    assert_eq!(used(one_rack, 8), 1);
}
