//! Switches that tell passing acks what their data would meet now.
//!
//! Usually a packet gathers its longest wait on its way, the receiver sends it back, and the sender knows of a queue
//! after the packet has stood in it and its ack has come all the way. A switch that sees the ack pass can say more: how
//! long a packet would wait now. Acks gather the largest of these from all switches of the way; the data's own longest
//! wait is what counts where one of them could not say, because the ack came another way or the switch has no INT.

use crate::packet::{LongestWait, WAIT_SHIFT};
use crate::partition::Partition;
use crate::routes::Routes;
use plimsoll_cc::CongestionControl;
use plimsoll_scenario::Network;
use plimsoll_units::{Bytes, Rounding, Span};

/// Some switch on the way of this ack could not say how long its data would wait.
pub(crate) const UNKNOWN: LongestWait = LongestWait::MAX;

/// How many labels are tried for a way back, of which a few hundred differ in networks of the usual sizes.
const MOST_LABELS: u32 = 1 << 14;

impl<L: CongestionControl> Partition<'_, L> {
    /// What an ack carries on that came into `switch` by `ingress` and has gathered `so_far`.
    #[inline(never)]
    pub(crate) fn reflect(
        &self,
        now: u64,
        switch: u32,
        ingress: u32,
        body: u32,
        so_far: LongestWait,
    ) -> LongestWait {
        let body = self.bodies.get(body);
        let plan = &self.shared.connections[body.connection as usize];
        // The data leaves by the other end of the link by which the ack came, or it takes another way.
        let port = ingress ^ 1;
        let pipe = &self.ports[port as usize];
        if !pipe.stamps || self.routes.next_port(switch, plan.to, body.label) != Some(port) {
            return UNKNOWN;
        }
        let until_free = pipe.free_at.saturating_sub(now);
        let queued = pipe.queue.as_ref().map_or(0, |queue| queue.bytes_of(usize::from(plan.class)));
        let units = &self.shared.units;
        let drained = pipe.rate.checked_serialize(Bytes::new(queued), Rounding::Up).unwrap_or(Span::MAX);
        let wait = units.wait.floor(until_free.saturating_add(drained.as_ps())) >> WAIT_SHIFT;
        so_far.max(wait.min(units.longest_wait).min(u64::from(UNKNOWN - 1)) as LongestWait)
    }

    /// The label with which an ack takes the way of a packet with this label back; without such a way one of its own.
    pub(crate) fn label_back(&mut self, connection: u32, label: u16) -> u16 {
        let shared = self.shared;
        if !shared.setup.same_way_back {
            return hashed_differently(label);
        }
        if self.ways_back.is_empty() {
            self.ways_back = vec![None; shared.connections.len()];
        }
        let known = &mut self.ways_back[connection as usize];
        match known {
            Some((of, back)) if *of == label => *back,
            _ => {
                let plan = &shared.connections[connection as usize];
                let back = self.routes.way_back(&shared.setup.network, plan.from, plan.to, label);
                let back = back.unwrap_or_else(|| hashed_differently(label));
                *known = Some((label, back));
                back
            }
        }
    }
}

/// The way back is hashed too, and differently.
fn hashed_differently(label: u16) -> u16 {
    label.rotate_left(8) ^ 0x5BD1
}

impl Routes {
    /// A label with which packets from `to` to `from` take the same links as those with `label` the other way.
    fn way_back(&self, network: &Network, from: u32, to: u32, label: u16) -> Option<u16> {
        let mut there = self.ports_of(network, from, to, label)?;
        there.reverse();
        there.iter_mut().for_each(|port| *port ^= 1);
        let labels =
            (0..MOST_LABELS).map(|attempt| label.wrapping_add((attempt as u16).wrapping_mul(40_503)));
        labels.into_iter().find(|label| self.ports_of(network, to, from, *label).as_ref() == Some(&there))
    }

    /// The ports that packets take, the card first; `None` if nothing leads there.
    fn ports_of(&self, network: &Network, from: u32, to: u32, label: u16) -> Option<Vec<u32>> {
        let mut ports = vec![self.first_port(from)];
        loop {
            let node = network.far_end(*ports.last()?);
            if node < network.hosts {
                return Some(ports);
            }
            ports.push(self.next_port(node, to, label)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_scenario::Scenario;

    #[test]
    fn every_way_through_a_fat_tree_has_a_way_back() {
        let text = "[topology]\nkind = \"fat-tree\"\n[cc]\nlaw = \"poseidon\"\n";
        let network = Scenario::parse("test", text).unwrap().network().unwrap();
        let routes = Routes::new(&network, |_| true, 7);
        let mut ways = std::collections::HashSet::new();
        for label in 0..200 {
            let (from, to) = (0, network.hosts - 1);
            let there = routes.ports_of(&network, from, to, label).unwrap();
            let back = routes.way_back(&network, from, to, label).unwrap();
            let back = routes.ports_of(&network, to, from, back).unwrap();
            assert_eq!(back.iter().rev().map(|port| port ^ 1).collect::<Vec<_>>(), there);
            ways.insert(there);
        }
        // From pod to pod there are two switches to climb to and from each two cores.
        assert_eq!(ways.len(), 4);
    }
}
