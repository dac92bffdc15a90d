//! Running the points that have no results yet, one per core.

use super::Prepared;
use crate::error::Error;
use crate::progress::Progress;
use crate::{results, watched};
use plimsoll_metrics::files::{Results, remove_leftovers_in};
use plimsoll_sim::Control;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What became of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its results were there already.
    Found,
    /// It was run.
    Ran,
    /// It could not be run, for this reason.
    Failed(String),
    /// The user did not want to wait for it.
    NotRun,
}

/// How often the user is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// Runs what is missing in `folder`, `jobs` points at a time, each on one thread.
pub(crate) fn work(prepared: &Prepared, folder: &Path, jobs: usize) -> Result<Vec<State>, Error> {
    let all = prepared.jobs.len();
    remove_leftovers_in(folder).map_err(results::problem(folder))?;
    let mut states: Vec<State> = (0..all)
        .map(|index| if is_done(prepared, index, folder) { State::Found } else { State::NotRun })
        .collect();
    let missing: Vec<usize> = (0..all).filter(|index| states[*index] == State::NotRun).collect();
    let workers = jobs.clamp(1, missing.len().max(1));
    let controls: Vec<Control> = (0..workers).map(|_| Control::default()).collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, State)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let workers: Vec<_> = controls
            .iter()
            .map(|control| {
                let (missing, next, done) = (&missing, &next, &done);
                scope.spawn(move || {
                    while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if watched::interrupted() {
                            break;
                        }
                        let state = guarded(prepared, index, folder, control);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((index, state));
                    }
                })
            })
            .collect();
        watch(&controls, &done, all - missing.len(), all, || {
            workers.iter().all(|worker| worker.is_finished())
        });
    });
    for (index, state) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        states[index] = state;
    }
    Ok(states)
}

/// Shows how far the sweep is, and ends the runs if the user wants no more.
fn watch(
    controls: &[Control],
    done: &Mutex<Vec<(usize, State)>>,
    found: usize,
    all: usize,
    finished: impl Fn() -> bool,
) {
    let start = Instant::now();
    let progress = Progress::new(all);
    (0..found).for_each(|_| progress.end());
    let mut shown = 0;
    while !finished() {
        if watched::interrupted() {
            controls.iter().for_each(|control| control.stop.store(true, Ordering::Relaxed));
        }
        let now = done.lock().unwrap_or_else(PoisonError::into_inner).len();
        (shown..now).for_each(|_| progress.end());
        shown = now;
        progress.begin(&message(now, all - found, start.elapsed()));
        thread::sleep(GLANCE.min(start.elapsed() / 10 + Duration::from_millis(1)));
    }
}

/// `points, 40 s left`
fn message(done: usize, missing: usize, elapsed: Duration) -> String {
    if done == 0 {
        return "points".to_owned();
    }
    let left = elapsed.as_secs_f64() / done as f64 * (missing - done.min(missing)) as f64;
    format!("points, {left:.0} s left")
}

/// Whether the folder of a point holds the whole result of this very run.
fn is_done(prepared: &Prepared, index: usize, folder: &Path) -> bool {
    let path = folder.join(&prepared.jobs[index].folder);
    let Ok(results) = Results::open(&path) else { return false };
    !results.summary().partial && results.run().is_ok_and(|run| prepared.is_of(index, &run))
}

/// A point that fails, whatever the reason, must not take the others with it.
fn guarded(prepared: &Prepared, index: usize, folder: &Path, control: &Control) -> State {
    match catch_unwind(AssertUnwindSafe(|| run(prepared, index, folder, control))) {
        Ok(Ok(state)) => state,
        Ok(Err(error)) => State::Failed(error.to_string()),
        Err(_) => State::Failed("the simulator failed: this is a bug of ours, please report it".to_owned()),
    }
}

fn run(prepared: &Prepared, index: usize, folder: &Path, control: &Control) -> Result<State, Error> {
    let scenario = prepared.scenario(index)?;
    let mut results = results::Folder::begin(&folder.join(&prepared.jobs[index].folder), &scenario)?;
    let run = results.run_alone(&scenario, control)?;
    // A run that was stopped is no result of the sweep; its folder is dropped and goes.
    if run.summary.partial {
        return Ok(State::NotRun);
    }
    results.finish(&run)?;
    Ok(State::Ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_what_the_rest_takes_at_the_pace_so_far() {
        // 3 of 12 points took 6 s, so the other 9 take 18 s.
        assert_eq!(message(3, 12, Duration::from_secs(6)), "points, 18 s left");
        assert_eq!(message(0, 12, Duration::from_secs(6)), "points");
    }
}
