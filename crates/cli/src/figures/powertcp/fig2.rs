//! Fig. 2: what voltage, current and power react to.

use super::{BASE_RTT, LINK, law, settings};
use crate::figures::{Effort, Outcome, linear};
use plimsoll_cc::powertcp::PowerTcp;
use plimsoll_fluid::power::{Family, Signals, reaction_of_powertcp};
use plimsoll_report::{Axis, Chart, Series};

/// What stands still while the other signal moves.
const QUEUE: f64 = 0.5;
const GROWTH: f64 = 1.0;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let law = law()?;
    let by_growth: Vec<Signals> = linear(0.0, 8.0, 81).map(|growth| signals(QUEUE, growth)).collect();
    let by_queue: Vec<Signals> = linear(0.02, 2.0, 100).map(|queue| signals(queue, GROWTH)).collect();
    let mut outcome = Outcome::default();
    settings(&mut outcome);
    outcome.setting("queue while its growth varies", format!("{QUEUE} bandwidth-delay products"));
    outcome.setting("growth while the queue varies", format!("{GROWTH} times the link's rate"));
    outcome.measure("voltage_by_growth", range(&by_growth, |s| Some(Family::Voltage.reaction(s))));
    outcome.measure("current_by_growth", range(&by_growth, |s| Some(Family::Current.reaction(s))));
    outcome.measure("power_by_growth", range(&by_growth, |s| powertcp(&law, s)));
    outcome.measure("voltage_by_queue", range(&by_queue, |s| Some(Family::Voltage.reaction(s))));
    outcome.measure("current_by_queue", range(&by_queue, |s| Some(Family::Current.reaction(s))));
    outcome.measure("power_by_queue", range(&by_queue, |s| powertcp(&law, s)));
    let growth_axis = Axis::linear("Growth of the queue (times the link's rate)").from_to(0.0, 8.0);
    outcome.chart(
        "growth",
        chart("Reaction to the growth of a queue", growth_axis, &law, &by_growth, |s| s.growth),
    );
    let queue_axis = Axis::linear("Queue (bandwidth-delay products)").from_to(0.0, 2.0);
    outcome
        .chart("queue", chart("Reaction to the length of a queue", queue_axis, &law, &by_queue, |s| s.queue));
    Ok(outcome)
}

fn signals(queue: f64, growth: f64) -> Signals {
    Signals { queue, growth, service: 1.0 }
}

/// The law of `plimsoll-cc`, not the model's formula.
fn powertcp(law: &PowerTcp, signals: &Signals) -> Option<f64> {
    reaction_of_powertcp(law, LINK, BASE_RTT, signals)
}

/// Largest minus smallest reaction; NaN if one is missing.
fn range(signals: &[Signals], reaction: impl Fn(&Signals) -> Option<f64>) -> f64 {
    let values: Option<Vec<f64>> = signals.iter().map(reaction).collect();
    values.map_or(f64::NAN, |values| {
        let ends = (
            values.iter().copied().fold(f64::INFINITY, f64::min),
            values.iter().copied().fold(0.0, f64::max),
        );
        ends.1 - ends.0
    })
}

fn chart(title: &str, x: Axis, law: &PowerTcp, signals: &[Signals], at: fn(&Signals) -> f64) -> Chart {
    let model = |family: Family| signals.iter().map(move |s| (at(s), family.reaction(s)));
    let power = signals.iter().map(|s| (at(s), powertcp(law, s).unwrap_or(f64::NAN)));
    Chart {
        title: title.to_owned(),
        x,
        y: Axis::linear("Factor of the window, e/f").from_to(0.0, 1.05),
        series: vec![
            Series::line("voltage (queue, delay)", model(Family::Voltage)),
            Series::line("current (gradient)", model(Family::Current)),
            Series::line("power (PowerTCP)", power),
        ],
        notes: vec![],
    }
}
