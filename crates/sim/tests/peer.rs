//! The HPCC authors' ns-3 on the very same flows, from its own files: `tests/data` holds its inputs and results.
//!
//! Its clock counts whole nanoseconds; the import says so (`transport.tick = "1ns"`), and ours then does too.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use flate2::read::GzDecoder;
use plimsoll_scenario::hpcc::{Files, import};
use plimsoll_scenario::{Overrides, Scenario};
use plimsoll_sim::Run;
use std::fs;
use std::io::Read;

fn text(path: &str) -> String {
    fs::read_to_string(format!("{}/tests/data/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn run(folder: &str, flows: &str, config: &str, threads: usize) -> Run {
    run_files(
        text(&format!("{folder}/topology.txt")),
        text(&format!("{folder}/{flows}")),
        &text(&format!("{folder}/{config}")),
        threads,
    )
}

fn run_files(topology: String, flows: String, config: &str, threads: usize) -> Run {
    let files = Files {
        topology: ("topology.txt", &topology),
        flows: ("flow.txt", &flows),
        config: Some(("config.txt", config)),
    };
    let scenario = import(&files).unwrap().text;
    let loader = |path: &str| match path {
        "topology.txt" => Ok(topology.clone()),
        "flow.txt" => Ok(flows.clone()),
        other => Err(format!("no {other}")),
    };
    let scenario = Scenario::parse_with("import.toml", &scenario, &Overrides::default(), &loader).unwrap();
    common::run_scenario(&scenario, threads, Some(1))
}

/// Finish of each flow in microseconds after the first start: ours and the peer's.
fn finishes(run: &Run, csv: &str) -> Vec<(f64, f64)> {
    let peer = text(csv);
    let peer = peer.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
    run.messages.iter().map(|message| message.finish.unwrap().as_secs_f64() * 1e6).zip(peer).collect()
}

/// Completion time of each flow in microseconds: ours and the peer's.
fn completions(run: &Run, csv: &str) -> Vec<(f64, f64)> {
    let peer = text(csv);
    let peer = peer.lines().skip(1).map(|line| line.split(',').nth(5).unwrap().parse::<f64>().unwrap() / 1e3);
    run.messages.iter().map(|message| message.completion_time().unwrap().as_us_f64()).zip(peer).collect()
}

fn means(pairs: &[(f64, f64)]) -> (f64, f64) {
    let sum = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    (sum.0 / pairs.len() as f64, sum.1 / pairs.len() as f64)
}

fn last(pairs: &[(f64, f64)]) -> (f64, f64) {
    pairs.iter().fold((0.0, 0.0), |last, pair| (pair.0.max(last.0), pair.1.max(last.1)))
}

fn off((ours, peers): (f64, f64)) -> f64 {
    (ours / peers - 1.0).abs()
}

/// The peer's two flows that start together differ by a packet in one place; all others agree to the nanosecond.
#[test]
fn dctcp_finishes_every_flow_of_an_incast_when_the_peer_does() {
    let run = run("incast16", "flow.txt", "dctcp_config.txt", 1);
    let pairs = finishes(&run, "incast16/dctcp_flows.csv");
    assert_eq!(pairs.len(), 16);
    let queue = run.summary.max_queue_bytes;
    let means = means(&completions(&run, "incast16/dctcp_flows.csv"));
    println!(
        "µs, ours and the peer's: mean {means:.2?}, last finish {:.2?}; longest queue {queue}",
        last(&pairs)
    );
    for (flow, pair) in pairs.iter().enumerate() {
        assert!(off(*pair) < 0.01, "flow {flow}: {pair:?}");
        assert!((pair.0 - pair.1).abs() < 0.084, "flow {flow}: more than a packet apart, {pair:?}");
    }
    // The peer's longest queue, before the last packet joined: 405,576 B; the wait counts what is being sent.
    assert!(off((run.summary.max_queue_bytes.as_f64(), 405_576.0)) < 0.01, "{}", run.summary.max_queue_bytes);
}

/// HPCC is chaotic: 1 ns at one start moves the peer's own last finish by 0.5 %.
#[test]
fn hpcc_agrees_with_the_peer_on_an_incast() {
    let run = run("incast16", "flow.txt", "hpcc_config.txt", 1);
    let means = means(&completions(&run, "incast16/hpcc_flows.csv"));
    let pairs = finishes(&run, "incast16/hpcc_flows.csv");
    let queue = run.summary.max_queue_bytes;
    println!(
        "µs, ours and the peer's: mean {means:.2?}, last finish {:.2?}; longest queue {queue}",
        last(&pairs)
    );
    assert!(off(means) < 0.02, "mean completion {means:?}");
    assert!(off(last(&pairs)) < 0.015, "last finish {:?}", last(&pairs));
    assert!(off((run.summary.max_queue_bytes.as_f64(), 111_180.0)) < 0.10, "{}", run.summary.max_queue_bytes);
}

#[test]
fn dcqcn_agrees_with_the_peer_on_an_incast() {
    let run = run("incast16", "flow.txt", "dcqcn_config.txt", 1);
    let means = means(&completions(&run, "incast16/dcqcn_flows.csv"));
    let pairs = finishes(&run, "incast16/dcqcn_flows.csv");
    println!("µs, ours and the peer's: mean {means:.2?}, last finish {:.2?}", last(&pairs));
    assert!(off(means) < 0.05, "mean completion {means:?}");
    assert!(off(last(&pairs)) < 0.05, "last finish {:?}", last(&pairs));
}

fn percentiles_agree(run: &Run, peer: [f64; 4]) {
    let ours = run.summary.slowdown.unwrap();
    let ours = [ours.p50, ours.p95, ours.p99, ours.p999];
    println!("p50, p95, p99, p99.9: ours {ours:.3?}, the peer's {peer:.3?}");
    for ((ours, peers), bound) in ours.into_iter().zip(peer).zip([0.03, 0.05, 0.08, 0.15]) {
        assert!(off((ours, peers)) < bound, "{ours} and {peers}, at most {bound} apart");
    }
}

/// 320 hosts, Hadoop at half load, 1 ms of arrivals; the peer's percentiles are in `summary_1ms_hpcc.json`. On
/// two threads, because the result is the same and the test is the longest.
#[test]
fn slowdowns_on_the_fat_tree_agree_with_the_peer() {
    let run = run("fattree320", "flow_hadoop50_1ms.txt", "config_1ms_hpcc.txt", 2);
    assert_eq!(run.summary.completed, 16_252);
    percentiles_agree(&run, [1.012_692_606, 2.186_416_318, 3.490_636_596, 6.902_510_442]);
}

/// The same for 5 ms of arrivals: 82,821 flows, 106 million packet-hops, which is too long for every day:
/// `cargo test --release -p plimsoll-sim --test peer -- --ignored --nocapture`.
#[test]
#[ignore = "takes a quarter of a minute with --release and minutes without"]
fn slowdowns_of_five_milliseconds_on_the_fat_tree_agree_with_the_peer() {
    // The flows are shipped for the benchmark; the peer's two configurations differ in the stop time only.
    let packed = format!("{}/../cli/bench/flow_hadoop50_5ms.txt.gz", env!("CARGO_MANIFEST_DIR"));
    let mut flows = String::new();
    GzDecoder::new(fs::File::open(packed).unwrap()).read_to_string(&mut flows).unwrap();
    let config = text("fattree320/config_1ms_hpcc.txt");
    assert!(config.contains("SIMULATOR_STOP_TIME 2.02"));
    let config = config.replace("SIMULATOR_STOP_TIME 2.02", "SIMULATOR_STOP_TIME 2.05");
    let run = run_files(text("fattree320/topology.txt"), flows, &config, 2);
    assert_eq!(run.summary.completed, 82_821);
    percentiles_agree(&run, [1.036_996_604, 2.581_115_227, 4.916_511_143, 10.982_610_843]);
}
