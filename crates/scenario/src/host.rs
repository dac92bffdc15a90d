//! The `[host]` table.

use plimsoll_cc::Host;
use plimsoll_units::{Bytes, Rate, Span};

plimsoll_cc::parameters! {
    /// What all hosts have in common.
    pub struct HostParams {
        /// Line rate of the network card.
        nic_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)],
        /// The largest round trip time of the network without queueing.
        base_rtt: Span where [Span::from_ns(1), Span::from_s(1_000)],
        /// A full packet as rates count it: payload and headers.
        mtu: Bytes where [Bytes::new(1), Bytes::from_mb(1)],
        /// The payload of a full packet; `"auto"` = `mtu`.
        mss: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1)],
    }
    presets {
        "poseidon" => poseidon, "Poseidon, NSDI'23, §5.3: 200 Gb/s, 4096 B, rack to rack of Fig. 14a",
        "powertcp" => powertcp, "PowerTCP, NSDI'22, §4.1: 25 Gb/s hosts, largest round trip 28.96 µs",
        "hpcc" => hpcc, "HPCC's simulator and Fast Convergence, §III: 100 Gb/s, 1 µs links, one switch",
    }
}

impl HostParams {
    /// 200 Gb/s and 4096 B. From rack to rack a packet passes 4 links of 245 ns and 3 switches of
    /// 600 ns, and is serialised 4 times in 164 ns; the ack's serialisation is ignored:
    /// 2 · (4 · 245 + 3 · 600) + 4 · 164 = 6216 ns.
    #[must_use]
    pub fn poseidon() -> Self {
        Self {
            nic_rate: Rate::from_gbps(200),
            base_rtt: Span::from_ns(6_216),
            mtu: Bytes::new(4_096),
            mss: None,
        }
    }

    /// Hosts of the 256-host fat tree: 1000 B payload behind 48 B of headers.
    #[must_use]
    pub fn powertcp() -> Self {
        Self {
            nic_rate: Rate::from_gbps(25),
            base_rtt: Span::from_ns(28_960),
            mtu: Bytes::new(1_048),
            mss: Some(Bytes::new(1_000)),
        }
    }

    /// Hosts of one switch with links of 1 µs: the round trip is 4 µs and two payloads' 80 ns.
    #[must_use]
    pub fn hpcc() -> Self {
        Self {
            nic_rate: Rate::from_gbps(100),
            base_rtt: Span::from_ns(4_160),
            mtu: Bytes::new(1_048),
            mss: Some(Bytes::new(1_000)),
        }
    }

    /// The host as laws know it.
    #[must_use]
    pub fn host(&self) -> Host {
        Host {
            nic_rate: self.nic_rate,
            base_rtt: self.base_rtt,
            mtu: self.mtu,
            mss: self.mss.unwrap_or(self.mtu),
        }
    }
}
