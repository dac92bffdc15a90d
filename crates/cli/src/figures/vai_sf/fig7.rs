//! Fig. 7: the fat tree, from the network that Figs. 10–13 are run on.

use crate::figures::pictures::over;
use crate::figures::{Effort, Outcome};
use plimsoll_report::{Axis, Marks, Series};
use plimsoll_scenario::{Network, Scenario};
use std::collections::BTreeSet;

/// The scenario of Fig. 10.
const SCENARIO: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/vai-sf/fig10/scenario.toml"));

/// How far each node is from this one, in links.
fn distances(network: &Network, from: u32) -> Vec<Option<u32>> {
    let mut distance = vec![None; network.nodes() as usize];
    distance[from as usize] = Some(0);
    let mut reached = vec![from];
    let mut links = 0;
    while !reached.is_empty() {
        links += 1;
        let near: BTreeSet<u32> = reached.drain(..).collect();
        for [one, other] in network.links.iter().map(|link| link.ends) {
            for (here, there) in [(one, other), (other, one)] {
                if near.contains(&here) && distance[there as usize].is_none() {
                    distance[there as usize] = Some(links);
                    reached.push(there);
                }
            }
        }
    }
    distance
}

/// 0 for hosts, 1 for the switches that they hang on, 2 for those next to these, 3 for the rest.
fn layers(network: &Network) -> Vec<u32> {
    let mut layers = vec![3; network.nodes() as usize];
    layers.iter_mut().take(network.hosts as usize).for_each(|layer| *layer = 0);
    for below in 0..2 {
        for [one, other] in network.links.iter().map(|link| link.ends) {
            for (here, there) in [(one, other), (other, one)] {
                if layers[here as usize] == below && layers[there as usize] > below {
                    layers[there as usize] = below + 1;
                }
            }
        }
    }
    layers
}

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let scenario = Scenario::parse("vai-sf/fig10", SCENARIO).map_err(|problems| problems.to_string())?;
    let network = scenario.network().map_err(|refusal| refusal.to_string())?;
    let layers = layers(&network);
    let count = |layer: u32| layers.iter().filter(|it| **it == layer).count() as f64;
    let mut outcome = Outcome::default();
    outcome.measure("hosts", f64::from(network.hosts));
    outcome.measure("tors", count(1));
    outcome.measure("aggs", count(2));
    outcome.measure("spines", count(3));
    // A pod is what hangs together without spines: each node takes the smallest name within reach.
    let within: Vec<_> =
        network.links.iter().filter(|link| link.ends.iter().all(|end| layers[*end as usize] < 3)).collect();
    let mut pod: Vec<u32> = (0..network.nodes()).collect();
    for _ in 0..4 {
        for link in &within {
            let [one, other] = link.ends.map(|end| end as usize);
            let least = pod[one].min(pod[other]);
            (pod[one], pod[other]) = (least, least);
        }
    }
    let pods: BTreeSet<u32> = (0..network.hosts).map(|host| pod[host as usize]).collect();
    outcome.measure("pods", pods.len() as f64);
    // Every ToR's hosts are alike, so the first one's view of all others is everybody's.
    let farthest = distances(&network, 0).into_iter().take(network.hosts as usize).max().flatten();
    outcome.measure("switches", farthest.map_or(f64::NAN, |links| f64::from(links) - 1.0));
    let delays = network.links.iter().map(|link| link.delay.as_us_f64());
    outcome.measure("delay", delays.clone().fold(f64::NAN, f64::max));
    outcome.setting("smallest delay of a link", format!("{} µs", delays.fold(f64::NAN, f64::min)));
    let rate = |host: bool| {
        let rates = network
            .links
            .iter()
            .filter(|link| (layers[link.ends[0] as usize].min(layers[link.ends[1] as usize]) == 0) == host);
        rates.map(|link| link.rate.as_gbps_f64()).fold(f64::NAN, f64::min)
    };
    outcome.measure("host_rate", rate(true));
    outcome.measure("core_rate", rate(false));
    outcome.chart("topology", picture(&network, &layers));
    Ok(outcome)
}

/// Nodes by layer, spread over the width, with their links.
fn picture(network: &Network, layers: &[u32]) -> plimsoll_report::Chart {
    let mut seen = [0.0_f64; 4];
    let total = [0, 1, 2, 3].map(|layer| layers.iter().filter(|it| **it == layer).count() as f64);
    let place: Vec<(f64, f64)> = layers
        .iter()
        .map(|&layer| {
            let index = layer as usize;
            seen[index] += 1.0;
            ((seen[index] - 0.5) / total[index] * f64::from(network.hosts), f64::from(layer))
        })
        .collect();
    let links = network.links.iter().map(|link| link.ends.map(|end| place[end as usize]).to_vec()).collect();
    let mut chart = over("320 hosts in five pods", "Host", "Layer");
    chart.x = Axis::linear("Host").from_to(0.0, f64::from(network.hosts));
    chart.y = Axis::linear("Layer: hosts, ToR, aggregation, spine").from_to(-0.2, 3.2);
    chart.series.push(Series { guide: true, ..Series::curves("", links) }.fine());
    for (layer, name) in [(3, "16 spines"), (2, "20 aggregation switches"), (1, "20 ToR switches")] {
        let nodes = place.iter().zip(layers).filter(|(_, it)| **it == layer).map(|(place, _)| *place);
        chart.series.push(Series::line(name, nodes).marked(Marks::Only));
    }
    chart
}
