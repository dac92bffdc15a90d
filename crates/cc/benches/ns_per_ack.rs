//! Nanoseconds per ack for every law: `cargo bench -p plimsoll-cc`.
//!
//! Each law runs as it does in a simulator's loop: compiled by its own type, a thousand flows in
//! an array, acks with the telemetry that a path of five switches gives. A line shows the median
//! of 31 batches; machines are noisy, so a batch of a bare loop (the same acks, a law that only
//! adds) is shown beside it.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot start should say so")]

use plimsoll_cc::registry::{AnyParams, LAWS, Visitor};
use plimsoll_cc::{Ack, CongestionControl, HopRecord, Host, Path, Signals, Telemetry};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::hint::black_box;
use std::time::Instant;

const FLOWS: usize = 1_000;
const ACKS: usize = 1_000;
const HOPS: usize = 5;
const BATCHES: usize = 31;
const ROUNDS: usize = 100;

/// Signals of one ack, drawn in advance so that the loop pays for nothing but the law.
#[derive(Clone, Copy)]
struct Sample {
    rtt: Span,
    max_hop_delay: Span,
    marked: bool,
    hops: [HopRecord; HOPS],
}

fn samples() -> Vec<Sample> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut sent = 0;
    (0..ACKS as u64)
        .map(|i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = state >> 33;
            sent += 1048 + random % 4096;
            let hops = std::array::from_fn(|hop| HopRecord {
                time: Time::from_ps(i * 83_840 + hop as u64 * 1_000_000),
                sent: Bytes::new(sent),
                queue: Bytes::new(random % (20_000 + 10_000 * hop as u64)),
                rate: Rate::from_gbps(100),
            });
            Sample {
                rtt: Span::from_ns(12_000 + random % 30_000),
                max_hop_delay: Span::from_ns(random % 8_000),
                marked: random.is_multiple_of(50),
                hops,
            }
        })
        .collect()
}

fn telemetry(needs: Signals, sample: &Sample) -> Telemetry<'_> {
    if needs.has(Signals::HOP_RECORDS) {
        Telemetry::Hops(&sample.hops)
    } else if needs.has(Signals::MAX_HOP_DELAY) {
        Telemetry::MaxHop { forward: sample.max_hop_delay, reverse: Span::ZERO }
    } else {
        Telemetry::None
    }
}

/// Runs one law over the samples.
struct Bench<'a>(&'a [Sample]);

impl Visitor for Bench<'_> {
    type Output = f64;

    fn visit<L: CongestionControl>(self, law: L) -> f64 {
        let needs = law.needs();
        let path = Path { base_rtt: Span::from_us(12), hops: HOPS as u32, seed: 7 };
        let mut flows: Vec<L::Flow> = (0..FLOWS).map(|_| law.start(&path).0).collect();
        let mut clock = 0_u64;
        let mut batch = || {
            let begin = Instant::now();
            for _ in 0..ROUNDS {
                for (i, sample) in self.0.iter().enumerate() {
                    clock += 83_840;
                    let ack = Ack {
                        now: Time::from_ps(clock),
                        rtt: sample.rtt,
                        acked: Bytes::new(1000),
                        marked: Bytes::new(if sample.marked { 1000 } else { 0 }),
                        ece: sample.marked,
                        in_flight: Bytes::new(100_000),
                        acked_to: Bytes::new(clock >> 7),
                        sent_to: Bytes::new((clock >> 7) + 100_000),
                        hops: HOPS as u32,
                        telemetry: telemetry(needs, sample),
                        ..Ack::default()
                    };
                    let decision = law.on_ack(&mut flows[i % FLOWS], black_box(&ack));
                    // Field by field: copying the whole struct out of a return slot stalls the
                    // processor for longer than many laws take.
                    black_box(decision.window.get());
                    black_box(decision.pacing.as_bps());
                }
            }
            begin.elapsed().as_secs_f64() * 1e9 / (ROUNDS * ACKS) as f64
        };
        median((0..BATCHES).map(|_| batch()).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What the loop costs without a law: the acks are made and looked at.
fn bare(samples: &[Sample]) -> f64 {
    let mut windows = vec![0_u64; FLOWS];
    let batches = (0..BATCHES).map(|_| {
        let begin = Instant::now();
        for _ in 0..ROUNDS {
            for (i, sample) in samples.iter().enumerate() {
                let ack = Ack { rtt: sample.rtt, acked: Bytes::new(1000), ..Ack::default() };
                let ack = black_box(&ack);
                windows[i % FLOWS] += black_box(ack.acked.get() + ack.rtt.as_ps());
            }
        }
        begin.elapsed().as_secs_f64() * 1e9 / (ROUNDS * ACKS) as f64
    });
    median(batches.collect())
}

fn main() {
    let samples = samples();
    let host = Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(12),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    };
    println!("| law | ns per ack | flow state | target |");
    println!("|---|---|---|---|");
    for entry in LAWS {
        let law = AnyParams::named(entry.name).unwrap().build(&host).unwrap();
        let needs = law.needs();
        let target = match entry.name {
            "poseidon" => "≤ 30",
            _ if needs.has(Signals::HOP_RECORDS) => "≤ 50 (five hops)",
            _ => "≤ 10",
        };
        let bytes = law.clone().visit(FlowSize);
        let cost = law.visit(Bench(&samples));
        println!("| {} | {cost:.1} | {bytes} B | {target} |", entry.name);
    }
    println!("| (loop without a law) | {:.1} | | |", bare(&samples));
}

/// Bytes that one flow's state takes.
struct FlowSize;

impl Visitor for FlowSize {
    type Output = usize;
    fn visit<L: CongestionControl>(self, _: L) -> usize {
        size_of::<L::Flow>()
    }
}
