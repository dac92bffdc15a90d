//! Captured packets are real ones: they parse, say what the simulated hosts mean, and are the same on any number
//! of threads.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

use plimsoll_scenario::Scenario;
use plimsoll_sim::{CapturedFrame, Control, FIRST_PORT, FrameSink, HOP_LIMIT, Options, Run, Tap, simulate};
use plimsoll_units::{Bytes, Span, Time};
use plimsoll_wire::frame::{EcnField, Frame};
use plimsoll_wire::header::{AckView, DataView, Packet};
use plimsoll_wire::telemetry::{Telemetry, TelemetryKind};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex};

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

/// Runs a scenario with every port of every link tapped, hosts' cards included.
fn captured(text: &str, threads: usize) -> (Run, Vec<CapturedFrame>) {
    let scenario = Scenario::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
    let ports: Vec<u32> = (0..2 * scenario.network().unwrap().links.len() as u32).collect();
    let kept = Kept::default();
    let mut control = Control { tap: Some(Tap::new(ports, Box::new(kept.clone()))), ..Control::default() };
    let run = simulate(&scenario, &Options { threads, seed: None }, &control).unwrap();
    let count = control.tap.take().unwrap().finish().unwrap();
    let frames = std::mem::take(&mut *kept.0.lock().unwrap());
    assert_eq!(count, frames.len() as u64);
    (run, frames)
}

fn bare(text: &str) -> Run {
    let scenario = Scenario::parse("test.toml", text).unwrap();
    simulate(&scenario, &Options::default(), &Control::default()).unwrap()
}

/// What a frame carries: its headers, the kind of telemetry, and all bytes behind UDP with the payload's zeros.
fn open(frame: &CapturedFrame) -> (Frame, TelemetryKind, Vec<u8>) {
    let (headers, length, kept) = Frame::parse(&frame.bytes).unwrap();
    assert_eq!(frame.length as usize, 42 + length, "the frame is as long as it says");
    let port = headers.source_port.min(headers.destination_port);
    let kind = TelemetryKind::from_number((port - FIRST_PORT) as u8).unwrap();
    let mut bytes = kept.to_vec();
    bytes.resize(length, 0);
    (headers, kind, bytes)
}

/// The packet behind the telemetry; data packets have it in front, acks only if it is a delay.
fn packet<'a>(headers: &Frame, kind: TelemetryKind, bytes: &'a [u8]) -> (Telemetry<'a>, Packet<'a>) {
    let is_data = headers.destination_port < headers.source_port;
    let front = match kind {
        TelemetryKind::CompactHops | TelemetryKind::ExactHops if !is_data => TelemetryKind::None,
        kind => kind,
    };
    let (telemetry, rest) = front.parse_travelling(bytes).unwrap();
    (telemetry, Packet::parse(rest).unwrap())
}

const LAWS: [(&str, &str, TelemetryKind); 5] = [
    ("newreno", "", TelemetryKind::None),
    ("poseidon", "", TelemetryKind::MaxHopDelay),
    ("hpcc", "", TelemetryKind::CompactHops),
    ("powertcp", "[switch]\nint_encoding = \"exact\"\n", TelemetryKind::ExactHops),
    ("dctcp", "", TelemetryKind::None),
];

fn leaf_spine(law: &str, more: &str) -> String {
    format!(
        r#"
[topology]
kind = "leaf-spine"
leaves = 3
spines = 2
hosts_per_leaf = 2
host_rate = "100Gbps"
spine_rate = "100Gbps"
[cc]
law = "{law}"
{more}
[[traffic]]
kind = "all-to-all"
size = "30KB"
"#
    )
}

