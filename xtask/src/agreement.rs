//! How well two simulators agree about the completion times of the same flows.

use serde_json::{Value, json};

/// One simulator's completion times, as a distribution. Seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Spread {
    /// Of at least one time.
    fn of(times: &[f64]) -> Option<Self> {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        Some(Self { mean, p50: quantile(&sorted, 0.5)?, p99: quantile(&sorted, 0.99)? })
    }

    pub(crate) fn to_json(self) -> Value {
        json!({ "mean": self.mean, "p50": self.p50, "p99": self.p99 })
    }
}

/// The smallest value that a share `q` of all values does not exceed.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// Two simulators' times for the same flows, in the same order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Agreement {
    pub(crate) ours: Spread,
    pub(crate) theirs: Spread,
    /// The median over flows of |ours − theirs| / theirs.
    pub(crate) median_difference: f64,
    /// The share of flows that differ by less than a hundredth.
    pub(crate) within_a_hundredth: f64,
}

impl Agreement {
    /// Seconds by flow; an error if a flow is missing on one side.
    pub(crate) fn between(ours: &[f64], theirs: &[f64]) -> Result<Self, String> {
        if ours.len() != theirs.len() {
            return Err(format!("there are {} flows of ours, {} of theirs", ours.len(), theirs.len()));
        }
        let mut differences: Vec<f64> =
            ours.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).abs() / theirs).collect();
        differences.sort_by(f64::total_cmp);
        let close = differences.iter().filter(|difference| **difference < 0.01).count();
        let (Some(our_spread), Some(their_spread), Some(median_difference)) =
            (Spread::of(ours), Spread::of(theirs), quantile(&differences, 0.5))
        else {
            return Err("there are no flows".to_owned());
        };
        Ok(Self {
            ours: our_spread,
            theirs: their_spread,
            median_difference,
            within_a_hundredth: close as f64 / differences.len() as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_the_numbers_to_a_hundred_is_known() {
        let times: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        // Mean 101 / 2; half of the numbers are at most 50, 99 of them at most 99.
        assert_eq!(Spread::of(&times), Some(Spread { mean: 50.5, p50: 50.0, p99: 99.0 }));
    }

    #[test]
    fn differences_are_by_flow_and_relative_to_theirs() {
        // 0 %, 10 % and 50 %: the median is 10 %, one of three is within 1 %.
        let agreement = Agreement::between(&[1.0, 1.1, 3.0], &[1.0, 1.0, 2.0]).unwrap();
        assert!((agreement.median_difference - 0.1).abs() < 1e-12);
        assert!((agreement.within_a_hundredth - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_missing_flow_is_told() {
        assert!(Agreement::between(&[1.0], &[]).unwrap_err().contains("1 flows of ours, 0 of theirs"));
        assert!(Agreement::between(&[], &[]).is_err());
    }
}
