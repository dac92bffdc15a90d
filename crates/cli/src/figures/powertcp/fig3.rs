//! Fig. 3: where voltage, current and power take a bottleneck.

use super::{ADDITIVE, BDP_KB, GAMMA, INTERVAL, model_settings};
use crate::figures::{Effort, Outcome};
use plimsoll_fluid::power::{Bottleneck, Family, State};
use plimsoll_report::{Axis, Chart, Marks, Series};

/// Windows and queues at first, in bandwidth-delay products: each with each.
const WINDOWS: [f64; 3] = [0.5, 1.5, 3.0];
const QUEUES: [f64; 3] = [0.0, 0.75, 1.5];
/// Long enough for all to come to rest.
const ROUND_TRIPS: usize = 60;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let [voltage, current, power] = [Family::Voltage, Family::Current, Family::Power].map(trajectories);
    let mut outcome = Outcome::default();
    model_settings(&mut outcome);
    outcome.setting("Σβ of current", "0: it has no end point otherwise");
    outcome.setting("starts", "windows 0.5, 1.5, 3 × queues 0, 0.75, 1.5 bandwidth-delay products");
    outcome.measure("voltage_spread", spread(&voltage));
    outcome.measure("current_spread", spread(&current));
    outcome.measure("power_spread", spread(&power));
    outcome.measure("voltage_dips", dips(&voltage));
    outcome.measure("power_least_window", least_window(&power));
    outcome.chart("voltage", chart("Voltage (queue length or delay)", &voltage, "equilibrium"));
    outcome.chart(
        "current",
        chart("Current (gradient of the round trip)", &current, "end points, one per start"),
    );
    outcome.chart("power", chart("Power", &power, "equilibrium"));
    Ok(outcome)
}

fn trajectories(family: Family) -> Vec<Vec<State>> {
    let beta = if family == Family::Current { 0.0 } else { ADDITIVE };
    let link = Bottleneck { family, gamma: GAMMA, interval: INTERVAL, additive: vec![beta] };
    let starts = WINDOWS.iter().flat_map(|&window| QUEUES.iter().map(move |&queue| (window, queue)));
    starts
        .map(|(window, queue)| {
            link.trajectory(State { time: 0.0, windows: vec![window], queue }, ROUND_TRIPS)
        })
        .collect()
}

/// How far the end points' windows are apart, in percent of the bandwidth-delay product, to a
/// hundredth.
fn spread(trajectories: &[Vec<State>]) -> f64 {
    let ends = trajectories.iter().filter_map(|states| states.last()).map(State::window);
    let (least, most) =
        ends.fold((f64::INFINITY, 0.0_f64), |(least, most), end| (least.min(end), most.max(end)));
    (1e4 * (most - least)).round() / 100.0
}

fn least(states: &[State]) -> f64 {
    states.iter().map(State::window).fold(f64::INFINITY, f64::min)
}

/// Those that begin with a window of at least the bandwidth-delay product.
fn full_at_first(trajectories: &[Vec<State>]) -> impl Iterator<Item = &Vec<State>> {
    trajectories.iter().filter(|states| states.first().is_some_and(|state| state.window() >= 1.0))
}

/// In how many percent of the starts with a full link and a queue the link runs idle later.
fn dips(trajectories: &[Vec<State>]) -> f64 {
    let queued: Vec<_> = full_at_first(trajectories).filter(|states| states[0].queue >= 0.5).collect();
    let dipping = queued.iter().filter(|states| least(states) < 1.0).count();
    100.0 * dipping as f64 / queued.len() as f64
}

/// The smallest window on the way from any start with a full link.
fn least_window(trajectories: &[Vec<State>]) -> f64 {
    full_at_first(trajectories).map(|states| least(states)).fold(f64::INFINITY, f64::min)
}

fn chart(title: &str, trajectories: &[Vec<State>], ends: &str) -> Chart {
    let place = |state: &State| (state.queue * BDP_KB, state.window() * BDP_KB);
    let curve = |states: &Vec<State>| -> Vec<(f64, f64)> { states.iter().map(place).collect() };
    Chart {
        title: title.to_owned(),
        x: Axis::linear("Queue (kB)").from_to(-15.0, 450.0),
        y: Axis::linear("Window (kB)").from_to(0.0, 800.0),
        series: vec![
            Series::curves("way of window and queue", trajectories.iter().map(curve).collect())
                .marked(Marks::Arrows),
            Series::line(ends, trajectories.iter().filter_map(|states| states.last()).map(place))
                .marked(Marks::Only),
            Series::guide("bandwidth-delay product", [(-15.0, BDP_KB), (450.0, BDP_KB)]),
        ],
        notes: vec![
            "Circle: start; arrows: the way in time. Below the dashed line the window does not fill the link."
                .into(),
        ],
    }
}
