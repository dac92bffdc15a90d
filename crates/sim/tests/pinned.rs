//! Pinned paths: `via` leads every packet of a flow through the switch it names, however flows are spread.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{delivery, ns, run};
use plimsoll_units::Span;
use std::collections::HashSet;

/// Two racks, and four ways between them that differ in their delays: 1, 2, 3 and 4 µs on either side of `m0` to
/// `m3`. Twenty flows of one packet, far apart.
fn text(spreading: &str, via: &str) -> String {
    let mut links = String::new();
    for way in 0..4 {
        for rack in ["left", "right"] {
            links += &format!("{{ between = [\"{rack}\", \"m{way}\"], delay = \"{}us\" }},\n", way + 1);
        }
    }
    format!(
        r#"
[topology]
kind = "graph"
hosts = 2
switches = ["left", "right", "m0", "m1", "m2", "m3"]
links = [
{{ between = ["h0", "left"] }},
{{ between = ["h1", "right"] }},
{links}]
[routing]
spreading = "{spreading}"
[cc]
law = "newreno"
[[traffic]]
kind = "flows"
from = 0
to = 1
size = "1000B"
flows_per_pair = 20
gap = "100us"
{via}
"#
    )
}

/// Four links of 83.84 ns, 1 µs at either end, and twice the delay of the way.
fn time_over(way: u64) -> Span {
    ns(4 * 83 + 2_000 + 2_000 * (way + 1), 4 * 840)
}

#[test]
fn every_flow_takes_the_way_that_is_named() {
    for spreading in ["ecmp", "plb", "spray"] {
        for way in 0..4 {
            for via in [format!("\"m{way}\""), format!("[\"left:m{way}\", \"right\"]")] {
                let run = run(&text(spreading, &format!("via = {via}")));
                for message in 0..20 {
                    assert_eq!(delivery(&run, message), time_over(way), "{spreading}, {via}, flow {message}");
                }
            }
        }
    }
}

#[test]
fn without_a_name_flows_spread_over_all_ways() {
    let run = run(&text("ecmp", ""));
    let times: HashSet<Span> = (0..20).map(|message| delivery(&run, message)).collect();
    assert_eq!(times, (0..4).map(time_over).collect());
}

/// While the named way is down, packets take another; then they are back.
#[test]
fn a_broken_way_is_left_and_taken_again() {
    let fault = "via = \"m0\"\n[[fault]]\nkind = \"link-down\"\nlinks = \"m0:right\"\nstart = \"950us\"\nstop = \"1450us\"\n";
    let run = run(&text("ecmp", fault));
    for message in 0..20 {
        let broken = (10..15).contains(&message);
        assert_eq!(delivery(&run, message) != time_over(0), broken, "flow {message}");
    }
}
