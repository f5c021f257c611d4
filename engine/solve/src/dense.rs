//! Dense output: the state inside one step, as one polynomial per component.
//!
//! All methods share this representation, powers of theta on [0, 1], so that whatever is composed
//! with it (margins of borders above all) can be searched for roots without knowing the method.

use super::span::StepSpan;
use crate::slices::fill;

/// The state between the ends of a step: for each component a polynomial in theta = (t - t0) / h.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Dense {
    t0: f64,
    t1: f64,
    h: f64,
    degree: usize,
    /// `degree + 1` coefficients per component, constant first.
    coefficients: Vec<f64>,
}

impl Dense {
    /// Number of components.
    #[inline]
    pub fn dim(&self) -> usize {
        self.coefficients.len() / (self.degree + 1)
    }

    /// Degree of the polynomials.
    #[inline]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Start of the step.
    #[inline]
    pub fn t0(&self) -> f64 {
        self.t0
    }

    /// End of the step.
    #[inline]
    pub fn t1(&self) -> f64 {
        self.t1
    }

    /// Length of the step.
    #[inline]
    pub fn h(&self) -> f64 {
        self.h
    }

    /// Time at theta.
    #[inline]
    pub fn time(&self, theta: f64) -> f64 {
        if theta == 1.0 {
            self.t1
        } else {
            self.t0 + theta * self.h
        }
    }

    /// Theta at a time.
    #[inline]
    pub fn theta(&self, t: f64) -> f64 {
        if t == self.t1 {
            1.0
        } else {
            (t - self.t0) / self.h
        }
    }

    /// The coefficients of one component's polynomial in theta, constant first.
    #[inline]
    pub fn component(&self, component: usize) -> &[f64] {
        let first = component * (self.degree + 1);
        &self.coefficients[first..=first + self.degree]
    }

    /// How far a component gets from its value at the start, at most, up to `theta`, which is at least 1.
    #[inline]
    pub fn reach(&self, component: usize, theta: f64) -> f64 {
        let moving = self.component(component)[1..].iter().rev();
        moving.fold(0.0, |sum, c| (sum + c.abs()) * theta)
    }

    /// One component at theta.
    #[inline]
    pub fn value(&self, component: usize, theta: f64) -> f64 {
        horner(self.component(component), theta)
    }

    /// Its derivative with respect to theta (h times the one with respect to time).
    #[inline]
    pub fn slope(&self, component: usize, theta: f64) -> f64 {
        let coefficients = self.component(component);
        let mut sum = 0.0;
        for power in (1..=self.degree).rev() {
            sum = sum * theta + power as f64 * coefficients[power];
        }
        sum
    }

    /// The whole state at theta.
    ///
    /// Shapes: `y`: one entry per component.
    #[inline]
    pub fn eval(&self, theta: f64, y: &mut [f64]) {
        for (y, coefficients) in y
            .iter_mut()
            .zip(self.coefficients.chunks_exact(self.degree + 1))
        {
            *y = horner(coefficients, theta);
        }
    }

    /// Writes the polynomial of an affine margin, `constant + per_time * t + sum weight * y`.
    ///
    /// Shapes: `terms`: pairs (component, weight). `out`: `degree + 1` coefficients in theta.
    pub fn affine(&self, constant: f64, per_time: f64, terms: &[(usize, f64)], out: &mut [f64]) {
        let Some(((first, weight), rest)) = terms.split_first() else {
            fill(out, 0.0);
            out[0] = constant + per_time * self.t0;
            out[1] = per_time * self.h;
            return;
        };
        let given = [constant + per_time * self.t0, per_time * self.h];
        let given = given.into_iter().chain(std::iter::repeat(0.0));
        let powers = self.component(*first).iter().chain(std::iter::repeat(&0.0));
        for ((out, given), c) in out.iter_mut().zip(given).zip(powers) {
            *out = given + weight * c;
        }
        for &(component, weight) in rest {
            for (out, c) in out.iter_mut().zip(self.component(component)) {
                *out += weight * c;
            }
        }
    }

