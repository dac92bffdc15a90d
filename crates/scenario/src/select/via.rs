//! Where a path must lead through.

use super::Refusal;
use super::links::ports_between;
use super::names::{nodes_called, unknown};
use super::texts::list_of_texts;
use crate::network::Network;
use crate::problem::Kind;

/// Switches and links that a path must lead through, in whatever order it meets them; none = any path will do.
/// A name that several switches share (`"spine"`) asks for one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Via(pub Vec<String>);

/// The most that a path can be asked to pass.
pub(crate) const MOST_WAYPOINTS: usize = 16;

impl Via {
    /// For each waypoint the switches of which one must be on the path. A link is its two ends.
    ///
    /// # Errors
    /// If there is no such switch or link.
    pub fn resolve(&self, network: &Network) -> Result<Vec<Vec<u32>>, Refusal> {
        let mut waypoints = Vec::new();
        for text in &self.0 {
            let names: Vec<&str> = text.split(':').map(str::trim).collect();
            if names.len() > 1 {
                ports_between(network, text, ':')?;
            }
            for name in names {
                let nodes = nodes_called(network, name);
                if nodes.is_empty() || nodes.iter().any(|&node| node < network.hosts) {
                    return Err(unknown(network, "switch", name));
                }
                waypoints.push(nodes);
            }
        }
        if waypoints.len() > MOST_WAYPOINTS {
            let message = format!("a path can be asked to pass at most {MOST_WAYPOINTS} switches");
            return Err(Refusal::new(Kind::OutOfBounds, "", message));
        }
        Ok(waypoints)
    }
}

list_of_texts! {
    Via: "switches and links, e.g. [\"leaf0:spine1\", \"leaf3\"]; [] = any path",
    must be "names of switches or links, e.g. [\"spine1\"] or \"leaf0:spine1\""
}
