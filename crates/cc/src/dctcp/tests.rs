//! Traces by hand. MSS 1000 B.

use super::*;
use plimsoll_units::Span;

fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_ns(4_160),
        mtu: Bytes::new(1_048),
        mss: Bytes::new(1_000),
    }
}

fn begin(params: Params) -> (Dctcp, Flow) {
    let law = Dctcp::new(&params, &host()).unwrap();
    let (flow, _) = law.start(&Path { base_rtt: Span::from_ns(4_160), hops: 1, seed: 0 });
    (law, flow)
}

/// The ack of one packet.
fn ack(acked_to: u64, sent_to: u64) -> Ack<'static> {
    Ack {
        acked: Bytes::new(1_000),
        acked_to: Bytes::new(acked_to),
        sent_to: Bytes::new(sent_to),
        in_flight: Bytes::new(sent_to - acked_to),
        ..Ack::default()
    }
}

fn echo(acked_to: u64, sent_to: u64) -> Ack<'static> {
    Ack { ece: true, marked: Bytes::new(1_000), ..ack(acked_to, sent_to) }
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value} is not {expected}");
}

fn cwnd(flow: &Flow) -> f64 {
    match flow.control {
        FlowControl::Window { window, .. } => window.cwnd,
        FlowControl::Rate(_) => panic!("a window is expected"),
    }
}

#[test]
fn an_episode_of_marks_loss_and_timeout_goes_as_rfc_8257_says() {
    let (law, mut flow) = begin(Params::rfc8257());
    assert_eq!((flow.alpha(), cwnd(&flow)), (1.0, 10_000.0));

    // The first ack closes the first window, unmarked: α = 15/16. Slow start adds a packet.
    law.on_ack(&mut flow, &ack(1_000, 11_000));
    close(flow.alpha(), 0.9375);
    close(cwnd(&flow), 11_000.0);

    // The window now ends at 11,000. The first mark cuts by α/2 at once: 11,000 · (1 − 0.46875).
    law.on_ack(&mut flow, &echo(2_000, 12_000));
    close(cwnd(&flow), 5_843.75);
    // A second mark in the window changes nothing; unmarked acks grow by 1000²/cwnd.
    law.on_ack(&mut flow, &echo(3_000, 12_000));
    close(cwnd(&flow), 5_843.75);
    law.on_ack(&mut flow, &ack(4_000, 12_000));
    let grown = 5_843.75 + 1e6 / 5_843.75;
    close(cwnd(&flow), grown);

    // 12,000 > 11,000 closes the window: 4 acks were counted, 2 of them marked.
    // α = 15/16 · 0.9375 + 1/16 · 2/4 = 0.87890625 + 0.03125.
    law.on_ack(&mut flow, &ack(12_000, 16_000));
    close(flow.alpha(), 0.910_156_25);
    grown_to(&flow, grown);
    // The cut window ended at 12,000, so an echo beyond it cuts again, with the new α.
    let before = cwnd(&flow);
    law.on_ack(&mut flow, &echo(13_000, 16_000));
    close(cwnd(&flow), before * (1.0 - 0.910_156_25 / 2.0));

    // A loss in the same window halves: conventional TCP, whatever α is (§3.5).
    let window = cwnd(&flow);
    let loss = Loss { in_flight: Bytes::new(4_500), sent_to: Bytes::new(17_000), ..Loss::default() };
    law.on_loss(&mut flow, &loss);
    close(cwnd(&flow), (window.min(4_500.0) * 0.5).max(2_000.0));
    // A timeout leaves one packet.
    let timeout = Timeout { in_flight: Bytes::new(4_000), sent_to: Bytes::new(17_000), ..Timeout::default() };
    assert_eq!(law.on_timeout(&mut flow, &timeout).window, Bytes::new(1_000));
}

/// One more step of avoidance than `before`.
fn grown_to(flow: &Flow, before: f64) {
    close(cwnd(flow), before + 1e6 / before);
}

