//! The RFC's closed forms, and traces by hand. MSS 1000 B.

use super::*;
use plimsoll_units::{Rate, Span};

const MSS: u64 = 1_000;

fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(10),
        base_rtt: Span::from_ms(100),
        mtu: Bytes::new(1_048),
        mss: Bytes::new(MSS),
    }
}

/// A flow with a round trip that never changes; every ack finds the window full.
struct Run {
    law: Cubic,
    flow: Flow,
    rtt: Span,
    now: Time,
    acked_to: u64,
}

impl Run {
    fn new(params: Params, rtt: Span) -> Self {
        let law = Cubic::new(&params, &host()).unwrap();
        let (flow, _) = law.start(&Path { base_rtt: rtt, hops: 1, seed: 0 });
        Self { law, flow, rtt, now: Time::ZERO + rtt, acked_to: 0 }
    }

    fn window(&self) -> u64 {
        (self.flow.cwnd * MSS as f64) as u64
    }

    fn sent_to(&self) -> u64 {
        self.acked_to + self.window()
    }

    fn ack(&mut self, ece: bool) -> Decision {
        self.acked_to += MSS;
        let ack = Ack {
            now: self.now,
            rtt: self.rtt,
            acked: Bytes::new(MSS),
            acked_to: Bytes::new(self.acked_to),
            sent_to: Bytes::new(self.sent_to()),
            in_flight: Bytes::new(self.window()),
            ece,
            ..Ack::default()
        };
        self.law.on_ack(&mut self.flow, &ack)
    }

    /// One round trip, its acks spread evenly.
    fn round(&mut self) {
        let packets = self.flow.cwnd as u64;
        for _ in 0..packets {
            self.now += self.rtt / packets;
            self.ack(false);
        }
    }

    fn lose(&mut self) -> Decision {
        let loss =
            Loss { now: self.now, in_flight: Bytes::new(self.window()), sent_to: Bytes::new(self.sent_to()) };
        self.law.on_loss(&mut self.flow, &loss)
    }

    /// Acks all that the last loss was about; the next ack is outside recovery.
    fn recover(&mut self) {
        self.acked_to += 1_000_000;
        self.ack(false);
    }
}

/// A run that has lost a packet at a window of 100 packets.
fn after_loss_at_100(rtt: Span) -> Run {
    let mut run = Run::new(Params { initial_window: 100.0, ..Params::rfc9438() }, rtt);
    run.lose();
    run.recover();
    run
}

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn presets_are_the_rfcs_and_linuxs_numbers() {
    let rfc = Params::rfc9438();
    assert_eq!((rfc.c, rfc.beta, rfc.fast_convergence), (0.4, 0.7, true));
    let linux = Params::linux();
    close(linux.beta, 0.700_195, 1e-6);
    close(linux.c, 0.400_391, 1e-6);
    // α = 3 · 0.3 / 1.7
    close(Cubic::new(&rfc, &host()).unwrap().alpha, 0.529_411_764_7, 1e-9);
}

#[test]
fn after_a_loss_the_window_follows_the_cubic_curve() {
    let mut run = after_loss_at_100(Span::from_ms(200));
    assert_eq!((run.flow.cwnd, run.flow.w_max), (70.0, 100.0), "β · 100; W_max = 100");
    let began = run.now;
    run.ack(false);
    // K = ∛((100 − 70) / 0.4) = ∛75 = 4.2172 s
    close(run.flow.k, 4.217_163, 1e-6);
    // W_est is 70 + 0.53 · 40 = 91 after 8 s, below the curve from the first round trip on.
    for _ in 0..40 {
        run.round();
        let t = (run.now - began).as_secs_f64();
        let closed_form = 0.4 * (t - 4.217_163).powi(3) + 100.0;
        // cwnd approaches W(t + RTT) within a round trip, so at t it is at W(t), less the part of
        // the last step that integer windows leave out.
        close(run.flow.cwnd, closed_form, 0.01 * closed_form);
    }
    // t = 8 s: 0.4 · 3.783³ + 100 = 121.7.
    assert!(run.flow.cwnd > 115.0, "beyond W_max it grows again: {}", run.flow.cwnd);
}

#[test]
fn with_short_round_trips_it_grows_as_fast_as_reno() {
    let mut run = after_loss_at_100(Span::from_ms(1));
    for _ in 0..20 {
        run.round();
    }
    // 20 round trips of α = 0.5294 packets: 70 + 10.6; the curve stays at 70.1 after 20 ms.
    close(run.flow.cwnd, 80.6, 0.3);
    for _ in 0..40 {
        run.round();
    }
    // 30 / 0.5294 = 57 round trips to cwnd_prior = 100; then one packet per round trip.
    let at_prior = run.flow.cwnd;
    close(at_prior, 102.0, 2.0);
    for _ in 0..10 {
        run.round();
    }
    close(run.flow.cwnd - at_prior, 10.0, 0.3);
}

#[test]
fn congestion_before_the_last_maximum_makes_room() {
    let mut run = after_loss_at_100(Span::from_ms(100));
    run.lose();
    // cwnd 70 < W_max 100: W_max = 70 · 1.7 / 2 = 59.5; cwnd = 49.
    close(run.flow.w_max, 59.5, 1e-9);
    close(run.flow.cwnd, 49.0, 1e-9);
    let mut alone = Run::new(Params { initial_window: 100.0, ..Params::lone_flow() }, Span::from_ms(100));
    alone.lose();
    alone.recover();
    alone.lose();
    close(alone.flow.w_max, 70.0, 1e-9);
}

