extern crate std;

use super::*;
use crate::params::Parameters;
use plimsoll_units::{Span, Time};
use std::string::ToString;
use std::vec::Vec;

/// 100 Gb/s and 20 µs: a bandwidth-delay product of 250,000 bytes, as in the paper's Fig. 3.
fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(20),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

fn law(params: &Params) -> PowerTcp {
    params.check().unwrap();
    PowerTcp::new(params, &host()).unwrap()
}

fn start(law: &PowerTcp) -> Flow {
    law.start(&Path { base_rtt: host().base_rtt, hops: 1, seed: 1 }).0
}

fn record(gbps: u64, microseconds: u64, sent: u64, queue: u64) -> HopRecord {
    HopRecord {
        time: Time::ZERO + Span::from_us(microseconds),
        sent: Bytes::new(sent),
        queue: Bytes::new(queue),
        rate: Rate::from_gbps(gbps),
    }
}

/// An ack inside the round that the first ack opened.
fn inside(hops: &[HopRecord]) -> Ack<'_> {
    Ack {
        acked: Bytes::new(1000),
        acked_to: Bytes::new(1000),
        sent_to: Bytes::new(250_000),
        telemetry: Telemetry::Hops(hops),
        ..Ack::default()
    }
}

/// An ack beyond everything sent so far.
fn closing(hops: &[HopRecord]) -> Ack<'_> {
    Ack { acked_to: Bytes::new(1_000_000), sent_to: Bytes::new(2_000_000), ..inside(hops) }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

#[test]
fn a_steady_full_link_without_queue_has_power_one() {
    let law = law(&Params::nsdi22());
    // 100 Gb/s move 12,500 bytes in a microsecond.
    let power = law.normalised_power(&record(100, 0, 0, 0), &record(100, 1, 12_500, 0)).unwrap();
    assert!(near(power, 1.0), "{power}");
    // A standing queue of a tenth of the product adds a tenth of voltage.
    let power = law.normalised_power(&record(100, 0, 0, 25_000), &record(100, 1, 12_500, 25_000)).unwrap();
    assert!(near(power, 1.1), "{power}");
}

#[test]
fn an_empty_link_has_power_below_one() {
    let law = law(&Params::nsdi22());
    let power = |sent| law.normalised_power(&record(100, 0, 0, 0), &record(100, 1, sent, 0)).unwrap();
    assert!(near(power(0), 0.0));
    assert!(near(power(6_250), 0.5), "half of 12,500 bytes");
}

#[test]
fn growth_of_the_queue_counts_as_current() {
    let law = law(&Params::nsdi22());
    // 12,500 sent and 12,500 more queued: λ = 2 B. v = (12,500 + 250,000) / 250,000 = 1.05.
    let growing = law.normalised_power(&record(100, 0, 0, 0), &record(100, 1, 12_500, 12_500)).unwrap();
    assert!(near(growing, 2.1), "{growing}");
    // Drains as fast as it sends: nothing arrives, whatever is still queued.
    let draining = law.normalised_power(&record(100, 0, 0, 25_000), &record(100, 1, 12_500, 12_500)).unwrap();
    assert!(near(draining, 0.0), "{draining}");
    // Records that suggest negative arrivals (lost in the queue) are not negative power.
    let lossy = law.normalised_power(&record(100, 0, 0, 90_000), &record(100, 1, 12_500, 0)).unwrap();
    assert!(near(lossy, 0.0), "{lossy}");
}

