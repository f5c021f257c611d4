//! The rows of a tableau, computed on numbers of any kind.

use std::marker::PhantomData;

use super::tableau::{At, Rows, SumKind, Sums, Tableau};
use crate::compiled::CompiledStep;
use crate::span::{Number, StepSpan};
use crate::step::Failure;
use crate::step::sums::{Rates, sum_of};

/// Workspace of a tableau.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers<T> {
    /// Argument of a stage; after a trial that of the last one before the end.
    pub(crate) u: Vec<T>,
    /// Stages from the second on without the derivative at the end, then those of the dense output: rows of
    /// one entry per component.
    pub(crate) k: Vec<T>,
    /// Error estimates behind the first, in rows.
    pub(crate) estimates: Vec<T>,
    /// What the dense output needs besides both ends, in rows.
    pub(crate) levels: Vec<T>,
}

impl<T: Number> Buffers<T> {
    pub(crate) fn resize<M: Tableau>(&mut self, n: usize, value: T) {
        for (values, rows) in [
            (&mut self.u, 1),
            (&mut self.k, M::STAGES - 1 + M::MORE_STAGES),
            (&mut self.estimates, M::ESTIMATES.saturating_sub(1)),
            (&mut self.levels, M::LEVELS),
        ] {
            values.resize(rows * n, value);
        }
    }
}

impl<T: Copy> Buffers<T> {
    /// What is asked of a trial besides its result: estimates behind the first, and what stiffness is measured by.
    pub(crate) fn rest<M: Tableau>(&self, n: usize) -> Vec<T> {
        let mut rest = self.estimates.clone();
        if M::STABLE.is_some() {
            rest.extend(&self.u);
            rest.extend(&self.k[(M::STAGES - 2) * n..][..n]);
        }
        rest
    }
}

impl Buffers<f64> {
    /// Takes over what compiled code has of that.
    pub(crate) fn take_rest<M: Tableau>(&mut self, step: &dyn CompiledStep) {
        let n = self.u.len();
        let estimates = M::ESTIMATES.saturating_sub(1);
        for row in 0..estimates {
            step.rest(row, &mut self.estimates[row * n..][..n]);
        }
        if M::STABLE.is_some() {
            step.rest(estimates, &mut self.u);
            step.rest(estimates + 1, &mut self.k[(M::STAGES - 2) * n..][..n]);
        }
    }
}

/// The error estimates with a number, which is not the first.
pub(crate) fn estimate<T>(buffers: &Buffers<T>, number: usize, n: usize) -> &[T] {
    &buffers.estimates[(number - 1) * n..][..n]
}

/// What a trial reads and writes, one entry per component each.
pub(crate) struct Trial<'a, T> {
    pub(crate) span: &'a StepSpan<T>,
    /// State and derivative at the start.
    pub(crate) start: [&'a [T]; 2],
    pub(crate) end: &'a mut [T],
    pub(crate) end_rates: &'a mut [T],
    pub(crate) error: &'a mut [T],
}

/// The stages that are there.
struct Stages<'a, T> {
    n: usize,
    k1: &'a [T],
    /// Those from the second on.
    k: &'a [T],
    end_rates: &'a [T],
}

impl<'a, T: Number> Stages<'a, T> {
    /// Those that weights belong to. A loop and no `map`, which is not unrolled for many stages.
    #[inline(always)]
    fn of<M: Tableau, const N: usize>(&self, of: [usize; N]) -> [&'a [T]; N] {
        let mut stages = [&self.k1[..self.n]; N];
        for j in 0..N {
            stages[j] = self.stage::<M>(of[j]);
        }
        stages
    }

    #[inline(always)]
    fn stage<M: Tableau>(&self, stage: usize) -> &'a [T] {
        if stage == 1 {
            &self.k1[..self.n]
        } else if stage == M::STAGES + 1 {
            &self.end_rates[..self.n]
        } else {
            &self.k[row_of::<M>(stage) * self.n..][..self.n]
        }
    }
}

/// The row of a stage that is neither the first nor the derivative at the end.
#[inline(always)]
fn row_of<M: Tableau>(stage: usize) -> usize {
    if stage <= M::STAGES {
        stage - 2
    } else {
        stage - 3
    }
}

/// `sum of weight * stage` of a component.
#[inline(always)]
fn sum_at<T: Number, M: Tableau, const N: usize>(i: usize, weights: &[f64; N], k: [&[T]; N]) -> T {
    let sum = sum_of(i, weights, k);
    if M::FROM_ZERO {
        T::number(0.0) + sum
    } else {
        sum
    }
}

/// Evaluates stages one after the other.
struct Evaluated<'a, 'r, T, M> {
    n: usize,
    rates: &'a mut Rates<'r, T>,
    span: &'a StepSpan<T>,
    y: &'a [T],
    k1: &'a [T],
    end_rates: &'a [T],
    u: &'a mut [T],
    k: &'a mut [T],
    tableau: PhantomData<M>,
}

