//! Where a packet goes next: shortest paths, and a hash to choose among equals.

use plimsoll_scenario::{Connection, Kind, Network, Refusal, Workload};
use std::collections::{HashMap, VecDeque};

/// Which ports lead from each switch towards each host: all that lie on a shortest path.
///
/// Tables are kept per rack (the node that a host's link leads to), not per host, so that they fit
/// in cache for thousands of hosts.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    hosts: u32,
    destinations: Vec<Destination>,
    switches: Vec<Switch>,
    /// For each switch and rack the port that leads there, or [`FORK`] and which of the forks: four
    /// bytes each, because in large networks this table is what the cache has no room for.
    table: Vec<u32>,
    /// Where each fork's choices begin, and how many there are.
    forks: Vec<(u32, u32)>,
    choices: Vec<u32>,
    /// The port of each host's card.
    card: Vec<u32>,
}

/// A host as the end of a way.
#[derive(Clone, Copy, Debug)]
struct Destination {
    /// Its rack, or `NONE`.
    rack: u32,
    /// The port that leads to it from there.
    last_port: u32,
}

/// A switch as a fork.
#[derive(Clone, Copy, Debug)]
struct Switch {
    /// The rack that it is, or `NONE`.
    rack: u32,
    /// What its hash begins with.
    seed: u32,
    /// Where its part of the table begins.
    row: usize,
}

const NONE: u32 = u32::MAX;

/// An entry of the table that is a fork, not a port. Ports are numbered in 24 bits.
const FORK: u32 = 1 << 31;

impl Routes {
    /// Shortest paths over the links for which `up` holds. Each switch hashes with a seed of its own.
    pub(crate) fn new(network: &Network, up: impl Fn(usize) -> bool, seed: u64) -> Self {
        let hosts = network.hosts;
        let ports_of: Vec<Vec<u32>> = ports_by_node(network, up);
        let mut rack_of_node: HashMap<u32, u32> = HashMap::new();
        let mut rack_nodes = Vec::new();
        let mut destinations = vec![Destination { rack: NONE, last_port: NONE }; hosts as usize];
        for host in 0..hosts {
            let Some(&port) = ports_of[host as usize].first() else { continue };
            let node = network.far_end(port);
            let rack = *rack_of_node.entry(node).or_insert_with(|| {
                rack_nodes.push(node);
                rack_nodes.len() as u32 - 1
            });
            destinations[host as usize] = Destination { rack, last_port: port ^ 1 };
        }
        let switches = network.switches as usize;
        let racks = rack_nodes.len();
        let mut table = vec![NONE; switches * racks];
        let mut forks = Vec::new();
        let mut choices = Vec::new();
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        for (rack, &node) in rack_nodes.iter().enumerate() {
            let distance = distances(network, &ports_of, node);
            for switch in 0..switches {
                let here = distance[hosts as usize + switch];
                let next: Vec<u32> = ports_of[hosts as usize + switch]
                    .iter()
                    .copied()
                    .filter(|&port| {
                        here != NONE && distance[network.far_end(port) as usize].checked_add(1) == Some(here)
                    })
                    .collect();
                table[switch * racks + rack] = match next[..] {
                    [] => NONE,
                    [port] => port,
                    _ => *known.entry(next).or_insert_with_key(|next| {
                        forks.push((choices.len() as u32, next.len() as u32));
                        choices.extend_from_slice(next);
                        FORK | (forks.len() as u32 - 1)
                    }),
                };
            }
        }
        let fork = |switch: u32| Switch {
            rack: rack_of_node.get(&(hosts + switch)).copied().unwrap_or(NONE),
            seed: (mix(seed ^ u64::from(switch) << 32) >> 16) as u32,
            row: switch as usize * racks,
        };
        let switches = (0..network.switches).map(fork).collect();
        let mut card = vec![NONE; hosts as usize];
        for port in 0..2 * network.links.len() as u32 {
            if let Some(place) = card.get_mut(network.near_end(port) as usize) {
                *place = port;
            }
        }
        Self { hosts, destinations, switches, table, forks, choices, card }
    }

    /// The port of a host's card.
    pub(crate) fn first_port(&self, host: u32) -> u32 {
        self.card[host as usize]
    }

