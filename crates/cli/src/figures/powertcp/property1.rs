//! Property 1 with packets: power is bandwidth times the windows behind it.

use super::{BASE_RTT, BDP_KB, LINK};
use crate::claims::number;
use crate::figures::Outcome;
use crate::figures::observed::{Curve, Observed, Window, mean, mean_within, percentile};
use crate::figures::pictures::{over_time, thin};
use crate::figures::runs::Runs;
use plimsoll_report::Series;

const PORT: &str = "s0>h4";
/// When nobody has come or gone for a millisecond.
const SETTLED: [Window; 3] =
    [Window { from: 3.0, to: 6.0 }, Window { from: 7.0, to: 8.0 }, Window { from: 9.0, to: 12.0 }];
const GROUPS: [&str; 4] = ["one", "two", "four", "guest"];
/// Time over which arrivals are counted: half a base round trip, 5 samples.
const SPAN: usize = 5;
/// From a sender to the bottleneck, in milliseconds: a link of 4.96 µs and a packet's 0.08 µs.
const FORWARD: f64 = 0.005_04;

/// Power over bandwidth, in KB: (q + bτ) · λ/b while there is a queue. λ is what was sent and what the queue grew by.
fn power(run: &Observed) -> Curve {
    let (queue, sent) = (run.port("queue", PORT), run.port("throughput", PORT));
    let gbps = LINK.as_gbps_f64();
    let at = |index: usize| {
        let (from, to) = (queue.get(index)?, queue.get(index + SPAN)?);
        let rates = sent.get(index + 1..=index + SPAN)?;
        // KB per ms are 8 Mb/s.
        let growth = (to.1 - from.1) / (to.0 - from.0) * 8e-3;
        let arrivals = mean(rates.iter().map(|rate| rate.1)) + growth;
        let middle = (from.0 + to.0) / 2.0;
        let waiting = queue.get(index..=index + SPAN)?.iter().map(|point| point.1);
        let all_wait = waiting.clone().all(|kilobytes| kilobytes > 0.0);
        all_wait.then(|| (middle, (mean(waiting) + BDP_KB) * arrivals / gbps))
    };
    (0..queue.len()).filter_map(at).collect()
}

/// Windows when what arrives was sent: their mean over the same span, a forward delay earlier.
fn before(windows: &[(f64, f64)], at: f64) -> f64 {
    let half = SPAN as f64 * 0.001;
    let from = windows.partition_point(|point| point.0 < at - FORWARD - half - 1e-9);
    let to = windows.partition_point(|point| point.0 <= at - FORWARD + half + 1e-9);
    mean(windows.get(from..to).unwrap_or_default().iter().map(|point| point.1))
}

/// How far power is from the windows (or what is in flight) behind it, in percent.
fn errors(power: &[(f64, f64)], behind: &[(f64, f64)]) -> Curve {
    let error = |(at, power): &(f64, f64)| (*at, 100.0 * (power / before(behind, *at) - 1.0).abs());
    power.iter().map(error).filter(|(_, error)| error.is_finite()).collect()
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.setting("link", LINK);
    outcome.setting("base round trip τ", BASE_RTT);
    for (variant, name, [mean_error, median], file) in [
        ("committed", "One reference a round trip", ["error", "error_median"], "power"),
        ("printed", "As printed", ["printed_error", "printed_error_median"], "power-printed"),
    ] {
        let run = runs.get(variant)?;
        let (windows, power) = (run.sum("window", &GROUPS), power(run));
        let errors = errors(&power, &windows);
        let all = Window { from: 0.0, to: run.end };
        outcome.measure(mean_error, mean(errors.iter().map(|(_, error)| *error)));
        outcome.measure(median, percentile(&errors, all, 0.5));
        outcome.setting(&format!("{name}: moments with a queue"), errors.len());
        let settled = mean(SETTLED.iter().map(|&window| mean_within(&errors, window)));
        outcome.setting(
            &format!("{name}: mean difference when nobody has come or gone for 1 ms (%)"),
            number(settled),
        );
        let flight = self::errors(&power, &run.sum("in-flight", &GROUPS));
        let flight = mean(flight.iter().map(|(_, error)| *error));
        outcome.setting(&format!("{name}: mean difference from what is in flight (%)"), number(flight));
        let mut chart = over_time(&format!("{name}: power and windows (Property 1)"), "Bytes (KB)");
        chart.series.push(Series::line("power over bandwidth", thin(&power)).fine());
        let behind: Curve = power.iter().map(|(at, _)| (*at, before(&windows, *at))).collect();
        chart.series.push(Series::line("windows when it was sent", thin(&behind)).fine());
        outcome.chart(file, chart);
    }
    Ok(outcome)
}
