//! Finds the next step: where it ends, and what is to happen there.
//!
//! A step of the method is cut at the first crossing in it; it ends at the latest where something is
//! known in advance to be due.

use crate::bits::Bits;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::departure::Departures;
use crate::sim::events::detect::locators::{Approach, DomainGuard};
use crate::sim::events::detect::restart::MOST_TRIALS;
use crate::sim::events::detect::schedules::SAME_TIME;
use crate::sim::events::detect::within_step::{SampleKind, SamplePoint};
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::singular_sliding::SingularSliding;
use crate::sim::events::motion::system::Moving;

use crate::sim::events::observe::Observation;
use crate::sim::events::observe::held_shares::HeldSpan;
use crate::sim::events::run::fault::{step_fault, value_fault};
use crate::sim::events::state::HybridState;
use situ_solve::{Candidate, Locate, Refusal, Rejection, StepError};
use smallvec::SmallVec;

/// Crossings within so many rounding errors of the time (or of the step) are one instant.
pub(crate) const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// With one-sided location, a border counts as reached from a way at most so many times as long.
const NEAR: f64 = 1e3;

/// State at the start of a step, which the search for the step and sampling inside it change.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepStart {
    pub(crate) reals: Vec<f64>,
    pub(crate) sides: Vec<Side>,
    pub(crate) flags: Bits,
}

/// A step that has been found: its end, and the points on the way that are to be sampled.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) end: f64,
    /// The end as theta: exactly, where time is too coarse.
    pub(crate) theta: f64,
    /// Just before it, where no border is crossed yet [theta].
    pub(crate) before: f64,
    /// True if the method's step ends there too.
    pub(super) whole: bool,
    /// True if it ends where it begins: there is no step.
    pub(crate) still: bool,
    /// Cause of the event at the end, if there is one.
    pub(crate) reason: Option<EventCause>,
    pub(crate) departures: Departures,
    /// In order; those before `passed` are over.
    pub(crate) looks: Vec<SamplePoint>,
    pub(crate) passed: usize,
    /// For how long conditions hold by shares, up to each of these and to the end.
    pub(crate) held_spans: Vec<HeldSpan>,
}

/// Early end of a step.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) theta: f64,
    pub(super) before: f64,
    pub(super) reason: EventCause,
}

impl Detection {
    /// The step, cut where it stops, or before at the end of a solution that it follows. `due_at`: what is known in advance to
    /// happen at its end.
    ///
    /// # Errors
    ///
    /// A solution ends where the step begins.
    pub(super) fn cut_at(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        mut stop: Option<Stop>,
        due_at: Option<f64>,
        departures: Departures,
    ) -> Result<Step, RunFault> {
        self.follow_solutions(state, dynamics, &mut stop)?;
        let limit = stop.as_ref().map_or(1.0, |stop| stop.theta.min(1.0));
        // What happens together with the passage of a mark is the reason; the mark is passed behind it.
        let happens = stop.is_some() || due_at.is_some();
        let mark = dynamics
            .mark_before(state, &self.dense, limit, happens)
            .map(|[before, theta]| Stop {
                theta,
                before,
                reason: EventCause::default(),
            });
        let stop = mark.or(stop);
        let (theta, before, reason) = match stop {
            Some(stop) => (stop.theta, stop.before, Some(stop.reason)),
            None => (1.0, 1.0, due_at.map(|_| EventCause::default())),
        };
        let whole = theta >= 1.0;
        let theta = theta.min(1.0);
        let reason = reason.map(|mut reason| {
            if let (true, Some(due_at)) = (whole, due_at) {
                dynamics.add_due(state, due_at, &mut reason);
            }
            reason
        });
        let turns_kink = reason.as_ref().is_some_and(|reason| {
            let mut borders = reason.borders.iter();
            borders.any(|border| state.borders.kinked.get(border.index()))
        });
        let kink = turns_kink.then_some(before);
        let mut looks = self.looks(state, dynamics, observe, &departures, (theta, kink));
        if let Some(edge) = self.value_edge(state, dynamics, theta)? {
            looks.retain(|look| look.theta <= edge.theta);
            looks.push(edge);
        }
        let points = looks.iter().map(|look| (look.theta, look.what));
        let held_spans = self.held_by_shares(
            state,
            dynamics,
            observe,
            0.0,
            points.chain([(theta, SampleKind::Time)]),
        );
        Ok(Step {
            end: self.dense.time(theta),
            theta,
            before,
            whole,
            still: false,
            reason,
            departures,
            looks,
            passed: 0,
            held_spans,
        })
    }