impl<T: Number, M: Tableau> Rows for Evaluated<'_, '_, T, M> {
    #[inline(always)]
    fn stage<const N: usize>(
        &mut self,
        stage: usize,
        at: At,
        weights: &[f64; N],
        of: [usize; N],
    ) -> Result<(), Failure> {
        let (n, h) = (self.n, self.span.h);
        let stages = Stages {
            n,
            k1: self.k1,
            k: self.k,
            end_rates: self.end_rates,
        };
        let (k, y, u) = (stages.of::<M, N>(of), &self.y[..n], &mut self.u[..n]);
        for i in 0..n {
            u[i] = y[i] + h * sum_at::<T, M, N>(i, weights, k);
        }
        let t = match at {
            At::Part(fraction) => self.span.at(fraction),
            At::End => self.span.t1,
        };
        (self.rates)(t, u, &mut self.k[row_of::<M>(stage) * n..][..n])?;
        Ok(())
    }
}

/// Computes sums of stages.
struct Summed<'a, T, M> {
    stages: Stages<'a, T>,
    y: &'a [T],
    h: T,
    /// Sum number 0.
    first: &'a mut [T],
    /// The others, in rows.
    rest: &'a mut [T],
    tableau: PhantomData<M>,
}

impl<T: Number, M: Tableau> Sums for Summed<'_, T, M> {
    #[inline(always)]
    fn sum<const N: usize>(
        &mut self,
        number: usize,
        kind: SumKind,
        weights: &[f64; N],
        of: [usize; N],
    ) {
        let (n, h, y) = (self.stages.n, self.h, self.y);
        let k = self.stages.of::<M, N>(of);
        let [k1] = self.stages.of::<M, 1>([1]);
        let into = match number {
            0 => &mut self.first[..n],
            _ => &mut self.rest[(number - 1) * n..][..n],
        };
        for i in 0..n {
            into[i] = match kind {
                SumKind::State => y[i] + h * sum_at::<T, M, N>(i, weights, k),
                SumKind::Whole => h * sum_at::<T, M, N>(i, weights, k),
                SumKind::PerLength => sum_at::<T, M, N>(i, weights, k),
                SumKind::LessFirst => {
                    let term = |j: usize| (k[j][i] - k1[i]).weighted(weights[j]);
                    let mut sum = term(0);
                    for j in 1..N {
                        sum = sum + term(j);
                    }
                    h * sum
                }
            };
        }
    }
}

/// All stages of a trial, the state at its end and the error estimates, for `n` components.
#[inline(always)]
pub(crate) fn find_stages<T: Number, M: Tableau>(
    n: usize,
    rates: &mut Rates<'_, T>,
    trial: Trial<'_, T>,
    buffers: &mut Buffers<T>,
) -> Result<(), Failure> {
    let Trial {
        span,
        start: [y, k1],
        end,
        end_rates,
        error,
    } = trial;
    let Buffers {
        u, k, estimates, ..
    } = buffers;
    M::stages(&mut Evaluated {
        n,
        rates,
        span,
        y,
        k1,
        end_rates: &[],
        u,
        k,
        tableau: PhantomData::<M>,
    })?;
    let mut stages = Stages {
        n,
        k1,
        k,
        end_rates: &[],
    };
    M::end(&mut Summed {
        stages,
        y,
        h: span.h,
        first: &mut end[..n],
        rest: &mut [],
        tableau: PhantomData::<M>,
    });
    if M::ENDS_WITH_DERIVATIVE {
        rates(span.t1, &end[..n], &mut end_rates[..n])?;
    }
    stages = Stages {
        n,
        k1,
        k,
        end_rates,
    };
    M::estimates(&mut Summed {
        stages,
        y,
        h: span.h,
        first: error,
        rest: estimates,
        tableau: PhantomData::<M>,
    });
    Ok(())
}

/// The stages that only the dense output needs, and its levels.
///
/// Shapes: `ends`: state and derivative at the start, then at the end.
#[inline(always)]
pub(crate) fn find_levels<T: Number, M: Tableau>(
    n: usize,
    rates: &mut Rates<'_, T>,
    span: &StepSpan<T>,
    [y, k1, _, end_rates]: [&[T]; 4],
    buffers: &mut Buffers<T>,
) -> Result<(), Failure> {
    let Buffers { u, k, levels, .. } = buffers;
    M::more_stages(&mut Evaluated {
        n,
        rates,
        span,
        y,
        k1,
        end_rates,
        u,
        k,
        tableau: PhantomData::<M>,
    })?;
    let (first, rest) = levels.split_at_mut(if M::LEVELS > 0 { n } else { 0 });
    M::levels(&mut Summed {
        stages: Stages {
            n,
            k1,
            k,
            end_rates,
        },
        y,
        h: span.h,
        first,
        rest,
        tableau: PhantomData::<M>,
    });
    Ok(())
}
