//! Operands of statements of one shape -> what their numbers do from statement to statement.
//!
//! They go on by a constant stride. An operand that is read and has no stride is listed, as the neighbours in a network
//! are; but where a stride ends, or another one begins, a span ends.

use super::Place;
use crate::tape::{Op, Shape, Tape, conjunction};

/// So many statements have a stride by intention.
const MANY: usize = 16;

/// What an operand does with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Reads a slot.
    Reads,
    /// Writes a slot.
    Writes,
    /// Reads a bit, which must have this value.
    Needs(bool),
    /// Writes a bit.
    Decides,
}

/// An operand of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field {
    /// Position of the op in the statement.
    pub(super) step: usize,
    pub(super) role: Role,
    pub(super) number: u32,
}

/// The operands of a statement, those of an op in this order: the bits of its test, a, b, out; of an op that writes two
/// bits, out, b.
pub(super) fn fields(tape: &Tape, ops: &[Op]) -> Vec<Field> {
    let mut fields = Vec::with_capacity(3 * ops.len());
    for (step, op) in ops.iter().enumerate() {
        let shape = op.code.shape();
        let mut add = |role, number| fields.push(Field { step, role, number });
        if matches!(shape, Shape::Test | Shape::Rise | Shape::Jump) {
            for test in conjunction(&tape.tests, op.a) {
                let mut left = test.mask;
                while left != 0 {
                    let bit = left.trailing_zeros();
                    let value = test.value >> bit & 1 == 1;
                    add(Role::Needs(value), 64 * test.word + bit);
                    left &= left - 1;
                }
            }
        }
        let numbers: &[(Role, u32)] = match shape {
            Shape::Unary => &[(Role::Reads, op.a), (Role::Writes, op.out)],
            Shape::Binary | Shape::Update => &[
                (Role::Reads, op.a),
                (Role::Reads, op.b),
                (Role::Writes, op.out),
            ],
            Shape::Compare => &[
                (Role::Reads, op.a),
                (Role::Reads, op.b),
                (Role::Decides, op.out),
            ],
            Shape::Test | Shape::Bit => &[(Role::Decides, op.out)],
            Shape::Rise => &[(Role::Decides, op.out), (Role::Decides, op.b)],
            Shape::Jump | Shape::Push | Shape::Due => &[],
        };
        numbers.iter().for_each(|&(role, number)| add(role, number));
    }
    fields
}

/// An operand of all statements.
#[derive(Debug)]
pub(super) struct Column {
    /// That of the first statement.
    pub(super) field: Field,
    pub(super) stride: i32,
    /// The numbers, if they do not go on by the stride.
    pub(super) listed: Vec<u32>,
}

impl Column {
    pub(super) fn new(field: Field) -> Self {
        Self {
            field,
            stride: 0,
            listed: Vec::new(),
        }
    }

    /// Takes in the number of statement `at`; false if the span ends before it. `next`: the number in the statement
    /// behind that one, if it has the same shape.
    pub(super) fn goes_on(&mut self, at: usize, number: u32, next: Option<u32>) -> bool {
        if !self.listed.is_empty() {
            self.listed.push(number);
            return true;
        }
        let difference = |from: u32, to: u32| i64::from(to) - i64::from(from);
        let (stride, first) = (i64::from(self.stride), self.field.number);
        let at_stride = |at: usize| (i64::from(first) + stride * at as i64) as u32;
        if at == 1 {
            let Ok(stride) = i32::try_from(difference(first, number)) else {
                return false;
            };
            self.stride = stride;
            return match self.field.role {
                Role::Reads | Role::Writes => true,
                Role::Needs(_) => stride == 0 || stride == 1,
                Role::Decides => stride == 1,
            };
        }
        let step = difference(at_stride(at - 1), number);
        if step == stride {
            return true;
        }
        let another_begins = next.is_some_and(|next| difference(number, next) == step);
        if self.field.role != Role::Reads || at >= MANY || another_begins {
            return false;
        }
        self.listed = (0..at).map(at_stride).chain([number]).collect();
        true
    }

    /// Where the values of the operand stand.
    pub(super) fn place(&self) -> Place {
        let first = self.field.number;
        match (self.listed.as_slice(), self.stride) {
            ([], 0) => Place::One(first),
            ([], stride) => Place::Slots { first, stride },
            (listed, _) => Place::Listed(listed.into()),
        }
    }
}
