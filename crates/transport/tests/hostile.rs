//! Packets and acks that no honest peer sends: they may end a connection, never the program.

mod harness;

use harness::Fixed;
use plimsoll_cc::Telemetry;
use plimsoll_transport::{
    AckPacket, Blocked, Config, DataPacket, Ecn, Fate, MessageId, PacketNumber, Poll, Receiver, Reliability,
    Sender,
};
use plimsoll_units::{Bytes, Span, Time};
use proptest::prelude::*;

/// Small numbers, where they may be taken for real, and the ends of the range.
fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0_u64..40, 2 => 0_u64..40_000, 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn any_position() -> impl Strategy<Value = Bytes> {
    prop_oneof![(0_u64..40).prop_map(|number| Bytes::new(number * 1000)), any_number().prop_map(Bytes::new)]
}

fn any_ack() -> impl Strategy<Value = AckPacket> {
    (any_position(), any_number(), any::<u64>(), 0_u64..2_000, any_number(), any::<[bool; 3]>()).prop_map(
        |(next_expected, number, arrived, us, marked, [congestion_echo, refused, circuit_up])| AckPacket {
            next_expected,
            number: PacketNumber(number),
            arrived,
            echoed_sent_at: Time::ZERO + Span::from_us(us),
            receiver_delay: Span::from_ps(marked),
            marked: Bytes::new(marked),
            reverse_delay: Span::from_ps(arrived),
            congestion_echo,
            refused,
            circuit_up,
            hops: number as u8,
            reflected: (),
        },
    )
}

fn any_packet() -> impl Strategy<Value = DataPacket> {
    (any_position(), any_number(), 0_u32..1500, any::<bool>(), any::<[bool; 3]>()).prop_map(
        |(offset, number, length, marked, [ends_message, repeated, window_reduced])| DataPacket {
            number: PacketNumber(number),
            offset,
            message: MessageId(number),
            sent_at: Time::from_ps(number),
            length,
            ends_message,
            repeated,
            window_reduced,
            ecn: if marked { Ecn::Marked } else { Ecn::Capable },
            circuit_up: false,
            hops: length as u8,
            telemetry: (),
        },
    )
}

fn any_reliability() -> impl Strategy<Value = Reliability> {
    prop::sample::select(vec![Reliability::SelectiveRepeat, Reliability::GoBackN])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn a_sender_survives_any_acks_and_still_ends(
        reliability in any_reliability(),
        window in 1_u32..50,
        acks in prop::collection::vec(any_ack(), 1..60),
    ) {
        let stack = Fixed::window(f64::from(window)).stack(Config { reliability, ..Config::default() });
        let path = plimsoll_cc::Path { base_rtt: Span::from_us(10), hops: 1, seed: 0 };
        let mut sender = Sender::new(&stack, &path);
        sender.enqueue(Time::ZERO, Bytes::new(30_000)).expect("not empty");
        let mut now = Time::ZERO;
        let mut acks = acks.iter();
        // Every step sends what may go and then either hears a lie or lets a timer pass.
        let ended = (0..100_000).any(|_| {
            loop {
                match sender.poll_send::<()>(&stack, now) {
                    Poll::Send(packet) => assert!(packet.offset.get() + u64::from(packet.length) <= 30_000),
                    Poll::Wait(slot) => now = slot,
                    Poll::Blocked(Blocked::Window | Blocked::Data) => break,
                    Poll::Failed(_) => return true,
                }
            }
            assert!(sender.in_flight() <= Bytes::new(30_000));
            match acks.next() {
                Some(ack) => {
                    now += Span::from_us(40);
                    sender.on_ack(&stack, now, ack, Telemetry::None);
                }
                None if sender.is_idle() => return true,
                None => {
                    assert_ne!(sender.next_timer(), Time::NEVER, "nothing will ever happen");
                    now = now.max(sender.next_timer());
                    sender.on_timer(&stack, now);
                }
            }
            false
        });
        prop_assert!(ended, "neither done nor failed");
    }

    #[test]
    fn a_receiver_survives_any_packets_and_delivers_no_byte_twice(
        reliability in any_reliability(),
        ack_every in 1_u32..5,
        packets in prop::collection::vec(any_packet(), 1..200),
    ) {
        let config = Config { reliability, ack_every, max_outstanding: 1000, ..Config::default() };
        let mut receiver = Receiver::new();
        let mut fresh = 0;
        for (us, packet) in packets.iter().enumerate() {
            let before = receiver.delivered_to();
            let arrival = receiver.on_data(&config, Time::ZERO + Span::from_us(us as u64), packet);
            prop_assert!(receiver.delivered_to() >= before);
            match arrival.fate {
                Fate::Delivered | Fate::Kept => fresh += u64::from(packet.length),
                Fate::Refused(_) => prop_assert_eq!(arrival.ack, None),
                Fate::Duplicate | Fate::Dropped => {}
            }
            for ack in [arrival.earlier, arrival.ack].into_iter().flatten() {
                prop_assert!(ack.next_expected <= receiver.delivered_to());
                prop_assert!(ack.marked.get() <= fresh);
            }
        }
        prop_assert!(receiver.delivered_to().get() <= fresh);
    }
}
