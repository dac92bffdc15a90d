//! Fig. 8b: tail of the queueing latency with circuits.

use super::fig8a::{SCHEMES, measured};
use crate::figures::Outcome;
use crate::figures::observed::{Observed, within};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::{Axis, Series};

/// Points of a distribution.
const POINTS: usize = 300;

/// By how much round trips are longer than the shortest of all, in microseconds.
fn latencies(run: &Observed) -> Sorted {
    let window = measured(run);
    let flows = run.flows("pair");
    let round_trips = || {
        let curves = flows.iter().map(|flow| run.curve("rtt", flow.connection));
        curves.flat_map(move |curve| within(curve, window)).map(|(_, rtt)| rtt)
    };
    let shortest = round_trips().fold(f64::INFINITY, f64::min);
    Sorted::new(round_trips().map(|rtt| rtt - shortest))
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let tail =
        |variant| Ok::<f64, String>(latencies(runs.get(variant)?).percentile(0.99).unwrap_or(f64::NAN));
    let powertcp = tail("powertcp")?;
    outcome.measure("retcp_600", tail("retcp 600")? / powertcp);
    outcome.measure("retcp_1800", tail("retcp 1800")? / powertcp);
    let mut chart = over("Queueing latency of packets from rack 0 to rack 1", "", "Share of packets (%)");
    chart.x = Axis::log("Queueing latency (µs)").from_to(0.1, 1000.0);
    chart.y = chart.y.from_to(0.0, 100.0);
    for (variant, name) in SCHEMES {
        let latencies = latencies(runs.get(variant)?);
        let at = |p: f64| latencies.percentile(p).unwrap_or(f64::NAN);
        outcome.setting(&format!("{name}: queueing latency, median"), format!("{:.2} µs", at(0.5)));
        outcome.setting(&format!("{name}: queueing latency, 99 %"), format!("{:.2} µs", at(0.99)));
        let shares = (0..=POINTS).map(|point| point as f64 / POINTS as f64);
        let points = shares.map(|share| (at(share).max(0.1), 100.0 * share));
        chart.series.push(Series::line(name, points));
    }
    outcome.chart("latency", chart);
    Ok(outcome)
}
