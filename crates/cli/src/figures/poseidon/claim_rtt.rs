//! Abstract: fabric round trip time.

use super::fig18a::ratios;
use crate::figures::Outcome;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let ratios = ratios(runs)?;
    let low = ratios.iter().filter(|ratio| **ratio <= 0.7).count();
    outcome.measure("half", 100.0 * low as f64 / ratios.len() as f64);
    outcome.measure("best", ratios.iter().copied().fold(f64::MAX, f64::min));
    let mut chart = over("Round trip, Poseidon over Swift", "Flows", "Ratio");
    chart.series.push(Series::guide("paper: 50 % lower", [(1.0, 0.5), (8.0, 0.5)]));
    let points = ratios.into_iter().zip(1..).map(|(ratio, step)| (f64::from(step), ratio));
    chart.series.push(Series::line("ours", points).marked(Marks::Points));
    outcome.chart("ratio", chart);
    Ok(outcome)
}
