//! Which switches have INT.

use crate::error::Error;
use plimsoll_scenario::Network;
use plimsoll_scenario::select::Switches;
use std::collections::BTreeSet;

/// Switches, by their nodes.
pub(crate) type Set = BTreeSet<u32>;

/// Switches that are upgraded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) switches: Set,
}

/// The unit of this name: a switch, or all whose names differ in their numbers only.
pub(crate) fn named(network: &Network, name: &str) -> Result<Unit, Error> {
    let switches = Switches(vec![name.to_owned()])
        .resolve(network)
        .map_err(|refusal| Error::Refused(format!("--order: {}", refusal.message)))?;
    Ok(Unit { name: name.to_owned(), switches: switches.into_iter().collect() })
}

/// Each switch by itself.
pub(crate) fn switches(network: &Network) -> Vec<Unit> {
    let unit = |node: u32| Unit { name: network.name(node).to_owned(), switches: Set::from([node]) };
    (network.hosts..network.nodes()).map(unit).collect()
}

/// Switches whose names differ in their numbers only, those next to hosts first.
pub(crate) fn tiers(network: &Network) -> Vec<Unit> {
    let mut tiers: Vec<Unit> = Vec::new();
    for node in network.hosts..network.nodes() {
        let name = tier(network.name(node));
        match tiers.iter_mut().find(|tier| tier.name == name) {
            Some(tier) => {
                tier.switches.insert(node);
            }
            None => tiers.push(Unit { name: name.to_owned(), switches: Set::from([node]) }),
        }
    }
    let mut at_hosts = vec![false; network.nodes() as usize];
    for link in network.links.iter().filter(|link| link.ends.iter().any(|&end| end < network.hosts)) {
        link.ends.into_iter().for_each(|end| at_hosts[end as usize] = true);
    }
    tiers.sort_by_key(|tier| !tier.switches.iter().any(|&node| at_hosts[node as usize]));
    tiers
}

/// `leaf` of `leaf3`; a name that is all digits stays.
fn tier(name: &str) -> &str {
    match name.trim_end_matches(|last: char| last.is_ascii_digit()) {
        "" => name,
        tier => tier,
    }
}

/// The value of `switch.int_switches`, the same for the same set: whole tiers by their names.
pub(crate) fn text(network: &Network, set: &Set) -> String {
    if set.is_empty() {
        return "\"none\"".to_owned();
    }
    if set.len() == network.switches as usize {
        return "\"all\"".to_owned();
    }
    let mut names: Vec<String> = Vec::new();
    for tier in tiers(network) {
        let is_node = network.names.contains(&tier.name);
        if !is_node && tier.switches.len() > 1 && tier.switches.is_subset(set) {
            names.push(tier.name);
        } else {
            names.extend(tier.switches.intersection(set).map(|&node| network.name(node).to_owned()));
        }
    }
    // A text of JSON is one of TOML.
    format!(
        "[{}]",
        names.iter().map(|name| serde_json::json!(name).to_string()).collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_scenario::Scenario;

    /// Two leaves and two spines: hosts 0 to 3, leaf0 and leaf1 are 4 and 5, spine0 and spine1 are 6 and 7.
    fn network() -> Network {
        let text = "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 2\n\
                    [cc]\nlaw = \"poseidon\"\n";
        Scenario::parse("test", text).unwrap().network().unwrap()
    }

    #[test]
    fn tiers_begin_next_to_hosts() {
        let tiers = tiers(&network());
        assert_eq!(tiers.iter().map(|tier| tier.name.as_str()).collect::<Vec<_>>(), ["leaf", "spine"]);
        assert_eq!(tiers[1].switches, Set::from([6, 7]));
        assert_eq!(named(&network(), "leaf").unwrap().switches, Set::from([4, 5]));
    }

    #[test]
    fn a_set_has_one_text_and_the_scenario_reads_it_back() {
        let network = network();
        let text = |nodes: &[u32]| text(&network, &nodes.iter().copied().collect());
        assert_eq!(text(&[]), "\"none\"");
        assert_eq!(text(&[4, 5, 6, 7]), "\"all\"");
        assert_eq!(text(&[6, 4, 5]), r#"["leaf", "spine0"]"#);
        assert_eq!(text(&[7]), r#"["spine1"]"#);
    }

    #[test]
    fn a_switch_that_does_not_exist_has_a_near_match() {
        let error = named(&network(), "leav1").unwrap_err().to_string();
        assert!(error.contains("no switch `leav1`; did you mean `leaf1`?"), "{error}");
    }
}
