//! RPM's idea applied to Poseidon's signal, on Poseidon's figures: an experiment of our own.

use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, binned, deviation, mean, percentile, within};
use crate::figures::pictures::over_time;
use crate::figures::poseidon::fig17a::{second, time_to_share};
use crate::figures::poseidon::multihop::{STEPS, fair, fair_curve, settled, steps};
use crate::figures::poseidon::operations;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

/// Rates are means over 50 µs, as in the figures that these are after.
const BIN: f64 = 0.05;
/// The step from N = 2 to 9.
const JOIN: usize = 3;
/// Who is within this part of the fair share has settled.
const BAND: f64 = 0.2;

fn both(runs: &Runs) -> Result<[(&'static str, &Observed); 2], String> {
    Ok([("echoed", runs.get("echoed")?), ("reflected", runs.get("reflected")?)])
}

/// What the second has over what the first has.
fn ratio(runs: &Runs, measure: impl Fn(&Observed) -> f64) -> Result<f64, String> {
    Ok(measure(runs.get("reflected")?) / measure(runs.get("echoed")?))
}

fn victim(run: &Observed) -> Vec<(f64, f64)> {
    run.flows("victim").first().map_or(Vec::new(), |flow| binned(run.curve("goodput", flow.connection), BIN))
}

/// How long after nine flows are there the victim last leaves the band around its fair share.
fn settles(run: &Observed) -> f64 {
    let step = steps(run)[JOIN];
    let share = fair(STEPS[JOIN]);
    let outside = |value: f64| (value / share - 1.0).abs() > BAND;
    within(&victim(run), step)
        .filter(|(_, value)| outside(*value))
        .map(|(at, _)| at - step.from)
        .fold(BIN, f64::max)
}

pub(crate) fn multihop(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let reflected = runs.get("reflected")?;
    let off =
        |(window, step): (Window, (u32, u32))| (reflected.rate("victim", window) / fair(step) - 1.0).abs();
    let worst = settled(reflected).into_iter().zip(STEPS).map(off).fold(0.0, f64::max);
    outcome.measure("fairness", 100.0 * worst);
    outcome.measure("settle", ratio(runs, settles)?);
    let peak = |run: &Observed| {
        let from = steps(run)[JOIN].from;
        percentile(&run.wait("leaf10>h100"), Window { from, to: from + 1.0 }, 1.0)
    };
    outcome.measure("peak", ratio(runs, peak)?);
    let spread = |run: &Observed| {
        let rates = victim(run);
        mean(settled(run).into_iter().map(|window| deviation(&rates, window)))
    };
    outcome.measure("spread", ratio(runs, spread)?);
    let mut rates = over_time("Rate of the victim", "Rate (Gb/s)");
    let mut waits = over_time("Wait at the receiver's link, N = 2 to 9", "Wait (µs)");
    rates.series.push(Series::guide("fair share", fair_curve(reflected)));
    for (name, run) in both(runs)? {
        outcome.setting(&format!("{name}: settled after"), format!("{:.2} ms", settles(run)));
        outcome.setting(&format!("{name}: longest wait"), format!("{:.1} µs", peak(run)));
        outcome.setting(&format!("{name}: spread"), format!("{:.2} Gb/s", spread(run)));
        rates.series.push(run.mean_series(name, "goodput", "victim"));
        let from = steps(run)[JOIN].from;
        let shown = Window { from: from - 0.2, to: from + 1.5 };
        waits
            .series
            .push(Series::line(name, within(&run.wait("leaf10>h100"), shown).collect::<Vec<_>>()).fine());
    }
    outcome.chart("rate", rates);
    outcome.chart("wait", waits);
    Ok(outcome)
}

pub(crate) fn two_flows(runs: &Runs) -> Result<Outcome, String> {
    /// How much of the time after the start is the ramp, in milliseconds.
    const RAMP: f64 = 2.0;
    let mut outcome = Outcome::default();
    outcome.measure("time", ratio(runs, time_to_share)?);
    let ramp = |run: &Observed| {
        let (window, _) = second(run);
        Window { to: window.from + RAMP, ..window }
    };
    let peak = |run: &Observed| percentile(&run.wait("s0>h2"), ramp(run), 1.0);
    outcome.measure("peak", ratio(runs, peak)?);
    let spread = |run: &Observed| deviation(&run.wait("s0>h2"), second(run).0.last(0.5));
    outcome.measure("spread", ratio(runs, spread)?);
    let mut rates = over_time("The second flow's way to its half", "Rate (Gb/s)");
    let mut waits = over_time("Wait at the shared link", "Wait (µs)");
    for (name, run) in both(runs)? {
        outcome.setting(&format!("{name}: time to 90 Gb/s"), format!("{:.3} ms", time_to_share(run)));
        outcome.setting(&format!("{name}: longest wait"), format!("{:.2} µs", peak(run)));
        outcome.setting(&format!("{name}: spread of the wait"), format!("{:.3} µs", spread(run)));
        let shown = ramp(run);
        rates.series.push(Series::line(name, within(second(run).1, shown).collect::<Vec<_>>()).fine());
        waits.series.push(Series::line(name, within(&run.wait("s0>h2"), shown).collect::<Vec<_>>()).fine());
    }
    outcome.chart("rates", rates);
    outcome.chart("wait", waits);
    Ok(outcome)
}

pub(crate) fn messages(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for (name, p) in [("median", 0.5), ("p99", 0.99), ("p999", 0.999)] {
        let of = |variant: &str| operations::percentile(runs, variant, p);
        outcome.measure(name, of("reflected")? / of("echoed")?);
    }
    // What the acks' way alone changes: Fig. 19 itself lets them take their own.
    let own_way = operations::percentile(runs, "own way", 0.999)?;
    outcome.measure("own_way", operations::percentile(runs, "echoed", 0.999)? / own_way);
    let variants =
        [("echoed", "echoed"), ("reflected", "reflected"), ("own way", "echoed, acks on ways of their own")];
    operations::draw(&mut outcome, runs, &variants)?;
    Ok(outcome)
}
