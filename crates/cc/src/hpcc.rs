//! HPCC: windows from the link load that every switch of the path reports.
//!
//! ```text
//! every ack, hop j:  u_j = Δtx_j / (Δt_j · B_j) + min(q_j, q_j of the previous ack) / (B_j · T)
//! u = max u_j        U ← (1 − δ/T) · U + (δ/T) · u,    δ = min(Δt of that hop, T)
//!
//! U ≥ η  or  stage = max_stage:   W = W_c · η / U + W_ai,   next stage 0
//! otherwise:                      W = W_c + W_ai,           next stage + 1
//! once per round trip:            W_c = W, stage = next stage
//! pace:                           R = W / T
//! ```
//!
//! U is the bottleneck's load in bandwidth-delay products, sent and queued together: dividing by
//! it brings the load to η in one step, however large the overload. W_ai makes rates converge;
//! after max_stage rounds of it below η, free bandwidth is taken in one step as well.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | W, W_c | window; reference window, from which each ack computes W | bytes |
//! | U, u_j | load of the path, smoothed over T; of hop j | 1 |
//! | tx_j, q_j, B_j | bytes sent by hop j, bytes queued there, rate of its link | bytes, bytes, bit/s |
//! | T | base round trip time of the network | time |
//! | η | load to aim at | 1 |
//! | W_ai | additive increase per round trip | bytes |
//! | stage | rounds of additive increase since the last division by U | 1 |
//!
//! Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM'19, Algorithm 1; the
//! authors' simulator, github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a ("the
//! artifact"), whose per-flow results lie beside ours. Variants: Snyder and Lebeck, "Fast
//! Convergence to Fairness…", §III-D ("vai-sf").
//!
//! # Deviations
//! - *Windows or rates.* The artifact keeps rates and derives the window C · T · (R / C) from
//!   them. With R = W / T these are the same numbers, and we keep windows as the paper does; so
//!   R_ai is W_ai = R_ai · T, and a rate between R_min and C is a window between R_min · T and
//!   C · T. The paper has no bounds; we take the artifact's.
//! - *First ack.* As in the artifact it only stores the records and opens the round, and U begins
//!   at 1; later acks of the first round already adjust W.
//! - *Two records with the same time* say nothing about a rate (the artifact would divide by
//!   zero): that hop is left out.
//! - *Change of path.* Two records of different switches would read as a burst or as silence. A
//!   path of another length than the last ack's is another path, and so is one on which a port
//!   would have sent more than its link can carry, by more than four packets: the records are
//!   stored and W stays, as after [`on_path_change`](crate::CongestionControl::on_path_change).
//!   (A link that has just become slower looks the same and costs one ack; a counter that lags
//!   behind the last path's is silence for one ack unless the law is told.)
//! - *max_stage* is 5 in the paper and in the studies that compare with HPCC; the artifact's
//!   `run.py` writes 0 (always divide), its sample configuration 5.
//! - *W_ai* is 80 B in the paper, from W_init (1 − η) / N with N near 100; `"auto"` is that
//!   formula with N = 100, for links of other rates.
//! - *Loss.* The artifact runs on a lossless fabric and has no reaction; neither have we by
//!   default. `timeout = "restart"` is ours, for networks that do lose packets: one packet, and
//!   the telemetry is forgotten.
//! - *Probabilistic feedback* (vai-sf): the text leaves open what a disregarded decrease leaves
//!   behind. We keep W, W_c and the stage, and the next chance comes with the next round.
//! - *One reference per hop* (the artifact's multi-rate mode) is off in every published run and
//!   absent here.

use crate::coin::{Coin, Decrease};
use crate::event::{Ack, HopRecord, Host, Loss, MAX_HOPS, Path, Telemetry, Timeout};
use crate::law::{Configure, Decision};
use crate::params::{ParamError, ParamType, not_above};
use crate::reference::{Congestion, OnReference, PerRound, ReferenceLaw};
use crate::round::Updates;
use crate::signals::Signals;
use core::hint::select_unpredictable;
use plimsoll_units::{Bytes, Rate, Span, Time};

crate::choice! {
    /// When packets are paced.
    pub enum Pacing {
        /// Always, at W / T.
        Always = "always",
        /// Only where the window is less than a packet.
        BelowOnePacket = "below-one-packet",
    }
}

crate::choice! {
    /// What a retransmission timeout does.
    pub enum OnTimeout {
        /// Nothing.
        Ignore = "ignore",
        /// The window falls to one packet, and the telemetry is forgotten.
        Restart = "restart",
    }
}

