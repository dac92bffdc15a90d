//! Where everything goes: a chart becomes a scene.
//!
//! From top to bottom: title, legend (above the plot, where it covers no data), plot, axis
//! texts, notes. The width is fixed, so that texts have the same size in every figure of a page;
//! the height follows from what there is. At the column width of a paper (3.3 inches) texts are
//! 7 points high.

use crate::arrows;
use crate::axis::{Label, Ruler, Tick};
use crate::chart::{Chart, Marks, Series, Stroke};
use crate::clip::{Frame, Point};
use crate::font;
use crate::palette::{Colour, FAINT, GRID, GUIDE, INK, Look, Marker, PALE, SHADE, fine_look, look};
use crate::png::{self, PngError};
use crate::scene::{Anchor, EXPONENT_SIZE, Scene, Shape, Text};
use crate::svg;

pub(crate) const WIDTH: f64 = 480.0;
const PLOT_HEIGHT: f64 = 240.0;
pub(crate) const MARGIN: f64 = 12.0;
pub(crate) const TITLE: f64 = 15.0;
pub(crate) const LABEL: f64 = 14.0;
pub(crate) const TICK: f64 = 13.0;
pub(crate) const NOTE: f64 = 11.0;
/// From one line of text to the next, relative to its size.
pub(crate) const LEADING: f64 = 1.35;
/// Between legend and plot: half a tick's text stands there.
pub(crate) const GAP: f64 = 11.0;
/// Length of a line in the legend.
const SAMPLE: f64 = 26.0;
const CURVE: f64 = 1.9;
const FINE_CURVE: f64 = 1.3;
/// Radius of a point among many.
const DOT: f64 = 1.7;
/// Width of the bar of an interval, half the length of its ends, and how far bars of two series are apart.
const BAR: f64 = 1.2;
const BAR_END: f64 = 3.0;
const BAR_DISTANCE: f64 = 5.0;
const GUIDE_DASHES: &[f64] = &[3.0, 3.0];
/// A curve with more points than this has markers only at some of them.
const CROWDED: usize = 25;

impl Chart {
    /// The picture as SVG text.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::svg(&scene(self))
    }

    /// The picture as PNG bytes, drawn with an embedded font.
    ///
    /// # Errors
    /// If the picture cannot be drawn or encoded.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        png::png(&scene(self))
    }

    /// Whether the embedded font has every letter of the chart.
    #[must_use]
    pub fn has_its_letters(&self) -> bool {
        let texts = [&self.title, &self.x.label, &self.y.label];
        let names = self.series.iter().map(|series| &series.name);
        texts.into_iter().chain(names).chain(&self.notes).all(|text| font::covers(text))
    }
}

pub(crate) fn scene(chart: &Chart) -> Scene {
    let points = || chart.series.iter().flat_map(|series| series.curves.iter().flatten());
    let x = Ruler::new(&chart.x, points().map(|point| point.0));
    let reaches = chart.series.iter().flat_map(|series| &series.intervals);
    let reaches = reaches.flat_map(|(_, low, high)| [*low, *high]);
    let y = Ruler::new(&chart.y, points().map(|point| point.1).chain(reaches));
    let y_ticks = y.ticks();
    let tick_width =
        y_ticks.iter().filter_map(|tick| tick.label.as_ref()).map(label_width).fold(0.0, f64::max);

    let mut painter = Painter::default();
    painter.paragraph(&chart.title, MARGIN, TITLE, true, INK);
    let looks = looks(&chart.series);
    painter.legend(&chart.series, &looks);
    let left = MARGIN + LABEL + 6.0 + tick_width + 7.0;
    let frame = Frame {
        left,
        top: painter.y + GAP,
        right: WIDTH - MARGIN - 6.0,
        bottom: painter.y + GAP + PLOT_HEIGHT,
    };
    chart.series.iter().for_each(|series| painter.stripes(series, &frame, &x));
    painter.axes(chart, &frame, (&x, &x.ticks()), (&y, &y_ticks));
    // Guides lie below the data.
    for guides in [true, false] {
        for (series, look) in chart.series.iter().zip(&looks).filter(|(series, _)| series.guide == guides) {
            painter.series(series, look, &frame, &x, &y);
        }
    }
    let shown = chart.series.iter().zip(&looks).filter(|(series, _)| !series.intervals.is_empty());
    let middle = (shown.clone().count() as f64 - 1.0) / 2.0;
    for (index, (series, look)) in shown.enumerate() {
        painter.intervals(series, look, (index as f64 - middle) * BAR_DISTANCE, &frame, (&x, &y));
    }
    for note in &chart.notes {
        painter.paragraph(note, MARGIN, NOTE, false, FAINT);
    }
    let height = painter.y + MARGIN / 2.0;
    Scene { width: WIDTH, height, title: chart.title.clone(), shapes: painter.shapes }
}

