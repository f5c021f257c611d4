//! Evaluation of a mode: rates, values, margins with their time derivatives, Jacobian.
//!
//! Loops are solved by Newton's method from a guess that changes only when the driver commits a
//! point, so that the same point gives the same bits.

use super::enclose::{enclose_loop, inverse};
use crate::backend::interpreter::run_setup;
use crate::backend::value::{Bounded, Jet, Value, run};
use crate::ids::{RealId, RelationId};
use crate::interval::Interval;
use crate::lower::border::BorderId;
use crate::lower::mode::{Loop, Mode, Segment};
use crate::solve::roots::Enclosure;
use crate::solve::{Dense, Derivatives, Refusal, System};
use crate::tape::Slot;

/// Taylor coefficients kept of every quantity: value and three derivatives.
pub(crate) const ORDERS: usize = 4;

/// A coefficient below so many times its rounding bound counts as 0.
const SAFETY: f64 = 16.0;

/// Newton steps before a loop counts as without solution.
const MAX_NEWTON: usize = 60;

/// Why values that depend on each other were not found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LoopFault {
    /// The rows of the loop.
    pub(crate) rows: Vec<RelationId>,
    /// True if no single solution exists, false if none was found.
    pub(crate) singular: bool,
}

/// A mode with the arrays it is evaluated in.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    pub(crate) mode: Mode,
    slots: Vec<f64>,
    duals: Vec<Jet<2>>,
    series: Vec<Bounded<ORDERS>>,
    boxes: Vec<Jet<3, Interval>>,
    /// Workspace for bounds of loops; empty without loops.
    slopes: Vec<Jet<2, Interval>>,
    /// Values from which the unknowns of loops are sought, by real.
    guess: Vec<f64>,
    pub(crate) fault: Option<LoopFault>,
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
        let lift = |slots: &[f64]| slots.to_vec();
        Self {
            duals: lift(&slots).into_iter().map(Jet::constant).collect(),
            series: lift(&slots).into_iter().map(Bounded::constant).collect(),
            boxes: lift(&slots).into_iter().map(Jet::constant).collect(),
            slopes: if mode.has_loops() {
                lift(&slots).into_iter().map(Jet::constant).collect()
            } else {
                Vec::new()
            },
            slots,
            mode,
            guess: Vec::new(),
            fault: None,
        }
    }

    /// Takes over a point: what is held, and where loops start to look.
    pub(crate) fn enter(&mut self, reals: &[f64], relays: &[bool], steps: &[f64]) {
        self.guess = reals.to_vec();
        let mode = &self.mode;
        let relay_values = mode
            .relays
            .iter()
            .map(|&(relay, slot)| (slot, if relays[relay] { 1.0 } else { 0.0 }));
        let step_values = mode.steps.iter().map(|&(step, slot)| (slot, steps[step]));
        let held: Vec<_> = relay_values.chain(step_values).collect();
        let reals = reals
            .iter()
            .enumerate()
            .map(|(index, &value)| (Slot::new(index), value));
        for (slot, value) in held.into_iter().chain(reals) {
            self.slots[slot.index()] = value;
            self.duals[slot.index()] = Jet::constant(value);
            self.series[slot.index()] = Bounded::constant(value);
            self.boxes[slot.index()] = Jet::constant(value);
        }
    }

    /// Sets time and states.
    fn place(&mut self, t: f64, y: &[f64]) {
        self.slots[self.mode.time.index()] = t;
        for (real, &value) in self.mode.states.iter().zip(y) {
            self.slots[real.index()] = value;
        }
    }

    /// Computes everything at a point.
    ///
    /// Shapes: `y`: one value per state of the mode.
    pub(crate) fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), LoopFault> {
        self.place(t, y);
        solve(
            &self.mode.all,
            &mut self.slots,
            &mut self.duals,
            &self.guess,
        )
    }

    /// The slot values of the last [`Self::evaluate`].
    pub(crate) fn value(&self, slot: Slot) -> f64 {
        self.slots[slot.index()]
    }

    /// Writes the values of all algebraic reals of the last [`Self::evaluate`].
    pub(crate) fn algebraic(&self, reals: &mut [f64]) {
        for &(real, slot) in &self.mode.algebraic {
            reals[real.index()] = self.slots[slot.index()];
        }
    }

    /// The rates of the last evaluation.
    pub(crate) fn rate(&self, state: usize) -> f64 {
        self.slots[self.mode.rates[state].index()]
    }

    /// Computes the Taylor series of everything along the mode's own motion.
    pub(crate) fn series(&mut self, t: f64, y: &[f64]) -> Result<(), LoopFault> {
        self.evaluate(t, y)?;
        let mut time = Jet::constant(t);
        time.0[1] = 1.0;
        self.series[self.mode.time.index()] = Bounded::rounded(time);
        for (real, &value) in self.mode.states.iter().zip(y) {
            self.series[real.index()] = Bounded::constant(value);
        }
        for order in 1..ORDERS {
            self.series_pass()?;
            for (real, rate) in self.mode.states.iter().zip(&self.mode.rates) {
                let rate = self.series[rate.index()];
                #[expect(clippy::cast_precision_loss, reason = "orders are small")]
                let share = 1.0 / order as f64;
                let state = &mut self.series[real.index()];
                state.series.0[order] = rate.series.0[order - 1] * share;
                state.bound[order] = rate.bound[order - 1] * share;
            }
        }
        self.series_pass()
    }

    /// The Taylor coefficients of a slot, after [`Self::series`]; 0 where they are 0 up to rounding.
    pub(crate) fn coefficients(&self, slot: Slot) -> [f64; ORDERS] {
        let Bounded { series, bound } = self.series[slot.index()];
        std::array::from_fn(|k| {
            if series.0[k].abs() <= SAFETY * bound[k] {
                0.0
            } else {
                series.0[k]
            }
        })
    }

    fn series_pass(&mut self) -> Result<(), LoopFault> {
        for segment in &self.mode.all {
            match segment {
                Segment::Ops(ops) => run(ops, &mut self.series),
                Segment::Loop(inner) => {
                    let mut jets: Vec<Jet<ORDERS>> =
                        self.series.iter().map(|bounded| bounded.series).collect();
                    follow(inner, &self.slots, &mut self.duals, &mut jets, ORDERS - 1)?;
                    let matrix = loop_matrix(inner, &self.slots, &mut self.duals);
                    bound_loop(inner, &matrix, &jets, &mut self.series);
                }
            }
        }
        Ok(())
    }

    /// The states among `reals`.
    pub(crate) fn states(&self, reals: &[f64]) -> Vec<f64> {
        self.mode
            .states
            .iter()
            .map(|real| reals[real.index()])
            .collect()
    }

    /// Takes over what is held from the values of all reals.
    pub(crate) fn hold(&mut self, reals: &[f64]) {
        for (index, &value) in reals.iter().enumerate() {
            self.slots[index] = value;
            self.duals[index] = Jet::constant(value);
            self.series[index] = Bounded::constant(value);
            self.boxes[index] = Jet::constant(value);
        }
    }

    /// Bounds of a slot over a piece of a step: value, slope and half the curvature, with respect to
    /// theta.
    pub(crate) fn enclose(&mut self, slot: Slot, dense: &Dense, theta: Interval) -> [Interval; 3] {
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
        // The bounds of a loop are sought around its solution at the middle.
        if self.mode.has_loops() {
            let middle = theta.mid();
            let mut y = vec![0.0; dense.dim()];
            dense.eval(middle, &mut y);
            if self.evaluate(dense.time(middle), &y).is_err() {
                return [Interval::ENTIRE; 3];
            }
        }
        for segment in &self.mode.all {
            match segment {
                Segment::Ops(ops) => run(ops, &mut self.boxes),
                Segment::Loop(inner) => {
                    let matrix = loop_matrix(inner, &self.slots, &mut self.duals);
                    let (boxes, slopes) = (&mut self.boxes, &mut self.slopes);
                    enclose_loop(inner, &self.slots, &matrix, boxes, slopes);
                }
            }
        }
        self.boxes[slot.index()].0
    }

    /// After [`Self::series`]: how fast the z of a border grows; `None` if it has none here.
    pub(crate) fn margin_rate(&self, border: BorderId) -> Option<f64> {
        Some(self.margin_series(border)?[1])
    }

    /// After [`Self::series`]: the Taylor coefficients of the z of a border, 0 where they are 0 up
    /// to rounding.
    pub(crate) fn margin_series(&self, border: BorderId) -> Option<[f64; ORDERS]> {
        let margin = self
            .mode
            .margins
            .iter()
            .find(|margin| margin.border == border)?;
        let coefficients = self.coefficients(margin.slot);
        Some(if margin.upright {
            coefficients
        } else {
            coefficients.map(|c| -c)
        })
    }

    /// The value of a real that follows from others, of the last evaluation.
    pub(crate) fn final_value(&self, real: RealId) -> Option<f64> {
        let at = self
            .mode
            .algebraic
            .binary_search_by_key(&real, |(id, _)| *id)
            .ok()?;
        Some(self.slots[self.mode.algebraic[at].1.index()])
    }

    /// Position of a real among the states.
    pub(crate) fn state_of(&self, real: RealId) -> Option<usize> {
        self.mode.states.binary_search(&real).ok()
    }
}

