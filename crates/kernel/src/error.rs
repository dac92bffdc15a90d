//! Why something cannot be done in the kernel.

use std::fmt;
use std::path::Path;

/// Why a program was not loaded, or something else not done.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The machine lacks something: what, and how to get it.
    Missing(String),
    /// What was asked for cannot be had, or a step failed: what, and what would help.
    Refused(String),
    /// The user wants no more; nothing was left behind.
    Interrupted,
}

impl Error {
    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::Refused(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(what) | Self::Refused(what) => f.write_str(what),
            Self::Interrupted => f.write_str("interrupted; nothing was loaded"),
        }
    }
}

impl std::error::Error for Error {}
