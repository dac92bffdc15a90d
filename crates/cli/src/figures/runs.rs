//! The runs behind figures: which there are, doing those that are missing, one per core, and what they showed.
//!
//! A run's folder is named after everything that decides its result: the resolved scenario and the program. So
//! figures that ask for the same run share it, a run that was interrupted is done again, and one that is
//! there is not. Runs that took hours may be wanted after the program was built again with other pictures: then
//! those of any build are taken.

use super::observed::Observed;
use super::{Effort, Runnable};
use crate::claims::Variant;
use crate::error::Error;
use crate::fingerprint::{fingerprint, program};
use crate::{expected, results, scenario_file, watched};
use plimsoll_metrics::files::{Results, remove_leftovers_in};
use plimsoll_scenario::{Overrides, Scenario};
use plimsoll_sim::Control;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the user is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// Where runs are kept, and which of them are taken.
pub(crate) struct Kept {
    pub(crate) folder: PathBuf,
    /// Also those that other builds of this program did.
    pub(crate) any_build: bool,
}

impl Kept {
    /// The folder of a scenario's run, which is there if it is done.
    fn folder_of(&self, scenario: &Scenario) -> PathBuf {
        let law = scenario.cc.entry().name;
        let hash = fingerprint(&scenario.to_toml());
        let of_any_build = scenario_file::plain(&format!("{}-{law}-{hash:016x}", scenario.name));
        let ours = self.folder.join(format!("{of_any_build}-{:016x}", fingerprint(&program())));
        if !self.any_build || is_done(&ours) {
            return ours;
        }
        let begins_so = |name: &OsStr| name.to_string_lossy().starts_with(&format!("{of_any_build}-"));
        let there = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let done = there.filter(|it| begins_so(&it.file_name())).map(|it| it.path()).filter(|it| is_done(it));
        let written = |run: &PathBuf| fs::metadata(run).and_then(|run| run.modified()).ok();
        done.max_by_key(written).unwrap_or(ours)
    }
}

fn is_done(folder: &Path) -> bool {
    Results::open(folder).is_ok_and(|results| !results.summary().partial)
}

/// A run that a figure needs.
pub(crate) struct Needed {
    /// Its name in the figure.
    variant: String,
    /// Which of the figure's seeds it is for, from 0; variants may set seeds of their own and be pooled.
    round: u64,
    scenario: Scenario,
    folder: PathBuf,
}

impl Needed {
    /// Reads the scenario of each variant of a figure, seed by seed; nothing runs before all can be read.
    pub(crate) fn of(figure: &Runnable, effort: Effort, runs: &Kept) -> Result<Vec<Self>, Error> {
        Self::read_by(scenario_file::parse, figure, effort, runs)
    }

    /// The same for scenarios that are read in a way of their own.
    pub(crate) fn read_by(
        read: impl Fn(&Path, &str, &Overrides) -> Result<Scenario, Error>,
        figure: &Runnable,
        effort: Effort,
        runs: &Kept,
    ) -> Result<Vec<Self>, Error> {
        let Some(source) = figure.scenario()? else { return Ok(Vec::new()) };
        // Also the law that it names itself, although variants may run others.
        scenario_file::parse(&source.path, &source.text, &Overrides::default())?;
        let file = figure.claim_file()?;
        let shorter = file.shortens(effort);
        let variant = |index: u64, Variant { name, cc, set, .. }: &Variant| {
            let set = set.iter().chain(shorter).cloned().collect();
            let overrides = Overrides { law: cc.clone(), seed: None, set };
            let in_variant = |error| {
                let claims = source.path.with_file_name("claims.toml");
                Error::Text(format!("{}, variant `{name}`:\n{error}", claims.display()))
            };
            let mut scenario = read(&source.path, &source.text, &overrides).map_err(in_variant)?;
            scenario.seed = scenario.seed.wrapping_add(index);
            let folder = runs.folder_of(&scenario);
            Ok(Self { variant: name.clone(), round: index, scenario, folder })
        };
        let asked: Vec<&Variant> = file.asked(effort).collect();
        let pairs = (0..file.seeds(effort)).flat_map(|index| asked.iter().map(move |it| (index, *it)));
        pairs.map(|(index, it)| variant(index, it)).collect()
    }

    pub(crate) fn is_done(&self) -> bool {
        is_done(&self.folder)
    }