crate::parameters! {
    /// HPCC's parameters.
    pub struct Params {
        /// η: load to aim at.
        eta: f64 where [0.01, 1.0],
        /// Rounds of additive increase before free bandwidth is taken in one step; 0 = always.
        max_stage: u32 where [0, 1_000_000],
        /// W_ai: additive increase as a window; `"auto"` = `r_ai`'s, or C·T·(1 − η)/100 if that is
        /// `"auto"` as well.
        w_ai: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000)],
        /// R_ai: additive increase as a rate; `"auto"` = `w_ai`'s.
        r_ai: Option<Rate> where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// Smallest rate; `"auto"` = a thousandth of the line rate.
        min_rate: Option<Rate> where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// First window; `"auto"` = C·T, which is line rate.
        start_window: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000_000)],
        /// When packets are paced.
        pacing: Pacing,
        /// Which decreases of the reference are heeded.
        decrease: Decrease,
        /// What a retransmission timeout does.
        timeout: OnTimeout,
        /// Which acks it listens to; the reference moves once per round in any case.
        updates: Updates,
    }
    presets {
        "sigcomm19" => sigcomm19, "HPCC, SIGCOMM'19, §3.3 and §5.1: η 95 %, maxStage 5, W_ai 80 B",
        "artifact" => artifact, "the HPCC simulator at 9f4be2a: R_ai 50 Mb/s, R_min 1 Gb/s",
        "poseidon-nsdi23" => poseidon_nsdi23, "Poseidon, NSDI'23, §5: paced only below one packet",
        "powertcp-nsdi22" => powertcp_nsdi22, "PowerTCP, NSDI'22, §4.1: R_ai 50 Mb/s, R_min 100 Mb/s",
        "powertcp-rdcn" => powertcp_rdcn, "PowerTCP, NSDI'22, §5: the same, one update of the window per round trip",
        "vai-sf" => vai_sf, "Snyder and Lebeck, §III-D: R_ai 50 Mb/s",
        "vai-sf-1gbps" => vai_sf_1gbps, "Snyder and Lebeck, §III-D, \"HPCC 1Gbps\"",
        "probabilistic" => probabilistic, "Snyder and Lebeck, §III-D, \"HPCC Probabilistic\"",
    }
}

impl Params {
    /// The paper's. The smallest rate is not published; ours lets a thousand flows share a link.
    #[must_use]
    pub fn sigcomm19() -> Self {
        Self {
            eta: 0.95,
            max_stage: 5,
            w_ai: Some(Bytes::new(80)),
            r_ai: None,
            min_rate: None,
            start_window: None,
            pacing: Pacing::Always,
            decrease: Decrease::Always,
            timeout: OnTimeout::Ignore,
            updates: Updates::EveryAck,
        }
    }

    /// The authors' simulator, with the configuration that our comparison data was made with.
    #[must_use]
    pub fn artifact() -> Self {
        Self { min_rate: Some(Rate::from_gbps(1)), ..Self::at_50_mbps() }
    }

    /// As Poseidon's evaluation runs it: "paper values" on faster links, hence W_ai by formula.
    #[must_use]
    pub fn poseidon_nsdi23() -> Self {
        Self { w_ai: None, pacing: Pacing::BelowOnePacket, ..Self::sigcomm19() }
    }

    /// As PowerTCP's evaluation runs it.
    #[must_use]
    pub fn powertcp_nsdi22() -> Self {
        Self { min_rate: Some(Rate::from_mbps(100)), ..Self::at_50_mbps() }
    }

    /// As PowerTCP's reconfigurable network runs it.
    #[must_use]
    pub fn powertcp_rdcn() -> Self {
        Self { updates: Updates::EveryRound, ..Self::powertcp_nsdi22() }
    }

    /// As the evaluation of VAI and SF runs it; its smallest rate is not published.
    #[must_use]
    pub fn vai_sf() -> Self {
        Self::at_50_mbps()
    }

    /// The same with twenty times the additive increase.
    #[must_use]
    pub fn vai_sf_1gbps() -> Self {
        Self { r_ai: Some(Rate::from_gbps(1)), ..Self::vai_sf() }
    }

    /// The same with decreases that are sometimes disregarded.
    #[must_use]
    pub fn probabilistic() -> Self {
        Self { decrease: Decrease::Probabilistic, ..Self::vai_sf() }
    }

    fn at_50_mbps() -> Self {
        Self { w_ai: None, r_ai: Some(Rate::from_mbps(50)), ..Self::sigcomm19() }
    }
}

/// HPCC.
pub type Hpcc = OnReference<Reaction, PerRound>;

