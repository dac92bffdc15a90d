//! A picture of any kind.

use crate::bars::Bars;
use crate::chart::Chart;
use crate::png::PngError;

/// A picture of any kind.
#[derive(Clone, Debug)]
pub enum Picture {
    /// Lines and points.
    Lines(Chart),
    /// Bars in groups.
    Bars(Bars),
}

impl Picture {
    /// The picture as SVG text.
    #[must_use]
    pub fn svg(&self) -> String {
        match self {
            Self::Lines(chart) => chart.svg(),
            Self::Bars(bars) => bars.svg(),
        }
    }

    /// The picture as PNG bytes.
    ///
    /// # Errors
    /// If the picture cannot be drawn or encoded.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        match self {
            Self::Lines(chart) => chart.png(),
            Self::Bars(bars) => bars.png(),
        }
    }

    /// Whether the embedded font has every letter of it.
    #[must_use]
    pub fn has_its_letters(&self) -> bool {
        match self {
            Self::Lines(chart) => chart.has_its_letters(),
            Self::Bars(bars) => bars.has_its_letters(),
        }
    }
}

impl From<Chart> for Picture {
    fn from(chart: Chart) -> Self {
        Self::Lines(chart)
    }
}

impl From<Bars> for Picture {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}
