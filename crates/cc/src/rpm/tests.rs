//! Algorithm 1 by hand; its invariant over random traffic.

extern crate std;
use super::*;
use crate::codel::{CoDel, Dequeued, Queue};
use crate::verdict::Verdict;
use core::net::{Ipv4Addr, Ipv6Addr};
use plimsoll_units::{Bytes, Span, Time};
use proptest::prelude::*;
use std::collections::HashMap;
use std::{vec, vec::Vec};

/// A data packet of flow `number`.
fn data(number: u32) -> Passing {
    let tuple = FiveTuple {
        source: Ipv4Addr::from_bits(0x0A00_0000 | number).into(),
        destination: Ipv4Addr::new(11, 0, 0, 1).into(),
        protocol: 6,
        source_port: 10_000,
        destination_port: 80,
    };
    Passing { tuple, flow: number, port: number % 4 }
}

/// Its ack.
fn ack(number: u32) -> Passing {
    let packet = data(number);
    Passing { tuple: packet.tuple.reversed(), ..packet }
}

fn register(params: Params) -> Register<Vec<Slot>> {
    Register::new(Rpm::new(&params).unwrap(), vec![Slot::default(); params.slots as usize]).unwrap()
}

#[test]
fn a_tuple_is_reversed_by_swapping_its_ends() {
    let tuple = data(7).tuple;
    let reversed = tuple.reversed();
    assert_eq!((reversed.source, reversed.destination), (tuple.destination, tuple.source));
    assert_eq!((reversed.source_port, reversed.destination_port), (80, 10_000));
    assert_eq!(reversed.reversed(), tuple);
    assert_ne!(reversed.hash(0), tuple.hash(0), "the two directions have different slots");
}

#[test]
fn one_mark_is_owed_per_congestion_and_paid_by_one_ack_of_that_flow() {
    let mut register = register(Params::paper());
    assert_eq!(register.on_congestion(&data(1)), Way::Back);
    assert_eq!(register.on_congestion(&data(1)), Way::Back);
    assert_eq!(register.on_congestion(&data(2)), Way::Back);
    assert_eq!((register.owed(&data(1)), register.owed(&data(2))), (2, 1));

    assert_eq!(register.on_reverse_packet(&data(1)), Echo::Pass, "data of the flow itself pays nothing");
    assert_eq!(register.on_reverse_packet(&ack(3)), Echo::Pass, "nor do acks of other flows");
    assert_eq!(register.on_reverse_packet(&ack(1)), Echo::Set);
    assert_eq!(register.on_reverse_packet(&ack(1)), Echo::Set);
    assert_eq!(register.on_reverse_packet(&ack(1)), Echo::Pass, "two were owed, two are paid");
    assert_eq!(register.on_reverse_packet(&ack(2)), Echo::Set);
}

#[test]
fn codel_owes_one_mark_per_event() {
    let codel = CoDel::new(&crate::codel::Params::rpm()).unwrap();
    let (mut queue, mut register) = (Queue::default(), register(Params::paper()));
    // 60 ms of a standing queue: CoDel's events are at 20, 40 and 54.1 ms.
    for microsecond in 0..60_000 {
        let packet = Dequeued {
            now: Time::after_start(Span::from_us(microsecond)),
            sojourn: Span::from_ms(2),
            backlog: Bytes::from_kb(100),
        };
        if codel.on_dequeue(&mut queue, &packet) == Verdict::Mark {
            assert_eq!(register.on_congestion(&data(1)), Way::Back);
        }
    }
    assert_eq!(register.owed(&data(1)), 3);
    let echoes = (0..10).filter(|_| register.on_reverse_packet(&ack(1)) == Echo::Set).count();
    assert_eq!(echoes, 3);
}

#[test]
fn flows_that_share_a_slot_pay_each_others_marks() {
    let mut register = register(Params { slots: 1, ..Params::paper() });
    assert_eq!(register.on_congestion(&data(1)), Way::Back);
    assert_eq!(register.on_reverse_packet(&ack(2)), Echo::Set, "an innocent flow is told to slow down");
    assert_eq!(register.on_reverse_packet(&ack(1)), Echo::Pass, "and the guilty one is not");
}

#[test]
fn exact_slots_never_collide() {
    let flows = 5_000;
    let mut exact = register(Params { slots: flows, ..Params::exact() });
    let mut hashed = register(Params { slots: flows, ..Params::paper() });
    for flow in (0..flows).step_by(2) {
        assert_eq!(exact.on_congestion(&data(flow)), Way::Back);
        assert_eq!(hashed.on_congestion(&data(flow)), Way::Back);
    }
    let told = |register: &mut Register<Vec<Slot>>| {
        (1..flows).step_by(2).filter(|&flow| register.on_reverse_packet(&ack(flow)) == Echo::Set).count()
    };
    assert_eq!(told(&mut exact), 0, "innocent flows are left alone");
    // 2500 marks over 5000 slots fill 1 − e^(−1/2) = 39 % of them: many innocent flows find one.
    let innocent = told(&mut hashed);
    assert!((700..1_000).contains(&innocent), "{innocent}");
    assert_eq!(exact.on_congestion(&data(flows)), Way::Forward);
    assert_eq!(exact.on_reverse_packet(&ack(flows)), Echo::Pass, "a flow beyond the register has no slot");
}

#[test]
fn a_port_tells_whichever_flow_comes_first() {
    let mut register = register(Params::per_port());
    assert_eq!(register.on_congestion(&data(1)), Way::Back);
    assert_eq!(register.on_reverse_packet(&ack(2)), Echo::Pass, "port 2");
    assert_eq!(register.on_reverse_packet(&ack(5)), Echo::Set, "port 1, another flow");
}

