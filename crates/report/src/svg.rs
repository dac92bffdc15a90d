//! A scene as SVG text.

use crate::font;
use crate::palette::{Colour, PAPER};
use crate::scene::{Anchor, EXPONENT_RISE, EXPONENT_SIZE, OUTLINE, Scene, Shape, Text};
use std::fmt::Write;

/// Text in quotes and between tags.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no place for control characters, not even escaped.
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// Writing to a `String` cannot fail, so results of `write!` are dropped in this file.
pub(crate) fn svg(scene: &Scene) -> String {
    let (width, height, title) = (scene.width, scene.height, escape(&scene.title));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\" \
         font-family=\"'Noto Sans','Open Sans','Segoe UI',Roboto,Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif\">\n\
         <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        hex(PAPER)
    );
    for shape in &scene.shapes {
        write_shape(&mut out, shape);
    }
    out.push_str("</svg>\n");
    out
}

fn write_shape(out: &mut String, shape: &Shape) {
    match shape {
        Shape::Line { points, colour, width, dashes } => {
            let _ = write!(
                out,
                "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
                hex(*colour)
            );
            if !dashes.is_empty() {
                let lengths: Vec<String> = dashes.iter().map(f64::to_string).collect();
                let _ = write!(out, " stroke-dasharray=\"{}\"", lengths.join(" "));
            }
            let _ = writeln!(out, " points=\"{}\"/>", coordinates(points));
        }
        Shape::Polygon { points, colour, filled } => {
            let _ =
                writeln!(out, "<polygon points=\"{}\" {}/>", coordinates(points), paint(*colour, *filled));
        }
        Shape::Circle { centre: (x, y), radius, colour, filled } => {
            let paint = paint(*colour, *filled);
            let _ = writeln!(out, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" {paint}/>");
        }
        Shape::Text(text) => write_text(out, text),
    }
}

fn write_text(out: &mut String, text: &Text) {
    let (x, y) = text.at;
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let _ = write!(
        out,
        "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\"",
        text.size,
        hex(text.colour)
    );
    // The layout measured the embedded font; whatever font is here must keep to its width.
    if text.exponent.is_none() && text.text.chars().count() > 4 {
        let width = font::width(&text.text, text.size, text.bold);
        let _ = write!(out, " textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\"");
    }
    if text.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    if text.upward {
        let _ = write!(out, " transform=\"rotate(-90 {x:.2} {y:.2})\"");
    }
    let _ = write!(out, ">{}", escape(&text.text));
    if let Some(exponent) = &text.exponent {
        let (rise, size) = (text.size * EXPONENT_RISE, text.size * EXPONENT_SIZE);
        let _ = write!(out, "<tspan dy=\"-{rise:.1}\" font-size=\"{size:.1}\">{}</tspan>", escape(exponent));
    }
    out.push_str("</text>\n");
}

fn paint(colour: Colour, filled: bool) -> String {
    let fill = if filled { hex(colour) } else { hex(PAPER) };
    format!("fill=\"{fill}\" stroke=\"{}\" stroke-width=\"{OUTLINE}\"", hex(colour))
}

fn coordinates(points: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    pairs.join(" ")
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
