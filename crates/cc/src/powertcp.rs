//! PowerTCP: the window follows power, the product of queue length and arrival rate.
//!
//! ```text
//! per hop j:  λ = dq/dt + dtx/dt              arrival rate, "current"
//!             v = q + B · τ                   queue and pipe, "voltage"
//!             Γ_j = λ · v / (B² · τ)          normalised power          (Alg. 1, lines 11–19)
//! Γ   = max_j Γ_j,   Δt = min(that hop's dt, τ)
//! Γ_s ← (Γ_s · (τ − Δt) + Γ · Δt) / τ                                   (line 24)
//! W   ← γ · (W_old · η / Γ_s + β) + (1 − γ) · W                         (Eq. 7, line 27)
//! pace = W / τ;   W_old ← W once per round trip;   start W = C · τ, at line rate
//! ```
//!
//! Power is bandwidth times the sum of all windows that share a queue, whether the queue stands,
//! grows or drains. Dividing a window by its normalised power therefore gives the window's share
//! of the pipe in one step: W_old / Γ_s = W_old · bτ / Σw. What remains is β: at rest
//! Σw = bτ + Σβ, and the queue is Σβ.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | W, W_old | window now; window when the round opened | bytes |
//! | Γ, Γ_s | normalised power of the busiest hop; the same, smoothed over τ | 1 |
//! | q, tx | bytes queued at a port; bytes that it has sent | bytes |
//! | B, C | rate of a link; rate of the card | bit/s |
//! | τ | base round trip time, configured | time |
//! | γ | weight of the new window | 1 |
//! | β | additive increase: C · τ / N for N expected flows of a card | bytes |
//! | η | utilisation aimed at (1 in the paper) | 1 |
//!
//! Source: Addanki, Michel, Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter
//! Networks", NSDI'22: Eq. 7 and Algorithm 1 (§3.3), Theorems 1–3 (§3.4, App. A). Options: the
//! authors' simulator, github.com/inet-tub/ns3-datacenter at 6ddb4a4 ("artifact"; its RDMA path
//! made Figs. 4–7, its TCP path the reconfigurable network), and their kernel module,
//! github.com/inet-tub/powertcp-linux.
//!
//! # Deviations
//! Where the sources contradict each other or are silent, we chose:
//! - *Which hop wins.* Algorithm 1, lines 20–21, compares and stores Γ', which has units, where
//!   Γ'_norm is meant: a fast link would always win. The text says normalised power; so do we.
//! - *UPDATEWINDOW's second argument* is named ack and used as cwnd_old; we pass W_old.
//! - *W_old.* GETCWND(ack.seq) would need a record per packet, and the text keeps one per round
//!   trip. The packets acked in a round were all sent before the round opened, so we use the
//!   window of that moment. The artifact has one reference for both W_old and W
//!   (`reference = "committed"`): W is then recomputed from it on every ack, not from itself.
//! - *First ack.* It only stores telemetry, since a rate needs two records. (The artifact's newest
//!   RDMA path does not treat it specially and divides by the time since zero.)
//! - *Change of path.* Two records of different switches would read as a burst or as silence. An
//!   ack with another number of hops, or on which a port would have sent more than its link can
//!   carry, by more than four packets, only stores telemetry, as the next one after
//!   [`on_path_change`](crate::CongestionControl::on_path_change) does.
//! - *Γ_s before the first measurement* is not given: 1, as in the artifact, or the first Γ itself
//!   (`first_power = "measured"`), as in the kernel module.
//! - *Negative λ* cannot be, but two records can suggest it; λ is floored at `lambda_floor` · B,
//!   at least zero.
//! - *Arrived bytes.* The artifact's switches export arrived instead of sent bytes, so that λ needs
//!   no queue difference; up to one packet that is the same number.
//! - *Bounds.* The paper has none. An idle path has Γ = 0 and would make W infinite: we stop at
//!   C · τ + β, where a flow alone rests, or at `max_bdp` products (the artifact and the kernel
//!   module: 1). Below, W / τ stays above `min_rate`.
//! - *N* is not published with the paper; 10 is the kernel module's default.
//! - *Loss and timeouts* are not mentioned: no reaction, the telemetry alone decides.
//! - *Link that changes its rate* (artifact's TCP path): with `rate_change = "adopt"` the floor
//!   does not apply to that hop and Γ_s ← Γ at once, if that hop is the busiest.
//! - *One update per round trip* (§5): as in the artifact's TCP path, which then compares the
//!   records of acks that close rounds and does not look at others; Γ_s is Γ over a round trip.

