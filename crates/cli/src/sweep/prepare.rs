//! Reading a plan and all its points before anything runs.

use super::collect;
use super::picture::quantity;
use crate::error::Error;
use crate::fingerprint::fingerprint;
use crate::scenario_file;
use plimsoll_cc::params::nearest;
use plimsoll_scenario::Kind;
use plimsoll_scenario::select::Ports;
use plimsoll_scenario::sweep::{Placed, Point};
use plimsoll_scenario::{Scenario, Sweep};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A plan whose every point can be run.
pub(crate) struct Prepared {
    pub(crate) sweep: Sweep,
    /// The scenario's path and text.
    base: (PathBuf, String),
    /// What the plan's results are called.
    pub(crate) name: String,
    /// One per point, in the plan's order.
    pub(crate) jobs: Vec<Job>,
}

/// A point with its folder.
pub(crate) struct Job {
    /// The name of its folder.
    pub(crate) folder: String,
    /// The law that it runs, as the plan or the scenario names it.
    pub(crate) law: String,
    pub(crate) seed: u64,
    /// A hash of everything resolved: a result with another one is of another run.
    fingerprint: u64,
}

impl Prepared {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let text = scenario_file::text(path)?;
        let sweep = Sweep::parse(&path.display().to_string(), &text).map_err(Error::Scenario)?;
        let base = path.parent().unwrap_or(Path::new("")).join(&sweep.scenario.value);
        let base_text = std::fs::read_to_string(&base).map_err(|error| {
            let message = format!("cannot read `{}`: {error}", base.display());
            let problem = sweep.problem(Kind::Missing, &sweep.scenario, &message);
            Error::problems(vec![problem])
        })?;
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("sweep");
        Self::new(sweep, (base, base_text), scenario_file::plain(name))
    }

    /// A plan that is no file, over this scenario, whatever the plan says of it.
    pub(crate) fn of(plan: &str, base: (PathBuf, String)) -> Result<Self, Error> {
        let sweep = Sweep::parse("plan", plan).map_err(Error::Scenario)?;
        Self::new(sweep, base, String::new())
    }

    fn new(sweep: Sweep, base: (PathBuf, String), name: String) -> Result<Self, Error> {
        check_columns(&sweep)?;
        let mut prepared = Self { sweep, base, name, jobs: Vec::new() };
        prepared.check_points()?;
        Ok(prepared)
    }

    /// The scenario of a point.
    pub(crate) fn scenario(&self, index: usize) -> Result<Scenario, Error> {
        let (path, text) = &self.base;
        scenario_file::parse(path, text, &self.sweep.points[index].overrides)
    }

    /// Whether the text of a `run.toml` is that of this point.
    pub(crate) fn is_of(&self, index: usize, run: &str) -> bool {
        fingerprint(run) == self.jobs[index].fingerprint
    }

    /// Reads every point's scenario, and names its folder.
    fn check_points(&mut self) -> Result<(), Error> {
        let mut problems = Vec::new();
        let mut names: HashMap<String, u32> = HashMap::new();
        for (index, point) in self.sweep.points.iter().enumerate() {
            let scenario = match self.scenario(index) {
                Ok(scenario) => scenario,
                Err(Error::Scenario(found)) => {
                    problems.extend(self.sweep.blame(point, &found));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if scenario.record.packets != Ports::none() {
                let message = "`[record] packets` is set, but a sweep writes no packets: leave it out, and capture those \
                               of single points later with `plimsoll export pcapng`";
                problems.push(self.sweep.problem(Kind::Contradiction, &self.sweep.scenario, message));
                continue;
            }
            let law = point.law.clone().unwrap_or_else(|| scenario.cc.entry().name.to_owned());
            let mut folder = folder_name(&self.sweep, point, &law, scenario.seed);
            let taken = names.entry(folder.clone()).or_default();
            *taken += 1;
            if *taken > 1 {
                folder = format!("{folder}_{taken}");
            }
            let fingerprint = fingerprint(&scenario.to_toml());
            self.jobs.push(Job { folder, law, seed: scenario.seed, fingerprint });
        }
        if problems.is_empty() { Ok(()) } else { Err(Error::problems(problems)) }
    }
}

/// Columns and the picture's axes must be such that there is something to show.
fn check_columns(sweep: &Sweep) -> Result<(), Error> {
    let known = collect::numeric_columns();
    let unknown = |placed: &Placed<String>| {
        let name = placed.value.as_str();
        if known.iter().any(|known| known == name) {
            return None;
        }
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it may be {}", known.join(", ")),
        };
        let message = format!("summary.json has no number called `{name}`; {hint}");
        Some(sweep.problem(Kind::Unknown, placed, &message))
    };
    let mut problems: Vec<_> = sweep.columns.iter().filter_map(unknown).collect();
    if let Some(plot) = &sweep.plot {
        problems.extend(unknown(&plot.y));
        let x = plot.x.value.as_str();
        let values = sweep.points.iter().flat_map(|point| &point.values).filter(|(key, _)| key == x);
        if let Some((_, value)) = values.clone().find(|(_, value)| quantity(value).is_none()) {
            let message = format!("`{x}` cannot be an axis: \"{value}\" is no number, time, rate or size");
            problems.push(sweep.problem(Kind::WrongType, &plot.x, &message));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::problems(problems)) }
}

/// Law, values and seed, such as `hpcc_load-0.5_seed-1`.
fn folder_name(sweep: &Sweep, point: &Point, law: &str, seed: u64) -> String {
    let mut parts = vec![law.replace(" = ", "-").replace(", ", "_")];
    parts.extend(point.values.iter().map(|(key, value)| format!("{}-{value}", short(&sweep.keys, key))));
    parts.push(format!("seed-{seed}"));
    let name = scenario_file::plain(&parts.join("_"));
    // File systems take 255 bytes, of which unfinished folders need some.
    const MOST: usize = 150;
    if name.len() <= MOST {
        return name;
    }
    let end = (0..=MOST).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    format!("{}-{:016x}", &name[..end], fingerprint(&name))
}

/// The last word of a key if no other key ends in it.
fn short<'k>(keys: &[String], key: &'k str) -> &'k str {
    let last = |key: &'k str| key.rsplit('.').next().unwrap_or(key);
    let same = keys.iter().filter(|other| other.rsplit('.').next() == Some(last(key))).count();
    if same > 1 { key } else { last(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_after_what_varies() {
        let text = "scenario = \"x.toml\"\n[grid]\ntraffic.0.load = [0.5]\nhost.mtu = [\"1KB\"]\ntraffic.1.load = [0.1]\n";
        let sweep = Sweep::parse("plan.toml", text).unwrap();
        let name = folder_name(&sweep, &sweep.points[0], "poseidon:nsdi23, m = 0.5", 3);
        assert_eq!(name, "poseidon-nsdi23_m-0.5_traffic.0.load-0.5_mtu-1KB_traffic.1.load-0.1_seed-3");
        assert!(folder_name(&sweep, &sweep.points[0], &"x".repeat(300), 3).len() < 180);
    }
}
