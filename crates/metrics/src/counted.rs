//! [`Counted`]: quantities as whole numbers, for histograms and files.

use plimsoll_units::{Bytes, Rate, Span};

/// A quantity that is a whole number of some unit.
pub trait Counted: Copy {
    /// The unit.
    const UNIT: &'static str;
    /// How many.
    fn count(self) -> u64;
    /// So many.
    fn from_count(count: u64) -> Self;
}

impl Counted for Bytes {
    const UNIT: &'static str = "B";
    fn count(self) -> u64 {
        self.get()
    }
    fn from_count(count: u64) -> Self {
        Self::new(count)
    }
}

impl Counted for Rate {
    const UNIT: &'static str = "bit/s";
    fn count(self) -> u64 {
        self.as_bps()
    }
    fn from_count(count: u64) -> Self {
        Self::from_bps(count)
    }
}

impl Counted for Span {
    const UNIT: &'static str = "ps";
    fn count(self) -> u64 {
        self.as_ps()
    }
    fn from_count(count: u64) -> Self {
        Self::from_ps(count)
    }
}

/// A plain ratio such as a slowdown, to the nearest millionth; NaN and what is negative count as zero.
impl Counted for f64 {
    const UNIT: &'static str = "1e-6";
    fn count(self) -> u64 {
        (self * 1e6 + 0.5) as u64
    }
    fn from_count(count: u64) -> Self {
        count as f64 / 1e6
    }
}
