//! A row of switches: long paths that share each link with short ones.

use super::build::{Builder, Wire};
use crate::network::Network;
use crate::select::Refusal;
use crate::table::table;
use plimsoll_units::{Rate, Span};

table! {
    /// A row of switches, `s0`, `s1` and so on. Hosts come in pairs: first `long` pairs from the first switch
    /// to the last, then `cross` pairs for each link of the row. Of pair p, host 2p is at the beginning of
    /// its way and host 2p + 1 at the end.
    pub struct ParkingLot in "topology.parking-lot" {
        /// Links in the row.
        segments: u32 where [1, 10_000] = 3,
        /// Pairs of hosts from end to end.
        long: u32 where [1, 100_000] = 1,
        /// Pairs of hosts for each link of the row.
        cross: u32 where [0, 100_000] = 1,
        /// Rate of hosts' links.
        host_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Delay of hosts' links, one way.
        host_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
        /// Rate of the row's links; "auto" = that of hosts' links.
        rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = None,
        /// Delay of the row's links, one way; "auto" = that of hosts' links.
        delay: Option<Span> where [Span::from_ps(1), Span::from_s(10)] = None,
    }
}

impl ParkingLot {
    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let (segments, long, cross) = (self.segments, self.long, self.cross);
        let pairs = u64::from(long) + u64::from(cross) * u64::from(segments);
        let switches = u64::from(segments) + 1;
        let mut builder = Builder::new(2 * pairs, switches, 2 * pairs + u64::from(segments), "segments")?;
        let first = builder.switches("s", segments + 1);
        let wire = Wire { rate: self.host_rate, delay: self.host_delay };
        let mut host = 0;
        let mut pair = |builder: &mut Builder, from: u32, to: u32| {
            builder.link(host, first + from, wire);
            builder.link(host + 1, first + to, wire);
            host += 2;
        };
        (0..long).for_each(|_| pair(&mut builder, 0, segments));
        for segment in 0..segments {
            (0..cross).for_each(|_| pair(&mut builder, segment, segment + 1));
        }
        let rate = self.rate.unwrap_or(self.host_rate);
        let delay = self.delay.unwrap_or(self.host_delay);
        (0..segments)
            .for_each(|segment| builder.link(first + segment, first + segment + 1, Wire { rate, delay }));
        Ok(builder.finish())
    }
}
