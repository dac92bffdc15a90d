//! VAI and SF together, over any law with a reference window.
//!
//! [`vai`](crate::vai) says how many additive increases a window contains, [`sf`](crate::sf) when
//! it becomes the reference; each can be switched off. [`FastConvergence`] is the
//! [`Mechanism`] of both, [`HpccVaiSf`] and [`SwiftVaiSf`] are the laws that the paper shows it
//! with; [`PowerTcpVaiSf`] is ours. A law's parameters and the mechanism's are read from one table.
//!
//! Source: Snyder and Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail Latency in
//! Datacenter Networks", §V and §VI-A.
//!
//! # Deviations
//! - *Swift* takes its reference form ([`swift::Reaction`]): windows from a reference, an additive
//!   increase on every ack, congested or not, and no flow scaling, as §V-B and §VI-B say.
//! - *The threshold* is the least bandwidth-delay product of the network, "about 50 KB", which in
//!   the paper's star network is 52 kB; the presets have the paper's 50 kB and 4 µs, `"auto"` is
//!   this host's product, or for Swift the base round trip in which that queue drains.
//! - *PowerTCP* is not in the paper, which expects the mechanisms to suit any law that reacts at the
//!   sender (§V). Its artifact's form has one reference ([`powertcp::CommittedForm`]) and reads the
//!   queues that HPCC reads, so it takes HPCC's constants; a token is worth γ · β of window. Its other
//!   form (`reference = "sent"`) averages with the window itself: what is committed would be a part
//!   of it only, so this law always has the committed form, whatever that key says.
//! - *A decrease that probabilistic feedback disregards* costs no tokens.

use crate::event::Host;
use crate::law::Configure;
use crate::params::ParamError;
use crate::reference::{Congestion, Direction, Mechanism, OnReference};
use crate::round::RoundEvent;
use crate::sf::{Sample, SamplingFrequency};
use crate::vai::{Tokens, VariableIncrease};
use crate::{hpcc, powertcp, swift};
use plimsoll_units::{Bytes, Span};

