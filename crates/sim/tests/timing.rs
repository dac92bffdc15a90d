//! Times computed by hand, to the picosecond.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::run;
use plimsoll_sim::Run;
use plimsoll_units::Span;

fn completion(run: &Run, message: usize) -> Span {
    run.messages[message].completion_time().unwrap()
}

/// One switch, 100 Gb/s, 1 µs; payload 1000 B on 1048 B, acks of 60 B, nothing written or marked.
const ONE_SWITCH: &str = r#"
[topology]
kind = "single-switch"
hosts = 3
rate = "100Gbps"
delay = "1us"
[host]
ack_size = "60B"
[cc]
law = "newreno"
"#;

fn flows(list: &[(u32, u32, &str, &str)]) -> String {
    list.iter().fold(String::new(), |text, (from, to, size, start)| {
        text + &format!("[[traffic]]\nkind = \"flows\"\nfrom = {from}\nto = {to}\nsize = \"{size}\"\nstart = \"{start}\"\n")
    })
}

/// 83.84 + 1000 + 83.84 + 1000 ns there, 4.8 + 1000 + 4.8 + 1000 ns back.
#[test]
fn one_packet_takes_its_serialisations_and_delays() {
    let run = run(&(ONE_SWITCH.to_owned() + &flows(&[(0, 1, "1000B", "0ns")])));
    assert_eq!(completion(&run, 0), Span::from_ps(4_177_280));
    assert_eq!(run.messages[0].delivery_time().unwrap(), Span::from_ps(2_167_680));
    assert_eq!(run.outcome.totals.packet_hops, 4);
}

/// Packets follow each other without gaps: each adds 83.84 ns; the last ack comes back as above.
#[test]
fn packets_of_a_flow_follow_each_other_at_line_rate() {
    let run = run(&(ONE_SWITCH.to_owned() + &flows(&[(0, 1, "10KB", "0ns")])));
    assert_eq!(completion(&run, 0), Span::from_ps(4_177_280 + 9 * 83_840));
}

/// A receiver that takes 3 µs for each packet delays each ack by that, and no packet.
#[test]
fn a_slow_receiver_delays_acks_only() {
    let text = ONE_SWITCH.replace("[host]\n", "[host]\nreceive_delay = \"3us\"\n");
    let run = run(&(text + &flows(&[(0, 1, "10KB", "0ns")])));
    assert_eq!(completion(&run, 0), Span::from_ps(4_177_280 + 9 * 83_840 + 3_000_000));
    assert_eq!(run.messages[0].delivery_time().unwrap(), Span::from_ps(2_167_680 + 9 * 83_840));
}

/// A short last packet: 500 B are 548 B on the wire, 43.84 ns on each of two links.
#[test]
fn a_short_packet_takes_less() {
    let run = run(&(ONE_SWITCH.to_owned() + &flows(&[(0, 1, "500B", "0ns")])));
    assert_eq!(completion(&run, 0), Span::from_ps(4_177_280 - 2 * 40_000));
}

/// Two hosts send a packet each to a third at the same moment: one waits for the other, 83.84 ns; so do the acks
/// not, which go to different hosts, but the receiver's card sends them when the packets come.
#[test]
fn the_second_of_two_packets_waits_for_the_first() {
    let run = run(&(ONE_SWITCH.to_owned() + &flows(&[(0, 2, "1000B", "0ns"), (1, 2, "1000B", "0ns")])));
    let mut times = [completion(&run, 0), completion(&run, 1)];
    times.sort();
    assert_eq!(times, [Span::from_ps(4_177_280), Span::from_ps(4_177_280 + 83_840)]);
    assert_eq!(run.summary.max_queue_bytes.get(), 1_048);
}

/// Three switches in a row with a pipeline of 600 ns each: every packet is stored and forwarded.
/// There: 4 links of (83.84 + 1000) and 3 · 600; back: 4 · (4.8 + 1000) and 3 · 600.
#[test]
fn each_hop_stores_and_forwards() {
    let text = r#"
[topology]
kind = "parking-lot"
segments = 2
rate = "100Gbps"
delay = "1us"
host_rate = "100Gbps"
host_delay = "1us"
[host]
ack_size = "60B"
[switch]
pipeline = "600ns"
[cc]
law = "newreno"
"#;
    let run = run(&(text.to_owned() + &flows(&[(0, 1, "1000B", "0ns")])));
    // 4 links there and 4 back.
    assert_eq!(run.outcome.totals.packet_hops, 8);
    let there = 4 * 1_083_840 + 3 * 600_000;
    let back = 4 * 1_004_800 + 3 * 600_000;
    assert_eq!(completion(&run, 0), Span::from_ps(there + back));
}

/// TIMELY slows down above T_high, 500 µs, unless it is told that the receiver took them. Acks come after 0.6 of the
/// 1.7 ms that 20 MB take.
#[test]
fn a_law_that_is_told_does_not_take_a_slow_receiver_for_a_queue() {
    let text = |told: bool, delay: &str| {
        let host = format!("[host]\nreceive_delay = \"{delay}\"\nendpoint_delay = {told}\n");
        let law = ONE_SWITCH.replace("[host]\n", &host).replace("newreno", "timely");
        run(&(law + &flows(&[(0, 1, "20MB", "0ns")])))
    };
    let [fast, told, untold] =
        [text(true, "0ns"), text(true, "600us"), text(false, "600us")].map(|run| completion(&run, 0));
    assert_eq!(told, fast.saturating_add(Span::from_us(600)));
    assert!(untold > told.saturating_add(Span::from_us(10)), "{untold} against {told}");
}