#[test]
fn the_busiest_hop_is_chosen_by_normalised_power() {
    // In one τ: a 400 Gb/s link half used (500,000 of 1,000,000 bytes): Γ = 0.5, although its
    // absolute power 200 G · 400 G · τ is a hundred times that of a full 25 Gb/s link
    // (62,500 bytes) with 12,500 bytes queued: Γ = 1 + 12,500 / 62,500 = 1.2.
    let law = law(&Params::nsdi22());
    for fast_first in [true, false] {
        let order = |a: HopRecord, b: HopRecord| if fast_first { [a, b] } else { [b, a] };
        let before = order(record(400, 0, 0, 0), record(25, 0, 0, 12_500));
        let after = order(record(400, 20, 500_000, 0), record(25, 20, 62_500, 12_500));
        let mut flow = start(&law);
        law.on_ack(&mut flow, &inside(&before));
        law.on_ack(&mut flow, &inside(&after));
        assert!(near(flow.power(), 1.2), "{}", flow.power());
    }
}

#[test]
fn power_is_smoothed_over_the_base_round_trip() {
    let law = law(&Params::nsdi22());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 0)]));
    // 5 µs of 20: 62,500 sent; Γ = 1 + 250,000/250,000 times λ = (62,500 + 250,000)/62,500 = 5:
    // Γ = 10, Γ_s = 1 · 0.75 + 10 · 0.25 = 3.25.
    law.on_ack(&mut flow, &inside(&[record(100, 5, 62_500, 250_000)]));
    assert!(near(flow.power(), 3.25), "{}", flow.power());
    // 100 µs are more than τ: all of the new measurement, Γ = 2 with the queue standing.
    law.on_ack(&mut flow, &inside(&[record(100, 105, 1_312_500, 250_000)]));
    assert!(near(flow.power(), 2.0), "{}", flow.power());
}

#[test]
fn one_episode_by_hand() {
    // β = 250,000 / 10 = 25,000.
    let law = law(&Params::nsdi22());
    let mut flow = start(&law);
    let first = law.decision(&flow);
    assert_eq!((first.window, first.pacing), (Bytes::new(250_000), Rate::from_gbps(100)), "line rate");
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 50_000)]));
    assert!(near(flow.window(), 250_000.0), "the first ack only stores telemetry");

    // Congestion: a standing queue of 50,000: Γ = 1.2.
    // W = 0.9 (250,000/1.2 + 25,000) + 0.1 · 250,000 = 0.9 · 233,333.3 + 25,000 = 235,000.
    let decision = law.on_ack(&mut flow, &inside(&[record(100, 20, 250_000, 50_000)]));
    assert!(near(flow.window(), 235_000.0), "{}", flow.window());
    assert_eq!(decision.window, Bytes::new(235_000));
    assert_eq!(decision.pacing, Rate::from_gbps(94), "235,000 bytes in 20 µs");
    // Same power again, same W_old: 0.9 · 233,333.3 + 0.1 · 235,000 = 233,500. The round closes.
    law.on_ack(&mut flow, &closing(&[record(100, 40, 500_000, 50_000)]));
    assert!(near(flow.window(), 233_500.0), "{}", flow.window());

    // Recovery: the queue is gone and 80 % of the link used: Γ = 0.8.
    // W = 0.9 (233,500/0.8 + 25,000) + 23,350 = 0.9 · 316,875 + 23,350 = 308,537.5,
    // more than 250,000 + 25,000.
    law.on_ack(&mut flow, &inside(&[record(100, 60, 500_000 + 150_000, 0)]));
    assert!(near(flow.power(), (150_000.0 - 50_000.0) / 250_000.0), "drained bytes did not arrive");
    law.on_ack(&mut flow, &inside(&[record(100, 80, 850_000, 0)]));
    assert!(near(flow.power(), 0.8));
    assert!(near(flow.window(), 275_000.0), "{}", flow.window());

    // Loss and timeout: the telemetry alone decides.
    let before = flow.window();
    law.on_loss(&mut flow, &Loss::default());
    law.on_timeout(&mut flow, &Timeout::default());
    assert!(near(flow.window(), before));
}

