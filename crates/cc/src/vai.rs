//! Variable additive increase (VAI): congestion saves up additive increases for later.
//!
//! ```text
//! at the end of a round trip, with m its highest level of congestion              (Alg. 1)
//!     m > θ:                        bank = min(bank + (m − m₀) / div, bank_cap);  damp += m / θ
//!     else, bank empty, calm:       damp = 0
//!     else, bank empty, m < θ:      damp = max(damp − 1, 0)
//! additive increases in a window:   n = max(min(ai_cap, bank) / (damp / damp_const + 1), 1)
//!                                                                                 (Alg. 2)
//! when the reference moves:         bank −= min(ai_cap, bank)
//! ```
//!
//! Queues grow by much when a new flow joins, and then shares are unfair. Additive increases make
//! shares equal, yet a large one makes queues swing: so it is large only for as long as the tokens
//! from the last surge last. The dampener weakens it where congestion stays, so that the increases
//! do not feed on the queues that they cause.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | m, m₀ | congestion; how much of that is no queue (HPCC: 0, Swift: the target) | law's own |
//! | θ | level from which tokens are made: m₀ + `token_threshold` | law's own |
//! | div | congestion per token (AI_DIV) | law's own |
//! | bank | tokens saved, up to bank_cap | 1 |
//! | damp, damp_const | dampener, and the dampener that halves the increase | 1 |
//! | ai_cap | most tokens in one window | 1 |
//!
//! Source: Snyder and Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail Latency in
//! Datacenter Networks", §IV-A (Algorithms 1 and 2), §V-A, §VI-A.
//!
//! # Deviations
//! - *What is divided.* Algorithm 1 divides the measured congestion, its text "the difference" and
//!   §VI "queuing delay": for HPCC, whose measure is a queue, these agree; for Swift, whose measure
//!   is a round trip, we divide what exceeds the target. (A round trip of 15 µs would otherwise
//!   yield 500 tokens without any queue.)
//! - *Algorithm 2, line 1* (tokens = 1) is overwritten by line 2 and absent here.
//! - *Divisions* are real ones: a dampener of 4 divides by 1.5.
//! - *The ack that closes a round* belongs to it: Algorithm 1 runs first, and Algorithm 2 sees its
//!   tokens on the same ack.

use crate::reference::Congestion;

/// VAI with its constants; congestion in the law's own measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariableIncrease {
    /// θ − m₀.
    pub token_threshold: f64,
    /// div; above zero.
    pub token_size: f64,
    /// Most tokens that are saved.
    pub bank_cap: f64,
    /// Most tokens in one window.
    pub ai_cap: f64,
    /// Dampener that halves the increase; above zero.
    pub dampener_constant: f64,
}

/// What VAI remembers of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    bank: f64,
    dampener: f64,
    /// This round's highest level, and the part of it that is no queue.
    level: f64,
    baseline: f64,
    /// Whether the law called anything in this round congestion.
    congested: bool,
}

impl Tokens {
    /// Tokens saved.
    #[must_use]
    pub fn bank(&self) -> f64 {
        self.bank
    }

    /// The dampener.
    #[must_use]
    pub fn dampener(&self) -> f64 {
        self.dampener
    }

    /// Takes in an ack's congestion.
    pub fn observe(&mut self, congestion: &Congestion) {
        if congestion.level > self.level {
            self.level = congestion.level;
            self.baseline = congestion.baseline;
        }
        self.congested |= congestion.congested;
    }
}

impl VariableIncrease {
    /// Algorithm 1: makes tokens and sets the dampener at the end of a round trip.
    pub fn close_round(&self, tokens: &mut Tokens) {
        let threshold = tokens.baseline + self.token_threshold;
        if tokens.level > threshold {
            let made = (tokens.level - tokens.baseline) / self.token_size;
            tokens.bank = (tokens.bank + made).min(self.bank_cap);
            tokens.dampener += tokens.level / threshold;
        } else if tokens.bank <= 0.0 {
            if !tokens.congested {
                tokens.dampener = 0.0;
            } else if tokens.level < threshold {
                tokens.dampener = (tokens.dampener - 1.0).max(0.0);
            }
        }
        *tokens = Tokens { bank: tokens.bank, dampener: tokens.dampener, ..Tokens::default() };
    }

    /// Algorithm 2 without its payment: how many additive increases a window contains.
    #[must_use]
    pub fn increases(&self, tokens: &Tokens) -> f64 {
        let divisor = tokens.dampener / self.dampener_constant + 1.0;
        (self.offered(tokens) / divisor).max(1.0)
    }

    /// Algorithm 2, lines 3–5: pays for the increases of a window that became the reference.
    pub fn pay(&self, tokens: &mut Tokens) {
        tokens.bank = (tokens.bank - self.offered(tokens)).max(0.0);
    }

    fn offered(&self, tokens: &Tokens) -> f64 {
        tokens.bank.min(self.ai_cap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// §VI-A for HPCC, in bytes.
    const HPCC: VariableIncrease = VariableIncrease {
        token_threshold: 50_000.0,
        token_size: 1_000.0,
        bank_cap: 1_000.0,
        ai_cap: 100.0,
        dampener_constant: 8.0,
    };

    /// §VI-A for Swift, in nanoseconds so that the numbers can be read.
    const SWIFT: VariableIncrease = VariableIncrease { token_threshold: 4_000.0, token_size: 30.0, ..HPCC };

    fn round(vai: &VariableIncrease, tokens: &mut Tokens, levels: &[f64], baseline: f64, congested: bool) {
        for &level in levels {
            tokens.observe(&Congestion { level, baseline, congested });
        }
        vai.close_round(tokens);
    }

    #[track_caller]
    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value}, expected {expected}");
    }

