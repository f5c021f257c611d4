//! Invariants of a tape on which every way of running it relies.
//!
//! 1. Every slot, bit, test, delay line and schedule that an op names exists.
//! 2. Jumps go forward, at most to the end.
//! 3. There is one row number per op of the tick.
//! 4. The setup holds operations on reals only.

use super::{Code, Op, Shape, Slot, Solve, Tape};

/// A promise that a tape breaks, with the op that does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TapeError {
    /// The invariant that is broken.
    pub message: &'static str,
    /// Position of the op.
    pub op: usize,
}

/// Checks the promises listed in the module's documentation.
pub fn verify(tape: &Tape) -> Result<(), TapeError> {
    let err = |message, op| Err(TapeError { message, op });
    if tape.rows.len() != tape.ops.len() {
        return err("one row number per op", tape.rows.len());
    }
    let slot = |index: u32| index < tape.n_slots;
    let bit = |index: u32| index < tape.n_bits;
    let test = |index: u32| {
        let first = index as usize;
        tape.tests
            .get(first)
            .and_then(|head| tape.tests.get(first..=first + head.rest as usize))
            .is_some_and(|tests| {
                tests
                    .iter()
                    .all(|test| test.mask == 0 || test.word * 64 + test.mask.ilog2() < tape.n_bits)
            })
    };
    for (index, &Op { code, out, a, b }) in tape.setup.iter().enumerate() {
        let reals = matches!(code.shape(), Shape::Unary | Shape::Binary);
        if !(reals && slot(out) && slot(a) && slot(b)) {
            return err("the setup works on reals that exist", index);
        }
    }
    for (index, &Op { code, out, a, b }) in tape.ops.iter().enumerate() {
        let known = match code.shape() {
            Shape::Unary | Shape::Binary | Shape::Update => slot(out) && slot(a) && slot(b),
            Shape::Compare => bit(out) && slot(a) && slot(b),
            Shape::Test => bit(out) && test(a),
            Shape::Rise => bit(out) && test(a) && bit(b),
            Shape::Bit => bit(out),
            Shape::Jump => test(a),
            Shape::Push if code == Code::Solve => {
                slot(out)
                    && slot(a)
                    && tape
                        .solves
                        .get(b as usize)
                        .is_some_and(|one| is_sound(one, tape))
            }
            Shape::Push => slot(out) && slot(a) && (b as usize) < tape.delays.len(),
            Shape::Due => bit(out) && slot(a) && (b as usize) < tape.periods.len(),
        };
        if !known {
            return err("every operand exists", index);
        }
        let target = out as usize;
        if code.shape() == Shape::Jump && !(index < target && target <= tape.ops.len()) {
            return err("jumps go forward", index);
        }
    }
    Ok(())
}

/// True if everything that equations name exists.
fn is_sound(solve: &Solve, tape: &Tape) -> bool {
    let around = |slot: Slot| slot.0 < tape.n_slots;
    let own = |slot: Slot| slot.0 < solve.n_slots;
    let slopes = solve.jacobian.iter();
    let slope_ops = slopes.clone().flat_map(|slopes| &slopes.ops);
    let mut entries = slopes.flat_map(|slopes| &slopes.entries);
    let n = solve.unknowns.len();
    let mut ops = solve.setup.iter().chain(&solve.ops).chain(slope_ops);
    let bounds = solve.bounds.iter().flatten();
    ops.all(|op| [op.out, op.a, op.b].into_iter().all(|slot| own(Slot(slot))))
        && solve.numbers.iter().all(|&(slot, _)| own(slot))
        && solve
            .inputs
            .iter()
            .all(|&(from, to)| around(from) && own(to))
        && (solve.unknowns.iter()).all(|one| around(one.from) && own(one.own) && around(one.to))
        && solve.residuals.iter().chain(bounds).all(|&slot| own(slot))
        && entries.all(|entry| own(entry.slot) && entry.row < n && entry.column < n)
        && solve.residuals.len() == n
}
