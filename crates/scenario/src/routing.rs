//! The `[routing]` table.

use crate::table::table;
use plimsoll_cc::{choice, plb};

choice! {
    /// How packets are spread over equal paths.
    pub enum Spreading {
        /// By a hash of the flow; each switch hashes differently.
        Ecmp = "ecmp",
        /// By a hash that the host changes when the flow stays congested (PLB).
        Plb = "plb",
        /// Each packet by itself.
        Spray = "spray",
    }
}

table! {
    /// How packets are spread over equal paths. Inner table: `[routing.plb]`.
    pub struct RoutingTable in "routing" {
        /// "ecmp" (by a hash of the flow, different in each switch), "plb" (the host draws another path for a
        /// flow that stays congested, by `[routing.plb]`) or "spray" (each packet by itself).
        spreading: Spreading = Spreading::Ecmp,
    }
}

/// How packets are spread over equal paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Routing {
    /// By a hash of the flow; each switch hashes differently.
    Ecmp,
    /// By a hash that the host changes when the flow stays congested.
    Plb(plb::Params),
    /// Each packet by itself.
    Spray,
}
