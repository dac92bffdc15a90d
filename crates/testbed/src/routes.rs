//! Where a packet goes next: shortest paths, and a hash to choose among equals.

use plimsoll_cc::rpm::FiveTuple;
use plimsoll_scenario::Network;
use std::collections::VecDeque;

/// For each switch and host the ports that lie on a shortest path.
#[derive(Debug)]
pub(crate) struct Routes {
    hosts: u32,
    /// By switch, then by host.
    choices: Vec<Vec<Vec<u32>>>,
}

impl Routes {
    pub(crate) fn new(network: &Network) -> Self {
        let ports = 2 * network.links.len() as u32;
        let ports_of = |node: u32| (0..ports).filter(move |&port| network.near_end(port) == node);
        let mut choices = vec![vec![Vec::new(); network.hosts as usize]; network.switches as usize];
        for host in 0..network.hosts {
            let mut distance = vec![u32::MAX; network.nodes() as usize];
            distance[host as usize] = 0;
            let mut queue = VecDeque::from([host]);
            while let Some(node) = queue.pop_front() {
                for port in ports_of(node) {
                    let next = network.far_end(port);
                    // Hosts do not forward.
                    if next >= network.hosts && distance[next as usize] == u32::MAX {
                        distance[next as usize] = distance[node as usize] + 1;
                        queue.push_back(next);
                    }
                }
            }
            for switch in 0..network.switches {
                let node = network.hosts + switch;
                let nearer = |port: &u32| {
                    distance[network.far_end(*port) as usize].checked_add(1) == Some(distance[node as usize])
                };
                choices[switch as usize][host as usize] = ports_of(node).filter(nearer).collect();
            }
        }
        Self { hosts: network.hosts, choices }
    }

    /// The port by which a packet leaves a switch's node towards a host; `None` if nothing leads there.
    pub(crate) fn next_port(&self, node: u32, to: u32, tuple: &FiveTuple) -> Option<u32> {
        let switch = node.checked_sub(self.hosts)?;
        match self.choices.get(switch as usize)?.get(to as usize)?.as_slice() {
            [] => None,
            [only] => Some(*only),
            several => several.get((tuple.hash(switch) % several.len() as u64) as usize).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_scenario::Scenario;
    use std::net::{IpAddr, Ipv4Addr};

    #[test]
    fn ways_are_shortest_and_spread_over_spines() {
        let text = "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 4\nhosts_per_leaf = 2\n\
                    [cc]\nlaw = \"swift\"\n";
        let network = Scenario::parse("test", text).unwrap().network().unwrap();
        let routes = Routes::new(&network);
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let mut used = std::collections::HashSet::new();
        for source_port in 0..64 {
            let tuple = FiveTuple {
                source: address,
                destination: address,
                protocol: 17,
                source_port,
                destination_port: 9,
            };
            // Nodes: hosts 0 to 3, leaf0 = 4, leaf1 = 5, spines 6 to 9.
            let up = routes.next_port(4, 3, &tuple).unwrap();
            let spine = network.far_end(up);
            let down = routes.next_port(spine, 3, &tuple).unwrap();
            let last = routes.next_port(network.far_end(down), 3, &tuple).unwrap();
            assert_eq!((network.far_end(down), network.far_end(last)), (5, 3));
            used.insert(spine);
        }
        assert_eq!(used.len(), 4);
    }
}
