//! What cannot be run is refused with the place, the key and the fix.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_scenario::{Kind, Overrides, Problem, Scenario};

const NETWORK: &str = "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts_per_leaf = 4\n";

fn problem(text: &str) -> Problem {
    let problems: Vec<_> = Scenario::parse("x.toml", text).unwrap_err().iter().cloned().collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.into_iter().next().unwrap()
}

/// The only problem of a scenario with these tables below a leaf-spine with two racks of four hosts.
fn refused(tables: &str) -> (Kind, usize, String) {
    let problem = problem(&format!("{NETWORK}[cc]\nlaw = \"swift\"\n{tables}"));
    // Lines count from the tables on.
    (problem.kind, problem.line - 7, problem.message)
}

fn message(tables: &str) -> String {
    refused(tables).2
}

#[test]
fn a_law_without_its_signal_is_refused_with_the_setting_that_gives_it() {
    let text = format!("{NETWORK}[switch]\nint = \"none\"\n[cc]\nlaw = \"poseidon\"\n");
    let refused = problem(&text);
    assert_eq!((refused.kind, refused.line), (Kind::Contradiction, 9));
    assert!(refused.message.starts_with("poseidon needs the maximum per-hop delay of data packets, which is not offered: set `switch.int = \"max-hop-delay\"`"), "{}", refused.message);
    for (setting, law, signal) in [
        ("[switch]\nint = \"max-hop-delay\"", "hpcc", "a telemetry record from every switch"),
        ("[switch]\nint_switches = \"leaf\"", "hpcc", "a telemetry record from every switch"),
        ("[switch]\necn = \"none\"", "dctcp", "congestion marks"),
        ("[transport]\necn = \"off\"", "dctcp", "congestion marks"),
        ("[host]\ntimestamps = false", "timely", "round trip times"),
        ("[host]\nhop_count = false", "swift", "the number of switches passed"),
        ("[host]\nendpoint_delay = false", "swift", "the receiver's own delay"),
        ("", "retcp", "the state of the circuit to the destination"),
    ] {
        let refused = problem(&format!("{NETWORK}{setting}\n[cc]\nlaw = \"{law}\"\n"));
        assert!(
            refused.message.contains(&format!("{law} needs {signal}, which is not offered")),
            "{}",
            refused.message
        );
    }
}

#[test]
fn what_a_law_needs_is_offered_unless_it_is_switched_off() {
    for law in plimsoll_cc::registry::LAWS {
        // Circuits are offered by rotors alone, which offer all else, too.
        for network in [NETWORK, "[topology]\nkind = \"rotor\"\n"] {
            let read = Scenario::parse("x", &format!("{network}[cc]\nlaw = \"{}\"\n", law.name));
            assert_eq!(read.is_ok(), law.name != "retcp" || network != NETWORK, "{} on {network}", law.name);
        }
    }
    // DCTCP and DCQCN are marked by a step and by RED, in proportion to the link's rate; nobody else is.
    let marking = |law: &str| {
        let text = format!("{NETWORK}[cc]\nlaw = \"{law}\"\n");
        Scenario::parse("x", &text).unwrap().switch.marking.map(|marking| (marking.rule, marking.kmin))
    };
    assert_eq!(marking("dctcp"), Some((plimsoll_cc::red::Rule::Dctcp, None)));
    assert_eq!(marking("dcqcn"), Some((plimsoll_cc::red::Rule::Dcqcn, None)));
    assert_eq!(marking("cubic"), None);
}

#[test]
fn hosts_that_are_not_there_are_refused_with_those_that_are() {
    let (kind, line, message_) = refused("[[traffic]]\nkind = \"incast\"\nto = 8\n");
    assert_eq!((kind, line), (Kind::OutOfBounds, 3));
    assert_eq!(message_, "there is no host 8: the 8 hosts of this topology are 0-7");
    assert_eq!(
        message("[[traffic]]\nkind = \"incast\"\nto = \"rack2\"\n"),
        "there is no rack 2: the racks of this topology are rack0 to rack1"
    );
    assert_eq!(
        message("[[traffic]]\nkind = \"incast\"\nto = \"rack1\"\n"),
        "4 hosts are named here, but it must be one"
    );
    assert_eq!(
        message("[[traffic]]\nkind = \"incast\"\nto = \"leaf0\"\n"),
        "there is no host `leaf0`; did you mean `leaf0`?"
            .replace("; did you mean `leaf0`?", ": it is a switch")
    );
    let odd = message("[[traffic]]\nkind = \"flows\"\nfrom = \"0..3\"\nto = 5\n");
    assert!(odd.ends_with("several hosts are \"0-15\", \"rack0\" or an array"), "{odd}");
    assert_eq!(message("[[traffic]]\nkind = \"flows\"\nfrom = 1\nto = 1\n"), "h1 would send to itself");
    assert_eq!(
        message("[[traffic]]\nkind = \"flows\"\nfrom = \"5-3\"\nto = 1\n"),
        "the range \"5-3\" is empty: it must be \"3-5\""
    );
    assert_eq!(
        message(
            "[[traffic]]\nkind = \"poisson\"\nfrom = \"0-3\"\nto = \"0-3\"\ndestinations = \"other-racks\"\n"
        ),
        "h0 would have nobody outside its rack to send to"
    );
}

