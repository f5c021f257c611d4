//! Models in which nothing can happen: one mode without borders, events, delays or loops, the same for all
//! start values. A sweep of such a model needs nothing of [`Hybrid`] but its mode.
//!
//! [`Plain`] is what all runs share, [`PlainRun`] a run: it begins as a run of [`Hybrid`] does
//! ([`Plain::begin`]), and goes on to its end as such a run does ([`Plain::finish`]), with the same bits.
//! In between a sweep takes its steps in lanes.

use super::driver::Hybrid;
use super::find::TOGETHER;
use super::forms::FormPlan;
use super::free::{FreeMode, Own};
use super::linear::Linear;
use crate::backend::interpreter::run_setup;
use crate::backend::value::run_reals;
use crate::ids::ExprId;
use crate::lower::mode::Mode;
use crate::model::{Guard, Input};
use crate::sim::EventConfig;
use crate::sim::start::check_start;
use crate::solve::{Locate, Refusal, Snapshot, Stepper, System};
use std::sync::Arc;

/// What runs of a model in which nothing can happen have in common.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Plain {
    model: Arc<crate::model::Model>,
    pub(in crate::sim) config: EventConfig,
    mode: Arc<Mode>,
    /// What lanes need of the mode.
    pub(in crate::sim) free: FreeMode,
    plan: FormPlan,
    /// The rates as a matrix, if they are one, with the weights of the first run.
    linear: Option<Linear>,
    /// Final values that are measured.
    finals: Vec<ExprId>,
}

/// A run of such a model.
#[derive(Clone, Debug)]
pub(in crate::sim) struct PlainRun {
    slots: Vec<f64>,
    linear: Option<Linear>,
    reals: Vec<f64>,
    constants: Vec<f64>,
}

/// A run as a system.
struct Moving<'p> {
    plain: &'p Plain,
    run: &'p mut PlainRun,
}