    /// Finds the next step of the method, cut at the first instant in it.
    pub(crate) fn find(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        events: &mut EventIteration,
        observe: &mut Observation,
    ) -> Result<Step, RunFault> {
        self.find_before(state, dynamics, events, observe, (f64::INFINITY, 0))
    }

    /// The same, of a step that ends at the latest at a time; `tried`: so many steps were too long.
    fn find_before(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        events: &mut EventIteration,
        observe: &mut Observation,
        (latest, tried): (f64, u32),
    ) -> Result<Step, RunFault> {
        if self.rest.from > 0.0 {
            return self.find_rest(state, dynamics, observe);
        }
        match tried {
            0 => self.note_start(state),
            _ => self.leave_none(state),
        }
        dynamics.check_lookups(state)?;
        if let Some(formula) = self.plan.config.step_formula {
            let (t, model) = (state.t, &self.plan.model);
            let h = model.value_at(formula, &state.reals, &self.plan.constants, t);
            if !(h > 0.0 && h.is_finite()) {
                return Err(dynamics.refused(state, StepError::NoRoom { t, until: t + h }));
            }
            self.stepper.set_step(h);
        }
        let due_at = dynamics.next_due(state);
        let mut departures = std::mem::take(&mut self.room);
        dynamics.departures(state, &mut departures)?;
        self.write_quiet(state, dynamics, &departures)?;
        state.past.step_from(state.t);
        state.past.forget_ahead();
        // Location may have stepped over what is due by rounding. A break just behind the beginning of a step is passed
        // before it: rates at the beginning read the delay behind the break.
        let is_due = due_at <= state.t || state.past.breaks_at(state.t);
        if is_due || events.has_risen() || dynamics.watch_marks(state) {
            return Ok(dynamics.arrived(state, Vec::new(), departures));
        }
        let mut trials = 0;
        let mut until = due_at.min(state.past.latest_end()).min(latest);
        // The step ends at the break, not a rounding error before it.
        if state.past.breaks_at(until) {
            until = due_at.min(state.past.next_break());
        }
        if let Some((delay, tau)) = state.past.unresolved() {
            return Err(RunFault::ShortDelay {
                time: state.t,
                relation: self.plan.flow.rows[self.plan.flow.delays[delay]].relation,
                tau,
            });
        }
        let one_sided = self.plan.config.locate == Locate::OneSided;
        if one_sided {
            match dynamics.approach(state, &mut departures)? {
                Approach::Until(limit) => until = until.min(limit),
                Approach::Reached(borders) => {
                    return Ok(dynamics.arrived(state, borders, departures));
                }
            }
        }
        let fenced = one_sided || self.beyond.wanted;
        let slack = match fenced {
            true => dynamics.slacks(state, &departures)?,
            false => SmallVec::new(),
        };
        let needs_dense = self.needs_dense(state, dynamics, observe);
        self.want_code(dynamics);
        let undefined = self.stepper.stats().undefined();
        let mut again: Option<Candidate> = None;
        let candidate = loop {
            let mut moving = Moving {
                motion: &mut dynamics.motion,
                modes: &mut dynamics.modes,
                past: &state.past,
                fence: fenced.then_some(DomainGuard {
                    departures: &departures,
                    only_watched: &state.borders.only_watched,
                    slack: &slack,
                    committed: None,
                    refuses: one_sided,
                    quiet: &state.quiet,
                    beyond: &mut self.beyond.count,
                }),
            };
            let attempt = match again.take() {
                Some(before) => self.stepper.attempt_again(&mut moving, &before),
                None => self.stepper.attempt(&mut moving, until),
            };
            let (limits, motion) = (&mut self.limits, &*moving.motion);
            motion.count_limits(limits, &mut self.stepper, attempt.as_ref().ok());
            let candidate = match attempt {
                Ok(candidate) => candidate,
                Err(error) => return dynamics.has_no_step(state, error, departures),
            };
            self.dense_is_ready = needs_dense;
            if !needs_dense {
                self.dense.set_span(candidate.t0, candidate.t1, candidate.h);
                break candidate;
            }
            match self.stepper.take_dense(&mut moving, &mut self.dense) {
                Ok(()) if self.is_settled(state, dynamics, &mut trials) => break candidate,
                Ok(()) if trials < MOST_TRIALS => again = Some(candidate),
                // Trials that do not settle do so in a shorter step.
                Ok(()) => {
                    (until, trials) = (state.t + 0.5 * candidate.h, 0);
                    state.past.forget_ahead();
                    if !(state.t < until && until < candidate.t1) {
                        let error = too_short(state.t, candidate.h);
                        return dynamics.has_no_step(state, error, departures);
                    }
                }
                // Points that only the dense output needs are not defined: they are in a shorter step, if there is one.
                Err(Refusal::Outside) => {
                    until = state.t + 0.5 * candidate.h;
                    if !(state.t < until && until < candidate.t1) {
                        let error = too_short(state.t, candidate.h);
                        return dynamics.has_no_step(state, error, departures);
                    }
                }
                Err(Refusal::Stop) => {
                    return Err(dynamics.refused(state, StepError::Stopped { t: state.t }));
                }
            }
        };
        if tried < MOST_TRIALS
            && let Some(latest) = self.passed_unseen(state, dynamics)
            && state.t < latest
            && latest < candidate.t1
        {
            self.room = departures;
            return self.find_before(state, dynamics, events, observe, (latest, tried + 1));
        }
        let pole = self.pole(state, dynamics)?;
        self.rest.limit = until.min(f64::MAX);
        if self.stepper.stats().undefined() > undefined {
            if let Some(lift) = events.lifted(state, dynamics, observe, &departures)? {
                return Ok(dynamics.slides_singularly(state, lift, departures));
            }
            if let Some(border) = dynamics.stuck_at(state, &departures)? {
                return Ok(dynamics.arrived(state, vec![border], departures));
            }
        }
        let lands = candidate.t1 == due_at;
        let mut stop = if !needs_dense {
            None
        } else if self.plan.config.locate.sees_ends_only() {
            let found = self.search_ends(state, dynamics, &departures);
            found.map(|(theta, reason)| Stop {
                theta,
                before: theta,
                reason,
            })
        } else {
            self.search(state, dynamics, observe, &departures, lands)
        };
        let is_contradicted =
            pole.is_none() && self.is_contradicted(state, dynamics, &mut stop, tried);
        let latest = match &stop {
            stop if let Some(pole) = pole => self.end_before_pole(state, stop, pole, tried)?,
            Some(stop) if is_contradicted => state.t + 0.5 * stop.theta * candidate.h,
            Some(stop) if tried < MOST_TRIALS && dynamics.leaves_curve(state, stop) => {
                self.dense.time(stop.theta)
            }
            _ => state.t,
        };
        if latest > state.t {
            self.room = departures;
            return self.find_before(state, dynamics, events, observe, (latest, tried + 1));
        }
        let due_at = lands.then_some(due_at);
        self.cut_at(state, dynamics, observe, stop, due_at, departures)
    }

