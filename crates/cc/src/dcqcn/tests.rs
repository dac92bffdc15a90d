extern crate std;

use super::*;
use crate::params::Parameters;
use proptest::prelude::*;
use std::string::ToString;
use std::vec::Vec;

fn host(gbps: u64) -> Host {
    Host {
        nic_rate: Rate::from_gbps(gbps),
        base_rtt: Span::from_us(12),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

fn begin(params: &Params, gbps: u64) -> (Dcqcn, Flow) {
    params.check().unwrap();
    let law = Dcqcn::new(params, &host(gbps)).unwrap();
    let (flow, _) = law.start(&Path { base_rtt: Span::from_us(12), hops: 1, seed: 1 });
    (law, flow)
}

fn us(microseconds: u64) -> Time {
    Time::ZERO + Span::from_us(microseconds)
}

fn notification(now: Time) -> Ack<'static> {
    Ack { now, ece: true, acked: Bytes::new(1000), ..Ack::default() }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

/// R and R_t in Gb/s, to a bit/s.
#[track_caller]
fn expect(flow: &Flow, rate: f64, target: f64) {
    assert!((flow.rate - rate * 1e9).abs() <= 1.0, "R {} Gb/s, not {rate}", flow.rate / 1e9);
    assert!((flow.target - target * 1e9).abs() <= 1.0, "R_t {} Gb/s, not {target}", flow.target / 1e9);
}

#[test]
fn one_episode_of_the_paper_by_hand() {
    let (law, mut flow) = begin(&Params::sigcomm15(), 40);
    let first = law.decision(&flow);
    assert_eq!((first.window, first.pacing), (Decision::UNLIMITED, Rate::from_gbps(40)));
    assert_eq!(first.wake, Time::NEVER, "nothing to recover from");

    // Two cuts by half, α = 1: the second within the first 55 µs, so that no timer came between.
    let cut = law.on_ack(&mut flow, &notification(us(0)));
    expect(&flow, 20.0, 40.0);
    assert_eq!((cut.pacing, cut.wake), (Rate::from_gbps(20), us(55)));
    let cut = law.on_ack(&mut flow, &notification(us(50)));
    expect(&flow, 10.0, 20.0);
    assert_eq!(cut.wake, us(105), "the timer begins anew");

    // Fast recovery: half the way to 20 at the first four expiries.
    for (expiry, rate) in [15.0, 17.5, 18.75, 19.375].into_iter().enumerate() {
        let wake = law.decision(&flow).wake;
        assert_eq!(wake, us(105 + 55 * expiry as u64));
        law.on_timer(&mut flow, wake);
        expect(&flow, rate, 20.0);
    }
    // The fifth: additive increase. R_t = 20.04, R = (19.375 + 20.04)/2.
    law.on_timer(&mut flow, us(325));
    expect(&flow, 19.707_5, 20.04);
    // The sixth: R_t = 20.08, R = (19.7075 + 20.08)/2. The byte counter still stands at zero, so
    // this is no hyper increase.
    law.on_timer(&mut flow, us(380));
    expect(&flow, 19.893_75, 20.08);

    // Notified again at 400 µs: six periods of α passed since 50 µs, (255/256)⁶ = 0.976787…
    law.on_ack(&mut flow, &notification(us(400)));
    let alpha = (255.0_f64 / 256.0).powi(6);
    expect(&flow, 19.893_75 * (1.0 - alpha / 2.0), 19.893_75);
    assert!(near(flow.alpha, alpha * 255.0 / 256.0 + 1.0 / 256.0));

    // Loss and timeout: nothing but time.
    let before = flow.rate;
    law.on_loss(&mut flow, &Loss { now: us(410), ..Loss::default() });
    law.on_timeout(&mut flow, &Timeout { now: us(420), ..Timeout::default() });
    assert!(near(flow.rate, before));
}

/// A packet every 100 ns, all marked, each mark echoed: 40 Gb/s halve once, not twenty times.
#[test]
fn twenty_marked_acks_in_two_microseconds_cut_once() {
    let (law, mut flow) = begin(&Params::sigcomm15(), 40);
    for packet in 0..20 {
        law.on_ack(&mut flow, &notification(us(10) + Span::from_ns(100 * packet)));
        expect(&flow, 20.0, 40.0);
    }
}

/// Marks that never end: one notification per 50 µs, the first of them up to 25 µs early. In
/// 1000 µs that is at 0, 25, 75, 125, …, 975.
#[test]
fn endless_marks_are_a_notification_per_interval() {
    let (law, mut flow) = begin(&Params { increase_period: Span::from_s(1), ..Params::sigcomm15() }, 40);
    let mut cuts = Vec::new();
    for microsecond in 0..1_000 {
        let before = flow.rate;
        law.on_ack(&mut flow, &notification(us(microsecond)));
        if flow.rate < before {
            cuts.push(microsecond);
        }
    }
    // At the smallest rate, 1 Mb/s, a cut shows no longer: 40,000 is less than 2^16.
    assert_eq!(cuts[..8], [0, 25, 75, 125, 175, 225, 275, 325]);
    assert_eq!(flow.notification_due, us(1_050), "21 notifications, 50 µs each");
}

#[test]
fn notifications_that_the_receiver_spaced_survive_jitter() {
    let (law, mut flow) = begin(&Params::sigcomm15(), 40);
    let mut rate = flow.rate;
    for arrival in [20, 50, 120, 151, 199, 270, 300] {
        law.on_ack(&mut flow, &notification(us(arrival)));
        assert!(flow.rate < rate, "at {arrival} µs");
        rate = flow.rate;
    }
}

#[test]
fn the_byte_counter_steps_as_the_timer_does_and_both_make_hyper_increase() {
    let (law, mut flow) = begin(&Params { cnp_interval: Span::ZERO, ..Params::sigcomm15() }, 40);
    law.on_ack(&mut flow, &notification(us(0)));
    law.on_ack(&mut flow, &notification(us(1)));
    expect(&flow, 10.0, 20.0);
    let acked = |bytes| Ack { now: us(2), acked: bytes, ..Ack::default() };
    law.on_ack(&mut flow, &acked(Bytes::new(9_999_999)));
    expect(&flow, 10.0, 20.0);
    law.on_ack(&mut flow, &acked(Bytes::new(1)));
    expect(&flow, 15.0, 20.0);
    // 50 MB: three more of fast recovery (19.375), then B = 5 and 6: additive, R_t = 20.08.
    law.on_ack(&mut flow, &acked(Bytes::from_mb(50)));
    assert_eq!((flow.byte_stage, flow.timer_stage), (6, 0));
    expect(&flow, 19.893_75, 20.08);
    // Timer expiries 1 to 5 with B = 6: T ≤ 5, additive: R_t = 20.28.
    // D = R_t − R goes (D + 0.04)/2: 0.18625 → 0.113125 → 0.0765625 → … D₅ = 0.04 + 0.14625/32.
    law.on_timer(&mut flow, us(1 + 5 * 55));
    expect(&flow, 20.28 - 0.04 - 0.146_25 / 32.0, 20.28);
    // T = 6, B = 6: hyper with i = 1, 400 Mb/s. R_t = 20.68.
    let gap = 0.04 + 0.146_25 / 32.0;
    law.on_timer(&mut flow, us(1 + 6 * 55));
    expect(&flow, 20.68 - (gap + 0.4) / 2.0, 20.68);
    // T = 7: min(7, 6) − 5 is still 1.
    law.on_timer(&mut flow, us(1 + 7 * 55));
    expect(&flow, 21.08 - ((gap + 0.4) / 2.0 + 0.4) / 2.0, 21.08);
    // 10 MB more: B = 7, i = 2: 800 Mb/s.
    law.on_ack(&mut flow, &Ack { now: us(1 + 7 * 55), ..acked(Bytes::from_mb(10)) });
    assert!((flow.target - 21.88e9).abs() < 1.0);
}

#[test]
fn one_episode_of_the_artifact_by_hand() {
    let (law, mut flow) = begin(&Params::incast16(), 100);
    let noted = law.on_ack(&mut flow, &notification(us(10)));
    expect(&flow, 100.0, 100.0);
    let cut_at = us(14) + Span::from_ns(1);
    assert_eq!(noted.wake, cut_at, "four microseconds and a nanosecond later");
    // The α timer came four times, at 11, 12, 13 and 14 µs, and saw nothing.
    law.on_timer(&mut flow, cut_at);
    let kept = 255.0_f64 / 256.0;
    let after_cut = 100.0 * (1.0 - kept.powi(4) / 2.0);
    expect(&flow, after_cut, 100.0);

    // Another before any step: the target stays where the first cut began.
    law.on_ack(&mut flow, &notification(us(15)));
    assert_eq!(law.decision(&flow).wake, us(18) + Span::from_ns(1));
    law.on_timer(&mut flow, us(18) + Span::from_ns(1));
    // At 15 µs α had aged once more; the timer at 16 saw the notification, at 17 and 18 nothing.
    let alpha = (kept.powi(5) * kept + 1.0 / 256.0) * kept.powi(2);
    assert!(near(flow.alpha, alpha));
    let low = after_cut * (1.0 - alpha / 2.0);
    expect(&flow, low, 100.0);

    // 300 µs later fast recovery; the target stays.
    let step_at = us(318) + Span::from_ns(1);
    assert_eq!(law.decision(&flow).wake, step_at);
    law.on_timer(&mut flow, step_at);
    let recovered = (low + 100.0) / 2.0;
    expect(&flow, recovered, 100.0);

    // A cut after a step lowers the target, and the increase timer begins anew.
    law.on_ack(&mut flow, &notification(us(320)));
    law.on_timer(&mut flow, us(322) + Span::from_ns(1));
    let alpha = (kept.powi(302) * alpha * kept + 1.0 / 256.0) * kept;
    let cut = recovered * (1.0 - alpha / 2.0);
    expect(&flow, cut, recovered);
    // Fast recovery, 20 Mb/s, then 200 Mb/s at a time.
    law.on_timer(&mut flow, us(622) + Span::from_ns(1));
    let first = (cut + recovered) / 2.0;
    expect(&flow, first, recovered);
    law.on_timer(&mut flow, us(922) + Span::from_ns(1));
    let second = (first + recovered + 0.02) / 2.0;
    expect(&flow, second, recovered + 0.02);
    law.on_timer(&mut flow, us(1222) + Span::from_ns(1));
    expect(&flow, (second + recovered + 0.22) / 2.0, recovered + 0.22);
}

#[test]
fn notifications_between_two_cuts_count_once() {
    let (law, mut flow) = begin(&Params::powertcp_nsdi22(), 25);
    for nanosecond in 0..40_000 {
        let now = us(1) + Span::from_ns(nanosecond);
        law.on_ack(&mut flow, &notification(now));
    }
    // Cuts at 5, 9, 13, …, 37 µs (and a nanosecond): nine, each with α ≈ 1 (notified in every
    // period but the very first): R = 25 Gb/s / 2⁹ = 49 Mb/s, held at the smallest rate.
    expect(&flow, 0.1, 25.0);
    assert!(flow.alpha > 0.99);
}

#[test]
fn clamping_the_target_forgets_where_the_first_cut_began() {
    let (law, mut flow) = begin(&Params { clamp_target: true, ..Params::incast16() }, 100);
    law.on_ack(&mut flow, &notification(us(0)));
    law.on_ack(&mut flow, &notification(us(5)));
    let once = flow.rate;
    law.on_timer(&mut flow, us(9));
    assert!(near(flow.target, once), "{flow:?}");
}

#[test]
fn a_wake_up_that_is_late_by_days_ends_at_line_rate() {
    for params in [Params::sigcomm15(), Params::hpcc_artifact(), Params::powertcp_nsdi22()] {
        let (law, mut flow) = begin(&params, 100);
        law.on_ack(&mut flow, &notification(us(0)));
        law.on_timer(&mut flow, us(10));
        let decision = law.on_timer(&mut flow, Time::ZERO + Span::from_s(10 * 86_400));
        assert_eq!((decision.pacing, decision.wake), (Rate::from_gbps(100), Time::NEVER), "{params:?}");
        // And the next notification finds α at rest.
        let now = Time::ZERO + Span::from_s(10 * 86_400 + 1) + Span::from_ns(500);
        law.on_ack(&mut flow, &notification(now));
        let decision = law.on_timer(&mut flow, now + Span::from_us(5));
        let expected = match params.timers {
            Timers::Sigcomm15 => 100.0,
            // One of the four periods until the cut saw it: α = g · (255/256)³.
            Timers::Artifact => 100.0 * (1.0 - 0.5 / 256.0),
        };
        assert!((decision.pacing.as_gbps_f64() - expected).abs() < 0.01, "{params:?}: {decision:?}");
    }
}

#[test]
fn the_smallest_rate_holds() {
    let (law, mut flow) = begin(&Params::sigcomm15(), 40);
    for period in 0..100 {
        law.on_ack(&mut flow, &notification(us(50 * period)));
    }
    expect(&flow, 0.001, 0.001);
    let (law, mut flow) = begin(&Params { min_rate: Rate::from_gbps(40), ..Params::sigcomm15() }, 40);
    law.on_ack(&mut flow, &notification(us(0)));
    expect(&flow, 40.0, 40.0);
}

#[test]
fn the_window_follows_the_rate_if_asked() {
    let (law, mut flow) = begin(&Params { window: Window::Rate, ..Params::sigcomm15() }, 40);
    assert_eq!(law.decision(&flow).window, Bytes::new(60_000), "40 Gb/s · 12 µs");
    assert_eq!(law.on_ack(&mut flow, &notification(us(0))).window, Bytes::new(30_000));
}

#[test]
fn presets_have_the_published_numbers() {
    let paper = Params::sigcomm15();
    assert_eq!((paper.alpha_period, paper.increase_period), (Span::from_us(55), Span::from_us(55)));
    assert_eq!((paper.byte_counter, paper.fast_recovery), (Bytes::from_mb(10), 5));
    assert!(near(paper.gain, 1.0 / 256.0));
    assert_eq!(paper.ai_rate, Some(Rate::from_mbps(40)));
    let periods = |p: Params| (p.alpha_period.as_ns(), p.decrease_period.as_ns(), p.increase_period.as_ns());
    assert_eq!(periods(Params::hpcc_artifact()), (1_000, 4_000, 300_000));
    assert_eq!(periods(Params::powertcp_nsdi22()), (1_000, 4_000, 900_000));
    assert_eq!(periods(Params::incast16()), (1_000, 4_000, 300_000));
    let (law, _) = begin(&Params::hpcc_artifact(), 25);
    assert!(near(law.ai_rate, 5e6) && near(law.hai_rate, 50e6) && near(law.min_rate, 1e9));
    let (law, _) = begin(&Params::powertcp_nsdi22(), 25);
    assert!(near(law.ai_rate, 50e6) && near(law.hai_rate, 100e6) && near(law.min_rate, 1e8));
    // At 100 Gb/s the script's proportional steps are those of the recorded run.
    let (script, _) = begin(&Params::hpcc_artifact(), 100);
    let (recorded, _) = begin(&Params::incast16(), 100);
    assert_eq!(std::format!("{script:?}"), std::format!("{recorded:?}"));
}

#[test]
fn contradictions_are_refused() {
    let fast = Params { min_rate: Rate::from_gbps(200), ..Params::sigcomm15() };
    let error = Dcqcn::new(&fast, &host(100)).unwrap_err().to_string();
    assert_eq!(error, "`min_rate = \"200Gbps\"` must not exceed `nic_rate = \"100Gbps\"`");
}

/// One expiry after the other, as the sources write it.
fn expiry(law: &Dcqcn, flow: &mut Flow, clock: Clock) {
    let f = law.fast_recovery;
    let step = match law.timers {
        Timers::Artifact => {
            flow.timer_stage += 1;
            match flow.timer_stage - 1 {
                stage if stage < f => 0.0,
                stage if stage == f => law.ai_rate,
                _ => law.hai_rate,
            }
        }
        Timers::Sigcomm15 => {
            match clock {
                Clock::Timer => flow.timer_stage += 1,
                Clock::Bytes => flow.byte_stage += 1,
            }
            let (t, b) = (flow.timer_stage, flow.byte_stage);
            if t.max(b) < f {
                0.0
            } else if t.min(b) > f {
                f64::from((t.min(b) - f).min(64)) * law.hai_rate
            } else {
                law.ai_rate
            }
        }
    };
    flow.target = (flow.target + step).min(law.max_rate);
    flow.rate = (flow.rate + flow.target) / 2.0;
}

proptest! {
    #[test]
    fn steps_taken_together_are_steps_taken_one_by_one(
        artifact in any::<bool>(),
        target in 1e9..100e9_f64,
        below in 0.0..1.0_f64,
        fast_recovery in 0_u32..8,
        expiries in proptest::collection::vec((any::<bool>(), 1_u64..40), 1..12),
    ) {
        let timers = if artifact { Timers::Artifact } else { Timers::Sigcomm15 };
        let (law, mut together) = begin(&Params { timers, fast_recovery, ..Params::sigcomm15() }, 100);
        together.target = target;
        together.rate = target * below.max(0.001);
        let mut one_by_one = together;
        for (by_timer, count) in expiries {
            let clock = if by_timer || artifact { Clock::Timer } else { Clock::Bytes };
            law.steps(&mut together, clock, count);
            for _ in 0..count {
                expiry(&law, &mut one_by_one, clock);
            }
            prop_assert!((together.rate - one_by_one.rate).abs() < 1.0, "{together:?} {one_by_one:?}");
            prop_assert!((together.target - one_by_one.target).abs() < 1.0, "{together:?} {one_by_one:?}");
        }
    }

    #[test]
    fn a_late_wake_up_finds_what_timely_ones_would_have_left(
        artifact in any::<bool>(),
        notified in proptest::collection::vec(1_u64..2_000, 1..6),
        late in 1_u64..20_000,
    ) {
        let params = if artifact { Params::incast16() } else { Params::sigcomm15() };
        let (law, mut woken) = begin(&params, 100);
        let mut asleep = woken;
        let mut now = us(0);
        for wait in notified {
            now += Span::from_us(wait);
            while law.decision(&woken).wake <= now {
                let wake = law.decision(&woken).wake;
                law.on_timer(&mut woken, wake);
            }
            law.on_ack(&mut woken, &notification(now));
            law.on_ack(&mut asleep, &notification(now));
        }
        now += Span::from_us(late);
        while law.decision(&woken).wake <= now {
            let wake = law.decision(&woken).wake;
            law.on_timer(&mut woken, wake);
        }
        law.on_timer(&mut woken, now);
        law.on_timer(&mut asleep, now);
        prop_assert!((woken.rate - asleep.rate).abs() < 2.0, "{woken:?} {asleep:?}");
        prop_assert!((woken.target - asleep.target).abs() < 2.0, "{woken:?} {asleep:?}");
    }
}
