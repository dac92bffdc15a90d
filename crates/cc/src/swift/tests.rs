//! Traces computed by hand: packets of 1,000 bytes on a 100 Gb/s link; a base round trip of 8 µs is
//! 100 packets.

extern crate std;
use super::*;
use crate::params::Parameters;
use crate::registry::AnyParams;
use plimsoll_units::Bytes;
use std::string::ToString;

fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(8),
        mtu: Bytes::new(1_000),
        mss: Bytes::new(1_000),
    }
}

fn path() -> Path {
    Path { base_rtt: Span::from_us(8), hops: 0, seed: 1 }
}

/// A flat target of 20 µs: neither hops nor flow scaling.
fn flat() -> Params {
    Params {
        base_target: Span::from_us(20),
        hop_scale: Span::ZERO,
        fs_range: Span::ZERO,
        start_cwnd: Some(16.0),
        ..Params::sigcomm20()
    }
}

fn law(params: Params) -> Swift {
    Swift::new(&params, &host()).unwrap()
}

fn ack(now_us: u64, rtt_us: u64) -> Ack<'static> {
    Ack {
        now: Time::ZERO + Span::from_us(now_us),
        rtt: Span::from_us(rtt_us),
        acked: Bytes::new(1_000),
        ..Ack::default()
    }
}

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1e-9), "{value}, expected {expected}");
}

#[test]
fn flow_scaling_gives_the_worked_values_of_poseidons_evaluation() {
    // a = 100 / (1/√0.1 − 1/√100) = 100 / (3.1623 − 0.1) = 32.66; b = −a/10 = −3.27.
    let scaling = law(Params::poseidon_nsdi23()).scaling;
    assert!((scaling.a * 1e-6 - 32.66).abs() < 0.005, "{}", scaling.a);
    assert!((scaling.b * 1e-6 + 3.27).abs() < 0.005, "{}", scaling.b);
    for (cwnd, microseconds) in [(1.0, 29.4), (10.0, 7.1)] {
        assert!((scaling.rise(cwnd) * 1e-6 - microseconds).abs() < 0.05, "{cwnd}");
    }
    for cwnd in [100.0, 101.0, 1e6] {
        assert!(scaling.rise(cwnd).abs() < 1e-6, "{cwnd}");
    }
    // The clamp at the other end: all of the range from 0.1 packets down.
    for cwnd in [0.1, 0.05, 0.001] {
        near(scaling.rise(cwnd), 100e6);
    }
}

#[test]
fn the_target_adds_base_hops_and_scaling() {
    let law = law(Params::poseidon_nsdi23());
    // 25 + 3 · 1 + 0 µs for a large window.
    near(law.target(3, 100.0).as_us_f64(), 28.0);
    // 25 + 0 + 100 µs for a tiny one.
    near(law.target(0, 0.01).as_us_f64(), 125.0);
}

#[test]
fn equation_1_and_its_clamp() {
    let law = law(flat());
    let factor = |delay, target| law.decrease_factor(Span::from_us(delay), Span::from_us(target));
    near(factor(20, 20), 1.0);
    // 1 − 0.8 · 5/25.
    near(factor(25, 20), 0.84);
    // 1 − 0.8 · 20/40.
    near(factor(40, 20), 0.6);
    // 1 − 0.8 · 30/50 = 0.52; the clamp holds from t / (1 − 0.5/0.8) = 53.3 µs on: 54 would give
    // 1 − 0.8 · 34/54 = 0.496.
    near(factor(50, 20), 0.52);
    near(factor(54, 20), 0.5);
    near(factor(60, 20), 0.5);
    near(factor(1_000_000, 20), 0.5);
    // Below the target there is nothing to decrease.
    near(factor(10, 20), 1.0);
}

#[test]
fn max_mdf_is_the_share_that_is_taken() {
    let law = law(Params { max_mdf: 0.3, ..flat() });
    near(law.decrease_factor(Span::from_us(1_000), Span::from_us(20)), 0.7);
}

