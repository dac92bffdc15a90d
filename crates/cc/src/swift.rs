//! Swift: additive increase below a target delay, decrease in proportion to the excess above it.
//!
//! ```text
//! t = base + hops · h + clamp(a / √cwnd + b, 0, fs_range)
//!     a = fs_range / (1/√fs_min − 1/√fs_max),   b = −a / √fs_max
//!
//! ack of n packets:   d < t                    cwnd += ai · n / cwnd      (ai · n if cwnd < 1)
//!                     d ≥ t, once per rtt      cwnd ·= max(1 − β (d − t)/d, 1 − max_mdf)
//! fast recovery:      once per rtt             cwnd ·= 1 − max_mdf
//! timeout:            n-th in a row ≥ reset    cwnd = min_cwnd
//!                     else, once per rtt       cwnd ·= 1 − max_mdf
//! cwnd < 1:           one packet every rtt / cwnd
//! ```
//!
//! With the same law one window answers the delay in the network and, if wanted, a second one the
//! delay in the receiving host; the smaller is in force. The target rises with the hops, since
//! queues can stand at each, and for small windows, since many flows share the link then and
//! their packets meet by chance.
//!
//! *Reference form* ([`Reaction`], for VAI and SF): each ack computes from a reference window
//! `cwnd = ref · (d > t ? max(1 − β (d − t)/d, 1 − max_mdf) : 1) + ai`, and [`crate::reference`]
//! says when the reference moves.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | cwnd | window | packets |
//! | d | delay: the round trip without the time in the receiving host; or that time | time |
//! | t | target of d | time |
//! | base, h | target without switches; what each switch adds | time |
//! | fs_range | by how much the target rises at most for small windows | time |
//! | fs_min, fs_max | windows at which it has risen fully, and not yet | packets |
//! | ai | additive increase per round trip | packets |
//! | β, max_mdf | strength of the decrease, and the largest decrease | 1 |
//!
//! Sources: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
//! Datacenter", SIGCOMM'20, Algorithm 1, §3.1–3.5; github.com/Broadcom/csg-htsim at 841d9e7
//! ("htsim"); Snyder and Lebeck, "Fast Convergence to Fairness…", Eq. 1, §III-D, §V ("vai-sf").
//!
//! # Deviations
//! - *max_mdf.* Eq. 1 of vai-sf writes max(…, max_mdf), Swift max(…, 1 − max_mdf): the same for
//!   their value 0.5. We follow Swift: max_mdf is the largest share that is taken away.
//! - *d = t* grows nothing and takes nothing, as in htsim; some descriptions let it grow.
//! - *hops* are the switches of the forward path, as the ack reports them; htsim counts links.
//! - *The round trip between two decreases* is the last sample; htsim smooths it.
//! - *√cwnd* is taken of the real window; htsim divides integers first and so takes it of whole
//!   packets.
//! - *Which window the target rises with*: the one in force, min(fabric, endpoint). The endpoint's
//!   own target has neither hops nor flow scaling, and any smoothing of its delay is left to the
//!   host that reports it.
//! - *ai as a rate* (vai-sf): rate · T per round trip, with the base round trip T, as a rate-based
//!   sender whose window is rate · T would add it.
//! - *Pacing in vai-sf* is not described; its simulator paces every sender, so cwnd / rtt.
//! - *Probabilistic feedback* (vai-sf): a disregarded decrease uses up the round trip's chance;
//!   otherwise the next ack would flip the coin again and nothing would be disregarded for long.
//! - *The reference form after a loss*: Swift's rules on the reference; "once per rtt" is then
//!   counted between losses, since the reference's own decreases have their own gate.

use crate::coin::{Coin, Decrease};
use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{ParamError, ParamType, not_above};
use crate::reference::{Congestion, ReferenceLaw};
use crate::signals::Signals;
use plimsoll_units::{Rate, Span, Time};

crate::choice! {
    /// Which delays have a window.
    pub enum Windows {
        /// The network's.
        Fabric = "fabric",
        /// The network's and the receiving host's.
        FabricAndEndpoint = "fabric-and-endpoint",
    }
}

