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
    /// Each link's rate.
    pub capacities: Vec<Rate>,
    /// The flows.
    pub flows: Vec<Flow>,
}

/// A flow that never ends.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The links that it crosses.
    pub links: Vec<Link>,
    /// When it starts.
    pub start: Time,
    /// Its round trip time without queues.
    pub base_rtt: Span,
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

/// A network while it runs.
struct Run<'n, L: CongestionControl> {
    network: &'n Network,
    law: &'n L,
    /// Length of a step.
    step: Span,
    flows: Vec<Running<L::Flow>>,
    /// Each link's queueing delay in seconds.
    delays: Vec<f64>,
}

impl Network {
    /// Runs `law` on every flow for `duration`, in steps of an eighth of the shortest base round trip.
    /// A link that is not in the list carries everything.
    pub fn settle<L: CongestionControl>(&self, law: &L, duration: Span) -> Settled {
        self.settle_from(law, duration, |_, path| law.start(path))
    }

    /// The same with flows that `start`, given a flow's number, brings to life: from any window, if it takes a
    /// law with another first window.
    pub fn settle_from<L: CongestionControl>(
        &self,
        law: &L,
        duration: Span,
        start: impl Fn(usize, &Path) -> (L::Flow, Decision),
    ) -> Settled {
        let mut run = Run::new(self, law, start);
        let steps = duration.as_ps() / run.step.as_ps();
        let counted_from = steps - steps / 4;
        let mut delay_sums = vec![0.0; self.capacities.len()];
        for index in 0..steps {
            if index == counted_from {
                run.flows.iter_mut().for_each(|flow| flow.bits_delivered = 0.0);
            }
            if index >= counted_from {
                delay_sums.iter_mut().zip(&run.delays).for_each(|(sum, delay)| *sum += delay);
            }
            run.advance(Time::ZERO.saturating_add(run.step.saturating_mul(index)));
        }
        let counted = (steps - counted_from).max(1) as f64;
        let seconds = counted * run.step.as_secs_f64();
        let rates = run.flows.iter().map(|flow| Rate::saturating_from_bps_f64(flow.bits_delivered / seconds));
        let delays = delay_sums.into_iter().map(|sum| Span::saturating_from_secs_f64(sum / counted));
        Settled { rates: rates.collect(), delays: delays.collect() }
    }
}

impl<'n, L: CongestionControl> Run<'n, L> {
    fn new(network: &'n Network, law: &'n L, start: impl Fn(usize, &Path) -> (L::Flow, Decision)) -> Self {
        let begin = |(index, flow): (usize, &Flow)| {
            let hops = flow.links.len() as u32;
            let (law, decision) = start(index, &Path { base_rtt: flow.base_rtt, hops, seed: index as u64 });
            Running { law, decision, unacked: 0.0, bits_delivered: 0.0 }
        };
        let shortest = network.flows.iter().map(|flow| flow.base_rtt).min().unwrap_or(Span::from_us(1));
        Self {
            network,
            law,
            step: (shortest / 8).max(Span::from_ns(1)),
            flows: network.flows.iter().enumerate().map(begin).collect(),
            delays: vec![0.0; network.capacities.len()],
        }
    }

    /// One step of all flows, then of all queues.
    fn advance(&mut self, now: Time) {
        let seconds = self.step.as_secs_f64();
        let mut arrivals = vec![0.0; self.delays.len()];
        for (flow, Flow { links, start, base_rtt }) in self.flows.iter_mut().zip(&self.network.flows) {
            if now < *start {
                continue;
            }
            let waits = links.iter().filter_map(|&link| self.delays.get(link).copied());
            let rtt = base_rtt.as_secs_f64() + waits.clone().sum::<f64>();
            let rate = (flow.decision.window.as_f64() * 8.0 / rtt).min(flow.decision.pacing.as_bps_f64());
            for &link in links {
                if let Some(sum) = arrivals.get_mut(link) {
                    *sum += rate;
                }
            }
            let forward = Span::saturating_from_secs_f64(waits.fold(0.0, f64::max));
            let ack = Ack {
                now,
                rtt: Span::saturating_from_secs_f64(rtt),
                hops: links.len() as u32,
                telemetry: Telemetry::MaxHop { forward, reverse: Span::ZERO },
                ..Ack::default()
            };
            flow.deliver(self.law, rate * seconds, ack);
        }
        for ((delay, arrival), capacity) in self.delays.iter_mut().zip(arrivals).zip(&self.network.capacities)
        {
            *delay = (*delay + (arrival / capacity.as_bps_f64() - 1.0) * seconds).max(0.0);
        }
    }
}

impl<F> Running<F> {
    /// `bits` more arrived; tells the law of the whole bytes among them.
    fn deliver<L: CongestionControl<Flow = F>>(&mut self, law: &L, bits: f64, ack: Ack<'_>) {
        self.bits_delivered += bits;
        self.unacked += bits / 8.0;
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

    fn flow(links: Vec<Link>, start_ms: u64) -> Flow {
        Flow { links, start: Time::after_start(Span::from_ms(start_ms)), base_rtt: Span::from_us(6) }
    }

    /// Poseidon's Fig. 14 at (M, N) = (2, 9): max-min gives the victim and the nine 20 G, the two
    /// others 90 G; the hops' delays are T(90 G) = 5.5 µs and T(20 G) = 12.0 µs.
    #[test]
    fn poseidon_settles_on_the_max_min_rates_and_their_targets() {
        let mut flows = vec![flow(vec![0, 1], 0), flow(vec![0], 0), flow(vec![0], 0)];
        flows.extend(vec![flow(vec![1], 0); 9]);
        let network = Network { capacities: vec![Rate::from_gbps(200); 2], flows };
        let settled = network.settle(&law(), Span::from_ms(5));
        let paths: Vec<_> = network.flows.iter().map(|flow| flow.links.clone()).collect();
        let fair = max_min::allocate(&network.capacities, &paths).unwrap().rates;
        for (ours, fair) in settled.rates.iter().zip(&fair) {
            assert!((*ours / *fair - 1.0).abs() < 0.02, "{ours} instead of {fair}");
        }
        let delays: Vec<f64> = settled.delays.iter().map(|delay| delay.as_us_f64()).collect();
        assert!((delays[0] - 5.47).abs() < 0.1 && (delays[1] - 12.0).abs() < 0.1, "{delays:?}");
    }

    #[test]
    fn a_flow_that_starts_later_catches_up() {
        let network = Network {
            capacities: vec![Rate::from_gbps(100)],
            flows: vec![flow(vec![0], 0), flow(vec![0], 1)],
        };
        let rates = network.settle(&law(), Span::from_ms(8)).rates;
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.02, "{rates:?}");
        let sum = rates[0].as_gbps_f64() + rates[1].as_gbps_f64();
        assert!((sum - 100.0).abs() < 1.0, "{sum}");
    }
}
