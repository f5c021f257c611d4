//! Goes through a step that has been found: rows and sample points on the way, then its end.

use crate::sim::events::detect::Detection;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::system::Moving;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::{EventState, HybridState};
use smallvec::SmallVec;

use crate::bits::Bits;
use crate::lower::affine::Affine;
use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::detect::next_step::{TOGETHER, is_same_time};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::modes::evaluation::guess::Look;
use crate::sim::past::line::WIDTH;

use crate::sim::events::run::fault::step_fault;
use crate::sim::events::run::{EventRun, PARTS, Pause, parts};
use crate::trace::Recorder;
use situ_solve::slices::copy;
use situ_solve::{Dense, Locate, StepError};

/// So many rows of a step are handed over before the recorder is asked again whether it wants more.
const ROWS_BETWEEN_POLLS: u64 = 64;

/// Largest distance before a border beyond which values are not defined at which the state may be put [theta].
const CLOSE_BEFORE: f64 = 1e-6;

/// A sample point: one inside a step at which measures or conditions are evaluated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SamplePoint {
    pub(crate) theta: f64,
    pub(crate) t: f64,
    pub(crate) what: SampleKind,
}

/// Kind of a point inside a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum SampleKind {
    /// A time that is asked for.
    Time,
    /// A border is crossed, to this side of it.
    Border(BorderId, Side),
    /// An extremum of a measure's expression, with this value. Only that measure takes it, and the state does not go
    /// there.
    Turn { measure: usize, value: f64 },
    /// An edge of a value, by number: the run ends there.
    Edge(usize),
}

/// How far a run has come in a step.
pub(crate) enum StepAdvance {
    /// It pauses inside.
    Paused(Pause),
    /// At its end; with the state before that, if the instant there may be interrupted.
    End(Option<Box<EventState>>),
}

