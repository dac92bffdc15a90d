//! DCQCN: rates cut by congestion notifications and recovered by timers.
//!
//! ```text
//! cut:    R_t = R;  R ·= 1 − α/2                      α ← (1 − g) · α + g   if notified
//! α timer:                                            α ← (1 − g) · α       if not
//! step s: R_t = min(C, R_t + s);  R = (R + R_t) / 2
//!         s = 0      fast recovery: back to where the cut began, half the way per step
//!         s = R_ai   additive increase
//!         s = R_hai  hyper increase
//!
//! sigcomm15:  cut at each notification; timer and byte counter, both restarted by it, count
//!             their expiries T and B; each expiry is one step:
//!             max(T, B) < F: 0     min(T, B) > F: (min(T, B) − F) · R_hai     else R_ai
//! artifact:   every t_dec: cut if notified since; one timer, restarted by a cut, steps with
//!             T < F: 0     T = F: R_ai     T > F: R_hai        (T counted after the step)
//! ```
//!
//! The receiver tells of marked packets at most once per 50 µs and flow. α follows the share of
//! time in which it did, so that rare marks cut little and steady marks cut half, as in DCTCP;
//! since nothing arrives when there is no congestion, recovery is driven by clocks.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | R, R_t | sending rate; target, the rate before the last cut and what was added since | bit/s |
//! | α, g | estimate of congestion; its gain | 1 |
//! | F | expiries until additive increase | 1 |
//! | R_ai, R_hai | steps of the target | bit/s |
//! | C | rate of the card | bit/s |
//!
//! Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM'15, and the
//! form of a vendor's card that HPCC's ns-3 fork brought
//! (github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a) and PowerTCP's fork kept
//! (github.com/inet-tub/ns3-datacenter at 6ddb4a4): "artifact".
//!
//! # Deviations
//! Where the sources contradict each other or are silent, we chose:
//! - *Notification* is an ack with [`Ack::ece`]. The paper's receiver sends them at least 50 µs
//!   apart; a transport that echoes every mark does not, so the paper's timers keep that distance
//!   here (`cnp_interval`): marks in between are the same notification. It is kept on average and
//!   one may come half an interval early, so that jitter on the way swallows none that the receiver
//!   had spaced. The artifact echoes every mark, and its timers do the spacing.
//! - *Byte counter.* It counts sent bytes in the paper; laws hear of acks only, so it counts acked
//!   bytes, which lag by a round trip.
//! - *Hyper increase* by i · R_hai: i is not defined in the paper; min(T, B) − F as in QCN, and at
//!   most 64, by when R_hai has been added 2,080 times. R_hai has no value in the paper: ten R_ai,
//!   the artifact's ratio.
//! - *Order.* The paper's notification cuts with the α before it; the artifact's timer updates α a
//!   nanosecond before it cuts.
//! - *First notification in the artifact*: sets α = 1, starts the timers and leaves the rate (its
//!   `rateOnFirstCnp` is 1 in all published runs); the first cut comes t_dec later.
//! - *Target on a cut in the artifact*: R_t = R only if a step was taken since the last cut or
//!   `clamp_target` is set, so that several cuts in a row recover to where the first began.
//! - *Timers that nobody sees.* α is brought up to date when it is used, and steps of a flow at
//!   line rate are counted when time is next looked at, both in closed form: a flow asks to be
//!   woken only for what changes its rate, and a wake-up that comes days late costs no more than
//!   one in time. A rate within half a bit/s of its target is at it.
//! - *Smallest rate*: not in the paper; 1 Mb/s is ours.
//! - *Loss and timeouts* are left to a lossless network in all sources: no reaction.

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{ParamError, not_above};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Rate, Span, Time};

crate::choice! {
    /// What cuts and what steps.
    pub enum Timers {
        /// The paper's: cut at each notification; a timer and a byte counter step.
        Sigcomm15 = "sigcomm15",
        /// The artifact's: a timer cuts if there was a notification; another steps.
        Artifact = "artifact",
    }
}

crate::choice! {
    /// What limits the bytes in flight.
    pub enum Window {
        /// Nothing.
        None = "none",
        /// What the rate sends in a base round trip ("vwin" in the artifact).
        Rate = "rate",
    }
}

