//! Jain's index over time.

use super::Recorded;
use super::scale::TimeScale;
use crate::chart::{Axis, Chart, Series};

/// How equal the goodputs of flows are that send at the same time.
pub(super) fn jain_over_time(run: &Recorded<'_>) -> Option<Chart> {
    let points = run.series.jain();
    if points.len() < 2 {
        return None;
    }
    let time = TimeScale::up_to(run.end());
    let grain = Recorded::grain(&points).unwrap_or_default();
    Some(Chart {
        title: format!("{}: fairness", run.title),
        x: time.axis(),
        y: Axis::linear("Jain's index").from_to(0.0, 1.02),
        series: vec![Series::line("", points.into_iter().map(|(at, index)| (time.place(at), index))).fine()],
        notes: vec![format!("Of goodputs over {grain} each, of flows that sent throughout; 1 = all equal.")],
    })
}