#[test]
fn a_full_slot_forgets_marks() {
    let mut bit = register(Params::one_bit());
    let mut counter = register(Params::paper());
    for _ in 0..70_000 {
        assert_eq!(bit.on_congestion(&data(1)), Way::Back);
        assert_eq!(counter.on_congestion(&data(1)), Way::Back);
    }
    assert_eq!((bit.owed(&data(1)), counter.owed(&data(1))), (1, 65_535));
    assert_eq!(bit.on_reverse_packet(&ack(1)), Echo::Set);
    assert_eq!(bit.on_reverse_packet(&ack(1)), Echo::Pass);
}

#[test]
fn a_flow_whose_acks_never_pass_is_marked_forward_from_its_first_mark_on() {
    let mut register = register(Params::checked());
    for _ in 0..5 {
        assert_eq!(register.on_congestion(&data(1)), Way::Forward);
    }
    assert_eq!(register.owed(&data(1)), 0, "nothing is owed that nobody will pay");
    // Another flow's acks do pass; they say nothing of the first one's.
    assert_eq!(register.on_reverse_packet(&ack(2)), Echo::Pass);
    assert_eq!(register.on_congestion(&data(2)), Way::Back);
    assert_eq!(register.on_congestion(&data(1)), Way::Forward);
}

#[test]
fn a_flow_whose_acks_move_away_loses_as_many_marks_as_there_is_patience() {
    let mut register = register(Params { patience: 3, ..Params::paper() });
    assert_eq!(register.on_reverse_packet(&ack(1)), Echo::Pass);
    // Three are owed and never paid, as no ack comes any more; the fourth and later ones go forward.
    let ways: Vec<Way> = (0..5).map(|_| register.on_congestion(&data(1))).collect();
    assert_eq!(ways, [Way::Back, Way::Back, Way::Back, Way::Forward, Way::Forward]);
    assert_eq!(register.owed(&data(1)), 3);
    // The acks come back: they pay what is owed, and the flow is trusted again.
    assert_eq!(register.on_reverse_packet(&ack(1)), Echo::Set);
    assert_eq!(register.on_congestion(&data(1)), Way::Back);
    assert_eq!(register.owed(&data(1)), 3);
}

#[test]
fn without_patience_nothing_is_checked() {
    let mut register = register(Params::paper());
    assert!((0..300).all(|_| register.on_congestion(&data(1)) == Way::Back));
    assert_eq!(register.owed(&data(1)), 300);
}

#[test]
fn hashes_spread_evenly_and_differ_by_seed_and_field() {
    let mut used = vec![0_u32; 64];
    let rpm = Rpm::new(&Params { slots: 64, ..Params::paper() }).unwrap();
    for flow in 0..6_400 {
        used[rpm.slot(&data(flow)) as usize] += 1;
    }
    // 100 expected per slot with a deviation of 10; six of them leave one run in 10⁷ outside.
    assert!(used.iter().all(|count| (40..160).contains(count)), "{used:?}");
    let tuple = data(1).tuple;
    let v6: IpAddr = Ipv6Addr::from_bits(1 << 100).into();
    let variants = [
        FiveTuple { protocol: 17, ..tuple },
        FiveTuple { source_port: 10_001, ..tuple },
        FiveTuple { destination_port: 81, ..tuple },
        FiveTuple { destination: v6, ..tuple },
    ];
    assert!(variants.iter().all(|other| other.hash(0) != tuple.hash(0)));
    assert_ne!(tuple.hash(0), tuple.hash(1));
}

#[test]
fn a_register_works_in_borrowed_storage_and_refuses_too_little() {
    let rpm = Rpm::new(&Params { slots: 16, ..Params::paper() }).unwrap();
    let mut slots = [Slot::default(); 16];
    let mut register = Register::new(rpm, &mut slots[..]).unwrap();
    assert_eq!(register.on_congestion(&data(9)), Way::Back);
    assert_eq!(register.on_reverse_packet(&ack(9)), Echo::Set);
    let error = Register::new(rpm, [Slot::default(); 15]).unwrap_err();
    assert_eq!(error.key(), "slots");
}

proptest! {
    /// Whatever the traffic, a slot never pays more than it owed; and what is not paid is still
    /// owed or was forgotten at the limit.
    #[test]
    fn marks_paid_never_exceed_marks_owed(
        slots in 1_u32..40,
        most_owed in 1_u32..20,
        kind in 0_usize..3,
        events in prop::collection::vec((any::<bool>(), 0_u32..50), 0..400),
    ) {
        let index = [Index::FlowHash, Index::Exact, Index::Port][kind];
        let params = Params { index, slots, most_owed, patience: 0, seed: 1 };
        let rpm = Rpm::new(&params).unwrap();
        let mut register = register(params);
        let mut balance: HashMap<u32, (u64, u64)> = HashMap::new();
        for (congestion, flow) in events {
            let (owed, paid) = balance.entry(rpm.slot(&data(flow))).or_default();
            if congestion {
                *owed += u64::from(register.on_congestion(&data(flow)) == Way::Back);
            } else {
                *paid += u64::from(register.on_reverse_packet(&ack(flow)) == Echo::Set);
            }
            prop_assert!(*paid <= *owed, "slot of flow {flow}: paid {paid} of {owed}");
            let left = u64::from(register.owed(&data(flow)));
            prop_assert!(left <= (*owed - *paid).min(u64::from(most_owed)));
        }
    }
}
