//! The pictures of a run: what it recorded over time, and what became of its flows.
//!
//! One file per kind of picture. A picture that has nothing to show is left out. With many flows or
//! ports a picture shows percentiles over all of them, and a few of the flows in grey.

mod curve;
mod distribution;
mod fairness;
mod gathered;
mod jain;
mod page;
mod queue;
mod rates;
mod round_trip;
mod scale;
mod slowdown_by_size;
mod start_finish;
mod windows;

pub use distribution::slowdowns_of_laws;
pub use gathered::Gathered;
pub use page::RunPage;
pub use queue::queues_of_laws;
pub use slowdown_by_size::by_size_of_laws;

use crate::chart::{Axis, Chart, Series};
use gathered::Panel;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Subject};
use scale::TimeScale;

/// What the numbers in records are called.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Nodes, by number.
    pub nodes: Vec<String>,
    /// Ports, by number.
    pub ports: Vec<String>,
    /// Parts of the workload, by number.
    pub groups: Vec<String>,
}

impl Labels {
    fn node(&self, number: u32) -> String {
        self.nodes.get(number as usize).cloned().unwrap_or_else(|| format!("node {number}"))
    }

    fn port(&self, number: u32) -> String {
        self.ports.get(number as usize).cloned().unwrap_or_else(|| format!("port {number}"))
    }

    fn group(&self, number: u16) -> String {
        self.groups.get(usize::from(number)).cloned().unwrap_or_else(|| format!("group {number}"))
    }
}

/// A run as its files tell it.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// In front of every picture's title: the scenario and the law.
    pub title: &'a str,
    /// What became of each message.
    pub messages: &'a [MessageRecord],
    /// What was read over time.
    pub series: &'a Gathered,
    /// What numbers are called.
    pub labels: &'a Labels,
}

/// A picture and the name of its file, without ending.
#[derive(Clone, Debug)]
pub struct Picture {
    /// E.g. `queue`.
    pub name: &'static str,
    /// The picture.
    pub chart: Chart,
}

impl Recorded<'_> {
    /// All pictures that have something to show.
    #[must_use]
    pub fn pictures(&self) -> Vec<Picture> {
        let charts = [
            ("queue", queue::queues(self)),
            ("buffer", queue::buffers(self)),
            ("rates", rates::goodput(self)),
            ("throughput", rates::throughput(self)),
            ("jain", fairness::jain_over_time(self)),
            ("windows", windows::windows(self)),
            ("pacing", windows::pacing(self)),
            ("in-flight", windows::in_flight(self)),
            ("rtt", round_trip::round_trips(self)),
            ("hop-delay", round_trip::hop_delays(self)),
            ("slowdown-by-size", slowdown_by_size::slowdown_by_size(self)),
            ("slowdown-cdf", distribution::slowdowns(self)),
            ("latency-cdf", distribution::latencies(self)),
            ("start-finish", start_finish::start_finish(self)),
        ];
        charts.into_iter().filter_map(|(name, chart)| Some(Picture { name, chart: chart? })).collect()
    }

    /// What a subject is called.
    fn name_of(&self, subject: Subject, number: u32) -> String {
        match subject {
            Subject::Port => self.labels.port(number),
            Subject::Switch => self.labels.node(number),
            Subject::Connection => self.connection(number),
        }
    }

    /// `h3→h16`, with a number if several connections have the same ends.
    fn connection(&self, number: u32) -> String {
        let Some(message) = self.messages.iter().find(|message| message.connection == number) else {
            return format!("flow {number}");
        };
        let name = format!("{}→{}", self.labels.node(message.from), self.labels.node(message.to));
        let ends = |other: &&MessageRecord| (other.from, other.to) == (message.from, message.to);
        let several = self.messages.iter().filter(ends).any(|other| other.connection != number);
        if several { format!("{name} #{number}") } else { name }
    }

    /// A quantity over time, in units of `unit`; nothing if it was not recorded.
    fn over_time(&self, reading: &str, what: &str, label: &str, unit: f64) -> Option<Chart> {
        let panel = self.series.panel(reading)?;
        let time = TimeScale::up_to(self.end());
        let (mut series, notes) = self.curves(panel);
        let points = series.iter_mut().flat_map(|series| series.curves.iter_mut().flatten());
        points.for_each(|point| *point = (time.place(point.0), point.1 / unit));
        Some(Chart {
            title: format!("{}: {what}", self.title),
            x: time.axis(),
            y: Axis::linear(label),
            series,
            notes,
        })
    }

    /// Every subject's curve, or percentiles over many of them, and what to say about it.
    fn curves(&self, panel: &Panel) -> (Vec<Series>, Vec<String>) {
        if panel.is_drawn_one_by_one() {
            let name = |number| self.name_of(panel.subject(), number);
            let drawn = panel.drawn().map(|(number, points)| Series::line(&name(number), points).fine());
            return (drawn.collect(), Vec::new());
        }
        let spread = panel.spread().map(|(name, points)| Series::line(name, points));
        let all = panel.subjects();
        let (grey, note) = match panel.subject() {
            Subject::Connection => {
                let grey: Vec<Series> =
                    panel.drawn().map(|(_, points)| Series::guide("", points).fine()).collect();
                let few = grey.len();
                (grey, format!("Percentiles over all {all} flows at each moment; grey: {few} of them."))
            }
            Subject::Port => (Vec::new(), format!("Over all {all} recorded ports at each moment.")),
            Subject::Switch => (Vec::new(), format!("Over all {all} recorded switches at each moment.")),
        };
        (grey.into_iter().chain(spread).collect(), vec![note])
    }

    /// How long a point of this curve stands for; the last one may be shorter, and gaps longer.
    fn grain(points: &[(f64, f64)]) -> Option<String> {
        let steps = Sorted::new(points.windows(2).map(|pair| pair[1].0 - pair[0].0));
        Some(scale::time(steps.percentile(0.5)?))
    }

    /// When the last flow finished or, if some did not, the last reading was; in picoseconds.
    fn end(&self) -> f64 {
        let finishes = self.messages.iter().map(|message| message.finish);
        let all_done =
            !self.messages.is_empty() && self.messages.iter().all(|message| message.finish.is_some());
        let last = finishes.flatten().max().map_or(0.0, |finish| finish.as_ps() as f64);
        if all_done { last } else { last.max(self.series.end()) }
    }
}
