//! Bars side by side: what a paper says beside what we find.
//!
//! Bars lie, so that texts of any length stand above their groups and need not be turned. They begin at zero:
//! only then is a bar twice as long twice as much. The paper's are white and hatched, ours are filled; a line
//! across the end of a bar shows how far seeds reach.

use crate::axis::Ruler;
use crate::chart::Axis;
use crate::clip::{Frame, Point};
use crate::font;
use crate::layout::{GAP, LABEL, LEADING, MARGIN, NOTE, Painter, TICK, TITLE, WIDTH, label_width, wrap};
use crate::palette::{Colour, FAINT, GRID, INK, look};
use crate::png::{self, PngError};
use crate::scene::{Anchor, Scene, Shape};
use crate::svg;

/// Bars in groups.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Above the picture.
    pub title: String,
    /// What the bars show, with the unit in parentheses.
    pub axis: String,
    /// What stands above each group.
    pub groups: Vec<String>,
    /// Who has a bar in each group.
    pub series: Vec<BarSeries>,
    /// Small print below.
    pub notes: Vec<String>,
}

/// One bar in each group.
#[derive(Clone, Debug)]
pub struct BarSeries {
    /// In the legend.
    pub name: String,
    /// Whose numbers they are.
    pub whose: Whose,
    /// The bar of each group; `None` leaves its place empty.
    pub bars: Vec<Option<Bar>>,
}

/// Whose numbers bars show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Found here: filled, each series in a colour of its own.
    Ours,
    /// Said by a paper: hatched.
    Papers,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// How long it is.
    pub value: f64,
    /// How far it reaches over seeds.
    pub range: Option<(f64, f64)>,
    /// Behind it.
    pub text: String,
}

const THICKNESS: f64 = 13.0;
const BETWEEN_BARS: f64 = 2.0;
const BETWEEN_GROUPS: f64 = 9.0;
/// Between two lines of the hatching.
const HATCH: f64 = 5.0;