impl System for Evaluator {
    fn dim(&self) -> usize {
        self.mode.states.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.place(t, y);
        if let Err(fault) = solve(
            &self.mode.flow,
            &mut self.slots,
            &mut self.duals,
            &self.guess,
        ) {
            self.fault = Some(fault);
            return Err(Refusal::Outside);
        }
        for (dy, rate) in dy.iter_mut().zip(&self.mode.rates) {
            *dy = self.slots[rate.index()];
        }
        Ok(())
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        let n = self.dim();
        let mut rates = vec![0.0; n];
        self.rhs(t, y, &mut rates)?;
        for column in 0..=n {
            for (index, real) in self.mode.states.iter().enumerate() {
                self.duals[real.index()] = Jet([y[index], f64::from(u8::from(index == column))]);
            }
            self.duals[self.mode.time.index()] = Jet([t, f64::from(u8::from(column == n))]);
            for segment in &self.mode.flow {
                match segment {
                    Segment::Ops(ops) => run(ops, &mut self.duals),
                    Segment::Loop(inner) => {
                        let mut scratch = self.duals.clone();
                        follow(inner, &self.slots, &mut scratch, &mut self.duals, 1)
                            .map_err(|_| Refusal::Outside)?;
                    }
                }
            }
            for (row, rate) in self.mode.rates.iter().enumerate() {
                let slope = self.duals[rate.index()].0[1];
                if column == n {
                    df_dt[row] = slope;
                } else {
                    jacobian[row * n + column] = slope;
                }
            }
        }
        Ok(Derivatives::Exact)
    }
}

