extern crate std;

use super::*;
use crate::event::{HopRecord, Telemetry};
use crate::params::Parameters;
use crate::powertcp::{self, PowerTcp, Reference};
use std::vec::Vec;

/// 100 Gb/s and 20 µs: a bandwidth-delay product of 250,000 bytes.
fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(20),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

fn path() -> Path {
    Path { base_rtt: host().base_rtt, hops: 1, seed: 1 }
}

fn law(params: &Params) -> ThetaPowerTcp {
    params.check().unwrap();
    ThetaPowerTcp::new(params, &host()).unwrap()
}

/// An ack of everything below `acked_to`, with 100 packets behind it.
fn ack(now_ns: u64, rtt_ns: u64, acked_to: u64) -> Ack<'static> {
    Ack {
        now: Time::ZERO + Span::from_ns(now_ns),
        rtt: Span::from_ns(rtt_ns),
        acked: Bytes::new(1000),
        acked_to: Bytes::new(acked_to),
        sent_to: Bytes::new(acked_to + 100_000),
        ..Ack::default()
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

/// Every other ack is held for 50 µs by the receiver; the network's part stays 20 µs.
#[test]
fn an_ack_that_the_receiver_held_back_has_no_power() {
    for params in [Params::nsdi22(), Params { base_rtt: BaseRtt::SmallestSeen, ..Params::nsdi22() }] {
        let law = law(&params);
        let (mut flow, _) = law.start(&path());
        for i in 1..=20 {
            let held = if i % 2 == 0 { 50_000 } else { 0 };
            let seen = ack(70_000 * i + held, 20_000 + held, 200_000 * i);
            law.on_ack(&mut flow, &Ack { endpoint_delay: Span::from_ns(held), ..seen });
            assert!(near(flow.power(), 1.0), "ack {i}: {}", flow.power());
        }
        assert!(near(flow.window(), 275_000.0), "C · τ + β: {}", flow.window());
    }
}

#[test]
fn one_episode_by_hand() {
    // β = 250,000 / 10 = 25,000.
    let law = law(&Params::nsdi22());
    let (mut flow, first) = law.start(&path());
    assert_eq!((first.window, first.pacing), (Bytes::new(250_000), Rate::from_gbps(100)));
    law.on_ack(&mut flow, &ack(0, 20_000, 1_000));
    assert!(near(flow.power(), 1.0), "the first ack has no slope");

    // Congestion: 5 µs later the round trip is 2 µs longer: θ̇ = 0.4, Γ = 1.4 · 22/20 = 1.54;
    // Γ_s = 0.75 + 0.25 · 1.54 = 1.135. Inside the round the window waits.
    law.on_ack(&mut flow, &ack(5_000, 22_000, 50_000));
    assert!(near(flow.power(), 1.135), "{}", flow.power());
    assert!(near(flow.window(), 250_000.0));
    // 20 µs later, still 22 µs: Γ = 1.1 for a whole τ. The round (101,000) is over:
    // W = 0.9 (250,000/1.1 + 25,000) + 25,000 = 204,545.4545… + 22,500 + 25,000.
    law.on_ack(&mut flow, &ack(25_000, 22_000, 102_000));
    assert!(near(flow.power(), 1.1));
    let congested = 225_000.0 / 1.1 + 47_500.0;
    assert!(near(flow.window(), congested), "{}", flow.window());

    // Recovery: back to 20 µs within 20 µs: θ̇ = −0.1, Γ = 0.9.
    law.on_ack(&mut flow, &ack(45_000, 20_000, 203_000));
    assert!(near(flow.power(), 0.9));
    let expected = (0.9 * (congested / 0.9 + 25_000.0) + 0.1 * congested).min(275_000.0);
    assert!(near(flow.window(), expected), "{}", flow.window());
    assert!(near(expected, 275_000.0), "C · τ + β");

    // Loss and timeout: the delay alone decides.
    law.on_loss(&mut flow, &Loss::default());
    law.on_timeout(&mut flow, &Timeout::default());
    assert!(near(flow.window(), 275_000.0));
}

#[test]
fn an_idle_path_looks_like_a_full_one_and_grows_by_gamma_beta() {
    // §3.5: a link that is not full gives Γ = 1; additive increase alone fills it.
    let law = law(&Params::nsdi22());
    let (mut flow, _) = law.start(&path());
    flow.window = 100_000.0;
    flow.reference = 100_000.0;
    for round in 0..5_u32 {
        law.on_ack(&mut flow, &ack(20_000 * u64::from(round), 20_000, 1_000 + 101_000 * u64::from(round)));
        assert!(near(flow.window(), 100_000.0 + 22_500.0 * f64::from(round)), "{}", flow.window());
    }
}

#[test]
fn a_round_trip_time_that_falls_faster_than_time_passes_is_no_negative_power() {
    let paper = law(&Params::nsdi22());
    let (mut flow, _) = paper.start(&path());
    paper.on_ack(&mut flow, &ack(0, 90_000, 1_000));
    // 70 µs less within 20 µs: θ̇ + 1 = −2.5.
    paper.on_ack(&mut flow, &ack(20_000, 20_000, 102_000));
    assert!(near(flow.power(), 0.0));
    assert!(near(flow.window(), 275_000.0));

    let floored = law(&Params { current_floor: 0.5, ..Params::nsdi22() });
    let (mut flow, _) = floored.start(&path());
    floored.on_ack(&mut flow, &ack(0, 90_000, 1_000));
    floored.on_ack(&mut flow, &ack(20_000, 20_000, 102_000));
    assert!(near(flow.power(), 0.5), "0.5 · 20/20");
}

#[test]
fn the_rdma_artifact_recomputes_on_every_ack_and_lowers_its_base() {
    // β = 150 Mb/s · 20 µs / 8 = 375.
    let law = law(&Params::artifact_rdma());
    let (mut flow, _) = law.start(&path());
    law.on_ack(&mut flow, &ack(0, 16_000, 1_000));
    assert_eq!(flow.base_rtt, Span::from_us(16));
    // 32 µs, 16 µs later: θ̇ + 1 = 2, Γ = 2 · 32/(1.05 · 16) = 3.8095…, over a whole (new) τ.
    law.on_ack(&mut flow, &ack(16_000, 32_000, 50_000));
    let power = 4.0 / 1.05;
    assert!(near(flow.power(), power), "{}", flow.power());
    let window = 0.7 * (250_000.0 / power + 375.0) + 75_000.0;
    assert!(near(flow.window(), window), "{}", flow.window());
    // Again 32 µs: Γ = 2/1.05, from the same reference.
    law.on_ack(&mut flow, &ack(32_000, 32_000, 60_000));
    let window = 0.7 * (250_000.0 * 1.05 / 2.0 + 375.0) + 75_000.0;
    assert!(near(flow.window(), window), "{}", flow.window());
}

#[test]
fn the_tcp_artifact_looks_at_one_ack_per_round() {
    let law = law(&Params::artifact_tcp());
    let (mut flow, _) = law.start(&path());
    law.on_ack(&mut flow, &ack(0, 20_000, 1_000));
    law.on_ack(&mut flow, &ack(10_000, 60_000, 50_000));
    assert!(near(flow.power(), 1.0), "not looked at");
    // From 20 µs to 24 µs in 40 µs: Γ = 1.1 · 1.2 = 1.32; β = 50 Mb/s · 20 µs / 8 = 125.
    law.on_ack(&mut flow, &ack(40_000, 24_000, 102_000));
    assert!(near(flow.power(), 1.32), "{}", flow.power());
    let window = 0.7 * (250_000.0 / 1.32 + 125.0) + 75_000.0;
    assert!(near(flow.window(), window), "{}", flow.window());
    // Γ = 0.5 · 20/20: at 0.5, γ is 0.9; the card's rate is the bound: W' = 0.9 (2 W + 125) + …
    flow.window = 50_000.0;
    flow.reference = 50_000.0;
    flow.previous = Some((Time::ZERO + Span::from_us(60), Span::from_us(80)));
    law.on_ack(&mut flow, &ack(80_000, 20_000, 203_000));
    assert!(near(flow.window(), 0.9 * (100_000.0 + 125.0) + 5_000.0), "{}", flow.window());
}

#[test]
fn acks_without_news_change_nothing() {
    let law = law(&Params { cadence: Cadence::Ack, ..Params::nsdi22() });
    let (mut flow, _) = law.start(&path());
    law.on_ack(&mut flow, &ack(0, 20_000, 1_000));
    law.on_ack(&mut flow, &ack(10_000, 30_000, 2_000));
    let (window, power) = (flow.window(), flow.power());
    law.on_ack(&mut flow, &ack(10_000, 90_000, 3_000));
    law.on_ack(&mut flow, &ack(5_000, 90_000, 3_000));
    law.on_ack(&mut flow, &ack(20_000, 0, 4_000));
    assert!(near(flow.window(), window) && near(flow.power(), power));
}

#[test]
fn presets_have_the_published_numbers() {
    let paper = Params::nsdi22();
    assert!(near(paper.gamma, 0.9) && near(paper.margin, 1.0) && near(paper.current_floor, 0.0));
    assert_eq!(paper.cadence, Cadence::Round);
    let rdma = Params::artifact_rdma();
    assert!(near(rdma.gamma, 0.7) && near(rdma.margin, 1.05) && near(rdma.current_floor, 0.5));
    assert_eq!((rdma.beta_rate, rdma.base_rtt), (Some(Rate::from_mbps(150)), BaseRtt::SmallestSeen));
    assert_eq!((rdma.cadence, rdma.min_rate), (Cadence::Ack, Rate::from_mbps(100)));
    let tcp = Params::artifact_tcp();
    assert!(near(tcp.gamma, 0.7) && near(tcp.boost_gamma, 0.9) && near(tcp.boost_below, 0.5));
    assert_eq!(tcp.cadence, Cadence::RoundSample);
    let both = Params { beta: Some(Bytes::new(1)), ..rdma };
    assert_eq!(ThetaPowerTcp::new(&both, &host()).unwrap_err().key(), "beta");
}

/// The queue of a busy bottleneck, in bytes, at a time in microseconds: it grows, stands, drains
/// and swings, between 20 KB and 180 KB.
fn trajectory(microseconds: f64) -> f64 {
    100_000.0 + 60_000.0 * libm::sin(microseconds / 70.0) + 20_000.0 * libm::sin(microseconds / 9.0)
}

#[test]
fn both_laws_agree_on_one_bottleneck_when_their_signals_match() {
    // Both read the same queue, once as a record and once as q/b + τ, every 100 ns for 2 ms.
    // PowerTCP with its reference committed once per round trip is Algorithm 2's update.
    let power_law = PowerTcp::new(
        &powertcp::Params { reference: Reference::Committed, ..powertcp::Params::nsdi22() },
        &host(),
    )
    .unwrap();
    let theta_law = law(&Params::nsdi22());
    let (mut with_records, _) = power_law.start(&path());
    let (mut with_delay, _) = theta_law.start(&path());
    let mut worst: f64 = 0.0;
    let mut windows = Vec::new();
    for step in 0..20_000_u32 {
        let microseconds = f64::from(step) / 10.0;
        let queue = trajectory(microseconds);
        let time = Time::ZERO + Span::from_ns(100 * u64::from(step));
        let hops = [HopRecord {
            time,
            sent: Bytes::new(1_250 * u64::from(step)),
            queue: Bytes::saturating_from_f64(queue),
            rate: host().nic_rate,
        }];
        // A window of 200 steps' bytes: rounds of one τ.
        let acked_to = 1_250 * u64::from(step) + 1;
        let ack = Ack {
            now: time + Span::from_us(10),
            rtt: Span::from_us(20) + Span::saturating_from_secs_f64(queue / 12.5e9),
            acked: Bytes::new(1_250),
            acked_to: Bytes::new(acked_to),
            sent_to: Bytes::new(acked_to + 250_000),
            telemetry: Telemetry::Hops(&hops),
            ..Ack::default()
        };
        let before = with_delay.window();
        power_law.on_ack(&mut with_records, &ack);
        theta_law.on_ack(&mut with_delay, &ack);
        if (with_delay.window() - before).abs() > 0.0 {
            worst = worst.max((with_records.window() / with_delay.window() - 1.0).abs());
            windows.push(with_delay.window());
        }
    }
    // One update per 201 steps; the windows did move; records round to whole bytes.
    assert!(windows.len() > 80, "{}", windows.len());
    let spread =
        windows.iter().copied().fold(0.0, f64::max) - windows.iter().copied().fold(f64::MAX, f64::min);
    assert!(spread > 20_000.0, "{spread}");
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn on_a_real_queue_the_two_differ_by_the_square_of_the_overload() {
    // x · b arrives at a first-in-first-out queue of rate b. Packet i of 1,250 bytes takes 100 ns of
    // the link, arrives at i · 100 ns / x, and leaves at (i + 1) · 100 ns: acks come every 100 ns
    // and each round trip is 100 ns · (1 − 1/x) longer: θ̇ + 1 = 2 − 1/x where λ/b = x.
    for (overload, sender_sees) in [(1.1, 1.0909), (1.25, 1.2), (2.0, 1.5)] {
        let law = law(&Params::nsdi22());
        let (mut flow, _) = law.start(&path());
        let mut current = 0.0;
        for packet in 0..400_u64 {
            let growth = 100.0 * (1.0 - 1.0 / overload);
            let wait = Span::saturating_from_secs_f64(packet as f64 * growth * 1e-9);
            let rtt = Span::from_us(20) + wait;
            let ack = Ack { rtt, ..ack(100 * packet, 0, 1_000) };
            let before = flow.power();
            law.on_ack(&mut flow, &ack);
            // Undo the smoothing (share 100 ns of 20 µs) and the voltage.
            current = (flow.power() - before * 0.995) / 0.005 / (rtt / host().base_rtt);
        }
        assert!((current - sender_sees).abs() < 1e-3, "{overload}: {current}");
        let gap = overload - current;
        assert!((gap - (overload - 1.0) * (overload - 1.0) / overload).abs() < 1e-3, "{overload}: {gap}");
    }
}
