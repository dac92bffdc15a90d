//! The one list of laws.
//!
//! From this list come the names on the command line, the documentation table, the enum that hot
//! loops match on, and the matrix of tests that every law must pass. A new law is one file and
//! one line here.

use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{Field, ParamError, Parameters, Value, nearest};
use crate::signals::Signals;
use core::fmt;
use plimsoll_units::Time;

/// What a list of laws shows of each.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its parameters.
    pub fields: &'static [Field],
    /// Its published parameter sets: name and source; the first is the default.
    pub presets: fn(&mut dyn FnMut(&'static str, &'static str)),
}

macro_rules! laws {
    ($($variant:ident: $law:ty = $name:literal, $summary:literal;)+) => {
        /// The parameters of any law.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum AnyParams {
            $(#[doc = $summary] $variant(<$law as Configure>::Params),)+
        }

        /// Any law, for hot loops: one `match` instead of a virtual call.
        #[derive(Clone, Debug)]
        pub enum AnyLaw {
            $(#[doc = $summary] $variant($law),)+
        }

        /// The flow state of any law.
        #[derive(Clone, Copy, Debug)]
        #[allow(clippy::large_enum_variant, reason = "flows are Copy; telemetry laws keep a record per hop")]
        pub enum AnyFlow {
            $(#[doc = $summary] $variant(<$law as CongestionControl>::Flow),)+
        }

        /// All laws, in the order of the documentation.
        pub const LAWS: &[Entry] = &[
            $(Entry {
                name: $name,
                summary: $summary,
                fields: <<$law as Configure>::Params as Parameters>::FIELDS,
                presets: |visit| {
                    for preset in <<$law as Configure>::Params as Parameters>::PRESETS {
                        visit(preset.name, preset.source);
                    }
                },
            },)+
        ];

        impl AnyParams {
            /// The parameters called `name`, or `name:preset`.
            ///
            /// # Errors
            /// If there is no such law or preset; the error suggests the nearest.
            pub fn named(name: &str) -> Result<Self, UnknownLaw<'_>> {
                let (law, preset) = match name.split_once(':') {
                    Some((law, preset)) => (law, Some(preset)),
                    None => (name, None),
                };
                $(if law == $name {
                    let presets = <<$law as Configure>::Params as Parameters>::PRESETS;
                    return presets
                        .iter()
                        .find(|known| preset.is_none_or(|wanted| wanted == known.name))
                        .map(|known| Self::$variant((known.make)()))
                        .ok_or_else(|| UnknownLaw {
                            name: preset.unwrap_or_default(),
                            preset_of: Some($name),
                            nearest: nearest(preset.unwrap_or_default(), presets.iter().map(|p| p.name)),
                        });
                })+
                let nearest = nearest(law, LAWS.iter().map(|entry| entry.name));
                Err(UnknownLaw { name: law, preset_of: None, nearest })
            }

            /// The law's entry in the list.
            #[must_use]
            pub fn entry(&self) -> &'static Entry {
                let mut laws = LAWS.iter();
                $(if let (Some(entry), Self::$variant(_)) = (laws.next(), self) {
                    return entry;
                })+
                // Each variant was matched above, in the list's own order.
                &LAWS[0]
            }

            /// Sets one parameter.
            ///
            /// # Errors
            /// See [`Parameters::set`].
            pub fn set<'a>(&mut self, key: &'a str, value: Value<'a>) -> Result<(), ParamError<'a>> {
                match self { $(Self::$variant(params) => params.set(key, value),)+ }
            }

            /// Visits each parameter with its value; see [`Parameters::each`].
            pub fn each(&self, visit: &mut dyn FnMut(&'static Field, &dyn fmt::Display)) {
                match self { $(Self::$variant(params) => params.each(visit),)+ }
            }

            /// The law with these parameters on this host.
            ///
            /// # Errors
            /// If a parameter is outside its domain or two contradict each other.
            pub fn build(&self, host: &Host) -> Result<AnyLaw, ParamError<'static>> {
                host.check()?;
                match self {
                    $(Self::$variant(params) => {
                        params.check()?;
                        <$law as Configure>::new(params, host).map(AnyLaw::$variant)
                    })+
                }
            }
        }

        impl AnyLaw {
            /// Hands the law to `visitor` by its own type, so that a loop can be compiled for it.
            pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self { $(Self::$variant(law) => visitor.visit(law),)+ }
            }

            /// The law's name in the list.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }
        }

        impl CongestionControl for AnyLaw {
            type Flow = AnyFlow;

            fn needs(&self) -> Signals {
                match self { $(Self::$variant(law) => law.needs(),)+ }
            }

            fn start(&self, path: &Path) -> (AnyFlow, Decision) {
                match self {
                    $(Self::$variant(law) => {
                        let (flow, decision) = law.start(path);
                        (AnyFlow::$variant(flow), decision)
                    })+
                }
            }

            fn on_ack(&self, flow: &mut AnyFlow, ack: &Ack<'_>) -> Decision {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.on_ack(flow, ack),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }

            fn on_loss(&self, flow: &mut AnyFlow, loss: &Loss) -> Decision {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.on_loss(flow, loss),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }

            fn on_timeout(&self, flow: &mut AnyFlow, timeout: &Timeout) -> Decision {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.on_timeout(flow, timeout),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }

            fn on_timer(&self, flow: &mut AnyFlow, now: Time) -> Decision {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.on_timer(flow, now),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }

            fn on_path_change(&self, flow: &mut AnyFlow) {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.on_path_change(flow),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }

            fn met_congestion(&self, flow: &AnyFlow, ack: &Ack<'_>) -> Option<bool> {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.met_congestion(flow, ack),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }

            fn grants(&self) -> Option<&crate::homa::Homa> {
                match self { $(Self::$variant(law) => law.grants(),)+ }
            }

            fn decision(&self, flow: &AnyFlow) -> Decision {
                match (self, flow) {
                    $((Self::$variant(law), AnyFlow::$variant(flow)) => law.decision(flow),)+
                    #[allow(unreachable_patterns, reason = "reachable from the second law on")]
                    _ => another_laws_flow(self),
                }
            }
        }
    };
}

/// Whoever pairs laws and flows keeps them paired; a mix-up is a bug of the caller's.
#[cold]
fn another_laws_flow(law: &AnyLaw) -> ! {
    unreachable!("{} was given the flow of another law", law.name())
}

laws! {
    Poseidon: crate::poseidon::Poseidon = "poseidon",
        "target by rate on the maximum per-hop delay; network-wide max-min fairness (NSDI'23)";
    NewReno: crate::newreno::NewReno = "newreno",
        "one packet more per round trip, half the window on loss or mark (RFC 5681, 6582, 6675)";
    PowerTcp: crate::powertcp::PowerTcp = "powertcp",
        "window divided by the power (arrivals times queue) of the busiest hop (NSDI'22)";
    Hpcc: crate::hpcc::Hpcc = "hpcc",
        "window from the link load that every switch reports (SIGCOMM'19)";
    Swift: crate::swift::Swift = "swift",
        "additive increase below a target delay, proportional decrease above it (SIGCOMM'20)";
    ThetaPowerTcp: crate::theta_powertcp::ThetaPowerTcp = "theta-powertcp",
        "PowerTCP with round trip times in place of telemetry (NSDI'22, App. D)";
    HpccVaiSf: crate::fast_convergence::HpccVaiSf = "hpcc-vai-sf",
        "HPCC with variable additive increase and decreases sampled by acks (Snyder and Lebeck)";
    SwiftVaiSf: crate::fast_convergence::SwiftVaiSf = "swift-vai-sf",
        "Swift with variable additive increase and decreases sampled by acks (Snyder and Lebeck)";
    Cubic: crate::cubic::Cubic = "cubic",
        "window as a cubic function of the time since the last congestion (RFC 9438)";
    Dctcp: crate::dctcp::Dctcp = "dctcp",
        "cut in proportion to the fraction of marked packets, on windows or rates (RFC 8257)";
    ReTcp: crate::retcp::ReTcp = "retcp",
        "Reno that jumps when a circuit comes and goes (NSDI'20)";
    Timely: crate::timely::Timely = "timely",
        "rate by the gradient of the round trip time (SIGCOMM'15)";
    Dcqcn: crate::dcqcn::Dcqcn = "dcqcn",
        "rate cut by congestion notifications, recovered by timers (SIGCOMM'15)";
    Homa: crate::homa::Homa = "homa",
        "receivers grant the shortest messages and set the priorities of their packets (SIGCOMM'18)";
}

/// Work that is compiled once per law; see [`AnyLaw::visit`].
pub trait Visitor {
    /// What the work yields.
    type Output;
    /// Does it with this law.
    fn visit<L>(self, law: L) -> Self::Output
    where
        L: CongestionControl + Send + Sync,
        L::Flow: Send;
}

/// A name that is not in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLaw<'a> {
    /// The name as given.
    pub name: &'a str,
    /// The law whose preset it should have been; `None` if the law itself is unknown.
    pub preset_of: Option<&'static str>,
    /// The most similar known name.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownLaw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.preset_of {
            Some(law) => write!(f, "{law} has no preset `{}`", self.name)?,
            None => write!(f, "there is no law `{}`", self.name)?,
        }
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => f.write_str("; `plimsoll list cc` shows all"),
        }
    }
}

impl core::error::Error for UnknownLaw<'_> {}
