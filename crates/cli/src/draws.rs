//! Random numbers that are the same on every machine and in every run.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        // The upper 53 bits are all that a double in [0, 1) can hold.
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Uniform in its logarithm between two positive ends.
    pub(crate) fn log_between(&mut self, low: f64, high: f64) -> f64 {
        low * libm::pow(high / low, self.between(0.0, 1.0))
    }

    /// A whole number below `end`, which is small.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the reference implementation for seed 1234567.
    #[test]
    fn the_bits_are_those_of_the_reference() {
        let mut draws = Draws::seeded(1_234_567);
        let bits = [draws.bits(), draws.bits(), draws.bits()];
        assert_eq!(bits, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn draws_stay_between_their_ends() {
        let mut draws = Draws::seeded(1);
        for _ in 0..1_000 {
            assert!((2.0..3.0).contains(&draws.between(2.0, 3.0)));
            assert!((0.02..=200.0).contains(&draws.log_between(0.02, 200.0)));
            assert!(draws.below(7) < 7);
        }
    }
}
