//! Figs. 7a to 7f: tails of short and of long flows over load, rate of queries and size of queries.

use super::schemes::{SCHEMES, over};
use super::tails::{Class, Tail, name, percentile_for, slowdowns};
use crate::figures::Outcome;
use crate::figures::observed::mean;
use crate::figures::pictures;
use crate::figures::runs::Runs;
use plimsoll_report::{Axis, Marks, Series};

/// Tails over what the figure varies.
type Points = Vec<(f64, Tail)>;

/// A figure's runs, and the percentile that all of them have flows enough for.
struct Figure<'r> {
    runs: &'r Runs,
    percentile: f64,
}

impl<'r> Figure<'r> {
    fn new(runs: &'r Runs, outcome: &mut Outcome) -> Self {
        let count = |class: Class| {
            let schemes = SCHEMES
                .iter()
                .flat_map(move |(scheme, _)| over(runs, scheme, |run| slowdowns(run, class).values().len()));
            schemes.map(|(_, count)| count).min().unwrap_or(0)
        };
        let fewest = count(Class::Short).min(count(Class::Long));
        let percentile = percentile_for(fewest);
        outcome.setting("percentile", name(percentile));
        outcome.setting("flows in the smallest class", fewest);
        Self { runs, percentile }
    }

    fn tails(&self, scheme: &str, class: Class) -> Points {
        over(self.runs, scheme, |run| Tail::of(&slowdowns(run, class), self.percentile))
    }

    /// One scheme's tail over another's.
    fn ratios(&self, class: Class, scheme: &str, other: &str) -> Vec<(f64, f64)> {
        let (ours, theirs) = (self.tails(scheme, class), self.tails(other, class));
        let matching = |(x, tail): (f64, Tail)| {
            let (_, other) = theirs.iter().find(|(at, _)| *at == x)?;
            Some((x, tail.value / other.value))
        };
        ours.into_iter().filter_map(matching).collect()
    }

    /// Pictures and the list of numbers.
    fn draw(&self, outcome: &mut Outcome, x: &str) {
        for (file, class, what) in [("short", Class::Short, "short"), ("long", Class::Long, "long")] {
            let title = format!("{} of the slowdown, {what} flows", name(self.percentile));
            let mut chart = pictures::over(&title, x, "FCT slowdown");
            for (scheme, label) in SCHEMES {
                let tails = self.tails(scheme, class);
                if tails.is_empty() {
                    continue;
                }
                let list: Vec<String> = tails.iter().map(|(at, tail)| format!("{at}: {tail}")).collect();
                outcome.setting(&format!("{label}, {what} flows, by {x}"), list.join("; "));
                let points = tails.iter().map(|(at, tail)| (*at, tail.value));
                let mut series = Series::line(label, points).marked(Marks::Points);
                let interval = |(at, tail): &(f64, Tail)| tail.interval.map(|it| (*at, it.low, it.high));
                series.intervals = tails.iter().filter_map(interval).collect();
                chart.series.push(series);
            }
            // A logarithmic axis of less than a decade has too few numbers beside it.
            let values =
                || chart.series.iter().flat_map(|series| series.curves.iter().flatten()).map(|it| it.1);
            let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
            if most > 10.0 * least {
                chart.y = Axis::log("FCT slowdown");
            }
            chart.notes.push("Bars: 95 % confidence, where there are flows enough.".to_owned());
            outcome.chart(file, chart);
        }
    }
}

fn at(ratios: &[(f64, f64)], x: f64) -> f64 {
    ratios.iter().find(|(at, _)| *at == x).map_or(f64::NAN, |(_, ratio)| *ratio)
}

fn mean_of(ratios: &[(f64, f64)]) -> f64 {
    mean(ratios.iter().map(|(_, ratio)| *ratio))
}

fn largest(ratios: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    ratios.into_iter().map(|(_, ratio)| ratio).fold(f64::NEG_INFINITY, f64::max)
}

/// Figs. 7a and 7b.
pub(crate) fn loads(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let figure = Figure::new(runs, &mut outcome);
    let high = |ratios: Vec<(f64, f64)>| largest(ratios.into_iter().filter(|(load, _)| *load >= 80.0));
    let short = figure.ratios(Class::Short, "powertcp", "hpcc");
    outcome.measure("short_powertcp", high(short.clone()));
    outcome.measure("short_theta", high(figure.ratios(Class::Short, "theta", "hpcc")));
    outcome.measure("short_gap", at(&short, 20.0) - at(&short, 90.0));
    let long = figure.ratios(Class::Long, "powertcp", "hpcc");
    outcome.measure("long_powertcp", largest(long.clone()));
    outcome.measure("long_powertcp_90", at(&long, 90.0));
    outcome.measure("long_theta", mean_of(&figure.ratios(Class::Long, "theta", "powertcp")));
    figure.draw(&mut outcome, "Load (%)");
    Ok(outcome)
}

/// Figs. 7c and 7d.
pub(crate) fn rates(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let figure = Figure::new(runs, &mut outcome);
    outcome.measure("short", mean_of(&figure.ratios(Class::Short, "powertcp", "hpcc")));
    outcome.measure("long", mean_of(&figure.ratios(Class::Long, "powertcp", "hpcc")));
    figure.draw(&mut outcome, "Requests of a server (per second)");
    Ok(outcome)
}

/// Figs. 7e and 7f.
pub(crate) fn sizes(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let figure = Figure::new(runs, &mut outcome);
    let short = figure.ratios(Class::Short, "powertcp", "hpcc");
    outcome.measure("short_1", at(&short, 1.0));
    outcome.measure("short_8", at(&short, 8.0));
    let tails = figure.tails("powertcp", Class::Short);
    let steps = tails.windows(2).map(|pair| pair[1].1.value / pair[0].1.value);
    outcome.measure("rising", steps.fold(f64::INFINITY, f64::min));
    outcome.measure("long", mean_of(&figure.ratios(Class::Long, "powertcp", "hpcc")));
    outcome.measure("long_theta", mean_of(&figure.ratios(Class::Long, "theta", "hpcc")));
    figure.draw(&mut outcome, "Size of a request (MB)");
    Ok(outcome)
}
