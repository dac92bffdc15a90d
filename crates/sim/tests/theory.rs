//! Queueing theory: the mean wait of M/D/1, and Little's law.
//!
//! Many hosts send packets of one size, each a message of its own, at random moments (Poisson) over links 40 times
//! as fast as the receiver's: what comes to the receiver's queue is Poisson but for packets of one host that meet
//! in its card, 1 in 30,000. Service takes S = 1048 B / 10 Gb/s = 838.4 ns. Pollaczek and Khinchine:
//! W = ρ S / (2 (1 − ρ)).
//!
//! How exact is the mean of n waits? They are correlated over about 1 / (1 − ρ)² packets. In heavy traffic its relative
//! variance is 2 / (n (1 − ρ)²) (reflected Brownian motion, variance 1 per packet), and half of that comes from how
//! many packets happened to arrive. So the load is measured, too, and the formula taken at the measured load, which
//! leaves 1 / (n (1 − ρ)²).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run_scenario, scenario};
use plimsoll_metrics::{Reading, Sample};
use plimsoll_scenario::Scenario;
use plimsoll_sim::{Control, Options, Run, simulate_recorded};

const SERVICE_NS: f64 = 838.4;
/// 1048 B at 400 and at 10 Gb/s, and 1 µs twice.
const ALONE_NS: f64 = 20.96 + 838.4 + 2_000.0;
const SENDERS: u32 = 32;

/// So many packets at this load; `record` is the `[record]` table.
fn queue(load: f64, packets: f64, record: &str) -> Scenario {
    // Packets per second that keep the last link busy for `load` of the time, as payload of 1000 B, by sender's link.
    let per_second = load / (SERVICE_NS * 1e-9);
    let host_load = per_second * 8_000.0 / (f64::from(SENDERS) * 400e9);
    let mut links = String::from("{ between = [\"s0\", \"h32\"], rate = \"10Gbps\" },\n");
    for host in 0..SENDERS {
        links += &format!("{{ between = [\"h{host}\", \"s0\"], rate = \"400Gbps\" }},\n");
    }
    let text = format!(
        r#"
[topology]
kind = "graph"
hosts = 33
switches = 1
links = [
{links}]
[host]
ack_size = "60B"
[switch.buffer]
sharing = "unlimited"
[cc]
law = "newreno"
[[traffic]]
kind = "poisson"
from = "0-31"
to = 32
size = "1000B"
load = {host_load}
stop = "{}ns"
{record}
"#,
        (packets / per_second * 1e9) as u64
    );
    scenario(&text)
}

/// Mean wait in nanoseconds, and the load that was.
fn measure(run: &Run) -> (f64, f64) {
    let waits =
        run.messages.iter().map(|message| message.delivery_time().unwrap().as_us_f64() * 1e3 - ALONE_NS);
    let mean = waits.sum::<f64>() / run.messages.len() as f64;
    let last = run.messages.iter().map(|message| message.start).max().unwrap().as_secs_f64() * 1e9;
    (mean, run.messages.len() as f64 * SERVICE_NS / last)
}

fn mean_wait_agrees(load: f64, packets: f64) {
    let (wait, measured) = measure(&run_scenario(&queue(load, packets, ""), 1, None));
    let formula = |load: f64| load * SERVICE_NS / (2.0 * (1.0 - load));
    println!(
        "load {load}: mean wait {wait:.1} ns; formula {:.1} ns; at the measured load, {measured:.4}, {:.1} ns",
        formula(load),
        formula(measured)
    );
    assert!((wait / formula(measured) - 1.0).abs() < 0.02, "at the measured load {measured}");
    assert!((wait / formula(load) - 1.0).abs() < 0.02, "at the load {load}");
}

/// Standard error 0.4 %.
#[test]
fn mean_wait_at_load_0_3() {
    mean_wait_agrees(0.3, 150_000.0);
}

/// Standard error 0.5 %.
#[test]
fn mean_wait_at_load_0_6() {
    mean_wait_agrees(0.6, 250_000.0);
}

/// Standard error 1 %.
#[test]
fn mean_wait_at_load_0_9() {
    mean_wait_agrees(0.9, 1_000_000.0);
}

/// Little: the mean number that wait is the rate of arrivals times the mean wait. The queue is read every half
/// microsecond, the waits are those of the messages; both cover the same run from empty to empty, so that only the
/// reading at moments, not all the time, keeps them apart.
#[test]
fn the_mean_queue_is_the_rate_of_arrivals_times_the_mean_wait() {
    for load in [0.6, 0.9] {
        let scenario = queue(load, 60_000.0, "[record]\ninterval = \"500ns\"\nqueues = \"s0>h32\"\n");
        let mut samples: Vec<Sample> = Vec::new();
        let run =
            simulate_recorded(&scenario, &Options::default(), &Control::default(), &mut samples).unwrap();
        common::check_books(&run, scenario.duration);
        let last = run.messages.iter().filter_map(|message| message.delivered).max().unwrap();
        let lengths =
            samples.iter().filter(|sample| sample.at <= last).filter_map(|sample| match sample.reading {
                Reading::Queue(bytes) => Some(bytes.as_f64() / 1_048.0),
                _ => None,
            });
        let (sum, count) = lengths.fold((0.0, 0.0), |(sum, count), packets| (sum + packets, count + 1.0));
        let (wait, _) = measure(&run);
        let rate = run.messages.len() as f64 / (last.as_secs_f64() * 1e9);
        println!("load {load}: {:.4} packets wait; rate times wait {:.4}", sum / count, rate * wait);
        assert!((sum / count / (rate * wait) - 1.0).abs() < 0.005, "{} and {}", sum / count, rate * wait);
    }
}
