//! Hosts and switches, joined by links.
//!
//! A link has two ports, one for each direction: port `2·l` sends from the link's first end to its
//! second, port `2·l + 1` back. Hosts are numbered before switches.

mod circuits;
mod paths;
mod racks;
mod waypoints;

pub use circuits::{Circuits, Moment};
pub use paths::Longest;
pub use racks::Racks;

use plimsoll_units::{Rate, Span};
use std::fmt;

/// A full-duplex link between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The nodes at its ends.
    pub ends: [u32; 2],
    /// Its rate, the same both ways.
    pub rate: Rate,
    /// Its delay one way, FEC included.
    pub delay: Span,
    /// The probability that a packet vanishes on it.
    pub loss: f64,
    /// The probability that a packet arrives damaged, to be discarded by whoever receives it.
    pub corruption: f64,
}

impl Link {
    /// A link without loss.
    #[must_use]
    pub fn new(ends: [u32; 2], rate: Rate, delay: Span) -> Self {
        Self { ends, rate, delay, loss: 0.0, corruption: 0.0 }
    }
}

/// Hosts and switches, joined by links. Nodes `0..hosts` are hosts, the rest switches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// How many hosts.
    pub hosts: u32,
    /// How many switches.
    pub switches: u32,
    /// The links.
    pub links: Vec<Link>,
    /// The name of each node.
    pub names: Vec<String>,
    /// The calendar of circuits, if racks are joined in turn.
    pub circuits: Option<Circuits>,
}

/// Why a network cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// A link ends at a node that does not exist, or at the same node twice.
    BadEnd {
        /// The link.
        link: usize,
        /// The node.
        node: u32,
    },
    /// A host has no link, or more than one.
    HostLinks {
        /// The host's name.
        host: String,
        /// Its links.
        links: usize,
    },
    /// A link without rate.
    NoRate {
        /// The link.
        link: usize,
    },
    /// Two hosts that no path joins.
    Unconnected {
        /// One of them, by name.
        from: String,
        /// The other, by name.
        to: String,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadEnd { link, node } => write!(f, "link {link} cannot end at node {node}"),
            Self::HostLinks { host, links } => {
                write!(f, "host {host} has {links} links; a host has exactly one")
            }
            Self::NoRate { link } => write!(f, "link {link} has a rate of zero"),
            Self::Unconnected { from, to } => write!(f, "no path leads from {from} to {to}"),
        }
    }
}

impl std::error::Error for NetworkError {}

impl Network {
    /// How many nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.hosts + self.switches
    }

    /// The name of a node, for messages.
    #[must_use]
    pub fn name(&self, node: u32) -> &str {
        self.names.get(node as usize).map_or("?", String::as_str)
    }

    /// Refuses networks that cannot be run.
    ///
    /// # Errors
    /// Names the link or the host.
    pub fn check(&self) -> Result<(), NetworkError> {
        let mut links_of_host = vec![0; self.hosts as usize];
        for (index, link) in self.links.iter().enumerate() {
            for node in link.ends {
                if node >= self.nodes() || link.ends[0] == link.ends[1] {
                    return Err(NetworkError::BadEnd { link: index, node });
                }
                if node < self.hosts {
                    links_of_host[node as usize] += 1;
                }
            }
            if link.rate == Rate::ZERO {
                return Err(NetworkError::NoRate { link: index });
            }
        }
        match links_of_host.iter().enumerate().find(|(_, links)| **links != 1) {
            Some((host, &links)) => {
                Err(NetworkError::HostLinks { host: self.name(host as u32).to_owned(), links })
            }
            None => Ok(()),
        }
    }

    /// The node that port `port` sends to.
    #[must_use]
    pub fn far_end(&self, port: u32) -> u32 {
        self.links[port as usize / 2].ends[1 - port as usize % 2]
    }

    /// The node that port `port` belongs to.
    #[must_use]
    pub fn near_end(&self, port: u32) -> u32 {
        self.links[port as usize / 2].ends[port as usize % 2]
    }

    /// The link of each host.
    ///
    /// # Panics
    /// If a host has none: [`Network::check`] refuses such networks.
    #[must_use]
    pub fn host_links(&self) -> Vec<u32> {
        let mut links = vec![u32::MAX; self.hosts as usize];
        for (index, link) in self.links.iter().enumerate() {
            for node in link.ends.into_iter().filter(|&node| node < self.hosts) {
                links[node as usize] = index as u32;
            }
        }
        assert!(!links.contains(&u32::MAX), "a host has no link");
        links
    }
}
