//! What traffic asks of hosts and racks in the long run.

use super::Ground;
use crate::problem::Kind;
use crate::select::Refusal;
use plimsoll_units::Rate;

/// Bits per second that each host sends and receives, and each rack exchanges with the others.
pub(crate) struct Demand<'g> {
    ground: &'g Ground<'g>,
    out: Vec<f64>,
    into: Vec<f64>,
    rack_out: Vec<f64>,
    rack_into: Vec<f64>,
}

impl<'g> Demand<'g> {
    pub(crate) fn new(ground: &'g Ground<'g>) -> Self {
        let (hosts, racks) = (ground.host_rates.len(), ground.racks.node.len());
        Self {
            ground,
            out: vec![0.0; hosts],
            into: vec![0.0; hosts],
            rack_out: vec![0.0; racks],
            rack_into: vec![0.0; racks],
        }
    }

    /// `bits` per second from `from`, spread evenly over the hosts of `to` other than itself. With
    /// `other_racks`, also other than its rack's.
    pub(super) fn spread(&mut self, from: u32, to: &mut Targets, bits: f64, other_racks: bool) {
        let own_rack = self.ground.racks.of_host[from as usize] as usize;
        let own = to.in_rack[own_rack];
        let excluded = if other_racks { own } else { u32::from(to.is_target[from as usize]) };
        let others = to.count - excluded;
        if others == 0 {
            return;
        }
        self.out[from as usize] += bits;
        let each = bits / f64::from(others);
        let crossing = f64::from(to.count - own) * each;
        self.rack_out[own_rack] += crossing;
        to.share[own_rack] += each;
        if !other_racks && to.is_target[from as usize] {
            // A host does not send to itself.
            self.into[from as usize] -= each;
        }
    }

    /// Adds what [`Demand::spread`] has noted for these targets.
    pub(super) fn settle(&mut self, to: &Targets, other_racks: bool) {
        let share = &to.share;
        let total: f64 = share.iter().sum();
        for (host, _) in to.is_target.iter().enumerate().filter(|(_, is_target)| **is_target) {
            let rack = self.ground.racks.of_host[host] as usize;
            self.into[host] += if other_racks { total - share[rack] } else { total };
            self.rack_into[rack] += total - share[rack];
        }
    }

    /// Refuses what no network could carry. `key` is to blame.
    pub(crate) fn check(&self, key: &'static str) -> Result<(), Refusal> {
        // Beyond full by a rounding error only.
        let over = |bits: f64, rate: Rate| bits > rate.as_bps_f64() * 1.000_001;
        let ask = |what: String, does: &str, bits: f64, rate: Rate| {
            let asked = bits / rate.as_bps_f64();
            let message = format!(
                "{what} would {does} {:.3} Gb/s on average, {asked:.3} times the {:.3} Gb/s that it can; lower \
                 `{key}` to at most {:.3} of what it is",
                bits / 1e9,
                rate.as_gbps_f64(),
                1.0 / asked
            );
            Err(Refusal::new(Kind::OutOfBounds, key, message))
        };
        for (host, &rate) in self.ground.host_rates.iter().enumerate() {
            let name = || format!("host {}", self.ground.network.name(host as u32));
            if over(self.out[host], rate) {
                return ask(name(), "send", self.out[host], rate);
            }
            if over(self.into[host], rate) {
                return ask(name(), "receive", self.into[host], rate);
            }
        }
        for (rack, &rate) in self.ground.rack_rates.iter().enumerate() {
            let name =
                || format!("rack{rack} (behind {})", self.ground.network.name(self.ground.racks.node[rack]));
            if over(self.rack_out[rack], rate) {
                return ask(name(), "send to other racks", self.rack_out[rack], rate);
            }
            if over(self.rack_into[rack], rate) {
                return ask(name(), "receive from other racks", self.rack_into[rack], rate);
            }
        }
        Ok(())
    }
}

/// Hosts that traffic is spread over.
pub(super) struct Targets {
    count: u32,
    is_target: Vec<bool>,
    in_rack: Vec<u32>,
    /// What each of them gets from all senders of each rack.
    share: Vec<f64>,
}

impl Targets {
    pub(super) fn new(ground: &Ground<'_>, hosts: &[u32]) -> Self {
        let mut is_target = vec![false; ground.host_rates.len()];
        let mut in_rack = vec![0; ground.racks.node.len()];
        for &host in hosts {
            is_target[host as usize] = true;
            in_rack[ground.racks.of_host[host as usize] as usize] += 1;
        }
        let share = vec![0.0; in_rack.len()];
        Self { count: hosts.len() as u32, is_target, in_rack, share }
    }
}
