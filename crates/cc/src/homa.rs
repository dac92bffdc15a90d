//! HOMA: receivers grant messages in the order of their remaining bytes, and say with which priority.
//!
//! ```text
//! sender      blind        the first U = min(R, m) bytes of a message of m bytes, at level u(m)
//!             then         byte b only if b < G, at the level of the last grant
//!             order        fewest bytes left to send first
//! receiver    order        fewest bytes left to come first, one message per sender, the first D of them
//!             grant        G = r + min(R, m − r, what the others leave of D · R), one grant per packet that arrives
//!             level        of the i-th of n granted ones (i = 0 is the shortest): min(n − 1 − i, S − 1)
//! cut-offs    u(m)         S + (the number of levels above S whose cut-off is not below m); each level of
//!                          S … L − 1 carries an equal share of all blind bytes, the shortest on top
//!             split        S = L − round(L · blind bytes / all bytes), both sides one at least
//! control     grants and all other packets without data: level L − 1
//! ```
//!
//! A shorter message finds the levels above those in use free, and so overtakes at once: scheduled
//! levels are used from the lowest up.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | R | RTTbytes: what fits into the longest round trip; whole packets | bytes |
//! | D | degree of overcommitment: messages that are granted at the same time | 1 |
//! | L | levels of priority, L − 1 is the highest | 1 |
//! | S | scheduled levels: 0 … S − 1; the others are for blind bytes | 1 |
//! | m, r | bytes of a message, and those that have arrived | bytes |
//! | G | what the message has been granted | bytes |
//!
//! [`Policy`] holds these rules; it knows no packet, no clock and no memory. The protocol around it
//! (reassembly, RESEND, BUSY, timers) is `plimsoll_transport::homa`.
//!
//! Source: Montazeri et al., "Homa: A Receiver-Driven Low-Latency Transport Protocol Using Network
//! Priorities", SIGCOMM'18; github.com/PlatformLab/HomaSimulation and HomaModule for what the paper
//! leaves open. In PowerTCP's comparison (NSDI'22, §4) R = 90.5 KB = τ · 25 Gb/s, D = 1 … 6.
//!
//! # Deviations
//! - *D · R*: the paper keeps R granted and not received for each of D messages, and does not say
//!   when a message that needs no more grants stops being one of the D. If at once, a crowd of
//!   messages that are short of a few packets is granted in one go; if with its last byte, the link
//!   idles for a round trip between two messages. Here it gives way to the next one byte by byte as
//!   its last R bytes arrive. HomaModule bounds the sum in the same way (`max_incoming`).
//! - *Cut-offs*: receivers of the paper measure sizes and announce cut-offs now and then. Whoever
//!   makes a [`Policy`] hands it the sizes; the simulator takes those of the whole run.
//! - *Whole packets*: R is rounded up to full packets, so that no grant cuts one.
//! - *PowerTCP's set*: its paper names R and D alone. L = 8, S = D and the cut-offs are by the rules above.
//! - *As a window*: a sender that runs this law without receivers that grant keeps R bytes in flight
//!   at line rate, which is what one message of HOMA's would.

mod policy;

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{ParamError, ParamType};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Span};

pub use policy::{Candidate, Chosen, MAX_LEVELS, MAX_OVERCOMMITMENT, Policy};

crate::parameters! {
    /// HOMA's parameters.
    pub struct Params {
        /// R: bytes that are sent blindly, and that a granted message has under way; "auto" = the card's
        /// rate times the network's base round trip time.
        rtt_bytes: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000)],
        /// D: messages that a receiver grants at the same time; "auto" = the number of scheduled levels.
        overcommitment: Option<u32> where [1, 16],
        /// L: levels of priority that the switches have.
        levels: u32 where [1, 8],
        /// Levels for bytes that are sent blindly; "auto" = what the degree of overcommitment leaves, or the
        /// share of these bytes in all if that is "auto", too.
        unscheduled_levels: Option<u32> where [1, 8],
        /// A receiver that waits for this long asks again; a sender that hears nothing, too.
        resend_timeout: Span where [Span::from_us(1), Span::from_s(10)],
        /// After this many questions in a row without an answer the message is given up.
        max_resends: u32 where [1, 1_000],
    }
    presets {
        "sigcomm18" => sigcomm18, "Montazeri et al., SIGCOMM'18: levels split by the share of blind bytes, D = scheduled levels",
        "powertcp-nsdi22" => powertcp_nsdi22, "PowerTCP, NSDI'22, §4: RTTBytes 90.5 KB, overcommitment 1",
    }
}

