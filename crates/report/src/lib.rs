//! From data to pictures, tables and pages. Nothing is run here and nothing is printed: what goes
//! in is data, what comes out is text or bytes.
//!
//! # Tour
//! | room | what is there |
//! |---|---|
//! | [`chart`] | a line plot as data: axes with units, series, notes |
//! | [`bars`], [`beside()`] | bars in groups; the paper's numbers beside ours |
//! | [`layout`](Chart::svg) | where everything goes: a chart becomes a list of shapes |
//! | [`Chart::svg`], [`Chart::png`] | the shapes as SVG text and as PNG bytes |
//! | [`claims`] | a paper's claim beside our number, and the table of them |
//! | [`run`] | the pictures and the page of a run |
//! | [`page`] | one self-contained HTML page |
//!
//! # Example
//! ```
//! use plimsoll_report::{Axis, Chart, Series};
//! let chart = Chart {
//!     title: "A window that doubles".into(),
//!     x: Axis::linear("Time (RTT)"),
//!     y: Axis::log("Window (packets)"),
//!     series: vec![Series::line("slow start", (0..8).map(|t| (f64::from(t), f64::from(1 << t))))],
//!     notes: vec![],
//! };
//! assert!(chart.svg().starts_with("<svg"));
//! ```
//!
//! # Why not a plotting crate
//! Papers want few things from a plot, and want them right: text that does not depend on the
//! machine's fonts, dashes and markers that survive black-and-white print and colour blindness,
//! a legend that never covers data. The layout below is a few hundred lines; the hard parts,
//! rasterising and font outlines, come from tiny-skia and ttf-parser.
#![forbid(unsafe_code)]

mod arrows;
mod axis;
pub mod bars;
mod beside;
pub mod chart;
pub mod claims;
mod clip;
mod font;
mod layout;
pub mod page;
mod palette;
mod picture;
mod png;
pub mod run;
mod scene;
mod svg;

pub use bars::Bars;
pub use beside::beside;
pub use chart::{Axis, Chart, Marks, Scale, Series, Stroke};
pub use claims::{Claim, Ruling};
pub use page::{Figure, Index, Page};
pub use picture::Picture;
pub use png::PngError;
