//! Poseidon's two conditions: what targets T and updates U must fulfil so that flows of one hop
//! fill the line and become equal.
//!
//! ```text
//! Eq. 1:  U(T(x), D) ≥ 1  exactly if  D ≤ T(x)
//! Eq. 2:  (a/b)² < U(T(b), D) / U(T(a), D) < 1      for a < b
//! ```
//!
//! The left side of Eq. 2 keeps the slower flow from overtaking by so much that the two are
//! further apart than before.

use plimsoll_cc::poseidon::Poseidon;
use plimsoll_units::{Rate, Span};

/// Whether Eq. 1 holds for a flow at `rate` that sees `delay`.
#[must_use]
pub fn fills_the_line(law: &Poseidon, rate: Rate, delay: Span) -> bool {
    let target = law.target(rate);
    (law.update_ratio(target, delay) >= 1.0) == (delay <= target)
}

/// How two flows that see the same delay move against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fairness {
    /// Eq. 2 holds: they come closer.
    Improves,
    /// They keep their ratio, or the faster one gains.
    DoesNotImprove,
    /// They change places and end up at least as far apart.
    Overshoots,
}

/// How a slower and a faster flow move against each other in one step.
#[must_use]
pub fn fairness(law: &Poseidon, slower: Rate, faster: Rate, delay: Span) -> Fairness {
    let update = |rate| law.update_ratio(law.target(rate), delay);
    let ratio = update(faster) / update(slower);
    let before = slower / faster;
    if ratio >= 1.0 {
        Fairness::DoesNotImprove
    } else if ratio > before * before {
        Fairness::Improves
    } else {
        Fairness::Overshoots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_cc::poseidon::Params;
    use plimsoll_cc::{Configure, Host};
    use plimsoll_units::Bytes;

    fn law(m: f64) -> Poseidon {
        let size = Bytes::new(4_096);
        let host = Host { nic_rate: Rate::from_gbps(200), base_rtt: Span::from_us(6), mtu: size, mss: size };
        Poseidon::new(&Params { m, max_mi: 1e6, min_md: 0.0, ..Params::nsdi23() }, &host).unwrap()
    }

    fn of(m: f64) -> Fairness {
        fairness(&law(m), Rate::from_gbps(10), Rate::from_gbps(40), Span::from_us(9))
    }

    /// U(b)/U(a) = (a/b)^m: with a/b = 1/4, 0.25^m lies between 1/16 and 1 for 0 < m < 2.
    #[test]
    fn a_step_below_two_improves_fairness_and_a_step_above_two_overshoots() {
        assert_eq!((of(0.25), of(1.9)), (Fairness::Improves, Fairness::Improves));
        assert_eq!(of(2.1), Fairness::Overshoots);
    }

    /// One update for all: the ratio stays, so this must not count as an improvement.
    #[test]
    fn a_target_that_ignores_the_rate_does_not_improve_fairness() {
        let size = Bytes::new(4_096);
        let host = Host { nic_rate: Rate::from_gbps(200), base_rtt: Span::from_us(6), mtu: size, mss: size };
        let fixed = Poseidon::new(&Params::fixed_target(), &host).unwrap();
        let verdict = fairness(&fixed, Rate::from_gbps(10), Rate::from_gbps(40), Span::from_us(9));
        assert_eq!(verdict, Fairness::DoesNotImprove);
    }

    /// T(50 G) is 8.02 µs: at 8 µs a flow of 50 G still grows, at 8.1 µs it backs off.
    #[test]
    fn a_flow_grows_exactly_up_to_its_target() {
        for delay in [0, 8_000, 8_100, 100_000] {
            assert!(fills_the_line(&law(0.25), Rate::from_gbps(50), Span::from_ns(delay)));
        }
    }
}
