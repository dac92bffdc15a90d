//! Queues and buffers over time.

use super::scale::{TimeScale, bytes_up_to};
use super::{Gathered, Recorded};
use crate::chart::{Axis, Chart, Series};

/// The queue of each recorded port.
pub(super) fn queues(run: &Recorded<'_>) -> Option<Chart> {
    bytes_over_time(run, "queue", "queues", "Queue")
}

/// The buffer of each recorded switch.
pub(super) fn buffers(run: &Recorded<'_>) -> Option<Chart> {
    bytes_over_time(run, "buffer", "shared buffers", "Buffer in use")
}

/// Bytes over time in a unit that suits the largest.
pub(super) fn bytes_over_time(run: &Recorded<'_>, reading: &str, what: &str, label: &str) -> Option<Chart> {
    let panel = run.series.panel(reading)?;
    let curves = panel.drawn().map(|(_, points)| points).chain(panel.spread().map(|(_, points)| points));
    let largest = curves.flatten().map(|(_, value)| value).fold(0.0, f64::max);
    let (unit, name) = bytes_up_to(largest);
    let chart = run.over_time(reading, what, &format!("{label} ({name})"), unit)?;
    Some(from_zero(chart, largest / unit))
}

/// Quantities that cannot be negative begin at zero.
pub(super) fn from_zero(mut chart: Chart, largest: f64) -> Chart {
    chart.y = chart.y.from_to(0.0, if largest > 0.0 { largest * 1.05 } else { 1.0 });
    chart
}

/// The longest of the recorded queues under each law; nothing if none was recorded.
#[must_use]
pub fn queues_of_laws(scenario: &str, laws: &[(&str, &Gathered)]) -> Option<Chart> {
    let curves: Vec<(&str, Vec<(f64, f64)>)> = laws
        .iter()
        .filter_map(|(law, series)| {
            let largest = series.panel("queue")?.spread().next()?;
            Some((*law, largest.1))
        })
        .collect();
    let points = || curves.iter().flat_map(|(_, points)| points);
    let end = points().filter(|(_, value)| *value > 0.0).map(|(at, _)| *at).fold(0.0, f64::max);
    if curves.is_empty() {
        return None;
    }
    let time = TimeScale::up_to(end);
    let largest = points().map(|(_, value)| *value).fold(0.0, f64::max);
    let (unit, name) = bytes_up_to(largest);
    let line = |(law, points): &(&str, Vec<(f64, f64)>)| {
        Series::line(law, points.iter().map(|(at, value)| (time.place(*at), value / unit))).fine()
    };
    let chart = Chart {
        title: format!("{scenario}: longest recorded queue"),
        x: time.axis(),
        y: Axis::linear(&format!("Queue ({name})")),
        series: curves.iter().map(line).collect(),
        notes: Vec::new(),
    };
    Some(from_zero(chart, largest / unit))
}
