//! Files of HPCC's simulator: the inputs of its 16:1 staggered incast, as a scenario.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_scenario::hpcc::{Files, Import, import};
use plimsoll_scenario::switch::IntMode;
use plimsoll_scenario::{Overrides, Scenario, Start};
use plimsoll_transport::{EcnEcho, PendingSlot, Reliability};
use plimsoll_units::{Bytes, Rate, Span, Time};

const TOPOLOGY: &str = include_str!("hpcc/topology.txt");
const FLOWS: &str = include_str!("hpcc/flow.txt");
const HPCC: &str = include_str!("hpcc/hpcc_config.txt");
const DCQCN: &str = include_str!("hpcc/dcqcn_config.txt");
const DCTCP: &str = include_str!("hpcc/dctcp_config.txt");

fn imported(config: &str) -> Import {
    let files = Files {
        topology: ("topology.txt", TOPOLOGY),
        flows: ("flow.txt", FLOWS),
        config: Some(("config.txt", config)),
    };
    import(&files).unwrap_or_else(|error| panic!("{error}"))
}

fn load(path: &str) -> Result<String, String> {
    match path {
        "topology.txt" => Ok(TOPOLOGY.to_owned()),
        "flow.txt" => Ok(FLOWS.to_owned()),
        _ => Err("no such file".to_owned()),
    }
}

fn scenario(config: &str) -> Scenario {
    let text = imported(config).text;
    Scenario::parse_with("imported.toml", &text, &Overrides::default(), &load)
        .unwrap_or_else(|problems| panic!("{text}\n{problems}"))
}

#[test]
fn the_network_and_the_flows_are_those_of_the_files() {
    let scenario = scenario(HPCC);
    let network = scenario.network().unwrap();
    assert_eq!((network.hosts, network.switches, network.links.len()), (17, 1, 17));
    assert_eq!(scenario.duration, Some(Span::from_ms(20)), "2.02 s, flows begin at 2 s");
    let workload = scenario.workload(&network, 1).unwrap();
    let starts: Vec<u64> = workload
        .messages
        .iter()
        .map(|message| match message.start {
            Start::At(time) => time.as_ps() / 1_000,
            _ => panic!("it waits"),
        })
        .collect();
    // Through a double, as in the simulator: 2.000040 s begins at 39,999 ns.
    assert_eq!(starts.len(), 16);
    assert_eq!(starts[4], 39_999);
    assert!(
        starts.iter().zip(0..16).all(|(start, flow)| start.abs_diff(flow / 2 * 20_000) <= 1),
        "{starts:?}"
    );
    assert!(workload.messages.iter().all(|message| message.bytes == Bytes::from_mb(1)));
}

#[test]
fn sizes_and_round_trip_are_those_of_the_simulator() {
    // 1048 B on the wire and 1090 B with telemetry, acks of 60 B and 88 B; base round trip 4,160 ns, window 52,000 B.
    let hpcc = scenario(HPCC).host;
    assert_eq!((hpcc.header, hpcc.ack_size), (Some(Bytes::new(90)), Some(Bytes::new(88))));
    assert_eq!((hpcc.base_rtt, hpcc.host().mtu), (Some(Span::from_ns(4_160)), Bytes::new(1_090)));
    assert_eq!(hpcc.host().bdp(), Bytes::new(52_000));
    let dctcp = scenario(DCTCP).host;
    assert_eq!((dctcp.header, dctcp.ack_size), (Some(Bytes::new(48)), Some(Bytes::new(60))));
}

#[test]
fn hpccs_parameters_are_kept() {
    let scenario = scenario(HPCC);
    assert!(matches!(scenario.switch.int, IntMode::HopRecords { multiple: 4, .. }));
    assert_eq!(scenario.switch.buffer.size, Some(Bytes::new(32 << 20)));
    assert!(scenario.switch.pfc.is_some() && scenario.switch.marking.is_none());
    assert_eq!(
        (scenario.transport.reliability, scenario.transport.pending_slot),
        (Reliability::GoBackN, PendingSlot::Retime)
    );
    assert_eq!(scenario.transport.tick, Span::from_ns(1), "as ns-3 counts");
    let plimsoll_cc::registry::AnyParams::Hpcc(hpcc) = scenario.cc else { panic!("{:?}", scenario.cc) };
    assert_eq!((hpcc.eta, hpcc.max_stage, hpcc.r_ai), (0.95, 5, Some(Rate::from_mbps(50))));
    assert_eq!(hpcc.min_rate, Some(Rate::from_gbps(1)));
}

#[test]
fn thresholds_that_grow_with_the_rate_become_a_rule() {
    // 400/1600 KB at 100 Gb/s and four times that at 400 Gb/s is DCQCN's rule; 300 KB and 1200 KB is DCTCP's.
    for (config, kmin, kmax) in [(DCQCN, 400, 1_600), (DCTCP, 300, 300)] {
        let marking = scenario(config).switch.marking.unwrap();
        assert_eq!((marking.kmin, marking.kmax, marking.pmax), (None, None, None));
        let red = plimsoll_cc::red::Red::new(&marking, Rate::from_gbps(100)).unwrap();
        assert_eq!(red.probability(Bytes::from_kb(kmin)), 0.0);
        assert!(red.probability(Bytes::new(kmin * 1_000 + 1)) > 0.0);
        assert_eq!(red.probability(Bytes::new(kmax * 1_000 + 1)), 1.0);
    }
    // Others are kept as they are for the first rate, and said so.
    let odd = imported(&DCQCN.replace("400000000000 6400", "400000000000 1600"));
    assert!(odd.text.contains("kmax = \"1600KB\""), "{}", odd.text);
    assert_eq!(odd.notes, ["KMIN_MAP, KMAX_MAP, PMAX_MAP: the values for \"100Gbps\" are used on all links"]);
}

