//! RED on the present queue, and its special case, the step: the marks of ECN.
//!
//! ```text
//! Q > K_max:            mark
//! K_min < Q ≤ K_max:    mark with probability P_max · (Q − K_min) / (K_max − K_min)
//! Q ≤ K_min:            pass
//! ```
//!
//! DCQCN needs marks whose probability grows with the queue, so that flows are not cut all at once;
//! DCTCP needs a step (K_min = K_max), because its senders do the averaging.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | Q | bytes in the packet's queue after it left | bytes |
//! | K_min, K_max | where marking begins, and where it is certain | bytes |
//! | P_max | probability just below K_max | 1 |
//!
//! Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments" (DCQCN), SIGCOMM'15,
//! Fig. 5; Alizadeh et al., SIGCOMM'10 (step); boundaries and scaled thresholds:
//! github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a.
//!
//! # Deviations
//! - *Instantaneous queue*: Floyd and Jacobson's RED averages; datacenter switches are set not to.
//! - *The coin* is the caller's: a number drawn uniformly from [0, 1), so that runs can be repeated.
//! - *KB* are 1000 bytes, as in the source of the thresholds.

use crate::params::{ParamError, Parameters, not_above};
use crate::verdict::Verdict;
use plimsoll_units::{Bytes, Rate};

crate::choice! {
    /// How thresholds that are `"auto"` follow from the rate of the link.
    pub enum Rule {
        /// 100 KB and 400 KB per 25 Gb/s, P_max 0.2.
        Dcqcn = "dcqcn",
        /// A step at 30 KB per 10 Gb/s.
        Dctcp = "dctcp",
    }
}

crate::parameters! {
    /// RED's parameters.
    pub struct Params {
        /// How thresholds that are `"auto"` follow from the rate of the link.
        rule: Rule,
        /// K_min: no marks up to this queue; `"auto"` = by the rule.
        kmin: Option<Bytes> where [Bytes::ZERO, Bytes::from_mb(1_000_000)],
        /// K_max: always marks beyond this queue; `"auto"` = by the rule.
        kmax: Option<Bytes> where [Bytes::ZERO, Bytes::from_mb(1_000_000)],
        /// P_max: probability of a mark at K_max; `"auto"` = by the rule.
        pmax: Option<f64> where [0.0, 1.0],
    }
    presets {
        "dcqcn" => dcqcn, "HPCC's and PowerTCP's simulators for DCQCN: 100 KB, 400 KB per 25 Gb/s, 0.2",
        "dctcp" => dctcp, "HPCC's simulator for DCTCP: step at 30 KB per 10 Gb/s",
        "dcqcn-sigcomm15" => dcqcn_sigcomm15, "DCQCN, SIGCOMM'15, at 40 Gb/s: 5 KB, 200 KB, 0.01",
        "dctcp-sigcomm10-10g" => dctcp_sigcomm10_10g, "DCTCP, SIGCOMM'10, at 10 Gb/s: step at 65 packets",
        "dctcp-sigcomm10-1g" => dctcp_sigcomm10_1g, "DCTCP, SIGCOMM'10, at 1 Gb/s: step at 20 packets",
    }
}

impl Params {
    /// For DCQCN, scaled to the link.
    #[must_use]
    pub fn dcqcn() -> Self {
        Self { rule: Rule::Dcqcn, kmin: None, kmax: None, pmax: None }
    }

    /// For DCTCP, scaled to the link.
    #[must_use]
    pub fn dctcp() -> Self {
        Self { rule: Rule::Dctcp, ..Self::dcqcn() }
    }

    /// DCQCN's paper, for 40 Gb/s.
    #[must_use]
    pub fn dcqcn_sigcomm15() -> Self {
        Self {
            rule: Rule::Dcqcn,
            kmin: Some(Bytes::from_kb(5)),
            kmax: Some(Bytes::from_kb(200)),
            pmax: Some(0.01),
        }
    }

    /// DCTCP's paper at 10 Gb/s: 65 packets of 1500 bytes.
    #[must_use]
    pub fn dctcp_sigcomm10_10g() -> Self {
        Self::step(Bytes::new(65 * 1_500))
    }

    /// DCTCP's paper at 1 Gb/s: 20 packets of 1500 bytes.
    #[must_use]
    pub fn dctcp_sigcomm10_1g() -> Self {
        Self::step(Bytes::new(20 * 1_500))
    }

    /// A step at `threshold`, whatever the rate of the link.
    #[must_use]
    pub fn step(threshold: Bytes) -> Self {
        Self { rule: Rule::Dctcp, kmin: Some(threshold), kmax: Some(threshold), pmax: Some(1.0) }
    }
}

/// RED on one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    kmin: Bytes,
    kmax: Bytes,
    pmax: f64,
    /// Probability per byte above K_min.
    slope: f64,
}

