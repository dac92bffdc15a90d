//! The `[topology]` table: one file per kind.
//!
//! Hosts are called `h0`, `h1` and so on; the names of switches say their layer.

mod build;
mod dumbbell;
mod fat_tree;
mod graph;
mod leaf_spine;
mod parking_lot;
mod rotor;
mod single_switch;
#[cfg(test)]
mod tests;

pub use dumbbell::Dumbbell;
pub use fat_tree::FatTree;
pub use graph::{Between, FileGraph, Graph, GraphLink, GraphLinks, HpccFile, Nodes};
pub use leaf_spine::LeafSpine;
pub use parking_lot::ParkingLot;
pub use rotor::Rotor;
pub use single_switch::SingleSwitch;

use crate::network::Network;
use crate::problem::Kind;
use crate::select::Refusal;
use crate::table::kinds;

kinds! {
    /// How hosts and switches are joined.
    pub enum Topology in "topology" {
        Dumbbell(Dumbbell) = "dumbbell",
        ParkingLot(ParkingLot) = "parking-lot",
        SingleSwitch(SingleSwitch) = "single-switch",
        LeafSpine(LeafSpine) = "leaf-spine",
        FatTree(FatTree) = "fat-tree",
        Rotor(Rotor) = "rotor",
        Graph(Graph) = "graph",
        HpccFile(HpccFile) = "hpcc-file",
    }
}

impl Topology {
    /// The same without a file.
    #[must_use]
    pub(crate) fn self_contained(self) -> Self {
        match self {
            Self::HpccFile(topology) => Self::Graph(topology.file.graph),
            other => other,
        }
    }

    /// The network that it describes.
    ///
    /// # Errors
    /// If its numbers contradict each other, or a host cannot reach another.
    pub fn network(&self) -> Result<Network, Refusal> {
        let network = match self {
            Self::Dumbbell(topology) => topology.network(),
            Self::ParkingLot(topology) => topology.network(),
            Self::SingleSwitch(topology) => topology.network(),
            Self::LeafSpine(topology) => topology.network(),
            Self::FatTree(topology) => topology.network(),
            Self::Rotor(topology) => topology.network(),
            Self::Graph(topology) => topology.network(),
            Self::HpccFile(topology) => topology.file.graph.network(),
        }?;
        network.check().map_err(|error| Refusal::new(Kind::Contradiction, "links", error.to_string()))?;
        Ok(network)
    }
}
