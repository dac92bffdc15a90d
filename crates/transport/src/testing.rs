//! A law without a mind of its own, and a host, for tests.

use plimsoll_cc::{Ack, CongestionControl, Decision, Host, Loss, Path, Signals, Timeout};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// 100 Gb/s, 10 µs, 1000 B of payload in packets of 1048 B.
pub(crate) fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(10),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

pub(crate) fn path() -> Path {
    Path { base_rtt: Span::from_us(10), hops: 2, seed: 1 }
}

/// Always the same decision; remembers what it was told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedWindow {
    pub(crate) decision: Decision,
    pub(crate) needs: Signals,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    pub(crate) acks: u32,
    pub(crate) losses: u32,
    pub(crate) timeouts: u32,
    pub(crate) timers: u32,
    pub(crate) path_changes: u32,
    pub(crate) last_loss: Loss,
    pub(crate) acked: Bytes,
    pub(crate) marked: Bytes,
    pub(crate) last_rtt: Span,
    pub(crate) last_in_flight: Bytes,
    pub(crate) last_endpoint_delay: Span,
}

impl FixedWindow {
    pub(crate) fn packets(count: u64) -> Self {
        let decision = Decision::unpaced(&host(), count as f64 * 1000.0);
        Self { decision, needs: Signals::NONE }
    }

    pub(crate) fn paced(count: u64, rate: Rate) -> Self {
        let decision = Decision::paced(&host(), count as f64 * 1000.0, rate.as_bps_f64());
        Self { decision, needs: Signals::NONE }
    }

    pub(crate) fn needing(needs: Signals) -> Self {
        Self { needs, ..Self::packets(1) }
    }
}

impl CongestionControl for FixedWindow {
    type Flow = Told;

    fn needs(&self) -> Signals {
        self.needs
    }

    fn start(&self, _path: &Path) -> (Told, Decision) {
        (Told::default(), self.decision)
    }

    fn on_ack(&self, flow: &mut Told, ack: &Ack<'_>) -> Decision {
        flow.acks += 1;
        flow.acked += ack.acked;
        flow.marked += ack.marked;
        flow.last_rtt = ack.rtt;
        flow.last_in_flight = ack.in_flight;
        flow.last_endpoint_delay = ack.endpoint_delay;
        self.decision
    }

    fn on_loss(&self, flow: &mut Told, loss: &Loss) -> Decision {
        flow.losses += 1;
        flow.last_loss = *loss;
        self.decision
    }

    fn on_timeout(&self, flow: &mut Told, _timeout: &Timeout) -> Decision {
        flow.timeouts += 1;
        self.decision
    }

    fn on_timer(&self, flow: &mut Told, _now: Time) -> Decision {
        flow.timers += 1;
        Decision { wake: Time::NEVER, ..self.decision }
    }

    fn on_path_change(&self, flow: &mut Told) {
        flow.path_changes += 1;
    }

    fn decision(&self, _flow: &Told) -> Decision {
        self.decision
    }
}