/// How HPCC computes windows from a reference, with its constants. Windows in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    host: Host,
    eta: f64,
    max_stage: u32,
    additive_increase: f64,
    min_window: f64,
    max_window: f64,
    start_window: f64,
    pacing: Pacing,
    decrease: Decrease,
    timeout: OnTimeout,
    updates: Updates,
    /// 1 / T, per picosecond.
    per_base_rtt: f64,
    /// 8 / T, which makes a rate in bit/s of a window in bytes.
    bits_per_base_rtt: f64,
    packets_per_byte: f64,
    /// By so many bytes a port may have sent more than its link carries.
    slack: f64,
}

/// What a hop said last.
#[derive(Clone, Copy, Debug, Default)]
struct LastRecord {
    time: Time,
    sent: Bytes,
    queue: Bytes,
    rate: Rate,
}

/// What HPCC remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// U.
    utilization: f64,
    stage: u32,
    /// How many of `last` are filled.
    hops: u32,
    coin: Coin,
    last: [LastRecord; MAX_HOPS],
}

impl Memory {
    /// U, the smoothed load of the path.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        self.utilization
    }

    /// Rounds of additive increase since the last division by U.
    #[must_use]
    pub fn stage(&self) -> u32 {
        self.stage
    }
}

/// U of a new flow: it starts at line rate and expects to fill the link.
const INITIAL_UTILIZATION: f64 = 1.0;

impl Configure for Hpcc {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        Ok(Self::new(Reaction::new(params, host)?, PerRound))
    }
}

impl Reaction {
    /// The reaction with these parameters on this host.
    ///
    /// # Errors
    /// If two parameters contradict each other.
    pub fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let min_rate = params.min_rate.unwrap_or(Rate::from_bps((host.nic_rate.as_bps() / 1_000).max(1)));
        not_above("min_rate", min_rate, "nic_rate", host.nic_rate)?;
        let window_of = |rate: Rate| rate.as_bytes_per_second_f64() * host.base_rtt.as_secs_f64();
        let (min_window, max_window) = (window_of(min_rate), window_of(host.nic_rate));
        let additive_increase = match (params.w_ai, params.r_ai) {
            (Some(window), None) => window.as_f64(),
            (None, Some(rate)) => window_of(rate),
            (None, None) => max_window * (1.0 - params.eta) / EXPECTED_FLOWS,
            (Some(window), Some(rate)) => {
                return Err(ParamError::Contradiction {
                    key: "w_ai",
                    value: window.scalar(),
                    relation: "cannot be given together with",
                    other_key: "r_ai",
                    other_value: rate.scalar(),
                });
            }
        };
        Ok(Self {
            host: *host,
            eta: params.eta,
            max_stage: params.max_stage,
            additive_increase,
            min_window,
            max_window,
            start_window: params
                .start_window
                .map_or(max_window, |window| window.as_f64().clamp(min_window, max_window)),
            pacing: params.pacing,
            decrease: params.decrease,
            timeout: params.timeout,
            updates: params.updates,
            per_base_rtt: 1.0 / host.base_rtt.as_ps() as f64,
            bits_per_base_rtt: 8.0 / host.base_rtt.as_secs_f64(),
            packets_per_byte: 1.0 / host.mss.as_f64(),
            slack: SLACK_PACKETS * host.mtu.as_f64(),
        })
    }

    /// Whether W is divided by U, or only increased.
    fn divides(&self, memory: &Memory) -> bool {
        memory.utilization >= self.eta || memory.stage >= self.max_stage
    }

    /// u and its δ, by the hop where u is largest, and the longest queue; stores the records.
    ///
    /// Spans stay in picoseconds, since seconds would cost a division each. Which hop is the
    /// busiest no processor can guess, so the choice is made without branching.
    fn measure(&self, memory: &mut Memory, hops: &[HopRecord]) -> Load {
        let mut load =
            Load { utilization: 0.0, elapsed: Span::ZERO, longest_queue: Bytes::ZERO, possible: true };
        for (hop, last) in hops.iter().zip(&mut memory.last) {
            let elapsed = hop.time.saturating_since(last.time);
            let sent = hop.sent.saturating_sub(last.sent).as_f64();
            let standing_queue = hop.queue.min(last.queue).as_f64();
            let picoseconds = elapsed.as_ps() as f64;
            let capacity = picoseconds * hop.rate.as_bps_f64() * BYTES_PER_BIT_PICOSECOND;
            // Both terms of u_j over the same divisor.
            let bytes = sent + standing_queue * picoseconds * self.per_base_rtt;
            let utilization = if capacity > 0.0 { bytes / capacity } else { 0.0 };
            let busiest = utilization > load.utilization;
            load = Load {
                utilization: load.utilization.max(utilization),
                elapsed: select_unpredictable(busiest, elapsed, load.elapsed),
                longest_queue: load.longest_queue.max(hop.queue),
                // A circuit that ended within the time had the larger rate.
                possible: load.possible
                    & (sent
                        <= capacity * (last.rate.as_bps_f64() / hop.rate.as_bps_f64()).max(1.0) + self.slack),
            };
            *last = LastRecord { time: hop.time, sent: hop.sent, queue: hop.queue, rate: hop.rate };
        }
        load
    }
}

