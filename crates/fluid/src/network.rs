//! Flows that run a law on links with queues, as a fluid: the law is asked after every small
//! step of time, rates and queues follow.
//!
//! ```text
//! x_i  = min(window_i / rtt_i, pace_i)          rtt_i = base + Σ d_l over its links
//! q̇_l  = Σ x_i over its flows − C_l             not below an empty queue
//! d_l  = q_l / C_l
//! ```
//!
//! Signals arrive without delay and every link sees a flow's full rate, so this shows where a
//! law settles, not how it behaves on the way there.

use crate::max_min::Link;
use plimsoll_cc::{Ack, CongestionControl, Decision, Path, Telemetry};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// Links and the flows on them.
#[derive(Clone, Debug)]
pub struct Network {
    /// Round trip time without queues, the same for all.
    pub base_rtt: Span,
    /// Each link's rate.
    pub capacities: Vec<Rate>,
    /// Each flow's links and the moment at which it starts.
    pub flows: Vec<(Vec<Link>, Time)>,
}

/// Where a network settled: averages over the last quarter of the run.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Each flow's rate.
    pub rates: Vec<Rate>,
    /// Each link's queueing delay.
    pub delays: Vec<Span>,
}

/// A flow while it runs.
struct Running<F> {
    law: F,
    decision: Decision,
    /// Delivered bytes that no ack has covered yet; acks count whole bytes.
    unacked: f64,
    bits_delivered: f64,
}

impl Network {
    /// Runs `law` on every flow for `duration`, in steps of an eighth of the base round trip.
    /// Links that no capacity stands for carry everything.
    pub fn settle<L: CongestionControl>(&self, law: &L, duration: Span) -> Settled {
        let step = (self.base_rtt / 8).max(Span::from_ns(1));
        let seconds = step.as_secs_f64();
        let steps = duration.as_ps() / step.as_ps();
        let counted_from = steps - steps / 4;
        let mut flows: Vec<Running<L::Flow>> = (0_u64..)
            .zip(&self.flows)
            .map(|(seed, (links, _))| {
                let path = Path { base_rtt: self.base_rtt, hops: links.len() as u32, seed };
                let (law, decision) = law.start(&path);
                Running { law, decision, unacked: 0.0, bits_delivered: 0.0 }
            })
            .collect();
        let mut queued_bits = vec![0.0; self.capacities.len()];
        let mut delay_sums = vec![0.0; self.capacities.len()];

        for index in 0..steps {
            let now = Time::ZERO.saturating_add(step.saturating_mul(index));
            let delays: Vec<f64> = queued_bits
                .iter()
                .zip(&self.capacities)
                .map(|(bits, rate)| bits / rate.as_bps_f64())
                .collect();
            let mut arrivals = vec![0.0; self.capacities.len()];
            for (flow, (links, start)) in flows.iter_mut().zip(&self.flows) {
                if now < *start {
                    continue;
                }
                let waits = links.iter().filter_map(|&link| delays.get(link));
                let rtt = self.base_rtt.as_secs_f64() + waits.clone().sum::<f64>();
                let rate = (flow.decision.window.as_f64() * 8.0 / rtt).min(flow.decision.pacing.as_bps_f64());
                links.iter().for_each(|&link| {
                    if let Some(sum) = arrivals.get_mut(link) {
                        *sum += rate
                    }
                });
                if index >= counted_from {
                    flow.bits_delivered += rate * seconds;
                }
                flow.acknowledge(
                    law,
                    rate * seconds / 8.0,
                    Ack {
                        now,
                        rtt: Span::saturating_from_secs_f64(rtt),
                        hops: links.len() as u32,
                        telemetry: Telemetry::MaxHop {
                            forward: Span::saturating_from_secs_f64(waits.copied().fold(0.0, f64::max)),
                            reverse: Span::ZERO,
                        },
                        ..Ack::default()
                    },
                );
            }
            for (link, bits) in queued_bits.iter_mut().enumerate() {
                *bits = (*bits + (arrivals[link] - self.capacities[link].as_bps_f64()) * seconds).max(0.0);
                if index >= counted_from {
                    delay_sums[link] += delays[link];
                }
            }
        }
        let counted = (steps - counted_from).max(1) as f64;
        Settled {
            rates: flows
                .iter()
                .map(|flow| Rate::saturating_from_bps_f64(flow.bits_delivered / (counted * seconds)))
                .collect(),
            delays: delay_sums.into_iter().map(|sum| Span::saturating_from_secs_f64(sum / counted)).collect(),
        }
    }
}

impl<F> Running<F> {
    /// Tells the law of `bytes` more that arrived.
    fn acknowledge<L: CongestionControl<Flow = F>>(&mut self, law: &L, bytes: f64, ack: Ack<'_>) {
        self.unacked += bytes;
        let whole = libm::floor(self.unacked);
        if whole >= 1.0 {
            self.unacked -= whole;
            let acked = Bytes::saturating_from_f64(whole);
            self.decision = law.on_ack(&mut self.law, &Ack { acked, ..ack });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::max_min;
    use plimsoll_cc::poseidon::{Params, Poseidon};
    use plimsoll_cc::{Configure, Host};

    fn law() -> Poseidon {
        let size = Bytes::new(4_096);
        let host = Host { nic_rate: Rate::from_gbps(200), base_rtt: Span::from_us(6), mtu: size, mss: size };
        Poseidon::new(&Params::nsdi23(), &host).unwrap()
    }

    /// Poseidon's Fig. 14 at (M, N) = (2, 9): max-min gives the victim and the nine 20 G, the two
    /// others 90 G; the hops' delays are T(90 G) = 5.5 µs and T(20 G) = 12.0 µs.
    #[test]
    fn poseidon_settles_on_the_max_min_rates_and_their_targets() {
        let mut flows = vec![(vec![0, 1], Time::ZERO), (vec![0], Time::ZERO), (vec![0], Time::ZERO)];
        flows.extend(vec![(vec![1], Time::ZERO); 9]);
        let capacities = vec![Rate::from_gbps(200); 2];
        let network = Network { base_rtt: Span::from_us(6), capacities, flows };
        let settled = network.settle(&law(), Span::from_ms(5));
        let paths: Vec<_> = network.flows.iter().map(|(path, _)| path.clone()).collect();
        let fair = max_min::allocate(&network.capacities, &paths).unwrap();
        for (ours, fair) in settled.rates.iter().zip(&fair) {
            assert!((*ours / *fair - 1.0).abs() < 0.02, "{ours} instead of {fair}");
        }
        let delays: Vec<f64> = settled.delays.iter().map(|delay| delay.as_us_f64()).collect();
        assert!((delays[0] - 5.47).abs() < 0.1 && (delays[1] - 12.0).abs() < 0.1, "{delays:?}");
    }

    #[test]
    fn a_flow_that_starts_later_catches_up() {
        let flows = vec![(vec![0], Time::ZERO), (vec![0], Time::ZERO + Span::from_ms(1))];
        let network = Network { base_rtt: Span::from_us(6), capacities: vec![Rate::from_gbps(100)], flows };
        let rates = network.settle(&law(), Span::from_ms(8)).rates;
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.02, "{rates:?}");
        let sum = rates[0].as_gbps_f64() + rates[1].as_gbps_f64();
        assert!((sum - 100.0).abs() < 1.0, "{sum}");
    }
}
