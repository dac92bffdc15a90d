//! Whether a packet met congestion is for the law to say, by the measure that it steers with itself.
#![allow(clippy::unwrap_used, reason = "a test helper that fails is a failed test")]

use plimsoll_cc::reference::{OnReference, PerRound};
use plimsoll_cc::registry::{AnyFlow, AnyLaw, AnyParams};
use plimsoll_cc::swift;
use plimsoll_cc::{Ack, CongestionControl, HopRecord, Host, Path, Telemetry};
use plimsoll_units::{Bytes, Rate, Span};

fn start(name: &str) -> (AnyLaw, AnyFlow) {
    let host = Host {
        nic_rate: Rate::from_gbps(200),
        base_rtt: Span::from_ns(6_216),
        mtu: Bytes::new(4096),
        mss: Bytes::new(4096),
    };
    let law = AnyParams::named(name).unwrap().build(&host).unwrap();
    let (flow, _) = law.start(&Path { base_rtt: host.base_rtt, hops: 3, seed: 1 });
    (law, flow)
}

/// With one packet and three switches: 25 + 3 · 1 + 29.4 = 57.4 µs.
#[test]
fn swift_asks_for_its_target() {
    let (law, flow) = start("swift:poseidon-nsdi23");
    let judge = |us| law.met_congestion(&flow, &Ack { rtt: Span::from_us(us), hops: 3, ..Ack::default() });
    assert_eq!((judge(8), judge(57), judge(58)), (Some(false), Some(false), Some(true)));
    // The time in the receiving host is none of the path's.
    let slow_host =
        Ack { rtt: Span::from_us(90), endpoint_delay: Span::from_us(80), hops: 3, ..Ack::default() };
    assert_eq!(law.met_congestion(&flow, &slow_host), Some(false));
}

/// Without flow scaling, over three switches: 5 + 3 · 2 = 11 µs. VAI's threshold of 4 µs above it is none of the path's.
#[test]
fn swift_with_vai_and_sf_asks_for_its_target_too() {
    for preset in ["vai-sf", "vai-only", "sf-only"] {
        let (law, flow) = start(&format!("swift-vai-sf:{preset}"));
        let judge =
            |ns| law.met_congestion(&flow, &Ack { rtt: Span::from_ns(ns), hops: 3, ..Ack::default() });
        assert_eq!((judge(8_000), judge(10_999), judge(11_000)), (Some(false), Some(false), Some(true)));
        let slow_host =
            Ack { rtt: Span::from_us(90), endpoint_delay: Span::from_us(80), hops: 3, ..Ack::default() };
        assert_eq!(law.met_congestion(&flow, &slow_host), Some(false), "{preset}");
    }
}

/// The reference form scales its target with its reference. One packet, 5 + 3 · 2 + 20 µs · (1/√1 − 1/√100)/(1/√0.1 −
/// 1/√100) = 11 + 20 · 0.9/3.0623 = 16.88 µs, where a window of 100 packets has 11 µs.
#[test]
fn the_target_of_a_small_reference_is_larger() {
    let host = Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(8),
        mtu: Bytes::new(1000),
        mss: Bytes::new(1000),
    };
    let judge = |cwnd: f64, ns: u64| {
        let scaled = swift::Params { start_cwnd: Some(cwnd), ..swift::Params::vai_sf_datacenter() };
        let law = OnReference::new(swift::Reaction::new(&scaled, &host).unwrap(), PerRound);
        let (flow, _) = law.start(&Path { base_rtt: host.base_rtt, hops: 3, seed: 1 });
        law.met_congestion(&flow, &Ack { rtt: Span::from_ns(ns), hops: 3, ..Ack::default() })
    };
    assert_eq!((judge(1.0, 16_870), judge(1.0, 16_890)), (Some(false), Some(true)));
    assert_eq!((judge(100.0, 10_999), judge(100.0, 11_001)), (Some(false), Some(true)));
}

/// A packet of 32,768 bits in 16.384 µs is 2 Gb/s, a hundredth of the line: 2 + 40 · 2/4 = 22 µs.
#[test]
fn poseidon_asks_for_the_target_of_its_rate() {
    let (law, flow) = start("poseidon:nsdi23");
    let judge = |wait| {
        let telemetry = Telemetry::MaxHop { forward: Span::from_ns(wait), reverse: Span::from_us(100) };
        law.met_congestion(&flow, &Ack { rtt: Span::from_ns(16_384), telemetry, ..Ack::default() })
    };
    assert_eq!((judge(21_900), judge(22_100)), (Some(false), Some(true)));
    let nothing = Ack { rtt: Span::from_us(100), ..Ack::default() };
    assert_eq!(law.met_congestion(&flow, &nothing), None, "no switch said anything");
}

/// A link of 200 Gb/s carries 25,000 bytes per microsecond; 95 % of them are congestion.
#[test]
fn hpcc_asks_for_the_load_of_the_path() {
    for (sent, congested) in [(0.90, false), (0.99, true)] {
        let (law, mut flow) = start("hpcc:poseidon-nsdi23");
        assert_eq!(law.met_congestion(&flow, &Ack::default()), None, "nothing is known yet");
        let mut record = HopRecord { rate: Rate::from_gbps(200), ..HopRecord::default() };
        for number in 1..40 {
            record.time += Span::from_us(10);
            record.sent += Bytes::new((250_000.0 * sent) as u64);
            let ack = Ack {
                now: record.time,
                rtt: Span::from_us(10),
                acked: Bytes::new(4096),
                acked_to: Bytes::new(number * 4096),
                sent_to: Bytes::new(number * 4096 + 4096),
                telemetry: Telemetry::Hops(core::slice::from_ref(&record)),
                ..Ack::default()
            };
            law.on_ack(&mut flow, &ack);
        }
        assert_eq!(law.met_congestion(&flow, &Ack::default()), Some(congested), "{sent}");
    }
}

#[test]
fn a_law_without_a_measure_of_its_own_leaves_it_to_others() {
    let (law, flow) = start("newreno");
    assert_eq!(law.met_congestion(&flow, &Ack { rtt: Span::from_us(900), ..Ack::default() }), None);
}
