//! How much work a scenario is that ends when its messages have arrived.

use plimsoll_scenario::{Message, Network, Scenario};

/// Packet-hops if nothing is sent twice: each packet, and its share of an ack, passes the links of a shortest path.
/// `None` if nobody knows, because messages have no end.
pub(crate) fn packet_hops(scenario: &Scenario) -> Option<u64> {
    let network = scenario.network().ok()?;
    let workload = scenario.workload(&network, scenario.seed).ok()?;
    let mss = scenario.host.payload().get().max(1);
    let acks = 1.0 / f64::from(scenario.transport.ack_every.max(1));
    let distances = Distances::new(&network);
    let mut hops = 0.0;
    for message in &workload.messages {
        if message.bytes == Message::UNBOUNDED {
            return None;
        }
        let connection = workload.connections.get(message.connection as usize)?;
        let links = distances.links(connection.from, connection.to)?;
        hops += message.bytes.get().div_ceil(mss) as f64 * f64::from(links) * (1.0 + acks);
    }
    Some(hops as u64)
}

/// Links between hosts on shortest paths.
struct Distances {
    rack_of_host: Vec<u32>,
    /// The switch of each rack; a host, if hosts are linked to each other.
    node: Vec<u32>,
    /// Links from each rack's switch to every node.
    from_rack: Vec<Vec<u32>>,
}

impl Distances {
    fn new(network: &Network) -> Self {
        let racks = network.racks();
        let mut neighbours = vec![Vec::new(); network.nodes() as usize];
        for [a, b] in network.links.iter().map(|link| link.ends) {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        let from_rack = racks.node.iter().map(|node| distances(&neighbours, *node)).collect();
        Self { rack_of_host: racks.of_host, node: racks.node, from_rack }
    }

    fn links(&self, from: u32, to: u32) -> Option<u32> {
        let rack = *self.rack_of_host.get(from as usize)? as usize;
        if self.node[rack] == to {
            return Some(1);
        }
        self.from_rack[rack].get(to as usize).filter(|links| **links < u32::MAX).map(|links| 1 + links)
    }
}

/// Links from a node to each; `u32::MAX` where no path leads.
fn distances(neighbours: &[Vec<u32>], from: u32) -> Vec<u32> {
    let mut distances = vec![u32::MAX; neighbours.len()];
    distances[from as usize] = 0;
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&here) = reached.get(next) {
        for &other in &neighbours[here as usize] {
            if distances[other as usize] == u32::MAX {
                distances[other as usize] = distances[here as usize] + 1;
                reached.push(other);
            }
        }
        next += 1;
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hops(text: &str) -> Option<u64> {
        packet_hops(&Scenario::parse("x.toml", text).unwrap())
    }

    #[test]
    fn packets_and_acks_pass_every_link_of_a_shortest_path() {
        // One switch: 3 flows of 10 packets over 2 links, and as many acks: 3 · 10 · 4.
        let traffic = "[cc]\nlaw = \"hpcc\"\n[[traffic]]\nkind = \"incast\"\nto = 0\nsize = \"10KB\"\n";
        let one_switch = "[topology]\nkind = \"single-switch\"\nhosts = 4\n";
        assert_eq!(hops(&format!("{one_switch}{traffic}")), Some(120));
        // Two racks of two: one flow over 2 links, two over 4: (2 + 4 + 4) · 10 · 2.
        let two_racks = "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 2\n";
        assert_eq!(hops(&format!("{two_racks}{traffic}")), Some(200));
        // An ack per two packets: half as many.
        let fewer = format!("{two_racks}[transport]\nack_every = 2\n{traffic}");
        assert_eq!(hops(&fewer), Some(150));
    }

    #[test]
    fn the_run_itself_comes_to_the_same() {
        let text = "[topology]\nkind = \"fat-tree\"\npreset = \"k8\"\n[cc]\nlaw = \"hpcc\"\n\
                    [[traffic]]\nkind = \"permutation\"\nsize = \"20KB\"\n";
        let scenario = Scenario::parse("x.toml", text).unwrap();
        let run = plimsoll_sim::simulate(&scenario, &Default::default(), &Default::default()).unwrap();
        assert_eq!(packet_hops(&scenario), Some(run.summary.packet_hops));
    }
}
