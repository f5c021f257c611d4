//! Bounds of what a loop computes, over a piece of a step.
//!
//! The unknowns of `y = g(x, y)` are enclosed by Krawczyk's operator around the solution at the
//! middle of the piece: if it maps a box into itself, the box holds exactly one solution for every x
//! of the piece. Slope and curvature solve linear systems with the same matrix. Source: R. E. Moore,
//! R. B. Kearfott, M. J. Cloud, Introduction to Interval Analysis, 2009, chapter 8.
//!
//! Without these bounds no crossing of a margin behind a loop would be found.

use crate::backend::value::{Jet, run};
use crate::lower::mode::Loop;
use crate::sim::events::modes::evaluation::loop_matrix::eliminate;
use situ_solve::interval::Interval;

/// Boxes tried before nothing is known of the loop on this piece.
const ROUNDS: usize = 6;

/// So often a box that holds the solution is narrowed.
const NARROWINGS: usize = 2;

/// By how much a box is made larger than what the operator gave, so that it can map into itself.
const INFLATION: f64 = 1.1;

/// Bounds of all that a loop computes, from those of what it reads: value, slope and half the
/// curvature.
///
/// Shapes: `point`: all slots at the middle of the piece, where the loop is solved. `inverse`: of `I -
/// g'` there (of the slopes themselves for residuals), row by row, if it is known. `boxes`, `slopes`: one per slot; `slopes`
/// is workspace.
///
/// A value that cannot be bounded becomes [`Interval::ENTIRE`].
pub(crate) fn enclose_loop(
    inner: &Loop,
    point: &[f64],
    inverse: Option<Vec<f64>>,
    boxes: &mut [Jet<3, Interval>],
    slopes: &mut [Jet<2, Interval>],
) {
    let bounds = inverse.and_then(|inverse| {
        let mut around = Around {
            inner,
            inverse,
            boxes: &mut *boxes,
            slopes,
        };
        let (value, error) = around.values(point)?;
        let slope = around.derivative(&[&value], &error)?;
        let half = around.derivative(&[&value, &slope], &error)?;
        Some([value, slope, half])
    });
    for (index, (slot, _)) in inner.unknowns.iter().enumerate() {
        boxes[slot.index()] = Jet(match &bounds {
            Some(orders) => std::array::from_fn(|order| orders[order][index]),
            None => [Interval::ENTIRE; 3],
        });
    }
    run(&inner.ops, boxes);
}

/// A loop with an approximate inverse of its matrix.
struct Around<'a> {
    inner: &'a Loop,
    /// Row by row.
    inverse: Vec<f64>,
    boxes: &'a mut [Jet<3, Interval>],
    slopes: &'a mut [Jet<2, Interval>],
}

