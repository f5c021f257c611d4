//! Taylor series in lanes, with the operations of [`taylor`](crate::explicit::taylor) in its order.

use super::{LaneSystem, POWERS, Tolerances};
use crate::explicit::taylor::{self, ORDER};
use crate::lanes::wide::LaneVec;

/// The series of the motions at the starts of steps.
#[derive(Clone, Debug)]
pub(super) struct LaneSeries {
    n: usize,
    /// Coefficients in powers of time: for each order one per component.
    coefficients: Vec<LaneVec>,
    /// The highest order with a coefficient that is not 0.
    degree: LaneVec,
}

/// An order as the lanes hold it.
fn number(order: usize) -> f64 {
    order as f64
}

impl LaneSeries {
    /// Room for motions of so many components.
    pub(super) fn new(n: usize) -> Self {
        let zero = LaneVec::splat(0.0);
        Self {
            n,
            coefficients: vec![zero; (ORDER + 1) * n],
            degree: zero,
        }
    }

    /// The coefficients of one order.
    fn order(&self, order: usize) -> &[LaneVec] {
        &self.coefficients[order * self.n..][..self.n]
    }

    /// The last coefficients of a component.
    fn last_two(&self, component: usize) -> [&LaneVec; 2] {
        [ORDER - 1, ORDER].map(|order| &self.order(order)[component])
    }

    /// Computes the series through states, of which the rates are given.
    #[inline(always)]
    pub(super) fn expand(&mut self, system: &impl LaneSystem, y: &[LaneVec], rates: &[LaneVec]) {
        let n = self.n;
        self.coefficients[..n].copy_from_slice(y);
        self.coefficients[n..2 * n].copy_from_slice(rates);
        self.degree = LaneVec::splat(number(ORDER));
        for order in 2..=ORDER {
            let (known, next) = self.coefficients.split_at_mut(order * n);
            let next = &mut next[..n];
            system.next_order(order, &known[(order - 1) * n..], next);
            let share = 1.0 / number(order);
            let mut some = LaneVec::splat(0.0);
            for next in next {
                next.update([], |c, []| c * share);
                some.update([next], |some, [c]| if c == 0.0 { some } else { 1.0 });
            }
            // Behind an order without coefficients there are none.
            self.degree.update([&some], |degree, [some]| {
                if some == 0.0 {
                    degree.min(number(order - 1))
                } else {
                    degree
                }
            });
        }
    }

    /// The longest steps that meet the tolerances.
    #[inline(always)]
    pub(super) fn plan(&self, tolerances: &Tolerances) -> LaneVec {
        let mut largest = taylor::UNITS.map(|_| LaneVec::splat(0.0));
        for component in 0..self.n {
            let scale = tolerances.scale(component, &self.order(0)[component]);
            let [c, d] = self.last_two(component);
            for (largest, unit) in largest.iter_mut().zip(taylor::UNITS) {
                largest.update([c, d, &scale], |largest, [c, d, scale]| {
                    largest.max(taylor::error_of([c, d], unit) / scale)
                });
            }
        }
        let [before, mut longest] = largest;
        let (degree, before) = (self.degree.values(), before.values());
        // A closure of this size would be a function of its own, without vectors.
        for (lane, last) in longest.values_mut().iter_mut().enumerate() {
            let planned = taylor::planned([before[lane], *last]);
            *last = if degree[lane] < number(ORDER - 1) {
                f64::INFINITY
            } else {
                planned
            };
        }
        longest
    }

    /// A component after some time.
    #[inline(always)]
    pub(super) fn after(&self, h: &LaneVec, component: usize) -> LaneVec {
        let mut y = LaneVec::splat(0.0);
        for order in (0..=ORDER).rev() {
            let c = &self.order(order)[component];
            y.update([h, c, &self.degree], |y, [h, c, degree]| {
                // Lanes whose series ends here begin here.
                if degree == number(order) {
                    c
                } else {
                    y * h + c
                }
            });
        }
        y
    }

    /// The estimated error of a component.
    #[inline(always)]
    pub(super) fn error(&self, h: &LaneVec, component: usize) -> LaneVec {
        let [c, d] = self.last_two(component);
        LaneVec::from([h, c, d], |[h, c, d]| {
            taylor::error_of([c, d], taylor::last_powers(h))
        })
    }

    /// Stiffness estimate from steps of the series, as a part of its limit of stability.
    #[inline(always)]
    pub(super) fn stiffness(&self, h: &LaneVec, tolerances: &Tolerances) -> LaneVec {
        let largest = [ORDER - 1, ORDER].map(|order| {
            let mut largest = LaneVec::splat(0.0);
            for (component, c) in self.order(order).iter().enumerate() {
                let scale = tolerances.scale(component, &self.order(0)[component]);
                largest.update([c, &scale], |largest, [c, scale]| {
                    largest.max((c / scale).abs())
                });
            }
            largest
        });
        let [before, last] = &largest;
        LaneVec::from([h, before, last], |[h, before, last]| {
            taylor::stiffness_of(h, [before, last]) / taylor::STABLE
        })
    }

    /// Two numbers whose quotient is the square of that but for rounding, with a division per component.
    #[inline(always)]
    pub(super) fn squared_stiffness(
        &self,
        h: &LaneVec,
        tolerances: &Tolerances,
    ) -> (LaneVec, LaneVec) {
        let [mut before, mut last] = [LaneVec::splat(0.0); 2];
        for component in 0..self.order(0).len() {
            let weight = tolerances.weight(component, &self.order(0)[component]);
            let largest = |largest: f64, [c, weight]: [f64; 2]| largest.max((c * weight).abs());
            before.update([&self.order(ORDER - 1)[component], &weight], largest);
            last.update([&self.order(ORDER)[component], &weight], largest);
        }
        let change = LaneVec::from([h, &last], |[h, last]| {
            let change = h * ORDER as f64 * last;
            change * change
        });
        let distance = LaneVec::from([&before], |[before]| {
            let distance = taylor::STABLE * before;
            distance * distance
        });
        (change, distance)
    }

    /// A component along steps in powers of theta.
    #[inline(always)]
    pub(super) fn powers(&self, h: &LaneVec, component: usize, into: &mut [LaneVec; POWERS]) {
        let mut power = LaneVec::splat(1.0);
        for (order, into) in into.iter_mut().enumerate() {
            let c = &self.order(order)[component];
            *into = LaneVec::from([c, &power, &self.degree], |[c, power, degree]| {
                if degree < number(order) {
                    0.0
                } else {
                    c * power
                }
            });
            power.update([h], |power, [h]| power * h);
        }
    }
}