#[test]
fn a_load_above_capacity_is_refused_with_what_would_fit() {
    // 2 racks of 4 × 100 Gb/s behind one uplink of 100 Gb/s (4:1): half load is 200 Gb/s, of which 4/7 leave the rack.
    let oversubscribed = |load: f64| {
        format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts_per_leaf = 4\noversubscription = 4.0\n\
             [cc]\nlaw = \"swift\"\n[[traffic]]\nkind = \"poisson\"\nload = {load}\n"
        )
    };
    let refused = problem(&oversubscribed(0.5));
    assert_eq!((refused.kind, refused.line), (Kind::OutOfBounds, 11));
    assert_eq!(
        refused.message,
        "rack0 (behind leaf0) would send to other racks 114.286 Gb/s on average, 1.143 times the 100.000 Gb/s that it can; \
         lower `load` to at most 0.875 of what it is"
    );
    // 0.4375 · 400 Gb/s · 4/7 = 100 Gb/s: just full.
    assert!(Scenario::parse("x", &oversubscribed(0.4375)).is_ok());
    assert!(Scenario::parse("x", &oversubscribed(0.44)).is_err());
    // Two tables together.
    let together =
        "[[traffic]]\nkind = \"poisson\"\nload = 0.6\n[[traffic]]\nkind = \"poisson\"\nload = 0.6\n";
    let (_, line, message_) = self::refused(together);
    assert_eq!(line, 6, "the table that makes it too much is to blame");
    assert!(message_.starts_with("host h0 would send 120.000 Gb/s on average"), "{message_}");
    // Everybody sends to one.
    let one = message("[[traffic]]\nkind = \"messages\"\nfrom = \"1-7\"\nto = 0\nrate = \"101Gbps\"\n");
    assert!(one.starts_with("host h0 would receive 101.000 Gb/s on average"), "{one}");
    let queries =
        message("[[traffic]]\nkind = \"query-incast\"\nresponders = 2\nqueries_per_second = 7000.0\n");
    assert!(queries.contains("would receive 112.000 Gb/s of answers"), "{queries}");
}

#[test]
fn hosts_that_no_path_joins_are_refused() {
    let text = "[cc]\nlaw = \"swift\"\n[topology]\nkind = \"graph\"\nhosts = 3\nswitches = 2\nlinks = [\n\
                { between = [\"h0\", \"s0\"] }, { between = [\"h1\", \"s0\"] }, { between = [\"h2\", \"s1\"] },\n]\n";
    let refused = problem(text);
    assert_eq!((refused.line, refused.message.as_str()), (7, "no path leads from h0 to h2"));
    let two_links = text.replace("[\"h2\", \"s1\"]", "[\"h0\", \"s1\"]");
    assert_eq!(problem(&two_links).message, "host h0 has 2 links; a host has exactly one");
    let nowhere = text.replace("[\"h2\", \"s1\"]", "[\"h2\", \"s11\"]");
    assert_eq!(problem(&nowhere).message, "a link ends at `s11`, which is no node; did you mean `s1`?");
}

#[test]
fn a_path_with_more_switches_than_records_is_refused_for_laws_that_read_them() {
    let lot = |segments: u32, rest: &str| {
        format!("[topology]\nkind = \"parking-lot\"\nsegments = {segments}\n{rest}[cc]\nlaw = \"hpcc\"\n")
    };
    assert!(Scenario::parse("x", &lot(4, "")).is_ok(), "5 switches");
    let refused = problem(&lot(5, ""));
    assert_eq!(
        refused.message,
        "hpcc reads a record of every switch, but paths have up to 6 switches and there is room for 5; set `switch.int_encoding = \"exact\"`"
    );
    assert!(Scenario::parse("x", &lot(7, "[switch]\nint_encoding = \"exact\"\n")).is_ok());
    assert!(
        problem(&lot(8, "[switch]\nint_encoding = \"exact\"\n"))
            .message
            .ends_with("use another law or a flatter topology")
    );
}

