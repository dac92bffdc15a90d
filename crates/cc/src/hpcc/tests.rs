//! Traces computed by hand. The link carries 12,500 bytes per microsecond (100 Gb/s) and T is
//! 8 µs, so that a bandwidth-delay product is 100,000 bytes.

extern crate std;
use super::*;
use crate::law::CongestionControl;
use crate::params::Parameters;
use crate::registry::AnyParams;
use crate::round::RoundEvent;
use plimsoll_units::Span;
use std::string::ToString;
use std::vec::Vec;

const LINK: Rate = Rate::from_gbps(100);

fn host() -> Host {
    Host { nic_rate: LINK, base_rtt: Span::from_us(8), mtu: Bytes::new(1_000), mss: Bytes::new(1_000) }
}

fn path() -> Path {
    Path { base_rtt: Span::from_us(8), hops: 1, seed: 1 }
}

/// The paper's parameters with W_ai = 100 B.
fn params() -> Params {
    Params { w_ai: Some(Bytes::new(100)), ..Params::sigcomm19() }
}

type HpccFlow = <Hpcc as CongestionControl>::Flow;

/// A flow over one switch. Each ack is preceded by `span` in which the port sent `sent` bytes, and
/// finds `queue` bytes there.
struct Trace {
    law: Hpcc,
    flow: HpccFlow,
    record: HopRecord,
    position: u64,
}

impl Trace {
    /// A flow whose first ack has stored the first record.
    fn new(params: Params) -> Self {
        let law = <Hpcc as Configure>::new(&params, &host()).unwrap();
        let (flow, _) = law.start(&path());
        let record = HopRecord { rate: LINK, ..HopRecord::default() };
        let mut trace = Self { law, flow, record, position: 0 };
        trace.ack(Span::ZERO, 0, 0, RoundEvent::First);
        trace
    }

    fn ack(&mut self, span: Span, sent: u64, queue: u64, round: RoundEvent) -> Decision {
        self.record.time += span;
        self.record.sent += Bytes::new(sent);
        self.record.queue = Bytes::new(queue);
        // 10,000 bytes are always in flight; a round closes once the ack passes what was next to
        // send when it opened.
        self.position += if round == RoundEvent::Closed { 20_000 } else { 0 };
        let ack = Ack {
            acked: Bytes::new(1_000),
            acked_to: Bytes::new(self.position),
            sent_to: Bytes::new(self.position + 10_000),
            telemetry: Telemetry::Hops(core::slice::from_ref(&self.record)),
            ..Ack::default()
        };
        self.law.on_ack(&mut self.flow, &ack)
    }

    /// A whole T with the link busy for `sent` bytes and `queue` bytes standing before and after.
    fn inside(&mut self, sent: u64, queue: u64) -> f64 {
        self.ack(Span::from_us(8), sent, queue, RoundEvent::Inside);
        self.flow.window()
    }

    fn closing(&mut self, sent: u64, queue: u64) -> f64 {
        self.ack(Span::from_us(8), sent, queue, RoundEvent::Closed);
        self.flow.window()
    }
}

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value}, expected {expected}");
}

#[test]
fn a_flow_starts_at_line_rate_and_its_first_ack_changes_nothing() {
    let law = <Hpcc as Configure>::new(&params(), &host()).unwrap();
    let (mut flow, first) = law.start(&path());
    assert_eq!(first.window, Bytes::new(100_000), "12,500 B/µs · 8 µs");
    assert_eq!(first.pacing, LINK);
    let crowded = HopRecord { queue: Bytes::new(1_000_000), rate: LINK, ..HopRecord::default() };
    let ack = Ack { telemetry: Telemetry::Hops(&[crowded]), ..Ack::default() };
    assert_eq!(law.on_ack(&mut flow, &ack), first);
    near(flow.memory().utilization(), 1.0);
}

