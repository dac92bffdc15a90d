//! A simulation with somebody who watches: a progress bar, and Ctrl-C that ends it early.

use crate::error::Error;
use crate::human;
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
        let watcher = scope.spawn(|| watch(&control, &done, scenario.duration, label));
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

fn watch(control: &Control, done: &AtomicBool, duration: Option<Span>, label: &str) {
    let start = Instant::now();
    let bar = ProgressBar::with_draw_target(duration.map(Span::as_ps), ProgressDrawTarget::hidden());
    let template = if duration.is_some() { "{bar:30} {msg}" } else { "{spinner} {msg}" };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    while !done.load(Ordering::Relaxed) {
        if interrupted() {
            control.stop.store(true, Ordering::Relaxed);
        }
        let elapsed = start.elapsed();
        if bar.is_hidden() && elapsed > PATIENCE && std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let now = Time::from_ps(control.now.load(Ordering::Relaxed)).since_start();
        let hops = control.packet_hops.load(Ordering::Relaxed);
        bar.set_message(format!("{label}: {}", message(now, hops, duration, elapsed)));
        bar.set_position(now.as_ps());
        thread::park_timeout(GLANCE);
    }
    bar.finish_and_clear();
}

/// `1.20 ms of 5.00 ms, 9.80 M packet-hops/s, 12 s left`
fn message(now: Span, hops: u64, duration: Option<Span>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let rate = human::count((hops as f64 / seconds) as u64);
    let Some(duration) = duration else {
        return format!("{} simulated, {rate} packet-hops/s", human::time(now));
    };
    let mut text = format!("{} of {}, {rate} packet-hops/s", human::time(now), human::time(duration));
    if now > Span::ZERO {
        let left = seconds * (duration.saturating_sub(now) / now);
        text.push_str(&format!(", {left:.0} s left"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_what_the_rest_takes_at_the_pace_so_far() {
        // 1 ms of 5 ms took 3 s, so the other 4 ms take 12 s; 30 M hops in 3 s are 10 M a second.
        let text = message(Span::from_ms(1), 30_000_000, Some(Span::from_ms(5)), Duration::from_secs(3));
        assert_eq!(text, "1.00 ms of 5.00 ms, 10.0 M packet-hops/s, 12 s left");
    }

    #[test]
    fn without_a_duration_nothing_is_promised() {
        let text = message(Span::from_ms(1), 30_000_000, None, Duration::from_secs(3));
        assert_eq!(text, "1.00 ms simulated, 10.0 M packet-hops/s");
    }
}