/// Both mechanisms' parameters, for laws that measure congestion in the given unit.
macro_rules! mechanism_parameters {
    ($(#[$meta:meta])* $name:ident, $unit:ty, $smallest:expr, $largest:expr, $threshold:expr, $size:expr) => {
        crate::parameters! {
            $(#[$meta])*
            pub struct $name {
                /// VAI: whether additive increases vary.
                variable_increase: bool,
                /// VAI: congestion (for Swift: above its target) from which tokens are made;
                /// `"auto"` = one bandwidth-delay product of queue.
                token_threshold: Option<$unit> where [$smallest, $largest],
                /// VAI: congestion per token (AI_DIV).
                token_size: $unit where [$smallest, $largest],
                /// VAI: most tokens that are saved.
                bank_cap: f64 where [0.0, 1e9],
                /// VAI: most tokens in one window.
                ai_cap: f64 where [0.0, 1e9],
                /// VAI: dampener that halves the increase.
                dampener_constant: f64 where [1e-6, 1e9],
                /// SF: whether decreases come by acks instead of round trips.
                sampling: bool,
                /// SF: acks between two decreases.
                sampling_acks: u32 where [1, 1_000_000],
            }
            presets {
                "vai-sf" => vai_sf, "Snyder and Lebeck, §VI-A",
                "vai-only" => vai_only, "Snyder and Lebeck, §VI-A, without SF",
                "sf-only" => sf_only, "Snyder and Lebeck, §VI-A, without VAI",
            }
        }

        impl $name {
            /// Both mechanisms as evaluated in the paper.
            #[must_use]
            pub fn vai_sf() -> Self {
                Self {
                    variable_increase: true,
                    token_threshold: Some($threshold),
                    token_size: $size,
                    bank_cap: 1_000.0,
                    ai_cap: 100.0,
                    dampener_constant: 8.0,
                    sampling: true,
                    sampling_acks: 30,
                }
            }

            /// Variable increases, commits once per round trip.
            #[must_use]
            pub fn vai_only() -> Self {
                Self { sampling: false, ..Self::vai_sf() }
            }

            /// Sampled decreases, one increase at a time.
            #[must_use]
            pub fn sf_only() -> Self {
                Self { variable_increase: false, ..Self::vai_sf() }
            }

            /// The mechanism, with `number` to read the unit and `auto` for the threshold.
            fn build(&self, number: fn($unit) -> f64, auto: $unit) -> FastConvergence {
                FastConvergence {
                    increase: self.variable_increase.then(|| VariableIncrease {
                        token_threshold: number(self.token_threshold.unwrap_or(auto)),
                        token_size: number(self.token_size),
                        bank_cap: self.bank_cap,
                        ai_cap: self.ai_cap,
                        dampener_constant: self.dampener_constant,
                    }),
                    sampling: self.sampling.then_some(SamplingFrequency { acks: self.sampling_acks }),
                }
            }
        }
    };
}

mechanism_parameters! {
    /// VAI and SF over a law that measures queues (HPCC): 50 kB, a token per kB.
    QueueParams, Bytes, Bytes::new(1), Bytes::from_mb(1_000_000), Bytes::from_kb(50), Bytes::from_kb(1)
}

mechanism_parameters! {
    /// VAI and SF over a law that measures delays (Swift): 4 µs above the target, a token per 30 ns.
    DelayParams, Span, Span::from_ps(1), Span::from_s(1_000), Span::from_us(4), Span::from_ns(30)
}

crate::joined_parameters! {
    /// The parameters of HPCC with VAI and SF.
    pub struct HpccParams {
        /// HPCC's.
        law: hpcc::Params,
        /// VAI's and SF's.
        mechanism: QueueParams,
    }
    presets {
        "vai-sf" => hpcc::Params::vai_sf, QueueParams::vai_sf,
            "Snyder and Lebeck, §VI-A, \"HPCC VAI SF\": s 30, 50 kB, 1 kB per token",
        "vai-only" => hpcc::Params::vai_sf, QueueParams::vai_only, "the same without SF",
        "sf-only" => hpcc::Params::vai_sf, QueueParams::sf_only, "the same without VAI",
    }
}

crate::joined_parameters! {
    /// The parameters of Swift with VAI and SF.
    pub struct SwiftParams {
        /// Swift's.
        law: swift::Params,
        /// VAI's and SF's.
        mechanism: DelayParams,
    }
    presets {
        "vai-sf" => unscaled_swift, DelayParams::vai_sf,
            "Snyder and Lebeck, §VI-A, \"Swift VAI SF\": s 30, target + 4 µs, 30 ns per token",
        "vai-only" => unscaled_swift, DelayParams::vai_only, "the same without SF",
        "sf-only" => unscaled_swift, DelayParams::sf_only, "the same without VAI",
    }
}

crate::joined_parameters! {
    /// The parameters of PowerTCP with VAI and SF.
    pub struct PowerTcpParams {
        /// PowerTCP's.
        law: powertcp::Params,
        /// VAI's and SF's.
        mechanism: QueueParams,
    }
    presets {
        "vai-sf" => powertcp::Params::artifact_rdma, QueueParams::vai_sf,
            "ours: PowerTCP's artifact, with the mechanisms as Snyder and Lebeck, §VI-A, set them for HPCC",
        "vai-only" => powertcp::Params::artifact_rdma, QueueParams::vai_only, "the same without SF",
        "sf-only" => powertcp::Params::artifact_rdma, QueueParams::sf_only, "the same without VAI",
    }
}

/// Swift as VAI and SF were evaluated with: without flow scaling (§VI-B).
fn unscaled_swift() -> swift::Params {
    swift::Params { fs_range: Span::ZERO, ..swift::Params::vai_sf() }
}

/// HPCC with VAI and SF.
pub type HpccVaiSf = OnReference<hpcc::Reaction, FastConvergence>;

/// Swift with VAI and SF.
pub type SwiftVaiSf = OnReference<swift::Reaction, FastConvergence>;

/// PowerTCP in its committed form with VAI and SF.
pub type PowerTcpVaiSf = OnReference<powertcp::CommittedForm, FastConvergence>;

impl Configure for HpccVaiSf {
    type Params = HpccParams;

    fn new(params: &HpccParams, host: &Host) -> Result<Self, ParamError<'static>> {
        let mechanism = params.mechanism.build(Bytes::as_f64, host.bdp().max(Bytes::new(1)));
        Ok(Self::new(hpcc::Reaction::new(&params.law, host)?, mechanism))
    }
}

impl Configure for SwiftVaiSf {
    type Params = SwiftParams;

    fn new(params: &SwiftParams, host: &Host) -> Result<Self, ParamError<'static>> {
        let mechanism = params.mechanism.build(swift::picoseconds, host.base_rtt);
        Ok(Self::new(swift::Reaction::new(&params.law, host)?, mechanism))
    }
}

impl Configure for PowerTcpVaiSf {
    type Params = PowerTcpParams;

    fn new(params: &PowerTcpParams, host: &Host) -> Result<Self, ParamError<'static>> {
        let mechanism = params.mechanism.build(Bytes::as_f64, host.bdp().max(Bytes::new(1)));
        let law = powertcp::CommittedForm(powertcp::PowerTcp::new(&params.law, host)?);
        Ok(Self::new(law, mechanism))
    }
}

/// The mechanism of both; what is absent leaves the classical way, once per round trip and one
/// increase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastConvergence {
    /// VAI.
    pub increase: Option<VariableIncrease>,
    /// SF.
    pub sampling: Option<SamplingFrequency>,
}

/// What both remember of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    tokens: Tokens,
    sample: Sample,
}

impl State {
    /// VAI's tokens.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }
}

impl Mechanism for FastConvergence {
    type State = State;

    fn observe(&self, state: &mut State, congestion: &Congestion) {
        state.tokens.observe(congestion);
    }

    fn close_round(&self, state: &mut State) {
        if let Some(vai) = &self.increase {
            vai.close_round(&mut state.tokens);
        }
    }

    fn increases(&self, state: &State) -> f64 {
        self.increase.as_ref().map_or(1.0, |vai| vai.increases(&state.tokens))
    }

    fn is_due(&self, state: &mut State, direction: Direction, round: RoundEvent) -> bool {
        match &self.sampling {
            Some(sf) => sf.is_due(&mut state.sample, direction, round),
            None => round == RoundEvent::Closed,
        }
    }

    fn committed(&self, state: &mut State) {
        if let Some(vai) = &self.increase {
            vai.pay(&mut state.tokens);
        }
    }
}

#[cfg(test)]
mod tests;