crate::choice! {
    /// When packets are paced.
    pub enum Pacing {
        /// Only where the window is less than a packet.
        BelowOnePacket = "below-one-packet",
        /// Always, at cwnd / rtt.
        Always = "always",
    }
}

crate::parameters! {
    /// Swift's parameters.
    pub struct Params {
        /// Target delay without switches and with a large window.
        base_target: Span where [Span::from_ns(1), Span::from_s(1)],
        /// h: what each switch adds to the target.
        hop_scale: Span where [Span::ZERO, Span::from_s(1)],
        /// By how much the target rises at most for small windows; zero switches flow scaling off.
        fs_range: Span where [Span::ZERO, Span::from_s(1)],
        /// Window, in packets, at and below which the target has risen fully.
        fs_min: f64 where [1e-9, 1e9],
        /// Window, in packets, from which on the target does not rise.
        fs_max: f64 where [1e-9, 1e9],
        /// Which delays have a window.
        windows: Windows,
        /// Target of the receiving host's delay, if it has a window.
        endpoint_target: Span where [Span::from_ns(1), Span::from_s(1)],
        /// ai: additive increase in packets per round trip; `"auto"` = `ai_rate`'s, or 1 if that is
        /// `"auto"` as well.
        ai: Option<f64> where [1e-9, 1e6],
        /// Additive increase as a rate per round trip; `"auto"` = `ai`'s.
        ai_rate: Option<Rate> where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// β: strength of the decrease.
        beta: f64 where [0.0, 1.0],
        /// Largest share of the window that one decrease takes.
        max_mdf: f64 where [0.0, 1.0],
        /// Which decreases by delay are heeded.
        decrease: Decrease,
        /// Smallest window, in packets.
        min_cwnd: f64 where [1e-9, 1e9],
        /// Largest window, in packets; `"auto"` = four bandwidth-delay products.
        max_cwnd: Option<f64> where [1e-9, 1e9],
        /// First window, in packets; `"auto"` = one bandwidth-delay product, which is line rate.
        start_cwnd: Option<f64> where [1e-9, 1e9],
        /// Timeouts in a row after which the window falls to `min_cwnd`.
        retx_reset: u32 where [1, 1_000_000],
        /// When packets are paced.
        pacing: Pacing,
    }
    presets {
        "sigcomm20" => sigcomm20, "Swift, SIGCOMM'20, with both windows; targets as Poseidon's §5 cites them",
        "htsim" => htsim, "csg-htsim at 841d9e7: base 20 µs, base/6.55 per hop, scaling 5·base",
        "poseidon-nsdi23" => poseidon_nsdi23, "Poseidon, NSDI'23, §5: 25 µs, 1 µs per hop, 100 µs",
        "vai-sf" => vai_sf, "Snyder and Lebeck, §III-D: 5 µs, 2 µs per hop, 50 Mb/s, fs_max 50",
        "vai-sf-datacenter" => vai_sf_datacenter, "Snyder and Lebeck, §VI: the same with fs_max 100",
        "vai-sf-1gbps" => vai_sf_1gbps, "Snyder and Lebeck, §III-D, \"Swift 1Gbps\"",
        "probabilistic" => probabilistic, "Snyder and Lebeck, §III-D, \"Swift Probabilistic\"",
    }
}

impl Params {
    /// The paper's law with both windows. Targets are those that Poseidon's evaluation calls the
    /// best of the paper; the endpoint's, 100 µs, is not published and ours.
    #[must_use]
    pub fn sigcomm20() -> Self {
        Self { windows: Windows::FabricAndEndpoint, ..Self::poseidon_nsdi23() }
    }

    /// csg-htsim's defaults. Its smallest window of 10 B is given for 4 kB packets.
    #[must_use]
    pub fn htsim() -> Self {
        Self {
            base_target: Span::from_us(20),
            // 20 µs / 6.55, to the nanosecond.
            hop_scale: Span::from_ns(3_053),
            min_cwnd: 0.0025,
            max_cwnd: Some(1_000.0),
            start_cwnd: Some(12.0),
            ..Self::poseidon_nsdi23()
        }
    }

