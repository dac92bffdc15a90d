//! Fig. 4: decreases per round trip against decreases per acks.

use super::us;
use crate::figures::{Effort, Outcome, linear};
use plimsoll_fluid::sampling::Pair;
use plimsoll_report::{Axis, Chart, Series};
use plimsoll_units::Span;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let pair = Pair::figure_4();
    let peak = pair.peak(Span::from_us(200));
    let end = pair.end(peak, Span::from_ms(1)).map_or(f64::NAN, Span::as_us_f64);
    let bytes_per_ns = |bits_per_second: f64| bits_per_second / 8e9;
    let mut outcome = Outcome::default();
    outcome.setting("rates at first", format!("{} and {}", pair.faster, pair.slower));
    outcome.setting("round trip r", pair.round_trip);
    outcome.setting("acks per decrease s", pair.acks);
    outcome.setting("packet (MTU)", pair.packet);
    outcome.setting("β", pair.beta);
    outcome.measure("peak", bytes_per_ns(pair.advantage(peak)));
    outcome.measure("peak_time", peak.as_us_f64());
    outcome.measure("positive_until", end);
    let curve = |from: f64, to: f64| linear(from, to, 600).map(|t| (t, bytes_per_ns(pair.advantage(us(t)))));
    let gap = |gap: fn(&Pair, Span) -> f64| {
        linear(0.0, 150.0, 600).map(move |t| (t, bytes_per_ns(gap(&pair, us(t)))))
    };
    outcome.chart(
        "advantage",
        Chart {
            title: "How much closer two flows are for decreasing per acks".into(),
            x: Axis::linear("Time (µs)").from_to(0.0, 600.0),
            y: Axis::linear("Difference of gaps (B/ns)").from_to(-0.5, 5.0),
            series: vec![
                Series::line("Eq. 2: gap per round trip − gap per acks", curve(0.0, 600.0)),
                Series::guide("", [(0.0, 0.0), (600.0, 0.0)]),
            ],
            notes: vec![],
        },
    );
    outcome.chart(
        "gaps",
        Chart {
            title: "Gap between a flow of 100 and one of 50 Gb/s".into(),
            x: Axis::linear("Time (µs)").from_to(0.0, 150.0),
            y: Axis::linear("Gap (B/ns)").from_to(0.0, 6.5),
            series: vec![
                Series::line("decrease per round trip", gap(Pair::gap_per_round_trip)),
                Series::line("decrease per 30 acks (SF)", gap(Pair::gap_per_acks)),
            ],
            notes: vec![],
        },
    );
    Ok(outcome)
}
