//! Whatever the text: no panic. Whatever the law: what is written reads back to the same.

use plimsoll_cc::registry::{AnyParams, LAWS};
use plimsoll_scenario::{HostParams, Problems, Scenario};
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

#[test]
fn every_preset_of_every_law_survives_writing_and_reading() {
    for name in all_names() {
        let cc = AnyParams::named(&name).unwrap();
        for host in [HostParams::poseidon(), HostParams::powertcp(), HostParams::hpcc()] {
            let scenario = Scenario { host, cc };
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
        let by_key = parse(&format!("[cc]\nlaw = \"{law}\"\npreset = \"{preset}\"")).unwrap();
        let by_colon = parse(&format!("[cc]\nlaw = \"{name}\"")).unwrap();
        assert_eq!(by_key, by_colon);
        assert_eq!(by_key.cc, AnyParams::named(&name).unwrap());
    }
}

/// Keys and values as people write them, right and wrong.
const KEYS: &[&str] =
    &["law", "preset", "m", "p", "k", "max_rate", "min_rate", "nic_rate", "mtu", "base_rtt", "\"\"", "µ"];
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "\"poseidon\"", "\"nsdi23\"", "\"swift\"", "\"40us\"", "\"\"", "\"auto\"", "\"-1us\"", "\"µ\"",
    "0.25", "3", "-3", "inf", "nan", "1e999", "99999999999999999999", "0xff",
    "true", "[1]", "{ a = 1 }", "1979-05-27",
];

/// A line of a scenario.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        (prop::sample::select(KEYS), prop::sample::select(VALUES))
            .prop_map(|(key, value)| format!("{key} = {value}")),
        prop::sample::select(&["[cc]", "[host]", "[[cc]]", "[cc.m]", "[x]", "# µ", "", "cc.law = 1"][..])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_text_that_looks_like_a_scenario_panics(lines in prop::collection::vec(line(), 0..12)) {
        let text = lines.join("\n");
        match parse(&text) {
            Ok(scenario) => prop_assert_eq!(parse(&scenario.to_toml()), Ok(scenario)),
            Err(problems) => {
                prop_assert!(problems.iter().count() > 0);
                for problem in problems.iter() {
                    let place = text.lines().nth(problem.line - 1).unwrap_or("");
                    prop_assert_eq!(&problem.source_line, place);
                }
            }
        }
    }

    #[test]
    fn no_cut_of_a_good_text_panics(cut in 0_usize..2_000) {
        let good = Scenario { host: HostParams::poseidon(), cc: AnyParams::named("poseidon").unwrap() }.to_toml();
        let _ = parse(good.get(..cut.min(good.len())).unwrap_or(""));
    }
}
