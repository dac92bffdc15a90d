//! Traces computed by hand over HPCC and Swift; 100 Gb/s, T = 8 µs, hence 100,000 bytes or 100
//! packets of 1,000 bytes per bandwidth-delay product.

extern crate std;
use super::*;
use crate::coin::Coin;
use crate::event::{Ack, HopRecord, Loss, Path, Telemetry, Timeout};
use crate::law::{CongestionControl, Decision};
use crate::params::{Parameters, Value};
use crate::reference::PerRound;
use RoundEvent::{Closed, First, Inside};
use plimsoll_units::{Rate, Time};
use std::collections::BTreeSet;
use std::string::ToString;

fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(8),
        mtu: Bytes::new(1_000),
        mss: Bytes::new(1_000),
    }
}

const PATH: Path = Path { base_rtt: Span::from_us(8), hops: 1, seed: 1 };

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value}, expected {expected}");
}

/// HPCC with W_ai = 100 B and this mechanism.
fn hpcc_with(mechanism: QueueParams) -> HpccVaiSf {
    let law = hpcc::Params { r_ai: None, w_ai: Some(Bytes::new(100)), ..hpcc::Params::sigcomm19() };
    <HpccVaiSf as Configure>::new(&HpccParams { law, mechanism }, &host()).unwrap()
}

/// A flow's acks: each comes 8 µs after the last, in which a full link sent 100,000 bytes.
struct Acks {
    record: HopRecord,
    position: u64,
}

impl Acks {
    fn new(queue: u64) -> Self {
        let record = HopRecord { queue: Bytes::new(queue), rate: host().nic_rate, ..HopRecord::default() };
        Self { record, position: 0 }
    }

    fn next<L: CongestionControl>(
        &mut self,
        law: &L,
        flow: &mut L::Flow,
        queue: u64,
        round: RoundEvent,
    ) -> Decision {
        self.record.time += Span::from_us(8);
        self.record.sent += Bytes::new(100_000);
        self.record.queue = Bytes::new(queue);
        self.position += if round == RoundEvent::Closed { 20_000 } else { 0 };
        let ack = Ack {
            acked: Bytes::new(1_000),
            acked_to: Bytes::new(self.position),
            sent_to: Bytes::new(self.position + 10_000),
            telemetry: Telemetry::Hops(core::slice::from_ref(&self.record)),
            ..Ack::default()
        };
        law.on_ack(flow, &ack)
    }
}

#[test]
fn sf_commits_decreases_every_thirty_acks_inside_one_round_trip() {
    // A queue of 90,000 B: U = 1.9 = 2 η, so W = reference / 2 + 100.
    let law = hpcc_with(QueueParams::sf_only());
    let (mut flow, _) = law.start(&PATH);
    let mut acks = Acks::new(90_000);
    acks.next(&law, &mut flow, 90_000, First);
    for reference in [100_000.0, 50_100.0, 25_150.0] {
        near(flow.reference(), reference);
        for _ in 0..30 {
            acks.next(&law, &mut flow, 90_000, Inside);
            near(flow.window(), reference / 2.0 + 100.0);
        }
    }
    near(flow.reference(), 12_675.0);
}

#[test]
fn sf_leaves_increases_to_the_end_of_the_round_trip() {
    let law = hpcc_with(QueueParams::sf_only());
    let (mut flow, _) = law.start(&PATH);
    let mut acks = Acks::new(90_000);
    acks.next(&law, &mut flow, 90_000, First);
    for _ in 0..30 {
        acks.next(&law, &mut flow, 90_000, Inside);
    }
    // Now 16 µs pass between acks, in which the port could have sent 200,000 B: U = 0.5.
    for _ in 0..100 {
        acks.record.time += Span::from_us(8);
        acks.next(&law, &mut flow, 0, Inside);
    }
    near(flow.memory().utilization(), 0.5);
    near(flow.reference(), 50_100.0);
    near(flow.window(), 50_200.0);
    acks.record.time += Span::from_us(8);
    acks.next(&law, &mut flow, 0, Closed);
    near(flow.reference(), 50_200.0);
}

