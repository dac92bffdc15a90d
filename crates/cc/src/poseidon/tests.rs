//! The paper's own numbers, its two conditions on T and U, and each variant's rule.

extern crate std;

use super::*;
use crate::params::Parameters;
use plimsoll_units::Bytes;
use proptest::prelude::*;
use std::string::ToString;
use std::vec::Vec;

/// The paper's network: 200 Gb/s, 4096-byte packets, so that r_min is 0.02 Gb/s.
fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(200),
        base_rtt: Span::from_us(6),
        mtu: Bytes::new(4096),
        mss: Bytes::new(4096),
    }
}

fn law(params: Params) -> Poseidon {
    Poseidon::new(&params, &host()).unwrap()
}

fn nsdi23() -> Poseidon {
    law(Params::nsdi23())
}

fn microseconds(us: f64) -> Span {
    Span::saturating_from_secs_f64(us * 1e-6)
}

/// A flow whose last round trip was 10 µs.
fn flow(cwnd: f64) -> Flow {
    Flow {
        cwnd,
        rtt: Span::from_us(10),
        base_rtt: Span::from_us(6),
        last_decrease: Time::ZERO,
        has_decreased: false,
        retransmits: 0,
    }
}

/// An ack of `packets` packets after a round trip of 10 µs, with this wait at the worst hop.
fn ack(at_us: u64, packets: f64, delay_us: f64) -> Ack<'static> {
    Ack {
        now: Time::ZERO + Span::from_us(at_us),
        rtt: Span::from_us(10),
        acked: Bytes::saturating_from_f64(packets * 4096.0),
        telemetry: Telemetry::MaxHop { forward: microseconds(delay_us), reverse: Span::ZERO },
        ..Ack::default()
    }
}

/// T, in picoseconds, of a flow at `rate` bit/s, whatever its round trip.
fn target(law: &Poseidon, rate: f64) -> f64 {
    law.target_ps(Span::from_us(10), rate * 10e-6 / (4096.0 * 8.0))
}

/// The window of a flow at `gbps` with a round trip of 10 µs.
fn cwnd_at(gbps: f64) -> f64 {
    gbps * 1e9 * 10e-6 / (4096.0 * 8.0)
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs()
}

mod target_and_update {
    use super::*;

    /// Random a < b within [r_min, r_max] in bit/s, a delay in picoseconds, and m in (0, 2).
    fn two_flows() -> impl Strategy<Value = (f64, f64, f64, f64)> {
        // Uniform in the logarithm, so that slow flows are drawn as often as fast ones.
        (0.0..0.999, 0.0..1.0, 0.0..100e6, 0.001..1.999).prop_map(
            |(low, gap, delay, m): (f64, f64, f64, f64)| {
                let high = low + (1.0 - low) * (0.001 + 0.999 * gap);
                (0.02e9 * 1e4_f64.powf(low), (0.02e9 * 1e4_f64.powf(high)).min(200e9), delay, m)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100_000, ..Default::default() })]

        /// Eq. 1: U ≥ 1 exactly when the delay is at most the target.
        #[test]
        fn the_window_grows_exactly_when_the_delay_is_within_the_target((a, _, delay, m) in two_flows()) {
            let law = law(Params { m, ..Params::nsdi23() });
            let target = target(&law, a);
            prop_assert_eq!(law.unbounded_ratio(target, delay) >= 1.0, delay <= target);
        }

        /// Eq. 2: (a/b)² < U(b)/U(a) < 1 for a < b and m in (0, 2).
        #[test]
        fn every_step_brings_two_flows_closer((a, b, delay, m) in two_flows()) {
            let law = law(Params { m, ..Params::nsdi23() });
            let update = |rate: f64| law.unbounded_ratio(target(&law, rate), delay);
            let ratio = update(b) / update(a);
            prop_assert!((a / b).powi(2) < ratio && ratio < 1.0, "ratio {ratio}");
        }

        /// Above m = 2 a step overshoots: the left side of Eq. 2 fails.
        #[test]
        fn a_step_of_more_than_two_overshoots_fairness((a, b, delay, m) in two_flows()) {
            let law = law(Params { m: m + 2.001, ..Params::nsdi23() });
            let update = |rate: f64| law.unbounded_ratio(target(&law, rate), delay);
            prop_assert!(update(b) / update(a) <= (a / b).powi(2));
        }

