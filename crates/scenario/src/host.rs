//! The `[host]` table.

use plimsoll_cc::Host;
use plimsoll_units::{Bytes, Rate, Span};

/// The largest packet on the wire: sizes have 16 bits.
pub(crate) const LARGEST_PACKET: Bytes = Bytes::new(65_535);

plimsoll_cc::parameters! {
    /// What all hosts have in common.
    pub struct HostParams {
        /// Line rate of the network card; `"auto"` = the fastest link of a host.
        nic_rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)],
        /// The largest round trip time of the network without queueing; `"auto"` = the largest over all pairs
        /// of 2 × (delays and pipelines) + serialisation of a full payload on each link towards the receiver.
        base_rtt: Option<Span> where [Span::from_ns(1), Span::from_s(1_000)],
        /// A full packet: payload and headers, without telemetry.
        mtu: Bytes where [Bytes::new(1), LARGEST_PACKET],
        /// The payload of a full packet; `"auto"` = `mtu`. Where only one of `mtu` and `mss` is
        /// given, the other keeps the preset's headers.
        mss: Option<Bytes> where [Bytes::new(1), LARGEST_PACKET],
        /// Bytes that headers and telemetry add to a payload; `"auto"` = `mtu` − `mss`, and 42 B for hop
        /// records or 2 B for the maximum per-hop delay.
        header: Option<Bytes> where [Bytes::ZERO, LARGEST_PACKET],
        /// An ack on the wire; `"auto"` = 46 B and the telemetry that it echoes, at least 60 B.
        ack_size: Option<Bytes> where [Bytes::new(1), LARGEST_PACKET],
        /// The class of acks in switches; `"auto"` = that of the data.
        ack_class: Option<u32> where [0, 7],
        /// Time in a receiver from a packet's arrival to its ack.
        receive_delay: Span where [Span::ZERO, Span::from_s(1)],
        /// Whether round trip times are measured.
        timestamps: bool,
        /// Whether receivers report the time that packets spent in them.
        endpoint_delay: bool,
        /// Whether receivers report how many switches a packet passed.
        hop_count: bool,
        /// Whether switches write the maximum per-hop delay on acks, too.
        stamp_acks: bool,
    }
    presets {
        "rdma" => rdma, "HPCC's and PowerTCP's simulators on any topology: 1000 B behind 48 B of headers",
        "poseidon" => poseidon, "Poseidon, NSDI'23, §5.3: 200 Gb/s, 4096 B, rack to rack of Fig. 14a",
        "powertcp" => powertcp, "PowerTCP, NSDI'22, §4.1: 25 Gb/s hosts, largest round trip 28.96 µs",
        "hpcc" => hpcc, "HPCC's simulator and Fast Convergence, §III: 100 Gb/s, 1 µs links, one switch",
        "ethernet" => ethernet, "TCP over Ethernet: 1460 B behind 78 B of headers, preamble and gap included",
    }
}

impl HostParams {
    /// What a host is if nothing is said: everything from the topology, packets as HPCC's simulator has them.
    #[must_use]
    pub fn rdma() -> Self {
        Self {
            nic_rate: None,
            base_rtt: None,
            mtu: Bytes::new(1_048),
            mss: Some(Bytes::new(1_000)),
            header: None,
            ack_size: None,
            ack_class: None,
            receive_delay: Span::ZERO,
            timestamps: true,
            endpoint_delay: true,
            hop_count: true,
            stamp_acks: true,
        }
    }

    /// 14 + 4 B of Ethernet, 8 + 12 B of preamble and gap, 20 + 20 B of IP and TCP; an ack is a frame of
    /// 64 B with its preamble and gap.
    #[must_use]
    pub fn ethernet() -> Self {
        Self {
            mtu: Bytes::new(1_538),
            mss: Some(Bytes::new(1_460)),
            ack_size: Some(Bytes::new(84)),
            ..Self::rdma()
        }
    }

    /// 200 Gb/s and 4096 B. From rack to rack a packet passes 4 links of 245 ns and 3 switches of
    /// 600 ns, and is serialised 4 times in 164 ns; the ack's serialisation is ignored:
    /// 2 · (4 · 245 + 3 · 600) + 4 · 164 = 6216 ns.
    #[must_use]
    pub fn poseidon() -> Self {
        Self {
            nic_rate: Some(Rate::from_gbps(200)),
            base_rtt: Some(Span::from_ns(6_216)),
            mtu: Bytes::new(4_096),
            mss: None,
            ..Self::rdma()
        }
    }

    /// Hosts of the 256-host fat tree: 1000 B payload behind 48 B of headers.
    #[must_use]
    pub fn powertcp() -> Self {
        Self { nic_rate: Some(Rate::from_gbps(25)), base_rtt: Some(Span::from_ns(28_960)), ..Self::rdma() }
    }

    /// Hosts of one switch with links of 1 µs: the round trip is 4 µs and two payloads' 80 ns.
    #[must_use]
    pub fn hpcc() -> Self {
        Self { nic_rate: Some(Rate::from_gbps(100)), base_rtt: Some(Span::from_ns(4_160)), ..Self::rdma() }
    }

    /// The payload of a full packet.
    #[must_use]
    pub fn payload(&self) -> Bytes {
        self.mss.unwrap_or(self.mtu)
    }

    /// With another size of packets or payloads the headers stay what they are: the one that is not given follows.
    pub(crate) fn keep_headers(&mut self, preset: &Self, (mtu_is_given, mss_is_given): (bool, bool)) {
        let headers = preset.mtu.saturating_sub(preset.payload());
        match (mtu_is_given, mss_is_given) {
            (true, false) if preset.mss.is_some() => {
                self.mss = Some(self.mtu.saturating_sub(headers).max(Bytes::new(1)));
            }
            (false, true) => self.mtu = self.payload().saturating_add(headers),
            _ => {}
        }
    }

    /// The host as laws know it. What is still `"auto"` is Poseidon's; in a scenario that was read, nothing
    /// is.
    #[must_use]
    pub fn host(&self) -> Host {
        let mss = self.payload();
        Host {
            nic_rate: self.nic_rate.unwrap_or(Rate::from_gbps(200)),
            base_rtt: self.base_rtt.unwrap_or(Span::from_ns(6_216)),
            mtu: self.header.map_or(self.mtu, |header| mss.saturating_add(header)),
            mss,
        }
    }
}
