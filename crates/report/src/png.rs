//! A scene as PNG bytes.

use crate::font;
use crate::palette::{Colour, PAPER};
use crate::scene::{Anchor, EXPONENT_RISE, EXPONENT_SIZE, OUTLINE, Scene, Shape, Text};
use std::fmt;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

/// Pixels of the PNG per pixel of the layout: sharp at twice the column width of a paper.
const ZOOM: f32 = 3.0;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PngError {
    /// No room for so many pixels.
    TooLarge,
    /// The encoder refused.
    Encoding(String),
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("the picture is too large to draw"),
            Self::Encoding(reason) => write!(f, "the picture cannot be written as PNG: {reason}"),
        }
    }
}

impl std::error::Error for PngError {}

pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, PngError> {
    let pixels = |length: f64| (length as f32 * ZOOM).ceil() as u32;
    let mut canvas = Pixmap::new(pixels(scene.width), pixels(scene.height)).ok_or(PngError::TooLarge)?;
    let Colour(red, green, blue) = PAPER;
    canvas.fill(tiny_skia::Color::from_rgba8(red, green, blue, 255));
    for shape in &scene.shapes {
        draw(&mut canvas, shape);
    }
    canvas.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

fn draw(canvas: &mut Pixmap, shape: &Shape) {
    match shape {
        Shape::Line { points, colour, width, dashes } => {
            if let Some(path) = polyline(points, false) {
                let lengths = dashes.iter().map(|&length| length as f32).collect();
                stroke(canvas, &path, *colour, *width as f32, StrokeDash::new(lengths, 0.0));
            }
        }
        Shape::Polygon { points, colour, filled } => {
            if let Some(path) = polyline(points, true) {
                solid(canvas, &path, *colour, *filled);
            }
        }
        Shape::Circle { centre: (x, y), radius, colour, filled } => {
            if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                solid(canvas, &path, *colour, *filled);
            }
        }
        Shape::Text(text) => draw_text(canvas, text),
    }
}

fn polyline(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    path.move_to(first.0 as f32, first.1 as f32);
    rest.iter().for_each(|&(x, y)| path.line_to(x as f32, y as f32));
    if closed {
        path.close();
    }
    path.finish()
}

fn zoom() -> Transform {
    Transform::from_scale(ZOOM, ZOOM)
}

fn stroke(canvas: &mut Pixmap, path: &Path, colour: Colour, width: f32, dash: Option<StrokeDash>) {
    let stroke =
        Stroke { width, dash, line_cap: LineCap::Butt, line_join: LineJoin::Round, ..Stroke::default() };
    canvas.stroke_path(path, &paint(colour), &stroke, zoom(), None);
}

/// Filled with its colour, or with paper; outlined in its colour.
fn solid(canvas: &mut Pixmap, path: &Path, colour: Colour, filled: bool) {
    let inside = if filled { colour } else { PAPER };
    canvas.fill_path(path, &paint(inside), FillRule::Winding, zoom(), None);
    stroke(canvas, path, colour, OUTLINE as f32, None);
}

fn draw_text(canvas: &mut Pixmap, text: &Text) {
    let small = text.size * EXPONENT_SIZE;
    let base_width = font::width(&text.text, text.size, text.bold);
    let exponent = text.exponent.as_deref().unwrap_or("");
    let width = base_width + font::width(exponent, small, text.bold);
    let shift = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let (x, y) = (text.at.0 as f32, text.at.1 as f32);
    let turn = if text.upward { Transform::from_rotate(-90.0) } else { Transform::identity() };
    let parts = [
        (text.text.as_str(), text.size, shift, 0.0),
        (exponent, small, shift + base_width, -text.size * EXPONENT_RISE),
    ];
    for (part, size, right, down) in parts {
        if let Some(path) = font::outline(part, size, text.bold) {
            let place = Transform::from_translate(right as f32, down as f32)
                .post_concat(turn)
                .post_translate(x, y)
                .post_concat(zoom());
            canvas.fill_path(&path, &paint(text.colour), FillRule::Winding, place, None);
        }
    }
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}
