//! Fig. 6: tails of slowdowns by the size of flows, at one load.

use super::schemes::present;
use super::tails::{Class, Tail, name, percentile_for, slowdown_so_far, slowdowns};
use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::runs::Runs;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::{Span, Time};

/// Upper ends of the artifact's bins of sizes, in KB.
const BINS: [f64; 15] =
    [5.0, 10.0, 20.0, 30.0, 50.0, 75.0, 100.0, 200.0, 400.0, 600.0, 800.0, 1e3, 5e3, 10e3, 30e3];

/// The tail of each bin, at the bin's end in KB.
fn by_size(run: &Observed, percentile: f64) -> Vec<(f64, Tail)> {
    let end = Time::after_start(Span::saturating_from_secs_f64(run.end * 1e-3));
    let mut bins: [Vec<f64>; BINS.len()] = Default::default();
    for flow in run.flows_of_family("websearch") {
        let kilobytes = flow.bytes.as_f64() / 1e3;
        let bin = BINS.iter().position(|up_to| kilobytes <= *up_to).unwrap_or(BINS.len() - 1);
        bins[bin].extend(slowdown_so_far(flow, end));
    }
    let tails = bins.into_iter().map(|values| Tail::of(&Sorted::new(values), percentile));
    BINS.into_iter().zip(tails).filter(|(_, tail)| tail.value.is_finite()).collect()
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let classes = [Class::Short, Class::Medium, Class::Long];
    let fewest = present(runs)
        .flat_map(|(_, run)| classes.map(|class| slowdowns(run, class).values().len()))
        .min()
        .unwrap_or(0);
    let percentile = percentile_for(fewest);
    outcome.setting("percentile", name(percentile));
    outcome.setting("flows in the smallest class", fewest);
    let tail = |variant: &str, class: Class| -> f64 {
        runs.get(variant).map_or(f64::NAN, |run| Tail::of(&slowdowns(run, class), percentile).value)
    };
    for (measure, class, over, under) in [
        ("short_hpcc", Class::Short, "powertcp", "hpcc"),
        ("short_timely", Class::Short, "powertcp", "timely"),
        ("short_dcqcn", Class::Short, "powertcp", "dcqcn"),
        ("short_homa", Class::Short, "powertcp", "homa"),
        ("homa_short", Class::Short, "homa", "powertcp"),
        ("short_theta_hpcc", Class::Short, "theta", "hpcc"),
        ("short_paper_hpcc", Class::Short, "powertcp-paper", "hpcc"),
        ("medium_hpcc", Class::Medium, "powertcp", "hpcc"),
        ("medium_timely", Class::Medium, "powertcp", "timely"),
        ("medium_dcqcn", Class::Medium, "powertcp", "dcqcn"),
        ("medium_homa", Class::Medium, "powertcp", "homa"),
        ("medium_theta", Class::Medium, "theta", "powertcp"),
        ("long_hpcc", Class::Long, "powertcp", "hpcc"),
    ] {
        outcome.measure(measure, tail(over, class) / tail(under, class));
    }
    for (scheme, run) in present(runs) {
        let text = classes.map(|class| Tail::of(&slowdowns(run, class), percentile).to_string());
        outcome.setting(&format!("{scheme}: short, medium, long"), text.join(", "));
        let unfinished = run.messages.iter().filter(|flow| flow.finish.is_none()).count();
        if unfinished > 0 {
            outcome.setting(&format!("{scheme}: flows under way at the end"), unfinished);
        }
    }
    outcome.chart("slowdown", chart(runs, percentile));
    Ok(outcome)
}

fn chart(runs: &Runs, percentile: f64) -> Chart {
    let series = present(runs).map(|(scheme, run)| {
        let tails = by_size(run, percentile);
        let mut series =
            Series::line(scheme, tails.iter().map(|(size, tail)| (*size, tail.value))).marked(Marks::Points);
        let interval = |(size, tail): &(f64, Tail)| tail.interval.map(|it| (*size, it.low, it.high));
        series.intervals = tails.iter().filter_map(interval).collect();
        series
    });
    Chart {
        title: format!("{} of the slowdown by flow size", name(percentile)),
        x: Axis::log("Flow size (KB)"),
        y: Axis::log("FCT slowdown"),
        series: series.collect(),
        notes: vec!["Each point is for sizes up to where it stands. Bars: 95 % confidence, where there are flows enough.".to_owned()],
    }
}
