//! Fig. 15b: the forward flow's signals against reverse traffic.

use super::fig15a::by_count;
use crate::figures::Outcome;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let means = |law, reading| by_count(runs, law, |run| run.mean(reading, "forward", run.second_half()));
    let signal = means("poseidon ", "max-hop-delay");
    let values = || signal.iter().map(|point| point.1);
    outcome.measure("mpd", values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min));
    let trips = means("poseidon ", "rtt");
    let growth = trips.last().zip(trips.first()).map_or(f64::NAN, |(last, first)| last.1 - first.1);
    outcome.measure("rtt", growth);
    let mut chart = over("Signals of the forward flow", "Reverse flows", "Delay (µs)");
    for (name, points) in [
        ("Poseidon: max. per-hop delay", signal),
        ("Poseidon: round trip", trips),
        ("Swift: round trip", means("swift ", "rtt")),
    ] {
        chart.series.push(Series::line(name, points).marked(Marks::Points));
    }
    outcome.chart("signals", chart);
    Ok(outcome)
}
