//! Order and length of the next step, from the errors that the orders near the present one would have.

use super::{Bdf, KEPT, chosen, row};
use crate::implicit::polynomials::{MOST, highest_derivative};
use crate::span::StepSpan;
use crate::step::control::{norm, power};
use crate::step::history::Course;
use crate::step::{Start, StepResult};

/// After so many trials whose error was too large the step is begun as at a start.
pub(super) const LAST_FAILURE: u32 = 2;

/// Errors are compared as if they were larger by this: for a lower order, for the same one, for a higher one.
const BIAS: [f64; 3] = [6.0, 6.0, 10.0];
/// What is changed has to become longer by this.
const WORTH: f64 = 1.1;
/// Steps before the lengths are compared again if it was not worth it.
const AGAIN: u32 = 2;
/// Most growth of a step: the points of a low order have kinks of the size of their errors where lengths change, which
/// a longer step magnifies.
const GROW: f64 = 2.0;
/// Least length after an error that was too large, and part of the proposed length that is tried.
const SHRINK: f64 = 0.2;
const SAFETY: f64 = 0.6;

impl Bdf {
    /// The length of the next trial after one whose error was `error` > 1.
    pub(super) fn after_failure(&mut self, error: f64, h: f64) -> f64 {
        self.failures += 1;
        self.course.is_chosen = true;
        self.course.equal = 0;
        if self.failures > LAST_FAILURE {
            (self.course.order, self.course.is_chosen) = (1, false);
            return h * SHRINK;
        }
        let power_of_error = 1.0 / f64::from(self.course.order + 1);
        h * (SAFETY * power(error, -power_of_error)).clamp(SHRINK, SAFETY)
    }

    /// The length of the next step; sets the course for it.
    pub(super) fn choose_next(
        &mut self,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        clipped: bool,
    ) -> f64 {
        let Course {
            order,
            equal,
            is_chosen,
            ..
        } = self.course;
        self.next = self.course;
        if clipped {
            return span.h;
        }
        self.next.equal = equal + 1;
        if is_chosen && equal < order {
            return span.h;
        }
        let [lower, same, higher] = self.lengths(start, out);
        if !is_chosen {
            if lower <= same && same > 1.0 && (order as usize) < MOST {
                self.next.order = order + 1;
                self.next.equal = 0;
                return span.h * same.min(GROW);
            }
            self.next.is_chosen = true;
        }
        let best = lower.max(same).max(higher);
        if best < WORTH {
            self.next.equal = order.saturating_sub(AGAIN);
            return span.h;
        }
        self.next.equal = 0;
        if best > same {
            self.next.order = if best == lower { order - 1 } else { order + 1 };
        }
        span.h * best.min(GROW)
    }

    /// Lengths of the next step with a lower order, the same and a higher one, in units of this step; 0 where there is
    /// none.
    fn lengths(&mut self, start: &Start<'_>, out: &StepResult) -> [f64; 3] {
        let order = self.course.order as usize;
        let same = norm(&out.error, start, &out.y).0 / self.error_weight / (order + 1) as f64;
        let mut derivative = |degree: usize, through: Through| {
            let size = self.derivative(start, out, degree, through);
            size.map(|size| size / degree as f64)
        };
        let lower = match order {
            1 => None,
            _ => derivative(order, Through::End),
        };
        let through = match start.history.is_put_back && order + 2 <= KEPT {
            true => Through::Start,
            false => Through::End,
        };
        let higher = match order < MOST {
            true => derivative(order + 2, through),
            false => None,
        };
        let length = |error: Option<f64>, degree: usize, bias: f64| {
            error.map_or(0.0, |error| {
                1.0 / (power(bias * error, 1.0 / degree as f64) + 1e-6)
            })
        };
        [
            length(lower, order, BIAS[0]),
            length(Some(same), order + 1, BIAS[1]),
            length(higher, order + 2, BIAS[2]),
        ]
    }

    /// The size of a derivative, in units of the tolerance, of the step's length and of the polynomial through the end and
    /// so many points, or through one more point and not the end.
    fn derivative(
        &mut self,
        start: &Start<'_>,
        out: &StepResult,
        degree: usize,
        through: Through,
    ) -> Option<f64> {
        let first = match through {
            Through::End => 1,
            Through::Start => 0,
        };
        let count = degree + 1 - first;
        let points = chosen(self.h, start, count);
        if points.count < count {
            return None;
        }
        let mut places = points.at;
        if through == Through::End {
            places.copy_within(1..degree, 2);
            places[1] = 1.0;
        }
        let weights = highest_derivative(&places[..=degree]);
        self.w.fill(0.0);
        if through == Through::End {
            for (i, w) in self.w.iter_mut().enumerate() {
                *w = weights[1] * (out.y[i] - start.y[i]);
            }
        }
        for point in 1..count {
            let row = row(start, points.number[point]);
            for (i, w) in self.w.iter_mut().enumerate() {
                *w += weights[point + first] * (row[i] - start.y[i]);
            }
        }
        Some(norm(&self.w, start, &out.y).0)
    }
}

/// What the last point of a polynomial is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// The end of the step.
    End,
    /// Its start. The points of a solution that is put back onto constraints after every step are on them, the end is not yet: it
    /// is off by the error of the present order, which counts as an error of the next one.
    Start,
}
