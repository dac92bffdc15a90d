//! Times worked out by hand. A frame of 1250 B takes 10 µs at 1 Gb/s and 100 µs at 100 Mb/s.

use super::*;
use crate::packet::FIRST_PORT;
use plimsoll_wire::frame::{EcnField, Frame, HEADER_SIZE};
use plimsoll_wire::telemetry::Telemetry;

/// Two senders and a receiver on one switch; 5 µs a link; the receiver's has a tenth of the rate.
fn fabric(switch: &str) -> Fabric {
    let text = format!(
        r#"
[topology]
kind = "graph"
hosts = 3
switches = 1
links = [
    {{ between = ["h0", "s0"], rate = "1Gbps", delay = "5us" }},
    {{ between = ["h1", "s0"], rate = "1Gbps", delay = "5us" }},
    {{ between = ["s0", "h2"], rate = "100Mbps", delay = "5us" }},
]
[cc]
law = "poseidon"
{switch}
"#
    );
    let scenario = Scenario::parse("test.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let network = scenario.network().unwrap();
    Fabric::new(&scenario, network).unwrap()
}

fn frame(from: u32, to: u32, kind: TelemetryKind) -> Vec<u8> {
    let mut bytes = vec![0; 1250];
    kind.start_travelling(&mut bytes[HEADER_SIZE..]).unwrap();
    let frame = Frame {
        source: address(from).octets(),
        destination: address(to).octets(),
        source_port: 0xE000,
        destination_port: FIRST_PORT + kind as u16,
        ecn: EcnField::Capable,
        hop_limit: 64,
        ..Frame::default()
    };
    frame.encode(1250 - HEADER_SIZE, &mut bytes).unwrap();
    bytes
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// What reached hosts by a time: host, time, and the longest wait it gathered, in steps of 256 ns.
fn delivered(fabric: &mut Fabric, by: Time) -> Vec<(u32, Time, u16)> {
    let mut all = Vec::new();
    fabric.advance(by, &mut |host, due, bytes| {
        let steps = u16::from_be_bytes([bytes[HEADER_SIZE], bytes[HEADER_SIZE + 1]]);
        all.push((host, due, steps));
    });
    all
}

const KIND: TelemetryKind = TelemetryKind::MaxHopDelay;

/// 10 µs on h0's link, 5 µs, 100 µs on h2's, 5 µs: the first is there at 120 µs. The second leaves h0 10 µs later and
/// is in the queue at 25 µs, where the first is sent until 115 µs: it waits 90 µs, 351 whole steps of 256 ns, and is
/// there at 220 µs.
#[test]
fn frames_take_the_time_of_links_and_queues() {
    let mut fabric = fabric("");
    fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
    fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
    assert_eq!(delivered(&mut fabric, us(119)), []);
    assert_eq!(delivered(&mut fabric, us(1000)), [(2, us(120), 0), (2, us(220), 351)]);
    assert_eq!(fabric.counted(), Counted { hops: 4, ..Counted::default() });
    assert_eq!((fabric.next_event(), fabric.longest_queue()), (Time::NEVER, Bytes::new(1250)));
}

/// Whoever looks late finds the same times.
#[test]
fn a_late_look_changes_nothing() {
    let run = |looks: &[u64]| {
        let mut fabric = fabric("");
        let mut all = Vec::new();
        fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
        fabric.send(Time::ZERO, 1, &frame(1, 2, KIND));
        fabric.send(Time::ZERO, 1, &frame(1, 2, KIND));
        looks.iter().for_each(|look| all.extend(delivered(&mut fabric, us(*look))));
        all
    };
    assert_eq!(run(&[1000]), run(&[10, 15, 16, 100, 115, 120, 215, 600, 1000]));
}

/// h0 and h1 send ten frames each; one is being sent, so of a buffer of 5000 B with α = 1 a queue may grow while it is
/// shorter than what is free: with one waiting (1250 B) 3750 B are free, and a second may come; with two 2500 B wait and
/// 2500 B are free, and no more come.
#[test]
fn a_queue_may_grow_while_it_is_shorter_than_what_is_free() {
    let mut fabric = fabric("[switch.buffer]\nsize = \"5000B\"\n");
    for _ in 0..10 {
        fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
        fabric.send(Time::ZERO, 1, &frame(1, 2, KIND));
    }
    // All have come by 105 µs, when the first is still being sent.
    assert_eq!(delivered(&mut fabric, us(110)), []);
    assert_eq!(fabric.queue(4), Bytes::new(2500));
    assert_eq!(fabric.counted().drops.buffer, 20 - 3);
    assert_eq!(delivered(&mut fabric, us(10_000)).len(), 3);
}

/// Of 1010 frames that are read at once, before anybody looks, ten find no room. The others go to h1, whose link is as
/// fast, so that the switch drops none.
#[test]
fn a_card_takes_a_thousand_frames() {
    let mut fabric = fabric("");
    for _ in 0..1010 {
        fabric.send(Time::ZERO, 0, &frame(0, 1, KIND));
    }
    assert_eq!((fabric.queue(0), fabric.counted().drops.buffer), (Bytes::new(1_250_000), 10));
    assert_eq!(delivered(&mut fabric, us(1_000_000)).len(), 1000);
}

/// Three frames of 10 µs each that are read at 50 µs; at 55 µs one is under way and two wait.
#[test]
fn a_card_is_free_when_all_that_waits_is_sent() {
    let mut fabric = fabric("");
    assert_eq!(fabric.card_free_at(0), Time::ZERO);
    (0..3).for_each(|_| fabric.send(us(50), 0, &frame(0, 2, KIND)));
    fabric.advance(us(55), &mut |_, _, _| {});
    assert_eq!((fabric.card_free_at(0), fabric.card_free_at(1)), (us(80), Time::ZERO));
}

/// A frame that is read at 50 µs, before anybody has looked at one of 0 µs, is not sent at 10 µs: it leaves the card at
/// 60 µs and is at the switch at 65 µs, where it waits until 115 µs: 50 µs, 195 whole steps.
#[test]
fn nothing_leaves_before_it_has_come() {
    let mut fabric = fabric("");
    fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
    fabric.send(us(50), 0, &frame(0, 2, KIND));
    assert_eq!(delivered(&mut fabric, us(1000)), [(2, us(120), 0), (2, us(220), 195)]);
}

/// With a step at 2000 B, a frame that leaves more than that behind it is marked: of six the first when it leaves alone
/// is not, then five wait: it leaves four (5000 B), three, two (2500 B): marked; one (1250 B) and none: not.
#[test]
fn frames_that_leave_a_long_queue_behind_are_marked() {
    let mut fabric =
        fabric("[switch]\necn = \"step\"\n[switch.red]\nkmin = \"2000B\"\nkmax = \"2000B\"\npmax = 1.0\n");
    for _ in 0..6 {
        fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
    }
    let mut marks = Vec::new();
    fabric.advance(us(10_000), &mut |_, _, bytes| {
        // The low two bits of the traffic class.
        marks.push(bytes[15] & 0b11 == EcnField::Marked as u8);
    });
    assert_eq!(marks, [false, true, true, true, false, false]);
    assert_eq!(fabric.counted().marks, 3);
}

/// The same queue, but the marks are owed to the acks that pass: three of the four that come.
#[test]
fn marks_can_be_paid_by_acks_that_pass() {
    let mut fabric = fabric(
        "[switch]\necn = \"step\"\nreverse_marking = true\n\
         [switch.red]\nkmin = \"2000B\"\nkmax = \"2000B\"\npmax = 1.0\n",
    );
    for _ in 0..6 {
        fabric.send(Time::ZERO, 0, &frame(0, 2, KIND));
    }
    fabric.advance(us(10_000), &mut |_, _, _| {});
    let mut ack = vec![0; HEADER_SIZE + 2 + 68];
    KIND.start_travelling(&mut ack[HEADER_SIZE..]).unwrap();
    plimsoll_wire::header::Ack {
        connection: plimsoll_wire::header::ConnectionId(1),
        packet: plimsoll_wire::header::PacketNumber(1),
        next_expected: Bytes::ZERO,
        echoed_sent_at: Time::ZERO,
        receiver_delay: Span::ZERO,
        marked_bytes: Bytes::ZERO,
        marked_packets: 0,
        received_packets: 1,
        congestion_echoed: false,
        refused: false,
        circuit_up: false,
        hops: 1,
        ranges: &[],
        telemetry: Telemetry::None,
    }
    .encode(&mut ack[HEADER_SIZE + 2..])
    .unwrap();
    Frame {
        source: address(2).octets(),
        destination: address(0).octets(),
        source_port: FIRST_PORT + 1,
        destination_port: 0xE000,
        hop_limit: 64,
        ..Frame::default()
    }
    .encode(2 + 68, &mut ack)
    .unwrap();
    let mut echoes = Vec::new();
    for turn in 0..4 {
        fabric.send(us(20_000 + turn), 2, &ack);
    }
    fabric.advance(us(30_000), &mut |_, _, bytes| {
        let view = plimsoll_wire::header::AckView::parse(&bytes[HEADER_SIZE + 2..]).unwrap();
        echoes.push(view.congestion_echoed());
    });
    assert_eq!(echoes, [true, true, true, false]);
}

#[test]
fn switches_without_telemetry_write_none_and_records_have_one_per_switch() {
    let mut blind = fabric("[switch]\nint = \"max-hop-delay\"\nint_switches = \"all\"\n");
    blind.ports.iter_mut().for_each(|port| port.stamps = false);
    blind.send(Time::ZERO, 0, &frame(0, 2, KIND));
    blind.send(Time::ZERO, 0, &frame(0, 2, KIND));
    assert!(delivered(&mut blind, us(1000)).iter().all(|(.., steps)| *steps == 0));
    let mut seeing = fabric("");
    seeing.send(Time::ZERO, 0, &frame(0, 2, TelemetryKind::ExactHops));
    seeing.send(Time::ZERO, 0, &frame(0, 2, TelemetryKind::ExactHops));
    let mut records = Vec::new();
    seeing.advance(us(1000), &mut |_, _, bytes| {
        let (telemetry, _) = TelemetryKind::ExactHops.parse_travelling(&bytes[HEADER_SIZE..]).unwrap();
        if let Telemetry::ExactHops(hops) = telemetry {
            records.extend(hops.iter());
        }
    });
    // The first leaves the queue at 15 µs, with nothing before or behind it; the second when it is out, at 115 µs.
    let rate = Rate::from_mbps(100);
    let hop = |at, sent| ExactHop { time: us(at), sent: Bytes::new(sent), queue: Bytes::ZERO, rate };
    assert_eq!(records, [hop(15, 0), hop(115, 1250)]);
}

#[test]
fn what_is_not_for_our_hosts_goes_nowhere() {
    let mut fabric = fabric("");
    fabric.send(Time::ZERO, 0, &[0; 60]);
    fabric.send(Time::ZERO, 0, b"");
    fabric.send(Time::ZERO, 0, &frame(0, 3, KIND));
    fabric.send(Time::ZERO, 7, &frame(0, 2, KIND));
    assert_eq!((fabric.counted().foreign, fabric.next_event()), (3, Time::NEVER));
}
