//! The structure by itself, with a law small enough to see through: congestion (a round trip above
//! 10 µs) halves, and every window contains the additive increases.

use super::*;
use crate::event::Host;
use crate::fast_convergence::FastConvergence;
use crate::sf::SamplingFrequency;
use crate::vai::VariableIncrease;
use plimsoll_units::{Bytes, Rate, Span};

#[derive(Clone, Debug)]
struct Halving {
    start: f64,
    stubborn: bool,
}

const HOST: Host = Host {
    nic_rate: Rate::from_gbps(100),
    base_rtt: Span::from_us(8),
    mtu: Bytes::new(1),
    mss: Bytes::new(1),
};

impl ReferenceLaw for Halving {
    /// Whether the last ack told of congestion, and how often the reference moved.
    type Memory = (bool, u32);

    fn needs(&self) -> Signals {
        Signals::RTT
    }

    fn begin(&self, _: &Path) -> (Self::Memory, f64) {
        ((false, 0), self.start)
    }

    fn observe(&self, memory: &mut Self::Memory, ack: &Ack<'_>, _: f64) -> Option<Congestion> {
        if ack.rtt == Span::ZERO {
            return None;
        }
        memory.0 = ack.rtt > Span::from_us(10);
        Some(Congestion { level: ack.rtt.as_us_f64(), baseline: 0.0, congested: memory.0 })
    }

    fn candidate(&self, memory: &Self::Memory, reference: f64, increases: f64) -> f64 {
        if memory.0 { reference / 2.0 + increases - 1.0 } else { reference + increases }
    }

    fn committed(&self, memory: &mut Self::Memory) {
        memory.1 += 1;
    }

    fn heeds_decrease(&self, _: &mut Self::Memory, _: f64) -> bool {
        !self.stubborn
    }

    fn after_loss(&self, _: &mut Self::Memory, reference: f64, _: &Loss) -> Option<f64> {
        Some(reference / 4.0)
    }

    fn after_timeout(&self, _: &mut Self::Memory, _: f64, _: &Timeout) -> Option<f64> {
        None
    }

    fn decision(&self, _: &Self::Memory, window: f64) -> Decision {
        Decision::unpaced(&HOST, window)
    }
}

const PATH: Path = Path { base_rtt: Span::from_us(8), hops: 1, seed: 1 };
const CONGESTED: Span = Span::from_us(20);
const CALM: Span = Span::from_us(8);

/// An ack in round trip number `round`, counted from 0.
fn ack(round: u64, rtt: Span) -> Ack<'static> {
    Ack { rtt, acked_to: Bytes::new(1 + 10 * round), sent_to: Bytes::new(10 + 10 * round), ..Ack::default() }
}

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value}, expected {expected}");
}

#[test]
fn every_ack_moves_the_window_and_only_a_closed_round_the_reference() {
    let law = OnReference::new(Halving { start: 400.0, stubborn: false }, PerRound);
    let (mut flow, first) = law.start(&PATH);
    assert_eq!(first.window, Bytes::new(400));
    for _ in 0..3 {
        law.on_ack(&mut flow, &ack(0, CONGESTED));
        near(flow.window(), 200.0);
        near(flow.reference(), 400.0);
    }
    // Congestion that passes within the round leaves no trace.
    law.on_ack(&mut flow, &ack(0, CALM));
    near(flow.window(), 401.0);
    law.on_ack(&mut flow, &ack(1, CONGESTED));
    near(flow.reference(), 200.0);
    law.on_ack(&mut flow, &ack(1, CONGESTED));
    near(flow.window(), 100.0);
    near(flow.reference(), 200.0);
    assert_eq!(flow.memory().1, 1, "the law is told of each commit");
}

#[test]
fn a_decrease_that_the_law_does_not_heed_changes_nothing_until_the_next_round() {
    let law = OnReference::new(Halving { start: 400.0, stubborn: true }, PerRound);
    let (mut flow, _) = law.start(&PATH);
    law.on_ack(&mut flow, &ack(0, CALM));
    law.on_ack(&mut flow, &ack(1, CONGESTED));
    near(flow.window(), 401.0);
    near(flow.reference(), 400.0);
    assert_eq!(flow.memory().1, 0);
    // Increases are always heeded.
    law.on_ack(&mut flow, &ack(2, CALM));
    near(flow.reference(), 401.0);
}