    #[test]
    fn a_surge_is_saved_spent_and_dampened_as_computed_by_hand() {
        let mut tokens = Tokens::default();
        near(HPCC.increases(&tokens), 1.0);

        // A queue of at most 120 kB: 120 tokens; dampener 120/50 = 2.4.
        round(&HPCC, &mut tokens, &[30_000.0, 120_000.0, 80_000.0], 0.0, true);
        near(tokens.bank(), 120.0);
        near(tokens.dampener(), 2.4);
        // min(100, 120) / (2.4/8 + 1) = 100/1.3. Looking costs nothing; a commit costs the 100.
        near(HPCC.increases(&tokens), 100.0 / 1.3);
        near(HPCC.increases(&tokens), 100.0 / 1.3);
        HPCC.pay(&mut tokens);
        near(tokens.bank(), 20.0);
        near(HPCC.increases(&tokens), 20.0 / 1.3);

        // 60 kB persist: 20 + 60 tokens; dampener 2.4 + 1.2.
        round(&HPCC, &mut tokens, &[60_000.0], 0.0, true);
        near(tokens.bank(), 80.0);
        near(tokens.dampener(), 3.6);
        near(HPCC.increases(&tokens), 80.0 / 1.45);

        // Calm, yet the bank is not empty: the dampener stays.
        round(&HPCC, &mut tokens, &[10_000.0], 0.0, false);
        near(tokens.dampener(), 3.6);
        HPCC.pay(&mut tokens);
        near(tokens.bank(), 0.0);
        near(HPCC.increases(&tokens), 1.0);

        // Empty bank, some congestion below the threshold: one down per round trip.
        round(&HPCC, &mut tokens, &[40_000.0], 0.0, true);
        near(tokens.dampener(), 2.6);
        // Exactly at the threshold neither rule holds.
        round(&HPCC, &mut tokens, &[50_000.0], 0.0, true);
        near(tokens.dampener(), 2.6);
        near(tokens.bank(), 0.0);
        for expected in [1.6, 0.6, 0.0, 0.0] {
            round(&HPCC, &mut tokens, &[40_000.0], 0.0, true);
            near(tokens.dampener(), expected);
        }
    }

    #[test]
    fn a_calm_round_trip_with_an_empty_bank_resets_the_dampener() {
        let mut tokens = Tokens { dampener: 7.5, ..Tokens::default() };
        round(&HPCC, &mut tokens, &[40_000.0, 49_000.0], 0.0, false);
        near(tokens.dampener(), 0.0);
    }

    #[test]
    fn one_congested_ack_makes_a_round_trip_congested() {
        let mut tokens = Tokens { dampener: 7.5, ..Tokens::default() };
        tokens.observe(&Congestion { level: 1_000.0, baseline: 0.0, congested: true });
        round(&HPCC, &mut tokens, &[40_000.0], 0.0, false);
        near(tokens.dampener(), 6.5);
        // The next one starts afresh.
        round(&HPCC, &mut tokens, &[40_000.0], 0.0, false);
        near(tokens.dampener(), 0.0);
    }

    #[test]
    fn the_bank_has_a_cap_and_an_incast_is_dampened_more_than_it_saves() {
        // 5 MB: 5,000 tokens, of which 1,000 are kept; dampener 100: 100 / (100/8 + 1) = 7.4.
        let mut tokens = Tokens::default();
        round(&HPCC, &mut tokens, &[5_000_000.0], 0.0, true);
        near(tokens.bank(), 1_000.0);
        near(tokens.dampener(), 100.0);
        near(HPCC.increases(&tokens), 100.0 / 13.5);
        // A hundredfold incast: 100 / (10,000/8 + 1) < 1, and one increase remains.
        round(&HPCC, &mut tokens, &[500_000_000.0], 0.0, true);
        near(HPCC.increases(&tokens), 1.0);
    }

    #[test]
    fn swifts_tokens_are_made_of_what_exceeds_the_target() {
        // Target 5 + 2 µs; a round trip of 15 µs: 8,000/30 tokens; dampener 15/11.
        let mut tokens = Tokens::default();
        round(&SWIFT, &mut tokens, &[9_000.0, 15_000.0], 7_000.0, true);
        near(tokens.bank(), 8_000.0 / 30.0);
        near(tokens.dampener(), 15.0 / 11.0);
        near(SWIFT.increases(&tokens), 100.0 / (15.0 / 88.0 + 1.0));
        for left in [8_000.0 / 30.0 - 100.0, 8_000.0 / 30.0 - 200.0, 0.0] {
            SWIFT.pay(&mut tokens);
            near(tokens.bank(), left);
        }
        // Target + 4 µs itself makes none.
        round(&SWIFT, &mut tokens, &[11_000.0], 7_000.0, true);
        near(tokens.bank(), 0.0);
    }
}
