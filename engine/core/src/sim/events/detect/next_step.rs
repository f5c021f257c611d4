//! Finds the next step: where it ends, and what is to happen there.
//!
//! A step of the method is cut at the first crossing in it; it ends at the latest where something is
//! known in advance to be due.

use crate::bits::Bits;
use crate::ids::{RealId, ScheduleId};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::RunFault;
use crate::sim::events::detect::crossing_search::{Crossed, Crossing, Departures, Field, Which};
use crate::sim::events::detect::locators::{Approach, Fence};
use crate::sim::events::detect::within_step::{At, Look};
use crate::sim::events::iteration::event_iteration::Reason;
use crate::sim::events::motion::singular_sliding::Lift;
use crate::sim::events::motion::vector_field::Moving;
use crate::sim::events::observe::held_shares::HeldSpan;
use crate::sim::events::run::fault::{loop_fault, step_fault};
use crate::sim::events::run::{Hybrid, Limits};
use crate::sim::validate::{StateError, must};
use situ_solve::slices::copy;
use situ_solve::{Candidate, Locate, Refusal, Rejection, StepError, Stepper};
use smallvec::SmallVec;
use std::sync::Arc;

/// Crossings within so many rounding errors of the time (or of the step) are one instant.
pub(crate) const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// Times known in advance that differ by so many units in the last place of their largest term are one.
const SAME_TIME: f64 = 8.0 * f64::EPSILON;

/// Where one-sided location stops short of a border, its way is at most so many times as long.
const NEAR: f64 = 1e3;

/// What finding a step and looking at points inside it changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepStart {
    pub(crate) reals: Vec<f64>,
    pub(crate) sides: Vec<Side>,
    pub(crate) flags: Bits,
    pub(crate) work: (f64, u64),
}

/// A step that has been found: where it ends, and what is to be looked at on the way.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) end: f64,
    /// The end as theta: exactly, where time is too coarse.
    pub(super) theta: f64,
    /// Just before it, where no border is crossed yet [theta].
    pub(super) before: f64,
    /// Whether the method's step ends there too.
    pub(super) whole: bool,
    /// Whether it ends where it begins: there is no step.
    pub(super) still: bool,
    /// Whether something happens at the end, and what.
    pub(crate) reason: Option<Reason>,
    pub(crate) departures: Departures,
    /// In order; those before `passed` are over.
    pub(crate) looks: Vec<Look>,
    pub(crate) passed: usize,
    /// For how long conditions hold by shares, up to each of these and to the end.
    pub(crate) held_spans: Vec<HeldSpan>,
}

/// What ends a step before its time.
#[derive(Clone, Debug)]
struct Stop {
    theta: f64,
    before: f64,
    reason: Reason,
}

impl Hybrid {
    /// Goes on in the method's step behind an instant that has not touched the motion.
    fn find_rest(&mut self) -> Result<Step, RunFault> {
        self.note_start()?;
        let due_at = self.next_due();
        let mut departures = std::mem::take(&mut self.detect.room);
        self.departures(&mut departures)?;
        self.write_quiet()?;
        let mut rest = std::mem::take(&mut self.detect.dense);
        rest.restrict(&self.detect.whole_step, self.detect.rest.from);
        self.detect.dense = rest;
        self.detect.dense_is_ready = true;
        let lands = self.detect.dense.t1() == due_at;
        let stop = self.search(&departures, lands);
        Ok(self.cut_at(stop, lands.then_some(due_at), departures))
    }

    /// Makes the method's step again of which a run goes on with the rest.
    ///
    /// Errors: there is no such step.
    pub(crate) fn make_whole_step(&mut self) -> Result<(), StateError> {
        let mut moving = Moving {
            motion: &mut self.dynamics.motion,
            modes: &mut self.dynamics.modes,
            past: &self.state.past,
            fence: None,
        };
        let made = self
            .detect
            .stepper
            .attempt(&mut moving, self.detect.rest.limit);
        must(made.is_ok(), "there is no step from it")?;
        let dense = self
            .detect
            .stepper
            .take_dense(&mut moving, &mut self.detect.whole_step);
        must(dense.is_ok(), "there is no step from it")
    }

    /// Notes what stands at the start of a step.
    ///
    /// Errors: there have been too many steps.
    fn note_start(&mut self) -> Result<(), RunFault> {
        copy(&mut self.detect.step_start.reals, &self.state.reals);
        copy(
            &mut self.detect.step_start.sides,
            &self.state.discrete.sides,
        );
        self.detect
            .step_start
            .flags
            .clone_from(&self.state.discrete.flags);
        self.detect.step_start.work = self.state.progress.work;
        match self.spend() {
            true => Ok(()),
            false => Err(self.steps_spent()),
        }
    }

