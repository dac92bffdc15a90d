//! Flows that run a law on links with queues, as a fluid: the law is asked after every small
//! step of time, rates and queues follow.
//!
//! ```text
//! x_i  = min(window_i / rtt_i, pace_i)          rtt_i = base + Σ d_l over its links, and those of its acks
//! q̇_l  = Σ x_i over its flows − C_l             not below an empty queue
//! d_l  = q_l / C_l
//! ```
//!
//! Every link sees a flow's full rate at once. With [`Feedback::AtOnce`] signals arrive without delay,
//! and this shows where a law settles, not how it behaves on the way there. With
//! [`Feedback::RoundTripLater`] what acks tell is a round trip old, and it shows whether the law settles.
//!
//! # When Poseidon settles
//! One step per round trip is `d ln w = −m · (D − T)·α/p`. Time counts in round trips R, `g = m·R·α/p`,
//! and small deviations that grow like `e^(u·t)` obey:
//!
//! | traffic | equation | settles for R below, m = 0.25 | m → 0 |
//! |---|---|---|---|
//! | one way | `(u + m)(u + 1) + (g − m)·e^(−u) = 0` | 7.0 p/α = 30 µs | ∞ |
//! | both ways, acks wait among data | `u² + m·u + g·e^(−u) = 0` | 1.04 p/α = 4.5 µs | p/α = 4.3 µs |
//!
//! One way, a longer queue slows its own flows down, since windows are what they are: that is the factor
//! `u + 1`. Both ways, each flow's round trip holds the sum of both queues. If one queue grows by what the
//! other loses nobody is slowed down, no law hears of it but by its target, and that comes too late:
//! an integrator in front of an integrator, with a delay. A smaller step does not help.
//! `tests/settling.rs` holds the fluid against both.

use crate::max_min::Link;
use plimsoll_cc::{Ack, CongestionControl, Decision, Path, Telemetry};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::collections::VecDeque;

/// Links and the flows on them.
#[derive(Clone, Debug)]
pub struct Network {
    /// Each link's rate.
    pub capacities: Vec<Rate>,
    /// The flows.
    pub flows: Vec<Flow>,
    /// How old signals are.
    pub feedback: Feedback,
}

/// How old signals are when they reach the law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Those of this moment.
    #[default]
    AtOnce,
    /// Those of a round trip ago.
    RoundTripLater,
}

impl Feedback {
    /// A step makes signals older by itself, which matters if it matters how old they are.
    fn steps_per_round_trip(self) -> u64 {
        match self {
            Self::AtOnce => 8,
            Self::RoundTripLater => 64,
        }
    }
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
    /// The links in whose queues its acks wait; they take no room there. None: acks have priority.
    pub acks_wait_in: Vec<Link>,
}

/// Where a network settled: averages over the last quarter of the run.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Each flow's rate.
    pub rates: Vec<Rate>,
    /// Each link's queueing delay.
    pub delays: Vec<Span>,
    /// Each link's longest less its shortest queueing delay.
    pub swings: Vec<Span>,
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
    /// What they were before each of the last steps, oldest first; empty if nobody asks.
    past: VecDeque<Vec<f64>>,
}

/// How many steps are remembered: 256 of the shortest base round trips. Older is as old as that.
const REMEMBERED: usize = 256 * 64;