#[test]
fn a_full_episode_decrease_additive_stages_one_big_step_and_timeout() {
    let mut trace = Trace::new(params());

    // Congestion. A full link, and 90,000 B at the port before and after: 1 + 0.9 = 1.9 = 2 η.
    // The first of these acks still compares with an empty queue: u = 1, U = 1, and
    // W = 100,000 · 0.95 / 1 + 100 = 95,100.
    near(trace.inside(100_000, 90_000), 95_100.0);
    // Then W = 100,000 / 2 + 100, and again: the reference has not moved.
    near(trace.inside(100_000, 90_000), 50_100.0);
    near(trace.inside(100_000, 90_000), 50_100.0);
    near(trace.flow.reference(), 100_000.0);
    // The round closes: the reference is 50,100 from now on, and the next ack halves that.
    near(trace.closing(100_000, 90_000), 50_100.0);
    near(trace.flow.reference(), 50_100.0);
    near(trace.inside(100_000, 90_000), 25_150.0);
    near(trace.closing(100_000, 90_000), 25_150.0);

    // Recovery. Half the target load, no queue: u = 0.475. Five rounds of + 100 …
    for round in 1..=5_u32 {
        let expected = 25_150.0 + 100.0 * f64::from(round);
        near(trace.inside(47_500, 0), expected);
        assert_eq!(trace.flow.memory().stage(), round - 1, "stages count rounds, not acks");
        near(trace.closing(47_500, 0), expected);
        assert_eq!(trace.flow.memory().stage(), round);
    }
    // … then the free half is taken at once: 25,650 · 0.95 / 0.475 + 100 = 51,400.
    near(trace.closing(47_500, 0), 51_400.0);
    assert_eq!(trace.flow.memory().stage(), 0);
    near(trace.closing(47_500, 0), 51_500.0);
    // Pace = W / T = 51,500 B / 8 µs = 51.5 Gb/s.
    assert_eq!(trace.law.decision(&trace.flow).pacing, Rate::from_mbps(51_500));

    // Losses and timeouts leave it alone, as in a lossless fabric.
    let before = trace.law.decision(&trace.flow);
    assert_eq!(trace.law.on_loss(&mut trace.flow, &Loss::default()), before);
    assert_eq!(trace.law.on_timeout(&mut trace.flow, &Timeout::default()), before);
}

#[test]
fn a_timeout_can_restart_from_one_packet() {
    let mut trace = Trace::new(Params { timeout: OnTimeout::Restart, ..params() });
    trace.closing(47_500, 0);
    let decision = trace.law.on_timeout(&mut trace.flow, &Timeout::default());
    assert_eq!(decision.window, Bytes::new(1_000));
    assert_eq!(decision.pacing, Rate::from_gbps(1), "1,000 B per 8 µs");
    near(trace.flow.reference(), 1_000.0);
    near(trace.flow.memory().utilization(), 1.0);
    // The next ack's records are the first again; after it, a free path: + 100.
    near(trace.inside(0, 0), 1_000.0);
    near(trace.inside(47_500, 0), 1_100.0);
}

#[test]
fn utilization_is_smoothed_by_the_share_of_t_that_passed() {
    let mut trace = Trace::new(params());
    // 2 µs of 8 with a link half busy (12,500 of 25,000 B): 0.75 · 1 + 0.25 · 0.5 = 0.875.
    trace.ack(Span::from_us(2), 12_500, 0, RoundEvent::Inside);
    near(trace.flow.memory().utilization(), 0.875);
    // 4 µs with 0.25: ½ · 0.875 + ½ · 0.25 = 0.5625.
    trace.ack(Span::from_us(4), 12_500, 0, RoundEvent::Inside);
    near(trace.flow.memory().utilization(), 0.5625);
    // A pause longer than T counts as T: the old value is gone. 16 µs at 0.5.
    trace.ack(Span::from_us(16), 100_000, 0, RoundEvent::Inside);
    near(trace.flow.memory().utilization(), 0.5);
}

