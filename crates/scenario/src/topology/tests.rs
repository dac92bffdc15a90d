use crate::network::Network;
use plimsoll_units::{Bytes, Rate, Span};

fn topology(lines: &str) -> Network {
    let text = format!("[cc]\nlaw = \"swift\"\n[topology]\n{lines}\n");
    crate::Scenario::parse("x", &text).unwrap_or_else(|problems| panic!("{problems}")).network().unwrap()
}

/// The nodes that a node is joined to, by name.
fn joined(network: &Network, name: &str) -> Vec<String> {
    let node = network.names.iter().position(|node| node == name).unwrap() as u32;
    let ports = 0..2 * network.links.len() as u32;
    let far = ports.filter(|&port| network.near_end(port) == node).map(|port| network.far_end(port));
    far.map(|node| network.name(node).to_owned()).collect()
}

fn base_rtt_us(network: &Network) -> f64 {
    network.longest(Bytes::new(1_000), Span::ZERO).unwrap().base_rtt.as_us_f64()
}

/// What all links of a node can carry, in Gb/s, to nodes whose names begin with `to`.
fn capacity(network: &Network, name: &str, to: &str) -> f64 {
    let node = network.names.iter().position(|node| node == name).unwrap() as u32;
    let ports = (0..2 * network.links.len() as u32).filter(|&port| network.near_end(port) == node);
    let to = ports.filter(|&port| network.name(network.far_end(port)).starts_with(to));
    to.map(|port| network.links[port as usize / 2].rate.as_gbps_f64()).sum()
}

#[test]
fn hpccs_fat_tree_is_wired_as_its_file_says() {
    let network = topology("kind = \"fat-tree\"\npreset = \"hpcc-320\"");
    assert_eq!((network.hosts, network.switches, network.links.len()), (320, 20 + 20 + 16, 320 + 80 + 80));
    // Host h is on ToR h / 16; ToRs see the four aggregation switches of their pod; the k-th of these sees
    // cores 4k to 4k + 3.
    assert_eq!(joined(&network, "h319"), ["tor19"]);
    let of_tor5: Vec<String> =
        joined(&network, "tor5").into_iter().filter(|name| name.starts_with("agg")).collect();
    assert_eq!(of_tor5, ["agg4", "agg5", "agg6", "agg7"]);
    let of_agg6: Vec<String> =
        joined(&network, "agg6").into_iter().filter(|name| name.starts_with("core")).collect();
    assert_eq!(of_agg6, ["core8", "core9", "core10", "core11"]);
    assert_eq!(joined(&network, "core8"), ["agg2", "agg6", "agg10", "agg14", "agg18"]);
    assert_eq!(base_rtt_us(&network), 12.24);
}

#[test]
fn powertcps_fat_tree_is_oversubscribed_four_to_one_at_the_tor() {
    let network = topology("kind = \"fat-tree\"\npreset = \"powertcp-256\"");
    assert_eq!((network.hosts, network.switches, network.links.len()), (256, 8 + 8 + 4, 288));
    assert_eq!((capacity(&network, "tor3", "h"), capacity(&network, "tor3", "agg")), (800.0, 200.0));
    assert_eq!((capacity(&network, "agg3", "tor"), capacity(&network, "agg3", "core")), (200.0, 200.0));
    // 2 · (1 + 1 + 5 + 5 + 1 + 1) + 2 · 0.32 + 4 · 0.08
    assert_eq!(base_rtt_us(&network), 28.96);
}

#[test]
fn fat_trees_of_alike_switches_have_k_cubed_over_four_hosts() {
    for (preset, k) in [("k8", 8_u32), ("k16", 16), ("k32", 32)] {
        let network = topology(&format!("kind = \"fat-tree\"\npreset = \"{preset}\""));
        assert_eq!((network.hosts, network.switches), (k * k * k / 4, 5 * k * k / 4));
        // All switches have k ports and all links the rate of hosts.
        let mut ports = vec![0; network.nodes() as usize];
        network.links.iter().flat_map(|link| link.ends).for_each(|end| ports[end as usize] += 1);
        assert!(ports[network.hosts as usize..].iter().all(|&count| count == k));
        assert!(network.links.iter().all(|link| link.rate == Rate::from_gbps(100)));
    }
}

#[test]
fn oversubscription_sets_the_rate_of_uplinks() {
    // 16 · 25 Gb/s over 4 spines: 100 Gb/s each at 1:1, 33.3 Gb/s at 3:1.
    let lines = "kind = \"leaf-spine\"\nhost_rate = \"25Gbps\"\nleaves = 3\n";
    assert_eq!(capacity(&topology(lines), "leaf2", "spine3"), 100.0);
    let three = topology(&format!("{lines}oversubscription = 3.0"));
    assert!((capacity(&three, "leaf0", "spine") / 133.333 - 1.0).abs() < 1e-4);
    // Poseidon's: 24 · 200 over 8 · 200 is 3:1.
    let poseidon = topology("kind = \"leaf-spine\"\npreset = \"poseidon-two-racks\"\noversubscription = 3.0");
    assert_eq!((poseidon.hosts, capacity(&poseidon, "leaf1", "spine")), (48, 1_600.0));
}

