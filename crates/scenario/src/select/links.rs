//! Links by their ends, and ports by their direction.

use super::Refusal;
use super::names::{nodes_called, unknown};
use super::texts::list_of_texts;
use crate::network::Network;
use crate::problem::Kind;

/// Links: `"all"`, `"hosts"` (those of hosts), `"fabric"` (those between switches), or by their
/// ends (`"leaf0:spine1"`; `"leaf0:spine"` is all links from `leaf0` to spines).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links(pub Vec<String>);

impl Links {
    /// Their numbers, in order, each once.
    ///
    /// # Errors
    /// If there is no such link.
    pub fn resolve(&self, network: &Network) -> Result<Vec<u32>, Refusal> {
        let mut chosen = Vec::new();
        for text in &self.0 {
            let of_host =
                |link: &u32| network.links[*link as usize].ends.iter().any(|&end| end < network.hosts);
            let all = 0..network.links.len() as u32;
            match text.as_str() {
                "all" => chosen.extend(all),
                "hosts" => chosen.extend(all.filter(of_host)),
                "fabric" => chosen.extend(all.filter(|link| !of_host(link))),
                pair => chosen.extend(ports_between(network, pair, ':')?.into_iter().map(|port| port / 2)),
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }
}

/// Ports: `"none"`, `"all"` (every port of every switch), `"hosts"` (those that lead to hosts), or by
/// their direction (`"leaf0>h3"` is where `leaf0` sends to `h3`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports(pub Vec<String>);

impl Ports {
    /// No port.
    #[must_use]
    pub fn none() -> Self {
        Self(vec!["none".to_owned()])
    }

    /// Their numbers, in order, each once.
    ///
    /// # Errors
    /// If there is no such port.
    pub fn resolve(&self, network: &Network) -> Result<Vec<u32>, Refusal> {
        let mut chosen = Vec::new();
        for text in &self.0 {
            let all = 0..2 * network.links.len() as u32;
            match text.as_str() {
                "none" => {}
                "all" => chosen.extend(all.filter(|&port| network.near_end(port) >= network.hosts)),
                "hosts" => chosen.extend(all.filter(|&port| network.far_end(port) < network.hosts)),
                pair => chosen.extend(ports_between(network, pair, '>')?),
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }
}

/// The ports from the nodes before `separator` to those behind it; never none.
pub(super) fn ports_between(network: &Network, pair: &str, separator: char) -> Result<Vec<u32>, Refusal> {
    let Some((from, to)) = pair.split_once(separator) else {
        let message = format!("`{pair}` is not a pair of nodes; e.g. \"leaf0{separator}spine1\"");
        return Err(Refusal::new(Kind::WrongType, "", message));
    };
    let mut ends = [Vec::new(), Vec::new()];
    for (end, name) in ends.iter_mut().zip([from.trim(), to.trim()]) {
        *end = vec![false; network.nodes() as usize];
        let nodes = nodes_called(network, name);
        if nodes.is_empty() {
            return Err(unknown(network, "node", name));
        }
        for node in nodes {
            end[node as usize] = true;
        }
    }
    let joins =
        |port: &u32| ends[0][network.near_end(*port) as usize] && ends[1][network.far_end(*port) as usize];
    let ports: Vec<u32> = (0..2 * network.links.len() as u32).filter(joins).collect();
    if ports.is_empty() {
        return Err(Refusal::new(
            Kind::Unknown,
            "",
            format!("no link joins `{}` and `{}`", from.trim(), to.trim()),
        ));
    }
    Ok(ports)
}

list_of_texts! {
    Links: "links: \"all\", \"hosts\", \"fabric\", a pair of nodes (\"leaf0:spine1\"), or an array of \
     these",
    must be "links, e.g. \"leaf0:spine1\", \"fabric\" or \"all\""
}

list_of_texts! {
    Ports: "ports: \"none\", \"all\" (of switches), \"hosts\" (those that lead to hosts), a direction \
     (\"leaf0>h3\"), or an array of these",
    must be "ports, e.g. \"leaf0>h3\", \"all\" or \"none\""
}
