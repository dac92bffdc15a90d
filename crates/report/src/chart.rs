//! A line plot as data.

/// A line plot.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above the plot.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is plotted; each has its colour, its dashes and its markers.
    pub series: Vec<Series>,
    /// Small print below the plot.
    pub notes: Vec<String>,
}

/// How an axis divides its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal lengths.
    Linear,
    /// Equal ratios are equal lengths; only positive values have a place.
    Log,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit in parentheses.
    pub label: String,
    /// How it divides its length.
    pub scale: Scale,
    /// From where to where; without it, the data decide.
    pub range: Option<(f64, f64)>,
}

/// Where a series has markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Nowhere.
    None,
    /// At every point, or, on crowded curves, at some.
    Points,
    /// At both ends of each curve: a circle where it begins, a triangle where it ends.
    Ends,
    /// A circle where each curve begins, and arrow heads along it.
    Arrows,
    /// At every point, without a line.
    Only,
}

/// How curves are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Each series with dashes of its own, so that it survives black-and-white print.
    Usual,
    /// Thin, and solid while there are colours left: for curves so ragged that dashes would be noise. Guides
    /// are paler, and markers without a line smaller: for many.
    Fine,
}

/// Curves of one kind.
#[derive(Clone, Debug)]
pub struct Series {
    /// In the legend; empty for none.
    pub name: String,
    /// One or more curves. A point that is not finite, or has no place on a logarithmic axis,
    /// interrupts its curve.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// Where it has markers.
    pub marks: Marks,
    /// How its curves are drawn.
    pub stroke: Stroke,
    /// A thin grey line that guides the eye instead of showing data.
    pub guide: bool,
    /// Where a value may lie as well: x, from, to. Drawn as bars in the series' colour, side by side with those
    /// of other series.
    pub intervals: Vec<(f64, f64, f64)>,
    /// Shaded stripes behind everything, from x to x, as high as the plot.
    pub stripes: Vec<(f64, f64)>,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Log, range: None }
    }

    /// The same from `low` to `high`.
    #[must_use]
    pub fn from_to(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }
}

impl Series {
    /// One curve without markers.
    #[must_use]
    pub fn line(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::curves(name, vec![points.into_iter().collect()])
    }

    /// Several curves of one kind.
    #[must_use]
    pub fn curves(name: &str, curves: Vec<Vec<(f64, f64)>>) -> Self {
        let (marks, stroke, intervals) = (Marks::None, Stroke::Usual, Vec::new());
        let stripes = Vec::new();
        Self { name: name.to_owned(), curves, marks, stroke, guide: false, intervals, stripes }
    }

    /// A line that guides the eye.
    #[must_use]
    pub fn guide(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { guide: true, ..Self::line(name, points) }
    }

    /// Shaded stripes, from x to x: when something holds.
    #[must_use]
    pub fn stripes(name: &str, stripes: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { guide: true, stripes: stripes.into_iter().collect(), ..Self::curves(name, Vec::new()) }
    }

    /// The same with thin lines.
    #[must_use]
    pub fn fine(self) -> Self {
        Self { stroke: Stroke::Fine, ..self }
    }

    /// The same with markers.
    #[must_use]
    pub fn marked(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }
}