crate::parameters! {
    /// DCQCN's parameters.
    pub struct Params {
        /// What cuts and what steps.
        timers: Timers,
        /// Period of the α timer.
        alpha_period: Span where [Span::from_ns(1), Span::from_s(100)],
        /// t_dec: period at which the artifact cuts.
        decrease_period: Span where [Span::from_ns(1), Span::from_s(100)],
        /// Shortest average time between two notifications that the paper's timers heed; marks in
        /// between belong to the first. The artifact's take every mark.
        cnp_interval: Span where [Span::ZERO, Span::from_s(100)],
        /// Period of the timer that steps.
        increase_period: Span where [Span::from_ns(1), Span::from_s(100)],
        /// The paper's byte counter steps after so many bytes.
        byte_counter: Bytes where [Bytes::new(1), Bytes::from_mb(1_000_000)],
        /// g: gain of α.
        gain: f64 where [0.0, 1.0],
        /// F: expiries until additive increase.
        fast_recovery: u32 where [0, 1_000],
        /// R_ai; `"auto"` = a five-thousandth of the line rate (5 Mb/s at 25 Gb/s).
        ai_rate: Option<Rate> where [Rate::ZERO, Rate::from_gbps(100_000)],
        /// R_hai; `"auto"` = ten times R_ai.
        hai_rate: Option<Rate> where [Rate::ZERO, Rate::from_gbps(100_000)],
        /// Smallest rate.
        min_rate: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// Whether each cut of the artifact lowers the target, too.
        clamp_target: bool,
        /// What limits the bytes in flight.
        window: Window,
    }
    presets {
        "sigcomm15" => sigcomm15, "DCQCN, SIGCOMM'15: g 1/256, 55 µs, 10 MB, F 5, R_ai 40 Mb/s",
        "hpcc-artifact" => hpcc_artifact, "HPCC's ns-3 at 9f4be2a, run.py \"dcqcn\": 1/4/300 µs, R_ai 5·C/25G Mb/s",
        "powertcp-nsdi22" => powertcp_nsdi22, "PowerTCP's ns-3 at 6ddb4a4, as HPCC's config.txt: 1/4/900 µs, 50/100 Mb/s",
        "incast16" => incast16, "our 16:1 incast run of HPCC's ns-3 at 100 Gb/s: 1/4/300 µs, 20/200 Mb/s",
    }
}

impl Params {
    /// The paper's; R_hai and the smallest rate are ours.
    #[must_use]
    pub fn sigcomm15() -> Self {
        Self {
            timers: Timers::Sigcomm15,
            alpha_period: Span::from_us(55),
            decrease_period: Span::from_us(50),
            cnp_interval: Span::from_us(50),
            increase_period: Span::from_us(55),
            byte_counter: Bytes::from_mb(10),
            gain: 1.0 / 256.0,
            fast_recovery: 5,
            ai_rate: Some(Rate::from_mbps(40)),
            hai_rate: None,
            min_rate: Rate::from_mbps(1),
            clamp_target: false,
            window: Window::None,
        }
    }

    /// HPCC's simulator as its script sets it: 5 and 50 Mb/s per 25 Gb/s.
    #[must_use]
    pub fn hpcc_artifact() -> Self {
        Self {
            timers: Timers::Artifact,
            alpha_period: Span::from_us(1),
            decrease_period: Span::from_us(4),
            cnp_interval: Span::ZERO,
            increase_period: Span::from_us(300),
            fast_recovery: 1,
            ai_rate: None,
            hai_rate: None,
            min_rate: Rate::from_gbps(1),
            ..Self::sigcomm15()
        }
    }

    /// PowerTCP's evaluation, which took HPCC's configuration file.
    #[must_use]
    pub fn powertcp_nsdi22() -> Self {
        Self {
            increase_period: Span::from_us(900),
            ai_rate: Some(Rate::from_mbps(50)),
            hai_rate: Some(Rate::from_mbps(100)),
            min_rate: Rate::from_mbps(100),
            ..Self::hpcc_artifact()
        }
    }

    /// The run that our simulator is compared with.
    #[must_use]
    pub fn incast16() -> Self {
        Self {
            ai_rate: Some(Rate::from_mbps(20)),
            hai_rate: Some(Rate::from_mbps(200)),
            ..Self::hpcc_artifact()
        }
    }
}

/// Largest i of the paper's i · R_hai.
const MOST_HYPER: u32 = 64;

