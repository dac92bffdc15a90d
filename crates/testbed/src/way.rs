//! The way of a connection through the network: what its law is told of it, and how fast a message could be.

use crate::fabric::address;
use crate::routes::Routes;
use plimsoll_cc::Path;
use plimsoll_cc::rpm::FiveTuple;
use plimsoll_scenario::{Message, Network, Scenario};
use plimsoll_units::{Bytes, Rate, Rounding, Span};
use plimsoll_wire::frame::HEADER_SIZE;
use plimsoll_wire::header::Data;
use std::net::IpAddr;

/// The ends of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// The UDP ports, which decide among equal ways.
    pub(crate) ports: (u16, u16),
}

/// A connection's way.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) path: Path,
    /// Of all its links.
    slowest: Rate,
    mss: Bytes,
}

impl Way {
    /// Follows the data of a connection from switch to switch, by the hashes that the switches use.
    pub(crate) fn new(
        scenario: &Scenario,
        network: &Network,
        routes: &Routes,
        ends: Ends,
        seed: u64,
    ) -> Self {
        let Ends { from, to, ports } = ends;
        let tuple = FiveTuple {
            source: IpAddr::V4(address(from)),
            destination: IpAddr::V4(address(to)),
            protocol: 17,
            source_port: ports.0,
            destination_port: ports.1,
        };
        let mss = scenario.host.host().mss;
        let (mut base_rtt, mut hops, mut slowest) = (Span::ZERO, 0, Rate::MAX);
        let mut port = (0..2 * network.links.len() as u32).find(|port| network.near_end(*port) == from);
        while let Some(at) = port {
            let link = &network.links[at as usize / 2];
            let time = link.rate.checked_serialize(mss, Rounding::Up).unwrap_or(Span::ZERO);
            base_rtt = base_rtt.saturating_add(link.delay.saturating_mul(2)).saturating_add(time);
            slowest = slowest.min(link.rate);
            let node = network.far_end(at);
            if node < network.hosts {
                break;
            }
            hops += 1;
            base_rtt = base_rtt.saturating_add(scenario.switch.pipeline.saturating_mul(2));
            port = routes.next_port(node, to, &tuple);
        }
        Self { path: Path { base_rtt, hops, seed }, slowest, mss }
    }

    /// Completion time alone in the network, as the simulator has it: the base round trip, and all bytes with their
    /// headers (without telemetry) at the slowest link of the way. Endless messages have none.
    pub(crate) fn ideal(&self, bytes: Bytes) -> Span {
        if bytes == Message::UNBOUNDED {
            return Span::ZERO;
        }
        let packets = bytes.get().div_ceil(self.mss.get().max(1));
        let headers = packets.saturating_mul((HEADER_SIZE + Data::HEADER_SIZE) as u64);
        let wire = Bytes::new(bytes.get().saturating_add(headers));
        let time = self.slowest.checked_serialize(wire, Rounding::Up);
        time.map_or(Span::ZERO, |time| self.path.base_rtt.saturating_add(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// h0 and h1 at 100 Mb/s and 5 µs; h2, which nobody here sends to, at 1 Mb/s. From h0 to h1: twice 5 µs there and
    /// back, 20 µs, and 1000 B take 80 µs on each link: 180 µs. Three packets for 2500 B with 86 B of headers each, 2758 B,
    /// take 220.64 µs: 400.64 µs.
    #[test]
    fn a_message_needs_its_headers_and_the_slowest_link_of_its_way() {
        let text = r#"
[topology]
kind = "graph"
hosts = 3
switches = 1
links = [
    { between = ["h0", "s0"], rate = "100Mbps", delay = "5us" },
    { between = ["h1", "s0"], rate = "100Mbps", delay = "5us" },
    { between = ["s0", "h2"], rate = "1Mbps", delay = "5us" },
]
[host]
mss = "1000B"
[switch]
pipeline = "0ns"
[cc]
law = "poseidon"
"#;
        let scenario = Scenario::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
        let network = scenario.network().unwrap();
        let routes = Routes::new(&network);
        let ends = Ends { from: 0, to: 1, ports: (0xE000, 50_001) };
        let way = Way::new(&scenario, &network, &routes, ends, 1);
        assert_eq!((way.path.base_rtt, way.path.hops), (Span::from_us(180), 1));
        assert_eq!(way.ideal(Bytes::new(2_500)), Span::from_ns(400_640));
        assert_eq!(way.ideal(Message::UNBOUNDED), Span::ZERO);
    }

    /// Two ways from leaf to leaf, one of them slow: connections that the switches send over it are told so.
    #[test]
    fn connections_of_a_pair_are_told_of_the_way_that_their_ports_choose() {
        let text = r#"
[topology]
kind = "graph"
hosts = 2
switches = 4
links = [
    { between = ["h0", "s0"], rate = "100Mbps", delay = "5us" },
    { between = ["s0", "s1"], rate = "100Mbps", delay = "5us" },
    { between = ["s0", "s2"], rate = "100Mbps", delay = "500us" },
    { between = ["s1", "s3"], rate = "100Mbps", delay = "5us" },
    { between = ["s2", "s3"], rate = "100Mbps", delay = "5us" },
    { between = ["s3", "h1"], rate = "100Mbps", delay = "5us" },
]
[cc]
law = "poseidon"
"#;
        let scenario = Scenario::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
        let network = scenario.network().unwrap();
        let routes = Routes::new(&network);
        let trip = |port: u16| {
            let ends = Ends { from: 0, to: 1, ports: (0xE000 + port, 50_001) };
            Way::new(&scenario, &network, &routes, ends, 1).path.base_rtt
        };
        let trips: std::collections::BTreeSet<Span> = (0..32).map(trip).collect();
        // Twice 495 µs more over the slow link.
        let trips: Vec<Span> = trips.into_iter().collect();
        assert_eq!(trips.len(), 2);
        assert_eq!(trips[1].saturating_sub(trips[0]), Span::from_us(990));
    }
}
