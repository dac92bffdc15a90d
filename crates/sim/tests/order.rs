//! Results do not depend on who looks when: on how many threads run, nor on whether leaving a queue is an event.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::run;
use plimsoll_sim::Run;

fn fabric(law: &str, more: &str) -> String {
    common::racks(law, 0.7, more)
}

fn same_on_threads(text: &str) -> Run {
    common::same_on_threads(text, None)
}

/// The coin of a switch that marks and the luck of a link that loses are not drawn from one generator: the two
/// ends of a link may be in different parts.
#[test]
fn marks_by_chance_on_links_that_lose_are_the_same_on_all_threads() {
    let run = same_on_threads(&fabric(
        "dcqcn",
        "[switch]\necn = \"red\"\n[switch.red]\nkmin = \"2KB\"\nkmax = \"100KB\"\npmax = 0.5\n\
         [[fault]]\nkind = \"loss\"\nlinks = \"leaf:spine\"\nprobability = 0.01\n",
    ));
    assert!(run.summary.marks > 0 && run.summary.drops_by_cause.loss > 0, "{:?}", run.summary);
}

#[test]
fn reverse_marks_by_queue_length_are_the_same_on_all_threads() {
    let run = same_on_threads(&fabric(
        "cubic",
        "[transport]\necn = \"classic\"\n[switch]\necn = \"step\"\nreverse_marking = true\n\
         [switch.red]\nkmin = \"5KB\"\nkmax = \"5KB\"\npmax = 1.0\n",
    ));
    assert!(run.summary.marks > 0, "{:?}", run.summary);
}

/// Marks of packets that have left their queue count, whether or not they have arrived when the run is cut.
#[test]
fn the_sums_of_a_run_that_is_cut_are_the_same_on_all_threads() {
    for end in ["83us", "127us", "211us"] {
        let marking = "[switch]\necn = \"step\"\n[switch.red]\nkmin = \"2KB\"\nkmax = \"2KB\"\npmax = 1.0\n";
        let run = same_on_threads(&fabric("dctcp", marking).replace("300us", end));
        assert!(run.summary.marks > 0, "{:?}", run.summary);
    }
}

/// Fifteen packets of 1048 B meet a queue that may hold α·(B − held): of B = 20,960 B with α = 1, ten packets. While
/// they come at the rate at which they leave, one leaves for each that comes, and the second link never fills; but
/// the first packet of all still crawls over the link at 100 Mb/s (83.84 us) when the rate rises again at 50 us.
/// It has left the queue, and must not count in it.
#[test]
fn a_packet_on_a_link_whose_rate_rises_does_not_count_in_the_buffer() {
    let text = r#"
duration = "80us"
[topology]
kind = "graph"
hosts = 2
switches = 2
links = [
    { between = ["h0", "s0"], rate = "100Gbps", delay = "1us" },
    { between = ["s0", "s1"], rate = "100Gbps", delay = "1us" },
    { between = ["s1", "h1"], rate = "100Gbps", delay = "1us" },
]
[host]
ack_size = "60B"
[switch.buffer]
size = "20960B"
alpha = 1.0
[cc]
law = "newreno"
initial_window = 1000.0
[[traffic]]
kind = "flows"
from = 0
to = 1
size = "1000B"
[[traffic]]
kind = "flows"
from = 0
to = 1
size = "15000B"
start = "60us"
[[fault]]
kind = "rate"
links = "s0:s1"
rate = "100Mbps"
start = "0ns"
stop = "50us"
"#;
    // The slow packet keeps the link until 85 us, so the fifteen wait: ten find room, five do not.
    let run = same_on_threads(text);
    assert_eq!(run.summary.drops_by_cause.buffer, 5, "{:?}", run.summary);
}

/// A second class that nobody uses makes leaving a queue an event at every port. It must not change anything: not
/// who is dropped, not what telemetry says, not who is marked.
#[test]
fn it_makes_no_difference_whether_leaving_is_an_event() {
    let unused = "[[switch.class]]\n[[switch.class]]\n";
    let buffers = ["[switch.buffer]\nsize = \"30KB\"\n", "[switch.buffer]\nsize = \"2MB\"\n"];
    for law in ["newreno", "hpcc", "poseidon", "dctcp", "dcqcn"] {
        for buffer in buffers {
            let lazy = run(&fabric(law, buffer));
            let exact = run(&fabric(law, &format!("{buffer}{unused}")));
            assert_eq!(lazy.outcome.totals, exact.outcome.totals, "{law}, {buffer}");
            assert_eq!(lazy.outcome.sent, exact.outcome.sent, "{law}, {buffer}");
            assert_eq!(lazy.outcome.longest_queues, exact.outcome.longest_queues, "{law}, {buffer}");
        }
    }
}

/// A queue cannot hold more than the buffer: not while it is paused, nor when the link slows down, nor with
/// priorities. What is left of the packet on the link counts as well: one packet more.
#[test]
fn no_queue_is_longer_than_the_buffer() {
    let slow = "[[fault]]\nkind = \"rate\"\nlinks = \"leaf0:spine\"\nrate = \"1Gbps\"\nstart = \"12us\"\nstop = \"200us\"\n";
    let classes = "[[switch.class]]\npriority = 0\n[[switch.class]]\npriority = 7\n";
    for more in [slow.to_owned(), classes.to_owned(), format!("[transport]\npreset = \"rdma\"\n{slow}")] {
        let run = run(&fabric("dctcp", &format!("[switch.buffer]\nsize = \"300KB\"\n{more}")));
        let longest = run.summary.max_queue_bytes.get();
        assert!(longest > 0 && longest <= 300_000 + 1_500, "{longest} B, {more}");
    }
}
