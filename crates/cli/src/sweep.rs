//! Many runs of one scenario: what `plimsoll sweep` does.
//!
//! `prepare` reads the plan and every point before anything runs, `work` runs what is not there yet, `collect`
//! reads the folders back, `picture` draws. The folders are the only memory, so that it does not matter when
//! and how often a sweep was interrupted.

mod collect;
mod picture;
mod prepare;
mod work;

pub(crate) use collect::Collected;
pub(crate) use picture::draw;
pub(crate) use prepare::Prepared;
pub(crate) use work::{State, work};
