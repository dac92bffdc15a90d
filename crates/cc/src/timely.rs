//! TIMELY: rate control by the gradient of the round trip time.
//!
//! ```text
//! per update:  d ← (1 − a) · d + a · (rtt − rtt_prev),   gradient = d / min_rtt
//!   rtt < T_low      R += δ
//!   rtt > T_high     R ·= 1 − b · (1 − T_high / rtt)
//!   gradient ≤ 0     R += δ; from the sixth such update in a row on: R += H
//!   gradient > 0     R ·= max(0, 1 − b · gradient)
//! ```
//!
//! A rising round trip time says that more arrives than leaves, whatever the queue's length, and
//! by how much. The two thresholds catch what the gradient cannot see: queues too short to matter
//! and queues that stand. Between them there is no unique resting point: flows keep the queue and
//! the shares at which they happened to balance.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | R | sending rate | bit/s |
//! | rtt, min_rtt | round trip time; the unit in which its slope is counted | time |
//! | d | average difference of successive round trip times | time |
//! | a, b | weight of a new difference; size of the decrease | 1 |
//! | δ, H | additive step; the larger step of hyperactive increase | bit/s |
//! | T_low, T_high | where gradients begin and cease to matter | time |
//!
//! Source: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM'15
//! (Algorithm 1), and the ns-3 forks that the field reuses: HPCC's
//! (github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a) and PowerTCP's
//! (github.com/inet-tub/ns3-datacenter at 6ddb4a4), "artifact" below.
//!
//! # Deviations
//! Where the sources contradict each other or are silent, we chose:
//! - *Update.* The paper's NIC completes segments of 16 to 64 KB; with `update = "segment"` we
//!   update with the ack that completes `segment` bytes and take its round trip time. The artifact
//!   updates once per round trip (`update = "round"`); acks between are not looked at, so its d
//!   moves once per round trip too.
//! - *Round trips* exclude the receiver's own time where acks report it, so that acks which it
//!   holds back do not look like queues. The paper's card answers at once.
//! - *First update.* It only stores the round trip time.
//! - *Hyperactive increase.* The paper counts updates with a gradient ≤ 0 and adds 5 δ. We count
//!   them in a row: any other update, also one below T_low, begins anew. The artifact counts every
//!   increase and adds a rate of its own (`hai_counts = "every-increase"`, `hai_step`).
//! - *a* is not in the paper: the artifact's 0.875. (A snippet by an author recommends 0.02 with
//!   steps scaled by elapsed time; no published run that we reproduce used it.)
//! - *min_rtt* is a fixed 20 µs in the artifact, whatever the topology's; so here.
//! - *Start.* The paper starts at C/(active flows + 1); a law does not know the host's other
//!   flows, so the start is a parameter and the line rate by default, as in the artifact.
//! - *Smallest rate*: not in the paper; 1 Mb/s is ours, 100 Mb/s the artifact's.
//! - *Window.* None, unless `window = "rate"` ("vwin" in the artifact): R · τ.
//! - *Loss and timeouts* are left to a lossless network in all sources: no reaction.

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{ParamError, not_above};
use crate::round::{Round, RoundEvent};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Rate, Span};

crate::choice! {
    /// What makes an update.
    pub enum Update {
        /// The completion of a segment.
        Segment = "segment",
        /// The end of a round trip.
        Round = "round",
    }
}

crate::choice! {
    /// Which updates in a row lead to hyperactive increase.
    pub enum HaiCounts {
        /// Those that find a gradient ≤ 0.
        Gradient = "gradient",
        /// All that increase the rate.
        EveryIncrease = "every-increase",
    }
}

crate::choice! {
    /// What limits the bytes in flight.
    pub enum Window {
        /// Nothing.
        None = "none",
        /// What the rate sends in a base round trip.
        Rate = "rate",
    }
}

