//! Rows and comparisons as they are done in a microstep: each is lowered once, when it is first needed, and then run
//! on the values that stand.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::backend::interpreter::run_setup;
use crate::backend::solved::solve_row;
use crate::backend::value::{self, Jet, RunningError, Stairs, Value};
use crate::ids::RealId;
use crate::lower::row::{RowTape, expression_tape, row_tape};
use crate::lower::scan::Scan;
use crate::model::{Model, Relation, StartValues};
use crate::tape::{Code, Pieces};

/// A coefficient below so many times its rounding bound counts as 0.
pub(crate) const SAFETY: f64 = 16.0;

/// What reals were before rows of a group wrote them: the other rows of the group read that.
pub(crate) type Replaced = FxHashMap<RealId, f64>;

/// A row or comparison with the slots in which it is run.
#[derive(Clone, Debug)]
pub(crate) struct RowProgram {
    tape: RowTape,
    slots: Vec<f64>,
    /// Room for the same with rounding bounds.
    bounded: Vec<RunningError<1>>,
    jumps: bool,
}

/// A number, 0 where it is 0 up to rounding; as it is where nothing bounds that.
pub(crate) fn beyond_rounding(number: &RunningError<1>) -> f64 {
    let (value, bound) = (number.series.0[0], number.bound[0]);
    if bound.is_finite() && value.abs() <= SAFETY * bound {
        0.0
    } else {
        value
    }
}

impl RowProgram {
    pub(crate) fn new(tape: RowTape, constants: &[f64]) -> Self {
        let mut slots = vec![0.0; tape.tape.n_slots as usize];
        for &(constant, slot) in &tape.constants {
            slots[slot.index()] = constants[constant.index()];
        }
        for &(slot, value) in &tape.tape.numbers {
            slots[slot.index()] = value;
        }
        run_setup(&tape.tape, &mut slots);
        Self {
            jumps: tape
                .tape
                .ops
                .iter()
                .any(|op| op.code.pieces().is_some_and(Pieces::jumps)),
            tape,
            slots,
            bounded: Vec::new(),
        }
    }

    /// Program of a row in a microstep.
    fn of_row(model: &Model, relation: &Relation, constants: &[f64]) -> Self {
        Self::new(row_tape(model, relation), constants)
    }

    /// True if it has kinks across which its value jumps.
    pub(crate) fn jumps(&self) -> bool {
        self.jumps
    }

    fn load(&mut self, t: f64, reals: &[f64]) {
        for &(real, slot) in &self.tape.reads {
            self.slots[slot.index()] = reals[real.index()];
        }
        self.slots[self.tape.time.index()] = t;
    }

    /// Computes from the values that stand, or were `replaced`. `held`: the value of the kink with this number, with these operands, if its
    /// operand is on its border, up to rounding.
    pub(crate) fn run(
        &mut self,
        t: f64,
        reals: &[f64],
        replaced: &Replaced,
        held: impl FnMut(usize, Pieces, [f64; 2]) -> Option<f64>,
    ) {
        self.load(t, reals);
        if !replaced.is_empty() {
            for (real, slot) in &self.tape.reads {
                if let Some(before) = replaced.get(real) {
                    self.slots[slot.index()] = *before;
                }
            }
        }
        if let [row] = &self.tape.tape.solves[..] {
            let found = solve_row(row, |slot| self.slots[slot.index()]);
            for (at, unknown) in row.unknowns.iter().enumerate() {
                self.slots[unknown.to.index()] = found.as_ref().map_or(f64::NAN, |x| x[at]);
            }
            return;
        }
        if self.jumps {
            self.run_with_jumps(held);
        } else {
            value::run_reals(&self.tape.tape.ops, &mut self.slots);
        }
    }

    /// Its first value where nothing is held.
    pub(crate) fn value_at(&mut self, t: f64, reals: &[f64]) -> f64 {
        self.load(t, reals);
        value::run_reals(&self.tape.tape.ops, &mut self.slots);
        self.slots[self.tape.values[0].index()]
    }

    /// What its first value may be off by rounding; infinite where nothing bounds that.
    pub(crate) fn rounding_at(&mut self, t: f64, reals: &[f64]) -> f64 {
        self.run_bounded(t, reals);
        let [bound] = self.bounded[self.tape.values[0].index()].bound;
        SAFETY * bound
    }