/// Each series' look; guides do not use up colours.
fn looks(series: &[Series]) -> Vec<Look> {
    let mut next = 0..;
    series
        .iter()
        .map(|series| match series.guide {
            true if series.stroke == Stroke::Fine => {
                Look { colour: PALE, dashes: &[], marker: Marker::Circle }
            }
            true => Look { colour: GUIDE, dashes: GUIDE_DASHES, marker: Marker::Circle },
            false => {
                let index = next.next().unwrap_or(0);
                match (series.stroke, series.marks) {
                    // Dots are round.
                    (Stroke::Fine, Marks::Only) => Look { marker: Marker::Circle, ..fine_look(index) },
                    (Stroke::Fine, _) => fine_look(index),
                    (Stroke::Usual, _) => look(index),
                }
            }
        })
        .collect()
}

fn curve_width(series: &Series) -> f64 {
    match series.stroke {
        Stroke::Usual if series.guide => 1.2,
        Stroke::Usual => CURVE,
        Stroke::Fine if series.guide => 0.9,
        Stroke::Fine => FINE_CURVE,
    }
}

pub(crate) fn label_width(label: &Label) -> f64 {
    let exponent = label.exponent.as_deref().unwrap_or("");
    font::width(&label.base, TICK, false) + font::width(exponent, TICK * EXPONENT_SIZE, false)
}

pub(crate) struct Painter {
    pub(crate) shapes: Vec<Shape>,
    /// Where the next thing from above begins.
    pub(crate) y: f64,
}

impl Default for Painter {
    fn default() -> Self {
        Self { shapes: Vec::new(), y: MARGIN }
    }
}

impl Painter {
    pub(crate) fn line(&mut self, points: Vec<Point>, colour: Colour, width: f64, dashes: &'static [f64]) {
        self.shapes.push(Shape::Line { points, colour, width, dashes });
    }

    pub(crate) fn text(&mut self, at: Point, text: &str, size: f64, anchor: Anchor) {
        self.shapes.push(Shape::Text(Text {
            at,
            text: text.to_owned(),
            exponent: None,
            size,
            bold: false,
            colour: INK,
            anchor,
            upward: false,
        }));
    }

    /// Text over the whole width, in as many lines as it takes.
    pub(crate) fn paragraph(&mut self, text: &str, left: f64, size: f64, bold: bool, colour: Colour) {
        for line in wrap(text, WIDTH - 2.0 * MARGIN, size, bold) {
            self.y += size * LEADING;
            let (at, exponent, anchor) = ((left, self.y - 0.3 * size), None, Anchor::Start);
            self.shapes.push(Shape::Text(Text {
                at,
                text: line,
                exponent,
                size,
                bold,
                colour,
                anchor,
                upward: false,
            }));
        }
    }