crate::parameters! {
    /// TIMELY's parameters.
    pub struct Params {
        /// a: weight of a new difference of round trip times.
        ewma_weight: f64 where [0.0, 1.0],
        /// b: size of the decrease.
        beta: f64 where [0.0, 1.0],
        /// Below this round trip time the rate always grows.
        t_low: Span where [Span::ZERO, Span::from_s(10)],
        /// Above this round trip time the rate always falls.
        t_high: Span where [Span::from_ns(1), Span::from_s(10)],
        /// The unit in which the slope is counted.
        min_rtt: Span where [Span::from_ns(1), Span::from_s(10)],
        /// δ: additive step; `"auto"` = a thousandth of the line rate.
        delta: Option<Rate> where [Rate::ZERO, Rate::from_gbps(100_000)],
        /// H: step of hyperactive increase; `"auto"` = five steps δ.
        hai_step: Option<Rate> where [Rate::ZERO, Rate::from_gbps(100_000)],
        /// Updates in a row after which the step is H.
        hai_threshold: u32 where [0, 1_000_000],
        /// Which updates are counted for that.
        hai_counts: HaiCounts,
        /// What makes an update.
        update: Update,
        /// Size of a segment.
        segment: Bytes where [Bytes::new(1), Bytes::from_mb(1_000)],
        /// First rate; `"auto"` = line rate.
        start_rate: Option<Rate> where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// Smallest rate.
        min_rate: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// What limits the bytes in flight.
        window: Window,
    }
    presets {
        "sigcomm15" => sigcomm15, "TIMELY, SIGCOMM'15: δ 10 Mb/s (10G), β 0.8, 50/500 µs; a is the artifact's",
        "hpcc-artifact" => hpcc_artifact, "HPCC's ns-3 at 9f4be2a: δ 10·C/10G Mb/s, HAI 50·C/10G Mb/s",
        "powertcp-nsdi22" => powertcp_nsdi22, "PowerTCP's ns-3 at 6ddb4a4 as configured for NSDI'22: 50/100 Mb/s",
    }
}

impl Params {
    /// The paper's. Segments of 16 KB, its smallest.
    #[must_use]
    pub fn sigcomm15() -> Self {
        Self {
            ewma_weight: 0.875,
            beta: 0.8,
            t_low: Span::from_us(50),
            t_high: Span::from_us(500),
            min_rtt: Span::from_us(20),
            delta: Some(Rate::from_mbps(10)),
            hai_step: None,
            hai_threshold: 5,
            hai_counts: HaiCounts::Gradient,
            update: Update::Segment,
            segment: Bytes::from_kb(16),
            start_rate: None,
            min_rate: Rate::from_mbps(1),
            window: Window::None,
        }
    }

    /// HPCC's simulator: steps in proportion to the line rate.
    #[must_use]
    pub fn hpcc_artifact() -> Self {
        Self {
            delta: None,
            hai_step: None,
            hai_counts: HaiCounts::EveryIncrease,
            update: Update::Round,
            min_rate: Rate::from_mbps(100),
            ..Self::sigcomm15()
        }
    }

    /// PowerTCP's evaluation.
    #[must_use]
    pub fn powertcp_nsdi22() -> Self {
        Self {
            delta: Some(Rate::from_mbps(50)),
            hai_step: Some(Rate::from_mbps(100)),
            ..Self::hpcc_artifact()
        }
    }
}

/// TIMELY with its constants. Rates in bit/s, times in seconds.
#[derive(Clone, Debug)]
pub struct Timely {
    host: Host,
    ewma_weight: f64,
    beta: f64,
    t_low: Span,
    t_high: Span,
    per_min_rtt: f64,
    delta: f64,
    hai_step: f64,
    hai_threshold: u32,
    hai_counts: HaiCounts,
    update: Update,
    segment: Bytes,
    start_rate: f64,
    min_rate: f64,
    max_rate: f64,
    window: Window,
    base_rtt: f64,
}

/// What TIMELY remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// R, bit/s.
    rate: f64,
    /// d, seconds.
    difference: f64,
    previous_rtt: Option<Span>,
    /// Updates in a row that count for hyperactive increase.
    streak: u32,
    /// Bytes of the segment in progress.
    completed: Bytes,
    round: Round,
}

/// Why a rate grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The round trip time is below T_low.
    ShortQueue,
    /// The round trip time does not rise.
    Gradient,
}

impl Flow {
    /// R.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate::saturating_from_bps_f64(self.rate)
    }
}

impl Configure for Timely {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        not_above("t_low", params.t_low, "t_high", params.t_high)?;
        not_above("min_rate", params.min_rate, "nic_rate", host.nic_rate)?;
        let max_rate = host.nic_rate.as_bps_f64();
        let min_rate = params.min_rate.as_bps_f64();
        let delta = params.delta.map_or(max_rate / 1_000.0, Rate::as_bps_f64);
        Ok(Self {
            host: *host,
            ewma_weight: params.ewma_weight,
            beta: params.beta,
            t_low: params.t_low,
            t_high: params.t_high,
            per_min_rtt: 1.0 / params.min_rtt.as_secs_f64(),
            delta,
            hai_step: params.hai_step.map_or(5.0 * delta, Rate::as_bps_f64),
            hai_threshold: params.hai_threshold,
            hai_counts: params.hai_counts,
            update: params.update,
            segment: params.segment,
            start_rate: params.start_rate.map_or(max_rate, Rate::as_bps_f64).clamp(min_rate, max_rate),
            min_rate,
            max_rate,
            window: params.window,
            base_rtt: host.base_rtt.as_secs_f64(),
        })
    }
}