    #[cold]
    fn run_with_jumps(&mut self, mut held: impl FnMut(usize, Pieces, [f64; 2]) -> Option<f64>) {
        let bounded = &mut self.bounded;
        bounded.clear();
        bounded.extend(
            self.slots
                .iter()
                .map(|&value| RunningError::constant(value)),
        );
        let mut kinks = 0;
        for op in &self.tape.tape.ops {
            let [old, a, b] = [op.out, op.a, op.b].map(|slot| bounded[slot as usize]);
            let mut result = RunningError::apply(op.code, old, a, b);
            if let Some(pieces) = op.code.pieces() {
                if pieces.jumps() && is_on_border(pieces, a, b) {
                    let operands = [a.series.0[0], b.series.0[0]];
                    if let Some(value) = held(kinks, pieces, operands) {
                        result = RunningError::constant(value);
                    }
                }
                kinks += 1;
            }
            bounded[op.out as usize] = result;
        }
        for (slot, bounded) in self.slots.iter_mut().zip(bounded) {
            *slot = bounded.series.0[0];
        }
    }

    /// The values that it computed last.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let values = self.tape.values.iter();
        values.map(|slot| self.slots[slot.index()])
    }

    /// The difference of its two values with a bound of its rounding error: those of `left - right`.
    pub(super) fn difference(
        &mut self,
        t: f64,
        reals: &[f64],
        [a, b]: [usize; 2],
    ) -> RunningError<1> {
        self.run_bounded(t, reals);
        let [a, b] = [a, b].map(|value| self.bounded[self.tape.values[value].index()]);
        RunningError::apply(Code::Sub, b, a, b)
    }

    /// The margin of the kink with this number, with a bound of its rounding error.
    pub(super) fn kink_margin(
        &mut self,
        t: f64,
        reals: &[f64],
        number: usize,
    ) -> Option<RunningError<1>> {
        self.run_bounded(t, reals);
        let ops = self.tape.tape.ops.iter();
        let mut kinks = ops.filter_map(|op| Some((op.code.pieces()?, [op.a, op.b])));
        let (pieces, operands) = kinks.nth(number)?;
        let [a, b] = operands.map(|slot| self.bounded[slot as usize]);
        match pieces {
            Pieces::Bend(margin, _) | Pieces::Jump(margin, _) => Some(value::margin(margin, a, b)),
            Pieces::Whole | Pieces::Remainder | Pieces::Knots => None,
        }
    }

    fn run_bounded(&mut self, t: f64, reals: &[f64]) {
        self.load(t, reals);
        self.bounded.clear();
        let numbers = self
            .slots
            .iter()
            .map(|&value| RunningError::rounded(Jet([value])));
        self.bounded.extend(numbers);
        value::run(&self.tape.tape.ops, &mut self.bounded);
    }

    /// The reals that it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = RealId> + '_ {
        self.tape.reads.iter().map(|(real, _)| *real)
    }
}

/// True if the margin of a kink is 0 up to rounding; for a staircase, if its height is at the end of a step.
fn is_on_border(pieces: Pieces, a: RunningError<1>, b: RunningError<1>) -> bool {
    let mut near = value::height(pieces, a, b);
    if let Some(stairs) = Stairs::of(pieces, b.series.0[0]) {
        let [height] = near.series.0;
        near.series = Jet([stairs.nearest(height)]);
    }
    beyond_rounding(&near) == 0.0
}

/// The value of a row's first argument with its coefficient, at the start values.
pub(crate) fn first_value(model: &Model, relation: &Relation, start: &StartValues) -> f64 {
    let mut row = RowProgram::of_row(model, relation, &start.constants);
    row.run(0.0, &start.reals, &Replaced::default(), |_, _, _| None);
    row.values().next().unwrap_or(f64::NAN)
}

/// The rows of a scan, in written order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowPrograms {
    rows: Vec<Option<Box<RowProgram>>>,
}

impl RowPrograms {
    pub(crate) fn new(scan: &Scan) -> Self {
        Self {
            rows: vec![None; scan.rows.len()],
        }
    }

    /// The program of a row that has been run.
    pub(super) fn known(&self, at: usize) -> Option<&RowProgram> {
        self.rows[at].as_deref()
    }

    /// The program of a row.
    pub(crate) fn of(
        &mut self,
        at: usize,
        (model, scan): (&Model, &Scan),
        constants: &[f64],
    ) -> &mut RowProgram {
        self.rows[at].get_or_insert_with(|| {
            let relation = &model.relations[scan.rows[at].relation.index()];
            Box::new(RowProgram::of_row(model, relation, constants))
        })
    }
}

/// The program of expressions.
pub(crate) fn formula(
    model: &Model,
    exprs: &[crate::ids::ExprId],
    constants: &[f64],
) -> RowProgram {
    RowProgram::new(expression_tape(model, exprs), constants)
}

/// The values of one row, few as they are.
pub(crate) type Values = SmallVec<[f64; 2]>;
