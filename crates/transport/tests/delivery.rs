//! Every byte is delivered exactly once and in order, or the connection fails loudly.

mod harness;

use harness::{Fixed, HOPS, HOPS_WITH_CIRCUIT, Outcome, Run, Weather, host};
use plimsoll_cc::{Configure, Signals, poseidon};
use plimsoll_transport::{Config, EcnEcho, Failure, LossReport, PendingSlot, Reliability, Stack, WindowRule};
use plimsoll_units::{Rate, Span};
use proptest::prelude::*;

fn any_config() -> impl Strategy<Value = Config> {
    (
        prop::sample::select(vec![Reliability::SelectiveRepeat, Reliability::GoBackN]),
        prop::sample::select(vec![WindowRule::Strict, WindowRule::Overshoot]),
        prop::sample::select(vec![PendingSlot::Retime, PendingSlot::Keep]),
        prop::sample::select(vec![EcnEcho::Off, EcnEcho::Accurate, EcnEcho::Classic, EcnEcho::Cnp]),
        prop::sample::select(vec![LossReport::Tell, LossReport::Silent]),
        (1_u32..20, 0_u64..100, 0_u64..1000, prop::sample::select(vec![1, 1000, 1_000_000])),
        (1_u32..6, 0_u32..100),
    )
        .prop_map(|(reliability, window_rule, pending_slot, ecn, loss_report, acks, reordering)| {
            Config {
                reliability,
                window_rule,
                pending_slot,
                ecn,
                loss_report,
                ack_every: acks.0,
                ack_delay: Span::from_us(acks.1),
                pacing_credit: Span::from_ns(acks.2),
                tick: Span::from_ps(acks.3),
                reordering: reordering.0,
                max_reordering: reordering.0 + reordering.1,
                // The worst weather lets a fifth of all packets and acks through: 200 failures in a
                // row do not happen.
                max_timeouts: 200,
                ..Config::default()
            }
        })
}

fn any_weather() -> impl Strategy<Value = Weather> {
    let corruption = prop::option::of(0.0..0.3);
    (0_u64..50, 0_u64..50, 0.0..0.3, 0.0..0.5, 0.0..0.2, 0.0..1.0, 0.0..1.0, corruption).prop_map(
        |(delay, jitter, data_loss, ack_loss, duplication, marking, reverse_marking, corruption)| Weather {
            delay: Span::from_us(delay),
            jitter: Span::from_us(jitter),
            data_loss,
            ack_loss,
            duplication,
            marking,
            reverse_marking,
            corruption,
        },
    )
}

/// Windows from a twentieth of a packet to more than a message.
fn any_window() -> impl Strategy<Value = f64> {
    prop_oneof![0.05..1.0, 1.0..5.0, 5.0..300.0]
}

fn any_messages() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![1_u64..10, 990_u64..1010, 1_u64..60_000], 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_transport_delivers_all_in_any_weather(
        config in any_config(),
        weather in any_weather(),
        window in any_window(),
        messages in any_messages(),
        seed in any::<u64>(),
    ) {
        let stack = Fixed::window(window).stack(config);
        let outcome = Run::new(&stack, weather, seed).transfer(&messages);
        prop_assert_eq!(outcome.failure, None);
    }

    #[test]
    fn no_matter_how_bad_the_weather_the_end_is_success_or_a_reason(
        config in any_config(),
        messages in any_messages(),
        data_loss in 0.3..1.0,
        ack_loss in 0.3..1.0,
        max_timeouts in 0_u32..4,
        seed in any::<u64>(),
    ) {
        let weather = Weather { data_loss, ack_loss, ..Weather::STORM };
        let stack = Fixed::window(20.0).stack(Config { max_timeouts, ..config });
        let outcome = Run::new(&stack, weather, seed).transfer(&messages);
        if let Some(Failure::TimedOut { timeouts, .. }) = outcome.failure {
            prop_assert_eq!(timeouts, max_timeouts + 1);
        }
    }

    #[test]
    fn poseidon_delivers_all_in_any_weather(
        config in any_config(),
        weather in any_weather(),
        messages in any_messages(),
        seed in any::<u64>(),
    ) {
        let law = poseidon::Poseidon::new(&poseidon::Params::nsdi23(), &host()).unwrap();
        let stack = Stack::new("poseidon", law, &host(), config, Signals::EVERY).unwrap();
        let outcome = Run::new(&stack, weather, seed).transfer(&messages);
        prop_assert_eq!(outcome.failure, None);
    }
}

/// One megabyte through a network, 10 packets at a time.
fn megabyte(config: Config, weather: Weather) -> Outcome {
    let outcome = Run::new(&Fixed::window(10.0).stack(config), weather, 7).transfer(&[1_000_000]);
    assert_eq!(outcome.failure, None);
    outcome
}

