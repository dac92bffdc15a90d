//! Figs. 8 and 9: red, blue and green flows over two switches.

use super::gbps;
use crate::figures::Outcome;
use crate::figures::observed::mean_within;
use crate::figures::pictures::{over_time, thin};
use crate::figures::runs::Runs;
use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_cc::{Configure, Host};
use plimsoll_report::Series;
use plimsoll_units::Rate;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let run = runs.get("poseidon")?;
    let window = run.second_half();
    let groups = ["red", "blue", "green"];
    for group in groups {
        outcome.measure(group, run.rate(group, window));
    }
    let host = Host { nic_rate: Rate::from_gbps(100), ..super::host() };
    let law = Poseidon::new(&Params::nsdi23(), &host).map_err(|error| error.to_string())?;
    let target = |rate: f64| law.target(gbps(rate)).as_us_f64();
    let (first, second) = (run.wait("s0>s1"), run.wait("s1>s2"));
    outcome.measure("first", mean_within(&first, window) / target(25.0));
    outcome.measure("second", mean_within(&second, window) / target(50.0));
    outcome.measure("unmoved", mean_within(&second, window) / target(25.0));
    let mut rates = over_time("Rates of red, blue and green flows", "Rate (Gb/s)");
    rates.series.extend(groups.map(|group| run.mean_series(group, "goodput", group)));
    outcome.chart("rates", rates);
    let mut waits = over_time("Waits at the two switches", "Wait (µs)");
    for (name, rate) in [("target of 25 Gb/s", 25.0), ("target of 50 Gb/s", 50.0)] {
        waits.series.push(Series::guide(name, [(0.0, target(rate)), (run.end, target(rate))]));
    }
    waits.series.push(Series::line("first switch", thin(&first)).fine());
    waits.series.push(Series::line("second switch", thin(&second)).fine());
    outcome.chart("waits", waits);
    Ok(outcome)
}