#[test]
fn a_full_episode_growth_decrease_recovery_loss_timeouts() {
    let law = law(Params { windows: Windows::Fabric, ..flat() });
    let (mut flow, first) = law.start(&path());
    assert_eq!(first.window, Bytes::new(16_000));
    assert_eq!(first.pacing, host().nic_rate, "ack-clocked");

    // Growth: 16 acks below the target, each + 1/cwnd, make about one packet.
    let mut expected = 16.0;
    for index in 0..16 {
        law.on_ack(&mut flow, &ack(index, 19));
        expected += 1.0 / expected;
    }
    near(flow.cwnd(), expected);
    assert!((16.95..17.0).contains(&flow.cwnd()));

    // At the target nothing moves; above it the window falls at once, and then once per rtt.
    law.on_ack(&mut flow, &ack(20, 20));
    near(flow.cwnd(), expected);
    law.on_ack(&mut flow, &ack(21, 40));
    near(flow.cwnd(), expected * 0.6);
    law.on_ack(&mut flow, &ack(60, 40));
    near(flow.cwnd(), expected * 0.6);
    law.on_ack(&mut flow, &ack(61, 40));
    near(flow.cwnd(), expected * 0.36);
    law.on_ack(&mut flow, &ack(62, 19));
    let grown = expected * 0.36 + 1.0 / (expected * 0.36);
    near(flow.cwnd(), grown);

    // Fast recovery halves, once per rtt (19 µs by now).
    let loss = |now_us| Loss { now: Time::ZERO + Span::from_us(now_us), ..Loss::default() };
    law.on_loss(&mut flow, &loss(79));
    near(flow.cwnd(), grown);
    law.on_loss(&mut flow, &loss(80));
    near(flow.cwnd(), grown / 2.0);

    // Four timeouts halve, the fifth resets.
    let timeout = |now_us| Timeout { now: Time::ZERO + Span::from_us(now_us), ..Timeout::default() };
    for index in 1..=4 {
        law.on_timeout(&mut flow, &timeout(1_000 * index));
    }
    near(flow.cwnd(), grown / 32.0);
    let decision = law.on_timeout(&mut flow, &timeout(5_000));
    near(flow.cwnd(), 0.001);
    // One packet every 19 µs / 0.001: 8,000 bits per 19 ms.
    assert_eq!(decision.window, Bytes::new(1_000));
    assert_eq!(decision.pacing, Rate::from_bps(421_053));

    // Below one packet the increase is ai per packet; the ack also ends the row of timeouts.
    law.on_ack(&mut flow, &ack(6_000, 10));
    near(flow.cwnd(), 1.001);
    law.on_timeout(&mut flow, &timeout(7_000));
    near(flow.cwnd(), 0.5005);
}

#[test]
fn the_endpoint_has_its_own_window_and_the_smaller_one_counts() {
    let law = law(Params { endpoint_target: Span::from_us(30), ..flat() });
    let (mut flow, _) = law.start(&path());
    // 75 µs, 60 of them in the receiver: the fabric's 15 are below 20, the endpoint's twice 30.
    let slow_receiver = Ack { endpoint_delay: Span::from_us(60), ..ack(100, 75) };
    law.on_ack(&mut flow, &slow_receiver);
    near(flow.fabric.cwnd, 16.0 + 1.0 / 16.0);
    near(flow.endpoint.cwnd, 16.0 * 0.6);
    near(flow.cwnd(), 9.6);
    // The other way round.
    let slow_network = Ack { endpoint_delay: Span::from_us(10), ..ack(200, 50) };
    law.on_ack(&mut flow, &slow_network);
    near(flow.fabric.cwnd, (16.0 + 1.0 / 16.0) * 0.6);
    near(flow.endpoint.cwnd, 9.6 + 1.0 / 9.6);
    near(flow.cwnd(), (16.0 + 1.0 / 16.0) * 0.6);
}

#[test]
fn without_an_endpoint_window_the_receivers_delay_is_not_congestion() {
    let law = law(Params { windows: Windows::Fabric, ..flat() });
    let (mut flow, _) = law.start(&path());
    law.on_ack(&mut flow, &Ack { endpoint_delay: Span::from_us(990), ..ack(1_000, 1_000) });
    near(flow.cwnd(), 16.0 + 1.0 / 16.0);
}