#[test]
fn a_queue_counts_only_if_it_stood_at_both_acks() {
    let mut trace = Trace::new(params());
    trace.inside(50_000, 80_000);
    near(trace.flow.memory().utilization(), 0.5);
    // min(20,000, 80,000) / 100,000 = 0.2.
    trace.inside(50_000, 20_000);
    near(trace.flow.memory().utilization(), 0.7);
    trace.inside(50_000, 80_000);
    near(trace.flow.memory().utilization(), 0.7);
}

#[test]
fn the_most_loaded_hop_counts_whatever_its_rate() {
    let law = <Hpcc as Configure>::new(&params(), &host()).unwrap();
    let (mut flow, _) = law.start(&path());
    let at = |time: Span, sent: [u64; 2]| {
        [(sent[0], 400), (sent[1], 100)].map(|(sent, gbps)| HopRecord {
            time: Time::ZERO + time,
            sent: Bytes::new(sent),
            queue: Bytes::ZERO,
            rate: Rate::from_gbps(gbps),
        })
    };
    // Over 8 µs the 400 Gb/s link sends 200,000 of 400,000 B, the other 80,000 of 100,000.
    for records in [at(Span::ZERO, [0, 0]), at(Span::from_us(8), [200_000, 80_000])] {
        law.on_ack(&mut flow, &Ack { telemetry: Telemetry::Hops(&records), ..Ack::default() });
    }
    near(flow.memory().utilization(), 0.8);
}

#[test]
fn records_of_another_path_are_stored_and_change_nothing() {
    let mut trace = Trace::new(params());
    near(trace.inside(100_000, 90_000), 95_100.0);
    let records = [trace.record; 3];
    let ack = Ack { telemetry: Telemetry::Hops(&records), ..Ack::default() };
    trace.law.on_ack(&mut trace.flow, &ack);
    near(trace.flow.window(), 95_100.0);
    assert_eq!(trace.flow.memory().hops, 3);
}

#[test]
fn acks_without_records_change_nothing() {
    let mut trace = Trace::new(params());
    near(trace.inside(100_000, 90_000), 95_100.0);
    for telemetry in [Telemetry::None, Telemetry::Hops(&[])] {
        trace.law.on_ack(&mut trace.flow, &Ack { telemetry, ..Ack::default() });
        near(trace.flow.window(), 95_100.0);
        near(trace.flow.memory().utilization(), 1.0);
    }
}

#[test]
fn two_records_of_one_instant_and_a_link_without_rate_say_nothing() {
    let mut trace = Trace::new(params());
    trace.ack(Span::ZERO, 1_000_000, 1_000_000, RoundEvent::Inside);
    near(trace.flow.memory().utilization(), 1.0);
    trace.record.rate = Rate::ZERO;
    trace.inside(100_000, 90_000);
    near(trace.flow.memory().utilization(), 1.0);
}

#[test]
fn windows_stay_between_the_smallest_rate_and_line_rate() {
    let mut trace = Trace::new(Params { min_rate: Some(Rate::from_gbps(1)), ..params() });
    // Ten thousand products of queue for many rounds: 1 Gb/s · 8 µs = 1,000 B remains.
    for _ in 0..50 {
        trace.closing(100_000, 1_000_000_000);
    }
    near(trace.flow.window(), 1_000.0);
    // Almost no load: up to C · T and no further.
    for _ in 0..50 {
        trace.closing(1, 0);
    }
    near(trace.flow.window(), 100_000.0);
}

#[test]
fn max_stage_zero_always_divides() {
    let mut trace = Trace::new(Params { max_stage: 0, start_window: Some(Bytes::new(10_000)), ..params() });
    near(trace.closing(47_500, 0), 20_100.0);
    near(trace.closing(47_500, 0), 40_300.0);
}

