//! How far a number can be trusted.
//!
//! A **percentile** of n values of a run lies, whatever the distribution, between two of the values: how many
//! of them are below the true percentile is binomial (n, p), so the places of the two follow from its tails.
//! A **mean over seeds** has Student's t with one degree of freedom less than there are seeds.

use crate::slowdown::Sorted;
use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// From here to there, the ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The interval that holds percentile `p` with at least this confidence (0.95 is 95 %), each side missing it
/// with at most half of the rest. `None` if there are too few values for it, or if p or the confidence are not
/// between 0 and 1.
///
/// The values are taken as independent draws; flows of one run that met in one queue are not quite, so over
/// several seeds prefer [`mean_interval`] of the percentiles.
#[must_use]
pub fn percentile_interval(values: &Sorted, p: f64, confidence: f64) -> Option<Interval> {
    let (low, high) = order_statistics(values.values().len(), p, confidence);
    Some(Interval { low: at_place(values, low?)?, high: at_place(values, high?)? })
}

/// The lower end of [`percentile_interval`], also where there are too few values for the upper one: percentile
/// `p` lies below it with at most half of what the confidence leaves.
#[must_use]
pub fn percentile_at_least(values: &Sorted, p: f64, confidence: f64) -> Option<f64> {
    at_place(values, order_statistics(values.values().len(), p, confidence).0?)
}

/// Order statistics are counted from 1.
fn at_place(values: &Sorted, place: usize) -> Option<f64> {
    values.values().get(place.checked_sub(1)?).copied()
}

/// The places, from 1, of the two values that enclose percentile `p` of n, as far as there are values enough.
fn order_statistics(n: usize, p: f64, confidence: f64) -> (Option<usize>, Option<usize>) {
    let inside = |x: f64| x > 0.0 && x < 1.0;
    if n == 0 || !inside(p) || !inside(confidence) {
        return (None, None);
    }
    let tail = (1.0 - confidence) / 2.0;
    // Twelve standard deviations below the mean lies less than 1e-30 of the distribution.
    let (mean, deviation) = (n as f64 * p, libm::sqrt(n as f64 * p * (1.0 - p)));
    let first = (mean - 12.0 * deviation - 10.0).max(0.0) as usize;
    let mut probability = binomial_probability(n, first, p);
    let mut cumulative = probability;
    let mut low = None;
    for k in first..n {
        // Here `cumulative` is the probability that at most k values are below.
        if low.is_none() && cumulative > tail {
            low = Some(k);
        }
        if cumulative >= 1.0 - tail {
            return (low.filter(|place| *place > 0), Some(k + 1));
        }
        probability *= (n - k) as f64 / (k + 1) as f64 * (p / (1.0 - p));
        cumulative += probability;
    }
    // If not even n − 1 of them are below surely enough, the largest is the lower end.
    (low.or(Some(n)).filter(|place| *place > 0), None)
}

/// The probability of k successes in n trials.
fn binomial_probability(n: usize, k: usize, p: f64) -> f64 {
    let ln_factorial = |x: usize| libm::lgamma(x as f64 + 1.0);
    let ln_ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    libm::exp(ln_ways + k as f64 * libm::log(p) + (n - k) as f64 * libm::log1p(-p))
}

/// The interval that holds the mean with this confidence (0.95 is 95 %), if the values are independent and
/// about normal, as one number per seed is. `None` for fewer than two values.
#[must_use]
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let n = values.len() as f64;
    let t = student_t(values.len().checked_sub(1)?, confidence)?;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    let reach = t * libm::sqrt(variance / n);
    Some(Interval { low: mean - reach, high: mean + reach })
}

/// The t that Student's variable with so many degrees of freedom stays within, on both sides, with this
/// probability. Beyond 1000 degrees the value for 1000 is given, which is 0.1 % above the normal one.
fn student_t(degrees: usize, confidence: f64) -> Option<f64> {
    if degrees == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let degrees = degrees.min(1_000);
    // The probability grows with the angle, which is bounded: bisection until the two ends are neighbours.
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..64 {
        let angle = (low + high) / 2.0;
        if student_probability(degrees, angle) < confidence { low = angle } else { high = angle }
    }
    Some(libm::tan((low + high) / 2.0) * libm::sqrt(degrees as f64))
}