    /// The line or parabola through some states, for the same step.
    ///
    /// Shapes: `points`: two or three values of theta, among them 0; `states`: one for each.
    pub fn through(step: &Self, points: &[f64], states: &[&[f64]]) -> Self {
        let degree = points.len() - 1;
        let mut coefficients = Vec::with_capacity((degree + 1) * states[0].len());
        for component in 0..states[0].len() {
            let at = |point: usize| states[point][component];
            match points {
                [_, _] => coefficients.extend([at(0), at(1) - at(0)]),
                _ => {
                    let (back, rise) = (points[0], at(2) - at(1));
                    let bow = (rise - (at(0) - at(1)) / back) / (1.0 - back);
                    coefficients.extend([at(1), rise - bow, bow]);
                }
            }
        }
        Self {
            t0: step.t0,
            t1: step.t1,
            h: step.h,
            degree,
            coefficients,
        }
    }

    /// Becomes the rest of another step, from a theta on.
    pub fn restrict(&mut self, step: &Self, theta: f64) {
        let share = 1.0 - theta;
        let t0 = step.time(theta);
        (self.t0, self.t1, self.h) = (t0, step.t1, step.h * share);
        self.degree = step.degree;
        self.coefficients.clone_from(&step.coefficients);
        let n = step.degree + 1;
        let mut blocks = self.coefficients.chunks_exact_mut(TOGETHER * n);
        for block in &mut blocks {
            shift::<TOGETHER>(block, theta, share);
        }
        for component in blocks.into_remainder().chunks_exact_mut(n) {
            shift::<1>(component, theta, share);
        }
    }

    /// Prepares for a step; the coefficients are then written component by component.
    #[inline]
    pub(super) fn begin(
        &mut self,
        span: &StepSpan,
        degree: usize,
        n: usize,
    ) -> impl Iterator<Item = &mut [f64]> {
        debug_assert!(degree < MOST_POWERS);
        (self.t0, self.t1, self.h, self.degree) = (span.t0, span.t1, span.h, degree);
        self.coefficients.resize((degree + 1) * n, 0.0);
        self.coefficients.chunks_exact_mut(degree + 1)
    }

    /// The polynomials, component by component, to be written anew.
    pub(super) fn polynomials(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.coefficients.chunks_exact_mut(self.degree + 1)
    }

    /// Takes over where a step goes; the polynomials are still those of another step.
    #[inline]
    pub fn set_span(&mut self, t0: f64, t1: f64, h: f64) {
        (self.t0, self.t1, self.h) = (t0, t1, h);
    }

    /// Becomes another one, in the memory that it has.
    #[inline]
    pub(super) fn copy_from(&mut self, other: &Self) {
        (self.t0, self.t1, self.h, self.degree) = (other.t0, other.t1, other.h, other.degree);
        self.coefficients.clone_from(&other.coefficients);
    }

    /// Makes room, so that no step allocates.
    #[inline]
    pub(super) fn reserve(&mut self, degree: usize, n: usize) {
        self.coefficients.clear();
        self.coefficients.reserve((degree + 1) * n);
    }
}

/// Components that are restricted together, so that each operation is one instruction for all of them.
const TOGETHER: usize = 8;
/// No method has polynomials with more coefficients.
const MOST_POWERS: usize = 16;

/// The polynomials of N components in x become such in `(x - theta) / share`.
#[inline(always)]
fn shift<const N: usize>(components: &mut [f64], theta: f64, share: f64) {
    let n = components.len() / N;
    let mut powers = [[0.0; N]; MOST_POWERS];
    let powers = &mut powers[..n];
    for (component, coefficients) in components.chunks_exact(n).enumerate() {
        for (power, c) in powers.iter_mut().zip(coefficients) {
            power[component] = *c;
        }
    }
    // Synthetic division by (x - theta), once per order.
    for order in 0..n {
        for k in (order..n - 1).rev() {
            let above = powers[k + 1];
            for (c, above) in powers[k].iter_mut().zip(above) {
                *c += theta * above;
            }
        }
    }
    let mut scale = 1.0;
    for power in &mut *powers {
        for c in power {
            *c *= scale;
        }
        scale *= share;
    }
    for (component, coefficients) in components.chunks_exact_mut(n).enumerate() {
        for (power, c) in powers.iter().zip(coefficients) {
            *c = power[component];
        }
    }
}

