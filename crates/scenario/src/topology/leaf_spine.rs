//! Racks of hosts, each joined to every spine.

use super::build::{Builder, Wire};
use crate::network::Network;
use crate::problem::Kind;
use crate::select::Refusal;
use crate::table::table;
use plimsoll_units::{Rate, Span};

table! {
    /// Racks of hosts below switches `leaf0` and so on, each joined to every switch `spine0` and so on. Host
    /// h is in rack h / hosts_per_leaf.
    pub struct LeafSpine in "topology.leaf-spine" {
        /// Racks.
        leaves: u32 where [1, 100_000] = 4,
        /// Spines.
        spines: u32 where [1, 10_000] = 4,
        /// Hosts in each rack.
        hosts_per_leaf: u32 where [1, 100_000] = 16,
        /// Links between each leaf and each spine.
        links_per_spine: u32 where [1, 1_000] = 1,
        /// Rate of hosts' links.
        host_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Delay of hosts' links, one way.
        host_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
        /// Rate of each link to a spine; "auto" = by `oversubscription`.
        spine_rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = None,
        /// Delay of each link to a spine, one way; "auto" = that of hosts' links.
        spine_delay: Option<Span> where [Span::from_ps(1), Span::from_s(10)] = None,
        /// What hosts of a rack can send, over what its links to spines can carry; "auto" = by `spine_rate`,
        /// or 1 if that is "auto" as well.
        oversubscription: Option<f64> where [0.001, 10_000.0] = None,
    }
    presets {
        "poseidon-two-racks" => poseidon_two_racks, "Poseidon, NSDI'23, §5.5: 24 hosts a rack, 200 Gb/s; 3:1",
    }
}

impl LeafSpine {
    fn poseidon_two_racks() -> Self {
        Self {
            leaves: 2,
            spines: 8,
            hosts_per_leaf: 24,
            links_per_spine: 1,
            host_rate: Rate::from_gbps(200),
            host_delay: Span::from_ns(245),
            spine_rate: Some(Rate::from_gbps(200)),
            spine_delay: None,
            oversubscription: None,
        }
    }

    /// The rate of each link to a spine.
    ///
    /// # Errors
    /// If `spine_rate` and `oversubscription` do not fit together.
    pub fn uplink_rate(&self) -> Result<Rate, Refusal> {
        let uplinks = f64::from(self.spines) * f64::from(self.links_per_spine);
        let fair = self.host_rate.as_bps_f64() * f64::from(self.hosts_per_leaf) / uplinks;
        let Some(rate) = self.spine_rate else {
            return Ok(Rate::saturating_from_bps_f64(fair / self.oversubscription.unwrap_or(1.0))
                .max(Rate::from_bps(1)));
        };
        let actual = fair / rate.as_bps_f64();
        match self.oversubscription {
            Some(wanted) if (actual / wanted - 1.0).abs() > 0.001 => {
                let message = format!(
                    "an oversubscription of {wanted} contradicts `spine_rate = \"{rate}\"`: {} hosts at \"{}\" over \
                     {uplinks} links at \"{rate}\" is {actual:.3}; leave one of the two out",
                    self.hosts_per_leaf, self.host_rate
                );
                Err(Refusal::new(Kind::Contradiction, "oversubscription", message))
            }
            _ => Ok(rate),
        }
    }

    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let (leaves, spines) = (u64::from(self.leaves), u64::from(self.spines));
        let hosts = leaves * u64::from(self.hosts_per_leaf);
        let links = hosts + leaves * spines * u64::from(self.links_per_spine);
        let mut builder = Builder::new(hosts, leaves + spines, links, "leaves")?;
        let leaf = builder.switches("leaf", self.leaves);
        let spine = builder.switches("spine", self.spines);
        let down = Wire { rate: self.host_rate, delay: self.host_delay };
        let up = Wire { rate: self.uplink_rate()?, delay: self.spine_delay.unwrap_or(self.host_delay) };
        (0..hosts as u32).for_each(|host| builder.link(host, leaf + host / self.hosts_per_leaf, down));
        for from in 0..self.leaves {
            for to in 0..self.spines {
                (0..self.links_per_spine).for_each(|_| builder.link(leaf + from, spine + to, up));
            }
        }
        Ok(builder.finish())
    }
}