    /// What is run, for those who do it elsewhere than in the simulator.
    #[cfg(target_os = "linux")]
    pub(crate) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Where its results are, or will be.
    #[cfg(target_os = "linux")]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The variant and the seed, for people.
    #[cfg(target_os = "linux")]
    pub(crate) fn label(&self) -> String {
        format!("{}, {}, seed {}", self.scenario.name, self.variant, self.scenario.seed)
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
        needed.chunk_by(|one, other| one.round == other.round).map(Self::read)
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

/// The tables of the laws of a figure's runs, each once, with the names of the variants that run it.
pub(crate) fn laws(needed: &[Needed]) -> String {
    let mut tables: Vec<(String, Vec<&str>)> = Vec::new();
    for run in needed.iter().filter(|run| run.round == 0) {
        let whole = run.scenario.to_toml();
        let lines = whole.lines().skip_while(|line| *line != "[cc]");
        let table: Vec<&str> = lines.take_while(|line| *line == "[cc]" || !line.starts_with('[')).collect();
        let table = table.join("\n").trim_end().to_owned();
        match tables.iter_mut().find(|(other, _)| *other == table) {
            Some((_, names)) => names.push(&run.variant),
            None => tables.push((table, vec![&run.variant])),
        }
    }
    let text = |(table, names): &(String, Vec<&str>)| format!("# {}\n{table}", names.join(", "));
    tables.iter().map(text).collect::<Vec<_>>().join("\n\n")
}

/// Removes the results of these runs, so that they are done again.
pub(crate) fn forget<'n>(needed: impl Iterator<Item = &'n Needed>) -> Result<(), Error> {
    for Needed { folder, .. } in needed {
        if Results::open(folder).is_ok() {
            fs::remove_dir_all(folder).map_err(Error::file(folder))?;
        }
    }
    Ok(())
}

/// What is to be done: the runs that are not there, each once.
pub(crate) struct Work<'n> {
    runs: Vec<Task<'n>>,
    total: f64,
}

/// A run, and how far it is.
struct Task<'n> {
    run: &'n Needed,
    /// Packet-hops, about.
    cost: f64,
    control: Control,
    ended: AtomicBool,
}

impl Task<'_> {
    /// Between 0 and 1. Time tells it for runs that end at a time, packets for those that end with their messages.
    fn share(&self) -> f64 {
        if self.ended.load(Ordering::Relaxed) {
            return 1.0;
        }
        let share = match self.run.scenario.duration {
            Some(duration) => self.control.now.load(Ordering::Relaxed) as f64 / duration.as_ps() as f64,
            None => self.control.packet_hops.load(Ordering::Relaxed) as f64 / self.cost.max(1.0),
        };
        // Messages that are sent twice take longer than was expected.
        share.clamp(0.0, 0.99)
    }
}