/// By how much the artifact's cut comes after the α timer.
const CUT_AFTER_ALPHA: Span = Span::from_ns(1);

/// Up to so many steps are faster one by one than in closed form.
const FEW: u64 = 4;

/// DCQCN with its constants. Rates in bit/s.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    host: Host,
    timers: Timers,
    alpha_period: Span,
    decrease_period: Span,
    cnp_interval: Span,
    increase_period: Span,
    byte_counter: u64,
    gain: f64,
    fast_recovery: u32,
    ai_rate: f64,
    hai_rate: f64,
    min_rate: f64,
    max_rate: f64,
    clamp_target: bool,
    window: Window,
    base_rtt: f64,
}

/// What DCQCN remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// R, bit/s.
    rate: f64,
    /// R_t, bit/s.
    target: f64,
    /// α as of `alpha_since`.
    alpha: f64,
    alpha_since: Time,
    /// Artifact: whether a notification came since the last α timer.
    alpha_seen: bool,
    /// Artifact: when the notifications since the last cut will be acted upon, if there are any.
    cut_at: Time,
    /// Artifact: from when on cuts are t_dec apart; never before the first notification.
    cuts_since: Time,
    /// Paper: when the next notification is due at the earliest, on average.
    notification_due: Time,
    /// When the timer steps next; never before the first cut.
    step_at: Time,
    /// T: expiries of the timer.
    timer_stage: u32,
    /// B: expiries of the byte counter.
    byte_stage: u32,
    /// Bytes since its last expiry.
    counted: u64,
}

impl Flow {
    /// R.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate::saturating_from_bps_f64(self.rate)
    }

    /// R_t.
    #[must_use]
    pub fn target(&self) -> Rate {
        Rate::saturating_from_bps_f64(self.target)
    }
}

/// Whose expiry makes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    Timer,
    Bytes,
}

impl Configure for Dcqcn {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        not_above("min_rate", params.min_rate, "nic_rate", host.nic_rate)?;
        let max_rate = host.nic_rate.as_bps_f64();
        let ai_rate = params.ai_rate.map_or(max_rate / 5_000.0, Rate::as_bps_f64);
        Ok(Self {
            host: *host,
            timers: params.timers,
            alpha_period: params.alpha_period,
            decrease_period: params.decrease_period,
            cnp_interval: params.cnp_interval,
            increase_period: params.increase_period,
            byte_counter: params.byte_counter.get().max(1),
            gain: params.gain,
            fast_recovery: params.fast_recovery,
            ai_rate,
            hai_rate: params.hai_rate.map_or(10.0 * ai_rate, Rate::as_bps_f64),
            min_rate: params.min_rate.as_bps_f64(),
            max_rate,
            clamp_target: params.clamp_target,
            window: params.window,
            base_rtt: host.base_rtt.as_secs_f64(),
        })
    }
}

impl CongestionControl for Dcqcn {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::ECN
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let flow = Flow {
            rate: self.max_rate,
            target: self.max_rate,
            alpha: 1.0,
            alpha_since: Time::NEVER,
            alpha_seen: false,
            cut_at: Time::NEVER,
            cuts_since: Time::NEVER,
            notification_due: Time::ZERO,
            step_at: Time::NEVER,
            timer_stage: 0,
            byte_stage: 0,
            counted: 0,
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        self.catch_up(flow, ack.now);
        match self.timers {
            Timers::Sigcomm15 => {
                self.count_bytes(flow, ack.acked);
                if ack.ece && self.is_new_notification(flow, ack.now) {
                    self.notified(flow, ack.now);
                }
            }
            Timers::Artifact if ack.ece => self.note(flow, ack.now),
            Timers::Artifact => {}
        }
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, loss: &Loss) -> Decision {
        self.catch_up(flow, loss.now);
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Decision {
        self.catch_up(flow, timeout.now);
        self.decision(flow)
    }

    fn on_timer(&self, flow: &mut Flow, now: Time) -> Decision {
        self.catch_up(flow, now);
        self.decision(flow)
    }

    fn decision(&self, flow: &Flow) -> Decision {
        let decision = match self.window {
            Window::None => Decision::rate_only(&self.host, flow.rate),
            Window::Rate => Decision::paced(&self.host, flow.rate * self.base_rtt / 8.0, flow.rate),
        };
        // At line rate steps change nothing; they are counted when time is next looked at.
        let step_at = if flow.rate < self.max_rate { flow.step_at } else { Time::NEVER };
        decision.waking_at(step_at.min(flow.cut_at))
    }
}

impl Dcqcn {
    /// All that timers did until `now`, in their order. At most one cut is pending, since only
    /// notifications ask for one and each has been looked at when it came.
    fn catch_up(&self, flow: &mut Flow, now: Time) {
        if flow.cut_at <= now {
            let at = flow.cut_at;
            self.step_until(flow, at);
            self.age_alpha(flow, at);
            self.scheduled_cut(flow, at);
        }
        self.step_until(flow, now);
    }

