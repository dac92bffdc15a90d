//! What is read while a run goes on, against numbers computed by hand; and it changes nothing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use plimsoll_metrics::{Reading, Sample, Sink};
use plimsoll_scenario::Scenario;
use plimsoll_sim::{Control, Options, Run, SimError, simulate, simulate_recorded};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::io;

fn parse(text: &str) -> Scenario {
    Scenario::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"))
}

fn recorded(text: &str, threads: usize) -> (Run, Vec<Sample>) {
    let mut samples = Vec::new();
    let options = Options { threads, seed: Some(7) };
    let scenario = parse(text);
    let run = simulate_recorded(&scenario, &options, &Control::default(), &mut samples).unwrap();
    common::check_books(&run, scenario.duration);
    (run, samples)
}

/// One switch, 100 Gb/s, 1 µs; payload 1000 B on 1048 B, that is 83.84 ns; acks of 60 B, 4.8 ns.
fn one_switch(window: u32, flows: &[(u32, u32, &str)], record: &str) -> String {
    let mut text = format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 3\nrate = \"100Gbps\"\ndelay = \"1us\"\n\
         [host]\nack_size = \"60B\"\n[cc]\nlaw = \"newreno\"\ninitial_window = {window}\n"
    );
    for (from, to, size) in flows {
        text += &format!("[[traffic]]\nkind = \"flows\"\nfrom = {from}\nto = {to}\nsize = \"{size}\"\n");
    }
    text + "[record]\ninterval = \"1us\"\n" + record
}

/// The readings that `pick` takes, with their time in picoseconds.
fn readings<T>(samples: &[Sample], pick: impl Fn(Reading) -> Option<T>) -> Vec<(u64, T)> {
    samples.iter().filter_map(|sample| Some((sample.at.as_ps(), pick(sample.reading)?))).collect()
}

const US: u64 = 1_000_000;

/// Both send from 0 on. The k-th packet of each is at the switch at 1000 + 83.84 k ns, and one packet leaves in
/// the time in which two come: after the k-th pair, k packets wait. That is a growth of 1048 B in 83.84 ns,
/// 2C − C = 100 Gb/s.
#[test]
fn the_queue_of_two_flows_at_line_rate_grows_at_line_rate() {
    let text = one_switch(
        200,
        &[(0, 2, "200KB"), (1, 2, "200KB")],
        "queues = \"s0>h2\"\nbuffers = \"s0\"\nthroughput = \"s0>h2\"\n",
    );
    let (run, samples) = recorded(&text, 1);
    assert_eq!(run.summary.drops, 0);
    let expected = |at: u64| at.saturating_sub(US) / 83_840 * 1_048;
    let queues = readings(&samples, |reading| match reading {
        Reading::Queue(bytes) => Some(bytes.get()),
        _ => None,
    });
    for (at, queue) in queues.iter().take(17) {
        assert_eq!(*queue, expected(*at), "at {at} ps");
    }
    // Acks never wait: data towards h2 is all that the buffer holds.
    let buffers = readings(&samples, |reading| match reading {
        Reading::Buffer(bytes) => Some(bytes.get()),
        _ => None,
    });
    assert_eq!(buffers, queues);
    // The last pair is there at 17.768 µs. At 18 µs ⌊(18000 − 1083.84) / 83.84⌋ + 1 = 202 of 400 have left.
    assert_eq!(queues.iter().map(|(_, queue)| *queue).max(), Some(198 * 1_048));
}

