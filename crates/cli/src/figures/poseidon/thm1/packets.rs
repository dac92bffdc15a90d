//! The same packet by packet: random networks as scenarios, their flows against water-filling on their paths.

use crate::draws::Draws;
use crate::fluid_scenario::FluidScenario;
use plimsoll_metrics::{Reading, Sample};
use plimsoll_scenario::Scenario;
use plimsoll_sim::{Control, Options, simulate_recorded};
use std::fmt::Write;

/// How many networks.
pub(super) const NETWORKS: usize = 20;

/// Which assumptions of the proof a network keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All links have 200 Gb/s (App. E: "all the link bandwidth as B"), and acks do not wait: the proof knows no
    /// queues on the way back.
    Proof,
    /// Links between switches have 25, 50, 100 or 200 Gb/s.
    Rates,
    /// All links have 200 Gb/s, and acks wait among data.
    Acks,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Proof, Self::Rates, Self::Acks];

    /// For people.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Proof => "packets, links of 200 Gb/s, acks first",
            Self::Rates => "packets, links of 25 to 200 Gb/s, acks first",
            Self::Acks => "packets, links of 200 Gb/s, acks among data",
        }
    }

    /// For `claims.toml`.
    pub(super) fn measure(self) -> &'static str {
        match self {
            Self::Proof => "packets_percent",
            Self::Rates => "packets_rates_percent",
            Self::Acks => "packets_acks_percent",
        }
    }
}

/// 3 to 6 switches in a random tree with up to two links more, of 0.2 to 2 µs; 3 to 10 endless flows between hosts
/// of their own, that start within the first half millisecond, with a first window between a tenth of a packet and
/// 100 packets. Goodput counts over the second half of 10 ms. Telemetry is exact: the proof's delays have no steps.
///
/// Whatever the kind, the same numbers are drawn: its networks differ in nothing else.
pub(super) fn draw(random: &mut Draws, kind: Kind) -> String {
    let switches = 3 + random.below(4);
    let flows = 3 + random.below(8);
    let mut links = String::new();
    let mut link = |one: String, other: String, rate: usize, delay: f64| {
        // Writing to a text cannot fail.
        let _ = writeln!(
            links,
            "  {{ between = [\"{one}\", \"{other}\"], rate = \"{rate}Gbps\", delay = \"{delay:.0}ns\" }},"
        );
    };
    let mut joined = Vec::new();
    for switch in 1..switches {
        joined.push((random.below(switch), switch));
    }
    for _ in 0..random.below(3) {
        let (one, other) = (random.below(switches), random.below(switches));
        if one < other && !joined.contains(&(one, other)) {
            joined.push((one, other));
        }
    }
    for (one, other) in joined {
        let mixed = 25 << random.below(4);
        let rate = if kind == Kind::Rates { mixed } else { 200 };
        link(format!("s{one}"), format!("s{other}"), rate, random.between(200.0, 2_000.0));
    }
    let mut traffic = String::new();
    for flow in 0..flows {
        let (from, to) = (2 * flow, 2 * flow + 1);
        let sender = random.below(switches);
        let receiver = (sender + 1 + random.below(switches - 1)) % switches;
        link(format!("h{from}"), format!("s{sender}"), 200, 245.0);
        link(format!("h{to}"), format!("s{receiver}"), 200, 245.0);
        let start = random.between(0.0, 500.0);
        let _ = write!(
            traffic,
            "[[traffic]]\nkind = \"flows\"\nfrom = {from}\nto = {to}\nstart = \"{start:.3}us\"\n"
        );
    }
    let window = random.log_between(0.1, 100.0);
    let ack_class = if kind == Kind::Acks { "" } else { "ack_class = 1\n" };
    format!(
        "name = \"random\"\nduration = \"10ms\"\n\
         [topology]\nkind = \"graph\"\nhosts = {}\nswitches = {switches}\nlinks = [\n{links}]\n\
         [host]\nmtu = \"4096B\"\nmss = \"4096B\"\n{ack_class}[switch]\npipeline = \"600ns\"\nint_encoding = \"exact\"\n[switch.buffer]\nsize = \"64MB\"\n[[switch.class]]\n[[switch.class]]\npriority = 7\n\
         [cc]\nlaw = \"poseidon\"\nstart_cwnd = {window:.3}\n{traffic}\
         [record]\ninterval = \"5ms\"\nrates = true\n",
        2 * flows
    )
}

