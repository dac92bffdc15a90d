//! What the staggered incasts of Figs. 1–3, 5, 6, 8 and 9 show: fairness and queue over time, starts and finishes.

use crate::figures::Outcome;
use crate::figures::observed::{Curve, Observed, Window, binned, deviation, mean_within, within};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::fairness::jain;
use plimsoll_report::{Chart, Marks, Series};
use plimsoll_units::Time;

/// Shares are compared over so many milliseconds, as long as the time between two starts.
const BIN: f64 = 0.02;
/// Who starts later than this after a bin's beginning is not there for the whole bin; draws of the seed are shorter.
const LATE: f64 = BIN / 100.0;
/// From this index on shares count as fair.
const FAIR: f64 = 0.9;
/// Queues are looked at from here on after the last start: 0.5 ms in the incast of 16, as FIGURES.md has it.
const SETTLED: f64 = 0.36;

/// A queue with more readings is drawn by its means: it swings with every start, and lines would cover each other.
const READABLE: usize = 1_000;

/// A law's variants: names in `claims.toml` and in pictures.
pub(super) type Variants = [(&'static str, &'static str)];

pub(super) const HPCC: &Variants =
    &[("hpcc", "HPCC"), ("hpcc-1gbps", "HPCC 1Gbps"), ("hpcc-probabilistic", "HPCC Probabilistic")];
pub(super) const SWIFT: &Variants =
    &[("swift", "Swift"), ("swift-1gbps", "Swift 1Gbps"), ("swift-probabilistic", "Swift Probabilistic")];

fn milliseconds(time: Time) -> f64 {
    time.since_start().as_secs_f64() * 1e3
}

/// From the start to the last ack; a flow that did not complete has no finish.
fn span(flow: &MessageRecord) -> (f64, Option<f64>) {
    (milliseconds(flow.start), flow.finish.map(milliseconds))
}

pub(super) fn last_start(run: &Observed) -> f64 {
    run.messages.iter().map(|flow| span(flow).0).fold(0.0, f64::max)
}

fn last_finish(run: &Observed) -> f64 {
    run.messages.iter().filter_map(|flow| span(flow).1).fold(0.0, f64::max)
}

/// Jain's index of a bin.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fairness {
    /// When the bin ends, in milliseconds.
    at: f64,
    index: f64,
    /// How many flows were there for the whole bin; the index is theirs.
    there: usize,
}

/// A flow's start, its finish if it has one, and its rate by bins.
type Shares = (f64, Option<f64>, Curve);

/// Jain's index over time: of the flows that were there for the whole bin.
fn fairness(run: &Observed) -> Vec<Fairness> {
    let shares = |flow: &MessageRecord| {
        let (start, finish) = span(flow);
        (start, finish, binned(run.curve("goodput", flow.connection), BIN))
    };
    fairness_of(&run.messages.iter().map(shares).collect::<Vec<_>>(), last_finish(run))
}

fn fairness_of(flows: &[Shares], end: f64) -> Vec<Fairness> {
    let of_bin = |bin: usize| {
        let (from, to) = (bin as f64 * BIN, (bin + 1) as f64 * BIN);
        let there = flows
            .iter()
            .filter(|(start, finish, _)| *start <= from + LATE && finish.is_none_or(|finish| finish >= to));
        // A bin in which a flow delivered nothing has no reading, or one of zero.
        let rate = |curve: &Curve| {
            curve.iter().find(|(at, _)| (at - to).abs() < BIN / 2.0).map_or(0.0, |(_, rate)| *rate)
        };
        let rates: Vec<f64> = there.map(|(_, _, curve)| rate(curve)).collect();
        Some(Fairness { at: to, there: rates.len(), index: jain(rates)? })
    };
    (0..(end / BIN) as usize).filter_map(of_bin).collect()
}

