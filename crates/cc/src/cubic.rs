//! CUBIC: the window follows a cubic function of the time since the last congestion.
//!
//! ```text
//! W(t)    = C · (t − K)³ + W_max,   K = ∛((W_max − cwnd_epoch) / C)                (Eq. 1, 2)
//! W_est  += α · acked / cwnd,       α = 3(1 − β)/(1 + β);  1 once W_est ≥ cwnd_prior  (Eq. 4)
//! target  = W(t + RTT) clamped to [cwnd, 1.5 · cwnd]
//!
//! ack, cwnd < ssthresh:   cwnd += min(acked, 1)                                 slow start
//! ack, W(t) < W_est:      cwnd = W_est                                      Reno-friendly
//! ack, else:              cwnd += (target − cwnd) / cwnd · acked           concave, convex
//!
//! congestion:   W_max = cwnd < W_max ? cwnd · (1 + β)/2 : cwnd              fast convergence
//!               cwnd_prior = cwnd
//!               loss:  cwnd = max(β · flight, 2)       echo:  cwnd = max(β · cwnd, 1)
//!               ssthresh = max(the same, 2)
//! timeout:      ssthresh = max(β · flight, 2), cwnd = 1; the next avoidance starts with
//!               K = 0 and W_max = W_est = cwnd
//! ```
//!
//! Growth is fast far below the window at which congestion was met, flat around it, and fast again
//! beyond it. Because it depends on time and not on round trips, flows with different round trips
//! grow alike; where round trips are short, Reno would grow faster and CUBIC follows it.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | cwnd, ssthresh | window, and where slow start ends | packets |
//! | W_max | window at which congestion was met | packets |
//! | W_est | window that Reno would have | packets |
//! | cwnd_prior | window before the last reduction | packets |
//! | cwnd_epoch | window when this avoidance began | packets |
//! | t | time in this avoidance | s |
//! | K | time from the beginning of avoidance to W_max | s |
//! | RTT | smoothed round trip | s |
//! | C | steepness | packets/s³ |
//! | β | what a reduction leaves | 1 |
//! | acked, flight | newly acked, and in flight | packets |
//!
//! Source: RFC 9438 (2023), §4.2–4.10 and §5.8; RFC 5681 for slow start and timeouts; RFC 6298 for
//! the smoothed round trip.
//!
//! # Deviations
//! - *Slow start* is Reno's. The RFC recommends HyStart++ and allows this.
//! - *Slow start at cwnd = ssthresh*: §4.10 would send a flow that has just been reduced into slow
//!   start for one ack. We leave slow start at ssthresh, as RFC 5681 allows.
//! - *Reno-friendly window*: "cwnd = W_est" never lowers cwnd here; §4.2 summarises the rule as the
//!   higher of the two.
//! - *Echo*: the reduction is of cwnd rather than of flight, which §4.6 permits if a window that is
//!   not in use does not grow; here it grows only while at least half of it is in flight.
//! - *Application-limited time* (§5.8) is cut out of t: the span up to an ack that finds less than
//!   half of the window in use does not count.
//! - *W_max ≤ cwnd_epoch* (floors at small windows) would give a negative K; the plateau is then
//!   put at cwnd_epoch with K = 0.
//! - *Acks of several packets* count as that many acks, and never raise cwnd beyond target.
//! - *Spurious losses* (§4.9, optional) are not undone: the transport does not detect them.
//! - *A window of one packet that is still marked* should wait for a timer; ours stays at one.

use crate::episode::{Episode, LossNews, Place};
use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::ParamError;
use crate::reno::{LARGEST_WINDOW, uses_window};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Time};

/// RFC 6298: the weight of a new sample in the smoothed round trip.
const RTT_GAIN: f64 = 0.125;
/// Growth per round trip stays below slow start's (§4.2).
const STEEPEST: f64 = 1.5;
/// Smallest window after a loss, and smallest threshold, in packets.
const LOSS_FLOOR: f64 = 2.0;
/// Smallest window after an echo, in packets.
const ECHO_FLOOR: f64 = 1.0;