#[test]
fn several_links_may_join_a_leaf_and_a_spine() {
    let network = topology("kind = \"leaf-spine\"\nspines = 2\nlinks_per_spine = 3");
    assert_eq!(joined(&network, "spine1").len(), 4 * 3);
}

#[test]
fn in_a_parking_lot_pairs_span_their_part_of_the_row() {
    let network = topology("kind = \"parking-lot\"\nsegments = 3\nlong = 1\ncross = 2");
    assert_eq!((network.hosts, network.switches), (2 + 3 * 4, 4));
    assert_eq!(
        (joined(&network, "h0"), joined(&network, "h1")),
        (vec!["s0".to_owned()], vec!["s3".to_owned()])
    );
    // The second pair of the second link: hosts 2 + 4 + 2 and the next.
    assert_eq!(
        (joined(&network, "h8"), joined(&network, "h9")),
        (vec!["s1".to_owned()], vec!["s2".to_owned()])
    );
}

#[test]
fn a_dumbbell_has_one_link_between_its_sides() {
    let network = topology("kind = \"dumbbell\"\nleft = 3\nright = 2\nbottleneck_rate = \"40Gbps\"");
    assert_eq!((network.hosts, network.links.len()), (5, 6));
    assert_eq!(
        (joined(&network, "h2"), joined(&network, "h3")),
        (vec!["s0".to_owned()], vec!["s1".to_owned()])
    );
    assert_eq!(capacity(&network, "s0", "s1"), 40.0);
}

#[test]
fn a_graph_may_name_its_nodes_and_give_each_link_its_own_loss() {
    let network = topology(
        "kind = \"graph\"\nhosts = [\"web\", \"db\"]\nswitches = [\"tor\"]\nlinks = [{ between = [\"web\", \"tor\"] }, \
         { between = [\"tor\", \"db\"], rate = \"10Gbps\", delay = \"3us\", loss = 0.01 }]",
    );
    assert_eq!(network.names, ["web", "db", "tor"]);
    assert_eq!((network.links[1].rate, network.links[1].loss), (Rate::from_gbps(10), 0.01));
    assert_eq!(network.links[1].ends, [2, 1]);
}

#[test]
fn names_that_selections_could_not_tell_apart_are_refused() {
    let named = |name: &str| {
        let text = format!(
            "[cc]\nlaw = \"swift\"\n[topology]\nkind = \"graph\"\nhosts = [\"a\", \"{name}\"]\nswitches = 1\nlinks = []\n"
        );
        crate::Scenario::parse("x", &text).unwrap_err().to_string()
    };
    assert!(named("7").contains("it must begin with a letter"));
    assert!(named("x-y").contains("letters, digits, `_` and `.` only"));
    assert!(named("all").contains("selections use this word"));
    assert!(named("a").contains("two nodes are called `a`"));
}

#[test]
fn powertcps_rotor_has_300_pairs_of_racks_and_a_round_trip_of_24_us() {
    let network = topology("kind = \"rotor\"\npreset = \"powertcp-nsdi22\"");
    // 250 hosts' links, 25 to the packet network, 25 · 24 / 2 circuits.
    assert_eq!((network.hosts, network.switches, network.links.len()), (250, 26, 250 + 25 + 300));
    assert_eq!(joined(&network, "h249"), ["tor24"]);
    assert_eq!((capacity(&network, "tor3", "core"), capacity(&network, "tor3", "tor")), (25.0, 2_400.0));
    let circuits = network.circuits.as_ref().unwrap();
    assert_eq!(circuits.week(), Span::from_us(5_880));
    for (from, to) in [(0, 1), (1, 0), (24, 0), (7, 23)] {
        let port = circuits.port(from, to);
        let ends = [network.near_end(port), network.far_end(port)].map(|node| network.name(node).to_owned());
        assert_eq!(ends, [format!("tor{from}"), format!("tor{to}")]);
        assert!(circuits.is_circuit(port / 2) && !circuits.is_uplink(port / 2));
    }
    assert!(circuits.is_uplink(250) && circuits.is_uplink(274) && !circuits.is_uplink(249));
    // By the packet network: 2 · (1 + 4.5 + 4.5 + 1) + 4 · 0.32; by the circuit 2 · (1 + 9 + 1) + 2 · 0.32 + 0.08 = 22.72.
    assert_eq!(base_rtt_us(&network), 23.28);
}
