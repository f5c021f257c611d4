//! Start and restart: a system, a point and the progress so far become the committed state and the length of
//! the next step.

use super::{EnterError, Progress, Snapshot, StepError, Stepper, first_not_finite, start_from};
use crate::auto::StiffnessDetector;
use crate::method::Method;
use crate::settings::SettingsError;
use crate::slices::write;
use crate::step::Counted;
use crate::step::control::{Care, ControllerState, first_planned_step, first_step};
use crate::system::{Refusal, System};

impl Stepper {
    /// Starts a run, or goes on with another system: another mode, with other components.
    ///
    /// The first step is `h0` or an estimate; after the first call, and after [`Stepper::restart`],
    /// it is not longer than the last one.
    ///
    /// Shapes: `y`, `atol`: one entry per component; absolute tolerances in the component's unit
    ///         (times its nominal value, if there is one).
    ///
    /// # Errors
    ///
    /// [`EnterError`]; nothing is usable then until another call succeeds.
    /// Cost:   three evaluations; allocates.
    pub fn enter<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        atol: &[f64],
    ) -> Result<(), EnterError> {
        self.enter_with(system, (t, y), atol, Care::Usual)
    }

    /// As [`Stepper::enter`], where something leaves 0 with a derivative that vanishes too: the first step is
    /// short, so that its dense output shows on which side.
    ///
    /// Shapes, errors, cost: as there.
    pub fn enter_closely<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        atol: &[f64],
    ) -> Result<(), EnterError> {
        self.enter_with(system, (t, y), atol, Care::Close)
    }

    fn enter_with<S: System>(
        &mut self,
        system: &mut S,
        (t, y): (f64, &[f64]),
        atol: &[f64],
        care: Care,
    ) -> Result<(), EnterError> {
        self.resize(system, y.len(), atol)?;
        self.begin_anew(system, t, y, care)?;
        Ok(())
    }

    /// Forgets the run that was: the next call of [`Stepper::enter`] is the first one.
    #[inline]
    pub fn forget(&mut self) {
        self.candidate = None;
        self.state.progress = Progress::FRESH;
    }

    /// Goes on with another system whose derivative continues that of the present one smoothly: the
    /// controller goes on as if nothing had happened.
    ///
    /// Shapes, errors: as in [`Stepper::enter`], which must have been called before.
    /// Cost:   one evaluation; allocates.
    ///
    /// The caller promises that the rates go on smoothly. Where they do not, the error estimate of the next step sees
    /// it.
    pub fn enter_smoothly<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        atol: &[f64],
    ) -> Result<(), EnterError> {
        self.resize(system, y.len(), atol)?;
        if self.has_fixed_steps() {
            self.restart(system, t, y)?;
        } else {
            self.keep_step(system, t, y)?;
        }
        Ok(())
    }

    /// Goes on from another point of the same system, after an event that left the law of its motion as
    /// it was: as [`Stepper::restart`], but what is fresh about the first step is the error test of a
    /// trial of the last length, not an estimate before it.
    ///
    /// # Errors
    ///
    /// As [`Stepper::restart`].
    /// Cost:   one evaluation.
    ///
    /// With an estimate before the step as well, a bouncing ball takes two and a half steps per flight and not one.
    pub fn reenter<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
    ) -> Result<(), StepError> {
        if self.has_fixed_steps() {
            return self.restart(system, t, y);
        }
        self.keep_step(system, t, y)?;
        self.stats.restarts += 1;
        self.state.progress.memory = ControllerState::EMPTY;
        Ok(())
    }

    /// Whether the settings say how long steps are.
    #[inline]
    pub fn has_fixed_steps(&self) -> bool {
        let implicit = self.state.progress.watch.stiff;
        self.method.law(implicit).is_none()
    }

    /// Moves to a point; the next step is as long as the last one would have been.
    fn keep_step<S: System>(&mut self, system: &mut S, t: f64, y: &[f64]) -> Result<(), StepError> {
        let last = self.last_step();
        self.move_to(system, t, y)?;
        let progress = &mut self.state.progress;
        (progress.anchor, progress.steps) = (t, 0);
        progress.h = last;
        Ok(())
    }

    /// The step that would have come next, or was cut short; drops the candidate.
    #[inline]
    fn last_step(&mut self) -> f64 {
        match self.candidate.take() {
            Some((candidate, _)) if !candidate.clipped => candidate.h,
            _ => self.state.progress.h,
        }
    }

    /// Goes on from another point of the same system, after an event: the controller forgets, the
    /// step is the shorter one of the last one and a fresh estimate. Drops the candidate.
    ///
    /// # Errors
    ///
    /// [`StepError::Start`] if there is no derivative at the point, [`StepError::Stopped`].
    /// Cost:   three evaluations.
    pub fn restart<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
    ) -> Result<(), StepError> {
        self.begin_anew(system, t, y, Care::Usual)
    }

    fn begin_anew<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        care: Care,
    ) -> Result<(), StepError> {
        let last = self.last_step();
        self.move_to(system, t, y)?;
        self.stats.restarts += 1;
        self.short_steps = (0, None);
        let (hmin, hmax) = (self.settings.hmin, self.settings.hmax);
        let room = hmax.min(last);
        let progress = &mut self.state.progress;
        progress.memory = ControllerState::EMPTY;
        (progress.anchor, progress.steps) = (t, 0);
        let implicit = progress.watch.stiff;
        let plan = self.plan(system);
        let law = self.method.law(implicit);
        self.state.progress.h = match (law, self.settings.h0, plan) {
            (None, h0, _) => h0.unwrap_or(hmax).min(hmax),
            (Some(_), Some(h0), _) if last.is_infinite() => h0.clamp(hmin, hmax),
            (Some(_), _, Some(plan)) => {
                let start = start_from(&self.state, &self.atol, &self.settings);
                first_planned_step(plan, &start, (room, care)).max(hmin)
            }
            (Some(law), _, None) => {
                let mut counted = Counted {
                    system,
                    stats: &mut self.stats,
                };
                let tolerances = (&self.atol[..], self.settings.rtol);
                let out = &mut self.out;
                let scratch = (&mut out.y[..], &mut out.f[..], &mut out.error[..]);
                first_step(
                    &mut counted,
                    t,
                    (y, &self.state.dy),
                    tolerances,
                    law,
                    (room, care),
                    scratch,
                )
                .map_err(|_| StepError::Stopped { t })?
                .max(hmin)
            }
        };
        Ok(())
    }

    /// Puts the committed state elsewhere, by less than its errors: the controller goes on as if
    /// nothing had happened, a multistep method keeps its points, and a method that keeps a Jacobian keeps it.
    ///
    /// # Errors
    ///
    /// As [`Stepper::restart`].
    /// Cost:   one evaluation.
    pub fn correct<S: System>(&mut self, system: &mut S, y: &[f64]) -> Result<(), StepError> {
        self.method.corrected();
        self.state.history.is_put_back = self.state.history.has_points();
        self.put(system, self.state.t, y)
    }

    /// Continues a saved run with the same bits; nothing is evaluated.
    ///
    /// Shapes: as in [`Stepper::enter`].
    ///
    /// # Errors
    ///
    /// What is wrong with the settings.
    pub fn resume<S: System>(
        &mut self,
        system: &mut S,
        snapshot: &Snapshot,
        atol: &[f64],
    ) -> Result<(), SettingsError> {
        self.resize(system, snapshot.y.len(), atol)?;
        self.candidate = None;
        self.dense_is_ready = false;
        self.method.restarted();
        self.short_steps = (0, None);
        self.state.clone_from(snapshot);
        Ok(())
    }

    /// From here on a method of fixed step takes steps of this length; other methods choose theirs.
    #[inline]
    pub fn set_step(&mut self, h: f64) {
        let progress = &mut self.state.progress;
        if self.method.law(progress.watch.stiff).is_none() {
            progress.h = h;
            (progress.anchor, progress.steps) = (self.state.t, 0);
            self.candidate = None;
        }
    }

    /// Makes room for a system.
    fn resize<S: System>(
        &mut self,
        system: &mut S,
        n: usize,
        atol: &[f64],
    ) -> Result<(), SettingsError> {
        self.settings.check(atol)?;
        assert!(
            system.dim() == n && atol.len() == n,
            "one value per component of the system"
        );
        self.atol.clear();
        self.atol.extend_from_slice(atol);
        self.state.y.resize(n, 0.0);
        self.state.dy.resize(n, 0.0);
        self.method.resize(system, self.settings.rtol);
        if self.settings.method == Method::Auto && system.n_algebraic() > 0 {
            self.state.progress.watch = StiffnessDetector::STIFF;
        } else if !self.method.may_turn_implicit() {
            self.state.progress.watch = StiffnessDetector::default();
        }
        let implicit = self.state.progress.watch.stiff;
        self.method.reserve(implicit, &mut self.state.history, n);
        self.limiting.clear();
        self.limited = false;
        self.limiting.resize(n, 0);
        self.out.resize(n);
        self.dense
            .reserve(self.settings.method.about().dense_degree, n);
        Ok(())
    }

    /// Commits a point that no step led to.
    fn move_to<S: System>(&mut self, system: &mut S, t: f64, y: &[f64]) -> Result<(), StepError> {
        self.state.history.clear();
        self.method.restarted();
        self.put(system, t, y)
    }

    fn put<S: System>(&mut self, system: &mut S, t: f64, y: &[f64]) -> Result<(), StepError> {
        self.dense_is_ready = false;
        self.state.t = t;
        write(&mut self.state.y, y);
        let Snapshot { y, dy, .. } = &mut self.state;
        let mut counted = Counted {
            system,
            stats: &mut self.stats,
        };
        let mut found = counted.rhs(t, y, dy);
        if found.is_ok() && counted.system.n_algebraic() > 0 {
            found = counted.system.algebraic_rates(t, y, dy);
        }
        match found {
            Ok(()) => match first_not_finite(&self.state.dy) {
                None => Ok(()),
                component => Err(StepError::Start { t, component }),
            },
            Err(Refusal::Outside) => Err(StepError::Start { t, component: None }),
            Err(Refusal::Stop) => Err(StepError::Stopped { t }),
        }
    }
}
