//! PFC by hand, to the picosecond.
//!
//! A sender 5 µs from the switch, a receiver behind 10 Gb/s. Packet i of a burst, 83.84 ns each, joins the queue
//! at (i + 1) · 83.84 + 5000 ns, so packet 0 at 5083.84; the k-th leaves it at 5083.84 + k · 838.4.
//!
//! The switch has room for 600 packets of 1048 B. Of these 300 are headroom, 100 for each of three links, and the
//! rest is shared. With n packets held, all from one link, it pauses that link if n > 0.03 · (300 − n), so at
//! n = 9 (8.73), not at n = 8 (8.76). After packet i ≤ 9 it holds n = i, for packet 0 has left: packet 9 is the one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{bottleneck, burst, delivery, ns, run};
use plimsoll_units::Span;

const PACKET: u64 = 1_048;

fn pausing(packets: u64, headroom_each: u64, alpha: f64) -> String {
    format!(
        "[switch.buffer]\nsize = \"{}B\"\n[switch.pfc]\nenabled = true\nreserve = \"0B\"\nalpha = {alpha}\n\
         headroom = \"{}B\"\nresume_offset = \"{}B\"\n",
        packets * PACKET,
        headroom_each * PACKET,
        2 * PACKET
    )
}

fn text(traffic: &str) -> String {
    bottleneck("5us", "10Gbps", &pausing(600, 100, 0.03)) + traffic
}

/// The frame is sent when packet 9 joins: 5083.84 + 9 · 83.84 = 5838.40 ns. It has 64 B, 5.12 ns at 100 Gb/s, and
/// reaches the sender 5000 ns later: 10843.52 ns. Packet 129 began at 129 · 83.84 = 10815.36 ns and is finished;
/// packet 130 would begin at 10899.20 ns and waits.
///
/// The switch says resume when (n + 2) ≤ 0.03 · (300 − n), so at n = 6 (8 ≤ 8.82; at n = 7, 9 > 8.79). Of
/// 130 packets 6 are left when number 123 leaves: 5083.84 + 123 · 838.4 = 108207.04 ns; the sender hears of it
/// 5005.12 ns later, at 113212.16 ns. Packet 130 then takes 83.84 + 5000 ns to a queue that ran empty at
/// 5083.84 + 130 · 838.4 = 114075.84, and 838.4 + 1000 ns from there.
#[test]
fn a_sender_stops_behind_the_packet_it_is_sending_and_goes_on_when_told() {
    let before = run(&text(&burst(0, 1, 130, "0ns")));
    assert_eq!(delivery(&before, 0), ns(5_083, 840) + Span::from_ps(130 * 838_400) + ns(1_000, 0));
    let after = run(&text(&burst(0, 1, 131, "0ns")));
    assert_eq!(delivery(&after, 0), ns(113_212, 160) + ns(83 + 5_000 + 838 + 1_000, 840 + 400));
    for run in [before, after] {
        assert_eq!((run.summary.pfc_pauses, run.summary.drops), (1, 0));
    }
}

/// Ten packets pause the sender at 10843.52 ns as above. Six are left when number 3 leaves, at
/// 5083.84 + 3 · 838.4 = 7599.04 ns; the sender hears of it at 12604.16 ns. A packet that is ready a picosecond
/// before the pause goes; one that is ready with it waits. Each takes 83.84 + 5000 + 838.4 + 1000 = 6922.24 ns.
#[test]
fn a_pause_begins_and_ends_when_its_frames_arrive() {
    let (pause, resume) = (ns(10_843, 520), ns(12_604, 160));
    let way = ns(6_922, 240);
    let one = Span::from_ps(1);
    for (ready, leaves) in
        [(pause - one, pause - one), (pause, resume), (resume - one, resume), (resume, resume)]
    {
        let second = burst(0, 1, 1, &format!("{}ps", ready.as_ps()));
        let run = run(&text(&(burst(0, 1, 10, "0ns") + &second)));
        assert_eq!(delivery(&run, 1), leaves - ready + way, "ready at {ready}");
        assert_eq!(run.summary.pfc_pauses, 1);
    }
}

/// The receiver's link breaks at 50 µs, in the middle of the pause of the first test, and takes the whole queue with it.
/// Nothing is left in the switch whose leaving could end the pause, so the break itself does: the sender hears of it
/// at 55,005.12 ns, and a packet that has been ready since 20 µs leaves. The link is back at 60 µs, before the packet
/// comes to it. What was lost is repeated after a timeout.
#[test]
fn a_broken_link_ends_the_pause_that_its_queue_caused() {
    let fault = "[[fault]]\nkind = \"link-down\"\nlinks = \"s0:h1\"\nstart = \"50us\"\nstop = \"60us\"\n";
    let run = run(&text(&(burst(0, 1, 130, "0ns") + &burst(0, 1, 1, "20us") + fault)));
    assert_eq!(delivery(&run, 1), ns(55_005, 120) + ns(6_922, 240) - ns(20_000, 0));
    assert!(run.summary.drops_by_cause.down > 0);
    assert_eq!(run.summary.completed, 2);
}