    /// As Poseidon's evaluation runs it. ai, β, max_mdf and the resets are not given there: htsim's.
    /// The first window is not either: one packet, as we start Poseidon itself.
    #[must_use]
    pub fn poseidon_nsdi23() -> Self {
        Self {
            base_target: Span::from_us(25),
            hop_scale: Span::from_us(1),
            fs_range: Span::from_us(100),
            fs_min: 0.1,
            fs_max: 100.0,
            windows: Windows::Fabric,
            endpoint_target: Span::from_us(100),
            ai: Some(1.0),
            ai_rate: None,
            beta: 0.8,
            max_mdf: 0.5,
            decrease: Decrease::Always,
            min_cwnd: 0.001,
            max_cwnd: None,
            start_cwnd: Some(1.0),
            retx_reset: 5,
            pacing: Pacing::BelowOnePacket,
        }
    }

    /// As the evaluation of VAI and SF runs it in its 16-to-1 incast. The range of flow scaling is
    /// "as in Swift", which gives none: ours is four times the base target.
    #[must_use]
    pub fn vai_sf() -> Self {
        Self {
            base_target: Span::from_us(5),
            hop_scale: Span::from_us(2),
            fs_range: Span::from_us(20),
            fs_max: 50.0,
            ai: None,
            ai_rate: Some(Rate::from_mbps(50)),
            start_cwnd: None,
            pacing: Pacing::Always,
            ..Self::poseidon_nsdi23()
        }
    }

    /// The same in its fat-tree, whose windows are larger.
    #[must_use]
    pub fn vai_sf_datacenter() -> Self {
        Self { fs_max: 100.0, ..Self::vai_sf() }
    }

    /// The same with twenty times the additive increase.
    #[must_use]
    pub fn vai_sf_1gbps() -> Self {
        Self { ai_rate: Some(Rate::from_gbps(1)), ..Self::vai_sf() }
    }

    /// The same with decreases that are sometimes disregarded.
    #[must_use]
    pub fn probabilistic() -> Self {
        Self { decrease: Decrease::Probabilistic, ..Self::vai_sf() }
    }
}

/// Swift with its constants. Windows in packets, times in picoseconds: converting each ack's delay
/// to seconds would cost a division.
#[derive(Clone, Debug, PartialEq)]
pub struct Swift {
    host: Host,
    base_target: f64,
    hop_scale: f64,
    scaling: FlowScaling,
    windows: Windows,
    endpoint_target: f64,
    ai: f64,
    beta: f64,
    max_mdf: f64,
    decrease: Decrease,
    min_cwnd: f64,
    max_cwnd: f64,
    start_cwnd: f64,
    /// The window of line rate, which probabilistic feedback measures windows by.
    line_rate_cwnd: f64,
    retx_reset: u32,
    pacing: Pacing,
    packets_per_byte: f64,
    bits_per_packet: f64,
}

/// By how much the target rises for small windows: `clamp(a / √cwnd + b, 0, range)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FlowScaling {
    a: f64,
    b: f64,
    range: f64,
}

/// One of Swift's windows, in packets.
#[derive(Clone, Copy, Debug)]
struct Window {
    cwnd: f64,
    last_decrease: Option<Time>,
}

/// What Swift remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    fabric: Window,
    endpoint: Window,
    rtt: Span,
    retransmits: u32,
    coin: Coin,
}

impl Flow {
    /// The window in force, in packets.
    #[must_use]
    pub fn cwnd(&self) -> f64 {
        self.fabric.cwnd.min(self.endpoint.cwnd)
    }
}

