//! Everything that can go wrong, with every law: each message arrives or is reported with the reason why not, nothing
//! hangs, nothing panics, no byte gets lost in the books, and two threads see what one sees.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run_scenario, scenario};
use plimsoll_cc::registry::LAWS;
use plimsoll_metrics::{Outcome, Reason};
use plimsoll_sim::Run;

/// Two leaves, two spines, and every host sends to one under the other leaf, and back.
fn fabric(law: &str, more: &str) -> String {
    format!(
        r#"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 4
host_rate = "100Gbps"
[cc]
law = "{law}"
[[traffic]]
kind = "flows"
from = "0-7"
to = ["4-7", "0-3"]
size = "300KB"
{more}
"#
    )
}

/// The same with racks that circuits join, as reTCP needs them. Circuits and their switches do not break; links of hosts
/// break instead, and all hosts of a ToR that would restart are cut off.
fn with_circuits(text: &str) -> String {
    let restart = |switch| format!("kind = \"switch-reboot\"\nswitches = \"{switch}\"");
    let link_down = |links| format!("kind = \"link-down\"\nlinks = \"{links}\"");
    text.replace("leaf-spine", "rotor")
        .replace("leaves = ", "tors = ")
        .replace("spines = 2\n", "")
        .replace("hosts_per_leaf", "hosts_per_tor")
        .replace("spine_rate", "circuit_rate")
        .replace(&restart("spine0"), &link_down("h2:tor0"))
        .replace(&restart("leaf1"), &link_down("h:tor1"))
        .replace("leaf0:spine0", "h2:tor0")
        .replace("leaf0:spine", "h2:tor0")
        .replace("h1:leaf0", "h1:tor0")
}

/// Runs with every law on one thread and on two; gives the runs.
fn with_every_law(text: impl Fn(&str) -> String) -> Vec<Run> {
    let run = |law: &str| {
        let text = text(law);
        let scenario = scenario(&if law == "retcp" { with_circuits(&text) } else { text });
        let one = run_scenario(&scenario, 1, None);
        let two = run_scenario(&scenario, 2, None);
        assert_eq!(one.outcome, two.outcome, "{law} on two threads");
        for message in &one.messages {
            assert!(message.outcome() != Outcome::Unfinished, "{law}: {message:?}");
        }
        one
    };
    LAWS.iter().map(|law| run(law.name)).collect()
}

fn all_completed(runs: &[Run]) {
    for run in runs {
        assert_eq!(run.summary.completed, run.summary.flows, "{}", run.summary.law);
    }
}

#[test]
fn a_link_that_goes_down_and_up_delays_but_loses_no_message() {
    let runs = with_every_law(|law| {
        let fault = |links, stop| {
            format!(
                "[[fault]]\nkind = \"link-down\"\nlinks = \"{links}\"\nstart = \"12us\"\nstop = \"{stop}\"\n"
            )
        };
        fabric(law, &(fault("leaf0:spine0", "3ms") + &fault("h1:leaf0", "2ms")))
    });
    all_completed(&runs);
    for run in runs {
        assert!(run.summary.drops_by_cause.down > 0, "{}: the link took packets with it", run.summary.law);
    }
}

#[test]
fn one_lost_packet_in_a_thousand_is_repaired() {
    let runs = with_every_law(|law| {
        fabric(law, "[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 0.001\n")
    });
    all_completed(&runs);
    for run in runs {
        let drops = run.summary.drops_by_cause;
        assert!(drops.loss > 0 && drops.corruption == 0 && run.summary.retransmitted > 0, "{drops:?}");
    }
}

#[test]
fn one_damaged_packet_in_a_thousand_is_repaired() {
    let fault = "[[fault]]\nkind = \"corruption\"\nlinks = \"all\"\nprobability = 0.001\n";
    let runs = with_every_law(|law| fabric(law, fault));
    all_completed(&runs);
    for run in runs {
        let drops = run.summary.drops_by_cause;
        assert!(drops.corruption > 0 && drops.loss == 0 && run.summary.retransmitted > 0, "{drops:?}");
    }
}

#[test]
fn switches_that_restart_delay_but_lose_no_message() {
    let runs = with_every_law(|law| {
        let fault = |switch, start, stop| {
            format!(
                "[[fault]]\nkind = \"switch-reboot\"\nswitches = \"{switch}\"\nstart = \"{start}\"\nstop = \"{stop}\"\n"
            )
        };
        fabric(law, &(fault("spine0", "12us", "1ms") + &fault("leaf1", "20us", "2ms")))
    });
    all_completed(&runs);
    for run in runs {
        assert!(run.summary.drops_by_cause.down > 0, "{}: the switch took packets with it", run.summary.law);
    }
}

/// 1100 B hold one packet of any law, with its telemetry, and never two.
#[test]
fn queues_of_one_packet_lose_much_and_deliver_all() {
    let runs =
        with_every_law(|law| fabric(law, "[switch.buffer]\nsharing = \"per-queue\"\nsize = \"1100B\"\n"));
    all_completed(&runs);
    // Laws that begin with a packet per round trip can do without a queue.
    let dropping = runs.iter().filter(|run| run.summary.drops_by_cause.buffer > 0).count();
    assert!(dropping > runs.len() / 2, "{dropping} of {} laws filled a queue", runs.len());
}

