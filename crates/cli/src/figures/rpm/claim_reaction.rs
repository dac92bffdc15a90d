//! The reaction time of every flow.

use super::reaction::{Answer, extreme, reactions};
use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::{Axis, Marks, Series};

/// From a sender to R1, in milliseconds: what the reaction travels until the switch sees it.
const TO_SWITCH: f64 = 10.001;
const FLOWS: u32 = 10;

/// Each flow's base round trip and the median over its marks of a number, both in milliseconds.
fn medians(run: &Observed, number: impl Fn(&Answer) -> f64) -> Vec<(f64, f64)> {
    let flow = |connection: u32| {
        let numbers = Sorted::new(reactions(run, connection).iter().map(&number));
        (40.0 + 20.0 * f64::from(connection / 2), numbers.percentile(0.5).unwrap_or(f64::NAN))
    };
    (0..FLOWS).map(flow).collect()
}

/// Smallest and largest over flows; a flow without a mark is NaN, and so is its extreme.
fn measure(outcome: &mut Outcome, [least, most]: [&'static str; 2], flows: &[(f64, f64)]) {
    let numbers = || flows.iter().map(|(_, number)| *number);
    outcome.measure(least, extreme(numbers(), f64::min));
    outcome.measure(most, extreme(numbers(), f64::max));
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut chart =
        over("From mark to reaction at the switch", "Base round trip (ms)", "Median reaction (ms)");
    let (forward, rpm) = (runs.get("forward")?, runs.get("rpm")?);
    let curves = [
        ("CoDel forward", ["forward_least", "forward_most"], medians(forward, |it| it.whole + TO_SWITCH)),
        ("RPM", ["rpm_least", "rpm_most"], medians(rpm, |it| it.whole + TO_SWITCH)),
        (
            "RPM without the wait for an ack",
            ["way_least", "way_most"],
            medians(rpm, |it| it.way() + TO_SWITCH),
        ),
    ];
    for (name, measures, flows) in curves {
        measure(&mut outcome, measures, &flows);
        chart.series.push(Series::line(name, flows).marked(Marks::Only));
    }
    for (name, run) in [("CoDel forward", forward), ("RPM", rpm)] {
        let counted: usize = (0..FLOWS).map(|connection| reactions(run, connection).len()).sum();
        let all: usize = (0..FLOWS).map(|connection| run.curve("mark", connection).len()).sum();
        outcome.setting(&format!("{name}: marks that count"), format!("{counted} of {all}"));
    }
    let waits = medians(rpm, |it| it.wait.unwrap_or(f64::NAN));
    let texts: Vec<String> = waits.iter().map(|(_, wait)| format!("{wait:.1}")).collect();
    outcome.setting("RPM: median wait for an ack, by flow", format!("{} ms", texts.join(", ")));
    chart.y = Axis::linear("Median reaction (ms)").from_to(0.0, 140.0);
    chart.notes.push("Two flows have each round trip.".to_owned());
    outcome.chart("reaction", chart);
    Ok(outcome)
}
