//! What a deployment is worth: slowdown, op latency and fairness of its runs, over seeds.

use crate::error::Error;
use crate::fluid_scenario::FluidScenario;
use crate::results;
use clap::ValueEnum;
use plimsoll_metrics::confidence::{Interval, mean_interval};
use plimsoll_metrics::fairness::jain;
use plimsoll_metrics::files::Results;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Reading, Sample, Sink};
use plimsoll_scenario::{Message, Scenario};
use plimsoll_units::{Rate, Time};
use std::io;
use std::path::Path;

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// The percentiles that are shown.
const PERCENTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// What deployments are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Metric {
    /// The median slowdown.
    P50,
    /// The 99th percentile of slowdown.
    P99,
    /// The 99.9th percentile of slowdown.
    P999,
    /// Jain's index.
    Fairness,
}

impl Metric {
    /// For axes and headings.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::P50 => "slowdown, median",
            Self::P99 => "slowdown, p99",
            Self::P999 => "slowdown, p99.9",
            Self::Fairness => "fairness (Jain's index)",
        }
    }

    /// How much better `this` is than `base`: less slowdown, or more fairness.
    fn better(self, this: f64, base: f64) -> f64 {
        if self == Self::Fairness { this - base } else { base - this }
    }
}

/// What one run yielded.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// Completion time over that in an empty network, by percentile.
    slowdown: [Option<f64>; 3],
    /// Completion time in microseconds, by percentile.
    latency: [Option<f64>; 3],
    fairness: Option<f64>,
}

impl Measured {
    fn metric(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::P50 => self.slowdown[0],
            Metric::P99 => self.slowdown[1],
            Metric::P999 => self.slowdown[2],
            Metric::Fairness => self.fairness,
        }
    }
}

/// A mean over seeds and, with two seeds or more, the interval that holds the true one with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    pub(crate) interval: Option<Interval>,
}

/// A deployment over seeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) slowdown: [Option<Mean>; 3],
    pub(crate) latency: [Option<Mean>; 3],
    pub(crate) fairness: Option<Mean>,
    /// What each seed yielded, in their order.
    runs: Vec<Measured>,
}

impl Row {
    pub(super) fn of(runs: &[Measured]) -> Self {
        Self {
            slowdown: std::array::from_fn(|at| mean(runs.iter().map(|run| run.slowdown[at]))),
            latency: std::array::from_fn(|at| mean(runs.iter().map(|run| run.latency[at]))),
            fairness: mean(runs.iter().map(|run| run.fairness)),
            runs: runs.to_vec(),
        }
    }

    pub(crate) fn seeds(&self) -> usize {
        self.runs.len()
    }

    /// By how many per cent of the other's mean this is better. Both had the same traffic with the same seed, so
    /// the interval is that of the seeds' differences: what a seed does to both is no doubt about the gain.
    pub(crate) fn gain_over(&self, base: &Self, metric: Metric) -> Option<Mean> {
        let whole = base.metric(metric)?.mean;
        let gain = |(this, base): (&Measured, &Measured)| {
            Some(100.0 * metric.better(this.metric(metric)?, base.metric(metric)?) / whole)
        };
        mean(self.runs.iter().zip(&base.runs).map(gain))
    }

    pub(crate) fn metric(&self, metric: Metric) -> Option<Mean> {
        match metric {
            Metric::P50 => self.slowdown[0],
            Metric::P99 => self.slowdown[1],
            Metric::P999 => self.slowdown[2],
            Metric::Fairness => self.fairness,
        }
    }
}

/// The mean of what every seed has.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<Mean> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    let sum = values.iter().sum::<f64>();
    (!values.is_empty())
        .then(|| Mean { mean: sum / values.len() as f64, interval: mean_interval(&values, CONFIDENCE) })
}

/// Whether the scenario has flows without an end: their fairness is that of rates.
fn has_endless(fluid: &FluidScenario) -> bool {
    fluid.workload.messages.iter().any(|message| message.bytes == Message::UNBOUNDED)
}

