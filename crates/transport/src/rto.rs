//! [`Rto`]: the retransmission timer of RFC 6298.
//!
//! ```text
//! first sample R:   SRTT = R,  RTTVAR = R/2                                             (2.2)
//! then:             RTTVAR = 3/4 RTTVAR + 1/4 |SRTT − R|,  SRTT = 7/8 SRTT + 1/8 R      (2.3)
//!                   RTO = SRTT + max(G, 4·RTTVAR), within [min_rto, max_rto]
//! each expiry:      RTO = 2·RTO, at most max_rto                                        (5.5)
//! ```
//! Samples come from echoed timestamps, so repeated packets give valid ones and the first ack
//! after a timeout ends the backing off.

use crate::config::Config;
use plimsoll_units::{Span, Time};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rto {
    /// Zero before the first sample.
    smoothed: Span,
    variation: Span,
    timeout: Span,
    deadline: Time,
    /// Timeouts since something was delivered.
    expiries: u32,
}

impl Rto {
    pub(crate) fn new(config: &Config) -> Self {
        let timeout = config.initial_rto.clamp(config.min_rto, config.max_rto);
        Self { smoothed: Span::ZERO, variation: Span::ZERO, timeout, deadline: Time::NEVER, expiries: 0 }
    }

    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    pub(crate) fn expiries(&self) -> u32 {
        self.expiries
    }

    /// The timeout as it would be set now, backing off included.
    pub(crate) fn timeout(&self) -> Span {
        self.timeout
    }

    /// The smoothed round trip time; zero before the first sample.
    pub(crate) fn smoothed(&self) -> Span {
        self.smoothed
    }

    /// A round trip was measured.
    #[inline]
    pub(crate) fn sample(&mut self, config: &Config, rtt: Span) {
        // No sum overflows: `max_rto` is at most 1000 s, 10¹⁵ ps.
        let rtt = rtt.clamp(Span::from_ps(1), config.max_rto).as_ps();
        let (mut smoothed, mut variation) = (self.smoothed.as_ps(), self.variation.as_ps());
        if smoothed == 0 {
            smoothed = rtt;
            variation = rtt / 2;
        } else {
            variation = (3 * variation + smoothed.abs_diff(rtt)) / 4;
            smoothed = (7 * smoothed + rtt) / 8;
        }
        self.smoothed = Span::from_ps(smoothed);
        self.variation = Span::from_ps(variation);
        let timeout = smoothed + (4 * variation).max(config.clock_granularity.as_ps());
        self.timeout = Span::from_ps(timeout).clamp(config.min_rto, config.max_rto);
    }

    /// A packet leaves: the timer runs from now unless it runs already (5.1).
    pub(crate) fn sent(&mut self, now: Time) {
        if self.deadline == Time::NEVER {
            self.deadline = now.saturating_add(self.timeout);
        }
    }

    /// Something was delivered, more is outstanding (5.3).
    pub(crate) fn restart(&mut self, now: Time) {
        self.expiries = 0;
        self.deadline = now.saturating_add(self.timeout);
    }

    /// Everything was delivered (5.2).
    pub(crate) fn stop(&mut self) {
        self.expiries = 0;
        self.deadline = Time::NEVER;
    }

    /// The timer expired: twice the timeout, from the next packet on (5.5, 5.6).
    pub(crate) fn expire(&mut self, config: &Config) {
        self.expiries += 1;
        self.timeout = self.timeout.saturating_mul(2).min(config.max_rto);
        self.deadline = Time::NEVER;
    }

    /// Nothing is under way; the next packet starts the timer again.
    pub(crate) fn pause(&mut self) {
        self.deadline = Time::NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config { min_rto: Span::from_us(1), ..Config::default() }
    }

    #[test]
    fn values_follow_the_formulas_of_rfc_6298() {
        let config = config();
        let mut rto = Rto::new(&config);
        assert_eq!(rto.timeout(), Span::from_ms(1), "initial");
        // SRTT 80, RTTVAR 40: RTO = 80 + 160.
        rto.sample(&config, Span::from_us(80));
        assert_eq!(rto.timeout(), Span::from_us(240));
        // RTTVAR = (3·40 + |80 − 160|)/4 = 50, SRTT = (7·80 + 160)/8 = 90: RTO = 90 + 200.
        rto.sample(&config, Span::from_us(160));
        assert_eq!((rto.smoothed(), rto.timeout()), (Span::from_us(90), Span::from_us(290)));
        // RTTVAR = (3·50 + |90 − 90|)/4 = 37.5, SRTT = 90: RTO = 90 + 150.
        rto.sample(&config, Span::from_us(90));
        assert_eq!(rto.timeout(), Span::from_us(240));
    }

    #[test]
    fn the_bounds_and_the_clocks_granularity_hold() {
        let config = Config { clock_granularity: Span::from_us(500), ..config() };
        let mut rto = Rto::new(&config);
        // 4·RTTVAR = 20 µs is less than G = 500 µs.
        rto.sample(&config, Span::from_us(10));
        assert_eq!(rto.timeout(), Span::from_us(510));
        let mut floor = Rto::new(&Config::default());
        floor.sample(&Config::default(), Span::from_us(10));
        assert_eq!(floor.timeout(), Span::from_ms(1), "10 + 20 µs is below min_rto");
        floor.sample(&Config::default(), Span::MAX);
        assert_eq!(floor.timeout(), Span::from_s(1), "an absurd sample is max_rto");
    }

    #[test]
    fn each_expiry_doubles_the_timeout_up_to_the_cap_and_a_sample_ends_that() {
        let config = Config { max_rto: Span::from_ms(5), ..Config::default() };
        let mut rto = Rto::new(&config);
        rto.sent(Time::ZERO);
        assert_eq!(rto.deadline(), Time::ZERO + Span::from_ms(1));
        // 1 → 2 → 4 → 8, capped at 5.
        let mut now = rto.deadline();
        for (expiry, next_ms) in [(1, 2), (2, 4), (3, 5), (4, 5)] {
            rto.expire(&config);
            rto.sent(now);
            assert_eq!((rto.expiries(), rto.deadline() - now), (expiry, Span::from_ms(next_ms)));
            now = rto.deadline();
        }
        rto.sample(&config, Span::from_us(10));
        rto.restart(now);
        assert_eq!((rto.expiries(), rto.deadline() - now), (0, Span::from_ms(1)));
    }

    #[test]
    fn later_packets_do_not_push_the_deadline_of_the_first() {
        let mut rto = Rto::new(&Config::default());
        rto.sent(Time::ZERO);
        rto.sent(Time::ZERO + Span::from_us(900));
        assert_eq!(rto.deadline(), Time::ZERO + Span::from_ms(1));
        rto.stop();
        assert_eq!(rto.deadline(), Time::NEVER);
    }
}