#[test]
fn the_committed_reference_recomputes_every_ack_from_the_round_s_window() {
    let law = law(&Params { reference: Reference::Committed, ..Params::nsdi22() });
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 50_000)]));
    law.on_ack(&mut flow, &inside(&[record(100, 20, 250_000, 50_000)]));
    assert!(near(flow.window(), 235_000.0));
    law.on_ack(&mut flow, &closing(&[record(100, 40, 500_000, 50_000)]));
    assert!(near(flow.window(), 235_000.0), "same power, same window: {}", flow.window());
    // Committed: 0.9 (235,000/1.2 + 25,000) + 23,500 = 176,250 + 22,500 + 23,500 = 222,250.
    law.on_ack(&mut flow, &inside(&[record(100, 60, 750_000, 50_000)]));
    assert!(near(flow.window(), 222_250.0), "{}", flow.window());
}

#[test]
fn under_a_mechanism_that_commits_once_per_round_it_is_the_committed_form() {
    use crate::reference::{OnReference, PerRound};
    let path = Path { base_rtt: host().base_rtt, hops: 1, seed: 1 };
    let law = law(&Params::artifact_rdma());
    let form = CommittedForm(law.clone());
    let wrapped = OnReference::new(form.clone(), PerRound);
    let (mut flow, mut under) = (start(&law), wrapped.start(&path).0);
    for step in 0..2_000_u64 {
        let queue = 100_000 + 997 * step % 60_000;
        let hops = [record(100, step, 12_000 * step, queue)];
        let ack = Ack {
            acked_to: Bytes::new(12_000 * step),
            sent_to: Bytes::new(12_000 * step + 250_000),
            ..inside(&hops)
        };
        assert_eq!(law.on_ack(&mut flow, &ack), wrapped.on_ack(&mut under, &ack), "step {step}");
    }
    assert!(flow.window() < 200_000.0, "it did react: {}", flow.window());

    let (mut memory, _) = form.begin(&path);
    let before = [record(100, 0, 0, 50_000), record(100, 0, 0, 0)];
    let after = [record(100, 20, 250_000, 50_000), record(100, 20, 0, 0)];
    assert_eq!(form.observe(&mut memory, &inside(&before), 0.0), None);
    let congestion = form.observe(&mut memory, &inside(&after), 0.0).unwrap();
    assert_eq!(congestion, Congestion { level: 50_000.0, baseline: 0.0, congested: true });
}

#[test]
fn the_artifact_aims_five_percent_low_and_never_believes_less_than_half_the_rate() {
    // β = 150 Mb/s · 20 µs / 8 = 375 bytes.
    let law = law(&Params::artifact_rdma());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 250_000)]));
    // Γ = 2: W = 0.9 (250,000 · 0.95/2 + 375) + 25,000 = 106,875 + 337.5 + 25,000 = 132,212.5.
    law.on_ack(&mut flow, &closing(&[record(100, 20, 250_000, 250_000)]));
    assert!(near(flow.window(), 132_212.5), "{}", flow.window());
    // The queue drains and nothing arrives: λ = 0.5 B, Γ = 0.5, so W would be
    // 0.9 (132,212.5 · 0.95/0.5 + 375) + 13,221.25 = 239,642.125.
    law.on_ack(&mut flow, &inside(&[record(100, 40, 500_000, 0)]));
    assert!(near(flow.window(), 239_642.125), "{}", flow.window());
    // No more than the card's rate.
    flow.round.restart(Bytes::ZERO);
    law.on_ack(&mut flow, &closing(&[record(100, 60, 500_000, 0)]));
    law.on_ack(&mut flow, &inside(&[record(100, 80, 500_000, 0)]));
    assert!(near(flow.window(), 250_000.0), "{}", flow.window());
}

