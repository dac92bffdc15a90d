//! Slowdown by the size of flows.

use super::Recorded;
use crate::chart::{Axis, Chart, Marks, Series};
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::slowdown::{Distribution, SizeBins, SizeRow, SizedSlowdown};
use plimsoll_units::Bytes;

/// So many flows have tails.
const MANY: usize = 1_000;

/// A percentile of a distribution.
type Pick = fn(&Distribution) -> f64;

/// Median and tails of the slowdown for sizes that have equally many flows.
pub(super) fn slowdown_by_size(run: &Recorded<'_>) -> Option<Chart> {
    let flows = sized(run.messages);
    let rows = table(&flows)?;
    let lines: [(&str, Pick); 4] =
        [("p99.9", |d| d.p999), ("p99", |d| d.p99), ("p95", |d| d.p95), ("p50", |d| d.p50)];
    // Of a few hundred flows a thousandth is nothing.
    let lines = if flows.len() < MANY { &lines[2..] } else { &lines[..] };
    let series = lines.iter().map(|(name, pick)| line(name, &rows, &flows, *pick)).collect();
    let title = format!("{}: slowdown by flow size", run.title);
    Some(chart(title, series, &rows))
}

/// The 99th percentile under each law; nothing if flows are of one size.
#[must_use]
pub fn by_size_of_laws(scenario: &str, laws: &[(&str, &[MessageRecord])]) -> Option<Chart> {
    let tables: Vec<_> = laws
        .iter()
        .filter_map(|(law, messages)| {
            let flows = sized(messages);
            Some((*law, table(&flows)?, flows))
        })
        .collect();
    let (_, rows, _) = tables.first()?;
    let series = tables.iter().map(|(law, rows, flows)| line(law, rows, flows, |d| d.p99)).collect();
    Some(chart(format!("{scenario}: 99th percentile of slowdown by flow size"), series, rows))
}

fn sized(messages: &[MessageRecord]) -> Vec<SizedSlowdown> {
    let one =
        |message: &MessageRecord| Some(SizedSlowdown { bytes: message.bytes, slowdown: message.slowdown()? });
    let mut flows: Vec<SizedSlowdown> = messages.iter().filter_map(one).collect();
    flows.sort_by_key(|flow| flow.bytes);
    flows
}

/// Bins of sizes with about equally many flows, a hundred at least or, of few flows, 25; flows of equal size
/// share a bin. Nothing for one bin.
fn table(flows: &[SizedSlowdown]) -> Option<Vec<SizeRow>> {
    let each = if flows.len() < MANY { 25 } else { 100 };
    let bins = (flows.len() / each).clamp(2, 20);
    let bound = |bin: usize| flows.get((bin * flows.len() / bins).checked_sub(1)?).map(|flow| flow.bytes);
    let rows = SizeBins::up_to((1..=bins).filter_map(bound)).table(flows.iter().copied());
    (flows.len() >= 50 && rows.len() >= 2).then_some(rows)
}

fn line(name: &str, rows: &[SizeRow], flows: &[SizedSlowdown], pick: Pick) -> Series {
    let largest = flows.last().map_or(Bytes::ZERO, |flow| flow.bytes);
    let point = |row: &SizeRow| (row.sizes.up_to.unwrap_or(largest).as_f64(), pick(&row.slowdown));
    Series::line(name, rows.iter().map(point)).marked(Marks::Points)
}

fn chart(title: String, series: Vec<Series>, rows: &[SizeRow]) -> Chart {
    let values = || series.iter().flat_map(|series| series.curves.iter().flatten()).map(|(_, y)| *y);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let label = "FCT slowdown";
    let fewest = rows.iter().map(|row| row.slowdown.count).min().unwrap_or(0);
    let y = if most > 10.0 * least { Axis::log(label) } else { Axis::linear(label) };
    Chart {
        title,
        x: Axis::log("Flow size (B)"),
        y,
        series,
        notes: vec![format!("Each point is for sizes up to where it stands, {fewest} flows or more.")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sizes_share_a_bin_and_one_size_makes_no_picture() {
        let flow = |bytes: u64, slowdown: f64| SizedSlowdown { bytes: Bytes::new(bytes), slowdown };
        let one_size: Vec<_> = (0..300).map(|n| flow(1_000, f64::from(n))).collect();
        assert_eq!(table(&one_size), None);
        // 200 of 1 kB and 100 of 2 kB: twelve bins of 25, of which eight end at 1 kB and four at 2 kB.
        let mut two = vec![flow(1_000, 1.0); 200];
        two.extend(vec![flow(2_000, 3.0); 100]);
        let rows = table(&two).unwrap();
        let counts: Vec<_> = rows.iter().map(|row| (row.slowdown.count, row.slowdown.p99)).collect();
        assert_eq!(counts, [(200, 1.0), (100, 3.0)]);
    }
}
