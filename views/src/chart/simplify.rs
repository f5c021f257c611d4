//! Fewer points, the same picture: curves of any length become short paths.
//!
//! Works on points that already lie on the page, in the page's units. What is left out is nowhere
//! farther from the drawn line than [`TOLERANCE`]; peaks are kept, gaps stay gaps.

use std::collections::HashMap;

/// Distance on the page that cannot be seen.
const TOLERANCE: f64 = 0.05;

/// A point on the page.
pub(super) type Point = (f64, f64);

/// Paths of a curve whose points go from left to right: of each column of the page of width
/// `column` the first, lowest, highest and last point. A point that is not finite ends a path.
pub(super) fn over_time(points: impl Iterator<Item = Point>, column: f64) -> Vec<Vec<Point>> {
    paths(points, |piece| straightened(&extremes(piece, column)))
}

/// Paths of a curve that goes anywhere: what was drawn before is not drawn again. A point that is
/// not finite ends a path.
pub(super) fn anywhere(points: impl Iterator<Item = Point>) -> Vec<Vec<Point>> {
    let mut drawn = Drawn::default();
    let mut fresh = Vec::new();
    for path in paths(points, straightened) {
        undrawn(&path, &mut drawn, &mut fresh);
    }
    fresh
}

/// Splits at points that are not finite and makes each piece shorter.
fn paths(
    points: impl Iterator<Item = Point>,
    shorten: impl Fn(&[Point]) -> Vec<Point>,
) -> Vec<Vec<Point>> {
    let mut paths = Vec::new();
    let mut piece = Vec::new();
    let mut close = |piece: &mut Vec<Point>| {
        if !piece.is_empty() {
            paths.push(shorten(piece));
            piece.clear();
        }
    };
    for (x, y) in points {
        if x.is_finite() && y.is_finite() {
            piece.push((x, y));
        } else {
            close(&mut piece);
        }
    }
    close(&mut piece);
    paths
}

/// Of each run of points in one column the first, lowest, highest and last, in their order.
fn extremes(points: &[Point], column: f64) -> Vec<Point> {
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| (a.0 / column).floor() == (b.0 / column).floor()) {
        let by_height = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let lowest = (0..run.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut indices = [0, lowest, highest, run.len() - 1];
        indices.sort_unstable();
        let mut last = None;
        for index in indices {
            if last != Some(index) {
                kept.push(run[index]);
                last = Some(index);
            }
        }
    }
    kept
}

/// Leaves out points that lie on the straight line between their neighbours.
///
/// A point is left out while all directions from the last kept point that pass every skipped point
/// within the tolerance have one in common: the cone test of Reumann and Witkam, refined by
/// Sklansky and Gonzalez (Pattern Recognition 12, 1980).
fn straightened(points: &[Point]) -> Vec<Point> {
    let Some((&first, rest)) = points.split_first() else {
        return Vec::new();
    };
    let mut kept = vec![first];
    let mut anchor = first;
    let mut cone = Cone::open();
    let mut previous = first;
    for &point in rest {
        if !cone.admits(anchor, previous, point) {
            kept.push(previous);
            anchor = previous;
            cone = Cone::open();
        }
        cone.narrow(anchor, point);
        previous = point;
    }
    if previous != anchor || kept.len() == 1 {
        kept.push(previous);
    }
    kept
}

/// Directions that pass all skipped points within the tolerance, as angles around a middle one.
struct Cone {
    middle: Option<f64>,
    low: f64,
    high: f64,
}

