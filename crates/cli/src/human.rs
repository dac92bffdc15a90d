//! Quantities for people: three digits and a unit.

use plimsoll_units::{Bytes, Rate, Span};

/// `1.23 ms`
pub(crate) fn time(span: Span) -> String {
    seconds(span.as_secs_f64())
}

/// `1.23 ms`
pub(crate) fn seconds(seconds: f64) -> String {
    scaled(seconds * 1e12, &["ps", "ns", "us", "ms", "s"])
}

/// `1.23 MB`
pub(crate) fn bytes(bytes: Bytes) -> String {
    scaled(bytes.as_f64(), &["B", "KB", "MB", "GB", "TB"])
}

/// `1.23 Gbps`
pub(crate) fn rate(rate: Rate) -> String {
    scaled(rate.as_bps_f64(), &["bps", "kbps", "Mbps", "Gbps", "Tbps"])
}

/// `1.23 M`; whole numbers up to 9999.
pub(crate) fn count(count: u64) -> String {
    if count < 10_000 {
        return count.to_string();
    }
    scaled(count as f64, &["", "k", "M", "G", "T"])
}

/// The largest unit in which the number is at least 1.
fn scaled(mut number: f64, units: &[&str]) -> String {
    let mut unit = 0;
    // 999.5 would round to a fourth digit.
    while number >= 999.5 && unit + 1 < units.len() {
        number /= 1_000.0;
        unit += 1;
    }
    let decimals = match number {
        _ if unit == 0 => 0,
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    let unit = units.get(unit).copied().unwrap_or_default();
    format!("{number:.decimals$} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_the_largest_unit_that_fits() {
        assert_eq!(time(Span::from_ps(1_234_567)), "1.23 us");
        assert_eq!(time(Span::from_us(12_345)), "12.3 ms");
        assert_eq!(time(Span::from_s(123)), "123 s");
        assert_eq!(time(Span::from_ps(999_700_000)), "1.00 ms");
        assert_eq!(time(Span::ZERO), "0 ps");
        assert_eq!(bytes(Bytes::new(999)), "999 B");
        assert_eq!(rate(Rate::from_bps(965_333_328)), "965 Mbps");
        assert_eq!(bytes(Bytes::from_kb(1_500)), "1.50 MB");
        assert_eq!(count(9_999), "9999");
        assert_eq!(count(106_000_000), "106 M");
    }
}
