//! What the figures of parameters (Figs. 21b to 21d) have in common.

use super::fig15a::by_count;
use super::fig17a::time_to_share;
use super::fig17b::spread;
use crate::figures::Outcome;
use crate::figures::observed::{Observed, mean};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

/// A number over a parameter's values.
pub(super) type Points = Vec<(f64, f64)>;

/// The mean round trip of all flows, in microseconds.
pub(super) fn trips(runs: &Runs, family: &str) -> Points {
    let both =
        |run: &Observed| mean(["first", "second"].map(|group| run.mean("rtt", group, run.second_half())));
    by_count(runs, family, both)
}

/// The bins of a spread, in milliseconds: those of the scenarios.
const BIN: f64 = 0.05;

/// The spread of all flows' rates, in Gb/s.
pub(super) fn spreads(runs: &Runs, family: &str) -> Points {
    by_count(runs, family, |run| spread(run, &["first", "second"], BIN))
}

/// The utilisation of the link, in percent.
pub(super) fn utilisations(runs: &Runs, family: &str) -> Points {
    by_count(runs, family, |run| run.throughput("s0>h200", run.second_half()) / 2.0)
}

/// How long the second flow takes to its share, in milliseconds.
pub(super) fn times(runs: &Runs, family: &str) -> Points {
    by_count(runs, family, time_to_share)
}

/// Draws a number over the parameter, and lists it.
pub(super) fn draw(outcome: &mut Outcome, name: &'static str, axes: (&str, &str), points: Points) {
    for (value, number) in &points {
        outcome.setting(&format!("{}, {} = {value}", axes.1, axes.0), format!("{number:.4}"));
    }
    let plain = |label: &str| label.split(" (").next().unwrap_or(label).to_owned();
    let mut chart = over(&format!("{} over {}", plain(axes.1), plain(axes.0)), axes.0, axes.1);
    chart.series.push(Series::line("", points).marked(Marks::Points));
    outcome.chart(name, chart);
}