impl CongestionControl for Timely {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::RTT
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let flow = Flow {
            rate: self.start_rate,
            difference: 0.0,
            previous_rtt: None,
            streak: 0,
            completed: Bytes::ZERO,
            round: Round::default(),
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        if self.is_update(flow, ack)
            && let Some(previous) = flow.previous_rtt.replace(ack.network_rtt())
        {
            self.react(flow, ack.network_rtt(), previous);
        }
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, _loss: &Loss) -> Decision {
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, _timeout: &Timeout) -> Decision {
        self.decision(flow)
    }

    fn decision(&self, flow: &Flow) -> Decision {
        match self.window {
            Window::None => Decision::rate_only(&self.host, flow.rate),
            Window::Rate => Decision::paced(&self.host, flow.rate * self.base_rtt / 8.0, flow.rate),
        }
    }
}

impl Timely {
    /// Whether this ack makes an update.
    fn is_update(&self, flow: &mut Flow, ack: &Ack<'_>) -> bool {
        match self.update {
            Update::Round => flow.round.on_ack(ack) != RoundEvent::Inside,
            Update::Segment => {
                flow.completed = flow.completed.saturating_add(ack.acked);
                let complete = flow.completed >= self.segment;
                if complete {
                    flow.completed = Bytes::ZERO;
                }
                complete
            }
        }
    }

    /// The paper's Algorithm 1.
    fn react(&self, flow: &mut Flow, rtt: Span, previous: Span) {
        let change = rtt.as_secs_f64() - previous.as_secs_f64();
        flow.difference = (1.0 - self.ewma_weight) * flow.difference + self.ewma_weight * change;
        let gradient = flow.difference * self.per_min_rtt;
        if rtt < self.t_low {
            self.increase(flow, Cause::ShortQueue);
        } else if rtt > self.t_high {
            self.decrease(flow, 1.0 - self.beta * (1.0 - self.t_high / rtt));
        } else if gradient <= 0.0 {
            self.increase(flow, Cause::Gradient);
        } else {
            self.decrease(flow, (1.0 - self.beta * gradient).max(0.0));
        }
    }

    fn increase(&self, flow: &mut Flow, cause: Cause) {
        let counts = cause == Cause::Gradient || self.hai_counts == HaiCounts::EveryIncrease;
        let hyperactive = counts && flow.streak >= self.hai_threshold;
        let step = if hyperactive { self.hai_step } else { self.delta };
        flow.streak = if counts { flow.streak.saturating_add(1) } else { 0 };
        flow.rate = (flow.rate + step).min(self.max_rate);
    }

    fn decrease(&self, flow: &mut Flow, factor: f64) {
        flow.streak = 0;
        flow.rate = (flow.rate * factor).max(self.min_rate);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::params::Parameters;
    use std::string::ToString;

    fn host() -> Host {
        Host {
            nic_rate: Rate::from_gbps(10),
            base_rtt: Span::from_us(20),
            mtu: Bytes::new(1048),
            mss: Bytes::new(1000),
        }
    }

    fn begin(params: &Params) -> (Timely, Flow) {
        params.check().unwrap();
        let law = Timely::new(params, &host()).unwrap();
        let (flow, _) = law.start(&Path { base_rtt: host().base_rtt, hops: 1, seed: 1 });
        (law, flow)
    }

    /// An ack that completes a segment of the paper's.
    fn segment(rtt_us: u64) -> Ack<'static> {
        Ack { rtt: Span::from_us(rtt_us), acked: Bytes::from_kb(16), ..Ack::default() }
    }

