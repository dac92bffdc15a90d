use super::*;
use crate::config::EcnEcho;
use crate::packet::Ecn;

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A packet of 1000 B in the middle of a message, sent at `number` µs.
fn packet(number: u64) -> DataPacket {
    DataPacket {
        number: PacketNumber(number),
        offset: Bytes::new(number * 1000),
        sent_at: at_us(number),
        length: 1000,
        ..DataPacket::default()
    }
}

fn marked(number: u64) -> DataPacket {
    DataPacket { ecn: Ecn::Marked, ..packet(number) }
}

fn every(ack_every: u32) -> Config {
    Config { ack_every, ..Config::default() }
}

/// What an ack says: bytes acked in thousands, packet answered, echo.
fn essence(ack: Option<AckPacket>) -> Option<(u64, u64, bool)> {
    ack.map(|ack| (ack.next_expected.get() / 1000, ack.number.0, ack.congestion_echo))
}

#[test]
fn every_packet_is_acked_and_its_time_echoed() {
    let mut receiver = Receiver::new();
    for number in 0..5 {
        let sent = DataPacket { hops: 3, circuit_up: true, ..packet(number) };
        let arrival = receiver.on_data(&every(1), at_us(100), &sent);
        assert_eq!((arrival.fate, arrival.earlier), (Fate::Delivered, None));
        let expected = AckPacket {
            next_expected: Bytes::new((number + 1) * 1000),
            number: PacketNumber(number),
            echoed_sent_at: at_us(number),
            circuit_up: true,
            hops: 3,
            ..AckPacket::default()
        };
        assert_eq!(arrival.ack, Some(expected));
    }
}

#[test]
fn coalesced_acks_leave_with_the_last_packet_or_when_the_delay_is_over() {
    let config = Config { ack_delay: Span::from_us(20), ..every(3) };
    let mut receiver = Receiver::new();
    assert_eq!(receiver.on_data(&config, at_us(100), &packet(0)).ack, None);
    assert_eq!(receiver.on_data(&config, at_us(101), &packet(1)).ack, None);
    assert_eq!(receiver.next_timer(), at_us(120), "from the first packet on");
    assert_eq!(essence(receiver.on_data(&config, at_us(102), &packet(2)).ack), Some((3, 2, false)));
    assert_eq!(receiver.next_timer(), Time::NEVER);
    receiver.on_data(&config, at_us(103), &packet(3));
    receiver.on_data(&config, at_us(110), &packet(4));
    assert_eq!(receiver.on_timer(at_us(122)), None);
    let ack = receiver.on_timer(at_us(123)).unwrap();
    // The newest packet arrived at 110: its ack was kept back 13 µs.
    assert_eq!((ack.echoed_sent_at, ack.receiver_delay), (at_us(4), Span::from_us(13)));
    assert_eq!(receiver.on_timer(at_us(200)), None);
}

#[test]
fn holes_repetitions_and_ends_of_messages_are_acked_at_once() {
    let config = every(10);
    let mut receiver = Receiver::new();
    let mut ack = |packet: DataPacket| {
        let arrival = receiver.on_data(&config, at_us(50), &packet);
        (arrival.fate, arrival.ack.map(|ack| (ack.next_expected.get() / 1000, ack.arrived >> 60)))
    };
    assert_eq!(ack(packet(0)), (Fate::Delivered, None));
    // Bits from the top: the packet itself, the one before, …
    assert_eq!(ack(packet(2)), (Fate::Kept, Some((1, 0b1000))));
    assert_eq!(ack(packet(3)), (Fate::Kept, Some((1, 0b1100))));
    assert_eq!(ack(packet(3)), (Fate::Duplicate, Some((1, 0b1100))));
    assert_eq!(ack(packet(5)), (Fate::Kept, Some((1, 0b1011))));
    assert_eq!(ack(packet(1)), (Fate::Delivered, Some((4, 0))));
    assert_eq!(ack(packet(4)), (Fate::Delivered, Some((6, 0))));
    assert_eq!(ack(packet(6)), (Fate::Delivered, None), "no hole any more");
    assert_eq!(ack(packet(6)), (Fate::Duplicate, Some((7, 0))));
    assert_eq!(ack(DataPacket { ends_message: true, ..packet(7) }), (Fate::Delivered, Some((8, 0))));
}

#[test]
fn messages_are_complete_when_all_before_their_end_has_arrived() {
    let config = every(1);
    let end = |number| DataPacket { ends_message: true, ..packet(number) };
    let mut receiver = Receiver::new();
    let mut completed = |packet| receiver.on_data(&config, at_us(50), &packet).messages;
    assert_eq!(completed(end(0)), 1);
    assert_eq!(completed(end(2)), 0, "packet 1 is missing");
    assert_eq!(completed(end(3)), 0);
    assert_eq!(completed(packet(1)), 2);
    assert_eq!(receiver.messages(), MessageId(3));
    assert_eq!(receiver.delivered_to(), Bytes::new(4000));
}

#[test]
fn a_change_of_marks_acks_what_came_before_it() {
    // RFC 8257, section 3.2: every ack speaks of marked or of unmarked packets only.
    let config = every(10);
    let mut receiver = Receiver::new();
    let mut acks = |packet: DataPacket| {
        let arrival = receiver.on_data(&config, at_us(50), &packet);
        (essence(arrival.earlier), essence(arrival.ack))
    };
    assert_eq!(acks(packet(0)), (None, None));
    assert_eq!(acks(packet(1)), (None, None));
    // The ack for 0 and 1 leaves first, without echo.
    assert_eq!(acks(marked(2)), (Some((2, 1, false)), None));
    assert_eq!(acks(marked(3)), (None, None));
    assert_eq!(acks(packet(4)), (Some((4, 3, true)), None));
    assert_eq!(receiver.marked(), Bytes::new(2000));
}