        /// Eq. 5: U = (r/x)^m where r is the rate whose target is the delay.
        #[test]
        fn the_update_is_a_power_of_the_distance_in_rate((x, r, _, m) in two_flows()) {
            let law = law(Params { m, ..Params::nsdi23() });
            let update = law.unbounded_ratio(target(&law, x), target(&law, r));
            prop_assert!(close(update, (r / x).powf(m), 1e-9));
        }
    }

    /// ALGORITHMS §11: rate in Gb/s and target in µs, for 200 G / 0.02 G, p = 40, k = 2.
    #[test]
    fn targets_are_those_of_the_table() {
        let table = [
            (200.0, 2.0),
            (100.0, 5.0),
            (200.0 / 3.0, 6.8),
            (50.0, 8.0),
            (20.0, 12.0),
            (10.0, 15.0),
            (4.0, 19.0),
            (2.0, 22.0),
            (1.0, 25.0),
            (0.5, 28.0),
            (0.02, 42.0),
        ];
        for (gbps, expected) in table {
            let target = nsdi23().target(Rate::saturating_from_bps_f64(gbps * 1e9)).as_us_f64();
            assert!((target - expected).abs() < 0.05, "{gbps} G: {target} µs, table {expected} µs");
        }
    }

    /// Fig. 7b: doubling the rate lowers the target by p·ln 2/α = 40·0.6931/9.2103 = 3.010 µs.
    #[test]
    fn targets_are_evenly_spaced_over_all_rates() {
        let (log, sqrt) = (nsdi23(), law(Params::sqrt_rate()));
        let step = |law: &Poseidon, mbps: u64| {
            law.target(Rate::from_mbps(mbps)).as_us_f64() - law.target(Rate::from_mbps(2 * mbps)).as_us_f64()
        };
        let rates: Vec<u64> = (0..13).map(|i| 20 << i).collect();
        for &mbps in &rates {
            assert!((step(&log, mbps) - 3.0103).abs() < 1e-3, "{mbps} Mb/s: {}", step(&log, mbps));
        }
        let steps: Vec<f64> = rates.iter().map(|&mbps| step(&sqrt, mbps)).collect();
        assert!(steps[0] > 10.0 * steps[12], "the square root wastes its range on slow flows: {steps:?}");
    }

    #[test]
    fn square_root_targets_equal_the_logarithmic_one_at_both_anchors() {
        for params in [Params::sqrt_rate(), Params::sqrt_cwnd()] {
            let law = law(params);
            for gbps in [2, 200] {
                let rate = Rate::from_gbps(gbps);
                let (ours, log) = (law.target(rate).as_us_f64(), nsdi23().target(rate).as_us_f64());
                assert!((ours - log).abs() < 1e-6, "{gbps} G: {ours} and {log}");
            }
        }
    }

    /// By hand, in µs: slope of Eq. 3 is 40/ln 10⁴ = 4.343, so that the anchor at r_max/100 lies
    /// 4.343 · ln 100 = 20 above k, and scale = 20/(√100 − 1) = 2.222. With α m/p =
    /// 9.2103 · 0.25/40 = 0.057565, ln U changes by 0.057565 · 2.222/2 · √s = 0.063961 · √s per unit
    /// of ln rate, s = r_max/rate. That is 2 at s = 977.8: 204.5 Mb/s of 200 Gb/s.
    #[test]
    fn square_root_targets_are_fair_to_fast_flows_and_overshoot_with_slow_ones() {
        for params in [Params::sqrt_rate(), Params::sqrt_cwnd()] {
            let law = law(params);
            let keeps_eq2 = |a: f64, b: f64| {
                // At the base round trip the two forms are one.
                let rtt = Span::from_us(6);
                let target = |rate: f64| law.target_ps(rtt, rate * 6e-6 / (4096.0 * 8.0));
                let delay = (target(a) + target(b)) / 2.0;
                let ratio = law.unbounded_ratio(target(b), delay) / law.unbounded_ratio(target(a), delay);
                (a / b).powi(2) < ratio && ratio < 1.0
            };
            for (a, b) in [(205e6, 206e6), (205e6, 410e6), (1e9, 2e9), (1e9, 200e9), (150e9, 200e9)] {
                assert!(keeps_eq2(a, b), "{a} and {b}");
            }
            for (a, b) in [(20e6, 22e6), (20e6, 40e6), (50e6, 100e6), (100e6, 204e6), (203e6, 204e6)] {
                assert!(!keeps_eq2(a, b), "{a} and {b}");
            }
        }
    }

    /// App. C: a longer round trip raises the window at the same rate, and so lowers a target that
    /// depends on the window; one that depends on the rate stays.
    #[test]
    fn only_a_target_by_rate_is_blind_to_the_round_trip() {
        let target = |params: Params, rtt_us: f64| {
            let cwnd = 20e9 * rtt_us * 1e-6 / (4096.0 * 8.0);
            law(params).target_ps(microseconds(rtt_us), cwnd)
        };
        assert!(close(target(Params::nsdi23(), 20.0), target(Params::nsdi23(), 10.0), 1e-12));
        assert!(target(Params::sqrt_cwnd(), 20.0) < 0.9 * target(Params::sqrt_cwnd(), 10.0));
    }

    /// App. B.3: 1 µs above a target of 4 µs is 0.8; above 30 µs it is 0.968.
    #[test]
    fn the_ratio_update_fades_at_high_targets() {
        let law = law(Params::ratio());
        let update = |target: f64| law.update_ratio(microseconds(target), microseconds(target + 1.0));
        assert!(close(update(4.0), 0.8, 1e-9));
        assert!(close(update(30.0), 30.0 / 31.0, 1e-9) && (update(30.0) - 0.968).abs() < 5e-4);
        // The distance update does not: exp(−1·9.2103·0.25/40) = 0.9441 at either.
        let update = |target: f64| nsdi23().update_ratio(microseconds(target), microseconds(target + 1.0));
        assert!(close(update(4.0), 0.9441, 1e-4) && close(update(30.0), update(4.0), 1e-9));
    }

    #[test]
    fn one_wild_signal_moves_the_window_by_a_bounded_factor() {
        let law = nsdi23();
        assert_eq!(law.update_ratio(microseconds(2.0), Span::from_s(10)), 0.4);
        assert_eq!(law.update_ratio(Span::from_ms(1), Span::ZERO), 2.5);
    }
}