#[test]
fn absurd_values_are_refused() {
    let messages = [
        (
            "[topology]\nkind = \"leaf-spine\"\nleaves = 100000\nhosts_per_leaf = 100000\n",
            "the limits are 1000000 nodes",
        ),
        (
            "[topology]\nkind = \"fat-tree\"\ncores = 3\n",
            "3 core switches cannot be shared equally by the 2 aggregation switches",
        ),
        (
            "[topology]\nkind = \"leaf-spine\"\nspine_rate = \"100Gbps\"\noversubscription = 2.0\n",
            "an oversubscription of 2 contradicts `spine_rate = \"100Gbps\"`",
        ),
        (
            "[topology]\nkind = \"single-switch\"\nhosts = 1\n",
            "`hosts = 1` is out of bounds; it must be a whole number from 2",
        ),
        ("[topology]\nkind = \"single-switch\"\ndelay = \"0s\"\n", "`delay = \"0ps\"` is out of bounds"),
        ("[topology]\nkind = \"ring\"\n", "there is no topology of kind `ring`"),
        (
            "[topology]\nhosts = 3\n",
            "[topology] does not say its `kind`; it is \"dumbbell\", \"parking-lot\"",
        ),
        (
            "[topology]\nkind = \"hpcc-file\"\nfile = \"t.txt\"\n",
            "cannot read `t.txt`: there are no files here",
        ),
        ("[[traffic]]\nkind = \"incast\"\n", "[[traffic]] does not say `to`: The receiver"),
        ("[[traffic]]\nkind = \"poisson\"\nstop = \"100000s\"\n", "messages; the limit is 50000000"),
        (
            "[[traffic]]\nkind = \"poisson\"\nsize = \"websurch\"\n",
            "there is no distribution `websurch`; did you mean `websearch`?",
        ),
        (
            "[[traffic]]\nkind = \"poisson\"\nstart = \"2ms\"\nstop = \"1ms\"\n",
            "arrivals end at \"1ms\", but begin at \"2ms\"",
        ),
        (
            "[[traffic]]\nkind = \"permutation\"\nclass = 1\n",
            "there is no class 1: there is one class, 0; add a [[switch.class]]",
        ),
        (
            "[[traffic]]\nkind = \"permutation\"\nname = \"a\"\n[[traffic]]\nkind = \"permutation\"\nname = \"a\"\n",
            "another [[traffic]] is called `a` already",
        ),
        ("[[fault]]\nkind = \"link-down\"\nlinks = \"s0:h99\"\n", "there is no node `h99`"),
        ("[[fault]]\nkind = \"link-down\"\nlinks = \"h0:h1\"\n", "no link joins `h0` and `h1`"),
        (
            "[[fault]]\nkind = \"link-down\"\nlinks = \"all\"\nstart = \"3ms\"\nstop = \"3ms\"\n",
            "the fault ends at \"3ms\", but begins at \"3ms\"",
        ),
        (
            "[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 1.5\n",
            "`probability = 1.5` is out of bounds",
        ),
        ("[record]\nqueues = \"s0\"\n", "`s0` is not a pair of nodes; e.g. \"leaf0>spine1\""),
        ("[record]\ngroups = \"x\"\n", "no [[traffic]] is called `x`"),
        ("[switch]\nint_switches = \"spine\"\n", "there is no switch `spine`"),
        ("[switch]\nreverse_marking = true\n", "nothing marks packets"),
        (
            "[switch.red]\nkmin = \"2MB\"\nkmax = \"1MB\"\n[switch]\necn = \"red\"\n",
            "`kmin = \"2MB\"` must not exceed `kmax = \"1MB\"`",
        ),
        (
            "[switch.codel]\ntarget = \"2ms\"\ninterval = \"1ms\"\n[switch]\naqm = \"codel\"\n",
            "`target = \"2ms\"` must not exceed",
        ),
        ("[host]\nack_class = 3\n", "there is no class 3"),
        ("[traffic]\nkind = \"permutation\"\n", "`traffic` must be an array of tables, [[traffic]]"),
        ("seed = -1\n", "`seed` must be a whole number from 0 to 9223372036854775807"),
        ("durations = \"1ms\"\n", "unknown key `durations`; did you mean `duration`?"),
        ("[topolgy]\nkind = \"dumbbell\"\n", "unknown table `topolgy`; did you mean `topology`?"),
    ];
    for (tables, expected) in messages {
        let (front, rest) = if tables.starts_with('[') { ("", tables) } else { (tables, "") };
        let found = problem(&format!("{front}[cc]\nlaw = \"swift\"\n{rest}"));
        assert!(found.message.contains(expected), "{tables}{}", found.message);
    }
}

