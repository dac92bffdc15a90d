//! Reading and writing quantities as text: a decimal number and a unit, "200Gbps".
//!
//! Printing picks the largest unit in which the value is a whole number, so that text always
//! reads back to the very same value.

use core::fmt;

/// One unit of a quantity: its canonical spelling, and how many base units it holds.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    pub(crate) scale: u64,
    /// Whether printing may choose this unit.
    pub(crate) prints: bool,
}

/// A quantity's units, with what an error message should say about them.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    pub(crate) table: &'static [Unit],
    pub(crate) expected: &'static str,
}

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// The text is empty or only white space.
    Empty,
    /// There is no decimal number in front.
    NoNumber,
    /// The number is below zero; no unit here can be.
    Negative,
    /// A number without a unit.
    NoUnit,
    /// The unit is not one of this quantity's.
    UnknownUnit,
    /// The value is not a whole number of the base unit (1 ps, 1 B, 1 bit/s).
    NotWhole,
    /// The value does not fit in 64 bits of the base unit.
    TooLarge,
}

/// A text that is not a quantity, with what would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// What would be right, e.g. `a time such as "12us" (units: ps, ns, us, ms, s)`.
    pub expected: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ParseErrorKind::Empty => "empty text",
            ParseErrorKind::NoNumber => "no number in front of the unit",
            ParseErrorKind::Negative => "a negative value",
            ParseErrorKind::NoUnit => "a number without a unit",
            ParseErrorKind::UnknownUnit => "an unknown unit",
            ParseErrorKind::NotWhole => "finer than the smallest unit",
            ParseErrorKind::TooLarge => "too large for 64 bits",
        };
        write!(f, "{what}; expected {}", self.expected)
    }
}

impl core::error::Error for ParseError {}

impl Units {
    pub(crate) fn parse(&self, text: &str) -> Result<u64, ParseError> {
        let fail = |kind| ParseError { kind, expected: self.expected };
        let text = text.trim();
        if text.is_empty() {
            return Err(fail(ParseErrorKind::Empty));
        }
        if text.starts_with('-') {
            return Err(fail(ParseErrorKind::Negative));
        }
        let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
        let (number, unit) = (&text[..split], text[split..].trim_start());
        if !number.bytes().any(|b| b.is_ascii_digit()) {
            return Err(fail(ParseErrorKind::NoNumber));
        }
        if unit.is_empty() {
            return Err(fail(ParseErrorKind::NoUnit));
        }
        let unit = self.table.iter().find(|u| u.name == unit).ok_or(fail(ParseErrorKind::UnknownUnit))?;
        decimal_times(number, unit.scale).map_err(fail)
    }

    pub(crate) fn print(&self, value: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = |u: &&Unit| u.prints && value.is_multiple_of(u.scale) && value >= u.scale;
        // The base unit is first in each table and divides everything; zero prints in it.
        let unit = self.table.iter().filter(exact).max_by_key(|u| u.scale).unwrap_or(&self.table[0]);
        // Honour width and alignment, which tables use.
        let mut buffer = [0_u8; 40];
        let used = {
            let mut cursor = Cursor { buffer: &mut buffer, used: 0 };
            fmt::write(&mut cursor, format_args!("{}{}", value / unit.scale, unit.name))?;
            cursor.used
        };
        f.pad(core::str::from_utf8(&buffer[..used]).map_err(|_| fmt::Error)?)
    }
}

/// `number × scale`, exactly, or why not. `number` holds digits, at most one point, underscores.
fn decimal_times(number: &str, scale: u64) -> Result<u64, ParseErrorKind> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') {
        return Err(ParseErrorKind::NoNumber);
    }
    let fraction = fraction.trim_end_matches(['0', '_']);
    let mut value = 0_u128;
    for digit in whole.bytes().filter(u8::is_ascii_digit) {
        value = value * 10 + u128::from(digit - b'0');
        if value > u128::from(u64::MAX) {
            return Err(ParseErrorKind::TooLarge);
        }
    }
    value *= u128::from(scale);
    let mut unit = scale;
    for digit in fraction.bytes().filter(u8::is_ascii_digit) {
        if !unit.is_multiple_of(10) {
            return Err(ParseErrorKind::NotWhole);
        }
        unit /= 10;
        value += u128::from(digit - b'0') * u128::from(unit);
    }
    u64::try_from(value).map_err(|_| ParseErrorKind::TooLarge)
}

/// Writes formatted text into a fixed buffer; no allocation.
struct Cursor<'a> {
    buffer: &'a mut [u8],
    used: usize,
}

impl fmt::Write for Cursor<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.used + text.len();
        self.buffer.get_mut(self.used..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}
