//! Whatever the text: no panic. Whatever the law: what is written reads back to the same.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_cc::registry::{AnyParams, LAWS};
use plimsoll_scenario::{Problems, Scenario};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Scenario, Problems> {
    Scenario::parse("x.toml", text)
}

/// Every law with every preset, as `law:preset`.
fn all_names() -> Vec<String> {
    let mut names = Vec::new();
    for law in LAWS {
        (law.presets)(&mut |preset, _| names.push(format!("{}:{preset}", law.name)));
    }
    names
}

/// reTCP needs circuits; all others run on what there is if nothing is said.
fn network_for(law: &str) -> &'static str {
    if law.starts_with("retcp") { "[topology]\nkind = \"rotor\"\n" } else { "" }
}

#[test]
fn every_preset_of_every_law_survives_writing_and_reading() {
    for name in all_names() {
        for host in ["poseidon", "powertcp", "hpcc", "rdma", "ethernet"] {
            let text = format!("[host]\npreset = \"{host}\"\n{}[cc]\nlaw = \"{name}\"", network_for(&name));
            let scenario = parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems}"));
            let text = scenario.to_toml();
            let read = parse(&text).unwrap_or_else(|problems| panic!("{name}\n{text}\n{problems}"));
            assert_eq!(read, scenario, "{name}\n{text}");
        }
    }
}

#[test]
fn a_preset_is_chosen_by_its_key_or_after_a_colon() {
    for name in all_names() {
        let (law, preset) = name.split_once(':').unwrap();
        let network = network_for(&name);
        let by_key = parse(&format!("{network}[cc]\nlaw = \"{law}\"\npreset = \"{preset}\"")).unwrap();
        let by_colon = parse(&format!("{network}[cc]\nlaw = \"{name}\"")).unwrap();
        assert_eq!(by_key, by_colon);
        assert_eq!(by_key.cc, AnyParams::named(&name).unwrap());
    }
}

/// Values as people write them, right and wrong. Times are short, so that no workload is large.
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "\"40us\"", "\"1ms\"", "\"1ps\"", "\"100Gbps\"", "\"1Mbps\"", "\"1000B\"", "\"64KB\"", "\"\"", "\"auto\"", "\"-1us\"", "\"µ\"",
    "0.25", "3", "1", "0", "-3", "inf", "nan", "1e999", "99999999999999999999", "0xff", "18446744073709551615",
    "true", "[1]", "[]", "[[1, 0.0], [9, 1.0]]", "{ a = 1 }", "1979-05-27", "\"all\"", "\"0-3\"", "\"3-0\"", "\"rack0\"", "\"rack9\"",
    "[0, \"h1\", \"rack1\"]", "\"s0>h1\"", "\"s0:h1\"", "\"leaf0:spine\"", "\"none\"", "\"hadoop\"", "\"x.csv\"",
    "[[0, 1, 1000, \"3us\"], [1, 0, 5, \"1us\"]]", "[{ between = [\"h0\", \"s0\"] }, { between = [\"h1\", \"s0\"] }]",
];
const CC: &str = "[cc]\nlaw = \"swift\"\n";

/// A value for a key that must be given.
fn needed(table: &str, key: &str) -> String {
    let value = match (table, key) {
        ("fault.rate", "rate") => "\"10Gbps\"",
        (_, "rate") => "\"1Gbps\"",
        ("topology.graph", "hosts") => "2",
        ("topology.graph", "switches") => "1",
        ("topology.graph", "links") => "[{ between = [\"h0\", \"s0\"] }, { between = [\"h1\", \"s0\"] }]",
        ("topology.graph.links", "between") => "[\"h0\", \"s0\"]",
        (_, "from") => "\"0-1\"",
        (_, "to") => "2",
        (_, "probability") => "0.5",
        (_, "flows") => "[[0, 1, 1000, \"3us\"]]",
        (_, "file") => "\"t.txt\"",
        _ => "\"all\"",
    };
    value.to_owned()
}

