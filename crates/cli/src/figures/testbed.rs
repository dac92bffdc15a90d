//! Poseidon's testbed on real packets. See `papers/testbed/`.

use super::Outcome;
use super::pictures::over_time;
use super::runs::Runs;
use plimsoll_report::Series;

/// The victim's share of the line under Poseidon and under Swift, and their picture beside the paper's.
fn victims(runs: &Runs, title: &str, paper: [f64; 2]) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut chart = over_time(title, "Share of the line (%)");
    let mut shares = Vec::new();
    let end = runs.get("poseidon")?.end;
    let mut guide = Series::guide("paper: Poseidon and Swift", []);
    guide.curves = paper.map(|share| vec![(0.0, 100.0 * share), (end, 100.0 * share)]).into();
    chart.series.push(guide);
    for (variant, name) in [("poseidon", "Poseidon"), ("swift", "Swift")] {
        let run = runs.get(variant)?;
        let of_line = run.share_of_line("victim");
        shares.push(run.rate("victim", run.second_half()) * of_line);
        let mut series = run.mean_series(name, "goodput", "victim");
        series.curves.iter_mut().flatten().for_each(|point| point.1 *= 100.0 * of_line);
        chart.series.push(series);
    }
    chart.y = chart.y.from_to(0.0, 105.0);
    outcome.measure("poseidon", shares[0]);
    outcome.measure("swift", shares[1]);
    outcome.measure("ratio", shares[1] / shares[0]);
    outcome.chart("share", chart);
    Ok(outcome)
}

/// Fig. 12b.
pub(super) fn two_hops(runs: &Runs) -> Result<Outcome, String> {
    victims(runs, "Victim of two congested hops, real packets", [1.0 / 3.0, 0.016])
}

/// Fig. 13b.
pub(super) fn reverse_path(runs: &Runs) -> Result<Outcome, String> {
    victims(runs, "Victim of reverse traffic, real packets", [1.0, 0.191])
}
