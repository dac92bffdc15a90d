use super::*;
use crate::config::{Config, EcnEcho};
use crate::testing::{FixedWindow, host, path};
use plimsoll_cc::Signals;

type Fixed = Stack<FixedWindow>;

fn stack(law: FixedWindow, config: Config) -> Fixed {
    Stack::new("fixed", law, &host(), config, Signals::EVERY).unwrap()
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A connection with `packets` full packets to send.
fn sender(stack: &Fixed, packets: u64) -> Sender<FixedWindow> {
    let mut sender = Sender::new(stack, &path());
    sender.enqueue(Time::ZERO, Bytes::new(packets * 1000)).unwrap();
    sender
}

/// Sends what may go at `now`, time standing still; gives packet numbers. With line-rate pacing
/// only one packet goes at a time, so the credit in [`bursty`] is what makes this a burst.
fn send(sender: &mut Sender<FixedWindow>, stack: &Fixed, now: Time) -> Vec<u64> {
    let mut numbers = Vec::new();
    while let Poll::Send(packet) = sender.poll_send::<()>(stack, now) {
        numbers.push(packet.number.0);
    }
    numbers
}

/// Settings under which a window leaves in one instant.
fn bursty() -> Config {
    Config { pacing_credit: Span::from_us(100), ..Config::default() }
}

/// The first packets of these tests leave here, late enough to have all the credit.
const START: u64 = 200;

/// Acks all packets before `next`; the answered packet is the one before, sent at `START`.
fn cumulative(next: u64) -> AckPacket {
    AckPacket {
        next_expected: Bytes::new(next * 1000),
        number: PacketNumber(next - 1),
        echoed_sent_at: at_us(START),
        ..AckPacket::default()
    }
}

/// Acks packets before `next`, and those of `beyond`; answers the last of `beyond`.
fn selective(next: u64, beyond: &[u64]) -> AckPacket {
    let newest = beyond[beyond.len() - 1];
    AckPacket {
        next_expected: Bytes::new(next * 1000),
        number: PacketNumber(newest),
        arrived: beyond.iter().fold(0, |bits, number| bits | 1 << (63 - (newest - number))),
        echoed_sent_at: at_us(START),
        ..AckPacket::default()
    }
}

fn ack(sender: &mut Sender<FixedWindow>, stack: &Fixed, us: u64, ack: &AckPacket) -> Acked {
    sender.on_ack(stack, at_us(us), ack, Telemetry::None)
}

#[test]
fn a_change_of_path_is_told_to_the_law_and_leaves_window_and_pace() {
    let stack = stack(FixedWindow::paced(10, Rate::from_gbps(10)), Config::default());
    let mut sender = sender(&stack, 3);
    sender.path_changed(&stack);
    assert_eq!(sender.law_flow().path_changes, 1);
    assert_eq!((sender.window(), sender.pacing()), (Bytes::new(10_000), Rate::from_gbps(10)));
}

#[test]
fn packets_leave_one_wire_size_over_rate_apart() {
    let stack = stack(FixedWindow::paced(10, Rate::from_gbps(10)), Config::default());
    let mut sender = sender(&stack, 3);
    let mut now = at_us(1);
    let mut times = Vec::new();
    loop {
        match sender.poll_send::<()>(&stack, now) {
            Poll::Send(packet) => times.push(packet.sent_at.as_ps()),
            Poll::Wait(next) => now = next,
            Poll::Blocked(why) => break assert_eq!(why, Blocked::Data),
            Poll::Failed(failure) => panic!("{failure}"),
        }
    }
    // 1048 B · 8 / 10 Gb/s = 838.4 ns.
    assert_eq!(times, [1_000_000, 1_838_400, 2_676_800]);
}

#[test]
fn the_last_packet_of_a_window_fits_or_overshoots_as_configured() {
    let law = FixedWindow {
        decision: Decision { window: Bytes::new(2500), ..FixedWindow::packets(1).decision },
        needs: Signals::NONE,
    };
    for (window_rule, count) in [(WindowRule::Strict, 2), (WindowRule::Overshoot, 3)] {
        let stack = stack(law, Config { window_rule, ..bursty() });
        let mut sender = sender(&stack, 10);
        assert_eq!(send(&mut sender, &stack, at_us(START)).len(), count);
        let blocked = sender.poll_send::<()>(&stack, at_us(START + 5));
        assert_eq!(blocked, Poll::Blocked(Blocked::Window));
    }
}

#[test]
fn the_third_later_arrival_repeats_the_missing_packet_and_tells_the_law_once() {
    let stack = stack(FixedWindow::packets(8), bursty());
    let mut sender = sender(&stack, 8);
    assert_eq!(send(&mut sender, &stack, at_us(START)).len(), 8);
    ack(&mut sender, &stack, 210, &selective(1, &[2]));
    ack(&mut sender, &stack, 211, &selective(1, &[2, 3]));
    assert_eq!(send(&mut sender, &stack, at_us(212)), [0_u64; 0]);
    assert_eq!(sender.law_flow().losses, 0);
    ack(&mut sender, &stack, 213, &selective(1, &[2, 3, 4]));
    // 8 sent, 4 delivered: the lost one and 5, 6, 7 were in flight.
    assert_eq!(sender.law_flow().losses, 1);
    assert_eq!(sender.law_flow().last_loss.in_flight, Bytes::new(4000));
    assert_eq!(sender.law_flow().last_loss.sent_to, Bytes::new(8000));
    assert_eq!(sender.in_flight(), Bytes::new(3000));
    let Poll::Send(again) = sender.poll_send::<()>(&stack, at_us(214)) else { panic!() };
    assert_eq!((again.number.0, again.repeated, again.sent_at), (1, true, at_us(214)));
    // Packet 5 is lost too, which the repetition's arrival shows: the same episode.
    ack(&mut sender, &stack, 215, &selective(1, &[2, 3, 4, 6, 7]));
    let filled = AckPacket { echoed_sent_at: at_us(214), number: PacketNumber(1), ..cumulative(5) };
    ack(&mut sender, &stack, 224, &filled);
    assert_eq!(send(&mut sender, &stack, at_us(225)), [5]);
    assert_eq!((sender.law_flow().losses, sender.counters().episodes), (1, 1));
    let all = AckPacket { echoed_sent_at: at_us(225), number: PacketNumber(5), ..cumulative(8) };
    let last = ack(&mut sender, &stack, 235, &all);
    assert_eq!((last.messages, sender.is_idle()), (1, true));
    assert_eq!(sender.next_timer(), Time::NEVER);
    assert_eq!(sender.law_flow().acked, Bytes::new(8000), "each byte is acked once");
}

#[test]
fn the_first_repetition_of_an_episode_goes_although_the_window_is_full() {
    // The law shrinks to one packet when it hears of the loss; 4 are in flight.
    let stack = stack(FixedWindow::packets(8), bursty());
    let mut sender = sender(&stack, 8);
    send(&mut sender, &stack, at_us(START));
    ack(&mut sender, &stack, 210, &selective(0, &[2, 3, 4]));
    sender.window = Bytes::new(1000);
    assert_eq!(sender.in_flight(), Bytes::new(3000), "packets 5, 6, 7; packets 0 and 1 are lost");
    assert_eq!(send(&mut sender, &stack, at_us(211)), [0], "one only; packet 1 waits for the window");
}

#[test]
fn an_original_that_was_only_late_raises_the_threshold() {
    let stack = stack(FixedWindow::packets(20), bursty());
    let mut sender = sender(&stack, 40);
    send(&mut sender, &stack, at_us(START));
    ack(&mut sender, &stack, 210, &selective(0, &[1, 2, 3, 4, 5, 6]));
    assert_eq!(send(&mut sender, &stack, at_us(211))[0], 0);
    // The original, sent at START, comes in after all: 6 packets overtook it.
    let late = AckPacket { number: PacketNumber(0), ..cumulative(7) };
    ack(&mut sender, &stack, 212, &late);
    assert_eq!((sender.reordering, sender.counters().spurious), (7, 1));
    // 7 is missing; six later ones are no loss now, the seventh is.
    ack(&mut sender, &stack, 213, &selective(7, &[8, 9, 10, 11, 12, 13]));
    assert_eq!(sender.flight.lost(), 0);
    ack(&mut sender, &stack, 213, &selective(7, &[8, 9, 10, 11, 12, 13, 14]));
    assert_eq!(sender.flight.lost(), 1);
}

#[test]
fn a_lost_tail_is_repeated_after_the_timeout_with_doubling_waits_until_it_fails_loudly() {
    let config = Config { max_timeouts: 3, ..bursty() };
    let stack = stack(FixedWindow::packets(2), config);
    let mut sender = sender(&stack, 2);
    assert_eq!(send(&mut sender, &stack, at_us(START)), [0, 1]);
    // 1 ms, then 2, 4 and 8 ms after each repetition.
    let mut now = at_us(START);
    for (timeouts, wait_ms) in [(1, 1), (2, 2), (3, 4)] {
        assert_eq!(sender.next_timer() - now, Span::from_ms(wait_ms));
        sender.on_timer(&stack, Time::from_ps(sender.next_timer().as_ps() - 1));
        assert_eq!(sender.counters().timeouts, timeouts - 1, "a picosecond too early");
        now = sender.next_timer();
        sender.on_timer(&stack, now);
        assert_eq!(u64::from(sender.law_flow().timeouts), timeouts);
        assert_eq!(send(&mut sender, &stack, now), [0, 1]);
    }
    now += Span::from_ms(8);
    assert_eq!(sender.next_timer(), now);
    sender.on_timer(&stack, now);
    let failure = Failure::TimedOut { packet: PacketNumber(0), timeouts: 4, at: now };
    assert_eq!(sender.poll_send::<()>(&stack, now), Poll::Failed(failure));
    // 0.2 + 1 + 2 + 4 + 8 ms.
    let text = "packet 0 was not acked after 4 timeouts in a row, the last at 15200us";
    assert_eq!(failure.to_string(), text);
    assert_eq!(sender.next_timer(), Time::NEVER);
}

#[test]
fn losses_of_a_window_that_timed_out_are_no_news_to_the_law() {
    let stack = stack(FixedWindow::packets(5), bursty());
    let mut sender = sender(&stack, 5);
    send(&mut sender, &stack, at_us(START));
    let again = sender.next_timer();
    sender.on_timer(&stack, again);
    assert_eq!(send(&mut sender, &stack, again), [0, 1, 2, 3, 4]);
    let hole = AckPacket { echoed_sent_at: again, ..selective(0, &[1, 2, 3, 4]) };
    sender.on_ack(&stack, again + Span::from_us(10), &hole, Telemetry::None);
    assert_eq!(sender.flight.lost(), 1, "the repetition of packet 0");
    assert_eq!((sender.law_flow().timeouts, sender.law_flow().losses), (1, 0));
}

#[test]
fn progress_between_timeouts_starts_the_count_again() {
    let stack = stack(FixedWindow::packets(1), Config { max_timeouts: 1, ..bursty() });
    let mut sender = sender(&stack, 4);
    for number in 0..3 {
        let sent_at = at_us(START) + Span::from_ms(10) * number;
        assert_eq!(send(&mut sender, &stack, sent_at), [number]);
        sender.on_timer(&stack, sender.next_timer());
        let now = sent_at + Span::from_ms(5);
        assert_eq!(send(&mut sender, &stack, now), [number]);
        let arrived = AckPacket { echoed_sent_at: now, ..cumulative(number + 1) };
        sender.on_ack(&stack, now + Span::from_us(10), &arrived, Telemetry::None);
    }
    assert_eq!((sender.counters().timeouts, sender.failure()), (3, None));
}

#[test]
fn a_repetition_that_the_pace_keeps_back_is_not_timed() {
    // 1048 B · 8 / 1 Mb/s = 8.384 ms between packets; the timeout is 1 ms.
    let stack = stack(FixedWindow::paced(1, Rate::from_mbps(1)), Config::default());
    let mut sender = sender(&stack, 1);
    assert_eq!(send(&mut sender, &stack, Time::ZERO), [0]);
    let mut now = sender.next_timer();
    sender.on_timer(&stack, now);
    assert_eq!(sender.counters().timeouts, 1);
    assert_eq!(sender.next_timer(), Time::NEVER, "nothing is under way");
    let slot = Time::from_ps(8_384_000_000);
    assert_eq!(sender.poll_send::<()>(&stack, now), Poll::Wait(slot));
    now = slot;
    assert_eq!(send(&mut sender, &stack, now), [0]);
    assert_eq!(sender.next_timer() - now, Span::from_ms(2), "backed off, from the departure");
}

#[test]
fn a_timer_that_runs_while_nothing_is_under_way_is_stopped() {
    // Packets leave 8.384 ms apart: at 0, 8.384, 16.768 and 25.152 ms. The first is lost.
    let config = Config { initial_rto: Span::from_ms(100), min_rto: Span::from_ms(5), ..Config::default() };
    let stack = stack(FixedWindow::paced(4, Rate::from_mbps(1)), config);
    let mut sender = sender(&stack, 4);
    let slots: Vec<Time> = (0..5).map(|slot| Time::from_ps(slot * 8_384_000_000)).collect();
    for slot in &slots[..4] {
        send(&mut sender, &stack, *slot);
    }
    let heard = slots[3] + Span::from_us(10);
    let hole = AckPacket { echoed_sent_at: slots[3], ..selective(0, &[1, 2, 3]) };
    sender.on_ack(&stack, heard, &hole, Telemetry::None);
    assert_eq!((sender.flight.lost(), sender.in_flight()), (1, Bytes::ZERO));
    // The timer expires 5 ms later; the repetition's slot comes after 8.374 ms.
    assert_eq!(sender.next_timer(), heard + Span::from_ms(5));
    sender.on_timer(&stack, sender.next_timer());
    assert_eq!((sender.counters().timeouts, sender.next_timer()), (0, Time::NEVER));
    assert_eq!(send(&mut sender, &stack, slots[4]), [0]);
    assert_eq!(sender.next_timer(), slots[4] + Span::from_ms(5));
}

#[test]
fn a_receiver_that_forgets_what_it_acked_gets_it_again() {
    let stack = stack(FixedWindow::packets(2), bursty());
    let mut sender = sender(&stack, 2);
    send(&mut sender, &stack, at_us(START));
    ack(&mut sender, &stack, 210, &selective(0, &[1]));
    sender.on_timer(&stack, sender.next_timer());
    let first = send(&mut sender, &stack, at_us(START) + Span::from_ms(2));
    assert_eq!(first, [0], "the selective ack is believed");
    sender.on_timer(&stack, sender.next_timer());
    let second = send(&mut sender, &stack, at_us(START) + Span::from_ms(10));
    assert_eq!(second, [0, 1], "twice without progress: it is not");
}

#[test]
fn a_refusal_repeats_all_from_the_hole_on_and_old_refusals_do_nothing() {
    let config = Config { pacing_credit: Span::from_us(100), ..Config::rdma() };
    let stack = stack(FixedWindow::packets(5), config);
    let mut sender = sender(&stack, 10);
    assert_eq!(send(&mut sender, &stack, at_us(START)), [0, 1, 2, 3, 4]);
    let refusal = AckPacket { refused: true, number: PacketNumber(3), ..cumulative(2) };
    ack(&mut sender, &stack, 210, &refusal);
    assert_eq!(sender.in_flight(), Bytes::ZERO);
    assert_eq!(send(&mut sender, &stack, at_us(211)), [2, 3, 4, 5, 6]);
    assert_eq!(sender.law_flow().losses, 0, "silent by default");
    // Packet 4's refusal, caused by its first copy, arrives late.
    let old = AckPacket { number: PacketNumber(4), ..refusal };
    ack(&mut sender, &stack, 212, &old);
    assert_eq!(sender.in_flight(), Bytes::new(5000));
    // The repetition of packet 2 was lost too: a copy sent after it was refused.
    let new = AckPacket { echoed_sent_at: at_us(211), ..old };
    ack(&mut sender, &stack, 720, &new);
    assert_eq!(send(&mut sender, &stack, at_us(721)), [2, 3, 4, 5, 6]);
}

#[test]
fn a_refusal_that_comes_after_the_hole_was_filled_does_nothing() {
    let config = Config { pacing_credit: Span::from_us(100), ..Config::rdma() };
    let stack = stack(FixedWindow::packets(5), config);
    let mut sender = sender(&stack, 5);
    send(&mut sender, &stack, at_us(START));
    ack(&mut sender, &stack, 210, &cumulative(4));
    let late = AckPacket { refused: true, number: PacketNumber(3), ..cumulative(2) };
    ack(&mut sender, &stack, 211, &late);
    assert_eq!(sender.in_flight(), Bytes::new(1000));
}

#[test]
fn a_window_smaller_than_a_packet_still_lets_one_go() {
    let mut law = FixedWindow::packets(1);
    law.decision.window = Bytes::new(500);
    let stack = stack(law, bursty());
    let mut sender = sender(&stack, 3);
    assert_eq!(send(&mut sender, &stack, at_us(START)), [0]);
    ack(&mut sender, &stack, 210, &cumulative(1));
    assert_eq!(send(&mut sender, &stack, at_us(210)), [1]);
}

#[test]
fn acks_that_cannot_be_are_counted_and_change_nothing() {
    let stack = stack(FixedWindow::packets(4), bursty());
    let mut sender = sender(&stack, 4);
    send(&mut sender, &stack, at_us(START));
    let beyond = AckPacket { next_expected: Bytes::new(4001), ..cumulative(4) };
    let never_sent = AckPacket { number: PacketNumber(4), ..cumulative(1) };
    let from_the_future = AckPacket { echoed_sent_at: at_us(999), ..cumulative(1) };
    for impossible in [beyond, never_sent, from_the_future] {
        assert_eq!(ack(&mut sender, &stack, 210, &impossible), Acked::default());
    }
    assert_eq!(sender.counters().impossible_acks, 3);
    assert_eq!((sender.law_flow().acks, sender.in_flight()), (0, Bytes::new(4000)));
}

#[test]
fn the_law_is_told_round_trip_receiver_delay_and_flight() {
    let stack = stack(FixedWindow::packets(4), bursty());
    let mut sender = sender(&stack, 4);
    send(&mut sender, &stack, at_us(START));
    let delayed = AckPacket { receiver_delay: Span::from_us(3), ..cumulative(3) };
    assert_eq!(ack(&mut sender, &stack, 215, &delayed).bytes, Bytes::new(3000));
    let told = sender.law_flow();
    assert_eq!((told.last_rtt, told.last_endpoint_delay), (Span::from_us(15), Span::from_us(3)));
    assert_eq!((told.acked, told.last_in_flight), (Bytes::new(3000), Bytes::new(1000)));
    assert_eq!(sender.smoothed_rtt(), Some(Span::from_us(15)));
}

#[test]
fn the_law_is_woken_when_it_asked_to_be() {
    let mut law = FixedWindow::packets(1);
    law.decision.wake = at_us(55);
    let stack = stack(law, Config::default());
    let mut sender = sender(&stack, 1);
    assert_eq!(sender.next_timer(), at_us(55));
    sender.on_timer(&stack, at_us(54));
    assert_eq!(sender.law_flow().timers, 0);
    sender.on_timer(&stack, at_us(55));
    assert_eq!((sender.law_flow().timers, sender.next_timer()), (1, Time::NEVER));
}

#[test]
fn the_window_reduction_is_announced_on_the_next_new_packet_once() {
    let stack = stack(FixedWindow::packets(4), Config { ecn: EcnEcho::Classic, ..bursty() });
    let mut sender = sender(&stack, 20);
    send(&mut sender, &stack, at_us(START));
    let echo = AckPacket { congestion_echo: true, ..cumulative(2) };
    ack(&mut sender, &stack, 210, &echo);
    let mut announced = Vec::new();
    while let Poll::Send(packet) = sender.poll_send::<()>(&stack, at_us(211)) {
        announced.push((packet.number.0, packet.window_reduced));
    }
    assert_eq!(announced, [(4, true), (5, false)]);
    assert_eq!(sender.law_flow().marked, Bytes::new(2000), "an echoing ack marks what it covers");
}

#[test]
fn a_rate_without_a_window_is_bounded_by_what_both_ends_can_remember() {
    let mut law = FixedWindow::packets(1);
    law.decision.window = Decision::UNLIMITED;
    let stack = stack(law, Config { max_outstanding: 100, ..bursty() });
    let mut sender = sender(&stack, 1000);
    // 1048 B at 100 Gb/s take 83.84 ns: 100 µs of credit are more than 1000 packets.
    assert_eq!(send(&mut sender, &stack, at_us(START)).len(), 100);
}