use crate::event::{Ack, HopRecord, Host, Loss, MAX_HOPS, Path, Telemetry, Timeout};
use crate::hpcc::SLACK_PACKETS;
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{ParamError, ParamType, not_above};
use crate::reference::{Congestion, ReferenceLaw};
use crate::round::{Round, RoundEvent, Updates};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Rate, Span, Time};

crate::choice! {
    /// From which windows the next is computed.
    pub enum Reference {
        /// Eq. 7: W_old is the window when the round opened; the average is taken with W itself.
        Sent = "sent",
        /// The artifact's: one reference, committed once per round trip, stands for both.
        Committed = "committed",
    }
}

crate::choice! {
    /// What Γ_s is before the first measurement.
    pub enum FirstPower {
        /// 1, as on a full link without queue.
        One = "one",
        /// The first Γ, unsmoothed.
        Measured = "measured",
    }
}

crate::choice! {
    /// What a link's change of rate between two records does.
    pub enum RateChange {
        /// Nothing special.
        Smooth = "smooth",
        /// No floor for λ, and Γ_s ← Γ at once.
        Adopt = "adopt",
    }
}

crate::parameters! {
    /// PowerTCP's parameters.
    pub struct Params {
        /// γ: weight of the new window.
        gamma: f64 where [0.001, 1.0],
        /// N: flows expected to share a card; β = C · τ / N unless `beta` or `beta_rate` is given.
        expected_flows: f64 where [1.0, 1e9],
        /// β as a size; `"auto"` = by `beta_rate` or `expected_flows`.
        beta: Option<Bytes> where [Bytes::ZERO, Bytes::from_mb(1_000_000)],
        /// β as a rate, added once per τ; `"auto"` = by `beta` or `expected_flows`.
        beta_rate: Option<Rate> where [Rate::ZERO, Rate::from_gbps(100_000)],
        /// η: utilisation aimed at; 1 = off.
        eta: f64 where [0.01, 1.0],
        /// Smallest λ as a share of the link's rate; 0 = off.
        lambda_floor: f64 where [0.0, 1.0],
        /// From which windows the next is computed.
        reference: Reference,
        /// What Γ_s is before the first measurement.
        first_power: FirstPower,
        /// What a link's change of rate does.
        rate_change: RateChange,
        /// Which acks it listens to.
        updates: Updates,
        /// At Γ_s / η up to this, `boost_gamma` replaces γ; 0 = off.
        boost_below: f64 where [0.0, 1.0],
        /// γ on a path with little power.
        boost_gamma: f64 where [0.001, 1.0],
        /// Smallest W / τ.
        min_rate: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// Largest window in products C · τ; `"auto"` = one product and β.
        max_bdp: Option<f64> where [0.001, 1e6],
    }
    presets {
        "nsdi22" => nsdi22, "PowerTCP, NSDI'22, Algorithm 1: γ 0.9, β = C·τ/N; N = 10 is powertcp-linux's",
        "artifact-rdma" => artifact_rdma, "ns3-datacenter at 6ddb4a4, RDMA path (Figs. 4-7): η 0.95, β 150 Mb/s",
        "artifact-tcp" => artifact_tcp, "ns3-datacenter at 6ddb4a4, TCP path (reconfigurable network): β 50 Mb/s",
        "rdcn" => rdcn, "PowerTCP, NSDI'22, §5: artifact-tcp with one update of the window per round trip",
        "linux" => linux, "github.com/inet-tub/powertcp-linux: N 10, Γ_s starts measured",
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
            eta: 1.0,
            lambda_floor: 0.0,
            reference: Reference::Sent,
            first_power: FirstPower::One,
            rate_change: RateChange::Smooth,
            updates: Updates::EveryAck,
            boost_below: 0.0,
            boost_gamma: 1.0,
            min_rate: Rate::from_mbps(1),
            max_bdp: None,
        }
    }

    /// The authors' simulator where it made Figs. 4–7.
    #[must_use]
    pub fn artifact_rdma() -> Self {
        Self {
            beta_rate: Some(Rate::from_mbps(150)),
            eta: 0.95,
            lambda_floor: 0.5,
            reference: Reference::Committed,
            min_rate: Rate::from_mbps(100),
            max_bdp: Some(1.0),
            ..Self::nsdi22()
        }
    }

    /// The authors' simulator's TCP, for links that change their rate.
    #[must_use]
    pub fn artifact_tcp() -> Self {
        Self {
            beta_rate: Some(Rate::from_mbps(50)),
            rate_change: RateChange::Adopt,
            boost_below: 0.5,
            boost_gamma: 1.0,
            ..Self::artifact_rdma()
        }
    }

    /// As the paper's reconfigurable network runs it, for a fair comparison with reTCP.
    #[must_use]
    pub fn rdcn() -> Self {
        Self { updates: Updates::EveryRound, ..Self::artifact_tcp() }
    }

    /// The authors' kernel module. (Its base round trip is the smallest seen; ours is configured.)
    #[must_use]
    pub fn linux() -> Self {
        Self { expected_flows: 10.0, first_power: FirstPower::Measured, max_bdp: Some(1.0), ..Self::nsdi22() }
    }
}

