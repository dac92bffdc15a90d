//! Putting networks together.

use crate::network::{Link, Network};
use crate::problem::Kind;
use crate::select::Refusal;
use plimsoll_units::{Rate, Span};

/// The most nodes of a network. More hosts than any simulator has run; a typing error is larger.
const MAX_NODES: u64 = 1_000_000;
const MAX_LINKS: u64 = 4_000_000;

/// The rate and the delay of a sort of links.
#[derive(Clone, Copy)]
pub(super) struct Wire {
    pub(super) rate: Rate,
    pub(super) delay: Span,
}

/// A network that grows. All hosts come first.
pub(super) struct Builder {
    network: Network,
}

impl Builder {
    /// A network of `hosts` hosts; `switches` and `links` will follow. `key` is to blame if that is too much.
    pub(super) fn new(hosts: u64, switches: u64, links: u64, key: &'static str) -> Result<Self, Refusal> {
        if hosts.saturating_add(switches) > MAX_NODES || links > MAX_LINKS {
            let message = format!(
                "this would be {hosts} hosts, {switches} switches and {links} links; \
                 the limits are {MAX_NODES} nodes and {MAX_LINKS} links"
            );
            return Err(Refusal::new(Kind::OutOfBounds, key, message));
        }
        let mut names = Vec::with_capacity((hosts + switches) as usize);
        names.extend((0..hosts).map(|host| format!("h{host}")));
        let network = Network {
            hosts: hosts as u32,
            links: Vec::with_capacity(links as usize),
            names,
            ..Network::default()
        };
        Ok(Self { network })
    }

    /// Switches called `name0`, `name1` and so on; returns the first's node.
    pub(super) fn switches(&mut self, name: &str, count: u32) -> u32 {
        let first = self.network.nodes();
        self.network.names.extend((0..count).map(|index| format!("{name}{index}")));
        self.network.switches += count;
        first
    }

    /// Joins two nodes.
    pub(super) fn link(&mut self, a: u32, b: u32, wire: Wire) {
        self.network.links.push(Link::new([a, b], wire.rate, wire.delay));
    }

    pub(super) fn finish(self) -> Network {
        self.network
    }
}
