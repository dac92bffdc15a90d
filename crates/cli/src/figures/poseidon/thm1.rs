//! Theorem 1: flows settle on the max-min fair rates, whatever the network.

mod packets;

use self::packets::Kind;
use super::{host, law, settings};
use crate::draws::Draws;
use crate::figures::{Effort, Outcome};
use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_fluid::max_min;
use plimsoll_fluid::network::{Feedback, Flow, Network};
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::{Rate, Span, Time};

/// How long flows have to settle.
const DURATION: Span = Span::from_ms(20);

pub(crate) fn compute(effort: Effort) -> Result<Outcome, String> {
    let networks = effort.pick(25, 100);
    let law = law(&Params::nsdi23())?;
    let mut random = Draws::seeded(1);
    let mut points = Vec::new();
    let mut within = 0_usize;
    for _ in 0..networks {
        let network = draw_network(&mut random);
        let rates = settle(&network, &law)?;
        within += usize::from(worst(&rates) <= 0.05);
        points.extend(rates);
    }
    let mut outcome = Outcome::default();
    settings(&mut outcome, &Params::nsdi23());
    outcome.setting("random networks", networks);
    outcome.setting("links; rates", "2 to 6; 25, 50, 100, 200 Gb/s");
    outcome.setting("flows; links of each; starts", "2 to 12; 1 to 3; within the first 1 ms");
    outcome.setting("base round trip; time to settle", format!("{}; {DURATION}", host().base_rtt));
    outcome.setting("worst flow", format!("{:.2} % off", 100.0 * worst(&points)));
    outcome.measure("networks_percent", 100.0 * within as f64 / networks as f64);
    by_packets(&mut outcome)?;
    outcome.chart(
        "rates",
        Chart {
            title: "Where Poseidon flows settle in random networks".into(),
            x: Axis::log("Max-min fair rate (Gb/s)").from_to(3.0, 250.0),
            y: Axis::log("Settled rate (Gb/s)").from_to(3.0, 250.0),
            series: vec![
                Series::guide("equal", [(3.0, 3.0), (250.0, 250.0)]),
                Series::line("a flow", points).marked(Marks::Only),
            ],
            notes: vec![],
        },
    );
    Ok(outcome)
}

/// The same with packets: as the theorem has it, and with one assumption less each time.
fn by_packets(outcome: &mut Outcome) -> Result<(), String> {
    outcome.setting("networks of packets", packets::NETWORKS);
    for kind in Kind::ALL {
        let mut random = Draws::seeded(1);
        let mut worst_of_all = 0.0_f64;
        let mut within = 0_usize;
        for _ in 0..packets::NETWORKS {
            let off = worst(&packets::settle(&packets::draw(&mut random, kind))?);
            within += usize::from(off <= 0.1);
            worst_of_all = worst_of_all.max(off);
        }
        outcome
            .setting(&format!("worst flow, {}", kind.text()), format!("{:.2} % off", 100.0 * worst_of_all));
        outcome.measure(kind.measure(), 100.0 * within as f64 / packets::NETWORKS as f64);
    }
    Ok(())
}

/// How far the worst flow is from its fair rate.
fn worst(rates: &[(f64, f64)]) -> f64 {
    rates.iter().map(|(fair, ours)| (ours / fair - 1.0).abs()).fold(0.0, f64::max)
}

fn draw_network(random: &mut Draws) -> Network {
    let links = 2 + random.below(5);
    let capacities = (0..links).map(|_| Rate::from_gbps(25 << random.below(4))).collect();
    let flows = (0..2 + random.below(11))
        .map(|_| {
            let mut links: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(links)).collect();
            links.sort_unstable();
            links.dedup();
            let start = Time::after_start(Span::saturating_from_secs_f64(random.between(0.0, 1e-3)));
            Flow { links, start, base_rtt: host().base_rtt, acks_wait_in: Vec::new() }
        })
        .collect();
    Network { capacities, flows, feedback: Feedback::AtOnce }
}

/// Each flow's fair and settled rate in Gb/s.
fn settle(network: &Network, law: &Poseidon) -> Result<Vec<(f64, f64)>, String> {
    let paths: Vec<Vec<usize>> = network.flows.iter().map(|flow| flow.links.clone()).collect();
    let fair = max_min::allocate(&network.capacities, &paths).map_err(|error| error.to_string())?;
    let settled = network.settle(law, DURATION).rates;
    Ok(fair.rates.iter().zip(&settled).map(|(fair, ours)| (fair.as_gbps_f64(), ours.as_gbps_f64())).collect())
}