/// The first bit leaves the switch at 1083.84 ns: 916.16 of the second microsecond are busy. Then the link is
/// never idle until all is through, and what is sent adds up: 400 packets of 1048 B.
#[test]
fn throughput_is_exact_to_the_bit_and_adds_up() {
    let text = one_switch(200, &[(0, 2, "200KB"), (1, 2, "200KB")], "throughput = [\"s0>h2\", \"h0>s0\"]\n");
    let (_, samples) = recorded(&text, 1);
    let port = |from_host: bool| {
        let scenario = parse(&text);
        let network = scenario.network().unwrap();
        let name = |port: u32| (network.name(network.near_end(port)), network.name(network.far_end(port)));
        let wanted = if from_host { ("h0", "s0") } else { ("s0", "h2") };
        (0..2 * network.links.len() as u32).find(|port| name(*port) == wanted).unwrap()
    };
    let of = |from_host: bool| {
        let port = port(from_host);
        let mut before = 0;
        let mut rates = Vec::new();
        for sample in samples.iter().filter(|sample| sample.subject == port) {
            if let Reading::Throughput(rate) = sample.reading {
                rates.push((sample.at.as_ps() - before, rate.as_bps()));
                before = sample.at.as_ps();
            }
        }
        rates
    };
    let bytes = |rates: &[(u64, u64)]| {
        let bits: u128 = rates.iter().map(|(span, rate)| u128::from(*span) * u128::from(*rate)).sum();
        (bits as f64 / 8e12).round() as u64
    };
    let switch = of(false);
    assert_eq!(switch[..4], [(US, 0), (US, 91_616_000_000), (US, 100_000_000_000), (US, 100_000_000_000)]);
    assert_eq!(bytes(&switch), 400 * 1_048);
    let host = of(true);
    assert_eq!(host[0], (US, 100_000_000_000));
    assert_eq!(bytes(&host), 200 * 1_048);
}

/// Twenty packets leave at once, the first ack comes at 4177.28 ns and one every 83.84 ns after it: ten by 5 µs.
/// Each lets the window grow by a packet (slow start) and one more packet leave with the card's next slot: twenty
/// stay in flight. Nothing waits anywhere, so every round trip is the first one's.
#[test]
fn window_flight_and_round_trip_are_those_of_slow_start() {
    let text = one_switch(20, &[(0, 1, "100KB")], "windows = true\nrtt = true\nin_flight = true\n");
    let (_, samples) = recorded(&text, 1);
    let at_us = |at: u64| -> Vec<Reading> {
        let at = Time::from_ps(at * US);
        samples.iter().filter(|sample| sample.at == at).map(|sample| sample.reading).collect()
    };
    let has =
        |at: u64, reading: Reading| assert!(at_us(at).contains(&reading), "{reading:?}: {:?}", at_us(at));
    has(4, Reading::Window(Bytes::new(20_000)));
    has(5, Reading::Window(Bytes::new(30_000)));
    // Eleven have left at 0 to 838.4 ns.
    has(0, Reading::InFlight(Bytes::new(1_000)));
    has(1, Reading::InFlight(Bytes::new(12_000)));
    has(4, Reading::InFlight(Bytes::new(20_000)));
    has(5, Reading::InFlight(Bytes::new(20_000)));
    has(5, Reading::RoundTrip(Span::from_ps(4_177_280)));
    assert!(!at_us(4).iter().any(|reading| matches!(reading, Reading::RoundTrip(_))), "no ack has come");
}

/// The first packet is there at 2167.68 ns, one every 83.84 ns after it: by 3 µs ten, 10 kB in 1 µs, 80 Gb/s.
#[test]
fn goodput_is_payload_and_adds_up_to_what_was_delivered() {
    let (run, samples) = recorded(&one_switch(200, &[(0, 1, "123456B")], "rates = true\n"), 1);
    let rates = readings(&samples, |reading| match reading {
        Reading::Goodput(rate) => Some(rate),
        _ => None,
    });
    assert_eq!(rates.first(), Some(&(3 * US, Rate::from_gbps(80))));
    let mut before = 2 * US;
    let mut bits = 0;
    for (at, rate) in rates {
        bits += u128::from(at - before) * u128::from(rate.as_bps());
        before = at;
    }
    assert_eq!((bits as f64 / 8e12).round(), 123_456.0);
    assert!(before <= run.summary.simulated.as_ps());
}