    /// The port by which a packet labelled `label` leaves switch node `node` towards host `to`;
    /// `None` if nothing leads there.
    #[inline(always)]
    pub(crate) fn next_port(&self, node: u32, to: u32, label: u16) -> Option<u32> {
        let switch = &self.switches[(node - self.hosts) as usize];
        let destination = &self.destinations[to as usize];
        if destination.rack == switch.rack {
            return (destination.rack != NONE).then_some(destination.last_port);
        }
        let entry = *self.table.get(switch.row + destination.rack as usize)?;
        if entry & FORK == 0 {
            return Some(entry);
        }
        // No fork has the number of `NONE`.
        let (begin, count) = *self.forks.get((entry ^ FORK) as usize)?;
        let hash = spread(u32::from(label) ^ switch.seed);
        // A product instead of a remainder: the high half of hash · count is uniform on 0..count.
        let pick = ((u64::from(hash) * u64::from(count)) >> 32) as u32;
        Some(self.choices[(begin + pick) as usize])
    }

    /// Whether a packet of the connection with this label passes one switch of each waypoint.
    fn leads_through(
        &self,
        network: &Network,
        connection: &Connection,
        label: u16,
        waypoints: &[Vec<u32>],
    ) -> bool {
        let mut missing: Vec<&Vec<u32>> = waypoints.iter().collect();
        let mut node = network.far_end(self.first_port(connection.from));
        while node >= self.hosts {
            missing.retain(|switches| !switches.contains(&node));
            match self.next_port(node, connection.to, label) {
                Some(port) => node = network.far_end(port),
                None => return false,
            }
        }
        missing.is_empty()
    }
}

/// The `attempt`-th label that a connection may have; without waypoints it has the first.
pub(crate) fn label(seed: u64, connection: u32, attempt: u64) -> u16 {
    mix(seed ^ mix(u64::from(connection) + 1) ^ attempt << 32) as u16
}

/// How many labels are tried before a connection is refused: nearly all that there are.
const MOST_ATTEMPTS: u64 = 1 << 20;

/// For each connection that has waypoints a label with which every switch's hash leads through them; empty if none
/// has. Packets then find their way as any others do, at no cost.
pub(crate) fn pinned_labels(
    network: &Network,
    workload: &Workload,
    seed: u64,
) -> Result<Vec<Option<u16>>, Refusal> {
    if workload.waypoints.iter().all(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let routes = Routes::new(network, |_| true, seed);
    let find = |(index, connection): (usize, &Connection)| {
        let waypoints = workload.waypoints.get(usize::from(connection.group)).map_or(&[][..], Vec::as_slice);
        if waypoints.is_empty() {
            return Ok(None);
        }
        let leads = |label: &u16| routes.leads_through(network, connection, *label, waypoints);
        let mut labels = (0..MOST_ATTEMPTS).map(|attempt| label(seed, index as u32, attempt));
        labels.find(leads).map(Some).ok_or_else(|| Refusal {
            kind: Kind::Contradiction,
            key: "via",
            message: format!(
                "no shortest path from `{}` to `{}` was found that leads through the given switches",
                network.name(connection.from),
                network.name(connection.to)
            ),
        })
    };
    workload.connections.iter().enumerate().map(find).collect()
}

fn ports_by_node(network: &Network, up: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
    let mut ports_of = vec![Vec::new(); network.nodes() as usize];
    for link in (0..network.links.len()).filter(|&link| up(link)) {
        for port in [2 * link as u32, 2 * link as u32 + 1] {
            ports_of[network.near_end(port) as usize].push(port);
        }
    }
    ports_of
}

/// Links between each switch and `goal`; hosts do not forward.
fn distances(network: &Network, ports_of: &[Vec<u32>], goal: u32) -> Vec<u32> {
    let mut distance = vec![NONE; ports_of.len()];
    distance[goal as usize] = 0;
    let mut queue = VecDeque::from([goal]);
    while let Some(node) = queue.pop_front() {
        for &port in &ports_of[node as usize] {
            let next = network.far_end(port) as usize;
            if next >= network.hosts as usize && distance[next] == NONE {
                distance[next] = distance[node as usize] + 1;
                queue.push_back(next as u32);
            }
        }
    }
    distance
}

/// A good 64-bit mixing (splitmix64's finaliser).
pub(crate) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// A good 32-bit mixing, cheap enough for every hop.
#[inline]
pub(crate) fn spread(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x7FEB_352D);
    x = (x ^ x >> 15).wrapping_mul(0x846C_A68B);
    x ^ x >> 16
}
