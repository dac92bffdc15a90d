//! What all switches have in common: the `[switch]` table and its inner tables.

mod buffer;
mod class;
mod settings;
mod telemetry;

pub use buffer::{Buffer, Pfc, Sharing};
pub use class::Class;
pub use settings::{Aqm, Ecn, SwitchSettings, SwitchTable};
pub use telemetry::{Encoding, IntMode, IntWord};
