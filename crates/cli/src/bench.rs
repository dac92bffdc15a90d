//! How fast the simulator is: what `plimsoll bench` does.
//!
//! `cases` says what is run, `measure` runs one case in this process, `child` does so in a process of its own so
//! that peaks of memory are not mixed, `growth` is how cost grows with hosts, load, flows and time.

mod cases;
mod child;
mod growth;
mod measure;
mod process;

pub(crate) use cases::{CASES, Case};
pub(crate) use child::{bare, engine};
pub(crate) use growth::{PANELS, Panel, Point, chart};
pub(crate) use measure::{Bare, Measured};