#[test]
fn a_packet_alone_is_seen_at_both_ports_with_its_time_and_its_headers() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 2\nrate = \"100Gbps\"\ndelay = \"1us\"\n\
                [cc]\nlaw = \"poseidon\"\n[host]\nmtu = \"1048B\"\nmss = \"1000B\"\n\
                [[traffic]]\nkind = \"trace\"\nflows = [[0, 1, 700, \"0s\"]]\n";
    let (_, frames) = captured(text, 1);
    assert_eq!(frames.len(), 4, "one packet and one ack, over two links each");
    // 700 + 48 + 2 bytes of telemetry: 750 · 8 / 100 Gb/s = 60 ns; then 1 µs to the switch, again 60 ns.
    let at = |frame: usize| frames[frame].time - Time::ZERO;
    assert_eq!((at(0), at(1)), (Span::from_ns(60), Span::from_ns(1_120)));
    let (headers, kind, bytes) = open(&frames[1]);
    // Port 0 is h0's, port 1 the switch's to h0; port 3 is the switch's to h1; the switch is node 2.
    assert_eq!((frames[0].port, frames[1].port), (0, 3));
    assert_eq!((headers.from_node, headers.to_node), ([2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 1]));
    assert_eq!((headers.source, headers.destination), ([10, 0, 0, 1], [10, 0, 0, 2]));
    assert_eq!((headers.hop_limit, kind), (63, TelemetryKind::MaxHopDelay));
    let (Telemetry::MaxHopDelay(delay), Packet::Data(data)) = packet(&headers, kind, &bytes) else {
        panic!()
    };
    assert_eq!(delay.units(), 0, "nothing waited");
    assert_eq!(data.payload().len(), 700);
    assert_eq!((data.packet().0, data.offset(), data.sent_at()), (0, Bytes::ZERO, Time::ZERO));
    assert!(data.flags().end_of_message && !data.flags().retransmission);
    let (headers, kind, bytes) = open(&frames[3]);
    assert_eq!((headers.source, headers.destination), ([10, 0, 0, 2], [10, 0, 0, 1]));
    let (_, Packet::Ack(ack)) = packet(&headers, kind, &bytes) else { panic!() };
    assert_eq!((ack.next_expected(), ack.received_packets(), ack.hops()), (Bytes::new(700), 1, 1));
}

#[test]
fn every_packet_hop_is_a_frame_that_parses_and_the_run_is_the_same_as_without() {
    for (law, more, expected) in LAWS {
        let text = leaf_spine(law, more);
        let (run, frames) = captured(&text, 1);
        assert_eq!(run.outcome, bare(&text).outcome, "{law}: the capture changes nothing");
        assert_eq!(frames.len() as u64, run.outcome.totals.packet_hops, "{law}");
        assert!(frames.is_sorted_by_key(|frame| (frame.time, frame.port)), "{law}");
        for frame in &frames {
            let (headers, kind, bytes) = open(frame);
            assert_eq!(kind, expected);
            let switches = HOP_LIMIT - headers.hop_limit;
            let (telemetry, packet) = packet(&headers, kind, &bytes);
            let from_switch = run.network.near_end(frame.port) >= run.network.hosts;
            assert_eq!(switches > 0, from_switch, "a card's packet has passed no switch");
            match (telemetry, packet) {
                (Telemetry::CompactHops(hops), Packet::Data(_)) => {
                    assert_eq!(hops.len(), usize::from(switches));
                }
                (Telemetry::ExactHops(hops), Packet::Data(data)) => {
                    assert_eq!(hops.len(), usize::from(switches));
                    for hop in hops.iter() {
                        assert!(data.sent_at() < hop.time && hop.time < frame.time);
                        assert_eq!(hop.rate.as_bps(), 100_000_000_000);
                    }
                }
                (_, Packet::Ack(ack)) => assert_eq!(ack.telemetry().kind(), expected),
                (_, Packet::Data(_)) => {}
            }
        }
    }
}

#[test]
fn frames_are_the_same_on_all_threads() {
    for (law, more, _) in LAWS {
        let faults = "[[fault]]\nkind = \"loss\"\nlinks = \"fabric\"\nprobability = 0.01\n";
        let text = leaf_spine(law, more) + faults;
        let (_, one) = captured(&text, 1);
        for threads in [2, 3] {
            let (_, many) = captured(&text, threads);
            assert!(many == one, "{law} on {threads} threads: {} and {} frames", many.len(), one.len());
        }
    }
}

/// What a receiver has seen of a connection, told from data frames on the link to its host.
#[derive(Default)]
struct Seen {
    packets: BTreeSet<u64>,
    marked: u64,
    bytes: BTreeMap<u64, u64>,
}

