//! Evaluation of a mode: rates, values, margins with their time derivatives, Jacobian.
//!
//! Loops are solved by Newton's method from a guess that changes only when the driver commits a
//! point, so that the same point gives the same bits. Nothing allocates after the first use of each
//! kind of number.

use std::sync::Arc;

use crate::backend::interpreter::run_setup;
use crate::backend::value::{Jet, RunningError, Value};
use crate::ids::RealId;
use crate::lower::mode::{Mode, Segment};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::affine::margin_derivatives::Sum;
use crate::sim::events::modes::evaluation::affine::rates::Linear;
use crate::sim::events::modes::evaluation::algebraic::AlgebraicComponents;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::cones::{Cones, OwnProgram};
use crate::sim::events::modes::evaluation::guess::Guess;
use crate::sim::events::modes::evaluation::jit::{List, Native};
use crate::sim::events::modes::evaluation::loop_matrix::Workspace;
use crate::sim::events::modes::evaluation::program::{Noted, Program};
use crate::sim::events::modes::evaluation::series::Expansion;
use crate::sim::events::modes::evaluation::sparsity::Sparsity;
use crate::tape::{Code, Op, Slot};
use rustc_hash::FxHashMap;
use situ_solve::Refusal;
use situ_solve::interval::Interval;

/// Taylor coefficients kept of every quantity: value and three derivatives.
pub(crate) const ORDERS: usize = 4;

/// The same where a quantity at rest is at the end of a chain, and leaves with a derivative of higher order.
pub(crate) const FAR_ORDERS: usize = 16;

/// A series whose coefficients are known to first order in a small displacement.
type DualJet = Jet<2, Jet<2>>;

/// A mode with the arrays it is evaluated in.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    pub(crate) mode: Arc<Mode>,
    /// All computations, those that the rates need, and those that the margins need.
    pub(super) all: Program,
    pub(super) flow: Program,
    pub(super) tests: Program,
    pub(super) slots: Vec<f64>,
    pub(super) jets: Jets,
    pub(super) native: Native,
    /// Computations of the places from which delays that vary are read.
    pub(super) places: Program,
    /// Program for the Taylor series of the motion, once it has been asked for; `None` inside
    /// if there is none.
    pub(super) expansion: Option<Option<Box<Expansion>>>,
    pub(super) guess: Guess,
    pub(crate) algebraic: AlgebraicComponents,
    /// True if there are algebraic loops.
    pub(super) has_loops: bool,
    /// True if it computes functions that are not defined everywhere and have infinite derivatives.
    has_roots: bool,
    /// True if all slots hold the values that follow from the inputs that they hold.
    /// Then they are not computed again; with loops or delays they always are.
    fresh: bool,
    /// The rates as a matrix, if they have one.
    pub(super) linear: Option<Linear>,
    /// The structure of the Jacobian, once somebody has asked for it.
    pub(super) sparsity: Option<Arc<Sparsity>>,
    pub(super) work: Workspace,
    /// Room for derivatives of the states.
    pub(super) slopes: [Vec<Sum>; 2],
    pub(crate) fault: Option<ValueFault>,
    /// The statement of positions that the gates have been brought to.
    pub(crate) gates_stated: u64,
}

/// The slots in other kinds of number, where derivatives, rounding bounds or enclosures are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Jets {
    pub(super) duals: Vec<Jet<2>>,
    pub(super) first: Vec<RunningError<2>>,
    pub(super) series: Vec<RunningError<ORDERS>>,
    pub(super) far: Vec<RunningError<FAR_ORDERS>>,
    pub(super) twice: Vec<DualJet>,
    pub(super) boxes: Vec<Jet<3, Interval>>,
    /// What single margins are computed from, once one has been asked for.
    pub(super) cones: Option<Cones>,
    /// The same by their slots, where there are several loops.
    pub(super) own: FxHashMap<u32, OwnProgram>,
    /// The inputs of the last [`Evaluator::first_order`] and of the last [`Evaluator::taylor`] along the mode's own
    /// motion.
    pub(super) bounded_at: Noted,
    pub(super) expanded_at: Noted,
    /// The z of each border a short way along the motion, and the inputs where that way begins.
    pub(super) ahead: Option<Vec<f64>>,
    pub(super) ahead_at: Noted,
    /// Number of times that inputs have changed.
    changes: u64,
}