impl Cone {
    fn open() -> Self {
        Self {
            middle: None,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }

    /// True if a line from `anchor` to `point` passes the skipped points and does not turn back
    /// before `previous`.
    fn admits(&self, anchor: Point, previous: Point, point: Point) -> bool {
        let Some(middle) = self.middle else {
            return true;
        };
        let (to_point, to_previous) = (difference(anchor, point), difference(anchor, previous));
        let angle = turned(direction(to_point) - middle);
        let goes_on = length(to_point) + TOLERANCE >= length(to_previous);
        goes_on && (self.low..=self.high).contains(&angle)
    }

    fn narrow(&mut self, anchor: Point, point: Point) {
        let to_point = difference(anchor, point);
        let distance = length(to_point);
        if distance <= TOLERANCE {
            return;
        }
        let middle = *self.middle.get_or_insert(direction(to_point));
        let angle = turned(direction(to_point) - middle);
        let half = (TOLERANCE / distance).asin();
        self.low = self.low.max(angle - half);
        self.high = self.high.min(angle + half);
    }
}

fn difference(from: Point, to: Point) -> Point {
    (to.0 - from.0, to.1 - from.1)
}

fn length(vector: Point) -> f64 {
    vector.0.hypot(vector.1)
}

fn direction(vector: Point) -> f64 {
    vector.1.atan2(vector.0)
}

/// An angle in (-pi, pi].
fn turned(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// The parts of a page that are drawn already, in cells of one unit: for each, how far the pen had
/// come when it got there first.
#[derive(Default)]
struct Drawn {
    cells: HashMap<(i32, i32), f64>,
    pen: f64,
}

impl Drawn {
    /// Moves the pen along a step; true if it saw a cell that is new or was entered just before.
    ///
    /// A cell that the line itself entered less than [`Self::OWN_TRACK`] ago does not count as
    /// drawn: short steps inside one cell would otherwise be lost.
    fn step(&mut self, from: Point, to: Point) -> bool {
        let vector = difference(from, to);
        let distance = length(vector);
        let n_samples = (2.0 * distance).ceil().max(1.0);
        let mut is_new = false;
        for index in 0..=n_samples as usize {
            let part = index as f64 / n_samples;
            let cell = (
                (from.0 + part * vector.0).floor() as i32,
                (from.1 + part * vector.1).floor() as i32,
            );
            let pen = self.pen + part * distance;
            let first = *self.cells.entry(cell).or_insert(pen);
            is_new |= pen - first <= Self::OWN_TRACK;
        }
        self.pen += distance;
        is_new
    }

    const OWN_TRACK: f64 = 3.0;
}

/// Appends the parts of a path that are not drawn yet.
fn undrawn(path: &[Point], drawn: &mut Drawn, fresh: &mut Vec<Vec<Point>>) {
    let mut part: Vec<Point> = Vec::new();
    for step in path.windows(2) {
        let (from, to) = (step[0], step[1]);
        if drawn.step(from, to) {
            if part.is_empty() {
                part.push(from);
            }
            part.push(to);
        } else if !part.is_empty() {
            fresh.push(std::mem::take(&mut part));
        }
    }
    if !part.is_empty() {
        fresh.push(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_of_a_long_curve_are_kept() {
        let n = 1_000_000;
        let spike = 654_321;
        let points = (0..n).map(|i| {
            let x = f64::from(i) * 640.0 / f64::from(n);
            let y = 100.0 + 50.0 * (x * 0.05).sin() + if i == spike { 77.0 } else { 0.0 };
            (x, y)
        });
        let paths = over_time(points.clone(), 0.5);
        let [path] = paths.as_slice() else {
            panic!("one path")
        };
        assert!(path.len() < 4 * 1280, "{}", path.len());
        let peak = points.clone().nth(spike as usize).unwrap();
        assert!(path.contains(&peak));
        assert_eq!(path.first().copied(), points.clone().next());
        assert_eq!(path.last().copied(), points.clone().next_back());
    }

    #[test]
    fn straight_parts_need_two_points() {
        let points = [
            (0.0, 5.0),
            (1.0, 5.0),
            (2.0, 5.0),
            (3.0, 5.0),
            (3.0, 9.0),
            (4.0, 9.0),
            (5.0, 9.0),
        ];
        assert_eq!(
            straightened(&points),
            [(0.0, 5.0), (3.0, 5.0), (3.0, 9.0), (5.0, 9.0)]
        );
        assert_eq!(straightened(&points[..1]), [points[0], points[0]]);
        let there_and_back = [(0.0, 0.0), (5.0, 0.0), (10.0, 0.0), (4.0, 0.0)];
        assert_eq!(
            straightened(&there_and_back),
            [(0.0, 0.0), (10.0, 0.0), (4.0, 0.0)]
        );
    }

    #[test]
    fn what_is_left_out_is_near_the_line() {
        let points: Vec<Point> = (0..5000)
            .map(|i| {
                let angle = f64::from(i) * 0.01;
                (
                    300.0 + (250.0 - angle) * angle.cos(),
                    200.0 + (180.0 - angle) * angle.sin(),
                )
            })
            .collect();
        let kept = straightened(&points);
        assert!(kept.len() * 4 < points.len(), "{}", kept.len());
        for point in &points {
            let nearest = kept
                .windows(2)
                .map(|step| distance(*point, step[0], step[1]))
                .fold(f64::MAX, f64::min);
            assert!(nearest < 2.0 * TOLERANCE, "{point:?} is {nearest} away");
        }
    }

    #[test]
    fn gaps_split_and_equal_times_jump() {
        let points = [
            (0.0, 1.0),
            (5.0, 1.0),
            (5.0, 8.0),
            (9.0, f64::NAN),
            (10.0, 2.0),
            (11.0, f64::INFINITY),
        ];
        let paths = over_time(points.into_iter(), 0.5);
        assert_eq!(
            paths,
            [
                vec![(0.0, 1.0), (5.0, 1.0), (5.0, 8.0)],
                vec![(10.0, 2.0), (10.0, 2.0)]
            ]
        );
    }

    #[test]
    fn a_closed_orbit_is_drawn_once() {
        let orbit = (0..1_000_000).map(|i| {
            let angle = f64::from(i) * std::f64::consts::TAU / 400.0;
            (300.0 + 200.0 * angle.cos(), 200.0 + 150.0 * angle.sin())
        });
        let paths = anywhere(orbit);
        assert!(paths.iter().map(Vec::len).sum::<usize>() < 1500);
    }

    fn distance(point: Point, from: Point, to: Point) -> f64 {
        let along = difference(from, to);
        let squared = along.0 * along.0 + along.1 * along.1;
        let offset = difference(from, point);
        let at = if squared > 0.0 {
            ((offset.0 * along.0 + offset.1 * along.1) / squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        length((offset.0 - at * along.0, offset.1 - at * along.1))
    }
}