/// Runs the segments on reals, loops by Newton's method.
fn solve(
    segments: &[Segment],
    slots: &mut [f64],
    duals: &mut [Jet<2>],
    guess: &[f64],
) -> Result<(), LoopFault> {
    for segment in segments {
        match segment {
            Segment::Ops(ops) => run(ops, slots),
            Segment::Loop(inner) => newton(inner, slots, duals, guess)?,
        }
    }
    Ok(())
}

/// Solves one loop: the unknowns become equal to their results up to rounding.
fn newton(
    inner: &Loop,
    slots: &mut [f64],
    duals: &mut [Jet<2>],
    guess: &[f64],
) -> Result<(), LoopFault> {
    let fault = |singular| LoopFault {
        rows: inner.rows.clone(),
        singular,
    };
    for &(slot, real) in &inner.unknowns {
        slots[slot.index()] = guess.get(real.index()).copied().unwrap_or_default();
    }
    let mut last = f64::INFINITY;
    for round in 0..MAX_NEWTON {
        run(&inner.ops, slots);
        let mut residual: Vec<f64> = inner
            .unknowns
            .iter()
            .zip(&inner.results)
            .map(|((unknown, _), result)| slots[result.index()] - slots[unknown.index()])
            .collect();
        let scale = inner.results.iter().map(|slot| slots[slot.index()].abs());
        let scale = scale.fold(f64::MIN_POSITIVE, f64::max);
        let size = residual.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
        if size.is_nan() {
            return Err(fault(false));
        }
        let converged = size <= 4.0 * f64::EPSILON * scale;
        let stalled = round > 3 && size >= last && size <= 1e-12 * scale;
        if converged || stalled {
            // The solution is what the loop was computed from, not what it gave: found again from
            // itself it then has the same bits.
            for ((unknown, _), result) in inner.unknowns.iter().zip(&inner.results) {
                slots[result.index()] = slots[unknown.index()];
            }
            return Ok(());
        }
        last = size;
        let mut matrix = loop_matrix(inner, slots, duals);
        if !eliminate(&mut matrix, &mut residual) {
            return Err(fault(true));
        }
        for ((slot, _), change) in inner.unknowns.iter().zip(&residual) {
            slots[slot.index()] += change;
        }
    }
    Err(fault(false))
}

