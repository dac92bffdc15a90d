//! Reverse path marking: for which marking strength η a flow's rate settles.
//!
//! ```text
//! γ    = a b c / (a + b c² d²)
//! η(s) = ((e^(−s d) − e^(−s d_s) − 2) s γ − s²) / (e^(−s d)/d² + c² e^(−s d_s)/2)      (Eq. 2)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | a, b | additive increase (1) and multiplicative decrease (1/2) | packets, 1 |
//! | c | capacity of the bottleneck | packets/s |
//! | d | round trip time | s |
//! | d_s | round trip between sender and bottleneck, over which marks travel | s |
//! | s | real root of the characteristic equation | 1/s |
//!
//! Source: "RPM: Reverse Path Congestion Marking", Lemma 1 and appendix, Eqs. 2, 5, 6.
//!
//! # Deviations
//! - Lemma 1 says that η > 0 for any s below s* of Eq. 6. As printed this is false: with
//!   c = 1000 packets/s and d = 0.1 s Eq. 6 gives s* ≈ −2000 and η is negative for every smaller
//!   s. η is positive on (s₀, 0), where s₀ ≈ −2γ is the zero of the numerator next to the origin.
//!   With every such η all roots decay; for η < 0 one grows.
//! - The lemma seeks η by one real root. Which η are stable depends on all roots, complex ones too: see
//!   [`Loop::strongest_stable`] for the whole interval (0, η_max).
//! - The proof writes e^(s d_s) where Eq. 2 has e^(−s d_s); we use Eq. 2.

mod roots;

use plimsoll_units::Span;
pub use roots::Complex;

/// A flow and its bottleneck.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// c, in packets per second.
    pub capacity: f64,
    /// d: the whole round trip.
    pub round_trip: Span,
    /// d_s: the round trip between sender and bottleneck.
    pub short_round_trip: Span,
}

/// a: packets added per round trip.
const INCREASE: f64 = 1.0;
/// b: the part of the window that a mark takes.
const DECREASE: f64 = 0.5;

impl Loop {
    /// γ, per second.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        let (c, d) = (self.capacity, self.round_trip.as_secs_f64());
        INCREASE * DECREASE * c / (INCREASE + DECREASE * c * c * d * d)
    }

    /// η(s): the marking strength whose root is `s` per second (Eq. 2).
    #[must_use]
    pub fn eta(&self, s: f64) -> f64 {
        let (c, d) = (self.capacity, self.round_trip.as_secs_f64());
        let long = libm::exp(-s * d);
        let short = libm::exp(-s * self.short_round_trip.as_secs_f64());
        ((long - short - 2.0) * s * self.gamma() - s * s) / (long / (d * d) + c * c * short / 2.0)
    }

    /// s₀: the zero of η next to the origin, per second; η is positive between it and zero.
    #[must_use]
    pub fn first_zero(&self) -> f64 {
        // Next to the origin the numerator is −2sγ − s², positive down to −2γ; go outward from
        // there to a negative value, then halve.
        let mut outer = -2.0 * self.gamma();
        let mut inner = 1e-3 * outer;
        for _ in 0..100 {
            if self.eta(outer) <= 0.0 {
                break;
            }
            (inner, outer) = (outer, outer * 1.5);
        }
        for _ in 0..200 {
            let middle = (inner + outer) / 2.0;
            if self.eta(middle) > 0.0 { inner = middle } else { outer = middle }
        }
        inner
    }

    /// s* as Eq. 6 prints it, per second; NaN if its root is of a negative number.
    #[must_use]
    pub fn printed_bound(&self) -> f64 {
        let (d, d_s) = (self.round_trip.as_secs_f64(), self.short_round_trip.as_secs_f64());
        let g = self.gamma();
        let root = libm::sqrt(
            5.0 * d * d * g * g - 2.0 * d * g * g * d_s + 2.0 * d * g
                - 3.0 * g * g * d_s * d_s
                - 2.0 * g * d_s
                + 1.0,
        );
        (-root - d * g + g * d_s - 1.0) / (g * (d * d - d_s * d_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(d_s_ms: u64) -> Loop {
        Loop { capacity: 1_000.0, round_trip: Span::from_ms(100), short_round_trip: Span::from_ms(d_s_ms) }
    }

    /// γ = 0.5·1000/(1 + 0.5·10⁶·0.01) = 500/5001 = 0.09998.
    #[test]
    fn gamma_is_the_hand_computed_one() {
        assert!((example(50).gamma() - 0.099_98).abs() < 1e-6);
    }

    /// At s = −0.1, d_s = 50 ms: e^0.01 = 1.010050, e^0.005 = 1.005013; numerator
    /// (0.005038 − 2)·(−0.1)·0.09998 − 0.01 = 0.0099458; denominator 101.005 + 5·10⁵·1.005013 =
    /// 502607; η = 1.9788·10⁻⁸.
    #[test]
    fn eta_is_the_hand_computed_one() {
        assert!((example(50).eta(-0.1) - 1.978_8e-8).abs() < 2e-12, "{:e}", example(50).eta(-0.1));
    }

    #[test]
    fn eta_is_positive_inside_the_interval_and_negative_outside() {
        for d_s in [10, 50, 90] {
            let flow = example(d_s);
            let zero = flow.first_zero();
            assert!((zero / (-2.0 * flow.gamma()) - 1.0).abs() < 0.02, "{zero}");
            for part in [0.01, 0.25, 0.5, 0.75, 0.99] {
                assert!(flow.eta(part * zero) > 0.0, "{part}");
            }
            assert!(flow.eta(1.01 * zero) < 0.0);
        }
    }

    /// The lemma as printed fails: below the bound of Eq. 6 η is negative.
    #[test]
    fn below_the_printed_bound_eta_is_negative() {
        let flow = example(10);
        let bound = flow.printed_bound();
        assert!((bound + 2_039.0).abs() < 20.0, "{bound}");
        for factor in [1.01, 2.0, 3.0] {
            assert!(flow.eta(factor * bound) < 0.0, "{factor}");
        }
    }
}
