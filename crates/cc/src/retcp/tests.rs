//! Traces by hand. MSS 1000 B.

use super::*;
use crate::params::{Parameters, Value};
use plimsoll_units::{Rate, Span};

fn begin(params: Params) -> (ReTcp, Flow) {
    let host = Host {
        nic_rate: Rate::from_gbps(25),
        base_rtt: Span::from_us(20),
        mtu: Bytes::new(1_048),
        mss: Bytes::new(1_000),
    };
    let law = ReTcp::new(&params, &host).unwrap();
    let (flow, _) = law.start(&Path { base_rtt: host.base_rtt, hops: 2, seed: 0 });
    (law, flow)
}

fn ack(acked_to: u64, in_flight: u64) -> Ack<'static> {
    Ack {
        acked: Bytes::new(1_000),
        acked_to: Bytes::new(acked_to),
        sent_to: Bytes::new(acked_to + in_flight),
        in_flight: Bytes::new(in_flight),
        ..Ack::default()
    }
}

fn on_circuit(ack: Ack<'static>) -> Ack<'static> {
    Ack { circuit_up: true, ..ack }
}

#[test]
fn the_window_jumps_with_the_circuit_and_back() {
    let (law, mut flow) = begin(Params::etalon());
    law.on_ack(&mut flow, &ack(1_000, 10_000));
    assert_eq!(flow.cwnd(), Bytes::new(11_000), "Reno's slow start");
    law.on_ack(&mut flow, &on_circuit(ack(2_000, 11_000)));
    assert_eq!(flow.cwnd(), Bytes::new(24_000), "(11,000 + 1,000) · 2");
    law.on_ack(&mut flow, &on_circuit(ack(3_000, 23_000)));
    assert_eq!(flow.cwnd(), Bytes::new(25_000), "one jump per circuit");
    law.on_ack(&mut flow, &ack(4_000, 24_000));
    assert_eq!(flow.cwnd(), Bytes::new(13_000), "(25,000 + 1,000) / 2");
}

#[test]
fn a_jump_that_is_due_in_recovery_waits_for_its_end() {
    let (law, mut flow) = begin(Params::powertcp_nsdi22());
    let loss = Loss { in_flight: Bytes::new(10_000), sent_to: Bytes::new(10_000), ..Loss::default() };
    law.on_loss(&mut flow, &loss);
    law.on_ack(&mut flow, &on_circuit(ack(5_000, 5_000)));
    law.on_ack(&mut flow, &on_circuit(ack(10_000, 5_000)));
    assert_eq!(flow.cwnd(), Bytes::new(5_000), "halved and in recovery");
    law.on_ack(&mut flow, &on_circuit(Ack { acked: Bytes::ZERO, ..ack(10_000, 5_000) }));
    assert_eq!(flow.cwnd(), Bytes::new(5_000), "a duplicate ack changes nothing");
    // Avoidance adds 1000²/5000 = 200, then × 4.
    law.on_ack(&mut flow, &on_circuit(ack(11_000, 5_000)));
    assert_eq!(flow.cwnd(), Bytes::new(20_800));
}

#[test]
fn a_timeout_is_renos_and_a_departing_circuit_leaves_at_least_a_packet() {
    let (law, mut flow) = begin(Params::powertcp_nsdi22());
    law.on_ack(&mut flow, &on_circuit(ack(1_000, 10_000)));
    assert_eq!(flow.cwnd(), Bytes::new(44_000));
    let timeout =
        Timeout { in_flight: Bytes::new(40_000), sent_to: Bytes::new(41_000), ..Timeout::default() };
    assert_eq!(law.on_timeout(&mut flow, &timeout).window, Bytes::new(1_000));
    law.on_ack(&mut flow, &ack(2_000, 1_000));
    assert_eq!(flow.cwnd(), Bytes::new(1_000), "(1,000 + 1,000) / 4 is below a packet");
}

#[test]
fn an_echo_of_congestion_is_ignored() {
    let (law, mut flow) = begin(Params::etalon());
    law.on_ack(&mut flow, &Ack { ece: true, ..ack(1_000, 10_000) });
    assert_eq!(flow.cwnd(), Bytes::new(11_000));
}

#[test]
fn factors_below_one_are_refused() {
    let mut params = Params::etalon();
    let error = params.set("down", Value::Float(0.5)).unwrap_err();
    assert_eq!(error.key(), "down");
    assert_eq!((Params::powertcp_nsdi22().up, Params::powertcp_nsdi22().down), (4.0, 4.0));
}
