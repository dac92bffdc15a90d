//! From text to a scenario.

mod document;
mod front;
mod reader;
mod sections;

pub(crate) use document::{parse, scenario};
pub(crate) use front::{Front, Seed};
pub(crate) use reader::{Preset, Reader, Section, kind_of, one_of};
pub(crate) use sections::{SwitchDraft, TABLES};
