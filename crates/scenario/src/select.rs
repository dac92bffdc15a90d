//! Selections of hosts, switches, links and ports, as scenarios write them.

mod hosts;
mod links;
mod names;
mod texts;
mod via;

pub use hosts::Hosts;
pub use links::{Links, Ports};
pub use names::{Names, Switches, Text};
pub use via::Via;

use crate::problem::Kind;

/// Why a table cannot be: the key that is to blame, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What sort of problem it is.
    pub kind: Kind,
    /// The key.
    pub key: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(kind: Kind, key: &'static str, message: impl Into<String>) -> Self {
        Self { kind, key, message: message.into() }
    }

    /// The same about another key, for selections that do not know which key they are.
    pub(crate) fn at(self, key: &'static str) -> Self {
        Self { key, ..self }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.key, self.message)
    }
}

impl std::error::Error for Refusal {}
