//! What the figures of message latency (Figs. 19, 20a and 22) have in common.

use crate::figures::observed::Observed;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use crate::figures::{Outcome, logarithmic};
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::{Axis, Series};

/// Messages of the first quarter of the time in which they arrive find windows that are still growing.
const WARM_UP: f64 = 0.25;
/// Points of a distribution's curve.
const POINTS: usize = 200;
/// A curve ends where fewer messages than this take longer.
const TAIL: f64 = 10.0;
/// The messages that count; those of the incast do not.
const GROUPS: [&str; 4] = ["a-to-b", "b-to-a", "c-to-d", "d-to-c"];

/// How long a run's messages took, in microseconds.
pub(super) fn latencies(run: &Observed) -> Sorted {
    let messages = GROUPS.iter().flat_map(|group| run.flows(group)).map(|message| {
        let start = message.start.since_start().as_us_f64();
        (start, message.completion_time().map(|time| time.as_us_f64()))
    });
    after_warm_up(&messages.collect::<Vec<_>>())
}

/// The latencies of messages, given with their starts, after the warm-up; one that is not through is endless.
fn after_warm_up(messages: &[(f64, Option<f64>)]) -> Sorted {
    let last = messages.iter().map(|(start, _)| *start).fold(0.0, f64::max);
    let counted = messages.iter().filter(|(start, _)| *start >= WARM_UP * last);
    Sorted::new(counted.map(|(_, latency)| latency.unwrap_or(f64::INFINITY)))
}

/// A percentile of a variant's latencies.
pub(in crate::figures) fn percentile(runs: &Runs, variant: &str, p: f64) -> Result<f64, String> {
    Ok(latencies(runs.get(variant)?).percentile(p).unwrap_or(f64::NAN))
}

/// Draws the distributions of these variants, and lists their percentiles.
pub(in crate::figures) fn draw(
    outcome: &mut Outcome,
    runs: &Runs,
    variants: &[(&str, &str)],
) -> Result<(), String> {
    let mut chart = over("Latency of messages of 128 KiB", "", "");
    chart.x = Axis::log("Latency (µs)");
    chart.y = Axis::log("Share of messages that take longer");
    for (variant, name) in variants {
        let sorted = latencies(runs.get(variant)?);
        let at = |p: f64| sorted.percentile(p).unwrap_or(f64::NAN);
        let texts = [0.5, 0.99, 0.999].map(|p| format!("{:.1}", at(p)));
        outcome.setting(&format!("{name}: percentiles 50, 99, 99.9"), format!("{} µs", texts.join(", ")));
        let least = TAIL / sorted.values().len().max(1) as f64;
        let longer = logarithmic(1.0, least.min(1.0), POINTS);
        chart.series.push(Series::line(name, longer.map(|share| (at(1.0 - share), share))));
    }
    outcome.chart("latency", chart);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_left_out_and_the_unfinished_is_endless() {
        // The last message begins at 100, so those before 25 do not count.
        let messages =
            [(0.0, Some(90.0)), (24.0, Some(80.0)), (25.0, Some(7.0)), (60.0, None), (100.0, Some(5.0))];
        let sorted = after_warm_up(&messages);
        assert_eq!(sorted.values().len(), 3);
        assert_eq!((sorted.percentile(0.0), sorted.percentile(0.5)), (Some(5.0), Some(7.0)));
        assert_eq!(sorted.percentile(1.0), Some(f64::INFINITY));
    }
}
