//! Appendix B.3: one microsecond above the target, by ratio and by distance.

use super::{law, settings};
use crate::figures::{Effort, Outcome, linear};
use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_report::{Axis, Chart, Series};
use plimsoll_units::Span;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let (ratio, distance) = (law(&Params::ratio())?, law(&Params::nsdi23())?);
    let mut outcome = Outcome::default();
    settings(&mut outcome, &Params::nsdi23());
    outcome.setting("ratio's offset (the paper's m in Eq. 13)", Params::ratio().ratio_offset);
    outcome.measure("ratio_at_4", update(&ratio, 4.0));
    outcome.measure("ratio_at_30", update(&ratio, 30.0));
    outcome.measure("distance_differs", (update(&distance, 4.0) - update(&distance, 30.0)).abs());
    let curve = |law: &Poseidon| -> Vec<(f64, f64)> {
        linear(2.0, 42.0, 161).map(|target| (target, update(law, target))).collect()
    };
    outcome.chart(
        "update",
        Chart {
            title: "Factor of the window, one microsecond above the target".into(),
            x: Axis::linear("Target (µs)").from_to(0.0, 42.0),
            y: Axis::linear("Factor").from_to(0.6, 1.0),
            series: vec![
                Series::line("by distance (Eq. 4)", curve(&distance)),
                Series::line("by ratio (Eq. 13)", curve(&ratio)),
            ],
            notes: vec![],
        },
    );
    Ok(outcome)
}

fn update(law: &Poseidon, target_us: f64) -> f64 {
    let us = |us: f64| Span::saturating_from_secs_f64(us * 1e-6);
    law.update_ratio(us(target_us), us(target_us + 1.0))
}
