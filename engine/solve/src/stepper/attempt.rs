//! Trials of a step until one passes its error test: a candidate, and what is proposed for the step after it.

use crate::span::StepSpan;
use crate::step::control::ControllerState;
use crate::step::{Counted, Failure, Rejection, Start, StepResult, all_finite};
use crate::stepper::{
    Candidate, Progress, Snapshot, StepError, Stepper, first_not_finite, start_from,
};
use crate::system::System;

/// Factor for the next trial after one without a result.
const AFTER_FAILURE: f64 = 0.25;

/// A limit this close beyond the end of a step, in steps, is reached by stretching it.
const STRETCH: f64 = 1e-7;

/// The longest trial after a rejected one: a part of an infinite step is as long as that.
const LONGEST_AGAIN: f64 = 1e100;

/// A step changes states hardly by more than rounding if it is so many times as long as the shortest one, or less...
const NEAR_SHORTEST: f64 = 64.0;

/// ...and so many of these in a row, with trials without a result among them, lead nowhere: what they add to the states is
/// lost in rounding.
const MOST_SHORT: u32 = 100;

impl Stepper {
    /// Finds a step that passes the error test and does not end after `until`. Nothing is
    /// committed, and calling again without [`Stepper::accept`] starts from the same point.
    ///
    /// A step shortened by `until` ends there exactly and does not change what is proposed for the
    /// steps after it. Where the system refuses a point or a result is not finite, the step is
    /// tried again shorter.
    ///
    /// # Errors
    ///
    /// [`StepError`]; the committed state is unharmed.
    /// Cost:   the trials; no allocation.
    pub fn attempt<S: System>(
        &mut self,
        system: &mut S,
        until: f64,
    ) -> Result<Candidate, StepError> {
        self.find(system, until, None)
    }

    /// Tries a candidate again from the same point, for a system that has changed in what it gives along the step. Only
    /// where its error is too large now the step is shorter.
    ///
    /// Errors, cost: as of [`Stepper::attempt`].
    pub fn attempt_again<S: System>(
        &mut self,
        system: &mut S,
        candidate: &Candidate,
    ) -> Result<Candidate, StepError> {
        self.find(system, candidate.t1, Some(candidate))
    }

    fn find<S: System>(
        &mut self,
        system: &mut S,
        until: f64,
        mut again: Option<&Candidate>,
    ) -> Result<Candidate, StepError> {
        let (t, progress) = (self.state.t, self.state.progress);
        if !(until > t) {
            return Err(StepError::NoRoom { t, until });
        }
        self.candidate = None;
        self.dense_is_ready = false;
        let hmin = self.settings.hmin;
        let shortest = hmin.max(4.0 * f64::EPSILON * t.abs());
        let plan = self.plan(system).unwrap_or(f64::INFINITY);
        let law = self.method.law(progress.watch.stiff);
        self.method.begin(progress.watch.stiff);
        let mut h = progress.h.min(self.settings.hmax).min(plan).max(shortest);
        let mut rejected = again.is_some_and(|before| before.rejected);
        let mut without_result = None;
        loop {
            let (span, clipped) = match again.take() {
                Some(before) => (before.span(), before.clipped),
                None => self.span(h, until, rejected || law.is_some()),
            };
            let (reason, component, shorter) = match self.trial(system, &span) {
                Ok((error, component)) if error <= 1.0 => {
                    self.short_steps = match (&self.short_steps, span.h <= NEAR_SHORTEST * shortest)
                    {
                        ((steps, before), true) => (steps + 1, without_result.or(*before)),
                        _ => (0, None),
                    };
                    if let (MOST_SHORT.., Some(reason)) = self.short_steps {
                        return Err(StepError::TooShort {
                            t,
                            h: span.h,
                            reason,
                            hmin: None,
                            component: None,
                        });
                    }
                    let candidate = Candidate {
                        t0: t,
                        t1: span.t1,
                        h: span.h,
                        error,
                        component,
                        clipped,
                        rejected,
                    };
                    let after = self.progress_after(&candidate, rejected);
                    self.candidate_implicit = progress.watch.stiff;
                    self.candidate = Some((candidate, after));
                    return Ok(candidate);
                }
                Ok((error, component)) => {
                    self.limiting[component] += 1;
                    self.limited = true;
                    let implicit = progress.watch.stiff;
                    let shorter = self.method.shorter(implicit, error, span.h);
                    (Rejection::Error, Some(component), shorter)
                }
                Err(Failure::Retry(reason)) => {
                    let component = match reason {
                        Rejection::NotFinite => first_not_finite(&self.out.y)
                            .or_else(|| first_not_finite(&self.out.f))
                            .or_else(|| first_not_finite(&self.out.error)),
                        _ => None,
                    };
                    without_result = Some(reason);
                    (reason, component, span.h * AFTER_FAILURE)
                }
                Err(Failure::Stop) => return Err(StepError::Stopped { t }),
            };
            self.stats.count(reason);
            if span.h <= shortest || shorter < f64::MIN_POSITIVE {
                return Err(StepError::TooShort {
                    t,
                    h: span.h,
                    reason,
                    hmin: (hmin > 0.0 && hmin == shortest).then_some(hmin),
                    component,
                });
            }
            h = shorter.min(LONGEST_AGAIN).max(shortest);
            rejected = true;
        }
    }

