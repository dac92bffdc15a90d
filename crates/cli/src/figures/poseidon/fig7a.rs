//! Fig. 7a: ramp from 1 to 50 Gb/s.

use super::{gbps, host, law, settings, unbounded};
use crate::figures::{Effort, Outcome};
use plimsoll_cc::Host;
use plimsoll_cc::poseidon::Params;
use plimsoll_fluid::ramp::{Ramp, round_trips_to};
use plimsoll_report::{Axis, Chart, Series};
use plimsoll_units::Span;

/// Any round trip gives the same curve; this one makes windows of many packets.
const ROUND_TRIP: Span = Span::from_us(100);
/// How many round trips are drawn.
const SHOWN: usize = 60;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let ramp = Ramp {
        host: Host { base_rtt: ROUND_TRIP, ..host() },
        round_trip: ROUND_TRIP,
        delay: law(&unbounded())?.target(gbps(50.0)),
        start: gbps(1.0),
    };
    let rates = |params: Params| ramp.rates(&params, SHOWN).map_err(|error| error.to_string());
    // 1 Gb/s as a window in packets.
    let additive_step = 1e9 * ROUND_TRIP.as_secs_f64() / (8.0 * ramp.host.mtu.as_f64());
    let additive = rates(Params { additive_step, max_mi: 1e6, ..Params::aimd() })?;
    let steps = [(0.25, "m = 0.25 (paper)"), (0.1, "m = 0.1"), (0.5, "m = 0.5"), (1.0, "m = 1")];

    let mut outcome = Outcome::default();
    settings(&mut outcome, &unbounded());
    outcome.setting("delay", format!("T(50 Gb/s) = {:.3} µs", ramp.delay.as_us_f64()));
    outcome.setting("start", ramp.start);
    let goal = gbps(47.5);
    let count = |rates: &[f64], goal| round_trips_to(rates, goal).map_or(f64::NAN, |count| count as f64);
    let mut series = Vec::new();
    for (m, name) in steps {
        let curve = rates(Params { m, ..unbounded() })?;
        match name {
            "m = 0.25 (paper)" => outcome.measure("round_trips", count(&curve, goal)),
            "m = 1" => outcome.measure("round_trips_m_1", count(&curve, goal)),
            _ => {}
        }
        series.push(Series::line(name, points(&curve)));
    }
    outcome.measure("round_trips_bounded", count(&rates(Params::nsdi23())?, goal));
    outcome.measure("round_trips_additive", count(&additive, gbps(50.0)));
    series.push(Series::line("additive, 1 Gb/s per RTT", points(&additive)));
    outcome.chart(
        "ramp",
        Chart {
            title: "From 1 to 50 Gb/s at a constant delay".into(),
            x: Axis::linear("Time (round trips)").from_to(0.0, SHOWN as f64),
            y: Axis::linear("Rate (Gb/s)").from_to(0.0, 55.0),
            series,
            notes: vec!["The delay is the target of 50 Gb/s, 8.02 µs.".into()],
        },
    );
    Ok(outcome)
}

fn points(rates: &[f64]) -> Vec<(f64, f64)> {
    rates.iter().enumerate().map(|(round, rate)| (round as f64, rate / 1e9)).collect()
}