impl Params {
    /// The original. Timers are HomaModule's: a question after 5 ticks of 1 ms, five in vain.
    #[must_use]
    pub fn sigcomm18() -> Self {
        Self {
            rtt_bytes: None,
            overcommitment: None,
            levels: MAX_LEVELS as u32,
            unscheduled_levels: None,
            resend_timeout: Span::from_ms(5),
            max_resends: 5,
        }
    }

    /// The best of those that PowerTCP is compared with; Figs. 9–11 have overcommitment 1 to 6.
    #[must_use]
    pub fn powertcp_nsdi22() -> Self {
        Self { rtt_bytes: Some(Bytes::new(90_500)), overcommitment: Some(1), ..Self::sigcomm18() }
    }
}

/// HOMA with its constants.
#[derive(Clone, Debug)]
pub struct Homa {
    host: Host,
    params: Params,
    rtt_bytes: Bytes,
}

/// A window of R bytes has no state.
#[derive(Clone, Copy, Debug)]
pub struct Flow;

impl Configure for Homa {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        // One level can be both, two or more are one or the other.
        let unscheduled = params.unscheduled_levels.unwrap_or(1);
        if unscheduled >= params.levels.max(2) {
            return Err(ParamError::Contradiction {
                key: "unscheduled_levels",
                value: unscheduled.scalar(),
                relation: "leaves none for granted bytes of",
                other_key: "levels",
                other_value: params.levels.scalar(),
            });
        }
        let wanted = params.rtt_bytes.unwrap_or(host.bdp()).max(Bytes::new(1));
        let packets = wanted.get().div_ceil(host.mss.get().max(1));
        let rtt_bytes = Bytes::new(packets.saturating_mul(host.mss.get()));
        Ok(Self { host: *host, params: *params, rtt_bytes })
    }
}

impl Homa {
    /// R.
    #[must_use]
    pub fn rtt_bytes(&self) -> Bytes {
        self.rtt_bytes
    }

    /// L: how many classes switches must have.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.params.levels
    }

    /// How long a receiver waits before it asks again.
    #[must_use]
    pub fn resend_timeout(&self) -> Span {
        self.params.resend_timeout
    }

    /// How many questions in a row may be without an answer.
    #[must_use]
    pub fn max_resends(&self) -> u32 {
        self.params.max_resends
    }

    /// The rules for messages of these sizes, which come from the smallest to the largest.
    #[must_use]
    pub fn policy(&self, sizes: &[Bytes]) -> Policy {
        let Params { levels, overcommitment, unscheduled_levels, .. } = self.params;
        Policy::new(self.rtt_bytes, levels, overcommitment, unscheduled_levels, sizes)
    }
}

impl CongestionControl for Homa {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::NONE
    }

    fn grants(&self) -> Option<&Homa> {
        Some(self)
    }

    fn start(&self, _: &Path) -> (Flow, Decision) {
        (Flow, self.decision(&Flow))
    }

    fn on_ack(&self, flow: &mut Flow, _: &Ack<'_>) -> Decision {
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Flow, _: &Loss) -> Decision {
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, _: &Timeout) -> Decision {
        self.decision(flow)
    }

    fn decision(&self, _: &Flow) -> Decision {
        Decision::paced(&self.host, self.rtt_bytes.as_f64(), self.host.nic_rate.as_bps_f64())
    }
}

#[cfg(test)]
mod tests;