/// The queue is 11 packets at 2 µs; a packet that joins then waits for them. Poseidon's switches write that down.
#[test]
fn the_longest_wait_at_a_hop_is_what_the_last_ack_told() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 3\nrate = \"100Gbps\"\ndelay = \"1us\"\n\
        [switch]\nint_encoding = \"exact\"\n[cc]\nlaw = \"poseidon\"\n\
        [[traffic]]\nkind = \"flows\"\nfrom = [0, 1]\nto = 2\nsize = \"20KB\"\n\
        [record]\ninterval = \"100ns\"\nhop_delay = true\nqueues = \"s0>h2\"\n";
    let (run, samples) = recorded(text, 1);
    let delays = readings(&samples, |reading| match reading {
        Reading::MaxHopDelay(delay) => Some(delay),
        _ => None,
    });
    let longest = delays.iter().map(|(_, delay)| *delay).max().unwrap();
    let queue = Rate::from_gbps(100).serialize_up(run.summary.max_queue_bytes);
    // The last ack before the longest one may be the last of its flow, which is no longer read.
    assert!(longest <= queue && longest.as_ps() + 2 * 84_000 >= queue.as_ps(), "{longest} of {queue}");
}

#[test]
fn sampling_begins_and_ends_when_asked() {
    let record = "queues = \"all\"\nstart = \"2500ns\"\nstop = \"5us\"\n";
    let (_, samples) = recorded(&one_switch(20, &[(0, 1, "100KB")], record), 1);
    let mut times: Vec<u64> = samples.iter().map(|sample| sample.at.as_ps()).collect();
    times.dedup();
    assert_eq!(times, [2_500_000, 3_500_000, 4_500_000]);
}

const EVERYTHING: &str = "[record]\ninterval = \"3us\"\nqueues = \"all\"\nthroughput = \"all\"\nbuffers = \"all\"\n\
    rates = true\nwindows = true\nrtt = true\nin_flight = true\nhop_delay = true\nmarks = true\n";

fn leaf_spine(law: &str, more: &str) -> String {
    format!(
        "duration = \"200us\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts_per_leaf = 4\n\
         host_rate = \"100Gbps\"\n[cc]\nlaw = \"{law}\"\n[[traffic]]\nkind = \"poisson\"\nload = 0.6\n\
         size = \"hadoop\"\n{more}{EVERYTHING}"
    )
}

#[test]
fn readings_are_the_same_on_all_threads_and_change_nothing() {
    let pfc = "[transport]\npreset = \"rdma\"\n[switch.buffer]\nsize = \"1MB\"\n[[traffic]]\nkind = \"incast\"\n\
        to = 0\nsize = \"300KB\"\nbatch = 15\n";
    let faults =
        "[[fault]]\nkind = \"link-down\"\nlinks = \"leaf0:spine0\"\nstart = \"50us\"\nstop = \"150us\"\n";
    for (law, more) in [("hpcc", ""), ("poseidon", ""), ("newreno", ""), ("dcqcn", pfc), ("dctcp", faults)] {
        let text = leaf_spine(law, more);
        let plain =
            simulate(&parse(&text), &Options { threads: 1, seed: Some(7) }, &Control::default()).unwrap();
        let (one, samples) = recorded(&text, 1);
        assert_eq!(one.outcome, plain.outcome, "{law}");
        let kinds = Reading::NAMES.iter().filter(|name| samples.iter().any(|s| s.reading.name() == **name));
        assert!(kinds.count() >= 7, "{law}");
        for threads in [2, 3, 4] {
            let (run, again) = recorded(&text, threads);
            assert_eq!(run.outcome, plain.outcome, "{law}, {threads} threads");
            assert!(again == samples, "{law}, {threads} threads");
        }
    }
}

/// Takes three readings.
struct Full(u32);

impl Sink<Sample> for Full {
    fn put(&mut self, _: Sample) -> io::Result<()> {
        self.0 += 1;
        if self.0 > 3 { Err(io::Error::other("no room")) } else { Ok(()) }
    }
}

#[test]
fn a_sink_that_takes_no_more_ends_the_run_and_is_asked_no_more() {
    for threads in [1, 2] {
        let mut sink = Full(0);
        let scenario = parse(&leaf_spine("hpcc", ""));
        let result =
            simulate_recorded(&scenario, &Options { threads, seed: None }, &Control::default(), &mut sink);
        assert!(matches!(result, Err(SimError::Samples(_))), "{threads} threads");
        assert_eq!(sink.0, 4);
    }
}