/// Picoseconds that a byte takes at 1 bit/s.
const PS_PER_BYTE_AT_1BPS: f64 = 8e12;

/// PowerTCP with its constants.
#[derive(Clone, Debug)]
pub struct PowerTcp {
    host: Host,
    gamma: f64,
    eta: f64,
    per_eta: f64,
    lambda_floor: f64,
    reference: Reference,
    first_power: FirstPower,
    rate_change: RateChange,
    updates: Updates,
    boost_below: f64,
    boost_gamma: f64,
    /// β in bytes.
    beta: f64,
    bounds: Bounds,
    /// C · τ in bytes.
    start_window: f64,
    /// 8 / τ, bits per byte and second: from a window to its pace.
    pace_per_byte: f64,
    /// 1 / τ, per picosecond.
    per_tau_ps: f64,
    /// By so many bytes a port may have sent more than its link carries.
    slack: f64,
}

/// What PowerTCP remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// W, bytes.
    window: f64,
    /// W_old, or the artifact's reference; bytes.
    reference: f64,
    round: Round,
    memory: Memory,
}

/// What PowerTCP remembers of a flow's path.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Γ_s.
    power: f64,
    /// Whether Γ_s has been measured.
    measured: bool,
    hop_count: usize,
    hops: [HopRecord; MAX_HOPS],
}

impl Memory {
    const NEW: Self = Self {
        power: 1.0,
        measured: false,
        hop_count: 0,
        hops: [HopRecord { time: Time::ZERO, sent: Bytes::ZERO, queue: Bytes::ZERO, rate: Rate::ZERO };
            MAX_HOPS],
    };

    /// Only stores, for the next ack to compare with.
    fn store(&mut self, hops: &[HopRecord]) {
        self.hop_count = hops.len();
        for (known, hop) in self.hops.iter_mut().zip(hops) {
            *known = *hop;
        }
    }
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
        self.memory.power
    }
}

/// The busiest hop's normalised power and how long it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Power {
    gamma: f64,
    elapsed: Span,
    rate_changed: bool,
    /// Whether each link can carry what its port is said to have sent.
    possible: bool,
}

impl Configure for PowerTcp {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let beta = beta_bytes(params.beta, params.beta_rate, params.expected_flows, host)?;
        let bounds = Bounds::new(host, params.min_rate, params.max_bdp, beta)?;
        Ok(Self {
            host: *host,
            gamma: params.gamma,
            eta: params.eta,
            per_eta: 1.0 / params.eta,
            lambda_floor: params.lambda_floor,
            reference: params.reference,
            first_power: params.first_power,
            rate_change: params.rate_change,
            updates: params.updates,
            boost_below: params.boost_below,
            boost_gamma: params.boost_gamma,
            beta,
            bounds,
            start_window: bounds.clamp(bdp(host)),
            pace_per_byte: 8.0 / host.base_rtt.as_secs_f64(),
            per_tau_ps: 1.0 / host.base_rtt.as_ps() as f64,
            slack: SLACK_PACKETS * host.mtu.as_f64(),
        })
    }
}

