//! Traces by hand. MSS 1000 B throughout; positions and windows in bytes.

use super::*;
use plimsoll_units::{Rate, Span};

fn law(params: Params) -> NewReno {
    let host = Host {
        nic_rate: Rate::from_gbps(10),
        base_rtt: Span::from_us(100),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    };
    NewReno::new(&params, &host).unwrap()
}

fn begin(law: &NewReno) -> Flow {
    law.start(&Path { base_rtt: Span::from_us(100), hops: 1, seed: 0 }).0
}

/// The ack of the packet that ends at `acked_to`, with `sent_to` already sent.
fn ack(acked_to: u64, sent_to: u64) -> Ack<'static> {
    Ack {
        acked: Bytes::new(1000),
        acked_to: Bytes::new(acked_to),
        sent_to: Bytes::new(sent_to),
        in_flight: Bytes::new(sent_to - acked_to),
        ..Ack::default()
    }
}

fn echo(acked_to: u64, sent_to: u64) -> Ack<'static> {
    Ack { ece: true, ..ack(acked_to, sent_to) }
}

fn duplicate(acked_to: u64, sent_to: u64) -> Ack<'static> {
    Ack { acked: Bytes::ZERO, ..ack(acked_to, sent_to) }
}

fn loss(in_flight: u64, sent_to: u64) -> Loss {
    Loss { in_flight: Bytes::new(in_flight), sent_to: Bytes::new(sent_to), ..Loss::default() }
}

fn timeout(in_flight: u64, sent_to: u64) -> Timeout {
    Timeout { in_flight: Bytes::new(in_flight), sent_to: Bytes::new(sent_to), ..Timeout::default() }
}

/// Acks `count` packets, each of which lets as much be sent as the window allows.
fn ack_packets(law: &NewReno, flow: &mut Flow, acked_to: &mut u64, count: u64) {
    for _ in 0..count {
        *acked_to += 1000;
        let sent_to = *acked_to + flow.cwnd().get() - 1000;
        law.on_ack(flow, &ack(*acked_to, sent_to));
    }
}

#[test]
fn an_episode_of_growth_loss_recovery_and_timeout_goes_as_rfc_5681_says() {
    let law = law(Params::rfc6675());
    let mut flow = begin(&law);
    let mut acked_to = 0;
    assert_eq!(flow.cwnd(), Bytes::new(10_000), "ten packets at first");

    ack_packets(&law, &mut flow, &mut acked_to, 10);
    assert_eq!(flow.cwnd(), Bytes::new(20_000), "slow start doubles per round trip");

    // 20 packets in flight, one lost: half of 20,000 is 10,000. Sent so far: 10,000 + 20,000.
    let decision = law.on_loss(&mut flow, &loss(20_000, 30_000));
    assert_eq!(decision.window, Bytes::new(10_000));
    assert_eq!(flow.ssthresh(), Bytes::new(10_000));
    law.on_ack(&mut flow, &duplicate(10_000, 30_000));
    law.on_ack(&mut flow, &ack(29_000, 34_000));
    assert_eq!(flow.cwnd(), Bytes::new(10_000), "no growth before 30,000 is acked");
    law.on_ack(&mut flow, &ack(30_000, 40_000));
    assert_eq!(flow.cwnd(), Bytes::new(10_000), "the ack that ends recovery adds nothing either");

    // Avoidance: 1000·1000/10,000 = 100 B, then 1000·1000/10,100 = 99.0 B.
    law.on_ack(&mut flow, &ack(31_000, 40_000));
    assert_eq!(flow.cwnd(), Bytes::new(10_100));
    law.on_ack(&mut flow, &ack(32_000, 41_000));
    assert_eq!(flow.cwnd(), Bytes::new(10_199));

    // 9 packets in flight at the timeout: threshold 4,500; the window begins at one packet.
    let decision = law.on_timeout(&mut flow, &timeout(9_000, 41_000));
    assert_eq!((decision.window, flow.ssthresh()), (Bytes::new(1_000), Bytes::new(4_500)));
    for (acked_to, window) in [(33_000, 2_000), (34_000, 3_000), (35_000, 4_000), (36_000, 5_000)] {
        law.on_ack(&mut flow, &ack(acked_to, 41_000));
        assert_eq!(flow.cwnd(), Bytes::new(window), "slow start up to the threshold");
    }
    // 5,000 ≥ 4,500: avoidance again, + 1000·1000/5000.
    law.on_ack(&mut flow, &ack(37_000, 41_000));
    assert_eq!(flow.cwnd(), Bytes::new(5_200));
}

