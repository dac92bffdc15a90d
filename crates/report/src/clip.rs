//! Cutting curves at the edge of the plot, so that neither picture format has to.

/// A place in the picture, x to the right and y downward.
pub(crate) type Point = (f64, f64);

/// Left, top, right, bottom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Frame {
    pub(crate) fn contains(&self, (x, y): Point) -> bool {
        x >= self.left - 0.01 && x <= self.right + 0.01 && y >= self.top - 0.01 && y <= self.bottom + 0.01
    }

    /// The pieces of a curve that lie inside. A `None` interrupts the curve.
    pub(crate) fn clip(&self, curve: &[Option<Point>]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        for pair in curve.windows(2) {
            let (Some(from), Some(to)) = (pair[0], pair[1]) else { continue };
            let Some((start, end)) = self.clip_segment(from, to) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last().is_some_and(|&last| near(last, start)) => piece.push(end),
                _ => pieces.push(vec![start, end]),
            }
        }
        pieces.into_iter().map(thin).collect()
    }

    /// The part of a segment that lies inside (Liang and Barsky's way).
    fn clip_segment(&self, from: Point, to: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let edges = [
            (-dx, from.0 - self.left),
            (dx, self.right - from.0),
            (-dy, from.1 - self.top),
            (dy, self.bottom - from.1),
        ];
        for (outward, distance) in edges {
            if outward == 0.0 {
                if distance < 0.0 {
                    return None;
                }
            } else if outward < 0.0 {
                enter = enter.max(distance / outward);
            } else {
                leave = leave.min(distance / outward);
            }
        }
        let at = |part: f64| (from.0 + part * dx, from.1 + part * dy);
        (enter <= leave).then(|| (at(enter), at(leave)))
    }
}

/// Leaves out points closer than a third of a pixel to the one before: nobody sees them, and
/// files stay small.
fn thin(points: Vec<Point>) -> Vec<Point> {
    let last = points.last().copied();
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        if kept.last().is_none_or(|&before| distance(before, point) >= 0.33) {
            kept.push(point);
        }
    }
    if let Some(last) = last.filter(|last| kept.last() != Some(last)) {
        kept.push(last);
    }
    kept
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn near(a: Point, b: Point) -> bool {
    distance(a, b) < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn a_curve_that_leaves_and_returns_becomes_two_pieces() {
        let curve = [(1.0, 5.0), (5.0, 15.0), (9.0, 5.0)].map(Some);
        // Each leg crosses y = 10 half way: at x = 3 and at x = 7.
        assert_eq!(FRAME.clip(&curve), [vec![(1.0, 5.0), (3.0, 10.0)], vec![(7.0, 10.0), (9.0, 5.0)]]);
    }

    #[test]
    fn a_curve_outside_vanishes_and_a_gap_interrupts() {
        assert!(FRAME.clip(&[(-5.0, 20.0), (20.0, 20.0)].map(Some)).is_empty());
        let gap = [Some((1.0, 1.0)), Some((2.0, 2.0)), None, Some((3.0, 3.0)), Some((4.0, 4.0))];
        assert_eq!(FRAME.clip(&gap).len(), 2);
    }

    #[test]
    fn points_that_nobody_can_tell_apart_are_thinned_and_the_ends_stay() {
        let curve: Vec<Option<Point>> = (0..=1000).map(|i| Some((f64::from(i) / 100.0, 5.0))).collect();
        let pieces = FRAME.clip(&curve);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].len() < 40);
        assert_eq!((pieces[0][0], pieces[0][pieces[0].len() - 1]), ((0.0, 5.0), (10.0, 5.0)));
    }
}
