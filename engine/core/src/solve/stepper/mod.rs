//! The loop around one step: trials, error test, step lengths, commitment.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::auto::Watch;
use super::control::{Care, Memory, first_planned_step, first_step};
use super::dense::Dense;
use super::engine::Engine;
use super::settings::{Settings, SettingsError};
use super::step::{Counted, Failure, Outcome, Rejection, Span, Start, Stats, all_finite};
use super::system::{Refusal, System};
use crate::slices::write;

/// Moves the state of a system in time, step by step.
///
/// A step is first a candidate ([`Stepper::attempt`]): it has passed the error test and can be
/// looked at ([`Stepper::y_end`], [`Stepper::dense`]), but nothing has happened yet. Then the
/// caller takes it whole ([`Stepper::accept`]), or goes on from a point inside it with another
/// state ([`Stepper::restart`], after an event), or asks for another candidate, for example a
/// shorter one.
///
/// All that the next candidate depends on is in [`Snapshot`]: a run that is saved and resumed
/// continues with the same bits. Nothing allocates between two calls of [`Stepper::enter`].
///
/// ```
/// use situ_engine::solve::{Method, Refusal, Settings, Stepper, System};
///
/// struct Decay;
///
/// impl System for Decay {
///     fn dim(&self) -> usize {
///         1
///     }
///
///     fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
///         dy[0] = -y[0];
///         Ok(())
///     }
/// }
///
/// let settings = Settings { method: Method::Tsit5, rtol: 1e-8, ..Settings::default() };
/// let mut stepper = Stepper::new(settings)?;
/// stepper.enter(&mut Decay, 0.0, &[1.0], &[1e-8])?;
/// while stepper.t() < 2.0 {
///     stepper.attempt(&mut Decay, 2.0)?;
///     stepper.accept();
/// }
/// assert!((stepper.y()[0] - (-2.0_f64).exp()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stepper {
    settings: Settings,
    atol: Vec<f64>,
    engine: Engine,
    state: Snapshot,
    out: Outcome,
    candidate: Option<(Candidate, Progress)>,
    /// Method of the candidate, if the method is `auto`.
    candidate_implicit: bool,
    dense: Dense,
    dense_is_ready: bool,
    stats: Stats,
    /// For each component how often it limited a step.
    limiting: Vec<u64>,
    /// Some have.
    limited: bool,
}

/// All that the future of a run depends on, apart from the system and the settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Time.
    pub t: f64,
    /// State at that time.
    pub y: Vec<f64>,
    /// Its derivative there, as the last step left it: a system that solves for it by iteration may
    /// find other last bits from another start.
    pub dy: Vec<f64>,
    /// What the past says about the next step.
    pub progress: Progress,
}

/// What the past says about the next step.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Proposed length of the next step.
    pub h: f64,
    /// What the step control remembers.
    pub memory: Memory,
    /// Stiffness met; only with `auto`.
    pub watch: Watch,
    /// Methods of fixed step count steps from here, so that times are products and not sums.
    pub anchor: f64,
    /// Steps since the anchor.
    pub steps: u64,
}

impl Progress {
    /// Nothing is known of the past.
    pub(crate) const FRESH: Self = Self {
        h: f64::INFINITY,
        memory: Memory::EMPTY,
        watch: Watch {
            implicit: false,
            hints: 0,
            doubts: 0,
        },
        anchor: 0.0,
        steps: 0,
    };
}

/// A step that passed the error test and has not been taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// Its start, the committed time.
    pub t0: f64,
    /// Its end.
    pub t1: f64,
    /// Its length.
    pub h: f64,
    /// Largest estimated error in units of the tolerance; 0 for methods of fixed step.
    pub error: f64,
    /// The component of that error.
    pub component: usize,
    /// Whether it is shorter than proposed because of the caller's limit.
    pub clipped: bool,
}