crate::parameters! {
    /// CUBIC's parameters.
    pub struct Params {
        /// C: steepness of the curve, in packets per cubic second.
        c: f64 where [1e-6, 1e9],
        /// β: what a reduction leaves of the window.
        beta: f64 where [0.01, 0.99],
        /// Give up more of the window when congestion comes before the last maximum is reached.
        fast_convergence: bool,
        /// First window, in packets.
        initial_window: f64 where [1.0, 1e6],
        /// Grow only while at least half of the window is in flight, and cut idle time out of t.
        validate_window: bool,
    }
    presets {
        "rfc9438" => rfc9438, "RFC 9438: C 0.4, β 0.7, fast convergence",
        "lone-flow" => lone_flow, "RFC 9438 §4.7: without fast convergence, for a flow that is alone",
        "linux" => linux, "Linux tcp_cubic: C 410/1024, β 717/1024, plain slow start",
    }
}

impl Params {
    /// The standard.
    #[must_use]
    pub fn rfc9438() -> Self {
        Self { c: 0.4, beta: 0.7, fast_convergence: true, initial_window: 10.0, validate_window: true }
    }

    /// A flow without competitors has nobody to make room for.
    #[must_use]
    pub fn lone_flow() -> Self {
        Self { fast_convergence: false, ..Self::rfc9438() }
    }

    /// The fixed-point constants of Linux: 0.4004 and 0.7002.
    #[must_use]
    pub fn linux() -> Self {
        Self { c: 410.0 / 1024.0, beta: 717.0 / 1024.0, ..Self::rfc9438() }
    }
}

/// CUBIC with its constants.
#[derive(Clone, Debug)]
pub struct Cubic {
    host: Host,
    c: f64,
    beta: f64,
    /// α of Eq. 4: AIMD with β that is as fast as Reno on average.
    alpha: f64,
    fast_convergence: bool,
    validate_window: bool,
    start_cwnd: f64,
    max_cwnd: f64,
    mss: f64,
    packets_per_byte: f64,
}

/// How the present avoidance began.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// It has not: its first ack will begin it, on the curve to W_max.
    Due,
    /// The same, with K = 0: there is no W_max, or a timeout has made it void.
    DueFlat,
    /// It began at this time, moved later by the time that the application left unused.
    Since(Time),
}

/// What CUBIC remembers of a flow. Windows in packets, times in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    cwnd: f64,
    ssthresh: f64,
    w_max: f64,
    w_est: f64,
    cwnd_prior: f64,
    k: f64,
    rtt: f64,
    stage: Stage,
    last_ack: Time,
    acked_to: Bytes,
    episode: Episode,
    /// The timer expired and nothing new was acked since.
    expired: bool,
}

impl Flow {
    /// The window in packets.
    #[must_use]
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// The window at which slow start ends, in packets.
    #[must_use]
    pub fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    /// W_max in packets.
    #[must_use]
    pub fn w_max(&self) -> f64 {
        self.w_max
    }
}

impl Configure for Cubic {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let mss = host.mss.as_f64();
        let max_cwnd = LARGEST_WINDOW / mss;
        Ok(Self {
            host: *host,
            c: params.c,
            beta: params.beta,
            alpha: 3.0 * (1.0 - params.beta) / (1.0 + params.beta),
            fast_convergence: params.fast_convergence,
            validate_window: params.validate_window,
            start_cwnd: params.initial_window.min(max_cwnd),
            max_cwnd,
            mss,
            packets_per_byte: 1.0 / mss,
        })
    }
}

