//! Fig. 12b: victim of two hops at 10 Gb/s.

use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

/// The victim's rate under Poseidon and under Swift, and their picture beside `guide`.
pub(super) fn victims(runs: &Runs, title: &str, guide: (&str, f64)) -> Result<(Outcome, f64, f64), String> {
    let mut outcome = Outcome::default();
    let (poseidon, swift) = (runs.get("poseidon")?, runs.get("swift")?);
    let rates = [poseidon, swift].map(|run| run.rate("victim", run.second_half()));
    outcome.measure("poseidon", rates[0]);
    outcome.measure("swift", rates[1]);
    let mut chart = over_time(title, "Rate (Gb/s)");
    chart.series.push(Series::guide(guide.0, [(0.0, guide.1), (poseidon.end, guide.1)]));
    chart.series.push(poseidon.mean_series("Poseidon", "goodput", "victim"));
    chart.series.push(swift.mean_series("Swift", "goodput", "victim"));
    outcome.chart("rate", chart);
    Ok((outcome, rates[0], rates[1]))
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let (mut outcome, poseidon, swift) =
        victims(runs, "Victim of two congested hops, 10 Gb/s", ("paper: Swift's victim", 0.16))?;
    outcome.measure("ratio", swift / poseidon);
    Ok(outcome)
}
