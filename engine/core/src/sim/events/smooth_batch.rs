//! Smooth models: one mode without borders, events, delays or algebraic loops, the same for all start values. A
//! sweep of such a model needs nothing of [`EventRun`] but its mode.
//!
//! [`SmoothBatch`] is what all runs share, [`SmoothRun`] a run, which may be begun again and again: it begins as a
//! run of [`EventRun`] does ([`SmoothBatch::begin`]), and ends as such a run does, inside of a step
//! ([`SmoothBatch::end`]) or after steps of its own ([`SmoothBatch::finish`]), with the same bits. In between a
//! sweep takes its steps in lanes (`sim/lanes/smooth.rs`).

use crate::backend::interpreter::run_setup;
use crate::backend::value::run_reals;
use crate::ids::ExprId;
use crate::lower::mode::{Mode, Segment};
use crate::model::{Guard, Input, StartPlan, StartValues};
use crate::sim::EventConfig;
use crate::sim::events::detect::next_step::TOGETHER;
use crate::sim::events::modes::evaluation::affine::parametric::FormPlan;
use crate::sim::events::modes::evaluation::affine::rates::Linear;
use crate::sim::events::run::EventRun;
use crate::sim::state::start::check_start;
use crate::tape::{Op, Slot};
use situ_solve::{Locate, Method, Refusal, Snapshot, Stepper, System};
use std::sync::Arc;

/// What the runs of a smooth model have in common.
#[derive(Clone, Debug)]
pub(crate) struct SmoothBatch {
    model: Arc<crate::model::Model>,
    pub(crate) config: EventConfig,
    mode: Arc<Mode>,
    /// Part of the mode that lanes need.
    pub(crate) moves: SmoothMode,
    plan: FormPlan,
    /// The rates as a matrix, if they are one, with the weights of the first run.
    linear: Option<Linear>,
    /// Final values that are measured.
    finals: Vec<ExprId>,
    /// The slots before anything of a run is known.
    blank: Vec<f64>,
}

/// The mode of a smooth model, as lanes see it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SmoothMode {
    /// Ops that the rates need, and all ops.
    pub(crate) flow: Vec<Op>,
    pub(crate) all: Vec<Op>,
    pub(crate) n_slots: usize,
    /// The slot of the time.
    pub(crate) time: Slot,
    /// The slots of the states, and those of their rates.
    pub(crate) states: Vec<(Slot, Slot)>,
    /// The slots of what follows from others: what must be finite at the end of each step.
    pub(crate) algebraic: Vec<Slot>,
    /// What must not change its sign in a step, lest it lead over a pole.
    pub(crate) divisors: Vec<Slot>,
    /// The rates as a matrix, if they are one.
    pub(crate) matrix: Option<MatrixShape>,
    /// Absolute tolerances of the states.
    pub(crate) atol: Vec<f64>,
}

/// Sparsity of a matrix of rates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MatrixShape {
    /// Per state the number of its terms.
    pub(crate) counts: Vec<u32>,
    /// Terms, state by state: position among the states.
    pub(crate) terms: Vec<u32>,
    /// True if the time has weights.
    pub(crate) timed: bool,
}

impl SmoothMode {
    /// `None` if lanes cannot do steps in the mode.
    fn new(
        mode: &Mode,
        (linear, method): (Option<&Linear>, Method),
        atol: Vec<f64>,
    ) -> Option<Self> {
        // Lanes know the series of matrices only, and do not look for pulses within steps.
        if linear.is_none() && method == Method::Taylor
            || !mode.within_steps.pulses.exponents.is_empty()
        {
            return None;
        }
        let matrix = linear.map(|linear| MatrixShape {
            counts: (0..mode.states.len())
                .map(|row| linear.row(row).len() as u32)
                .collect(),
            terms: linear.terms.iter().map(|term| term.column).collect(),
            timed: !linear.per_time.is_empty(),
        });
        let states = mode.states.iter().map(|real| Slot::new(real.index()));
        Some(Self {
            flow: straight(&mode.flow)?,
            all: straight(&mode.all)?,
            n_slots: mode.tape.n_slots as usize,
            time: mode.time,
            states: states.zip(mode.rates.iter().copied()).collect(),
            algebraic: mode.algebraic.iter().map(|(_, slot)| *slot).collect(),
            divisors: mode
                .within_steps
                .poles
                .iter()
                .map(|pole| pole.divisor)
                .collect(),
            matrix,
            atol,
        })
    }
}

/// Computations that go straight on; `None` if some go in circles.
fn straight(segments: &[Segment]) -> Option<Vec<Op>> {
    let mut all = Vec::new();
    for segment in segments {
        match segment {
            Segment::Ops(ops) => all.extend_from_slice(ops),
            Segment::Loop(_) => return None,
        }
    }
    Some(all)
}

