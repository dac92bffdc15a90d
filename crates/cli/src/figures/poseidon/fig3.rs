//! Fig. 3: a forward flow against reverse traffic under Swift.

use super::fig15a::by_count;
use crate::figures::Outcome;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let rates = by_count(runs, "swift ", |run| run.rate("forward", run.second_half()));
    let rises = rates.windows(2).map(|pair| pair[1].1 - pair[0].1);
    outcome.measure("rises", rises.fold(f64::MIN, f64::max));
    let four = rates.iter().find(|point| point.0 == 4.0).map_or(f64::NAN, |point| point.1);
    outcome.measure("four", four / 200.0);
    let mut chart = over("Swift: forward rate against reverse flows", "Reverse flows", "Rate (Gb/s)");
    chart.series.push(Series::line("forward flow", rates).marked(Marks::Points));
    outcome.chart("rate", chart);
    Ok(outcome)
}