/// A table with its kind, and some of its keys with their defaults or anything else.
fn table() -> impl Strategy<Value = String> {
    let tables = plimsoll_scenario::explain::tables();
    prop::sample::select(tables).prop_flat_map(|table| {
        let keys: Vec<(String, Option<String>)> =
            table.keys.iter().map(|key| (key.key.to_owned(), key.default.clone())).collect();
        let header = match table.path.split_once('.') {
            _ if table.path == "scenario" => String::new(),
            _ if table.path == "switch.class" => "[[switch.class]]".to_owned(),
            _ if table.path == "topology.graph.links" => "[[topology.links]]".to_owned(),
            Some(("cc", law)) => format!("[cc]\nlaw = \"{law}\""),
            Some(("topology", kind)) => format!("[topology]\nkind = \"{kind}\""),
            Some((name @ ("traffic" | "fault"), kind)) => format!("[[{name}]]\nkind = \"{kind}\""),
            _ => format!("[{}]", table.path),
        };
        let count = keys.len();
        let line = prop_oneof![
            2 => Just(None),
            1 => prop::sample::select(VALUES).prop_map(Some),
        ];
        prop::collection::vec((0..count, line), 0..4).prop_map(move |chosen| {
            let mut lines = vec![header.clone()];
            let mut used = Vec::new();
            for (index, (key, _)) in keys.iter().enumerate().filter(|(_, key)| key.1.is_none()) {
                if !chosen.iter().any(|(other, value)| *other == index && value.is_some()) {
                    lines.push(format!("{key} = {}", needed(&table.path, key)));
                    used.push(index);
                }
            }
            for (index, value) in chosen {
                let (key, default) = &keys[index];
                let value = value.map(str::to_owned).or_else(|| default.clone());
                if let (Some(value), false) = (value, used.contains(&index)) {
                    lines.push(format!("{key} = {value}"));
                    used.push(index);
                }
            }
            lines.join("\n") + "\n"
        })
    })
}

fn must_hold(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(scenario) => {
            let written = scenario.to_toml();
            let read = parse(&written);
            prop_assert_eq!(read.as_ref().map_err(ToString::to_string), Ok(&scenario), "{}", written);
            let network = scenario.network().unwrap();
            prop_assert_eq!(network.check(), Ok(()));
            let workload = scenario.workload(&network, scenario.seed).unwrap();
            for message in &workload.messages {
                let connection = workload.connections[message.connection as usize];
                prop_assert!(connection.from < network.hosts && connection.to < network.hosts);
            }
            prop_assert!(scenario.faults(&network).is_ok());
        }
        Err(problems) => {
            prop_assert!(problems.iter().count() > 0);
            for problem in problems.iter() {
                let place = text.lines().nth(problem.line - 1).unwrap_or("");
                prop_assert_eq!(&problem.source_line, place);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_text_that_looks_like_a_scenario_panics(tables in prop::collection::vec(table(), 0..6)) {
        // Of tables that can be there once, the first stays; keys in front of all tables come first.
        let mut once: Vec<String> = Vec::new();
        for table in tables {
            let name = |table: &str| table.lines().next().unwrap_or("").to_owned();
            if table.starts_with("[[") || once.iter().all(|other| name(other) != name(&table)) {
                once.push(table);
            }
        }
        once.sort_by_key(|table| table.starts_with('['));
        let text = once.concat();
        must_hold(&if text.contains("[cc]") { text } else { format!("{text}{CC}") })?;
    }

    #[test]
    fn one_table_with_odd_values_is_refused_or_means_something(table in table()) {
        must_hold(&format!("{table}{}", if table.contains("[cc]") { "" } else { CC }))?;
    }

    #[test]
    fn no_cut_of_a_good_text_panics(cut in 0_usize..6_000) {
        let traffic = "[[traffic]]\nkind = \"poisson\"\n[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 0.5\n";
        let good = parse(&format!("{CC}{traffic}")).unwrap().to_toml();
        let _ = parse(good.get(..cut.min(good.len())).unwrap_or(""));
    }

    #[test]
    fn no_file_of_hpccs_panics(text in "[0-9 .a-zA-Z/\\n-]{0,200}") {
        let _ = plimsoll_scenario::hpcc::topology(&text);
        let _ = plimsoll_scenario::hpcc::flows(&text);
        let _ = plimsoll_scenario::hpcc::sizes(&text);
        let _ = plimsoll_scenario::hpcc::Config::parse(&text);
        let _ = text.parse::<plimsoll_scenario::sizes::Distribution>();
    }
}
