//! Arrow heads along a curve, to show which way it goes.

use crate::clip::Point;
use crate::palette::Colour;
use crate::scene::Shape;

/// Pixels along the curve to the first head, and from one to the next.
const FIRST: f64 = 30.0;
const APART: f64 = 95.0;
/// Length and half the width of a head.
const LENGTH: f64 = 9.0;
const HALF: f64 = 3.8;

/// The heads of a curve; one too short for any has none.
pub(crate) fn heads(points: &[Point], colour: Colour) -> Vec<Shape> {
    let mut heads = Vec::new();
    let (mut gone, mut next) = (0.0, FIRST);
    for pair in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let length = (to_x - x).hypot(to_y - y);
        while length > 0.0 && next <= gone + length {
            let part = (next - gone) / length;
            let tip = (x + part * (to_x - x), y + part * (to_y - y));
            heads.push(head(tip, ((to_x - x) / length, (to_y - y) / length), colour));
            next += APART;
        }
        gone += length;
    }
    heads
}

fn head(tip: Point, (along_x, along_y): Point, colour: Colour) -> Shape {
    let corner = |side: f64| {
        (tip.0 - LENGTH * along_x - side * HALF * along_y, tip.1 - LENGTH * along_y + side * HALF * along_x)
    };
    Shape::Polygon { points: vec![tip, corner(1.0), corner(-1.0)], colour, filled: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::look;

    fn tips(points: &[Point]) -> Vec<Vec<Point>> {
        let polygon = |shape| if let Shape::Polygon { points, .. } = shape { Some(points) } else { None };
        heads(points, look(0).colour).into_iter().filter_map(polygon).collect()
    }

    #[test]
    fn heads_stand_at_even_distances_and_point_along_the_curve() {
        // 30 and 125 pixels along a line of 50 to the right and 100 down: (30, 0), and (50, 75).
        let heads = tips(&[(0.0, 0.0), (50.0, 0.0), (50.0, 100.0)]);
        assert_eq!(
            heads,
            [vec![(30.0, 0.0), (21.0, 3.8), (21.0, -3.8)], vec![(50.0, 75.0), (46.2, 66.0), (53.8, 66.0)],]
        );
    }

    #[test]
    fn a_short_curve_and_one_that_stands_still_have_none() {
        assert!(tips(&[(0.0, 0.0), (29.0, 0.0)]).is_empty());
        assert!(tips(&[(5.0, 5.0); 10]).is_empty() && tips(&[]).is_empty());
    }
}
