//! All hosts on one switch.

use super::build::{Builder, Wire};
use crate::network::Network;
use crate::select::Refusal;
use crate::table::table;
use plimsoll_units::{Rate, Span};

table! {
    /// All hosts on one switch, `s0`.
    pub struct SingleSwitch in "topology.single-switch" {
        /// How many hosts.
        hosts: u32 where [2, 1_000_000] = 17,
        /// Rate of each link.
        rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Delay of each link, one way.
        delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
    }
}

impl SingleSwitch {
    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let hosts = self.hosts;
        let mut builder = Builder::new(u64::from(hosts), 1, u64::from(hosts), "hosts")?;
        let switch = builder.switches("s", 1);
        let wire = Wire { rate: self.rate, delay: self.delay };
        (0..hosts).for_each(|host| builder.link(host, switch, wire));
        Ok(builder.finish())
    }
}
