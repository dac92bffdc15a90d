//! Poseidon: a target that falls with the flow's rate, against the maximum per-hop delay.
//!
//! ```text
//! rate = cwnd · MTU / rtt                                     clamped to [r_min, r_max]
//! T    = k + p · ln(r_max / rate) / α,   α = ln(r_max / r_min)          (Eq. 3)
//! U    = exp((T − mpd) · α · m / p)      = (r / rate)^m, T(r) = mpd     (Eq. 4, 5)
//!
//! ack of n packets:  mpd ≤ T                        cwnd += (U − 1) · n
//!                    mpd > T, once per rtt          cwnd ·= U
//! fast recovery:     once per rtt                   cwnd ·= min_md
//! timeout:           n-th in a row ≥ retx_reset     cwnd = min_cwnd
//!                    else, once per rtt             cwnd ·= min_md
//! cwnd < 1:          one packet every rtt / cwnd
//! ```
//!
//! Flows that share a queue see the same delay, and the faster one has the lower target: it backs
//! off while the slower one still grows. A flow therefore yields only at the hop where it is the
//! fastest, which is its bottleneck in the max-min fair allocation.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | cwnd | window | packets |
//! | mpd | longest wait in any switch queue of the data packet's path | time |
//! | T | target for mpd | time |
//! | U | update ratio per round trip | 1 |
//! | k | target of the fastest flow | time |
//! | p | by how much the slowest flow's target is higher | time |
//! | m | step: the share of the way to r, on a log scale, that is gone per round trip | 1 |
//! | r_min, r_max | rates between which the target differs | bit/s |
//!
//! Source: Wang et al., "Poseidon: Efficient, Robust, and Practical Datacenter CC via Deployable
//! INT", NSDI'23: Algorithm 1 (§3.1), Eqs. 1–5 (§3.2–3.3), Algorithm 2 (App. A), brownfield (§4.1),
//! ablations (§5.6.1), ratio update (App. B.3), other targets (App. C).
//!
//! # Deviations
//! Where the paper contradicts itself or is silent, we chose:
//! - *Size of m.* §3.3 and §5.6.2 say that a larger m is slower; Eqs. 4, 5 and 11 make it faster
//!   (m = 1 reaches r in one round trip). We follow the equations.
//! - *"x · U^m = r"* should read x · U^(1/m) = r, and *T(a) − T(ca) = ln(c)/p* should read
//!   p · ln(c)/α. Both follow from Eqs. 3 and 4, which we implement.
//! - *min_range, max_range* in §3.3 are r_min and r_max.
//! - *Units of p and k* are not given; the testbed's 256 ns telemetry unit makes them microseconds.
//! - *max_mi, min_md* are named by Algorithm 1 and used only by Algorithm 2. We clamp U to
//!   [min_md, max_mi] as the first author's public simulator does ([0.4, 2.5]), so that one wild
//!   signal cannot move the window by more. Between two flows that both hit the same bound the
//!   step is then equal and fairness stands still for that step instead of improving.
//! - *Fairness needs m < 2* (App. B), hence the bound of `m`, 1.999.
//! - *App. E, Eq. 20* has its inequality reversed (T falls with rate) and Eqs. 26–27 and 31–32
//!   compare T with R where the delay D is meant: neither is code here.
//! - *U is written U(T, D), U(x, D) and Update(x, D)*: one function, of the target and the delay.
//! - *retransmit_count* is reset by FastRecovery only; we also reset it on every ack of new data,
//!   as Swift does, since otherwise timeouts hours apart would add up.
//! - *Brownfield*: the base round trip is subtracted from the end-to-end delay, which the text
//!   implies by "delay" and does not write. So is the receiver's own time where acks report it: an
//!   ack held back there is no queue. The flow's rate stays cwnd over the full round trip, since
//!   that is what the window takes.
//! - *Which switches stamp* a host cannot know. The brownfield signal therefore needs round trips
//!   only and takes the maxima where they come; queueing on the way back, where no switch stamps
//!   acks, counts as if it were on the way out.
//! - *Ablations*: the signal without INT is the queueing part of the round trip against the same
//!   T; the fixed target is T of a third of the line (6.8 µs at 200 Gb/s); AIMD adds one packet per round
//!   trip and decreases by U.
//! - *α/√rate + β* has no coefficients in the paper: we make it equal Eq. 3 at r_max and at
//!   `sqrt_anchor`; the cwnd form at the windows of those rates at the base round trip.
//! - *Eq. 2 does not hold for slow flows under α/√rate or α/√cwnd.* It asks that ln U change by
//!   less than 2 per unit of ln rate. Under Eq. 3 it changes by m everywhere; under the root by
//!   (α m/p) · (scale/2) · √(r_max/rate), which exceeds 2 for r_max/rate > 978 with the published
//!   p and m (below 0.2 Gb/s of 200 Gb/s): a step of two such flows overshoots their fair shares.
//!   App. C names the target and no update that would go with it, so we keep Eq. 4.

