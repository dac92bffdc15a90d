//! A flow that moves to another path of the same length meets other switches with other counters.
//! The laws that read counters must not take the difference between two switches for traffic.
#![allow(clippy::unwrap_used, reason = "a test helper that fails is a failed test")]

use plimsoll_cc::registry::{AnyFlow, AnyLaw, AnyParams};
use plimsoll_cc::{Ack, CongestionControl, Decision, HopRecord, Host, Path, Telemetry};
use plimsoll_units::{Bytes, Rate, Span};

const LAWS: [&str; 4] = ["hpcc:sigcomm19", "hpcc-vai-sf", "powertcp:nsdi22", "powertcp:artifact-rdma"];

/// 100 Gb/s carry 12,500 bytes per microsecond, and 150,000 bytes in a round trip of 12 µs.
const LINK: Rate = Rate::from_gbps(100);

/// A flow over one switch whose port is half busy, asked once per round trip.
struct Trace {
    law: AnyLaw,
    flow: AnyFlow,
    record: HopRecord,
    acks: u64,
}

impl Trace {
    fn new(name: &str) -> Self {
        let host = Host {
            nic_rate: LINK,
            base_rtt: Span::from_us(12),
            mtu: Bytes::new(1048),
            mss: Bytes::new(1000),
        };
        let law = AnyParams::named(name).unwrap().build(&host).unwrap();
        let (flow, _) = law.start(&Path { base_rtt: Span::from_us(12), hops: 1, seed: 1 });
        let mut trace = Self { law, flow, record: HopRecord { rate: LINK, ..HopRecord::default() }, acks: 0 };
        for _ in 0..20 {
            trace.round_trip();
        }
        trace
    }

    /// Half of what the link carries was sent since the last ack.
    fn round_trip(&mut self) -> Decision {
        self.record.time += Span::from_us(12);
        self.record.sent += Bytes::new(75_000);
        self.acks += 1;
        let ack = Ack {
            now: self.record.time + Span::from_us(6),
            rtt: Span::from_us(12),
            acked: Bytes::new(1000),
            acked_to: Bytes::new(self.acks * 100_000),
            sent_to: Bytes::new(self.acks * 100_000 + 90_000),
            telemetry: Telemetry::Hops(core::slice::from_ref(&self.record)),
            ..Ack::default()
        };
        self.law.on_ack(&mut self.flow, &ack)
    }

    /// The next record comes from a port that has sent so much more and has this queue.
    fn move_to(&mut self, ahead: Bytes, queue: Bytes) {
        self.record.sent += ahead;
        self.record.queue = queue;
    }

    fn window(&self) -> Bytes {
        self.law.decision(&self.flow).window
    }
}

#[test]
fn a_port_that_would_have_sent_more_than_its_link_carries_is_another_port() {
    for name in LAWS {
        let mut trace = Trace::new(name);
        let before = trace.window();
        trace.move_to(Bytes::from_mb(1_000), Bytes::ZERO);
        assert_eq!(trace.round_trip().window, before, "{name}: the first ack only stores");
        for _ in 0..5 {
            assert!(trace.round_trip().window >= before, "{name}: half busy, as before");
        }
    }
}

/// 75,000 bytes more make 150,000 in 12 µs: just what the link carries, so that only the host can
/// know that these are two ports. With 75,000 queued it looks like overload to any of the laws.
#[test]
fn a_law_that_is_told_does_not_compare_two_paths() {
    for name in LAWS {
        let mut untold = Trace::new(name);
        let before = untold.window();
        untold.move_to(Bytes::new(75_000), Bytes::new(75_000));
        assert!(untold.round_trip().window < before, "{name}: it can only think of a burst");

        let mut told = Trace::new(name);
        told.move_to(Bytes::new(75_000), Bytes::new(75_000));
        told.law.on_path_change(&mut told.flow);
        assert_eq!(told.window(), before, "{name}: what the flow may do stands");
        assert_eq!(told.round_trip().window, before, "{name}: the first ack only stores");
    }
}

#[test]
fn the_second_ack_of_a_new_path_counts_again() {
    for name in LAWS {
        let mut trace = Trace::new(name);
        let before = trace.window();
        trace.law.on_path_change(&mut trace.flow);
        trace.round_trip();
        // A full link with a whole round trip's worth of queue, standing there for two acks.
        for _ in 0..2 {
            trace.move_to(Bytes::new(75_000), Bytes::new(150_000));
            trace.round_trip();
        }
        assert!(trace.window() < before, "{name}: {} of {before}", trace.window());
    }
}

#[test]
fn a_change_of_path_is_nothing_to_laws_without_telemetry() {
    for name in ["poseidon", "swift", "dctcp", "newreno", "timely"] {
        let mut trace = Trace::new(name);
        let before = trace.law.decision(&trace.flow);
        trace.law.on_path_change(&mut trace.flow);
        assert_eq!(trace.law.decision(&trace.flow), before, "{name}");
    }
}