#[test]
fn vai_adds_the_surges_tokens_and_pays_when_the_reference_moves() {
    let law = hpcc_with(QueueParams::vai_only());
    let (mut flow, _) = law.start(&PATH);
    let mut acks = Acks::new(120_000);
    acks.next(&law, &mut flow, 120_000, First);
    // U = 1 + 1.2. Inside the round there are no tokens yet: 100,000 · 0.95/2.2 + 100.
    let decreased = 100_000.0 * 0.95 / 2.2;
    acks.next(&law, &mut flow, 120_000, Inside);
    near(flow.window(), decreased + 100.0);
    // It ends: 120 tokens, dampener 2.4; 100/1.3 increases of 100 B are in the new reference and
    // cost 100 tokens.
    acks.next(&law, &mut flow, 120_000, Closed);
    let reference = decreased + 100.0 * (100.0 / 1.3);
    near(flow.reference(), reference);
    near(flow.mechanism().tokens().bank(), 20.0);
    near(flow.mechanism().tokens().dampener(), 2.4);
    // Acks inside the next round show the remaining 20 and pay nothing.
    for _ in 0..5 {
        acks.next(&law, &mut flow, 120_000, Inside);
        near(flow.window(), reference * 0.95 / 2.2 + 100.0 * (20.0 / 1.3));
        near(flow.mechanism().tokens().bank(), 20.0);
    }
    near(flow.reference(), reference);
}

#[test]
fn with_sf_tokens_are_paid_every_sampling_period() {
    let law = hpcc_with(QueueParams::vai_sf());
    let (mut flow, _) = law.start(&PATH);
    let mut acks = Acks::new(450_000);
    acks.next(&law, &mut flow, 450_000, First);
    acks.next(&law, &mut flow, 450_000, Inside);
    // 450 tokens at the end of the round; the second ack of the sample, so nothing is paid.
    acks.next(&law, &mut flow, 450_000, Closed);
    near(flow.mechanism().tokens().bank(), 450.0);
    for paid in 1..=4_u32 {
        for _ in 0..30 {
            acks.next(&law, &mut flow, 450_000, Inside);
        }
        near(flow.mechanism().tokens().bank(), 450.0 - 100.0 * f64::from(paid));
    }
}

#[test]
fn with_both_switched_off_it_is_hpcc_itself() {
    let off = QueueParams { variable_increase: false, sampling: false, ..QueueParams::vai_sf() };
    let law = hpcc::Params::vai_sf();
    let plain = <hpcc::Hpcc as Configure>::new(&law, &host()).unwrap();
    let wrapped = <HpccVaiSf as Configure>::new(&HpccParams { law, mechanism: off }, &host()).unwrap();
    let ((mut a, first_a), (mut b, first_b)) = (plain.start(&PATH), wrapped.start(&PATH));
    assert_eq!(first_a, first_b);
    let mut coin = Coin::new(3);
    let (mut acks_a, mut acks_b) = (Acks::new(0), Acks::new(0));
    let mut windows = BTreeSet::new();
    for _ in 0..2_000 {
        let queue = (coin.unit() * coin.unit() * 150_000.0) as u64;
        let round = if coin.unit() < 0.1 { Closed } else { Inside };
        let decision = acks_a.next(&plain, &mut a, queue, round);
        assert_eq!(decision, acks_b.next(&wrapped, &mut b, queue, round));
        windows.insert(decision.window);
    }
    assert!(windows.len() > 100, "the trace moves the window");
}

/// Swift with a flat target of 20 µs, hardly any increase, and this mechanism.
fn swift_with(mechanism: DelayParams) -> SwiftVaiSf {
    let law = swift::Params {
        base_target: Span::from_us(20),
        hop_scale: Span::ZERO,
        ai: Some(1e-9),
        ai_rate: None,
        ..unscaled_swift()
    };
    <SwiftVaiSf as Configure>::new(&SwiftParams { law, mechanism }, &host()).unwrap()
}

fn delay(microseconds: u64) -> Ack<'static> {
    Ack { rtt: Span::from_us(microseconds), acked: Bytes::new(1_000), ..Ack::default() }
}

#[test]
fn swift_halves_from_the_reference_not_from_itself() {
    // §V-B: R becomes R/2 and stays there until the reference is R/2; then R/4. 60 µs against 20
    // is beyond the largest decrease, one half.
    let law = swift_with(DelayParams::sf_only());
    let (mut flow, _) = law.start(&PATH);
    for window in [50.0, 25.0, 12.5] {
        for _ in 0..30 {
            law.on_ack(&mut flow, &delay(60));
            assert!((flow.window() - window).abs() < 1e-6, "{}", flow.window());
        }
    }
}

