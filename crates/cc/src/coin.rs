//! Coins that flows flip: whether a decrease is heeded.
//!
//! Laws have no randomness of their own: a flow's coin starts from [`Path::seed`](crate::Path), so
//! the same seed replays the same run.
//!
//! Source of the rule: Snyder and Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail
//! Latency in Datacenter Networks", §III-D, "probabilistic feedback": heed a decrease iff
//! window ≥ random number below the largest window. Large flows then back off more often than
//! small ones.

/// A generator of pseudo-random numbers in eight bytes (SplitMix64: one addition, then a mix of
/// multiplications and shifts that reaches every bit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coin {
    state: u64,
}

impl Coin {
    /// A coin whose flips follow from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        // The odd number nearest to 2⁶⁴ / golden ratio: every state is visited once per 2⁶⁴ flips.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, 1, in steps of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

crate::choice! {
    /// Which decreases are heeded.
    pub enum Decrease {
        /// All.
        Always = "always",
        /// Each with probability window / largest window.
        Probabilistic = "probabilistic",
    }
}

impl Decrease {
    /// Whether a flow with this window heeds a decrease. Flips the coin only if chance decides.
    pub fn is_heeded(self, coin: &mut Coin, window: f64, largest_window: f64) -> bool {
        match self {
            Self::Always => true,
            Self::Probabilistic => window >= coin.unit() * largest_window,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_its_published_first_numbers() {
        // The reference implementation (Vigna, splitmix64.c) started at 1234567.
        let mut coin = Coin::new(1_234_567);
        assert_eq!(coin.bits(), 6_457_827_717_110_365_317);
        assert_eq!(coin.bits(), 3_203_168_211_198_807_973);
        assert_eq!(coin.bits(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn a_decrease_is_heeded_with_probability_window_over_largest_window() {
        // 100,000 flips of p = 1/4: mean 25,000, standard deviation √(100,000 · ¼ · ¾) = 137.
        let mut coin = Coin::new(7);
        let heeded =
            (0..100_000).filter(|_| Decrease::Probabilistic.is_heeded(&mut coin, 25.0, 100.0)).count();
        assert!((24_400..25_600).contains(&heeded), "{heeded}");
    }

    #[test]
    fn the_largest_window_always_heeds_and_an_empty_one_almost_never() {
        let mut coin = Coin::new(7);
        assert!((0..10_000).all(|_| Decrease::Probabilistic.is_heeded(&mut coin, 100.0, 100.0)));
        assert!((0..10_000).all(|_| !Decrease::Probabilistic.is_heeded(&mut coin, 1e-9, 100.0)));
    }

    #[test]
    fn a_law_that_always_heeds_flips_no_coin() {
        let mut coin = Coin::new(7);
        assert!(Decrease::Always.is_heeded(&mut coin, 0.0, 100.0));
        assert_eq!(coin, Coin::new(7));
    }
}
