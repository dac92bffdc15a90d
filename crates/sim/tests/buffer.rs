//! Shared buffers by hand: which packet is the first that is dropped.
//!
//! Dynamic Thresholds (Choudhury and Hahne): a packet is admitted while its queue is shorter than α times what is
//! free of the buffer. With B places of 1048 B and all n waiting packets in one queue: n < α · (B − n). What is
//! being sent no longer waits.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{bottleneck, burst, run};

const PACKET: u64 = 1_048;

fn buffer(places: u64, alpha: f64) -> String {
    format!("[switch.buffer]\nsize = \"{}B\"\nalpha = {alpha}\n", places * PACKET)
}

/// Drops of a burst over a link so slow that after the first no packet leaves while the burst arrives.
fn drops(buffer: &str, packets: u32) -> u64 {
    // Nothing is repeated within 90 µs: the first ack comes after 83.84 + 83,840 + 4.8 + 48 ns and 4 µs.
    let text = bottleneck("1us", "100Mbps", buffer) + &burst(0, 1, packets, "0ns");
    run(&format!("duration = \"80us\"\n{text}")).summary.drops_by_cause.buffer
}

/// The packet that finds n waiting is number n + 1, for number 0 has left. α = 1, B = 20: n < 20 − n, so number 10
/// finds 9 and is the last that is admitted. α = 1/2: n < 10 − n/2 for n ≤ 6, number 7. α = 8: n < 160 − 8n for
/// n ≤ 17, number 18.
#[test]
fn dynamic_thresholds_drop_the_packet_that_meets_the_threshold() {
    for (alpha, last_admitted) in [(1.0, 10), (0.5, 7), (8.0, 18)] {
        let rule = buffer(20, alpha);
        assert_eq!(drops(&rule, last_admitted + 1), 0, "α = {alpha}");
        assert_eq!(drops(&rule, last_admitted + 2), 1, "α = {alpha}");
        assert_eq!(drops(&rule, last_admitted + 5), 4, "α = {alpha}");
    }
}

/// At 10 Gb/s packets leave while others come: one for ten, at 0, 838.4, 1676.8 ns after the first came, and packet i
/// comes at i · 83.84. Packet i finds i − 1 − ⌊i / 10⌋ waiting, as long as none was dropped. α = 1, B = 20: n < 10.
/// Packet 11 finds 9, packet 12 finds 10 and is the first that is dropped. Those up to 19 find 10 too; at packet 20
/// another has left.
#[test]
fn what_has_left_makes_room() {
    let drops = |packets| {
        let text = bottleneck("1us", "10Gbps", &buffer(20, 1.0)) + &burst(0, 1, packets, "0ns");
        // Before the ack of packet 0, after 83.84 + 838.4 + 48 + 4.8 ns and 4 µs.
        run(&format!("duration = \"4900ns\"\n{text}")).summary.drops_by_cause.buffer
    };
    assert_eq!([drops(12), drops(13), drops(14), drops(20), drops(21)], [0, 1, 2, 8, 8]);
}

/// α by class. Nine packets of class 0, which may grow to anything (α = 8), leave 8 waiting. Class 1 has α = 1/2: with m
/// of its own waiting, m < (20 − 8 − m) / 2 for m ≤ 3, for at m = 4 the two are equal: four packets are admitted.
#[test]
fn each_class_has_its_own_threshold_on_what_all_leave_free() {
    let drops = |packets: u32| {
        let classes = "[[switch.class]]\nalpha = 8.0\n[[switch.class]]\nalpha = 0.5\n";
        let text = bottleneck("1us", "100Mbps", &(buffer(20, 1.0) + classes));
        let traffic = burst(0, 1, 9, "0ns") + &burst(2, 1, packets, "2us") + "class = 1\n";
        run(&format!("duration = \"80us\"\n{text}{traffic}")).summary.drops_by_cause.buffer
    };
    assert_eq!([drops(4), drops(5), drops(7)], [0, 1, 3]);
}

/// Complete sharing admits what fits, a queue of its own what fits there. One packet is being sent, 20 wait.
#[test]
fn other_ways_of_sharing_admit_what_fits() {
    for sharing in ["complete", "per-queue"] {
        let rule = format!("[switch.buffer]\nsize = \"{}B\"\nsharing = \"{sharing}\"\n", 20 * PACKET);
        assert_eq!([drops(&rule, 21), drops(&rule, 22)], [0, 1], "{sharing}");
    }
    assert_eq!(drops("[switch.buffer]\nsharing = \"unlimited\"\n", 900), 0);
}