impl Bars {
    /// The picture as SVG text.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::svg(&self.scene())
    }

    /// The picture as PNG bytes.
    ///
    /// # Errors
    /// If the picture cannot be drawn or encoded.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        png::png(&self.scene())
    }

    /// Whether the embedded font has every letter.
    #[must_use]
    pub fn has_its_letters(&self) -> bool {
        let names = self.series.iter().map(|series| &series.name);
        let texts = self.series.iter().flat_map(|series| series.bars.iter().flatten()).map(|bar| &bar.text);
        let rest = [&self.title, &self.axis].into_iter().chain(&self.groups).chain(&self.notes);
        rest.chain(names).chain(texts).all(|text| font::covers(text))
    }

    fn all(&self) -> impl Iterator<Item = &Bar> {
        self.series.iter().flat_map(|series| series.bars.iter().flatten())
    }

    fn scene(&self) -> Scene {
        let mut painter = Painter::default();
        painter.paragraph(&self.title, MARGIN, TITLE, true, INK);
        self.legend(&mut painter);
        let reach = self.all().flat_map(|bar| {
            let (low, high) = bar.range.unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        let ruler = Ruler::new(&Axis::linear(&self.axis), reach.chain([0.0]));
        // The longest bar may be the longest text's, so there is room for it behind any.
        let room = self.all().map(|bar| font::width(&bar.text, TICK, false)).fold(0.0, f64::max) + 8.0;
        let (top, left, right) =
            (painter.y + GAP, MARGIN + 8.0, WIDTH - MARGIN - 6.0 - room.min(WIDTH / 2.0));
        let heights: Vec<f64> = self.groups.iter().map(|group| self.height(group)).collect();
        let bottom = top + heights.iter().sum::<f64>();
        let frame = Frame { left, top, right, bottom };
        self.axis(&mut painter, &ruler, &frame);
        let mut y = top;
        for (index, height) in heights.into_iter().enumerate() {
            self.group(&mut painter, index, y, &ruler, &frame);
            y += height;
        }
        painter.y = bottom + 6.0 + TICK * LEADING + LABEL + 8.0;
        for note in &self.notes {
            painter.paragraph(note, MARGIN, NOTE, false, FAINT);
        }
        let height = painter.y + MARGIN / 2.0;
        Scene { width: WIDTH, height, title: self.title.clone(), shapes: painter.shapes }
    }

    fn heading(group: &str) -> Vec<String> {
        wrap(group, WIDTH - 2.0 * MARGIN - 16.0, TICK, false)
    }

    fn height(&self, group: &str) -> f64 {
        let bars = self.series.len() as f64 * (THICKNESS + BETWEEN_BARS);
        Self::heading_height(group) + bars + BETWEEN_GROUPS
    }

    fn heading_height(group: &str) -> f64 {
        Self::heading(group).len() as f64 * TICK * LEADING
    }

    fn legend(&self, painter: &mut Painter) {
        let row = LABEL * LEADING;
        let (mut x, mut y) = (MARGIN, painter.y + 4.0);
        for (index, series) in self.series.iter().enumerate() {
            let width = 26.0 + 6.0 + font::width(&series.name, TICK, false) + 16.0;
            if x > MARGIN && x + width - 16.0 > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + row);
            }
            let sample = Frame {
                left: x,
                right: x + 26.0,
                top: y + 0.5 * (row - 10.0),
                bottom: y + 0.5 * (row + 10.0),
            };
            painter.bar(&sample, self.colour(index));
            painter.text((x + 32.0, y + 0.5 * row + 0.35 * TICK), &series.name, TICK, Anchor::Start);
            x += width;
        }
        if !self.series.is_empty() {
            painter.y = y + row;
        }
    }

    fn axis(&self, painter: &mut Painter, ruler: &Ruler, frame: &Frame) {
        let Frame { left, top, right, bottom } = *frame;
        let mut last = f64::NEG_INFINITY;
        for tick in ruler.ticks() {
            let (Some(place), Some(label)) = (ruler.place(tick.value), &tick.label) else { continue };
            let at = left + place * (right - left);
            if tick.value == 0.0 {
                painter.line(vec![(at, top), (at, bottom)], INK, 1.2, &[]);
            } else {
                // Not through the texts above groups.
                let mut y = top;
                for group in &self.groups {
                    let end = y + self.height(group) - BETWEEN_GROUPS;
                    painter.line(vec![(at, y + Self::heading_height(group)), (at, end)], GRID, 1.0, &[]);
                    y = end + BETWEEN_GROUPS;
                }
            }
            let half = label_width(label) / 2.0;
            if at - half > last + 5.0 {
                last = at + half;
                painter.tick_label(label, (at, bottom + 6.0 + TICK), Anchor::Middle);
            }
        }
        painter.line(vec![(left, bottom), (right, bottom)], INK, 1.2, &[]);
        let below = bottom + 6.0 + TICK * LEADING + LABEL;
        painter.text((f64::midpoint(left, right), below), &self.axis, LABEL, Anchor::Middle);
    }

    fn group(&self, painter: &mut Painter, index: usize, mut y: f64, ruler: &Ruler, frame: &Frame) {
        for line in self.groups.get(index).map(|group| Self::heading(group)).unwrap_or_default() {
            y += TICK * LEADING;
            painter.text((frame.left + 4.0, y - 0.3 * TICK), &line, TICK, Anchor::Start);
        }
        let place = |value: f64| {
            let at = ruler.place(value)?;
            Some((frame.left + at * (frame.right - frame.left)).clamp(frame.left, frame.right))
        };
        let zero = place(0.0).unwrap_or(frame.left);
        for (number, series) in self.series.iter().enumerate() {
            let (top, bottom) = (y, y + THICKNESS);
            y = bottom + BETWEEN_BARS;
            let Some(bar) = series.bars.get(index).and_then(Option::as_ref) else { continue };
            let Some(end) = place(bar.value) else { continue };
            let shape = Frame { left: zero.min(end), right: zero.max(end), top, bottom };
            painter.bar(&shape, self.colour(number));
            let middle = f64::midpoint(top, bottom);
            let mut behind = shape.right;
            if let Some((low, high)) = bar.range.and_then(|(low, high)| Some((place(low)?, place(high)?))) {
                painter.whisker(low, high, middle);
                behind = behind.max(high);
            }
            painter.text((behind + 6.0, middle + 0.35 * TICK), &bar.text, TICK, Anchor::Start);
        }
    }

    /// Filled with this colour; hatched if there is none.
    fn colour(&self, index: usize) -> Option<Colour> {
        let ours = |series: &&BarSeries| series.whose == Whose::Ours;
        let before = self.series.iter().take(index).filter(ours).count();
        self.series.get(index).filter(ours).map(|_| look(before).colour)
    }
}

