//! PLB: a host changes the path of a flow that stays congested.
//!
//! ```text
//! per round trip:  congested if at least K of its bytes were;   c = congested rounds in a row, ≤ N
//! move if          c ≥ N, or c ≥ M and nothing is in flight;    then c = 0
//! after a timeout: move, c = 0, and stay for uniform(1, 2) · pause
//! ```
//!
//! Hashing puts flows onto paths blindly; a flow that finds its path congested for several round
//! trips draws another by changing what the switches hash (the IPv6 flow label). Moving reorders
//! packets, so a flow with nothing in flight moves sooner. After a timeout the path may be dead,
//! and the one drawn then is kept for a while, so that congestion does not lead back.
//!
//! The flow's law judges each ack ([`met_congestion`](crate::CongestionControl::met_congestion)): a delay
//! above the target for Swift and Poseidon, a load of η for HPCC; where it has no judgement of its own,
//! whoever runs PLB takes marks. PLB counts.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | K | share of congested bytes that makes a round congested | 1 |
//! | c | congested rounds in a row | round trips |
//! | N, M | rounds after which a flow moves; after which an idle one does | round trips |
//! | pause | unit of the time without moves after a timeout | time |
//!
//! Source: Qureshi et al., "PLB: Congestion Signals are Simple and Effective for Network Load
//! Balancing", SIGCOMM'22; defaults and details of Linux (net/ipv4/tcp_plb.c and its sysctls). The
//! simplified form is that of htsim (github.com/Broadcom/csg-htsim at 841d9e7, swift.cpp):
//!
//! ```text
//! delay good:                                    last_good = now, patience = uniform(5, 7) · rtt
//! otherwise, if now − last_good > patience:      move, last_good = now
//! ```
//!
//! # Deviations
//! - *Bytes, not packets*, are counted per round: the two differ only where packets differ in size.
//! - *When an idle flow moves.* Linux looks when it begins to send again, we when the last ack
//!   leaves nothing in flight; a pause that ends in between is missed until the next such ack.
//! - *Move on a timeout.* In Linux the timeout itself draws a new path, whether or not PLB is on;
//!   `move_on_timeout` says so here. htsim's form does not react to timeouts.
//! - *htsim's patience* uses its smoothed round trip time, ours the good ack's own. Before the
//!   first good ack it is a second there, and `first_patience` here.

use crate::coin::Coin;
use crate::event::{Ack, Timeout};
use crate::params::{ParamError, Parameters, not_above};
use crate::round::{Round, RoundEvent};
use plimsoll_units::{Span, Time};

crate::choice! {
    /// What makes a flow move.
    pub enum Rule {
        /// Congested rounds in a row.
        Rounds = "rounds",
        /// htsim's: no good delay for some round trips.
        LastGood = "last-good",
    }
}

crate::parameters! {
    /// PLB's parameters.
    pub struct Params {
        /// What makes a flow move.
        rule: Rule,
        /// M: congested rounds after which a flow with nothing in flight moves; 0 = it does not.
        idle_rounds: u32 where [0, 1_000_000],
        /// N: congested rounds after which a flow moves.
        forced_rounds: u32 where [1, 1_000_000],
        /// K: share of congested bytes that makes a round congested.
        congested_share: f64 where [0.0, 1.0],
        /// After a timeout a flow stays for one to two times this.
        pause: Span where [Span::ZERO, Span::from_s(100_000)],
        /// Whether a timeout moves the flow.
        move_on_timeout: bool,
        /// Smallest patience after a good ack, in round trips.
        min_patience: f64 where [0.0, 1e6],
        /// Largest patience after a good ack, in round trips.
        max_patience: f64 where [0.0, 1e6],
        /// Patience before the first good ack.
        first_patience: Span where [Span::ZERO, Span::from_s(100_000)],
    }
    presets {
        "linux" => linux, "Linux net/ipv4/tcp_plb.c and ip-sysctl: M 3, N 12, K 128/256, pause 60 s",
        "htsim" => htsim, "csg-htsim at 841d9e7, swift.cpp: five to seven round trips without a good delay",
    }
}

impl Params {
    /// Linux's defaults.
    #[must_use]
    pub fn linux() -> Self {
        Self {
            rule: Rule::Rounds,
            idle_rounds: 3,
            forced_rounds: 12,
            congested_share: 0.5,
            pause: Span::from_s(60),
            move_on_timeout: true,
            min_patience: 5.0,
            max_patience: 7.0,
            first_patience: Span::from_s(1),
        }
    }

    /// htsim's simplified form.
    #[must_use]
    pub fn htsim() -> Self {
        Self { rule: Rule::LastGood, pause: Span::ZERO, move_on_timeout: false, ..Self::linux() }
    }
}

