//! Ops of a tape -> the spans that they contain.
//!
//! Statements follow each other; those with the same operations belong to one span as long as the numbers of their
//! operands go on ([`Column`]). A jump over several statements ends a span, and so does the place where one lands.

use std::ops::Range;

use smallvec::SmallVec;

use super::Span;
use super::columns::{Column, Field, fields};
use super::steps::span;
use super::total::total;
use crate::tape::{Code, Op, Shape, Tape, Test, conjunction};

/// Fewer statements are not worth a span.
pub(super) const LEAST: usize = 16;

/// Statements of more ops are not compared operand by operand.
const LONGEST: usize = 256;

/// The spans of a part of a tape, each with the ops that it stands for.
pub(in super::super) fn roll(tape: &Tape, part: Range<usize>) -> Vec<(Range<usize>, Span)> {
    let mut scratch = vec![false; tape.n_slots as usize];
    for slot in &tape.scratch {
        scratch[slot.index()] = true;
    }
    let statements = statements(tape, &part);
    let mut spans = Vec::new();
    let mut at = 0;
    while at < statements.len() {
        let rest = &statements[at..];
        if let Some(found) = total_of(tape, &rest[0].ops, &scratch) {
            spans.push(found);
            at += 1;
            continue;
        }
        let (n, columns) = alike(tape, rest);
        if n < LEAST {
            // The last of them may begin a longer span.
            at += (n - 1).max(1);
            continue;
        }
        let first = rest[0].ops.clone();
        if let Some(span) = span(&tape.ops[first.clone()], first.start, &columns, n, &scratch) {
            spans.push((first.start..rest[n - 1].ops.end, span));
        }
        at += n;
    }
    spans
}

/// The total that a statement begins with, perhaps under a condition.
fn total_of(tape: &Tape, ops: &Range<usize>, scratch: &[bool]) -> Option<(Range<usize>, Span)> {
    let jumps = tape.ops[ops.start].code == Code::SkipUnless;
    if ops.len() + 1 < LEAST {
        return None;
    }
    total(tape, ops.start + usize::from(jumps)..ops.end, scratch)
}

/// Ops that are executed together or not at all.
struct Statement {
    ops: Range<usize>,
    /// True if it can belong to a span.
    rolls: bool,
    /// True if a jump from elsewhere lands at its beginning.
    landed: bool,
}

/// The statements of a part of a tape. A jump that leads out of its statement is one of its own.
fn statements(tape: &Tape, part: &Range<usize>) -> Vec<Statement> {
    let begins = tape.statements.iter().map(|&begin| begin as usize);
    let inner = begins.filter(|begin| part.start < *begin && *begin < part.end);
    let ends: Vec<usize> = inner.chain([part.end]).collect();
    let mut statements = Vec::with_capacity(ends.len());
    let (mut begin, mut landings) = (part.start, Vec::new());
    for end in ends {
        if let Some(op) = tape.ops.get(begin)
            && op.code == Code::SkipUnless
            && op.out as usize > end
        {
            landings.push(op.out as usize);
            statements.push(Statement {
                ops: begin..begin + 1,
                rolls: false,
                landed: false,
            });
            begin += 1;
        }
        if begin < end {
            let ops = begin..end;
            statements.push(Statement {
                rolls: rolls(&tape.ops[ops.clone()], begin, &tape.tests),
                landed: false,
                ops,
            });
        }
        begin = end;
    }
    for landing in landings {
        let at = statements.partition_point(|one| one.ops.start < landing);
        if let Some(statement) = statements.get_mut(at) {
            statement.landed = true;
        }
    }
    statements
}

/// True if ops can be the statement of a span: jumps stay inside, one within the other.
fn rolls(ops: &[Op], begin: usize, tests: &[Test]) -> bool {
    let mut open: SmallVec<[usize; 8]> = SmallVec::from_slice(&[begin + ops.len()]);
    let short = ops.len() <= LONGEST;
    short
        && ops.iter().enumerate().all(|(at, op)| {
            while open.last().is_some_and(|end| *end <= begin + at) {
                open.pop();
            }
            match op.code.shape() {
                Shape::Unary | Shape::Binary | Shape::Update | Shape::Compare | Shape::Bit => true,
                Shape::Test | Shape::Rise => is_possible(tests, op.a),
                Shape::Jump => {
                    let end = op.out as usize;
                    let inside = open.last().is_some_and(|outer| end <= *outer);
                    open.push(end);
                    inside && is_possible(tests, op.a)
                }
                Shape::Push | Shape::Due => false,
            }
        })
}

/// False for a conjunction with a literal and its opposite.
fn is_possible(tests: &[Test], first: u32) -> bool {
    let mut all = conjunction(tests, first).iter();
    all.all(|test| test.value & !test.mask == 0)
}

/// How many of the first statements are alike, and their operands.
fn alike(tape: &Tape, statements: &[Statement]) -> (usize, Vec<Column>) {
    let first = &statements[0];
    if !first.rolls {
        return (1, Vec::new());
    }
    let pattern = &tape.ops[first.ops.clone()];
    let of_first = fields(tape, pattern);
    let fields_of = |at: usize| -> Option<Vec<Field>> {
        let other = statements.get(at).filter(|one| one.rolls && !one.landed)?;
        if !have_one_shape(pattern, &tape.ops[other.ops.clone()], first, other) {
            return None;
        }
        let fields = fields(tape, &tape.ops[other.ops.clone()]);
        let mut pairs = fields.iter().zip(&of_first);
        let same = pairs.all(|(a, b)| (a.step, a.role) == (b.step, b.role));
        (same && fields.len() == of_first.len()).then_some(fields)
    };
    let mut columns: Vec<Column> = of_first.iter().copied().map(Column::new).collect();
    let (mut n, mut present) = (1, fields_of(1));
    while let Some(fields) = present {
        let next = fields_of(n + 1);
        let behind = |at: usize| next.as_ref().map(|fields| fields[at].number);
        let mut all = columns.iter_mut().zip(&fields).enumerate();
        if !all.all(|(at, (column, field))| column.goes_on(n, field.number, behind(at))) {
            break;
        }
        n += 1;
        present = next;
    }
    (columns.iter_mut()).for_each(|column| column.listed.truncate(n));
    (n, columns)
}

/// True if two statements have the same operations, with jumps as far.
fn have_one_shape(a: &[Op], b: &[Op], of_a: &Statement, of_b: &Statement) -> bool {
    let jumps = |op: &Op, begin: usize| match op.code {
        Code::SkipUnless => op.out as usize - begin,
        _ => 0,
    };
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a.code == b.code && jumps(a, of_a.ops.start) == jumps(b, of_b.ops.start))
}
