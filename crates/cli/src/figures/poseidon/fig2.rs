//! Fig. 2: a victim of two congested hops under Swift.

use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let run = runs.get("swift")?;
    let halves = run.steps(&[0.0, run.start("green")]);
    let rate = |half: usize| run.rate("victim", halves[half].last(1.0 / 3.0));
    outcome.measure("drop", rate(1) / rate(0));
    let mut chart = over_time("Swift: a second hop becomes congested", "Rate (Gb/s)");
    chart.series.extend(["victim", "blue", "green"].map(|group| run.mean_series(group, "goodput", group)));
    outcome.chart("rates", chart);
    Ok(outcome)
}
