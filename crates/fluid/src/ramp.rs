//! One Poseidon flow at a constant delay: how its rate grows from round trip to round trip.
//!
//! The law itself is driven, with one ack per round trip that covers the whole window; the rate
//! is then multiplied by U once per round trip, as the paper's Eq. 5 has it. With an ack per
//! packet, U is computed from the grown window within the round trip already.

use plimsoll_cc::poseidon::{Flow, Params, Poseidon};
use plimsoll_cc::{Ack, Configure, CongestionControl, Host, ParamError, Path, Telemetry};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// What a lonely flow sees.
#[derive(Clone, Copy, Debug)]
pub struct Ramp {
    /// The sender.
    pub host: Host,
    /// Every packet's round trip time.
    pub round_trip: Span,
    /// Every packet's wait at its worst hop.
    pub delay: Span,
    /// How fast the flow is at first.
    pub start: Rate,
}

impl Ramp {
    /// Rates in bit/s, before the first round trip and after each of `round_trips`.
    ///
    /// # Errors
    /// If the law refuses the parameters or the host.
    pub fn rates(&self, params: &Params, round_trips: usize) -> Result<Vec<f64>, ParamError<'static>> {
        let packets_per_bps = self.round_trip.as_secs_f64() / (8.0 * self.host.mtu.as_f64());
        let start_cwnd = self.start.as_bps_f64() * packets_per_bps;
        let law = Poseidon::new(&Params { start_cwnd, ..*params }, &self.host)?;
        let mut flow = law.start(&path(self.round_trip)).0;
        let mut rates = vec![flow.cwnd() / packets_per_bps];
        for round in 1..=round_trips {
            acknowledge_window(&law, &mut flow, round, self);
            rates.push(flow.cwnd() / packets_per_bps);
        }
        Ok(rates)
    }
}

/// The first round trip after which a rate is at least `goal`, both in bit/s.
#[must_use]
pub fn round_trips_to(rates: &[f64], goal: Rate) -> Option<usize> {
    // Acks count whole bytes, so a rate may miss a round number by parts in a million.
    rates.iter().position(|&rate| rate >= goal.as_bps_f64() * (1.0 - 1e-4))
}

fn path(base_rtt: Span) -> Path {
    Path { base_rtt, hops: 1, seed: 0 }
}

fn acknowledge_window(law: &Poseidon, flow: &mut Flow, round: usize, ramp: &Ramp) {
    let ack = Ack {
        now: Time::ZERO.saturating_add(ramp.round_trip.saturating_mul(round as u64)),
        rtt: ramp.round_trip,
        acked: Bytes::saturating_from_f64(flow.cwnd() * ramp.host.mss.as_f64()),
        telemetry: Telemetry::MaxHop { forward: ramp.delay, reverse: Span::ZERO },
        ..Ack::default()
    };
    law.on_ack(flow, &ack);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round trip so long that windows are hundreds of packets: whole bytes do not matter.
    fn ramp(start: Rate, delay: Span) -> Ramp {
        let size = Bytes::new(4_096);
        let host = Host { nic_rate: Rate::from_gbps(200), base_rtt: Span::from_us(6), mtu: size, mss: size };
        Ramp { host, round_trip: Span::from_us(10), delay, start }
    }

    fn unbounded(m: f64) -> Params {
        Params { m, max_mi: 1e6, min_md: 0.0, ..Params::nsdi23() }
    }

    /// x ← x · (50/x)^m: after n round trips ln(50/x) is (1 − m)ⁿ of ln 50 = 3.912. 95 % means
    /// ln(50/x) = 0.0513: n = ln(0.0513/3.912)/ln(1 − m) = −4.334/ln(1 − m), rounded up:
    /// m = 0.1: 41.1 → 42; 0.25: 15.07 → 16; 0.5: 6.25 → 7; 1: 1.
    #[test]
    fn round_trips_to_95_percent_follow_the_logarithm() {
        let delay = Poseidon::new(&unbounded(0.25), &ramp(Rate::ZERO, Span::ZERO).host)
            .unwrap()
            .target(Rate::from_gbps(50));
        for (m, expected) in [(0.1, 42), (0.25, 16), (0.5, 7), (1.0, 1)] {
            let rates = ramp(Rate::from_gbps(1), delay).rates(&unbounded(m), 60).unwrap();
            assert_eq!(round_trips_to(&rates, Rate::from_mbps(47_500)), Some(expected), "m = {m}");
        }
    }

    /// The rate never passes the one whose target is the delay.
    #[test]
    fn the_ramp_flattens_at_the_rate_of_its_delay() {
        let rates = ramp(Rate::from_gbps(1), Span::from_ns(8_021)).rates(&unbounded(0.25), 100).unwrap();
        assert!(rates.windows(2).all(|pair| pair[0] <= pair[1]));
        let last = rates[100] / 1e9;
        // T(r) = 8.021 µs: ln(200/r) = 6.021·9.2103/40 = 1.3864, r = 200/4.0004 = 49.995.
        assert!((last - 49.995).abs() < 0.01, "{last}");
    }

    #[test]
    fn a_goal_that_is_not_reached_has_no_round_trip() {
        assert_eq!(round_trips_to(&[1e9, 2e9], Rate::from_gbps(3)), None);
        assert_eq!(round_trips_to(&[1e9, 2e9], Rate::from_gbps(1)), Some(0));
    }
}