    fn legend(&mut self, series: &[Series], looks: &[Look]) {
        let row = LABEL * LEADING;
        let mut x = MARGIN;
        let mut rows = 0.0;
        for (series, look) in series.iter().zip(looks).filter(|(series, _)| !series.name.is_empty()) {
            let width = SAMPLE + 6.0 + font::width(&series.name, TICK, false) + 16.0;
            if rows == 0.0 || x + width - 16.0 > WIDTH - MARGIN {
                (x, rows) = (MARGIN, rows + 1.0);
            }
            let y = self.y + 4.0 + (rows - 0.5) * row;
            if !series.stripes.is_empty() {
                self.stripe((x, x + SAMPLE), (y - 0.4 * TICK, y + 0.4 * TICK));
            } else if series.marks != Marks::Only {
                let width = curve_width(series);
                self.line(vec![(x, y), (x + SAMPLE, y)], look.colour, width, look.dashes);
            }
            if matches!(series.marks, Marks::Points | Marks::Only) {
                let middle = (x + SAMPLE / 2.0, y);
                self.shapes.extend(Shape::marker(look.marker, middle, look.colour, true));
            }
            self.text((x + SAMPLE + 6.0, y + 0.35 * TICK), &series.name, TICK, Anchor::Start);
            x += width;
        }
        if rows > 0.0 {
            self.y += 4.0 + rows * row;
        }
    }

    fn axes(&mut self, chart: &Chart, frame: &Frame, x: (&Ruler, &[Tick]), y: (&Ruler, &[Tick])) {
        let Frame { left, top, right, bottom } = *frame;
        let mut last_label = f64::NEG_INFINITY;
        for tick in x.1 {
            let Some(place) = x.0.place(tick.value) else { continue };
            let at = left + place * (right - left);
            self.tick(tick, vec![(at, top), (at, bottom)], vec![(at, bottom), (at, bottom + 4.0)]);
            let Some(label) = &tick.label else { continue };
            let half = label_width(label) / 2.0;
            if at - half > last_label + 5.0 {
                last_label = at + half;
                self.tick_label(label, (at, bottom + 6.0 + TICK), Anchor::Middle);
            }
        }
        for tick in y.1 {
            let Some(place) = y.0.place(tick.value) else { continue };
            let at = bottom - place * (bottom - top);
            self.tick(tick, vec![(left, at), (right, at)], vec![(left - 4.0, at), (left, at)]);
            if let Some(label) = &tick.label {
                self.tick_label(label, (left - 7.0, at + 0.36 * TICK), Anchor::End);
            }
        }
        self.line(vec![(left, top), (left, bottom), (right, bottom)], INK, 1.2, &[]);
        let below = bottom + 6.0 + TICK * LEADING + LABEL;
        self.text(((left + right) / 2.0, below), &chart.x.label, LABEL, Anchor::Middle);
        self.shapes.push(Shape::Text(Text {
            at: (MARGIN + 0.8 * LABEL, f64::midpoint(top, bottom)),
            text: chart.y.label.clone(),
            exponent: None,
            size: LABEL,
            bold: false,
            colour: INK,
            anchor: Anchor::Middle,
            upward: true,
        }));
        self.y = below + 8.0;
    }

    /// A line across the plot for ticks with a text, a short one for the others.
    fn tick(&mut self, tick: &Tick, across: Vec<Point>, short: Vec<Point>) {
        if tick.label.is_some() {
            self.line(across, GRID, 1.0, &[]);
        }
        self.line(short, INK, if tick.label.is_some() { 1.2 } else { 0.7 }, &[]);
    }

    pub(crate) fn tick_label(&mut self, label: &Label, at: Point, anchor: Anchor) {
        self.shapes.push(Shape::Text(Text {
            at,
            text: label.base.clone(),
            exponent: label.exponent.clone(),
            size: TICK,
            bold: false,
            colour: INK,
            anchor,
            upward: false,
        }));
    }

    fn series(&mut self, series: &Series, look: &Look, frame: &Frame, x: &Ruler, y: &Ruler) {
        let place = |&(at_x, at_y): &(f64, f64)| {
            let (right, up) = (x.place(at_x)?, y.place(at_y)?);
            Some((
                frame.left + right * (frame.right - frame.left),
                frame.bottom - up * (frame.bottom - frame.top),
            ))
        };
        let curves: Vec<Vec<Option<Point>>> =
            series.curves.iter().map(|curve| curve.iter().map(place).collect()).collect();
        if series.marks != Marks::Only {
            let width = curve_width(series);
            for piece in curves.iter().flat_map(|curve| frame.clip(curve)) {
                self.line(piece, look.colour, width, look.dashes);
            }
        }
        for curve in &curves {
            let inside: Vec<Point> =
                curve.iter().flatten().copied().filter(|&point| frame.contains(point)).collect();
            match (series.marks, series.stroke) {
                (Marks::Only, Stroke::Fine) => self.dots(look, inside),
                (marks, _) => self.marks(marks, look, &inside),
            }
        }
    }

