//! Cumulative distributions.

use super::Recorded;
use crate::chart::{Axis, Chart, Series};
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::slowdown::Sorted;
use std::collections::BTreeMap;

const SLOWDOWN: &str = "FCT slowdown (times that in an empty network)";

/// The slowdown of flows, by part of the workload.
pub(super) fn slowdowns(run: &Recorded<'_>) -> Option<Chart> {
    let groups = by_group(run, |message| message.slowdown())?;
    Some(chart(format!("{}: slowdown of flows", run.title), SLOWDOWN, &groups))
}

/// The time from start to last ack, by part of the workload.
pub(super) fn latencies(run: &Recorded<'_>) -> Option<Chart> {
    let groups = by_group(run, |message| Some(message.completion_time()?.as_us_f64()))?;
    Some(chart(format!("{}: latency of messages", run.title), "Completion time (µs)", &groups))
}

/// The slowdown of flows under each law.
#[must_use]
pub fn slowdowns_of_laws(scenario: &str, laws: &[(String, Sorted)]) -> Chart {
    chart(format!("{scenario}: slowdown of flows"), SLOWDOWN, laws)
}

/// What spans more than a decade is lost on a linear axis.
fn axis(label: &str, lines: &[(String, Sorted)]) -> Axis {
    let ends = |share: f64| lines.iter().filter_map(move |(_, values)| values.percentile(share));
    let (least, most) = (ends(0.0).fold(f64::INFINITY, f64::min), ends(1.0).fold(0.0, f64::max));
    if most > 10.0 * least { Axis::log(label) } else { Axis::linear(label) }
}

fn chart(title: String, label: &str, lines: &[(String, Sorted)]) -> Chart {
    let series = lines.iter().map(|(name, values)| Series::line(name, cumulative(values.values())));
    Chart {
        title,
        x: axis(label, lines),
        y: Axis::linear("Fraction of flows").from_to(0.0, 1.0),
        series: series.collect(),
        notes: Vec::new(),
    }
}

/// A line per part of the workload, without a name if there is one; nothing without two values.
fn by_group(
    run: &Recorded<'_>,
    value: impl Fn(&MessageRecord) -> Option<f64>,
) -> Option<Vec<(String, Sorted)>> {
    /// More lines than this cannot be told apart.
    const MOST: usize = 8;
    let mut groups: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for message in run.messages {
        if let Some(value) = value(message) {
            groups.entry(message.group).or_default().push(value);
        }
    }
    let all = || groups.values().flatten().copied();
    if all().count() < 2 {
        return None;
    }
    if groups.len() == 1 || groups.len() > MOST {
        return Some(vec![(String::new(), Sorted::new(all()))]);
    }
    let named = |(group, values): (u16, Vec<f64>)| (run.labels.group(group), Sorted::new(values));
    Some(groups.into_iter().map(named).collect())
}

/// The cumulative distribution of sorted values as steps. More values than a picture has places for are
/// thinned out evenly; the ends stay.
fn cumulative(values: &[f64]) -> Vec<(f64, f64)> {
    const MOST: usize = 1_000;
    let n = values.len();
    let stride = n.div_ceil(MOST).max(1);
    let mut points = Vec::new();
    let mut below = 0.0;
    for (index, value) in values.iter().enumerate() {
        if index % stride != 0 && index + 1 != n {
            continue;
        }
        let up_to = (index + 1) as f64 / n as f64;
        points.extend([(*value, below), (*value, up_to)]);
        below = up_to;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_rises_at_each_value_by_its_share() {
        let points = cumulative(&[1.0, 1.0, 2.0, 4.0]);
        let expected = [
            (1.0, 0.0),
            (1.0, 0.25),
            (1.0, 0.25),
            (1.0, 0.5),
            (2.0, 0.5),
            (2.0, 0.75),
            (4.0, 0.75),
            (4.0, 1.0),
        ];
        assert_eq!(points, expected);
        assert!(cumulative(&[]).is_empty());
    }

    #[test]
    fn many_values_are_thinned_out_and_the_ends_stay() {
        let values: Vec<f64> = (0..100_001).map(f64::from).collect();
        let points = cumulative(&values);
        assert!(points.len() < 2_500, "{}", points.len());
        assert_eq!(points.last(), Some(&(100_000.0, 1.0)));
        assert_eq!(points.first(), Some(&(0.0, 0.0)));
    }
}