#[test]
fn an_echo_reduces_once_per_window_down_to_one_packet() {
    let mut run = Run::new(Params::rfc9438(), Span::from_ms(10));
    run.ack(true);
    close(run.flow.cwnd, 7.0, 1e-9);
    run.ack(true);
    close(run.flow.cwnd, 7.0, 1e-9);
    for _ in 0..20 {
        run.acked_to += 100_000;
        run.ack(true);
    }
    assert_eq!(run.flow.cwnd, 1.0, "the floor of an echo");
    assert_eq!(run.flow.ssthresh, 2.0, "the floor of the threshold");
    run.acked_to += 100_000;
    run.ack(false);
    assert_eq!(run.flow.cwnd, 2.0, "below the threshold an unmarked ack adds a packet");
    run.lose();
    assert_eq!(run.flow.cwnd, 2.0, "the floor of a loss");
}

#[test]
fn a_timeout_starts_over_and_avoidance_then_begins_on_a_plateau() {
    let mut run = after_loss_at_100(Span::from_ms(100));
    let timeout =
        Timeout { now: run.now, in_flight: Bytes::new(20 * MSS), sent_to: Bytes::new(run.sent_to()) };
    let decision = run.law.on_timeout(&mut run.flow, &timeout);
    assert_eq!(decision.window, Bytes::new(MSS));
    close(run.flow.ssthresh, 14.0, 1e-9); // 0.7 · 20
    run.law.on_timeout(&mut run.flow, &Timeout { in_flight: Bytes::new(MSS), ..timeout });
    close(run.flow.ssthresh, 14.0, 1e-9); // again for the same packet
    for _ in 0..13 {
        run.ack(false);
    }
    close(run.flow.cwnd, 14.0, 1e-9); // slow start: one packet per ack
    run.ack(false);
    assert_eq!((run.flow.k, run.flow.w_max), (0.0, 14.0), "K = 0, W_max = cwnd (RFC 9438 §4.8)");
    // W_est = 14 + 0.529/14 > W(0) = 14: the Reno-friendly window.
    close(run.flow.cwnd, 14.037_815, 1e-6);
}

#[test]
fn growth_stays_below_slow_starts_however_long_ago_the_loss_was() {
    let mut run = after_loss_at_100(Span::from_ms(100));
    run.ack(false);
    let before = run.flow.cwnd;
    run.now += Span::from_s(1_000);
    run.ack(false);
    // target = 1.5 · cwnd: one ack adds half a packet.
    close(run.flow.cwnd - before, 0.5, 1e-9);
}

#[test]
fn time_that_the_application_leaves_unused_is_not_on_the_curve() {
    let mut run = after_loss_at_100(Span::from_ms(100));
    run.ack(false);
    let Stage::Since(began) = run.flow.stage else { panic!("avoidance has begun") };
    let before = run.flow.cwnd;
    // A thousand seconds later the ack of a lone packet.
    run.now += Span::from_s(1_000);
    run.acked_to += MSS;
    let lone = Ack {
        now: run.now,
        rtt: run.rtt,
        acked: Bytes::new(MSS),
        acked_to: Bytes::new(run.acked_to),
        ..Ack::default()
    };
    run.law.on_ack(&mut run.flow, &lone);
    assert_eq!(run.flow.cwnd, before, "no growth");
    assert_eq!(run.flow.stage, Stage::Since(began + Span::from_s(1_000)), "and no time passed");
    run.now += Span::from_ms(100);
    run.ack(false);
    // t = 0.1 s: W(0.2) − 70 = 0.4 · (0.2 − 4.2172)³ + 30 = 4.07; a 70th of it per ack.
    close(run.flow.cwnd - before, 4.07 / 70.0, 0.003);
}

#[test]
fn the_smoothed_round_trip_takes_an_eighth_of_each_sample() {
    let mut run = Run::new(Params::rfc9438(), Span::from_ms(100));
    run.ack(false);
    close(run.flow.rtt, 0.1, 1e-12);
    run.rtt = Span::from_ms(180);
    run.ack(false);
    close(run.flow.rtt, 0.11, 1e-12);
}

#[test]
fn absurd_events_keep_the_window_finite() {
    let mut run = Run::new(Params { c: 1e9, ..Params::rfc9438() }, Span::ZERO);
    let huge = Ack {
        now: Time::NEVER,
        rtt: Span::MAX,
        acked: Bytes::MAX,
        acked_to: Bytes::MAX,
        sent_to: Bytes::MAX,
        in_flight: Bytes::MAX,
        ..Ack::default()
    };
    for _ in 0..50 {
        run.law.on_ack(&mut run.flow, &Ack::default());
        run.law.on_ack(&mut run.flow, &huge);
        run.law.on_loss(&mut run.flow, &Loss { in_flight: Bytes::MAX, ..Loss::default() });
        run.law.on_ack(&mut run.flow, &Ack { ece: true, ..huge });
        run.law.on_timeout(&mut run.flow, &Timeout::default());
        assert!(run.flow.cwnd.is_finite() && run.flow.cwnd >= 1.0);
        assert!(run.flow.w_est.is_finite() && run.flow.w_max.is_finite() && run.flow.k.is_finite());
    }
}
