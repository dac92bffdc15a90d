//! §2.1.4: round trips to double a window.

use super::{gbps, host, law, settings, unbounded};
use crate::figures::{Effort, Outcome, linear};
use plimsoll_cc::Host;
use plimsoll_cc::poseidon::Params;
use plimsoll_fluid::ramp::{Ramp, round_trips_to};
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::Span;

/// Long enough that a window of 100 packets is far below line rate.
const ROUND_TRIP: Span = Span::from_us(100);

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    settings(&mut outcome, &unbounded());
    outcome.setting("additive step", "1 packet per round trip");
    outcome.measure("from_5", additive(5.0)?);
    outcome.measure("from_50", additive(50.0)?);
    let windows = linear(5.0, 100.0, 20);
    let curve = |double: fn(f64) -> Result<f64, String>| -> Result<Vec<(f64, f64)>, String> {
        windows.clone().map(|window| Ok((window, double(window)?))).collect()
    };
    outcome.chart(
        "doubling",
        Chart {
            title: "Round trips to double a window".into(),
            x: Axis::linear("Window (packets)").from_to(0.0, 105.0),
            y: Axis::linear("Time (round trips)").from_to(0.0, 105.0),
            series: vec![
                Series::line("additive, 1 packet per RTT", curve(additive)?).marked(Marks::Points),
                Series::line("Poseidon, delay of a 4 times faster flow", curve(adaptive)?)
                    .marked(Marks::Points),
            ],
            notes: vec![],
        },
    );
    Ok(outcome)
}

/// Without delay, so that nothing decreases.
fn additive(window: f64) -> Result<f64, String> {
    double(window, Span::ZERO, &Params { max_mi: 1e6, ..Params::aimd() })
}

fn adaptive(window: f64) -> Result<f64, String> {
    let delay = law(&unbounded())?.target(gbps(4.0 * rate(window)));
    double(window, delay, &unbounded())
}

fn double(window: f64, delay: Span, params: &Params) -> Result<f64, String> {
    let start = gbps(rate(window));
    let host = Host { base_rtt: ROUND_TRIP, ..host() };
    let ramp = Ramp { host, round_trip: ROUND_TRIP, delay, start };
    let rates = ramp.rates(params, 200).map_err(|error| error.to_string())?;
    Ok(round_trips_to(&rates, gbps(2.0 * rate(window))).map_or(f64::NAN, |count| count as f64))
}

/// The rate of a window of so many packets, in Gb/s.
fn rate(window: f64) -> f64 {
    window * host().mtu.as_f64() * 8.0 / ROUND_TRIP.as_secs_f64() / 1e9
}