/// Reads a run's folder. Fairness is Jain's index of the endless flows' goodputs over the second half of the run,
/// each as a share of its max-min fair rate; without endless flows that of 1 / slowdown of what completed. Also gives
/// how many flows failed.
pub(super) fn read(folder: &Path, scenario: &Scenario) -> Result<(Measured, u64), Error> {
    let results = Results::open(folder).map_err(results::problem(folder))?;
    let mut messages: Vec<MessageRecord> = Vec::new();
    results.flows(&mut messages).map_err(results::problem(folder))?;
    let slowdowns = Sorted::new(messages.iter().filter_map(MessageRecord::slowdown));
    let latencies =
        Sorted::new(messages.iter().filter_map(MessageRecord::completion_time).map(|time| time.as_us_f64()));
    let fluid = FluidScenario::new(scenario)?;
    let fairness = if has_endless(&fluid) {
        let half = Time::after_start(scenario.duration.unwrap_or_default() / 2);
        let mut goodputs = Goodputs { from: half, sums: vec![(0.0, 0); fluid.workload.connections.len()] };
        results.series(&mut goodputs).map_err(results::problem(folder))?;
        let chosen = fluid.choose(None)?;
        let fair = fluid.allocate(&chosen.connections)?;
        let shares = chosen.connections.iter().zip(&fair.rates).map(|(&connection, &rate)| {
            let (sum, count) = goodputs.sums[connection];
            sum / f64::from(count.max(1)) / fluid.goodput(rate).max(Rate::from_bps(1)).as_bps_f64()
        });
        jain(shares)
    } else {
        jain(slowdowns.values().iter().map(|slowdown| 1.0 / slowdown))
    };
    let measured = Measured {
        slowdown: PERCENTILES.map(|p| slowdowns.percentile(p)),
        latency: PERCENTILES.map(|p| latencies.percentile(p)),
        fairness,
    };
    Ok((measured, results.summary().failed))
}

/// Sums goodputs of connections from a moment on.
struct Goodputs {
    from: Time,
    /// Of each connection the sum and how many.
    sums: Vec<(f64, u32)>,
}

impl Sink<Sample> for Goodputs {
    fn put(&mut self, sample: Sample) -> io::Result<()> {
        if let (Reading::Goodput(rate), Some((sum, count))) =
            (sample.reading, self.sums.get_mut(sample.subject as usize))
            && sample.at > self.from
        {
            *sum += rate.as_bps_f64();
            *count += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p99_and_fairness(p99: f64, fairness: f64) -> Measured {
        Measured { slowdown: [None, Some(p99), None], fairness: Some(fairness), ..Measured::default() }
    }

    #[test]
    fn less_slowdown_and_more_fairness_are_gains() {
        let (base, this) = (Row::of(&[p99_and_fairness(4.0, 0.75)]), Row::of(&[p99_and_fairness(3.0, 0.9)]));
        let gain = |metric| this.gain_over(&base, metric).unwrap().mean;
        assert!((gain(Metric::P99) - 25.0).abs() < 1e-9);
        assert!((gain(Metric::Fairness) - 20.0).abs() < 1e-9);
        assert_eq!(this.gain_over(&base, Metric::P50), None);
    }

    /// Slowdowns of 2 and 10 (mean 6) fall by 0.9 and 1.1: the seeds differ by 8, the differences by 0.2, so that
    /// the gain is 1/6 with a standard error of 0.1/6 and t = 12.706 for one degree of freedom.
    #[test]
    fn what_a_seed_does_to_both_is_no_doubt_about_the_gain() {
        let row = |first, second| Row::of(&[p99_and_fairness(first, 1.0), p99_and_fairness(second, 1.0)]);
        let gain = row(1.1, 8.9).gain_over(&row(2.0, 10.0), Metric::P99).unwrap();
        assert!((gain.mean - 100.0 / 6.0).abs() < 1e-9);
        assert!((gain.interval.unwrap().high - gain.mean - 12.706 * 10.0 / 6.0).abs() < 0.01);
    }

    /// Student's t for 95 % and 1 degree of freedom is 12.706; the standard error of 1 and 3 is 1.
    #[test]
    fn a_row_has_means_and_intervals_of_what_every_seed_has() {
        let run = |p50, p99| Measured { slowdown: [Some(p50), p99, None], ..Measured::default() };
        let row = Row::of(&[run(1.0, Some(5.0)), run(3.0, None)]);
        let median = row.metric(Metric::P50).unwrap();
        let interval = median.interval.unwrap();
        assert!((median.mean - 2.0).abs() < 1e-12 && (interval.high - 2.0 - 12.706).abs() < 1e-2);
        assert_eq!((row.metric(Metric::P99), row.seeds()), (None, 2));
    }
}
