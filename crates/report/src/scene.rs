//! A picture as a list of shapes: what the layout makes, and what both picture formats draw.

use crate::clip::Point;
use crate::palette::{Colour, Marker};

/// A picture.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What it shows, for those who cannot see it.
    pub(crate) title: String,
    pub(crate) shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Line { points: Vec<Point>, colour: Colour, width: f64, dashes: &'static [f64] },
    Polygon { points: Vec<Point>, colour: Colour, filled: bool },
    Circle { centre: Point, radius: f64, colour: Colour, filled: bool },
    Text(Text),
}

#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) at: Point,
    pub(crate) text: String,
    /// Smaller and higher, after the text.
    pub(crate) exponent: Option<String>,
    pub(crate) size: f64,
    pub(crate) bold: bool,
    pub(crate) colour: Colour,
    pub(crate) anchor: Anchor,
    /// Turned to read from bottom to top.
    pub(crate) upward: bool,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How an exponent is drawn, relative to its base.
pub(crate) const EXPONENT_SIZE: f64 = 0.72;
pub(crate) const EXPONENT_RISE: f64 = 0.38;

/// Width of the outline of hollow shapes.
pub(crate) const OUTLINE: f64 = 1.3;

impl Shape {
    /// A marker of the given look.
    pub(crate) fn marker(marker: Marker, centre: Point, colour: Colour, filled: bool) -> Vec<Self> {
        let (x, y) = centre;
        let polygon = |points: Vec<Point>| vec![Self::Polygon { points, colour, filled }];
        match marker {
            Marker::Circle => vec![Self::Circle { centre, radius: 3.2, colour, filled }],
            Marker::Square => {
                polygon(vec![(x - 2.9, y - 2.9), (x + 2.9, y - 2.9), (x + 2.9, y + 2.9), (x - 2.9, y + 2.9)])
            }
            Marker::Triangle => polygon(vec![(x, y - 4.2), (x + 3.9, y + 2.8), (x - 3.9, y + 2.8)]),
            Marker::Diamond => polygon(vec![(x, y - 4.2), (x + 4.2, y), (x, y + 4.2), (x - 4.2, y)]),
            Marker::Cross => [[-1.0, 1.0], [1.0, -1.0]]
                .map(|[from, to]| Self::Line {
                    points: vec![(x + 3.0 * from, y - 3.0), (x + 3.0 * to, y + 3.0)],
                    colour,
                    width: 1.6,
                    dashes: &[],
                })
                .to_vec(),
        }
    }
}