#[test]
fn a_link_that_changed_its_rate_is_believed_at_once() {
    let law = law(&Params::artifact_tcp());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(25, 0, 0, 25_000)]));
    // 1 µs later the circuit is up: 100 Gb/s, of which 2,500 of 12,500 bytes were used, queue
    // empty after it; 2,500 − 25,000 < 0 arrived: Γ = 0 without floor and without smoothing.
    law.on_ack(&mut flow, &inside(&[record(100, 1, 2_500, 0)]));
    assert!(near(flow.power(), 0.0), "{}", flow.power());
    // Another at the same rate: λ = 0.2 B is floored at 0.5 and smoothed, share 1/20: 0.025.
    law.on_ack(&mut flow, &inside(&[record(100, 2, 5_000, 0)]));
    assert!(near(flow.power(), 0.025), "{}", flow.power());
}

#[test]
fn on_little_power_the_whole_step_is_taken() {
    let params = Params { lambda_floor: 0.0, max_bdp: Some(100.0), ..Params::artifact_tcp() };
    let law = law(&params);
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 0)]));
    // Γ = 0.4; 0.4/0.95 ≤ 0.5, so γ = 1: W = 250,000 · 0.95/0.4 + β, β = 50 Mb/s · 20 µs = 125.
    law.on_ack(&mut flow, &inside(&[record(100, 20, 100_000, 0)]));
    assert!(near(flow.window(), 593_750.0 + 125.0), "{}", flow.window());
}

#[test]
fn the_kernel_module_starts_with_the_first_measurement() {
    let law = law(&Params::linux());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 50_000)]));
    law.on_ack(&mut flow, &inside(&[record(100, 1, 12_500, 50_000)]));
    assert!(near(flow.power(), 1.2), "unsmoothed: {}", flow.power());
    law.on_ack(&mut flow, &inside(&[record(100, 2, 25_000, 100_000)]));
    // λ = (12,500 + 50,000)/12,500 = 5, v = 1.4: Γ = 7; share 1/20: 1.2 · 0.95 + 0.35 = 1.49.
    assert!(near(flow.power(), 1.49), "{}", flow.power());
}

#[test]
fn the_window_stays_within_its_bounds() {
    let law = law(&Params::nsdi22());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 0)]));
    law.on_ack(&mut flow, &inside(&[record(100, 20, 0, 0)]));
    assert!(near(flow.power(), 0.0));
    assert!(near(flow.window(), 275_000.0), "C · τ + β");
    // 1 TB of queue: Γ ≈ 1.6e13. W_old/Γ vanishes and β alone remains.
    for round in 1..40 {
        let at = 20 + 20 * round;
        law.on_ack(&mut flow, &closing(&[record(100, at, 250_000 * round, 1_000_000_000_000)]));
    }
    assert!((flow.window() - 25_000.0).abs() < 1.0, "{}", flow.window());
    // Without β: the smallest rate, 1 Mb/s · 20 µs = 2.5 bytes; the transport is still told one packet.
    let law = PowerTcp::new(&Params { beta: Some(Bytes::ZERO), ..Params::nsdi22() }, &host()).unwrap();
    let mut flow = start(&law);
    let mut decision = law.decision(&flow);
    for round in 0..40 {
        let hops = [record(100, 20 * round, 250_000 * round, 1_000_000_000_000)];
        decision = law.on_ack(&mut flow, &closing(&hops));
    }
    assert!(near(flow.window(), 2.5), "{}", flow.window());
    assert_eq!((decision.window, decision.pacing), (Bytes::new(1000), Rate::from_mbps(1)));
}

#[test]
fn without_a_rate_nothing_changes() {
    let law = law(&Params::nsdi22());
    let mut flow = start(&law);
    let full = [record(100, 20, 250_000, 50_000)];
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 50_000)]));
    law.on_ack(&mut flow, &inside(&full));
    let window = flow.window();
    let unchanged = |flow: &Flow, why: &str| assert!(near(flow.window(), window), "{why}: {}", flow.window());
    law.on_ack(&mut flow, &inside(&full));
    unchanged(&flow, "the same record twice");
    law.on_ack(&mut flow, &Ack { telemetry: Telemetry::None, ..inside(&[]) });
    unchanged(&flow, "no telemetry");
    law.on_ack(&mut flow, &inside(&[record(100, 10, 0, 0)]));
    unchanged(&flow, "a switch's clock that ran backwards");
    law.on_ack(&mut flow, &inside(&[record(0, 30, 0, 0)]));
    unchanged(&flow, "a link without rate");
    law.on_ack(&mut flow, &inside(&[record(100, 40, 0, 0); 2]));
    unchanged(&flow, "another path");
    law.on_ack(&mut flow, &inside(&[]));
    unchanged(&flow, "no hops");
}

