//! One picture of a sweep.

use super::Collected;
use crate::error::Error;
use crate::files;
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_scenario::sweep::Plot;
use plimsoll_units::{Bytes, Rate, Span};
use std::path::Path;

/// A value of a key as a number, with the unit that an axis shows it in.
pub(crate) fn quantity(text: &str) -> Option<(f64, &'static str)> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some((number, ""));
    }
    if let Ok(span) = text.parse::<Span>() {
        return Some((span.as_secs_f64() * 1e6, "µs"));
    }
    if let Ok(rate) = text.parse::<Rate>() {
        return Some((rate.as_bps_f64() / 1e9, "Gb/s"));
    }
    text.parse::<Bytes>().ok().map(|bytes| (bytes.as_f64() / 1e3, "KB"))
}

/// Draws the plot as SVG and PNG beside each other.
pub(crate) fn draw(collected: &Collected<'_>, plot: &Plot, keys: &[String], png: &Path) -> Result<(), Error> {
    let chart = chart(collected, plot, keys);
    files::write(&png.with_extension("svg"), chart.svg().as_bytes())?;
    let bytes = chart.png().map_err(|error| Error::Refused(format!("{}: {error}", png.display())))?;
    files::write(png, &bytes)
}

/// A curve: its name and its points, each x, mean and interval.
type Curve = (String, Vec<(f64, f64, (f64, f64))>);

fn chart(collected: &Collected<'_>, plot: &Plot, keys: &[String]) -> Chart {
    let place = |key: &str| keys.iter().position(|known| known == key);
    let x_place = place(&plot.x.value);
    let mut curves: Vec<Curve> = Vec::new();
    let mut unit = "";
    let groups = collected.groups();
    let mut seeds = 1;
    for group in &groups {
        let Some((x, x_unit)) = x_place.and_then(|at| quantity(group.values.get(at)?)) else { continue };
        let Some((mean, interval)) = collected.mean(group, &plot.y.value) else { continue };
        unit = x_unit;
        seeds = seeds.max(group.seeds());
        let name = match place(&plot.series.value) {
            Some(at) => group.values.get(at).cloned().unwrap_or_default(),
            None => group.law.clone(),
        };
        let reach = interval.map_or((mean, mean), |interval| (interval.low, interval.high));
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push((x, mean, reach)),
            None => curves.push((name, vec![(x, mean, reach)])),
        }
    }
    // What differs in a key that is neither axis nor series stands at the same x: curves go through all of it.
    curves.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let xs: Vec<f64> = curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.0)).collect();
    let ys: Vec<f64> = curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.1)).collect();
    let label = if unit.is_empty() { plot.x.value.clone() } else { format!("{} ({unit})", plot.x.value) };
    let one = |(name, points): &Curve| {
        let intervals = points.iter().filter(|(_, _, (low, high))| low < high);
        let intervals = intervals.map(|(x, _, (low, high))| (*x, *low, *high)).collect();
        let line = Series::line(name, points.iter().map(|(x, mean, _)| (*x, *mean)));
        Series { intervals, ..line.marked(Marks::Points) }
    };
    let series: Vec<Series> = curves.iter().map(one).collect();
    let mut notes = Vec::new();
    if series.iter().any(|series| !series.intervals.is_empty()) {
        notes.push(format!("Means over {seeds} seeds; bars: 95 % confidence interval of the mean."));
    }
    Chart { title: String::new(), x: axis(&label, &xs), y: axis(&plot.y.value, &ys), series, notes }
}

/// What spreads over more than a decade is lost on a linear axis.
fn axis(label: &str, values: &[f64]) -> Axis {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    if low > 0.0 && high / low > 20.0 { Axis::log(label) } else { Axis::linear(label) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_units_are_numbers_on_an_axis() {
        assert_eq!(quantity("0.5"), Some((0.5, "")));
        assert_eq!(quantity("400Gbps"), Some((400.0, "Gb/s")));
        assert_eq!(quantity("1.5us"), Some((1.5, "µs")));
        assert_eq!(quantity("32MB"), Some((32_000.0, "KB")));
        assert_eq!(quantity("red"), None);
        assert_eq!(quantity("inf"), None);
    }
}