/// A thousand senders, on both sides of the fabric, with 2 MB in all; the buffers hold a quarter of that.
#[test]
fn a_thousand_to_one_incast_ends() {
    let runs = with_every_law(|law| {
        format!(
            r#"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 501
host_rate = "100Gbps"
spine_rate = "400Gbps"
[switch.buffer]
size = "500KB"
[cc]
law = "{law}"
[[traffic]]
kind = "incast"
from = "0-999"
to = 1001
size = "2KB"
"#
        )
    });
    all_completed(&runs);
    assert!(runs.iter().any(|run| run.summary.drops_by_cause.buffer > 0), "500 KB are not enough");
}

/// A rate that falls to a hundredth and returns, while packets are under way from part to part.
#[test]
fn a_link_that_slows_down_delays_but_loses_no_message() {
    let runs = with_every_law(|law| {
        fabric(
            law,
            "[[fault]]\nkind = \"rate\"\nlinks = \"leaf0:spine\"\nrate = \"1Gbps\"\nstart = \"12us\"\nstop = \"1ms\"\n",
        )
    });
    all_completed(&runs);
}

/// Go-back-N and PFC, with telemetry and with marks.
#[test]
fn lossless_fabrics_deliver_all_when_links_break() {
    for law in ["dcqcn", "hpcc"] {
        let faults = "[transport]\npreset = \"rdma\"\n[switch.buffer]\nsize = \"300KB\"\n\
             [[traffic]]\nname = \"incast\"\nkind = \"incast\"\nto = 0\nsize = \"200KB\"\n\
             [[fault]]\nkind = \"link-down\"\nlinks = \"h0:leaf0\"\nstart = \"30us\"\nstop = \"2ms\"\n\
             [[fault]]\nkind = \"switch-reboot\"\nswitches = \"spine1\"\nstart = \"40us\"\nstop = \"1ms\"\n";
        let scenario = scenario(&fabric(law, faults));
        let one = run_scenario(&scenario, 1, None);
        assert!(one.summary.pfc_pauses > 0, "{law}");
        assert_eq!(one.summary.completed, one.summary.flows, "{law}");
        assert_eq!(run_scenario(&scenario, 2, None).outcome, one.outcome, "{law} on two threads");
    }
}

/// Two faults hold the link down from 12 to 500 µs; the shorter one, from 20 to 40 µs, does not bring it back: a packet
/// that is sent at 100 µs is lost.
#[test]
fn a_link_returns_when_the_last_fault_is_over() {
    let fault = |start, stop| {
        format!(
            "[[fault]]\nkind = \"link-down\"\nlinks = \"h0:leaf0\"\nstart = \"{start}\"\nstop = \"{stop}\"\n"
        )
    };
    let later = common::burst(0, 5, 1, "100us");
    let one = common::run(&fabric("dctcp", &(fault("12us", "500us") + &later)));
    let two = common::run(&fabric("dctcp", &(fault("12us", "500us") + &fault("20us", "40us") + &later)));
    assert_eq!(one.outcome, two.outcome);
    let message = one.messages.iter().find(|message| message.bytes.get() == 1_000).unwrap();
    assert!(message.finish.unwrap().as_secs_f64() > 500e-6 && message.timeouts > 0, "{message:?}");
}

/// A host that is cut off for good: its flows time out, and what waits for them is reported too.
#[test]
fn what_cannot_arrive_is_reported_with_its_reason() {
    let text = r#"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
host_rate = "100Gbps"
[transport]
max_timeouts = 3
[cc]
law = "swift"
[[traffic]]
kind = "all-reduce"
size = "100KB"
[[fault]]
kind = "link-down"
links = "h3:leaf1"
start = "0ns"
"#;
    let run = common::run(text);
    let reasons = |reason| {
        let given = |message: &&plimsoll_metrics::MessageRecord| {
            message.failure.is_some_and(|failure| failure.reason == reason)
        };
        run.messages.iter().filter(given).count() as u64
    };
    let (timed_out, followers) = (reasons(Reason::TimedOut), reasons(Reason::PredecessorFailed));
    assert!(timed_out > 0 && followers > 0, "{timed_out} and {followers}");
    assert_eq!(timed_out + followers, run.summary.failed);
    assert_eq!(run.summary.failed + run.summary.completed, run.summary.flows);
    assert!(run.summary.drops_by_cause.down + run.summary.drops_by_cause.no_route > 0);
}

/// Messages that come to a connection after it was given up do not begin.
#[test]
fn a_connection_that_was_given_up_stays_so() {
    let text = r#"
duration = "200ms"
[topology]
kind = "single-switch"
hosts = 2
[transport]
max_timeouts = 1
[cc]
law = "swift"
[[traffic]]
kind = "messages"
from = 0
to = 1
size = "10KB"
rate = "100Mbps"
[[fault]]
kind = "link-down"
links = "h1:s0"
start = "20ms"
stop = "60ms"
"#;
    let run = common::run(text);
    assert!(run.summary.completed > 0 && run.summary.failed > 0);
    let last = run.messages.iter().filter_map(|message| message.finish).max().unwrap();
    assert!(last.as_secs_f64() < 0.0201, "{last:?}");
    assert_eq!(run.outcome.ended.len(), 1, "the connection ended once");
}
