//! Fig. 15a: forward throughput against reverse traffic.

use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

/// The number of reverse flows, and a number of the run, for each of a law's runs.
pub(super) fn by_count(runs: &Runs, law: &str, value: impl Fn(&Observed) -> f64) -> Vec<(f64, f64)> {
    let family = runs.family(law).filter_map(|(name, run)| Some((name.trim().parse().ok()?, value(run))));
    family.collect()
}

fn least(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min)
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let rates = |law| by_count(runs, law, |run| run.rate("forward", run.second_half()));
    let (poseidon, swift, hpcc) = (rates("poseidon "), rates("swift "), rates("hpcc "));
    outcome.measure("poseidon", least(&poseidon));
    outcome.measure("hpcc", least(&hpcc));
    for (name, count) in [("swift_2", 2.0), ("swift_4", 4.0), ("swift_8", 8.0)] {
        let rate = swift.iter().find(|point| point.0 == count).map_or(f64::NAN, |point| point.1);
        outcome.measure(name, rate / (200.0 / (count + 1.0)));
    }
    let mut chart = over("Forward rate against reverse flows", "Reverse flows", "Rate (Gb/s)");
    let fair = (1..=8).map(|count| (f64::from(count), 200.0 / f64::from(count)));
    chart.series.push(Series::guide("fair share of the reverse path", fair));
    for (name, points) in [("Poseidon", poseidon), ("Swift", swift), ("HPCC", hpcc)] {
        for (count, rate) in &points {
            outcome.setting(&format!("{name}, N = {count}: forward rate"), format!("{rate:.2} Gb/s"));
        }
        chart.series.push(Series::line(name, points).marked(Marks::Points));
    }
    outcome.chart("rate", chart);
    Ok(outcome)
}