#[test]
fn pacing_below_one_packet_only() {
    let params = Params {
        pacing: Pacing::BelowOnePacket,
        start_window: Some(Bytes::new(1_000)),
        min_rate: Some(Rate::from_mbps(100)),
        ..params()
    };
    let mut trace = Trace::new(params);
    let decision = trace.law.decision(&trace.flow);
    assert_eq!((decision.window, decision.pacing), (Bytes::new(1_000), LINK));
    // 1,000 / 2 + 100 = 600 B: a packet of 1,000 B every 8 µs / 0.6, which is 0.6 Gb/s.
    trace.inside(100_000, 90_000);
    let decision = trace.ack(Span::from_us(8), 100_000, 90_000, RoundEvent::Inside);
    assert_eq!((decision.window, decision.pacing), (Bytes::new(1_000), Rate::from_mbps(600)));
}

#[test]
fn a_disregarded_decrease_leaves_window_and_reference_and_stage() {
    // At half of C·T half of the commits are disregarded; acks inside a round never are.
    let params =
        Params { decrease: Decrease::Probabilistic, start_window: Some(Bytes::new(50_000)), ..params() };
    let law = <Hpcc as Configure>::new(&params, &host()).unwrap();
    let mut heeded = 0_u32;
    for seed in 0..2_000 {
        let mut trace = Trace::new(params);
        trace.flow = law.start(&Path { seed, ..path() }).0;
        trace.ack(Span::ZERO, 0, 90_000, RoundEvent::First);
        near(trace.inside(100_000, 90_000), 25_100.0);
        near(trace.closing(100_000, 180_000), 25_100.0);
        let reference = trace.flow.reference();
        if reference < 50_000.0 {
            near(reference, 25_100.0);
            heeded += 1;
        }
    }
    // 2,000 flips of ½: 1,000 ± 22.
    assert!((900..1_100).contains(&heeded), "{heeded}");
}

#[test]
fn increases_need_no_luck() {
    let params =
        Params { decrease: Decrease::Probabilistic, start_window: Some(Bytes::new(1_000)), ..params() };
    let mut trace = Trace::new(params);
    for round in 1..=5 {
        near(trace.closing(47_500, 0), 1_000.0 + 100.0 * f64::from(round));
    }
}

#[test]
fn the_artifacts_rates_and_our_windows_are_the_same_numbers() {
    // The artifact's arithmetic, in rates, on the same feedback.
    let mut trace = Trace::new(Params::artifact());
    let (mut current, mut stage, mut smoothed) = (100e9_f64, 0, 1.0_f64);
    let feedback =
        [(2, 25_000, 60_000), (5, 60_000, 30_000), (9, 40_000, 500), (3, 20_000, 0), (8, 9_000, 0)];
    let mut last_queue = 0;
    for (microseconds, sent, queue) in feedback.into_iter().cycle().take(60) {
        let elapsed = microseconds as f64 * 1e-6;
        let utilization =
            sent as f64 * 8.0 / elapsed / 100e9 + queue.min(last_queue) as f64 * 100e9 / 100e9 / 100_000.0;
        let weight = elapsed.min(8e-6);
        smoothed = (smoothed * (8e-6 - weight) + utilization * weight) / 8e-6;
        let load = smoothed / 0.95;
        let rate;
        (rate, stage) =
            if load >= 1.0 || stage >= 5 { (current / load + 50e6, 0) } else { (current + 50e6, stage + 1) };
        current = rate.clamp(1e9, 100e9);
        last_queue = queue;
        trace.ack(Span::from_us(microseconds), sent, queue, RoundEvent::Closed);
        near(trace.flow.window(), 100_000.0 * current / 100e9);
    }
}