    /// Bars with ends, `aside` from their place so that those of several series can be told apart.
    fn intervals(
        &mut self,
        series: &Series,
        look: &Look,
        aside: f64,
        frame: &Frame,
        (x, y): (&Ruler, &Ruler),
    ) {
        for (at, low, high) in &series.intervals {
            let (Some(right), Some(up)) = (x.place(*at), y.place(*high)) else { continue };
            let centre = frame.left + right * (frame.right - frame.left) + aside;
            let height =
                |up: f64| (frame.bottom - up * (frame.bottom - frame.top)).clamp(frame.top, frame.bottom);
            // What has no place on a logarithmic axis reaches down to its foot.
            let (top, foot) = (height(up), y.place(*low).map_or(frame.bottom, height));
            self.line(vec![(centre, top), (centre, foot)], look.colour, BAR, &[]);
            for end in [top, foot] {
                self.line(vec![(centre - BAR_END, end), (centre + BAR_END, end)], look.colour, BAR, &[]);
            }
        }
    }

    fn stripes(&mut self, series: &Series, frame: &Frame, x: &Ruler) {
        for (from, to) in &series.stripes {
            let (Some(from), Some(to)) = (x.place(*from), x.place(*to)) else { continue };
            let place = |right: f64| frame.left + right.clamp(0.0, 1.0) * (frame.right - frame.left);
            if from < 1.0 && to > 0.0 {
                self.stripe((place(from), place(to)), (frame.top, frame.bottom));
            }
        }
    }

    fn stripe(&mut self, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
        let points = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        self.shapes.push(Shape::Polygon { points, colour: SHADE, filled: true });
    }

    /// Many points without a line.
    fn dots(&mut self, look: &Look, points: Vec<Point>) {
        let dot = |centre| Shape::Circle { centre, radius: DOT, colour: look.colour, filled: true };
        self.shapes.extend(points.into_iter().map(dot));
    }

    fn marks(&mut self, marks: Marks, look: &Look, points: &[Point]) {
        match marks {
            Marks::None => {}
            Marks::Points => {
                let every = points.len().div_ceil(CROWDED).max(1);
                for &point in points.iter().step_by(every) {
                    self.shapes.extend(Shape::marker(look.marker, point, look.colour, true));
                }
            }
            Marks::Only => {
                for &point in points {
                    self.shapes.extend(Shape::marker(look.marker, point, look.colour, true));
                }
            }
            Marks::Arrows => {
                let start =
                    points.first().map(|&point| Shape::marker(Marker::Circle, point, look.colour, false));
                self.shapes.extend(start.into_iter().flatten());
                self.shapes.extend(arrows::heads(points, look.colour));
            }
            Marks::Ends => {
                let ends = [(points.first(), Marker::Circle, false), (points.last(), Marker::Triangle, true)];
                for (point, marker, filled) in ends {
                    if let Some(&point) = point {
                        self.shapes.extend(Shape::marker(marker, point, look.colour, filled));
                    }
                }
            }
        }
    }
}