/// With 1 µs to the sender the frame leaves at 1083.84 + 754.56 = 1838.40 ns and arrives at 2843.52 ns, when packet
/// 33 is being sent (33 · 83.84 = 2766.72). When it joins, at 1083.84 + 2766.72 ns, four packets have left
/// (3 · 838.4 = 2515.2): 30 are held. Thirty places are enough; of 29 one packet too few has to be dropped.
///
/// The pause comes at n = 9 again: of 30 and no headroom, 0.4 · (30 − 9) = 8.4, 0.4 · (30 − 8) = 8.8; of 29, 0.42 ·
/// (29 − 9) = 8.4, 0.42 · (29 − 8) = 8.82.
#[test]
fn headroom_for_what_is_under_way_prevents_the_last_drop() {
    for (places, alpha, drops) in [(30, 0.4, 0), (29, 0.42, 1)] {
        let text = bottleneck("1us", "10Gbps", &pausing(places, 0, alpha)) + &burst(0, 1, 40, "0ns");
        // Before the first ack, which also needs a place, comes at 1083.84 + 838.4 + 1000 + 48 + 1000 ns.
        let run = run(&format!("duration = \"3900ns\"\n{text}"));
        assert_eq!(
            (run.summary.drops_by_cause.buffer, run.summary.pfc_pauses),
            (drops, 1),
            "{places} places"
        );
    }
}

/// The default headroom of a 100 Gb/s link of 1 µs is 37,500 B: more than the 2 · 1000 + 5.12 + 83.84 ns of packets,
/// 26,112 B, that can arrive after the frame was sent.
#[test]
fn default_headroom_loses_nothing_when_many_are_paused() {
    let text = r#"
[topology]
kind = "single-switch"
hosts = 17
[transport]
preset = "rdma"
[switch.buffer]
size = "1400KB"
[cc]
law = "newreno"
initial_window = 1000.0
[[traffic]]
kind = "incast"
to = 16
size = "300KB"
"#;
    let run = run(text);
    assert!(run.summary.pfc_pauses >= 16, "{} pauses", run.summary.pfc_pauses);
    assert_eq!((run.summary.drops, run.summary.completed), (0, 16));
}

/// Between switches: the frame for the port of the first switch arrives, as for a host, 64 B and a delay after it was
/// sent. A packet of another host that comes to that port with the frame still goes; one picosecond later it waits.
///
/// Everything is at 100 Gb/s and 1 µs but for the last link, 10 Gb/s. Packet 9 of the burst reaches the second
/// switch at 10 · 83.84 + 83.84 + 2000 = 2922.24 ns, which sends the frame: at the first switch at 3927.36 ns. A
/// packet takes 1083.84 ns to the first switch, so the moment is 2843.52 ns at the host.
///
/// Of the ten packets six are left when number 3 leaves: the first joined at 2 · 83.84 + 2000 = 2167.68 ns, so that
/// is at 2167.68 + 2515.2 = 4682.88 ns; the resume is at the first switch at 5688.00 ns. The other packet goes to a
/// third host behind the second switch, so that nothing but the pause is in its way: two more links of 1083.84 ns.
#[test]
fn a_switch_pauses_when_the_frame_arrives() {
    let text = |ready: Span| {
        format!(
            r#"
[topology]
kind = "graph"
hosts = 4
switches = 2
links = [
    {{ between = ["h0", "s0"] }},
    {{ between = ["h1", "s0"] }},
    {{ between = ["s0", "s1"] }},
    {{ between = ["s1", "h2"], rate = "10Gbps" }},
    {{ between = ["s1", "h3"] }},
]
[host]
ack_size = "60B"
[cc]
law = "newreno"
initial_window = 1000.0
{}
{}
{}
"#,
            pausing(600, 100, 0.03),
            burst(0, 2, 10, "0ns"),
            burst(1, 3, 1, &format!("{}ps", ready.as_ps()))
        )
    };
    let (pause, resume) = (ns(3_927, 360), ns(5_688, 0));
    let (there, on) = (ns(1_083, 840), ns(2 * 1_083, 2 * 840));
    let one = Span::from_ps(1);
    for (comes, leaves) in
        [(pause, pause), (pause + one, resume), (resume, resume), (resume + one, resume + one)]
    {
        let ready = comes - there;
        let run = run(&text(ready));
        assert_eq!(delivery(&run, 1), leaves + on - ready, "comes at {comes}");
        assert_eq!((run.summary.pfc_pauses, run.summary.drops), (1, 0));
    }
}

/// A host that may not send class 0 still answers in class 1. The paused flow fills the switch in front of a slow
/// link; the other flow's single packet of 1048 B takes 1 us, 83.84 ns, 1 us and 83.84 ns to it, and its ack of
/// 60 B, which waits at most for the packet that the card is sending, 4.8 ns and 1 us twice.
#[test]
fn a_pause_of_one_class_lets_acks_of_another_go() {
    let run = common::run(
        r#"
[topology]
kind = "graph"
hosts = 3
switches = 1
links = [
    { between = ["h0", "s0"], rate = "100Gbps", delay = "1us" },
    { between = ["s0", "h1"], rate = "1Gbps", delay = "1us" },
    { between = ["h2", "s0"], rate = "100Gbps", delay = "1us" },
]
[host]
ack_class = 1
[transport]
preset = "rdma"
[switch.buffer]
size = "600KB"
[switch.pfc]
enabled = true
alpha = 0.05
[[switch.class]]
priority = 0
[[switch.class]]
priority = 7
[cc]
law = "newreno"
initial_window = 1000.0
[[traffic]]
kind = "flows"
from = 0
to = 1
size = "500KB"
[[traffic]]
kind = "flows"
from = 2
to = 0
size = "1000B"
start = "40us"
"#,
    );
    assert!(run.summary.pfc_pauses > 0, "{:?}", run.summary);
    let took = run.messages[1].completion_time().unwrap().as_ps();
    let least = 4_000_000 + 2 * 83_840 + 2 * 4_800;
    assert!((least..=least + 83_840).contains(&took), "{took} ps, at least {least}");
}
