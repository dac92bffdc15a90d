//! Every law of the registry, with every published parameter set, carries its data through fair
//! and foul weather in both kinds of transport.

mod harness;

use harness::{Run, Weather, host};
use plimsoll_cc::Signals;
use plimsoll_cc::registry::{AnyParams, LAWS};
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
fn every_law_gets_through_with_coalesced_acks() {
    for name in every_law() {
        let config = Config { ack_every: 8, ..Config::default() };
        transfer(&name, config, Weather::STORM);
    }
}