/// Why there is no next step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StepError {
    /// Steps were rejected down to the shortest one. The last one:
    TooShort {
        /// Its start.
        t: f64,
        /// Its length.
        h: f64,
        /// Why it was rejected.
        reason: Rejection,
        /// The component with the largest error, or the first that is not finite.
        component: Option<usize>,
    },
    /// The derivative at the start is missing or not finite.
    Start {
        /// The time.
        t: f64,
        /// The first component that is not finite; `None` if the system refused the point.
        component: Option<usize>,
    },
    /// The system asked to stop ([`Refusal::Stop`]).
    Stopped {
        /// The committed time.
        t: f64,
    },
    /// The limit does not lie after the committed time.
    NoRoom {
        /// The committed time.
        t: f64,
        /// The limit.
        until: f64,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort {
                t,
                h,
                reason,
                component,
            } => {
                let reason = match reason {
                    Rejection::Error => "the error stays above the tolerance",
                    Rejection::Outside => "the system is not defined beyond",
                    Rejection::NotFinite => "a result is not finite",
                    Rejection::NotConverged => "the implicit stages do not converge",
                    Rejection::Singular => "the matrix of the implicit stages is singular",
                    Rejection::TooLarge => {
                        "its Jacobian has too many entries for an implicit method; take an explicit one"
                    }
                };
                write!(f, "no step from t = {t} succeeds, down to {h:e}: {reason}")?;
                match component {
                    Some(component) => write!(f, " (component {component})"),
                    None => Ok(()),
                }
            }
            Self::Start { t, component: None } => {
                write!(f, "the system is not defined at t = {t}")
            }
            Self::Start {
                t,
                component: Some(component),
            } => {
                write!(
                    f,
                    "the derivative of component {component} is not finite at t = {t}"
                )
            }
            Self::Stopped { t } => write!(f, "stopped at t = {t}"),
            Self::NoRoom { t, until } => write!(f, "no step leads from t = {t} to {until}"),
        }
    }
}

impl std::error::Error for StepError {}

/// Factor for the next trial after one without a result.
const AFTER_FAILURE: f64 = 0.25;

/// A limit this close beyond the end of a step, in steps, is reached by stretching it.
pub(super) const STRETCH: f64 = 1e-7;

