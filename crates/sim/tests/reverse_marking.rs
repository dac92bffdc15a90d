//! Marks that go forward and marks that the switch sends back itself: how long it takes until the sender reacts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use plimsoll_metrics::{Reading, Sample};
use plimsoll_sim::{Control, Options, Run, simulate_recorded};
use plimsoll_units::Span;

/// TCP over Ethernet, its timers longer than any round trip here.
const HOSTS: &str = "[host]\npreset = \"ethernet\"\n\
    [transport]\necn = \"classic\"\nmin_rto = \"200ms\"\ninitial_rto = \"1s\"\n";

/// A sender at 10 Gb/s and 1 ms, a receiver at 1 Gb/s and 3 ms; the switch between them marks what has waited for
/// 1 ms, for 20 ms.
fn one_switch(law: &str, switch: &str) -> String {
    let echo = if law == "dctcp" { "accurate" } else { "classic" };
    let hosts = HOSTS.replace("classic", echo);
    format!(
        "duration = \"300ms\"\n[topology]\nkind = \"graph\"\nhosts = 2\nswitches = [\"S\"]\nlinks = [\n\
         {{ between = [\"h0\", \"S\"], rate = \"10Gbps\", delay = \"1ms\" }},\n\
         {{ between = [\"S\", \"h1\"], rate = \"1Gbps\", delay = \"3ms\" }},\n]\n\
         {hosts}[switch]\naqm = \"codel\"\n{switch}\n[switch.codel]\npreset = \"rpm\"\n\
         [switch.buffer]\nsharing = \"unlimited\"\n[cc]\nlaw = \"{law}\"\n\
         [[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\n[record]\ninterval = \"1ms\"\nmarks = true\n"
    )
}

fn recorded(text: &str, seed: u64) -> (Run, Vec<Sample>) {
    let mut samples = Vec::new();
    let options = Options { threads: 1, seed: Some(seed) };
    let scenario = common::scenario(text);
    let run = simulate_recorded(&scenario, &options, &Control::default(), &mut samples).unwrap();
    common::check_books(&run, scenario.duration);
    (run, samples)
}

/// The time from the first mark to the first reduction; `None` if the window was never reduced by a mark.
fn reaction(samples: &[Sample]) -> Option<Span> {
    let first = |wanted: fn(&Reading) -> bool| samples.iter().find(|sample| wanted(&sample.reading));
    let mark = first(|reading| matches!(reading, Reading::Mark(_))).unwrap();
    let reduction = first(|reading| matches!(reading, Reading::Reduction(_)))?;
    Some(reduction.at.checked_since(mark.at).unwrap())
}

/// The marked packet leaves (1538 B at 1 Gb/s: 12.304 µs) and flies 3 ms; its ack leaves (84 B: 0.672 µs), flies
/// 3 ms, leaves the switch (at 10 Gb/s: 67.2 ns) and flies 1 ms. Together 7.0130432 ms, to the picosecond.
#[test]
fn a_mark_that_goes_forward_takes_the_rest_of_the_round_trip() {
    for law in ["cubic", "newreno", "dctcp"] {
        let (run, samples) = recorded(&one_switch(law, ""), 1);
        assert_eq!(reaction(&samples), Some(Span::from_ps(7_013_043_200)), "{law}");
        assert!(run.summary.marks > 0);
    }
}

/// Acks enter the switch every 12.304 µs; the next one leaves (67.2 ns) and flies 1 ms.
#[test]
fn a_mark_that_is_sent_back_takes_the_way_to_the_sender_and_the_wait_for_an_ack() {
    for law in ["cubic", "newreno", "dctcp"] {
        let (_, samples) = recorded(&one_switch(law, "reverse_marking = true"), 1);
        let after = reaction(&samples).unwrap();
        let soonest = Span::from_ps(1_000_067_200);
        assert!(soonest <= after && after <= soonest + Span::from_ns(12_304), "{law}: {after}");
    }
}

#[test]
fn a_mark_tells_how_long_its_packet_has_waited_and_a_reduction_what_is_left() {
    let (run, samples) = recorded(&one_switch("newreno", ""), 1);
    let waits = samples.iter().filter_map(|sample| match sample.reading {
        Reading::Mark(wait) => Some(wait),
        _ => None,
    });
    let waits: Vec<Span> = waits.collect();
    // CoDel marks no packet that has waited for less than its target; every mark is counted, and recorded.
    assert!(waits.iter().all(|wait| *wait >= Span::from_ms(1)), "{waits:?}");
    assert_eq!(waits.len() as u64, run.summary.marks);
    let (_, plain) = recorded(&one_switch("newreno", "").replace("marks = true", "windows = true"), 1);
    let reduced = samples.iter().find(|sample| matches!(sample.reading, Reading::Reduction(_))).unwrap();
    // The next sample of the window shows what the reduction left.
    let after = plain.iter().find(|sample| sample.at >= reduced.at).unwrap();
    let (Reading::Reduction(left), Reading::Window(window)) = (reduced.reading, after.reading) else {
        unreachable!("asked for windows only")
    };
    assert!(left <= window && window.as_f64() < 1.01 * left.as_f64(), "{left} {window}");
}

