//! What is not said follows from the rest, above all from the speed of links.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_cc::red::Red;
use plimsoll_scenario::switch::{Encoding, IntMode};
use plimsoll_scenario::{Record, Scenario};
use plimsoll_transport::EcnEcho;
use plimsoll_units::{Bytes, Rate, Span};

fn scenario(text: &str) -> Scenario {
    Scenario::parse("x", text).unwrap_or_else(|problems| panic!("{problems}"))
}

fn at(rate: &str, law: &str) -> Scenario {
    scenario(&format!("[cc]\nlaw = \"{law}\"\n[topology]\nkind = \"single-switch\"\nrate = \"{rate}\"\n"))
}

/// 1048 B with 1000 B of payload, the default, have 48 B of headers; Ethernet's 1538 B with 1460 B have 78 B.
#[test]
fn a_larger_packet_carries_more_and_keeps_its_headers() {
    let payload = |host: &str| {
        let text = format!("[topology]\nkind = \"single-switch\"\n[cc]\nlaw = \"dctcp\"\n[host]\n{host}\n");
        scenario(&text).host.payload().get()
    };
    assert_eq!(payload("mtu = \"4096B\""), 4_096 - 48);
    assert_eq!(payload("preset = \"ethernet\"\nmtu = \"9000B\""), 9_000 - 78);
    assert_eq!(payload("preset = \"poseidon\"\nmtu = \"9000B\""), 9_000);
    assert_eq!(payload("mtu = \"4096B\"\nmss = \"auto\""), 4_096);
    assert_eq!(payload("mtu = \"4096B\"\nmss = \"1000B\""), 1_000);
    assert_eq!(payload("mtu = \"40B\""), 1);
    assert_eq!(payload("mss = \"1400B\""), 1_400);
}

#[test]
fn thresholds_buffers_units_and_round_trips_follow_the_speed_of_links() {
    // DCTCP's step at 30 KB per 10 Gb/s; 16 MiB per 50 Gb/s; INT_MULTI of one per 25 Gb/s; 2 · (1 + 1) µs and two
    // payloads of 8000 bit.
    for (rate, gbps, step, mebibytes, multiple, rtt_ns) in [
        ("25Gbps", 25, 75, 8, 1, 4_640),
        ("100Gbps", 100, 300, 32, 4, 4_160),
        ("400Gbps", 400, 1_200, 128, 16, 4_040),
    ] {
        let dctcp = at(rate, "dctcp");
        let red = Red::new(&dctcp.switch.marking.unwrap(), Rate::from_gbps(gbps)).unwrap();
        assert_eq!(
            (red.probability(Bytes::from_kb(step)), red.probability(Bytes::new(step * 1_000 + 1))),
            (0.0, 1.0)
        );
        assert_eq!(dctcp.switch.buffer.size, Some(Bytes::new(mebibytes << 20)));
        assert_eq!(dctcp.host.base_rtt, Some(Span::from_ns(rtt_ns)));
        assert_eq!(dctcp.host.nic_rate, Some(Rate::from_gbps(gbps)));
        let hpcc = at(rate, "hpcc");
        assert_eq!(hpcc.switch.int, IntMode::HopRecords { encoding: Encoding::Wire, multiple });
    }
}

#[test]
fn a_link_slower_than_the_hosts_has_thresholds_of_its_own() {
    let dumbbell = scenario(
        "[cc]\nlaw = \"dcqcn\"\n[topology]\nkind = \"dumbbell\"\nhost_rate = \"100Gbps\"\nbottleneck_rate = \"25Gbps\"\n",
    );
    let marking = dumbbell.switch.marking.unwrap();
    let slow = Red::new(&marking, Rate::from_gbps(25)).unwrap();
    assert_eq!((slow.probability(Bytes::from_kb(100)), slow.probability(Bytes::from_kb(401))), (0.0, 1.0));
    // 2 · 3 µs, two payloads at 100 Gb/s and one at 25 Gb/s: 6000 + 2 · 80 + 320 ns.
    assert_eq!(dumbbell.host.base_rtt, Some(Span::from_ns(6_480)));
}