/// Lines of at most `width` pixels, broken at spaces; a longer word has a line of its own.
pub(crate) fn wrap(text: &str, width: f64, size: f64, bold: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match (lines.last_mut(), longer) {
            (Some(line), Some(longer)) if font::width(&longer, size, bold) <= width => *line = longer,
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;
    use proptest::prelude::*;

    fn chart(series: Vec<Series>) -> Chart {
        let (x, y) = (Axis::linear("Time (µs)"), Axis::log("Rate (Gb/s)"));
        Chart { title: "Rates".to_owned(), x, y, series, notes: vec!["A note.".to_owned()] }
    }

    fn texts(chart: &Chart) -> Vec<String> {
        let shapes = scene(chart).shapes.into_iter();
        shapes
            .filter_map(|shape| if let Shape::Text(text) = shape { Some(text.text) } else { None })
            .collect()
    }

    #[test]
    fn title_axes_legend_and_notes_are_there() {
        let texts = texts(&chart(vec![Series::line("Poseidon", [(0.0, 1.0), (1.0, 10.0)])]));
        for wanted in ["Rates", "Time (µs)", "Rate (Gb/s)", "Poseidon", "A note."] {
            assert!(texts.iter().any(|text| text == wanted), "{wanted} is missing in {texts:?}");
        }
    }

    #[test]
    fn guides_do_not_use_up_colours() {
        let guided = [Series::guide("BDP", [(0.0, 1.0)]), Series::line("a", [(0.0, 1.0)])];
        assert_eq!(looks(&guided)[1], look(0));
    }

    #[test]
    fn stripes_lie_behind_everything_and_end_with_the_plot() {
        let mut chart = chart(vec![
            Series::line("a", [(0.0, 1.0), (10.0, 10.0)]),
            Series::stripes("day", [(-5.0, 2.0), (4.0, 6.0), (20.0, 30.0)]),
        ]);
        chart.x = chart.x.from_to(0.0, 10.0);
        let edges = |shape: &Shape| match shape {
            Shape::Polygon { points, colour: SHADE, .. } => Some((points[0].0, points[1].0)),
            _ => None,
        };
        let shapes = scene(&chart).shapes;
        let stripes: Vec<(f64, f64)> = shapes.iter().filter_map(edges).collect();
        let grid = |shape: &Shape| matches!(shape, Shape::Line { colour: GRID, .. });
        let first_line = shapes.iter().position(grid);
        let last_stripe = shapes.iter().rposition(|shape| edges(shape).is_some());
        assert!(last_stripe < first_line);
        // One in the legend; of the plot's width a fifth from its edge, and a fifth around the middle; the last is
        // outside.
        assert_eq!(stripes.len(), 3);
        let width = (stripes[1].1 - stripes[1].0) * 5.0;
        assert!((stripes[2].1 - stripes[2].0 - width / 5.0).abs() < 1e-9);
        assert!((stripes[2].0 - stripes[1].0 - width * 0.4).abs() < 1e-9);
    }

    #[test]
    fn a_long_title_is_wrapped_and_the_picture_grows() {
        let short = chart(vec![]);
        let long = Chart { title: "A title of many words ".repeat(8), ..short.clone() };
        assert!(scene(&long).height > scene(&short).height + 30.0);
        for shape in scene(&long).shapes {
            if let Shape::Text(text) = shape {
                assert!(font::width(&text.text, text.size, text.bold) <= WIDTH - 2.0 * MARGIN);
            }
        }
    }

    #[test]
    fn svg_and_png_show_the_same_picture_size_and_names_are_escaped() {
        let chart = chart(vec![Series::line("a < b & \"c\"", [(0.0, 1.0), (1.0, 2.0)])]);
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
        let png = chart.png().unwrap();
        assert!(png.starts_with(b"\x89PNG"));
        // Width and height stand at bytes 16 and 20 of a PNG, big end first.
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!(number(16), 1_440);
        assert_eq!(number(20), (scene(&chart).height as f32 * 3.0).ceil() as u32);
    }

    #[test]
    fn a_name_with_letters_that_the_font_lacks_is_noticed() {
        assert!(chart(vec![]).has_its_letters());
        assert!(!chart(vec![Series::line("∈", [])]).has_its_letters());
    }

    /// Any floating point number, the odd ones often.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![any::<f64>(), -10.0..10.0_f64, Just(f64::NAN), Just(f64::INFINITY), Just(0.0)]
    }

    proptest! {
        #[test]
        fn any_data_gives_a_picture_without_nan(
            points in prop::collection::vec((number(), number()), 0..20),
            range in prop::option::of((number(), number())),
            log in any::<bool>(),
        ) {
            let mut chart = chart(vec![Series::line("a", points).marked(Marks::Points)]);
            chart.x.scale = if log { crate::Scale::Log } else { crate::Scale::Linear };
            chart.x.range = range;
            let svg = chart.svg();
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