#[test]
fn records_at_one_instant_are_measured_together_with_the_next() {
    let law = law(&Params::nsdi22());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 0)]));
    law.on_ack(&mut flow, &inside(&[record(100, 0, 125_000, 0)]));
    // 250,000 bytes since the first record, not 125,000: the link was full.
    law.on_ack(&mut flow, &inside(&[record(100, 20, 250_000, 0)]));
    assert!(near(flow.power(), 1.0), "{}", flow.power());
}

#[test]
fn hops_beyond_the_header_s_room_are_ignored() {
    let law = law(&Params::nsdi22());
    let mut flow = start(&law);
    let mut before = std::vec![record(100, 0, 0, 0); 1_000_000];
    let mut after = std::vec![record(100, 20, 250_000, 0); 1_000_000];
    before[MAX_HOPS] = record(100, 0, 0, 1_000_000);
    after[MAX_HOPS] = record(100, 20, 250_000, 1_000_000);
    law.on_ack(&mut flow, &inside(&before));
    law.on_ack(&mut flow, &inside(&after));
    assert!(near(flow.power(), 1.0), "{}", flow.power());
}

#[test]
fn presets_have_the_published_numbers() {
    let paper = Params::nsdi22();
    assert!(near(paper.gamma, 0.9) && near(paper.eta, 1.0) && near(paper.lambda_floor, 0.0));
    assert_eq!((paper.reference, paper.max_bdp), (Reference::Sent, None));
    let rdma = Params::artifact_rdma();
    assert!(near(rdma.gamma, 0.9) && near(rdma.eta, 0.95) && near(rdma.lambda_floor, 0.5));
    assert_eq!((rdma.beta_rate, rdma.min_rate), (Some(Rate::from_mbps(150)), Rate::from_mbps(100)));
    assert_eq!(rdma.reference, Reference::Committed);
    let tcp = Params::artifact_tcp();
    assert_eq!((tcp.beta_rate, tcp.rate_change), (Some(Rate::from_mbps(50)), RateChange::Adopt));
    assert!(near(tcp.boost_below, 0.5) && near(tcp.boost_gamma, 1.0));
    assert!(near(Params::linux().expected_flows, 10.0));
    // The published runs: 25 Gb/s and 28.96 µs make 150 Mb/s 543 bytes, a 167th of the product.
    let published = Host { nic_rate: Rate::from_gbps(25), base_rtt: Span::from_ns(28_960), ..host() };
    let law = PowerTcp::new(&rdma, &published).unwrap();
    assert!(near(law.beta, 543.0), "{}", law.beta);
    assert!(near(law.start_window, 90_500.0), "{}", law.start_window);
    assert!((law.start_window / law.beta - 166.7).abs() < 0.1);
}

#[test]
fn contradictions_are_refused() {
    let both = Params { beta: Some(Bytes::new(1)), ..Params::artifact_rdma() };
    let error = PowerTcp::new(&both, &host()).unwrap_err().to_string();
    assert_eq!(error, "`beta = \"1B\"` cannot be given together with `beta_rate = \"150Mbps\"`");
    let fast = Params { min_rate: Rate::from_gbps(200), ..Params::nsdi22() };
    let error = PowerTcp::new(&fast, &host()).unwrap_err().to_string();
    assert_eq!(error, "`min_rate = \"200Gbps\"` must not exceed `nic_rate = \"100Gbps\"`");
    let narrow = Params { min_rate: Rate::from_gbps(100), max_bdp: Some(0.5), ..Params::nsdi22() };
    assert_eq!(PowerTcp::new(&narrow, &host()).unwrap_err().key(), "min_rate");
    let only = Params { min_rate: Rate::from_gbps(100), max_bdp: Some(1.0), ..Params::nsdi22() };
    assert!(PowerTcp::new(&only, &host()).is_ok(), "one rate only is legal");
}