#[test]
fn avoidance_adds_about_one_packet_per_round_trip() {
    let law = law(Params::rfc6675());
    let mut flow = begin(&law);
    law.on_loss(&mut flow, &loss(100_000, 0));
    let mut acked_to = 0;
    law.on_ack(&mut flow, &ack(acked_to, 5_000));
    assert_eq!(flow.cwnd(), Bytes::new(5_000), "half of the window of ten packets, not of 100");
    ack_packets(&law, &mut flow, &mut acked_to, 5);
    // Five steps of 1000²/cwnd from 5000: between 1000·5/6 and 1000.
    assert!((5_900..6_000).contains(&flow.cwnd().get()), "{}", flow.cwnd());
}

#[test]
fn an_echo_halves_once_per_window_and_marked_acks_do_not_grow() {
    let law = law(Params::rfc6675());
    let mut flow = begin(&law);
    law.on_ack(&mut flow, &echo(1_000, 10_000));
    assert_eq!((flow.cwnd(), flow.ssthresh()), (Bytes::new(5_000), Bytes::new(5_000)));
    law.on_ack(&mut flow, &echo(2_000, 10_000));
    law.on_ack(&mut flow, &echo(10_000, 14_000));
    assert_eq!(flow.cwnd(), Bytes::new(5_000), "the same window, whose end was 10,000");
    law.on_ack(&mut flow, &echo(11_000, 15_000));
    assert_eq!(flow.cwnd(), Bytes::new(2_500), "the next window");
    law.on_ack(&mut flow, &echo(16_000, 17_000));
    law.on_ack(&mut flow, &echo(18_000, 19_000));
    assert_eq!(flow.cwnd(), Bytes::new(1_000), "down to one packet");
    assert_eq!(flow.ssthresh(), Bytes::new(2_000), "and a threshold of two");
}

#[test]
fn a_loss_in_a_window_whose_echo_was_answered_is_not_answered_again() {
    let law = law(Params::rfc6675());
    let mut flow = begin(&law);
    law.on_ack(&mut flow, &echo(1_000, 10_000));
    law.on_loss(&mut flow, &loss(9_000, 10_000));
    assert_eq!(flow.cwnd(), Bytes::new(5_000), "halved once");
    law.on_ack(&mut flow, &ack(10_000, 14_000));
    assert_eq!(flow.cwnd(), Bytes::new(5_000), "but recovery it was");
    law.on_loss(&mut flow, &loss(5_000, 15_000));
    assert_eq!(flow.cwnd(), Bytes::new(2_500), "the next window's loss is news");
}

#[test]
fn a_timer_that_expires_again_leaves_the_threshold() {
    let law = law(Params::rfc6675());
    let mut flow = begin(&law);
    law.on_timeout(&mut flow, &timeout(10_000, 10_000));
    law.on_timeout(&mut flow, &timeout(1_000, 10_000));
    assert_eq!(flow.ssthresh(), Bytes::new(5_000), "RFC 5681 §3.1");
    law.on_loss(&mut flow, &loss(1_000, 10_000));
    assert_eq!(flow.ssthresh(), Bytes::new(5_000), "the window timed out: nothing new");
    law.on_ack(&mut flow, &ack(1_000, 2_000));
    assert_eq!(flow.cwnd(), Bytes::new(2_000), "and it is in slow start, not in recovery");
    law.on_timeout(&mut flow, &timeout(2_000, 10_000));
    assert_eq!(flow.ssthresh(), Bytes::new(2_000), "after progress it is a new timeout");
}

