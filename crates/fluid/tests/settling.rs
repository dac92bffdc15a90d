//! When Poseidon's fluid settles if signals are a round trip old. The bounds are the roots of the equations in
//! `src/network.rs`, worked out here by hand; the fluid is the law of `plimsoll-cc` on queues and knows none of them.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_cc::{Configure, Host};
use plimsoll_fluid::network::{Feedback, Flow, Network, Settled};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// p/α = 40 µs / ln(10,000) = 4.343 µs.
fn law(m: f64, k: Span, p: Span, max_rate: Rate) -> Poseidon {
    let size = Bytes::new(1_000);
    let host = Host { nic_rate: Rate::from_gbps(800), base_rtt: Span::from_us(100), mtu: size, mss: size };
    let min_rate = Some(Rate::from_bps(max_rate.as_bps() / 10_000));
    let params = Params { m, k, p, max_rate: Some(max_rate), min_rate, ..Params::nsdi23() };
    Poseidon::new(&params, &host).unwrap()
}

fn flow(link: usize, base_rtt: Span, acks_wait_in: Vec<usize>) -> Flow {
    // Not together, so that there is something to settle.
    Flow {
        links: vec![link],
        start: Time::after_start(Span::from_us(50 * link as u64)),
        base_rtt,
        acks_wait_in,
    }
}

fn settle(flows: Vec<Flow>, law: &Poseidon) -> Settled {
    let capacities = vec![Rate::from_gbps(100); 2];
    Network { capacities, flows, feedback: Feedback::RoundTripLater }.settle(law, Span::from_ms(10))
}

/// How far the queue of a 100 Gb/s link with two flows swings, if the round trip with it takes so long.
/// T(50 Gb/s) = 2 + 4.343 · ln 4 = 8.02 µs.
fn one_way_swing(m: f64, rtt_us: f64) -> f64 {
    let base = Span::saturating_from_secs_f64((rtt_us - 8.02) * 1e-6);
    let flows = vec![flow(0, base, vec![]), flow(0, base, vec![])];
    let law = law(m, Span::from_us(2), Span::from_us(40), Rate::from_gbps(200));
    settle(flows, &law).swings[0].as_us_f64()
}

/// (jω + m)(jω + 1) + (g − m)e^(−jω) = 0: (1 + m)·ω = (g − m)·sin ω and ω² − m = (g − m)·cos ω.
/// m = 0.25: ω = 1.018, g = 0.25 + 1.273/0.851 = 1.745, R = 1.745 · 4.343/0.25 = 30.3 µs.
/// m = 0.5: ω = 1.137, g = 0.5 + 1.706/0.907 = 2.380, R = 2.380 · 4.343/0.5 = 20.7 µs.
/// The equation spreads decreases over a round trip; the law takes them at once, once per round trip, and swings
/// from some seven eighths of that on.
#[test]
fn one_way_flows_settle_below_and_swing_above_the_round_trip_that_theory_gives() {
    for (m, limit) in [(0.25, 30.3), (0.5, 20.7)] {
        let (below, above) = (one_way_swing(m, 0.8 * limit), one_way_swing(m, 1.1 * limit));
        println!("m {m}: {below:.3} µs below, {above:.3} µs above");
        assert!(below < 0.5, "m {m}: the queue swings by {below} µs below the limit");
        assert!(above > 4.0, "m {m}: the queue swings by {above} µs above the limit");
    }
}

/// How far the queue swings between one flow each way whose acks wait in the other's queue. The target of
/// 100 Gb/s is held at 4 µs, so that the round trip is 10 µs whatever p/α: r_max is 110 Gb/s and
/// k = 4 µs − p/α · ln 1.1.
fn two_way_swing(m: f64, p_over_alpha_us: f64, acks_wait: bool) -> f64 {
    let seconds = |us: f64| Span::saturating_from_secs_f64(us * 1e-6);
    let k = seconds(4.0 - p_over_alpha_us * 1.1_f64.ln());
    let law = law(m, k, seconds(p_over_alpha_us * 10_000_f64.ln()), Rate::from_gbps(110));
    let acks = |link: usize| if acks_wait { vec![link] } else { vec![] };
    let base = if acks_wait { seconds(2.0) } else { seconds(6.0) };
    settle(vec![flow(0, base, acks(1)), flow(1, base, acks(0))], &law).swings[0].as_us_f64()
}

/// −ω² + mjω + g·e^(−jω) = 0: g·cos ω = ω² and g·sin ω = m·ω, hence ω·tan ω = m and R·α/p = ω²/(m·cos ω).
/// m = 0.25: ω = 0.480, 1.039: 10 µs need p/α above 9.6 µs. m = 0.05: ω = 0.222, 1.008: above 9.9 µs.
#[test]
fn acks_that_wait_in_the_other_directions_queue_make_it_swing_unless_p_over_alpha_is_a_round_trip() {
    for m in [0.25, 0.05] {
        let (below, above) = (two_way_swing(m, 8.0, true), two_way_swing(m, 12.0, true));
        println!("m {m}: {below:.3} µs below, {above:.3} µs above");
        assert!(below > 2.0, "m {m}: the queue swings by {below} µs with a short p/α");
        assert!(above < 0.5, "m {m}: the queue swings by {above} µs with a long p/α");
        let alone = two_way_swing(m, 8.0, false);
        assert!(alone < 0.5, "m {m}: the queue swings by {alone} µs though acks do not wait");
    }
}
