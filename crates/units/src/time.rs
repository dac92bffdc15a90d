//! [`Time`] and [`Span`]: picoseconds.

use crate::text::{ParseError, Unit, Units};
use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use core::str::FromStr;

const PS_PER_SECOND: u64 = 1_000_000_000_000;

const UNITS: Units = Units {
    table: &[
        Unit { name: "ps", scale: 1, prints: true },
        Unit { name: "ns", scale: 1_000, prints: true },
        Unit { name: "us", scale: 1_000_000, prints: true },
        Unit { name: "µs", scale: 1_000_000, prints: false },
        Unit { name: "ms", scale: 1_000_000_000, prints: true },
        Unit { name: "s", scale: PS_PER_SECOND, prints: true },
    ],
    expected: "a time such as \"12us\" (units: ps, ns, us, ms, s)",
};

/// A length of time, never negative.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// A moment: the time since the start of the run.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span, about 213 days.
    pub const MAX: Self = Self(u64::MAX);

    /// So many picoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ps(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// So many nanoseconds.
    ///
    /// # Panics
    /// If the span does not fit.
    #[inline]
    #[must_use]
    pub const fn from_ns(nanoseconds: u64) -> Self {
        Self(nanoseconds.checked_mul(1_000).expect("Span overflow"))
    }

    /// So many microseconds.
    ///
    /// # Panics
    /// If the span does not fit.
    #[inline]
    #[must_use]
    pub const fn from_us(microseconds: u64) -> Self {
        Self(microseconds.checked_mul(1_000_000).expect("Span overflow"))
    }

    /// So many milliseconds.
    ///
    /// # Panics
    /// If the span does not fit.
    #[inline]
    #[must_use]
    pub const fn from_ms(milliseconds: u64) -> Self {
        Self(milliseconds.checked_mul(1_000_000_000).expect("Span overflow"))
    }

    /// So many seconds.
    ///
    /// # Panics
    /// If the span does not fit.
    #[inline]
    #[must_use]
    pub const fn from_s(seconds: u64) -> Self {
        Self(seconds.checked_mul(PS_PER_SECOND).expect("Span overflow"))
    }

    /// The nearest whole picosecond, clamped to what fits; NaN and negative give zero.
    #[inline]
    #[must_use]
    pub const fn saturating_from_secs_f64(seconds: f64) -> Self {
        Self((seconds * PS_PER_SECOND as f64 + 0.5) as u64)
    }

    /// Picoseconds.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Whole nanoseconds, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / 1_000
    }

    /// Seconds as floating point.
    #[inline]
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// Microseconds as floating point.
    #[inline]
    #[must_use]
    pub const fn as_us_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The sum, or `None` if it does not fit.
    #[inline]
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The difference, or `None` if `other` is longer.
    #[inline]
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }

    /// The sum, at most [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, at least zero.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The multiple, at most [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The span times a factor, to the nearest picosecond, clamped to what fits; NaN gives zero.
    #[inline]
    #[must_use]
    pub const fn saturating_scale(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything: the time of what will not happen.
    pub const NEVER: Self = Self(u64::MAX);

    /// So many picoseconds after the start.
    #[inline]
    #[must_use]
    pub const fn from_ps(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// So long after the start.
    #[inline]
    #[must_use]
    pub const fn after_start(span: Span) -> Self {
        Self(span.0)
    }

    /// Picoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// The span since the start.
    #[inline]
    #[must_use]
    pub const fn since_start(self) -> Span {
        Span(self.0)
    }

    /// Seconds since the start as floating point.
    #[inline]
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        Span(self.0).as_secs_f64()
    }

    /// The span from `earlier` to this moment, or `None` if `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn checked_since(self, earlier: Self) -> Option<Span> {
        match self.0.checked_sub(earlier.0) {
            Some(span) => Some(Span(span)),
            None => None,
        }
    }

    /// The span from `earlier` to this moment; zero if `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The later moment, or `None` if it does not fit.
    #[inline]
    #[must_use]
    pub const fn checked_add(self, span: Span) -> Option<Self> {
        match self.0.checked_add(span.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The later moment, at most [`Time::NEVER`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.checked_add(other).expect("Span overflow")
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.checked_sub(other).expect("Span below zero")
    }
}

impl SubAssign for Span {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, count: u64) -> Self {
        Self(self.0.checked_mul(count).expect("Span overflow"))
    }
}

/// An equal part, rounded down.
impl Div<u64> for Span {
    type Output = Self;
    #[inline]
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

/// The ratio of two spans. Zero over zero is NaN and x over zero is infinite, as in `f64`.
impl Div for Span {
    type Output = f64;
    #[inline]
    fn div(self, other: Self) -> f64 {
        self.0 as f64 / other.0 as f64
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        self.checked_add(span).expect("Time overflow")
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

/// The span between two moments; the earlier one stands on the right.
impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        self.checked_since(earlier).expect("negative time")
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UNITS.print(self.0, f)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Span {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        UNITS.parse(text).map(Self)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NEVER => f.pad("never"),
            Self(picoseconds) => UNITS.print(picoseconds, f),
        }
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Time {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text.trim() {
            "never" => Ok(Self::NEVER),
            other => UNITS.parse(other).map(Self),
        }
    }
}
