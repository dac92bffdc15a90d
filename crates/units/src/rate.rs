//! [`Rate`]: data per time, and the exact time that data takes on a link.

use crate::text::{ParseError, Unit, Units};
use crate::{Bytes, Span};
use core::fmt;
use core::ops::Div;
use core::str::FromStr;

const PS_PER_SECOND: u64 = 1_000_000_000_000;
/// Eight bits a byte, in picoseconds of a 1 bit/s link.
const PS_PER_BYTE_AT_1BPS: u64 = 8 * PS_PER_SECOND;

const UNITS: Units = Units {
    table: &[
        Unit { name: "bps", scale: 1, prints: true },
        Unit { name: "b/s", scale: 1, prints: false },
        Unit { name: "Kbps", scale: 1_000, prints: true },
        Unit { name: "Kb/s", scale: 1_000, prints: false },
        Unit { name: "Mbps", scale: 1_000_000, prints: true },
        Unit { name: "Mb/s", scale: 1_000_000, prints: false },
        Unit { name: "Gbps", scale: 1_000_000_000, prints: true },
        Unit { name: "Gb/s", scale: 1_000_000_000, prints: false },
        Unit { name: "Tbps", scale: 1_000_000_000_000, prints: true },
        Unit { name: "Tb/s", scale: 1_000_000_000_000, prints: false },
    ],
    expected: "a rate such as \"100Gbps\" (units: bps, Kbps, Mbps, Gbps, Tbps)",
};

/// Which whole picosecond (or byte) to take when the exact value lies between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The earlier one.
    Down,
    /// The later one: a link is never faster than its rate.
    Up,
    /// The closer one; a half goes up.
    Nearest,
}

/// Data per time, in bits per second.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Nothing moves.
    pub const ZERO: Self = Self(0);
    /// The largest rate.
    pub const MAX: Self = Self(u64::MAX);

    /// So many bits per second.
    #[inline]
    #[must_use]
    pub const fn from_bps(bits_per_second: u64) -> Self {
        Self(bits_per_second)
    }

    /// So many million bits per second.
    ///
    /// # Panics
    /// If the rate does not fit.
    #[inline]
    #[must_use]
    pub const fn from_mbps(megabits_per_second: u64) -> Self {
        Self(megabits_per_second.checked_mul(1_000_000).expect("Rate overflow"))
    }

    /// So many thousand million bits per second.
    ///
    /// # Panics
    /// If the rate does not fit.
    #[inline]
    #[must_use]
    pub const fn from_gbps(gigabits_per_second: u64) -> Self {
        Self(gigabits_per_second.checked_mul(1_000_000_000).expect("Rate overflow"))
    }

    /// The nearest whole bit per second, clamped to what fits; NaN and negative give zero.
    #[inline]
    #[must_use]
    pub const fn saturating_from_bps_f64(bits_per_second: f64) -> Self {
        Self((bits_per_second + 0.5) as u64)
    }

    /// The rate that moves `bytes` in `span`, clamped to what fits. Data in no time is
    /// [`Rate::MAX`]; no data in no time is zero.
    #[inline]
    #[must_use]
    pub const fn saturating_from(bytes: Bytes, span: Span) -> Self {
        if bytes.get() == 0 {
            return Self::ZERO;
        }
        if span.as_ps() == 0 {
            return Self::MAX;
        }
        let bits = bytes.get() as u128 * PS_PER_BYTE_AT_1BPS as u128 / span.as_ps() as u128;
        if bits > u64::MAX as u128 { Self::MAX } else { Self(bits as u64) }
    }

    /// Bits per second.
    #[inline]
    #[must_use]
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Bits per second as floating point (exact below 2⁵³ = 9 Pb/s).
    #[inline]
    #[must_use]
    pub const fn as_bps_f64(self) -> f64 {
        self.0 as f64
    }

    /// Thousand million bits per second as floating point.
    #[inline]
    #[must_use]
    pub const fn as_gbps_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Bytes per second as floating point.
    #[inline]
    #[must_use]
    pub const fn as_bytes_per_second_f64(self) -> f64 {
        self.0 as f64 / 8.0
    }

    /// How long `bytes` take on a link of this rate: the exact quotient, rounded as named.
    /// `None` if nothing moves (rate zero) or the time does not fit in a [`Span`].
    #[inline]
    #[must_use]
    pub const fn checked_serialize(self, bytes: Bytes, rounding: Rounding) -> Option<Span> {
        if self.0 == 0 {
            return if bytes.get() == 0 { Some(Span::ZERO) } else { None };
        }
        // 64-bit division is several times faster than 128-bit, and any packet fits.
        if let Some(work) = bytes.get().checked_mul(PS_PER_BYTE_AT_1BPS) {
            let (quotient, rest) = (work / self.0, work % self.0);
            return Some(Span::from_ps(quotient + round(rest as u128, self.0 as u128, rounding)));
        }
        self.serialize_much(bytes, rounding)
    }

    /// [`Rate::checked_serialize`] above two megabytes; apart, so that the usual case is inlined alone.
    #[cold]
    const fn serialize_much(self, bytes: Bytes, rounding: Rounding) -> Option<Span> {
        let work = bytes.get() as u128 * PS_PER_BYTE_AT_1BPS as u128;
        let (quotient, rest) = (work / self.0 as u128, work % self.0 as u128);
        let time = quotient + round(rest, self.0 as u128, rounding) as u128;
        if time > u64::MAX as u128 { None } else { Some(Span::from_ps(time as u64)) }
    }

    /// How long `bytes` take on a link of this rate, rounded up to the next picosecond, so that
    /// a link is never faster than its rate.
    ///
    /// # Panics
    /// If the rate is zero or the time does not fit: links are checked when they are built.
    #[inline]
    #[must_use]
    pub const fn serialize_up(self, bytes: Bytes) -> Span {
        self.checked_serialize(bytes, Rounding::Up).expect("serialisation time does not fit")
    }

    /// How many whole bytes this rate moves in `span`, rounded down, clamped to what fits.
    #[inline]
    #[must_use]
    pub const fn bytes_in(self, span: Span) -> Bytes {
        // rate × span needs up to 128 bits; the divisor turns bit·ps/s into bytes.
        let bytes = self.0 as u128 * span.as_ps() as u128 / PS_PER_BYTE_AT_1BPS as u128;
        if bytes > u64::MAX as u128 { Bytes::MAX } else { Bytes::new(bytes as u64) }
    }
}

/// What to add to a quotient whose rest is `rest` of `divisor`.
#[inline]
const fn round(rest: u128, divisor: u128, rounding: Rounding) -> u64 {
    let up = match rounding {
        Rounding::Down => false,
        Rounding::Up => rest > 0,
        Rounding::Nearest => rest >= divisor - rest,
    };
    up as u64
}

/// The ratio of two rates. Zero over zero is NaN and x over zero is infinite, as in `f64`.
impl Div for Rate {
    type Output = f64;
    #[inline]
    fn div(self, other: Self) -> f64 {
        self.as_bps_f64() / other.as_bps_f64()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UNITS.print(self.0, f)
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Rate {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        UNITS.parse(text).map(Self)
    }
}