impl EventRun {
    /// Up to the end of the step.
    pub(crate) fn advance_to_step_end(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<StepAdvance, RunFault> {
        if self.detect.step.is_none() {
            self.detect.step = Some(self.detect.find(
                &mut self.state,
                &mut self.dynamics,
                &mut self.events,
                &mut self.observe,
            )?);
        }
        let step = self.detect.step.as_ref().expect("it has just been found");
        let end = step.end;
        if step.still {
            self.check_instant_at_end()?;
            return Ok(StepAdvance::End(self.state_before_instant()));
        }
        let tolerance = TOGETHER * end.abs().max(self.detect.dense.h());
        let reaches_end = end <= until + tolerance;
        let goal = if reaches_end { end } else { until };
        let stop = [until - tolerance, until + tolerance];
        let pause = self.pass((goal, stop), recorder)?;
        if let Some(pause) = pause {
            return Ok(StepAdvance::Paused(pause));
        }
        if !reaches_end {
            self.detect.place_at(
                &mut self.state,
                &mut self.dynamics,
                self.detect.dense.theta(until),
                until,
            )?;
            return Ok(StepAdvance::Paused(Pause::Until));
        }
        self.check_instant_at_end()?;
        let before = self.state_before_instant();
        let arrived = self.detect.arrive(
            &mut self.state,
            &mut self.dynamics,
            &mut self.events,
            &mut self.observe,
        );
        if arrived.is_err() {
            self.detect.step = None;
        }
        arrived.map(|()| StepAdvance::End(before))
    }

    /// Goes through what lies in the step before a point, rows and sample points; the run stops between two times.
    ///
    /// A comparison whose border is crossed where the run is to stop compares the numbers there, up to rounding, until the
    /// run goes on.
    fn pass(
        &mut self,
        (goal, [early, late]): (f64, [f64; 2]),
        recorder: &mut impl Recorder,
    ) -> Result<Option<Pause>, RunFault> {
        let Some(step) = self.detect.step.as_ref() else {
            return Ok(None);
        };
        let (end, happens) = (step.end, step.reason.is_some());
        self.state.check_rows(&self.plan, goal)?;
        let is_at_stop = |look: &SamplePoint| early <= look.t && look.t <= late;
        // What has its place where the run stops is looked at as well.
        let mut stopped_at = None;
        // So many points where the run stops inside the step are looked at again when it goes on.
        let mut waiting = 0;
        let pause = loop {
            let row = self.state.next_row(&self.plan);
            let row = row.filter(|&at| at <= goal && at < end && !self.is_row_of_instant(at));
            let step = self
                .detect
                .step
                .as_mut()
                .expect("a step is being gone through");
            let look = step
                .looks
                .get(step.passed + waiting)
                .filter(|look| goal == end || look.t <= goal || is_at_stop(look))
                .copied();
            if let Some(stopped) = stopped_at
                && !look.is_some_and(|look| is_same_time(look.t, stopped, stopped))
            {
                break Some(Pause::Condition);
            }
            match (row, look) {
                (None, None) => break None,
                (Some(at), look) if look.is_none_or(|look| at <= look.t) => {
                    self.state.progress.rows += 1;
                    self.detect.place_at(
                        &mut self.state,
                        &mut self.dynamics,
                        self.detect.dense.theta(at),
                        at,
                    )?;
                    let asks = self.state.progress.rows.is_multiple_of(ROWS_BETWEEN_POLLS);
                    let asked = self.stop_requested;
                    if self.record(recorder)
                        || asks && recorder.poll(parts(at, asked), PARTS).is_break()
                    {
                        break Some(Pause::Recorder);
                    }
                }
                (_, Some(look)) => {
                    let is_at_stop = is_at_stop(&look);
                    let waits = is_at_stop && goal < end;
                    let point = step.passed;
                    if waits {
                        waiting += 1;
                    } else {
                        step.passed += 1;
                        self.detect
                            .take_held_spans(&mut self.observe, point, look.t);
                    }
                    let behind = match look.what {
                        SampleKind::Border(_, side) if !is_at_stop => Some(side),
                        SampleKind::Border(border, side) if !waits => {
                            self.side_at_end(border, side)?
                        }
                        _ => None,
                    };
                    self.look_at(look, behind)?;
                    // Where an instant happens the run stops behind the first rows of that (FORMALISM 10.2).
                    let in_instant = happens && goal == end && is_same_time(look.t, end, end);
                    if self.observe.watching.stopped && !in_instant {
                        stopped_at.get_or_insert(look.t);
                    }
                }
                (Some(_), None) => unreachable!("a row without a look comes first"),
            }
        };
        Ok(pause)
    }

    /// The side of a border that is crossed, to this side, where the step and the run end: by the number there, if there is
    /// one; `None` on the border.
    fn side_at_end(&mut self, border: BorderId, to: Side) -> Result<Option<Side>, RunFault> {
        let step = self.detect.step.as_ref();
        let (theta, end) = step.map_or((1.0, self.state.t), |step| (step.theta, step.end));
        (self.detect).place_at(&mut self.state, &mut self.dynamics, theta, end)?;
        let z = self.dynamics.z_now(&self.state, border)?;
        Ok(match Side::of(z) {
            _ if z.is_nan() => Some(to),
            Side::On => None,
            side => Some(side),
        })
    }

    /// Measures and conditions look at a sample point; `behind`: the side of its border behind it, if that is not left for
    /// when the run goes on.
    fn look_at(&mut self, look: SamplePoint, behind: Option<Side>) -> Result<(), RunFault> {
        if let SampleKind::Turn { measure, value } = look.what {
            self.observe.watching.take_between(measure, value);
            return Ok(());
        }
        self.detect
            .place_at(&mut self.state, &mut self.dynamics, look.theta, look.t)?;
        if let SampleKind::Edge(number) = look.what {
            let mode = &self.dynamics.modes.at(self.dynamics.motion.mode).mode;
            let edge = mode.within_steps.value_edges[number];
            return Err(self.state.without_bound(&self.plan, edge));
        }
        self.observe.look(&self.state, &self.dynamics);
        if let SampleKind::Border(border, side) = look.what {
            if self.state.borders.only_watched[border.index()] {
                self.state.discrete.sides[border.index()] = behind.unwrap_or(side);
            }
            match behind {
                None => self.observe.watching.land(border, Side::On),
                Some(_) => self.observe.watching.leave(border),
            }
            self.observe.look(&self.state, &self.dynamics);
        }
        Ok(())
    }
}

impl EventRun {
    /// Whether a row of the grid is one with what happens at the end of the step (FORMALISM 10.3).
    pub(crate) fn is_row_of_instant(&self, at: f64) -> bool {
        let step = self.detect.step.as_ref();
        step.is_some_and(|step| step.reason.is_some() && is_same_time(at, step.end, at))
    }
}

impl Detection {
    /// The state goes to the end of the step.
    fn arrive(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        events: &mut EventIteration,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let step = self.step.as_ref().expect("a step is being gone through");
        let (end, whole, goes_on) = (step.end, step.whole, step.reason.is_none());
        self.cover_slide(state, dynamics, observe, end);
        state.past.count_bounded(self.stepper.proposed());
        if whole {
            self.rest.from = 0.0;
            self.stepper.accept();
            state.progress.steps += 1;
            self.seek_followed(dynamics, 1.0);
            self.correct(state, dynamics, events, observe)?;
        } else {
            let points = [step.before, step.theta];
            self.cut_at = Some(step.theta);
            self.place_at_crossing(state, dynamics, points, end)?;
        }
        self.remember(state, dynamics, end);
        observe.commit(state, dynamics);
        dynamics.check_bounds(state, Look::AtBounds)?;
        state.before.known = whole && goes_on;
        if state.before.known && self.plan.config.locate == Locate::Quadratic {
            state.before.t = self.dense.t0();
            state.before.y.resize(self.dense.dim(), 0.0);
            self.dense.eval(0.0, &mut state.before.y);
        }
        let left = self.step.iter().flat_map(|step| step.departures.leaves());
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        for (border, side, _) in left {
            unflag(&mut state.discrete.flags, evaluator, border, side);
        }
        state.leaving.clear();
        Ok(())
    }

