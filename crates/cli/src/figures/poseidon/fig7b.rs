//! Fig. 7b: target over rate.

use super::{gbps, law, settings};
use crate::figures::{Effort, Outcome, logarithmic};
use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_report::{Axis, Chart, Series};

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    // Both curves go through the same ends, so that only their shape differs.
    let sqrt_params = Params { sqrt_anchor: Some(gbps(0.02)), ..Params::sqrt_rate() };
    let (log, sqrt) = (law(&Params::nsdi23())?, law(&sqrt_params)?);
    let mut outcome = Outcome::default();
    settings(&mut outcome, &Params::nsdi23());
    outcome.setting("square root's other anchor", "20Mbps");

    let (least, most) = steps(&log);
    outcome.measure("least_step", least);
    outcome.measure("most_step", most);
    let (least, most) = steps(&sqrt);
    outcome.measure("sqrt_steps_differ", most / least);
    let curve = |law: &Poseidon| -> Vec<(f64, f64)> {
        logarithmic(0.02, 200.0, 200).map(|rate| (rate, law.target(gbps(rate)).as_us_f64())).collect()
    };
    outcome.chart(
        "target",
        Chart {
            title: "Target delay over the rate of a flow".into(),
            x: Axis::log("Rate (Gb/s)").from_to(0.02, 200.0),
            y: Axis::linear("Target (µs)").from_to(0.0, 45.0),
            series: vec![
                Series::line("Eq. 3, logarithm", curve(&log)),
                Series::line("α/√rate + β", curve(&sqrt)),
            ],
            notes: vec!["Both are 42 µs at 0.02 Gb/s and 2 µs at 200 Gb/s.".into()],
        },
    );
    Ok(outcome)
}

/// The smallest and the largest T(a) − T(2a), in µs, between 0.02 and 200 Gb/s.
fn steps(law: &Poseidon) -> (f64, f64) {
    let step = |rate: f64| law.target(gbps(rate)).as_us_f64() - law.target(gbps(2.0 * rate)).as_us_f64();
    logarithmic(0.02, 100.0, 500)
        .map(step)
        .fold((f64::INFINITY, 0.0), |(least, most), step| (least.min(step), most.max(step)))
}
