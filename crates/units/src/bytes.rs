//! [`Bytes`]: an amount of data.

use crate::text::{ParseError, Unit, Units};
use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use core::str::FromStr;

/// An amount of data in bytes; also a position in a byte stream (bytes since its start).
///
/// Text: `B`, decimal `KB MB GB TB`, binary `KiB MiB GiB TiB`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

const UNITS: Units = Units {
    table: &[
        Unit { name: "B", scale: 1, prints: true },
        Unit { name: "KB", scale: 1_000, prints: true },
        Unit { name: "MB", scale: 1_000_000, prints: true },
        Unit { name: "GB", scale: 1_000_000_000, prints: true },
        Unit { name: "TB", scale: 1_000_000_000_000, prints: true },
        Unit { name: "KiB", scale: 1 << 10, prints: false },
        Unit { name: "MiB", scale: 1 << 20, prints: false },
        Unit { name: "GiB", scale: 1 << 30, prints: false },
        Unit { name: "TiB", scale: 1 << 40, prints: false },
    ],
    expected: "a size such as \"64MB\" (units: B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)",
};

impl Bytes {
    /// No data.
    pub const ZERO: Self = Self(0);
    /// The largest amount.
    pub const MAX: Self = Self(u64::MAX);

    /// So many bytes.
    #[inline]
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// So many thousand bytes.
    ///
    /// # Panics
    /// If the amount does not fit.
    #[inline]
    #[must_use]
    pub const fn from_kb(kilobytes: u64) -> Self {
        Self(kilobytes.checked_mul(1_000).expect("Bytes overflow"))
    }

    /// So many million bytes.
    ///
    /// # Panics
    /// If the amount does not fit.
    #[inline]
    #[must_use]
    pub const fn from_mb(megabytes: u64) -> Self {
        Self(megabytes.checked_mul(1_000_000).expect("Bytes overflow"))
    }

    /// The nearest whole number of bytes, clamped to what fits; NaN gives zero.
    #[inline]
    #[must_use]
    pub const fn saturating_from_f64(bytes: f64) -> Self {
        // `as` saturates and maps NaN to 0; adding a half first rounds to nearest.
        Self((bytes + 0.5) as u64)
    }

    /// The number of bytes.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bytes as floating point (exact below 2⁵³).
    #[inline]
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
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

    /// The difference, or `None` if `other` is larger.
    #[inline]
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }

    /// The sum, at most [`Bytes::MAX`].
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
}

impl Add for Bytes {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.checked_add(other).expect("Bytes overflow")
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.checked_sub(other).expect("Bytes below zero")
    }
}

impl SubAssign for Bytes {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    #[inline]
    fn mul(self, count: u64) -> Self {
        Self(self.0.checked_mul(count).expect("Bytes overflow"))
    }
}

/// The ratio of two amounts. Zero over zero is NaN and x over zero is infinite, as in `f64`.
impl Div for Bytes {
    type Output = f64;
    #[inline]
    fn div(self, other: Self) -> f64 {
        self.as_f64() / other.as_f64()
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UNITS.print(self.0, f)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Bytes {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        UNITS.parse(text).map(Self)
    }
}
