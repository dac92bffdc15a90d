//! The runs behind figures: which there are, doing those that are missing, one per core, and what they showed.
//!
//! A run's folder is named after everything that decides its result: the resolved scenario and the program. So
//! figures that ask for the same run share it, a run that was interrupted is done again, and one that is
//! there is not.

use super::observed::Observed;
use super::{Effort, Runnable};
use crate::claims::Variant;
use crate::error::Error;
use crate::fingerprint::{fingerprint, program};
use crate::{results, scenario_file, watched};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plimsoll_metrics::files::{Results, remove_leftovers_in};
use plimsoll_scenario::{Overrides, Scenario};
use plimsoll_sim::Control;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the user is looked at.
const GLANCE: Duration = Duration::from_millis(100);
/// Who is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// A run that a figure needs.
pub(crate) struct Needed {
    /// Its name in the figure.
    variant: String,
    seed: u64,
    scenario: Scenario,
    folder: PathBuf,
}

impl Needed {
    /// Reads the scenario of each variant of a figure, seed by seed; nothing runs before all can be read.
    pub(crate) fn of(figure: &Runnable, effort: Effort, runs: &Path) -> Result<Vec<Self>, Error> {
        let Some(source) = figure.scenario()? else { return Ok(Vec::new()) };
        let file = figure.claim_file()?;
        let quick: &[String] = if effort == Effort::Quick { &file.quick } else { &[] };
        let variant = |index: u64, Variant { name, cc, set }: &Variant| {
            let set = set.iter().chain(quick).cloned().collect();
            let overrides = Overrides { law: cc.clone(), seed: None, set };
            let mut scenario = scenario_file::parse(&source.path, &source.text, &overrides)?;
            scenario.seed = scenario.seed.wrapping_add(index);
            let hash = fingerprint(&format!("{}\n{}", program(), scenario.to_toml()));
            let law = scenario.cc.entry().name;
            let plain = scenario_file::plain(&format!("{}-{law}-{hash:016x}", scenario.name));
            Ok(Self { variant: name.clone(), seed: scenario.seed, scenario, folder: runs.join(plain) })
        };
        let pairs = (0..file.seeds(effort)).flat_map(|index| file.variants.iter().map(move |it| (index, it)));
        pairs.map(|(index, it)| variant(index, it)).collect()
    }

    pub(crate) fn is_done(&self) -> bool {
        Results::open(&self.folder).is_ok_and(|results| !results.summary().partial)
    }

    /// What the run should cost: simulated time is the best guess before it runs.
    fn cost(&self) -> f64 {
        self.scenario.end().since_start().as_secs_f64()
    }

    fn run(&self, control: &Control) -> Result<(), Error> {
        let mut folder = results::Folder::begin(&self.folder, &self.scenario)?;
        let run = folder.run_alone(&self.scenario, control)?;
        if run.summary.partial { Ok(()) } else { folder.finish(&run) }
    }
}

/// What a figure's runs showed, by the names of its variants.
pub(crate) struct Runs(Vec<(String, Observed)>);

impl Runs {
    /// Reads a figure's runs, one seed at a time, so that no more than one is held.
    pub(crate) fn by_seed(needed: &[Needed]) -> impl Iterator<Item = Result<Self, Error>> {
        needed.chunk_by(|one, other| one.seed == other.seed).map(Self::read)
    }

    fn read(needed: &[Needed]) -> Result<Self, Error> {
        let read = |run: &Needed| Ok((run.variant.clone(), Observed::read(&run.scenario, &run.folder)?));
        needed.iter().map(read).collect::<Result<_, Error>>().map(Self)
    }

    /// The run with this name.
    pub(crate) fn get(&self, variant: &str) -> Result<&Observed, String> {
        let found = self.0.iter().find(|(name, _)| name == variant);
        found.map(|(_, run)| run).ok_or_else(|| format!("claims.toml has no variant `{variant}`"))
    }