impl Painter {
    fn bar(&mut self, frame: &Frame, colour: Option<Colour>) {
        let Frame { left, right, top, bottom } = *frame;
        let points: Vec<Point> = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        let (filled, outline) = (colour.is_some(), colour.unwrap_or(INK));
        self.shapes.push(Shape::Polygon { points, colour: outline, filled });
        if filled {
            return;
        }
        let height = bottom - top;
        // Lines that rise to the right; the first begins before the bar and is cut there.
        let count = ((right - left + height) / HATCH).clamp(0.0, 1_000.0) as u32;
        for index in 1..=count {
            let foot = left - height + f64::from(index) * HATCH;
            for line in frame.clip(&[Some((foot, bottom)), Some((foot + height, top))]) {
                self.line(line, INK, 0.8, &[]);
            }
        }
    }

    /// From low to high, with ends.
    fn whisker(&mut self, low: f64, high: f64, y: f64) {
        self.line(vec![(low, y), (high, y)], INK, 1.4, &[]);
        for end in [low, high] {
            self.line(vec![(end, y - 3.5), (end, y + 3.5)], INK, 1.4, &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bars(ours: &[f64], paper: &[f64]) -> Bars {
        let series = |name: &str, whose, values: &[f64]| BarSeries {
            name: name.to_owned(),
            whose,
            bars: values
                .iter()
                .map(|&value| Some(Bar { value, range: None, text: "1 Gb/s".into() }))
                .collect(),
        };
        Bars {
            title: "Rates".into(),
            axis: "Rate (Gb/s)".into(),
            groups: ours.iter().map(|_| "the victim".to_owned()).collect(),
            series: vec![series("paper", Whose::Papers, paper), series("ours", Whose::Ours, ours)],
            notes: vec![],
        }
    }

    /// Left and right ends of the bars, without the samples of the legend.
    fn lengths(bars: &Bars) -> Vec<(f64, f64)> {
        let polygons = bars.scene().shapes.into_iter().filter_map(|shape| match shape {
            Shape::Polygon { points, .. } => Some((points[0].0, points[1].0)),
            _ => None,
        });
        polygons.skip(bars.series.len()).collect()
    }

    #[test]
    fn twice_as_much_is_twice_as_long_and_all_begin_at_zero() {
        let lengths = lengths(&bars(&[10.0, 5.0], &[20.0, 20.0]));
        let length = |index: usize| lengths[index].1 - lengths[index].0;
        // In the order of drawing: paper and ours of the first group, paper and ours of the second.
        assert!((length(0) / length(1) - 2.0).abs() < 1e-9 && (length(2) / length(3) - 4.0).abs() < 1e-9);
        assert!(lengths.iter().all(|bar| bar.0 == lengths[0].0));
    }

    #[test]
    fn what_is_below_zero_goes_to_the_left() {
        let lengths = lengths(&bars(&[-10.0], &[10.0]));
        assert!((lengths[0].0 - lengths[1].1).abs() < 1e-9, "they meet at zero: {lengths:?}");
    }

    #[test]
    fn the_papers_bars_are_hatched_and_ours_are_filled() {
        let filled = |bars: &Bars| -> Vec<bool> {
            let shapes = bars.scene().shapes.into_iter();
            shapes
                .filter_map(|it| if let Shape::Polygon { filled, .. } = it { Some(filled) } else { None })
                .collect()
        };
        assert_eq!(filled(&bars(&[1.0], &[2.0])), [false, true, false, true]);
    }

    #[test]
    fn every_text_stays_in_the_picture() {
        let mut bars = bars(&[100.0], &[1.0]);
        bars.groups = vec!["a claim of many words ".repeat(9)];
        bars.series[1].bars =
            vec![Some(Bar { value: 100.0, range: Some((90.0, 120.0)), text: "100 Gb/s (90 to 120)".into() })];
        for shape in bars.scene().shapes {
            if let Shape::Text(text) = shape {
                let width = font::width(&text.text, text.size, text.bold);
                let from = if text.anchor == Anchor::Start { text.at.0 } else { text.at.0 - width / 2.0 };
                assert!(from >= 0.0 && from + width <= WIDTH, "{}", text.text);
            }
        }
    }

    proptest! {
        #[test]
        fn any_number_gives_a_picture_without_nan(value in any::<f64>(), low in any::<f64>(), high in any::<f64>()) {
            let mut bars = bars(&[value], &[1.0]);
            bars.series[0].bars = vec![Some(Bar { value, range: Some((low, high)), text: String::new() })];
            let svg = bars.svg();
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
