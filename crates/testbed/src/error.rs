//! Why something cannot be run on real packets.

use std::fmt;
use std::path::Path;

/// Why a run was not done, or not finished.
#[derive(Debug)]
pub enum Error {
    /// The machine lacks something: what, and how to get it.
    Missing(String),
    /// The scenario asks for what cannot be had here, or a step failed: what, and what would help.
    Refused(String),
    /// The machine was too busy for a result that could be believed.
    Disturbed {
        /// The share of the time that was disturbed, in per cent.
        percent: f64,
        /// The most that is believed.
        limit: f64,
    },
}

impl Error {
    pub(crate) fn system(call: &str, error: nix::errno::Errno) -> Self {
        Self::Refused(format!("{call}: {error}"))
    }

    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::Refused(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(text) | Self::Refused(text) => f.write_str(text),
            Self::Disturbed { percent, limit } => write!(
                f,
                "the machine was busy with other things for {percent:.1} % of the time, and more than {limit} % cannot be \
                 believed; stop other work, go ahead of it with `sudo chrt -f 1 plimsoll …`, or lower the rates of the scenario"
            ),
        }
    }
}

impl std::error::Error for Error {}
