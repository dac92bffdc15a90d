//! Lemma 1: the marking strength that keeps a flow stable.

use crate::figures::{Effort, Outcome, linear};
use plimsoll_fluid::reverse_marking::Loop;
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::Span;

/// Two flows: capacity in packets per second, and round trip.
const FAST: (f64, Span) = (1_000.0, Span::from_ms(100));
const SLOW: (f64, Span) = (100.0, Span::from_ms(50));

fn flow((capacity, round_trip): (f64, Span), short_part: f64) -> Loop {
    Loop { capacity, round_trip, short_round_trip: round_trip.saturating_scale(short_part) }
}

/// Where between sender and receiver the bottleneck may stand.
fn places() -> impl Iterator<Item = f64> + Clone {
    linear(0.1, 0.9, 17)
}

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.setting("a, b", "1, 1/2");
    outcome.setting("first flow", "c = 1000 packets/s, d = 100 ms");
    outcome.setting("second flow", "c = 100 packets/s, d = 50 ms");
    outcome.setting("d_s", "0.1 d to 0.9 d");
    let zero = flow(FAST, 0.5).first_zero() / (-2.0 * flow(FAST, 0.5).gamma());
    outcome.measure("first_zero", zero);
    outcome.measure(
        "positive_inside",
        positive(|flow| linear(0.01, 0.99, 99).map(move |part| part * flow.first_zero())),
    );
    outcome.measure(
        "positive_below_printed",
        positive(|flow| linear(1.01, 3.0, 99).map(move |part| part * flow.printed_bound())),
    );
    let (least, most) = at_half(FAST);
    outcome.measure("eta_fast", (least + most) / 2.0);
    outcome.measure("variation_fast", 100.0 * (most / least - 1.0));
    let (least, most) = at_half(SLOW);
    outcome.measure("eta_slow", (least + most) / 2.0);
    outcome.measure("variation_slow", 100.0 * (most / least - 1.0));
    outcome.chart("eta", over_root());
    outcome.chart("place", over_place());
    Ok(outcome)
}

/// How many percent of the roots that `roots` names have η > 0, for the first flow and all places.
fn positive<R: Iterator<Item = f64>>(roots: impl Fn(Loop) -> R) -> f64 {
    let signs: Vec<bool> = places()
        .map(|place| flow(FAST, place))
        .flat_map(|flow| roots(flow).map(move |s| flow.eta(s) > 0.0))
        .collect();
    100.0 * signs.iter().filter(|&&positive| positive).count() as f64 / signs.len() as f64
}

/// η half way to its first zero: the smallest and the largest over all places.
fn at_half(of: (f64, Span)) -> (f64, f64) {
    places()
        .map(|place| flow(of, place))
        .map(|flow| flow.eta(flow.first_zero() / 2.0))
        .fold((f64::INFINITY, 0.0), |(least, most), eta| (least.min(eta), most.max(eta)))
}

fn over_root() -> Chart {
    let curve = |place: f64| {
        let flow = flow(FAST, place);
        let points = linear(-2.4, 0.0, 200).map(move |root| (root, flow.eta(root * flow.gamma()) * 1e8));
        Series::line(&format!("d_s = {place} d"), points)
    };
    Chart {
        title: "Marking strength over the root of the flow's equation".into(),
        x: Axis::linear("Root s (units of γ)").from_to(-2.4, 0.0),
        y: Axis::linear("η (units of 1e−8)").from_to(-2.5, 2.5),
        series: vec![curve(0.1), curve(0.5), curve(0.9), Series::guide("", [(-2.4, 0.0), (0.0, 0.0)])],
        notes: vec![
            "c = 1000 packets/s, d = 100 ms; d_s: round trip to the bottleneck. Positive from −2γ to 0."
                .into(),
        ],
    }
}

fn over_place() -> Chart {
    let curve = |name: &str, of: (f64, Span)| {
        let eta = |place: f64| {
            let flow = flow(of, place);
            flow.eta(flow.first_zero() / 2.0)
        };
        let middle = eta(0.5);
        Series::line(name, places().map(move |place| (place, eta(place) / middle))).marked(Marks::Points)
    };
    Chart {
        title: "Marking strength over the place of the bottleneck".into(),
        x: Axis::linear("d_s / d").from_to(0.0, 1.0),
        y: Axis::linear("η relative to the middle").from_to(0.96, 1.04),
        series: vec![curve("c = 1000/s, d = 100 ms", FAST), curve("c = 100/s, d = 50 ms", SLOW)],
        notes: vec!["Half way between 0 and the first zero of η.".into()],
    }
}