/// The first bin after the last start with fair shares. Flows that have left do not count: with a law that lets
/// them go one by one, those few who are left may be the first who share fairly. [`settings`] says how many they were.
fn first_fair(bins: &[Fairness], last_start: f64) -> Option<Fairness> {
    bins.iter().copied().find(|bin| bin.at > last_start + BIN / 2.0 && bin.index >= FAIR)
}

/// The largest index that all flows had together.
fn fairest_of_all(bins: &[Fairness], flows: usize) -> Option<f64> {
    bins.iter().filter(|bin| bin.there == flows).map(|bin| bin.index).reduce(f64::max)
}

/// How long after the last start the shares of those who are there are first fair, in microseconds; never is for ever.
pub(super) fn time_to_fair(run: &Observed) -> f64 {
    let last = last_start(run);
    first_fair(&fairness(run), last).map_or(f64::INFINITY, |bin| ((bin.at - last) * 1e3).round())
}

/// `fair after 760 µs (3 of 16 flows left; all together at most 0.62)`
fn fairness_in_words(run: &Observed) -> String {
    let (bins, flows) = (fairness(run), run.messages.len());
    let all = fairest_of_all(&bins, flows)
        .map_or("never there together".to_owned(), |index| format!("all together at most {index:.2}"));
    match first_fair(&bins, last_start(run)) {
        Some(bin) => {
            format!("fair after {} µs ({} of {flows} flows there; {all})", time_to_fair(run), bin.there)
        }
        None => format!("never fair ({all})"),
    }
}

/// The bottleneck's queue over time, in kilobytes.
fn queue(run: &Observed) -> &[(f64, f64)] {
    let receiver = run.messages.first().map_or(0, |flow| flow.to);
    run.port("queue", &format!("s0>h{receiver}"))
}

fn from(run: &Observed, start: f64) -> Window {
    Window { from: start, to: last_finish(run) }
}

/// The standard deviation of the queue from a moment until the last finish, in kilobytes.
pub(super) fn queue_deviation(run: &Observed, start: f64) -> f64 {
    deviation(queue(run), from(run, start))
}

/// Its mean once the flows have settled.
pub(super) fn mean_queue(run: &Observed) -> f64 {
    mean_within(queue(run), from(run, last_start(run) + SETTLED))
}

/// Kendall's rank correlation of starts and finishes, of the pairs that did not start together.
pub(super) fn kendall(run: &Observed) -> f64 {
    let spans: Vec<(f64, f64)> =
        run.messages.iter().map(span).filter_map(|(start, finish)| Some((start, finish?))).collect();
    correlation(&spans)
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (index, one) in pairs.iter().enumerate() {
        for other in pairs.iter().skip(index + 1).filter(|other| (other.0 - one.0).abs() > BIN / 2.0) {
            let product = (other.0 - one.0) * (other.1 - one.1);
            sum += f64::from(u8::from(product > 0.0)) - f64::from(u8::from(product < 0.0));
            count += 1.0;
        }
    }
    sum / count
}

/// From the first finish to the last, in microseconds; for ever if a flow has none.
pub(super) fn spread(run: &Observed) -> f64 {
    let finishes: Option<Vec<f64>> = run.messages.iter().map(|flow| span(flow).1).collect();
    let Some(finishes) = finishes else { return f64::INFINITY };
    let first = finishes.iter().copied().fold(f64::INFINITY, f64::min);
    (last_finish(run) - first) * 1e3
}

fn microseconds(curve: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + '_ {
    curve.iter().map(|(at, value)| (at * 1e3, *value))
}

/// Jain's index of these variants.
pub(super) fn fairness_chart(runs: &Runs, title: &str, variants: &Variants) -> Result<Chart, String> {
    let mut chart = over(title, "Time (µs)", "Jain's index of active flows");
    chart.y = chart.y.from_to(0.0, 1.05);
    for (variant, name) in variants {
        let bins = fairness(runs.get(variant)?);
        let indices = bins.iter().map(|bin| (bin.at * 1e3, bin.index));
        chart.series.push(Series::line(name, indices).fine());
    }
    Ok(chart)
}