use crate::event::{Ack, Host, Loss, Path, Telemetry, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::maths;
use crate::params::{ParamError, not_above};
use crate::signals::Signals;
use core::hint::select_unpredictable;
use plimsoll_units::{Rate, Span, Time};

crate::choice! {
    /// What the target depends on.
    pub enum TargetShape {
        /// Eq. 3: the logarithm of the rate.
        LogRate = "log-rate",
        /// App. C: α/√rate + β.
        SqrtRate = "sqrt-rate",
        /// App. C: α/√cwnd + β, Swift's way.
        SqrtCwnd = "sqrt-cwnd",
        /// §5.6.1: nothing.
        Fixed = "fixed",
    }
}

crate::choice! {
    /// How the distance from the target becomes a step.
    pub enum Update {
        /// Eq. 4: by the difference.
        Distance = "distance",
        /// Eq. 13: by the quotient (T + o)/(D + o).
        Ratio = "ratio",
    }
}

crate::choice! {
    /// How the window grows.
    pub enum Increase {
        /// By U.
        Adaptive = "adaptive",
        /// §5.6.1: by a fixed number of packets per round trip.
        Additive = "additive",
    }
}

crate::choice! {
    /// Which delay is held against the target.
    pub enum Signal {
        /// The maximum per-hop delay of the forward path.
        MaxHopDelay = "max-hop-delay",
        /// §5.6.1: all queueing of the round trip.
        RoundTrip = "round-trip",
        /// §4.1: the larger of the maximum per-hop delay and what the hops without INT leave.
        Brownfield = "brownfield",
    }
}

crate::choice! {
    /// Which windows are paced.
    pub enum Pace {
        /// Algorithm 1: those below one packet; acks clock the others.
        BelowOnePacket = "below-one-packet",
        /// All, at cwnd / rtt.
        Always = "always",
    }
}

crate::parameters! {
    /// Poseidon's parameters.
    pub struct Params {
        /// p: how much higher the target of the slowest flow is than that of the fastest.
        p: Span where [Span::from_ns(1), Span::from_s(1)],
        /// k: target of a flow at `max_rate`.
        k: Span where [Span::from_ns(1), Span::from_s(1)],
        /// m: size of the step; below 2, for fairness needs less than 2.
        m: f64 where [0.001, 1.999],
        /// Rate whose target is k; `"auto"` = line rate.
        max_rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)],
        /// Rate whose target is k + p; `"auto"` = a ten-thousandth of the line rate.
        min_rate: Option<Rate> where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// What the target depends on.
        target: TargetShape,
        /// Target if it is fixed.
        fixed_target: Span where [Span::from_ns(1), Span::from_s(1)],
        /// Rate, besides `max_rate`, at which the square-root targets equal the logarithmic one;
        /// `"auto"` = a hundredth of `max_rate`.
        sqrt_anchor: Option<Rate> where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// How the distance from the target becomes a step.
        update: Update,
        /// Offset o of the ratio update (the paper's m in Eq. 13).
        ratio_offset: Span where [Span::ZERO, Span::from_s(1)],
        /// How the window grows.
        increase: Increase,
        /// Packets per round trip that an additive increase adds.
        additive_step: f64 where [0.000_001, 1e6],
        /// Which delay is held against the target. `"brownfield"` takes the per-hop maxima where
        /// switches stamp them and runs without any; then queueing of acks counts as that of data.
        signal: Signal,
        /// Largest factor per step.
        max_mi: f64 where [1.0, 1e6],
        /// Smallest factor per step; also the factor on loss.
        min_md: f64 where [0.0, 1.0],
        /// Smallest window, in packets.
        min_cwnd: f64 where [1e-9, 1e9],
        /// Largest window, in packets; `"auto"` = four bandwidth-delay products.
        max_cwnd: Option<f64> where [1e-9, 1e9],
        /// First window, in packets.
        start_cwnd: f64 where [1e-9, 1e9],
        /// Which windows are paced. The paper's are from one packet on clocked by acks; `"always"` is as in the
        /// first author's simulator.
        pace: Pace,
        /// Timeouts in a row after which the window falls to `min_cwnd`.
        retx_reset: u32 where [1, 1_000_000],
    }
    presets {
        "nsdi23" => nsdi23, "Poseidon, NSDI'23, §5.2: p 40 µs, k 2 µs, m 0.25; rates of Fig. 7b",
        "brownfield" => brownfield, "Poseidon, NSDI'23, §4.1 and §5.5",
        "no-mpd" => no_mpd, "Poseidon, NSDI'23, §5.6.1: round-trip signal, target by rate",
        "fixed-target" => fixed_target, "Poseidon, NSDI'23, §5.6.1: per-hop signal, fixed target",
        "aimd" => aimd, "Poseidon, NSDI'23, §5.6.1: one packet per round trip up, U down",
        "ratio" => ratio, "Poseidon, NSDI'23, App. B.3, Eq. 13 with m = 0",
        "sqrt-rate" => sqrt_rate, "Poseidon, NSDI'23, App. C: target α/√rate + β",
        "sqrt-cwnd" => sqrt_cwnd, "Poseidon, NSDI'23, App. C: target α/√cwnd + β",
        "author-ns3" => author_ns3, "github.com/Clark5/Poseidon at 6e3917b: p 42 µs, r_min 0.1 Gb/s",
    }
}