/// `I - g'` of a loop at the values in `slots`, row by row.
fn loop_matrix(inner: &Loop, slots: &[f64], duals: &mut [Jet<2>]) -> Vec<f64> {
    let m = inner.unknowns.len();
    let mut matrix = vec![0.0; m * m];
    for column in 0..m {
        for (dual, &value) in duals.iter_mut().zip(slots) {
            *dual = Jet([value, 0.0]);
        }
        duals[inner.unknowns[column].0.index()].0[1] = 1.0;
        run(&inner.ops, duals);
        for (row, result) in inner.results.iter().enumerate() {
            let identity = f64::from(u8::from(row == column));
            matrix[row * m + column] = identity - duals[result.index()].0[1];
        }
    }
    matrix
}

/// Carries series through a loop that was solved for values: one order more with each round.
fn follow<const N: usize>(
    inner: &Loop,
    slots: &[f64],
    duals: &mut [Jet<2>],
    jets: &mut [Jet<N>],
    rounds: usize,
) -> Result<(), LoopFault> {
    let matrix = loop_matrix(inner, slots, duals);
    for &(slot, _) in &inner.unknowns {
        jets[slot.index()] = Jet::constant(slots[slot.index()]);
    }
    for _ in 0..rounds {
        run(&inner.ops, jets);
        for order in 1..N {
            let mut residual: Vec<f64> = inner
                .unknowns
                .iter()
                .zip(&inner.results)
                .map(|((unknown, _), result)| {
                    jets[result.index()].0[order] - jets[unknown.index()].0[order]
                })
                .collect();
            if !eliminate(&mut matrix.clone(), &mut residual) {
                return Err(LoopFault {
                    rows: inner.rows.clone(),
                    singular: true,
                });
            }
            for ((slot, _), change) in inner.unknowns.iter().zip(&residual) {
                jets[slot.index()].0[order] += change;
            }
        }
    }
    run(&inner.ops, jets);
    Ok(())
}

/// Puts the series of a loop's unknowns in place, with bounds of what rounding in the loop and the
/// end of Newton's method leave open, and computes the loop from them.
fn bound_loop(inner: &Loop, matrix: &[f64], jets: &[Jet<ORDERS>], series: &mut [Bounded<ORDERS>]) {
    let m = inner.unknowns.len();
    for &(slot, _) in &inner.unknowns {
        series[slot.index()] = Bounded {
            series: jets[slot.index()],
            bound: [0.0; ORDERS],
        };
    }
    run(&inner.ops, series);
    let gaps = inner.unknowns.iter().zip(&inner.results);
    let gaps: Vec<[f64; ORDERS]> = gaps
        .map(|((unknown, _), result)| {
            let (unknown, result) = (series[unknown.index()], series[result.index()]);
            std::array::from_fn(|order| {
                let gap = result.series.0[order] - unknown.series.0[order];
                gap.abs() + result.bound[order]
            })
        })
        .collect();
    let inverse = inverse(matrix, m).unwrap_or_else(|| vec![f64::INFINITY; m * m]);
    for ((slot, _), row) in inner.unknowns.iter().zip(inverse.chunks(m)) {
        series[slot.index()].bound = std::array::from_fn(|order| {
            let terms = row.iter().zip(&gaps);
            terms.map(|(c, gap)| c.abs() * gap[order]).sum()
        });
    }
    run(&inner.ops, series);
}

/// Solves a dense system in place, with partial pivoting; false if it is singular.
pub(super) fn eliminate(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let n = right.len();
    let size = matrix
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&i, &j| {
                matrix[i * n + column]
                    .abs()
                    .total_cmp(&matrix[j * n + column].abs())
            })
            .unwrap_or(column);
        if matrix[pivot * n + column].abs() <= 1e-14 * size || size == 0.0 {
            return false;
        }
        for k in 0..n {
            matrix.swap(column * n + k, pivot * n + k);
        }
        right.swap(column, pivot);
        for row in column + 1..n {
            let factor = matrix[row * n + column] / matrix[column * n + column];
            for k in column..n {
                matrix[row * n + k] -= factor * matrix[column * n + k];
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| matrix[row * n + k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row * n + row];
    }
    right.iter().all(|value| value.is_finite())
}
