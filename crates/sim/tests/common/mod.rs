//! Runs scenarios, and looks after every run that no byte and no message got lost in the books.
#![allow(dead_code, reason = "each file of tests uses its part")]

use plimsoll_scenario::{Overrides, Scenario};
use plimsoll_sim::{Control, Options, Run, simulate};
use plimsoll_units::Span;

/// Reads a scenario that must be right.
pub(crate) fn scenario(text: &str) -> Scenario {
    Scenario::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Reads a file of `scenarios/` with some values changed, each `key=value`.
pub(crate) fn shipped(name: &str, law: Option<&str>, set: &[&str]) -> Scenario {
    let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let overrides = Overrides {
        law: law.map(str::to_owned),
        seed: None,
        set: set.iter().map(|pair| (*pair).to_owned()).collect(),
    };
    Scenario::parse_with(&path, &text, &overrides, &plimsoll_scenario::NoFiles)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// Runs a scenario on so many threads and checks the books.
pub(crate) fn run_scenario(scenario: &Scenario, threads: usize, seed: Option<u64>) -> Run {
    let run = simulate(scenario, &Options { threads, seed }, &Control::default()).unwrap();
    check_books(&run, scenario.duration);
    run
}

/// Runs a text on one thread and checks the books.
pub(crate) fn run(text: &str) -> Run {
    run_scenario(&scenario(text), 1, None)
}

/// Sixteen hosts on four racks for a while; `more` is tables that follow.
pub(crate) fn racks(law: &str, load: f64, more: &str) -> String {
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
load = {load}
size = "hadoop"
{more}
"#
    )
}

/// Runs a text on one thread and on several, which must not make a difference.
pub(crate) fn same_on_threads(text: &str, seed: Option<u64>) -> Run {
    let scenario = scenario(text);
    let one = run_scenario(&scenario, 1, seed);
    for threads in [2, 3, 4] {
        let many = run_scenario(&scenario, threads, seed);
        assert_eq!(one.outcome, many.outcome, "{threads} threads");
        assert_eq!(one.summary.trace_hash, many.summary.trace_hash);
    }
    one
}

/// What every run must satisfy, whatever it is about.
pub(crate) fn check_books(run: &Run, duration: Option<Span>) {
    let totals = &run.outcome.totals;
    assert_eq!(
        totals.sent_bytes,
        totals.arrived_bytes + totals.dropped_bytes + totals.remaining_bytes,
        "every byte that hosts sent has arrived, was dropped, or is still under way: {totals:?}"
    );
    let summary = &run.summary;
    assert_eq!(summary.flows, summary.completed + summary.failed + summary.unfinished);
    assert_eq!(summary.flows, run.workload.messages.len() as u64);
    assert_eq!(summary.drops, summary.drops_by_cause.total());
    if totals.dropped_bytes == 0 {
        assert_eq!(summary.drops, 0, "packets were dropped that have no bytes");
    }
    for message in &run.messages {
        if let (Some(delivered), Some(finish)) = (message.delivered, message.finish) {
            assert!(message.start < delivered && delivered < finish, "{message:?}");
        }
    }
    if duration.is_none() {
        assert_eq!(totals.remaining_bytes, 0, "a run without an end of its own ends when nothing moves");
        assert_eq!(summary.unfinished, 0, "every message has come to an end");
    }
}

/// Time from a message's start to its last byte's arrival.
pub(crate) fn delivery(run: &Run, message: usize) -> Span {
    run.messages[message].delivery_time().unwrap()
}

/// A sender and a receiver on one switch; the receiver's link is the slower. A burst leaves the sender at line
/// rate, for nothing holds NewReno's first window back. A full packet is 1048 B: 83.84 ns at 100 Gb/s.
///
/// `more` is tables or keys that follow those of `[cc]`.
pub(crate) fn bottleneck(first_delay: &str, second_rate: &str, more: &str) -> String {
    format!(
        r#"
[topology]
kind = "graph"
hosts = 3
switches = 1
links = [
    {{ between = ["h0", "s0"], rate = "100Gbps", delay = "{first_delay}" }},
    {{ between = ["s0", "h1"], rate = "{second_rate}", delay = "1us" }},
    {{ between = ["h2", "s0"], rate = "100Gbps", delay = "{first_delay}" }},
]
[host]
ack_size = "60B"
[cc]
law = "newreno"
initial_window = 1000.0
{more}
"#
    )
}

/// A flow of so many full packets.
pub(crate) fn burst(from: u32, to: u32, packets: u32, start: &str) -> String {
    let size = 1_000 * packets;
    format!(
        "[[traffic]]\nkind = \"flows\"\nfrom = {from}\nto = {to}\nsize = \"{size}B\"\nstart = \"{start}\"\n"
    )
}

/// Picoseconds of a time in nanoseconds, written with its decimals: `ns(83, 840)` is 83.84 ns.
pub(crate) const fn ns(whole: u64, thousandths: u64) -> Span {
    Span::from_ps(whole * 1_000 + thousandths)
}