/// A bit per second for a picosecond, in bytes.
const BYTES_PER_BIT_PICOSECOND: f64 = 1.0 / 8e12;

/// Packets by which the bytes that two records count may exceed what the link carries between their
/// times: both are rounded, and a packet is counted when it begins or when it ends.
pub(crate) const SLACK_PACKETS: f64 = 4.0;

/// Flows that the paper's W_ai leaves room for within 1 − η.
const EXPECTED_FLOWS: f64 = 100.0;

/// What one ack says about the path.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// u.
    utilization: f64,
    /// δ, not yet bounded by T.
    elapsed: Span,
    longest_queue: Bytes,
    /// Whether each link can carry what its port is said to have sent.
    possible: bool,
}

impl ReferenceLaw for Reaction {
    type Memory = Memory;

    fn needs(&self) -> Signals {
        Signals::HOP_RECORDS
    }

    fn begin(&self, path: &Path) -> (Memory, f64) {
        let memory = Memory {
            utilization: INITIAL_UTILIZATION,
            stage: 0,
            hops: 0,
            coin: Coin::new(path.seed),
            last: [LastRecord::default(); MAX_HOPS],
        };
        (memory, self.start_window)
    }

    fn observe(&self, memory: &mut Memory, ack: &Ack<'_>, _: f64) -> Option<Congestion> {
        let Telemetry::Hops(hops) = ack.telemetry else { return None };
        if hops.is_empty() {
            return None;
        }
        let hops = &hops[..hops.len().min(MAX_HOPS)];
        let load = self.measure(memory, hops);
        let known = core::mem::replace(&mut memory.hops, hops.len() as u32);
        if known != memory.hops || !load.possible {
            return None;
        }
        let weight = (load.elapsed.as_ps() as f64 * self.per_base_rtt).min(1.0);
        memory.utilization = (1.0 - weight) * memory.utilization + weight * load.utilization;
        Some(Congestion {
            level: load.longest_queue.as_f64(),
            baseline: 0.0,
            congested: memory.utilization >= self.eta,
        })
    }

    fn candidate(&self, memory: &Memory, reference: f64, increases: f64) -> f64 {
        let increase = increases * self.additive_increase;
        let window = if self.divides(memory) {
            // A load of zero makes this infinite, which the bound below takes for line rate.
            reference * self.eta / memory.utilization + increase
        } else {
            reference + increase
        };
        window.clamp(self.min_window, self.max_window)
    }

    fn committed(&self, memory: &mut Memory) {
        memory.stage = if self.divides(memory) { 0 } else { memory.stage + 1 };
    }

    fn updates(&self) -> Updates {
        self.updates
    }

    fn heeds_decrease(&self, memory: &mut Memory, reference: f64) -> bool {
        self.decrease.is_heeded(&mut memory.coin, reference, self.max_window)
    }

    fn after_loss(&self, _: &mut Memory, _: f64, _: &Loss) -> Option<f64> {
        None
    }

    fn after_timeout(&self, memory: &mut Memory, _: f64, _: &Timeout) -> Option<f64> {
        match self.timeout {
            OnTimeout::Ignore => None,
            OnTimeout::Restart => {
                memory.utilization = INITIAL_UTILIZATION;
                memory.stage = 0;
                memory.hops = 0;
                Some(self.host.mss.as_f64().clamp(self.min_window, self.max_window))
            }
        }
    }

    fn path_changed(&self, memory: &mut Memory) {
        memory.hops = 0;
    }

    fn met_congestion(&self, memory: &Memory, _: &Ack<'_>, _: f64) -> Option<bool> {
        (memory.hops > 0).then_some(memory.utilization >= self.eta)
    }

    fn decision(&self, _: &Memory, window: f64) -> Decision {
        match self.pacing {
            Pacing::Always => Decision::paced(&self.host, window, window * self.bits_per_base_rtt),
            Pacing::BelowOnePacket => {
                Decision::packets(&self.host, window * self.packets_per_byte, self.host.base_rtt)
            }
        }
    }
}

#[cfg(test)]
mod tests;
