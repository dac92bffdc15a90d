//! Two ways to decrease: once per round trip, and once per `s` acks (Sampling Frequency).
//!
//! ```text
//! per round trip:  R' = −β R / r            R(t) = C · exp(−β t / r)
//! per s acks:      S' = −β S² / (s · MTU)   S(t) = C / (1 + β C t / (s · MTU))
//! ```
//!
//! Acks arrive in proportion to the rate, so the faster flow decreases more often. How much
//! sooner two flows become equal is the difference `(R₁ − R₀) − (S₁ − S₀)` (Eq. 2); it grows at
//! t = 0 exactly if `1/r < (C₁ + C₀)/(s · MTU)`.
//!
//! Source: "Fast Convergence" (VAI + SF), §IV, Eq. 2 and Fig. 4.
//!
//! # Deviations
//! The text says that the difference diminishes over time; with Fig. 4's numbers it becomes
//! negative after 523 µs, when S has nearly stopped and R still falls exponentially.

use plimsoll_units::{Bytes, Rate, Span};

/// Two flows that share a congested link.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// C₁: the faster flow's rate at first.
    pub faster: Rate,
    /// C₀: the slower flow's rate at first.
    pub slower: Rate,
    /// r: the round trip time.
    pub round_trip: Span,
    /// s: acks between two decreases.
    pub acks: u32,
    /// MTU.
    pub packet: Bytes,
    /// β: the factor of a decrease, between 0 and 1.
    pub beta: f64,
}

impl Pair {
    /// The numbers of the paper's Fig. 4.
    #[must_use]
    pub fn figure_4() -> Self {
        Self {
            faster: Rate::from_gbps(100),
            slower: Rate::from_gbps(50),
            round_trip: Span::from_us(30),
            acks: 30,
            packet: Bytes::new(1_000),
            beta: 0.5,
        }
    }

    /// R₁ − R₀ in bit/s: how far apart the flows are if they decrease once per round trip.
    #[must_use]
    pub fn gap_per_round_trip(&self, time: Span) -> f64 {
        let decay = libm::exp(-self.beta * (time / self.round_trip));
        (self.faster.as_bps_f64() - self.slower.as_bps_f64()) * decay
    }

    /// S₁ − S₀ in bit/s: how far apart they are if they decrease once per `s` acks.
    #[must_use]
    pub fn gap_per_acks(&self, time: Span) -> f64 {
        let at = |rate: Rate| {
            let rate = rate.as_bps_f64();
            rate / (1.0 + self.beta * rate * time.as_secs_f64() / self.bits_per_decrease())
        };
        at(self.faster) - at(self.slower)
    }

    /// Eq. 2, in bit/s: how much closer the flows are for decreasing per acks.
    #[must_use]
    pub fn advantage(&self, time: Span) -> f64 {
        self.gap_per_round_trip(time) - self.gap_per_acks(time)
    }

    /// Whether the paper's condition for an advantage holds: 1/r < (C₁ + C₀)/(s · MTU).
    #[must_use]
    pub fn condition(&self) -> bool {
        let sum = self.faster.as_bps_f64() + self.slower.as_bps_f64();
        1.0 / self.round_trip.as_secs_f64() < sum / self.bits_per_decrease()
    }

    /// When the advantage is largest, looked for between zero and `until`.
    #[must_use]
    pub fn peak(&self, until: Span) -> Span {
        let (mut low, mut high) = (Span::ZERO, until);
        // The advantage rises to one peak and falls: the third that holds it is kept.
        while high.saturating_sub(low) > Span::from_ps(3) {
            let third = high.saturating_sub(low) / 3;
            let (left, right) = (low.saturating_add(third), high.saturating_sub(third));
            if self.advantage(left) < self.advantage(right) { low = left } else { high = right }
        }
        low
    }

    /// When the advantage ends: its zero between `from`, where it is positive, and `until`.
    #[must_use]
    pub fn end(&self, from: Span, until: Span) -> Option<Span> {
        if !(self.advantage(from) > 0.0 && self.advantage(until) < 0.0) {
            return None;
        }
        let (mut low, mut high) = (from, until);
        while high.saturating_sub(low) > Span::from_ps(1) {
            let middle = low.saturating_add(high.saturating_sub(low) / 2);
            if self.advantage(middle) > 0.0 { low = middle } else { high = middle }
        }
        Some(low)
    }

    fn bits_per_decrease(&self) -> f64 {
        f64::from(self.acks) * self.packet.as_f64() * 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By hand at t = 30 µs (one round trip), in B/ns (rates 12.5 and 6.25, s·MTU = 30,000 B):
    /// R: 6.25·e^−0.5 = 3.7908. S₁ = 12.5/(1 + 0.5·12.5·1) = 1.72414; S₀ = 6.25/(1 + 3.125) =
    /// 1.51515; their gap is 0.20899. The advantage is 3.5818 B/ns.
    #[test]
    fn the_advantage_after_one_round_trip_is_the_hand_computed_one() {
        let advantage = Pair::figure_4().advantage(Span::from_us(30)) / 8e9;
        assert!((advantage - 3.5818).abs() < 1e-4, "{advantage}");
    }

    #[test]
    fn figure_4_peaks_at_12_us_and_ends_at_523_us() {
        let pair = Pair::figure_4();
        let peak = pair.peak(Span::from_us(200));
        assert!((peak.as_us_f64() - 11.9).abs() < 0.1, "{peak}");
        assert!((pair.advantage(peak) / 8e9 - 4.32).abs() < 0.01);
        let end = pair.end(peak, Span::from_ms(1)).unwrap();
        assert!((end.as_us_f64() - 523.0).abs() < 1.0, "{end}");
    }

    #[test]
    fn an_advantage_that_does_not_end_in_time_has_no_end() {
        let pair = Pair::figure_4();
        assert_eq!(pair.end(Span::from_us(10), Span::from_us(100)), None);
    }

    proptest! {
        /// The condition is the sign of the advantage's slope at t = 0.
        #[test]
        fn the_condition_says_whether_the_advantage_grows_at_first(
            faster in 2.0..400.0_f64, part in 0.01..0.99_f64, rtt_us in 1.0..1000.0_f64, acks in 1_u32..1000,
        ) {
            let pair = Pair {
                faster: Rate::saturating_from_bps_f64(faster * 1e9),
                slower: Rate::saturating_from_bps_f64(faster * part * 1e9),
                round_trip: Span::saturating_from_secs_f64(rtt_us * 1e-6),
                acks,
                ..Pair::figure_4()
            };
            // Close to equality the slope is too small for the difference quotient below.
            let balance = (pair.faster.as_bps_f64() + pair.slower.as_bps_f64()) * rtt_us * 1e-6
                / (f64::from(acks) * 8_000.0);
            prop_assume!((balance - 1.0).abs() > 0.01);
            let soon = Span::saturating_from_secs_f64(rtt_us * 1e-6 * 1e-4 / balance.max(1.0));
            prop_assert_eq!(pair.condition(), pair.advantage(soon) > 0.0);
        }
    }
}