mod ramp {
    use super::*;

    /// Round trips until the flow reaches 95 % of 50 G, if the delay stays at T(50 G).
    fn round_trips(params: Params) -> usize {
        let law = law(params);
        let delay = law.target(Rate::from_gbps(50)).as_us_f64();
        let mut flow = flow(cwnd_at(1.0));
        (1..1000)
            .find(|&n| {
                let whole_window = ack(10 * n as u64, flow.cwnd, delay);
                law.on_ack(&mut flow, &whole_window);
                flow.cwnd >= 0.95 * cwnd_at(50.0)
            })
            .unwrap()
    }

    /// Fig. 7a: "around 15"; the bare recursion x ← x·(50/x)^0.25 from 1 gives 16.
    #[test]
    fn one_to_fifty_gigabits_takes_about_fifteen_round_trips() {
        assert_eq!(round_trips(Params { max_mi: 1e6, ..Params::nsdi23() }), 16);
        assert!((13..=18).contains(&round_trips(Params::nsdi23())));
    }

    /// A larger m is faster, as Eqs. 4 and 5 say and the text of §3.3 denies.
    #[test]
    fn larger_steps_ramp_faster() {
        let with = |m| round_trips(Params { m, max_mi: 1e6, ..Params::nsdi23() });
        assert_eq!([with(0.1), with(0.5), with(1.0)], [42, 7, 1]);
    }

    /// Fig. 7a's other line: at 1 G per round trip it takes 49 to 50. With a round trip of 100 µs,
    /// 1 G is 3.05 packets.
    #[test]
    fn additive_increase_takes_fifty_round_trips() {
        let gigabit = 10.0 * cwnd_at(1.0);
        let law = law(Params { additive_step: gigabit, max_cwnd: Some(1e4), ..Params::aimd() });
        let mut flow = flow(gigabit);
        let mut round_trips = 0;
        while flow.cwnd < 49.999 * gigabit {
            let whole_window = Ack { rtt: Span::from_us(100), ..ack(100, flow.cwnd, 1.0) };
            law.on_ack(&mut flow, &whole_window);
            round_trips += 1;
        }
        assert!((49..=50).contains(&round_trips), "{round_trips}");
    }

