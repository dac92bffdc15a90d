//! RFC 8289's control law against its closed form, and episodes by hand.

extern crate std;
use super::*;
use std::vec::Vec;

fn marking() -> CoDel {
    CoDel::new(&Params::rpm()).unwrap() // 1 ms, 20 ms
}

fn dropping() -> CoDel {
    CoDel::new(&Params { signal: Signal::Drop, ..Params::rpm() }).unwrap()
}

fn at(microseconds: u64) -> Time {
    Time::after_start(Span::from_us(microseconds))
}

fn long(now: Time) -> Dequeued {
    Dequeued { now, sojourn: Span::from_ms(2), backlog: Bytes::new(100_000) }
}

fn short(now: Time) -> Dequeued {
    Dequeued { now, sojourn: Span::from_us(999), backlog: Bytes::new(100_000) }
}

/// The times, in µs, at which a packet dequeued every microsecond is marked.
fn marks(law: &CoDel, queue: &mut Queue, from: u64, to: u64) -> Vec<u64> {
    (from..to).filter(|&t| law.on_dequeue(queue, &long(at(t))) == Verdict::Mark).collect()
}

#[test]
fn presets_are_the_published_numbers() {
    let rfc = Params::rfc8289();
    assert_eq!((rfc.target, rfc.interval), (Span::from_ms(5), Span::from_ms(100)));
    let rpm = Params::rpm();
    assert_eq!((rpm.target, rpm.interval), (Span::from_ms(1), Span::from_ms(20)));
    let datacenter = Params::datacenter();
    assert_eq!((datacenter.target, datacenter.interval), (Span::from_us(50), Span::from_ms(1)));
}

#[test]
fn a_standing_queue_is_marked_an_interval_after_it_appears_and_then_at_interval_over_root_n() {
    let mut queue = Queue::default();
    let found = marks(&marking(), &mut queue, 0, 100_000);
    // 20 ms; + 20/√1; + 20/√2; + 20/√3; …
    let mut expected = 20_000.0;
    for (index, &mark) in found.iter().enumerate() {
        // A packet comes every microsecond: the first at or after the time is marked.
        assert_eq!(mark, f64::ceil(expected) as u64, "mark {index}");
        expected += 20_000.0 / f64::from(index as u32 + 1).sqrt();
    }
    // 20 + 20(1 + 0.7071 + 0.5774 + 0.5 + 0.4472 + 0.4082) = 92.8 ms is the 7th, the 8th at 100.36.
    assert_eq!(found.len(), 7);
    assert_eq!(queue.count(), 7);
}

#[test]
fn a_queue_that_drains_once_per_interval_is_never_marked() {
    let (law, mut queue) = (marking(), Queue::default());
    for t in 0..200_000 {
        let packet = if t % 19_000 == 0 { short(at(t)) } else { long(at(t)) };
        assert_eq!(law.on_dequeue(&mut queue, &packet), Verdict::Pass, "{t} µs");
    }
}

#[test]
fn a_backlog_of_one_packet_is_not_a_queue() {
    let (law, mut queue) = (marking(), Queue::default());
    for t in 0..50_000 {
        let packet = Dequeued { backlog: Bytes::new(1_500), ..long(at(t)) };
        assert_eq!(law.on_dequeue(&mut queue, &packet), Verdict::Pass);
    }
    let packet = Dequeued { sojourn: Span::from_ms(1), backlog: Bytes::new(1_501), ..long(at(50_000)) };
    law.on_dequeue(&mut queue, &packet);
    assert!(queue.above.is_some(), "exactly the target, and a byte more than a packet, is one");
}

#[test]
fn a_delay_below_the_target_ends_the_episode_at_once() {
    let (law, mut queue) = (marking(), Queue::default());
    assert_eq!(marks(&law, &mut queue, 0, 30_000), [20_000]);
    assert_eq!(law.on_dequeue(&mut queue, &short(at(30_000))), Verdict::Pass);
    // It takes a whole interval to begin again, although the next mark was due at 40 ms.
    assert_eq!(marks(&law, &mut queue, 30_001, 60_000), [50_001]);
}