/// The cubics through both ends and their derivatives: local error O(h^4).
///
/// `ends`: state and derivative at the start, then at the end.
#[inline]
pub(super) fn hermite(dense: &mut Dense, span: &StepSpan, ends: [&[f64]; 4]) {
    for (i, out) in dense.begin(span, 3, ends[0].len()).enumerate() {
        out.copy_from_slice(&cubic(span.h, ends.map(|values| values[i])));
    }
}

/// The same plus `theta^2 (1 - theta)^2 bow`, which leaves the ends as they are.
#[inline(always)]
pub(super) fn hermite_with_bow_at(h: f64, ends: [f64; 4], bow: f64) -> [f64; 5] {
    let [c0, c1, c2, c3] = cubic(h, ends);
    [c0, c1, c2 + bow, c3 - 2.0 * bow, bow]
}

/// The Hermite cubic of one component: values and derivatives at the start, then at the end.
#[inline(always)]
pub(super) fn cubic(h: f64, [y0, f0, y1, f1]: [f64; 4]) -> [f64; 4] {
    let (rise, left, right) = (y1 - y0, h * f0, h * f1);
    [
        y0,
        left,
        3.0 * rise - 2.0 * left - right,
        left + right - 2.0 * rise,
    ]
}

/// Value of a polynomial, constant coefficient first.
#[inline]
pub fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hermite_meets_both_ends() {
        let span = StepSpan {
            t0: 1.0,
            t1: 1.5,
            h: 0.5,
        };
        let mut dense = Dense::default();
        hermite(
            &mut dense,
            &span,
            [&[1.0, -2.0], &[3.0, 0.5], &[2.0, -1.0], &[-1.0, 4.0]],
        );
        assert_eq!(dense.dim(), 2);
        let mut y = [0.0; 2];
        dense.eval(0.0, &mut y);
        assert_eq!(y, [1.0, -2.0]);
        dense.eval(1.0, &mut y);
        assert_eq!(y, [2.0, -1.0]);
        assert_eq!([dense.slope(0, 0.0), dense.slope(1, 0.0)], [1.5, 0.25]);
        assert_eq!([dense.slope(0, 1.0), dense.slope(1, 1.0)], [-0.5, 2.0]);
        assert_eq!((dense.time(0.5), dense.theta(1.25)), (1.25, 0.5));
    }

    #[test]
    fn the_rest_of_a_step_is_the_same_polynomial() {
        let span = StepSpan {
            t0: 2.0,
            t1: 3.0,
            h: 1.0,
        };
        let (mut dense, mut rest) = (Dense::default(), Dense::default());
        hermite(&mut dense, &span, [&[1.0], &[2.0], &[3.5], &[1.0]]);
        rest.restrict(&dense, 0.3);
        assert_eq!((rest.t0(), rest.t1()), (2.3, 3.0));
        for s in [0.0, 0.25, 0.5, 1.0] {
            let there = dense.value(0, 0.3 + 0.7 * s);
            assert!((rest.value(0, s) - there).abs() < 1e-14, "{s}");
        }
    }

    #[test]
    fn affine_margin_is_composed_with_time() {
        let span = StepSpan {
            t0: 2.0,
            t1: 3.0,
            h: 1.0,
        };
        let mut dense = Dense::default();
        hermite(&mut dense, &span, [&[1.0], &[2.0], &[3.5], &[1.0]]);
        let mut margin = [0.0; 4];
        dense.affine(7.0, -3.0, &[(0, 2.0)], &mut margin);
        for theta in [0.0, 0.3, 1.0] {
            let expected = 7.0 - 3.0 * dense.time(theta) + 2.0 * dense.value(0, theta);
            assert!((horner(&margin, theta) - expected).abs() < 1e-14);
        }
    }
}