impl Params {
    /// The paper's evaluation: p, k and m of §5.2, and the rates of Fig. 7b (200 G and 0.02 G) in
    /// proportion to the line rate. The factors 2.5 and 0.4 are the first author's simulator's;
    /// the window bounds and the timeouts to a reset (Swift's) are not published and ours.
    #[must_use]
    pub fn nsdi23() -> Self {
        Self {
            p: Span::from_us(40),
            k: Span::from_us(2),
            m: 0.25,
            max_rate: None,
            min_rate: None,
            target: TargetShape::LogRate,
            fixed_target: Span::from_ns(6_800),
            sqrt_anchor: None,
            update: Update::Distance,
            ratio_offset: Span::ZERO,
            increase: Increase::Adaptive,
            additive_step: 1.0,
            signal: Signal::MaxHopDelay,
            max_mi: 2.5,
            min_md: 0.4,
            min_cwnd: 0.001,
            max_cwnd: None,
            start_cwnd: 1.0,
            pace: Pace::BelowOnePacket,
            retx_reset: 5,
        }
    }

    /// For networks in which only some switches stamp.
    #[must_use]
    pub fn brownfield() -> Self {
        Self { signal: Signal::Brownfield, ..Self::nsdi23() }
    }

    /// Ablation: no per-hop signal.
    #[must_use]
    pub fn no_mpd() -> Self {
        Self { signal: Signal::RoundTrip, ..Self::nsdi23() }
    }

    /// Ablation: the same target for all rates.
    #[must_use]
    pub fn fixed_target() -> Self {
        Self { target: TargetShape::Fixed, ..Self::nsdi23() }
    }

    /// Ablation: additive increase.
    #[must_use]
    pub fn aimd() -> Self {
        Self { increase: Increase::Additive, ..Self::nsdi23() }
    }

    /// The update by quotient.
    #[must_use]
    pub fn ratio() -> Self {
        Self { update: Update::Ratio, ..Self::nsdi23() }
    }

    /// The target by the square root of the rate.
    #[must_use]
    pub fn sqrt_rate() -> Self {
        Self { target: TargetShape::SqrtRate, ..Self::nsdi23() }
    }

    /// The target by the square root of the window.
    #[must_use]
    pub fn sqrt_cwnd() -> Self {
        Self { target: TargetShape::SqrtCwnd, ..Self::nsdi23() }
    }

