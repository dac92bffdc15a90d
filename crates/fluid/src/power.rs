//! Voltage, current and power: what three families of laws react to, and where each takes a
//! bottleneck link.
//!
//! ```text
//! ẇ_i = (γ/δt) · (w_i · e/f − w_i + β_i)                                           (Eq. 3)
//! q̇   = w/θ − b if q > 0, else max(w/θ − b, 0)       w = Σ w_i,  θ = q/b + τ       (Eq. 4)
//!
//! family    e      f                     laws
//! voltage   b τ    q + b τ               by queue length or delay
//! current   1      q̇/b + 1               by gradient of the round trip
//! power     b² τ   (q + b τ) (q̇ + μ)     PowerTCP
//! ```
//!
//! All quantities are relative: queues and windows to the bandwidth-delay product bτ, rates to b,
//! times to the base round trip τ. The model then has three numbers: γ, δt/τ and Σβ/bτ.
//!
//! Source: PowerTCP, NSDI'22, §2.2 (Eqs. 2–4, Figs. 2, 3), §3 (Eqs. 5–7), Theorems 1–3.
//!
//! # Deviations
//! - Feedback has no delay in Eq. 3. PowerTCP pairs the power it measures with the window that
//!   caused it, w(t − θ); without delay that is the present window.
//! - While the queue is empty the service rate μ is the arrival rate, as a switch measures it.

use plimsoll_cc::HopRecord;
use plimsoll_cc::powertcp::PowerTcp;
use plimsoll_units::{Bytes, Rate, Span, Time};

/// What a law holds against its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The state: queue length or delay.
    Voltage,
    /// The change: the gradient of the round trip.
    Current,
    /// Their product.
    Power,
}

/// What a bottleneck shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signals {
    /// q, in bandwidth-delay products.
    pub queue: f64,
    /// q̇, in units of b.
    pub growth: f64,
    /// μ: how fast the queue is served, in units of b.
    pub service: f64,
}

impl Family {
    /// e/f: the factor by which the window is multiplied.
    #[must_use]
    pub fn reaction(self, signals: &Signals) -> f64 {
        let voltage = signals.queue + 1.0;
        match self {
            Self::Voltage => 1.0 / voltage,
            Self::Current => 1.0 / (signals.growth + 1.0),
            Self::Power => 1.0 / (voltage * (signals.growth + signals.service)),
        }
    }
}

/// e/f as the law of `plimsoll-cc` finds it: from two records that the bottleneck, a link of rate
/// `link`, left a hundredth of the base round trip apart. `None` if the queue cannot have grown so
/// fast from nothing.
#[must_use]
pub fn reaction_of_powertcp(law: &PowerTcp, link: Rate, base_rtt: Span, signals: &Signals) -> Option<f64> {
    let apart = base_rtt / 100;
    let bdp = link.bytes_in(base_rtt).as_f64();
    let queue_before = signals.queue - signals.growth / 100.0;
    if queue_before < 0.0 {
        return None;
    }
    let record = |time: Time, sent: f64, queue: f64| HopRecord {
        time,
        sent: Bytes::saturating_from_f64(sent * bdp),
        queue: Bytes::saturating_from_f64(queue * bdp),
        rate: link,
    };
    let before = record(Time::ZERO, 0.0, queue_before);
    let now = record(Time::after_start(apart), signals.service / 100.0, signals.queue);
    law.normalised_power(&before, &now).map(|power| 1.0 / power)
}

/// Flows of one family at one bottleneck.
#[derive(Clone, Debug)]
pub struct Bottleneck {
    /// What the flows react to.
    pub family: Family,
    /// γ: weight of a new window against the old.
    pub gamma: f64,
    /// δt: time between two updates of a window, in base round trips.
    pub interval: f64,
    /// β of each flow, in bandwidth-delay products.
    pub additive: Vec<f64>,
}

/// A moment: windows and queue in bandwidth-delay products, time in base round trips.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Since the start.
    pub time: f64,
    /// Each flow's window.
    pub windows: Vec<f64>,
    /// The queue.
    pub queue: f64,
}

