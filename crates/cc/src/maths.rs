//! Natural logarithm and exponential without branches, for the hot path.
//!
//! `libm`'s versions choose between ranges with branches that random signals mispredict, and
//! divide in both. These take bounded arguments, straight through: about half the time per ack
//! (`cargo bench -p plimsoll-cc`). Only `+ − × ÷` and bit moves are used, so that every platform
//! gives the same bits. The error stays below 4 units in the last place (tested against `libm`).

/// ln 2 in two parts, so that n · LN2_HIGH is exact for |n| < 2¹¹.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1.5 · 2⁵²: adding and subtracting it rounds to the nearest whole number.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// e^x for x brought into [−700, 700]; NaN gives NaN.
pub(crate) fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * core::f64::consts::LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    // |r| ≤ ln 2 / 2: the series to r¹³ is exact to 4e-18. Grouped so that terms overlap in time.
    let r2 = r * r;
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let low = (1.0 + r) + r2 * (1.0 / 2.0 + r * (1.0 / 6.0));
    let middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5_040.0));
    let high = (1.0 / 40_320.0 + r * (1.0 / 362_880.0))
        + r2 * (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0))
        + r4 * (1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0));
    let series = low + r4 * middle + r8 * high;
    // n sits in the low bits of `shifted`; moving it into the exponent multiplies by 2^n.
    series * f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52)
}

/// ln x for normal positive x; anything else gives an unspecified finite number or NaN.
pub(crate) fn ln(x: f64) -> f64 {
    // Take the exponent so that the rest lies in [√½, √2).
    const SQRT_HALF_BITS: u64 = 0x3FE6_A09E_667F_3BCD;
    let offset = x.to_bits().wrapping_sub(SQRT_HALF_BITS);
    let exponent = (offset as i64 >> 52) as f64;
    let rest = f64::from_bits(x.to_bits().wrapping_sub(offset & 0xFFF0_0000_0000_0000));
    // ln m = 2 artanh s, s = (m − 1)/(m + 1), |s| ≤ 0.1716: terms to s²¹ leave 1e-18.
    let s = (rest - 1.0) / (rest + 1.0);
    let s2 = s * s;
    let s4 = s2 * s2;
    let s8 = s4 * s4;
    let low = (1.0 / 3.0 + s2 * (1.0 / 5.0)) + s4 * (1.0 / 7.0 + s2 * (1.0 / 9.0));
    let high = (1.0 / 11.0 + s2 * (1.0 / 13.0)) + s4 * (1.0 / 15.0 + s2 * (1.0 / 17.0));
    let last = 1.0 / 19.0 + s2 * (1.0 / 21.0);
    let tail = s2 * (low + s8 * (high + s8 * last));
    exponent * LN2_HIGH + (2.0 * s + (2.0 * s * tail + exponent * LN2_LOW))
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
            prop_assert!((ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs, "{x}: {ours} {theirs}");
        }

        #[test]
        fn ln_agrees_with_libm(log in -300.0..300.0) {
            let x = libm::pow(10.0, log);
            let (ours, theirs) = (ln(x), libm::log(x));
            prop_assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs().max(1.0), "{x}: {ours} {theirs}");
        }

        #[test]
        fn ln_agrees_with_libm_near_one(x in 0.5..2.0) {
            let (ours, theirs) = (ln(x), libm::log(x));
            prop_assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs(), "{x}: {ours} {theirs}");
        }
    }

    #[test]
    fn known_values_are_exact() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(2.0), core::f64::consts::LN_2);
        assert!((exp(1.0) - core::f64::consts::E).abs() <= 4.5e-16);
        assert!(exp(1e300).is_finite() && exp(-1e300) > 0.0, "arguments are brought into range");
    }
}