#[test]
fn the_signals_follow_the_parameters() {
    assert_eq!(law(Params { windows: Windows::Fabric, ..flat() }).needs(), Signals::RTT);
    assert_eq!(law(flat()).needs(), Signals::RTT | Signals::ENDPOINT_DELAY);
    assert_eq!(law(Params::vai_sf()).needs(), Signals::RTT | Signals::HOP_COUNT);
}

#[test]
fn a_new_flow_at_line_rate_keeps_twice_the_share_of_the_old_ones() {
    // Section IV of vai-sf: two flows at B/2, a new one at B, everybody halves: B/4, B/4, B/2.
    let windows = [50.0, 50.0, 100.0].map(|cwnd| {
        let law = law(Params { start_cwnd: Some(cwnd), fs_range: Span::ZERO, ..Params::vai_sf() });
        let (mut flow, _) = law.start(&path());
        law.on_ack(&mut flow, &ack(100, 100));
        flow.cwnd()
    });
    for (window, expected) in windows.into_iter().zip([25.0, 25.0, 50.0]) {
        near(window, expected);
    }
}

#[test]
fn an_increase_given_as_a_rate_adds_that_rate_per_round_trip() {
    // 50 Mb/s · 8 µs = 50 B = 0.05 packets; 1 Gb/s is 20 times that.
    near(law(Params::vai_sf()).ai, 0.05);
    near(law(Params::vai_sf_1gbps()).ai, 1.0);
    let law = law(Params::vai_sf());
    let (mut flow, first) = law.start(&path());
    assert_eq!((first.window, first.pacing), (Bytes::new(100_000), host().nic_rate), "line rate");
    for index in 0..100 {
        law.on_ack(&mut flow, &ack(index, 4));
    }
    assert!((flow.cwnd() - 100.05).abs() < 1e-4, "{}", flow.cwnd());
}

#[test]
fn a_paced_window_leaves_evenly_over_the_last_round_trip() {
    let law = law(Params { start_cwnd: Some(20.0), ..Params::vai_sf() });
    let (mut flow, _) = law.start(&path());
    // 10 µs is above 5 µs + 0 hops + the rise at 20 packets: 20/(3.1623 − 0.1414) = 6.62 = a,
    // 6.62/√20 − 6.62/√50 = 0.544: t = 5.544, factor 1 − 0.8 · 4.456/10 = 0.6435.
    let decision = law.on_ack(&mut flow, &ack(100, 10));
    assert!((flow.cwnd() - 20.0 * 0.6435).abs() < 0.01, "{}", flow.cwnd());
    // 12.87 packets of 8,000 bits over 10 µs: 10.3 Gb/s.
    assert!((decision.pacing.as_gbps_f64() - flow.cwnd() * 0.8).abs() < 1e-6);
}

#[test]
fn a_disregarded_decrease_uses_up_the_round_trips_chance() {
    // At a quarter of line rate's 100 packets a quarter is heeded: 500 ± 19 of 2,000.
    let law = law(Params { start_cwnd: Some(25.0), ..Params::probabilistic() });
    let mut heeded = 0_u32;
    for seed in 0..2_000 {
        let (mut flow, _) = law.start(&Path { seed, ..path() });
        for now in 100..150 {
            law.on_ack(&mut flow, &ack(now, 100));
        }
        if flow.cwnd() < 25.0 {
            near(flow.cwnd(), 12.5);
            heeded += 1;
        }
    }
    assert!((420..580).contains(&heeded), "{heeded}");
}