#[test]
fn alpha_converges_to_the_fraction_of_marks() {
    let (law, mut flow) = begin(Params::rfc8257());
    // Every fourth packet is marked, 16 packets per window: F = 1/4 in each.
    let mut acked_to = 0;
    for packet in 0..3_200_u64 {
        acked_to += 1_000;
        let next = if packet % 4 == 0 {
            echo(acked_to, acked_to + 16_000)
        } else {
            ack(acked_to, acked_to + 16_000)
        };
        law.on_ack(&mut flow, &next);
    }
    // 3200 packets in windows of 17 (the ack beyond the end closes) are 188 windows: the start has
    // decayed by (15/16)^188 = 5e-6; windows of 17 packets hold 4 or 5 marks.
    assert!((flow.alpha() - 0.25).abs() < 0.01, "{}", flow.alpha());
}

#[test]
fn an_echo_without_marked_bytes_counts_all_that_the_ack_covers() {
    let (law, mut flow) = begin(Params { initial_alpha: 0.0, ..Params::rfc8257() });
    law.on_ack(&mut flow, &ack(1_000, 3_000));
    // A switch on the way back set the echo: 1 of 3 acks.
    law.on_ack(&mut flow, &Ack { ece: true, ..ack(2_000, 4_000) });
    law.on_ack(&mut flow, &ack(3_000, 5_000));
    law.on_ack(&mut flow, &ack(4_000, 6_000));
    close(flow.alpha(), 1.0 / 16.0 / 3.0);
    // An ack of four packets of which one was marked counts one.
    let (law, mut flow) = begin(Params { initial_alpha: 0.0, ..Params::rfc8257() });
    let four = Ack { acked: Bytes::new(4_000), marked: Bytes::new(1_000), ece: true, ..ack(4_000, 9_000) };
    law.on_ack(&mut flow, &four);
    close(flow.alpha(), 1.0 / 16.0 / 4.0);
}

#[test]
fn linux_keeps_alpha_in_1024ths_and_lets_it_reach_zero() {
    let (law, mut flow) = begin(Params::linux());
    // 1024 − ⌊1024/16⌋ + ⌊64 · 1/3⌋ = 1024 − 64 + 21 = 981
    assert_eq!(law.estimator.update(1.0, 1.0 / 3.0), 981.0 / 1024.0);
    // 15 ≫ 4 = 0, so all 15 go.
    assert_eq!(law.estimator.update(15.0 / 1024.0, 0.0), 0.0);
    assert_eq!(law.estimator.update(16.0 / 1024.0, 0.0), 15.0 / 1024.0);
    // Between the cut and the end of the window nothing grows; two packets are the floor.
    law.on_ack(&mut flow, &echo(1_000, 10_000));
    let cut = cwnd(&flow);
    law.on_ack(&mut flow, &ack(2_000, 10_000));
    law.on_ack(&mut flow, &ack(10_000, 14_000));
    close(cwnd(&flow), cut);
    for position in [20_000, 40_000, 60_000, 80_000, 100_000, 120_000] {
        law.on_ack(&mut flow, &echo(position, position + 10_000));
    }
    assert_eq!(cwnd(&flow), 2_000.0);
}

#[test]
fn the_largest_stable_gain_is_equation_15() {
    // 52 packets of bandwidth-delay product: 1.386 / √(2 · 52 · 8/7) = 1.386 / 10.9023
    let (law, _) = begin(Params::sigcomm10_eq15());
    assert!((law.estimator.gain - 0.127_129).abs() < 1e-5, "{}", law.estimator.gain);
    assert_eq!(Params::sigcomm10().gain, Some(0.0625));
}

fn rate(flow: &Flow, law: &Dctcp) -> u64 {
    law.decision(flow).pacing.as_bps()
}

#[test]
fn the_rate_form_starts_at_line_rate_with_a_full_window() {
    let (law, flow) = begin(Params::hpcc_sim());
    let decision = law.decision(&flow);
    assert_eq!(decision.window, Bytes::new(52_000), "100 Gb/s · 4,160 ns");
    assert_eq!(decision.pacing, Rate::from_gbps(100));
}