#[test]
fn what_the_command_line_sets_is_read_like_the_file_and_blamed_by_name() {
    let text =
        format!("{NETWORK}[cc]\nlaw = \"swift\"\nbeta = 0.5\n[[traffic]]\nkind = \"poisson\"\nload = 0.3\n");
    let with = |law: Option<&str>, set: &[&str]| {
        let overrides = Overrides {
            law: law.map(str::to_owned),
            seed: Some(9),
            set: set.iter().map(|setting| (*setting).to_owned()).collect(),
        };
        Scenario::parse_with("x.toml", &text, &overrides, &plimsoll_scenario::NoFiles)
    };
    let scenario = with(
        Some("hpcc"),
        &["switch.buffer.size=4MB", "traffic.0.load=0.1", "topology.leaves=3", "switch.ecn=red"],
    )
    .unwrap();
    assert_eq!((scenario.seed, scenario.cc.entry().name), (9, "hpcc"));
    assert_eq!(scenario.switch.buffer.size, Some(plimsoll_units::Bytes::from_mb(4)));
    assert_eq!(scenario.network().unwrap().hosts, 12);
    assert!(scenario.switch.marking.is_some());
    let plimsoll_scenario::traffic::Pattern::Poisson(poisson) = &scenario.traffic[0].pattern else {
        panic!()
    };
    assert_eq!(poisson.load, 0.1);
    // The same law keeps its parameters, another does not inherit them.
    let beta = |scenario: Scenario| scenario.to_toml().contains("beta = 0.5");
    assert!(beta(with(Some("swift"), &[]).unwrap()) && !beta(with(Some("swift:htsim"), &[]).unwrap()));
    let first = |result: Result<Scenario, plimsoll_scenario::Problems>| result.unwrap_err().to_string();
    assert!(
        first(with(None, &["traffic.0.load=2.0"])).starts_with("--set:1:16: `load = 2.0` is out of bounds")
    );
    assert!(
        first(with(Some("swif"), &[]))
            .starts_with("--cc:1:10: there is no law `swif`; did you mean `swift`?")
    );
    assert!(first(with(None, &["nonsense"])).starts_with("--set:1:"));
    assert!(first(with(None, &["traffic.7.load=0.5"])).starts_with("--set:1:"));
}

#[test]
fn waypoints_that_no_shortest_path_passes_are_refused() {
    let flows = "[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 4\nvia = ";
    let (kind, line, said) = refused(&format!("{flows}\"spine7\"\n"));
    assert_eq!((kind, line), (Kind::Unknown, 5));
    assert!(said.starts_with("there is no switch `spine7`"), "{said}");
    assert!(message(&format!("{flows}\"h1\"\n")).contains("it is a host"));
    assert!(message(&format!("{flows}\"leaf0:leaf1\"\n")).contains("no link joins `leaf0` and `leaf1`"));
    // Host 0 and host 1 are in one rack, so that no packet between them sees the spine.
    let (kind, line, said) =
        refused("[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = [4, 1]\nvia = [\"leaf0\", \"spine0\"]\n");
    assert_eq!((kind, line), (Kind::Contradiction, 5));
    assert_eq!(
        said,
        "no shortest path from `h0` to `h1` leads through `leaf0` and `spine0`; packets take shortest paths only"
    );
    let fine = format!("{NETWORK}[cc]\nlaw = \"swift\"\n{flows}[\"spine\", \"leaf1\"]\n");
    assert!(Scenario::parse("x", &fine).is_ok());
}

#[test]
fn poseidons_first_window_above_its_largest_is_refused() {
    let text = format!("{NETWORK}[cc]\nlaw = \"poseidon\"\nmax_cwnd = 8.0\nstart_cwnd = 10.0\n");
    let refused = problem(&text);
    assert_eq!(refused.line, 9);
    assert!(
        refused.message.contains("start_cwnd") && refused.message.contains("max_cwnd"),
        "{}",
        refused.message
    );
}

