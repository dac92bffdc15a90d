//! Switches that tell passing acks what their data would meet now (`switch.int_reflected`).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{ns, racks, same_on_threads, scenario};
use plimsoll_metrics::{Reading, Sample};
use plimsoll_sim::{Control, Options, simulate_recorded};
use plimsoll_units::Span;

/// Twenty hosts send a packet each to h1 just after a packet of h0 has passed. All links have 10 Gb/s and 1 us; a packet
/// has 1050 B (1000 B, 48 B of headers, 2 B of telemetry) and takes 840 ns, an ack of 60 B 48 ns.
///
/// h0's packet is in the switch at 9,000 + 840 + 1,000 = 10,840 ns and has left it at 11,680 ns. The twenty join the
/// queue at 10,000 + 840 + 1,000 = 11,840 ns, and it is empty again at 11,840 + 20 · 840 = 28,640 ns.
const BURST: &str = r#"
duration = "40us"
[topology]
kind = "single-switch"
hosts = 22
rate = "10Gbps"
delay = "1us"
[host]
ack_size = "60B"
[switch]
int = "max-hop-delay"
int_encoding = "exact"
[cc]
law = "poseidon"
[[traffic]]
name = "probe"
kind = "flows"
from = 0
to = 1
size = "3000B"
start = "9us"
[[traffic]]
kind = "flows"
from = "2-21"
to = 1
size = "1000B"
start = "10us"
[record]
interval = "8ns"
hop_delay = true
groups = ["probe"]
"#;

/// When h0 first hears of a wait, and of which.
fn first_heard(text: &str) -> (Span, Span) {
    let mut samples: Vec<Sample> = Vec::new();
    let options = Options { threads: 1, seed: None };
    simulate_recorded(&scenario(text), &options, &Control::default(), &mut samples).unwrap();
    let mut heard = samples.iter().filter_map(|sample| match sample.reading {
        Reading::MaxHopDelay(wait) => Some((sample.at.since_start(), wait)),
        _ => None,
    });
    heard.find(|(_, wait)| *wait > Span::ZERO).unwrap()
}

/// The first packet met no queue. The second leaves when the ack of the first is there, 14,776 ns, joins the queue at
/// 14,776 + 840 + 1,000 = 16,616 ns and waits 28,640 − 16,616 = 12,024 ns; then it takes 840 + 1,000 ns to h1, and its
/// ack 2 · (48 + 1,000) ns back: 28,640 + 3,936 = 32,576 ns.
#[test]
fn a_receiver_sends_back_what_its_packet_met() {
    assert_eq!(first_heard(BURST), (ns(32_576, 0), ns(12_024, 0)));
}

/// The first packet is at h1 at 11,680 + 1,000 = 12,680 ns, its ack in the switch at 12,680 + 48 + 1,000 = 13,728 ns,
/// where data would wait 28,640 − 13,728 = 14,912 ns; it is at h0 at 13,728 + 48 + 1,000 = 14,776 ns.
#[test]
fn an_ack_brings_the_wait_of_the_moment_at_which_it_passes() {
    let reflected = BURST.replace("\"exact\"", "\"exact\"\nint_reflected = true");
    assert_eq!(first_heard(&reflected), (ns(14_776, 0), ns(14_912, 0)));
    // With a class that nobody uses, leaving the queue is an event: it makes no difference.
    let classes = "[[switch.class]]\n[[switch.class]]\npriority = 1\n[cc]";
    assert_eq!(first_heard(&reflected.replace("[cc]", classes)), (ns(14_776, 0), ns(14_912, 0)));
}

#[test]
fn reflected_runs_are_the_same_on_all_threads() {
    let more = "[switch]\nint_reflected = true\n";
    let echoed = same_on_threads(&racks("poseidon", 0.7, ""), Some(3));
    let hashed = same_on_threads(&racks("poseidon", 0.7, more), Some(3));
    let symmetric = same_on_threads(
        &racks("poseidon", 0.7, &format!("{more}[routing]\nsame_way_back = true\n")),
        Some(3),
    );
    let hashes = [echoed, hashed, symmetric].map(|run| run.summary.trace_hash);
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2], "what acks bring makes a difference");
}
