//! Fig. 5: completion times of short DCTCP flows.

use super::reaction::extreme;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, mean};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Axis, Marks, Series};

/// Packets of the short flows; the groups of the scenario are named after them.
const SIZES: [&str; 7] = ["1", "2", "5", "10", "20", "50", "100"];

/// The mean completion time of each size, in microseconds; only flows that are done count.
fn completions(run: &Observed) -> Vec<(f64, f64)> {
    let of_size = |size: &&str| {
        let flows = run.flows(size);
        let times = flows.iter().filter_map(|flow| flow.completion_time()).map(|span| span.as_us_f64());
        (size.parse().unwrap_or(f64::NAN), mean(times))
    };
    SIZES.iter().map(of_size).collect()
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let cases = [
        ("written", "CoDel 1 ms / 20 ms", "written_least", "written_most"),
        ("small", "CoDel 50 µs / 1 ms", "small_least", "small_most"),
    ];
    let mut ratio_chart = over("Completion time, RPM over forward", "", "Ratio of means");
    ratio_chart.x = Axis::log("Flow size (packets)");
    for (case, title, least, most) in cases {
        let forward = completions(runs.get(&format!("{case} forward"))?);
        let back = completions(runs.get(&format!("{case} rpm"))?);
        let ratios: Vec<(f64, f64)> =
            forward.iter().zip(&back).map(|(fwd, rpm)| (fwd.0, rpm.1 / fwd.1)).collect();
        let values = || ratios.iter().map(|(_, ratio)| *ratio);
        outcome.measure(least, extreme(values(), f64::min));
        outcome.measure(most, extreme(values(), f64::max));
        ratio_chart.series.push(Series::line(title, ratios).marked(Marks::Points));
        let mut chart = over(&format!("Short flows, {title}"), "", "Mean completion time (µs)");
        chart.x = Axis::log("Flow size (packets)");
        chart.series.push(Series::line("CoDel forward", forward).marked(Marks::Points));
        chart.series.push(Series::line("RPM", back).marked(Marks::Points));
        outcome.chart(case, chart);
    }
    ratio_chart.series.push(Series::guide("", [(1.0, 1.0), (100.0, 1.0)]));
    outcome.chart("ratio", ratio_chart);
    Ok(outcome)
}
