//! Marks by the length of the queue, by hand and against the formula of RED.
//!
//! A burst of 20 packets at 100 Gb/s meets a link of 10 Gb/s. Packet k leaves when 10 k packets have come (at most
//! 20), of which k + 1 have left: behind it wait 0, 8, 17, 16, 15, … 1, 0 packets of 1048 B.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{bottleneck, burst, run};

const PACKET: u64 = 1_048;

fn marks(red: &str, traffic: &str) -> u64 {
    let switch = format!("[switch]\necn = \"red\"\n[switch.red]\n{red}\n");
    run(&(bottleneck("1us", "10Gbps", &switch) + traffic)).summary.marks
}

/// A packet is marked that leaves more than the threshold behind. Of 17, 16, … 11 packets there are seven; the one that
/// leaves exactly ten is not marked, unless the threshold is a byte less.
#[test]
fn a_step_marks_from_the_very_packet_that_leaves_more_behind() {
    let step = |bytes: u64| format!("kmin = \"{bytes}B\"\nkmax = \"{bytes}B\"\npmax = 1.0");
    let burst = burst(0, 1, 20, "0ns");
    assert_eq!(marks(&step(10 * PACKET), &burst), 7);
    assert_eq!(marks(&step(10 * PACKET - 1), &burst), 8);
    // The longest is 17, which only packet 2 leaves behind.
    assert_eq!(marks(&step(17 * PACKET - 1), &burst), 1);
    assert_eq!(marks(&step(17 * PACKET), &burst), 0);
}

/// Many bursts, far apart, and thresholds between which only packet 2 falls: each burst is one throw of a coin with
/// probability p = P_max · (17 − K_min) / (K_max − K_min), thresholds in packets. Of n throws n p are marked, within
/// four standard deviations √(n p (1 − p)): the chance to be outside is 6 in 100,000.
#[test]
fn red_marks_with_the_probability_of_the_formula() {
    const BURSTS: u32 = 4_000;
    let bursts = format!(
        "[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\nsize = \"20000B\"\nflows_per_pair = {BURSTS}\n\
         gap = \"100us\"\n"
    );
    for (kmin, kmax, pmax) in [(16, 18, 0.2), (16, 20, 1.0), (16, 17, 0.7), (16, 216, 1.0)] {
        let p = pmax * (17.0 - kmin as f64) / (kmax as f64 - kmin as f64);
        let red = format!("kmin = \"{}B\"\nkmax = \"{}B\"\npmax = {pmax}", kmin * PACKET, kmax * PACKET);
        let (marks, n) = (marks(&red, &bursts) as f64, f64::from(BURSTS));
        let deviation = (n * p * (1.0 - p)).sqrt();
        assert!((marks - n * p).abs() < 4.0 * deviation, "{marks} of {n}, expected {} ± {deviation}", n * p);
    }
}

/// Over the whole slope: from nothing to certainty at 20 packets, packet k is marked with q_k / 20. The queues of a
/// burst add up to 8 + 17 · 18 / 2 = 161, so 8.05 marks per burst; the variance per burst is the sum of p (1 − p),
/// 0.24 + (17 · 18 / 2) / 20 − (17 · 18 · 35 / 6) / 400 = 3.4275.
#[test]
fn red_marks_along_its_slope() {
    const BURSTS: u32 = 2_000;
    let bursts = format!(
        "[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\nsize = \"20000B\"\nflows_per_pair = {BURSTS}\n\
         gap = \"100us\"\n"
    );
    let red = format!("kmin = \"0B\"\nkmax = \"{}B\"\npmax = 1.0", 20 * PACKET);
    let (marks, n) = (marks(&red, &bursts) as f64, f64::from(BURSTS));
    let deviation = (n * 3.4275).sqrt();
    assert!((marks - 8.05 * n).abs() < 4.0 * deviation, "{marks}, expected {} ± {deviation}", 8.05 * n);
}

/// Marks look at the queue of the packet's own class: a lone packet of the higher class leaves first and finds none
/// of its class behind it, however many of the lower one wait.
#[test]
fn a_class_is_marked_for_its_own_queue() {
    let text = |size: &str| {
        format!(
            r#"
[topology]
kind = "graph"
hosts = 3
switches = 1
links = [
    {{ between = ["h0", "s0"], rate = "100Gbps", delay = "1us" }},
    {{ between = ["s0", "h1"], rate = "10Gbps", delay = "1us" }},
    {{ between = ["h2", "s0"], rate = "100Gbps", delay = "1us" }},
]
[switch]
ecn = "step"
[switch.red]
kmin = "10480B"
kmax = "10480B"
pmax = 1.0
[[switch.class]]
priority = 0
marks = false
[[switch.class]]
priority = 7
[transport]
ecn = "classic"
[cc]
law = "newreno"
initial_window = 1000.0
[[traffic]]
kind = "flows"
from = 0
to = 1
size = "100KB"
[[traffic]]
kind = "flows"
from = 2
to = 1
size = "{size}"
start = "3us"
class = 1
"#
        )
    };
    assert_eq!(common::run(&text("1000B")).summary.marks, 0);
    // Fifty packets of the higher class come ten times as fast as they leave.
    assert!(common::run(&text("50KB")).summary.marks > 0);
}
