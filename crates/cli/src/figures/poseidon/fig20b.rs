//! Fig. 20b: brownfield multi-hop congestion.

use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (at_bottleneck, elsewhere) = (runs.get("2-9")?, runs.get("9-2")?);
    outcome.measure("victim", at_bottleneck.rate("victim", at_bottleneck.second_half()));
    outcome.measure("blue", at_bottleneck.rate("blue", at_bottleneck.second_half()));
    let window = elsewhere.second_half();
    outcome.measure("unfair", elsewhere.rate("victim", window) / elsewhere.rate("green", window));
    for (name, title, run) in [
        ("rates-2-9", "2 green, 9 blue flows; telemetry at rack 10 only", at_bottleneck),
        ("rates-9-2", "9 green, 2 blue flows; telemetry at rack 10 only", elsewhere),
    ] {
        let mut chart = over_time(title, "Rate (Gb/s)");
        chart
            .series
            .extend(["victim", "blue", "green"].map(|group| run.mean_series(group, "goodput", group)));
        outcome.chart(name, chart);
    }
    Ok(outcome)
}