impl Stepper {
    /// A stepper that has to [`Stepper::enter`] a system.
    ///
    /// Errors: what is wrong with the settings.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        settings.check(&[])?;
        Ok(Self {
            engine: Engine::new(settings.method),
            settings,
            atol: Vec::new(),
            state: Snapshot {
                t: 0.0,
                y: Vec::new(),
                dy: Vec::new(),
                progress: Progress::FRESH,
            },
            out: Outcome::default(),
            candidate: None,
            candidate_implicit: false,
            dense: Dense::default(),
            dense_is_ready: false,
            stats: Stats::default(),
            limiting: Vec::new(),
            limited: false,
        })
    }

    /// Starts a run, or goes on with another system: another mode, with other components.
    ///
    /// The first step is `h0` or an estimate; after the first call, and after [`Stepper::restart`],
    /// it is not longer than the last one.
    ///
    /// Shapes: `y`, `atol`: one entry per component; absolute tolerances in the component's unit
    ///         (times its nominal value, if there is one).
    /// Errors: [`EnterError`]; nothing is usable then until another call succeeds.
    /// Cost:   three evaluations; allocates.
    pub fn enter<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        atol: &[f64],
    ) -> Result<(), EnterError> {
        self.settings.check(atol)?;
        self.resize(system, y.len(), atol);
        self.restart(system, t, y)?;
        Ok(())
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
        self.settings.check(atol)?;
        self.resize(system, y.len(), atol);
        self.begin_anew(system, t, y, Care::Close)?;
        Ok(())
    }

    /// Forgets the run that was: the next call of [`Stepper::enter`] is the first one.
    pub(crate) fn forget(&mut self) {
        self.candidate = None;
        self.state.progress = Progress::FRESH;
    }

    /// Goes on with another system whose derivative continues that of the present one smoothly: the
    /// controller goes on as if nothing had happened.
    ///
    /// Shapes, errors: as in [`Stepper::enter`], which must have been called before.
    /// Cost:   one evaluation; allocates.
    pub fn enter_smoothly<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        atol: &[f64],
    ) -> Result<(), EnterError> {
        self.settings.check(atol)?;
        self.resize(system, y.len(), atol);
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
    /// Errors: as [`Stepper::restart`].
    /// Cost:   one evaluation.
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
        self.state.progress.memory = Memory::EMPTY;
        Ok(())
    }

    fn has_fixed_steps(&self) -> bool {
        let implicit = self.state.progress.watch.implicit;
        self.engine.law(implicit).is_none()
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
    fn last_step(&mut self) -> f64 {
        match self.candidate.take() {
            Some((candidate, _)) if !candidate.clipped => candidate.h,
            _ => self.state.progress.h,
        }
    }

    /// Goes on from another point of the same system, after an event: the controller forgets, the
    /// step is the shorter one of the last one and a fresh estimate. Drops the candidate.
    ///
    /// Errors: [`StepError::Start`] if there is no derivative at the point, [`StepError::Stopped`].
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
        let (hmin, hmax) = (self.settings.hmin, self.settings.hmax);
        let room = hmax.min(last);
        let progress = &mut self.state.progress;
        progress.memory = Memory::EMPTY;
        (progress.anchor, progress.steps) = (t, 0);
        let implicit = progress.watch.implicit;
        let plan = self.plan(system);
        let law = self.engine.law(implicit);
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
                    &law,
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
    /// nothing had happened.
    ///
    /// Errors: as [`Stepper::restart`].
    /// Cost:   one evaluation.
    pub fn correct<S: System>(&mut self, system: &mut S, y: &[f64]) -> Result<(), StepError> {
        self.move_to(system, self.state.t, y)
    }

    /// Continues a saved run with the same bits; nothing is evaluated.
    ///
    /// Shapes: as in [`Stepper::enter`].
    /// Errors: what is wrong with the settings.
    pub fn resume<S: System>(
        &mut self,
        system: &mut S,
        snapshot: &Snapshot,
        atol: &[f64],
    ) -> Result<(), SettingsError> {
        self.settings.check(atol)?;
        self.resize(system, snapshot.y.len(), atol);
        self.candidate = None;
        self.dense_is_ready = false;
        self.engine.moved();
        self.state.clone_from(snapshot);
        Ok(())
    }

    /// Goes on from where a run of the same system is that took its steps elsewhere, with the bits of that
    /// run.
    pub(crate) fn take_over(&mut self, from: &Snapshot) {
        self.candidate = None;
        self.dense_is_ready = false;
        self.engine.moved();
        self.state.clone_from(from);
    }

    /// From here on a method of fixed step takes steps of this length; other methods choose theirs.
    pub fn set_step(&mut self, h: f64) {
        let progress = &mut self.state.progress;
        if self.engine.law(progress.watch.implicit).is_none() {
            progress.h = h;
            (progress.anchor, progress.steps) = (self.state.t, 0);
            self.candidate = None;
        }
    }

    /// All that the rest of the run depends on. A candidate is not part of it: the resumed run
    /// finds the same one.
    pub fn save(&self) -> &Snapshot {
        &self.state
    }

    fn resize<S: System>(&mut self, system: &mut S, n: usize, atol: &[f64]) {
        assert!(
            system.dim() == n && atol.len() == n,
            "one value per component of the system"
        );
        self.atol.clear();
        self.atol.extend_from_slice(atol);
        self.state.y.resize(n, 0.0);
        self.state.dy.resize(n, 0.0);
        self.limiting.clear();
        self.limited = false;
        self.limiting.resize(n, 0);
        self.out.resize(n);
        self.engine.resize(system);
        if !self.engine.may_turn_implicit() {
            self.state.progress.watch = Watch::default();
        }
        self.dense
            .reserve(self.settings.method.about().dense_degree, n);
    }

    /// Commits a point that no step led to.
    fn move_to<S: System>(&mut self, system: &mut S, t: f64, y: &[f64]) -> Result<(), StepError> {
        self.engine.moved();
        self.dense_is_ready = false;
        self.state.t = t;
        write(&mut self.state.y, y);
        let mut counted = Counted {
            system,
            stats: &mut self.stats,
        };
        match counted.rhs(t, &self.state.y, &mut self.state.dy) {
            Ok(()) => match first_not_finite(&self.state.dy) {
                None => Ok(()),
                component => Err(StepError::Start { t, component }),
            },
            Err(Refusal::Outside) => Err(StepError::Start { t, component: None }),
            Err(Refusal::Stop) => Err(StepError::Stopped { t }),
        }
    }

    /// Finds a step that passes the error test and does not end after `until`. Nothing is
    /// committed, and calling again without [`Stepper::accept`] starts from the same point.
    ///
    /// A step shortened by `until` ends there exactly and does not change what is proposed for the
    /// steps after it. Where the system refuses a point or a result is not finite, the step is
    /// tried again shorter.
    ///
    /// Errors: [`StepError`]; the committed state is unharmed.
    /// Cost:   the trials; no allocation.
    pub fn attempt<S: System>(
        &mut self,
        system: &mut S,
        until: f64,
    ) -> Result<Candidate, StepError> {
        let (t, progress) = (self.state.t, self.state.progress);
        if !(until > t) {
            return Err(StepError::NoRoom { t, until });
        }
        self.candidate = None;
        self.dense_is_ready = false;
        let shortest = self.settings.hmin.max(4.0 * f64::EPSILON * t.abs());
        let plan = self.plan(system).unwrap_or(f64::INFINITY);
        let law = self.engine.law(progress.watch.implicit);
        let mut h = progress.h.min(self.settings.hmax).min(plan).max(shortest);
        let mut rejected = false;
        loop {
            let (span, clipped) = self.span(h, until, rejected || law.is_some());
            let (reason, component, shorter) = match self.trial(system, &span) {
                Ok((error, component)) if error <= 1.0 => {
                    let candidate = Candidate {
                        t0: t,
                        t1: span.t1,
                        h: span.h,
                        error,
                        component,
                        clipped,
                    };
                    let after = self.progress_after(&candidate, rejected);
                    self.candidate_implicit = progress.watch.implicit;
                    self.candidate = Some((candidate, after));
                    return Ok(candidate);
                }
                Ok((error, component)) => {
                    self.limiting[component] += 1;
                    self.limited = true;
                    let law = law.expect("only methods with a step control estimate errors");
                    (
                        Rejection::Error,
                        Some(component),
                        law.rejected(error, span.h),
                    )
                }
                Err(Failure::Retry(reason)) => {
                    let component = match reason {
                        Rejection::NotFinite => first_not_finite(&self.out.y)
                            .or_else(|| first_not_finite(&self.out.f))
                            .or_else(|| first_not_finite(&self.out.error)),
                        _ => None,
                    };
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
                    component,
                });
            }
            h = shorter.max(shortest);
            rejected = true;
        }
    }

    /// The longest step that meets the tolerances, if the method knows it before the trial.
    #[inline]
    fn plan<S: System>(&mut self, system: &mut S) -> Option<f64> {
        let start = start_from(&self.state, &self.atol, &self.settings);
        let mut counted = Counted {
            system,
            stats: &mut self.stats,
        };
        let implicit = self.state.progress.watch.implicit;
        self.engine.plan(implicit, &mut counted, &start)
    }

    /// Where a step of length `h` goes, and whether `until` shortened it.
    fn span(&self, h: f64, until: f64, free: bool) -> (Span, bool) {
        let Snapshot { t, progress, .. } = &self.state;
        let room = until - t;
        if h * (1.0 + STRETCH) >= room {
            let clipped = h > room * (1.0 + STRETCH);
            return (
                Span {
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
        (Span { t0: *t, t1, h }, false)
    }

    /// One trial with its error test: the error in units of the tolerance, and its component.
    #[inline]
    fn trial<S: System>(&mut self, system: &mut S, span: &Span) -> Result<(f64, usize), Failure> {
        let implicit = self.state.progress.watch.implicit;
        let start = start_from(&self.state, &self.atol, &self.settings);
        let mut counted = Counted {
            system,
            stats: &mut self.stats,
        };
        self.engine
            .trial(implicit, &mut counted, span, &start, &mut self.out)?;
        let verdict = self.engine.error(implicit, span.h, &start, &self.out);
        if !all_finite(&self.out.y) || verdict.0.is_nan() {
            return Err(Failure::Retry(Rejection::NotFinite));
        }
        if verdict.0 <= 1.0 {
            if !self.engine.ends_with_derivative(implicit) {
                counted.rhs(span.t1, &self.out.y, &mut self.out.f)?;
            }
            if !all_finite(&self.out.f) {
                return Err(Failure::Retry(Rejection::NotFinite));
            }
        }
        Ok(verdict)
    }

    /// What is known for the next step if this candidate is taken.
    fn progress_after(&mut self, candidate: &Candidate, rejected: bool) -> Progress {
        let before = self.state.progress;
        let Some(law) = self.engine.law(before.watch.implicit) else {
            let on_grid = !candidate.clipped && !rejected;
            return Progress {
                anchor: if on_grid { before.anchor } else { candidate.t1 },
                steps: if on_grid { before.steps + 1 } else { 0 },
                ..before
            };
        };
        let (hmin, hmax) = (self.settings.hmin, self.settings.hmax);
        let (mut h, mut memory) = law.accepted(&before.memory, candidate.error, candidate.h);
        if rejected {
            h = h.min(candidate.h);
        }
        if candidate.clipped {
            (h, memory) = (h.max(before.h), before.memory);
        }
        let span = Span {
            t0: candidate.t0,
            t1: candidate.t1,
            h: candidate.h,
        };
        let start = start_from(&self.state, &self.atol, &self.settings);
        let implicit = before.watch.implicit;
        let watch = match self.engine.stiffness(implicit, &span, &start, &self.out) {
            Some(stiffness) if !candidate.clipped => before.watch.after(stiffness),
            _ => before.watch,
        };
        if watch.implicit != implicit {
            memory = Memory::EMPTY;
        }
        Progress {
            h: h.clamp(hmin, hmax),
            memory,
            watch,
            ..before
        }
    }

    /// The dense output of the candidate; made when first asked for.
    ///
    /// Errors: [`Refusal`] if a point that the dense output needs is refused (only `dop853` needs
    ///         further points). A shorter candidate may have one.
    /// Cost:   `dop853` three evaluations, the others none; no allocation.
    ///
    /// # Panics
    /// If there is no candidate.
    pub fn dense<S: System>(&mut self, system: &mut S) -> Result<&Dense, Refusal> {
        let (candidate, _) = self.candidate.as_ref().expect("a candidate has been found");
        if !self.dense_is_ready {
            let span = Span {
                t0: candidate.t0,
                t1: candidate.t1,
                h: candidate.h,
            };
            let start = start_from(&self.state, &self.atol, &self.settings);
            let mut counted = Counted {
                system,
                stats: &mut self.stats,
            };
            let implicit = self.candidate_implicit;
            self.engine
                .dense(
                    implicit,
                    &mut counted,
                    &span,
                    &start,
                    &self.out,
                    &mut self.dense,
                )
                .map_err(|failure| match failure {
                    Failure::Retry(_) => Refusal::Outside,
                    Failure::Stop => Refusal::Stop,
                })?;
            self.dense_is_ready = true;
        }
        Ok(&self.dense)
    }

    /// The dense output of the candidate, made as by [`Stepper::dense`] and put into `into`; what was
    /// there serves as memory for the next one.
    ///
    /// Errors, cost: as there.
    pub fn take_dense<S: System>(
        &mut self,
        system: &mut S,
        into: &mut Dense,
    ) -> Result<(), Refusal> {
        self.dense(system)?;
        std::mem::swap(&mut self.dense, into);
        self.dense_is_ready = false;
        Ok(())
    }

    /// Takes the candidate whole.
    ///
    /// # Panics
    /// If there is none.
    pub fn accept(&mut self) {
        let (candidate, after) = self.candidate.take().expect("a candidate has been found");
        self.stats.steps += 1;
        if after.watch.implicit != self.state.progress.watch.implicit {
            self.stats.switches += 1;
        }
        self.state.t = candidate.t1;
        self.state.progress = after;
        std::mem::swap(&mut self.state.y, &mut self.out.y);
        std::mem::swap(&mut self.state.dy, &mut self.out.f);
        self.engine.moved();
    }

    /// Counts the candidate as a step of which only a part is taken: the system is entered anew where it is cut.
    pub fn cut(&mut self) {
        self.stats.steps += 1;
    }

    /// The committed time.
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// The committed state.
    pub fn y(&self) -> &[f64] {
        &self.state.y
    }

    /// The derivative at the committed state.
    pub fn dy(&self) -> &[f64] {
        &self.state.dy
    }

    /// The state at the end of the candidate.
    pub fn y_end(&self) -> &[f64] {
        &self.out.y
    }

    /// The derivative at the end of the candidate.
    pub fn dy_end(&self) -> &[f64] {
        &self.out.f
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was done so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// For each component how many trials failed on its error, since the system was entered or this was
    /// asked: tells each one that has, with the number, and forgets it.
    pub fn take_limiting(&mut self, mut each: impl FnMut(usize, u64)) {
        if !std::mem::take(&mut self.limited) {
            return;
        }
        for (component, times) in self.limiting.iter_mut().enumerate() {
            let times = std::mem::take(times);
            if times > 0 {
                each(component, times);
            }
        }
    }
}

/// Why a system cannot be entered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EnterError {
    /// A setting or an absolute tolerance.
    Settings(SettingsError),
    /// There is no first step.
    Step(StepError),
}

impl From<SettingsError> for EnterError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl From<StepError> for EnterError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl fmt::Display for EnterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(error) => error.fmt(f),
            Self::Step(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EnterError {}

/// The committed point, as the methods see it.
fn start_from<'a>(state: &'a Snapshot, atol: &'a [f64], settings: &Settings) -> Start<'a> {
    Start {
        t: state.t,
        y: &state.y,
        f: &state.dy,
        atol,
        rtol: settings.rtol,
    }
}

fn first_not_finite(values: &[f64]) -> Option<usize> {
    values.iter().position(|value| !value.is_finite())
}
