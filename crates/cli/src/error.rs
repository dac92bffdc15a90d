//! What can go wrong, and how a command ends.

use plimsoll_scenario::{Problem, Problems, Sweep};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// How a command that ran to its end ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All is well: 0.
    Good,
    /// A claim of a paper did not hold: 1.
    ClaimFailed,
    /// A flow of a run failed: 1.
    FlowFailed,
    /// A point of a sweep could not be run, or a flow of it failed: 1.
    PointFailed,
    /// The user ended a run early: 130, as shells have it for Ctrl-C.
    Interrupted,
}

impl Verdict {
    /// The number that the process ends with; the larger, the worse.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::ClaimFailed | Self::FlowFailed | Self::PointFailed => 1,
            Self::Interrupted => 130,
        }
    }

    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(self.number())
    }
}

/// Why a command could not do its work. All of these exit with 2 unless they say otherwise.
#[derive(Debug)]
pub(crate) enum Error {
    /// A name that nothing has.
    Unknown {
        /// What sort of thing was looked for.
        what: &'static str,
        name: String,
        /// Similar names.
        near: Vec<String>,
        /// The command that shows all.
        all: &'static str,
    },
    /// A figure that is known and cannot be reproduced.
    NotYet { id: &'static str, why: &'static str },
    /// A scenario is wrong.
    Scenario(Problems),
    /// Something cannot be done, in words.
    Refused(String),
    /// The machine lacks what the command needs, root or a program or a feature of the kernel: 3.
    Missing(String),
    /// The machine was too busy for a result that could be believed: 4.
    Disturbed(String),
    /// A file of another simulator is wrong; the text begins with file and line.
    Text(String),
    /// A file cannot be read or written.
    File { path: PathBuf, error: io::Error },
    /// A model refused its numbers, which are ours: a bug that a test should have found.
    Figure { id: &'static str, reason: String },
    /// Nobody takes our output.
    Output(io::Error),
}

impl Error {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Missing(_) => 3,
            Self::Disturbed(_) => 4,
            _ => 2,
        })
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }
}

impl Error {
    /// Problems of a plan; those that several points share are told once.
    pub(crate) fn problems(problems: Vec<Problem>) -> Self {
        match Sweep::problems(problems) {
            Some(problems) => Self::Scenario(problems),
            None => Self::Refused("the plan cannot be read".to_owned()),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, name, near, all } => {
                write!(f, "plimsoll: there is no {what} `{name}`")?;
                match near.as_slice() {
                    [] => write!(f, "; `{all}` shows all"),
                    near => write!(f, "; near it: {} (`{all}` shows all)", near.join(", ")),
                }
            }
            Self::NotYet { id, why } => write!(f, "plimsoll: {id} is not reproduced: {why}"),
            Self::Scenario(problems) => problems.fmt(f),
            Self::Refused(why) | Self::Missing(why) | Self::Disturbed(why) => write!(f, "plimsoll: {why}"),
            Self::Text(text) => f.write_str(text),
            Self::File { path, error } => write!(f, "plimsoll: {}: {error}", path.display()),
            Self::Figure { id, reason } => write!(f, "plimsoll: {id} cannot be computed: {reason}"),
            Self::Output(error) => write!(f, "plimsoll: the output cannot be written: {error}"),
        }
    }
}

impl std::error::Error for Error {}