#[test]
fn swift_makes_tokens_of_the_delay_above_its_target() {
    let law = swift_with(DelayParams::vai_sf());
    let (mut flow, _) = law.start(&PATH);
    let at = |acked_to, sent_to, microseconds| Ack {
        acked_to: Bytes::new(acked_to),
        sent_to: Bytes::new(sent_to),
        ..delay(microseconds)
    };
    law.on_ack(&mut flow, &at(1_000, 2_000, 25));
    law.on_ack(&mut flow, &at(2_000, 3_000, 26));
    // 25, 26 and 23 µs: 6 µs above the target make 6,000/30 tokens; the dampener is 26/24.
    law.on_ack(&mut flow, &at(3_000, 4_000, 23));
    near(flow.mechanism().tokens().bank(), 200.0);
    near(flow.mechanism().tokens().dampener(), 26.0 / 24.0);
}

#[test]
fn losses_and_timeouts_reach_the_law() {
    let law = swift_with(DelayParams::vai_sf());
    let (mut flow, _) = law.start(&PATH);
    law.on_ack(&mut flow, &delay(10));
    let after = law.on_loss(&mut flow, &Loss { now: Time::ZERO + Span::from_us(50), ..Loss::default() });
    near(flow.reference(), 50.0);
    assert_eq!(after.window, Bytes::new(50_000));
    for index in 1..=5 {
        let now = Time::ZERO + Span::from_ms(index);
        law.on_timeout(&mut flow, &Timeout { now, ..Timeout::default() });
    }
    near(flow.window(), 0.001);
    near(flow.reference(), 0.001);
}

#[test]
fn presets_are_the_published_numbers() {
    let queue = QueueParams::vai_sf();
    assert_eq!((queue.token_threshold, queue.token_size), (Some(Bytes::from_kb(50)), Bytes::from_kb(1)));
    let delay = DelayParams::vai_sf();
    assert_eq!((delay.token_threshold, delay.token_size), (Some(Span::from_us(4)), Span::from_ns(30)));
    assert_eq!((queue.bank_cap, queue.ai_cap, queue.dampener_constant), (1_000.0, 100.0, 8.0));
    assert_eq!((delay.bank_cap, delay.ai_cap, delay.dampener_constant), (1_000.0, 100.0, 8.0));
    assert_eq!((queue.sampling_acks, delay.sampling_acks), (30, 30));

    let names = |presets: &[crate::params::Preset<HpccParams>]| presets.iter().map(|p| p.name).collect();
    let names: std::vec::Vec<_> = names(HpccParams::PRESETS);
    assert_eq!(names, ["vai-sf", "vai-only", "sf-only"]);
    let swift = (SwiftParams::PRESETS[0].make)();
    assert_eq!(swift.law.fs_range, Span::ZERO, "no flow scaling");
    let built = |index: usize| {
        let preset = &HpccParams::PRESETS[index];
        (preset.make)().mechanism.build(Bytes::as_f64, Bytes::new(1))
    };
    assert!(built(0).increase.is_some() && built(0).sampling.is_some());
    assert!(built(1).increase.is_some() && built(1).sampling.is_none());
    assert!(built(2).increase.is_none() && built(2).sampling.is_some());
}

#[test]
fn an_automatic_threshold_is_one_bandwidth_delay_product() {
    // The paper's star: 100 Gb/s and 4.16 µs, 52,000 B.
    let host = Host { base_rtt: Span::from_ns(4_160), ..host() };
    let mut params = (HpccParams::PRESETS[0].make)();
    params.set("token_threshold", Value::Text("auto")).unwrap();
    let law = <HpccVaiSf as Configure>::new(&params, &host).unwrap();
    let mechanism = params.mechanism.build(Bytes::as_f64, host.bdp());
    near(mechanism.increase.unwrap().token_threshold, 52_000.0);
    assert_eq!(law, OnReference::new(hpcc::Reaction::new(&params.law, &host).unwrap(), mechanism));
}

#[test]
fn one_table_sets_the_law_and_the_mechanism() {
    let mut params = (SwiftParams::PRESETS[0].make)();
    params.set("base_target", Value::Text("9us")).unwrap();
    params.set("sampling_acks", Value::Integer(10)).unwrap();
    assert_eq!((params.law.base_target, params.mechanism.sampling_acks), (Span::from_us(9), 10));

    let error = params.set("token_threshold", Value::Text("50kB")).unwrap_err().to_string();
    assert!(error.starts_with("`token_threshold = \"50kB\"` is"), "{error}");
    let error = params.set("sampling_ack", Value::Integer(1)).unwrap_err().to_string();
    assert_eq!(error, "unknown key `sampling_ack`; did you mean `sampling_acks`?");
    let error = params.set("bse_target", Value::Integer(1)).unwrap_err().to_string();
    assert_eq!(error, "unknown key `bse_target`; did you mean `base_target`?");

    params.mechanism.sampling_acks = 0;
    assert_eq!(params.check().unwrap_err().key(), "sampling_acks");
}

