//! Rates over time.

use super::Recorded;
use super::queue::from_zero;
use crate::chart::Chart;

const GIGABIT: f64 = 1e9;

/// What each flow's receiver got.
pub(super) fn goodput(run: &Recorded<'_>) -> Option<Chart> {
    mean_over_time(run, "goodput", "goodput of flows", "Goodput (Gb/s)")
}

/// What each recorded port sent.
pub(super) fn throughput(run: &Recorded<'_>) -> Option<Chart> {
    mean_over_time(run, "throughput", "throughput of ports", "Throughput (Gb/s)")
}

/// A rate that is a mean over time.
fn mean_over_time(run: &Recorded<'_>, reading: &str, what: &str, label: &str) -> Option<Chart> {
    let mut chart = rate_over_time(run, reading, what, label)?;
    let finest = run.series.panel(reading)?.spread().next().map(|(_, points)| points);
    if let Some(grain) = finest.and_then(|points| Recorded::grain(&points)) {
        chart.notes.push(format!("Means over {grain}, of short flows over less."));
    }
    Some(chart)
}

/// A rate over time, from zero.
pub(super) fn rate_over_time(run: &Recorded<'_>, reading: &str, what: &str, label: &str) -> Option<Chart> {
    let chart = run.over_time(reading, what, label, GIGABIT)?;
    let values = chart.series.iter().flat_map(|series| series.curves.iter().flatten());
    let largest = values.map(|(_, value)| *value).fold(0.0, f64::max);
    Some(from_zero(chart, largest))
}