#[test]
fn dcqcns_acks_go_first_and_carry_every_mark() {
    let scenario = scenario(DCQCN);
    assert_eq!((scenario.host.ack_class, scenario.switch.classes.len()), (Some(1), 2));
    assert!(
        scenario.switch.classes[1].priority > scenario.switch.classes[0].priority
            && !scenario.switch.classes[1].marks
    );
    assert_eq!((scenario.transport.ecn, scenario.transport.cnp_interval), (EcnEcho::Cnp, Span::ZERO));
    assert_eq!(scenario.transport.pending_slot, PendingSlot::Keep);
    let plimsoll_cc::registry::AnyParams::Dcqcn(dcqcn) = scenario.cc else { panic!("{:?}", scenario.cc) };
    assert_eq!(dcqcn, plimsoll_cc::dcqcn::Params::incast16(), "the law's own preset of this very run");
}

#[test]
fn what_is_not_kept_is_named() {
    assert!(imported(HPCC).notes.is_empty(), "{:?}", imported(HPCC).notes);
    let traced = |switch: &str| {
        let config = HPCC.replace("ENABLE_TRACE 1", switch);
        assert!(HPCC.contains("ENABLE_TRACE 1") && !HPCC.contains("TRACE_FILE"));
        imported(&format!("{config}\nTRACE_FILE mix/trace.txt\n")).notes
    };
    for switch in ["ENABLE_TRACE 1", ""] {
        let notes = traced(switch);
        assert!(notes.len() == 1 && notes[0].starts_with("TRACE_FILE mix/trace.txt: "), "{notes:?}");
        assert!(notes[0].contains("`[record] packets`"), "{notes:?}");
    }
    assert!(traced("ENABLE_TRACE 0").is_empty(), "nothing is traced there either");
    let notes = imported(&format!("{HPCC}\nGLOBAL_T 0\nMAGIC 3\n")).notes;
    assert_eq!(notes, ["GLOBAL_T 0: each pair's own base round trip time is not done", "MAGIC is not known"]);
}

#[test]
fn loss_and_a_link_that_goes_down_become_faults() {
    let scenario = scenario(
        &HPCC
            .replace("LINK_DOWN 0 0 0", "LINK_DOWN 30 3 17")
            .replace("ERROR_RATE_PER_LINK 0.0000", "ERROR_RATE_PER_LINK 0.001"),
    );
    let faults = scenario.faults(&scenario.network().unwrap()).unwrap();
    assert_eq!(faults.len(), 17 + 1);
    let down = faults.last().unwrap();
    assert_eq!(down.start, Time::after_start(Span::from_us(30)));
    assert_eq!(down.what, plimsoll_scenario::fault::What::LinkDown { link: 3 });
}

#[test]
fn a_bad_file_is_named_with_its_line() {
    let error = |topology: &str, flows: &str, config: &str| {
        let files =
            Files { topology: ("t.txt", topology), flows: ("f.txt", flows), config: Some(("c.txt", config)) };
        import(&files).unwrap_err().to_string()
    };
    assert_eq!(error("18 1", FLOWS, HPCC), "t.txt:1: `18 1` should be `nodes switches links`");
    assert_eq!(error(TOPOLOGY, "1\n0 16 3", HPCC), "f.txt:2: the file ends where a port should be");
    assert_eq!(error(TOPOLOGY, FLOWS, "CC_MODE"), "c.txt:1: `CC_MODE` has no value");
    assert!(
        error(TOPOLOGY, FLOWS, "A 1\nCC_MODE 10")
            .starts_with("c.txt:2: CC_MODE 10 is not known; it is 1 (DCQCN)")
    );
    assert_eq!(
        error(TOPOLOGY, FLOWS, "CC_MODE 3\nRATE_AI fast"),
        "c.txt:2: `RATE_AI fast` is not a rate such as 50Mb/s"
    );
    assert!(
        error(TOPOLOGY, FLOWS, "CC_MODE 1\nKMIN_MAP 2 1\nKMAX_MAP 1 1 1\nPMAX_MAP 1 1 1")
            .starts_with("c.txt:2: `KMIN_MAP` should be")
    );
}

#[test]
fn an_imported_scenario_survives_writing_without_its_files() {
    for config in [HPCC, DCQCN, DCTCP] {
        let scenario = scenario(config);
        let written = scenario.to_toml();
        let read =
            Scenario::parse("run.toml", &written).unwrap_or_else(|problems| panic!("{written}\n{problems}"));
        assert_eq!(read.to_toml(), written);
        let (network, again) = (scenario.network().unwrap(), read.network().unwrap());
        assert_eq!(network, again);
        assert_eq!(scenario.workload(&network, 1), read.workload(&again, 1));
    }
}
