//! Fig. 14d: targets and delays.

use super::multihop::{STEPS, fair, settled, steps};
use super::{gbps, law};
use crate::figures::Outcome;
use crate::figures::observed::mean_within;
use crate::figures::pictures::{over_time, thin};
use crate::figures::runs::Runs;
use plimsoll_cc::poseidon::Params;
use plimsoll_report::Series;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let run = runs.get("poseidon")?;
    let law = law(&Params::nsdi23())?;
    let target = |rate: f64| law.target(gbps(rate)).as_us_f64();
    let (source, receiver) = (run.wait("leaf0>spine0"), run.wait("leaf10>h100"));
    let windows = settled(run);
    let green = (200.0 - 20.0) / 2.0;
    for (name, curve, step, rate) in [
        ("source_2_2", &source, 2, fair(STEPS[2])),
        ("receiver_2_2", &receiver, 2, fair(STEPS[2])),
        ("source_9_9", &source, 4, fair(STEPS[4])),
        ("receiver_9_9", &receiver, 4, fair(STEPS[4])),
        ("source_2_9", &source, 3, green),
    ] {
        outcome.measure(name, mean_within(curve, windows[step]) / target(rate));
    }
    let mut chart = over_time("Waits at the two hops of the victim", "Wait (µs)");
    let corners = steps(run).into_iter().zip(STEPS).flat_map(|(window, step)| {
        let target = target(fair(step));
        [(window.from, target), (window.to, target)]
    });
    chart.series.push(Series::guide("target of the victim's fair share", corners));
    chart.series.push(Series::line("rack 0's uplink", thin(&source)).fine());
    chart.series.push(Series::line("link to the receiver", thin(&receiver)).fine());
    outcome.chart("waits", chart);
    Ok(outcome)
}
