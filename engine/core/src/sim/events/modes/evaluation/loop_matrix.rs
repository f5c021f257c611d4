//! The linear systems of a loop: derivatives of its gaps by its unknowns, dense or sparse, and what is solved with them.

use std::sync::Arc;

use crate::backend::block::Block;
use crate::backend::sparse_derivatives::SparseDerivatives;
use crate::backend::value::{Jet, RunningError, Value};
use crate::lower::mode::Loop;
use crate::lower::mode::systems::linear_unknowns::are_planes;
use crate::sim::events::modes::evaluation::algebraic::Given;
use crate::sim::events::modes::evaluation::guess::{FactorsAtGuess, LoopFactors};
use crate::sim::events::modes::evaluation::krawczyk::inverse;
use crate::tape::Slot;
use situ_solve::SparseFactors;
use situ_solve::interval::Interval;

/// Unknowns up to which a loop with sparse derivatives is enclosed, for which its inverse is needed.
pub(super) const MOST_ENCLOSED: usize = 256;

/// A loop with what is compiled of it.
#[derive(Clone, Debug)]
pub(super) struct LoopProblem {
    pub(super) inner: Loop,
    pub(super) block: Block,
    /// Where its many results read few unknowns each.
    pub(super) derivatives: Option<Arc<SparseDerivatives>>,
    /// The algebraic component that its first unknown may be.
    pub(super) component: Option<usize>,
    /// True if it is linear in its unknowns, so that there is one solution at most.
    pub(super) is_linear: bool,
}

impl LoopProblem {
    pub(super) fn of(inner: &Loop, component: Option<usize>) -> Self {
        let unknowns: Vec<Slot> = inner.unknowns.iter().map(|(slot, _)| *slot).collect();
        let is_linear = are_planes(&inner.ops, &unknowns);
        let unknowns = unknowns.into_iter();
        let explicit = inner.implicit..inner.results.len();
        let derivatives = SparseDerivatives::of(&inner.ops, unknowns, &inner.results, explicit);
        Self {
            inner: inner.clone(),
            block: Block::new(&inner.ops),
            derivatives: derivatives.map(Arc::new),
            component,
            is_linear,
        }
    }

    /// The slot of its first unknown, of which no other loop of the mode finds the value.
    pub(super) fn first(&self) -> Slot {
        self.inner.unknowns[0].0
    }

    /// True if its factors at the guess are kept.
    pub(super) fn is_large(&self) -> bool {
        self.derivatives.is_some() && self.inner.implicit > 0
    }
}

/// Room for the linear systems of loops, and for compiled code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    duals: Vec<Jet<2>>,
    /// Derivatives of the gaps by the unknowns: row by row, or the entries that can differ from zero.
    pub(super) matrix: Vec<f64>,
    factors: Vec<f64>,
    /// Sparse factors of the matrix, with the sign of its determinant.
    sparse: Option<(SparseFactors, i8)>,
    pub(super) right: Vec<f64>,
    pub(super) slopes: Vec<Jet<2, Interval>>,
    pub(super) words: Vec<f64>,
    pub(super) near: FactorsAtGuess,
    pub(super) given: Given,
}

/// Writes `I - g'` of a loop at the values in `slots`; for residuals their slopes.
pub(super) fn loop_matrix(circle: &LoopProblem, slots: &[f64], work: &mut Workspace) {
    let LoopProblem {
        inner,
        block,
        derivatives,
        ..
    } = circle;
    let m = inner.unknowns.len();
    work.duals.resize(slots.len(), Jet::constant(0.0));
    let results = inner.results.iter().map(|slot| slot.0);
    let read = inner.ops.iter().flat_map(|op| [op.a, op.b]).chain(results);
    for slot in read {
        work.duals[slot as usize] = Jet([slots[slot as usize], 0.0]);
    }
    if let Some(derivatives) = derivatives {
        work.sparse = None;
        let (duals, words) = (&mut work.duals, &mut work.words);
        let entry = |row, column, slope| inner.entry(row, column, slope);
        derivatives.fill(duals, &mut work.matrix, entry, |duals| {
            block.run(duals, words)
        });
        return;
    }
    work.matrix.clear();
    work.matrix.resize(m * m, 0.0);
    for column in 0..m {
        let unknown = inner.unknowns[column].0.index();
        work.duals[unknown] = Jet([slots[unknown], 1.0]);
        block.run(&mut work.duals, &mut work.words);
        for (row, result) in inner.results.iter().enumerate() {
            let slope = work.duals[result.index()].0[1];
            work.matrix[row * m + column] = inner.entry(row, column, slope);
        }
        work.duals[unknown].0[1] = 0.0;
    }
}

