//! Roots in a tape -> the ends of domains that they have, and signed roots `sign(d) * sqrt(abs(d))` of what a loop solves for
//! -> unknowns of their own, s with `s * abs(s) = d`.
//!
//! So is the flow through a pipe, by the drop of pressure along it. Where the flow turns, the drop only touches 0 and tells
//! the flow to half its digits, and the slope of the root is infinite; the flow itself passes through 0 and is regular there.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::border::BorderSource;
use crate::lower::mode::within_steps::value_edges::Owner;
use crate::tape::{Assembler, Code, Op, Shape, Slot};

/// The roots that a tape takes.
#[derive(Debug, Default)]
pub(in crate::lower::mode) struct Roots {
    /// Per op of the tape that takes a root: who owns it.
    pub(in crate::lower::mode) edges: Vec<(usize, BorderSource)>,
    /// Per result of an operation in a row that gives a value, and which has none everywhere: the row.
    pub(in crate::lower::mode) limited: FxHashMap<u32, Owner>,
    values: ValueNumbering,
    /// By the number of the value whose root it is.
    known: FxHashMap<u32, SignedRoot>,
    /// The slots of signed roots and of their negatives, each with whether it is the root, and the kink that owns the border
    /// on which it is 0, whatever the kinks that have it.
    pub(in crate::lower::mode) borders: FxHashMap<Slot, (bool, BorderSource)>,
}

/// An unknown s of a loop.
#[derive(Clone, Copy, Debug)]
struct SignedRoot {
    slot: Slot,
    /// The slot of -s.
    negative: Slot,
    /// True if it is the root of the numbered value with the other sign.
    is_negated: bool,
}

/// A signed root with its equation.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower::mode) struct Equation {
    pub(in crate::lower::mode) unknown: Slot,
    /// Slot of `s * abs(s) - d`.
    pub(in crate::lower::mode) residual: Slot,
    /// Slot of d.
    pub(in crate::lower::mode) of: Slot,
}

/// Which slots have the same value, whatever it is, up to its sign (local value numbering).
#[derive(Debug, Default)]
struct ValueNumbering {
    /// Per slot that is computed the slot that stands for its value, and whether with the other sign.
    of: FxHashMap<u32, (u32, bool)>,
    by: FxHashMap<(Code, u32, u32), u32>,
    /// Number of operations taken in.
    covered: usize,
}

impl ValueNumbering {
    fn get(&self, slot: u32) -> (u32, bool) {
        self.of.get(&slot).copied().unwrap_or((slot, false))
    }

    fn take(&mut self, ops: &[Op]) {
        for op in &ops[self.covered.min(ops.len())..] {
            let [a, b] = [op.a, op.b].map(|slot| self.get(slot));
            let value = match (op.code, op.code.shape()) {
                (Code::Copy, _) => a,
                (Code::Neg, _) => (a.0, !a.1),
                (Code::Mul | Code::Div, _) => (self.number(op, [a.0, b.0]), a.1 != b.1),
                (Code::Add | Code::Sub, _) => {
                    // A difference with the smaller number first; a sum with a first term that is not negated.
                    let b = (b.0, b.1 != (op.code == Code::Sub));
                    let [first, second] = if a.0 <= b.0 { [a, b] } else { [b, a] };
                    let code = match first.1 == second.1 {
                        true => Code::Add,
                        false => Code::Sub,
                    };
                    let op = &Op { code, ..*op };
                    (self.number(op, [first.0, second.0]), first.1)
                }
                (_, Shape::Unary | Shape::Binary) if !a.1 && !b.1 => {
                    (self.number(op, [a.0, b.0]), false)
                }
                _ => (op.out, false),
            };
            self.of.insert(op.out, value);
        }
        self.covered = ops.len();
    }

    fn number(&mut self, op: &Op, [a, b]: [u32; 2]) -> u32 {
        let operands = match op.code == Code::Mul && b < a {
            true => (op.code, b, a),
            false => (op.code, a, b),
        };
        *self.by.entry(operands).or_insert(op.out)
    }
}

