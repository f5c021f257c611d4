//! Evaluation of a mode: rates, values, margins with their time derivatives, Jacobian.
//!
//! Loops are solved by Newton's method from a guess that changes only when the driver commits a
//! point, so that the same point gives the same bits. Nothing allocates after the first use of each
//! kind of number.

use std::sync::Arc;

use crate::backend::interpreter::run_setup;
use crate::backend::step::NativeStep;
use crate::backend::value::{Bounded, Jet, Value};
use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::lower::mode::{Mode, Segment};
use crate::sim::events::delays::delay_history::Past;
use crate::sim::events::modes::affine_margin_derivatives::Sum;
use crate::sim::events::modes::affine_rates::Linear;
use crate::sim::events::modes::algebraic_loops::{LoopFault, Workspace, branch};
use crate::sim::events::modes::jit::{Awaited, Compiled, List};
use crate::sim::events::modes::program::Program;
use crate::sim::events::modes::series::Expansion;
use crate::sim::events::modes::sparsity::Sparsity;
use crate::tape::{Op, Slot};
use situ_solve::interval::Interval;
use situ_solve::roots::Enclosure;
use situ_solve::{Dense, Refusal};

/// Taylor coefficients kept of every quantity: value and three derivatives.
pub(crate) const ORDERS: usize = 4;

/// A coefficient below so many times its rounding bound counts as 0.
const SAFETY: f64 = 16.0;

/// A series whose coefficients are known to first order in a small displacement.
type Twice = Jet<2, Jet<2>>;

/// A mode with the arrays it is evaluated in.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    pub(crate) mode: Arc<Mode>,
    /// All computations, those that the rates need, and those that the margins need.
    all: Program,
    flow: Program,
    tests: Program,
    slots: Vec<f64>,
    duals: Vec<Jet<2>>,
    first: Vec<Bounded<2>>,
    series: Vec<Bounded<ORDERS>>,
    /// What the Taylor series of the motion is computed with, once somebody has asked for it; `None` inside
    /// if it has none.
    pub(super) expansion: Option<Option<Box<Expansion>>>,
    twice: Vec<Twice>,
    boxes: Vec<Jet<3, Interval>>,
    /// Values from which the unknowns of loops are sought, by real.
    guess: Vec<f64>,
    /// Whether some values depend on each other.
    has_loops: bool,
    /// Whether it computes what is not defined everywhere, and has infinite slopes.
    has_roots: bool,
    /// Whether all slots hold what follows from the inputs that they hold.
    /// Then they are not computed again; with loops or delays they always are.
    fresh: bool,
    /// The rates as a matrix, if they have one.
    linear: Option<Linear>,
    /// The structure of the Jacobian, once somebody has asked for it.
    sparsity: Option<Arc<Sparsity>>,
    work: Workspace,
    /// The inputs of the last [`Self::first_order`] and of the last [`Self::taylor`] along the mode's own
    /// motion.
    bounded_at: Vec<f64>,
    expanded_at: Vec<f64>,
    /// Room for derivatives of the states.
    pub(super) slopes: [Vec<Sum>; 2],
    /// Evaluations of the rates in steps, as long as nothing has been compiled.
    pub(super) evaluations: u64,
    pub(super) compiled: Compiled,
    pub(super) awaited: Vec<Awaited>,
    pub(crate) fault: Option<LoopFault>,
}

/// Sets a slot; whether it held the same.
#[inline]
fn put(slot: &mut f64, value: f64) -> bool {
    let same = slot.to_bits() == value.to_bits();
    *slot = value;
    same
}

/// What is held in a mode, with its place among the slots.
pub(super) struct Held<'a> {
    mode: &'a Mode,
    slots: &'a [f64],
}

impl Held<'_> {
    /// Brings other slots up to date.
    pub(super) fn bring(&self, into: &mut [f64]) {
        let (mode, slots) = (self.mode, self.slots);
        let latched = mode.relays.iter().chain(&mode.steps);
        let latched = latched.map(|(_, slot)| slot.index());
        for slot in mode.inputs.iter().map(|real| real.index()).chain(latched) {
            into[slot] = slots[slot];
        }
    }
}

