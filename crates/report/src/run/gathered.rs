//! [`Gathered`]: readings as curves, in memory that does not grow with the run.

use super::curve::{COARSE, Curve, FINE, Merge};
use super::jain::Jain;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Reading, Sample, Sink, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Flows that are drawn one by one, at most.
const FLOWS: usize = 16;
/// Ports and switches that are drawn one by one, at most.
const PORTS: usize = 8;

/// Readings of a run as curves. It takes them in the order in which a run writes them, by time and then by
/// reading.
#[derive(Clone, Debug)]
pub struct Gathered {
    panels: BTreeMap<&'static str, Panel>,
    /// Connections that are drawn.
    chosen: BTreeSet<u32>,
    /// The readings of one kind at one moment, until the next comes.
    moment: Option<Moment>,
    jain: Jain,
    end: f64,
}

#[derive(Clone, Debug)]
struct Moment {
    at: f64,
    reading: Reading,
    values: Vec<(u32, f64)>,
}

/// The curves of one reading.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    subject: Subject,
    drawn: BTreeMap<u32, Curve>,
    subjects: BTreeSet<u32>,
    /// A low, a middle and a high percentile.
    spread: [Curve; 3],
}

impl Gathered {
    /// For a run with these messages: they say which flows are drawn if there are too many.
    #[must_use]
    pub fn new(messages: &[MessageRecord]) -> Self {
        let mut starts: Vec<_> = messages.iter().map(|message| (message.start, message.connection)).collect();
        starts.sort_unstable();
        let mut seen = BTreeSet::new();
        let connections: Vec<u32> = starts
            .into_iter()
            .map(|(_, connection)| connection)
            .filter(|number| seen.insert(*number))
            .collect();
        let every = |index: usize| connections.get(index * connections.len() / FLOWS).copied();
        let chosen = if connections.len() <= FLOWS {
            connections.iter().copied().collect()
        } else {
            (0..FLOWS).filter_map(every).collect()
        };
        Self { panels: BTreeMap::new(), chosen, moment: None, jain: Jain::new(messages), end: 0.0 }
    }

    /// Nothing more comes.
    pub fn finish(&mut self) {
        self.close_moment();
        self.jain.finish();
    }

    /// The curves of a reading, if there are any.
    pub(crate) fn panel(&self, reading: &str) -> Option<&Panel> {
        self.panels.get(reading)
    }

    /// Jain's index over time.
    pub(crate) fn jain(&self) -> Vec<(f64, f64)> {
        self.jain.points()
    }

    /// When the last reading was, in picoseconds.
    pub(crate) fn end(&self) -> f64 {
        self.end
    }

    fn close_moment(&mut self) {
        let Some(moment) = self.moment.take() else { return };
        let panel = self.panels.entry(moment.reading.name()).or_insert_with(|| Panel::new(moment.reading));
        for (subject, value) in &moment.values {
            panel.put(&self.chosen, *subject, moment.at, *value);
        }
        panel.put_spread(moment.at, moment.values.iter().map(|(_, value)| *value));
        if let Reading::Goodput(_) = moment.reading {
            self.jain.put(moment.at, moment.values);
        }
    }
}

impl Sink<Sample> for Gathered {
    fn put(&mut self, sample: Sample) -> io::Result<()> {
        let at = sample.at.as_ps() as f64;
        self.end = self.end.max(at);
        let value = (sample.subject, sample.reading.value() as f64);
        match &mut self.moment {
            Some(moment) if moment.at == at && moment.reading.rank() == sample.reading.rank() => {
                moment.values.push(value);
            }
            _ => {
                self.close_moment();
                self.moment = Some(Moment { at, reading: sample.reading, values: vec![value] });
            }
        }
        Ok(())
    }
}