/// Runs the scenario: each flow's fair and settled goodput in Gb/s.
pub(super) fn settle(text: &str) -> Result<Vec<(f64, f64)>, String> {
    let scenario = Scenario::parse("random network", text).map_err(|problems| problems.to_string())?;
    let fluid = FluidScenario::new(&scenario).map_err(|error| error.to_string())?;
    let chosen = fluid.choose(None).map_err(|error| error.to_string())?;
    let fair = fluid.allocate(&chosen.connections).map_err(|error| error.to_string())?;
    let mut samples: Vec<Sample> = Vec::new();
    simulate_recorded(&scenario, &Options::default(), &Control::default(), &mut samples)
        .map_err(|error| error.to_string())?;
    let last = samples.iter().map(|sample| sample.at).max();
    let mut settled = vec![0.0; chosen.connections.len()];
    for sample in samples.iter().filter(|sample| Some(sample.at) == last) {
        if let (Reading::Goodput(rate), Some(place)) =
            (sample.reading, settled.get_mut(sample.subject as usize))
        {
            *place = rate.as_gbps_f64();
        }
    }
    let fair = fair.rates.iter().map(|&rate| fluid.goodput(rate).as_gbps_f64());
    Ok(fair.zip(settled).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::poseidon::{law, thm1};
    use plimsoll_cc::poseidon::Params;
    use plimsoll_fluid::network::Feedback;
    use plimsoll_units::Span;

    #[test]
    fn packets_reach_the_max_min_rates_of_20_random_networks_within_a_tenth() {
        let mut random = Draws::seeded(1);
        for index in 0..NETWORKS {
            let text = draw(&mut random, Kind::Proof);
            let off = thm1::worst(&settle(&text).expect(&text));
            println!("network {index}: {:.2} %", 100.0 * off);
            assert!(off < 0.1, "a flow of network {index} is {:.1} % off:\n{text}", 100.0 * off);
        }
    }

    /// How far the worst flow is off if the law runs as a fluid whose signals are a round trip old.
    fn worst_of_fluid(text: &str, acks_wait: bool) -> f64 {
        let scenario = Scenario::parse("random network", text).unwrap();
        let fluid = FluidScenario::new(&scenario).unwrap();
        let connections = fluid.choose(None).unwrap().connections;
        let fair = fluid.allocate(&connections).unwrap();
        let mut network = fluid.fluid(&connections);
        network.feedback = Feedback::RoundTripLater;
        for flow in network.flows.iter_mut().filter(|_| acks_wait) {
            // The two ports of a link differ in the last bit.
            flow.acks_wait_in = flow.links.iter().map(|port| port ^ 1).collect();
        }
        let settled = network.settle(&law(&Params::nsdi23()).unwrap(), Span::from_ms(4)).rates;
        let pairs = fair.rates.iter().zip(settled);
        let pairs: Vec<_> = pairs.map(|(fair, ours)| (fair.as_gbps_f64(), ours.as_gbps_f64())).collect();
        thm1::worst(&pairs)
    }

    /// The fluid has no packets, no engine and no transport: what it does, the law does.
    #[test]
    fn where_acks_wait_the_law_alone_misses_in_the_networks_in_which_packets_miss() {
        let mut random = Draws::seeded(1);
        let mut missed = 0;
        for index in 0..5 {
            let text = draw(&mut random, Kind::Acks);
            let (alone, waiting) = (worst_of_fluid(&text, false), worst_of_fluid(&text, true));
            let packets = thm1::worst(&settle(&text).expect(&text));
            let [alone_percent, waiting_percent, percent] = [alone, waiting, packets].map(|off| 100.0 * off);
            println!(
                "network {index}: fluid {alone_percent:.1} %, with waiting acks {waiting_percent:.1} %, packets {percent:.1} %"
            );
            assert!(
                alone < 0.1,
                "network {index}: the fluid is {alone_percent:.1} % off though acks do not wait"
            );
            assert_eq!(
                waiting < 0.1,
                packets < 0.1,
                "network {index}: fluid {waiting_percent:.1} %, packets {percent:.1} %"
            );
            missed += usize::from(packets >= 0.1);
        }
        assert!(missed >= 2, "only {missed} networks have anything to tell");
    }
}