impl Network {
    /// Runs `law` on every flow for `duration`, in steps of an eighth of the shortest base round trip, or of
    /// a 64th of it if signals are a round trip old.
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
        let mut extremes = vec![(f64::INFINITY, 0.0_f64); self.capacities.len()];
        for index in 0..steps {
            if index == counted_from {
                run.flows.iter_mut().for_each(|flow| flow.bits_delivered = 0.0);
            }
            if index >= counted_from {
                delay_sums.iter_mut().zip(&run.delays).for_each(|(sum, delay)| *sum += delay);
                for (extreme, &delay) in extremes.iter_mut().zip(&run.delays) {
                    *extreme = (extreme.0.min(delay), extreme.1.max(delay));
                }
            }
            run.advance(Time::ZERO.saturating_add(run.step.saturating_mul(index)));
        }
        let counted = (steps - counted_from).max(1) as f64;
        let seconds = counted * run.step.as_secs_f64();
        let rates = run.flows.iter().map(|flow| Rate::saturating_from_bps_f64(flow.bits_delivered / seconds));
        let delays = delay_sums.into_iter().map(|sum| Span::saturating_from_secs_f64(sum / counted));
        let swings =
            extremes.into_iter().map(|(least, most)| Span::saturating_from_secs_f64((most - least).max(0.0)));
        Settled { rates: rates.collect(), delays: delays.collect(), swings: swings.collect() }
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
            step: (shortest / network.feedback.steps_per_round_trip()).max(Span::from_ns(1)),
            flows: network.flows.iter().enumerate().map(begin).collect(),
            delays: vec![0.0; network.capacities.len()],
            past: VecDeque::new(),
        }
    }

    /// The queueing delays of `age` ago.
    fn delays_of(&self, age: f64) -> &[f64] {
        let steps = libm::round(age / self.step.as_secs_f64()) as usize;
        // The first of the run if that is before it.
        let place = self.past.len().saturating_sub(steps);
        self.past.get(place).unwrap_or(&self.delays)
    }

    fn remember(&mut self) {
        if self.network.feedback == Feedback::RoundTripLater {
            self.past.push_back(self.delays.clone());
            if self.past.len() > REMEMBERED {
                self.past.pop_front();
            }
        }
    }

    /// One step of all flows, then of all queues.
    fn advance(&mut self, now: Time) {
        let seconds = self.step.as_secs_f64();
        let mut arrivals = vec![0.0; self.delays.len()];
        let mut flows = core::mem::take(&mut self.flows);
        for (flow, planned) in flows.iter_mut().zip(&self.network.flows) {
            if now < planned.start {
                continue;
            }
            let rtt = planned.rtt(&self.delays);
            let rate = (flow.decision.window.as_f64() * 8.0 / rtt).min(flow.decision.pacing.as_bps_f64());
            for &link in &planned.links {
                if let Some(sum) = arrivals.get_mut(link) {
                    *sum += rate;
                }
            }
            let told = self.delays_of(rtt);
            let ack = Ack {
                now,
                rtt: Span::saturating_from_secs_f64(planned.rtt(told)),
                hops: planned.links.len() as u32,
                telemetry: Telemetry::MaxHop {
                    forward: Span::saturating_from_secs_f64(waits(&planned.links, told).fold(0.0, f64::max)),
                    reverse: Span::ZERO,
                },
                ..Ack::default()
            };
            flow.deliver(self.law, rate * seconds, ack);
        }
        self.flows = flows;
        self.remember();
        for ((delay, arrival), capacity) in self.delays.iter_mut().zip(arrivals).zip(&self.network.capacities)
        {
            *delay = (*delay + (arrival / capacity.as_bps_f64() - 1.0) * seconds).max(0.0);
        }
    }
}

impl Flow {
    /// The round trip in seconds if links have these queueing delays.
    fn rtt(&self, delays: &[f64]) -> f64 {
        let queues = waits(&self.links, delays).sum::<f64>() + waits(&self.acks_wait_in, delays).sum::<f64>();
        self.base_rtt.as_secs_f64() + queues
    }
}

/// The queueing delays of these links.
fn waits(links: &[Link], delays: &[f64]) -> impl Iterator<Item = f64> {
    links.iter().filter_map(|&link| delays.get(link).copied())
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
        let start = Time::after_start(Span::from_ms(start_ms));
        Flow { links, start, base_rtt: Span::from_us(6), acks_wait_in: vec![] }
    }

    /// Poseidon's Fig. 14 at (M, N) = (2, 9): max-min gives the victim and the nine 20 G, the two
    /// others 90 G; the hops' delays are T(90 G) = 5.5 µs and T(20 G) = 12.0 µs.
    #[test]
    fn poseidon_settles_on_the_max_min_rates_and_their_targets() {
        let mut flows = vec![flow(vec![0, 1], 0), flow(vec![0], 0), flow(vec![0], 0)];
        flows.extend(vec![flow(vec![1], 0); 9]);
        let network =
            Network { capacities: vec![Rate::from_gbps(200); 2], flows, feedback: Feedback::AtOnce };
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
            feedback: Feedback::AtOnce,
        };
        let rates = network.settle(&law(), Span::from_ms(8)).rates;
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.02, "{rates:?}");
        let sum = rates[0].as_gbps_f64() + rates[1].as_gbps_f64();
        assert!((sum - 100.0).abs() < 1.0, "{sum}");
    }
}