impl Around<'_> {
    /// Bounds of the unknowns, and of `I - inverse (I - g')` on them.
    fn values(&mut self, point: &[f64]) -> Option<(Vec<Interval>, Vec<Interval>)> {
        let unknowns = &self.inner.unknowns;
        let centre: Vec<f64> = unknowns
            .iter()
            .map(|(slot, _)| point[slot.index()])
            .collect();
        let at_centre: Vec<Interval> = centre.iter().map(|&y| Interval::point(y)).collect();
        self.set(&[&at_centre]);
        let residual: Vec<Interval> = self
            .results(0)
            .zip(&at_centre)
            .enumerate()
            .map(|(at, (result, &y))| match at < self.inner.implicit {
                true => Interval::ZERO - result,
                false => result - y,
            })
            .collect();
        let first = self.times_inverse(&residual);
        let mut away = first.clone();
        let mut rounds = 0..ROUNDS;
        let error = loop {
            rounds.next()?;
            for (away, y) in away.iter_mut().zip(&centre) {
                let least = f64::MIN_POSITIVE + f64::EPSILON * y.abs();
                let reach = INFLATION * away.magnitude() + least;
                *away = Interval::around_zero(reach);
            }
            let error = self.error(&moved(&at_centre, &away));
            let next = affine(&first, &error, &away);
            let inside = next
                .iter()
                .zip(&away)
                .all(|(next, away)| next.lo() > away.lo() && next.hi() < away.hi());
            away = next;
            if inside {
                break error;
            }
        };
        let mut error = error;
        for _ in 0..NARROWINGS {
            error = self.error(&moved(&at_centre, &away));
            let next = affine(&first, &error, &away);
            for (away, next) in away.iter_mut().zip(next) {
                *away = away.intersect(next);
            }
        }
        Some((moved(&at_centre, &away), error))
    }

    /// Bounds of the next Taylor coefficient of the unknowns, from those `known`.
    fn derivative(&mut self, known: &[&[Interval]], error: &[Interval]) -> Option<Vec<Interval>> {
        self.set(known);
        let implicit = self.inner.implicit;
        let right = self.results(known.len()).enumerate();
        let right: Vec<Interval> = right
            .map(|(at, result)| match at < implicit {
                true => Interval::ZERO - result,
                false => result,
            })
            .collect();
        let first = self.times_inverse(&right);
        let m = first.len();
        let norm = error
            .chunks(m)
            .map(|row| row.iter().map(|e| e.magnitude()).sum::<f64>())
            .fold(0.0_f64, f64::max);
        let size = first
            .iter()
            .fold(0.0_f64, |most, x| most.max(x.magnitude()));
        let reach = INFLATION * size / (1.0 - norm);
        if !(norm < 1.0 && reach.is_finite()) {
            return None;
        }
        let mut bounds = vec![Interval::around_zero(reach); m];
        for _ in 0..NARROWINGS {
            let next = affine(&first, error, &bounds);
            for (bounds, next) in bounds.iter_mut().zip(next) {
                *bounds = bounds.intersect(next);
            }
        }
        Some(bounds)
    }

    /// Computes the loop with so many known coefficients of its unknowns, the others 0.
    fn set(&mut self, known: &[&[Interval]]) {
        for (index, (slot, _)) in self.inner.unknowns.iter().enumerate() {
            self.boxes[slot.index()] = Jet(std::array::from_fn(|order| {
                known
                    .get(order)
                    .map_or(Interval::ZERO, |known| known[index])
            }));
        }
        run(&self.inner.ops, self.boxes);
    }

    /// A Taylor coefficient of the results.
    fn results(&self, order: usize) -> impl Iterator<Item = Interval> {
        let results = self.inner.results.iter();
        results.map(move |slot| self.boxes[slot.index()].0[order])
    }

    /// `I - inverse (I - g')` with the unknowns anywhere in a box, row by row.
    fn error(&mut self, unknowns: &[Interval]) -> Vec<Interval> {
        let m = unknowns.len();
        let mut matrix = vec![Interval::ZERO; m * m];
        for column in 0..m {
            for (slope, bounds) in self.slopes.iter_mut().zip(&*self.boxes) {
                *slope = Jet([bounds.0[0], Interval::ZERO]);
            }
            for (index, (slot, _)) in self.inner.unknowns.iter().enumerate() {
                let own = f64::from(u8::from(index == column));
                self.slopes[slot.index()] = Jet([unknowns[index], Interval::point(own)]);
            }
            run(&self.inner.ops, self.slopes);
            let one = |row| Interval::point(f64::from(u8::from(row == column)));
            let gap: Vec<Interval> = self
                .inner
                .results
                .iter()
                .enumerate()
                .map(|(row, slot)| {
                    let slope = self.slopes[slot.index()].0[1];
                    match row < self.inner.implicit {
                        true => slope,
                        false => one(row) - slope,
                    }
                })
                .collect();
            for (row, product) in self.times_inverse(&gap).into_iter().enumerate() {
                matrix[row * m + column] = one(row) - product;
            }
        }
        matrix
    }

    fn times_inverse(&self, right: &[Interval]) -> Vec<Interval> {
        let row = |row: &[f64]| {
            let terms = row.iter().zip(right);
            terms.fold(Interval::ZERO, |sum, (&c, &x)| sum + Interval::point(c) * x)
        };
        self.inverse.chunks(right.len()).map(row).collect()
    }
}

/// `first + matrix * vector`.
fn affine(first: &[Interval], matrix: &[Interval], vector: &[Interval]) -> Vec<Interval> {
    let rows = first.iter().zip(matrix.chunks(vector.len()));
    rows.map(|(&first, row)| {
        let terms = row.iter().zip(vector);
        terms.fold(first, |sum, (&m, &x)| sum + m * x)
    })
    .collect()
}

fn moved(centre: &[Interval], away: &[Interval]) -> Vec<Interval> {
    centre
        .iter()
        .zip(away)
        .map(|(&y, &away)| y + away)
        .collect()
}

/// The inverse of a matrix, row by row; `None` if it is singular.
pub(crate) fn inverse(matrix: &[f64], m: usize) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; m * m];
    for column in 0..m {
        let mut unit = vec![0.0; m];
        unit[column] = 1.0;
        if eliminate(&mut matrix.to_vec(), &mut unit) == 0 {
            return None;
        }
        for (row, value) in unit.into_iter().enumerate() {
            inverse[row * m + column] = value;
        }
    }
    Some(inverse)
}