#[test]
fn a_dead_network_ends_the_connection_when_the_last_timeout_has_passed() {
    let dead = Weather { data_loss: 1.0, ..Weather::FAIR };
    let stack = Fixed::window(1.0).stack(Config { max_timeouts: 2, ..Config::default() });
    let outcome = Run::new(&stack, dead, 1).transfer(&[1000]);
    let Some(Failure::TimedOut { packet, timeouts, at }) = outcome.failure else { panic!("{outcome:?}") };
    // 1 + 2 + 4 ms.
    assert_eq!((packet.0, timeouts, at.since_start()), (0, 3, Span::from_ms(7)));
}

#[test]
fn a_fair_network_needs_no_repetition_and_one_ack_per_packet() {
    let outcome = megabyte(Config::default(), Weather::FAIR);
    assert_eq!((outcome.counters.packets, outcome.counters.repeated, outcome.acks), (1000, 0, 1000));
    // A window of 10 packets per round trip of 10 µs is 8 Gb/s of payload: the first 10 packets
    // leave 838.4 ns apart, each other 10 µs after the tenth before it. The last is number 999:
    // 99 · 10 µs + 9 · 838.4 ns, and its own round trip of 10 µs.
    assert_eq!(outcome.end.as_ps(), 99 * 10_000_000 + 9 * 838_400 + 10_000_000);
}

#[test]
fn coalescing_saves_acks_and_keeps_the_rest() {
    let outcome = megabyte(Config { ack_every: 4, ..Config::default() }, Weather::FAIR);
    assert_eq!((outcome.counters.packets, outcome.counters.repeated, outcome.acks), (1000, 0, 250));
}

#[test]
fn selective_repeat_repeats_only_what_was_lost() {
    let weather = Weather { data_loss: 0.01, ..Weather::FAIR };
    let outcome = megabyte(Config::default(), weather);
    let Outcome { counters, .. } = outcome;
    // Without reordering a packet is never thought lost that is not, except after a timeout.
    assert!(counters.repeated >= 3 && counters.repeated <= 30, "{counters:?}");
    let go_back = megabyte(Config::rdma(), weather);
    assert!(go_back.counters.repeated > 3 * counters.repeated, "{counters:?} {:?}", go_back.counters);
}

#[test]
fn damaged_packets_are_noticed_and_sent_again() {
    let weather = Weather { corruption: Some(0.02), ..Weather::FAIR };
    for config in [Config::default(), Config::rdma()] {
        let outcome = megabyte(config, weather);
        assert!(outcome.damaged >= 20, "{outcome:?}");
        assert!(outcome.counters.repeated > 0);
    }
}

#[test]
fn packets_as_bytes_and_packets_in_memory_take_the_same_course() {
    for config in [Config::default(), Config::rdma(), Config { ack_every: 4, ..Config::default() }] {
        let run = |corruption| {
            let outcome = megabyte(config, Weather { corruption, ..Weather::STORM });
            (outcome.end, outcome.counters, outcome.acks, outcome.heard)
        };
        let course = run(Some(0.0));
        assert_eq!(course, run(None));
        // Nothing was equal only because nobody said it.
        let heard = course.3;
        assert!(heard.circuit_up > 0 && heard.circuit_up < heard.acks, "{heard:?}");
        let without = (heard.acks - heard.circuit_up) * u64::from(HOPS);
        assert_eq!(heard.hops, without + heard.circuit_up * u64::from(HOPS_WITH_CIRCUIT));
        assert_eq!(heard.refused > 0, config.reliability == Reliability::GoBackN, "{heard:?}");
    }
}

#[test]
fn a_tick_of_a_nanosecond_shortens_every_gap_by_its_fraction() {
    let config = Config { tick: Span::from_ns(1), ..Config::default() };
    let outcome = megabyte(config, Weather::FAIR);
    // As above, with 838 ns instead of 838.4 ns between the first ten packets.
    assert_eq!(outcome.end.as_ps(), 99 * 10_000_000 + 9 * 838_000 + 10_000_000);
}

#[test]
fn a_threshold_that_adapts_repeats_less_under_reordering() {
    let weather = Weather { jitter: Span::from_us(20), ..Weather::FAIR };
    let fixed = megabyte(Config { max_reordering: 3, ..Config::default() }, weather);
    let adaptive = megabyte(Config::default(), weather);
    assert!(fixed.counters.repeated > 50, "{:?}", fixed.counters);
    assert!(adaptive.counters.repeated * 3 < fixed.counters.repeated, "{:?}", adaptive.counters);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| {
        let stack = Fixed::window(10.0).stack(Config::default());
        let outcome = Run::new(&stack, Weather::STORM, seed).transfer(&[100_000, 5, 50_000]);
        (outcome.end, outcome.counters, outcome.acks)
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn a_tenth_of_a_packet_per_round_trip_is_a_hundredth_of_the_line() {
    let outcome = Run::new(&Fixed::window(0.1).stack(Config::default()), Weather::FAIR, 1).transfer(&[5000]);
    // Packets leave 10 µs / 0.1 = 100 µs apart; the fifth leaves at 400 µs and is acked at 410.
    assert_eq!(outcome.end.since_start(), Span::from_us(410));
    assert_eq!(Fixed::window(0.1).0.pacing, Rate::from_bps(83_840_000));
}