/// A full packet is payload, headers and telemetry: 65,000 B and 600 B are 65 B more
/// than 16 bits hold.
#[test]
fn packets_that_do_not_fit_into_16_bits_are_refused() {
    for key in ["mtu", "mss", "header", "ack_size"] {
        let (kind, line, text) = refused(&format!("[host]\n{key} = \"70KB\"\n"));
        assert_eq!((kind, line), (Kind::OutOfBounds, 2), "{key}: {text}");
        assert!(text.contains(key) && text.contains("65535B"), "{text}");
        let fits = format!("{NETWORK}[cc]\nlaw = \"swift\"\n[host]\nmss = \"1000B\"\n{key} = \"1500B\"\n");
        assert!(key == "mss" || Scenario::parse("x.toml", &fits).is_ok(), "{key}");
    }
    let (kind, line, text) = refused("[host]\nmss = \"65000B\"\nheader = \"600B\"\n");
    assert_eq!((kind, line), (Kind::OutOfBounds, 2), "{text}");
    assert!(text.contains("\"65600B\" together: at most \"65535B\"; lower `host.mss`"), "{text}");
    let just = format!("{NETWORK}[cc]\nlaw = \"swift\"\n[host]\nmss = \"65000B\"\nheader = \"535B\"\n");
    assert!(Scenario::parse("x.toml", &just).is_ok());
}

/// A rack's switch has four hosts at 100 Gb/s and one link up at 100 Gb/s, all of 1 µs: 5 · (37,500 + 4,096) B = 207,980 B.
#[test]
fn pfc_without_a_buffer_that_it_could_protect_is_refused() {
    let links =
        "host_rate = \"100Gbps\"\nspine_rate = \"100Gbps\"\nhost_delay = \"1us\"\nspine_delay = \"1us\"\n";
    let text = |switch: &str| format!("{NETWORK}{links}[cc]\nlaw = \"swift\"\n{switch}");
    let pfc = "[switch.pfc]\nenabled = true\n";
    let unlimited = "[switch.buffer]\nsharing = \"unlimited\"\n";
    let refused = problem(&text(&format!("{unlimited}{pfc}")));
    assert_eq!(refused.kind, Kind::Contradiction);
    assert!(refused.message.contains("`switch.buffer.sharing = \"unlimited\"`"), "{}", refused.message);

    let sized = |bytes: u32| text(&format!("[switch.buffer]\nsize = \"{bytes}B\"\n{pfc}"));
    let refused = problem(&sized(207_979));
    assert_eq!(refused.kind, Kind::Contradiction);
    for part in ["\"207980B\"", "\"207979B\"", "`switch.buffer.size`", "`switch.pfc.headroom`"] {
        assert!(refused.message.contains(part), "{}", refused.message);
    }
    assert!(Scenario::parse("x.toml", &sized(207_980)).is_ok());

    // Nobody asked for pauses here, so there are none; and the text of what was resolved can be read again.
    let gbn = "[transport]\nreliability = \"go-back-n\"\n";
    let scenario = Scenario::parse("x.toml", &text(&format!("{unlimited}{gbn}"))).unwrap();
    assert!(scenario.switch.pfc.is_none());
    assert!(Scenario::parse("x.toml", &scenario.to_toml()).is_ok());
    // Nor did anybody here: half of the buffer is shared then.
    let scenario =
        Scenario::parse("x.toml", &text(&format!("{gbn}[switch.buffer]\nsize = \"100KB\"\n"))).unwrap();
    assert!(scenario.switch.pfc.is_some());
    assert_eq!(Scenario::parse("x.toml", &scenario.to_toml()).unwrap(), scenario);
    // Links of 10 ms need 3 · 125 MB each: by itself the buffer is as large as it must be.
    let long = text(gbn).replace("spine_delay = \"1us\"", "spine_delay = \"10ms\"");
    let scenario = Scenario::parse("x.toml", &long).unwrap();
    assert!(scenario.switch.buffer.size.unwrap().get() >= 2 * 375_000_000);
    assert!(Scenario::parse("x.toml", &scenario.to_toml()).is_ok());
}