impl Roots {
    /// Operations, the first of which stands at a place of the tape, read known roots where they take them; there is no end
    /// of a domain any more.
    fn read(&mut self, ops: &mut [Op], start: usize) {
        let sizes = sizes_under_roots(ops);
        let known = |slot: u32| {
            let (number, is_negated) = self.values.get(slot);
            let root = self.known.get(&number)?;
            Some((root, root.is_negated == is_negated))
        };
        let mut taken = FxHashSet::default();
        let mut read = FxHashSet::default();
        for (at, op) in ops.iter_mut().enumerate() {
            match op.code {
                Code::Abs if sizes.contains(&op.out) => {
                    if let Some((root, _)) = known(op.a) {
                        taken.insert(op.out);
                        (op.a, op.b) = (root.slot.0, root.slot.0);
                    }
                }
                Code::Sign => {
                    if let Some((root, is_alike)) = known(op.a) {
                        let slot = if is_alike { root.slot } else { root.negative };
                        (op.a, op.b) = (slot.0, slot.0);
                    }
                }
                Code::Sqrt if taken.contains(&op.a) => {
                    op.code = Code::Copy;
                    read.insert(start + at);
                }
                _ => {}
            }
        }
        self.edges.retain(|(position, _)| !read.contains(position));
    }
}

/// The results of operations that give sizes, of which nothing but roots is taken.
fn sizes_under_roots(ops: &[Op]) -> FxHashSet<u32> {
    let under = ops.iter().filter(|op| op.code == Code::Sqrt);
    let mut sizes: FxHashSet<u32> = under.map(|op| op.a).collect();
    for op in ops.iter().filter(|op| op.code != Code::Sqrt) {
        sizes.remove(&op.a);
        sizes.remove(&op.b);
    }
    let given = ops.iter().filter(|op| op.code == Code::Abs);
    let given: FxHashSet<u32> = given.map(|op| op.out).collect();
    sizes.retain(|slot| given.contains(slot));
    sizes
}

impl Roots {
    /// Makes unknowns of the signed roots in a loop that stands from a place on, of what depends on its other unknowns; their
    /// negatives are computed before all else there, one for each.
    ///
    /// Shapes: `sites`: per op of the tape that has a kink: who owns it.
    pub(in crate::lower::mode) fn solved_for(
        &mut self,
        asm: &mut Assembler,
        start: usize,
        unknowns: &[Slot],
        sites: &[(usize, BorderSource)],
    ) -> Vec<Equation> {
        let ops = &asm.ops()[start..];
        let sizes = sizes_under_roots(ops);
        if sizes.is_empty() {
            return Vec::new();
        }
        let mut moving: FxHashSet<u32> = unknowns.iter().map(|slot| slot.0).collect();
        for op in ops {
            if moving.contains(&op.a) || moving.contains(&op.b) {
                moving.insert(op.out);
            }
        }
        let own = sites.iter().filter(|(position, _)| *position >= start);
        let own = own.map(|&(position, owner)| (ops[position - start], owner));
        let is_taken = |(op, _): &(Op, _)| sizes.contains(&op.out) && moving.contains(&op.a);
        let taken: Vec<(Op, BorderSource)> = own.filter(is_taken).collect();
        self.values.take(asm.ops());
        let mut ops = asm.take_from(start);
        let mut found = Vec::new();
        for (op, owner) in taken {
            let (number, is_negated) = self.values.get(op.a);
            if self.known.contains_key(&number) {
                continue;
            }
            let [slot, negative] = [asm.slot(), asm.slot()];
            let root = SignedRoot {
                slot,
                negative,
                is_negated,
            };
            self.known.insert(number, root);
            let borders = [(slot, (true, owner)), (negative, (false, owner))];
            self.borders.extend(borders);
            asm.op_into(negative, Code::Neg, slot, slot);
            found.push((slot, Slot(op.out), Slot(op.a)));
        }
        for (position, _) in &mut self.edges {
            if *position >= start {
                *position += found.len();
            }
        }
        self.read(&mut ops, start + found.len());
        asm.append(&ops);
        let equations = found.into_iter().map(|(unknown, size, of)| {
            let square = asm.op(Code::Mul, unknown, size);
            let residual = asm.slot();
            asm.op_into(residual, Code::Sub, square, of);
            Equation {
                unknown,
                residual,
                of,
            }
        });
        let equations = equations.collect();
        self.values.take(asm.ops());
        equations
    }

    /// Operations emitted since, which take signed roots that are known, read them instead.
    pub(in crate::lower::mode) fn read_since(&mut self, asm: &mut Assembler, since: usize) {
        if self.known.is_empty() {
            return;
        }
        self.values.take(asm.ops());
        let mut ops = asm.take_from(since);
        self.read(&mut ops, since);
        asm.append(&ops);
    }
}
