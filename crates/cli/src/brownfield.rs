//! Upgrading switches to INT, step by step: what `plimsoll brownfield` does.
//!
//! `deployment` says which switches a step upgrades, `study` runs deployments with the machinery of sweeps, so that
//! folders are the only memory here too, `measure` reads what a run yielded, `plan` puts steps in order, `picture`
//! draws.

mod deployment;
mod measure;
mod picture;
mod plan;
mod study;

pub(crate) use deployment::{Unit, named, switches, tiers};
pub(crate) use measure::{Mean, Metric, Row};
pub(crate) use picture::draw;
pub(crate) use plan::{Plan, follow, search};
pub(crate) use study::Study;
