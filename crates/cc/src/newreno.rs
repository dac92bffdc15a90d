//! NewReno: one packet more per round trip, half the window on congestion.
//!
//! ```text
//! ack of n new bytes:   cwnd < ssthresh     cwnd += min(n, MSS)                    slow start
//!                       else                cwnd += MSS · min(n, MSS) / cwnd       avoidance
//! loss found by acks:   ssthresh = cwnd = max(flight / 2, 2 MSS),  recover = sent_to
//! until acked_to ≥ recover:                 no growth
//! echo (ECE), once per window:              cwnd = max(cwnd / 2, MSS),  ssthresh = max(cwnd / 2, 2 MSS)
//! timeout:              ssthresh = max(flight / 2, 2 MSS),  cwnd = MSS
//! ```
//!
//! The window grows until something is lost or marked, so the queue swings between full and the
//! half of a bandwidth-delay product below it: the baseline that datacenter laws improve on.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | cwnd | window | bytes |
//! | ssthresh | window at which slow start ends | bytes |
//! | flight | bytes sent and not acked when the loss was found | bytes |
//! | recover | stream position up to which losses belong to one episode | bytes |
//! | MSS | payload of a full packet | bytes |
//!
//! Source: RFC 5681 (slow start, avoidance, loss, timeout), RFC 6582 (NewReno's recovery from
//! cumulative acks), RFC 6675 (recovery with selective acks), RFC 3168 §6.1.2 (echoes), RFC 3465
//! (byte counting), RFC 6928 (first window).
//!
//! # Deviations
//! - *Recovery* is RFC 6675's by default, because our transport has selective acks: it counts what
//!   is in flight without delivered and lost packets, so the window need not be inflated.
//!   `recovery = "inflate"` is RFC 6582 for transports with cumulative acks alone.
//! - *First window*: RFC 6928 caps ten packets at 14,600 bytes, which is four datacenter packets of
//!   4 KB. Like Linux we count packets, whatever their size.
//! - *Small acks*: RFC 5681's Eq. 3 adds MSS²/cwnd for any ack, however little it covers, and warns
//!   that a receiver can split acks. We scale by what is covered, which is the same for full
//!   packets.
//! - *Duplicate and selective acks* never make the window grow outside recovery: only cumulative
//!   progress does, as in RFC 5681.
//! - *Echo and loss in one window* are answered once (RFC 3168). After a timeout, a loss found in
//!   the window that timed out is not answered again (RFC 6582 §3.2).
//! - *Unused window*: RFC 5681 lets a window grow that the application does not fill. With
//!   `validate_window` (on) it grows only while at least half of it is in flight.
//! - *A window of one packet that is still marked* should wait for a timer (RFC 3168); ours stays
//!   at one packet.

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::ParamError;
pub use crate::reno::{Counting, Recovery};
use crate::reno::{Reno, Settings, Window};
use crate::signals::Signals;
use plimsoll_units::Bytes;

/// The factor that answers an echo.
const HALF: f64 = 0.5;

crate::parameters! {
    /// NewReno's parameters.
    pub struct Params {
        /// First window, in packets.
        initial_window: f64 where [1.0, 1e6],
        /// How the window behaves while holes are filled.
        recovery: Recovery,
        /// What makes the window grow.
        counting: Counting,
        /// L: the most packets that one ack adds in slow start if bytes are counted.
        byte_limit: f64 where [1.0, 1e6],
        /// Grow only while at least half of the window is in flight.
        validate_window: bool,
    }
    presets {
        "rfc6675" => rfc6675, "RFC 5681, 6675 and 6928: selective acks, ten packets at first",
        "rfc6582" => rfc6582, "RFC 5681, 6582 and 6928: cumulative acks, window inflation",
        "rfc3465" => rfc3465, "RFC 5681, 6675 and 3465: appropriate byte counting with L = 2",
    }
}

impl Params {
    /// The standard with selective acks.
    #[must_use]
    pub fn rfc6675() -> Self {
        let Settings { initial_window, recovery, counting, byte_limit, validate_window, .. } =
            Settings::STANDARD;
        Self { initial_window, recovery, counting, byte_limit, validate_window }
    }

    /// The standard without selective acks.
    #[must_use]
    pub fn rfc6582() -> Self {
        Self { recovery: Recovery::Inflate, ..Self::rfc6675() }
    }

    /// Growth by bytes.
    #[must_use]
    pub fn rfc3465() -> Self {
        Self { counting: Counting::Bytes, ..Self::rfc6675() }
    }
}

/// NewReno with its constants.
#[derive(Clone, Debug)]
pub struct NewReno {
    reno: Reno,
}

/// What NewReno remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    window: Window,
}

impl Flow {
    /// The window.
    #[must_use]
    pub fn cwnd(&self) -> Bytes {
        Bytes::saturating_from_f64(self.window.cwnd)
    }

    /// The window at which slow start ends.
    #[must_use]
    pub fn ssthresh(&self) -> Bytes {
        Bytes::saturating_from_f64(self.window.ssthresh)
    }
}

impl Configure for NewReno {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let settings = Settings {
            initial_window: params.initial_window,
            recovery: params.recovery,
            counting: params.counting,
            byte_limit: params.byte_limit,
            validate_window: params.validate_window,
            ..Settings::STANDARD
        };
        Ok(Self { reno: Reno::new(host, settings) })
    }
}

impl CongestionControl for NewReno {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::NONE
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let flow = Flow { window: self.reno.start() };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        self.reno.on_ack(&mut flow.window, ack, ack.ece.then_some(HALF));
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
