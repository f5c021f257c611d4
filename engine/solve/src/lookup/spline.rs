//! Cubic pieces that join smoothly: interpolating splines.

use std::sync::OnceLock;

use super::{Guide, Handle, ONE_BY_ONE};
use crate::interval::Interval;

/// A cubic spline, or a derivative of one. Its first and last pieces go on beyond the points.
#[derive(Clone, Debug)]
pub struct Spline {
    /// The inner knots.
    pub(super) breaks: Box<[f64]>,
    guide: Guide,
    /// Per piece its start and the coefficients of the powers of the distance from there.
    pub(super) rows: Box<[[f64; 5]]>,
    inner: Interval,
    pub(super) derivative: OnceLock<Handle>,
    pub(super) sizes: OnceLock<Handle>,
}

impl PartialEq for Spline {
    fn eq(&self, other: &Self) -> bool {
        let bits = |spline: &Self| -> Vec<u64> {
            let rows = spline.rows.as_flattened().iter();
            rows.chain(&spline.breaks).map(|c| c.to_bits()).collect()
        };
        self.rows.len() == other.rows.len() && bits(self) == bits(other)
    }
}

impl Spline {
    fn new(breaks: Vec<f64>, rows: Vec<[f64; 5]>) -> Self {
        let mut spline = Self {
            guide: Guide::of(&breaks),
            breaks: breaks.into(),
            rows: rows.into(),
            inner: Interval::EMPTY,
            derivative: OnceLock::new(),
            sizes: OnceLock::new(),
        };
        let inner = 1..spline.breaks.len();
        spline.inner = inner.fold(Interval::EMPTY, |all, piece| {
            let ends = Interval::new(spline.breaks[piece - 1], spline.breaks[piece]);
            all.hull(spline.bounds_on(piece, ends))
        });
        spline
    }

    /// Through points whose arguments ascend, at least two, with these slopes there.
    fn hermite(x: &[f64], y: &[f64], slopes: &[f64]) -> Self {
        let rows = x.windows(2).enumerate().map(|(i, ends)| {
            let h = ends[1] - ends[0];
            let secant = (y[i + 1] - y[i]) / h;
            let excess = (slopes[i] + slopes[i + 1] - 2.0 * secant) / h;
            let square = (secant - slopes[i]) / h - excess;
            [ends[0], y[i], slopes[i], square, excess / h]
        });
        let rows = rows.collect();
        Self::new(x[1..x.len() - 1].to_vec(), rows)
    }

    /// The cubic spline whose third derivative does not jump at the second and at the last but one point
    /// ("not-a-knot").
    ///
    /// Shapes: as many values as arguments, which ascend; at least two. Of three points it is the parabola, of two
    /// the line.
    /// Source: C. de Boor, A Practical Guide to Splines (1978), chapter IV.
    pub fn not_a_knot(x: &[f64], y: &[f64]) -> Self {
        Self::hermite(x, y, &not_a_knot_slopes(x, y))
    }

    /// The piecewise cubic that is monotone where the points are (PCHIP).
    ///
    /// Shapes: as [`Self::not_a_knot`].
    /// Source: F. Fritsch, J. Butland, A method for constructing local monotone piecewise cubic interpolants,
    /// SIAM J. Sci. Stat. Comput. 5 (1984).
    pub fn monotone(x: &[f64], y: &[f64]) -> Self {
        Self::hermite(x, y, &monotone_slopes(x, y))
    }

    /// Per piece its start and the coefficients of the powers of the distance from there.
    pub fn rows(&self) -> &[[f64; 5]] {
        &self.rows
    }

    /// Number of the piece that holds an argument.
    #[inline]
    pub fn piece(&self, x: f64) -> usize {
        self.guide.count(&self.breaks, x)
    }

    /// The value; NaN of NaN.
    #[inline]
    pub fn value(&self, x: f64) -> f64 {
        let [start, c0, c1, c2, c3] = self.rows[self.piece(x)];
        let d = x - start;
        c0 + d * (c1 + d * (c2 + d * c3))
    }

    /// Its derivative, as a spline.
    pub(super) fn slope(&self) -> Self {
        let rows = self.rows.iter();
        let rows = rows.map(|&[start, _, c1, c2, c3]| [start, c1, 2.0 * c2, 3.0 * c3, 0.0]);
        Self::new(self.breaks.to_vec(), rows.collect())
    }

