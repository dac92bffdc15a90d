//! Fig. 5: two flows of unequal rate on one hop.

use super::{gbps, law};
use crate::figures::Outcome;
use crate::figures::observed::{Window, percentile, reaches, within};
use crate::figures::pictures::{over_time, thin};
use crate::figures::runs::Runs;
use plimsoll_cc::poseidon::Params;
use plimsoll_report::Series;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let run = runs.get("poseidon")?;
    let target = law(&Params::nsdi23())?.target(gbps(100.0)).as_us_f64();
    let wait = run.wait("s0>h2");
    let whole = Window { from: 0.0, to: run.end };
    outcome.measure("delay", percentile(&wait, whole.last(1.0 / 3.0), 0.95) / target);
    let of = |group: &str, reading| {
        run.flows(group).first().map_or(&[][..], |flow| run.curve(reading, flow.connection))
    };
    let ramp = Window { from: run.start("slow"), to: run.end };
    let end = reaches(of("slow", "goodput"), ramp, 90.0).unwrap_or(run.end);
    let ramp = Window { to: end, ..ramp };
    let steps = |group: &str| -> Vec<f64> {
        let windows: Vec<f64> = within(of(group, "window"), ramp).map(|(_, window)| window).collect();
        windows.windows(2).map(|pair| pair[1] - pair[0]).collect()
    };
    let opposite =
        steps("fast").into_iter().zip(steps("slow")).filter(|(fast, slow)| *fast < 0.0 && *slow > 0.0);
    outcome.measure("opposite", opposite.count() as f64);
    let mut windows = over_time("Windows of the two flows", "Window (KB)");
    windows.series.extend(["fast", "slow"].map(|group| run.mean_series(group, "window", group)));
    outcome.chart("windows", windows);
    let mut waits = over_time("Wait at the hop", "Wait (µs)");
    waits.series.push(Series::guide("target of 100 Gb/s", [(0.0, target), (run.end, target)]));
    waits.series.push(Series::line("wait", thin(&wait)).fine());
    outcome.chart("wait", waits);
    Ok(outcome)
}
