//! A step of an explicit method on numbers of any kind, for those who write the operations down to
//! compile them ([`CompiledStep`]).
//!
//! The stages are those of the stepper: what is compiled from them has its bits.

use super::combine::{Number, Rates, Way};
use super::method::Method;
use super::step::Failure;
use super::{dop853, tsit5};

/// Compiled code of the steps of a method in one system, which takes the place of the stages. It has their bits.
pub trait CompiledStep {
    /// A trial: reads the state and the derivative at the start, writes what [`ExplicitTrial`] calls so.
    fn trial(&mut self, span: &Way<f64>, start: [&[f64]; 2], into: TrialResult<'_>);

    /// Reads a row of [`ExplicitTrial::rest`] of the last trial.
    fn rest(&self, row: usize, into: &mut [f64]);

    /// What the dense output of the last trial needs that the trial does not give
    /// ([`ExplicitTrial::dense`]).
    fn dense(&mut self) -> &[f64];
}

/// What a trial by [`CompiledStep`] writes, one entry per component each.
#[derive(Debug)]
pub struct TrialResult<'a> {
    /// The state at the end.
    pub y: &'a mut [f64],
    /// The derivative there.
    pub f: &'a mut [f64],
    /// The error estimate.
    pub error: &'a mut [f64],
}

/// A trial of an explicit method with step control, and what its dense output is computed from.
#[derive(Clone, Debug)]
pub struct ExplicitTrial<T> {
    span: Way<T>,
    y: Vec<T>,
    /// The derivative at the start, and the stages between it and the end.
    k: Vec<Vec<T>>,
    /// The state at the end.
    pub end: Vec<T>,
    /// The derivative there.
    pub end_rates: Vec<T>,
    /// The error estimate.
    pub error: Vec<T>,
    /// What else the method wants to know of a trial: rows of one entry per component.
    pub rest: Vec<T>,
    method: Traced,
}

/// The methods that can be written down.
#[derive(Clone, Copy, Debug)]
enum Traced {
    Tsit5,
    Dop853,
}

impl<T: Number> ExplicitTrial<T> {
    /// Does a trial of a method from a state and the derivative there; `None` if it is not an explicit
    /// one with step control, or if the rates are refused.
    pub fn new(
        method: Method,
        span: Way<T>,
        [y, k1]: [&[T]; 2],
        rates: &mut Rates<'_, T>,
    ) -> Option<Self> {
        let method = match method {
            Method::Tsit5 => Traced::Tsit5,
            Method::Dop853 => Traced::Dop853,
            _ => return None,
        };
        let room = || y.to_vec();
        let mut trial = Self {
            span,
            y: y.to_vec(),
            k: vec![k1.to_vec()],
            end: room(),
            end_rates: room(),
            error: room(),
            rest: Vec::new(),
            method,
        };
        trial.stages(rates).ok()?;
        Some(trial)
    }

    fn stages(&mut self, rates: &mut Rates<'_, T>) -> Result<(), Failure> {
        let n = self.y.len();
        let room = || self.y.clone();
        let mut u = room();
        match self.method {
            Traced::Tsit5 => {
                let mut k: [_; 5] = std::array::from_fn(|_| room());
                let on = tsit5::Stages {
                    y: &self.y,
                    k1: &self.k[0],
                    u: &mut u,
                    k: k.each_mut().map(|k| &mut k[..]),
                    end: &mut self.end,
                    end_rates: &mut self.end_rates,
                    error: &mut self.error,
                };
                tsit5::stages(n, rates, &self.span, on)?;
                self.rest = [&u[..], &k[4]].concat();
                self.k.extend(k);
            }
            Traced::Dop853 => {
                let mut k: [_; 11] = std::array::from_fn(|_| room());
                self.rest = room();
                let on = dop853::Stages {
                    y: &self.y,
                    k1: &self.k[0],
                    u: &mut u,
                    k: k.each_mut().map(|k| &mut k[..]),
                    end: &mut self.end,
                    end_rates: &mut self.end_rates,
                    errors: [&mut self.error, &mut self.rest],
                };
                dop853::stages(n, rates, &self.span, on)?;
                self.k.extend(k);
            }
        }
        Ok(())
    }

    /// What the dense output needs that a trial does not give; `None` if the rates are refused.
    pub fn dense(&self, rates: &mut Rates<'_, T>) -> Option<Vec<T>> {
        let n = self.y.len();
        let k = |stage: usize| &self.k[stage - 1][..];
        match self.method {
            Traced::Tsit5 => {
                let stages = [k(2), k(3), k(4), k(5), k(6), &self.end_rates];
                let bow = |i| tsit5::bow(i, self.span.h, k(1), stages);
                Some((0..n).map(bow).collect())
            }
            Traced::Dop853 => {
                let room = || self.y.clone();
                let mut more: [_; 3] = std::array::from_fn(|_| room());
                let mut levels: [_; 4] = std::array::from_fn(|_| room());
                let on = dop853::MoreStages {
                    y: &self.y,
                    k: [
                        k(1),
                        k(6),
                        k(7),
                        k(8),
                        k(9),
                        k(10),
                        k(11),
                        k(12),
                        &self.end_rates,
                    ],
                    u: &mut room(),
                    more: more.each_mut().map(|k| &mut k[..]),
                    levels: levels.each_mut().map(|level| &mut level[..]),
                };
                dop853::more_stages(n, rates, &self.span, on).ok()?;
                Some(levels.concat())
            }
        }
    }
}
