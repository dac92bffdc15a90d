//! What a run yields, and what is read off it.
//!
//! | module | holds |
//! |---|---|
//! | [`record`] | one message (a flow, if its connection carries no other): when, how much, how it ended |
//! | [`series`] | one reading at one moment: a queue, a rate, a window, a round trip |
//! | [`sink`] | where records and readings go while the run goes on, so that memory does not grow |
//! | [`slowdown`] | completion time over that of an empty network: percentiles, tables by size |
//! | [`fairness`] | Jain's index, of one moment and over time |
//! | [`convergence`] | from when on something holds |
//! | [`histogram`] | distributions in fixed memory; [`queue`]: the level of a queue over time |
//! | [`confidence`] | how far a percentile or a mean over seeds can be trusted |
//! | [`tally`] | what is remembered of messages that went to a file |
//! | [`summary`] | the run in one page of JSON |
//! | [`table`] | the columns of records and readings in files |
//! | [`csv`], [`fct`] | as text: for anybody's tools, and for those of the HPCC authors |
//! | `files` | a folder of results: written whole or not at all, and read back (feature `files`) |
//!
//! Nothing here knows how a run is made: the simulator and the testbed fill the same records.
#![forbid(unsafe_code)]

pub mod confidence;
pub mod convergence;
mod counted;
pub mod csv;
pub mod fairness;
pub mod fct;
#[cfg(feature = "files")]
pub mod files;
pub mod histogram;
pub mod queue;
pub mod record;
pub mod series;
pub mod sink;
pub mod slowdown;
pub mod summary;
pub mod table;
pub mod tally;

pub use counted::Counted;
pub use histogram::Histogram;
pub use record::{Failure, MessageRecord, Outcome, Reason};
pub use series::{Reading, Sample, Subject};
pub use sink::{Discard, Sink};
pub use summary::{Drops, Summary, TraceHash};
pub use tally::Tally;
