//! Spans: statements of one shape that follow each other, executed together in blocks.
//!
//! The rows of a family are statements with the same operations, whose operands go on from element to element: by a
//! constant stride, not at all, or as a list says. [`roll`] finds them in a tape, and [`Span::run`] executes each of
//! their operations for [`BLOCK`] elements before the next one, in loops of which the compiler makes vectors. What is
//! read only in its statement is no slot but a register with a value per element of the block, so that a block stays
//! in the first cache. Conditions are sets of elements, a bit each; where few elements are in, each is done by itself.
//!
//! Sums, least and greatest values over elements are spans with a total.
//!
//! The order of operations changes, no operation does: statements are rolled only if none of them then reads or
//! writes something else, so the bits are those of the flat tape.

mod columns;
mod kernels;
mod order;
mod roll;
mod run;
mod steps;
mod straight;
#[cfg(test)]
mod tests;
mod total;

pub(super) use roll::roll;
pub(crate) use run::Room;
pub(crate) use straight::StraightSpans;

use crate::tape::Code;

/// Elements whose values of an operation are computed before the next operation.
const BLOCK: usize = 512;

/// Elements of a total that are combined first.
const PORTION: usize = 64;

/// Statements of one shape.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Span {
    /// Number of statements.
    len: usize,
    /// Number of registers.
    n_registers: usize,
    steps: Box<[Step]>,
    /// What the values of all elements come to.
    total: Option<Total>,
}

/// A sum, a least or a greatest value.
#[derive(Clone, PartialEq, Debug)]
struct Total {
    /// How two values are combined.
    code: Code,
    /// The values.
    of: Place,
    /// The slot of the result.
    out: u32,
}

/// An operation of each statement.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    /// An operation on reals.
    Real {
        code: Code,
        out: Place,
        operands: Box<[Place]>,
    },
    /// A bit from two reals.
    Compare {
        code: Code,
        out: u32,
        operands: Box<[Place]>,
    },
    /// A bit from a conjunction, joined with what it was or not.
    Test {
        joins: bool,
        out: u32,
        test: Conjunction,
    },
    /// A bit becomes true where a conjunction arises.
    Rise {
        out: u32,
        test: Conjunction,
        remembered: u32,
    },
    /// A bit takes a value.
    Set { out: u32, value: bool },
    /// The steps before the step `end` are for elements only for which the conjunction holds.
    Where { test: Conjunction, end: usize },
}

/// Where the reals of an operand stand.
#[derive(Clone, PartialEq, Debug)]
enum Place {
    /// In one slot for all elements.
    One(u32),
    /// In slots that go on by a stride.
    Slots { first: u32, stride: i32 },
    /// In slots listed by element.
    Listed(Box<[u32]>),
    /// In a register.
    Register(u32),
}

/// The bits that must have a value each.
type Conjunction = Box<[Literal]>;

/// A bit of each element with the value that it must have. Bits that are written stand side by side.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Literal {
    first: u32,
    /// True if each element has a bit of its own.
    each: bool,
    value: bool,
}

impl Span {
    /// About how many operations on single reals take as long.
    pub(crate) fn cost(&self) -> usize {
        1 + self.len * (self.steps.len() + usize::from(self.total.is_some())) / 8
    }
}