    /// Span of a step of length `h`, and whether `until` shortened it.
    #[inline]
    fn span(&self, h: f64, until: f64, free: bool) -> (StepSpan, bool) {
        let Snapshot { t, progress, .. } = &self.state;
        let room = until - t;
        if h * (1.0 + STRETCH) >= room {
            let clipped = h > room * (1.0 + STRETCH);
            return (
                StepSpan {
                    t0: *t,
                    t1: until,
                    h: room,
                },
                clipped,
            );
        }
        let t1 = if free {
            t + h
        } else {
            progress.anchor + (progress.steps + 1) as f64 * h
        };
        (StepSpan { t0: *t, t1, h }, false)
    }

    /// One trial with its error test: the error in units of the tolerance, and its component.
    #[inline]
    fn trial<S: System>(
        &mut self,
        system: &mut S,
        span: &StepSpan,
    ) -> Result<(f64, usize), Failure> {
        let implicit = self.state.progress.watch.stiff;
        let start = start_from(&self.state, &self.atol, &self.settings);
        let mut counted = Counted {
            system,
            stats: &mut self.stats,
        };
        self.method
            .trial(implicit, &mut counted, span, &start, &mut self.out)?;
        let verdict = self.method.error(implicit, span.h, &start, &self.out);
        if !all_finite(&self.out.y) || verdict.0.is_nan() {
            return Err(Failure::Retry(Rejection::NotFinite));
        }
        if verdict.0 <= 1.0 {
            if !self.method.ends_with_derivative(implicit) {
                counted.rhs(span.t1, &self.out.y, &mut self.out.f)?;
            }
            if !all_finite(&self.out.f) {
                return Err(Failure::Retry(Rejection::NotFinite));
            }
            let inside = (self.method).inside(implicit, &mut counted, span, &start, &self.out);
            if inside.0 > 1.0 {
                return Ok(inside);
            }
            if self.method.is_at_edge(implicit) {
                let along = off_rates(span.h, &start, &self.out);
                if along.0 > 1.0 {
                    return Ok(along);
                }
            }
        }
        Ok(verdict)
    }

    /// Progress for the next step if this candidate is taken.
    #[inline]
    fn progress_after(&mut self, candidate: &Candidate, rejected: bool) -> Progress {
        let before = self.state.progress;
        let implicit = before.watch.stiff;
        let Some(law) = self.method.law(implicit) else {
            let on_grid = !candidate.clipped && !rejected;
            return Progress {
                anchor: if on_grid { before.anchor } else { candidate.t1 },
                steps: if on_grid { before.steps + 1 } else { 0 },
                ..before
            };
        };
        let (hmin, hmax) = (self.settings.hmin, self.settings.hmax);
        let span = candidate.span();
        let start = start_from(&self.state, &self.atol, &self.settings);
        let (mut h, mut memory) = law.accepted(&before.memory, candidate.error, candidate.h);
        let (out, clipped) = (&self.out, candidate.clipped);
        h = (self.method).next_step(implicit, &span, &start, out, clipped, h);
        if rejected {
            h = h.min(candidate.h);
        }
        if clipped {
            (h, memory) = (h.max(before.h), before.memory);
        }
        let is_measured = self.method.is_explicit() || before.watch.is_measured();
        let stiffness = match is_measured {
            true => self.method.stiffness(implicit, &span, &start, &self.out),
            false => None,
        };
        let watch = match stiffness {
            _ if clipped => before.watch,
            Some(stiffness) if self.method.is_explicit() => {
                h = h.min(before.watch.bound(candidate.h, stiffness));
                before.watch.after_explicit(stiffness)
            }
            stiffness => {
                let terms = self.method.terms(self.settings.rtol);
                before.watch.after_auto(span.h, stiffness, terms)
            }
        };
        if watch.stiff != implicit && !self.method.is_explicit() {
            memory = ControllerState::EMPTY;
        }
        Progress {
            h: h.clamp(hmin, hmax),
            memory,
            watch,
            ..before
        }
    }
}

/// How far a step is off the rates at its ends, in units of the tolerance, and its component. A step that follows an
/// equilibrium, or comes to one, has gone as the rate at its end says, or as those at both ends do.
fn off_rates(h: f64, start: &Start<'_>, out: &StepResult) -> (f64, usize) {
    let off = |i: usize| {
        let way = out.y[i] - start.y[i];
        let to_end = (way - h * out.f[i]).abs();
        let between = (way - 0.5 * h * (start.f[i] + out.f[i])).abs();
        (to_end.min(between) / start.scale(i), i)
    };
    let all = (0..out.y.len()).map(off);
    all.fold(
        (0.0, 0),
        |most, one| if one.0 > most.0 { one } else { most },
    )
}