    /// All runs whose names begin so, with the rest of their names.
    pub(crate) fn family<'r>(&'r self, prefix: &'r str) -> impl Iterator<Item = (&'r str, &'r Observed)> {
        self.0.iter().filter_map(move |(name, run)| Some((name.strip_prefix(prefix)?, run)))
    }
}

/// Removes the results of these runs, so that they are done again.
pub(crate) fn forget<'n>(needed: impl Iterator<Item = &'n Needed>) -> Result<(), Error> {
    for Needed { folder, .. } in needed {
        if Results::open(folder).is_ok() {
            std::fs::remove_dir_all(folder).map_err(Error::file(folder))?;
        }
    }
    Ok(())
}

/// Does the runs that are missing in the folder, as many at a time as there are cores.
pub(crate) fn work<'n>(needed: impl Iterator<Item = &'n Needed>, runs: &Path) -> Result<(), Error> {
    let unique: HashMap<&Path, &Needed> = needed.map(|run| (run.folder.as_path(), run)).collect();
    let mut missing: Vec<&Needed> = unique.into_values().filter(|run| !run.is_done()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    remove_leftovers_in(runs).map_err(results::problem(runs))?;
    // Long ones first, so that no core is left with one at the end.
    missing.sort_by(|a, b| b.cost().total_cmp(&a.cost()).then_with(|| a.folder.cmp(&b.folder)));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let controls: Vec<Control> = missing.iter().map(|_| Control::default()).collect();
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let fail = |error| failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error).to_string();
    thread::scope(|scope| {
        let worker = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let (Some(run), Some(control)) = (missing.get(index), controls.get(index)) else { break };
                if watched::interrupted() {
                    break;
                }
                let done = catch_unwind(AssertUnwindSafe(|| run.run(control)));
                let done = done.unwrap_or_else(|_| {
                    let text = format!("{}: the simulator failed: this is a bug of ours", run.scenario.name);
                    Err(Error::Refused(text))
                });
                if let Err(error) = done {
                    fail(error);
                    break;
                }
            }
        };
        let workers: Vec<_> = (0..cores.min(missing.len())).map(|_| scope.spawn(worker)).collect();
        watch(&missing, &controls, || workers.iter().all(|worker| worker.is_finished()));
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Shows how far the runs are, and ends them if the user wants no more.
fn watch(missing: &[&Needed], controls: &[Control], finished: impl Fn() -> bool) {
    let start = Instant::now();
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
        bar.set_style(style);
    }
    let total: f64 = missing.iter().map(|run| run.cost()).sum();
    while !finished() {
        if watched::interrupted() {
            controls.iter().for_each(|control| control.stop.store(true, Ordering::Relaxed));
        }
        let elapsed = start.elapsed();
        if bar.is_hidden() && elapsed > PATIENCE && std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let now = |control: &Control| control.now.load(Ordering::Relaxed) as f64 * 1e-12;
        let done: f64 = controls.iter().zip(missing).map(|(control, run)| now(control).min(run.cost())).sum();
        bar.set_position((1000.0 * done / total) as u64);
        bar.set_message(message(done / total, missing.len(), elapsed));
        thread::sleep(GLANCE.min(elapsed / 10 + Duration::from_millis(1)));
    }
    bar.finish_and_clear();
}

/// `25 % of 12 runs, 18 s left`
fn message(share: f64, runs: usize, elapsed: Duration) -> String {
    let mut text = format!("{:.0} % of {runs} runs", 100.0 * share);
    if share > 0.0 {
        text.push_str(&format!(", {:.0} s left", elapsed.as_secs_f64() * (1.0 / share - 1.0)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_what_the_rest_takes_at_the_pace_so_far() {
        // A quarter took 6 s, so the other three take 18 s.
        assert_eq!(message(0.25, 12, Duration::from_secs(6)), "25 % of 12 runs, 18 s left");
        assert_eq!(message(0.0, 12, Duration::from_secs(6)), "0 % of 12 runs");
    }
}
