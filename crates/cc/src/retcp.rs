//! reTCP: Reno that jumps when a circuit comes and goes.
//!
//! ```text
//! first growing ack after the circuit bit rose:   cwnd ·= up
//! first growing ack after the circuit bit fell:   cwnd /= down
//! everything else:                                as Reno
//! ```
//!
//! In a reconfigurable network the bandwidth between two racks changes by a known factor for a
//! known time. The ToR switch says so in a bit of every ack; the sender need not find out by
//! probing.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | cwnd | window | bytes |
//! | up, down | factors when the circuit comes and goes | 1 |
//!
//! Source: Mukerjee et al., "Adapting TCP for Reconfigurable Datacenter Networks", NSDI'20; kernel
//! module reTCP/retcp.c of github.com/mukerjee/etalon at 750ef82.
//!
//! # Deviations
//! - *The bit* is ECE in the module. Ours is a bit of its own ([`Ack::circuit_up`]); echoes of
//!   congestion are ignored, as they cannot be told apart there.
//! - *When it jumps*: the module jumps where Linux lets a window grow, after the growth. So here:
//!   not in recovery, and not on a duplicate ack. A jump that is due then happens afterwards; a
//!   circuit that came and went within a recovery leaves no trace.
//! - *Floor*: the module's whole-number division can reach zero packets; ours stops at one.
//! - *Factor in PowerTCP's comparison*: not stated there; the circuit is four times as fast as the
//!   packet network (100 and 25 Gb/s), hence the preset.

use crate::episode::Place;
use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::ParamError;
use crate::reno::{LARGEST_WINDOW, Reno, Settings, Window};
use crate::signals::Signals;
use plimsoll_units::Bytes;

crate::parameters! {
    /// reTCP's parameters.
    pub struct Params {
        /// Factor when the circuit comes up.
        up: f64 where [1.0, 1e6],
        /// Divisor when the circuit goes down.
        down: f64 where [1.0, 1e6],
        /// First window, in packets.
        initial_window: f64 where [1.0, 1e6],
        /// Grow only while at least half of the window is in flight.
        validate_window: bool,
    }
    presets {
        "etalon" => etalon, "reTCP's kernel module (Etalon, NSDI'20): 2 and 2",
        "powertcp-nsdi22" => powertcp_nsdi22, "PowerTCP, NSDI'22, §5: circuits of 100 against 25 Gb/s",
    }
}

impl Params {
    /// The module's defaults.
    #[must_use]
    pub fn etalon() -> Self {
        let Settings { initial_window, validate_window, .. } = Settings::STANDARD;
        Self { up: 2.0, down: 2.0, initial_window, validate_window }
    }

    /// The ratio of the two networks in PowerTCP's evaluation.
    #[must_use]
    pub fn powertcp_nsdi22() -> Self {
        Self { up: 4.0, down: 4.0, ..Self::etalon() }
    }
}

/// reTCP with its constants.
#[derive(Clone, Debug)]
pub struct ReTcp {
    reno: Reno,
    up: f64,
    down: f64,
}

/// What reTCP remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    window: Window,
    acked_to: Bytes,
    /// The window is that of the circuit.
    jumped: bool,
}

impl Flow {
    /// The window.
    #[must_use]
    pub fn cwnd(&self) -> Bytes {
        Bytes::saturating_from_f64(self.window.cwnd)
    }
}

impl Configure for ReTcp {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let settings = Settings {
            initial_window: params.initial_window,
            validate_window: params.validate_window,
            ..Settings::STANDARD
        };
        Ok(Self { reno: Reno::new(host, settings), up: params.up, down: params.down })
    }
}

impl CongestionControl for ReTcp {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::CIRCUIT
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let flow = Flow { window: self.reno.start(), acked_to: Bytes::ZERO, jumped: false };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        let progress = ack.acked_to > flow.acked_to;
        flow.acked_to = flow.acked_to.max(ack.acked_to);
        let place = self.reno.on_ack(&mut flow.window, ack, None);
        if progress && place == Place::Free && flow.jumped != ack.circuit_up {
            let factor = if ack.circuit_up { self.up } else { 1.0 / self.down };
            let smallest = self.reno.host.mss.as_f64();
            flow.window.cwnd = (flow.window.cwnd * factor).clamp(smallest, LARGEST_WINDOW);
            flow.jumped = ack.circuit_up;
        }
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, loss: &Loss) -> Decision {
        self.reno.on_loss(&mut flow.window, loss);
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Decision {
        self.reno.on_timeout(&mut flow.window, timeout);
        self.decision(flow)
    }

    fn decision(&self, flow: &Flow) -> Decision {
        self.reno.decision(&flow.window)
    }
}

#[cfg(test)]
mod tests;
