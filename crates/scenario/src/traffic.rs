//! The `[[traffic]]` tables: one file per kind.

mod all_reduce;
mod all_to_all;
mod choice;
mod demand;
mod flows;
mod ground;
mod incast;
mod messages;
mod permutation;
mod plan;
mod poisson;
mod query_incast;
mod rotating_incast;
mod trace;

pub use all_reduce::{Algorithm, AllReduce};
pub use all_to_all::{AllToAll, Schedule};
pub use flows::{Flows, Pairing};
pub use incast::Incast;
pub use messages::Messages;
pub use permutation::Permutation;
pub use poisson::{Destinations, LoadOf, Poisson};
pub use query_incast::{QueryIncast, Responders};
pub use rotating_incast::RotatingIncast;
pub use trace::{Trace, TraceFlows};

pub(crate) use demand::Demand;
pub(crate) use ground::Ground;
pub(crate) use plan::Plan;

use crate::random::Random;
use crate::select::{Refusal, Via};
use crate::table::kinds;
use plimsoll_units::Span;

kinds! {
    /// Who sends what to whom, and when.
    pub enum Pattern in "traffic" {
        Flows(Flows) = "flows",
        Incast(Incast) = "incast",
        Poisson(Poisson) = "poisson",
        Messages(Messages) = "messages",
        RotatingIncast(RotatingIncast) = "rotating-incast",
        QueryIncast(QueryIncast) = "query-incast",
        Permutation(Permutation) = "permutation",
        AllToAll(AllToAll) = "all-to-all",
        AllReduce(AllReduce) = "all-reduce",
        Trace(Trace) = "trace",
    }
}

/// One `[[traffic]]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// What results call it.
    pub name: String,
    /// The class of its packets in switches.
    pub class: u8,
    /// Switches and links that its packets must pass.
    pub via: Via,
    /// Who sends what to whom, and when.
    pub pattern: Pattern,
}

/// What all kinds of traffic do: they send something.
pub(crate) trait Source {
    /// Adds what it sends. `random` gives the generator of a stream.
    ///
    /// # Errors
    /// If it names hosts that are not there, or its numbers contradict each other or the network.
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal>;

    /// Refuses what [`Source::plan`] would refuse, without the work.
    ///
    /// # Errors
    /// See there.
    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal>;

    /// Adds what it sends per second in the long run, if it goes on sending.
    fn demand(&self, _ground: &Ground<'_>, _demand: &mut Demand<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// When the last unbounded flow of it begins, if it has any that nothing stops.
    fn last_endless_start(&self, _ground: &Ground<'_>) -> Option<Span> {
        None
    }
}

impl Pattern {
    pub(crate) fn source(&self) -> &dyn Source {
        match self {
            Self::Flows(source) => source,
            Self::Incast(source) => source,
            Self::Poisson(source) => source,
            Self::Messages(source) => source,
            Self::RotatingIncast(source) => source,
            Self::QueryIncast(source) => source,
            Self::Permutation(source) => source,
            Self::AllToAll(source) => source,
            Self::AllReduce(source) => source,
            Self::Trace(source) => source,
        }
    }
}
