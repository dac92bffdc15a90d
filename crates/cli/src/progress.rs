//! Progress bars for those who wait.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Who is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(2);
/// The bar's finest step: a thousandth.
const STEPS: f64 = 1000.0;
/// Who has done less than this knows too little to say how long the rest takes.
const TOO_EARLY: f64 = 0.005;

/// Counts steps; shows itself on a terminal once the work takes longer than two seconds.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    pub(crate) fn new(steps: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now() }
    }

    /// The next step, called `name`, begins.
    pub(crate) fn begin(&self, name: &str) {
        if self.bar.is_hidden() && self.start.elapsed() > PATIENCE && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_message(name.to_owned());
    }

    /// It ended.
    pub(crate) fn end(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A share of the work, which only grows; shows itself on a terminal once the work takes longer than two seconds.
pub(crate) struct Share {
    bar: ProgressBar,
    start: Instant,
    share: Cell<f64>,
}

impl Share {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now(), share: Cell::new(0.0) }
    }

    /// So much is done, and `what` is being done.
    pub(crate) fn show(&self, share: f64, what: &str) {
        let elapsed = self.start.elapsed();
        if self.bar.is_hidden() && elapsed > PATIENCE && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let share = self.share.get().max(share.clamp(0.0, 1.0));
        self.share.set(share);
        self.bar.set_position((STEPS * share) as u64);
        self.bar.set_message(message(share, what, elapsed));
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// `25 % of 12 runs, 18 s left`
fn message(share: f64, what: &str, elapsed: Duration) -> String {
    let mut text = format!("{:.0} %: {what}", 100.0 * share);
    if share > TOO_EARLY {
        let left = elapsed.as_secs_f64() * (1.0 / share - 1.0);
        text.push_str(&match left {
            ..100.0 => format!(", {left:.0} s left"),
            _ => format!(", {:.0} min left", left / 60.0),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_what_the_rest_takes_at_the_pace_so_far() {
        // A quarter took 6 s, so the other three take 18 s; a quarter of 100 s leaves 300 s.
        assert_eq!(message(0.25, "2 of 12 runs", Duration::from_secs(6)), "25 %: 2 of 12 runs, 18 s left");
        assert_eq!(message(0.25, "runs", Duration::from_secs(100)), "25 %: runs, 5 min left");
        assert_eq!(message(0.0, "runs", Duration::from_secs(6)), "0 %: runs");
    }

    #[test]
    fn a_share_never_falls() {
        let progress = Share::new();
        progress.show(0.5, "");
        progress.show(0.4, "");
        assert_eq!((progress.share.get(), progress.bar.position()), (0.5, 500));
    }
}
