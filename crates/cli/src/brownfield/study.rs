//! Running deployments, each over all seeds, and remembering what they yielded.

use super::deployment::{Set, text};
use super::measure::{self, Row};
use crate::error::Error;
use crate::sweep::{Prepared, State, work};
use plimsoll_scenario::Network;
use std::collections::HashMap;
use std::path::PathBuf;

/// One scenario with INT in some of its switches or others.
pub(crate) struct Study {
    pub(crate) network: Network,
    /// The scenario's path, for messages, and its text with everything resolved.
    pub(crate) base: (PathBuf, String),
    pub(crate) seeds: Vec<u64>,
    pub(crate) folder: PathBuf,
    /// Runs at the same time.
    pub(crate) jobs: usize,
    pub(crate) tally: Tally,
    rows: HashMap<Set, Row>,
}

/// What became of the runs.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) ran: usize,
    pub(crate) found: usize,
    /// The user wants no more.
    pub(crate) interrupted: bool,
    /// Folders of runs that failed, or in which flows did, each with the reason.
    pub(crate) failures: Vec<(String, String)>,
}

impl Study {
    pub(crate) fn new(
        network: Network,
        base: (PathBuf, String),
        seeds: Vec<u64>,
        folder: PathBuf,
        jobs: usize,
    ) -> Self {
        Self { network, base, seeds, folder, jobs, tally: Tally::default(), rows: HashMap::new() }
    }

    /// The deployment's row, if it was run.
    pub(crate) fn row(&self, set: &Set) -> Option<&Row> {
        self.rows.get(set)
    }

    /// No switch.
    pub(crate) fn none(&self) -> Set {
        Set::new()
    }

    /// Every switch.
    pub(crate) fn full(&self) -> Set {
        (self.network.hosts..self.network.nodes()).collect()
    }

    /// Runs these deployments where no results are there. Those that the user did not wait for have no row.
    pub(crate) fn run(&mut self, sets: &[Set]) -> Result<(), Error> {
        let mut missing: Vec<&Set> = Vec::new();
        for set in sets {
            if !self.rows.contains_key(set) && !missing.contains(&set) {
                missing.push(set);
            }
        }
        if missing.is_empty() || self.tally.interrupted {
            return Ok(());
        }
        let values: Vec<String> = missing.iter().map(|set| text(&self.network, set)).collect();
        let seeds: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        let plan = format!(
            "scenario = \"base\"\nseeds = [{}]\n[grid]\nswitch.int_switches = [{}]\n",
            seeds.join(", "),
            values.join(", ")
        );
        let prepared = Prepared::of(&plan, self.base.clone())?;
        let states = work(&prepared, &self.folder, self.jobs)?;
        for (set, runs) in missing.into_iter().zip(states.chunks(self.seeds.len()).enumerate()) {
            let (place, states) = runs;
            let mut measured = Vec::new();
            for (seed, state) in states.iter().enumerate() {
                let index = place * self.seeds.len() + seed;
                let name = &prepared.jobs[index].folder;
                match state {
                    State::Found => self.tally.found += 1,
                    State::Ran => self.tally.ran += 1,
                    State::Failed(reason) => {
                        self.tally.failures.push((name.clone(), reason.clone()));
                        continue;
                    }
                    State::NotRun => {
                        self.tally.interrupted = true;
                        continue;
                    }
                }
                let (run, failed) = measure::read(&self.folder.join(name), &prepared.scenario(index)?)?;
                if failed > 0 {
                    self.tally.failures.push((name.clone(), format!("{failed} of its flows failed")));
                }
                measured.push(run);
            }
            // A mean over fewer seeds than the others have cannot be held against them.
            if measured.len() == self.seeds.len() {
                self.rows.insert(set.clone(), Row::of(&measured));
            }
        }
        Ok(())
    }
}
