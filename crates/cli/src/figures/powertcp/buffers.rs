//! Figs. 7g and 7h and the first claim of §4: how full the ToRs' buffers are.

use super::schemes::present;
use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::Series;

/// Samples of which the artifact keeps the largest.
const BLOCK: usize = 99;
/// A distribution is drawn with so many points.
const POINTS: usize = 200;
const TORS: [&str; 8] = ["tor0", "tor1", "tor2", "tor3", "tor4", "tor5", "tor6", "tor7"];

/// The largest of each 99 samples of the buffer of each ToR that is recorded, in KB. The first tenth, in which the
/// network fills, is left out.
fn occupancy(run: &Observed) -> Sorted {
    let largest = |block: &[(f64, f64)]| block.iter().map(|(_, kilobytes)| *kilobytes).fold(0.0, f64::max);
    Sorted::new(TORS.iter().flat_map(|tor| {
        let curve = run.switch("buffer", tor);
        let settled = curve.get(curve.len() / 10..).unwrap_or_default();
        settled.chunks_exact(BLOCK).map(largest).collect::<Vec<f64>>()
    }))
}

fn tail(run: &Observed) -> f64 {
    occupancy(run).percentile(0.99).unwrap_or(f64::NAN)
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let ratio = |ours: &str, theirs: &str| match (runs.get(ours), runs.get(theirs)) {
        (Ok(ours), Ok(theirs)) => tail(ours) / tail(theirs),
        _ => f64::NAN,
    };
    outcome.measure("powertcp_hpcc", ratio("powertcp", "hpcc"));
    outcome.measure("theta_hpcc", ratio("theta", "hpcc"));
    outcome.measure("powertcp_timely", ratio("powertcp", "timely"));
    outcome.measure("powertcp_dcqcn", ratio("powertcp", "dcqcn"));
    let mut chart = over("Buffer of a ToR", "Bytes that wait (KB)", "Part of the time at most so full");
    chart.y = chart.y.from_to(0.0, 1.0);
    for (name, run) in present(runs) {
        let all = occupancy(run);
        let at = |p: f64| all.percentile(p).unwrap_or(f64::NAN);
        outcome.setting(
            &format!("{name}: median, 99th percentile and largest (KB), of so many"),
            format!("{:.0}, {:.0}, {:.0}, {}", at(0.5), at(0.99), at(1.0), all.values().len()),
        );
        let part = |index: usize| index as f64 / POINTS as f64;
        chart.series.push(Series::line(name, (0..=POINTS).map(|index| (at(part(index)), part(index)))));
    }
    chart.notes.push(format!("Largest of each {BLOCK} samples of a ToR, as the artifact samples its ToR 0."));
    outcome.chart("buffer", chart);
    Ok(outcome)
}