/// Sets a slot; whether it held the same.
#[inline]
fn put(slot: &mut f64, value: f64) -> bool {
    let same = slot.to_bits() == value.to_bits();
    *slot = value;
    same
}

/// True if a mode computes functions whose domain may end with an infinite derivative.
fn has_roots(mode: &Mode) -> bool {
    let ends = |op: &Op| op.code.root().is_some();
    let ops = mode.all.iter().filter_map(|segment| match segment {
        Segment::Ops(ops) => Some(ops),
        Segment::Loop(_) => None,
    });
    ops.flat_map(|ops| ops.iter()).any(ends)
}

/// Takes over into another kind of number what does not follow from anything else.
pub(super) fn take_inputs<V: Value>(mode: &Mode, slots: &[f64], into: &mut Vec<V>) {
    if into.is_empty() {
        into.extend(slots.iter().map(|&value| V::constant(value)));
    }
    for real in &mode.inputs {
        into[real.index()] = V::constant(slots[real.index()]);
    }
    let latched = mode.relays.iter().chain(&mode.steps).map(|(_, slot)| slot);
    let delayed = mode.delays.varying_inputs();
    let shares = mode.weights.iter().chain(&mode.gates.slots);
    for slot in latched.chain(shares).copied().chain(delayed) {
        into[slot.index()] = V::constant(slots[slot.index()]);
    }
}

impl Evaluator {
    pub(crate) fn new(mode: Mode, constants: &[f64]) -> Self {
        let n = mode.tape.n_slots as usize;
        let mut slots = vec![0.0; n];
        slots[mode.constants_at..][..constants.len()].copy_from_slice(constants);
        for &(slot, value) in &mode.tape.numbers {
            slots[slot.index()] = value;
        }
        run_setup(&mode.tape, &mut slots);
        let algebraic = AlgebraicComponents::of(&mode);
        let program = |segments: &[Segment]| Program::of(segments, &algebraic);
        Self {
            has_loops: mode.has_loops(),
            has_roots: has_roots(&mode),
            fresh: false,
            linear: Linear::of(&mode),
            sparsity: None,
            all: program(&mode.all),
            flow: program(&mode.flow),
            tests: program(&mode.tests),
            places: program(&mode.delays.places),
            slots,
            jets: Jets::default(),
            native: Native::default(),
            mode: Arc::new(mode),
            expansion: None,
            guess: Guess::default(),
            algebraic,
            work: Workspace::default(),
            slopes: Default::default(),
            fault: None,
            gates_stated: 0,
        }
    }

    /// Brings the gates to positions, and notes whose they are.
    pub(crate) fn set_gates(&mut self, positions: &[f64], stated: u64) {
        self.gates_stated = stated;
        let mut same = true;
        for (slot, &position) in self.mode.gates.slots.iter().zip(positions) {
            same &= put(&mut self.slots[slot.index()], position);
        }
        self.note_change(same);
        if let Some(linear) = &mut self.linear {
            linear.set_gates(positions);
        }
    }

    /// Notes whether inputs that have been set are the same as before.
    #[inline]
    fn note_change(&mut self, same: bool) {
        self.fresh &= same;
        self.jets.changes += u64::from(!same);
    }

    /// The rates as a matrix, if they have one.
    pub(super) fn linear(&self) -> Option<&Linear> {
        self.linear.as_ref()
    }

    pub(crate) fn slots(&self) -> &[f64] {
        &self.slots
    }

    pub(super) fn program(&self, list: List) -> &Program {
        match list {
            List::All => &self.all,
            List::Flow => &self.flow,
            List::Tests => &self.tests,
        }
    }

    pub(super) fn program_mut(&mut self, list: List) -> &mut Program {
        match list {
            List::All => &mut self.all,
            List::Flow => &mut self.flow,
            List::Tests => &mut self.tests,
        }
    }

