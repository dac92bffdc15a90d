//! What Figs. 10–13 show: slowdowns by size on the fat tree, of all seeds' flows together.

use crate::figures::Outcome;
use crate::figures::observed::mean;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::confidence::percentile_interval;
use plimsoll_metrics::slowdown::{SizeBins, SizePoint, SizedSlowdown, Sorted, by_equal_count, equal_counts};
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::Bytes;

/// A point stands for 1 % of the flows.
const POINTS: usize = 100;
/// Up to here flows are small.
const SMALL: Bytes = Bytes::from_kb(100);
/// Above this flows are long.
const LONG: Bytes = Bytes::from_mb(1);
const CONFIDENCE: f64 = 0.95;

/// The four laws: the beginnings of their variants' names (a seed follows), and their names in pictures.
const LAWS: [(&str, &str); 4] = [
    ("hpcc ", "HPCC"),
    ("hpcc-vai-sf ", "HPCC VAI SF"),
    ("swift ", "Swift"),
    ("swift-vai-sf ", "Swift VAI SF"),
];

/// The flows of a law, of all seeds.
pub(super) struct Pool {
    name: &'static str,
    flows: Vec<SizedSlowdown>,
    points: Vec<SizePoint>,
    seeds: usize,
    unfinished: usize,
}

/// A law without and with VAI and SF.
pub(super) struct Pair {
    pub(super) default: Pool,
    pub(super) both: Pool,
}

/// HPCC's and Swift's flows.
pub(super) struct Pools {
    pub(super) hpcc: Pair,
    pub(super) swift: Pair,
}

impl Pool {
    fn of(runs: &Runs, (prefix, name): (&str, &'static str)) -> Self {
        let mut pool = Self { name, flows: Vec::new(), points: Vec::new(), seeds: 0, unfinished: 0 };
        for (_, run) in runs.family(prefix) {
            pool.seeds += 1;
            for flow in &run.messages {
                match flow.slowdown() {
                    Some(slowdown) => pool.flows.push(SizedSlowdown { bytes: flow.bytes, slowdown }),
                    None => pool.unfinished += 1,
                }
            }
        }
        pool.points = by_equal_count(pool.flows.iter().copied(), POINTS);
        pool
    }

    #[cfg(test)]
    fn with(flows: Vec<SizedSlowdown>) -> Self {
        let points = by_equal_count(flows.iter().copied(), POINTS);
        Self { name: "test", flows, points, seeds: 1, unfinished: 0 }
    }

    fn long(&self) -> Sorted {
        Sorted::new(self.flows.iter().filter(|flow| flow.bytes > LONG).map(|flow| flow.slowdown))
    }

    /// A percentile of the long flows' slowdowns.
    pub(super) fn long_percentile(&self, p: f64) -> f64 {
        self.long().percentile(p).unwrap_or(f64::NAN)
    }

    /// `99.9p of flows above 1 MB: 12.3 (11.0 to 14.2), 1,234 flows`
    pub(super) fn describe(&self, outcome: &mut Outcome, p: f64) {
        let long = self.long();
        let value = long.percentile(p).unwrap_or(f64::NAN);
        let interval = percentile_interval(&long, p, CONFIDENCE)
            .map_or("too few for an interval".to_owned(), |interval| {
                format!("95 % interval {:.2} to {:.2}", interval.low, interval.high)
            });
        let (count, all) = (long.values().len(), self.flows.len());
        outcome.setting(
            &format!("{}: {} % of the flows above 1 MB are below", self.name, 100.0 * p),
            format!("{value:.2} ({interval}), {count} of {all} flows, {} seeds", self.seeds),
        );
        if self.unfinished > 0 {
            outcome.setting(&format!("{}: flows without an end", self.name), self.unfinished);
        }
    }
}

impl Pair {
    /// Points of both, place by place: the flows are the same, so their sizes are.
    fn points(&self) -> impl Iterator<Item = (&SizePoint, &SizePoint)> {
        self.default.points.iter().zip(&self.both.points)
    }

    /// The default's 99.9th percentile over that with VAI and SF, mean over the points above 1 MB.
    pub(super) fn tail_of_long_points(&self) -> f64 {
        let long = self.points().filter(|(default, _)| default.largest > LONG);
        mean(long.map(|(default, both)| default.slowdown.p999 / both.slowdown.p999))
    }

    /// The 99.9th percentile with VAI and SF over the default's, mean over the points up to 100 kB.
    pub(super) fn tail_of_small_points(&self) -> f64 {
        let small = self.points().filter(|(default, _)| default.largest < SMALL);
        mean(small.map(|(default, both)| both.slowdown.p999 / default.slowdown.p999))
    }

    /// How far the median with VAI and SF is from the default's at most, over the points up to 100 kB.
    pub(super) fn change_of_small_medians(&self) -> f64 {
        let small = self.points().filter(|(default, _)| default.largest < SMALL);
        small
            .map(|(default, both)| (both.slowdown.p50 / default.slowdown.p50 - 1.0).abs())
            // No points, or one that is not a number, is no agreement.
            .reduce(|most, change| if change <= most { most } else { change })
            .unwrap_or(f64::NAN)
    }