impl CongestionControl for PowerTcp {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::HOP_RECORDS
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let flow = Flow {
            window: self.start_window,
            reference: self.start_window,
            round: Round::default(),
            memory: Memory::NEW,
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        let Telemetry::Hops(hops) = ack.telemetry else {
            return self.decision(flow);
        };
        let event = flow.round.on_ack(ack);
        if event == RoundEvent::Inside && self.updates == Updates::EveryRound {
            return self.decision(flow);
        }
        if let Some(power) = self.busiest(&mut flow.memory, hops) {
            self.smooth(&mut flow.memory, power);
            let kept = match self.reference {
                Reference::Sent => flow.window,
                Reference::Committed => flow.reference,
            };
            flow.window = self.updated_window(&flow.memory, flow.reference, self.beta, kept);
        }
        if event == RoundEvent::Closed {
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

    fn on_path_change(&self, flow: &mut Flow) {
        flow.memory.hop_count = 0;
    }

    fn decision(&self, flow: &Flow) -> Decision {
        self.paced(flow.window)
    }
}

impl PowerTcp {
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

    /// By so many bytes a port may have sent more than its link carries.
    #[must_use]
    pub fn slack(&self) -> f64 {
        self.slack
    }

    fn paced(&self, window: f64) -> Decision {
        Decision::paced(&self.host, window, window * self.pace_per_byte)
    }

    /// The normalised power of a link between two of its records; `None` if no time passed between
    /// them or the link has no rate.
    #[must_use]
    pub fn normalised_power(&self, before: &HopRecord, now: &HopRecord) -> Option<f64> {
        self.hop_power(before, now).map(|power| power.gamma)
    }

    /// Algorithm 1, NORMPOWER without the smoothing; stores the records.
    fn busiest(&self, memory: &mut Memory, hops: &[HopRecord]) -> Option<Power> {
        let hops = readable(hops);
        if hops.len() != memory.hop_count {
            memory.store(hops);
            return None;
        }
        // Which hop is the busiest is unpredictable: integers are selected without a jump.
        let mut busiest = Power { gamma: -1.0, elapsed: Span::ZERO, rate_changed: false, possible: true };
        for (known, hop) in memory.hops.iter_mut().zip(hops) {
            if hop.time == known.time {
                // No rate in no time; the older record stays, so that nothing is missed.
                continue;
            }
            if let Some(power) = self.hop_power(known, hop) {
                let busier = power.gamma > busiest.gamma;
                busiest.gamma = larger(power.gamma, busiest.gamma);
                busiest.elapsed = if busier { power.elapsed } else { busiest.elapsed };
                busiest.rate_changed = if busier { power.rate_changed } else { busiest.rate_changed };
                busiest.possible &= power.possible;
            }
            *known = *hop;
        }
        if !busiest.possible {
            memory.store(hops);
            return None;
        }
        (busiest.gamma >= 0.0).then_some(busiest)
    }

    /// Lines 11–19 for one hop, with λ and v both divided by B and Bτ.
    #[inline]
    fn hop_power(&self, before: &HopRecord, now: &HopRecord) -> Option<Power> {
        let elapsed = now.time.saturating_since(before.time);
        let picoseconds = elapsed.as_ps() as f64;
        let capacity = picoseconds * now.rate.as_bps_f64();
        if capacity <= 0.0 {
            return None;
        }
        // One over the bytes that the link can send in that time.
        let per_capacity = PS_PER_BYTE_AT_1BPS / capacity;
        // What left and what is there now, without what was there: never negative.
        let sent = now.sent.saturating_sub(before.sent);
        let arrived = sent.saturating_add(now.queue).saturating_sub(before.queue);
        let rate_changed = self.rate_change == RateChange::Adopt && now.rate != before.rate;
        let floor = if rate_changed { 0.0 } else { self.lambda_floor };
        let current = larger(arrived.as_f64() * per_capacity, floor);
        let voltage = 1.0 + now.queue.as_f64() * per_capacity * picoseconds * self.per_tau_ps;
        // A link that has become slower may have sent at its old rate.
        let fastest = now.rate.max(before.rate).as_bps_f64();
        let possible = (sent.as_f64() - self.slack) * PS_PER_BYTE_AT_1BPS <= picoseconds * fastest;
        Some(Power { gamma: current * voltage, elapsed, rate_changed, possible })
    }

    /// Line 24.
    fn smooth(&self, memory: &mut Memory, power: Power) {
        let first = !memory.measured && self.first_power == FirstPower::Measured;
        memory.measured = true;
        memory.power = if power.rate_changed || first {
            power.gamma
        } else {
            smoothed(memory.power, power.gamma, power.elapsed.as_ps() as f64 * self.per_tau_ps)
        };
    }

    /// Algorithm 1, UPDATEWINDOW: the average of what power asks for and what is kept.
    fn updated_window(&self, memory: &Memory, old: f64, beta: f64, kept: f64) -> f64 {
        let power = memory.power * self.per_eta;
        let gamma = if power <= self.boost_below { self.boost_gamma } else { self.gamma };
        // No power at all asks for an infinite window; the bound answers.
        self.bounds.clamp(gamma * (old / power + beta) + (1.0 - gamma) * kept)
    }
}

/// The artifact's form, for mechanisms that decide when a reference moves; whatever `reference`
/// says. Congestion is counted as in HPCC: by the longest queue.
#[derive(Clone, Debug)]
pub struct CommittedForm(pub PowerTcp);

impl ReferenceLaw for CommittedForm {
    type Memory = Memory;

    fn needs(&self) -> Signals {
        Signals::HOP_RECORDS
    }

    fn begin(&self, _path: &Path) -> (Memory, f64) {
        (Memory::NEW, self.0.start_window)
    }

    fn observe(&self, memory: &mut Memory, ack: &Ack<'_>, _reference: f64) -> Option<Congestion> {
        let Telemetry::Hops(hops) = ack.telemetry else { return None };
        let power = self.0.busiest(memory, hops)?;
        self.0.smooth(memory, power);
        let longest = readable(hops).iter().map(|hop| hop.queue).max().unwrap_or_default();
        Some(Congestion { level: longest.as_f64(), baseline: 0.0, congested: memory.power > self.0.eta })
    }

    fn candidate(&self, memory: &Memory, reference: f64, increases: f64) -> f64 {
        self.0.updated_window(memory, reference, increases * self.0.beta, reference)
    }

    fn after_loss(&self, _: &mut Memory, _: f64, _: &Loss) -> Option<f64> {
        None
    }

    fn after_timeout(&self, _: &mut Memory, _: f64, _: &Timeout) -> Option<f64> {
        None
    }

    fn path_changed(&self, memory: &mut Memory) {
        memory.hop_count = 0;
    }

    fn decision(&self, _: &Memory, window: f64) -> Decision {
        self.0.paced(window)
    }
}

/// The records that there is room to remember.
fn readable(hops: &[HopRecord]) -> &[HopRecord] {
    hops.get(..MAX_HOPS).unwrap_or(hops)
}

/// The larger of two numbers that are none of them NaN: one instruction, where `f64::max` takes six.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Between which windows a flow stays, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Bounds {
    /// From `min_rate` · τ to `max_bdp` products C · τ, or to one product and β.
    pub(crate) fn new(
        host: &Host,
        min_rate: Rate,
        max_bdp: Option<f64>,
        beta: f64,
    ) -> Result<Self, ParamError<'static>> {
        not_above("min_rate", min_rate, "nic_rate", host.nic_rate)?;
        let low = min_rate.as_bytes_per_second_f64() * host.base_rtt.as_secs_f64();
        let high = max_bdp.map_or(bdp(host) + beta, |products| products * bdp(host));
        if low > high {
            return Err(ParamError::Contradiction {
                key: "min_rate",
                value: min_rate.scalar(),
                relation: "lies above",
                other_key: "max_bdp",
                other_value: max_bdp.scalar(),
            });
        }
        Ok(Self { low, high })
    }