    /// Takes over a point: what is held, and where loops start to look.
    pub(crate) fn enter(&mut self, t: f64, reals: &[f64], relays: &[f64], steps: &[f64]) {
        self.hold(reals);
        let mut same = true;
        for &(relay, slot) in &self.mode.relays {
            same &= put(&mut self.slots[slot.index()], relays[relay]);
        }
        for &(step, slot) in &self.mode.steps {
            same &= put(&mut self.slots[slot.index()], steps[step]);
        }
        self.note_change(same);
        self.guess_from(t, reals);
    }

    /// True if the inputs are those that were noted, so that what follows from them need not be
    /// computed again; notes them if not.
    pub(super) fn is_at(&self, noted: &mut Noted) -> bool {
        let mode = &self.mode;
        // What loops and delays give does not follow from the inputs alone.
        if self.has_loops || !mode.delays.is_empty() {
            noted.clear();
            return false;
        }
        let latched = mode.relays.iter().chain(&mode.steps).map(|(_, slot)| slot);
        let shares = mode.weights.iter().chain(&mode.gates.slots);
        let slots = latched.chain(shares).chain([&mode.time]);
        let slots = slots.map(|slot| slot.index());
        let inputs = mode.inputs.iter().map(|real| real.index()).chain(slots);
        noted.renew(self.jets.changes, inputs.map(|slot| self.slots[slot]))
    }

    /// True if nothing follows from the states but their rates.
    pub(crate) fn is_bare(&self) -> bool {
        let mode = &self.mode;
        mode.algebraic.is_empty() && mode.margins.is_empty() && !self.has_loops
    }