    /// Whether a mark is a notification of its own. What comes early is charged to the next, so
    /// that the distance is kept on average.
    fn is_new_notification(&self, flow: &mut Flow, now: Time) -> bool {
        let early = flow.notification_due.saturating_since(now);
        let heeded = early.as_ps() <= self.cnp_interval.as_ps() / 2;
        if heeded {
            flow.notification_due = flow.notification_due.max(now).saturating_add(self.cnp_interval);
        }
        heeded
    }

    /// The paper's reaction to a notification.
    fn notified(&self, flow: &mut Flow, now: Time) {
        self.age_alpha(flow, now);
        flow.target = flow.rate;
        self.cut(flow);
        flow.alpha = (1.0 - self.gain) * flow.alpha + self.gain;
        flow.alpha_since = now;
        flow.step_at = now.saturating_add(self.increase_period);
        flow.timer_stage = 0;
        flow.byte_stage = 0;
        flow.counted = 0;
    }

    /// The artifact's reaction to a notification: a note for its timers.
    fn note(&self, flow: &mut Flow, now: Time) {
        if flow.cuts_since == Time::NEVER {
            flow.alpha = 1.0;
            flow.alpha_since = now;
            flow.target = flow.rate;
            flow.cuts_since = now.saturating_add(CUT_AFTER_ALPHA);
        } else {
            self.age_alpha(flow, now);
            flow.alpha_seen = true;
        }
        if flow.cut_at == Time::NEVER {
            let periods = now.saturating_since(flow.cuts_since).as_ps() / self.decrease_period.as_ps();
            let until = self.decrease_period.saturating_mul(periods.saturating_add(1));
            flow.cut_at = flow.cuts_since.saturating_add(until);
        }
    }

    /// The artifact's cut.
    fn scheduled_cut(&self, flow: &mut Flow, at: Time) {
        if self.clamp_target || flow.timer_stage != 0 {
            flow.target = flow.rate;
        }
        self.cut(flow);
        flow.timer_stage = 0;
        flow.cut_at = Time::NEVER;
        flow.step_at = at.saturating_add(self.increase_period);
    }

    fn cut(&self, flow: &mut Flow) {
        flow.rate = (flow.rate * (1.0 - flow.alpha / 2.0)).max(self.min_rate);
    }

    /// α after all periods until `now`: the first counts what was seen, the others find nothing.
    fn age_alpha(&self, flow: &mut Flow, now: Time) {
        let periods = now.saturating_since(flow.alpha_since).as_ps() / self.alpha_period.as_ps();
        if periods == 0 {
            return;
        }
        let kept = 1.0 - self.gain;
        let seen = if flow.alpha_seen { self.gain } else { 0.0 };
        flow.alpha = (kept * flow.alpha + seen) * power(kept, periods - 1);
        flow.alpha_seen = false;
        flow.alpha_since = flow.alpha_since.saturating_add(self.alpha_period.saturating_mul(periods));
    }

    /// All steps of the timer until `now`.
    fn step_until(&self, flow: &mut Flow, now: Time) {
        if flow.step_at > now || flow.step_at == Time::NEVER {
            return;
        }
        let late = now.saturating_since(flow.step_at);
        // In time, as most are, it needs no division.
        let more = if late < self.increase_period { 0 } else { late.as_ps() / self.increase_period.as_ps() };
        let expiries = 1 + more;
        flow.step_at = flow.step_at.saturating_add(self.increase_period.saturating_mul(expiries));
        self.steps(flow, Clock::Timer, expiries);
    }

    /// All steps of the byte counter.
    fn count_bytes(&self, flow: &mut Flow, acked: Bytes) {
        flow.counted = flow.counted.saturating_add(acked.get());
        if flow.counted >= self.byte_counter {
            let expiries = flow.counted / self.byte_counter;
            flow.counted %= self.byte_counter;
            self.steps(flow, Clock::Bytes, expiries);
        }
    }

