//! The trait that every law implements, and its answer.

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::homa::Homa;
use crate::params::{ParamError, Parameters};
use crate::signals::Signals;
use core::fmt::Debug;
use plimsoll_units::{Bytes, Rate, Span, Time};

/// A congestion control law: constants shared by all flows of a host.
pub trait CongestionControl: Clone + Debug {
    /// What the law remembers of one flow.
    type Flow: Copy + Debug;

    /// The signals that the law needs with its present parameters.
    fn needs(&self) -> Signals;

    /// A flow begins.
    fn start(&self, path: &Path) -> (Self::Flow, Decision);

    /// An ack arrived.
    fn on_ack(&self, flow: &mut Self::Flow, ack: &Ack<'_>) -> Decision;

    /// A loss episode begins: the transport found a hole by acks.
    fn on_loss(&self, flow: &mut Self::Flow, loss: &Loss) -> Decision;

    /// The retransmission timer expired.
    fn on_timeout(&self, flow: &mut Self::Flow, timeout: &Timeout) -> Decision;

    /// The moment asked for in [`Decision::wake`] has come.
    fn on_timer(&self, flow: &mut Self::Flow, now: Time) -> Decision {
        let _ = now;
        self.decision(flow)
    }

    /// The flow takes another path from now on. Laws that compare what switches said with what
    /// they said before forget the latter: it was said by other switches. What the flow may do stays.
    fn on_path_change(&self, flow: &mut Self::Flow) {
        let _ = flow;
    }

    /// Whether the packet that this ack answers met congestion, as the law judges it before it hears the
    /// ack; `None` if it has no opinion of its own. Whoever moves flows to other paths asks ([`crate::plb`]).
    fn met_congestion(&self, flow: &Self::Flow, ack: &Ack<'_>) -> Option<bool> {
        let _ = (flow, ack);
        None
    }

    /// What the flow may do as things stand.
    fn decision(&self, flow: &Self::Flow) -> Decision;

    /// The receivers' side, if it is they who decide what is sent: hosts then speak
    /// [HOMA](crate::homa)'s protocol, and none of the events above happens.
    #[inline]
    fn grants(&self) -> Option<&Homa> {
        None
    }
}

/// A law that is made from parameters. Apart from [`CongestionControl`], so that
/// [`AnyLaw`](crate::registry::AnyLaw) can be one of those without having parameters of its own.
pub trait Configure: CongestionControl + Sized {
    /// What a user may set.
    type Params: Parameters;

    /// The law with these parameters on this host.
    ///
    /// # Errors
    /// If a parameter is outside its domain or two contradict each other.
    fn new(params: &Self::Params, host: &Host) -> Result<Self, ParamError<'static>>;
}

/// What a flow may do.
///
/// A window below one packet is expressed by the pace alone: the window then allows one packet,
/// and the pace spaces packets so that the average is the smaller window's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// How many payload bytes may be in flight; at least one full packet.
    pub window: Bytes,
    /// How fast packets may follow each other, headers included.
    pub pacing: Rate,
    /// When the law wants [`CongestionControl::on_timer`] to be called.
    pub wake: Time,
}

impl Decision {
    /// The window of a law that limits the rate alone.
    pub const UNLIMITED: Bytes = Bytes::MAX;

    /// A window of `window` bytes, paced at `rate` bit/s; both are brought into range: the window
    /// to at least one packet, the rate to 1 bit/s … line rate.
    ///
    /// The laws keep their own state finite; a NaN here is a bug, which debug builds refuse.
    #[must_use]
    pub fn paced(host: &Host, window: f64, rate: f64) -> Self {
        debug_assert!(window.is_finite() && window >= 0.0, "window {window}");
        debug_assert!(rate.is_finite() && rate >= 0.0, "rate {rate}");
        Self {
            window: Bytes::saturating_from_f64(window).max(host.mss),
            pacing: Rate::saturating_from_bps_f64(rate).clamp(Rate::from_bps(1), host.nic_rate),
            wake: Time::NEVER,
        }
    }

    /// A window of `window` bytes, sent as fast as acks and the line allow.
    #[must_use]
    pub fn unpaced(host: &Host, window: f64) -> Self {
        debug_assert!(window.is_finite() && window >= 0.0, "window {window}");
        Self {
            window: Bytes::saturating_from_f64(window).max(host.mss),
            pacing: host.nic_rate,
            wake: Time::NEVER,
        }
    }

    /// A window of `cwnd` packets. From one packet on it is sent as fast as acks and the line
    /// allow; below one packet, single packets follow each other after `rtt / cwnd` (Swift's and
    /// Poseidon's rule).
    #[must_use]
    pub fn packets(host: &Host, cwnd: f64, rtt: Span) -> Self {
        if cwnd >= 1.0 {
            return Self::unpaced(host, cwnd * host.mss.as_f64());
        }
        // A round trip of zero would make the rate infinite; a picosecond makes it line rate.
        let seconds = rtt.max(Span::from_ps(1)).as_secs_f64();
        Self::paced(host, 0.0, cwnd * host.mtu.as_f64() * 8.0 / seconds)
    }

    /// A window of `cwnd` packets that leave one every `rtt / cwnd`, however large it is.
    #[must_use]
    pub fn packets_paced(host: &Host, cwnd: f64, rtt: Span) -> Self {
        // As in `packets`.
        let seconds = rtt.max(Span::from_ps(1)).as_secs_f64();
        Self::paced(host, cwnd * host.mss.as_f64(), cwnd * host.mtu.as_f64() * 8.0 / seconds)
    }

    /// No window, only a pace of `rate` bit/s.
    #[must_use]
    pub fn rate_only(host: &Host, rate: f64) -> Self {
        Self { window: Self::UNLIMITED, ..Self::paced(host, 0.0, rate) }
    }

    /// The same with a wake-up call at `wake`.
    #[must_use]
    pub fn waking_at(self, wake: Time) -> Self {
        Self { wake, ..self }
    }
}
