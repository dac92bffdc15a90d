//! Pictures that many figures draw alike.

use super::observed::{Curve, Observed};
use plimsoll_report::{Axis, Chart, Series};

/// A curve has at most about so many points: more than a picture can show.
const POINTS: usize = 300;

/// An empty picture over time.
pub(crate) fn over_time(title: &str, y: &str) -> Chart {
    over(title, "Time (ms)", y)
}

/// An empty picture.
pub(crate) fn over(title: &str, x: &str, y: &str) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis::linear(x),
        y: Axis::linear(y),
        series: Vec::new(),
        notes: Vec::new(),
    }
}

/// Means of neighbours, so that there are no more points than a picture can show.
pub(crate) fn thin(curve: &[(f64, f64)]) -> Curve {
    let mean = |points: &[(f64, f64)]| {
        let count = points.len() as f64;
        let sum = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (sum.0 / count, sum.1 / count)
    };
    curve.chunks(curve.len().div_ceil(POINTS).max(1)).map(mean).collect()
}

impl Observed {
    /// The mean of a reading over a group's flows, over time.
    pub(crate) fn mean_series(&self, name: &str, reading: &'static str, group: &str) -> Series {
        let mut sums: Vec<(f64, f64, f64)> = Vec::new();
        let flows = self.flows(group);
        let mut points: Vec<(f64, f64)> =
            flows.iter().flat_map(|flow| self.curve(reading, flow.connection)).copied().collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (at, value) in points {
            match sums.last_mut() {
                Some(last) if last.0 == at => (last.1, last.2) = (last.1 + value, last.2 + 1.0),
                _ => sums.push((at, value, 1.0)),
            }
        }
        let curve: Curve = sums.into_iter().map(|(at, sum, count)| (at, sum / count)).collect();
        Series::line(name, thin(&curve)).fine()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_is_thinned_by_means() {
        // 600 points in chunks of two: (0 + 1)/2, (2 + 3)/2 and so on.
        let curve: Curve = (0..600).map(|at| (f64::from(at), f64::from(2 * at))).collect();
        let thin = thin(&curve);
        assert_eq!((thin.len(), thin[0], thin[1]), (300, (0.5, 1.0), (2.5, 5.0)));
        assert_eq!(super::thin(&curve[..3]), curve[..3]);
    }
}