    /// The state is at a point of the step.
    pub(crate) fn place_at(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        theta: f64,
        t: f64,
    ) -> Result<(), RunFault> {
        self.make_dense(state, dynamics)?;
        let mut y = std::mem::take(&mut dynamics.y);
        y.resize(self.dense.dim(), 0.0);
        self.dense.eval(theta, &mut y);
        let sought_from = self.seek_followed(dynamics, theta);
        let placed = match dynamics.put_on_constraints(state, t, &mut y) {
            Ok(_) => dynamics.place(state, t, &y),
            Err(fault) => Err(fault),
        };
        if let Some(values) = sought_from {
            dynamics.modes.get(dynamics.motion.mode).seek_from(&values);
        }
        dynamics.y = y;
        placed
    }

    /// The state is where the step is cut. Where values are not defined beyond a border, not even by rounding, that is
    /// just before it.
    pub(crate) fn place_at_crossing(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        [before, theta]: [f64; 2],
        end: f64,
    ) -> Result<(), RunFault> {
        let placed = self.place_at(state, dynamics, theta, end);
        // Where values are not defined beyond the border, the last point before it at which they are, up to rounding.
        let mut back = f64::EPSILON;
        let mut at = before.min(theta);
        while placed.is_err() && back < CLOSE_BEFORE {
            let t = self.dense.time(at);
            if self.place_at(state, dynamics, at, t).is_ok() {
                return Ok(());
            }
            at = before - back;
            back *= 2.0;
        }
        placed
    }

    /// The state is at the end of the method's step, put back onto constraints, and onto the borders along which it slides.
    fn correct(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        events: &mut EventIteration,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let mut y = std::mem::take(&mut dynamics.y);
        copy(&mut y, self.stepper.y());
        let t = self.stepper.t();
        let moved = dynamics
            .motion
            .project(&mut dynamics.modes, &state.past, t, &mut y)
            .unwrap_or(false);
        let put_back = dynamics.put_on_constraints(state, t, &mut y)?;
        // A tolerance off the points before it would look like an error of the step.
        let on_bounds =
            !self.stepper.save().builds_on_points() && dynamics.put_on_bounds(state, t, &mut y)?;
        state.t = t;
        let settled = events.settle(state, dynamics, observe, &mut y)?;
        if moved || put_back || on_bounds || settled {
            let mut moving = Moving {
                motion: &mut dynamics.motion,
                modes: &mut dynamics.modes,
                past: &state.past,
                fence: None,
            };
            self.stepper
                .correct(&mut moving, &y)
                .map_err(|error| step_fault(&dynamics.motion, error))?;
        }
        let placed = dynamics.place(state, t, &y);
        dynamics.y = y;
        placed
    }

