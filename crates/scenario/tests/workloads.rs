//! What traffic tables become: loads, sizes, order, hosts, and the dependencies of collectives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_scenario::{Message, Network, Scenario, Start, Workload};
use plimsoll_units::{Bytes, Span, Time};
use proptest::prelude::*;

/// The scenario, network and workload of a topology and its traffic.
fn workload(tables: &str) -> (Scenario, Network, Workload) {
    let text = format!("[cc]\nlaw = \"swift\"\n{tables}");
    let scenario = Scenario::parse("x", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let network = scenario.network().unwrap();
    let workload = scenario.workload(&network, scenario.seed).unwrap();
    check(&network, &workload);
    (scenario, network, workload)
}

/// What holds for every workload.
fn check(network: &Network, workload: &Workload) {
    let mut last = Time::ZERO;
    let mut waiting = false;
    for (index, message) in workload.messages.iter().enumerate() {
        let connection = workload.connections[message.connection as usize];
        assert!(
            connection.from < network.hosts
                && connection.to < network.hosts
                && connection.from != connection.to
        );
        assert!(usize::from(connection.group) < workload.groups.len());
        assert!(message.bytes > Bytes::ZERO);
        match message.start {
            Start::At(time) => {
                assert!(time >= last && !waiting, "message {index} is out of order");
                last = time;
            }
            Start::After { .. } | Start::AfterAll { .. } => waiting = true,
        }
        for &other in workload.dependencies(index) {
            // Either was received by this sender, or sent by it.
            let other = workload.connections[workload.messages[other as usize].connection as usize];
            assert!(other.to == connection.from || other.from == connection.from, "message {index}");
        }
    }
}

/// In how many steps all messages can be sent, each after those that it waits for; fails if there is a circle.
fn steps(workload: &Workload) -> usize {
    let mut step = vec![0_usize; workload.messages.len()];
    for round in 1.. {
        let mut open = false;
        for index in 0..step.len() {
            let ready =
                workload.dependencies(index).iter().all(|&other| (1..round).contains(&step[other as usize]));
            if step[index] == 0 {
                if ready {
                    step[index] = round;
                } else {
                    open = true;
                }
            }
        }
        if !open {
            break;
        }
        assert!(step.contains(&round), "messages wait for each other");
    }
    step.into_iter().max().unwrap()
}

fn seconds(message: &Message) -> f64 {
    match message.start {
        Start::At(time) => time.as_secs_f64(),
        _ => panic!("it waits for others"),
    }
}

fn bytes(workload: &Workload) -> f64 {
    workload.messages.iter().map(|message| message.bytes.as_f64()).sum()
}

const RACKS: &str = "[topology]\nkind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts_per_leaf = 8\n";

#[test]
fn poisson_traffic_has_its_load_and_its_mean_size() {
    // 32 hosts at 100 Gb/s and 40 % for 1 s: 1.28 Tb/s, 160 GB in 3.9 million flows of 40.9 KB.
    let tables = format!(
        "{RACKS}[[traffic]]\nkind = \"poisson\"\nsize = \"ali-storage\"\nload = 0.4\nstop = \"1s\"\n"
    );
    let (_, _, workload) = workload(&tables);
    let load = bytes(&workload) * 8.0 / (32.0 * 100e9);
    assert!((load / 0.4 - 1.0).abs() < 0.02, "{load}");
    let mean = bytes(&workload) / workload.messages.len() as f64;
    assert!((mean / 40_869.8 - 1.0).abs() < 0.01, "{mean}");
    // Each host sends and receives its part: 122,000 flows each, 2 % is seven standard deviations.
    let mut sent = [0_f64; 32];
    let mut received = [0_f64; 32];
    for connection in &workload.connections {
        sent[connection.from as usize] += 1.0;
        received[connection.to as usize] += 1.0;
    }
    let each = workload.connections.len() as f64 / 32.0;
    for host in 0..32 {
        assert!((sent[host] / each - 1.0).abs() < 0.02 && (received[host] / each - 1.0).abs() < 0.02);
    }
    // Gaps between arrivals of all hosts are exponential: as large a standard deviation as mean.
    let gaps: Vec<f64> =
        workload.messages.windows(2).map(|two| seconds(&two[1]) - seconds(&two[0])).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
    assert!((variance.sqrt() / mean - 1.0).abs() < 0.01);
}

#[test]
fn a_load_of_rack_uplinks_fills_them_to_that_share() {
    // PowerTCP's cluster: 8 racks with 2 uplinks of 100 Gb/s; 60 % of 200 Gb/s is 120 Gb/s per rack.
    let tables = "[topology]\nkind = \"fat-tree\"\npreset = \"powertcp-256\"\n[[traffic]]\nkind = \"poisson\"\n\
                  size = \"hadoop\"\nload = 0.6\nload_of = \"rack-uplinks\"\ndestinations = \"other-racks\"\nstop = \"300ms\"\n";
    let (_, network, workload) = workload(tables);
    let racks = network.racks();
    let mut sent = vec![0.0; racks.node.len()];
    for message in &workload.messages {
        let connection = workload.connections[message.connection as usize];
        let (from, to) = (racks.of_host[connection.from as usize], racks.of_host[connection.to as usize]);
        assert_ne!(from, to);
        sent[from as usize] += message.bytes.as_f64() * 8.0 / 0.3;
    }
    let all: f64 = sent.iter().sum();
    assert!((all / (8.0 * 120e9) - 1.0).abs() < 0.02, "{all}");
    // 37,000 flows per rack with a standard deviation of about five means each: 2.6 %.
    assert!(sent.iter().all(|bits| (bits / 120e9 - 1.0).abs() < 0.1), "{sent:?}");
}

#[test]
fn messages_use_one_connection_per_pair_and_have_their_rate() {
    let tables = format!(
        "{RACKS}[[traffic]]\nkind = \"messages\"\nfrom = \"rack0\"\nto = \"rack1\"\nsize = \"128KiB\"\nrate = \"300Gbps\"\nstop = \"100ms\"\n"
    );
    let (_, _, workload) = workload(&tables);
    assert_eq!(workload.connections.len(), 64, "8 · 8 pairs");
    let rate = bytes(&workload) * 8.0 / 0.1;
    // 28,600 messages: standard deviation 0.6 %.
    assert!((rate / 300e9 - 1.0).abs() < 0.02, "{rate}");
}

#[test]
fn staggered_incast_starts_two_flows_every_20_us() {
    let tables = "[topology]\nkind = \"single-switch\"\n[[traffic]]\nkind = \"incast\"\nto = 16\nbatch = 2\ngap = \"20us\"\n";
    let (_, _, workload) = workload(tables);
    let starts: Vec<u64> =
        workload.messages.iter().map(|message| (seconds(message) * 1e6).round() as u64).collect();
    assert_eq!(starts, [0, 0, 20, 20, 40, 40, 60, 60, 80, 80, 100, 100, 120, 120, 140, 140]);
    let from: Vec<u32> = workload.connections.iter().map(|connection| connection.from).collect();
    assert_eq!(from, (0..16).collect::<Vec<_>>());
    assert!(workload.messages.iter().all(|message| message.bytes == Bytes::from_mb(1)));
}

#[test]
fn long_flows_stop_at_the_end_of_their_lives_and_at_the_latest_at_stop() {
    let tables = "[topology]\nkind = \"dumbbell\"\nleft = 4\nright = 1\n[[traffic]]\nkind = \"flows\"\nfrom = \"0-3\"\nto = 4\n\
                  gap = \"100ms\"\nlifetime = \"400ms\"\nstop = \"650ms\"\n";
    let (_, _, workload) = workload(tables);
    let stops: Vec<u64> =
        workload.connections.iter().map(|connection| connection.stop.as_ps() / 1_000_000_000).collect();
    assert_eq!(stops, [400, 500, 600, 650]);
    assert!(workload.messages.iter().all(|message| message.bytes == Message::UNBOUNDED));
}

#[test]
fn rotating_incast_turns_to_the_next_host_when_all_have_sent_one_message() {
    // 131,072 B at 500 Mb/s is a round of 2.097152 ms.
    let tables = format!(
        "{RACKS}[[traffic]]\nkind = \"rotating-incast\"\nfrom = \"8-17\"\nto = \"0-3\"\nstop = \"10ms\"\n"
    );
    let (_, _, workload) = workload(&tables);
    for message in &workload.messages {
        let connection = workload.connections[message.connection as usize];
        // Sender i is at most one round late, so in round r it sends to host r mod 4.
        let first = workload
            .messages
            .iter()
            .find(|other| workload.connections[other.connection as usize].from == connection.from);
        let round = ((seconds(message) - seconds(first.unwrap())) / 2.097_152e-3).round() as u32;
        assert_eq!(connection.to, round % 4);
    }
    // 10 ms are 4.77 rounds: each sender sends 4 or 5 messages.
    assert!((40..=50).contains(&workload.messages.len()), "{}", workload.messages.len());
}

#[test]
fn queries_are_answered_by_ten_hosts_of_one_other_rack_at_once() {
    let tables = "[topology]\nkind = \"fat-tree\"\npreset = \"powertcp-256\"\n[[traffic]]\nkind = \"query-incast\"\n\
                  queries_per_second = 100.0\nstop = \"100ms\"\n";
    let (_, network, workload) = workload(tables);
    let racks = network.racks();
    assert!(workload.messages.iter().all(|message| message.bytes == Bytes::from_kb(200)));
    // 256 hosts · 100 per second · 0.1 s = 2560 queries, standard deviation 51.
    let queries = workload.connections.len() / 10;
    assert!((2_350..2_770).contains(&queries), "{queries}");
    for answers in workload.connections.chunks(10) {
        let rack = racks.of_host[answers[0].from as usize];
        assert!(
            answers
                .iter()
                .all(|answer| answer.to == answers[0].to && racks.of_host[answer.from as usize] == rack)
        );
        assert_ne!(racks.of_host[answers[0].to as usize], rack);
        let mut from: Vec<u32> = answers.iter().map(|answer| answer.from).collect();
        from.sort_unstable();
        from.dedup();
        assert_eq!(from.len(), 10, "each answers once");
    }
}

#[test]
fn in_a_permutation_each_host_sends_once_and_receives_once() {
    let (_, _, workload) = workload(&format!("{RACKS}[[traffic]]\nkind = \"permutation\"\nsize = \"1MB\"\n"));
    let mut from: Vec<u32> = workload.connections.iter().map(|connection| connection.from).collect();
    let mut to: Vec<u32> = workload.connections.iter().map(|connection| connection.to).collect();
    from.sort_unstable();
    to.sort_unstable();
    assert_eq!(from, (0..32).collect::<Vec<_>>());
    assert_eq!(to, from);
}

#[test]
fn in_an_all_to_all_each_sends_to_each_other_once() {
    for (schedule, rounds) in [("at-once", 1), ("rounds", 7)] {
        let tables = format!(
            "{RACKS}[[traffic]]\nkind = \"all-to-all\"\nhosts = \"0-7\"\nschedule = \"{schedule}\"\n"
        );
        let (_, _, workload) = workload(&tables);
        let mut pairs: Vec<(u32, u32)> = workload.connections.iter().map(|c| (c.from, c.to)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 8 * 7);
        assert_eq!(steps(&workload), rounds);
    }
}

#[test]
fn a_ring_all_reduce_moves_what_the_formula_says_in_as_many_steps() {
    // n hosts: 2 (n − 1) steps of n messages of size / n.
    let tables = format!(
        "{RACKS}[[traffic]]\nkind = \"all-reduce\"\nhosts = \"0-7\"\nsize = \"8MB\"\niterations = 3\ncompute = \"5us\"\n"
    );
    let (_, _, workload) = workload(&tables);
    assert_eq!(workload.messages.len(), 3 * 14 * 8);
    assert_eq!(bytes(&workload), 3.0 * 14.0 * 8e6);
    assert_eq!(steps(&workload), 3 * 14);
    // Between iterations each host computes.
    let computing =
        |message: &&Message| matches!(message.start, Start::After { delay, .. } if delay == Span::from_us(5));
    assert_eq!(workload.messages.iter().filter(computing).count(), 2 * 8);
}

/// What each host's vector holds at the end: the set of hosts whose parts are in it. A ring is followed piece by
/// piece; in a tree, vectors are whole.
fn reduced_by_tree(workload: &Workload, hosts: usize) -> Vec<u64> {
    let mut order: Vec<usize> = (0..workload.messages.len()).collect();
    let mut holds: Vec<u64> = (0..hosts).map(|host| 1 << host).collect();
    let mut carried = vec![None; workload.messages.len()];
    while !order.is_empty() {
        let before = order.len();
        order.retain(|&index| {
            if workload.dependencies(index).iter().any(|&other| carried[other as usize].is_none()) {
                return true;
            }
            let connection = workload.connections[workload.messages[index].connection as usize];
            let vector = holds[connection.from as usize];
            carried[index] = Some(vector);
            holds[connection.to as usize] |= vector;
            false
        });
        assert!(order.len() < before, "messages wait for each other");
    }
    holds
}

#[test]
fn a_tree_all_reduce_brings_every_part_to_every_host() {
    for hosts in 2..=20_usize {
        let tables = format!(
            "[topology]\nkind = \"single-switch\"\nhosts = 20\n[[traffic]]\nkind = \"all-reduce\"\nalgorithm = \"tree\"\nhosts = \"0-{}\"\nsize = \"1MB\"\n",
            hosts - 1
        );
        let (_, _, workload) = workload(&tables);
        assert_eq!(workload.messages.len(), 2 * (hosts - 1));
        // Up and down a tree of ⌊log₂ n⌋ levels below the root.
        assert_eq!(steps(&workload), 2 * hosts.ilog2() as usize);
        assert_eq!(reduced_by_tree(&workload, hosts), vec![(1 << hosts) - 1; hosts]);
    }
}

#[test]
fn a_parent_in_the_tree_waits_for_both_children() {
    let tables = "[topology]\nkind = \"single-switch\"\nhosts = 7\n[[traffic]]\nkind = \"all-reduce\"\nalgorithm = \"tree\"\niterations = 2\ncompute = \"1us\"\n";
    let (_, _, workload) = workload(tables);
    assert_eq!(steps(&workload), 2 * 4);
    for (index, message) in workload.messages.iter().enumerate() {
        let connection = workload.connections[message.connection as usize];
        // Hosts 1 and 2 stand between the root and the leaves.
        let upwards = connection.to < connection.from;
        let expected = match (upwards, connection.from) {
            (true, 1 | 2) | (false, 0) => 2,
            (true, _) => usize::from(index >= 4),
            (false, _) => 1,
        };
        assert_eq!(workload.dependencies(index).len(), expected, "message {index}");
    }
}

#[test]
fn the_same_seed_gives_the_same_numbers_on_every_platform() {
    // Pinned: a change of these numbers changes everybody's results.
    let tables =
        format!("{RACKS}[[traffic]]\nkind = \"poisson\"\nsize = \"hadoop\"\nload = 0.5\nstop = \"100us\"\n");
    let (scenario, network, workload) = workload(&tables);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for message in &workload.messages {
        let connection = workload.connections[message.connection as usize];
        let Start::At(start) = message.start else { panic!() };
        for word in [start.as_ps(), message.bytes.get(), u64::from(connection.from), u64::from(connection.to)]
        {
            hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    assert_eq!((workload.messages.len(), hash), (176, 5_640_776_838_925_875_309));
    assert_ne!(scenario.workload(&network, 2).unwrap(), workload, "another seed gives another workload");
}

#[test]
fn a_table_added_below_changes_nothing_for_those_above() {
    let one = format!("{RACKS}[[traffic]]\nkind = \"poisson\"\nload = 0.2\nstop = \"1ms\"\n");
    let two =
        format!("{one}[[traffic]]\nkind = \"poisson\"\nsize = \"hadoop\"\nload = 0.2\nstop = \"1ms\"\n");
    let (_, _, alone) = workload(&one);
    let (_, _, both) = workload(&two);
    let of_first = |workload: &Workload| -> Vec<(Start, Bytes, u32, u32)> {
        let connection = |message: &Message| workload.connections[message.connection as usize];
        let first = workload.messages.iter().filter(|message| connection(message).group == 0);
        first
            .map(|message| (message.start, message.bytes, connection(message).from, connection(message).to))
            .collect()
    };
    assert_eq!(of_first(&alone), of_first(&both));
    assert_eq!(both.groups, ["poisson", "poisson-2"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_workload_is_in_order_and_among_its_hosts(
        leaves in 1_u32..5, per_leaf in 2_u32..9, seed in 0_u32..1_000,
        kind in prop::sample::select(&[
            "poisson\"\nload = 0.1\nstop = \"200us", "incast\"\nto = 0\ngap = \"1us", "permutation", "all-to-all",
            "all-reduce", "all-reduce\"\nalgorithm = \"tree", "messages\"\nrate = \"10Gbps\"\nstop = \"1ms",
            "flows\"\nfrom = \"all\"\nto = \"all\"\npairing = \"all",
        ][..]),
    ) {
        let tables = format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = {leaves}\nhosts_per_leaf = {per_leaf}\n[[traffic]]\nkind = \"{kind}\"\n"
        );
        let text = format!("seed = {seed}\n[cc]\nlaw = \"swift\"\n{tables}");
        let scenario = Scenario::parse("x", &text).unwrap();
        let network = scenario.network().unwrap();
        let workload = scenario.workload(&network, scenario.seed).unwrap();
        check(&network, &workload);
        if !workload.messages.is_empty() {
            steps(&workload);
        }
    }
}

/// Uniform on 6 µs: 200 flows have their mean within 3 ± 0.5 µs (four standard deviations of 6/√12/√200), and
/// nobody is earlier than `start` or later than `start + jitter`.
#[test]
fn jitter_moves_each_start_by_its_own_draw_of_the_seed() {
    let starts = |jitter: &str, seed: u64| -> Vec<f64> {
        let text = format!(
            "seed = {seed}\n[topology]\nkind = \"single-switch\"\nhosts = 201\n[cc]\nlaw = \"swift\"\n\
             [[traffic]]\nkind = \"flows\"\nfrom = \"0-199\"\nto = 200\nstart = \"1ms\"\njitter = \"{jitter}\"\n"
        );
        let scenario = Scenario::parse("jitter.toml", &text).unwrap();
        let workload = scenario.workload(&scenario.network().unwrap(), scenario.seed).unwrap();
        let start = |message: &Message| match message.start {
            Start::At(time) => time.since_start().as_us_f64() - 1000.0,
            _ => f64::NAN,
        };
        workload.messages.iter().map(start).collect()
    };
    assert!(starts("0us", 1).iter().all(|late| *late == 0.0));
    let late = starts("6us", 1);
    assert!(late.iter().all(|late| (0.0..=6.0).contains(late)), "{late:?}");
    let mean = late.iter().sum::<f64>() / 200.0;
    assert!((mean - 3.0).abs() < 0.5, "{mean}");
    assert_ne!(late, starts("6us", 2));
    assert_eq!(late, starts("6us", 1));
}