    /// The step, cut where it stops. `due_at`: what is known in advance to happen at its end.
    fn cut_at(&mut self, stop: Option<Stop>, due_at: Option<f64>, departures: Departures) -> Step {
        let (theta, before, reason) = match stop {
            Some(stop) => (stop.theta, stop.before, Some(stop.reason)),
            None => (1.0, 1.0, due_at.map(|_| Reason::default())),
        };
        let whole = theta >= 1.0;
        let theta = theta.min(1.0);
        let reason = reason.map(|mut reason| {
            if let (true, Some(due_at)) = (whole, due_at) {
                self.add_due(due_at, &mut reason);
            }
            reason
        });
        let looks = self.looks(&departures, theta);
        let points = looks.iter().map(|look| (look.theta, look.what));
        let held_spans = self.held_by_shares(0.0, points.chain([(theta, At::Time)]));
        Step {
            end: self.detect.dense.time(theta),
            theta,
            before,
            whole,
            still: false,
            reason,
            departures,
            looks,
            passed: 0,
            held_spans,
        }
    }

    /// Finds the next step of the method, cut at the first instant in it.
    pub(crate) fn find(&mut self) -> Result<Step, RunFault> {
        if self.detect.rest.from > 0.0 {
            return self.find_rest();
        }
        self.note_start()?;
        if let Some(formula) = self.plan.config.step_formula {
            let (t, model) = (self.state.t, &self.plan.model);
            let h = model.value_at(formula, &self.state.reals, &self.plan.constants, t);
            if !(h > 0.0 && h.is_finite()) {
                return Err(self.refused(StepError::NoRoom { t, until: t + h }));
            }
            self.detect.stepper.set_step(h);
        }
        let due_at = self.next_due();
        let mut departures = std::mem::take(&mut self.detect.room);
        self.departures(&mut departures)?;
        self.write_quiet()?;
        self.state.past.step_from(self.state.t);
        let mut until = due_at.min(self.state.t + self.state.past.shortest());
        let one_sided = self.plan.config.locate == Locate::OneSided;
        if one_sided {
            match self.approach(&mut departures)? {
                Approach::Until(limit) => until = until.min(limit),
                Approach::Reached(borders) => return Ok(self.arrived(borders, departures)),
            }
        }
        let fenced = one_sided || self.detect.beyond.wanted;
        let slack = match fenced {
            true => self.slacks(&departures)?,
            false => SmallVec::new(),
        };
        let needs_dense = self.needs_dense();
        self.want_code();
        let undefined = self.detect.stepper.stats().undefined();
        let candidate = loop {
            let mut moving = Moving {
                motion: &mut self.dynamics.motion,
                modes: &mut self.dynamics.modes,
                past: &self.state.past,
                fence: fenced.then_some(Fence {
                    departures: &departures,
                    only_watched: &self.state.borders.only_watched,
                    slack: &slack,
                    committed: None,
                    refuses: one_sided,
                    quiet: &self.state.quiet,
                    beyond: &mut self.detect.beyond.count,
                }),
            };
            let attempt = self.detect.stepper.attempt(&mut moving, until);
            let (limits, states) = (&mut self.detect.limits, &moving.motion.states);
            note_limits(
                limits,
                states,
                &mut self.detect.stepper,
                attempt.as_ref().ok(),
            );
            let candidate = match attempt {
                Ok(candidate) => candidate,
                Err(error) => return self.has_no_step(error, departures),
            };
            self.detect.dense_is_ready = needs_dense;
            if !needs_dense {
                self.detect
                    .dense
                    .set_span(candidate.t0, candidate.t1, candidate.h);
                break candidate;
            }
            match self
                .detect
                .stepper
                .take_dense(&mut moving, &mut self.detect.dense)
            {
                Ok(()) => break candidate,
                // Points that only the dense output needs are not defined: they are in a shorter step, if there is one.
                Err(Refusal::Outside) => {
                    until = self.state.t + 0.5 * candidate.h;
                    if !(self.state.t < until && until < candidate.t1) {
                        let error = StepError::TooShort {
                            t: self.state.t,
                            h: candidate.h,
                            reason: Rejection::NotFinite,
                            hmin: None,
                            component: None,
                        };
                        return self.has_no_step(error, departures);
                    }
                }
                Err(Refusal::Stop) => {
                    return Err(self.refused(StepError::Stopped { t: self.state.t }));
                }
            }
        };
        self.detect.rest.limit = until.min(f64::MAX);
        if self.detect.stepper.stats().undefined() > undefined {
            if let Some(lift) = self.lifted(&departures)? {
                return Ok(self.floats(lift, departures));
            }
            if let Some(border) = self.stuck_at(&departures)? {
                return Ok(self.arrived(vec![border], departures));
            }
        }
        let lands = candidate.t1 == due_at;
        let stop = if !needs_dense {
            None
        } else if self.plan.config.locate.sees_ends_only() {
            let found = self.search_ends(&departures);
            found.map(|(theta, reason)| Stop {
                theta,
                before: theta,
                reason,
            })
        } else {
            self.search(&departures, lands)
        };
        Ok(self.cut_at(stop, lands.then_some(due_at), departures))
    }