#[test]
fn an_error_shrinks_by_one_minus_gamma_per_update() {
    // Property 1: the power that a flow alone at a full link sees in a round is its window over
    // bτ. With it, Eq. 7 is W' − w_e = (1 − γ)(W − w_e), w_e = bτ + β, and after five updates
    // 99.999 % of the error is gone (the paper's bound for 5/γ updates is 99.3 %).
    let law = law(&Params { reference: Reference::Committed, max_bdp: Some(10.0), ..Params::nsdi22() });
    let mut flow = start(&law);
    let equilibrium = 275_000.0;
    flow.window = 2_000_000.0;
    flow.reference = flow.window;
    let mut sent = 0;
    law.on_ack(&mut flow, &inside(&[record(100, 0, 0, 1_750_000)]));
    for update in 1..=5 {
        let error = flow.window - equilibrium;
        // The queue stands during the measured round, at what the window leaves over.
        let queue = Bytes::saturating_from_f64(flow.window - 250_000.0);
        flow.memory.hops[0].queue = queue;
        sent += 250_000;
        let hops = [HopRecord { queue, ..record(100, 20 * update, sent, 0) }];
        law.on_ack(&mut flow, &closing(&hops));
        flow.round.restart(Bytes::ZERO);
        // Records count whole bytes, so to a byte.
        let left = flow.window - equilibrium;
        assert!((left - 0.1 * error).abs() < 1.0, "update {update}: {left} of {error}");
    }
    assert!((flow.window - equilibrium).abs() < 0.007 * 1_725_000.0);
}

/// One bottleneck of rate b and any number of flows, as a fluid (the paper's Eqs. 9 and 10): each
/// flow sends w/θ, the queue integrates what b does not take, and what a step put on the wire is
/// acked θ = q/b + τ later with the record of the step in which it passed the port.
struct Loop {
    laws: Vec<PowerTcp>,
    flows: Vec<Flow>,
    sent: Vec<f64>,
    port_sent: f64,
    queue: f64,
    now: f64,
    /// Arrival time, record, and what each flow had sent by then.
    acks: std::collections::VecDeque<(f64, HopRecord, Vec<f64>)>,
}

impl Loop {
    const STEP: f64 = 0.2e-6;

    fn new(laws: Vec<PowerTcp>) -> Self {
        let flows: Vec<Flow> = laws.iter().map(start).collect();
        let sent = std::vec![0.0; flows.len()];
        let acks = std::collections::VecDeque::new();
        Self { laws, flows, sent, port_sent: 0.0, queue: 0.0, now: 0.0, acks }
    }

    fn total(&self) -> f64 {
        self.flows.iter().map(Flow::window).sum()
    }

