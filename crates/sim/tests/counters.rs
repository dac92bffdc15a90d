//! What senders repeat and how often their timers expire is counted, whatever becomes of their connections.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{burst, run};

const ONE_SWITCH: &str = "[topology]\nkind = \"single-switch\"\nhosts = 3\nrate = \"100Gbps\"\ndelay = \"1us\"\n\
    [cc]\nlaw = \"newreno\"\n";

/// Everything is lost. The timer of 100 µs doubles each time: it expires at 100, 300 and 700 µs, the next is due at
/// 1500 µs, when the run is over. The packet is sent again each time.
#[test]
fn connections_that_are_open_at_the_end_count() {
    let text = format!(
        "duration = \"1ms\"\n{ONE_SWITCH}[transport]\ninitial_rto = \"100us\"\nmin_rto = \"100us\"\n\
         [[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 1.0\n{}",
        burst(0, 1, 1, "0ns")
    );
    let run = run(&text);
    assert_eq!((run.summary.timeouts, run.summary.retransmitted), (3, 3));
    assert_eq!((run.messages[0].timeouts, run.messages[0].retransmitted), (3, 3));
    assert!(run.outcome.ended.is_empty() && run.outcome.open.len() == 1);
}

/// Two connections with many messages each share a buffer of five packets; all messages arrive whole in the end, so
/// each dropped packet was sent again.
#[test]
fn connections_with_many_messages_count() {
    let text = format!(
        "{ONE_SWITCH}[transport]\ninitial_rto = \"100us\"\nmin_rto = \"100us\"\n\
         [switch.buffer]\nsharing = \"per-queue\"\nsize = \"5300B\"\n\
         [[traffic]]\nkind = \"messages\"\nfrom = \"0-1\"\nto = 2\nsize = \"30KB\"\nrate = \"80Gbps\"\nstop = \"100us\"\n"
    );
    let run = run(&text);
    assert_eq!(run.workload.connections.len(), 2);
    assert!(run.workload.messages.len() > 10 && run.summary.completed == run.summary.flows);
    assert!(run.summary.drops_by_cause.buffer > 0, "{:?}", run.summary);
    assert!(run.summary.retransmitted >= run.summary.drops_by_cause.buffer, "{:?}", run.summary);
}