#[test]
fn what_cannot_be_reflected_is_refused() {
    let (kind, _, text) = refused("[switch]\nint = \"none\"\nint_reflected = true\n");
    assert_eq!(kind, Kind::Contradiction);
    assert!(text.contains("does not read the maximum per-hop delay"), "{text}");
    let (kind, line, text) = refused("[routing]\nspreading = \"spray\"\nsame_way_back = true\n");
    assert_eq!((kind, line), (Kind::Contradiction, 3));
    assert!(text.contains("have no way that acks could take back"), "{text}");
    let reflected = "[switch]\nint_reflected = true\n[routing]\nsame_way_back = true\n";
    let brownfield = format!(
        "{NETWORK}[cc]\nlaw = \"poseidon:brownfield\"\n{}",
        reflected.replace("[switch]", "[switch]\nint = \"max-hop-delay\"")
    );
    // Acks that gather what data would meet cannot bring what they met themselves.
    let text = problem(&brownfield).message;
    assert!(text.contains("poseidon as it is set does not read"), "{text}");
    let poseidon = format!("{NETWORK}[cc]\nlaw = \"poseidon\"\n{reflected}");
    let text = Scenario::parse("x", &poseidon).unwrap().to_toml();
    assert_eq!(Scenario::parse("x", &text).unwrap(), Scenario::parse("x", &poseidon).unwrap());
    assert!(text.contains("int_reflected = true") && text.contains("same_way_back = true"), "{text}");
}

/// The only problem of a rotor of four racks with these keys and tables.
fn rotor_refused(keys: &str, tables: &str) -> (usize, String) {
    let text = format!(
        "[topology]\nkind = \"rotor\"\ntors = 4\nhosts_per_tor = 2\n{keys}[cc]\nlaw = \"dctcp\"\n{tables}"
    );
    let problem = problem(&text);
    (problem.line, problem.message)
}

#[test]
fn a_rotor_that_cannot_turn_is_refused() {
    for (keys, beginning) in [
        (
            "matchings = 4\n",
            "each of 4 ToRs has 3 others to be joined to, so there are at most 3 matchings, not 4;",
        ),
        (
            "day = \"80ns\"\n",
            "a full packet of \"1048B\" takes \"83840ps\" at \"100Gbps\" (`circuit_rate`), longer than",
        ),
        ("voq_capacity_circuit = \"1MB\"\n", "a VOQ has no limit without `voq_capacity`,"),
        ("day = \"0ns\"\n", "`day = \"0ps\"` is out of bounds"),
    ] {
        let (line, message) = rotor_refused(keys, "");
        assert_eq!(line, 5, "{message}");
        assert!(message.starts_with(beginning), "{message}");
    }
    let (line, message) = rotor_refused("voq_capacity = \"2MB\"\nvoq_capacity_circuit = \"1MB\"\n", "");
    assert_eq!(line, 6, "{message}");
    assert!(
        message.starts_with("a VOQ holds \"2MB\" (`voq_capacity`) and for a circuit more, not \"1MB\""),
        "{message}"
    );
}

#[test]
fn what_does_not_go_with_circuits_is_refused() {
    for (tables, line, part) in [
        ("[switch.pfc]\nenabled = true\n", 7, "set `switch.pfc.enabled = false`"),
        ("[switch]\naqm = \"codel\"\n", 8, "set `switch.aqm = \"none\"`"),
        (
            "[[fault]]\nkind = \"link-down\"\nlinks = \"tor0:tor2\"\n",
            9,
            "`tor0:tor2` belongs to a rotor, whose links follow their calendar",
        ),
        (
            "[[fault]]\nkind = \"rate\"\nlinks = \"tor1:core0\"\nrate = \"1Gbps\"\n",
            9,
            "`tor1:core0` belongs to a rotor",
        ),
        ("[[fault]]\nkind = \"switch-reboot\"\nswitches = \"tor3\"\n", 9, "`tor3` belongs to a rotor"),
    ] {
        let (at, message) = rotor_refused("", tables);
        assert!(message.contains(part), "{message}");
        assert_eq!(at, line, "{message}");
    }
    // Nobody asked for pauses: go-back-N does without.
    let text = "[topology]\nkind = \"rotor\"\n[transport]\npreset = \"rdma\"\n[cc]\nlaw = \"hpcc\"\n";
    let scenario = Scenario::parse("x.toml", text).unwrap();
    assert!(scenario.switch.pfc.is_none());
    assert_eq!(Scenario::parse("x.toml", &scenario.to_toml()).unwrap(), scenario);
}
