//! θ-PowerTCP: PowerTCP's law with round trip times in place of telemetry.
//!
//! ```text
//! per ack:       θ̇ = (θ − θ_prev) / dt                   dt: time between the two acks
//!                Γ = (θ̇ + 1) · θ / τ                     normalised power     (Eq. 8)
//!                Γ_s ← (Γ_s · (τ − Δt) + Γ · Δt) / τ,    Δt = min(dt, τ)
//! once per rtt:  W ← γ · (W_old / Γ_s + β) + (1 − γ) · W
//! pace = W / τ;  start W = C · τ, at line rate
//! ```
//!
//! If the bottleneck sends at its rate b, then q/b + τ is the round trip time and dq/dt / b its
//! slope, so that both factors of power can be read off the sender's own clock. The price: a link
//! that is not full looks full (Γ = 1), so the window grows by β only where PowerTCP would jump;
//! and with several queues on the path it is their sum that counts, not the largest.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | W, W_old | window now; window when the acked packet was sent | bytes |
//! | θ, θ̇ | round trip time and its slope | time, 1 |
//! | τ | base round trip time | time |
//! | Γ, Γ_s | normalised power; the same, smoothed over τ | 1 |
//! | γ, β | weight of the new window; additive increase C · τ / N | 1, bytes |
//!
//! Source: Addanki, Michel, Schmid, "PowerTCP", NSDI'22: Eq. 8 (§3.5) and Algorithm 2 (App. D).
//! Options: the authors' simulator, github.com/inet-tub/ns3-datacenter at 6ddb4a4 ("artifact").
//!
//! # Deviations
//! Where the sources contradict each other or are silent, we chose:
//! - *W_old* needs no memory here: the first packet sent after an update is the one whose ack
//!   allows the next, and it was sent with the window that still holds. W_old = W.
//! - *Δt* in line 14 is never set; it is dt of line 11, capped at τ as in PowerTCP. The line
//!   numbers of Algorithm 2 skip the division of line 12; θ̇ is divided by dt.
//! - *"ack.seq < lastUpdated"* lets an ack of exactly that position pass; our round closes with
//!   the first ack beyond it, as everywhere else.
//! - *γ* is 0.9 in the text and 0.7 in the artifact, whose other differences are options too:
//!   θ̇ + 1 at least 0.5; Γ divided by 1.05 (`margin`); τ the smaller of the configured and the
//!   smallest seen; on its RDMA path the window is recomputed on every ack from a reference that
//!   moves once per round trip (`cadence = "ack"`); on its TCP path only the acks that close a
//!   round are looked at (`cadence = "round-sample"`), with γ 0.9 if Γ_s ≤ 0.5. That TCP path also
//!   divides the slope by dt capped at τ; we divide by dt.
//! - *Negative θ̇ + 1*: a round trip time can fall faster than time passes; power cannot be
//!   negative, so `current_floor` is at least zero.
//! - *θ and θ̇ come from the sender's clock.* A queue into which x · b arrives delays each packet
//!   more than the last, which spreads the acks as well: θ̇ + 1 is then 2 − 1/x, not x. The two
//!   differ by (x − 1)²/x, 0.8 % of b for 10 % of overload; a test shows it.
//! - *Round trips* exclude the receiver's own time where acks report it, so that acks which it
//!   holds back do not look like queues.
//! - *Acks without a time since the last one, or without a round trip time,* change nothing.
//! - *Bounds, N, loss, timeouts*: as [`crate::powertcp`].

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::ParamError;
use crate::powertcp::{Bounds, bdp, beta_bytes, smoothed};
use crate::round::{Round, RoundEvent};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Rate, Span, Time};

crate::choice! {
    /// Which acks are measured and which move the window.
    pub enum Cadence {
        /// Algorithm 2: all are measured, the window moves once per round trip.
        Round = "round",
        /// The artifact's RDMA path: all are measured, and each recomputes the window from a
        /// reference that moves once per round trip.
        Ack = "ack",
        /// The artifact's TCP path: one ack per round trip is measured and moves the window.
        RoundSample = "round-sample",
    }
}

crate::choice! {
    /// What the base round trip time is.
    pub enum BaseRtt {
        /// The configured one.
        Configured = "configured",
        /// The configured one or the smallest that the flow has seen, whichever is smaller.
        SmallestSeen = "smallest-seen",
    }
}