/// The probability that |t| < √ν tan θ, by the finite sums for whole ν (Abramowitz and Stegun 26.7.3–4).
fn student_probability(degrees: usize, angle: f64) -> f64 {
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let odd = degrees % 2 == 1;
    // Odd ν: cos θ + 2/3 cos³ θ + …; even ν: 1 + 1/2 cos² θ + …; the last power is ν − 2.
    let mut term = if odd { cosine } else { 1.0 };
    let mut power = if odd { 1 } else { 0 };
    let mut sum = 0.0;
    while power + 2 <= degrees {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        power += 2;
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both_ends(n: usize, p: f64, confidence: f64) -> Option<(usize, usize)> {
        let (low, high) = order_statistics(n, p, confidence);
        Some((low?, high?))
    }

    #[test]
    fn places_around_the_median_are_those_of_the_tables() {
        // Binomial(10, 1/2): P(≤ 1) = 11/1024 = 1.07 %, P(≤ 2) = 56/1024 = 5.5 %: from the 2nd to the 9th.
        assert_eq!(both_ends(10, 0.5, 0.95), Some((2, 9)));
        // Binomial(6, 1/2): P(0) = 1/64 = 1.6 %: smallest to largest. With five values P(0) = 3.1 % is too much.
        assert_eq!(both_ends(6, 0.5, 0.95), Some((1, 6)));
        assert_eq!(both_ends(5, 0.5, 0.95), None);
        // Binomial(20, 1/2): P(≤ 5) = 21,700/2²⁰ = 2.07 %, P(≤ 6) = 5.8 %.
        assert_eq!(both_ends(20, 0.5, 0.95), Some((6, 15)));
    }

    #[test]
    fn a_tail_percentile_needs_enough_values_above_it() {
        // All n values lie below the 99.9th percentile with probability 0.999ⁿ, which must be at most 2.5 %:
        // n ≥ ln 0.025 / ln 0.999 = 3687.03.
        assert_eq!(both_ends(3_687, 0.999, 0.95), None);
        assert!(order_statistics(3_687, 0.999, 0.95).0.is_some_and(|low| low < 3_687));
        // Of ten values all lie below it with probability 0.999¹⁰ = 99 %: it is above the largest.
        assert_eq!(order_statistics(10, 0.999, 0.95), (Some(10), None));
        let (_, high) = both_ends(3_688, 0.999, 0.95).unwrap();
        assert_eq!(high, 3_688);
    }

    #[test]
    fn many_values_give_the_normal_approximation() {
        // n = 1,000,000, p = 1/2: 500,000 ± 1.96 · 500 = 499,020 … 500,980.
        let (low, high) = both_ends(1_000_000, 0.5, 0.95).unwrap();
        assert!(low.abs_diff(499_020) <= 2 && high.abs_diff(500_981) <= 2, "{low} {high}");
    }

    #[test]
    fn the_interval_is_made_of_values() {
        let values = Sorted::new((1..=10).map(|value| f64::from(value) * 10.0));
        assert_eq!(percentile_interval(&values, 0.5, 0.95), Some(Interval { low: 20.0, high: 90.0 }));
    }

    #[test]
    fn what_makes_no_sense_has_no_interval() {
        let values = Sorted::new((0..1000).map(f64::from));
        for (p, confidence) in
            [(0.0, 0.9), (1.0, 0.9), (f64::NAN, 0.9), (0.5, 1.0), (0.5, 0.0), (0.5, f64::NAN)]
        {
            assert_eq!(percentile_interval(&values, p, confidence), None);
        }
        assert_eq!(percentile_interval(&Sorted::default(), 0.5, 0.95), None);
        assert_eq!(mean_interval(&[1.0], 0.95), None);
        assert_eq!(mean_interval(&[], 0.95), None);
        assert_eq!(mean_interval(&[1.0, 2.0], 1.0), None);
    }

    #[test]
    fn student_t_is_that_of_the_printed_tables() {
        let table = [
            (1, 0.95, 12.706),
            (2, 0.95, 4.303),
            (3, 0.95, 3.182),
            (4, 0.95, 2.776),
            (9, 0.95, 2.262),
            (10, 0.99, 3.169),
            (30, 0.95, 2.042),
            (120, 0.90, 1.658),
        ];
        for (degrees, confidence, expected) in table {
            let found = student_t(degrees, confidence).unwrap();
            assert!((found - expected).abs() < 0.0006, "{degrees} {confidence}: {found}, not {expected}");
        }
        assert!((student_t(usize::MAX, 0.95).unwrap() - 1.962).abs() < 0.001);
    }

    #[test]
    fn mean_of_five_seeds() {
        // 1 … 5: mean 3, variance 2.5, standard error √(2.5 / 5) = 0.7071; · 2.776 = 1.963.
        let found = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).unwrap();
        assert!((found.low - 1.037).abs() < 0.001 && (found.high - 4.963).abs() < 0.001, "{found:?}");
    }

    proptest! {
        #[test]
        fn at_least_the_confidence_is_covered(n in 1_usize..400, p in 0.01..0.99, confidence in 0.5..0.999) {
            if let Some((low, high)) = both_ends(n, p, confidence) {
                prop_assert!(1 <= low && low < high && high <= n);
                let covered: f64 = (low..high).map(|k| binomial_probability(n, k, p)).sum();
                prop_assert!(covered >= confidence - 1e-9, "{covered}");
            }
        }
    }
}