impl State {
    /// All windows together.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.windows.iter().sum()
    }

    /// What the bottleneck shows at this moment.
    #[must_use]
    pub fn signals(&self) -> Signals {
        let arrival = self.window() / (self.queue + 1.0);
        if self.queue > 0.0 || arrival >= 1.0 {
            Signals { queue: self.queue, growth: arrival - 1.0, service: 1.0 }
        } else {
            Signals { queue: 0.0, growth: 0.0, service: arrival }
        }
    }
}

/// Steps per base round trip: the error of a step is far below a pixel.
const STEPS: usize = 1_000;

impl Bottleneck {
    /// The way from `start`, one state per hundredth of a base round trip, the start included.
    ///
    /// A flow without a window in `start` has none.
    #[must_use]
    pub fn trajectory(&self, start: State, round_trips: usize) -> Vec<State> {
        let mut states = vec![start.clone()];
        let mut state = start;
        for step in 1..=round_trips * STEPS {
            self.advance(&mut state);
            if step % (STEPS / 100) == 0 {
                states.push(state.clone());
            }
        }
        states
    }

    /// One Euler step.
    fn advance(&self, state: &mut State) {
        let step = 1.0 / STEPS as f64;
        let signals = state.signals();
        let reaction = self.family.reaction(&signals);
        let gain = self.gamma / self.interval * step;
        for (window, beta) in state.windows.iter_mut().zip(&self.additive) {
            *window = (*window + gain * (*window * reaction - *window + beta)).max(1e-9);
        }
        state.queue = (state.queue + signals.growth * step).max(0.0);
        state.time += step;
    }
}

