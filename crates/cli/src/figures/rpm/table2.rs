//! Table II: Jain's index of ten CUBIC flows, marked forward and on the way back.

use crate::claims::number;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, mean};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::confidence::mean_interval;
use plimsoll_report::{Axis, Marks, Series};

/// The names of an experiment's numbers: forward, RPM, and what is claimed of the two.
const EXPERIMENTS: [(&str, &str, &str, &str); 3] = [
    ("exp1", "exp1_fwd", "exp1_rpm", "exp1_gap"),
    ("exp2", "exp2_fwd", "exp2_rpm", "exp2_gain"),
    ("exp3", "exp3_fwd", "exp3_rpm", "exp3_gain"),
];
/// Table II.
const PAPER: [(f64, f64); 3] = [(0.89, 0.89), (0.74, 0.81), (0.82, 0.86)];

/// All but the first sixth: of 120 s, the first 20 are dropped.
pub(super) fn settled(run: &Observed) -> Window {
    Window { from: run.end / 6.0, to: run.end }
}

/// Jain's index of each seed.
fn indices(runs: &Runs, experiment: &str, scheme: &str) -> Vec<f64> {
    let prefix = format!("{experiment} {scheme} ");
    runs.family(&prefix).map(|(_, run)| run.jain(&["flows"], settled(run))).collect()
}

/// `0.812 (95 %: 0.79 to 0.83)`
fn with_interval(values: &[f64]) -> String {
    let centre = number(mean(values.iter().copied()));
    match mean_interval(values, 0.95) {
        Some(interval) => format!("{centre} (95 %: {} to {})", number(interval.low), number(interval.high)),
        None => centre,
    }
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut chart = over("Jain's index of ten flows", "Experiment", "Jain's index");
    chart.x = Axis::linear("Experiment").from_to(0.5, 3.5);
    let (mut forward, mut back) = (Series::line("CoDel forward", []), Series::line("RPM", []));
    for ((experiment, forward_name, back_name, claim), x) in EXPERIMENTS.into_iter().zip([1.0, 2.0, 3.0]) {
        let (fwd, rpm) = (indices(runs, experiment, "fwd"), indices(runs, experiment, "rpm"));
        let differences: Vec<f64> = fwd.iter().zip(&rpm).map(|(fwd, rpm)| rpm - fwd).collect();
        let gain = mean(differences.iter().copied());
        outcome.measure(forward_name, mean(fwd.iter().copied()));
        outcome.measure(back_name, mean(rpm.iter().copied()));
        outcome.measure(claim, if claim == "exp1_gap" { gain.abs() } else { gain });
        outcome.setting(&format!("{experiment}, forward, {} seeds", fwd.len()), with_interval(&fwd));
        outcome.setting(&format!("{experiment}, RPM, {} seeds", rpm.len()), with_interval(&rpm));
        outcome.setting(&format!("{experiment}, RPM less forward, equal seeds"), with_interval(&differences));
        // Beside each other, so that none hides another.
        for (series, values, x) in [(&mut forward, &fwd, x - 0.15), (&mut back, &rpm, x - 0.05)] {
            series.curves[0].push((x, mean(values.iter().copied())));
            let interval = mean_interval(values, 0.95);
            series.intervals.extend(interval.map(|interval| (x, interval.low, interval.high.min(1.0))));
        }
    }
    let papers = |pick: fn(&(f64, f64)) -> f64, aside: f64| {
        PAPER.iter().map(pick).zip(1..).map(move |(y, x)| (f64::from(x) + aside, y))
    };
    chart.series = vec![
        forward.marked(Marks::Only),
        back.marked(Marks::Only),
        Series::line("paper: forward", papers(|pair| pair.0, 0.05)).marked(Marks::Only),
        Series::line("paper: RPM", papers(|pair| pair.1, 0.15)).marked(Marks::Only),
    ];
    chart.notes.push("Means over seeds; bars: 95 % intervals of the mean.".to_owned());
    outcome.chart("jain", chart);
    outcome.chart("rates", rates(runs));
    Ok(outcome)
}

/// The rate of each round trip time's flows in Experiment 2.
fn rates(runs: &Runs) -> plimsoll_report::Chart {
    let mut chart = over("Rates by round trip, Experiment 2", "Base round trip (ms)", "Mean rate (Gb/s)");
    for (scheme, name) in [("fwd", "CoDel forward"), ("rpm", "RPM")] {
        let prefix = format!("exp2 {scheme} ");
        let rate = |pair: u32| {
            let of_run = |run: &Observed| {
                let flows = run.flows("flows");
                let pair = flows.iter().filter(|flow| flow.connection / 2 == pair);
                let curves = pair.map(|flow| run.curve("goodput", flow.connection));
                mean(curves.map(|curve| crate::figures::observed::mean_within(curve, settled(run))))
            };
            (40.0 + 20.0 * f64::from(pair), mean(runs.family(&prefix).map(|(_, run)| of_run(run))))
        };
        chart.series.push(Series::line(name, (0..5).map(rate)).marked(Marks::Points));
    }
    chart
}
