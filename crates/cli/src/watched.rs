//! A simulation with somebody who watches: a progress bar, and Ctrl-C that ends it early.

use crate::error::Error;
use crate::{expected, human};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plimsoll_metrics::{Sample, Sink};
use plimsoll_scenario::Scenario;
use plimsoll_sim::{Control, Options, Run, Tap, simulate_recorded};
use plimsoll_units::{Span, Time};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// When Ctrl-C or a request to terminate came first.
static INTERRUPTED: OnceLock<Instant> = OnceLock::new();
/// What comes sooner after it is the same request: `timeout`, for one, signals a process twice.
const SAME: Duration = Duration::from_millis(500);

/// Who is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the run is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// Whether the user wants no more.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.get().is_some()
}

/// From now on the first Ctrl-C ends runs with what they have, the second ends everything.
pub(crate) fn listen() {
    // Without a handler the system ends the process: no partial result, and nothing worse.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.get_or_init(Instant::now).elapsed() > SAME {
            std::process::exit(130);
        }
    });
}

/// Runs a scenario and shows how far it is; `label` stands in front of the bar. What the scenario's
/// `[record]` table asks for goes into `sink`, packets into `tap`.
pub(crate) fn run(
    scenario: &Scenario,
    threads: usize,
    label: &str,
    sink: &mut (dyn Sink<Sample> + Send),
    tap: Option<Tap>,
) -> Result<Run, Error> {
    let mut control = Control { tap, ..Control::default() };
    let done = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&control, &done, scenario, label));
        let result = simulate_recorded(scenario, &Options { threads, seed: None }, &control, sink);
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        result
    });
    let run = result.map_err(|error| Error::Refused(format!("{}: {error}", scenario.name)))?;
    control.tap.take().map_or(Ok(0), Tap::finish).map_err(|error| {
        Error::Refused(format!("{}: the packets cannot be written: {error}", scenario.name))
    })?;
    Ok(run)
}

/// What a run is measured by until it ends.
#[derive(Clone, Copy)]
enum Goal {
    /// It ends at this time.
    Time(Span),
    /// It ends when its messages have arrived: so many packet-hops, and some more if packets are sent twice.
    Hops(u64),
}

fn watch(control: &Control, done: &AtomicBool, scenario: &Scenario, label: &str) {
    let start = Instant::now();
    let mut goal = scenario.duration.map(Goal::Time);
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    while !done.load(Ordering::Relaxed) {
        if interrupted() {
            control.stop.store(true, Ordering::Relaxed);
        }
        let elapsed = start.elapsed();
        if bar.is_hidden() && elapsed > PATIENCE && std::io::stderr().is_terminal() {
            // Only now is somebody there who wants to know.
            goal = goal.or_else(|| expected::packet_hops(scenario).map(Goal::Hops));
            begin(&bar, goal);
        }
        let now = Time::from_ps(control.now.load(Ordering::Relaxed)).since_start();
        let hops = control.packet_hops.load(Ordering::Relaxed);
        bar.set_message(format!("{label}: {}", message(now, hops, goal, elapsed)));
        bar.set_position(if matches!(goal, Some(Goal::Hops(_))) { hops } else { now.as_ps() });
        thread::park_timeout(GLANCE);
    }
    bar.finish_and_clear();
}

/// Shows the bar.
fn begin(bar: &ProgressBar, goal: Option<Goal>) {
    let template = if goal.is_some() { "{bar:30} {msg}" } else { "{spinner} {msg}" };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    match goal {
        Some(Goal::Time(duration)) => bar.set_length(duration.as_ps()),
        Some(Goal::Hops(hops)) => bar.set_length(hops),
        None => {}
    }
    bar.set_draw_target(ProgressDrawTarget::stderr());
}

/// `1.20 ms of 5.00 ms, 9.80 M packet-hops/s, 12 s left`
fn message(now: Span, hops: u64, goal: Option<Goal>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let rate = human::count((hops as f64 / seconds) as u64);
    let now_text = human::time(now);
    match goal {
        Some(Goal::Time(duration)) => {
            let text = format!("{now_text} of {}, {rate} packet-hops/s", human::time(duration));
            if now == Span::ZERO {
                return text;
            }
            format!("{text}, {:.0} s left", seconds * (duration.saturating_sub(now) / now))
        }
        // What was sent twice is not known beforehand, so the last of it is not promised.
        Some(Goal::Hops(all)) if (1..all).contains(&hops) => {
            let left = seconds * (all - hops) as f64 / hops as f64;
            let percent = 100.0 * hops as f64 / all as f64;
            format!("{now_text} simulated, {percent:.0} %, {rate} packet-hops/s, about {left:.0} s left")
        }
        _ => format!("{now_text} simulated, {rate} packet-hops/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_what_the_rest_takes_at_the_pace_so_far() {
        // 1 ms of 5 ms took 3 s, so the other 4 ms take 12 s; 30 M hops in 3 s are 10 M a second.
        let goal = Some(Goal::Time(Span::from_ms(5)));
        let text = message(Span::from_ms(1), 30_000_000, goal, Duration::from_secs(3));
        assert_eq!(text, "1.00 ms of 5.00 ms, 10.0 M packet-hops/s, 12 s left");
    }

    #[test]
    fn without_a_duration_the_work_that_is_left_counts() {
        // 30 M of 120 M hops took 3 s, so the other 90 M take 9 s.
        let after =
            |hops| message(Span::from_ms(1), hops, Some(Goal::Hops(120_000_000)), Duration::from_secs(3));
        assert_eq!(after(30_000_000), "1.00 ms simulated, 25 %, 10.0 M packet-hops/s, about 9 s left");
        assert_eq!(after(120_000_000), "1.00 ms simulated, 40.0 M packet-hops/s");
    }

    #[test]
    fn without_a_goal_nothing_is_promised() {
        let text = message(Span::from_ms(1), 30_000_000, None, Duration::from_secs(3));
        assert_eq!(text, "1.00 ms simulated, 10.0 M packet-hops/s");
    }
}