    /// The sums of the sizes of the terms of cubics, as a spline: rounding errors of their values are small parts of them.
    ///
    /// Shapes: `rows`: per piece its start and the coefficients, one more than breaks.
    pub(super) fn sizes_of(breaks: &[f64], rows: impl Iterator<Item = [f64; 5]>) -> Self {
        let sizes = rows.map(|[start, terms @ ..]| {
            let [c0, c1, c2, c3] = terms.map(f64::abs);
            [start, c0, c1, c2, c3]
        });
        Self::new(breaks.to_vec(), sizes.collect())
    }

    fn bounds_on(&self, piece: usize, x: Interval) -> Interval {
        let [start, c0, c1, c2, c3] = self.rows[piece].map(Interval::point);
        let d = x - start;
        c0 + d * (c1 + d * (c2 + d * c3))
    }

    /// Bounds of the values for all arguments in an interval.
    pub fn bounds(&self, x: Interval) -> Interval {
        if x.is_empty() {
            return x;
        }
        let part = |piece: usize| {
            let below = piece.checked_sub(1).map(|at| self.breaks[at]);
            let above = self.breaks.get(piece).copied();
            let ends = [
                below.unwrap_or(f64::NEG_INFINITY),
                above.unwrap_or(f64::INFINITY),
            ];
            self.bounds_on(piece, x.intersect(Interval::new(ends[0], ends[1])))
        };
        let (first, last) = (self.piece(x.lo()), self.piece(x.hi()));
        if last - first > ONE_BY_ONE {
            return part(first).hull(part(last)).hull(self.inner);
        }
        (first..=last).fold(Interval::EMPTY, |all, piece| all.hull(part(piece)))
    }
}

/// Slopes of the not-a-knot spline: a tridiagonal system, its end rows eliminated first.
fn not_a_knot_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let secants: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    match n {
        2 => return vec![secants[0]; 2],
        3 => {
            let curvature = (secants[1] - secants[0]) / (h[0] + h[1]);
            let at = |t: f64| secants[0] + curvature * ((t - x[0]) + (t - x[1]));
            return x.iter().map(|&t| at(t)).collect();
        }
        _ => {}
    }
    let (mut lower, mut main, mut upper) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut right = vec![0.0; n];
    for i in 1..n - 1 {
        (lower[i], main[i], upper[i]) = (h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1]);
        right[i] = 3.0 * (h[i] * secants[i - 1] + h[i - 1] * secants[i]);
    }
    let end = |near: f64, far: f64, inner: f64, outer: f64| {
        let both = near + far;
        ((near + 2.0 * both) * far * inner + near * near * outer) / both
    };
    (main[0], upper[0]) = (h[1], h[0] + h[1]);
    right[0] = end(h[0], h[1], secants[0], secants[1]);
    let (last, before) = (h[n - 2], h[n - 3]);
    (main[n - 1], lower[n - 1]) = (before, last + before);
    right[n - 1] = end(last, before, secants[n - 2], secants[n - 3]);
    for i in 1..n {
        let factor = lower[i] / main[i - 1];
        main[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut slopes = right;
    slopes[n - 1] /= main[n - 1];
    for i in (0..n - 1).rev() {
        slopes[i] = (slopes[i] - upper[i] * slopes[i + 1]) / main[i];
    }
    slopes
}

/// Slopes that keep monotone points monotone.
fn monotone_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let secants: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    if n == 2 {
        return vec![secants[0]; 2];
    }
    let sign = crate::elementary::sign;
    // The slope at an end by a parabola, limited.
    let end = |near: f64, far: f64, inner: f64, outer: f64| {
        let slope = ((2.0 * near + far) * inner - near * outer) / (near + far);
        if sign(slope) != sign(inner) {
            0.0
        } else if sign(inner) != sign(outer) && slope.abs() > 3.0 * inner.abs() {
            3.0 * inner
        } else {
            slope
        }
    };
    let mut slopes = vec![0.0; n];
    slopes[0] = end(h[0], h[1], secants[0], secants[1]);
    slopes[n - 1] = end(h[n - 2], h[n - 3], secants[n - 2], secants[n - 3]);
    for i in 1..n - 1 {
        if sign(secants[i - 1]) * sign(secants[i]) > 0.0 {
            let [before, after] = [2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]];
            let mean = (before / secants[i - 1] + after / secants[i]) / (before + after);
            slopes[i] = 1.0 / mean;
        }
    }
    slopes
}
