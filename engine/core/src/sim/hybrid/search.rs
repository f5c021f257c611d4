//! Finds the first crossing of each margin inside a step.
//!
//! A margin that is affine in what moves is a polynomial on the step. Any other margin is bounded by
//! evaluating its mode on intervals. Along a slide the margins of leaving it are sampled.

use super::eval::Evaluator;
use super::motion::Motion;
use crate::interval::Interval;
use crate::lower::affine::Affine;
use crate::lower::border::Side;
use crate::lower::mode::Margin;
use crate::solve::Dense;
use crate::solve::roots::{self, Enclosure, Indicator, Query, RootFinder, RootKind};

/// Points at which a margin without bounds is looked at.
const SAMPLES: usize = 32;

/// What is known of a margin at the start of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Departure {
    /// The state is off the border, on this side of z.
    Off(Side),
    /// The state is on the border and leaves it to this side; z has so many zeros there.
    Leaves(Side, usize),
    /// The state is on the border and stays there.
    Stays,
}

/// Finds crossings; keeps the workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Finder {
    roots: RootFinder,
    coefficients: Vec<f64>,
    terms: Vec<(usize, f64)>,
    constant: f64,
    /// Sum of the sizes of all parts of the margin.
    size: f64,
}

impl Finder {
    /// The query for a margin that has the sign of z if `upright`.
    fn query(dense: &Dense, departure: Departure, upright: bool, noise: f64) -> Option<Query> {
        let (side, zeros) = match departure {
            Departure::Off(side) => (side, 0),
            Departure::Leaves(side, zeros) => (side, zeros),
            Departure::Stays => return None,
        };
        let side = match side {
            Side::Plus => roots::Side::Plus,
            Side::Minus => roots::Side::Minus,
            Side::On => return None,
        };
        let side = if upright { side } else { side.other() };
        Some(Query {
            zeros,
            noise,
            ..Query::whole(dense, side)
        })
    }

    /// Where the margin first crosses [theta]: an affine one. `component` tells which of a real's
    /// values is a component of the state; all other reals are held at `reals`.
    pub(super) fn affine(
        &mut self,
        form: &Affine,
        upright: bool,
        dense: &Dense,
        departure: Departure,
        component: impl Fn(crate::ids::RealId) -> Option<usize>,
        reals: &[f64],
    ) -> Option<f64> {
        if !self.collect(form, reals, component) {
            // Affine in time alone: the schedule lands on it.
            return None;
        }
        let query = Self::query(dense, departure, upright, 2.0 * f64::EPSILON * self.size)?;
        self.coefficients.resize(dense.degree() + 1, 0.0);
        dense.affine(
            self.constant,
            form.per_time,
            &self.terms,
            &mut self.coefficients,
        );
        crossing(self.roots.first_crossing(&self.coefficients, &query))
    }

    /// Where a margin of any form first crosses [theta].
    pub(super) fn any(
        &mut self,
        evaluator: &mut Evaluator,
        margin: &Margin,
        dense: &Dense,
        departure: Departure,
    ) -> Option<f64> {
        let query = Self::query(dense, departure, margin.upright, 0.0)?;
        let mut y = vec![0.0; dense.dim()];
        let mut along = Along {
            evaluator,
            margin,
            dense,
            y: &mut y,
        };
        crossing(self.roots.first_crossing_of(&mut along, &query))
    }
}