    /// True if the dense output decides where the step ends, or may be refused: then it is made in
    /// any case, so that looking at it changes nothing.
    fn needs_dense(&self, state: &HybridState, dynamics: &Dynamics, observe: &Observation) -> bool {
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        let margins = &evaluator.mode.margins;
        !dynamics.motion.is_free()
            || evaluator.has_loops()
            || !state.past.is_empty()
            || observe.watching.looks_inside()
            || self.plan.config.locate != Locate::Root
            || margins.iter().any(Margin::is_searched)
    }

    /// Makes the dense output of the step, if that has not been done. Where it is asked for only to be shown, points
    /// that it needs and that are not defined do not matter: cubics stand in for it.
    pub(super) fn make_dense(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<(), RunFault> {
        if std::mem::replace(&mut self.dense_is_ready, true) {
            return Ok(());
        }
        let mut moving = Moving {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            fence: None,
        };
        match self.stepper.take_dense(&mut moving, &mut self.dense) {
            Ok(()) => Ok(()),
            Err(Refusal::Outside) => {
                self.stepper.take_cubic(&mut self.dense);
                Ok(())
            }
            Err(Refusal::Stop) => Err(dynamics.refused(state, StepError::Stopped { t: state.t })),
        }
    }
}

impl Dynamics {
    /// No step is let through: what has been reached without one.
    ///
    /// # Errors
    ///
    /// Why there is no step, if nothing has been reached.
    fn has_no_step(
        &mut self,
        state: &HybridState,
        error: StepError,
        departures: Departures,
    ) -> Result<Step, RunFault> {
        let StepError::TooShort { reason, .. } = error else {
            return Err(self.refused(state, error));
        };
        let beyond = matches!(
            reason,
            Rejection::Outside | Rejection::NotFinite | Rejection::Singular
        );
        let nearest = match beyond {
            true => self.nearest(state, &departures).ok(),
            false => None,
        };
        // What is not defined beyond a border has been followed up to it. Where nothing may be evaluated beyond it
        // the margin's first order need not tell the way so well.
        let one_sided = self.plan.config.locate == Locate::OneSided;
        let room = TOGETHER * state.t.abs();
        let room = if one_sided { NEAR * room } else { room };
        let at_start = one_sided && state.t == 0.0;
        match nearest {
            Some((way, border)) if at_start || way <= room => {
                Ok(self.arrived(state, border.into_iter().collect(), departures))
            }
            _ => Err(self.refused(state, error)),
        }
    }

