//! Senders and receivers with one link between them.

use super::build::{Builder, Wire};
use crate::network::Network;
use crate::select::Refusal;
use crate::table::table;
use plimsoll_units::{Rate, Span};

table! {
    /// Two switches, `s0` and `s1`, with one link between them. Hosts `h0` on are on `s0`, the rest on `s1`.
    pub struct Dumbbell in "topology.dumbbell" {
        /// Hosts on the left switch.
        left: u32 where [1, 500_000] = 8,
        /// Hosts on the right switch; "auto" = as many as on the left.
        right: Option<u32> where [1, 500_000] = None,
        /// Rate of hosts' links.
        host_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Delay of hosts' links, one way.
        host_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
        /// Rate of the link between the switches; "auto" = that of hosts' links.
        bottleneck_rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = None,
        /// Delay of the link between the switches, one way; "auto" = that of hosts' links.
        bottleneck_delay: Option<Span> where [Span::from_ps(1), Span::from_s(10)] = None,
    }
}

impl Dumbbell {
    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let right = self.right.unwrap_or(self.left);
        let hosts = u64::from(self.left) + u64::from(right);
        let mut builder = Builder::new(hosts, 2, hosts + 1, "left")?;
        let switch = builder.switches("s", 2);
        let wire = Wire { rate: self.host_rate, delay: self.host_delay };
        (0..self.left).for_each(|host| builder.link(host, switch, wire));
        (self.left..self.left + right).for_each(|host| builder.link(host, switch + 1, wire));
        let rate = self.bottleneck_rate.unwrap_or(self.host_rate);
        let delay = self.bottleneck_delay.unwrap_or(self.host_delay);
        builder.link(switch, switch + 1, Wire { rate, delay });
        Ok(builder.finish())
    }
}
