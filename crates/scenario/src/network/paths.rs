//! Paths without queueing: who reaches whom, and how long that takes at most.

use super::{Network, NetworkError, Racks};
use plimsoll_units::{Bytes, Rate, Rounding, Span};

/// Steps of the search that a network may take: 16 times those of a fat-tree of 8192 hosts. Larger networks
/// are searched from an even sample of their racks.
const MOST_STEPS: usize = 200_000_000;

/// The longest way in a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// The largest round trip time of any pair of hosts: twice the delays and pipelines, and the
    /// serialisation of one payload on each link towards the receiver.
    pub base_rtt: Span,
    /// The most switches between any pair of hosts.
    pub switches: u32,
}

impl Network {
    /// The longest of all shortest ways, for this payload and this pipeline of switches. Among several ways
    /// with the same number of links, the slowest counts.
    ///
    /// # Errors
    /// If two hosts are not connected.
    pub fn longest(&self, payload: Bytes, pipeline: Span) -> Result<Longest, NetworkError> {
        let racks = self.racks();
        let search = Search::new(self, &racks, payload, pipeline);
        let mut longest = Longest::default();
        let steps = racks.node.len().saturating_mul(search.neighbours.len() + self.switches as usize);
        let step = steps.div_ceil(MOST_STEPS).max(1);
        for rack in (0..racks.node.len()).step_by(step) {
            let here = search.from(rack)?;
            longest.base_rtt = longest.base_rtt.max(here.base_rtt);
            longest.switches = longest.switches.max(here.switches);
        }
        longest.base_rtt = longest.base_rtt.max(search.by_packet_network());
        Ok(longest)
    }
}

struct Search<'a> {
    network: &'a Network,
    racks: &'a Racks,
    pipeline: Span,
    /// What a host's link adds to a round trip.
    access: Vec<Span>,
    /// The two largest of these in each rack; the second is zero if the rack has one host.
    slowest: Vec<[Span; 2]>,
    /// For each switch, where its neighbours begin in `neighbours`, and the end.
    begins: Vec<u32>,
    /// Neighbouring switches, and what the link adds to a round trip.
    neighbours: Vec<(u32, Span)>,
}

