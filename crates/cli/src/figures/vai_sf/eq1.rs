//! Eq. 1: Swift's multiplicative decrease.

use super::{law, us};
use crate::figures::{Effort, Outcome, linear};
use plimsoll_cc::swift::Params;
use plimsoll_report::{Axis, Chart, Series};

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let law = law()?;
    let target = law.target(1, 1_000.0);
    let factor = |delays: f64| law.decrease_factor(us(delays * target.as_us_f64()), target);
    let mut outcome = Outcome::default();
    outcome.setting("target", target);
    outcome.setting("β", Params::vai_sf().beta);
    outcome.setting("max_mdf", Params::vai_sf().max_mdf);
    outcome.measure("at_target", factor(1.0));
    outcome.measure("at_twice", factor(2.0));
    outcome.measure("at_ten_times", factor(10.0));
    outcome.chart(
        "decrease",
        Chart {
            title: "Swift's factor of the window over delay".into(),
            x: Axis::linear("Delay (times the target)").from_to(0.0, 5.0),
            y: Axis::linear("Factor").from_to(0.0, 1.1),
            series: vec![Series::line("Eq. 1", linear(0.0, 5.0, 201).map(|delays| (delays, factor(delays))))],
            notes: vec![],
        },
    );
    Ok(outcome)
}
