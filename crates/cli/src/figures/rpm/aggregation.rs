//! Small registers, bits and ports: what it costs when flows share a state.

use super::table2::settled;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, binned};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Axis, Series};

/// The shared link's rate is drawn by its means over so many milliseconds: it swings with every round trip.
const BIN: f64 = 5_000.0;

/// How many percent of the reductions were of flows that had not been marked since their last one.
fn wrong(run: &Observed) -> f64 {
    let (mut wrong, mut all) = (0.0, 0.0);
    for connection in 0..10 {
        let marks = run.curve("mark", connection);
        let mut last = f64::NEG_INFINITY;
        for (at, _) in run.curve("reduction", connection) {
            let marked = marks.iter().any(|(mark, _)| last < *mark && mark <= at);
            wrong += f64::from(u8::from(!marked));
            all += 1.0;
            last = *at;
        }
    }
    100.0 * wrong / all
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let jain = |variant: &str| -> Result<f64, String> {
        let run = runs.get(variant)?;
        Ok(run.jain(&["flows"], settled(run)))
    };
    let exact = jain("exact")?;
    outcome.measure("hash_gap", (jain("hash 65536")? - exact).abs());
    outcome.measure("bit_gap", (jain("bit")? - exact).abs());
    outcome.measure("wrong_port", wrong(runs.get("port")?));
    outcome.measure("wrong_exact", wrong(runs.get("exact")?));
    for (name, run) in runs.family("") {
        let reductions: usize = (0..10).map(|connection| run.curve("reduction", connection).len()).sum();
        let marks: usize = (0..10).map(|connection| run.curve("mark", connection).len()).sum();
        let text = format!(
            "Jain {:.3}, {:.2} Gb/s, {marks} marks, {reductions} reductions, {:.0} % of them of flows not marked",
            run.jain(&["flows"], settled(run)),
            run.throughput("R1>S2", settled(run)),
            wrong(run)
        );
        outcome.setting(name, text);
    }
    let mut chart = over("Throughput of the shared link", "Time (s)", "Throughput (Gb/s)");
    for (variant, name) in
        [("exact", "a slot for each flow"), ("hash 4", "4 slots"), ("port", "one for the port")]
    {
        let curve = binned(runs.get(variant)?.port("throughput", "R1>S2"), BIN);
        let seconds = curve.iter().map(|(at, rate)| (at / 1e3, *rate));
        chart.series.push(Series::line(name, seconds).fine());
    }
    chart.y = Axis::linear("Throughput (Gb/s)").from_to(0.0, 1.05);
    chart.notes.push("Means over 5 s.".to_owned());
    outcome.chart("throughput", chart);
    Ok(outcome)
}