#[test]
fn acks_without_a_signal_close_rounds_and_move_nothing() {
    let law = OnReference::new(Halving { start: 400.0, stubborn: false }, PerRound);
    let (mut flow, _) = law.start(&PATH);
    law.on_ack(&mut flow, &ack(0, CONGESTED));
    law.on_ack(&mut flow, &ack(1, Span::ZERO));
    near(flow.window(), 200.0);
    near(flow.reference(), 400.0);
    law.on_ack(&mut flow, &ack(1, CONGESTED));
    near(flow.reference(), 400.0);
}

#[test]
fn the_laws_answer_to_a_loss_sets_window_and_reference_and_no_answer_leaves_them() {
    let law = OnReference::new(Halving { start: 400.0, stubborn: false }, PerRound);
    let (mut flow, _) = law.start(&PATH);
    assert_eq!(law.on_loss(&mut flow, &Loss::default()).window, Bytes::new(100));
    near(flow.reference(), 100.0);
    assert_eq!(law.on_timeout(&mut flow, &Timeout::default()).window, Bytes::new(100));
}

#[test]
fn a_new_flow_at_line_rate_keeps_twice_the_share_and_sampling_takes_it_back() {
    // Section IV of vai-sf: B/2, B/2 and a new B halve to B/4, B/4 and B/2, once per round trip.
    let halved = [200.0, 200.0, 400.0].map(|start| {
        let law = OnReference::new(Halving { start, stubborn: false }, PerRound);
        let (mut flow, _) = law.start(&PATH);
        law.on_ack(&mut flow, &ack(0, CONGESTED));
        law.on_ack(&mut flow, &ack(1, CONGESTED));
        flow.reference()
    });
    for (reference, expected) in halved.into_iter().zip([100.0, 100.0, 200.0]) {
        near(reference, expected);
    }
    // By acks, of which the flow at B gets twice as many: B/4 for all after one round trip.
    let mechanism = FastConvergence { increase: None, sampling: Some(SamplingFrequency { acks: 200 }) };
    let sampled = [200.0, 200.0, 400.0].map(|start| {
        let law = OnReference::new(Halving { start, stubborn: false }, mechanism);
        let (mut flow, _) = law.start(&PATH);
        for _ in 0..start as u32 {
            law.on_ack(&mut flow, &ack(0, CONGESTED));
        }
        flow.reference()
    });
    for reference in sampled {
        near(reference, 100.0);
    }
}

#[test]
fn variable_increases_serve_any_law_with_a_reference() {
    let increase = VariableIncrease {
        token_threshold: 10.0,
        token_size: 2.0,
        bank_cap: 8.0,
        ai_cap: 5.0,
        dampener_constant: 2.0,
    };
    let law = OnReference::new(
        Halving { start: 400.0, stubborn: false },
        FastConvergence { increase: Some(increase), sampling: None },
    );
    let (mut flow, _) = law.start(&PATH);
    law.on_ack(&mut flow, &ack(0, CONGESTED));
    // The round ends: 20/2 tokens, 8 of them kept; dampener 20/10 = 2, divisor 2/2 + 1 = 2:
    // 400/2 + 5/2 − 1, and 5 tokens are paid.
    law.on_ack(&mut flow, &ack(1, CONGESTED));
    near(flow.reference(), 201.5);
    near(flow.mechanism().tokens().bank(), 3.0);
    // A calm round: + 3/2, the last 3 paid; then + 1 as ever.
    law.on_ack(&mut flow, &ack(2, CALM));
    near(flow.reference(), 203.0);
    near(flow.mechanism().tokens().bank(), 0.0);
    law.on_ack(&mut flow, &ack(3, CALM));
    near(flow.reference(), 204.0);
    near(flow.mechanism().tokens().dampener(), 0.0);
}