#[test]
fn an_episode_soon_after_another_resumes_its_rate_and_a_late_one_starts_over() {
    let episode = |pause: u64| {
        let (law, mut queue) = (marking(), Queue::default());
        marks(&law, &mut queue, 0, 80_000); // 20, 40, 54.1, 65.7, 75.7 ms: count 5, next 84.6 ms
        assert_eq!(queue.count(), 5);
        law.on_dequeue(&mut queue, &short(at(80_000)));
        let begin = 80_000 + pause;
        marks(&law, &mut queue, begin, begin + 20_001);
        queue.count()
    };
    // count − lastcount = 5 − 1 = 4.
    assert_eq!(episode(1_000), 4);
    // The episode would begin 20 ms after the pause: 16 intervals after 84.64 ms end at 404.64 ms.
    assert_eq!(episode(304_000), 4, "404.0 ms");
    assert_eq!(episode(305_000), 1, "405.0 ms");
}

#[test]
fn after_two_short_episodes_the_count_is_that_of_the_last_one_only() {
    let (law, mut queue) = (marking(), Queue::default());
    marks(&law, &mut queue, 0, 80_000);
    law.on_dequeue(&mut queue, &short(at(80_000)));
    marks(&law, &mut queue, 81_000, 102_000);
    assert_eq!((queue.count, queue.last_count), (4, 4));
    law.on_dequeue(&mut queue, &short(at(102_000)));
    // 4 − 4 = 0 signals after the first: the next begins at 1.
    marks(&law, &mut queue, 103_000, 123_001);
    assert_eq!(queue.count, 1);
}

#[test]
fn dropping_goes_packet_by_packet_as_the_rfcs_loop() {
    let (law, mut queue) = (dropping(), Queue::default());
    let ask = |queue: &mut Queue, packet| law.on_dequeue(queue, &packet);
    assert_eq!(ask(&mut queue, long(at(0))), Verdict::Pass);
    assert_eq!(ask(&mut queue, long(at(20_000))), Verdict::Drop);
    assert_eq!(ask(&mut queue, long(at(20_000))), Verdict::Pass, "the packet after the first drop passes");
    // Nobody dequeues until 62 ms. Drops were due at 40 and 40 + 14.14 = 54.14 ms; then comes
    // 54.14 + 11.55 = 65.69 ms. So two packets go in one turn, and the third passes.
    assert_eq!(ask(&mut queue, long(at(62_000))), Verdict::Drop);
    assert_eq!(ask(&mut queue, long(at(62_000))), Verdict::Drop);
    assert_eq!(ask(&mut queue, long(at(62_000))), Verdict::Pass);
    assert_eq!(queue.count(), 3);
    assert_eq!(ask(&mut queue, long(at(65_689))), Verdict::Pass);
    assert_eq!(ask(&mut queue, long(at(65_690))), Verdict::Drop);
    // If the packet behind a drop was queued briefly, the episode is over.
    assert_eq!(ask(&mut queue, short(at(65_690))), Verdict::Pass);
    assert_eq!(ask(&mut queue, long(at(80_000))), Verdict::Pass);
}

#[test]
fn an_empty_queue_ends_the_episode() {
    let (law, mut queue) = (dropping(), Queue::default());
    law.on_dequeue(&mut queue, &long(at(0)));
    assert_eq!(law.on_dequeue(&mut queue, &long(at(20_000))), Verdict::Drop);
    law.on_empty(&mut queue);
    assert_eq!(law.on_dequeue(&mut queue, &long(at(20_001))), Verdict::Pass);
    assert_eq!(law.on_dequeue(&mut queue, &long(at(40_000))), Verdict::Pass, "a new interval began");
    assert_eq!(law.on_dequeue(&mut queue, &long(at(40_001))), Verdict::Drop);
}

#[test]
fn a_target_above_the_interval_is_refused() {
    let params = Params { target: Span::from_ms(30), ..Params::rpm() };
    assert_eq!(CoDel::new(&params).unwrap_err().key(), "target");
}

#[test]
fn the_end_of_time_does_not_confuse_it() {
    for law in [marking(), dropping()] {
        let mut queue = Queue::default();
        for now in [Time::NEVER, Time::NEVER, Time::ZERO, Time::NEVER, Time::NEVER, at(1), Time::NEVER] {
            let packet = Dequeued { sojourn: Span::MAX, backlog: Bytes::MAX, now };
            law.on_dequeue(&mut queue, &packet);
            law.on_dequeue(&mut queue, &packet);
        }
        assert!(queue.count() <= 14, "one signal per packet at most");
    }
}
