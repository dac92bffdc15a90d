//! HOMA in the simulator: times worked out by hand, levels seen on the wire, faults, threads.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run, run_scenario, same_on_threads, scenario};
use plimsoll_metrics::Outcome;
use plimsoll_sim::{CapturedFrame, Control, FrameSink, HOMA_PORT, Options, Run, Tap, simulate};
use plimsoll_units::{Bytes, Span, Time};
use plimsoll_wire::frame::Frame;
use plimsoll_wire::homa::{Homa, Kind};
use std::io;
use std::sync::{Arc, Mutex};

/// Hosts at one switch, 10 Gb/s, 1 µs per link, packets of 1000 B with headers of 48 B; R = 10 kB, D = 2.
fn star(hosts: u32, cc: &str, more: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = {hosts}\nrate = \"10Gbps\"\ndelay = \"1us\"\n\
         [host]\nmtu = \"1048B\"\nmss = \"1000B\"\n\
         [cc]\nlaw = \"homa\"\nrtt_bytes = \"10KB\"\novercommitment = 2\n{cc}\n{more}"
    )
}

fn trace(flows: &str) -> String {
    format!("[[traffic]]\nkind = \"trace\"\nflows = [{flows}]\n")
}

/// How long each message took, in nanoseconds, to its DONE.
fn took(run: &Run) -> Vec<f64> {
    let took = |message: &plimsoll_metrics::MessageRecord| {
        (message.finish.unwrap() - message.start).as_ps() as f64 / 1e3
    };
    run.messages.iter().map(took).collect()
}

/// Equal to the picosecond.
fn equal(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-3
}

#[test]
fn a_message_of_one_packet_takes_its_way_there_and_done_back() {
    let run = run(&star(2, "", &trace("[0, 1, 700, \"0s\"]")));
    // 748 B · 0.8 ns = 598.4 ns on each of two links, 2 µs; DONE has 60 B, 48 ns on each, 2 µs.
    assert!(equal(took(&run)[0], 2.0 * 598.4 + 2_000.0 + 2.0 * 48.0 + 2_000.0), "{:?}", took(&run));
    let delivered = run.messages[0].delivered.unwrap();
    assert_eq!(delivered - Time::ZERO, Span::from_ps(3_196_800));
}

#[test]
fn a_long_message_alone_has_the_whole_link() {
    let run = run(&star(2, "", &trace("[0, 1, 1000000, \"0s\"]")));
    // 1000 packets of 1048 B · 0.8 ns one behind the other, the last over a second link, 2 µs; DONE.
    // R = 10 packets last 8.4 µs, a round trip takes 838.4 · 2 + 48 · 2 + 4000 = 5.8 µs: grants come in time.
    assert!(equal(took(&run)[0], 1_001.0 * 838.4 + 2_000.0 + 96.0 + 2_000.0), "{:?}", took(&run));
}

#[test]
fn with_too_few_rtt_bytes_the_link_waits_for_grants() {
    let run = run(&star(2, "", &trace("[0, 1, 100000, \"0s\"]")).replace("10KB", "2KB"));
    // Two packets per round trip of 838.4 · 2 + 48 · 2 + 4000 = 5772.8 ns: the i-th pair leaves i round trips after
    // the first. The last of the 50 pairs begins after 49, and takes a packet more than a round trip of DONE.
    let expected = 49.0 * 5_772.8 + 838.4 + 5_772.8;
    assert!(equal(took(&run)[0], expected), "{:?} and {expected}", took(&run));
}

#[test]
fn a_short_message_waits_for_one_packet_of_a_long_one_at_most() {
    let alone = took(&run(&star(3, "", &trace("[1, 2, 700, \"0s\"]"))))[0];
    for start in ["100us", "100.3us", "100.7us"] {
        let flows = format!("[0, 2, 1000000, \"0s\"], [1, 2, 700, \"{start}\"]");
        let both = took(&run(&star(3, "", &trace(&flows))));
        // Its DONE may have to wait for a grant of 60 B, too.
        assert!(both[1] <= alone + 838.4 + 48.0, "{} behind {alone}", both[1]);
    }
}