impl Configure for Swift {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        not_above("fs_min", params.fs_min, "fs_max", params.fs_max)?;
        let packets =
            |rate: Rate| rate.as_bytes_per_second_f64() * host.base_rtt.as_secs_f64() / host.mss.as_f64();
        let line_rate_cwnd = packets(host.nic_rate);
        let max_cwnd = params.max_cwnd.unwrap_or((4.0 * line_rate_cwnd).max(1.0).max(params.min_cwnd));
        not_above("min_cwnd", params.min_cwnd, "max_cwnd", max_cwnd)?;
        let ai = match (params.ai, params.ai_rate) {
            (Some(ai), None) => ai,
            (None, Some(rate)) => packets(rate),
            (None, None) => 1.0,
            (Some(ai), Some(rate)) => {
                return Err(ParamError::Contradiction {
                    key: "ai",
                    value: ai.scalar(),
                    relation: "cannot be given together with",
                    other_key: "ai_rate",
                    other_value: rate.scalar(),
                });
            }
        };
        Ok(Self {
            host: *host,
            base_target: picoseconds(params.base_target),
            hop_scale: picoseconds(params.hop_scale),
            scaling: FlowScaling::new(params),
            windows: params.windows,
            endpoint_target: picoseconds(params.endpoint_target),
            ai,
            beta: params.beta,
            max_mdf: params.max_mdf,
            decrease: params.decrease,
            min_cwnd: params.min_cwnd,
            max_cwnd,
            start_cwnd: params.start_cwnd.unwrap_or(line_rate_cwnd).clamp(params.min_cwnd, max_cwnd),
            line_rate_cwnd,
            retx_reset: params.retx_reset,
            pacing: params.pacing,
            packets_per_byte: 1.0 / host.mss.as_f64(),
            bits_per_packet: host.mtu.as_f64() * 8.0,
        })
    }
}

impl FlowScaling {
    fn new(params: &Params) -> Self {
        let range = picoseconds(params.fs_range);
        let at_max = 1.0 / libm::sqrt(params.fs_max);
        let run = 1.0 / libm::sqrt(params.fs_min) - at_max;
        // With fs_min = fs_max there is no slope to draw: the target stays at its base.
        let a = if run > 0.0 { range / run } else { 0.0 };
        Self { a, b: -a * at_max, range }
    }

    fn rise(&self, cwnd: f64) -> f64 {
        if self.range > 0.0 { (self.a / libm::sqrt(cwnd) + self.b).clamp(0.0, self.range) } else { 0.0 }
    }
}

impl CongestionControl for Swift {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        let mut needs = Signals::RTT;
        if self.hop_scale > 0.0 {
            needs = needs | Signals::HOP_COUNT;
        }
        if self.windows == Windows::FabricAndEndpoint {
            needs = needs | Signals::ENDPOINT_DELAY;
        }
        needs
    }

    fn start(&self, path: &Path) -> (Flow, Decision) {
        let fabric = Window { cwnd: self.start_cwnd, last_decrease: None };
        // Without a window of its own the endpoint never limits.
        let endpoint = match self.windows {
            Windows::Fabric => Window { cwnd: self.max_cwnd, last_decrease: None },
            Windows::FabricAndEndpoint => fabric,
        };
        let flow = Flow { fabric, endpoint, rtt: path.base_rtt, retransmits: 0, coin: Coin::new(path.seed) };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        flow.rtt = ack.rtt;
        if ack.acked.get() > 0 {
            flow.retransmits = 0;
        }
        let target = self.target_ps(ack.hops, flow.cwnd());
        let fabric_delay = picoseconds(ack.network_rtt());
        self.react(&mut flow.fabric, &mut flow.coin, ack, fabric_delay, target);
        if self.windows == Windows::FabricAndEndpoint {
            let delay = picoseconds(ack.endpoint_delay);
            self.react(&mut flow.endpoint, &mut flow.coin, ack, delay, self.endpoint_target);
        }
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, loss: &Loss) -> Decision {
        flow.retransmits = 0;
        self.decrease_all(flow, loss.now);
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Decision {
        flow.retransmits = flow.retransmits.saturating_add(1);
        if flow.retransmits >= self.retx_reset {
            for window in self.windows_of(flow) {
                self.shrink(window, timeout.now, 0.0);
            }
        } else {
            self.decrease_all(flow, timeout.now);
        }
        self.decision(flow)
    }

    /// A queue in the receiving host is on every path: the fabric's delay alone counts.
    fn met_congestion(&self, flow: &Flow, ack: &Ack<'_>) -> Option<bool> {
        Some(self.fabric_is_congested(ack, flow.cwnd()))
    }

    fn decision(&self, flow: &Flow) -> Decision {
        self.decision_for(flow.cwnd(), flow.rtt)
    }
}