/// Loads the values that a run has for itself into a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own<'a> {
    /// The slots of the mode, those that follow from constants and held values up to date.
    pub(crate) slots: &'a [f64],
    /// The rates as a matrix.
    pub(crate) matrix: Option<&'a Linear>,
}

/// A run of such a model.
#[derive(Clone, Debug)]
pub(crate) struct SmoothRun {
    slots: Vec<f64>,
    linear: Option<Linear>,
    /// The constants, and the reals as they are now.
    values: StartValues,
}

/// Workspace of runs that begin and end one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    stepper: Stepper,
    starts: Option<StartPlan>,
    y: Vec<f64>,
}

impl Room {
    /// Snapshot from which the steps of the run that was begun last start.
    pub(crate) fn standing(&self) -> &Snapshot {
        self.stepper.save()
    }
}

/// The end of a run: when [units of `time`], and the final values.
pub(crate) type Finals = (f64, Vec<Option<f64>>);

/// A run as a system.
struct Moving<'p> {
    batch: &'p SmoothBatch,
    run: &'p mut SmoothRun,
}

impl System for Moving<'_> {
    fn dim(&self) -> usize {
        self.batch.moves.atol.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.batch.rates(self.run, t, y, dy);
        Ok(())
    }

    fn has_series(&mut self, _affine: bool) -> bool {
        self.run.linear.is_some()
    }

    fn series(&mut self, _t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        let linear = self.run.linear.as_ref();
        linear.map_or(1, |linear| linear.series(last, coefficients))
    }
}

impl SmoothBatch {
    /// Of a run that has not begun to move; `None` if something can happen in the model, or if it is
    /// sampled on its way.
    pub(crate) fn of(run: &EventRun) -> Option<Self> {
        let (model, config) = (&run.plan.model, &run.plan.config);
        let finals = run.observe.watching.finals()?;
        let always = |guard: &Guard| matches!(guard, Guard::Always);
        let nothing_happens = model.ranges.is_empty()
            && model.situations.is_empty()
            && model.assignments.is_empty()
            && model.schedules.is_empty()
            && model.relations.iter().all(|row| always(&row.guard))
            && run.plan.flow.events.is_empty()
            && run.plan.flow.relays.is_empty()
            && run.plan.flow.delays.is_empty()
            && model.reals.iter().all(|real| !real.steady)
            && run.state.borders.len() == 0
            && run.state.borders.staircases.is_empty();
        let is_plain = config.locate == Locate::Root
            && config.step_formula.is_none()
            && config.every.is_none_or(|every| every >= config.stop)
            && run.dynamics.motion.is_free();
        if !(nothing_happens && is_plain) {
            return None;
        }
        let mode = Arc::clone(&run.dynamics.modes.at(run.dynamics.motion.mode).mode);
        if !(mode.gates.slots.is_empty() && mode.within_steps.value_edges.is_empty()) {
            return None;
        }
        let linear = Linear::of(&mode);
        let atol = mode
            .states
            .iter()
            .map(|&real| run.plan.atol_of(real))
            .collect();
        let moves = SmoothMode::new(&mode, (linear.as_ref(), config.settings.method), atol)?;
        let mut blank = vec![0.0; mode.tape.n_slots as usize];
        for &(slot, value) in &mode.tape.numbers {
            blank[slot.index()] = value;
        }
        let mut slots = blank.clone();
        set_up(&mode, &run.plan.constants, &mut slots);
        let plan = FormPlan::new(&mode, &moves.all, &slots, run.plan.constants.len());
        if linear.is_some() && plan.rates.is_none() {
            return None;
        }
        blank.resize(plan.n_slots, 0.0);
        for &(slot, value) in &plan.numbers {
            blank[slot.index()] = value;
        }
        Some(Self {
            model: Arc::clone(model),
            config: config.clone(),
            moves,
            plan,
            linear,
            finals,
            mode,
            blank,
        })
    }

    /// Room for [`SmoothBatch::begin`] and [`SmoothBatch::finish`].
    pub(crate) fn room(&self) -> Option<Room> {
        Some(Room {
            stepper: Stepper::new(self.config.settings.clone()).ok()?,
            starts: None,
            y: Vec::new(),
        })
    }

    /// Room for a run.
    pub(crate) fn run(&self) -> SmoothRun {
        SmoothRun {
            slots: Vec::new(),
            linear: self.linear.clone(),
            values: StartValues::default(),
        }
    }