    /// Delays take in the step up to a time.
    #[inline]
    pub(crate) fn remember(&mut self, state: &mut HybridState, dynamics: &mut Dynamics, end: f64) {
        if state.past.is_empty() {
            return;
        }
        let taken = dynamics.pieces(state, &self.dense, end);
        let earliest = self.stepper.save().looks_back_to().min(end);
        for (delay, pieces) in taken.into_iter().enumerate() {
            pieces
                .into_iter()
                .for_each(|piece| state.past.push(delay, piece, earliest));
        }
    }
}

impl Dynamics {
    /// The state is at a point of the motion.
    pub(crate) fn place(
        &mut self,
        state: &mut HybridState,
        t: f64,
        y: &[f64],
    ) -> Result<(), RunFault> {
        state.t = t;
        let (motion, modes) = (&mut self.motion, &mut self.modes);
        motion
            .write(modes, &state.past, t, y, &mut state.reals)
            .map_err(|_| self.refused(state, StepError::Start { t, component: None }))?;
        match state.check_motion(&self.plan) {
            Err(_) if self.place_on_edges(state, t, y) => Ok(()),
            checked => checked,
        }
    }

    /// Puts the state on an edge that the dense output passes by rounding, as beside a touch. True if everything
    /// is finite then.
    #[cold]
    fn place_on_edges(&mut self, state: &mut HybridState, t: f64, y: &[f64]) -> bool {
        let mode = std::sync::Arc::clone(&self.modes.at(self.motion.mode).mode);
        let mut y = y.to_vec();
        let edges = mode.margins.iter();
        for margin in edges.filter(|margin| margin.edge) {
            let (Some(form), Some(&(at_state, weight))) = (&margin.form, margin.moving.first())
            else {
                continue;
            };
            let moving = margin.moving.iter().map(|&(at, weight)| weight * y[at]);
            let held = margin.held.iter();
            let held = held.map(|&(real, weight)| weight * state.reals[real.index()]);
            let z: f64 = form.constant + form.per_time * t + moving.chain(held).sum::<f64>();
            let begun = margin.moving.iter();
            let begun = begun.map(|&(at, weight)| {
                let real = self.motion.states[at];
                (weight * state.begun.reals[real.index()]).abs()
            });
            if z.abs() <= 16.0 * f64::EPSILON * begun.sum::<f64>() {
                y[at_state] -= z / weight;
            }
        }
        let (motion, modes) = (&mut self.motion, &mut self.modes);
        let written = motion.write(modes, &state.past, t, &y, &mut state.reals);
        written.is_ok() && state.check_motion(&self.plan).is_ok()
    }

    /// An affine form along a step, in powers of theta.
    pub(crate) fn along(&self, state: &HybridState, form: &Affine, dense: &Dense) -> [f64; WIDTH] {
        let mut constant = form.constant;
        let mut terms: SmallVec<[(usize, f64); 4]> = SmallVec::new();
        for &(real, weight) in &form.terms {
            match self.motion.states.binary_search(&real) {
                Ok(component) => terms.push((component, weight)),
                Err(_) => constant += weight * state.reals[real.index()],
            }
        }
        let mut coefficients = [0.0; WIDTH];
        let used = (dense.degree() + 1).max(2);
        dense.affine(constant, form.per_time, &terms, &mut coefficients[..used]);
        coefficients
    }
}

impl Observation {
    /// The present point is committed: what is sought by iteration is sought from here.
    pub(super) fn commit(&mut self, state: &HybridState, dynamics: &mut Dynamics) {
        dynamics.motion.commit();
        copy(&mut dynamics.bound.lambda, dynamics.motion.shares());
        let (mode, branches) = &mut dynamics.branches;
        if *mode != dynamics.motion.mode {
            (*mode, _) = (dynamics.motion.mode, branches.clear());
        }
        let mut changed = Vec::new();
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let point = (state.t, &state.reals[..]);
        evaluator.commit(&state.past, point, branches, |rows| {
            changed.push(rows.to_vec())
        });
        for rows in changed {
            self.note_branch(&rows);
        }
    }
}

/// A border that the state has left to a side is no longer flagged, if the state has got beyond rounding on its way, or
/// so far that its margin is not defined.
fn unflag(flags: &mut Bits, evaluator: &Evaluator, border: BorderId, side: Side) {
    let z = evaluator.z(border);
    if z.is_none_or(|z| z.is_nan() || Side::of(z) == side) {
        flags.set(border.index(), false);
    }
}
