//! The rows of a tableau in lanes.

use std::marker::PhantomData;

use super::wide::{LANES, LaneVec};
use super::{LaneMethod, LaneStepper, LaneSystem, POWERS};
use crate::explicit::{At, MOST_ESTIMATES, MOST_LEVELS, Rows, SumKind, Sums, Tableau};
use crate::explicit::{match_tableau, with_tableau};
use crate::step::Failure;

/// `sum of weight * stage` in a lane.
#[inline(always)]
fn sum<M: Tableau, const N: usize>(weights: &[f64; N], k: [&[f64; LANES]; N], lane: usize) -> f64 {
    let mut sum = weights[0] * k[0][lane];
    for j in 1..N {
        sum += weights[j] * k[j][lane];
    }
    if M::FROM_ZERO { 0.0 + sum } else { sum }
}

/// Puts the argument of one stage where the system reads it.
struct Put<'a, S, M> {
    stepper: &'a LaneStepper,
    system: &'a mut S,
    h: &'a LaneVec,
    /// The stage.
    wanted: usize,
    /// At which part of the step it stands; `None` at its end.
    fraction: Option<f64>,
    tableau: PhantomData<M>,
}

impl<S: LaneSystem, M: Tableau> Put<'_, S, M> {
    #[inline(always)]
    fn put<const N: usize>(&mut self, weights: &[f64; N], of: [usize; N]) {
        for component in 0..self.stepper.n {
            let (y, h) = (self.stepper.y[component].values(), self.h.values());
            let k = self.stepper.stages_of(component, of);
            *self.system.state(component) =
                LaneVec::of(|lane| y[lane] + h[lane] * sum::<M, N>(weights, k, lane));
        }
    }
}

impl<S: LaneSystem, M: Tableau> Rows for Put<'_, S, M> {
    #[inline(always)]
    fn stage<const N: usize>(
        &mut self,
        stage: usize,
        at: At,
        weights: &[f64; N],
        of: [usize; N],
    ) -> Result<(), Failure> {
        if stage == self.wanted {
            self.put(weights, of);
            self.fraction = match at {
                At::Part(fraction) => Some(fraction),
                At::End => None,
            };
        }
        Ok(())
    }
}

/// The state at the end is an argument too.
impl<S: LaneSystem, M: Tableau> Sums for Put<'_, S, M> {
    #[inline(always)]
    fn sum<const N: usize>(&mut self, _: usize, _: SumKind, weights: &[f64; N], of: [usize; N]) {
        self.put(weights, of);
    }
}

/// Computes the sums of stages of a component.
struct Summed<'a, F, M> {
    stepper: &'a LaneStepper,
    component: usize,
    h: &'a LaneVec,
    /// Is given each of them with its number.
    take: F,
    tableau: PhantomData<M>,
}

impl<F: FnMut(usize, &LaneVec), M: Tableau> Sums for Summed<'_, F, M> {
    #[inline(always)]
    fn sum<const N: usize>(
        &mut self,
        number: usize,
        kind: SumKind,
        weights: &[f64; N],
        of: [usize; N],
    ) {
        let (h, y) = (self.h.values(), self.stepper.y[self.component].values());
        let k = self.stepper.stages_of(self.component, of);
        let [k1] = self.stepper.stages_of(self.component, [1]);
        let result = match kind {
            SumKind::State => LaneVec::of(|lane| y[lane] + h[lane] * sum::<M, N>(weights, k, lane)),
            SumKind::Whole => LaneVec::of(|lane| h[lane] * sum::<M, N>(weights, k, lane)),
            SumKind::PerLength => LaneVec::of(|lane| sum::<M, N>(weights, k, lane)),
            SumKind::LessFirst => LaneVec::of(|lane| {
                let term = |j: usize| weights[j] * (k[j][lane] - k1[lane]);
                let mut sum = term(0);
                for j in 1..N {
                    sum += term(j);
                }
                h[lane] * sum
            }),
        };
        (self.take)(number, &result);
    }
}

impl LaneStepper {
    /// Stages of a component.
    #[inline(always)]
    fn stages_of<const N: usize>(&self, component: usize, of: [usize; N]) -> [&[f64; LANES]; N] {
        of.map(|stage| self.k[(stage - 1) * self.n + component].values())
    }

    /// The argument of a stage, the state at the end being that of the last one, and at which part of the step it
    /// stands; `None` at its end.
    #[inline(always)]
    pub(super) fn put<M: Tableau>(
        &self,
        system: &mut impl LaneSystem,
        h: &LaneVec,
        stage: usize,
    ) -> Option<f64> {
        let mut put = Put::<_, M> {
            stepper: self,
            system,
            h,
            wanted: stage,
            fraction: None,
            tableau: PhantomData,
        };
        // A stage that is put cannot fail.
        let told = if stage <= M::STAGES {
            M::stages(&mut put)
        } else if stage == M::STAGES + 1 {
            M::end(&mut put);
            Ok(())
        } else {
            M::more_stages(&mut put)
        };
        told.ok().and(put.fraction)
    }