impl Panel {
    fn new(reading: Reading) -> Self {
        let (merge, most) = kind_of(reading);
        Self {
            subject: reading.subject(),
            drawn: BTreeMap::new(),
            subjects: BTreeSet::new(),
            spread: [Merge::Mean, Merge::Mean, merge].map(|merge| Curve::new(merge, most)),
        }
    }

    fn put(&mut self, chosen: &BTreeSet<u32>, subject: u32, at: f64, value: f64) {
        self.subjects.insert(subject);
        let wanted = match self.subject {
            Subject::Connection => chosen.contains(&subject),
            Subject::Port | Subject::Switch => self.drawn.len() < PORTS || self.drawn.contains_key(&subject),
        };
        if wanted {
            let like = &self.spread[2];
            self.drawn.entry(subject).or_insert_with(|| like.another()).put(at, value);
        }
    }

    fn put_spread(&mut self, at: f64, values: impl Iterator<Item = f64>) {
        let sorted = Sorted::new(values);
        for (curve, (_, share)) in self.spread.iter_mut().zip(shares(self.subject)) {
            if let Some(value) = sorted.percentile(share) {
                curve.put(at, value);
            }
        }
    }

    pub(crate) fn subject(&self) -> Subject {
        self.subject
    }

    /// How many subjects there are.
    pub(crate) fn subjects(&self) -> usize {
        self.subjects.len()
    }

    /// Whether there are so few that each has its line.
    pub(crate) fn is_drawn_one_by_one(&self) -> bool {
        self.drawn.len() == self.subjects.len()
    }

    /// The curves of single subjects.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = (u32, Vec<(f64, f64)>)> {
        self.drawn.iter().map(|(number, curve)| (*number, curve.points()))
    }

    /// The percentiles over all, the highest first, with their names.
    pub(crate) fn spread(&self) -> impl Iterator<Item = (&'static str, Vec<(f64, f64)>)> {
        let named = self.spread.iter().zip(shares(self.subject));
        named.rev().map(|(curve, (name, _))| (name, curve.points()))
    }
}

/// Of ports the longest queue counts, of flows those that are worse and better off than most.
fn shares(subject: Subject) -> [(&'static str, f64); 3] {
    match subject {
        Subject::Connection => [("p5", 0.05), ("median", 0.5), ("p95", 0.95)],
        Subject::Port | Subject::Switch => [("median", 0.5), ("p99", 0.99), ("largest", 1.0)],
    }
}

/// What stands for neighbours (where a peak matters, the peak), and how many points a curve has.
fn kind_of(reading: Reading) -> (Merge, usize) {
    match reading {
        Reading::Queue(_) | Reading::Buffer(_) => (Merge::Largest, FINE),
        Reading::Goodput(_) | Reading::Throughput(_) => (Merge::Mean, COARSE),
        _ => (Merge::Mean, FINE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::{Bytes, Time};

    fn gather(samples: &[Sample]) -> Gathered {
        let mut gathered = Gathered::new(&[]);
        samples.iter().for_each(|sample| gathered.put(*sample).unwrap());
        gathered.finish();
        gathered
    }

    #[test]
    fn many_ports_become_percentiles() {
        let queue = |port: u32| Sample {
            at: Time::from_ps(5),
            subject: port,
            reading: Reading::Queue(Bytes::new(u64::from(port))),
        };
        let few = gather(&[queue(0), queue(1)]);
        assert!(few.panel("queue").unwrap().is_drawn_one_by_one());
        let many = gather(&(0..100).map(queue).collect::<Vec<_>>());
        let panel = many.panel("queue").unwrap();
        assert!(!panel.is_drawn_one_by_one() && panel.subjects() == 100);
        // Element ⌊100 · 0.5⌋ of 0 … 99 is 50, ⌊100 · 0.99⌋ is 99.
        let spread: Vec<_> = panel.spread().map(|(name, points)| (name, points[0].1)).collect();
        assert_eq!(spread, [("largest", 99.0), ("p99", 99.0), ("median", 50.0)]);
    }
}
