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
        /// Whether acks take the way of their data back, which with "ecmp" and "plb" they find by chance only.
        same_way_back: bool = false,
    }
}

/// The ways of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routing {
    /// How they are spread over equal paths.
    pub paths: Paths,
    /// Whether acks take the way of their data back.
    pub same_way_back: bool,
}

impl Default for Routing {
    fn default() -> Self {
        Self { paths: Paths::Ecmp, same_way_back: false }
    }
}

/// How packets are spread over equal paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paths {
    /// By a hash of the flow; each switch hashes differently.
    Ecmp,
    /// By a hash that the host changes when the flow stays congested.
    Plb(plb::Params),
    /// Each packet by itself.
    Spray,
}
