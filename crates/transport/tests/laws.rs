//! Every law of the registry, with every published parameter set, carries its data through fair
//! and foul weather in both kinds of transport.

mod harness;

use harness::{Run, Weather, host};
use plimsoll_cc::registry::{AnyParams, LAWS};
use plimsoll_cc::{CongestionControl, Signals};
use plimsoll_transport::{Config, EcnEcho, Stack};

/// Names of all laws and presets, as the command line has them.
fn every_law() -> Vec<String> {
    let mut names = Vec::new();
    for entry in LAWS {
        (entry.presets)(&mut |preset, _| names.push(format!("{}:{preset}", entry.name)));
    }
    names
}

/// Sends half a megabyte in three messages; gives how many packets were sent.
fn transfer(name: &str, config: Config, weather: Weather) -> u64 {
    let law = AnyParams::named(name).expect("it is listed").build(&host()).expect("it is published");
    let stack = Stack::new(law.name(), law, &host(), config, Signals::EVERY).expect("all is offered");
    let outcome = Run::new(&stack, weather, 42).transfer(&[1, 400_000, 100_000]);
    assert_eq!(outcome.failure, None, "{name}");
    assert!(outcome.counters.packets >= 501, "{name}: {:?}", outcome.counters);
    outcome.counters.packets
}

fn in_both_transports(weather: Weather, check: impl Fn(&str, u64)) {
    assert!(every_law().len() >= LAWS.len());
    for name in every_law() {
        for config in [Config::selective_repeat(), Config::rdma()] {
            for ecn in [EcnEcho::Accurate, EcnEcho::Classic, EcnEcho::Cnp] {
                check(&name, transfer(&name, Config { ecn, ..config }, weather));
            }
        }
    }
}

#[test]
fn every_law_delivers_its_data_and_repeats_nothing_in_fair_weather() {
    in_both_transports(Weather::FAIR, |name, packets| assert_eq!(packets, 501, "{name}"));
}

#[test]
fn every_law_delivers_its_data_in_a_storm() {
    in_both_transports(Weather::STORM, |name, packets| {
        assert!(packets < 50_000, "{name}: {packets} packets for 501");
    });
}

#[test]
fn laws_that_count_switches_or_watch_the_circuit_fly_the_same_course_as_bytes() {
    let needy: Vec<String> = every_law().into_iter().filter(|name| needs_count_or_circuit(name)).collect();
    for law in ["swift", "retcp"] {
        assert!(needy.iter().any(|name| name.starts_with(law)), "{needy:?}");
    }
    for name in needy {
        let run = |corruption| {
            let law = AnyParams::named(&name).expect("it is listed").build(&host()).expect("it is published");
            let network = Signals::HOP_COUNT | Signals::CIRCUIT;
            let stack = Stack::new(law.name(), law, &host(), Config::default(), network).expect("offered");
            let weather = Weather { data_loss: 0.01, corruption, ..Weather::FAIR };
            let outcome = Run::new(&stack, weather, 42).transfer(&[1, 400_000, 100_000]);
            assert_eq!(outcome.failure, None, "{name}");
            (outcome.end, outcome.counters, outcome.heard)
        };
        assert_eq!(run(Some(0.0)), run(None), "{name}");
    }
}

fn needs_count_or_circuit(name: &str) -> bool {
    let law = AnyParams::named(name).expect("it is listed").build(&host()).expect("it is published");
    law.needs().has(Signals::HOP_COUNT) || law.needs().has(Signals::CIRCUIT)
}

#[test]
fn every_law_gets_through_with_coalesced_acks() {
    for name in every_law() {
        let config = Config { ack_every: 8, ..Config::default() };
        transfer(&name, config, Weather::STORM);
    }
}