/// Whether a mode computes what may end with an infinite slope.
fn has_roots(mode: &Mode) -> bool {
    let ends = |op: &Op| op.code.root().is_some();
    let ops = mode.all.iter().filter_map(|segment| match segment {
        Segment::Ops(ops) => Some(ops),
        Segment::Loop(_) => None,
    });
    ops.flat_map(|ops| ops.iter()).any(ends)
}

/// Takes over into another kind of number what does not follow from anything else.
macro_rules! inputs {
    ($evaluator:ident, $array:ident) => {
        if $evaluator.$array.is_empty() {
            let lifted = $evaluator.slots.iter().map(|&value| Value::constant(value));
            $evaluator.$array = lifted.collect();
        }
        for real in &$evaluator.mode.inputs {
            $evaluator.$array[real.index()] = Value::constant($evaluator.slots[real.index()]);
        }
        let mode = &$evaluator.mode;
        let latched = mode.relays.iter().chain(&mode.steps).map(|(_, slot)| slot);
        for slot in latched.chain(&mode.weights) {
            $evaluator.$array[slot.index()] = Value::constant($evaluator.slots[slot.index()]);
        }
    };
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
        Self {
            has_loops: mode.has_loops(),
            has_roots: has_roots(&mode),
            fresh: false,
            linear: Linear::of(&mode),
            sparsity: None,
            all: Program::of(&mode.all),
            flow: Program::of(&mode.flow),
            tests: Program::of(&mode.tests),
            slots,
            mode: Arc::new(mode),
            duals: Vec::new(),
            first: Vec::new(),
            series: Vec::new(),
            expansion: None,
            twice: Vec::new(),
            boxes: Vec::new(),
            guess: Vec::new(),
            work: Workspace::default(),
            bounded_at: Vec::new(),
            expanded_at: Vec::new(),
            slopes: Default::default(),
            evaluations: 0,
            compiled: Compiled::No,
            awaited: Vec::new(),
            fault: None,
        }
    }

    /// The rates as a matrix, if they have one.
    pub(super) fn linear(&self) -> Option<&Linear> {
        self.linear.as_ref()
    }

    pub(super) fn slots(&self) -> &[f64] {
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

    /// The compiled steps, if they are there, and what is held.
    pub(super) fn compiled_step(&mut self) -> Option<(&mut NativeStep, Held<'_>)> {
        let Compiled::Ready(step) = &mut self.compiled else {
            return None;
        };
        let held = Held {
            mode: &self.mode,
            slots: &self.slots,
        };
        Some((step, held))
    }

    /// Takes over a point: what is held, and where loops start to look.
    pub(crate) fn enter(&mut self, reals: &[f64], relays: &[f64], steps: &[f64]) {
        self.hold(reals);
        for &(relay, slot) in &self.mode.relays {
            self.fresh &= put(&mut self.slots[slot.index()], relays[relay]);
        }
        for &(step, slot) in &self.mode.steps {
            self.fresh &= put(&mut self.slots[slot.index()], steps[step]);
        }
        self.guess_from(reals);
    }

    /// Whether the inputs are those that were noted, so that what follows from them has not to be
    /// computed again; notes them if not.
    fn is_at(&self, noted: &mut Vec<f64>) -> bool {
        let mode = &self.mode;
        // What loops and delays give does not follow from the inputs alone.
        if self.has_loops || !mode.delays.is_empty() {
            noted.clear();
            return false;
        }
        let latched = mode.relays.iter().chain(&mode.steps).map(|(_, slot)| slot);
        let slots = latched.chain(&mode.weights).chain([&mode.time]);
        let slots = slots.map(|slot| slot.index());
        let inputs = mode.inputs.iter().map(|real| real.index()).chain(slots);
        let values = inputs.map(|slot| self.slots[slot]);
        let mut same = !noted.is_empty();
        for (at, value) in values.enumerate() {
            match noted.get_mut(at) {
                Some(before) => {
                    same &= before.to_bits() == value.to_bits();
                    *before = value;
                }
                None => {
                    same = false;
                    noted.push(value);
                }
            }
        }
        same
    }

    /// Whether nothing follows from the states but their rates.
    pub(crate) fn is_bare(&self) -> bool {
        let mode = &self.mode;
        mode.algebraic.is_empty() && mode.margins.is_empty() && !self.has_loops
    }

    /// Whether some values depend on each other.
    pub(crate) fn has_loops(&self) -> bool {
        self.has_loops
    }

    /// Whether it computes what is not defined everywhere and may end with an infinite slope.
    pub(crate) fn has_roots(&self) -> bool {
        self.has_roots
    }

    /// Takes over what is held from the values of all reals.
    pub(crate) fn hold(&mut self, reals: &[f64]) {
        for real in &self.mode.inputs {
            self.fresh &= put(&mut self.slots[real.index()], reals[real.index()]);
        }
        if let Some(linear) = &mut self.linear {
            linear.hold(reals);
        }
    }

    /// Loops start to look at the values of these reals.
    pub(crate) fn guess_from(&mut self, reals: &[f64]) {
        if self.has_loops {
            self.guess.clear();
            self.guess.extend_from_slice(reals);
        }
    }

    /// Sets the shares of the corners.
    pub(crate) fn weigh(&mut self, weights: &[f64]) {
        self.fresh = false;
        for (slot, &weight) in self.mode.weights.iter().zip(weights) {
            self.slots[slot.index()] = weight;
        }
    }

    /// Whether all slots hold what follows at a point.
    pub(super) fn stands_at(&self, t: f64, reals: &[f64]) -> bool {
        let holds = |slot: usize, value: f64| self.slots[slot].to_bits() == value.to_bits();
        let mut states = self.mode.states.iter().map(|real| real.index());
        self.fresh && holds(self.mode.time.index(), t) && states.all(|at| holds(at, reals[at]))
    }

    /// Sets time, states and delayed values. Result: whether all slots hold already what follows.
    #[inline]
    fn place(&mut self, past: &Past, t: f64, y: &[f64]) -> bool {
        let mut same = put(&mut self.slots[self.mode.time.index()], t);
        for (real, &value) in self.mode.states.iter().zip(y) {
            same &= put(&mut self.slots[real.index()], value);
        }
        self.fresh &= same;
        for &(delay, value, slope) in &self.mode.delays {
            let [now, rate] = past.series(delay, t);
            self.slots[value.index()] = now;
            self.slots[slope.index()] = rate;
        }
        self.fresh
    }

    /// Sets time, states and delayed values; nothing is computed.
    pub(super) fn place_at(&mut self, past: &Past, t: f64, y: &[f64]) {
        self.place(past, t, y);
        self.fresh = false;
    }

    /// Computes everything at a point.
    ///
    /// Shapes: `y`: one value per state of the mode.
    pub(crate) fn evaluate(&mut self, past: &Past, t: f64, y: &[f64]) -> Result<(), LoopFault> {
        if self.place(past, t, y) {
            return Ok(());
        }
        // What loops and delays give does not follow from the inputs alone.
        self.fresh = !self.has_loops && self.mode.delays.is_empty();
        self.all.solve(&mut self.slots, &self.guess, &mut self.work)
    }

    /// Whether all rates are finite at a point.
    pub(crate) fn is_defined(&mut self, past: &Past, t: f64, y: &[f64]) -> bool {
        let mut rates = self.mode.rates.clone().into_iter();
        self.evaluate(past, t, y).is_ok() && rates.all(|rate| self.value(rate).is_finite())
    }

    /// Computes what the rates need.
    #[inline]
    pub(crate) fn evaluate_rates(
        &mut self,
        past: &Past,
        t: f64,
        y: &[f64],
    ) -> Result<(), LoopFault> {
        self.place(past, t, y);
        self.flow
            .solve(&mut self.slots, &self.guess, &mut self.work)
    }

    /// Computes what the margins need.
    pub(crate) fn evaluate_margins(
        &mut self,
        past: &Past,
        t: f64,
        y: &[f64],
    ) -> Result<(), LoopFault> {
        if self.place(past, t, y) {
            return Ok(());
        }
        self.tests
            .solve(&mut self.slots, &self.guess, &mut self.work)
    }

    /// Writes the rates at a point.
    #[inline(always)]
    pub(crate) fn rates(
        &mut self,
        past: &Past,
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
        past: &Past,
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

    /// Writes the rates of the last evaluation.
    #[inline]
    pub(crate) fn write_rates(&self, dy: &mut [f64]) {
        for (dy, rate) in dy.iter_mut().zip(&self.mode.rates) {
            *dy = self.slots[rate.index()];
        }
    }

    /// The structure of the Jacobian, found when it is first asked for.
    pub(crate) fn sparsity(&mut self) -> &Sparsity {
        self.sparsity.get_or_insert_with(|| {
            let found = match &self.linear {
                Some(linear) => Sparsity::of_matrix(linear),
                None => Sparsity::of(&self.mode),
            };
            Arc::new(found)
        })
    }

    /// Writes the Jacobian, in the order of [`Sparsity::pattern`], and the time derivative at a point.
    pub(crate) fn linearise(
        &mut self,
        past: &Past,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<(), Refusal> {
        df_dt.fill(0.0);
        if let Some(linear) = &self.linear {
            for (entry, term) in jacobian.iter_mut().zip(&linear.terms) {
                *entry = term.weight;
            }
            for (df_dt, weight) in df_dt.iter_mut().zip(&linear.per_time) {
                *df_dt = *weight;
            }
            return Ok(());
        }
        self.sparsity();
        let sparsity = self.sparsity.clone().expect("it has just been found");
        self.evaluate_rates(past, t, y)
            .map_err(|_| Refusal::Outside)?;
        inputs!(self, duals);
        for group in &sparsity.groups {
            self.derive(t, y, &group.columns, 0.0)?;
            for &(at, row) in &group.entries {
                jacobian[at] = self.duals[self.mode.rates[row].index()].0[1];
            }
        }
        if !sparsity.in_time.is_empty() {
            self.derive(t, y, &[], 1.0)?;
            for &row in &sparsity.in_time {
                df_dt[row] = self.duals[self.mode.rates[row].index()].0[1];
            }
        }
        Ok(())
    }

    /// Derivatives of everything that the rates need, by some states together, or by the time.
    fn derive(
        &mut self,
        t: f64,
        y: &[f64],
        columns: &[usize],
        in_time: f64,
    ) -> Result<(), Refusal> {
        for (real, &y) in self.mode.states.iter().zip(y) {
            self.duals[real.index()] = Jet([y, 0.0]);
        }
        for &column in columns {
            self.duals[self.mode.states[column].index()].0[1] = 1.0;
        }
        self.duals[self.mode.time.index()] = Jet([t, in_time]);
        for &(_, value, slope) in &self.mode.delays {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.duals[value.index()] = Jet([now, rate * in_time]);
            self.duals[slope.index()] = Jet([rate, 0.0]);
        }
        self.flow
            .pass(&self.slots, &mut self.duals, &mut self.work)
            .map_err(|_| Refusal::Outside)
    }

    /// A slot's value in the last evaluation.
    pub(crate) fn value(&self, slot: Slot) -> f64 {
        self.slots[slot.index()]
    }

    /// The z of a border in the last evaluation.
    pub(crate) fn z(&self, border: BorderId) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        let value = self.value(margin.slot);
        Some(if margin.upright { value } else { -value })
    }

    /// Writes the values of all algebraic reals of the last [`Self::evaluate`].
    pub(crate) fn algebraic(&self, reals: &mut [f64]) {
        for &(real, slot) in &self.mode.algebraic {
            reals[real.index()] = self.slots[slot.index()];
        }
    }

    /// How fast the z of borders grow along the mode's own motion, after [`Self::evaluate`]. Read
    /// the result with [`Self::z_rate`].
    pub(crate) fn margin_rates(&mut self) -> Result<(), LoopFault> {
        inputs!(self, duals);
        for (index, real) in self.mode.states.iter().enumerate() {
            let value = self.slots[real.index()];
            self.duals[real.index()] = Jet([value, self.slots[self.mode.rates[index].index()]]);
        }
        let time = self.mode.time.index();
        self.duals[time] = Jet([self.slots[time], 1.0]);
        for &(_, value, slope) in &self.mode.delays {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.duals[value.index()] = Jet([now, rate]);
            self.duals[slope.index()] = Jet([rate, 0.0]);
        }
        self.tests
            .pass(&self.slots, &mut self.duals, &mut self.work)
    }

    /// Whether the margin of a border is affine, so that its rate follows from those of the states.
    pub(crate) fn is_affine(&self, border: BorderId) -> bool {
        let margin = self.mode.margin(border);
        margin.is_some_and(|margin| margin.form.is_some())
    }

    /// How fast the z of a border grows; after [`Self::margin_rates`], unless it is affine.
    ///
    /// Shapes: `dy`: the rates of all states.
    pub(crate) fn z_rate(&self, border: BorderId, dy: &[f64]) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        let rate = match &margin.form {
            Some(form) => {
                let terms = margin.moving.iter();
                let parts = terms.map(|&(component, weight)| weight * dy[component]);
                form.per_time + parts.sum::<f64>()
            }
            None => self.duals[margin.slot.index()].0[1],
        };
        Some(if margin.upright { rate } else { -rate })
    }

    /// Computes margins and how fast they grow, with the rounding errors that they carry. Read the
    /// result with [`Self::z_first`].
    ///
    /// Shapes: `rates`: of all states; empty takes the mode's own. `pushes`: added to the mode's own.
    pub(crate) fn first_order(
        &mut self,
        past: &Past,
        t: f64,
        y: &[f64],
        rates: &[f64],
        pushes: &[f64],
    ) -> Result<(), LoopFault> {
        self.evaluate(past, t, y)?;
        let mut noted = std::mem::take(&mut self.bounded_at);
        let own = rates.is_empty() && pushes.is_empty();
        let known = own && self.is_at(&mut noted);
        if !own {
            noted.clear();
        }
        self.bounded_at = noted;
        if known {
            return Ok(());
        }
        inputs!(self, first);
        for real in &self.mode.states {
            self.first[real.index()] = Value::constant(self.slots[real.index()]);
        }
        self.first[self.mode.time.index()] = Bounded::rounded(Jet([t, 1.0]));
        for &(_, value, slope) in &self.mode.delays {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.first[value.index()] = Bounded::rounded(Jet([now, rate]));
            self.first[slope.index()] = Bounded::rounded(Jet([rate, 0.0]));
        }
        if rates.is_empty() {
            self.flow
                .pass(&self.slots, &mut self.first, &mut self.work)?;
        }
        for (index, real) in self.mode.states.iter().enumerate() {
            let (mut rate, mut bound) = match rates.get(index) {
                Some(rate) => (*rate, rate.abs() * f64::EPSILON),
                None => {
                    let rate = self.first[self.mode.rates[index].index()];
                    (rate.series.0[0], rate.bound[0])
                }
            };
            if let Some(push) = pushes.get(index) {
                rate += push;
                bound += push.abs() * f64::EPSILON;
            }
            let state = &mut self.first[real.index()];
            state.series.0[1] = rate;
            state.bound[1] = bound;
        }
        self.tests
            .pass(&self.slots, &mut self.first, &mut self.work)
    }

    /// The z of a border and how fast it grows, after [`Self::first_order`]: 0 what is 0 up to
    /// rounding.
    pub(crate) fn z_first(&self, border: BorderId) -> Option<[f64; 2]> {
        let margin = self.mode.margin(border)?;
        let z = beyond_rounding(&self.first[margin.slot.index()]);
        Some(if margin.upright { z } else { z.map(|c| -c) })
    }

    /// After [`Self::first_order`]: the z of a border, 0 where it is 0 up to rounding, and its rate as it was
    /// computed: where a slope is infinite rounding bounds no rate.
    pub(crate) fn z_computed(&self, border: BorderId) -> Option<[f64; 2]> {
        let margin = self.mode.margin(border)?;
        let number = &self.first[margin.slot.index()];
        let z = [beyond_rounding(number)[0], number.series.0[1]];
        Some(if margin.upright { z } else { z.map(|c| -c) })
    }

    /// The rounding error that the z of a border carries, after [`Self::first_order`].
    pub(crate) fn z_noise(&self, border: BorderId) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        Some(self.first[margin.slot.index()].bound[0])
    }

    /// What rounding may make of the margin of a border when the state moves on from a point for a time.
    pub(crate) fn blur(
        &mut self,
        border: BorderId,
        past: &Past,
        (t, y): (f64, &[f64]),
        h: f64,
    ) -> Option<f64> {
        let [noise, per_time] = match self.size_of(border, t, y) {
            Some(sizes) => sizes.map(|size| f64::EPSILON * size),
            None => {
                self.first_order(past, t, y, &[], &[]).ok()?;
                self.first[self.mode.margin(border)?.slot.index()].bound
            }
        };
        Some(SAFETY * (noise + h * per_time))
    }

    /// Computes the Taylor series of everything along the mode's own motion, or with the rates of
    /// its states increased by `pushes`.
    pub(crate) fn taylor(
        &mut self,
        past: &Past,
        t: f64,
        y: &[f64],
        pushes: &[f64],
    ) -> Result<(), LoopFault> {
        self.evaluate(past, t, y)?;
        let mut noted = std::mem::take(&mut self.expanded_at);
        let known = pushes.is_empty() && self.is_at(&mut noted);
        if !pushes.is_empty() {
            noted.clear();
        }
        self.expanded_at = noted;
        if known {
            return Ok(());
        }
        inputs!(self, series);
        let mut time = Jet::constant(t);
        time.0[1] = 1.0;
        self.series[self.mode.time.index()] = Bounded::rounded(time);
        for &(delay, value, slope) in &self.mode.delays {
            let jet: [f64; ORDERS] = past.series(delay, t);
            self.series[value.index()] = Bounded::rounded(Jet(jet));
            self.series[slope.index()] = Bounded::rounded(derivative(jet));
        }
        for order in 1..ORDERS {
            self.flow
                .pass(&self.slots, &mut self.series, &mut self.work)?;
            for (index, (real, rate)) in self.mode.states.iter().zip(&self.mode.rates).enumerate() {
                let rate = self.series[rate.index()];
                #[expect(clippy::cast_precision_loss, reason = "orders are small")]
                let share = 1.0 / order as f64;
                let state = &mut self.series[real.index()];
                state.series.0[order] = rate.series.0[order - 1] * share;
                state.bound[order] = rate.bound[order - 1] * share;
                if let (1, Some(&push)) = (order, pushes.get(index)) {
                    state.series.0[1] += push;
                    state.bound[1] += push.abs() * f64::EPSILON;
                }
            }
        }
        self.tests
            .pass(&self.slots, &mut self.series, &mut self.work)
    }

    /// After [`Self::taylor`]: the Taylor coefficients of the z of a border, 0 where they are 0 up
    /// to rounding.
    pub(crate) fn z_series(&self, border: BorderId) -> Option<[f64; ORDERS]> {
        let margin = self.mode.margin(border)?;
        let coefficients = beyond_rounding(&self.series[margin.slot.index()]);
        Some(if margin.upright {
            coefficients
        } else {
            coefficients.map(|c| -c)
        })
    }

    /// Computes how margins and their rates change when the state is displaced, after
    /// [`Self::evaluate`]. Read the result with [`Self::z_displaced`].
    ///
    /// Shapes: `along`: one entry per state; `in_time`: how far the time is displaced.
    pub(crate) fn displace(
        &mut self,
        y: &[f64],
        along: impl Fn(usize) -> f64,
        in_time: f64,
    ) -> Result<(), LoopFault> {
        inputs!(self, twice);
        let zero = Jet::constant(0.0);
        for (index, real) in self.mode.states.iter().enumerate() {
            self.twice[real.index()] = Jet([Jet([y[index], along(index)]), zero]);
        }
        let time = self.mode.time.index();
        self.twice[time] = Jet([Jet([self.slots[time], in_time]), Jet::constant(1.0)]);
        for &(_, value, slope) in &self.mode.delays {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.twice[value.index()] = Jet([Jet([now, rate * in_time]), Jet::constant(rate)]);
            self.twice[slope.index()] = Jet([Jet([rate, 0.0]), zero]);
        }
        self.flow
            .pass(&self.slots, &mut self.twice, &mut self.work)?;
        for (real, rate) in self.mode.states.iter().zip(&self.mode.rates) {
            self.twice[real.index()].0[1] = self.twice[rate.index()].0[0];
        }
        self.tests
            .pass(&self.slots, &mut self.twice, &mut self.work)
    }

    /// After [`Self::displace`]: how z, and how its rate along the mode's motion, change with the
    /// displacement.
    pub(crate) fn z_displaced(&self, border: BorderId) -> Option<(f64, f64)> {
        let margin = self.mode.margin(border)?;
        let Jet([z, rate]) = self.twice[margin.slot.index()];
        let sign = if margin.upright { 1.0 } else { -1.0 };
        Some((sign * z.0[1], sign * rate.0[1]))
    }

    /// The states among `reals`.
    pub(crate) fn states(&self, reals: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend(self.mode.states.iter().map(|real| reals[real.index()]));
    }

    /// Prepares [`Self::enclose`]: takes over what is held.
    pub(crate) fn begin_enclosing(&mut self) {
        inputs!(self, boxes);
    }

    /// Bounds of a slot over a piece of a step: value, slope and half the curvature, with respect to
    /// theta. Only for slots that are not opaque.
    ///
    /// Shapes: `y`: room for the state.
    pub(crate) fn enclose(
        &mut self,
        past: &Past,
        slot: Slot,
        dense: &Dense,
        theta: Interval,
        y: &mut [f64],
    ) -> [Interval; 3] {
        // The bounds of a loop are sought around its solution at the middle.
        if self.has_loops {
            let middle = theta.mid();
            dense.eval(middle, y);
            if self.evaluate_margins(past, dense.time(middle), y).is_err() {
                return [Interval::ENTIRE; 3];
            }
        }
        let h = Interval::point(dense.h());
        let time = Interval::point(dense.t0()) + theta * h;
        self.boxes[self.mode.time.index()] = Jet([time, h, Interval::ZERO]);
        for (component, real) in self.mode.states.iter().enumerate() {
            let Enclosure {
                value,
                slope,
                curvature,
            } = dense.enclose(component, theta);
            let half = curvature * Interval::point(0.5);
            self.boxes[real.index()] = Jet([value, slope, half]);
        }
        self.tests
            .enclose(&self.slots, &mut self.boxes, &mut self.work);
        self.boxes[slot.index()].0
    }

    /// Position of a real among the states.
    pub(crate) fn state_of(&self, real: RealId) -> Option<usize> {
        self.mode.states.binary_search(&real).ok()
    }

    /// The point of the last evaluation is committed: loops start to look there from now on. The
    /// rows of loops that have gone over to another solution are handed to `changed`.
    ///
    /// Shapes: `branches`: for each loop on which of its solutions it was at the last commitment; at
    ///         the first one empty.
    pub(crate) fn commit(
        &mut self,
        reals: &[f64],
        branches: &mut Vec<i8>,
        mut changed: impl FnMut(&[crate::ids::RelationId]),
    ) {
        if !self.has_loops {
            return;
        }
        self.guess.clear();
        self.guess.extend_from_slice(reals);
        for (number, circle) in self.all.circles().enumerate() {
            let now = branch(circle, &self.slots, &mut self.work);
            match branches.get_mut(number) {
                Some(before) => {
                    if *before != now {
                        changed(&circle.inner.rows);
                    }
                    *before = now;
                }
                None => branches.push(now),
            }
        }
    }
}

/// A number whose coefficients below their rounding bounds are 0.
fn beyond_rounding<const N: usize>(number: &Bounded<N>) -> [f64; N] {
    std::array::from_fn(|k| {
        let c = number.series.0[k];
        if c.abs() <= SAFETY * number.bound[k] {
            0.0
        } else {
            c
        }
    })
}

/// The coefficients of the derivative of a series; the last one is not known and counts as 0.
#[expect(clippy::cast_precision_loss, reason = "orders are small")]
fn derivative<const N: usize>(series: [f64; N]) -> Jet<N> {
    Jet(std::array::from_fn(|k| match series.get(k + 1) {
        Some(c) => (k + 1) as f64 * c,
        None => 0.0,
    }))
}
