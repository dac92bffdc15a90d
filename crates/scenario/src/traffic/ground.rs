//! What traffic is planned on.

use crate::network::{Network, Racks};
use crate::problem::Kind;
use crate::select::{Hosts, Refusal};
use plimsoll_units::{Rate, Span};

/// How long traffic arrives if neither it nor the scenario says.
const DEFAULT_ARRIVALS: Span = Span::from_ms(1);
/// More messages than memory has room for; a typing error is larger.
pub(super) const MOST_MESSAGES: f64 = 50e6;

/// A network with what traffic asks of it.
pub(crate) struct Ground<'n> {
    pub(crate) network: &'n Network,
    pub(crate) racks: Racks,
    /// The rate of each host's link.
    pub(crate) host_rates: Vec<Rate>,
    /// What each rack can send to and receive from the others.
    pub(crate) rack_rates: Vec<Rate>,
    /// The scenario's duration.
    pub(crate) duration: Option<Span>,
}

impl<'n> Ground<'n> {
    pub(crate) fn new(network: &'n Network, duration: Option<Span>) -> Self {
        let racks = network.racks();
        let host_rates =
            network.host_links().into_iter().map(|link| network.links[link as usize].rate).collect();
        let mut rack_of_node = vec![usize::MAX; network.nodes() as usize];
        for (rack, &node) in racks.node.iter().enumerate() {
            rack_of_node[node as usize] = rack;
        }
        let mut rack_rates = vec![Rate::ZERO; racks.node.len()];
        for link in network.links.iter().filter(|link| link.ends.iter().all(|&end| end >= network.hosts)) {
            for end in link.ends {
                if let Some(rate) = rack_rates.get_mut(rack_of_node[end as usize]) {
                    *rate = Rate::from_bps(rate.as_bps().saturating_add(link.rate.as_bps()));
                }
            }
        }
        Self { network, racks, host_rates, rack_rates, duration }
    }

    /// The hosts that a key selects.
    pub(super) fn hosts(&self, key: &'static str, hosts: &Hosts) -> Result<Vec<u32>, Refusal> {
        hosts.resolve(self.network, &self.racks).map_err(|refusal| refusal.at(key))
    }

    /// The one host that a key selects.
    pub(super) fn host(&self, key: &'static str, hosts: &Hosts) -> Result<u32, Refusal> {
        match self.hosts(key, hosts)?[..] {
            [host] => Ok(host),
            ref several => {
                let message = format!("{} hosts are named here, but it must be one", several.len());
                Err(Refusal::new(Kind::OutOfBounds, key, message))
            }
        }
    }

    /// At least `least` hosts that a key selects.
    pub(super) fn several(
        &self,
        key: &'static str,
        hosts: &Hosts,
        least: usize,
    ) -> Result<Vec<u32>, Refusal> {
        let hosts = self.hosts(key, hosts)?;
        if hosts.len() < least {
            let message = format!("only {} is named here, but it takes at least {least} hosts", hosts.len());
            return Err(Refusal::new(Kind::OutOfBounds, key, message));
        }
        Ok(hosts)
    }

    /// When arrivals end.
    pub(super) fn stop(&self, start: Span, stop: Option<Span>) -> Result<Span, Refusal> {
        let stop = stop.or(self.duration).unwrap_or(start.saturating_add(DEFAULT_ARRIVALS));
        if stop <= start {
            let message =
                format!("arrivals end at \"{stop}\", but begin at \"{start}\"; they must end later");
            return Err(Refusal::new(Kind::Contradiction, "stop", message));
        }
        Ok(stop)
    }

    /// Refuses more messages than memory has room for.
    pub(super) fn refuse_too_many(&self, messages: f64, key: &'static str) -> Result<(), Refusal> {
        if messages > MOST_MESSAGES {
            let message = format!("this would be {messages:.0} messages; the limit is {MOST_MESSAGES:.0}");
            return Err(Refusal::new(Kind::OutOfBounds, key, message));
        }
        Ok(())
    }
}