impl Swift {
    /// The target of the network's delay.
    #[must_use]
    pub fn target(&self, hops: u32, cwnd: f64) -> Span {
        Span::from_ps(self.target_ps(hops, cwnd) as u64)
    }

    /// Eq. 1 of vai-sf: the factor by which a delay at or above its target shrinks the window.
    #[must_use]
    pub fn decrease_factor(&self, delay: Span, target: Span) -> f64 {
        self.factor(picoseconds(delay), picoseconds(target))
    }

    /// Whether the network's delay of this ack has reached the target of a window.
    fn fabric_is_congested(&self, ack: &Ack<'_>, cwnd: f64) -> bool {
        picoseconds(ack.network_rtt()) >= self.target_ps(ack.hops, cwnd)
    }

    /// The smallest and the largest window, in packets.
    #[must_use]
    pub fn window_bounds(&self) -> (f64, f64) {
        (self.min_cwnd, self.max_cwnd)
    }

    /// ai, in packets per round trip.
    #[must_use]
    pub fn additive_increase(&self) -> f64 {
        self.ai
    }

    fn target_ps(&self, hops: u32, cwnd: f64) -> f64 {
        self.base_target + f64::from(hops) * self.hop_scale + self.scaling.rise(cwnd)
    }

    /// 1 up to the target, then Eq. 1. Times in picoseconds.
    fn factor(&self, delay: f64, target: f64) -> f64 {
        // Beyond a target, which is positive, the delay is positive too.
        if delay > target {
            (1.0 - self.beta * (delay - target) / delay).max(1.0 - self.max_mdf)
        } else {
            1.0
        }
    }

    /// Algorithm 1, on an ack.
    fn react(&self, window: &mut Window, coin: &mut Coin, ack: &Ack<'_>, delay: f64, target: f64) {
        if delay < target {
            let acked = ack.acked.as_f64() * self.packets_per_byte;
            window.cwnd = (window.cwnd + self.ai * acked / window.cwnd.max(1.0)).min(self.max_cwnd);
        } else if can_decrease(window.last_decrease, ack.now, ack.rtt) {
            if self.decrease.is_heeded(coin, window.cwnd, self.line_rate_cwnd) {
                self.shrink(window, ack.now, self.factor(delay, target));
            } else {
                window.last_decrease = Some(ack.now);
            }
        }
    }

    fn shrink(&self, window: &mut Window, now: Time, factor: f64) {
        let before = window.cwnd;
        window.cwnd = (before * factor).max(self.min_cwnd);
        if window.cwnd < before {
            window.last_decrease = Some(now);
        }
    }

    /// The windows that are in use.
    fn windows_of<'a>(&self, flow: &'a mut Flow) -> impl Iterator<Item = &'a mut Window> {
        let endpoint = (self.windows == Windows::FabricAndEndpoint).then_some(&mut flow.endpoint);
        core::iter::once(&mut flow.fabric).chain(endpoint)
    }

    /// The largest decrease of each window, if its last one was a round trip ago.
    fn decrease_all(&self, flow: &mut Flow, now: Time) {
        let rtt = flow.rtt;
        for window in self.windows_of(flow) {
            if can_decrease(window.last_decrease, now, rtt) {
                self.shrink(window, now, 1.0 - self.max_mdf);
            }
        }
    }

    fn decision_for(&self, cwnd: f64, rtt: Span) -> Decision {
        match self.pacing {
            Pacing::BelowOnePacket => Decision::packets(&self.host, cwnd, rtt),
            Pacing::Always => {
                // A round trip of zero would make the rate infinite; a picosecond makes it line rate.
                let seconds = rtt.max(Span::from_ps(1)).as_secs_f64();
                let window = cwnd * self.host.mss.as_f64();
                Decision::paced(&self.host, window, cwnd * self.bits_per_packet / seconds)
            }
        }
    }
}

