//! A solved row of a tape -> the values of its unknowns, on reals.

use std::cell::OnceCell;

use smallvec::{SmallVec, smallvec};

use super::equations::{solve, solve_near};
use super::factors::Factors;
use super::residuals::{Equations, Unsolved};
use super::sparse_derivatives::SparseDerivatives;
use super::value::{Jet, RunningError, Stairs, Value, height, piece, run_bounded, run_reals};
use crate::tape::{Op, Pieces, Slot, Solve};

/// A residual is a rounding error if it is at most so many rounding bounds.
const SAFETY: f64 = 16.0;

/// Slots of a row: few in most cases.
type Slots = SmallVec<[f64; 32]>;

/// The equations of a row with the slots in which they are computed.
struct Row<'a> {
    solve: &'a Solve,
    slots: Slots,
    /// Where many residuals read few unknowns each; found when a step is asked for.
    derivatives: OnceCell<Option<SparseDerivatives>>,
}

impl Row<'_> {
    fn put(&mut self, x: &[f64]) {
        for (unknown, &x) in self.solve.unknowns.iter().zip(x) {
            self.slots[unknown.own.index()] = x;
        }
    }
}

impl Equations for Row<'_> {
    fn residuals(&mut self, x: &[f64], residuals: &mut [f64]) {
        self.put(x);
        run_reals(&self.solve.ops, &mut self.slots);
        for (residual, slot) in residuals.iter_mut().zip(&self.solve.residuals) {
            *residual = self.slots[slot.index()];
        }
    }

    fn jacobian(&mut self, x: &[f64], matrix: &mut [f64]) {
        let n = x.len();
        if let Some(slopes) = &self.solve.jacobian {
            run_reals(&slopes.ops, &mut self.slots);
            matrix.fill(0.0);
            for entry in &slopes.entries {
                matrix[entry.row * n + entry.column] = self.slots[entry.slot.index()];
            }
            return;
        }
        let mut duals: SmallVec<[Jet<2>; 32]> =
            self.slots.iter().map(|&value| Jet([value, 0.0])).collect();
        for (column, unknown) in self.solve.unknowns.iter().enumerate() {
            let own = unknown.own.index();
            duals[own] = Jet([x[column], 1.0]);
            run_on_branches(&self.solve.ops, &mut duals);
            for (row, slot) in self.solve.residuals.iter().enumerate() {
                matrix[row * n + column] = duals[slot.index()].0[1];
            }
            duals[own] = Jet([x[column], 0.0]);
        }
    }

    fn factors(&mut self, x: &[f64]) -> Option<Factors> {
        let Solve {
            ops,
            unknowns,
            residuals,
            ..
        } = self.solve;
        let found = self.derivatives.get_or_init(|| {
            let own = unknowns.iter().map(|unknown| unknown.own);
            SparseDerivatives::of(ops, own, residuals, 0..0)
        });
        let Some(derivatives) = found else {
            return self.dense_factors(x);
        };
        let mut duals: Vec<Jet<2>> = self.slots.iter().map(|&value| Jet([value, 0.0])).collect();
        let mut entries = Vec::new();
        let run = |duals: &mut [Jet<2>]| run_on_branches(ops, duals);
        derivatives.fill(&mut duals, &mut entries, |_, _, slope| slope, run);
        let (factors, _) = derivatives.factored(&entries)?;
        Some(Factors::Sparse(Box::new(factors)))
    }

    fn is_rounding(&mut self, x: &[f64]) -> bool {
        self.put(x);
        let mut numbers: SmallVec<[RunningError<1>; 32]> = (self.slots.iter())
            .map(|&value| RunningError::constant(value))
            .collect();
        run_bounded(&self.solve.ops, &mut numbers);
        self.solve.residuals.iter().all(|slot| {
            let residual = numbers[slot.index()];
            residual.series.0[0].abs() <= SAFETY * residual.bound[0]
        })
    }

    fn has_kinks(&self) -> bool {
        let mut ops = self.solve.ops.iter();
        ops.any(|op| op.code.pieces().is_some())
    }

    fn are_on_one_piece(&mut self, places: [&[f64]; 2]) -> bool {
        let [one, other] = places.map(|x| {
            self.put(x);
            run_reals(&self.solve.ops, &mut self.slots);
            let kinks = self.solve.ops.iter().filter_map(|op| {
                let [a, b] = [op.a, op.b].map(|slot| self.slots[slot as usize]);
                Some(branch(op.code.pieces()?, a, b))
            });
            kinks.collect::<Vec<_>>()
        });
        one == other
    }
}

