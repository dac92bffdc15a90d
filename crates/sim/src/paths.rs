//! Which way each connection goes, for models that are held against a run.

use crate::routes::{Routes, label, pinned_labels};
use plimsoll_scenario::{Network, Refusal, Workload};

/// The ports that the packets of each connection leave by, the host's card first, while all links work and nobody
/// changes its path: the very path that a run with this seed takes under ECMP. Port `p` belongs to link `p / 2`;
/// [`Network::far_end`] says where it leads. Empty for a connection that nothing leads to its receiver.
///
/// # Errors
/// If no path leads through a connection's waypoints.
pub fn paths(network: &Network, workload: &Workload, seed: u64) -> Result<Vec<Vec<u32>>, Refusal> {
    let routes = Routes::new(network, |_| true, seed);
    let pinned = pinned_labels(network, workload, seed)?;
    let of_connection = |(index, connection): (usize, &plimsoll_scenario::Connection)| {
        let label = pinned.get(index).copied().flatten().unwrap_or_else(|| label(seed, index as u32, 0));
        let mut path = vec![routes.first_port(connection.from)];
        let mut node = network.far_end(path[0]);
        while node != connection.to {
            // Each switch leads closer, so this ends; hosts do not forward.
            let next =
                (node >= network.hosts).then(|| routes.next_port(node, connection.to, label)).flatten();
            let Some(port) = next else { return Vec::new() };
            path.push(port);
            node = network.far_end(port);
        }
        path
    };
    Ok(workload.connections.iter().enumerate().map(of_connection).collect())
}