    /// §2.1.4: an increase of one packet doubles a window of 5 in 5 round trips, of 50 in 50.
    #[test]
    fn aimd_doubles_a_window_in_as_many_round_trips_as_it_has_packets() {
        let law = law(Params { max_cwnd: Some(1000.0), ..Params::aimd() });
        for start in [5, 50] {
            let mut flow = flow(f64::from(start));
            for rtt in 0..start {
                assert!(flow.cwnd < 2.0 * f64::from(start) - 0.5);
                let whole_window = ack(10 * rtt as u64, flow.cwnd, 0.0);
                law.on_ack(&mut flow, &whole_window);
            }
            assert!(close(flow.cwnd, 2.0 * f64::from(start), 1e-9), "{}", flow.cwnd);
        }
    }
}

mod reaction {
    use super::*;

    /// T(100 G) = 5.0 µs and T(20 G) = 12.0 µs: at 8 µs one is above and one below its target.
    #[test]
    fn slower_flow_keeps_growing_while_faster_flow_backs_off() {
        let law = nsdi23();
        let (mut fast, mut slow) = (flow(cwnd_at(100.0)), flow(cwnd_at(20.0)));
        law.on_ack(&mut fast, &ack(100, 1.0, 8.0));
        law.on_ack(&mut slow, &ack(100, 1.0, 8.0));
        assert!(fast.cwnd < cwnd_at(100.0) && slow.cwnd > cwnd_at(20.0));
        // In full: fast ·= exp((5.0103 − 8)·9.2103·0.25/40 µs) = (50.33/100)^0.25 = 0.8418,
        // since T(50.24 G) = 8 µs: ln(200/r) = 6·9.2103/40 = 1.38155, r = 50.24.
        assert!(close(fast.cwnd / cwnd_at(100.0), (50.238_f64 / 100.0).powf(0.25), 1e-4));
        // slow += (U − 1)·1 with U = (50.24/20)^0.25 = 1.2589.
        assert!(close(slow.cwnd - cwnd_at(20.0), (50.238_f64 / 20.0).powf(0.25) - 1.0, 1e-4));
    }

    #[test]
    fn acks_of_one_round_trip_multiply_the_window_by_about_the_update_ratio() {
        let law = nsdi23();
        let mut flow = flow(40.0);
        let delay = 4.0;
        let expected = 40.0 * law.ratio(law.target_ps(Span::from_us(10), 40.0), delay * 1e6);
        for _ in 0..40 {
            law.on_ack(&mut flow, &ack(100, 1.0, delay));
        }
        assert!(close(flow.cwnd, expected, 0.01), "{} and {expected}", flow.cwnd);
    }

    #[test]
    fn the_window_falls_at_most_once_per_round_trip() {
        let law = nsdi23();
        let mut flow = flow(40.0);
        law.on_ack(&mut flow, &ack(100, 1.0, 30.0));
        let once = flow.cwnd;
        assert!(once < 40.0);
        law.on_ack(&mut flow, &ack(110, 1.0, 30.0));
        assert_eq!(flow.cwnd, once, "10 µs later is not more than a round trip later");
        law.on_ack(&mut flow, &ack(111, 1.0, 30.0));
        assert!(flow.cwnd < once);
    }

    #[test]
    fn fast_recovery_takes_min_md_once_per_round_trip() {
        let law = nsdi23();
        let mut flow = flow(40.0);
        let loss = |us| Loss { now: Time::ZERO + Span::from_us(us), ..Loss::default() };
        law.on_loss(&mut flow, &loss(100));
        assert_eq!(flow.cwnd, 16.0, "40 · 0.4");
        law.on_loss(&mut flow, &loss(105));
        assert_eq!(flow.cwnd, 16.0);
        law.on_loss(&mut flow, &loss(111));
        assert!(close(flow.cwnd, 6.4, 1e-12));
    }

