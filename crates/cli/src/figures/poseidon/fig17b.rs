//! Fig. 17b: variation of many flows.

use super::fig15a::by_count;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, binned, deviation, mean};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Axis, Marks, Series};

/// A flow's rate is its mean over so many milliseconds.
const BIN: f64 = 1.0;

/// The standard deviation of a flow's rate, root mean square over all flows, in Gb/s.
pub(super) fn spread(run: &Observed, groups: &[&str], bin: f64) -> f64 {
    let window = Window { from: run.end / 3.0, to: run.end };
    let flows = groups.iter().flat_map(|group| run.flows(group));
    let squares = flows.map(|flow| {
        let deviation = deviation(&binned(run.curve("goodput", flow.connection), bin), window);
        deviation * deviation
    });
    mean(squares).sqrt()
}

/// Poseidon's and Swift's spread for each number of flows.
pub(super) fn pairs(runs: &Runs) -> Vec<(f64, f64, f64)> {
    let spreads = |law| by_count(runs, law, |run| spread(run, &["flows"], BIN));
    let both = spreads("poseidon ").into_iter().zip(spreads("swift "));
    both.map(|((count, poseidon), (_, swift))| (count, poseidon, swift)).collect()
}

/// 1 − Poseidon/Swift in percent, mean over the numbers of flows.
pub(super) fn mean_gain(pairs: &[(f64, f64, f64)]) -> f64 {
    100.0 * mean(pairs.iter().map(|(_, poseidon, swift)| 1.0 - poseidon / swift))
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let pairs = pairs(runs);
    outcome.measure("mean", mean_gain(&pairs));
    outcome.measure("most", pairs.last().map_or(f64::NAN, |(_, poseidon, swift)| swift / poseidon));
    let mut chart = over("Spread of a flow's rate over time", "Flows", "Standard deviation (Gb/s)");
    chart.y = Axis::log("Standard deviation (Gb/s)");
    for (name, law) in [("Poseidon", "poseidon "), ("Swift", "swift "), ("HPCC", "hpcc ")] {
        let points = by_count(runs, law, |run| spread(run, &["flows"], BIN));
        for (count, spread) in &points {
            outcome
                .setting(&format!("{name}, {count} flows: standard deviation"), format!("{spread:.4} Gb/s"));
        }
        chart.series.push(Series::line(name, points).marked(Marks::Points));
    }
    outcome.chart("deviation", chart);
    Ok(outcome)
}