    /// The first author's public simulator: 525,000 and 25,000 bytes of queue at 100 Gb/s are
    /// 42 µs and 2 µs; lowest rate 0.1 Gb/s. (Its signal is a queue length, ours a wait.)
    #[must_use]
    pub fn author_ns3() -> Self {
        Self { p: Span::from_us(42), min_rate: Some(Rate::from_mbps(100)), ..Self::nsdi23() }
    }
}

/// Target functions with their constants. Times in picoseconds, so that the hot path divides once;
/// `slowness` is r_max / rate, in [1, r_max / r_min].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    /// `k + slope · ln(slowness)`
    LogRate {
        k: f64,
        slope: f64,
    },
    /// `scale · √slowness + offset`
    SqrtRate {
        scale: f64,
        offset: f64,
    },
    /// `scale / √cwnd + offset`, the window clamped to the windows of the two rates.
    SqrtCwnd {
        scale: f64,
        offset: f64,
        min_cwnd: f64,
        max_cwnd: f64,
    },
    Fixed(f64),
}

/// Poseidon with its constants.
#[derive(Clone, Debug)]
pub struct Poseidon {
    host: Host,
    target: Target,
    signal: Signal,
    update: Update,
    increase: Increase,
    /// r_max in packets per picosecond.
    max_rate: f64,
    /// r_max / r_min
    max_slowness: f64,
    /// α · m / p, per picosecond.
    gain: f64,
    ratio_offset: f64,
    additive_step: f64,
    max_mi: f64,
    min_md: f64,
    min_cwnd: f64,
    max_cwnd: f64,
    start_cwnd: f64,
    pace: Pace,
    retx_reset: u32,
    packets_per_byte: f64,
}

/// What Poseidon remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    cwnd: f64,
    rtt: Span,
    base_rtt: Span,
    /// When the window last fell; meaningless before it did.
    last_decrease: Time,
    has_decreased: bool,
    retransmits: u32,
}

impl Flow {
    /// The window in packets.
    #[must_use]
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }
}

impl Configure for Poseidon {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let max_rate = params.max_rate.unwrap_or(host.nic_rate);
        let min_rate = params.min_rate.unwrap_or(Rate::from_bps((host.nic_rate.as_bps() / 10_000).max(1)));
        not_above("min_rate", min_rate, "max_rate", max_rate)?;
        let bdp_packets = host.bdp().as_f64() / host.mss.as_f64();
        let max_cwnd = params.max_cwnd.unwrap_or((4.0 * bdp_packets).max(1.0).max(params.min_cwnd));
        not_above("min_cwnd", params.min_cwnd, "max_cwnd", max_cwnd)?;
        not_above("start_cwnd", params.start_cwnd, "max_cwnd", max_cwnd)?;

        let (r_min, r_max) = (min_rate.as_bps_f64(), max_rate.as_bps_f64());
        let alpha = libm::log(r_max / r_min);
        Ok(Self {
            host: *host,
            target: Target::new(params, host, r_min, r_max),
            signal: params.signal,
            update: params.update,
            increase: params.increase,
            max_rate: packets_per_ps(r_max, host),
            max_slowness: r_max / r_min,
            gain: alpha * params.m / picoseconds(params.p),
            ratio_offset: picoseconds(params.ratio_offset),
            additive_step: params.additive_step,
            max_mi: params.max_mi,
            min_md: params.min_md,
            min_cwnd: params.min_cwnd,
            max_cwnd,
            start_cwnd: params.start_cwnd.max(params.min_cwnd),
            pace: params.pace,
            retx_reset: params.retx_reset,
            packets_per_byte: 1.0 / host.mss.as_f64(),
        })
    }
}