crate::parameters! {
    /// θ-PowerTCP's parameters.
    pub struct Params {
        /// γ: weight of the new window.
        gamma: f64 where [0.001, 1.0],
        /// N: flows expected to share a card; β = C · τ / N unless `beta` or `beta_rate` is given.
        expected_flows: f64 where [1.0, 1e9],
        /// β as a size; `"auto"` = by `beta_rate` or `expected_flows`.
        beta: Option<Bytes> where [Bytes::ZERO, Bytes::from_mb(1_000_000)],
        /// β as a rate, added once per τ; `"auto"` = by `beta` or `expected_flows`.
        beta_rate: Option<Rate> where [Rate::ZERO, Rate::from_gbps(100_000)],
        /// Smallest θ̇ + 1; 0 = off.
        current_floor: f64 where [0.0, 1.0],
        /// Γ is divided by this; 1 = off.
        margin: f64 where [1.0, 10.0],
        /// What the base round trip time is.
        base_rtt: BaseRtt,
        /// Which acks are measured and which move the window.
        cadence: Cadence,
        /// At Γ_s up to this, `boost_gamma` replaces γ; 0 = off.
        boost_below: f64 where [0.0, 1.0],
        /// γ on a path with little power.
        boost_gamma: f64 where [0.001, 1.0],
        /// Smallest W / τ.
        min_rate: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// Largest window in products C · τ; `"auto"` = one product and β.
        max_bdp: Option<f64> where [0.001, 1e6],
    }
    presets {
        "nsdi22" => nsdi22, "PowerTCP, NSDI'22, Algorithm 2: γ 0.9, β = C·τ/N; N = 10 is powertcp-linux's",
        "artifact-rdma" => artifact_rdma, "ns3-datacenter at 6ddb4a4, RDMA path (Figs. 4-7): γ 0.7, β 150 Mb/s",
        "artifact-tcp" => artifact_tcp, "ns3-datacenter at 6ddb4a4, TCP path: once per round trip, β 50 Mb/s",
    }
}

impl Params {
    /// The paper's law. N is the kernel module's, `min_rate` ours (far below any fair share).
    #[must_use]
    pub fn nsdi22() -> Self {
        Self {
            gamma: 0.9,
            expected_flows: 10.0,
            beta: None,
            beta_rate: None,
            current_floor: 0.0,
            margin: 1.0,
            base_rtt: BaseRtt::Configured,
            cadence: Cadence::Round,
            boost_below: 0.0,
            boost_gamma: 0.9,
            min_rate: Rate::from_mbps(1),
            max_bdp: None,
        }
    }

    /// The authors' simulator where it made Figs. 4–7.
    #[must_use]
    pub fn artifact_rdma() -> Self {
        Self {
            gamma: 0.7,
            beta_rate: Some(Rate::from_mbps(150)),
            current_floor: 0.5,
            margin: 1.05,
            base_rtt: BaseRtt::SmallestSeen,
            cadence: Cadence::Ack,
            min_rate: Rate::from_mbps(100),
            max_bdp: Some(1.0),
            ..Self::nsdi22()
        }
    }

    /// The authors' simulator's TCP.
    #[must_use]
    pub fn artifact_tcp() -> Self {
        Self {
            beta_rate: Some(Rate::from_mbps(50)),
            margin: 1.0,
            base_rtt: BaseRtt::Configured,
            cadence: Cadence::RoundSample,
            boost_below: 0.5,
            boost_gamma: 0.9,
            ..Self::artifact_rdma()
        }
    }
}

/// θ-PowerTCP with its constants.
#[derive(Clone, Debug)]
pub struct ThetaPowerTcp {
    host: Host,
    gamma: f64,
    current_floor: f64,
    per_margin: f64,
    base_rtt: BaseRtt,
    cadence: Cadence,
    boost_below: f64,
    boost_gamma: f64,
    /// β in bytes.
    beta: f64,
    bounds: Bounds,
    /// C · τ in bytes.
    start_window: f64,
    /// 8 / τ as configured, bits per byte and second: from a window to its pace.
    pace_per_byte: f64,
    /// 1 / τ as configured, per picosecond.
    per_tau_ps: f64,
}