pub(crate) fn picoseconds(span: Span) -> f64 {
    span.as_ps() as f64
}

/// At most one decrease per round trip.
fn can_decrease(last: Option<Time>, now: Time, rtt: Span) -> bool {
    last.is_none_or(|last| now.saturating_since(last) >= rtt)
}

/// Swift in its reference form.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction(Swift);

/// What the reference form remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// What the last ack's delay makes of the reference.
    factor: f64,
    rtt: Span,
    retransmits: u32,
    last_loss: Option<Time>,
    coin: Coin,
}

impl Reaction {
    /// The reference form with these parameters on this host.
    ///
    /// # Errors
    /// If two parameters contradict each other.
    pub fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        Swift::new(params, host).map(Self)
    }

    /// The largest decrease, if the last loss was a round trip ago.
    fn decrease_by_loss(&self, memory: &mut Memory, reference: f64, now: Time) -> Option<f64> {
        if !can_decrease(memory.last_loss, now, memory.rtt) {
            return None;
        }
        memory.last_loss = Some(now);
        Some((reference * (1.0 - self.0.max_mdf)).max(self.0.min_cwnd))
    }
}

impl ReferenceLaw for Reaction {
    type Memory = Memory;

    fn needs(&self) -> Signals {
        self.0.needs()
    }

    fn begin(&self, path: &Path) -> (Memory, f64) {
        let memory = Memory {
            factor: 1.0,
            rtt: path.base_rtt,
            retransmits: 0,
            last_loss: None,
            coin: Coin::new(path.seed),
        };
        (memory, self.0.start_cwnd)
    }

    fn observe(&self, memory: &mut Memory, ack: &Ack<'_>, reference: f64) -> Option<Congestion> {
        memory.rtt = ack.rtt;
        if ack.acked.get() > 0 {
            memory.retransmits = 0;
        }
        let target = self.0.target_ps(ack.hops, reference);
        let delay = picoseconds(ack.network_rtt());
        memory.factor = self.0.factor(delay, target);
        if self.0.windows == Windows::FabricAndEndpoint {
            let endpoint = self.0.factor(picoseconds(ack.endpoint_delay), self.0.endpoint_target);
            memory.factor = memory.factor.min(endpoint);
        }
        Some(Congestion { level: delay, baseline: target, congested: delay > target })
    }

    fn candidate(&self, memory: &Memory, reference: f64, increases: f64) -> f64 {
        (reference * memory.factor + increases * self.0.ai).clamp(self.0.min_cwnd, self.0.max_cwnd)
    }

    fn heeds_decrease(&self, memory: &mut Memory, reference: f64) -> bool {
        self.0.decrease.is_heeded(&mut memory.coin, reference, self.0.line_rate_cwnd)
    }

    fn after_loss(&self, memory: &mut Memory, reference: f64, loss: &Loss) -> Option<f64> {
        memory.retransmits = 0;
        self.decrease_by_loss(memory, reference, loss.now)
    }

    fn after_timeout(&self, memory: &mut Memory, reference: f64, timeout: &Timeout) -> Option<f64> {
        memory.retransmits = memory.retransmits.saturating_add(1);
        if memory.retransmits >= self.0.retx_reset {
            return Some(self.0.min_cwnd);
        }
        self.decrease_by_loss(memory, reference, timeout.now)
    }

    /// As of the plain form, with the target of the reference.
    fn met_congestion(&self, _: &Memory, ack: &Ack<'_>, reference: f64) -> Option<bool> {
        Some(self.0.fabric_is_congested(ack, reference))
    }

    fn decision(&self, memory: &Memory, window: f64) -> Decision {
        self.0.decision_for(window, memory.rtt)
    }
}

#[cfg(test)]
mod tests;