#[test]
fn the_rate_form_goes_through_a_round_as_hpccs_simulator_does() {
    let (law, mut flow) = begin(Params::hpcc_sim());
    // First ack: opens a round that ends at 52,000 and expects 52,000 / 1000 + 1 = 53 acks.
    law.on_ack(&mut flow, &ack(1_000, 52_000));
    assert_eq!(rate(&flow, &law), 100_000_000_000, "an increase at line rate is none");
    // 2nd ack, marked: α is still 1, so the rate halves, and the window with it. The cut holds
    // until an ack beyond 53,000.
    let decision = law.on_ack(&mut flow, &echo(2_000, 53_000));
    assert_eq!(decision.pacing.as_bps(), 50_000_000_000);
    assert_eq!(decision.window, Bytes::new(26_000));
    // 26 more marked acks within the cut.
    for packet in 3..=28 {
        law.on_ack(&mut flow, &echo(packet * 1_000, 53_000));
    }
    assert_eq!(rate(&flow, &law), 50_000_000_000);
    // The ack of 53,000 is beyond 52,000 and closes the round: 27 marks of 53 expected.
    // α = 15/16 + 27/53/16 = 0.969339623. The cut's end, 53,000, is not passed: no increase.
    law.on_ack(&mut flow, &ack(53_000, 70_000));
    close(flow.alpha(), 0.9375 + 27.0 / 53.0 / 16.0);
    assert_eq!(rate(&flow, &law), 50_000_000_000);
    // Beyond the cut, inside the round: neither.
    law.on_ack(&mut flow, &ack(54_000, 71_000));
    assert_eq!(rate(&flow, &law), 50_000_000_000);
    // 71,000 > 70,000 closes an unmarked round: α ·= 15/16 and the rate rises by 615 Mb/s.
    let alpha = flow.alpha();
    law.on_ack(&mut flow, &ack(71_000, 97_000));
    close(flow.alpha(), alpha * 0.9375);
    assert_eq!(rate(&flow, &law), 50_615_000_000);
    // window = ⌊52,000 · 0.50615⌋ = ⌊26,319.8⌋
    assert_eq!(law.decision(&flow).window, Bytes::new(26_319));
    // A marked ack that closes a round: α first, then the cut with the new α.
    // The round from 71,000 to 97,000 expects 26 + 1 acks; this mark is its only one.
    let alpha = flow.alpha() * 0.9375 + 1.0 / 27.0 / 16.0;
    law.on_ack(&mut flow, &echo(98_000, 120_000));
    close(flow.alpha(), alpha);
    assert_eq!(rate(&flow, &law), (50_615_000_000.0 * (1.0 - alpha / 2.0)) as u64);
}

#[test]
fn the_rate_form_stays_between_its_floor_and_line_rate() {
    let (law, mut flow) = begin(Params::hpcc_sim());
    for round in 1..100 {
        law.on_ack(&mut flow, &echo(round * 10_000, round * 10_000 + 5_000));
    }
    assert_eq!(rate(&flow, &law), 1_000_000_000);
    for round in 100..400 {
        law.on_ack(&mut flow, &ack(round * 10_000, round * 10_000 + 5_000));
    }
    assert_eq!(rate(&flow, &law), 100_000_000_000);
    // A loss or a timeout is not for the rate form.
    law.on_loss(&mut flow, &Loss::default());
    law.on_timeout(&mut flow, &Timeout::default());
    assert_eq!(rate(&flow, &law), 100_000_000_000);
}

#[test]
fn a_floor_above_the_line_rate_is_refused() {
    let params = Params { min_rate: Rate::from_gbps(200), ..Params::hpcc_sim() };
    let error = Dctcp::new(&params, &host()).unwrap_err();
    assert_eq!(error.key(), "min_rate");
}

#[test]
fn absurd_events_keep_alpha_and_window_finite() {
    for params in [Params::rfc8257(), Params::linux(), Params::sigcomm10_eq15(), Params::hpcc_sim()] {
        let (law, mut flow) = begin(params);
        let huge = Ack {
            acked: Bytes::MAX,
            marked: Bytes::MAX,
            ece: true,
            acked_to: Bytes::MAX,
            sent_to: Bytes::MAX,
            in_flight: Bytes::MAX,
            ..Ack::default()
        };
        for _ in 0..50 {
            law.on_ack(&mut flow, &Ack::default());
            law.on_ack(&mut flow, &Ack { ece: true, ..Ack::default() });
            law.on_ack(&mut flow, &huge);
            law.on_loss(&mut flow, &Loss { in_flight: Bytes::MAX, ..Loss::default() });
            assert!((0.0..=1.0).contains(&flow.alpha()), "{}", flow.alpha());
            assert!(law.decision(&flow).window >= Bytes::new(1_000));
        }
    }
}