/// The time constant of an exponential approach to `limit`, from the least-squares line through
/// the logarithms of (time, value): the inverse of its slope. `None` if nothing approaches.
#[must_use]
pub fn time_constant(points: &[(f64, f64)], limit: f64) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|&(time, value)| (time, libm::fabs(value - limit)))
        .filter(|&(_, distance)| distance > 1e-9)
        .map(|(time, distance)| (time, libm::log(distance)))
        .collect();
    let count = logs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / count;
    let (time, log) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logs.iter().map(|(t, l)| (t - time) * (l - log)).sum();
    let variance: f64 = logs.iter().map(|(t, _)| (t - time) * (t - time)).sum();
    let slope = covariance / variance;
    (slope.is_finite() && slope < 0.0).then(|| -1.0 / slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_cc::powertcp::Params;
    use plimsoll_cc::{Configure, Host};

    fn settle(family: Family, window: f64, queue: f64) -> Vec<State> {
        let beta = if family == Family::Current { 0.0 } else { 0.05 };
        let link = Bottleneck { family, gamma: 0.9, interval: 1.0, additive: vec![beta] };
        link.trajectory(State { time: 0.0, windows: vec![window], queue }, 60)
    }

    /// Twice the queue and thrice the arrivals: 1/2, 1/3, and together 1/6.
    #[test]
    fn power_reacts_to_what_voltage_and_current_react_to_alone() {
        let signals = Signals { queue: 1.0, growth: 2.0, service: 1.0 };
        let reaction = |family: Family| family.reaction(&signals);
        assert!((reaction(Family::Voltage) - 1.0 / 2.0).abs() < 1e-12);
        assert!((reaction(Family::Current) - 1.0 / 3.0).abs() < 1e-12);
        assert!((reaction(Family::Power) - 1.0 / 6.0).abs() < 1e-12);
    }

    /// The law reads whole bytes: 250 kB of pipe and 2.5 kB per record make an error of 2·10⁻⁴.
    #[test]
    fn the_power_law_of_the_model_is_that_of_powertcp() {
        let (link, base_rtt) = (Rate::from_gbps(100), Span::from_us(20));
        let host = Host { nic_rate: link, base_rtt, mtu: Bytes::new(1_048), mss: Bytes::new(1_000) };
        let law = PowerTcp::new(&Params::nsdi22(), &host).unwrap();
        for queue in [0.1, 0.5, 1.0, 2.0] {
            for growth in [-0.5, 0.0, 1.0, 8.0] {
                let signals = Signals { queue, growth, service: 1.0 };
                let model = Family::Power.reaction(&signals);
                let law = reaction_of_powertcp(&law, link, base_rtt, &signals).unwrap();
                assert!((law / model - 1.0).abs() < 5e-4, "{signals:?}: {law} and {model}");
            }
        }
        let impossible = Signals { queue: 0.0, growth: 1.0, service: 1.0 };
        assert_eq!(reaction_of_powertcp(&law, link, base_rtt, &impossible), None);
    }

    /// A full link without queue growth asks for no change; one that idles asks for more.
    #[test]
    fn power_of_a_full_empty_link_is_one_and_of_an_idle_link_less() {
        let full = State { time: 0.0, windows: vec![1.0], queue: 0.0 };
        assert!((Family::Power.reaction(&full.signals()) - 1.0).abs() < 1e-12);
        let half = State { time: 0.0, windows: vec![0.5], queue: 0.0 };
        assert!((Family::Power.reaction(&half.signals()) - 2.0).abs() < 1e-12);
    }

    /// Theorem 1: (bτ + β̂, β̂).
    #[test]
    fn voltage_and_power_end_where_the_additive_increase_stands_in_the_queue() {
        for family in [Family::Voltage, Family::Power] {
            for (window, queue) in [(0.5, 0.0), (1.0, 1.5), (3.0, 0.0), (3.0, 1.5)] {
                let end = settle(family, window, queue).pop().unwrap();
                assert!((end.window() - 1.05).abs() < 0.01, "{family:?} {end:?}");
                assert!((end.queue - 0.05).abs() < 0.01, "{family:?} {end:?}");
            }
        }
    }

    #[test]
    fn current_ends_where_it_happens_to_be() {
        let ends: Vec<f64> = [(1.5, 0.0), (1.5, 1.5), (3.0, 1.5)]
            .map(|(window, queue)| settle(Family::Current, window, queue).pop().unwrap().window())
            .to_vec();
        assert!(ends[2] - ends[0] > 0.2, "{ends:?}");
    }

    #[test]
    fn voltage_overshoots_into_an_idle_link_and_power_does_not() {
        let least = |family| settle(family, 2.0, 1.0).iter().map(State::window).fold(f64::INFINITY, f64::min);
        assert!(least(Family::Voltage) < 0.95);
        assert!(least(Family::Power) >= 1.0);
    }

    /// Theorem 2: δt/γ = 1/0.9 = 1.111 round trips.
    #[test]
    fn power_approaches_its_end_with_the_time_constant_of_theorem_2() {
        let points: Vec<(f64, f64)> = settle(Family::Power, 3.0, 1.0)
            .iter()
            .take(400)
            .map(|state| (state.time, state.window()))
            .collect();
        let constant = time_constant(&points, 1.05).unwrap();
        assert!((constant - 1.111).abs() < 0.01, "{constant}");
    }

    /// exp(−t/2) at t = 0, 1, 2, 3.
    #[test]
    fn a_known_exponential_has_its_time_constant() {
        let points: Vec<(f64, f64)> =
            (0..4).map(|t| (f64::from(t), 5.0 + (-f64::from(t) / 2.0).exp())).collect();
        assert!((time_constant(&points, 5.0).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(time_constant(&[(0.0, 1.0), (1.0, 2.0)], 0.0), None);
        assert_eq!(time_constant(&[], 0.0), None);
    }

    /// Theorem 3: windows in the ratio of the additive increases, wherever they begin.
    #[test]
    fn flows_share_in_proportion_to_their_additive_increase() {
        let link =
            Bottleneck { family: Family::Power, gamma: 0.9, interval: 1.0, additive: vec![0.01, 0.04] };
        let start = State { time: 0.0, windows: vec![0.9, 0.1], queue: 0.0 };
        let end = link.trajectory(start, 400).pop().unwrap();
        let ratio = end.windows[1] / end.windows[0];
        assert!((ratio - 4.0).abs() < 0.05, "{ratio}");
    }
}
