//! A step of an explicit method on numbers of any kind, for those who write the operations down to
//! compile them ([`CompiledStep`](crate::CompiledStep)).
//!
//! The stages are those of the stepper: what is compiled from them has its bits.

use super::choice::{match_tableau, with_tableau};
use super::stages::{Buffers, Trial, find_levels, find_stages};
use super::tableau::Tableau;
use crate::method::Method;
use crate::span::{Number, StepSpan};
use crate::step::Failure;
use crate::step::sums::Rates;

/// A trial of an explicit method with step control, and what its dense output is computed from.
#[derive(Clone, Debug)]
pub struct ExplicitTrial<T> {
    method: Method,
    span: StepSpan<T>,
    /// State and derivative at the start.
    start: [Vec<T>; 2],
    buffers: Buffers<T>,
    /// The state at the end.
    pub end: Vec<T>,
    /// The derivative there.
    pub end_rates: Vec<T>,
    /// The error estimate.
    pub error: Vec<T>,
    /// What else the method wants to know of a trial: rows of one entry per component.
    pub rest: Vec<T>,
}

impl<T: Number> ExplicitTrial<T> {
    /// Does a trial of a method from a state and the derivative there; `None` if it is not an explicit
    /// one with step control, or if the rates are refused.
    pub fn new(
        method: Method,
        span: StepSpan<T>,
        [y, k1]: [&[T]; 2],
        rates: &mut Rates<'_, T>,
    ) -> Option<Self> {
        let room = || y.to_vec();
        let trial = Self {
            method,
            span,
            start: [y.to_vec(), k1.to_vec()],
            buffers: Buffers {
                u: Vec::new(),
                k: Vec::new(),
                estimates: Vec::new(),
                levels: Vec::new(),
            },
            end: room(),
            end_rates: room(),
            error: room(),
            rest: Vec::new(),
        };
        with_tableau!(method, M => trial.find::<M>(rates), None)
    }

    fn find<M: Tableau>(mut self, rates: &mut Rates<'_, T>) -> Option<Self> {
        if M::CONTROLLER.is_none() || !M::ENDS_WITH_DERIVATIVE {
            return None;
        }
        let n = self.end.len();
        let any = *self.end.first()?;
        self.buffers.resize::<M>(n, any);
        let trial = Trial {
            span: &self.span,
            start: self.start.each_ref().map(|values| &values[..]),
            end: &mut self.end,
            end_rates: &mut self.end_rates,
            error: &mut self.error,
        };
        find_stages::<T, M>(n, rates, trial, &mut self.buffers).ok()?;
        self.rest = self.buffers.rest::<M>(n);
        Some(self)
    }

    /// What the dense output needs that a trial does not give; `None` if the rates are refused.
    pub fn dense(&mut self, rates: &mut Rates<'_, T>) -> Option<&[T]> {
        let found: Result<(), Failure> = with_tableau!(self.method, M => {
            let [y, k1] = &self.start;
            let ends = [&y[..], k1, &self.end, &self.end_rates];
            find_levels::<T, M>(y.len(), rates, &self.span, ends, &mut self.buffers)
        }, return None);
        found.ok()?;
        Some(&self.buffers.levels)
    }
}