impl CongestionControl for Cubic {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::RTT
    }

    fn start(&self, path: &Path) -> (Flow, Decision) {
        let flow = Flow {
            cwnd: self.start_cwnd,
            ssthresh: self.max_cwnd,
            w_max: 0.0,
            w_est: 0.0,
            cwnd_prior: self.max_cwnd,
            k: 0.0,
            rtt: path.base_rtt.as_secs_f64(),
            stage: Stage::DueFlat,
            last_ack: Time::ZERO,
            acked_to: Bytes::ZERO,
            episode: Episode::default(),
            expired: false,
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        // The first sample counts as it is (RFC 6298 §2.2).
        let first = flow.last_ack == Time::ZERO;
        let rtt = ack.rtt.as_secs_f64();
        flow.rtt = if first { rtt } else { flow.rtt + RTT_GAIN * (rtt - flow.rtt) };
        let covered = ack.acked_to.saturating_sub(flow.acked_to);
        flow.acked_to = flow.acked_to.max(ack.acked_to);
        flow.expired &= covered == Bytes::ZERO;

        if flow.episode.on_ack(ack.acked_to) == Place::Free {
            if !ack.ece {
                self.grow(flow, ack, covered.as_f64() * self.packets_per_byte);
            } else if flow.episode.is_over() {
                self.congestion(flow, flow.cwnd, ECHO_FLOOR);
                flow.episode.reduce(ack.sent_to);
            }
        }
        flow.last_ack = flow.last_ack.max(ack.now);
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, loss: &Loss) -> Decision {
        match flow.episode.judge_loss(flow.acked_to) {
            LossNews::TimedOut => return self.decision(flow),
            LossNews::Echoed => {}
            LossNews::New => self.congestion(flow, self.flight(flow, loss.in_flight), LOSS_FLOOR),
        }
        flow.episode.recover(loss.sent_to);
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Decision {
        // When the timer expires again for the same packet the threshold stays (RFC 5681 §3.1).
        if !flow.expired {
            self.congestion(flow, self.flight(flow, timeout.in_flight), LOSS_FLOOR);
        }
        flow.expired = true;
        flow.cwnd = 1.0;
        flow.stage = Stage::DueFlat;
        flow.episode.restart(timeout.sent_to);
        self.decision(flow)
    }

    fn decision(&self, flow: &Flow) -> Decision {
        Decision::unpaced(&self.host, flow.cwnd * self.mss)
    }
}

impl Cubic {
    /// §4.2 to §4.5 and §4.10: `acked` packets were acked outside recovery.
    fn grow(&self, flow: &mut Flow, ack: &Ack<'_>, acked: f64) {
        if self.validate_window && !uses_window(flow.cwnd * self.mss, ack) {
            if let Stage::Since(epoch) = flow.stage {
                let unused = ack.now.saturating_since(flow.last_ack);
                flow.stage = Stage::Since(epoch.saturating_add(unused));
            }
            return;
        }
        if acked <= 0.0 {
            return;
        }
        let grown = if flow.cwnd < flow.ssthresh {
            flow.cwnd + acked.min(1.0)
        } else {
            let epoch = self.epoch(flow, ack.now);
            self.avoid(flow, ack.now.saturating_since(epoch).as_secs_f64(), acked)
        };
        flow.cwnd = grown.min(self.max_cwnd);
    }

    /// When this avoidance began; it begins now if it has not.
    fn epoch(&self, flow: &mut Flow, now: Time) -> Time {
        if let Stage::Since(epoch) = flow.stage {
            return epoch;
        }
        if flow.w_max == 0.0 {
            // Slow start ended without congestion (§4.10).
            flow.cwnd_prior = flow.cwnd;
        }
        flow.w_est = flow.cwnd;
        if flow.stage == Stage::DueFlat || flow.w_max <= flow.cwnd {
            flow.w_max = flow.cwnd;
        }
        flow.k = libm::cbrt((flow.w_max - flow.cwnd) / self.c);
        flow.stage = Stage::Since(now);
        now
    }

    /// The window after `t` seconds of avoidance and `acked` more packets.
    fn avoid(&self, flow: &mut Flow, t: f64, acked: f64) -> f64 {
        // An ack cannot cover more than the window that was sent.
        let share = (acked / flow.cwnd).min(1.0);
        let alpha = if flow.w_est < flow.cwnd_prior { self.alpha } else { 1.0 };
        flow.w_est = (flow.w_est + alpha * share).min(self.max_cwnd);
        if self.curve(flow, t) < flow.w_est {
            return flow.w_est.max(flow.cwnd);
        }
        let target = self.curve(flow, t + flow.rtt).clamp(flow.cwnd, STEEPEST * flow.cwnd);
        flow.cwnd + (target - flow.cwnd) * share
    }

    /// W(t), Eq. 1.
    fn curve(&self, flow: &Flow, t: f64) -> f64 {
        let since_plateau = t - flow.k;
        self.c * since_plateau * since_plateau * since_plateau + flow.w_max
    }

    /// §4.6 and §4.7: `used` packets of the window met congestion.
    fn congestion(&self, flow: &mut Flow, used: f64, floor: f64) {
        let gives_way = self.fast_convergence && flow.cwnd < flow.w_max;
        flow.w_max = if gives_way { flow.cwnd * (1.0 + self.beta) * 0.5 } else { flow.cwnd };
        flow.cwnd_prior = flow.cwnd;
        flow.cwnd = (self.beta * used).max(floor);
        flow.ssthresh = (self.beta * used).max(LOSS_FLOOR);
        flow.stage = Stage::Due;
    }

    /// Packets in flight; a number beyond the window does not count, since a loss must not enlarge
    /// the window.
    fn flight(&self, flow: &Flow, in_flight: Bytes) -> f64 {
        (in_flight.as_f64() * self.packets_per_byte).min(flow.cwnd)
    }
}

#[cfg(test)]
mod tests;