    /// No step is let through: what has been reached without one.
    ///
    /// Errors: why there is no step, if nothing has been reached.
    fn has_no_step(&mut self, error: StepError, departures: Departures) -> Result<Step, RunFault> {
        let StepError::TooShort { reason, .. } = error else {
            return Err(self.refused(error));
        };
        let beyond = matches!(
            reason,
            Rejection::Outside | Rejection::NotFinite | Rejection::Singular
        );
        let nearest = match beyond {
            true => self.nearest(&departures).ok(),
            false => None,
        };
        // What is not defined beyond a border has been followed up to it. Where nothing may be evaluated beyond it
        // the margin's first order need not tell the way so well.
        let one_sided = self.plan.config.locate == Locate::OneSided;
        let room = TOGETHER * self.state.t.abs();
        let room = if one_sided { NEAR * room } else { room };
        let at_start = one_sided && self.state.t == 0.0;
        match nearest {
            Some((way, border)) if at_start || way <= room => {
                Ok(self.arrived(border.into_iter().collect(), departures))
            }
            _ => Err(self.refused(error)),
        }
    }

    /// The border up to which steps get so short that rounding takes the state no further, since values are not
    /// defined beyond.
    fn stuck_at(&mut self, departures: &Departures) -> Result<Option<BorderId>, RunFault> {
        if !self.dynamics.motion.is_free() {
            return Ok(None);
        }
        let (0.0, Some(border)) = self.nearest(departures)? else {
            return Ok(None);
        };
        let first = self
            .dynamics
            .modes
            .at(self.dynamics.motion.mode)
            .z_first(border);
        let moves = first.is_some_and(|[_, rate]| rate != 0.0);
        Ok(moves.then_some(border))
    }

    /// Whether the dense output decides where the step ends, or may be refused: then it is made in
    /// any case, so that looking at it changes nothing.
    fn needs_dense(&self) -> bool {
        let evaluator = self.dynamics.modes.at(self.dynamics.motion.mode);
        let margins = &evaluator.mode.margins;
        !self.dynamics.motion.is_free()
            || evaluator.has_loops()
            || !self.state.past.is_empty()
            || self.observe.watching.looks_inside()
            || self.plan.config.locate != Locate::Root
            || margins.iter().any(Margin::is_searched)
    }

    /// Makes the dense output of the step, if that has not been done. Where it is asked for only to be shown, points
    /// that it needs and that are not defined do not matter: cubics stand in for it.
    pub(super) fn make_dense(&mut self) -> Result<(), RunFault> {
        if std::mem::replace(&mut self.detect.dense_is_ready, true) {
            return Ok(());
        }
        let mut moving = Moving {
            motion: &mut self.dynamics.motion,
            modes: &mut self.dynamics.modes,
            past: &self.state.past,
            fence: None,
        };
        match self
            .detect
            .stepper
            .take_dense(&mut moving, &mut self.detect.dense)
        {
            Ok(()) => Ok(()),
            Err(Refusal::Outside) => {
                self.detect.stepper.take_cubic(&mut self.detect.dense);
                Ok(())
            }
            Err(Refusal::Stop) => Err(self.refused(StepError::Stopped { t: self.state.t })),
        }
    }

