//! Who leaves first: strict priority, and turns among equals.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{bottleneck, burst, delivery, run};
use plimsoll_units::Span;

/// Packets of one message each, by class, in the order in which they leave: a packet of class 0 keeps the link of
/// 1 Gb/s busy for 8384 ns while the others come, every 200 ns.
fn order(classes: &str, waiting: &[u32]) -> Vec<usize> {
    let mut traffic = burst(0, 1, 1, "0ns") + "class = 0\n";
    for (index, class) in waiting.iter().enumerate() {
        traffic += &(burst(2, 1, 1, &format!("{}ns", 200 * (index + 1))) + &format!("class = {class}\n"));
    }
    let run = run(&(bottleneck("1us", "1Gbps", classes) + &traffic));
    let arrives = |message: usize| run.messages[message].start.since_start() + delivery(&run, message);
    let mut order: Vec<usize> = (0..waiting.len()).collect();
    order.sort_by_key(|message| arrives(message + 1));
    for (place, message) in order.iter().enumerate() {
        // The first comes at 83.84 + 1000 ns and arrives 8384 + 1000 ns later; the others follow without gaps.
        let expected = Span::from_ps(1_083_840 + 9_384_000 + 8_384_000 * (place as u64 + 1));
        assert_eq!(arrives(message + 1), expected, "message {message}");
    }
    order
}

#[test]
fn higher_priority_leaves_first_whenever_it_comes() {
    let classes =
        "[[switch.class]]\npriority = 0\n[[switch.class]]\npriority = 3\n[[switch.class]]\npriority = 7\n";
    // Class 2, then 1, then 0; among equals, who came first.
    assert_eq!(order(classes, &[0, 1, 2, 0, 1, 2]), [2, 5, 1, 4, 0, 3]);
}

#[test]
fn classes_of_equal_priority_take_turns() {
    let classes = "[[switch.class]]\n[[switch.class]]\n[[switch.class]]\n";
    // Class 0 was served last (the packet that is being sent), so 1 is next, then 2, then 0, and so on; when only
    // class 0 is left it has all turns.
    assert_eq!(order(classes, &[0, 0, 0, 0, 1, 2, 1]), [4, 5, 0, 6, 1, 2, 3]);
}

#[test]
fn turns_are_among_the_highest_only() {
    let classes =
        "[[switch.class]]\npriority = 1\n[[switch.class]]\npriority = 5\n[[switch.class]]\npriority = 5\n";
    assert_eq!(order(classes, &[0, 1, 1, 1, 2, 2, 0]), [1, 4, 2, 5, 3, 0, 6]);
}
