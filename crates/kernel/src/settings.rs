//! What a law in the kernel must know.

use plimsoll_cc::Host;
use plimsoll_cc::registry::AnyParams;

/// A law with its parameters, the host and the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The law.
    pub params: AnyParams,
    /// The card, and the network's base round trip.
    pub host: Host,
    /// Switches on a path, for laws whose target depends on it: TCP's acks do not tell.
    pub hops: u32,
}
