//! The Jacobian that an implicit method keeps over steps, with the point that it belongs to.

use crate::step::history::{History, LinearisedAt};
use crate::step::{Counted, Failure, Linearisation, Rejection, Start};
use crate::system::System;

/// A Jacobian, and which factors are made of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) jacobian: Linearisation,
    /// What `jacobian` and the factors belong to.
    pub(crate) at: LinearisedAt,
    /// True if they were made in a trial, and the step would begin with others.
    is_ahead: bool,
    /// True if they are there.
    is_loaded: bool,
}

impl Kept {
    /// Room for the point.
    pub(crate) fn resize(&mut self, n: usize) {
        for values in [&mut self.at.y, &mut self.at.f] {
            values.clear();
            values.resize(n, 0.0);
        }
        self.restarted();
    }

    /// Nothing is known to be there.
    pub(crate) fn restarted(&mut self) {
        (self.is_loaded, self.is_ahead) = (false, false);
    }

    /// A step begins, or begins once more: with what the history says.
    pub(crate) fn begin(&mut self) {
        if std::mem::take(&mut self.is_ahead) {
            self.is_loaded = false;
        }
    }

    /// Whether there is a Jacobian with its factors.
    pub(crate) fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// Whether the Jacobian was evaluated in a trial of this step.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_loaded && self.is_ahead && self.at.age == 0
    }

    /// Evaluates the Jacobian that the history names, if it is not there. Whether it did: the factors have to be found
    /// then.
    pub(crate) fn reload<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
    ) -> Result<bool, Failure> {
        let carried = &start.history.linearised;
        if self.is_loaded || self.is_ahead || !carried.is_known() {
            return Ok(false);
        }
        self.at.copy_from(carried);
        self.evaluate(system, start)?;
        Ok(true)
    }

    /// What was reloaded has its factors.
    pub(crate) fn reloaded(&mut self) {
        self.is_loaded = true;
    }

    /// Evaluates the Jacobian at a point.
    pub(crate) fn linearise<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        (t, y, f): (f64, &[f64], &[f64]),
        start: &Start<'_>,
    ) -> Result<(), Failure> {
        self.at.y.clear();
        self.at.y.extend_from_slice(y);
        self.at.f.clear();
        self.at.f.extend_from_slice(f);
        (self.at.t, self.at.age) = (t, 0);
        (self.is_ahead, self.is_loaded) = (true, false);
        self.evaluate(system, start)
    }

    fn evaluate<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
    ) -> Result<(), Failure> {
        let there = Start {
            t: self.at.t,
            y: &self.at.y,
            f: &self.at.f,
            ..*start
        };
        system.linearise(self.at.t, &there, &mut self.jacobian)?;
        system.bound_slopes(self.at.t, &there, &mut self.jacobian)?;
        if self.jacobian.is_finite() {
            Ok(())
        } else {
            Err(Failure::Retry(Rejection::NotFinite))
        }
    }

    /// Factors are about to be found for a step, with this on the diagonal.
    pub(crate) fn factor(&mut self, shift: f64) {
        (self.at.shift, self.at.factors_age) = (shift, 0);
        (self.is_ahead, self.is_loaded) = (true, true);
    }

    /// The factors could not be found.
    pub(crate) fn has_no_factors(&mut self) {
        self.is_loaded = false;
    }

    /// The step of the last trial has been taken.
    pub(crate) fn accepted(&mut self, history: &mut History) {
        self.at.age += 1;
        self.at.factors_age += 1;
        // Slopes at the edge of a root serve for one step.
        if self.jacobian.at_edge {
            history.linearised.clear();
            self.is_loaded = false;
        } else {
            history.linearised.copy_from(&self.at);
        }
        self.is_ahead = false;
    }
}