#[test]
fn the_reference_form_always_adds_and_computes_from_the_reference() {
    let reaction = Reaction::new(&Params { ai: Some(2.0), ..flat() }, &host()).unwrap();
    let (mut memory, reference) = reaction.begin(&path());
    near(reference, 16.0);
    // Below the target: + ai; a multiple of it on request.
    let calm = reaction.observe(&mut memory, &ack(0, 19), reference).unwrap();
    assert_eq!(calm, Congestion { level: 19e6, baseline: 20e6, congested: false });
    near(reaction.candidate(&memory, reference, 1.0), 18.0);
    near(reaction.candidate(&memory, reference, 3.5), 23.0);
    // Above it: 16 · 0.6 + 2, and the same again from the same reference.
    for now in [1, 2] {
        assert!(reaction.observe(&mut memory, &ack(now, 40), reference).unwrap().congested);
        near(reaction.candidate(&memory, reference, 1.0), 11.6);
    }
    // A slow receiver shrinks it as well: 200 µs against 100: factor 0.6.
    let slow = Ack { endpoint_delay: Span::from_us(200), ..ack(3, 219) };
    assert!(!reaction.observe(&mut memory, &slow, reference).unwrap().congested);
    near(reaction.candidate(&memory, reference, 1.0), 11.6);
}

#[test]
fn the_reference_form_answers_losses_as_swift_does() {
    let reaction = Reaction::new(&flat(), &host()).unwrap();
    let (mut memory, reference) = reaction.begin(&path());
    reaction.observe(&mut memory, &ack(0, 10), reference);
    let at = |now_us| Time::ZERO + Span::from_us(now_us);
    let loss = |now_us| Loss { now: at(now_us), ..Loss::default() };
    near(reaction.after_loss(&mut memory, 16.0, &loss(100)).unwrap(), 8.0);
    assert_eq!(reaction.after_loss(&mut memory, 8.0, &loss(109)), None, "within a round trip");
    for index in 1..=4 {
        let timeout = Timeout { now: at(1_000 * index), ..Timeout::default() };
        near(reaction.after_timeout(&mut memory, 8.0, &timeout).unwrap(), 4.0);
    }
    near(reaction.after_timeout(&mut memory, 8.0, &Timeout::default()).unwrap(), 0.001);
}

#[test]
fn presets_are_the_published_numbers() {
    for preset in Params::PRESETS {
        let params = (preset.make)();
        assert!(params.check().is_ok(), "{}", preset.name);
        assert_eq!((params.beta, params.max_mdf, params.fs_min), (0.8, 0.5, 0.1), "{}", preset.name);
    }
    let htsim = Params::htsim();
    assert_eq!((htsim.start_cwnd, htsim.max_cwnd), (Some(12.0), Some(1_000.0)));
    near(htsim.hop_scale.as_us_f64(), 3.053);
    near(htsim.fs_range.as_us_f64(), 100.0);
    assert_eq!((Params::vai_sf().fs_max, Params::vai_sf_datacenter().fs_max), (50.0, 100.0));
    // 5 + 2 per hop: a path of one switch and a large window.
    near(law(Params::vai_sf()).target(1, 50.0).as_us_f64(), 7.0);
}

#[test]
fn contradicting_parameters_are_refused_by_name() {
    let mut params = AnyParams::named("swift:vai-sf").unwrap();
    params.set("ai", crate::Value::Integer(1)).unwrap();
    let error = params.build(&host()).unwrap_err().to_string();
    assert_eq!(error, "`ai = 1.0` cannot be given together with `ai_rate = \"50Mbps\"`");

    let error = Swift::new(&Params { fs_min: 200.0, ..flat() }, &host()).unwrap_err().to_string();
    assert_eq!(error, "`fs_min = 200.0` must not exceed `fs_max = 100.0`");
    let error = Swift::new(&Params { min_cwnd: 1e9, max_cwnd: Some(2.0), ..flat() }, &host()).unwrap_err();
    assert_eq!(error.key(), "min_cwnd");
}

#[test]
fn equal_scaling_windows_and_a_zero_round_trip_are_legal() {
    let law = law(Params { fs_min: 10.0, fs_max: 10.0, ..Params::vai_sf() });
    near(law.target(0, 1.0).as_us_f64(), 5.0);
    let (mut flow, _) = law.start(&path());
    let decision = law.on_ack(&mut flow, &Ack { acked: Bytes::MAX, hops: 1_000_000, ..ack(0, 0) });
    near(flow.cwnd(), 400.0);
    assert_eq!(decision.pacing, host().nic_rate);
}