/// What a link adds to a round trip.
fn cost(rate: Rate, delay: Span, payload: Bytes) -> Span {
    let serialisation = rate.checked_serialize(payload, Rounding::Up).unwrap_or(Span::MAX);
    delay.saturating_mul(2).saturating_add(serialisation)
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, racks: &'a Racks, payload: Bytes, pipeline: Span) -> Self {
        let hosts = network.hosts;
        let links = network.host_links();
        let cost_of = |link: u32| {
            let link = &network.links[link as usize];
            cost(link.rate, link.delay, payload)
        };
        let access: Vec<Span> = links.into_iter().map(cost_of).collect();
        let mut slowest = vec![[Span::ZERO; 2]; racks.node.len()];
        for (host, &rack) in racks.of_host.iter().enumerate() {
            let [first, second] = slowest[rack as usize];
            let here = access[host];
            slowest[rack as usize] = if here > first { [here, first] } else { [first, second.max(here)] };
        }
        let mut begins = vec![0_u32; network.switches as usize + 1];
        let fabric = || network.links.iter().filter(|link| link.ends.iter().all(|&end| end >= hosts));
        for link in fabric() {
            link.ends.into_iter().for_each(|end| begins[(end - hosts) as usize + 1] += 1);
        }
        for switch in 0..network.switches as usize {
            begins[switch + 1] += begins[switch];
        }
        let mut free = begins.clone();
        let mut neighbours = vec![(0, Span::ZERO); 2 * fabric().count()];
        for link in fabric() {
            for (here, there) in [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])] {
                let place = &mut free[(here - hosts) as usize];
                neighbours[*place as usize] = (there - hosts, cost(link.rate, link.delay, payload));
                *place += 1;
            }
        }
        Self { network, racks, pipeline, access, slowest, begins, neighbours }
    }

    /// The longest way from any host of a rack.
    fn from(&self, rack: usize) -> Result<Longest, NetworkError> {
        let hosts = self.network.hosts;
        let node = self.racks.node[rack];
        let own = self.slowest[rack][0];
        if node < hosts {
            return self.direct(rack, node);
        }
        const FAR: u32 = u32::MAX;
        let mut distance = vec![FAR; self.network.switches as usize];
        let mut way = vec![Span::ZERO; self.network.switches as usize];
        let mut queue = vec![node - hosts];
        distance[(node - hosts) as usize] = 0;
        let mut next = 0;
        while let Some(&here) = queue.get(next) {
            next += 1;
            let here = here as usize;
            for &(there, cost) in &self.neighbours[self.begins[here] as usize..self.begins[here + 1] as usize]
            {
                let there = there as usize;
                if distance[there] == FAR {
                    distance[there] = distance[here] + 1;
                    queue.push(there as u32);
                }
                if distance[there] == distance[here] + 1 {
                    way[there] = way[there].max(way[here].saturating_add(cost));
                }
            }
        }
        let mut longest = Longest::default();
        for (other, &to) in self.racks.node.iter().enumerate() {
            let reached =
                to.checked_sub(hosts).map(|switch| switch as usize).filter(|&switch| distance[switch] != FAR);
            let Some(switch) = reached else {
                return Err(self.unconnected(rack, other));
            };
            let last = if other == rack { self.slowest[rack][1] } else { self.slowest[other][0] };
            if other == rack && self.racks.hosts[rack].len() < 2 {
                continue;
            }
            let switches = distance[switch] + 1;
            let pipelines = self.pipeline.saturating_mul(2 * u64::from(switches));
            let links = own.saturating_add(way[switch]).saturating_add(last);
            longest.base_rtt = longest.base_rtt.max(links.saturating_add(pipelines));
            longest.switches = longest.switches.max(switches);
        }
        Ok(longest)
    }

    /// The longest way by the packet network of racks that circuits join; zero if there is none. It is no shortest
    /// way, but most packets take it.
    fn by_packet_network(&self) -> Span {
        let Some(circuits) = &self.network.circuits else { return Span::ZERO };
        let uplink = self.neighbours[self.begins[(circuits.core - self.network.hosts) as usize] as usize].1;
        let hosts = self.slowest.iter().map(|slowest| slowest[0]).max().unwrap_or(Span::ZERO);
        let ends = hosts.saturating_add(uplink).saturating_mul(2);
        ends.saturating_add(self.pipeline.saturating_mul(2 * 3))
    }

    /// Two hosts on one link reach each other and nobody else.
    fn direct(&self, rack: usize, node: u32) -> Result<Longest, NetworkError> {
        let partner = self.racks.of_host[node as usize] as usize;
        match (0..self.racks.node.len()).find(|&other| other != rack && other != partner) {
            Some(other) => Err(self.unconnected(rack, other)),
            None => Ok(Longest { base_rtt: self.access[node as usize], switches: 0 }),
        }
    }

    fn unconnected(&self, from: usize, to: usize) -> NetworkError {
        let name = |rack: usize| self.network.name(self.racks.hosts[rack][0]).to_owned();
        NetworkError::Unconnected { from: name(from), to: name(to) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Link;

    const PAYLOAD: Bytes = Bytes::new(1_000);

    /// Nodes with these links of 100 Gb/s (a payload takes 80 ns) and these delays in ns.
    fn network(hosts: u32, switches: u32, links: &[(u32, u32, u64)]) -> Network {
        let link = |&(a, b, ns): &(u32, u32, u64)| Link::new([a, b], Rate::from_gbps(100), Span::from_ns(ns));
        let names = (0..hosts + switches).map(|node| format!("n{node}")).collect();
        Network { hosts, switches, links: links.iter().map(link).collect(), names, circuits: None }
    }

    fn longest(network: &Network, pipeline_ns: u64) -> (u64, u32) {
        let longest = network.longest(PAYLOAD, Span::from_ns(pipeline_ns)).unwrap();
        (longest.base_rtt.as_ns(), longest.switches)
    }

    #[test]
    fn the_two_slowest_hosts_of_a_rack_count() {
        // Delays 100, 200 and 300 ns: 2 · (200 + 300) + 2 · 80, and twice the pipeline both ways.
        let rack = network(3, 1, &[(0, 3, 100), (1, 3, 200), (2, 3, 300)]);
        assert_eq!(longest(&rack, 0), (1_160, 1));
        assert_eq!(longest(&rack, 600), (1_160 + 2 * 600, 1));
    }

    #[test]
    fn poseidons_racks_have_its_round_trip() {
        // 4096 B at 200 Gb/s: 163.84 ns; 2 · (4 · 245 + 3 · 600) + 4 · 163.84 = 6215.36 ns.
        let links: Vec<Link> = [[0, 2], [2, 4], [4, 3], [3, 1]]
            .map(|ends| Link::new(ends, Rate::from_gbps(200), Span::from_ns(245)))
            .to_vec();
        let names = (0..5).map(|node| format!("n{node}")).collect();
        let racks = Network { hosts: 2, switches: 3, links, names, circuits: None };
        let longest = racks.longest(Bytes::new(4_096), Span::from_ns(600)).unwrap();
        assert_eq!((longest.base_rtt, longest.switches), (Span::from_ps(6_215_360), 3));
    }

    #[test]
    fn of_ways_with_equally_many_links_the_slowest_counts_and_detours_do_not() {
        // From switch 2 to 5 by 3 (100 + 100) or by 4 (100 + 900); a detour over 3 and 4 would be slower
        // still.
        let links =
            [(0, 2, 100), (1, 5, 100), (2, 3, 100), (3, 5, 100), (2, 4, 100), (4, 5, 900), (3, 4, 5_000)];
        assert_eq!(longest(&network(2, 4, &links), 0), (2 * (100 + 100 + 900 + 100) + 4 * 80, 3));
    }

    #[test]
    fn two_hosts_on_one_link_need_no_switch() {
        assert_eq!(longest(&network(2, 0, &[(0, 1, 500)]), 0), (1_080, 0));
    }

    #[test]
    fn hosts_without_a_path_are_named() {
        let islands = network(2, 2, &[(0, 2, 1), (1, 3, 1)]);
        let error = islands.longest(PAYLOAD, Span::ZERO).unwrap_err();
        assert_eq!(error.to_string(), "no path leads from n0 to n1");
        let pairs = network(4, 0, &[(0, 1, 1), (2, 3, 1)]);
        assert!(pairs.longest(PAYLOAD, Span::ZERO).is_err());
    }
}