    /// True if there are algebraic loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.has_loops
    }

    /// True if it computes functions that are not defined everywhere and may end with an infinite derivative.
    pub(crate) fn has_roots(&self) -> bool {
        self.has_roots
    }

    /// True if it computes cubics of lookups, which go on beyond the ends of their curves.
    pub(crate) fn has_curves(&self) -> bool {
        let ops = self.mode.all.iter().flat_map(|segment| match segment {
            Segment::Ops(ops) => ops.iter(),
            Segment::Loop(inner) => inner.ops.iter(),
        });
        ops.into_iter().any(|op| op.code == Code::Spline)
    }

    /// Takes over what is held from the values of all reals.
    pub(crate) fn hold(&mut self, reals: &[f64]) {
        let mut same = true;
        for real in &self.mode.inputs {
            same &= put(&mut self.slots[real.index()], reals[real.index()]);
        }
        self.note_change(same);
        if let Some(linear) = &mut self.linear {
            linear.hold(reals);
        }
    }

    /// Sets the shares of the corners.
    pub(crate) fn weigh(&mut self, weights: &[f64]) {
        self.note_change(false);
        for (slot, &weight) in self.mode.weights.iter().zip(weights) {
            self.slots[slot.index()] = weight;
        }
    }

    /// Whether all slots hold what follows at a point.
    pub(crate) fn stands_at(&self, t: f64, reals: &[f64]) -> bool {
        let holds = |slot: usize, value: f64| self.slots[slot].to_bits() == value.to_bits();
        let mut states = self.mode.states.iter().map(|real| real.index());
        self.fresh && holds(self.mode.time.index(), t) && states.all(|at| holds(at, reals[at]))
    }

    /// Sets time, states and delayed values. Result: whether all slots hold already what follows.
    #[inline]
    pub(super) fn place(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<bool, ValueFault> {
        let placed = self.put_point(past, t, y);
        if self.work.near.are_wanted() {
            self.factor_at_guess(past);
            return self.put_point(past, t, y);
        }
        placed
    }

    /// Sets time and states.
    #[inline(always)]
    fn put_states(&mut self, t: f64, y: &[f64]) {
        let mut same = put(&mut self.slots[self.mode.time.index()], t);
        for (real, &value) in self.mode.states.iter().zip(y) {
            same &= put(&mut self.slots[real.index()], value);
        }
        self.note_change(same);
    }

    #[inline]
    pub(super) fn put_point(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<bool, ValueFault> {
        self.put_states(t, y);
        if !self.algebraic.unknowns.is_empty() {
            self.work
                .given
                .take(y.get(self.mode.states.len()..).unwrap_or_default());
        }
        for &(delay, value, slope) in &self.mode.delays.fixed {
            let [now, rate] = past.series(delay, t);
            self.slots[value.index()] = now;
            self.slots[slope.index()] = rate;
        }
        if !self.mode.delays.varying.is_empty() {
            self.place_delays(past, t)?;
        }
        Ok(self.fresh)
    }

    /// Sets time, states and delayed values; nothing is computed. A delay whose length is not found, which branches of
    /// kinks may be to blame for, has the values that it came to.
    pub(crate) fn place_at(&mut self, past: &DelayHistory, t: f64, y: &[f64]) {
        // What is wrong is said by the evaluation that follows.
        drop(self.place(past, t, y));
        self.fresh = false;
    }

    /// Computes everything at a point.
    ///
    /// Shapes: `y`: one value per state of the mode, and one per algebraic component or none; so in all that follows.
    pub(crate) fn evaluate(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), ValueFault> {
        if self.place(past, t, y)? {
            return Ok(());
        }
        // What loops and delays give does not follow from the inputs alone.
        self.fresh = !self.has_loops && self.mode.delays.is_empty();
        self.solve(List::All, past, t, y)
    }

    /// Runs a list of computations at a point.
    #[inline]
    fn solve(
        &mut self,
        list: List,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), ValueFault> {
        let outcome = self.run(list);
        if self.work.near.are_wanted() {
            self.factor_at_guess(past);
            self.place(past, t, y)?;
            return self.run(list);
        }
        outcome
    }

    #[inline]
    fn run(&mut self, list: List) -> Result<(), ValueFault> {
        let program = match list {
            List::All => &mut self.all,
            List::Flow => &mut self.flow,
            List::Tests => &mut self.tests,
        };
        let outcome = program.solve(&mut self.slots, &self.guess.reals, &mut self.work);
        if program.is_worth_rolling() {
            self.roll(list);
        }
        outcome
    }

    /// True if all rates are finite at a point.
    pub(crate) fn is_defined(&mut self, past: &DelayHistory, t: f64, y: &[f64]) -> bool {
        let mut rates = self.mode.rates.clone().into_iter();
        self.evaluate(past, t, y).is_ok() && rates.all(|rate| self.value(rate).is_finite())
    }

    /// Computes what the rates need.
    #[inline]
    pub(crate) fn evaluate_rates(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), ValueFault> {
        if self.has_loops || !self.mode.delays.is_empty() {
            self.place(past, t, y)?;
            return self.solve(List::Flow, past, t, y);
        }
        // Most modes, and most of what is evaluated in them.
        self.put_states(t, y);
        self.flow.run_plain(&mut self.slots);
        if self.flow.is_worth_rolling() {
            self.roll(List::Flow);
        }
        Ok(())
    }

    /// Computes what the margins need.
    pub(crate) fn evaluate_margins(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), ValueFault> {
        if self.place(past, t, y)? {
            return Ok(());
        }
        self.solve(List::Tests, past, t, y)
    }

    /// Writes the rates at a point.
    #[inline(always)]
    pub(crate) fn rates(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        match &self.linear {
            Some(linear) => {
                linear.rates(t, y, dy);
                Ok(())
            }
            None => self.rates_by_tape(past, t, y, dy),
        }
    }

    #[inline(never)]
    fn rates_by_tape(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        if let Err(fault) = self.evaluate_rates(past, t, y) {
            self.fault = Some(fault);
            return Err(Refusal::Outside);
        }
        self.write_rates(dy);
        Ok(())
    }

    /// A slot's value in the last evaluation.
    pub(crate) fn value(&self, slot: Slot) -> f64 {
        self.slots[slot.index()]
    }

    /// Writes the values of all algebraic reals of the last [`Self::evaluate`].
    pub(crate) fn algebraic(&self, reals: &mut [f64]) {
        for &(real, slot) in &self.mode.algebraic {
            reals[real.index()] = self.slots[slot.index()];
        }
    }

    /// The states among `reals`.
    pub(crate) fn states(&self, reals: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend(self.mode.states.iter().map(|real| reals[real.index()]));
    }

    /// Position of a real among the states.
    pub(crate) fn state_of(&self, real: RealId) -> Option<usize> {
        self.mode.states.binary_search(&real).ok()
    }
}
