//! Fig. 23: targets by rate and by window.

use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

/// A reading of the victim after the green flows came, over that before.
fn change(run: &Observed, reading: &'static str) -> f64 {
    let halves = run.steps(&[0.0, run.start("green")]);
    let value = |half: usize| run.mean(reading, "victim", halves[half].last(1.0 / 3.0));
    value(1) / value(0)
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (by_rate, by_window) = (runs.get("rate")?, runs.get("window")?);
    outcome.measure("rate", change(by_rate, "goodput"));
    outcome.measure("rate_window", change(by_rate, "window"));
    outcome.measure("window", change(by_window, "goodput"));
    for (name, title, label, reading) in [
        ("rate", "Rate of the victim", "Rate (Gb/s)", "goodput"),
        ("windows", "Window of the victim", "Window (KB)", "window"),
    ] {
        let mut chart = over_time(title, label);
        chart.series.push(by_rate.mean_series("target by rate", reading, "victim"));
        chart.series.push(by_window.mean_series("target by window", reading, "victim"));
        outcome.chart(name, chart);
    }
    Ok(outcome)
}
