//! Pictures of an upgrade.

use super::Row;
use super::measure::{Mean, Metric};
use super::plan::{Plan, Step};
use crate::error::Error;
use crate::plots;
use plimsoll_report::{Axis, Chart, Marks, Series};
use std::path::{Path, PathBuf};

/// Draws the metric after each step, what is gained by it and, if flows completed, the percentiles of slowdown; gives
/// the PNGs.
pub(crate) fn draw(
    plan: &Plan,
    full: Option<&Row>,
    metric: Metric,
    title: &str,
    folder: &Path,
) -> Result<Vec<PathBuf>, Error> {
    let mut drawn = Vec::new();
    let curve = |name: &str, pick: &dyn Fn(&Row) -> Option<Mean>| -> Series {
        let points: Vec<(f64, Mean)> =
            plan.steps.iter().filter_map(|step| Some((step.set.len() as f64, pick(&step.row)?))).collect();
        let interval = |(x, mean): &(f64, Mean)| mean.interval.map(|it| (*x, it.low, it.high));
        let intervals = points.iter().filter_map(interval).collect();
        let means = points.iter().map(|(x, mean)| (*x, mean.mean));
        Series { intervals, ..Series::line(name, means).marked(Marks::Points) }
    };
    let last = plan.steps.last().map_or(1, |step| step.set.len()).max(1) as f64;
    // A little room at the ends, so that bars do not hide behind the axes.
    let (left, right) = (-0.04 * last, 1.04 * last);
    let axis = || Axis::linear("Switches with INT").from_to(left, right);
    let mut all = vec![curve(metric.label(), &|row| row.metric(metric))];
    if let Some(mean) = full.and_then(|row| row.metric(metric)) {
        all.push(Series::guide("all switches", [(left, mean.mean), (right, mean.mean)]));
    }
    let chart = Chart {
        title: format!("{title}: upgrading to INT"),
        x: axis(),
        y: Axis::linear(&capital(metric.label())),
        series: all,
        notes: notes(plan),
    };
    drawn.push(write(folder, "brownfield", &chart)?);
    if let Some(none) = plan.steps.first().map(|step| &step.row) {
        let gain = |row: &Row| row.gain_over(none, metric);
        let mut all = vec![curve("", &gain)];
        if let Some(mean) = full.and_then(gain) {
            all.push(Series::guide("all switches", [(left, mean.mean), (right, mean.mean)]));
        }
        let mut notes = notes(plan);
        if none.seeds() > 1 {
            notes.push("Each seed is held against the same seed without INT.".to_owned());
        }
        let chart = Chart {
            title: format!("{title}: gain by INT, {}", metric.label()),
            x: axis(),
            y: Axis::linear("Better than without INT (%)"),
            series: all,
            notes,
        };
        drawn.push(write(folder, "gain", &chart)?);
    }
    if plan.steps.iter().any(|step| step.row.slowdown[0].is_some()) {
        let names = ["median", "p99", "p99.9"].into_iter().enumerate();
        let series = names.map(|(place, name)| curve(name, &|row| row.slowdown[place])).collect();
        let chart = Chart {
            title: format!("{title}: slowdown while upgrading to INT"),
            x: axis(),
            y: Axis::log("Slowdown"),
            series,
            notes: notes(plan),
        };
        drawn.push(write(folder, "slowdown", &chart)?);
    }
    Ok(drawn)
}

fn write(folder: &Path, name: &str, chart: &Chart) -> Result<PathBuf, Error> {
    plots::write(&folder.join(name), chart)?;
    Ok(folder.join(name).with_extension("png"))
}

fn capital(label: &str) -> String {
    let mut letters = label.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What was upgraded, in order, and what the bars are.
fn notes(plan: &Plan) -> Vec<String> {
    /// Steps that are named one by one.
    const MOST: usize = 10;
    let steps: Vec<&Step> = plan.steps.iter().skip(1).collect();
    let mut names: Vec<String> = steps.iter().take(MOST).map(|step| step.upgraded.clone()).collect();
    if steps.len() > MOST {
        names.push(format!("{} more", steps.len() - MOST));
    }
    let mut notes = vec![format!("Order: {}.", names.join(", "))];
    let seeds = plan.steps.first().map_or(0, |step| step.row.seeds());
    if seeds > 1 {
        notes.push(format!("Means over {seeds} seeds; bars: 95 % confidence interval of the mean."));
    }
    notes
}
