//! What a finished run showed, as figures ask for it: means, spreads and times, by groups of flows.
//!
//! Times are in milliseconds and values in the units of the papers' axes: rates in Gb/s, delays in
//! microseconds, windows and queues in kilobytes.

use crate::error::Error;
use crate::results;
use plimsoll_metrics::fairness::jain;
use plimsoll_metrics::files::Results;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Sample, Sink};
use plimsoll_scenario::select::{Ports, Switches};
use plimsoll_scenario::{Network, Scenario};
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// From one time to another, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Window {
    /// The last part of it, where what began at its beginning has settled.
    pub(crate) fn last(self, part: f64) -> Self {
        Self { from: self.to - (self.to - self.from) * part, ..self }
    }

    fn holds(self, time: f64) -> bool {
        self.from < time && time <= self.to
    }
}

/// A curve: times in milliseconds and values.
pub(crate) type Curve = Vec<(f64, f64)>;

/// A finished run.
pub(crate) struct Observed {
    network: Network,
    groups: Vec<String>,
    /// What became of each message; connections with one message are flows.
    pub(crate) messages: Vec<MessageRecord>,
    series: Gathered,
    /// When the run ended, in milliseconds.
    pub(crate) end: f64,
    /// A full packet on the wire over its payload.
    framing: f64,
}