/// The branch of a kink on which values stand, and its step if it is a staircase; on the kink itself the upper one.
fn branch(pieces: Pieces, a: f64, b: f64) -> (usize, f64) {
    let at = height(pieces, a, b);
    let step = Stairs::of(pieces, b).map_or(0.0, |stairs| stairs.at(at));
    let side = if at < 0.0 { 0 } else { 2 };
    (side, step)
}

/// Executes ops as [`run`](super::value::run) does, with the slopes of the branches on which the values stand; on a
/// kink those of the upper one.
fn run_on_branches(ops: &[Op], slots: &mut [Jet<2>]) {
    for op in ops {
        let [old, a, b] = [op.out, op.a, op.b].map(|slot| slots[slot as usize]);
        let mut value = Jet::apply(op.code, old, a, b);
        if let Some(pieces) = op.code.pieces() {
            let (side, step) = branch(pieces, a.0[0], b.0[0]);
            value.0[1] = piece(pieces, side, step, a, b).0[1];
        }
        slots[op.out as usize] = value;
    }
}

/// The equations of a row with all that does not depend on the unknowns.
fn equations(row: &Solve, inputs: impl Iterator<Item = f64>) -> Row<'_> {
    let mut slots: Slots = smallvec![0.0; row.n_slots as usize];
    for &(slot, value) in &row.numbers {
        slots[slot.index()] = value;
    }
    for (&(_, own), input) in row.inputs.iter().zip(inputs) {
        slots[own.index()] = input;
    }
    run_reals(&row.setup, &mut slots);
    Row {
        solve: row,
        slots,
        derivatives: OnceCell::new(),
    }
}

/// Values of what is given to a row, and those from which its unknowns are looked for.
fn read_all(
    row: &Solve,
    read: impl Fn(Slot) -> f64,
) -> (impl Iterator<Item = f64>, SmallVec<[f64; 4]>) {
    let unknowns = row.unknowns.iter().map(|unknown| read(unknown.from));
    let unknowns = unknowns.collect();
    (
        row.inputs.iter().map(move |&(from, _)| read(from)),
        unknowns,
    )
}

/// True if the values from which a search would begin solve a row up to rounding.
///
/// `read`: as in [`solve_row`].
pub(crate) fn is_solved(row: &Solve, read: impl Fn(Slot) -> f64) -> bool {
    let (inputs, x) = read_all(row, read);
    equations(row, inputs).is_rounding(&x)
}

/// Solves a row; its unknowns, in their order.
///
/// `read`: the slots of the tape around it, in which its inputs and the values from which it begins stand.
pub(crate) fn solve_row(
    row: &Solve,
    read: impl Fn(Slot) -> f64,
) -> Result<SmallVec<[f64; 4]>, Unsolved> {
    let (inputs, mut x) = read_all(row, read);
    find(row, inputs, &mut x)?;
    Ok(x)
}

/// Solves a row for compiled code; its unknowns become NaN where there is no solution.
///
/// Shapes: `values`: one per input of the row, then one per unknown, from which the search for it begins.
pub fn solve_in_place(row: &Solve, values: &mut [f64]) {
    let (inputs, x) = values.split_at_mut(row.inputs.len());
    if find(row, inputs.iter().copied(), x).is_err() {
        x.fill(f64::NAN);
    }
}

fn find(row: &Solve, inputs: impl Iterator<Item = f64>, x: &mut [f64]) -> Result<(), Unsolved> {
    let mut equations = equations(row, inputs);
    let bounds: SmallVec<[[f64; 2]; 4]> = match row.bounds {
        Some(bounds) => smallvec![bounds.map(|slot| equations.slots[slot.index()])],
        None => smallvec![[f64::NEG_INFINITY, f64::INFINITY]; row.unknowns.len()],
    };
    match row.near {
        Some(n) => solve_near(&mut equations, x, n),
        None => solve(&mut equations, x, &bounds),
    }
}
