//! Equations -> the operations that compute the slopes of their residuals by their unknowns.

use rustc_hash::FxHashMap;

use crate::backend::record::{TapeRecorder, TracedValue};
use crate::backend::sparse_derivatives::FEW;
use crate::backend::value::{Jet, Scalar, Value};
use crate::tape::{Code, JacobianEntry, JacobianOps, Op, Shape, Slot, Solve};

/// Adds the slopes to equations in few unknowns, unless branches of kinks have to be chosen for them.
///
/// Slots and numbers are extended by those that the slopes need.
pub(super) fn add_jacobian(solve: &mut Solve) {
    if solve.unknowns.len() > FEW || is_written_again(solve) {
        return;
    }
    if solve.ops.iter().any(|op| op.code.pieces().is_some()) {
        return;
    }
    let recorder = TapeRecorder::new(solve.n_slots);
    let slots = solve.n_slots as usize;
    let mut values: Vec<Coefficient<'_>> = (0..solve.n_slots)
        .map(|slot| Coefficient(Some(recorder.at(slot))))
        .collect();
    for &(slot, number) in &solve.numbers {
        values[slot.index()] = Coefficient::number(number);
    }
    let mut entries = Vec::new();
    for (column, unknown) in solve.unknowns.iter().enumerate() {
        let mut slopes = vec![Coefficient(None); slots];
        slopes[unknown.own.index()] = Coefficient::number(1.0);
        for op in &solve.ops {
            let b = match op.code.shape() {
                Shape::Unary => op.a,
                _ => op.b,
            };
            let number = |slot: u32| Jet([values[slot as usize], slopes[slot as usize]]);
            let [old, a, b] = [op.out, op.a, b].map(number);
            slopes[op.out as usize] = Jet::apply(op.code, old, a, b).0[1];
        }
        for (row, residual) in solve.residuals.iter().enumerate() {
            if let Coefficient(Some(slope)) = slopes[residual.index()] {
                let slot = Slot(recorder.slot_of(slope));
                entries.push(JacobianEntry { row, column, slot });
            }
        }
    }
    if recorder.was_undecided() {
        return;
    }
    let tape = recorder.into_tape();
    let known = solve.setup.iter().chain(&solve.ops);
    let ops = once_each(tape.ops, known, &mut entries);
    let ops = needed(ops, &entries, tape.n_slots);
    solve.n_slots = tape.n_slots;
    solve.numbers.extend(tape.numbers);
    solve.jacobian = Some(JacobianOps { ops, entries });
}

/// True if what stands in a slot in the end is not all that stood in it.
fn is_written_again(solve: &Solve) -> bool {
    let mut written = vec![false; solve.n_slots as usize];
    let again = |op: &Op| {
        let before = std::mem::replace(&mut written[op.out as usize], true);
        before || op.code.shape() == Shape::Update
    };
    solve.ops.iter().any(again)
}

/// Operations without those that give what others have given before them.
fn once_each<'o>(
    ops: Vec<Op>,
    known: impl Iterator<Item = &'o Op>,
    entries: &mut [JacobianEntry],
) -> Vec<Op> {
    let key = |op: &Op| {
        let is_plain = op.code != Code::Copy && op.code.shape() != Shape::Update;
        let b = match op.code.shape() {
            Shape::Unary => op.a,
            _ => op.b,
        };
        is_plain.then_some((op.code, op.a, b))
    };
    let mut first: FxHashMap<(Code, u32, u32), u32> = known
        .filter_map(|op| key(op).map(|key| (key, op.out)))
        .collect();
    let mut same: FxHashMap<u32, u32> = FxHashMap::default();
    let mut kept = Vec::with_capacity(ops.len());
    for mut op in ops {
        for slot in [&mut op.a, &mut op.b] {
            *slot = same.get(slot).copied().unwrap_or(*slot);
        }
        let earlier = key(&op).and_then(|key| first.get(&key).copied());
        match (earlier, key(&op)) {
            (Some(earlier), _) => {
                same.insert(op.out, earlier);
                continue;
            }
            (None, Some(key)) => {
                first.insert(key, op.out);
            }
            (None, None) => {}
        }
        kept.push(op);
    }
    for entry in entries {
        let slot = entry.slot.0;
        entry.slot = Slot(same.get(&slot).copied().unwrap_or(slot));
    }
    kept
}

/// The operations on which entries depend.
fn needed(ops: Vec<Op>, entries: &[JacobianEntry], n_slots: u32) -> Vec<Op> {
    let mut is_read = vec![false; n_slots as usize];
    for entry in entries {
        is_read[entry.slot.index()] = true;
    }
    let mut kept = Vec::with_capacity(ops.len());
    for op in ops.into_iter().rev() {
        if is_read[op.out as usize] {
            is_read[op.a as usize] = true;
            is_read[op.b as usize] = true;
            kept.push(op);
        }
    }
    kept.reverse();
    kept
}

/// A coefficient that is written down; `None` is 0, whatever it meets.
#[derive(Clone, Copy, Debug)]
struct Coefficient<'a>(Option<TracedValue<'a>>);

impl<'a> Coefficient<'a> {
    fn value(self) -> TracedValue<'a> {
        self.0.unwrap_or(TracedValue::Number(0.0))
    }
}

impl Scalar for Coefficient<'_> {
    fn number(value: f64) -> Self {
        let is_zero = value.to_bits() == 0;
        Self((!is_zero).then_some(TracedValue::Number(value)))
    }

    fn unknown() -> Self {
        Self(Some(TracedValue::unknown()))
    }

    fn plus(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(a), Some(b)) => Self(Some(a.plus(b))),
            (a, b) => Self(a.or(b)),
        }
    }

    fn minus(self, other: Self) -> Self {
        match (self.0, other.0) {
            (_, None) => self,
            (None, Some(_)) => Self::of(Code::Neg, other, other, other),
            (Some(a), Some(b)) => Self(Some(a.minus(b))),
        }
    }

    fn times(self, other: Self) -> Self {
        let (Some(a), Some(b)) = (self.0, other.0) else {
            return Self(None);
        };
        Self(Some(a.times(b)))
    }

    fn over(self, other: Self) -> Self {
        Self(self.0.map(|a| a.over(other.value())))
    }

    fn of(code: Code, old: Self, a: Self, b: Self) -> Self {
        match (code, a.0) {
            (Code::Neg | Code::Copy, None) => a,
            _ => Self(Some(TracedValue::of(
                code,
                old.value(),
                a.value(),
                b.value(),
            ))),
        }
    }

    fn exactly(self) -> Option<f64> {
        self.value().exactly()
    }
}