#[test]
fn no_key_belongs_to_both_parts() {
    for fields in [HpccParams::FIELDS, SwiftParams::FIELDS, PowerTcpParams::FIELDS] {
        let keys: BTreeSet<_> = fields.iter().map(|field| field.key).collect();
        assert_eq!(keys.len(), fields.len());
    }
    assert_eq!(HpccParams::FIELDS.len(), hpcc::Params::FIELDS.len() + QueueParams::FIELDS.len());
    assert_eq!(HpccParams::FIELDS[0].key, "eta");
    assert_eq!(HpccParams::FIELDS[HpccParams::FIELDS.len() - 1].key, "sampling_acks");
}

#[test]
fn swift_in_its_reference_form_also_runs_without_either() {
    let law = OnReference::new(swift::Reaction::new(&unscaled_swift(), &host()).unwrap(), PerRound);
    let (mut flow, _) = law.start(&PATH);
    // Delay 2 µs below the target of 5: 100 packets + 0.05, and the reference waits for the round.
    law.on_ack(&mut flow, &delay(3));
    near(flow.window(), 100.05);
    near(flow.reference(), 100.0);
}

#[test]
fn a_surge_gives_powertcp_more_beta_and_thirty_acks_let_it_commit() {
    // C·τ = 100,000 B, β = 1,000 B, γ 0.9, η 1; a full link and a queue of one product: power 2.
    let law = powertcp::Params {
        beta: Some(Bytes::new(1_000)),
        beta_rate: None,
        eta: 1.0,
        ..powertcp::Params::artifact_rdma()
    };
    let params = PowerTcpParams { law, mechanism: QueueParams::vai_sf() };
    let law = <PowerTcpVaiSf as Configure>::new(&params, &host()).unwrap();
    let (mut flow, _) = law.start(&PATH);
    let mut acks = Acks::new(0);
    acks.next(&law, &mut flow, 100_000, First);
    // 0.9 (100,000/2 + 1,000) + 0.1 · 100,000 = 55,900, as without the mechanisms.
    acks.next(&law, &mut flow, 100_000, Inside);
    near(flow.window(), 55_900.0);
    near(flow.reference(), 100_000.0);
    // The round ends: 100 tokens of 100 kB, dampener 100/50 = 2: 100/(2/8 + 1) = 80 increases.
    // 0.9 (50,000 + 80,000) + 10,000 = 127,000, which the artifact's bound cuts to one product.
    acks.next(&law, &mut flow, 100_000, Closed);
    near(flow.mechanism().tokens().dampener(), 2.0);
    near(flow.window(), 100_000.0);
    // That was no decrease, so it was committed with the round and cost the bank's 100 tokens; one
    // increase is left, and the thirtieth ack commits the decrease.
    for _ in 0..29 {
        acks.next(&law, &mut flow, 100_000, Inside);
    }
    near(flow.reference(), 100_000.0);
    acks.next(&law, &mut flow, 100_000, Inside);
    near(flow.reference(), 55_900.0);
}

#[test]
fn powertcp_without_either_is_its_committed_form() {
    let off = QueueParams { variable_increase: false, sampling: false, ..QueueParams::vai_sf() };
    let params = PowerTcpParams { law: powertcp::Params::artifact_rdma(), mechanism: off };
    let wrapped = <PowerTcpVaiSf as Configure>::new(&params, &host()).unwrap();
    let plain = powertcp::PowerTcp::new(&params.law, &host()).unwrap();
    let (mut one, mut other) = (wrapped.start(&PATH).0, plain.start(&PATH).0);
    let (mut acks, mut again) = (Acks::new(0), Acks::new(0));
    for step in 0..500_u64 {
        let (queue, round) = (997 * step % 150_000, if step % 7 == 6 { Closed } else { Inside });
        let decisions =
            (acks.next(&wrapped, &mut one, queue, round), again.next(&plain, &mut other, queue, round));
        assert_eq!(decisions.0, decisions.1, "step {step}");
    }
    assert!(one.window() < 100_000.0, "it did react: {}", one.window());
}
