//! The unit of a time axis.

use crate::chart::Axis;

/// Picoseconds as the unit that gives short numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeScale {
    unit: f64,
    name: &'static str,
    end: f64,
}

impl TimeScale {
    /// For times up to this many picoseconds.
    pub(super) fn up_to(end: f64) -> Self {
        let (unit, name) = match end {
            end if end < 1e6 => (1e3, "ns"),
            end if end < 5e9 => (1e6, "µs"),
            end if end < 5e12 => (1e9, "ms"),
            _ => (1e12, "s"),
        };
        Self { unit, name, end }
    }

    /// Where a moment stands.
    pub(super) fn place(&self, picoseconds: f64) -> f64 {
        picoseconds / self.unit
    }

    /// From the start to the end.
    pub(super) fn axis(&self) -> Axis {
        let axis = self.named("Time");
        if self.end > 0.0 { axis.from_to(0.0, self.place(self.end)) } else { axis }
    }

    /// An axis of times of another name, wherever they are.
    pub(super) fn named(&self, what: &str) -> Axis {
        Axis::linear(&format!("{what} ({})", self.name))
    }
}

/// `16 µs`
pub(super) fn time(picoseconds: f64) -> String {
    let scale = TimeScale::up_to(picoseconds);
    // Three digits are enough, and a whole number has none behind the point.
    let value = scale.place(picoseconds);
    let rounded = (value * 100.0).round() / 100.0;
    format!("{rounded} {}", scale.name)
}

/// The unit of many bytes: how many bytes it is, and its name.
pub(super) fn bytes_up_to(largest: f64) -> (f64, &'static str) {
    match largest {
        largest if largest < 1e7 => (1e3, "KB"),
        largest if largest < 1e10 => (1e6, "MB"),
        _ => (1e9, "GB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_two_milliseconds_is_shown_in_microseconds_and_one_of_seventy_in_milliseconds() {
        let short = TimeScale::up_to(2.1e9);
        assert_eq!((short.axis().label.as_str(), short.place(1.5e9)), ("Time (µs)", 1_500.0));
        assert_eq!(TimeScale::up_to(70e9).axis().range, Some((0.0, 70.0)));
        assert_eq!(TimeScale::up_to(0.0).axis().range, None);
        assert_eq!([time(16e6), time(3.2e9), time(83_840.0)], ["16 µs", "3200 µs", "83.84 ns"]);
        assert_eq!(bytes_up_to(3e6), (1e3, "KB"));
        assert_eq!(bytes_up_to(3e7), (1e6, "MB"));
    }
}
