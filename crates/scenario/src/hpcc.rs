//! Files of HPCC's simulator, read as they are.
//!
//! | file | what it says |
//! |---|---|
//! | topology | `nodes switches links`, the switches' numbers, then `a b rate delay error_rate` per link |
//! | flows | a count, then `src dst priority dport bytes start_seconds` per flow |
//! | sizes | `bytes percent` per line, a distribution of flow sizes |
//! | config | `KEY value...` per line |
//!
//! Source: github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a; a variant of the
//! topology (inet-tub/ns3-datacenter) has a fourth number in its first line.

mod config;
mod flows;
mod import;
mod lines;
mod sizes;
mod topology;

pub use config::{Config, CongestionMode};
pub use flows::{TraceFlow, flows};
pub use import::{Files, Import, ImportError, import};
pub use lines::FileError;
pub use sizes::sizes;
pub use topology::topology;