/// The factors of a large loop at the values in `slots`; `None` if the matrix is singular up to rounding.
pub(super) fn factors_of(
    circle: &LoopProblem,
    slots: &[f64],
    work: &mut Workspace,
) -> Option<LoopFactors> {
    loop_matrix(circle, slots, work);
    let (factors, sign) = circle.derivatives.as_ref()?.factored(&work.matrix)?;
    Some(LoopFactors {
        first: circle.first(),
        factors,
        sign,
    })
}

/// Solves the system of the matrix in `work` in place of its right side; the sign of the determinant, 0 if it is singular up
/// to rounding or the solution is not finite.
pub(super) fn solve_system(circle: &LoopProblem, work: &mut Workspace) -> i8 {
    let Some(derivatives) = &circle.derivatives else {
        work.factors.clone_from(&work.matrix);
        return eliminate(&mut work.factors, &mut work.right);
    };
    if work.sparse.is_none() {
        work.sparse = derivatives.factored(&work.matrix);
    }
    let Some((factors, sign)) = &mut work.sparse else {
        return 0;
    };
    factors.solve(&mut work.right);
    match work.right.iter().all(|value| value.is_finite()) {
        true => *sign,
        false => 0,
    }
}

/// The inverse of the matrix in `work`, row by row; `None` if it is singular, or too large.
pub(super) fn inverse_of(circle: &LoopProblem, work: &mut Workspace) -> Option<Vec<f64>> {
    let m = circle.inner.unknowns.len();
    if circle.derivatives.is_none() {
        return inverse(&work.matrix, m);
    }
    if m > MOST_ENCLOSED {
        return None;
    }
    let mut inverse = vec![0.0; m * m];
    for column in 0..m {
        work.right.clear();
        work.right.resize(m, 0.0);
        work.right[column] = 1.0;
        if solve_system(circle, work) == 0 {
            return None;
        }
        for (row, value) in work.right.iter().enumerate() {
            inverse[row * m + column] = *value;
        }
    }
    Some(inverse)
}

/// On which of its solutions a solved loop is: the sign of the determinant of `I - g'`, which
/// changes where two solutions meet.
pub(super) fn branch(circle: &LoopProblem, slots: &[f64], work: &mut Workspace) -> i8 {
    loop_matrix(circle, slots, work);
    work.right.clear();
    work.right.resize(circle.inner.unknowns.len(), 0.0);
    solve_system(circle, work)
}

/// Estimates how far gaps move the unknowns of a large loop: the largest of what gaps of some signs do. Where more of a value
/// moves all others the same way, as in what spreads or conducts, one of them is the bound itself.
pub(super) fn spread<const N: usize>(
    circle: &LoopProblem,
    work: &mut Workspace,
    gaps: &[[f64; N]],
    numbers: &mut [RunningError<N>],
) {
    let signs: [fn(usize) -> bool; 3] = [|_| true, |at| at % 2 == 0, |at| at % 3 == 0];
    for order in 0..N {
        for is_positive in signs {
            work.right.clear();
            let signed = gaps
                .iter()
                .enumerate()
                .map(|(at, gap)| match is_positive(at) {
                    true => gap[order],
                    false => -gap[order],
                });
            work.right.extend(signed);
            let found = solve_system(circle, work) != 0;
            for ((slot, _), moved) in circle.inner.unknowns.iter().zip(&work.right) {
                let bound = &mut numbers[slot.index()].bound[order];
                *bound = bound.max(if found { moved.abs() } else { f64::INFINITY });
            }
        }
    }
}

/// Solves a dense system in place, with partial pivoting; the sign of the determinant, 0 if the
/// matrix is singular up to rounding or a result is not finite.
pub(crate) fn eliminate(matrix: &mut [f64], right: &mut [f64]) -> i8 {
    let n = right.len();
    let size = matrix
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let mut sign = 1_i8;
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&i, &j| {
                matrix[i * n + column]
                    .abs()
                    .total_cmp(&matrix[j * n + column].abs())
            })
            .unwrap_or(column);
        let largest = matrix[pivot * n + column].abs();
        if largest <= 1e-14 * size || largest.is_nan() {
            return 0;
        }
        if pivot != column {
            sign = -sign;
            for k in 0..n {
                matrix.swap(column * n + k, pivot * n + k);
            }
            right.swap(column, pivot);
        }
        if matrix[column * n + column] < 0.0 {
            sign = -sign;
        }
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
    if right.iter().all(|value| value.is_finite()) {
        sign
    } else {
        0
    }
}
