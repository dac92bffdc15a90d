//! A folder of results: written whole or not at all, and read back.
//!
//! | file | holds |
//! |---|---|
//! | `run.toml` | everything resolved: the run can be repeated from it alone |
//! | `flows.parquet` | a row per message: [`MessageRecord`](crate::MessageRecord) |
//! | `series.parquet` | a row per reading: [`Sample`](crate::Sample) |
//! | `summary.json` | the run in one page: [`Summary`](crate::Summary) |
//! | `flows.csv`, `series.csv` | the same tables as text, if asked for |
//! | `packets.pcapng` | packets of chosen ports, if asked for: [`PcapngWriter`] |
//!
//!
//! A [`Sheet`] is a table whose columns are known only when it is made, such as that of a sweep.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # use plimsoll_metrics::files::{IfExists, Results, ResultsWriter};
//! # use plimsoll_metrics::{MessageRecord, Sample, Sink, Reading, Summary};
//! # use plimsoll_units::{Bytes, Time};
//! # let folder = std::env::temp_dir().join(format!("plimsoll-doc-{}", std::process::id()));
//! let mut writer = ResultsWriter::create(&folder, IfExists::Refuse)?;
//! writer.write_run("seed = 1\n")?;
//! writer.series.put(Sample { at: Time::ZERO, subject: 0, reading: Reading::Queue(Bytes::from_kb(52)) })?;
//! writer.finish(&Summary { seed: 1, ..Summary::default() })?;
//!
//! let results = Results::open(&folder)?;
//! assert_eq!(results.summary().seed, 1);
//! let mut samples: Vec<Sample> = Vec::new();
//! results.series(&mut samples)?;
//! assert_eq!(samples.len(), 1);
//! # std::fs::remove_dir_all(&folder)
//! # }
//! ```

mod folder;
mod parquet;
mod pcapng;
mod sheet;

pub use folder::{IfExists, Results, ResultsWriter, remove_leftovers, remove_leftovers_in};
pub use parquet::{TableWriter, read_table};
pub use pcapng::{Interface, PcapngWriter};
pub use sheet::{Sheet, Values};