impl<'n> Work<'n> {
    /// The runs that are missing in the folder.
    pub(crate) fn missing(needed: impl Iterator<Item = &'n Needed>) -> Self {
        let unique: HashMap<&Path, &Needed> = needed.map(|run| (run.folder.as_path(), run)).collect();
        let task = |run: &'n Needed| {
            let cost = expected::work(&run.scenario);
            Task { run, cost, control: Control::default(), ended: AtomicBool::new(false) }
        };
        let mut runs: Vec<Task<'n>> = unique.into_values().filter(|run| !run.is_done()).map(task).collect();
        // Long ones first, so that no core is left with one at the end.
        runs.sort_by(|a, b| b.cost.total_cmp(&a.cost).then_with(|| a.run.folder.cmp(&b.run.folder)));
        let total = runs.iter().map(|task| task.cost).sum();
        Self { runs, total }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Does them, as many at a time as there are cores; `show` is told how much is done, and what.
    pub(crate) fn run(&self, folder: &Path, show: impl Fn(f64, &str)) -> Result<(), Error> {
        if folder.exists() {
            remove_leftovers_in(folder).map_err(results::problem(folder))?;
        }
        if self.is_empty() {
            return Ok(());
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        thread::scope(|scope| {
            let worker = || {
                while let Some(task) = self.runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if watched::interrupted() {
                        break;
                    }
                    if let Err(error) = task.run() {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        break;
                    }
                }
            };
            let workers: Vec<_> = (0..cores.min(self.runs.len())).map(|_| scope.spawn(worker)).collect();
            self.watch(show, || workers.iter().all(|worker| worker.is_finished()));
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Tells how far the runs are, and ends them if the user wants no more.
    fn watch(&self, show: impl Fn(f64, &str), finished: impl Fn() -> bool) {
        let start = Instant::now();
        while !finished() {
            if watched::interrupted() {
                self.runs.iter().for_each(|task| task.control.stop.store(true, Ordering::Relaxed));
            }
            let ended = self.runs.iter().filter(|task| task.ended.load(Ordering::Relaxed)).count();
            show(self.share(), &format!("{ended} of {} runs", self.runs.len()));
            thread::sleep(GLANCE.min(start.elapsed() / 10 + Duration::from_millis(1)));
        }
    }

    fn share(&self) -> f64 {
        self.runs.iter().map(|task| task.cost * task.share()).sum::<f64>() / self.total.max(1.0)
    }
}

impl Task<'_> {
    fn run(&self) -> Result<(), Error> {
        let done = catch_unwind(AssertUnwindSafe(|| self.run.run(&self.control)));
        self.ended.store(true, Ordering::Relaxed);
        done.unwrap_or_else(|_| {
            let name = &self.run.scenario.name;
            Err(Error::Refused(format!("{name}: the simulator failed: this is a bug of ours")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_scenario::routing::Paths;

    impl Needed {
        /// Whether another seed draws other messages or other paths, or something else while it runs.
        pub(crate) fn depends_on_its_seed(&self) -> bool {
            let Scenario { routing, seed, .. } = &self.scenario;
            let network = self.scenario.network().unwrap();
            let drawn = |seed: u64| {
                let workload = self.scenario.workload(&network, seed).unwrap();
                let paths = plimsoll_sim::paths(&network, &workload, seed).unwrap();
                (workload, paths)
            };
            routing.paths != Paths::Ecmp || drawn(*seed) != drawn(seed + 1)
        }
    }

    fn needed(name: &str, text: &str) -> Needed {
        let scenario = Scenario::parse("x.toml", text).unwrap();
        let folder = Path::new("no-such-folder").join(name);
        Needed { variant: name.to_owned(), round: 0, scenario, folder }
    }

    #[test]
    fn a_run_of_another_build_is_taken_if_that_is_wanted() {
        let text = "duration = \"1us\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n[cc]\nlaw = \"swift\"\n\
                    [[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\n";
        let scenario = Scenario::parse("x.toml", text).unwrap();
        let folder = std::env::temp_dir().join(format!("plimsoll-any-build-{}", std::process::id()));
        let kept = |any_build: bool| Kept { folder: folder.clone(), any_build };
        let ours = kept(false).folder_of(&scenario);
        let theirs = {
            let name = ours.file_name().unwrap().to_string_lossy().into_owned();
            folder.join(format!("{}0123456789abcdef", &name[..name.len() - 16]))
        };
        assert_eq!(kept(true).folder_of(&scenario), ours, "nothing is there");
        Needed { variant: String::new(), round: 0, scenario: scenario.clone(), folder: theirs.clone() }
            .run(&Control::default())
            .unwrap();
        assert_eq!(kept(false).folder_of(&scenario), ours);
        assert_eq!(kept(true).folder_of(&scenario), theirs);
        let other = Scenario { seed: scenario.seed + 1, ..scenario };
        assert!(!is_done(&kept(true).folder_of(&other)), "another seed is another run");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_share_counts_runs_by_their_packets_and_shared_runs_once() {
        let flows = |gbps: u32| {
            let text = format!(
                "duration = \"1ms\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\nrate = \"{gbps}Gbps\"\n\
                 [cc]\nlaw = \"swift\"\n[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\n"
            );
            needed(&gbps.to_string(), &text)
        };
        let all = [flows(10), flows(90), flows(90)];
        let work = Work::missing(all.iter());
        assert_eq!(work.runs.len(), 2, "two have the same folder");
        assert_eq!(work.share(), 0.0);
        // The run of 90 Gb/s, which comes first, is nine of ten packets: done half, it is 45 %.
        work.runs[0].control.now.store(500_000_000, Ordering::Relaxed);
        assert!((work.share() - 0.45).abs() < 1e-9, "{}", work.share());
        work.runs[0].ended.store(true, Ordering::Relaxed);
        assert!((work.share() - 0.9).abs() < 1e-9, "{}", work.share());
    }
}
