//! Which marking strengths are stable: all roots of the characteristic equation, and Lemma 1 put right.

use crate::figures::{Effort, Outcome, linear, logarithmic};
use plimsoll_fluid::reverse_marking::Loop;
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::Span;

/// The round trip of all flows; only the window and the place of the bottleneck matter beside it.
const ROUND_TRIP: Span = Span::from_ms(100);
/// The window of the flow that the claims are about, in packets: 1000 packets/s.
const WINDOW: f64 = 100.0;

/// A flow with this window in packets, whose marks travel this part of the round trip.
fn flow(window: f64, part: f64) -> Loop {
    Loop {
        capacity: window / ROUND_TRIP.as_secs_f64(),
        round_trip: ROUND_TRIP,
        short_round_trip: ROUND_TRIP.saturating_scale(part),
    }
}

/// Where the bottleneck may stand; 1 is marking forward.
fn places() -> impl Iterator<Item = f64> + Clone {
    linear(0.1, 1.0, 10)
}

pub(crate) fn compute(effort: Effort) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let steps = effort.pick(9, 33);
    outcome.setting("a, b", "1, 1/2");
    outcome.setting("c, d", "1000 packets/s, 100 ms: a window of 100 packets");
    outcome.setting("d_s", "0.1 d to d");
    let inside = |flow: Loop| linear(0.02, 0.98, steps).map(move |part| part * flow.first_zero());
    let below = |flow: Loop| linear(1.01, 3.0, steps).map(move |part| part * flow.printed_bound());
    // Eq. 6 has d − d_s in its denominator: it says nothing of marking forward.
    let back = || places().filter(|place| *place < 0.95).map(|place| flow(WINDOW, place));
    outcome.measure("stable_inside", share(back().flat_map(|flow| stable(flow, inside(flow)))));
    outcome.measure("stable_below_printed", share(back().flat_map(|flow| stable(flow, below(flow)))));
    let edge = |part: f64| flow(WINDOW, part).strongest_stable();
    outcome.measure("edge_forward", edge(1.0) * 1e6);
    outcome.measure("gain_half", edge(0.5) / edge(1.0));
    outcome.measure("gain_tenth", edge(0.1) / edge(1.0));
    let error = |place: f64| (flow(WINDOW, place).strongest_by_expansion() / edge(place) - 1.0).abs();
    outcome.measure("expansion", 100.0 * places().map(error).fold(0.0, f64::max));
    outcome.chart("region", region());
    outcome.chart("decay", decay(effort.pick(25, 60)));
    outcome.chart("roots", roots());
    Ok(outcome)
}

/// How many percent are true.
fn share(of: impl Iterator<Item = bool>) -> f64 {
    let (hits, all) = of.fold((0.0, 0.0), |(hits, all), hit| (hits + f64::from(u8::from(hit)), all + 1.0));
    100.0 * hits / all
}

/// Whether all roots decay with the η that Eq. 2 gives for each of these s.
fn stable(flow: Loop, s: impl Iterator<Item = f64>) -> impl Iterator<Item = bool> {
    s.map(move |s| flow.is_stable(flow.eta(s)))
}

fn region() -> Chart {
    let windows = [(10.0, "10"), (100.0, "100"), (1000.0, "1000")];
    let edge = |window: f64| {
        let points = linear(0.05, 1.0, 39).map(move |part| (part, flow(window, part).strongest_stable()));
        points.collect::<Vec<_>>()
    };
    let mut series: Vec<Series> = windows
        .iter()
        .map(|(window, name)| Series::line(&format!("{name} packets"), edge(*window)))
        .collect();
    for (window, _) in windows {
        let points = linear(0.1, 1.0, 10).map(|part| (part, flow(window, part).strongest_by_expansion()));
        series.push(Series::guide("", points).marked(Marks::Only));
    }
    Chart {
        title: "Strongest stable marking by place of the bottleneck".into(),
        x: Axis::linear("d_s / d  (1: marks go forward)").from_to(0.0, 1.0),
        y: Axis::log("Marking strength η (per packet)"),
        series,
        notes: vec!["Stable below the curves. Windows c d; points: 2γd/(a + b c² d d_s).".into()],
    }
}

fn decay(points: usize) -> Chart {
    let curve = |part: f64, name: &str| {
        let flow = flow(WINDOW, part);
        let slowest = |eta: f64| (eta, flow.slowest_decay(eta));
        Series::line(name, logarithmic(1e-9, 1e-4, points).map(slowest))
    };
    Chart {
        title: "Real part of the slowest root".into(),
        x: Axis::log("Marking strength η (per packet)").from_to(1e-9, 1e-4),
        y: Axis::linear("Re s · d").from_to(-0.02, 0.02),
        series: vec![
            curve(0.1, "d_s = 0.1 d"),
            curve(0.5, "d_s = 0.5 d"),
            curve(1.0, "d_s = d (forward)"),
            Series::guide("", [(1e-9, 0.0), (1e-4, 0.0)]),
        ],
        notes: vec!["c = 1000 packets/s, d = 100 ms. Below zero: stable.".into()],
    }
}

/// The roots beside the border of stability; all others lie far to the left of it.
fn roots() -> Chart {
    /// How far from the border is shown.
    const BESIDE: f64 = 0.03;
    let eta = flow(WINDOW, 1.0).strongest_stable() * 2.0;
    let cloud = |part: f64, name: &str| {
        let found = flow(WINDOW, part).roots_right_of(eta, -BESIDE);
        let both = found.into_iter().flat_map(|root| [(root.re, root.im), (root.re, -root.im)]);
        Series::line(name, both).marked(Marks::Only)
    };
    Chart {
        title: "Slowest roots with twice the marking that is stable forward".into(),
        x: Axis::linear("Re s · d").from_to(-BESIDE, BESIDE),
        y: Axis::linear("Im s · d").from_to(-0.3, 0.3),
        series: vec![
            cloud(1.0, "d_s = d (forward)"),
            cloud(0.5, "d_s = 0.5 d"),
            cloud(0.1, "d_s = 0.1 d"),
            Series::guide("", [(0.0, -0.3), (0.0, 0.3)]),
        ],
        notes: vec!["c = 1000 packets/s, d = 100 ms. Left of the line: stable.".into()],
    }
}