    /// So many expiries of one clock. Those with equal steps are taken together; there are at most
    /// F of the first kind, and `MOST_HYPER` kinds after it.
    fn steps(&self, flow: &mut Flow, clock: Clock, expiries: u64) {
        let mut left = expiries;
        while left > 0 {
            let (step, run) = self.next_steps(flow, clock);
            let count = left.min(run);
            self.climb(flow, step, count);
            let stage = match clock {
                Clock::Timer => &mut flow.timer_stage,
                Clock::Bytes => &mut flow.byte_stage,
            };
            // Beyond this no expiry changes the kind of step any more.
            let last = self.fast_recovery + MOST_HYPER;
            *stage = stage.saturating_add(u32::try_from(count).unwrap_or(u32::MAX)).min(last);
            left -= count;
        }
    }

    /// The next step of this clock, and how many such steps follow each other at least.
    fn next_steps(&self, flow: &Flow, clock: Clock) -> (f64, u64) {
        let threshold = self.fast_recovery;
        match self.timers {
            Timers::Artifact if flow.timer_stage < threshold => {
                (0.0, u64::from(threshold - flow.timer_stage))
            }
            Timers::Artifact if flow.timer_stage == threshold => (self.ai_rate, 1),
            Timers::Artifact => (self.hai_rate, u64::MAX),
            Timers::Sigcomm15 => {
                let (own, other) = match clock {
                    Clock::Timer => (flow.timer_stage, flow.byte_stage),
                    Clock::Bytes => (flow.byte_stage, flow.timer_stage),
                };
                let last = threshold + MOST_HYPER;
                let own = (own + 1).min(last);
                // Whatever this clock does, the other's stage bounds what is taken together.
                if own.max(other) < threshold {
                    (0.0, u64::from(threshold - own))
                } else if own.min(other) > threshold {
                    let step = f64::from(own.min(other) - threshold) * self.hai_rate;
                    (step, if own < other { 1 } else { u64::MAX })
                } else if other > threshold {
                    (self.ai_rate, u64::from(threshold + 1 - own))
                } else {
                    (self.ai_rate, u64::MAX)
                }
            }
        }
    }

    /// `count` times R_t = min(C, R_t + s), R = (R + R_t)/2. With D = R_t − R each is
    /// D ← (D + s)/2, so that k of them make D ← s + (D − s) · 2⁻ᵏ.
    fn climb(&self, flow: &mut Flow, step: f64, count: u64) {
        if count <= FEW {
            for _ in 0..count {
                flow.target = (flow.target + step).min(self.max_rate);
                self.keep_below(flow, (flow.target - flow.rate) / 2.0);
            }
            return;
        }
        let mut gap = flow.target - flow.rate;
        let mut left = count;
        if step > 0.0 {
            // `as` saturates: as many whole steps as fit below the line rate.
            let whole = left.min(((self.max_rate - flow.target) / step) as u64);
            gap = step + halved(gap - step, whole);
            flow.target += step * whole as f64;
            left -= whole;
            if left > 0 {
                let rest = (self.max_rate - flow.target).max(0.0);
                gap = (gap + rest) / 2.0;
                flow.target = self.max_rate;
                left -= 1;
            }
        }
        self.keep_below(flow, halved(gap, left));
    }

    /// R = R_t − D; a difference finer than rates are expressed is none.
    fn keep_below(&self, flow: &mut Flow, gap: f64) {
        let gap = if gap < 0.5 { 0.0 } else { gap };
        flow.rate = (flow.target - gap).clamp(self.min_rate, self.max_rate);
    }
}

/// `value` · 2⁻ᵗⁱᵐᵉˢ.
fn halved(value: f64, times: u64) -> f64 {
    // Beyond 2⁻²⁰⁰⁰ every number is zero.
    libm::ldexp(value, -i32::try_from(times.min(2_000)).unwrap_or(2_000))
}

/// `base`ᵉˣᵖᵒⁿᵉⁿᵗ for a base from 0 to 1.
fn power(base: f64, exponent: u64) -> f64 {
    if exponent == 0 { 1.0 } else { libm::pow(base, exponent as f64) }
}

#[cfg(test)]
mod tests;