#[test]
fn inflation_and_deflation_follow_rfc_6582() {
    let law = law(Params::rfc6582());
    let mut flow = begin(&law);
    // Ten packets out, the first lost: acks 2–4 are duplicates, the third tells of the loss.
    law.on_loss(&mut flow, &loss(10_000, 10_000));
    assert_eq!(flow.cwnd(), Bytes::new(8_000), "ssthresh 5,000 + 3 packets");
    for window in [9_000, 10_000, 11_000] {
        law.on_ack(&mut flow, &duplicate(0, 10_000));
        assert_eq!(flow.cwnd(), Bytes::new(window), "one packet per duplicate ack");
    }
    // A partial ack of four packets: − 4,000 + 1,000.
    law.on_ack(&mut flow, &ack(4_000, 12_000));
    assert_eq!(flow.cwnd(), Bytes::new(8_000));
    // A partial ack of less than a packet deflates and does not inflate: − 500.
    law.on_ack(&mut flow, &ack(4_500, 12_000));
    assert_eq!(flow.cwnd(), Bytes::new(7_500));
    // The full ack with 2,000 B in flight: min(5,000, max(2,000, 1,000) + 1,000).
    law.on_ack(&mut flow, &ack(10_000, 12_000));
    assert_eq!(flow.cwnd(), Bytes::new(3_000));
}

#[test]
fn counting_bytes_makes_up_for_missing_acks() {
    let mut bytes = Params::rfc3465();
    bytes.initial_window = 4.0;
    let law = law(bytes);
    let mut flow = begin(&law);
    let double = |acked_to, sent_to| Ack { acked: Bytes::new(2_000), ..ack(acked_to, sent_to) };
    law.on_ack(&mut flow, &double(2_000, 6_000));
    assert_eq!(flow.cwnd(), Bytes::new(6_000), "an ack of two packets adds two (L = 2)");
    law.on_ack(&mut flow, &Ack { acked: Bytes::new(4_000), ..ack(6_000, 12_000) });
    assert_eq!(flow.cwnd(), Bytes::new(8_000), "an ack of four adds two");

    law.on_ack(&mut flow, &echo(7_000, 15_000));
    assert_eq!(flow.cwnd(), Bytes::new(4_000));
    // Avoidance: a packet when a window's worth (4,000 B) has been acked.
    law.on_ack(&mut flow, &double(9_000, 15_000));
    assert_eq!(flow.cwnd(), Bytes::new(4_000));
    law.on_ack(&mut flow, &double(11_000, 15_000));
    assert_eq!(flow.cwnd(), Bytes::new(5_000));

    // After a timeout an ack adds one packet only.
    law.on_timeout(&mut flow, &timeout(8_000, 16_000));
    law.on_ack(&mut flow, &double(13_000, 15_000));
    assert_eq!(flow.cwnd(), Bytes::new(2_000));
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let idle = Ack { in_flight: Bytes::new(3_000), ..ack(1_000, 10_000) };
    let law_with = law(Params::rfc6675());
    let mut flow = begin(&law_with);
    law_with.on_ack(&mut flow, &idle);
    assert_eq!(flow.cwnd(), Bytes::new(10_000), "3,000 + 1,000 is less than half of 10,000");
    let law_without = law(Params { validate_window: false, ..Params::rfc6675() });
    let mut flow = begin(&law_without);
    law_without.on_ack(&mut flow, &idle);
    assert_eq!(flow.cwnd(), Bytes::new(11_000));
}

#[test]
fn absurd_events_keep_the_window_finite() {
    for params in [Params::rfc6675(), Params::rfc6582(), Params::rfc3465()] {
        let law = law(params);
        let mut flow = begin(&law);
        let huge = Ack {
            acked: Bytes::MAX,
            acked_to: Bytes::MAX,
            sent_to: Bytes::MAX,
            in_flight: Bytes::MAX,
            ..Ack::default()
        };
        for _ in 0..50 {
            law.on_ack(&mut flow, &huge);
            law.on_loss(&mut flow, &Loss { in_flight: Bytes::MAX, ..Loss::default() });
            law.on_ack(&mut flow, &Ack::default());
            law.on_ack(&mut flow, &Ack { ece: true, ..huge });
            let decision = law.on_timeout(&mut flow, &Timeout::default());
            assert_eq!(decision.window, Bytes::new(1_000));
        }
    }
}