#[test]
fn the_shorter_of_two_long_messages_finishes_as_if_it_were_nearly_alone() {
    let alone = took(&run(&star(3, "", &trace("[1, 2, 200000, \"0s\"]"))))[0];
    let both = took(&run(&star(3, "", &trace("[0, 2, 1000000, \"0s\"], [1, 2, 200000, \"100us\"]"))));
    // Its blind packets are above all scheduled ones, its scheduled ones above those of the longer message; only
    // what is being sent when one comes is in its way, once for the blind and once for the granted ones.
    assert!(both[1] <= alone + 2.0 * 838.4, "{} and {alone}", both[1]);
    // The link is never idle: 1200 packets of both.
    assert!(both[0] <= 1_201.0 * 838.4 + 4_096.0 + 838.4, "{}", both[0]);
}

#[test]
fn an_incast_keeps_the_link_busy_and_grants_d_messages_at_a_time() {
    for degree in [1, 2, 6] {
        let flows: Vec<String> = (1..=8).map(|host| format!("[{host}, 0, 100000, \"0s\"]")).collect();
        let text = star(9, "", &trace(&flows.join(", ")))
            .replace("overcommitment = 2", &format!("overcommitment = {degree}"));
        let run = run(&text);
        let last = took(&run).into_iter().fold(0.0, f64::max);
        // 800 packets, the last over a second link, and DONE.
        assert!(equal(last, 801.0 * 838.4 + 4_096.0), "D = {degree}: {last}");
        // Blind bytes of eight, then at most R of each of D messages: the queue is no longer than both.
        let most = 80 * 1_048 + degree * 10 * 1_048;
        assert!(run.summary.max_queue_bytes <= Bytes::new(most), "{}", run.summary.max_queue_bytes);
        // One message after the other: with D = 1 the first is done long before the last.
        let first = took(&run).into_iter().fold(f64::INFINITY, f64::min);
        assert!(degree > 1 || first < 0.4 * last, "{first} and {last}");
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<CapturedFrame>>>);

impl FrameSink for Kept {
    fn frame(&mut self, frame: &CapturedFrame) -> io::Result<()> {
        self.0.lock().unwrap().push(frame.clone());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A packet as it was on a link: when it left, its message, its kind, its level, its first byte.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    message: u64,
    kind: Kind,
    level: u8,
    from: u64,
}

fn seen(text: &str, threads: usize) -> Vec<Seen> {
    let scenario = scenario(text);
    let ports: Vec<u32> = (0..2 * scenario.network().unwrap().links.len() as u32).collect();
    let kept = Kept::default();
    let mut control = Control { tap: Some(Tap::new(ports, Box::new(kept.clone()))), ..Control::default() };
    simulate(&scenario, &Options { threads, seed: None }, &control).unwrap();
    control.tap.take().unwrap().finish().unwrap();
    let frames = kept.0.lock().unwrap();
    let read = |frame: &CapturedFrame| {
        let (headers, length, bytes) = Frame::parse(&frame.bytes).unwrap();
        assert_eq!(headers.source_port.min(headers.destination_port), HOMA_PORT);
        let mut bytes = bytes.to_vec();
        bytes.resize(length, 0);
        let packet = Homa::parse(&bytes).unwrap();
        // The class selectors of RFC 2474.
        let level = headers.class >> 3;
        Seen { message: packet.message, kind: packet.kind, level, from: packet.from.get() }
    };
    frames.iter().map(read).collect()
}

#[test]
fn levels_on_the_wire_are_those_of_the_rules() {
    // Sizes 700 B, 50 kB and 100 kB: D = 2 leaves six blind levels for 700 + 10 000 + 10 000 B, 3450 B each. Up to the
    // message of 50 kB there are 10 700 B, three levels: it and the shorter one are at 7. The longest is three lower.
    let flows = "[0, 3, 100000, \"0s\"], [1, 3, 50000, \"0s\"], [2, 3, 700, \"0s\"]";
    let packets = seen(&star(4, "", &trace(flows)), 1);
    let levels = |message: u64, blind: bool| {
        let data = packets.iter().filter(|seen| seen.kind == Kind::Data && seen.message == message);
        let mut levels: Vec<u8> =
            data.filter(|seen| (seen.from < 10_000) == blind).map(|seen| seen.level).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    };
    let messages = [(0, 100_000), (1, 50_000), (2, 700)];
    assert_eq!(messages.map(|(message, _)| levels(message, true)), [vec![4], vec![7], vec![7]]);
    // Granted together the shorter is at level 1 and the longer at 0. The blind bytes of the shorter come first; as
    // long as the longer is not known, the shorter is alone and at 0.
    assert_eq!(levels(1, false), [0, 1]);
    assert_eq!(levels(0, false), [0]);
    let control = packets.iter().filter(|seen| seen.kind != Kind::Data);
    assert!(control.clone().count() > 100 && control.into_iter().all(|seen| seen.level == 7));
}

#[test]
fn captures_are_the_same_on_all_threads() {
    let text = common::racks("homa", 0.6, "").replace("300us", "60us");
    assert_eq!(seen(&text, 1), seen(&text, 3));
}

#[test]
fn a_loaded_fabric_runs_alike_on_all_threads_with_drops_and_with_pauses() {
    let drops = same_on_threads(&common::racks("homa", 0.7, "[switch.buffer]\nsize = \"60KB\"\n"), Some(7));
    assert!(drops.summary.drops_by_cause.buffer > 0, "the buffer is small enough to matter");
    let more = "[switch.buffer]\nsize = \"1MB\"\n[switch.pfc]\nenabled = true\n\
                [[traffic]]\nkind = \"incast\"\nto = 0\nsize = \"300KB\"\nbatch = 15\n";
    let pauses = same_on_threads(&common::racks("homa:powertcp-nsdi22", 0.6, more), Some(7));
    assert!(pauses.summary.pfc_pauses > 0, "the incast fills the buffer");
    assert_eq!(pauses.summary.drops_by_cause.buffer, 0, "PFC keeps the fabric lossless");
}

#[test]
fn every_message_arrives_over_links_that_lose_one_packet_in_fifty() {
    let more = "[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 0.02\n";
    let text = common::racks("homa", 0.3, more).replace("duration = \"300us\"\n", "").replace(
        "kind = \"poisson\"\nload = 0.3\nsize = \"hadoop\"",
        "kind = \"all-to-all\"\nsize = \"30KB\"",
    );
    let run = run_scenario(&scenario(&text), 1, None);
    assert_eq!(run.summary.completed, 240, "16 · 15 messages");
    assert!(run.summary.retransmitted > 0 && run.summary.timeouts > 0);
}

#[test]
fn a_message_to_nowhere_is_reported_as_failed() {
    let fault = "[[fault]]\nkind = \"link-down\"\nlinks = \"s0:h1\"\nstart = \"0s\"\n";
    let run = run(&star(
        3,
        "resend_timeout = \"100us\"\n",
        &(trace("[0, 1, 5000, \"0s\"], [0, 2, 5000, \"0s\"]") + fault),
    ));
    assert!(matches!(run.messages[0].outcome(), Outcome::Failed(_)), "{:?}", run.messages[0]);
    assert_eq!(run.messages[1].outcome(), Outcome::Completed);
}

#[test]
fn of_a_message_that_was_given_up_only_what_was_lost_is_sent_again() {
    let fault = "[[fault]]\nkind = \"link-down\"\nlinks = \"s0:h0\"\nstart = \"50us\"\nstop = \"1200us\"\n";
    let text = star(2, "resend_timeout = \"100us\"\n", &(trace("[0, 1, 200000, \"0s\"]") + fault));
    let run = run(&text);
    // The receiver asks five times in vain and gives up after 650 µs; the sender asks after 100, 200, 400 and 800 µs
    // and is heard the fourth time.
    assert_eq!(run.messages[0].outcome(), Outcome::Completed);
    // 50 µs are 59 packets of 838.4 ns; all but R = 10 of them, and one on each of two links, had arrived.
    assert!((1..=12).contains(&run.summary.retransmitted), "{}", run.summary.retransmitted);
}

#[test]
fn a_flow_that_stops_makes_way_for_the_next() {
    // D = 1: the endless flow of 0 has fewer bytes left than that of 1, which waits until the first stops.
    let flow = |from, start, stop| {
        format!(
            "[[traffic]]\nkind = \"flows\"\nfrom = {from}\nto = 2\nstart = \"{start}\"\nstop = \"{stop}\"\n"
        )
    };
    let flows = flow(0, "0s", "1ms") + &flow(1, "100us", "2ms");
    let text = format!("duration = \"2ms\"\n{}", star(3, "", &flows));
    let run = run_scenario(&scenario(&text.replace("overcommitment = 2", "overcommitment = 1")), 1, None);
    // 10 Gb/s for 2 ms are 2.5 MB; half of it if the receiver went on waiting for the first.
    assert!(run.outcome.totals.arrived_bytes > 2_450_000, "{}", run.outcome.totals.arrived_bytes);
}

#[test]
fn a_message_that_waits_for_another_begins_when_that_has_arrived() {
    let text = star(4, "", "[[traffic]]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nsize = \"40KB\"\n");
    let run = run(&text);
    assert_eq!(run.summary.completed, run.summary.flows);
}
