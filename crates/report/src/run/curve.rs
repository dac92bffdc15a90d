//! A curve that never has more points than a picture has places for, however long the run.

/// Enough for a plot of 400 pixels.
pub(super) const FINE: usize = 600;
/// For rates: over a few microseconds they jump by whole packets, and their means over longer say more.
pub(super) const COARSE: usize = 160;

/// What stands for several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Their mean.
    Mean,
    /// The largest: a peak must not vanish.
    Largest,
}

/// A curve over time. When it is full, each two neighbours become one.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    merge: Merge,
    /// There are fewer points than this.
    most: usize,
    points: Vec<(f64, f64)>,
    /// How many values a point stands for.
    each: u32,
    /// The time, the sum or the largest, and the count of what is not a point yet.
    open: (f64, f64, u32),
}

impl Curve {
    pub(crate) fn new(merge: Merge, most: usize) -> Self {
        Self { merge, most, points: Vec::new(), each: 1, open: (0.0, 0.0, 0) }
    }

    /// The next value.
    pub(crate) fn put(&mut self, at: f64, value: f64) {
        let (_, so_far, count) = self.open;
        let value = match self.merge {
            Merge::Mean => so_far + value,
            Merge::Largest if count > 0 => so_far.max(value),
            Merge::Largest => value,
        };
        self.open = (at, value, count + 1);
        if count + 1 == self.each {
            self.points.extend(self.open_point());
            self.open = (0.0, 0.0, 0);
            if self.points.len() >= self.most {
                self.halve();
            }
        }
    }

    fn open_point(&self) -> Option<(f64, f64)> {
        let (at, value, count) = self.open;
        let divisor = if self.merge == Merge::Mean { f64::from(count) } else { 1.0 };
        (count > 0).then(|| (at, value / divisor))
    }

    fn halve(&mut self) {
        let merged = |pair: &[(f64, f64)]| match (pair, self.merge) {
            ([(_, a), (at, b)], Merge::Mean) => (*at, (a + b) / 2.0),
            ([(_, a), (at, b)], Merge::Largest) => (*at, a.max(*b)),
            (rest, _) => rest.last().copied().unwrap_or_default(),
        };
        self.points = self.points.chunks(2).map(merged).collect();
        self.each = self.each.saturating_mul(2);
    }

    /// An empty one of the same kind.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.merge, self.most)
    }

    /// The points, by time.
    pub(crate) fn points(&self) -> Vec<(f64, f64)> {
        self.points.iter().copied().chain(self.open_point()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_stay_as_they_are() {
        let mut curve = Curve::new(Merge::Mean, FINE);
        (0..5).for_each(|n| curve.put(f64::from(n), f64::from(n * n)));
        assert_eq!(curve.points(), [(0.0, 0.0), (1.0, 1.0), (2.0, 4.0), (3.0, 9.0), (4.0, 16.0)]);
    }

    #[test]
    fn many_values_become_fewer_and_keep_their_mean_or_their_peak() {
        let (mut mean, mut peak) = (Curve::new(Merge::Mean, FINE), Curve::new(Merge::Largest, FINE));
        for n in 0..1_000_000_u32 {
            let value = if n == 123_456 { 1e6 } else { 1.0 };
            mean.put(f64::from(n), value);
            peak.put(f64::from(n), value);
        }
        assert!(mean.points().len() <= FINE && peak.points().len() <= FINE);
        // 600 is reached at 600, 1200, … 600 · 2¹⁰: each point stands for 2048 values, of which one is 10⁶.
        let highest = mean.points().iter().map(|(_, value)| *value).fold(0.0, f64::max);
        assert!((highest - (1e6 + 2_047.0) / 2_048.0).abs() < 1e-6, "{highest}");
        assert!(peak.points().iter().any(|(_, value)| *value == 1e6));
        assert_eq!(mean.points().last().unwrap().0, 999_999.0);
    }
}