    fn step(&mut self) {
        let bandwidth = host().nic_rate.as_bytes_per_second_f64();
        let tau = host().base_rtt.as_secs_f64();
        let round_trip = self.queue / bandwidth + tau;
        let mut arrived = 0.0;
        for (flow, sent) in self.flows.iter().zip(&mut self.sent) {
            let bytes = flow.window() / round_trip * Self::STEP;
            *sent += bytes;
            arrived += bytes;
        }
        let served = (self.queue + arrived).min(bandwidth * Self::STEP);
        self.queue += arrived - served;
        self.port_sent += served;
        self.now += Self::STEP;
        let record = HopRecord {
            time: Time::ZERO + Span::saturating_from_secs_f64(self.now),
            sent: Bytes::saturating_from_f64(self.port_sent),
            queue: Bytes::saturating_from_f64(self.queue),
            rate: host().nic_rate,
        };
        let arrival = self.now + self.queue / bandwidth + tau;
        self.acks.push_back((arrival, record, self.sent.clone()));
        while self.acks.front().is_some_and(|(due, ..)| *due <= self.now) {
            let (_, record, acked) = self.acks.pop_front().unwrap();
            for (index, flow) in self.flows.iter_mut().enumerate() {
                let ack = Ack {
                    acked_to: Bytes::saturating_from_f64(acked[index]),
                    sent_to: Bytes::saturating_from_f64(self.sent[index]),
                    ..inside(core::slice::from_ref(&record))
                };
                self.laws[index].on_ack(flow, &ack);
            }
        }
    }

    fn run(&mut self, round_trips: u32) {
        let end = self.now + f64::from(round_trips) * host().base_rtt.as_secs_f64();
        while self.now < end {
            self.step();
        }
    }
}

#[test]
fn windows_rest_at_the_pipe_plus_all_betas_and_the_queue_at_all_betas() {
    for reference in [Reference::Sent, Reference::Committed] {
        for flows in [1, 2, 8] {
            let law = law(&Params { beta: Some(Bytes::new(5_000)), reference, ..Params::nsdi22() });
            let mut network = Loop::new(std::vec![law; flows]);
            network.run(400);
            let beta = 5_000.0 * flows as f64;
            let (total, queue) = (network.total(), network.queue);
            assert!((total - (250_000.0 + beta)).abs() < 1.0, "{reference:?} {flows}: {total}");
            assert!((queue - beta).abs() < 1.0, "{reference:?} {flows}: {queue}");
        }
    }
}

#[test]
fn flows_share_in_proportion_to_their_betas() {
    let with = |beta| law(&Params { beta: Some(Bytes::new(beta)), ..Params::nsdi22() });
    let mut network = Loop::new(std::vec![with(2_000), with(6_000)]);
    network.run(2_000);
    let share = network.flows[1].window() / network.total();
    assert!((share - 0.75).abs() < 1e-6, "Theorem 3: {share}");
}

#[test]
fn with_one_update_per_round_power_is_that_of_a_whole_round() {
    let law = law(&Params::rdcn());
    let mut flow = start(&law);
    law.on_ack(&mut flow, &inside(&[record(25, 20, 0, 0)]));
    // Nobody listens inside a round.
    law.on_ack(&mut flow, &inside(&[record(25, 30, 1, 1_000_000)]));
    assert!(near(flow.power(), 1.0) && near(flow.window(), 250_000.0));
    // The link has become four times as fast; 62,500 B in 20 µs are a quarter of it. Γ_s = 0.25 at once, and the
    // window of 250,000 stays at its bound, one product.
    law.on_ack(&mut flow, &closing(&[record(100, 40, 62_500, 0)]));
    assert!(near(flow.power(), 0.25) && near(flow.window(), 250_000.0), "{}", flow.power());
    // A round of 40 µs on a full link that ends with half a product of queue: λ = (500,000 + 125,000) / 500,000 = 1.25,
    // v = 1.5, Γ = 1.875, with nothing left of the 0.25 before: W = 0.9 (250,000 · 0.95 / 1.875 + β) + 25,000 with
    // β = 50 Mb/s · 20 µs = 125 B.
    let end = Ack { acked_to: Bytes::new(2_000_001), ..closing(&[]) };
    law.on_ack(&mut flow, &Ack { telemetry: Telemetry::Hops(&[record(100, 80, 562_500, 125_000)]), ..end });
    let expected = 0.9 * (250_000.0 * 0.95 / 1.875 + 125.0) + 25_000.0;
    assert!(near(flow.window(), expected), "{} against {expected}", flow.window());
}