#[test]
fn pipelines_count_in_the_round_trip() {
    let racks = scenario(
        "[cc]\nlaw = \"poseidon\"\n[host]\nmtu = \"4096B\"\nmss = \"auto\"\n[switch]\npipeline = \"600ns\"\n\
         [topology]\nkind = \"leaf-spine\"\npreset = \"poseidon-two-racks\"\n",
    );
    // 2 · (4 · 245 + 3 · 600) + 4 · 163.84 ns; HostParams::poseidon rounds the last to 164 each.
    assert_eq!(racks.host.base_rtt, Some(Span::from_ps(6_215_360)));
}

#[test]
fn telemetry_makes_packets_and_acks_longer() {
    // 48 B of headers; 42 B for hop records, 2 B for the maximum; acks of 46 B and what they echo, at least 60 B.
    let sizes = |law: &str| {
        let host = at("100Gbps", law).host;
        (host.header.unwrap().get(), host.ack_size.unwrap().get(), host.host().mtu.get())
    };
    assert_eq!(sizes("swift"), (48, 60, 1_048));
    assert_eq!(sizes("hpcc"), (90, 88, 1_090));
    assert_eq!(sizes("poseidon"), (50, 60, 1_050));
}

#[test]
fn marks_are_echoed_as_the_law_reads_them() {
    for (law, echo) in [("dctcp", EcnEcho::Accurate), ("dcqcn", EcnEcho::Cnp), ("cubic", EcnEcho::Classic)] {
        assert_eq!(at("100Gbps", law).transport.ecn, echo);
        let rdma = format!("[cc]\nlaw = \"{law}\"\n[transport]\npreset = \"rdma\"\n");
        assert_eq!(scenario(&rdma).transport.ecn, echo, "a preset does not change it");
    }
    let said = scenario("[cc]\nlaw = \"cubic\"\n[transport]\necn = \"accurate\"\n");
    assert_eq!(said.transport.ecn, EcnEcho::Accurate);
}

#[test]
fn switches_pause_each_other_if_the_transport_needs_it() {
    let pfc = |transport: &str, rest: &str| {
        let text = format!("[cc]\nlaw = \"hpcc\"\n[transport]\npreset = \"{transport}\"\n{rest}");
        scenario(&text).switch.pfc.is_some()
    };
    assert!(pfc("rdma", "") && !pfc("selective-repeat", ""));
    assert!(!pfc("rdma", "[switch.pfc]\nenabled = false\n"));
    assert!(pfc("selective-repeat", "[switch.pfc]\nenabled = true\n"));
}

#[test]
fn a_run_ends_with_its_flows_or_after_its_time() {
    let lasts =
        |front: &str, traffic: &str| scenario(&format!("{front}[cc]\nlaw = \"swift\"\n{traffic}")).duration;
    assert_eq!(lasts("", "[[traffic]]\nkind = \"incast\"\nto = 0\n"), None);
    // The fourth of four endless flows begins after 3 ms.
    let endless = "[[traffic]]\nkind = \"flows\"\nfrom = \"0-3\"\nto = 9\ngap = \"1ms\"\n";
    assert_eq!(lasts("", endless), Some(Span::from_ms(13)));
    assert_eq!(lasts("duration = \"5ms\"\n", endless), Some(Span::from_ms(5)));
    assert_eq!(lasts("", &format!("{endless}lifetime = \"1ms\"\n")), None);
}

#[test]
fn nothing_is_recorded_unless_it_is_asked_for() {
    assert_eq!(scenario("[cc]\nlaw = \"swift\"\n").record, Record::nothing());
    let empty = scenario("[cc]\nlaw = \"swift\"\n[record]\n").record;
    assert_eq!(empty, Record::nothing(), "the table's own defaults are the same");
}
