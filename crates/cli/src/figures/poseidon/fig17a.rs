//! Fig. 17a: convergence of two flows.

use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, mean, reaches, within};
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

/// 90 % of half of 200 Gb/s.
const GOAL: f64 = 90.0;
/// How much of the time after the start is drawn, in milliseconds.
const SHOWN: f64 = 4.0;

pub(in crate::figures) fn second(run: &Observed) -> (Window, &[(f64, f64)]) {
    let window = Window { from: run.start("second"), to: run.end };
    (window, run.flows("second").first().map_or(&[], |flow| run.curve("goodput", flow.connection)))
}

/// How long the second flow takes, in milliseconds, to the nanosecond; never is for ever.
pub(in crate::figures) fn time_to_share(run: &Observed) -> f64 {
    let (window, rate) = second(run);
    reaches(rate, window, GOAL).map_or(f64::INFINITY, |at| ((at - window.from) * 1e6).round() / 1e6)
}

/// The mean second difference of the logarithm of the rate until the goal.
fn bend(run: &Observed) -> f64 {
    let (window, rate) = second(run);
    let end = reaches(rate, window, GOAL).unwrap_or(run.end);
    let logs: Vec<f64> = within(rate, Window { to: end, ..window })
        .map(|(_, value)| libm::log(value))
        .filter(|log| log.is_finite())
        .collect();
    mean(logs.windows(3).map(|three| three[2] - 2.0 * three[1] + three[0]))
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let poseidon = runs.get("poseidon")?;
    let ours = time_to_share(poseidon);
    outcome.measure("swift", time_to_share(runs.get("swift")?) / ours);
    outcome.measure("hpcc", time_to_share(runs.get("hpcc-one")?) / ours);
    outcome.measure("concave", bend(poseidon));
    let mut chart = over_time("The second flow's way to its half", "Rate (Gb/s)");
    let (window, _) = second(poseidon);
    let shown = Window { to: window.from + SHOWN, ..window };
    chart.x = chart.x.from_to(shown.from, shown.to);
    chart.series.push(Series::guide("fair share", [(shown.from, 100.0), (shown.to, 100.0)]));
    for (law, name) in [("poseidon", "Poseidon"), ("swift", "Swift"), ("hpcc-one", "HPCC")] {
        let run = runs.get(law)?;
        outcome.setting(&format!("{name}: time to 90 Gb/s"), format!("{:.3} ms", time_to_share(run)));
        let rate: Vec<(f64, f64)> = within(second(run).1, shown).collect();
        chart.series.push(Series::line(name, rate).fine());
    }
    outcome.chart("rates", chart);
    Ok(outcome)
}
