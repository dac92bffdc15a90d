//! The letters: how wide a text is, and its outline.

use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static REGULAR: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(notosans::REGULAR_TTF, 0).ok());
static BOLD: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(notosans::BOLD_TTF, 0).ok());

fn face(bold: bool) -> Option<&'static Face<'static>> {
    if bold { BOLD.as_ref() } else { REGULAR.as_ref() }
}

/// Each letter's glyph and how far it advances, in pixels at `size`.
fn glyphs(text: &str, size: f64, bold: bool) -> impl Iterator<Item = (GlyphId, f64)> {
    let face = face(bold);
    text.chars().filter_map(move |letter| {
        let face = face?;
        // A letter that the font lacks becomes the font's own box for that.
        let glyph = face.glyph_index(letter).unwrap_or(GlyphId(0));
        let advance = f64::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        Some((glyph, advance * size / f64::from(face.units_per_em())))
    })
}

/// The width of a text in pixels.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    glyphs(text, size, bold).map(|(_, advance)| advance).sum()
}

/// Whether the font has every letter of a text.
pub(crate) fn covers(text: &str) -> bool {
    text.chars().all(|letter| face(false).is_some_and(|face| face.glyph_index(letter).is_some()))
}

/// The outline of a text whose baseline begins at the origin.
pub(crate) fn outline(text: &str, size: f64, bold: bool) -> Option<Path> {
    let face = face(bold)?;
    let scale = size / f64::from(face.units_per_em());
    let mut pen = Pen { path: PathBuilder::new(), scale: scale as f32, x: 0.0 };
    let mut x = 0.0;
    for (glyph, advance) in glyphs(text, size, bold) {
        pen.x = x as f32;
        face.outline_glyph(glyph, &mut pen);
        x += advance;
    }
    pen.path.finish()
}

/// Turns a glyph's outline, whose y grows upward, into the picture's, whose y grows downward.
struct Pen {
    path: PathBuilder,
    scale: f32,
    x: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_faces_are_there_and_bold_is_wider() {
        let (regular, bold) = (width("Poseidon", 14.0, false), width("Poseidon", 14.0, true));
        assert!(regular > 40.0 && bold > regular, "{regular} {bold}");
    }

    #[test]
    fn the_letters_of_our_papers_are_there() {
        assert!(covers("Round trips (RTT), µs, α/√rate + β, γ η θ τ δ λ Γ, q̇ ẇ, ≤ ≥ ≈ × · − → ², ½ – —"));
    }
}