/// What θ-PowerTCP remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// W, bytes.
    window: f64,
    /// The window that the next is computed from, bytes.
    reference: f64,
    /// Γ_s.
    power: f64,
    /// τ.
    base_rtt: Span,
    /// The measured ack before: its time and round trip time.
    previous: Option<(Time, Span)>,
    round: Round,
}

impl Flow {
    /// W in bytes, fractions included.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.window
    }

    /// Γ_s, the smoothed normalised power.
    #[must_use]
    pub fn power(&self) -> f64 {
        self.power
    }
}

impl Configure for ThetaPowerTcp {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let beta = beta_bytes(params.beta, params.beta_rate, params.expected_flows, host)?;
        let bounds = Bounds::new(host, params.min_rate, params.max_bdp, beta)?;
        Ok(Self {
            host: *host,
            gamma: params.gamma,
            current_floor: params.current_floor,
            per_margin: 1.0 / params.margin,
            base_rtt: params.base_rtt,
            cadence: params.cadence,
            boost_below: params.boost_below,
            boost_gamma: params.boost_gamma,
            beta,
            bounds,
            start_window: bounds.clamp(bdp(host)),
            pace_per_byte: 8.0 / host.base_rtt.as_secs_f64(),
            per_tau_ps: 1.0 / host.base_rtt.as_ps() as f64,
        })
    }
}

impl CongestionControl for ThetaPowerTcp {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::RTT
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let flow = Flow {
            window: self.start_window,
            reference: self.start_window,
            power: 1.0,
            base_rtt: self.host.base_rtt,
            previous: None,
            round: Round::default(),
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        if ack.network_rtt() == Span::ZERO {
            return self.decision(flow);
        }
        let event = flow.round.on_ack(ack);
        let closed = event == RoundEvent::Closed;
        if self.base_rtt == BaseRtt::SmallestSeen {
            flow.base_rtt = flow.base_rtt.min(ack.network_rtt());
        }
        if self.cadence != Cadence::RoundSample || event != RoundEvent::Inside {
            self.measure(flow, ack);
        }
        if closed || self.cadence == Cadence::Ack && event == RoundEvent::Inside {
            self.update_window(flow);
        }
        if closed {
            flow.reference = flow.window;
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
        Decision::paced(&self.host, flow.window, flow.window * self.pace_per_byte)
    }
}

impl ThetaPowerTcp {
    /// The smallest and the largest window, in bytes.
    #[must_use]
    pub fn window_bounds(&self) -> (f64, f64) {
        (self.bounds.low, self.bounds.high)
    }

    /// β in bytes.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Algorithm 2, NORMPOWER.
    fn measure(&self, flow: &mut Flow, ack: &Ack<'_>) {
        let Some((time, rtt)) = flow.previous else {
            flow.previous = Some((ack.now, ack.network_rtt()));
            return;
        };
        let elapsed = ack.now.saturating_since(time);
        if elapsed == Span::ZERO {
            return;
        }
        flow.previous = Some((ack.now, ack.network_rtt()));
        // In picoseconds throughout: what matters are ratios, and conversions are divisions.
        let (elapsed, theta) = (elapsed.as_ps() as f64, ack.network_rtt().as_ps() as f64);
        let per_tau = match self.base_rtt {
            BaseRtt::Configured => self.per_tau_ps,
            BaseRtt::SmallestSeen => 1.0 / flow.base_rtt.as_ps() as f64,
        };
        let slope = (theta - rtt.as_ps() as f64) / elapsed;
        let current = (slope + 1.0).max(self.current_floor);
        let power = current * theta * per_tau * self.per_margin;
        flow.power = smoothed(flow.power, power, elapsed * per_tau);
    }

    /// Algorithm 2, UPDATEWINDOW.
    fn update_window(&self, flow: &mut Flow) {
        let gamma = if flow.power <= self.boost_below { self.boost_gamma } else { self.gamma };
        // No power at all asks for an infinite window; the bound answers.
        let window = gamma * (flow.reference / flow.power + self.beta) + (1.0 - gamma) * flow.reference;
        flow.window = self.bounds.clamp(window);
    }
}

#[cfg(test)]
mod tests;
