//! How cost grows with the number of hosts, the load, the flows at once, and the time that is simulated.
//!
//! Cost per packet-hop should not depend on any of them. What it does depend on is caches: more hosts or flows
//! have more state than fits.

use plimsoll_report::{Axis, Chart, Marks, Series};
use std::fmt::Write;

/// One quantity that grows, while all others stay.
pub(crate) struct Panel {
    /// What it is asked for by: `growth`, or `powertcp-growth`, which takes minutes.
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) title: &'static str,
    /// Values from small to large.
    pub(crate) values: &'static [f64],
    scenario: fn(f64) -> String,
    log: bool,
}

pub(crate) const PANELS: &[Panel] = &[
    Panel {
        group: "growth",
        name: "hosts",
        label: "Hosts",
        title: "Cost by number of hosts: fat-trees, Hadoop at 50 %, HPCC",
        values: &[64.0, 128.0, 512.0, 1_024.0, 2_048.0, 8_192.0],
        scenario: by_hosts,
        log: true,
    },
    Panel {
        group: "growth",
        name: "load",
        label: "Load of the hosts' links (%)",
        title: "Cost by load: 128-host fat-tree, Hadoop, HPCC",
        values: &[20.0, 35.0, 50.0, 65.0, 80.0, 90.0],
        scenario: by_load,
        log: false,
    },
    Panel {
        group: "growth",
        name: "flows",
        label: "Flows at once",
        title: "Cost by flows at once: 128-host fat-tree, endless flows, HPCC",
        values: &[100.0, 1_000.0, 10_000.0, 100_000.0],
        scenario: by_flows,
        log: true,
    },
    Panel {
        group: "powertcp-growth",
        name: "powertcp-hosts",
        label: "Hosts",
        title: "Cost by number of hosts: PowerTCP's cluster, web search at 60 %, 10 ms",
        values: &[64.0, 128.0, 256.0, 512.0, 1_024.0],
        scenario: |hosts| powertcp(hosts as u32 / 64, 10.0),
        log: true,
    },
    Panel {
        group: "powertcp-growth",
        name: "powertcp-time",
        label: "Milliseconds of arrivals",
        title: "Cost by simulated time: PowerTCP's cluster of 256 hosts, web search at 60 %",
        values: &[100.0, 200.0, 500.0, 1_000.0],
        scenario: |milliseconds| powertcp(4, milliseconds),
        log: true,
    },
];

/// What a point of a panel cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) value: f64,
    /// ns per packet-hop, ours and the bare loop's.
    pub(crate) ours: f64,
    pub(crate) bare: f64,
    pub(crate) packet_hops: u64,
    /// Real time of the events.
    pub(crate) seconds: f64,
    pub(crate) peak_bytes: Option<u64>,
}

impl Panel {
    /// The scenario at one value.
    pub(crate) fn scenario(&self, value: f64) -> String {
        (self.scenario)(value)
    }
}

/// Fat-trees without oversubscription: pods, racks per pod (as many aggregation switches), hosts per rack, and µs of
/// arrivals, so that each has some millions of packet-hops.
const TREES: [(f64, [u32; 4]); 6] = [
    (64.0, [4, 4, 4, 2_000]),
    (128.0, [8, 4, 4, 1_000]),
    (512.0, [8, 8, 8, 300]),
    (1_024.0, [16, 8, 8, 150]),
    (2_048.0, [16, 8, 16, 80]),
    (8_192.0, [32, 16, 16, 40]),
];

fn by_hosts(hosts: f64) -> String {
    let [pods, racks, per_rack, stop] =
        TREES.iter().find(|(known, _)| *known == hosts).map_or(TREES[0].1, |(_, tree)| *tree);
    format!(
        "name = \"hosts\"\n[topology]\nkind = \"fat-tree\"\npods = {pods}\ntors_per_pod = {racks}\n\
         aggs_per_pod = {racks}\ncores = {}\nhosts_per_tor = {per_rack}\n{}",
        racks * racks,
        poisson(0.5, stop)
    )
}

