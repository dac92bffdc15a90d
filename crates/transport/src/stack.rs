//! [`Stack`]: the law and the settings that all connections of a host share, checked once.

use crate::config::{Config, EcnEcho};
use core::fmt;
use plimsoll_cc::params::{bounds, not_above};
use plimsoll_cc::signals::MissingSignals;
use plimsoll_cc::{CongestionControl, Host, ParamError, Parameters, Signals};
use plimsoll_units::Bytes;

/// A law and its transport settings. Connections hold only their own state and are handed this at
/// every step, so that a hundred thousand of them share one copy.
#[derive(Clone, Debug)]
pub struct Stack<L> {
    pub(crate) law: L,
    pub(crate) config: Config,
    pub(crate) mss: u32,
    pub(crate) header: u32,
}

impl<L: CongestionControl> Stack<L> {
    /// Pairs a law, called `name` in messages, with `config` on `host`, in a network that offers
    /// the signals `network`.
    ///
    /// # Errors
    /// If the law needs a signal that nobody offers, or a setting is out of bounds.
    pub fn new(
        name: &'static str,
        law: L,
        host: &Host,
        config: Config,
        network: Signals,
    ) -> Result<Self, StackError> {
        host.check()?;
        config.check()?;
        not_above("min_rto", config.min_rto, "max_rto", config.max_rto)?;
        not_above("reordering", config.reordering, "max_reordering", config.max_reordering)?;
        // A bare `Host` may be larger than any packet; lengths are 32 bits here.
        bounds("mtu", host.mtu, Bytes::new(1), Bytes::new(u64::from(u32::MAX)))?;
        law.needs().check(name, offered(&config, network))?;
        let mss = host.mss.get() as u32;
        Ok(Self { law, config, mss, header: host.mtu.get() as u32 - mss })
    }

    /// The law.
    #[must_use]
    pub fn law(&self) -> &L {
        &self.law
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }
}

/// The signals that reach a law: those of the network, as far as the transport passes them on,
/// and those that the transport measures itself.
#[must_use]
pub fn offered(config: &Config, network: Signals) -> Signals {
    let own = Signals::RTT | Signals::ENDPOINT_DELAY;
    match config.ecn {
        EcnEcho::Off => network.without(Signals::ECN) | own,
        EcnEcho::Accurate | EcnEcho::Classic | EcnEcho::Cnp => network | own,
    }
}

/// Why a law cannot run on a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StackError {
    /// A setting is out of bounds, or two contradict each other.
    Config(ParamError<'static>),
    /// The law needs a signal that is not offered.
    Signals(MissingSignals),
}

impl From<ParamError<'static>> for StackError {
    fn from(error: ParamError<'static>) -> Self {
        Self::Config(error)
    }
}

impl From<MissingSignals> for StackError {
    fn from(error: MissingSignals) -> Self {
        Self::Signals(error)
    }
}

impl fmt::Display for StackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Signals(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for StackError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FixedWindow, host};
    use plimsoll_cc::{Configure, poseidon};
    use plimsoll_units::Span;

    #[test]
    fn a_law_without_its_signal_is_refused_with_the_setting_that_gives_it() {
        let law = poseidon::Poseidon::new(&poseidon::Params::nsdi23(), &host()).unwrap();
        let config = Config::default();
        let error = Stack::new("poseidon", law.clone(), &host(), config, Signals::NONE).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("poseidon needs the maximum per-hop delay of data packets"), "{text}");
        assert!(text.contains("switch.int = \"max-hop-delay\""), "{text}");
        assert!(Stack::new("poseidon", law, &host(), config, Signals::MAX_HOP_DELAY).is_ok());
    }

    #[test]
    fn marks_that_the_receiver_does_not_echo_are_not_offered() {
        let law = FixedWindow::needing(Signals::ECN);
        let off = Config { ecn: EcnEcho::Off, ..Config::default() };
        let error = Stack::new("dctcp", law, &host(), off, Signals::EVERY).unwrap_err();
        assert!(error.to_string().starts_with("dctcp needs congestion marks"), "{error}");
        assert!(Stack::new("dctcp", law, &host(), Config::default(), Signals::EVERY).is_ok());
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused_by_name() {
        let config = Config { max_rto: Span::from_us(10), ..Config::default() };
        let error = Stack::new("fixed", FixedWindow::packets(1), &host(), config, Signals::NONE).unwrap_err();
        assert_eq!(error.to_string(), "`min_rto = \"1ms\"` must not exceed `max_rto = \"10us\"`");
        let config = Config { ack_every: 0, ..Config::default() };
        let error = Stack::new("fixed", FixedWindow::packets(1), &host(), config, Signals::NONE).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`ack_every = 0` is out of bounds; it must be a whole number from 1 to 64"
        );
    }
}