#[test]
fn marks_are_counted_once() {
    let mut receiver = Receiver::new();
    for number in [1, 1, 0, 1] {
        receiver.on_data(&every(1), at_us(50), &marked(number));
    }
    assert_eq!(receiver.marked(), Bytes::new(2000));
}

#[test]
fn notifications_do_not_wait_for_more_packets() {
    let config = Config { ecn: EcnEcho::Cnp, ..every(10) };
    let mut receiver = Receiver::new();
    let mut echo_at = |us, packet| essence(receiver.on_data(&config, at_us(us), &packet).ack);
    assert_eq!(echo_at(0, marked(0)), Some((1, 0, true)));
    assert_eq!(echo_at(10, marked(1)), None, "at most one per 50 µs");
    assert_eq!(echo_at(51, marked(2)), Some((3, 2, true)));
}

#[test]
fn a_hole_is_refused_at_once_and_then_every_500_us() {
    let config = Config::rdma();
    let mut receiver = Receiver::new();
    let mut refused = |us, number| {
        let arrival = receiver.on_data(&config, at_us(us), &packet(number));
        (arrival.fate, arrival.ack.map(|ack| (ack.next_expected.get() / 1000, ack.refused)))
    };
    assert_eq!(refused(0, 0), (Fate::Delivered, Some((1, false))));
    assert_eq!(refused(1, 2), (Fate::Dropped, Some((1, true))));
    assert_eq!(refused(2, 3), (Fate::Dropped, None));
    assert_eq!(refused(500, 4), (Fate::Dropped, None));
    assert_eq!(refused(501, 5), (Fate::Dropped, Some((1, true))));
    // The hole is filled, the next one is another.
    assert_eq!(refused(502, 1), (Fate::Delivered, Some((2, false))));
    assert_eq!(refused(503, 3), (Fate::Dropped, Some((2, true))));
    // What came again although it had arrived is acked: the ack may have been lost.
    assert_eq!(refused(504, 0), (Fate::Duplicate, Some((2, false))));
}

#[test]
fn a_notification_between_two_refusals_is_none() {
    let config = Config { ecn: EcnEcho::Cnp, ..Config::rdma() };
    let mut receiver = Receiver::new();
    receiver.on_data(&config, at_us(0), &packet(0));
    assert!(receiver.on_data(&config, at_us(1), &packet(2)).ack.unwrap().refused);
    let notification = receiver.on_data(&config, at_us(2), &marked(3)).ack.unwrap();
    assert!(notification.congestion_echo && !notification.refused);
    let answered = (notification.number, notification.echoed_sent_at);
    assert_eq!(answered, (PacketNumber(3), at_us(3)), "the round trip is the dropped packet's");
    assert_eq!(notification.next_expected, Bytes::new(1000), "packet 1 is still missing");
}

#[test]
fn packets_without_payload_or_too_far_ahead_are_refused() {
    let config = Config { max_outstanding: 10, ..every(1) };
    let mut receiver = Receiver::new();
    let arrival = receiver.on_data(&config, at_us(0), &DataPacket { length: 0, ..packet(0) });
    assert_eq!((arrival.fate, arrival.ack), (Fate::Refused(Refusal::Empty), None));
    assert_eq!(receiver.on_data(&config, at_us(0), &packet(9)).fate, Fate::Kept);
    let refusal = Refusal::TooFarAhead { number: PacketNumber(10), limit: PacketNumber(10) };
    assert_eq!(receiver.on_data(&config, at_us(0), &packet(10)).fate, Fate::Refused(refusal));
    assert_eq!(
        receiver.on_data(&config, at_us(0), &DataPacket { number: PacketNumber(u64::MAX), ..packet(0) }).ack,
        None
    );
}

#[test]
fn bytes_that_do_not_follow_each_other_are_refused_loudly() {
    let config = every(1);
    let misplaced = |number, offset| DataPacket { offset: Bytes::new(offset), ..packet(number) };
    let mut receiver = Receiver::new();
    let fate = receiver.on_data(&config, at_us(0), &misplaced(0, 7)).fate;
    let Fate::Refused(refusal) = fate else { panic!("{fate:?}") };
    assert_eq!(refusal.to_string(), "packet 0 begins at byte 7 of the stream and must begin at 0");
    // The right packet can still come.
    assert_eq!(receiver.on_data(&config, at_us(0), &packet(0)).fate, Fate::Delivered);
    // Behind a hole what cannot be is noticed at once, the rest when the hole is filled.
    for nowhere in [1000, u64::MAX] {
        let fate = receiver.on_data(&config, at_us(0), &misplaced(2, nowhere)).fate;
        assert!(matches!(fate, Fate::Refused(Refusal::Misplaced { .. })), "{fate:?}");
    }
    assert_eq!(receiver.on_data(&config, at_us(0), &misplaced(2, 2500)).fate, Fate::Kept);
    let fate = receiver.on_data(&config, at_us(0), &packet(1)).fate;
    let expected =
        Refusal::Misplaced { number: PacketNumber(2), offset: Bytes::new(2500), expected: Bytes::new(2000) };
    assert_eq!(fate, Fate::Refused(expected));
    assert_eq!(receiver.on_data(&config, at_us(0), &packet(2)).fate, Fate::Refused(Refusal::Broken));
}
