//! CoDel's marks by hand (RFC 8289): the first when the delay has been above its target for an interval, then after
//! interval / √1, interval / √2, interval / √3.
//!
//! A burst at 100 Gb/s meets a link of 1 Gb/s, where a packet takes 8.384 µs. Packet k leaves k · 8.384 µs after the
//! first and has waited k · (8.384 − 0.08384) µs = k · 8.30016 µs. The target is 50 µs: packet 6 waited 49.8 µs,
//! packet 7, which leaves at 58.688 µs, waited 58.1 µs. With an interval of 1 ms, in µs after packet 0 left:
//!
//! | mark | due at | so on packet |
//! |---|---|---|
//! | 1 | 58.688 + 1000 = 1058.688 | 127, at 1064.768 |
//! | 2 | 1064.768 + 1000 = 2064.768 | 247, at 2070.848 |
//! | 3 | 2064.768 + 1000 / √2 = 2771.875 | 331, at 2775.104 |
//! | 4 | 2771.875 + 1000 / √3 = 3349.225 | 400, at 3353.600 |
//!
//! Nothing is too long that leaves no more than 1514 B behind, so a packet is marked only if two follow it: the
//! shortest burst with n marks ends two packets behind the n-th.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{bottleneck, burst, run};
use plimsoll_sim::Run;

fn codel(signal: &str, packets: u32) -> Run {
    let switch = format!(
        "[switch]\naqm = \"codel\"\n[switch.codel]\ntarget = \"50us\"\ninterval = \"1ms\"\nmtu = \"1514B\"\n\
         signal = \"{signal}\"\n[transport]\necn = \"classic\"\nmin_rto = \"100ms\"\ninitial_rto = \"100ms\"\n"
    );
    run(&(bottleneck("1us", "1Gbps", &switch) + &burst(0, 1, packets, "0ns")))
}

#[test]
fn marks_come_an_interval_after_the_target_was_passed_and_then_closer_and_closer() {
    for (mark, packet) in [(1, 127), (2, 247), (3, 331), (4, 400)] {
        let shortest = packet + 1 + 2;
        assert_eq!(codel("mark", shortest - 1).summary.marks, mark - 1, "one packet fewer");
        assert_eq!(codel("mark", shortest).summary.marks, mark);
    }
}

/// The first packet that is dropped is the one that would have been marked, packet 127.
#[test]
fn the_first_drop_is_where_the_first_mark_would_be() {
    assert_eq!(codel("drop", 129).summary.drops_by_cause.early, 0);
    let run = codel("drop", 130);
    assert_eq!((run.summary.drops_by_cause.early, run.summary.marks, run.summary.completed), (1, 0, 1));
}
