//! Nanoseconds per ack for every law: `cargo bench -p plimsoll-cc`.
//!
//! Each law runs as it does in a simulator's loop: compiled by its own type, a hundred flows in an
//! array that take turns, acks with the telemetry that a path of five switches gives (time and
//! bytes sent move on with every ack, queues are random). A line shows the fastest and the median
//! of 31 batches, less what the same loop costs with a law that does nothing; machines are noisy,
//! so that loop is shown too, and the fastest batch is the one to compare.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot start should say so")]

use plimsoll_cc::registry::{AnyParams, LAWS, Visitor};
use plimsoll_cc::{
    Ack, CongestionControl, Decision, HopRecord, Host, Loss, Path, Signals, Telemetry, Timeout,
};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::hint::black_box;
use std::time::Instant;

/// Prime to the number of samples, so that each flow sees them all.
const FLOWS: usize = 101;
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
    queues: [Bytes; HOPS],
}

fn samples() -> Vec<Sample> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    (0..ACKS)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = state >> 33;
            Sample {
                rtt: Span::from_ns(12_000 + random % 30_000),
                max_hop_delay: Span::from_ns(random % 8_000),
                marked: random.is_multiple_of(50),
                queues: std::array::from_fn(|hop| Bytes::new(random % (20_000 + 10_000 * hop as u64))),
            }
        })
        .collect()
}

/// Five switches on whose ports a packet leaves every 84 ns.
struct Switches([HopRecord; HOPS]);

impl Switches {
    fn new() -> Self {
        Self([HopRecord { rate: Rate::from_gbps(100), ..HopRecord::default() }; HOPS])
    }

    /// The next packet leaves all of them.
    #[inline]
    fn advance(&mut self, clock: u64, sample: &Sample) {
        for (hop, queue) in self.0.iter_mut().zip(&sample.queues) {
            hop.time = Time::from_ps(clock);
            hop.sent = Bytes::new(hop.sent.get() + 1048);
            hop.queue = *queue;
        }
    }
}

/// Runs one law over the samples.
struct Bench<'a>(&'a [Sample]);

impl Visitor for Bench<'_> {
    type Output = Cost;

    fn visit<L>(self, law: L) -> Cost
    where
        L: CongestionControl + Send + Sync,
        L::Flow: Send,
    {
        let needs = law.needs();
        let path = Path { base_rtt: Span::from_us(12), hops: HOPS as u32, seed: 7 };
        let mut flows: Vec<L::Flow> = (0..FLOWS).map(|_| law.start(&path).0).collect();
        let mut switches = Switches::new();
        let (mut clock, mut turn) = (0_u64, 0);
        let mut batch = || {
            let begin = Instant::now();
            for _ in 0..ROUNDS {
                for sample in self.0 {
                    clock += 83_840;
                    turn = if turn + 1 == FLOWS { 0 } else { turn + 1 };
                    let telemetry = if needs.has(Signals::HOP_RECORDS) {
                        switches.advance(clock, sample);
                        Telemetry::Hops(&switches.0)
                    } else if needs.has(Signals::MAX_HOP_DELAY) {
                        Telemetry::MaxHop { forward: sample.max_hop_delay, reverse: Span::ZERO }
                    } else {
                        Telemetry::None
                    };
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
                        telemetry,
                        ..Ack::default()
                    };
                    let decision = law.on_ack(&mut flows[turn], black_box(&ack));
                    // Field by field: copying the whole struct out of a return slot stalls the
                    // processor for longer than many laws take.
                    black_box(decision.window.get());
                    black_box(decision.pacing.as_bps());
                }
            }
            begin.elapsed().as_secs_f64() * 1e9 / (ROUNDS * ACKS) as f64
        };
        Cost::of((0..BATCHES).map(|_| batch()).collect())
    }
}

/// Nanoseconds per ack over the batches.
#[derive(Clone, Copy)]
struct Cost {
    fastest: f64,
    median: f64,
}

impl Cost {
    fn of(mut batches: Vec<f64>) -> Self {
        batches.sort_by(f64::total_cmp);
        Self { fastest: batches[0], median: batches[batches.len() / 2] }
    }

    fn less(self, loop_alone: Self) -> Self {
        let median = (self.median - loop_alone.median).max(0.0);
        Self { fastest: (self.fastest - loop_alone.fastest).max(0.0), median }
    }
}

/// A law that does nothing, with the signals of another: what the loop itself costs.
#[derive(Clone, Debug)]
struct Idle {
    needs: Signals,
    decision: Decision,
}

impl CongestionControl for Idle {
    type Flow = u64;
    fn needs(&self) -> Signals {
        self.needs
    }
    fn start(&self, _: &Path) -> (u64, Decision) {
        (0, self.decision)
    }
    // Not inlined, as the laws of another crate are not: the call is part of the loop.
    #[inline(never)]
    fn on_ack(&self, flow: &mut u64, ack: &Ack<'_>) -> Decision {
        *flow += ack.acked.get();
        self.decision
    }
    fn on_loss(&self, _: &mut u64, _: &Loss) -> Decision {
        self.decision
    }
    fn on_timeout(&self, _: &mut u64, _: &Timeout) -> Decision {
        self.decision
    }
    fn decision(&self, _: &u64) -> Decision {
        self.decision
    }
}

fn main() {
    let samples = samples();
    let host = Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(12),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    };
    println!("| law | ns per ack, fastest batch | median | flow state | target |");
    println!("|---|---|---|---|---|");
    let decision = Decision::unpaced(&host, 1e5);
    for entry in LAWS {
        let law = AnyParams::named(entry.name).unwrap().build(&host).unwrap();
        let needs = law.needs();
        let target = match entry.name {
            "poseidon" => "≤ 30",
            _ if needs.has(Signals::HOP_RECORDS) => "≤ 50 (five hops)",
            _ => "≤ 10",
        };
        let bytes = law.clone().visit(FlowSize);
        let alone = Bench(&samples).visit(Idle { needs, decision });
        let Cost { fastest, median } = law.visit(Bench(&samples)).less(alone);
        println!("| {} | {fastest:.1} | {median:.1} | {bytes} B | {target} |", entry.name);
    }
    for (what, needs) in
        [("the loop alone", Signals::NONE), ("the loop with five hops", Signals::HOP_RECORDS)]
    {
        let Cost { fastest, median } = Bench(&samples).visit(Idle { needs, decision });
        println!("| ({what}) | {fastest:.1} | {median:.1} | | |");
    }
}

/// Bytes that one flow's state takes.
struct FlowSize;

impl Visitor for FlowSize {
    type Output = usize;
    fn visit<L>(self, _: L) -> usize
    where
        L: CongestionControl + Send + Sync,
        L::Flow: Send,
    {
        size_of::<L::Flow>()
    }
}
