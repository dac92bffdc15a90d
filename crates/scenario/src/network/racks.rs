//! Which hosts stand behind the same switch.

use super::Network;

/// The racks of a network: a rack is the switch that a host's link leads to, with all its hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Racks {
    /// The rack of each host.
    pub of_host: Vec<u32>,
    /// The hosts of each rack.
    pub hosts: Vec<Vec<u32>>,
    /// The node that each rack's hosts are linked to.
    pub node: Vec<u32>,
}

impl Network {
    /// The racks, in the order of their first hosts.
    #[must_use]
    pub fn racks(&self) -> Racks {
        let mut racks = Racks::default();
        let mut rack_of_node = vec![u32::MAX; self.nodes() as usize];
        for (host, link) in self.host_links().into_iter().enumerate() {
            let [a, b] = self.links[link as usize].ends;
            let node = if a as usize == host { b } else { a };
            if rack_of_node[node as usize] == u32::MAX {
                rack_of_node[node as usize] = racks.node.len() as u32;
                racks.node.push(node);
                racks.hosts.push(Vec::new());
            }
            let rack = rack_of_node[node as usize];
            racks.of_host.push(rack);
            racks.hosts[rack as usize].push(host as u32);
        }
        racks
    }
}