    /// The rate in Mb/s.
    fn after(law: &Timely, flow: &mut Flow, rtt_us: u64) -> f64 {
        law.on_ack(flow, &segment(rtt_us));
        flow.rate / 1e6
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1.0)
    }

    /// 50 µs, then 150 µs of which the receiver held the ack for 100 µs.
    #[test]
    fn an_ack_that_the_receiver_held_back_is_no_rising_round_trip() {
        let (law, mut flow) = begin(&Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() });
        law.on_ack(&mut flow, &segment(50));
        law.on_ack(&mut flow, &Ack { endpoint_delay: Span::from_us(100), ..segment(150) });
        assert!(near(flow.rate, 1.01e9), "gradient 0: δ, not {}", flow.rate);
        law.on_ack(&mut flow, &segment(150));
        assert!(flow.rate < 1e9, "the same from the network is a queue: {}", flow.rate);
    }

    #[test]
    fn one_episode_by_hand() {
        let (law, mut flow) = begin(&Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() });
        assert!(near(after(&law, &mut flow, 100), 1000.0), "the first only stores the round trip time");
        // Growth below T_low: δ, whatever the slope. d = 0.875 · (−60 µs) = −52.5 µs.
        assert!(near(after(&law, &mut flow, 40), 1010.0));
        // Between: d = 0.125 · (−52.5) + 0.875 · 60 = 45.9375 µs, gradient 2.296875 of 20 µs:
        // 1 − 0.8 · 2.297 < 0, so the factor is 0 and the smallest rate remains.
        assert!(near(after(&law, &mut flow, 100), 1.0));
        assert!(near(flow.difference * 1e6, 45.9375));

        // Recovery by gradient: d = 0.125 · 45.9375 + 0 = 5.742 µs > 0: still a decrease, at the floor.
        assert!(near(after(&law, &mut flow, 100), 1.0));
        // d = 0.717773 − 8.75 < 0: δ. Falling by 10 µs each time, d stays negative: five times δ.
        for (count, rtt) in [90, 89, 88, 87, 86].into_iter().enumerate() {
            assert!(near(after(&law, &mut flow, rtt), 1.0 + 10.0 * (count + 1) as f64));
        }
        // The sixth in a row: 5 δ.
        assert!(near(after(&law, &mut flow, 85), 101.0));
        assert!(near(after(&law, &mut flow, 84), 151.0));

        // Congestion above T_high, however the slope: R · (1 − 0.8 (1 − 500/1000)) = 0.6 R.
        assert!(near(after(&law, &mut flow, 1000), 90.6));
        assert!(near(after(&law, &mut flow, 800), 90.6 * (1.0 - 0.8 * (1.0 - 0.625))));
        // And the streak begins anew.
        let before = flow.rate / 1e6;
        assert!(near(after(&law, &mut flow, 400), before + 10.0));

        // Loss and timeout: nothing.
        let before = flow.rate;
        law.on_loss(&mut flow, &Loss::default());
        law.on_timeout(&mut flow, &Timeout::default());
        assert!(near(flow.rate, before));
    }

    #[test]
    fn a_small_gradient_takes_a_small_share() {
        let (law, mut flow) = begin(&Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() });
        after(&law, &mut flow, 100);
        // d = 0.875 · 2 µs = 1.75 µs, gradient 0.0875: R · (1 − 0.07) = 930 Mb/s.
        assert!(near(after(&law, &mut flow, 102), 930.0));
    }

    #[test]
    fn thresholds_themselves_belong_to_the_gradient() {
        let (law, mut flow) = begin(&Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() });
        after(&law, &mut flow, 50);
        assert!(near(after(&law, &mut flow, 50), 1010.0), "T_low with slope zero: growth");
        let (law, mut flow) = begin(&Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() });
        after(&law, &mut flow, 490);
        // d = 0.875 · 10 µs, gradient 0.4375: R · (1 − 0.35). T_high's own factor would be 1.
        assert!(near(after(&law, &mut flow, 500), 650.0));
    }

    #[test]
    fn below_t_low_the_paper_s_streak_begins_anew_and_the_artifact_s_goes_on() {
        let paper = Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() };
        let artifact = Params { hai_counts: HaiCounts::EveryIncrease, ..paper };
        // The first stores; three fall above T_low; one lies a nanosecond below it; at the last two
        // the average still falls. The paper's streak is 3, 0, 1, 2; the artifact's 3, 4, 5, and
        // then five are behind it.
        let round_trips = [60_000, 59_000, 58_000, 57_000, 49_999, 50_000, 50_000];
        for (params, expected) in [(paper, 1000.0 + 6.0 * 10.0), (artifact, 1000.0 + 5.0 * 10.0 + 50.0)] {
            let (law, mut flow) = begin(&params);
            for rtt in round_trips {
                law.on_ack(&mut flow, &Ack { rtt: Span::from_ns(rtt), ..segment(0) });
            }
            assert!(near(flow.rate / 1e6, expected), "{}", flow.rate);
        }
    }

    #[test]
    fn the_artifact_updates_once_per_round_trip() {
        let (law, mut flow) = begin(&Params::powertcp_nsdi22());
        flow.rate = 1e9;
        let mut ack = |rtt, acked_to, sent_to| {
            let ack = Ack {
                rtt: Span::from_us(rtt),
                acked_to: Bytes::new(acked_to),
                sent_to: Bytes::new(sent_to),
                ..segment(0)
            };
            law.on_ack(&mut flow, &ack);
            flow.rate / 1e6
        };
        assert!(near(ack(30, 1_000, 10_000), 1000.0), "the first stores");
        assert!(near(ack(30, 10_000, 20_000), 1000.0), "inside the round");
        assert!(near(ack(30, 11_000, 21_000), 1050.0), "δ = 50 Mb/s");
        assert!(near(ack(900, 12_000, 22_000), 1050.0), "not looked at");
        for round in 2..=5_u64 {
            ack(30, 1_000 + 12_000 * round, 12_000 * round + 10_000);
        }
        assert!(near(ack(30, 80_000, 90_000), 1000.0 + 5.0 * 50.0 + 100.0), "the sixth adds 100 Mb/s");
    }

    #[test]
    fn a_segment_is_completed_by_several_acks() {
        let (law, mut flow) = begin(&Params { start_rate: Some(Rate::from_gbps(1)), ..Params::sigcomm15() });
        after(&law, &mut flow, 20);
        let packet = Ack { rtt: Span::from_us(20), acked: Bytes::from_kb(1), ..Ack::default() };
        for _ in 0..15 {
            law.on_ack(&mut flow, &packet);
        }
        assert!(near(flow.rate, 1e9));
        law.on_ack(&mut flow, &packet);
        assert!(near(flow.rate, 1.01e9), "the sixteenth");
    }

    #[test]
    fn the_rate_stays_between_its_bounds_and_the_window_follows_it() {
        let (law, mut flow) = begin(&Params { window: Window::Rate, ..Params::sigcomm15() });
        after(&law, &mut flow, 20);
        assert!(near(after(&law, &mut flow, 20), 10_000.0), "line rate");
        let decision = law.decision(&flow);
        assert_eq!((decision.window, decision.pacing), (Bytes::new(25_000), Rate::from_gbps(10)));
        for rtt in (1..50).map(|step| step * 100_000) {
            after(&law, &mut flow, rtt);
        }
        assert!(near(flow.rate, 1e6));
        assert_eq!(law.decision(&flow).window, Bytes::new(1000), "2.5 bytes are one packet");
        let (law, flow) = begin(&Params::sigcomm15());
        assert_eq!(law.decision(&flow).window, Decision::UNLIMITED);
    }

    #[test]
    fn presets_have_the_published_numbers() {
        let paper = Params::sigcomm15();
        assert!(near(paper.beta, 0.8) && near(paper.ewma_weight, 0.875));
        assert_eq!((paper.t_low, paper.t_high), (Span::from_us(50), Span::from_us(500)));
        assert_eq!((paper.min_rtt, paper.hai_threshold), (Span::from_us(20), 5));
        let law = Timely::new(&paper, &host()).unwrap();
        assert!(near(law.delta, 10e6) && near(law.hai_step, 50e6) && near(law.start_rate, 10e9));
        // 10 · bw/10 and 50 · bw/10 Mb/s with bw in Gb/s.
        let fast = Host { nic_rate: Rate::from_gbps(100), ..host() };
        let law = Timely::new(&Params::hpcc_artifact(), &fast).unwrap();
        assert!(near(law.delta, 100e6) && near(law.hai_step, 500e6) && near(law.min_rate, 100e6));
        let law = Timely::new(&Params::powertcp_nsdi22(), &fast).unwrap();
        assert!(near(law.delta, 50e6) && near(law.hai_step, 100e6) && near(law.min_rate, 100e6));
        assert_eq!((law.update, law.hai_counts), (Update::Round, HaiCounts::EveryIncrease));
    }

    #[test]
    fn contradictions_are_refused() {
        let crossed = Params { t_low: Span::from_us(600), ..Params::sigcomm15() };
        let error = Timely::new(&crossed, &host()).unwrap_err().to_string();
        assert_eq!(error, "`t_low = \"600us\"` must not exceed `t_high = \"500us\"`");
        let fast = Params { min_rate: Rate::from_gbps(20), ..Params::sigcomm15() };
        assert_eq!(Timely::new(&fast, &host()).unwrap_err().key(), "min_rate");
        let equal = Params { min_rate: Rate::from_gbps(10), ..Params::sigcomm15() };
        assert!(Timely::new(&equal, &host()).is_ok(), "one rate only is legal");
    }
}