    /// Computes what [`LaneStepper::states_at`] needs besides the stages of the trials.
    #[inline(always)]
    pub fn look_inside(&mut self, system: &mut impl LaneSystem) {
        let (n, t, h) = (self.n, self.t, self.tried.h);
        let [more, _] = self.method.more();
        let first = self.method.stages() + 1;
        for stage in first..first + more {
            let LaneMethod::Explicit(method) = self.method else {
                return;
            };
            let fraction = with_tableau!(method, M => self.put::<M>(system, &h, stage), None);
            let at = match fraction {
                Some(fraction) => LaneVec::from([&t, &h], |[t, h]| t + fraction * h),
                None => self.tried.t1,
            };
            system.rates(&at, &mut self.k[(stage - 1) * n..][..n]);
        }
        if let LaneMethod::Explicit(method) = self.method {
            with_tableau!(method, M => self.find_levels::<M>(&h), ());
        }
    }

    #[inline(always)]
    fn find_levels<M: Tableau>(&mut self, h: &LaneVec) {
        let mut levels = std::mem::take(&mut self.levels);
        for component in 0..self.n {
            M::levels(&mut Summed::<_, M> {
                stepper: self,
                component,
                h,
                take: |level: usize, sum: &LaneVec| levels[level * self.n + component] = *sum,
                tableau: PhantomData,
            });
        }
        self.levels = levels;
    }

    /// The dense output of a component in powers of theta, as far as the method has them.
    #[inline(always)]
    pub(super) fn powers_of<M: Tableau>(&self, component: usize, into: &mut [LaneVec; POWERS]) {
        let (n, h) = (self.n, self.tried.h.values());
        let [first, end] = self.stages_of(component, [1, M::STAGES + 1]);
        let (y0, y1) = (self.y[component].values(), self.tried.y[component].values());
        let mut powers = [0.0; POWERS];
        let powers = &mut powers[..=M::ABOUT.dense_degree];
        for lane in 0..LANES {
            let mut levels = [0.0; MOST_LEVELS];
            for level in 0..M::LEVELS {
                levels[level] = self.levels[level * n + component].values()[lane];
            }
            let ends = [y0[lane], first[lane], y1[lane], end[lane]];
            M::polynomial(h[lane], ends, levels, powers);
            for (into, power) in into.iter_mut().zip(&*powers) {
                into.values_mut()[lane] = *power;
            }
        }
    }

    /// The errors of a trial, in units of the tolerance.
    #[inline(always)]
    pub(super) fn errors<M: Tableau>(&self, h: &LaneVec) -> LaneVec {
        let mut largest = [LaneVec::splat(0.0); MOST_ESTIMATES];
        for component in 0..self.n {
            M::estimates(&mut Summed::<_, M> {
                stepper: self,
                component,
                h,
                take: |number: usize, error: &LaneVec| {
                    self.take_error(component, error, &mut largest[number]);
                },
                tableau: PhantomData,
            });
        }
        let [first, second] = &largest;
        LaneVec::from([h, first, second], |[h, first, second]| {
            M::error(h, [first, second])
        })
    }

    /// How stiff steps of a method show their motions to be, as a part of what it can do.
    #[inline(always)]
    pub(super) fn stiffness<M: Tableau>(&self) -> LaneVec {
        let stable = M::STABLE.unwrap_or(1.0);
        let (mut change, mut distance) = (LaneVec::splat(0.0), LaneVec::splat(0.0));
        for component in 0..self.n {
            let [before, last, u, y1] = self.at_end::<M>(component);
            let scale = self.tolerances.scale(component, &self.y[component]);
            change.update([last, before, &scale], |sum, [last, before, scale]| {
                let df = (last - before) / scale;
                sum + df * df
            });
            distance.update([y1, u, &scale], |sum, [y1, u, scale]| {
                let dy = (y1 - u) / scale;
                sum + dy * dy
            });
        }
        LaneVec::from(
            [&self.tried.h, &change, &distance],
            |[h, change, distance]| {
                let stiffness = if distance > 0.0 {
                    h * (change / distance).sqrt()
                } else {
                    0.0
                };
                stiffness / stable
            },
        )
    }

    /// Two numbers whose quotient is the square of [`LaneStepper::stiffness`] but for rounding, with a
    /// division per component.
    #[inline(always)]
    pub(super) fn squared_stiffness<M: Tableau>(&self) -> (LaneVec, LaneVec) {
        let stable = M::STABLE.unwrap_or(1.0);
        let (mut change, mut distance) = (LaneVec::splat(0.0), LaneVec::splat(0.0));
        for component in 0..self.n {
            let [before, last, u, y1] = self.at_end::<M>(component);
            let weight = self.tolerances.weight(component, &self.y[component]);
            change.update(
                [last, before, &weight, &self.tried.h],
                |sum, [last, before, weight, h]| {
                    let df = h * (last - before) * weight;
                    sum + df * df
                },
            );
            distance.update([y1, u, &weight], |sum, [y1, u, weight]| {
                let dy = stable * (y1 - u) * weight;
                sum + dy * dy
            });
        }
        (change, distance)
    }

    /// Two points at the ends of trials, their rates first.
    #[inline(always)]
    fn at_end<M: Tableau>(&self, component: usize) -> [&LaneVec; 4] {
        let n = self.n;
        let k = &self.k[(M::STAGES - 1) * n..];
        let (before, last) = (&k[component], &k[n + component]);
        [before, last, &self.u[component], &self.tried.y[component]]
    }
}