/// One flow collides with none. Its data passes the switch, too, and pays nothing: neither by its number nor by the port
/// on which it came. Ports are counted at their switch, so that a register of two slots has one for each of S's.
#[test]
fn for_a_single_flow_it_makes_no_difference_how_the_register_finds_it() {
    let hash = |rpm: &str| {
        let text = one_switch("newreno", "reverse_marking = true") + &format!("[switch.rpm]\n{rpm}\n");
        let (run, samples) = recorded(&text, 1);
        assert!(reaction(&samples).is_some(), "{rpm}");
        run.summary.trace_hash
    };
    let hashed = hash("preset = \"paper\"");
    for rpm in ["preset = \"exact\"", "preset = \"exact\"\nslots = 1", "preset = \"per-port\"\nslots = 2"] {
        assert_eq!(hash(rpm), hashed, "{rpm}");
    }
}

/// Only S2 may mark, and the queue is at S1: nobody does.
#[test]
fn only_chosen_switches_manage_their_queues() {
    let two = |chosen: &str| {
        one_switch("newreno", &format!("aqm_switches = \"{chosen}\"\nreverse_marking = true"))
            .replace("[\"S\"]", "[\"S\", \"T\"]")
            .replace(
                "{ between = [\"S\", \"h1\"], rate = \"1Gbps\", delay = \"3ms\" }",
                "{ between = [\"S\", \"T\"], rate = \"1Gbps\", delay = \"1ms\" },\n\
                 { between = [\"T\", \"h1\"], rate = \"10Gbps\", delay = \"2ms\" }",
            )
    };
    assert_eq!(recorded(&two("T"), 1).0.summary.marks, 0);
    let (run, samples) = recorded(&two("S"), 1);
    assert!(run.summary.marks > 0 && reaction(&samples).unwrap() < Span::from_us(1_013));
}

/// Data goes by B or C, acks by B or C: where the two differ, the switch that owes marks never sees an ack.
/// Without a check such a flow hears of no mark; with one its marks go forward, and others' still go back.
#[test]
fn flows_whose_acks_take_another_way_are_marked_forward() {
    let diamond = |patience: u32| {
        format!(
            "duration = \"300ms\"\n[topology]\nkind = \"graph\"\nhosts = 2\n\
             switches = [\"A\", \"B\", \"C\", \"D\"]\nlinks = [\n\
             {{ between = [\"h0\", \"A\"], rate = \"10Gbps\", delay = \"1ms\" }},\n\
             {{ between = [\"A\", \"B\"], rate = \"10Gbps\", delay = \"10us\" }},\n\
             {{ between = [\"A\", \"C\"], rate = \"10Gbps\", delay = \"10us\" }},\n\
             {{ between = [\"B\", \"D\"], rate = \"1Gbps\", delay = \"1ms\" }},\n\
             {{ between = [\"C\", \"D\"], rate = \"1Gbps\", delay = \"1ms\" }},\n\
             {{ between = [\"D\", \"h1\"], rate = \"10Gbps\", delay = \"2ms\" }},\n]\n\
             {HOSTS}[switch]\naqm = \"codel\"\nreverse_marking = true\n\
             [switch.codel]\npreset = \"rpm\"\n[switch.rpm]\npatience = {patience}\n\
             [switch.buffer]\nsharing = \"unlimited\"\n[cc]\nlaw = \"newreno\"\n\
             [[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\n[record]\ninterval = \"1ms\"\nmarks = true\n"
        )
    };
    let (mut same_way, mut another_way) = (0, 0);
    for seed in 1..=8 {
        let unchecked = reaction(&recorded(&diamond(0), seed).1);
        let checked = reaction(&recorded(&diamond(1), seed).1).unwrap();
        match unchecked {
            // 1 ms and 10 µs back, and at most 12.304 µs until the next ack and three serialisations of it.
            Some(back) => {
                assert!(back == checked && back < Span::from_us(1_024), "{back} {checked}");
                same_way += 1;
            }
            // 3 ms forward, 4.01 ms back, and serialisations.
            None => {
                assert!(Span::from_us(7_010) < checked && checked < Span::from_us(7_030), "{checked}");
                another_way += 1;
            }
        }
    }
    assert!(same_way > 0 && another_way > 0, "{same_way} {another_way}");
}