impl Red {
    /// RED with these parameters on a link of this rate.
    ///
    /// # Errors
    /// If a parameter is out of bounds, or K_min is above K_max.
    pub fn new(params: &Params, link: Rate) -> Result<Self, ParamError<'static>> {
        params.check()?;
        let by_rule = params.rule.thresholds(link);
        let kmin = params.kmin.unwrap_or(by_rule.kmin);
        let kmax = params.kmax.unwrap_or(by_rule.kmax);
        let pmax = params.pmax.unwrap_or(by_rule.pmax);
        not_above("kmin", kmin, "kmax", kmax)?;
        let range = kmax.saturating_sub(kmin).as_f64();
        let slope = if range > 0.0 { pmax / range } else { 0.0 };
        Ok(Self { kmin, kmax, pmax, slope })
    }

    /// The probability that a packet is marked that leaves `queue` bytes behind.
    #[must_use]
    pub fn probability(&self, queue: Bytes) -> f64 {
        if queue > self.kmax {
            1.0
        } else if queue > self.kmin {
            (queue.saturating_sub(self.kmin).as_f64() * self.slope).min(self.pmax)
        } else {
            0.0
        }
    }

    /// Whether to mark a packet that leaves `queue` bytes behind; `coin` is uniform in [0, 1).
    #[must_use]
    pub fn verdict(&self, queue: Bytes, coin: f64) -> Verdict {
        let marked = queue > self.kmax || self.needs_coin(queue) && coin < self.probability(queue);
        if marked { Verdict::Mark } else { Verdict::Pass }
    }

    /// Whether the verdict depends on the coin: a caller may leave it undrawn if not.
    #[must_use]
    pub fn needs_coin(&self, queue: Bytes) -> bool {
        self.kmin < queue && queue <= self.kmax
    }
}

/// What a rule gives.
struct Thresholds {
    kmin: Bytes,
    kmax: Bytes,
    pmax: f64,
}

impl Rule {
    fn thresholds(self, link: Rate) -> Thresholds {
        let scaled = |kilobytes: u64, per: Rate| {
            Bytes::saturating_from_f64(Bytes::from_kb(kilobytes).as_f64() * (link / per))
        };
        match self {
            Self::Dcqcn => {
                let per = Rate::from_gbps(25);
                Thresholds { kmin: scaled(100, per), kmax: scaled(400, per), pmax: 0.2 }
            }
            Self::Dctcp => {
                let threshold = scaled(30, Rate::from_gbps(10));
                Thresholds { kmin: threshold, kmax: threshold, pmax: 1.0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kb(kilobytes: u64) -> Bytes {
        Bytes::from_kb(kilobytes)
    }

    #[test]
    fn thresholds_scale_with_the_link() {
        let red = Red::new(&Params::dcqcn(), Rate::from_gbps(100)).unwrap();
        assert_eq!((red.kmin, red.kmax, red.pmax), (kb(400), kb(1_600), 0.2));
        // The file of the peer: 300 KB at 100 Gb/s, 1200 KB at 400 Gb/s.
        for (gbps, kilobytes) in [(10, 30), (100, 300), (400, 1_200)] {
            let red = Red::new(&Params::dctcp(), Rate::from_gbps(gbps)).unwrap();
            assert_eq!((red.kmin, red.kmax), (kb(kilobytes), kb(kilobytes)), "{gbps} Gb/s");
        }
    }

    #[test]
    fn the_probability_rises_between_the_thresholds_and_jumps_to_one_behind_them() {
        let red = Red::new(&Params::dcqcn(), Rate::from_gbps(25)).unwrap();
        let near = |queue, expected: f64| (red.probability(queue) - expected).abs() < 1e-12;
        assert!(near(kb(0), 0.0) && near(kb(100), 0.0), "up to and with K_min");
        assert!(near(kb(250), 0.1), "0.2 · 150/300");
        assert!(near(kb(400), 0.2), "K_max itself");
        assert!(near(Bytes::new(400_001), 1.0) && near(Bytes::MAX, 1.0), "beyond");
        assert!(near(Bytes::new(100_001), 0.2 / 300_000.0), "the first byte above K_min");
    }

    #[test]
    fn a_step_marks_only_above_its_threshold_whatever_the_coin() {
        let red = Red::new(&Params::dctcp(), Rate::from_gbps(100)).unwrap();
        for coin in [0.0, 0.5, 0.999, f64::NAN] {
            assert_eq!(red.verdict(kb(300), coin), Verdict::Pass);
            assert_eq!(red.verdict(Bytes::new(300_001), coin), Verdict::Mark);
        }
        assert!(!red.needs_coin(kb(300)) && !red.needs_coin(kb(301)));
    }

    #[test]
    fn the_coin_decides_between_the_thresholds() {
        let red = Red::new(&Params::dcqcn(), Rate::from_gbps(25)).unwrap();
        assert!(red.needs_coin(kb(250)) && red.needs_coin(kb(400)) && !red.needs_coin(kb(100)));
        assert_eq!(red.verdict(kb(250), 0.099), Verdict::Mark);
        assert_eq!(red.verdict(kb(250), 0.101), Verdict::Pass);
        // Of 1000 evenly spread coins a tenth marks.
        let marks = (0..1_000).filter(|i| red.verdict(kb(250), f64::from(*i) / 1_000.0) == Verdict::Mark);
        assert_eq!(marks.count(), 100);
    }

    #[test]
    fn published_sets_are_as_published() {
        let link = Rate::from_gbps(40);
        let red = Red::new(&Params::dcqcn_sigcomm15(), link).unwrap();
        assert_eq!((red.kmin, red.kmax, red.pmax), (kb(5), kb(200), 0.01));
        let red = Red::new(&Params::dctcp_sigcomm10_10g(), link).unwrap();
        assert_eq!((red.kmin, red.kmax), (Bytes::new(97_500), Bytes::new(97_500)));
        let red = Red::new(&Params::dctcp_sigcomm10_1g(), link).unwrap();
        assert_eq!(red.kmax, kb(30));
    }

    #[test]
    fn crossed_thresholds_are_refused() {
        let params = Params { kmin: Some(kb(500)), ..Params::dcqcn() };
        let error = Red::new(&params, Rate::from_gbps(25)).unwrap_err();
        assert_eq!(error.key(), "kmin");
        assert!(Red::new(&params, Rate::from_gbps(100)).is_ok(), "1600 KB is above it");
    }
}