    pub(crate) fn clamp(&self, window: f64) -> f64 {
        window.clamp(self.low, self.high)
    }
}

/// C · τ in bytes, fractions included.
pub(crate) fn bdp(host: &Host) -> f64 {
    host.nic_rate.as_bytes_per_second_f64() * host.base_rtt.as_secs_f64()
}

/// β in bytes, from whichever way it was given.
pub(crate) fn beta_bytes(
    beta: Option<Bytes>,
    beta_rate: Option<Rate>,
    expected_flows: f64,
    host: &Host,
) -> Result<f64, ParamError<'static>> {
    match (beta, beta_rate) {
        (Some(size), Some(rate)) => Err(ParamError::Contradiction {
            key: "beta",
            value: size.scalar(),
            relation: "cannot be given together with",
            other_key: "beta_rate",
            other_value: rate.scalar(),
        }),
        (Some(size), None) => Ok(size.as_f64()),
        (None, Some(rate)) => Ok(rate.as_bytes_per_second_f64() * host.base_rtt.as_secs_f64()),
        (None, None) => Ok(bdp(host) / expected_flows),
    }
}

/// Γ_s after a measurement that covers `share` of τ, at most all of it.
pub(crate) fn smoothed(before: f64, measured: f64, share: f64) -> f64 {
    let share = share.min(1.0);
    before * (1.0 - share) + measured * share
}

#[cfg(test)]
mod tests;