/// Readings by name and subject.
#[derive(Default)]
struct Gathered(HashMap<(&'static str, u32), Curve>);

impl Sink<Sample> for Gathered {
    fn put(&mut self, sample: Sample) -> io::Result<()> {
        let reading = sample.reading;
        let scale = match reading.unit() {
            "ps" => 1e-6,
            "bit/s" => 1e-9,
            "B" => 1e-3,
            _ => 1.0,
        };
        let point = (milliseconds(sample.at.since_start().as_secs_f64()), reading.value() as f64 * scale);
        self.0.entry((reading.name(), sample.subject)).or_default().push(point);
        Ok(())
    }
}

fn milliseconds(seconds: f64) -> f64 {
    seconds * 1e3
}

impl Observed {
    /// Reads the results of a scenario.
    pub(crate) fn read(scenario: &Scenario, folder: &Path) -> Result<Self, Error> {
        let results = Results::open(folder).map_err(results::problem(folder))?;
        let mut messages = Vec::new();
        results.flows(&mut messages).map_err(results::problem(folder))?;
        let mut series = Gathered::default();
        results.series(&mut series).map_err(results::problem(folder))?;
        let refused = |refusal: plimsoll_scenario::Refusal| Error::Refused(refusal.to_string());
        let network = scenario.network().map_err(refused)?;
        let groups = scenario.workload(&network, scenario.seed).map_err(refused)?.groups;
        let end = milliseconds(results.summary().simulated.as_secs_f64());
        let host = scenario.host.host();
        let framing = host.mtu.as_f64() / host.mss.as_f64();
        Ok(Self { network, groups, messages, series, end, framing })
    }

    /// The second half of the run.
    pub(crate) fn second_half(&self) -> Window {
        Window { from: self.end / 2.0, to: self.end }
    }

    /// What 1 Gb/s of payload of a group's first flow is of its host's link, with headers.
    pub(crate) fn share_of_line(&self, group: &str) -> f64 {
        let from = self.flows(group).first().map(|flow| flow.from);
        let link = self.network.links.iter().find(|link| from.is_some_and(|from| link.ends.contains(&from)));
        self.framing / link.map_or(f64::NAN, |link| link.rate.as_bps_f64() * 1e-9)
    }

    /// The flows of a group, in the order of their starts.
    pub(crate) fn flows(&self, group: &str) -> Vec<&MessageRecord> {
        let number = self.groups.iter().position(|name| name == group);
        self.messages.iter().filter(|message| Some(usize::from(message.group)) == number).collect()
    }

    /// The flows of all groups whose names begin so.
    pub(crate) fn flows_of_family(&self, beginning: &str) -> Vec<&MessageRecord> {
        let belongs =
            |group: u16| self.groups.get(usize::from(group)).is_some_and(|name| name.starts_with(beginning));
        self.messages.iter().filter(|message| belongs(message.group)).collect()
    }

    /// When the first flow of a group began.
    pub(crate) fn start(&self, group: &str) -> f64 {
        let starts = self.flows(group).into_iter().map(|flow| flow.start.since_start().as_secs_f64());
        milliseconds(starts.fold(f64::INFINITY, f64::min))
    }

    /// The times between these moments, to the end of the run.
    pub(crate) fn steps(&self, begins: &[f64]) -> Vec<Window> {
        let ends = begins.iter().skip(1).copied().chain([self.end]);
        begins.iter().zip(ends).map(|(&from, to)| Window { from, to }).collect()
    }

    /// A reading of a connection over time.
    pub(crate) fn curve(&self, reading: &'static str, connection: u32) -> &[(f64, f64)] {
        self.series.0.get(&(reading, connection)).map_or(&[], Vec::as_slice)
    }

    /// A reading of a port, `leaf0>spine0`, over time.
    pub(crate) fn port(&self, reading: &'static str, name: &str) -> &[(f64, f64)] {
        let ports = Ports(vec![name.to_owned()]).resolve(&self.network).unwrap_or_default();
        ports.first().map_or(&[], |port| self.curve(reading, *port))
    }

    /// A reading of a switch, `tor0`, over time.
    pub(crate) fn switch(&self, reading: &'static str, name: &str) -> &[(f64, f64)] {
        let switches = Switches(vec![name.to_owned()]).resolve(&self.network).unwrap_or_default();
        switches.first().map_or(&[], |switch| self.curve(reading, *switch))
    }

    /// The sum of a reading over the flows of these groups that are under way, over time.
    pub(crate) fn sum(&self, reading: &'static str, groups: &[&str]) -> Curve {
        let flows = groups.iter().flat_map(|group| self.flows(group));
        let mut points: Curve =
            flows.flat_map(|flow| self.curve(reading, flow.connection)).copied().collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let moments = points.chunk_by(|one, other| one.0 == other.0);
        moments
            .filter_map(|moment| Some((moment.first()?.0, moment.iter().map(|point| point.1).sum())))
            .collect()
    }

    /// How long the queue of a port takes to drain, in microseconds, over time.
    pub(crate) fn wait(&self, name: &str) -> Curve {
        let ports = Ports(vec![name.to_owned()]).resolve(&self.network).unwrap_or_default();
        let Some(&port) = ports.first() else { return Curve::new() };
        let rate = self.network.links.get(port as usize / 2).map_or(f64::NAN, |link| link.rate.as_bps_f64());
        self.curve("queue", port).iter().map(|(at, kilobytes)| (*at, kilobytes * 8e9 / rate)).collect()
    }

    /// The mean of a reading over the flows of a group and a time; NaN if there is none.
    pub(crate) fn mean(&self, reading: &'static str, group: &str, window: Window) -> f64 {
        let flows = self.flows(group);
        mean(flows.iter().map(|flow| mean_within(self.curve(reading, flow.connection), window)))
    }

    /// The mean rate of a group's flows, in Gb/s.
    pub(crate) fn rate(&self, group: &str, window: Window) -> f64 {
        self.mean("goodput", group, window)
    }

    /// Jain's index of the mean rates of those flows of these groups that were under way.
    pub(crate) fn jain(&self, groups: &[&str], window: Window) -> f64 {
        let flows = groups.iter().flat_map(|group| self.flows(group));
        let rates = flows.map(|flow| mean_within(self.curve("goodput", flow.connection), window));
        jain(rates.filter(|rate| !rate.is_nan())).unwrap_or(f64::NAN)
    }

    /// The share of a link's time in which it was busy, from its port's throughput.
    pub(crate) fn throughput(&self, port: &str, window: Window) -> f64 {
        mean_within(self.port("throughput", port), window)
    }
}

/// The mean; NaN of nothing.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    Sorted::new(values).mean().unwrap_or(f64::NAN)
}

/// The mean of a curve in a time; NaN if it has no point there.
pub(crate) fn mean_within(curve: &[(f64, f64)], window: Window) -> f64 {
    mean(within(curve, window).map(|(_, value)| value))
}

/// The part of a curve in a time.
pub(crate) fn within(curve: &[(f64, f64)], window: Window) -> impl Iterator<Item = (f64, f64)> {
    curve.iter().copied().filter(move |(at, _)| window.holds(*at))
}

/// Means of a curve over bins of this width, in milliseconds, at their ends.
pub(crate) fn binned(curve: &[(f64, f64)], width: f64) -> Curve {
    // A point belongs to the interval that ends at its time.
    let bin = |at: f64| (at / width - 1e-6).ceil();
    let bins = curve.chunk_by(|one, other| bin(one.0) == bin(other.0));
    bins.filter_map(|points| Some((bin(points.first()?.0) * width, mean(points.iter().map(|point| point.1)))))
        .collect()
}

/// The standard deviation of a curve in a time, of `n` values over n.
pub(crate) fn deviation(curve: &[(f64, f64)], window: Window) -> f64 {
    let centre = mean_within(curve, window);
    mean(within(curve, window).map(|(_, value)| (value - centre) * (value - centre))).sqrt()
}

/// A percentile of a curve in a time.
pub(crate) fn percentile(curve: &[(f64, f64)], window: Window, p: f64) -> f64 {
    Sorted::new(within(curve, window).map(|(_, value)| value)).percentile(p).unwrap_or(f64::NAN)
}

/// The first time in a window at which a curve is at least so high.
pub(crate) fn reaches(curve: &[(f64, f64)], window: Window, goal: f64) -> Option<f64> {
    within(curve, window).find(|(_, value)| *value >= goal).map(|(at, _)| at)
}

/// Spearman's rank correlation; equal values share the mean of their ranks.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let rank = |values: Vec<f64>| -> Vec<f64> {
        let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
        let equal = |value: f64| values.iter().filter(|other| **other <= value).count() as f64 - below(value);
        values.iter().map(|&value| below(value) + (equal(value) - 1.0) / 2.0).collect()
    };
    let (first, second) =
        (rank(pairs.iter().map(|pair| pair.0).collect()), rank(pairs.iter().map(|pair| pair.1).collect()));
    // The mean of the ranks 0 … n − 1, with or without equals.
    let centre = (pairs.len() as f64 - 1.0) / 2.0;
    let product = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - centre) * (other - centre)).sum()
    };
    product(&first, &second) / (product(&first, &first) * product(&second, &second)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVE: [(f64, f64); 5] = [(1.0, 2.0), (2.0, 4.0), (3.0, 4.0), (4.0, 6.0), (5.0, 100.0)];
    const WINDOW: Window = Window { from: 0.5, to: 4.0 };

    #[test]
    fn a_window_has_its_end_and_not_its_beginning() {
        // Readings are means over the interval that ends at their time.
        assert_eq!(mean_within(&CURVE, Window { from: 1.0, to: 2.0 }), 4.0);
        assert_eq!(Window { from: 10.0, to: 40.0 }.last(1.0 / 3.0), Window { from: 30.0, to: 40.0 });
    }

    #[test]
    fn mean_and_deviation_of_four_values() {
        // 2, 4, 4, 6: mean 4; squares 4, 0, 0, 4: mean 2.
        assert_eq!(mean_within(&CURVE, WINDOW), 4.0);
        assert!((deviation(&CURVE, WINDOW) - 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(percentile(&CURVE, WINDOW, 0.5), 4.0);
        assert!(mean_within(&CURVE, Window { from: 7.0, to: 8.0 }).is_nan());
    }

    #[test]
    fn bins_hold_the_points_up_to_their_ends() {
        // (0, 2]: 2 and 4; (2, 4]: 4 and 6; (4, 6]: 100.
        assert_eq!(binned(&CURVE, 2.0), [(2.0, 3.0), (4.0, 5.0), (6.0, 100.0)]);
        assert_eq!(binned(&CURVE, 1.0), CURVE);
    }

    #[test]
    fn a_goal_is_reached_where_the_curve_first_is_as_high() {
        assert_eq!(reaches(&CURVE, WINDOW, 4.0), Some(2.0));
        assert_eq!(reaches(&CURVE, WINDOW, 7.0), None);
    }

    #[test]
    fn spearman_of_known_orders() {
        let with = |ys: [f64; 4]| spearman(&[(1.0, ys[0]), (2.0, ys[1]), (3.0, ys[2]), (4.0, ys[3])]);
        assert_eq!((with([1.0, 5.0, 6.0, 9.0]), with([9.0, 6.0, 5.0, 1.0])), (1.0, -1.0));
        // Ranks 0 1 2 3 against 1 0 2 3: squares 1 + 1 = 2; 1 − 6 · 2/(4 · 15) = 0.8.
        assert!((with([2.0, 1.0, 3.0, 4.0]) - 0.8).abs() < 1e-12);
        // Ranks −1.5 −0.5 0.5 1.5 against −1 −1 0.5 1.5 (centred): 1.5 + 0.5 + 0.25 + 2.25 = 4.5;
        // squares 5 and 4.5; 4.5/√22.5 = 0.9487.
        assert!((with([1.0, 1.0, 2.0, 3.0]) - 0.948_683_298).abs() < 1e-9);
    }
}
