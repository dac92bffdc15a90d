//! §5.2: window of the victim.

use super::multihop::settled;
use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let run = runs.get("poseidon")?;
    let window = settled(run)[4];
    let over_blue = |reading| run.mean(reading, "victim", window) / run.mean(reading, "blue", window);
    outcome.measure("rtt", over_blue("rtt"));
    outcome.measure("window", over_blue("window"));
    let mut chart = over_time("Windows", "Window (KB)");
    chart.series.push(run.mean_series("victim", "window", "victim"));
    chart.series.push(run.mean_series("blue flows", "window", "blue"));
    outcome.chart("windows", chart);
    Ok(outcome)
}