impl Finder {
    /// Every crossing of a margin in a step, in order: theta and the side of z that it gives.
    pub(super) fn all(
        &mut self,
        motion: &mut Motion,
        margin: &Margin,
        dense: &Dense,
        departure: Departure,
        reals: &[f64],
        mut found: impl FnMut(f64, Side),
    ) {
        let states = motion.states().to_vec();
        let component = |real| states.binary_search(&real).ok();
        let side_of = |side: roots::Side| match (side, margin.upright) {
            (roots::Side::Plus, true) | (roots::Side::Minus, false) => Side::Plus,
            _ => Side::Minus,
        };
        let roots = match (motion, &margin.form) {
            (Motion::Mode(_), Some(form)) | (Motion::Slide(_), Some(form))
                if !self.collect(form, reals, component) =>
            {
                let held = self.constant;
                let theta = dense.theta(-held / form.per_time);
                if form.per_time != 0.0 && 0.0 < theta && theta <= 1.0 {
                    let side = if form.per_time > 0.0 {
                        Side::Plus
                    } else {
                        Side::Minus
                    };
                    found(theta, if margin.upright { side } else { side.flipped() });
                }
                return;
            }
            (Motion::Mode(_), Some(form)) => {
                let noise = 2.0 * f64::EPSILON * self.size;
                let Some(query) = Self::query(dense, departure, margin.upright, noise) else {
                    return;
                };
                self.coefficients.resize(dense.degree() + 1, 0.0);
                let terms = (&self.terms, &mut self.coefficients);
                dense.affine(self.constant, form.per_time, terms.0, terms.1);
                self.roots.all(&self.coefficients, &query)
            }
            (Motion::Mode(evaluator), None) => {
                let Some(query) = Self::query(dense, departure, margin.upright, 0.0) else {
                    return;
                };
                let mut y = vec![0.0; dense.dim()];
                let mut along = Along {
                    evaluator,
                    margin,
                    dense,
                    y: &mut y,
                };
                self.roots.all_of(&mut along, &query)
            }
            (Motion::Slide(slide), _) => {
                let mut y = vec![0.0; dense.dim()];
                let crossing = first_change(|theta| {
                    dense.eval(theta, &mut y);
                    match slide.evaluate(dense.time(theta), &y) {
                        Ok(_) => slide.plus.value(margin.slot),
                        Err(_) => f64::NAN,
                    }
                });
                if let (Some(theta), Departure::Off(side)) = (crossing, departure) {
                    found(theta, side.flipped());
                }
                return;
            }
        };
        for root in roots {
            if let RootKind::Crossing(side) = root.kind {
                found(root.hi, side_of(side));
            }
        }
    }

    /// Takes apart an affine margin into what moves and a constant; false if nothing but time moves.
    fn collect(
        &mut self,
        form: &Affine,
        reals: &[f64],
        component: impl Fn(crate::ids::RealId) -> Option<usize>,
    ) -> bool {
        self.terms.clear();
        self.constant = form.constant;
        self.size = form.constant.abs();
        for &(real, weight) in &form.terms {
            self.size += (weight * reals[real.index()]).abs();
            match component(real) {
                Some(component) => self.terms.push((component, weight)),
                None => self.constant += weight * reals[real.index()],
            }
        }
        !self.terms.is_empty()
    }
}

fn crossing(root: Option<roots::Root>) -> Option<f64> {
    root.filter(|root| matches!(root.kind, RootKind::Crossing(_)))
        .map(|root| root.hi)
}

/// A margin along the dense output of a step.
struct Along<'a> {
    evaluator: &'a mut Evaluator,
    margin: &'a Margin,
    dense: &'a Dense,
    y: &'a mut [f64],
}

impl Indicator for Along<'_> {
    fn enclose(&mut self, theta: Interval) -> Enclosure {
        let [value, slope, half] = self.evaluator.enclose(self.margin.slot, self.dense, theta);
        Enclosure {
            value,
            slope,
            curvature: half * Interval::point(2.0),
        }
    }

    fn value(&mut self, theta: f64) -> f64 {
        self.dense.eval(theta, self.y);
        match self.evaluator.evaluate(self.dense.time(theta), self.y) {
            Ok(()) => self.evaluator.value(self.margin.slot),
            Err(_) => f64::NAN,
        }
    }
}

/// The first sign change of a function in (0, 1], from the signs at equal distances.
pub(super) fn first_change(mut value: impl FnMut(f64) -> f64) -> Option<f64> {
    let mut left = 0.0;
    let mut left_value = value(0.0);
    for sample in 1..=SAMPLES {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let right = sample as f64 / SAMPLES as f64;
        let right_value = value(right);
        if left_value * right_value < 0.0 || (right_value == 0.0 && left_value != 0.0) {
            return Some(bisect(&mut value, left, right, left_value));
        }
        (left, left_value) = (right, right_value);
    }
    None
}

/// The end of the last piece between `left` and `right` on which the sign changes.
fn bisect(value: &mut impl FnMut(f64) -> f64, mut left: f64, mut right: f64, sign: f64) -> f64 {
    loop {
        let middle = 0.5 * (left + right);
        if middle <= left || middle >= right {
            return right;
        }
        if value(middle) * sign > 0.0 {
            left = middle
        } else {
            right = middle
        }
    }
}