/// Compares what each ack says, as it leaves the receiver's card, with the data that arrived there before.
fn check_acks(run: &Run, frames: &[CapturedFrame]) -> (u64, u64) {
    let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
    let (mut ranges, mut marks) = (0, 0);
    // Data reaches its host a link's delay after it left the port; acks leave the card later than that.
    let mut events: Vec<(Time, &CapturedFrame)> = Vec::new();
    for frame in frames {
        let (near, far) = (run.network.near_end(frame.port), run.network.far_end(frame.port));
        let delay = run.network.links[frame.port as usize / 2].delay;
        if far < run.network.hosts {
            events.push((frame.time + delay, frame));
        } else if near < run.network.hosts {
            events.push((frame.time, frame));
        }
    }
    events.sort_by_key(|(time, _)| *time);
    for (_, frame) in events {
        let (headers, kind, bytes) = open(frame);
        let to_host = run.network.far_end(frame.port) < run.network.hosts;
        match packet(&headers, kind, &bytes).1 {
            Packet::Data(data) if to_host => note(&mut seen, &headers, &data),
            Packet::Ack(ack) if !to_host => {
                let seen = seen.entry(ack.connection().0).or_default();
                ranges += check_ack(seen, &ack);
                marks += ack.marked_packets();
            }
            _ => {}
        }
    }
    (ranges, marks)
}

fn note(seen: &mut BTreeMap<u32, Seen>, headers: &Frame, data: &DataView<'_>) {
    let seen = seen.entry(data.connection().0).or_default();
    if seen.packets.insert(data.packet().0) {
        seen.marked += u64::from(headers.ecn == EcnField::Marked);
        let start = data.offset().get();
        seen.bytes.insert(start, start + data.payload().len() as u64);
    }
}

fn check_ack(seen: &Seen, ack: &AckView<'_>) -> u64 {
    // Acks wait for the card: more may have arrived by now than they say. And answers to late copies count none.
    assert!(ack.received_packets() <= seen.packets.len() as u64);
    assert!(ack.marked_packets() <= seen.marked);
    let mut end = 0;
    while let Some(next) = seen.bytes.get(&end) {
        end = *next;
    }
    assert!(ack.next_expected().get() <= end, "all before the next expected has arrived");
    let mut count = 0;
    for range in ack.ranges() {
        assert!(range.start > ack.next_expected());
        let mut at = range.start.get();
        while at < range.end.get() {
            at = *seen.bytes.get(&at).unwrap_or_else(|| panic!("{at} of {range:?} has not arrived"));
        }
        assert_eq!(at, range.end.get(), "a range ends where a packet does");
        count += 1;
    }
    count
}

#[test]
fn acks_say_what_has_arrived() {
    let faults = "[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 0.02\n";
    let (run, frames) = captured(&(leaf_spine("newreno", "") + faults), 1);
    let (ranges, _) = check_acks(&run, &frames);
    assert!(ranges > 100, "losses leave holes: {ranges}");
}

#[test]
fn marks_are_in_the_ip_header_and_counted_by_acks() {
    let more = "[[traffic]]\nkind = \"incast\"\nto = 0\nsize = \"300KB\"\nbatch = 5\n";
    let (run, frames) = captured(&(leaf_spine("dctcp", "") + more), 1);
    let (_, marks) = check_acks(&run, &frames);
    assert!(marks > 0, "the incast is marked");
    let marked = frames.iter().filter(|frame| {
        run.network.far_end(frame.port) < run.network.hosts && open(frame).0.ecn == EcnField::Marked
    });
    // Each marked packet is counted once by the switch that marked it or once more by a later one.
    let marked = marked.count() as u64;
    assert!(marked > 0 && marked <= run.summary.marks, "{marked} of {}", run.summary.marks);
}

#[test]
fn only_the_time_that_was_asked_for_is_captured() {
    let text = leaf_spine("hpcc", "");
    let (_, all) = captured(&text, 1);
    let scenario = Scenario::parse("test.toml", &text).unwrap();
    let kept = Kept::default();
    let (from, until) = (Time::ZERO + Span::from_us(5), Time::ZERO + Span::from_us(8));
    let tap = Tap::new(vec![0, 1], Box::new(kept.clone())).between(from, until);
    let mut control = Control { tap: Some(tap), ..Control::default() };
    simulate(&scenario, &Options { threads: 2, seed: None }, &control).unwrap();
    control.tap.take().unwrap().finish().unwrap();
    let inside = |frame: &&CapturedFrame| frame.port < 2 && (from..=until).contains(&frame.time);
    let expected: Vec<CapturedFrame> = all.iter().filter(inside).cloned().collect();
    assert!(!expected.is_empty());
    assert_eq!(*kept.0.lock().unwrap(), expected);
}