    /// Begins a run; where its steps begin is then in the room. `None` if it has to be run alone:
    /// it cannot begin, or something is special about its values.
    pub(crate) fn begin(
        &self,
        run: &mut SmoothRun,
        given: &[(Input, f64)],
        room: &mut Room,
    ) -> Option<()> {
        let starts = match room.starts.take_if(|plan| plan.is_for(given)) {
            Some(plan) => plan,
            None => self.model.start_plan(given).ok()?,
        };
        starts.fill(&self.model, given, &mut run.values).ok()?;
        room.starts = Some(starts);
        check_start(&self.model, &run.values, true).ok()?;
        let StartValues { constants, reals } = &run.values;
        run.slots.clone_from(&self.blank);
        set_up(&self.mode, constants, &mut run.slots);
        run_reals(&self.plan.ops, &mut run.slots);
        if !self.plan.holds(&run.slots) {
            return None;
        }
        if let (Some(linear), Some(forms)) = (&mut run.linear, &self.plan.rates) {
            if !linear.weigh(forms, &run.slots) {
                return None;
            }
            linear.hold(reals);
        }
        for real in &self.mode.inputs {
            run.slots[real.index()] = reals[real.index()];
        }
        let Room { stepper, y, .. } = room;
        y.clear();
        y.extend(self.mode.states.iter().map(|real| reals[real.index()]));
        self.place(run, 0.0, y)?;
        let mut moving = Moving { batch: self, run };
        stepper.forget();
        stepper.enter(&mut moving, 0.0, y, &self.moves.atol).ok()
    }

    /// True if a step goes beyond the end of runs, so that they end inside of it.
    pub(crate) fn ends_inside(&self, t1: f64, h: f64) -> bool {
        t1 > self.config.stop + TOGETHER * t1.abs().max(h)
    }

    /// A run ends inside of a step, in a state; `None` if it has to be run alone.
    pub(crate) fn end(&self, run: &mut SmoothRun, y: &[f64]) -> Option<Finals> {
        let until = self.config.stop;
        self.place(run, until, y)?;
        Some((until, self.finals(run, until)))
    }

    /// Goes on from a state to the end; `None` if it has to be run alone.
    pub(crate) fn finish(
        &self,
        run: &mut SmoothRun,
        from: &Snapshot,
        Room { stepper, y, .. }: &mut Room,
    ) -> Option<Finals> {
        let until = self.config.stop;
        let mut moving = Moving { batch: self, run };
        stepper.resume(&mut moving, from, &self.moves.atol).ok()?;
        loop {
            let candidate = stepper.attempt(&mut moving, f64::INFINITY).ok()?;
            if self.ends_inside(candidate.t1, candidate.h) {
                let dense = stepper.dense(&mut moving).ok()?;
                dense.eval(dense.theta(until), y);
                return self.end(moving.run, y);
            }
            stepper.accept();
            if stepper.save().progress.watch.stiff {
                return None;
            }
            let t = stepper.t();
            self.place(moving.run, t, stepper.y())?;
            if t >= until {
                return Some((t.min(until), self.finals(moving.run, t)));
            }
        }
    }

    fn finals(&self, run: &SmoothRun, t: f64) -> Vec<Option<f64>> {
        let StartValues { constants, reals } = &run.values;
        let finals = self.finals.iter();
        let finals = finals.map(|&expr| self.model.value_at(expr, reals, constants, t));
        finals.map(Some).collect()
    }

    /// True if everything is finite at a point; the run's reals are then brought up to date.
    fn place(&self, run: &mut SmoothRun, t: f64, y: &[f64]) -> Option<()> {
        let (slots, reals) = (&mut run.slots, &mut run.values.reals);
        slots[self.mode.time.index()] = t;
        for (real, &value) in self.mode.states.iter().zip(y) {
            slots[real.index()] = value;
            reals[real.index()] = value;
        }
        run_reals(&self.moves.all, slots);
        for &(real, slot) in &self.mode.algebraic {
            reals[real.index()] = slots[slot.index()];
        }
        reals.iter().all(|value| value.is_finite()).then_some(())
    }

    fn rates(&self, run: &mut SmoothRun, t: f64, y: &[f64], dy: &mut [f64]) {
        if let Some(linear) = &run.linear {
            linear.rates(t, y, dy);
            return;
        }
        let slots = &mut run.slots;
        slots[self.mode.time.index()] = t;
        for (real, &value) in self.mode.states.iter().zip(y) {
            slots[real.index()] = value;
        }
        run_reals(&self.moves.flow, slots);
        for (dy, rate) in dy.iter_mut().zip(&self.mode.rates) {
            *dy = slots[rate.index()];
        }
    }
}

impl SmoothRun {
    /// Values that the run has for itself.
    pub(crate) fn own(&self) -> Own<'_> {
        Own {
            slots: &self.slots,
            matrix: self.linear.as_ref(),
        }
    }
}

/// Brings the slots of a mode to where the setup leaves them.
fn set_up(mode: &Mode, constants: &[f64], slots: &mut [f64]) {
    slots[mode.constants_at..][..constants.len()].copy_from_slice(constants);
    run_setup(&mode.tape, slots);
}