    /// A percentile of the long flows: the default's over that with VAI and SF.
    pub(super) fn long_ratio(&self, p: f64) -> f64 {
        self.default.long_percentile(p) / self.both.long_percentile(p)
    }
}

impl Pools {
    pub(super) fn of(runs: &Runs) -> Self {
        let [hpcc, hpcc_both, swift, swift_both] = LAWS.map(|law| Pool::of(runs, law));
        Self {
            hpcc: Pair { default: hpcc, both: hpcc_both },
            swift: Pair { default: swift, both: swift_both },
        }
    }

    fn all(&self) -> [&Pool; 4] {
        [&self.hpcc.default, &self.hpcc.both, &self.swift.default, &self.swift.both]
    }

    pub(super) fn describe(&self, outcome: &mut Outcome, p: f64) {
        for pool in self.all() {
            pool.describe(outcome, p);
        }
    }

    /// A percentile of each point over its size, with 95 % intervals.
    pub(super) fn chart(&self, title: &str, y: &str, p: f64) -> Chart {
        let mut chart = over(title, "Flow size (B)", y);
        chart.x = Axis::log("Flow size (B)");
        for pool in self.all() {
            let mut series = Series::line(pool.name, []).fine();
            let mut points = Vec::new();
            for (largest, slowdowns) in equal_counts(pool.flows.iter().copied(), POINTS) {
                let x = largest.as_f64();
                points.extend(slowdowns.percentile(p).map(|value| (x, value)));
                let interval = percentile_interval(&slowdowns, p, CONFIDENCE);
                series.intervals.extend(interval.map(|interval| (x, interval.low, interval.high)));
            }
            series.curves = vec![points];
            chart.series.push(series);
        }
        chart.notes.push(
            "A point is 1 % of the flows; bars, where these are enough, are 95 % intervals.".to_owned(),
        );
        chart
    }

    /// A percentile by decades of size, with 95 % intervals.
    pub(super) fn decades(&self, title: &str, y: &str, p: f64) -> Chart {
        let mut chart = over(title, "Flow size (B)", y);
        chart.x = Axis::log("Flow size (B)");
        for pool in self.all() {
            let mut series = Series::line(pool.name, []).marked(Marks::Points);
            let mut points = Vec::new();
            for row in SizeBins::decades().table(pool.flows.iter().copied()) {
                let (above, up_to) = (row.sizes.above.unwrap_or(Bytes::ZERO), row.sizes.up_to);
                let inside = |flow: &&SizedSlowdown| {
                    flow.bytes > above && up_to.is_none_or(|up_to| flow.bytes <= up_to)
                };
                let values = Sorted::new(pool.flows.iter().filter(inside).map(|flow| flow.slowdown));
                // The largest flows are drawn at the next power of ten.
                let x = up_to.unwrap_or(Bytes::from_mb(10)).as_f64();
                points.extend(values.percentile(p).map(|value| (x, value)));
                if let Some(interval) = percentile_interval(&values, p, CONFIDENCE) {
                    series.intervals.push((x, interval.low, interval.high));
                }
            }
            series.curves = vec![points];
            chart.series.push(series);
        }
        chart
            .notes
            .push("Points stand at the upper end of their decade; bars are 95 % intervals.".to_owned());
        chart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 900 flows of 10 kB and 100 of 2 MB with these slowdowns: ninety points of small flows, ten of long ones.
    fn pool(small: f64, long: impl Fn(usize) -> f64) -> Pool {
        let flow = |bytes: Bytes, slowdown: f64| SizedSlowdown { bytes, slowdown };
        let small = (0..900).map(|_| flow(Bytes::from_kb(10), small));
        Pool::with(small.chain((0..100).map(|index| flow(Bytes::from_mb(2), long(index)))).collect())
    }

    #[test]
    fn long_and_small_flows_are_compared_apart() {
        // Long: 1, 2 … 100 against 1, 1, 2, 2 … 50. Of 100 sorted values element 99 is the last: 100 and 50.
        let pair = Pair {
            default: pool(1.0, |index| (index + 1) as f64),
            both: pool(1.05, |index| (index / 2 + 1) as f64),
        };
        assert!((pair.long_ratio(0.99) - 2.0).abs() < 1e-12);
        assert!((pair.tail_of_small_points() - 1.05).abs() < 1e-12);
        assert!((pair.change_of_small_medians() - 0.05).abs() < 1e-12);
        // Ten points of ten flows: the largest are 10, 20 … 100 against 5, 10 … 50.
        assert!((pair.tail_of_long_points() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_megabyte_is_not_long_and_nothing_has_no_percentile() {
        let flow = SizedSlowdown { bytes: LONG, slowdown: 3.0 };
        assert!(Pool::with(vec![flow]).long_percentile(0.5).is_nan());
    }
}
