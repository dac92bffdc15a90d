//! Racks that a rotor joins in turn by circuits, and a packet network always.

use super::build::{Builder, Wire};
use crate::network::{Circuits, Network};
use crate::problem::Kind;
use crate::select::Refusal;
use crate::table::table;
use plimsoll_units::{Bytes, Rate, Span};

table! {
    /// A reconfigurable network. Hosts stand below switches `tor0` and so on; host h is in rack h / hosts_per_tor.
    /// A circuit switch joins each ToR to another for a day, turns for a night, joins it to the next, and so on: in
    /// slot k, from time zero on, ToR i sends to ToR (i + k + 1) mod tors. All ToRs are joined to a packet network,
    /// the switch `core0`, as well. What a ToR has for another waits in a queue of its own (VOQ, the queue of port
    /// `tor0>tor1`): in the day of the pair it leaves by the circuit and by nothing else, and no packet begins that
    /// would not end before the night; at all other times it leaves by the ToR's link to the packet network, for
    /// which the queues take turns, packet by packet.
    pub struct Rotor in "topology.rotor" {
        /// Racks.
        tors: u32 where [2, 1_000] = 25,
        /// Hosts in each rack.
        hosts_per_tor: u32 where [1, 10_000] = 10,
        /// Rate of hosts' links.
        host_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(25),
        /// Delay of hosts' links, one way.
        host_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
        /// Rate of circuits.
        circuit_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Delay of a circuit from ToR to ToR.
        circuit_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(9),
        /// Rate of each ToR's link to the packet network.
        packet_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(25),
        /// Delay of each ToR's link to the packet network, one way.
        packet_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_ns(4_500),
        /// How long a circuit is up.
        day: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(225),
        /// How long the circuit switch takes to turn.
        night: Span where [Span::ZERO, Span::from_s(10)] = Span::from_us(20),
        /// Slots after which the rotation begins anew; "auto" = one for each other ToR. With fewer, some pairs have
        /// the packet network only.
        matchings: Option<u32> where [1, 1_000] = None,
        /// The most bytes that may wait at a ToR for another; what comes then is dropped. "auto" = no limit but that
        /// of the switch's buffer.
        voq_capacity: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000_000)] = None,
        /// The same while the pair's circuit is up, and `prebuffer` before; "auto" = `voq_capacity`.
        voq_capacity_circuit: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000_000)] = None,
        /// How long before its day a pair is told that its circuit is up (reTCP), so that packets wait for it.
        prebuffer: Span where [Span::ZERO, Span::from_s(10)] = Span::ZERO,
    }
    presets {
        "powertcp-nsdi22" => powertcp_nsdi22, "PowerTCP, NSDI'22, §5; its delays and VOQs are not published: 11 us one way, VOQs as in Etalon (NSDI'20)",
        "retcp-600" => retcp_600, "the same with reTCP's prebuffering of 600 us",
        "retcp-1800" => retcp_1800, "the same with reTCP's prebuffering of 1800 us",
    }
}

impl Rotor {
    /// One way is 1 + 9 + 1 µs by the circuit and 1 + 4.5 + 4.5 + 1 µs by the packet network, so that the round trip
    /// is close to the paper's 24 µs. VOQs hold 16 packets of 9 kB, and 50 for a circuit.
    fn powertcp_nsdi22() -> Self {
        Self {
            tors: 25,
            hosts_per_tor: 10,
            host_rate: Rate::from_gbps(25),
            host_delay: Span::from_us(1),
            circuit_rate: Rate::from_gbps(100),
            circuit_delay: Span::from_us(9),
            packet_rate: Rate::from_gbps(25),
            packet_delay: Span::from_ns(4_500),
            day: Span::from_us(225),
            night: Span::from_us(20),
            matchings: None,
            voq_capacity: Some(Bytes::new(144_000)),
            voq_capacity_circuit: Some(Bytes::new(450_000)),
            prebuffer: Span::ZERO,
        }
    }

    fn retcp_600() -> Self {
        Self { prebuffer: Span::from_us(600), ..Self::powertcp_nsdi22() }
    }

    fn retcp_1800() -> Self {
        Self { prebuffer: Span::from_us(1_800), ..Self::powertcp_nsdi22() }
    }

    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let tors = u64::from(self.tors);
        let hosts = tors * u64::from(self.hosts_per_tor);
        let links = hosts + tors + tors * (tors - 1) / 2;
        let mut builder = Builder::new(hosts, tors + 1, links, "tors")?;
        let first_tor = builder.switches("tor", self.tors);
        let core = builder.switches("core", 1);
        let down = Wire { rate: self.host_rate, delay: self.host_delay };
        let up = Wire { rate: self.packet_rate, delay: self.packet_delay };
        let circuit = Wire { rate: self.circuit_rate, delay: self.circuit_delay };
        (0..hosts as u32).for_each(|host| builder.link(host, first_tor + host / self.hosts_per_tor, down));
        (0..self.tors).for_each(|tor| builder.link(first_tor + tor, core, up));
        for low in 0..self.tors {
            (low + 1..self.tors).for_each(|high| builder.link(first_tor + low, first_tor + high, circuit));
        }
        let mut network = builder.finish();
        network.circuits = Some(Circuits {
            first_tor,
            tors: self.tors,
            core,
            first_uplink: hosts as u32,
            first_circuit: (hosts + tors) as u32,
            matchings: self.checked_matchings()?,
            day: self.day,
            night: self.night,
            prebuffer: self.prebuffer,
            voq_capacity: self.voq_capacity,
            voq_capacity_circuit: self.checked_circuit_capacity()?,
        });
        Ok(network)
    }

    fn checked_matchings(&self) -> Result<u32, Refusal> {
        let others = self.tors - 1;
        match self.matchings.unwrap_or(others) {
            matchings if matchings <= others => Ok(matchings),
            matchings => {
                let message = format!(
                    "each of {} ToRs has {others} others to be joined to, so there are at most {others} matchings, \
                     not {matchings}; leave `matchings` out for all",
                    self.tors
                );
                Err(Refusal::new(Kind::Contradiction, "matchings", message))
            }
        }
    }

    fn checked_circuit_capacity(&self) -> Result<Option<Bytes>, Refusal> {
        match (self.voq_capacity, self.voq_capacity_circuit) {
            (None, Some(given)) => {
                let message = format!(
                    "a VOQ has no limit without `voq_capacity`, so it cannot have one of \"{given}\" for its circuit; \
                     give both or neither"
                );
                Err(Refusal::new(Kind::Contradiction, "voq_capacity_circuit", message))
            }
            (Some(usual), Some(given)) if given < usual => {
                let message = format!(
                    "a VOQ holds \"{usual}\" (`voq_capacity`) and for a circuit more, not \"{given}\"; raise it"
                );
                Err(Refusal::new(Kind::Contradiction, "voq_capacity_circuit", message))
            }
            (usual, given) => Ok(given.or(usual)),
        }
    }
}