    #[test]
    fn the_fifth_timeout_in_a_row_resets_the_window() {
        let law = nsdi23();
        let mut flow = flow(40.0);
        let timeout = |ms| Timeout { now: Time::ZERO + Span::from_ms(ms), ..Timeout::default() };
        for n in 1..=4 {
            law.on_timeout(&mut flow, &timeout(n));
        }
        assert!(close(flow.cwnd, 40.0 * 0.4_f64.powi(4), 1e-12));
        law.on_timeout(&mut flow, &timeout(5));
        assert_eq!(flow.cwnd, 0.001);
        // New data acked: counting begins again.
        law.on_ack(&mut flow, &ack(6_000, 1.0, 0.0));
        assert_eq!(flow.retransmits, 0);
        // And fast recovery resets it too.
        law.on_timeout(&mut flow, &timeout(7));
        law.on_loss(&mut flow, &Loss { now: Time::ZERO + Span::from_ms(8), ..Loss::default() });
        assert_eq!(flow.retransmits, 0);
    }

    #[test]
    fn large_windows_are_paced_only_if_that_is_asked_for() {
        // 10 · 4096 B · 8 / 10 µs = 32.768 Gb/s.
        let always = law(Params { pace: Pace::Always, ..Params::nsdi23() }).decision(&flow(10.0));
        assert_eq!((always.window, always.pacing), (Bytes::new(40_960), Rate::from_mbps(32_768)));
        let clocked = nsdi23().decision(&flow(10.0));
        assert_eq!((clocked.window, clocked.pacing), (Bytes::new(40_960), Rate::from_gbps(200)));
    }

    #[test]
    fn below_one_packet_single_packets_are_spaced_by_the_round_trip_over_the_window() {
        let law = nsdi23();
        let decision = law.decision(&flow(0.25));
        assert_eq!(decision.window, Bytes::new(4096));
        // rtt / cwnd = 40 µs: 4096 B in 40 µs = 819.2 Mb/s.
        assert_eq!(decision.pacing, Rate::from_bps(819_200_000));
        assert_eq!(law.decision(&flow(1.0)).pacing, host().nic_rate, "from one packet on: not paced");
    }

    #[test]
    fn an_ack_without_the_signal_changes_nothing() {
        let law = nsdi23();
        let mut flow = flow(7.0);
        law.on_ack(&mut flow, &Ack { telemetry: Telemetry::None, ..ack(1, 1.0, 0.0) });
        assert_eq!(flow.cwnd, 7.0);
    }
}

mod brownfield {
    use super::*;

    /// Base 6 µs, forward maximum 3 µs, reverse 1 µs, round trip 20 µs: 20 − 6 − 3 − 1 = 10 µs are
    /// spent in hops without telemetry.
    #[test]
    fn the_signal_is_the_larger_of_stamped_and_unstamped_delay() {
        let law = law(Params::brownfield());
        let signal = |rtt: u64, forward: u64, reverse: u64| {
            let telemetry =
                Telemetry::MaxHop { forward: Span::from_us(forward), reverse: Span::from_us(reverse) };
            law.delay_signal(&flow(1.0), &Ack { rtt: Span::from_us(rtt), telemetry, ..Ack::default() })
        };
        assert_eq!(signal(20, 3, 1), Some(Span::from_us(10)));
        assert_eq!(signal(20, 11, 1), Some(Span::from_us(11)));
        assert_eq!(signal(5, 0, 0), Some(Span::ZERO), "a round trip below the base is no negative delay");
    }

    #[test]
    fn without_any_stamping_switch_it_is_the_queueing_of_the_round_trip() {
        let law = law(Params::brownfield());
        let ack = Ack { rtt: Span::from_us(20), ..Ack::default() };
        assert_eq!(law.delay_signal(&flow(1.0), &ack), Some(Span::from_us(14)));
    }

    /// A round trip of 112 µs of which the receiver took 100 µs: 112 − 100 − 6 = 6 µs of queueing.
    #[test]
    fn the_receivers_own_time_is_no_queue() {
        let ack = Ack { rtt: Span::from_us(112), endpoint_delay: Span::from_us(100), ..Ack::default() };
        for params in [Params::brownfield(), Params::no_mpd()] {
            let law = law(params);
            assert_eq!(law.delay_signal(&flow(1.0), &ack), Some(Span::from_us(6)));
            let absurd = Ack { endpoint_delay: Span::from_s(1), ..ack };
            assert_eq!(law.delay_signal(&flow(1.0), &absurd), Some(Span::ZERO));
        }
    }