/// The queue of these variants.
pub(super) fn queue_chart(runs: &Runs, title: &str, variants: &Variants) -> Result<Chart, String> {
    let mut chart = over(title, "Time (µs)", "Queue (kB)");
    let mut means = false;
    for (variant, name) in variants {
        let run = runs.get(variant)?;
        let mut curve: Curve = within(queue(run), from(run, -1.0)).collect();
        if curve.len() > READABLE {
            (curve, means) = (binned(&curve, BIN), true);
        }
        chart.series.push(Series::line(name, microseconds(&curve)).fine());
    }
    if means {
        chart.notes.push("Means over 20 µs.".to_owned());
    }
    Ok(chart)
}

/// Starts and finishes of these variants.
pub(super) fn finish_chart(runs: &Runs, title: &str, variants: &Variants) -> Result<Chart, String> {
    let mut chart = over(title, "Start (µs)", "Finish (µs)");
    for (variant, name) in variants {
        let spans = runs.get(variant)?.messages.iter().map(span);
        let points = spans.filter_map(|(start, finish)| Some((start * 1e3, finish? * 1e3)));
        chart.series.push(Series::line(name, points).marked(Marks::Only));
    }
    Ok(chart)
}

/// What was measured of each variant, for the report.
pub(super) fn settings(outcome: &mut Outcome, runs: &Runs, variants: &Variants) -> Result<(), String> {
    for (variant, name) in variants {
        let run = runs.get(variant)?;
        outcome.setting(
            name,
            format!(
                "{}; queue {:.1} kB, deviation {:.1} kB; τ of start and finish {:.2}, last finish {:.0} µs, {:.0} µs after the first",
                fairness_in_words(run),
                mean_queue(run),
                queue_deviation(run, last_start(run) + SETTLED),
                kendall(run),
                last_finish(run) * 1e3,
                spread(run),
            ),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three flows with rates by bins of 20 µs; the third starts with the second bin, the first leaves after it.
    #[test]
    fn who_has_left_counts_no_more_and_is_missed() {
        let rates = |values: &[f64]| -> Curve {
            values.iter().enumerate().map(|(bin, rate)| ((bin + 1) as f64 * BIN, *rate)).collect()
        };
        let flows = [
            (0.0, Some(2.0 * BIN), rates(&[6.0, 8.0])),
            (0.0, None, rates(&[2.0, 1.0, 5.0])),
            (BIN, None, rates(&[0.0, 1.0, 5.0])),
        ];
        let bins = fairness_of(&flows, 3.0 * BIN);
        // 8²/(2 · 40) = 0.8; 10²/(3 · 66) = 0.505; then two with the same.
        let expected = [(0.8, 2), (100.0 / 198.0, 3), (1.0, 2)];
        for (bin, (index, there)) in bins.iter().zip(expected) {
            assert!((bin.index - index).abs() < 1e-12 && bin.there == there, "{bin:?}");
        }
        assert_eq!(bins.len(), 3);
        let fair = first_fair(&bins, BIN).unwrap();
        assert!(
            (fair.at - 3.0 * BIN).abs() < 1e-12 && fair.there == 2,
            "fair only without the first: {fair:?}"
        );
        assert_eq!(fairest_of_all(&bins, 3), Some(bins[1].index));
    }

    #[test]
    fn kendall_counts_pairs_that_agree_less_those_that_do_not() {
        // Starts 0, 0, 1, 2 with finishes 5, 6, 4, 7. The first two started together. (0,1): 5 → 4 and 6 → 4
        // disagree; (0,2): 5 → 7 and 6 → 7 agree; (1,2): 4 → 7 agrees. (3 − 2)/5.
        assert!((correlation(&[(0.0, 5.0), (0.0, 6.0), (1.0, 4.0), (2.0, 7.0)]) - 0.2).abs() < 1e-12);
        assert_eq!(correlation(&[(0.0, 3.0), (1.0, 2.0), (2.0, 1.0)]), -1.0);
    }
}
