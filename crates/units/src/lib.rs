//! Units for network experiments: [`Time`], [`Span`], [`Bytes`], [`Rate`].
//!
//! Everything is an integer, so a run gives the same bits on every machine:
//!
//! | type | counts | in | largest |
//! |---|---|---|---|
//! | [`Time`] | the moment, since the start of the run | picoseconds | 213 days |
//! | [`Span`] | a length of time | picoseconds | 213 days |
//! | [`Bytes`] | data, or a position in a byte stream | bytes | 18 EB |
//! | [`Rate`] | data per time | bits per second | 18 Eb/s |
//!
//! One picosecond is the serialisation time of a fifth of a bit at 200 Gb/s, so that a packet's
//! time on the wire is exact at every rate in use (one byte at 1.6 Tb/s is 5 ps).
//!
//! # Overflow
//! Nothing wraps and nothing becomes negative in silence. The operators panic on overflow in
//! every build profile, because an overflow there is a bug of ours; code that meets foreign
//! numbers uses the `checked_…` or `saturating_…` form, which says so in its name.
//!
//! # Text
//! ```
//! use plimsoll_units::{Bytes, Rate, Span};
//! let rate: Rate = "200Gbps".parse()?;
//! let frame: Bytes = "4096B".parse()?;
//! assert_eq!(rate.serialize_up(frame), Span::from_ps(163_840));
//! assert_eq!(Span::from_us(12).to_string(), "12us");
//! assert_eq!("1.5us".parse::<Span>()?.to_string(), "1500ns");
//! # Ok::<(), plimsoll_units::ParseError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod bytes;
mod rate;
mod text;
mod time;

pub use bytes::Bytes;
pub use rate::{Rate, Rounding};
pub use text::{ParseError, ParseErrorKind};
pub use time::{Span, Time};
