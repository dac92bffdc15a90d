//! Drawing a destination.

use super::Ground;
use crate::problem::Kind;
use crate::random::Random;
use crate::select::Refusal;

/// Hosts to draw from, by rack, so that a whole rack can be left out without a second draw.
pub(super) struct Choice {
    /// Sorted by rack, then by number.
    hosts: Vec<u32>,
    /// Where each rack begins in `hosts`, and the end.
    begins: Vec<u32>,
}

impl Choice {
    pub(super) fn new(ground: &Ground<'_>, hosts: &[u32]) -> Self {
        let mut hosts = hosts.to_vec();
        hosts.sort_unstable_by_key(|&host| (ground.racks.of_host[host as usize], host));
        let begins = (0..=ground.racks.node.len() as u32)
            .map(|rack| hosts.partition_point(|&host| ground.racks.of_host[host as usize] < rack) as u32)
            .collect();
        Self { hosts, begins }
    }

    /// The places in `hosts` that are no destination of `from`.
    fn excluded(&self, ground: &Ground<'_>, from: u32, other_racks: bool) -> (u32, u32) {
        let rack = ground.racks.of_host[from as usize] as usize;
        let (begin, end) = (self.begins[rack], self.begins[rack + 1]);
        if other_racks {
            return (begin, end);
        }
        match self.hosts[begin as usize..end as usize].binary_search(&from) {
            Ok(place) => (begin + place as u32, begin + place as u32 + 1),
            Err(_) => (begin, begin),
        }
    }

    /// Refuses a sender that could send to nobody.
    pub(super) fn check(&self, ground: &Ground<'_>, from: &[u32], other_racks: bool) -> Result<(), Refusal> {
        for &host in from {
            let (begin, end) = self.excluded(ground, host, other_racks);
            if self.hosts.len() as u32 == end - begin {
                let others = if other_racks { "outside its rack" } else { "but itself" };
                let message = format!("{} would have nobody {others} to send to", ground.network.name(host));
                return Err(Refusal::new(Kind::Contradiction, "to", message));
            }
        }
        Ok(())
    }

    /// A host other than `from`, or of another rack.
    pub(super) fn draw(&self, ground: &Ground<'_>, random: &mut Random, from: u32, other_racks: bool) -> u32 {
        let (begin, end) = self.excluded(ground, from, other_racks);
        let place = random.below(self.hosts.len() as u32 - (end - begin));
        self.hosts[if place >= begin { place + (end - begin) } else { place } as usize]
    }
}