    /// A border has been reached without a step: the instant is now, and of all that is due within rounding
    /// errors of it.
    fn arrived(&mut self, borders: Vec<BorderId>, departures: Departures) -> Step {
        let mut reason = Reason::default();
        let due_at = self.next_due();
        if due_at - self.state.t <= TOGETHER * self.state.t.abs() {
            self.add_due(due_at, &mut reason);
        }
        for border in borders {
            if !reason.borders.contains(&border) {
                reason.borders.push(border);
            }
        }
        Step {
            end: self.state.t,
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
    fn floats(&mut self, lift: Lift, departures: Departures) -> Step {
        self.dynamics.motion.fault = None;
        self.dynamics.modes.get(self.dynamics.motion.mode).fault = None;
        let mut step = self.arrived(Vec::new(), departures);
        if let Some(reason) = &mut step.reason {
            reason.lift = Some(lift);
        }
        step
    }

    /// Counts a step or an instant; false if there are too many of them for the time that has passed.
    pub(crate) fn spend(&mut self) -> bool {
        let (since, count) = &mut self.state.progress.work;
        if (self.state.t - *since).abs() >= 1.0 {
            (*since, *count) = (self.state.t, 0);
        }
        *count += 1;
        *count <= self.plan.config.budget.steps
    }

    pub(super) fn refused(&mut self, error: StepError) -> RunFault {
        let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
        let fault = self.dynamics.motion.fault.take().or(evaluator.fault.take());
        match fault {
            Some(fault) => loop_fault(self.state.t, fault),
            None => step_fault(&self.dynamics.motion, error),
        }
    }

    /// The first crossing inside a step, with all that fall on it.
    fn search(&mut self, departures: &Departures, lands: bool) -> Option<Stop> {
        let dense = &self.detect.dense;
        let tau = TOGETHER * dense.t1().abs().max(dense.h()) / dense.h();
        let mut field = Field {
            motion: &mut self.dynamics.motion,
            modes: &mut self.dynamics.modes,
            past: &self.state.past,
            dense,
            reals: &self.state.reals,
            departures,
            only_watched: &self.state.borders.only_watched,
            // What lies just behind an end that is landed on belongs to it.
            to: if lands { 1.0 + tau } else { 1.0 },
            together: 2.0 * tau,
            quiet: &self.detect.quiet_reaches,
        };
        self.detect.finder.search(&mut field, Which::First);
        self.reach_edges();
        let found = &self.detect.finder.found;
        let one_sided = self.plan.config.locate == Locate::OneSided;
        let place = |crossing: &Crossing| {
            if one_sided {
                crossing.before
            } else {
                crossing.theta
            }
        };
        let first = found.iter().map(place).fold(f64::INFINITY, f64::min);
        let at = if lands && first >= 1.0 - tau {
            1.0
        } else {
            first
        };
        if self.observe.log.wanted {
            self.remark_touches(departures, at);
            self.note_remarks(at);
        }
        let found = &self.detect.finder.found;
        if first.is_infinite() {
            return None;
        }
        let (mut before, mut reason) = (at, Reason::default());
        let group = found.iter().filter(|crossing| place(crossing) <= at + tau);
        for crossing in group {
            before = before.min(crossing.before);
            match crossing.what {
                Crossed::Border(border, _) => reason.borders.push(border),
                Crossed::Exit(number) => reason.leaves.push(self.dynamics.motion.exit(number)),
            }
        }
        Some(Stop {
            theta: at,
            before,
            reason,
        })
    }

    /// What roots are taken of and comes to 0 is reached there (FORMALISM 10.6) if its rate on the border is 0: the
    /// motion goes on along the border, and not as the dense output does.
    #[inline]
    fn reach_edges(&mut self) {
        for at in 0..self.detect.finder.edges.len() {
            let crossing = self.detect.finder.edges[at];
            if let Crossed::Border(border, _) = crossing.what
                && self.stands_still_on(border, crossing.theta)
            {
                self.detect.finder.found.push(crossing);
            }
        }
    }

    /// Whether the rate of an affine margin is 0 on its border, beside a point of the step.
    #[cold]
    fn stands_still_on(&mut self, border: BorderId, theta: f64) -> bool {
        let t = self.detect.dense.time(theta);
        self.dynamics.y.resize(self.detect.dense.dim(), 0.0);
        self.detect.dense.eval(theta, &mut self.dynamics.y);
        self.stands_still_beside(border, t)
    }

    /// The same beside the point in `y`, which is moved onto the border.
    pub(crate) fn stands_still_beside(&mut self, border: BorderId, t: f64) -> bool {
        let mode = Arc::clone(&self.dynamics.modes.at(self.dynamics.motion.mode).mode);
        let Some(margin) = mode.margin(border) else {
            return false;
        };
        let (true, Some(&(moved, weight))) =
            (self.dynamics.motion.is_free(), margin.moving.first())
        else {
            return false;
        };
        let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
        let up = if margin.upright { 1.0 } else { -1.0 };
        for _ in 0..2 {
            if evaluator
                .evaluate_margins(&self.state.past, t, &self.dynamics.y)
                .is_err()
            {
                return false;
            }
            self.dynamics.y[moved] -= up * evaluator.z(border).unwrap_or_default() / weight;
        }
        let mut rates = vec![0.0; self.dynamics.y.len()];
        if evaluator
            .rates(&self.state.past, t, &self.dynamics.y, &mut rates)
            .is_err()
        {
            return false;
        }
        let per_time = margin.form.as_ref().map_or(f64::NAN, |form| form.per_time);
        let terms = margin.moving.iter();
        let terms = terms.map(|&(state, weight)| weight * rates[state]);
        let size = terms.clone().map(f64::abs).sum::<f64>();
        let rate = terms.sum::<f64>() + per_time;
        rate.abs() <= 4.0 * f64::EPSILON * size
    }

    /// Places before a point of the step at which rounding decided.
    fn note_remarks(&mut self, last: f64) {
        self.observe
            .log
            .begin(self.state.progress.instants, self.detect.dense.t1());
        for remark in &self.detect.finder.remarks {
            let [from, to] = remark.between.map(|theta| self.detect.dense.time(theta));
            let name = crate::sim::events::observe::log::place(&self.state.borders, remark.border);
            if let (Some(border), true) = (name, remark.between[0] <= last) {
                self.observe.log.note(|| crate::trace::What::Marginal {
                    border,
                    between: [from, to],
                    touch: remark.touch,
                });
            }
        }
    }

    /// The next time that is known in advance.
    pub(super) fn next_due(&self) -> f64 {
        let beats = (0..self.state.progress.beats.len()).map(|index| self.beat_time(index));
        let borders = self.timed_borders().map(|(_, time)| time);
        let all = beats.chain(borders).chain([self.state.past.next_break()]);
        all.fold(f64::INFINITY, f64::min)
    }

    /// What is due at a time, the earliest of all that are known: times that are computed differ from each other by
    /// rounding (FORMALISM 10.3).
    fn add_due(&self, at: f64, reason: &mut Reason) {
        for index in 0..self.state.progress.beats.len() {
            if is_same_time(at, self.beat_time(index), self.size_of_beat(index)) {
                reason.due.push(ScheduleId::new(index));
            }
        }
        for (border, time) in self.timed_borders() {
            if is_same_time(at, time, time.abs()) {
                reason.borders.push(border);
            }
        }
    }

    /// The larger of the two terms of the next time of a schedule.
    fn size_of_beat(&self, index: usize) -> f64 {
        let schedule = &self.plan.model.schedules[index];
        let first = self
            .plan
            .model
            .value_at(schedule.first, &[], &self.plan.constants, 0.0);
        first.abs().max((self.beat_time(index) - first).abs())
    }

    pub(super) fn beat_time(&self, index: usize) -> f64 {
        let schedule = &self.plan.model.schedules[index];
        let value = |expr| {
            self.plan
                .model
                .value_at(expr, &[], &self.plan.constants, 0.0)
        };
        let (period, first) = (value(schedule.period), value(schedule.first));
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 instants")]
        let count = self.state.progress.beats[index] as f64;
        if schedule.first == schedule.period {
            (count + 1.0) * period
        } else {
            first + count * period
        }
    }

    /// Borders affine in time with everything else held, with the later time at which they lie.
    fn timed_borders(&self) -> impl Iterator<Item = (BorderId, f64)> {
        let mode = &self.dynamics.modes.at(self.dynamics.motion.mode).mode;
        let timed = mode.timed.iter().map(|&at| &mode.margins[at as usize]);
        timed.filter_map(move |margin| {
            let form = margin.form.as_ref().filter(|form| form.per_time != 0.0)?;
            let held = margin.held.iter();
            let held: f64 = held
                .map(|(real, weight)| weight * self.state.reals[real.index()])
                .sum();
            let time = -(form.constant + held) / form.per_time;
            let index = margin.border.index();
            let ahead = time > self.state.t && !self.state.discrete.flags.get(index);
            let ahead = ahead && !self.state.borders.only_watched[index];
            ahead.then_some((margin.border, time))
        })
    }
}

/// Whether two times that were computed are one, given the largest term in them.
pub(super) fn is_same_time(one: f64, other: f64, size: f64) -> bool {
    (one - other).abs() <= SAME_TIME * size.max(one.abs())
}

/// Counts whose error was the largest in a step, and in the trials before it that were rejected.
fn note_limits(
    limits: &mut [Limits],
    states: &[RealId],
    stepper: &mut Stepper,
    taken: Option<&Candidate>,
) {
    if let Some(taken) = taken.filter(|taken| taken.error > 0.0) {
        limits[states[taken.component].index()].steps += 1;
    }
    stepper.take_limiting(|component, times| {
        limits[states[component].index()].rejections += times;
    });
}
