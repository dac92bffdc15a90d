//! CoDel, RED and PLB against parameters at the edges of their bounds and numbers that no network
//! would send: nothing panics, and what must hold of every answer holds.

use plimsoll_cc::codel::{self, CoDel, Dequeued};
use plimsoll_cc::params::ParamError;
use plimsoll_cc::plb::{self, Move, Plb, Sample};
use plimsoll_cc::red::{self, Red};
use plimsoll_cc::{Ack, Timeout, Verdict};
use plimsoll_units::{Bytes, Rate, Span, Time};
use proptest::prelude::*;

/// Numbers as they come, and the edges.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0_u64..100_000, 0_u64..1_000_000_000, any::<u64>()]
}

fn span() -> impl Strategy<Value = Span> {
    number().prop_map(Span::from_ps)
}

fn bytes() -> impl Strategy<Value = Bytes> {
    number().prop_map(Bytes::new)
}

/// Any time: neither packets nor acks need come in order.
fn time() -> impl Strategy<Value = Time> {
    number().prop_map(Time::from_ps)
}

/// A refusal names two parameters that contradict each other; all values are within their bounds.
fn built<T>(result: Result<T, ParamError<'static>>) -> Option<T> {
    match result {
        Ok(built) => Some(built),
        Err(error) => {
            assert!(matches!(error, ParamError::Contradiction { .. }), "{error}");
            None
        }
    }
}

fn codel_params() -> impl Strategy<Value = codel::Params> {
    let span = || prop_oneof![Just(1_000), 1_000_u64..10_000_000_000, Just(100_000_000_000_000)];
    let mtu = prop_oneof![Just(0), Just(1_500), Just(10_000_000)];
    let signal = prop_oneof![Just(codel::Signal::Mark), Just(codel::Signal::Drop)];
    (span(), span(), mtu, signal).prop_map(|(target, interval, mtu, signal)| codel::Params {
        target: Span::from_ps(target),
        interval: Span::from_ps(interval),
        mtu: Bytes::new(mtu),
        signal,
    })
}

fn red_params() -> impl Strategy<Value = red::Params> {
    let size = || proptest::option::of((0_u64..=1_000_000_000_000).prop_map(Bytes::new));
    let rule = prop_oneof![Just(red::Rule::Dcqcn), Just(red::Rule::Dctcp)];
    let pmax = proptest::option::of(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]);
    (rule, size(), size(), pmax).prop_map(|(rule, kmin, kmax, pmax)| red::Params { rule, kmin, kmax, pmax })
}

fn plb_params() -> impl Strategy<Value = plb::Params> {
    let rule = prop_oneof![Just(plb::Rule::Rounds), Just(plb::Rule::LastGood)];
    let count = || prop_oneof![1_u32..20, Just(1_000_000)];
    let patience = || prop_oneof![Just(0.0), 0.0..10.0, Just(1e6)];
    let pause = prop_oneof![Just(0_u64), 0_u64..1_000_000_000, Just(100_000_000_000_000_000)];
    (rule, 0_u32..20, count(), 0.0..=1.0, pause, any::<bool>(), patience(), patience()).prop_map(
        |(rule, idle_rounds, forced_rounds, share, pause, move_on_timeout, min_patience, max_patience)| {
            plb::Params {
                rule,
                idle_rounds,
                forced_rounds,
                congested_share: share,
                pause: Span::from_ps(pause),
                move_on_timeout,
                min_patience,
                max_patience,
                ..plb::Params::linux()
            }
        },
    )
}

#[derive(Clone, Copy, Debug)]
enum PlbEvent {
    Ack { ack: Ack<'static>, sample: Sample },
    Timeout(Time),
}

fn plb_event() -> impl Strategy<Value = PlbEvent> {
    let amounts = (bytes(), bytes(), bytes(), bytes());
    let ack = (time(), span(), amounts, any::<bool>()).prop_map(
        |(now, rtt, (acked, in_flight, acked_to, sent_to), congested)| PlbEvent::Ack {
            ack: Ack { now, rtt, acked, in_flight, acked_to, sent_to, ..Ack::default() },
            sample: if congested { Sample::Congested } else { Sample::Clear },
        },
    );
    prop_oneof![6 => ack, 1 => time().prop_map(PlbEvent::Timeout)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..Default::default() })]

    #[test]
    fn codel_signals_only_what_waited_too_long_and_only_as_it_is_set(
        params in codel_params(),
        packets in proptest::collection::vec((time(), span(), bytes(), 0_u8..10), 0..200),
    ) {
        let Some(codel) = built(CoDel::new(&params)) else { return Ok(()) };
        let mut queue = codel::Queue::default();
        let mut signals = 0;
        for (now, sojourn, backlog, empty) in packets {
            if empty == 0 {
                codel.on_empty(&mut queue);
            }
            let verdict = codel.on_dequeue(&mut queue, &Dequeued { now, sojourn, backlog });
            if verdict == Verdict::Pass {
                continue;
            }
            signals += 1;
            let wanted = if params.signal == codel::Signal::Mark { Verdict::Mark } else { Verdict::Drop };
            prop_assert_eq!(verdict, wanted);
            prop_assert!(sojourn >= params.target && backlog > params.mtu, "{} with {}", sojourn, backlog);
            prop_assert!(queue.count() <= signals, "{} of {} signals", queue.count(), signals);
        }
    }

    #[test]
    fn reds_probability_lies_between_zero_and_one_and_grows_with_the_queue(
        params in red_params(),
        link in number(),
        mut queues in proptest::collection::vec(bytes(), 1..50),
        coin in prop_oneof![0.0..1.0, Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(-1.0)],
    ) {
        let Some(red) = built(Red::new(&params, Rate::from_bps(link))) else { return Ok(()) };
        queues.sort_unstable();
        let mut smaller = 0.0;
        for queue in queues {
            let probability = red.probability(queue);
            prop_assert!((0.0..=1.0).contains(&probability) && probability >= smaller, "{}", probability);
            smaller = probability;
            let verdict = red.verdict(queue, coin);
            prop_assert_ne!(verdict, Verdict::Drop);
            if (0.0..1.0).contains(&coin) {
                prop_assert_eq!(verdict == Verdict::Mark, coin < probability);
            }
            if !red.needs_coin(queue) {
                prop_assert!(probability == 0.0 || probability == 1.0);
                prop_assert_eq!(verdict == Verdict::Mark, red.verdict(queue, 0.5) == Verdict::Mark);
            }
        }
    }

    #[test]
    fn plb_counts_no_further_than_it_must_and_stays_while_it_pauses(
        params in plb_params(),
        seed in any::<u64>(),
        start in time(),
        events in proptest::collection::vec(plb_event(), 0..100),
    ) {
        let Some(plb) = built(Plb::new(&params)) else { return Ok(()) };
        let mut flow = plb.start(start, seed);
        let mut paused_until = Time::ZERO;
        for event in events {
            match event {
                PlbEvent::Ack { ack, sample } => {
                    if plb.on_ack(&mut flow, &ack, sample) == Move::Repath {
                        prop_assert!(ack.now >= paused_until, "{} before {}", ack.now, paused_until);
                        prop_assert_eq!(flow.congested_rounds(), 0);
                    }
                }
                PlbEvent::Timeout(now) => {
                    let moved = plb.on_timeout(&mut flow, &Timeout { now, ..Timeout::default() });
                    prop_assert_eq!(moved == Move::Repath, params.move_on_timeout);
                    paused_until = now.saturating_add(params.pause);
                }
            }
            prop_assert!(flow.congested_rounds() <= params.forced_rounds);
        }
    }
}