    /// Nothing is queued, and acks are held for 100 µs.
    #[test]
    fn a_flow_grows_while_only_its_receiver_is_slow() {
        for params in [Params::brownfield(), Params::no_mpd()] {
            let law = law(params);
            let mut flow = flow(10.0);
            let mut cwnd = flow.cwnd;
            for round in 1..=20 {
                let ack = Ack {
                    now: Time::ZERO + Span::from_us(200 * round),
                    rtt: Span::from_us(106),
                    endpoint_delay: Span::from_us(100),
                    acked: Bytes::new(4096),
                    ..Ack::default()
                };
                law.on_ack(&mut flow, &ack);
                assert!(flow.cwnd > cwnd, "round {round}: {cwnd} to {}", flow.cwnd);
                cwnd = flow.cwnd;
            }
        }
    }

    #[test]
    fn unstamped_acks_count_their_queueing_as_the_datas() {
        let law = law(Params::brownfield());
        let telemetry = Telemetry::MaxHop { forward: Span::ZERO, reverse: Span::ZERO };
        // 8 µs of queueing, all of it on the way back, where no switch stamps.
        let ack = Ack { rtt: Span::from_us(14), telemetry, ..Ack::default() };
        assert_eq!(law.delay_signal(&flow(1.0), &ack), Some(Span::from_us(8)));
    }

    #[test]
    fn brownfield_runs_where_no_switch_stamps_and_the_full_law_does_not() {
        assert!(law(Params::brownfield()).needs().check("poseidon", Signals::RTT).is_ok());
        assert!(nsdi23().needs().check("poseidon", Signals::RTT).is_err());
    }
}

mod parameters {
    use super::*;

    #[test]
    fn the_published_set_is_the_papers() {
        let params = Params::nsdi23();
        assert_eq!((params.p, params.k, params.m), (Span::from_us(40), Span::from_us(2), 0.25));
        let law = law(params);
        assert!(close(law.max_rate, 200e9 / (4096.0 * 8.0) * 1e-12, 1e-12));
        assert!(close(law.max_slowness, 200.0 / 0.02, 1e-12));
    }

    #[test]
    fn rates_in_the_wrong_order_are_refused_with_both_values() {
        let params = Params { min_rate: Some(Rate::from_gbps(300)), ..Params::nsdi23() };
        assert_eq!(
            Poseidon::new(&params, &host()).unwrap_err().to_string(),
            "`min_rate = \"300Gbps\"` must not exceed `max_rate = \"200Gbps\"`"
        );
    }

    #[test]
    fn a_step_of_two_or_more_is_refused_by_name_value_and_bound() {
        let mut params = Params::nsdi23();
        let error = params.set("m", crate::Value::Float(2.0)).unwrap_err();
        assert_eq!(error.to_string(), "`m = 2.0` is out of bounds; it must be a number from 0.001 to 1.999");
        assert!(params.set("m", crate::Value::Float(2.5)).is_err());
        let error = params.set("p", crate::Value::Text("40Gbps")).unwrap_err();
        assert!(error.to_string().contains("an unknown unit; expected a time such as"), "{error}");
        let error = params.set("max_crwnd", crate::Value::Integer(3)).unwrap_err();
        assert_eq!(error.to_string(), "unknown key `max_crwnd`; did you mean `max_cwnd`?");
        assert_eq!(params, Params::nsdi23(), "a refused value changes nothing");
    }

    #[test]
    fn one_rate_only_is_legal_and_stands_still() {
        let rate = Some(Rate::from_gbps(1));
        let law = law(Params { min_rate: rate, max_rate: rate, ..Params::nsdi23() });
        let mut flow = flow(5.0);
        law.on_ack(&mut flow, &ack(1, 1.0, 0.0));
        law.on_ack(&mut flow, &ack(2, 1.0, 50.0));
        assert_eq!(flow.cwnd, 5.0);
    }
}
