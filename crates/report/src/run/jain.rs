//! Jain's index over time, from readings of goodput.

use super::curve::COARSE;
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::fairness::jain;

/// Goodputs of one moment by flow, ascending.
type Goodputs = Vec<(u32, f64)>;

/// Jain's index among flows that have readings throughout, and before and after as well: those that came or
/// went meanwhile had no chance. Over a few microseconds flows differ by whole packets however fair they are,
/// so that a long run is cut into a bounded number of bins, as curves of rates are.
#[derive(Clone, Debug)]
pub(super) struct Jain {
    /// Flows are compared only if each connection is one.
    applies: bool,
    before: Goodputs,
    now: Option<(f64, Goodputs)>,
    bins: Vec<Bin>,
    /// How many moments a bin has.
    each: u32,
}

#[derive(Clone, Debug, Default)]
struct Bin {
    /// The last of its moments.
    at: f64,
    moments: u32,
    /// Of each flow the sum of its goodputs and how many there are, ascending by flow.
    flows: Vec<(u32, f64, u32)>,
}

impl Jain {
    pub(super) fn new(messages: &[MessageRecord]) -> Self {
        let mut connections: Vec<u32> = messages.iter().map(|message| message.connection).collect();
        connections.sort_unstable();
        let applies = connections.windows(2).all(|pair| pair[0] != pair[1]);
        Self { applies, before: Vec::new(), now: None, bins: Vec::new(), each: 1 }
    }

    /// The goodputs of a moment.
    pub(super) fn put(&mut self, at: f64, mut values: Goodputs) {
        if !self.applies {
            return;
        }
        values.sort_unstable_by_key(|(flow, _)| *flow);
        if let Some((then, now)) = self.now.take() {
            self.count(then, &now, &values);
            self.before = now;
        }
        self.now = Some((at, values));
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) {
        if let Some((then, now)) = self.now.take() {
            self.count(then, &now, &now);
        }
    }

    fn count(&mut self, at: f64, now: &Goodputs, after: &Goodputs) {
        let has =
            |values: &Goodputs, flow: u32| values.binary_search_by_key(&flow, |(flow, _)| *flow).is_ok();
        let whole = now.iter().filter(|(flow, _)| has(&self.before, *flow) && has(after, *flow));
        let moment = Bin { at, moments: 1, flows: whole.map(|(flow, value)| (*flow, *value, 1)).collect() };
        match self.bins.last_mut() {
            Some(bin) if bin.moments < self.each => *bin = bin.and(&moment),
            _ => self.bins.push(moment),
        }
        let full = self.bins.last().is_some_and(|bin| bin.moments == self.each);
        if full && self.bins.len() >= COARSE {
            let merged = |pair: &[Bin]| match pair {
                [first, second] => first.and(second),
                rest => rest.first().cloned().unwrap_or_default(),
            };
            self.bins = self.bins.chunks(2).map(merged).collect();
            self.each = self.each.saturating_mul(2);
        }
    }

    /// The index over time; bins without two flows to compare have none.
    pub(super) fn points(&self) -> Vec<(f64, f64)> {
        let index = |bin: &Bin| {
            let whole = bin.flows.iter().filter(|(_, _, count)| *count == bin.moments);
            let goodputs: Vec<f64> = whole.map(|(_, sum, _)| *sum).collect();
            if goodputs.len() < 2 { None } else { Some((bin.at, jain(goodputs)?)) }
        };
        self.bins.iter().filter_map(index).collect()
    }
}

impl Bin {
    /// This and the next one as one.
    fn and(&self, next: &Self) -> Self {
        let mut flows: Vec<(u32, f64, u32)> = Vec::with_capacity(self.flows.len().max(next.flows.len()));
        let (mut left, mut right) = (self.flows.iter().peekable(), next.flows.iter().peekable());
        loop {
            let flow = match (left.peek(), right.peek()) {
                (Some((a, ..)), Some((b, ..))) => *a.min(b),
                (Some((flow, ..)), None) | (None, Some((flow, ..))) => *flow,
                (None, None) => break,
            };
            let mut sum = (flow, 0.0, 0);
            for side in [&mut left, &mut right] {
                if let Some((_, value, count)) = side.next_if(|(number, ..)| *number == flow) {
                    sum = (flow, sum.1 + value, sum.2 + count);
                }
            }
            flows.push(sum);
        }
        Self { at: next.at, moments: self.moments + next.moments, flows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(moments: impl IntoIterator<Item = Goodputs>) -> Vec<(f64, f64)> {
        let mut jain = Jain::new(&[]);
        for (at, values) in moments.into_iter().enumerate() {
            jain.put(at as f64, values);
        }
        jain.finish();
        jain.points()
    }

    /// At 1 both share 20:10, J = 30² / (2 · (400 + 100)) = 0.9; at 0 and 2 one of them comes or goes.
    #[test]
    fn flows_that_come_or_go_are_not_compared() {
        let moments = [
            vec![(0, 30.0), (1, 3.0)],
            vec![(0, 20.0), (1, 10.0)],
            vec![(0, 30.0), (1, 1.0)],
            vec![(0, 40.0)],
        ];
        assert_eq!(over(moments), [(1.0, 0.9)]);
    }

    /// Two flows that take turns, a packet each, are fair over any two packets; of a third that was there only
    /// half of the time nothing is said.
    #[test]
    fn a_long_run_is_judged_by_means() {
        let turns = (0..10_000_u32).map(|n| {
            let mut values = vec![(0, f64::from(n % 2)), (1, f64::from((n + 1) % 2))];
            if (n / 40) % 2 == 0 {
                values.push((2, 0.1));
            }
            values
        });
        let points = over(turns);
        assert!(points.len() > COARSE / 2 && points.len() < COARSE, "{}", points.len());
        // The first moment of the run has nothing before it: its bin has one packet more of one flow.
        assert!(points.iter().skip(1).all(|(_, index)| *index > 0.999), "{points:?}");
    }

    #[test]
    fn connections_with_several_messages_are_not_compared() {
        let message = |message| MessageRecord {
            message,
            connection: 0,
            group: 0,
            from: 0,
            to: 1,
            bytes: plimsoll_units::Bytes::new(1),
            packets: 1,
            start: plimsoll_units::Time::ZERO,
            finish: None,
            delivered: None,
            ideal: plimsoll_units::Span::ZERO,
            retransmitted: 0,
            timeouts: 0,
            failure: None,
        };
        let mut jain = Jain::new(&[message(0), message(1)]);
        for at in 0..5 {
            jain.put(f64::from(at), vec![(0, 1.0), (1, 1.0)]);
        }
        jain.finish();
        assert!(jain.points().is_empty());
    }
}
