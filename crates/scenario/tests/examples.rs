//! Every file in `scenarios/` is read, makes a network and a workload, and survives writing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_scenario::Scenario;
use std::path::PathBuf;

fn examples() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut examples: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    examples.sort();
    examples
}

fn parse(name: &str, text: &str) -> Scenario {
    Scenario::parse(name, text).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn all_examples_are_read_and_send_something() {
    let examples = examples();
    assert!(examples.len() >= 15, "{}", examples.len());
    for (name, text) in examples {
        let scenario = parse(&name, &text);
        assert_eq!(scenario.name, name);
        let network = scenario.network().unwrap();
        let workload = scenario.workload(&network, scenario.seed).unwrap();
        assert!(!workload.messages.is_empty(), "{name}");
        scenario.faults(&network).unwrap();
    }
}

#[test]
fn all_examples_survive_writing_and_reading() {
    for (name, text) in examples() {
        let scenario = parse(&name, &text);
        let written = scenario.to_toml();
        assert_eq!(parse(&name, &written), scenario, "{written}");
        // What is written is complete: nothing is left to derive.
        assert_eq!(parse(&name, &written).to_toml(), written);
    }
}

#[test]
fn the_two_published_fat_trees_have_their_published_sizes() {
    // hosts, switches, links, largest base round trip: topo_hpcc_fattree320.toml, topo_powertcp_256.toml.
    for (name, hosts, switches, links, rtt) in
        [("fat-tree-hadoop", 320, 56, 480, "12.24us"), ("powertcp-websearch", 256, 20, 288, "28.96us")]
    {
        let (_, text) = examples().into_iter().find(|(example, _)| example == name).unwrap();
        let scenario = parse(name, &text);
        let network = scenario.network().unwrap();
        assert_eq!((network.hosts, network.switches, network.links.len()), (hosts, switches, links));
        assert_eq!(scenario.host.base_rtt.unwrap(), rtt.parse().unwrap());
    }
}