impl CongestionControl for Poseidon {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        match self.signal {
            Signal::MaxHopDelay => Signals::RTT | Signals::MAX_HOP_DELAY,
            Signal::RoundTrip => Signals::RTT,
            // The maxima refine the signal where switches stamp; without any it is the round trip's.
            Signal::Brownfield => Signals::RTT,
        }
    }

    fn start(&self, path: &Path) -> (Flow, Decision) {
        let flow = Flow {
            cwnd: self.start_cwnd,
            rtt: path.base_rtt,
            base_rtt: path.base_rtt,
            last_decrease: Time::ZERO,
            has_decreased: false,
            retransmits: 0,
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        flow.rtt = ack.rtt;
        if ack.acked.get() > 0 {
            flow.retransmits = 0;
        }
        if let Some(delay) = self.delay_signal(flow, ack) {
            self.react(flow, ack, picoseconds(delay));
        }
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, loss: &Loss) -> Decision {
        flow.retransmits = 0;
        if can_decrease(flow, loss.now) {
            self.decrease(flow, loss.now, self.min_md);
        }
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Decision {
        flow.retransmits = flow.retransmits.saturating_add(1);
        if flow.retransmits >= self.retx_reset {
            self.decrease(flow, timeout.now, 0.0);
        } else if can_decrease(flow, timeout.now) {
            self.decrease(flow, timeout.now, self.min_md);
        }
        self.decision(flow)
    }

    fn met_congestion(&self, flow: &Flow, ack: &Ack<'_>) -> Option<bool> {
        let delay = self.delay_signal(flow, ack)?;
        Some(picoseconds(delay) > self.target_ps(ack.rtt, flow.cwnd))
    }

    fn decision(&self, flow: &Flow) -> Decision {
        match self.pace {
            Pace::BelowOnePacket => Decision::packets(&self.host, flow.cwnd, flow.rtt),
            Pace::Always => Decision::packets_paced(&self.host, flow.cwnd, flow.rtt),
        }
    }
}

impl Poseidon {
    /// The target of a flow at `rate` whose window is that rate's at the base round trip.
    #[must_use]
    pub fn target(&self, rate: Rate) -> Span {
        let cwnd = packets_per_ps(rate.as_bps_f64(), &self.host) * picoseconds(self.host.base_rtt);
        Span::from_ps(libm::round(self.target_ps(self.host.base_rtt, cwnd)) as u64)
    }

    /// The update ratio at a target and a delay, within its bounds.
    #[must_use]
    pub fn update_ratio(&self, target: Span, delay: Span) -> f64 {
        self.ratio(picoseconds(target), picoseconds(delay))
    }

    /// The rates between which the target differs, the fastest first.
    #[must_use]
    pub fn rate_range(&self) -> (Rate, Rate) {
        let fastest = self.max_rate * self.host.mtu.as_f64() * 8.0 * 1e12;
        let rate = |bps| Rate::saturating_from_bps_f64(libm::round(bps));
        (rate(fastest), rate(fastest / self.max_slowness))
    }

    /// The smallest and the largest window, in packets.
    #[must_use]
    pub fn window_bounds(&self) -> (f64, f64) {
        (self.min_cwnd, self.max_cwnd)
    }

    /// Algorithm 1, ReceiveACK. Near the target growing and falling alternate at random, so both
    /// are computed and one is chosen without a branch.
    fn react(&self, flow: &mut Flow, ack: &Ack<'_>, delay: f64) {
        let target = self.target_ps(ack.rtt, flow.cwnd);
        let ratio = self.ratio(target, delay);
        let acked = ack.acked.as_f64() * self.packets_per_byte;
        let step = match self.increase {
            Increase::Adaptive => (ratio - 1.0) * acked,
            Increase::Additive => self.additive_step * acked / flow.cwnd.max(1.0),
        };
        let grown = (flow.cwnd + step).min(self.max_cwnd);
        let fallen = (flow.cwnd * ratio).max(self.min_cwnd);
        let fallen = select_unpredictable(can_decrease(flow, ack.now), fallen, flow.cwnd);
        let cwnd = select_unpredictable(delay <= target, grown, fallen);
        let fell = cwnd < flow.cwnd;
        flow.last_decrease = select_unpredictable(fell, ack.now, flow.last_decrease);
        flow.has_decreased |= fell;
        flow.cwnd = cwnd;
    }

    fn decrease(&self, flow: &mut Flow, now: Time, factor: f64) {
        let before = flow.cwnd;
        flow.cwnd = (before * factor).max(self.min_cwnd);
        if flow.cwnd < before {
            flow.last_decrease = now;
            flow.has_decreased = true;
        }
    }

    /// The delay to hold against the target, if the ack brings one.
    fn delay_signal(&self, flow: &Flow, ack: &Ack<'_>) -> Option<Span> {
        let queueing = || ack.network_rtt().saturating_sub(flow.base_rtt);
        match (self.signal, ack.telemetry) {
            (Signal::MaxHopDelay, Telemetry::MaxHop { forward, .. }) => Some(forward),
            (Signal::MaxHopDelay, _) => None,
            (Signal::RoundTrip, _) => Some(queueing()),
            (Signal::Brownfield, Telemetry::MaxHop { forward, reverse }) => {
                Some(forward.max(queueing().saturating_sub(forward).saturating_sub(reverse)))
            }
            (Signal::Brownfield, _) => Some(queueing()),
        }
    }

    /// T of a flow whose window takes `rtt`, in picoseconds.
    fn target_ps(&self, rtt: Span, cwnd: f64) -> f64 {
        // r_max / rate: one division, and a round trip of zero is simply the fastest flow.
        let slowness = || (self.max_rate * picoseconds(rtt) / cwnd).clamp(1.0, self.max_slowness);
        match self.target {
            Target::LogRate { k, slope } => k + slope * maths::ln(slowness()),
            Target::SqrtRate { scale, offset } => scale * libm::sqrt(slowness()) + offset,
            Target::SqrtCwnd { scale, offset, min_cwnd, max_cwnd } => {
                scale / libm::sqrt(cwnd.clamp(min_cwnd, max_cwnd)) + offset
            }
            Target::Fixed(target) => target,
        }
    }

    /// U, within its bounds.
    fn ratio(&self, target: f64, delay: f64) -> f64 {
        self.unbounded_ratio(target, delay).clamp(self.min_md, self.max_mi)
    }

    /// U as in Eqs. 4 and 13; times in picoseconds.
    fn unbounded_ratio(&self, target: f64, delay: f64) -> f64 {
        match self.update {
            Update::Distance => maths::exp((target - delay) * self.gain),
            // No delay and no offset: as far below the target as can be; the bound decides.
            Update::Ratio if delay + self.ratio_offset <= 0.0 => f64::MAX,
            Update::Ratio => (target + self.ratio_offset) / (delay + self.ratio_offset),
        }
    }
}

impl Target {
    fn new(params: &Params, host: &Host, min_rate: f64, max_rate: f64) -> Self {
        let (k, p) = (picoseconds(params.k), picoseconds(params.p));
        let alpha = libm::log(max_rate / min_rate);
        // With r_min = r_max there is one rate only and its target is k.
        let slope = if alpha > 0.0 { p / alpha } else { 0.0 };
        let anchor = params.sqrt_anchor.map_or(max_rate / 100.0, Rate::as_bps_f64).clamp(min_rate, max_rate);
        // The line in 1/√x through (x_low, T_low) and (x_high, k).
        let through = |x_low: f64, x_high: f64| {
            let run = 1.0 / libm::sqrt(x_low) - 1.0 / libm::sqrt(x_high);
            let rise = slope * libm::log(max_rate / anchor);
            let scale = if run > 0.0 { rise / run } else { 0.0 };
            (scale, k - scale / libm::sqrt(x_high))
        };
        match params.target {
            TargetShape::LogRate => Self::LogRate { k, slope },
            TargetShape::SqrtRate => {
                let (scale, offset) = through(anchor / max_rate, 1.0);
                Self::SqrtRate { scale, offset }
            }
            TargetShape::SqrtCwnd => {
                let window = |rate| packets_per_ps(rate, host) * picoseconds(host.base_rtt);
                let (scale, offset) = through(window(anchor), window(max_rate));
                Self::SqrtCwnd { scale, offset, min_cwnd: window(min_rate), max_cwnd: window(max_rate) }
            }
            TargetShape::Fixed => Self::Fixed(picoseconds(params.fixed_target)),
        }
    }
}

fn picoseconds(span: Span) -> f64 {
    span.as_ps() as f64
}

/// A rate in bit/s as full packets per picosecond.
fn packets_per_ps(bps: f64, host: &Host) -> f64 {
    bps / (host.mtu.as_f64() * 8.0) * 1e-12
}

/// At most one decrease per round trip.
fn can_decrease(flow: &Flow, now: Time) -> bool {
    !flow.has_decreased | (now.saturating_since(flow.last_decrease) > flow.rtt)
}

#[cfg(test)]
mod tests;
