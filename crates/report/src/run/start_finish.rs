//! When flows began and when they finished.

use super::Recorded;
use super::scale::TimeScale;
use crate::chart::{Chart, Marks, Series};
use plimsoll_metrics::MessageRecord;
use std::collections::BTreeMap;

/// Dots that can be told apart.
const MOST: usize = 2_000;
/// More than this overlap unless they are small.
const CROWDED: usize = 100;

/// A dot per flow. Under a fair law, flows of equal size that begin later finish later.
pub(super) fn start_finish(run: &Recorded<'_>) -> Option<Chart> {
    let done: Vec<&MessageRecord> = run.messages.iter().filter(|message| message.finish.is_some()).collect();
    let last = done.iter().filter_map(|message| message.finish).max()?;
    if done.len() < 2 {
        return None;
    }
    let time = TimeScale::up_to(last.as_ps() as f64);
    let every = done.len().div_ceil(MOST);
    let mut groups: BTreeMap<u16, Vec<(f64, f64)>> = BTreeMap::new();
    for message in done.iter().step_by(every) {
        let finish = message.finish.map_or(f64::NAN, |finish| finish.as_ps() as f64);
        let point = (time.place(message.start.as_ps() as f64), time.place(finish));
        groups.entry(message.group).or_default().push(point);
    }
    let several = groups.len() > 1;
    let series = groups.into_iter().map(|(group, points)| {
        let name = if several { run.labels.group(group) } else { String::new() };
        let series = Series::line(&name, points).marked(Marks::Only);
        if done.len() > CROWDED { series.fine() } else { series }
    });
    let note = |every: usize| format!("One flow of {every} is shown.");
    Some(Chart {
        title: format!("{}: start and finish of flows", run.title),
        x: time.named("Start"),
        y: time.named("Finish"),
        series: series.collect(),
        notes: if every > 1 { vec![note(every)] } else { Vec::new() },
    })
}
