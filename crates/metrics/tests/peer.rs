//! The numbers of this crate beside those that somebody else computed from the very same data.
//!
//! `tests/data` holds results of the HPCC authors' public ns-3 simulator (repository
//! alibaba-edu/High-Precision-Congestion-Control, commit 9f4be2a): 16,252 Hadoop flows of 1 ms at 50 % load on a
//! fat-tree of 320 hosts, and a staggered 16:1 incast; with tables that other scripts made of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use flate2::read::GzDecoder;
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::Summary;
use plimsoll_metrics::confidence::percentile_interval;
use plimsoll_metrics::fairness::{Lifetime, RateBins};
use plimsoll_metrics::fct::{read_fct, write_fct};
use plimsoll_metrics::slowdown::{SizeBins, SizedSlowdown, Sorted, by_equal_count};
use plimsoll_metrics::{Histogram, Tally};
use plimsoll_units::{Bytes, Span, Time};
use std::io::Read;

fn fct_text() -> String {
    let mut text = String::new();
    let packed = include_bytes!("data/fct_hadoop50_1ms_hpcc.txt.gz").as_slice();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

fn fat_tree() -> Vec<MessageRecord> {
    read_fct(&fct_text()).unwrap()
}

fn slowdowns(records: &[MessageRecord]) -> Vec<SizedSlowdown> {
    Tally::of(records).slowdowns
}

/// The lines of a table below its names.
fn rows(csv: &str) -> impl Iterator<Item = Vec<f64>> {
    csv.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
}

#[test]
fn summary_of_the_fat_tree_has_the_peers_percentiles() {
    let mut summary = Summary::default();
    summary.set_messages(&Tally::of(&fat_tree()));
    let ours = summary.slowdown.unwrap();
    let text = include_str!("data/summary_1ms_hpcc.json");
    let peer: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!((summary.flows, summary.completed), (16_252, 16_252));
    assert_eq!(ours.count, peer["n"].as_u64().unwrap());
    for (name, ours) in [("p50", ours.p50), ("p95", ours.p95), ("p99", ours.p99), ("p999", ours.p999)] {
        assert_eq!(ours, peer[name].as_f64().unwrap(), "{name}");
    }
    // The peer adds up in another order.
    assert!((ours.mean - peer["mean"].as_f64().unwrap()).abs() < 1e-12);
}

#[test]
fn table_by_size_is_the_peers() {
    let table = SizeBins::decades().table(slowdowns(&fat_tree()));
    let peer: Vec<Vec<f64>> = rows(include_str!("data/slowdown_by_size_1ms_hpcc.csv")).collect();
    assert_eq!(table.len(), peer.len());
    for (ours, peer) in table.iter().zip(peer) {
        let above = ours.sizes.above.map_or(0.0, Bytes::as_f64);
        // The peer's last bin ends at 1 TB.
        let up_to = ours.sizes.up_to.map_or(1e12, Bytes::as_f64);
        let slowdown = ours.slowdown;
        assert_eq!([above, up_to, slowdown.count as f64], peer[..3]);
        let numbers = [slowdown.p50, slowdown.p95, slowdown.p99, slowdown.p999, slowdown.mean];
        for (ours, peer) in numbers.iter().zip(&peer[3..]) {
            // Printed with four decimals.
            assert!((ours - peer).abs() <= 0.000_051, "{ours} and {peer}");
        }
    }
}

#[test]
fn fct_file_is_written_as_it_was_read() {
    let mut ours = Vec::new();
    write_fct(&mut ours, &fat_tree(), 100).unwrap();
    let (ours, text) = (String::from_utf8(ours).unwrap(), fct_text());
    let [mut ours, mut peer] = [&ours, &text].map(|text| text.lines().collect::<Vec<_>>());
    assert_eq!(ours.len(), peer.len());
    // Flows that finish in the same nanosecond stand in any order.
    ours.sort_unstable();
    peer.sort_unstable();
    for (ours, peer) in ours.iter().zip(&peer) {
        assert_eq!(ours, peer);
    }
}

#[test]
fn one_percent_of_the_flows_a_point() {
    let points = by_equal_count(slowdowns(&fat_tree()), 100);
    assert_eq!(points.len(), 100);
    // 16,252 flows: 162 or 163 each.
    assert!(points.iter().all(|point| (162..=163).contains(&point.slowdown.count)));
    assert!(points.is_sorted_by_key(|point| point.largest));
    // By the peer's table 428 of 16,252 flows, 2.6 %, are larger than 1 MB: the last two groups wholly, and a
    // part of the third but last.
    let large = points.iter().filter(|point| point.largest > Bytes::from_mb(1)).count();
    assert_eq!(large, 3);
}

#[test]
fn a_histogram_answers_within_one_percent() {
    let mut histogram = Histogram::<f64>::default();
    let slowdowns = slowdowns(&fat_tree());
    for message in &slowdowns {
        histogram.record(message.slowdown);
    }
    let exact = Sorted::new(slowdowns.iter().map(|message| message.slowdown));
    for p in [0.5, 0.95, 0.99, 0.999] {
        let (found, exact) = (histogram.percentile(p).unwrap(), exact.percentile(p).unwrap());
        assert!((found / exact - 1.0).abs() < 0.01, "{p}: {found} and {exact}");
    }
}

#[test]
fn confidence_interval_of_one_half_holds_the_percentile_of_the_other() {
    // Every second flow by start; 99.9 % confidence, so that this is no game of dice.
    let records = fat_tree();
    let half = |rest: usize| {
        let flows = records.iter().enumerate().filter(move |(index, _)| index % 2 == rest);
        Sorted::new(flows.filter_map(|(_, record)| record.slowdown()))
    };
    for p in [0.5, 0.95, 0.99] {
        let interval = percentile_interval(&half(0), p, 0.999).unwrap();
        let other = half(1).percentile(p).unwrap();
        assert!(interval.low <= other && other <= interval.high, "{p}: {interval:?} and {other}");
    }
}

/// Flows of the incast with their lifetimes, from 2 s on.
fn incast(csv: &str) -> Vec<Lifetime> {
    let nanoseconds = |ns: f64| Time::after_start(Span::from_ns(ns as u64));
    rows(csv)
        .map(|row| Lifetime { start: nanoseconds(row[4] - 2e9), end: nanoseconds(row[4] - 2e9 + row[5]) })
        .collect()
}

#[test]
fn flows_count_as_active_when_the_peer_counts_them() {
    for (flows, jain) in [
        (include_str!("data/incast16_hpcc_flows.csv"), include_str!("data/incast16_hpcc_jain_10us.csv")),
        (include_str!("data/incast16_dctcp_flows.csv"), include_str!("data/incast16_dctcp_jain_10us.csv")),
        (include_str!("data/incast16_dcqcn_flows.csv"), include_str!("data/incast16_dcqcn_jain_10us.csv")),
    ] {
        let lifetimes = incast(flows);
        let peer: Vec<Vec<f64>> = rows(jain).collect();
        let bin = Span::from_us(10);
        let end = Time::after_start(bin * peer.len() as u64);
        let mut bins = RateBins::new(lifetimes.len(), Time::ZERO, end, bin);
        // A byte in the last bin, so that all are listed.
        bins.deliver(0, Time::from_ps(end.as_ps() - 1), Bytes::new(1));
        let ours: Vec<_> = bins.fairness(&lifetimes).collect();
        assert_eq!(ours.len(), peer.len());
        for (ours, peer) in ours.iter().zip(&peer) {
            assert_eq!((ours.at.since_start().as_us_f64(), f64::from(ours.active)), (peer[0], peer[1]));
        }
    }
}

#[cfg(feature = "files")]
#[test]
fn the_fat_trees_flows_survive_parquet_in_a_third_of_the_room_of_text() {
    use plimsoll_metrics::Sink;
    use plimsoll_metrics::files::{TableWriter, read_table};
    let path = std::env::temp_dir().join(format!("plimsoll-metrics-peer-{}.parquet", std::process::id()));
    let flows = fat_tree();
    let mut table = TableWriter::create(&path).unwrap();
    for flow in &flows {
        table.put(*flow).unwrap();
    }
    table.finish().unwrap();
    let mut read: Vec<MessageRecord> = Vec::new();
    read_table(&path, &mut read).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read, flows);
    let text = fct_text().len() as u64;
    assert!(size < text / 3, "{size} of {text}");
}
