//! Three layers of switches: racks, pods, and a core that joins the pods.

use super::build::{Builder, Wire};
use crate::network::Network;
use crate::problem::Kind;
use crate::select::Refusal;
use crate::table::table;
use plimsoll_units::{Rate, Span};

table! {
    /// A three-layer Clos network. Below a switch `tor0` and so on stand its hosts; the ToRs of a pod are
    /// joined to all switches `agg0` and so on of the pod; the k-th aggregation switch of each pod is joined
    /// to the k-th share of the switches `core0` and so on. Host h is in rack h / hosts_per_tor.
    pub struct FatTree in "topology.fat-tree" {
        /// Pods.
        pods: u32 where [1, 10_000] = 4,
        /// Racks in each pod.
        tors_per_pod: u32 where [1, 10_000] = 2,
        /// Aggregation switches in each pod.
        aggs_per_pod: u32 where [1, 10_000] = 2,
        /// Core switches; a multiple of `aggs_per_pod`.
        cores: u32 where [1, 100_000] = 4,
        /// Hosts in each rack.
        hosts_per_tor: u32 where [1, 10_000] = 4,
        /// Rate of hosts' links.
        host_rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Delay of hosts' links, one way.
        host_delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
        /// Rate of links between ToRs and aggregation switches; "auto" = so that a rack can send what its
        /// hosts can.
        tor_rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = None,
        /// Delay of links between ToRs and aggregation switches; "auto" = that of hosts' links.
        tor_delay: Option<Span> where [Span::from_ps(1), Span::from_s(10)] = None,
        /// Rate of links to the core; "auto" = so that an aggregation switch can send up what it can receive
        /// from below.
        core_rate: Option<Rate> where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = None,
        /// Delay of links to the core; "auto" = that of hosts' links.
        core_delay: Option<Span> where [Span::from_ps(1), Span::from_s(10)] = None,
    }
    presets {
        "hpcc-320" => hpcc_320, "HPCC, SIGCOMM'19, §5.1: 320 hosts at 100 Gb/s, 400 Gb/s above, 1 us, 1:1",
        "powertcp-256" => powertcp_256, "PowerTCP, NSDI'22, §4.1: 256 hosts at 25 Gb/s, 4:1; 4 cores as in its artifact",
        "powertcp-128" => powertcp_128, "PowerTCP's artifact for Fig. 5: half of powertcp-256",
        "k8" => k8, "Al-Fares et al., SIGCOMM'08, k = 8: 128 hosts, all links 100 Gb/s and 1 us",
        "k16" => k16, "Al-Fares et al., SIGCOMM'08, k = 16: 1024 hosts, all links 100 Gb/s and 1 us",
        "k32" => k32, "Al-Fares et al., SIGCOMM'08, k = 32: 8192 hosts, all links 100 Gb/s and 1 us",
    }
}

impl FatTree {
    fn hpcc_320() -> Self {
        Self {
            pods: 5,
            tors_per_pod: 4,
            aggs_per_pod: 4,
            cores: 16,
            hosts_per_tor: 16,
            host_rate: Rate::from_gbps(100),
            host_delay: Span::from_us(1),
            tor_rate: Some(Rate::from_gbps(400)),
            tor_delay: None,
            core_rate: Some(Rate::from_gbps(400)),
            core_delay: None,
        }
    }

    fn powertcp_256() -> Self {
        Self {
            pods: 4,
            tors_per_pod: 2,
            aggs_per_pod: 2,
            cores: 4,
            hosts_per_tor: 32,
            host_rate: Rate::from_gbps(25),
            host_delay: Span::from_us(1),
            tor_rate: Some(Rate::from_gbps(100)),
            tor_delay: None,
            core_rate: Some(Rate::from_gbps(100)),
            core_delay: Some(Span::from_us(5)),
        }
    }

    fn powertcp_128() -> Self {
        Self { pods: 2, ..Self::powertcp_256() }
    }

    fn k8() -> Self {
        Self::of_ports(8)
    }

    fn k16() -> Self {
        Self::of_ports(16)
    }

    fn k32() -> Self {
        Self::of_ports(32)
    }

    /// The fat-tree of switches with `k` ports, all alike.
    #[must_use]
    pub fn of_ports(k: u32) -> Self {
        let half = (k / 2).max(1);
        Self {
            pods: k.max(1),
            tors_per_pod: half,
            aggs_per_pod: half,
            cores: half * half,
            hosts_per_tor: half,
            host_rate: Rate::from_gbps(100),
            host_delay: Span::from_us(1),
            tor_rate: None,
            tor_delay: None,
            core_rate: None,
            core_delay: None,
        }
    }

    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let Self { pods, tors_per_pod, aggs_per_pod, cores, hosts_per_tor, .. } = *self;
        if !cores.is_multiple_of(aggs_per_pod) {
            let message = format!(
                "{cores} core switches cannot be shared equally by the {aggs_per_pod} aggregation switches of a \
                 pod; it must be a multiple of `aggs_per_pod`"
            );
            return Err(Refusal::new(Kind::Contradiction, "cores", message));
        }
        let uplinks = cores / aggs_per_pod;
        let (tors, aggs) =
            (u64::from(pods) * u64::from(tors_per_pod), u64::from(pods) * u64::from(aggs_per_pod));
        let hosts = tors * u64::from(hosts_per_tor);
        let links = hosts + tors * u64::from(aggs_per_pod) + aggs * u64::from(uplinks);
        let mut builder = Builder::new(hosts, tors + aggs + u64::from(cores), links, "pods")?;
        let tor = builder.switches("tor", tors as u32);
        let agg = builder.switches("agg", aggs as u32);
        let core = builder.switches("core", cores);
        let down = Wire { rate: self.host_rate, delay: self.host_delay };
        let tor_rate = self.tor_rate.unwrap_or_else(|| share(self.host_rate, hosts_per_tor, aggs_per_pod));
        let core_rate = self.core_rate.unwrap_or_else(|| share(tor_rate, tors_per_pod, uplinks));
        let middle = Wire { rate: tor_rate, delay: self.tor_delay.unwrap_or(self.host_delay) };
        let up = Wire { rate: core_rate, delay: self.core_delay.unwrap_or(self.host_delay) };
        (0..hosts as u32).for_each(|host| builder.link(host, tor + host / hosts_per_tor, down));
        for rack in 0..tors as u32 {
            let pod = rack / tors_per_pod;
            (0..aggs_per_pod).for_each(|k| builder.link(tor + rack, agg + pod * aggs_per_pod + k, middle));
        }
        for middle in 0..aggs as u32 {
            let k = middle % aggs_per_pod;
            (0..uplinks).for_each(|c| builder.link(agg + middle, core + k * uplinks + c, up));
        }
        Ok(builder.finish())
    }
}

/// The rate of each of `uplinks` that carry what `links` at `rate` bring.
fn share(rate: Rate, links: u32, uplinks: u32) -> Rate {
    Rate::saturating_from_bps_f64(rate.as_bps_f64() * f64::from(links) / f64::from(uplinks))
        .max(Rate::from_bps(1))
}
