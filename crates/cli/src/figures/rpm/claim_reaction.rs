//! The reaction time of every flow.

use super::reaction::{extreme, reactions};
use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::{Marks, Series};

/// From a sender to R1, in milliseconds: what the reaction travels until the switch sees it.
const TO_SWITCH: f64 = 10.001;

/// Each flow's base round trip in milliseconds and its median reaction, which includes the way to the switch.
fn medians(run: &Observed) -> Vec<(f64, f64)> {
    let flow = |connection: u32| {
        let reactions = Sorted::new(reactions(run, connection)).percentile(0.5).unwrap_or(f64::NAN);
        (40.0 + 20.0 * f64::from(connection / 2), reactions + TO_SWITCH)
    };
    (0..10).map(flow).collect()
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut chart =
        over("From mark to reaction at the switch", "Base round trip (ms)", "Median reaction (ms)");
    let schemes = [
        ("forward", "CoDel forward", "forward_least", "forward_most"),
        ("rpm", "RPM", "rpm_least", "rpm_most"),
    ];
    for (variant, name, least, most) in schemes {
        let run = runs.get(variant)?;
        let flows = medians(run);
        // A flow without a mark is NaN, and so is its extreme.
        let medians = || flows.iter().map(|(_, median)| *median);
        outcome.measure(least, extreme(medians(), f64::min));
        outcome.measure(most, extreme(medians(), f64::max));
        let marks: usize = (0..10).map(|connection| reactions(run, connection).len()).sum();
        outcome.setting(&format!("{name}: marks after half a second of quiet"), marks);
        chart.series.push(Series::line(name, flows).marked(Marks::Points));
    }
    chart.y = plimsoll_report::Axis::linear("Median reaction (ms)").from_to(0.0, 140.0);
    outcome.chart("reaction", chart);
    Ok(outcome)
}