/// PowerTCP's cluster (NSDI'22, §4.1) with so many pods of 64 hosts.
fn powertcp(pods: u32, milliseconds: f64) -> String {
    format!(
        "name = \"powertcp\"\n[topology]\nkind = \"fat-tree\"\npreset = \"powertcp-256\"\npods = {pods}\n\
         [cc]\nlaw = \"powertcp:artifact-rdma\"\n[transport]\npreset = \"rdma\"\n\
         [switch.buffer]\nsize = \"4MiB\"\n[switch.pfc]\nalpha = 0.125\n\
         [[traffic]]\nkind = \"poisson\"\nsize = \"websearch-powertcp\"\nload = 0.6\n\
         load_of = \"rack-uplinks\"\ndestinations = \"other-racks\"\nstop = \"{milliseconds}ms\"\n"
    )
}

fn by_load(percent: f64) -> String {
    format!(
        "name = \"load\"\n[topology]\nkind = \"fat-tree\"\npreset = \"k8\"\n{}",
        poisson(percent / 100.0, 1_000)
    )
}

fn poisson(load: f64, stop: u32) -> String {
    format!(
        "[cc]\nlaw = \"hpcc\"\n[[traffic]]\nkind = \"poisson\"\nsize = \"hadoop\"\nload = {load}\nstop = \"{stop}us\"\n"
    )
}

/// Permutations of 128 hosts, one on top of the other, and one of fewer hosts for the rest.
fn by_flows(flows: f64) -> String {
    const HOSTS: u32 = 128;
    let mut left = flows as u32;
    let mut text =
        "name = \"flows\"\nduration = \"300us\"\n[topology]\nkind = \"fat-tree\"\npreset = \"k8\"\n\
                    [cc]\nlaw = \"hpcc\"\n"
            .to_owned();
    while left > 1 {
        let hosts = left.min(HOSTS);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "[[traffic]]\nkind = \"permutation\"\nhosts = \"0-{}\"", hosts - 1);
        left -= hosts;
    }
    text
}

/// Cost along a panel, with the bare loop's in the same minutes.
pub(crate) fn chart(panel: &Panel, points: &[Point]) -> Chart {
    let most = points.iter().map(|point| point.ours.max(point.bare)).fold(0.0, f64::max);
    let line = |name: &str, cost: fn(&Point) -> f64| {
        Series::line(name, points.iter().map(|point| (point.value, cost(point)))).marked(Marks::Points)
    };
    Chart {
        title: panel.title.to_owned(),
        x: if panel.log { Axis::log(panel.label) } else { Axis::linear(panel.label).from_to(0.0, 100.0) },
        y: Axis::linear("Time per packet-hop (ns)").from_to(0.0, most * 1.15),
        series: vec![
            line("Plimsoll, one thread", |point| point.ours),
            line("bare loop (320 hosts), same minutes", |point| point.bare),
        ],
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases;
    use super::*;

    #[test]
    fn every_point_is_a_scenario_with_the_hosts_or_flows_that_it_claims() {
        for panel in PANELS {
            for value in panel.values.iter().filter(|value| **value <= 10_000.0) {
                let scenario = cases::read(panel.name, &panel.scenario(*value)).unwrap();
                let network = scenario.network().unwrap();
                match panel.name {
                    "hosts" | "powertcp-hosts" => assert_eq!(f64::from(network.hosts), *value),
                    "powertcp-time" => assert_eq!(network.hosts, 256),
                    "flows" => {
                        let flows = scenario.workload(&network, 1).unwrap().connections.len();
                        // A single host cannot send to itself: at most one flow is missing.
                        assert!((flows as f64 - value).abs() <= 1.0, "{flows} flows instead of {value}");
                    }
                    _ => assert_eq!(network.hosts, 128),
                }
            }
        }
    }
}
