//! How much work a scenario is.

use crate::fluid_scenario::FluidScenario;
use plimsoll_scenario::{Message, Network, Scenario, Start};
use plimsoll_units::Time;
use std::collections::HashMap;

/// What a simulated second is worth, in packet-hops, where nothing better is known: two 100 Gb/s links full of
/// packets of 1000 B.
const UNKNOWN: f64 = 25e6;

/// Packet-hops, about: messages with an end are delivered, and those without keep their bottlenecks full.
pub(crate) fn work(scenario: &Scenario) -> f64 {
    match packet_hops(scenario) {
        Some(hops) => hops as f64,
        None => endless(scenario).unwrap_or(scenario.end().since_start().as_secs_f64() * UNKNOWN),
    }
}

/// The flows that share a bottleneck.
struct Sharers {
    first: Time,
    last: Time,
    /// The sum of rate times links.
    link_bits_per_second: f64,
}

fn endless(scenario: &Scenario) -> Option<f64> {
    let fluid = FluidScenario::new(scenario).ok()?;
    let connections = fluid.choose(None).ok()?.connections;
    let fair = fluid.allocate(&connections).ok()?;
    let mut starts: HashMap<u32, Time> = HashMap::new();
    for message in fluid.workload.messages.iter().filter(|message| message.bytes == Message::UNBOUNDED) {
        if let Start::At(time) = message.start {
            starts.entry(message.connection).and_modify(|start| *start = time.min(*start)).or_insert(time);
        }
    }
    let mut bottlenecks: HashMap<usize, Sharers> = HashMap::new();
    let allocated = fair.rates.iter().zip(&fair.bottlenecks);
    for (&connection, (rate, &bottleneck)) in connections.iter().zip(allocated) {
        let first = starts.get(&(connection as u32)).copied().unwrap_or(Time::ZERO);
        let last = fluid.connection(connection).stop.min(scenario.end());
        let bits = rate.as_bps_f64() * fluid.links(connection) as f64;
        let sharers =
            bottlenecks.entry(bottleneck).or_insert(Sharers { first, last, link_bits_per_second: 0.0 });
        sharers.first = sharers.first.min(first);
        sharers.last = sharers.last.max(last);
        sharers.link_bits_per_second += bits;
    }
    let packet = scenario.host.host().mtu.as_f64() * 8.0;
    let acks = 1.0 / f64::from(scenario.transport.ack_every.max(1));
    let hops = |sharers: &Sharers| {
        let seconds = sharers.last.saturating_since(sharers.first).as_secs_f64();
        sharers.link_bits_per_second * seconds / packet * (1.0 + acks)
    };
    Some(bottlenecks.values().map(hops).sum())
}

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
    fn endless_flows_keep_their_bottleneck_full_from_the_first_to_the_end() {
        // 100 Gb/s for 2 ms: 25 MB in packets of 1048 B, 23,855; over two links, and as many acks: 95,420.
        let text = "duration = \"2ms\"\n[topology]\nkind = \"single-switch\"\nhosts = 3\n[cc]\nlaw = \"swift\"\n\
                    [[traffic]]\nkind = \"flows\"\nfrom = [0, 1]\nto = 2\ngap = \"1ms\"\n";
        let scenario = Scenario::parse("x.toml", text).unwrap();
        let packet = scenario.host.host().mtu.as_f64();
        let expected = 100e9 / 8.0 * 2e-3 / packet * 4.0;
        assert!((work(&scenario) / expected - 1.0).abs() < 1e-6, "{} {expected}", work(&scenario));
        let run = plimsoll_sim::simulate(&scenario, &Default::default(), &Default::default()).unwrap();
        let ratio = run.summary.packet_hops as f64 / expected;
        assert!((0.7..1.1).contains(&ratio), "the run itself: {ratio}");
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
