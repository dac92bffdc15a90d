//! Many runs of one scenario: what `plimsoll sweep` reads.
//!
//! A plan names a scenario and what varies: keys of the scenario with lists of values, laws with values of their
//! own, seeds. All combinations are its [`Point`]s; each is the scenario with some values changed, as `--set`,
//! `--cc` and `--seed` change them. A plan only says what to run; reading the scenario is left to whoever has
//! its file.

mod expand;
mod keys;
mod read;

use crate::Overrides;
use crate::problem::{Kind, Problem, Problems};
use crate::source::Source;
use crate::table::TableInfo;
use std::ops::Range;

/// A plan of runs.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The scenario's path, as the plan writes it.
    pub scenario: Placed<String>,
    /// The columns that are shown over seeds.
    pub columns: Vec<Placed<String>>,
    /// The picture, if one is asked for.
    pub plot: Option<Plot>,
    /// What is run, in the order of the plan: seeds vary fastest, then the last key of the grid.
    pub points: Vec<Point>,
    /// The keys that vary, in the order of the plan.
    pub keys: Vec<String>,
    /// The plan's name and text, for messages.
    name: String,
    text: String,
}

/// What the picture shows.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The key along the horizontal axis.
    pub x: Placed<String>,
    /// The column along the vertical axis.
    pub y: Placed<String>,
    /// The key, or `cc`, that has a curve per value.
    pub series: Placed<String>,
}

/// A value with its place in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    place: Range<usize>,
}

/// One run of a plan.
#[derive(Clone, Debug)]
pub struct Point {
    /// The law with the values that belong to it, e.g. `poseidon, m = 0.5`; `None` = the scenario's.
    pub law: Option<String>,
    /// What varies besides law and seed: the key and its value as the plan writes it, quotes of texts left out.
    pub values: Vec<(String, String)>,
    /// The seed; `None` = the scenario's.
    pub seed: Option<u64>,
    /// The same as changes of the scenario.
    pub overrides: Overrides,
    /// Where each change comes from.
    origins: Vec<Origin>,
}

/// A change of the scenario and where the plan says it.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// As messages about the change show it.
    text: String,
    key: Range<usize>,
    value: Range<usize>,
}

impl Sweep {
    /// Reads a plan; `name` stands in front of messages, usually the file's path.
    ///
    /// # Errors
    /// All problems of the text, in the order of their place. Values are checked when a point's scenario is
    /// read: see [`Sweep::blame`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        read::sweep(name, text)
    }

    /// A problem with a value of the plan.
    #[must_use]
    pub fn problem<T>(&self, kind: Kind, placed: &Placed<T>, message: &str) -> Problem {
        Source::new(&self.name, &self.text).problem(kind, placed.place.clone(), message.to_owned())
    }

    /// The problems of a point's scenario, each at its place in the plan if a value of the plan is to blame;
    /// the others stay where they are, in the scenario.
    #[must_use]
    pub fn blame(&self, point: &Point, problems: &Problems) -> Vec<Problem> {
        let moved = |problem: &Problem| {
            let from_plan = problem.file.starts_with("--");
            let origin = point
                .origins
                .iter()
                .rev()
                .find(|origin| from_plan && origin.text.contains(problem.source_line.trim()));
            let Some(origin) = origin else { return problem.clone() };
            let place = if problem.kind == Kind::Unknown && problem.file == "--set" {
                &origin.key
            } else {
                &origin.value
            };
            Source::new(&self.name, &self.text).problem(problem.kind, place.clone(), problem.message.clone())
        };
        problems.iter().map(moved).collect()
    }

    /// Problems as an error; `None` without any. Equal ones, which several points share, are kept once.
    #[must_use]
    pub fn problems(problems: Vec<Problem>) -> Option<Problems> {
        let mut kept: Vec<Problem> = Vec::new();
        for problem in problems {
            if !kept.contains(&problem) {
                kept.push(problem);
            }
        }
        (!kept.is_empty()).then_some(Problems(kept))
    }

    /// The tables of a plan, for people.
    #[must_use]
    pub fn tables() -> Vec<TableInfo> {
        keys::tables()
    }
}