/// How the flow's law judges an acked packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// It met no congestion.
    Clear,
    /// It met congestion.
    Congested,
}

/// What the flow does about its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// It stays.
    Stay,
    /// It draws another.
    Repath,
}

/// PLB with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plb {
    params: Params,
}

/// What PLB remembers of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    round: Round,
    /// Bytes acked in this round, and how many of them met congestion.
    acked: u64,
    congested: u64,
    /// c.
    congested_rounds: u32,
    /// No move before this.
    paused_until: Time,
    last_good: Time,
    patience: Span,
    coin: Coin,
}

impl Flow {
    /// Congested rounds in a row.
    #[must_use]
    pub fn congested_rounds(&self) -> u32 {
        self.congested_rounds
    }
}

impl Plb {
    /// PLB with these parameters.
    ///
    /// # Errors
    /// If a parameter is out of bounds, or the patience's bounds are crossed.
    pub fn new(params: &Params) -> Result<Self, ParamError<'static>> {
        params.check()?;
        not_above("min_patience", params.min_patience, "max_patience", params.max_patience)?;
        Ok(Self { params: *params })
    }

    /// A flow begins; its draws follow from `seed`.
    #[must_use]
    pub fn start(&self, now: Time, seed: u64) -> Flow {
        Flow {
            round: Round::default(),
            acked: 0,
            congested: 0,
            congested_rounds: 0,
            paused_until: Time::ZERO,
            last_good: now,
            patience: self.params.first_patience,
            coin: Coin::new(seed),
        }
    }

    /// An ack arrived, and this is how the law judges it.
    pub fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>, sample: Sample) -> Move {
        match self.params.rule {
            Rule::Rounds => self.count(flow, ack, sample),
            Rule::LastGood => self.watch(flow, ack, sample),
        }
    }

    /// The retransmission timer expired.
    pub fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Move {
        flow.congested_rounds = 0;
        let pause = self.params.pause.saturating_scale(1.0 + flow.coin.unit());
        flow.paused_until = timeout.now.saturating_add(pause);
        if self.params.move_on_timeout { Move::Repath } else { Move::Stay }
    }

    fn count(&self, flow: &mut Flow, ack: &Ack<'_>, sample: Sample) -> Move {
        flow.acked = flow.acked.saturating_add(ack.acked.get());
        if sample == Sample::Congested {
            flow.congested = flow.congested.saturating_add(ack.acked.get());
        }
        let closed = flow.round.on_ack(ack) == RoundEvent::Closed;
        if closed {
            self.judge_round(flow);
        }
        let rounds = flow.congested_rounds;
        let forced = closed && rounds >= self.params.forced_rounds;
        let idle =
            self.params.idle_rounds > 0 && ack.in_flight.get() == 0 && rounds >= self.params.idle_rounds;
        if (forced || idle) && ack.now >= flow.paused_until {
            flow.congested_rounds = 0;
            return Move::Repath;
        }
        Move::Stay
    }

    fn judge_round(&self, flow: &mut Flow) {
        // A round without delivery says nothing.
        if flow.acked > 0 {
            let share = flow.congested as f64 / flow.acked as f64;
            flow.congested_rounds = if share >= self.params.congested_share {
                (flow.congested_rounds + 1).min(self.params.forced_rounds)
            } else {
                0
            };
        }
        flow.acked = 0;
        flow.congested = 0;
    }

    fn watch(&self, flow: &mut Flow, ack: &Ack<'_>, sample: Sample) -> Move {
        if sample == Sample::Clear {
            let Params { min_patience, max_patience, .. } = self.params;
            let round_trips = min_patience + (max_patience - min_patience) * flow.coin.unit();
            flow.last_good = ack.now;
            flow.patience = ack.rtt.saturating_scale(round_trips);
            return Move::Stay;
        }
        if ack.now.saturating_since(flow.last_good) > flow.patience && ack.now >= flow.paused_until {
            flow.last_good = ack.now;
            return Move::Repath;
        }
        Move::Stay
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::params::Value;
    use plimsoll_units::Bytes;
    use std::string::ToString;
    use std::vec::Vec;

    const PACKET: u64 = 1_000;

    /// Four packets per round trip of 10 µs.
    struct Driver {
        plb: Plb,
        flow: Flow,
        now: Time,
        acked_to: u64,
    }

    impl Driver {
        fn new(params: &Params, seed: u64) -> Self {
            let plb = Plb::new(params).unwrap();
            let mut driver = Self { plb, flow: plb.start(Time::ZERO, seed), now: Time::ZERO, acked_to: 0 };
            // The first ack opens the first round.
            driver.ack(Sample::Clear, 4);
            driver.flow = Flow { acked: 0, ..driver.flow };
            driver
        }

        fn ack(&mut self, sample: Sample, in_flight: u64) -> Move {
            self.now += Span::from_ns(2_500);
            self.acked_to += PACKET;
            let ack = Ack {
                now: self.now,
                rtt: Span::from_us(10),
                acked: Bytes::new(PACKET),
                in_flight: Bytes::new(in_flight * PACKET),
                acked_to: Bytes::new(self.acked_to),
                sent_to: Bytes::new(self.acked_to + 3 * PACKET),
                ..Ack::default()
            };
            self.plb.on_ack(&mut self.flow, &ack, sample)
        }

        /// A round trip in which so many of the four packets met congestion.
        fn round(&mut self, congested: u64) -> Move {
            let moves: Vec<Move> = (0..4)
                .map(|packet| if packet < congested { Sample::Congested } else { Sample::Clear })
                .map(|sample| self.ack(sample, 4))
                .collect();
            assert!(moves[..3].iter().all(|&one| one == Move::Stay), "only a round's end moves a busy flow");
            moves[3]
        }

        fn timeout(&mut self) -> Move {
            self.plb.on_timeout(&mut self.flow, &Timeout { now: self.now, ..Timeout::default() })
        }
    }

    #[test]
    fn a_busy_flow_moves_after_twelve_congested_rounds() {
        let mut driver = Driver::new(&Params::linux(), 1);
        for round in 1..12 {
            assert_eq!(driver.round(2), Move::Stay, "round {round}: half is congested");
            assert_eq!(driver.flow.congested_rounds(), round);
        }
        assert_eq!(driver.round(4), Move::Repath);
        assert_eq!(driver.flow.congested_rounds(), 0, "the new path begins with a clean slate");
        assert_eq!(driver.round(4), Move::Stay);
    }

    #[test]
    fn one_clear_round_begins_anew() {
        let mut driver = Driver::new(&Params::linux(), 1);
        for _ in 0..11 {
            driver.round(4);
        }
        assert_eq!(driver.round(1), Move::Stay, "a quarter is less than half");
        assert_eq!(driver.flow.congested_rounds(), 0);
        for _ in 0..11 {
            assert_eq!(driver.round(4), Move::Stay);
        }
        assert_eq!(driver.round(4), Move::Repath);
    }

    #[test]
    fn an_idle_flow_moves_after_three() {
        let mut early = Driver::new(&Params::linux(), 1);
        early.round(4);
        early.round(4);
        assert_eq!(early.ack(Sample::Clear, 0), Move::Stay, "two are not enough");

        let mut driver = Driver::new(&Params::linux(), 1);
        for _ in 0..3 {
            assert_eq!(driver.round(4), Move::Stay);
        }
        assert_eq!(driver.ack(Sample::Clear, 1), Move::Stay, "a packet is still in flight");
        assert_eq!(driver.ack(Sample::Clear, 0), Move::Repath);

        let mut never = Driver::new(&Params { idle_rounds: 0, ..Params::linux() }, 1);
        for _ in 0..11 {
            never.round(4);
        }
        assert_eq!(never.ack(Sample::Congested, 0), Move::Stay, "switched off");
    }

    #[test]
    fn after_a_timeout_a_flow_stays_for_one_to_two_pauses() {
        let params = Params { pause: Span::from_us(600), ..Params::linux() };
        let mut ends = Vec::new();
        for seed in 0..200 {
            let mut driver = Driver::new(&params, seed);
            for _ in 0..11 {
                driver.round(4);
            }
            assert_eq!(driver.timeout(), Move::Repath, "the timeout itself moves");
            assert_eq!(driver.flow.congested_rounds(), 0);
            let begin = driver.now;
            while driver.round(4) == Move::Stay {}
            ends.push(driver.now.saturating_since(begin).as_us_f64());
        }
        // Rounds last 10 µs, so an end is seen up to 10 µs late. uniform(600, 1200): mean 900,
        // standard error 173/√200 = 12.
        assert!(ends.iter().all(|end| (600.0..=1_210.0).contains(end)), "{ends:?}");
        let mean = ends.iter().sum::<f64>() / 200.0;
        assert!((860.0..950.0).contains(&mean), "{mean}");
        let paused_until = |seed| {
            let mut driver = Driver::new(&params, seed);
            driver.timeout();
            driver.flow.paused_until
        };
        assert_eq!(paused_until(7), paused_until(7), "the same seed, the same draw");
        assert_ne!(paused_until(7), paused_until(8));
    }

    #[test]
    fn a_round_without_delivery_says_nothing() {
        let mut driver = Driver::new(&Params::linux(), 1);
        driver.round(4);
        let duplicate = Ack { acked_to: Bytes::new(1_000_000), sent_to: Bytes::new(1), ..Ack::default() };
        driver.plb.on_ack(&mut driver.flow, &Ack { in_flight: Bytes::new(1), ..duplicate }, Sample::Clear);
        assert_eq!(driver.flow.congested_rounds(), 1);
    }

    #[test]
    fn htsim_moves_after_five_to_seven_round_trips_without_a_good_delay() {
        let mut waits = Vec::new();
        for seed in 0..200 {
            let mut driver = Driver::new(&Params::htsim(), seed);
            driver.ack(Sample::Clear, 4);
            let good = driver.now;
            while driver.ack(Sample::Congested, 4) == Move::Stay {}
            waits.push(driver.now.saturating_since(good).as_us_f64());
            // Then it waits as long again, with the same draw.
            let moved = driver.now;
            while driver.ack(Sample::Congested, 4) == Move::Stay {}
            let again = driver.now.saturating_since(moved).as_us_f64();
            assert!((again - waits[waits.len() - 1]).abs() < 0.001);
            assert_eq!(driver.timeout(), Move::Stay);
        }
        assert!(waits.iter().all(|wait| (50.0..=72.5).contains(wait)), "{waits:?}");
        let mean = waits.iter().sum::<f64>() / 200.0;
        assert!((59.0..63.5).contains(&mean), "60 and up to an ack later: {mean}");
    }

    #[test]
    fn a_good_delay_restarts_htsim_s_patience() {
        let mut driver = Driver::new(&Params::htsim(), 3);
        for _ in 0..100 {
            // 19 · 2.5 µs = 47.5 µs are less than five round trips.
            for _ in 0..19 {
                assert_eq!(driver.ack(Sample::Congested, 4), Move::Stay);
            }
            assert_eq!(driver.ack(Sample::Clear, 4), Move::Stay);
        }
    }

    #[test]
    fn before_the_first_good_delay_htsim_waits_a_second() {
        let plb = Plb::new(&Params::htsim()).unwrap();
        let mut flow = plb.start(Time::ZERO, 1);
        let at = |now| Ack { now: Time::ZERO + now, rtt: Span::from_us(10), ..Ack::default() };
        assert_eq!(plb.on_ack(&mut flow, &at(Span::from_s(1)), Sample::Congested), Move::Stay);
        let later = Span::from_s(1) + Span::from_ps(1);
        assert_eq!(plb.on_ack(&mut flow, &at(later), Sample::Congested), Move::Repath);
    }

    #[test]
    fn presets_have_the_published_numbers() {
        let linux = Params::linux();
        assert_eq!((linux.idle_rounds, linux.forced_rounds, linux.pause), (3, 12, Span::from_s(60)));
        assert!((linux.congested_share - 128.0 / 256.0).abs() < f64::EPSILON);
        assert_eq!(Params::htsim().rule, Rule::LastGood);
        assert_eq!(Params::PRESETS.len(), 2);
    }

    #[test]
    fn parameters_are_refused_by_name() {
        let mut params = Params::linux();
        let error = params.set("congested_share", Value::Float(1.5)).unwrap_err().to_string();
        assert_eq!(error, "`congested_share = 1.5` is out of bounds; it must be a number from 0.0 to 1.0");
        let crossed = Params { min_patience: 8.0, ..Params::htsim() };
        let error = Plb::new(&crossed).unwrap_err().to_string();
        assert_eq!(error, "`min_patience = 8.0` must not exceed `max_patience = 7.0`");
        let outside = Params { forced_rounds: 0, ..Params::linux() };
        assert_eq!(Plb::new(&outside).unwrap_err().key(), "forced_rounds");
    }

    #[test]
    fn absurd_events_are_survived() {
        for params in [Params::linux(), Params::htsim(), Params { congested_share: 0.0, ..Params::linux() }] {
            let plb = Plb::new(&params).unwrap();
            let mut flow = plb.start(Time::NEVER, 0);
            for now in [Time::ZERO, Time::NEVER, Time::ZERO] {
                for acked in [0, u64::MAX, u64::MAX] {
                    let ack = Ack {
                        now,
                        rtt: Span::MAX,
                        acked: Bytes::new(acked),
                        acked_to: Bytes::new(acked),
                        sent_to: Bytes::new(acked / 2),
                        ..Ack::default()
                    };
                    plb.on_ack(&mut flow, &ack, Sample::Congested);
                    plb.on_ack(&mut flow, &ack, Sample::Clear);
                }
                plb.on_timeout(&mut flow, &Timeout { now, ..Timeout::default() });
                assert!(flow.congested_rounds() <= 12);
            }
        }
    }
}