    /// The border up to which steps get so short that rounding takes the state no further, since values are not
    /// defined beyond.
    fn stuck_at(
        &mut self,
        state: &HybridState,
        departures: &Departures,
    ) -> Result<Option<BorderId>, RunFault> {
        if !self.motion.is_free() {
            return Ok(None);
        }
        let (0.0, Some(border)) = self.nearest(state, departures)? else {
            return Ok(None);
        };
        let first = self.modes.at(self.motion.mode).z_first(border);
        let moves = first.is_some_and(|[_, rate]| rate != 0.0);
        Ok(moves.then_some(border))
    }

    /// A border has been reached without a step: the instant is now, and of all that is due within rounding
    /// errors of it, or of a border that time alone moves.
    fn arrived(&self, state: &HybridState, borders: Vec<BorderId>, departures: Departures) -> Step {
        let mut reason = EventCause::default();
        let due_at = self.next_due(state);
        let is_due = |(border, [time, size]): (BorderId, [f64; 2])| {
            borders.contains(&border) && is_same_time(due_at, time, size)
        };
        let near = TOGETHER * state.t.abs();
        if due_at - state.t <= near || self.timed_borders(state).any(is_due) {
            self.add_due(state, due_at, &mut reason);
        }
        for border in borders {
            if !reason.borders.contains(&border) {
                reason.borders.push(border);
            }
        }
        Step {
            end: state.t,
            theta: 0.0,
            before: 0.0,
            whole: false,
            still: true,
            reason: Some(reason),
            departures,
            looks: Vec::new(),
            passed: 0,
            held_spans: Vec::new(),
        }
    }

    /// Nothing but a slide along a border leads on: it begins now.
    fn slides_singularly(
        &mut self,
        state: &HybridState,
        lift: SingularSliding,
        departures: Departures,
    ) -> Step {
        self.motion.fault = None;
        self.modes.get(self.motion.mode).fault = None;
        let mut step = self.arrived(state, Vec::new(), departures);
        if let Some(reason) = &mut step.reason {
            reason.lift = Some(lift);
        }
        step
    }

    pub(super) fn refused(&mut self, state: &HybridState, error: StepError) -> RunFault {
        let evaluator = self.modes.get(self.motion.mode);
        let fault = self.motion.fault.take().or(evaluator.fault.take());
        match fault {
            Some(fault) => value_fault(state.t, fault),
            None => step_fault(&self.motion, error),
        }
    }
}

/// No step is short enough for its values to be found.
fn too_short(t: f64, h: f64) -> StepError {
    StepError::TooShort {
        t,
        h,
        reason: Rejection::NotFinite,
        hmin: None,
        component: None,
    }
}

/// True if two times that were computed are one, given the largest term in them.
pub(crate) fn is_same_time(one: f64, other: f64, size: f64) -> bool {
    (one - other).abs() <= SAME_TIME * size.max(one.abs())
}