#[test]
fn presets_are_the_published_numbers() {
    let of = |params: Params| Reaction::new(&params, &host()).unwrap();
    near(of(Params::sigcomm19()).additive_increase, 80.0);
    near(of(Params::artifact()).additive_increase, 50.0);
    near(of(Params::artifact()).min_window, 1_000.0);
    near(of(Params::powertcp_nsdi22()).min_window, 100.0);
    near(of(Params::vai_sf_1gbps()).additive_increase, 1_000.0);
    // 100,000 · 0.05 / 100.
    near(of(Params::poseidon_nsdi23()).additive_increase, 50.0);
    for preset in Params::PRESETS {
        let params = (preset.make)();
        assert_eq!((params.eta, params.max_stage), (0.95, 5), "{}", preset.name);
        assert!(params.check().is_ok(), "{}", preset.name);
    }
    // The paper's 80 B is its formula at 100 Gb/s and 13 µs, rounded: 162,500 · 0.05 / 100 = 81.25.
    let wide = Host { base_rtt: Span::from_us(13), ..host() };
    near(Reaction::new(&Params::poseidon_nsdi23(), &wide).unwrap().additive_increase, 81.25);
}

#[test]
fn contradicting_parameters_are_refused_by_name() {
    let mut params = AnyParams::named("hpcc:artifact").unwrap();
    params.set("w_ai", crate::Value::Text("80B")).unwrap();
    let error = params.build(&host()).unwrap_err().to_string();
    assert_eq!(error, "`w_ai = \"80B\"` cannot be given together with `r_ai = \"50Mbps\"`");

    let params = Params { min_rate: Some(Rate::from_gbps(200)), ..Params::sigcomm19() };
    let error = Reaction::new(&params, &host()).unwrap_err().to_string();
    assert_eq!(error, "`min_rate = \"200Gbps\"` must not exceed `nic_rate = \"100Gbps\"`");
}

#[test]
fn absurd_records_leave_everything_finite() {
    let extremes = [0, 1, u64::MAX / 2, u64::MAX];
    let mut records = Vec::new();
    for time in extremes {
        for sent in extremes {
            for queue in extremes {
                for rate in [0, 1, 100_000_000_000, u64::MAX] {
                    records.push(HopRecord {
                        time: Time::from_ps(time),
                        sent: Bytes::new(sent),
                        queue: Bytes::new(queue),
                        rate: Rate::from_bps(rate),
                    });
                }
            }
        }
    }
    let law = <Hpcc as Configure>::new(&params(), &host()).unwrap();
    let (mut flow, _) = law.start(&path());
    // Strides that are coprime to the number of records visit all pairs of some distance.
    for stride in [1, 3, 7, 101] {
        for index in 0..records.len() {
            let first = (index * stride) % records.len();
            let hops = &records[first..records.len().min(first + 1 + index % 12)];
            let position = Bytes::new(index as u64 * 1_000);
            let ack = Ack {
                acked_to: position,
                sent_to: position,
                telemetry: Telemetry::Hops(hops),
                ..Ack::default()
            };
            law.on_ack(&mut flow, &ack);
            assert!(flow.window().is_finite() && flow.window() >= 1.0, "{flow:?}");
            assert!(flow.memory().utilization().is_finite() && flow.memory().utilization() >= 0.0);
        }
    }
}

#[test]
fn a_flow_fits_in_five_cache_lines() {
    assert!(size_of::<HpccFlow>() <= 5 * 64, "{}", size_of::<HpccFlow>());
}

#[test]
fn with_one_update_per_round_only_acks_that_close_one_are_heard() {
    let mut trace = Trace::new(Params { updates: Updates::EveryRound, ..params() });
    // Two T and nothing sent in the first: u = 100,000/200,000 + 0.5, for half a product stands from the second record
    // on that counts. The first one that does has no queue before it: u = 0.5 and U = 0.5, additive increase.
    assert_eq!(trace.inside(0, 50_000), 100_000.0);
    assert_eq!(trace.closing(100_000, 50_000), 100_000.0, "100 B more than the bound");
    assert_eq!((trace.flow.memory().utilization(), trace.flow.memory().stage()), (0.5, 1));
    // The same again: u = 0.5 + 50,000/100,000 = 1; W = 100,000 · 0.95 + 100.
    assert_eq!(trace.inside(0, 0), 100_000.0);
    assert!((trace.closing(100_000, 50_000) - 95_100.0).abs() < 1e-6, "{}", trace.flow.window());
}