impl System for Moving<'_> {
    fn dim(&self) -> usize {
        self.plain.free.atol.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.plain.rates(self.run, t, y, dy);
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

impl Plain {
    /// Of a run that has not begun to move; `None` if something can happen in the model, or if it is
    /// looked at on its way.
    pub(in crate::sim) fn of(run: &Hybrid) -> Option<Self> {
        let (model, config) = (&run.model, &run.config);
        let finals = run.watching.finals()?;
        let always = |guard: &Guard| matches!(guard, Guard::Always);
        let nothing_happens = model.ranges.is_empty()
            && model.situations.is_empty()
            && model.assignments.is_empty()
            && model.schedules.is_empty()
            && model.relations.iter().all(|row| always(&row.guard))
            && run.flow.events.is_empty()
            && run.flow.relays.is_empty()
            && run.flow.delays.is_empty()
            && run.borders.len() == 0
            && run.borders.staircases.is_empty();
        let is_plain = config.locate == Locate::Root
            && config.step_formula.is_none()
            && config.every.is_none_or(|every| every >= config.stop)
            && run.motion.is_free();
        if !(nothing_happens && is_plain) {
            return None;
        }
        let mode = Arc::clone(&run.modes.at(run.motion.mode).mode);
        let linear = Linear::of(&mode);
        let atol = run.tolerances(&mode.states);
        let rates = (linear.as_ref(), config.settings.method);
        let free = FreeMode::new(model, &mode, rates, atol, &run.watching)?;
        let slots = set_up(&mode, &run.constants, mode.tape.n_slots as usize);
        let plan = FormPlan::new(&mode, &free.all, &slots, run.constants.len());
        if linear.is_some() && plan.rates.is_none() {
            return None;
        }
        Some(Self {
            model: Arc::clone(model),
            config: config.clone(),
            free,
            plan,
            linear,
            finals,
            mode,
        })
    }

    /// A stepper for [`Plain::begin`] and [`Plain::finish`].
    pub(in crate::sim) fn stepper(&self) -> Option<Stepper> {
        Stepper::new(self.config.settings.clone()).ok()
    }

    /// Begins a run; where its steps begin is then in the stepper. `None` if it has to be run alone:
    /// it cannot begin, or something is special about its values.
    pub(in crate::sim) fn begin(
        &self,
        given: &[(Input, f64)],
        stepper: &mut Stepper,
    ) -> Option<PlainRun> {
        let start = self.model.start_values_given(given).ok()?;
        check_start(&self.model, &start).ok()?;
        let mut slots = set_up(&self.mode, &start.constants, self.plan.n_slots);
        for &(slot, value) in &self.plan.numbers {
            slots[slot.index()] = value;
        }
        run_reals(&self.plan.ops, &mut slots);
        if !self.plan.holds(&slots) {
            return None;
        }
        let mut linear = self.linear.clone();
        if let (Some(linear), Some(forms)) = (&mut linear, &self.plan.rates) {
            if !linear.weigh(forms, &slots) {
                return None;
            }
            linear.hold(&start.reals);
        }
        for real in &self.mode.inputs {
            slots[real.index()] = start.reals[real.index()];
        }
        let mut run = PlainRun {
            slots,
            linear,
            reals: start.reals,
            constants: start.constants,
        };
        let states = self.mode.states.iter();
        let y: Vec<f64> = states.map(|real| run.reals[real.index()]).collect();
        self.place(&mut run, 0.0, &y)?;
        let mut moving = Moving {
            plain: self,
            run: &mut run,
        };
        stepper.forget();
        stepper.enter(&mut moving, 0.0, &y, &self.free.atol).ok()?;
        Some(run)
    }

    /// Goes on from a state to the end. The time there [units of `time`] and the final values; `None` if
    /// it has to be run alone.
    pub(in crate::sim) fn finish(
        &self,
        run: &mut PlainRun,
        from: &Snapshot,
        stepper: &mut Stepper,
    ) -> Option<(f64, Vec<f64>)> {
        let until = self.config.stop;
        let mut moving = Moving { plain: self, run };
        stepper.resume(&mut moving, from, &self.free.atol).ok()?;
        let t = loop {
            let candidate = stepper.attempt(&mut moving, f64::INFINITY).ok()?;
            let tolerance = TOGETHER * candidate.t1.abs().max(candidate.h);
            if candidate.t1 > until + tolerance {
                let mut y = vec![0.0; self.free.atol.len()];
                let dense = stepper.dense(&mut moving).ok()?;
                dense.eval(dense.theta(until), &mut y);
                self.place(moving.run, until, &y)?;
                break until;
            }
            stepper.accept();
            if stepper.save().progress.watch.implicit {
                return None;
            }
            let (t, y) = (stepper.t(), stepper.y());
            self.place(moving.run, t, y)?;
            if t >= until {
                break t;
            }
        };
        let PlainRun {
            reals, constants, ..
        } = &*moving.run;
        let finals = self.finals.iter();
        let finals = finals.map(|&expr| self.model.value_at(expr, reals, constants, t));
        Some((t.min(until), finals.collect()))
    }

    /// Whether everything is finite at a point; the run's reals are then brought up to date.
    fn place(&self, run: &mut PlainRun, t: f64, y: &[f64]) -> Option<()> {
        let PlainRun { slots, reals, .. } = run;
        slots[self.mode.time.index()] = t;
        for (real, &value) in self.mode.states.iter().zip(y) {
            slots[real.index()] = value;
            reals[real.index()] = value;
        }
        run_reals(&self.free.all, slots);
        for &(real, slot) in &self.mode.algebraic {
            reals[real.index()] = slots[slot.index()];
        }
        reals.iter().all(|value| value.is_finite()).then_some(())
    }

    fn rates(&self, run: &mut PlainRun, t: f64, y: &[f64], dy: &mut [f64]) {
        if let Some(linear) = &run.linear {
            linear.rates(t, y, dy);
            return;
        }
        let slots = &mut run.slots;
        slots[self.mode.time.index()] = t;
        for (real, &value) in self.mode.states.iter().zip(y) {
            slots[real.index()] = value;
        }
        run_reals(&self.free.flow, slots);
        for (dy, rate) in dy.iter_mut().zip(&self.mode.rates) {
            *dy = slots[rate.index()];
        }
    }
}

impl PlainRun {
    /// What it has for itself.
    pub(in crate::sim) fn own(&self) -> Own<'_> {
        Own {
            reals: &self.reals,
            slots: &self.slots,
            matrix: self.linear.as_ref(),
        }
    }
}

/// The slots of a mode as the setup leaves them.
fn set_up(mode: &Mode, constants: &[f64], n_slots: usize) -> Vec<f64> {
    let mut slots = vec![0.0; n_slots];
    slots[mode.constants_at..][..constants.len()].copy_from_slice(constants);
    for &(slot, value) in &mode.tape.numbers {
        slots[slot.index()] = value;
    }
    run_setup(&mode.tape, &mut slots);
    slots
}
