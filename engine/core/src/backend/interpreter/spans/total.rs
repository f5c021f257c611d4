//! Ops that combine the values of many elements -> a span with a total.
//!
//! A sum over a family is a tree of additions in one statement: element i of each block of 64 and i + 32, then + 16, 8,
//! 4, 2, 1, and the sums of the blocks in the same way; so are a least and a greatest value. Its leaves are slots, or
//! the results of some ops each, which become the steps of a span; their values are combined in the same order.

use std::ops::Range;

use super::columns::{Column, Field, Role, fields};
use super::kernels::halves;
use super::steps::span;
use super::{PORTION, Span, Step, Total};
use crate::tape::{Code, Op, Shape, Tape};

/// Fewer elements are not worth a span.
const LEAST: usize = 16;

/// A leaf has at most so many ops.
const MOST: usize = 16;

/// A leaf or, if `None`, a pair of the values before it: the nodes of a tree in the order in which ops compute them.
type Node = Option<u32>;

/// The total that the first of these ops compute, and these ops.
///
/// `scratch`: which slots are read in one statement only.
pub(super) fn total(
    tape: &Tape,
    ops: Range<usize>,
    scratch: &[bool],
) -> Option<(Range<usize>, Span)> {
    let all = &tape.ops[ops.clone()];
    (0..=MOST).find_map(|size| {
        let code = all.get(2 * size)?.code;
        let combines = matches!(code, Code::Add | Code::Min | Code::Max);
        let (nodes, ends) = combines.then(|| trees(all, size, code))?;
        // The total may be combined with one more value.
        ends.iter().rev().take(2).find_map(|&(n_ops, n_nodes)| {
            let leaves = elements(&nodes[..n_nodes])?;
            let (part, rest) = all.split_at(n_ops);
            if are_read(&part[..n_ops - 1], rest, scratch) {
                return None;
            }
            let span = combined(tape, part, size, &leaves, scratch)?;
            Some((ops.start..ops.start + n_ops, span))
        })
    })
}

/// Reads ops as trees whose leaves have `size` ops: their nodes, and where trees are complete, in ops and in nodes. A leaf
/// is named by its slot or, if it has ops, by the first of them.
fn trees(ops: &[Op], size: usize, code: Code) -> (Vec<Node>, Vec<(usize, usize)>) {
    let (mut nodes, mut ends, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(op) = ops.get(at) {
        let pairs = matches!(values.as_slice(), [.., a, b] if (*a, *b) == (op.a, op.b));
        if size > 0 && !(pairs && op.code == code) {
            let same = |leaf: &&[Op]| leaf.iter().zip(ops).all(|(a, b)| a.code == b.code);
            let Some(leaf) = ops.get(at..at + size).filter(same) else {
                break;
            };
            nodes.push(Some(number(at)));
            values.push(leaf[size - 1].out);
            at += size;
            continue;
        }
        if op.code != code {
            break;
        }
        let right = values.pop_if(|value| *value == op.b);
        let left = values.pop_if(|value| *value == op.a);
        match (left, right) {
            (None, None) => nodes.extend([Some(op.a), Some(op.b)]),
            (Some(_), None) => nodes.push(Some(op.b)),
            (Some(_), Some(_)) => {}
            // A left part is never smaller than the right one.
            (None, Some(_)) => break,
        }
        nodes.push(None);
        values.push(op.out);
        at += 1;
        if values.len() == 1 {
            ends.push((at, nodes.len()));
        }
    }
    (nodes, ends)
}

/// The leaves in the order of elements; `None` if these are not the nodes of a total.
fn elements(nodes: &[Node]) -> Option<Vec<u32>> {
    let n = nodes.len().div_ceil(2);
    if n < LEAST {
        return None;
    }
    let mut leaves = vec![0; n];
    for (node, of_total) in nodes.iter().zip(nodes_of_total(n)) {
        match (node, of_total) {
            (Some(leaf), Some(element)) => leaves[element as usize] = *leaf,
            (None, None) => {}
            _ => return None,
        }
    }
    Some(leaves)
}

/// The nodes of a total of n elements, leaves with their numbers.
fn nodes_of_total(n: usize) -> Vec<Node> {
    let (mut values, mut pairs): (Vec<usize>, Vec<[usize; 2]>) = ((0..n).collect(), Vec::new());
    while values.len() > 1 {
        for portion in values.chunks_mut(PORTION) {
            let mut length = portion.len();
            for half in halves() {
                for at in 0..length.saturating_sub(half) {
                    pairs.push([portion[at], portion[at + half]]);
                    portion[at] = n + pairs.len() - 1;
                }
                length = length.min(half);
            }
        }
        values = values.into_iter().step_by(PORTION).collect();
    }
    let mut nodes = Vec::with_capacity(2 * n);
    // A pair is left when both of its parts have been.
    let mut open: Vec<(usize, bool)> = values.into_iter().map(|value| (value, false)).collect();
    while let Some((value, left)) = open.pop() {
        match pairs.get(value.wrapping_sub(n)) {
            Some([a, b]) if !left => open.extend([(value, true), (*b, false), (*a, false)]),
            Some(_) => nodes.push(None),
            None => nodes.push(Some(number(value))),
        }
    }
    nodes
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a tape has fewer than 2^32 ops")
}

/// True if results of some ops that are scratch are read by others.
fn are_read(ops: &[Op], others: &[Op], scratch: &[bool]) -> bool {
    let results = ops.iter().map(|op| op.out);
    let mut results: Vec<u32> = results.filter(|slot| scratch[*slot as usize]).collect();
    results.sort_unstable();
    let is_result = |slot: u32| results.binary_search(&slot).is_ok();
    others.iter().any(|other| {
        let shape = other.code.shape();
        let reads = !matches!(
            shape,
            Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump | Shape::Due
        );
        let of_two = matches!(shape, Shape::Binary | Shape::Update | Shape::Compare);
        reads && (is_result(other.a) || of_two && is_result(other.b))
    })
}

/// The span of a total; `None` if its leaves have not one shape.
fn combined(
    tape: &Tape,
    ops: &[Op],
    size: usize,
    leaves: &[u32],
    scratch: &[bool],
) -> Option<Span> {
    let last = ops[ops.len() - 1];
    let fields_of = |leaf: u32| -> Option<(Vec<Op>, Vec<Field>)> {
        let (step, role) = (0, Role::Reads);
        if size == 0 {
            let field = Field {
                step,
                role,
                number: leaf,
            };
            return Some((Vec::new(), vec![field]));
        }
        let ops = renamed(tape, &ops[leaf as usize..][..size], scratch)?;
        let fields = fields(tape, &ops);
        Some((ops, fields))
    };
    let (first, of_first) = fields_of(leaves[0])?;
    let mut columns: Vec<Column> = of_first.iter().copied().map(Column::new).collect();
    for (at, leaf) in leaves.iter().enumerate().skip(1) {
        let (_, fields) = fields_of(*leaf)?;
        let mut all = columns.iter_mut().zip(&fields);
        let one_shape = fields.len() == of_first.len();
        if !(one_shape && all.all(|(column, field)| column.goes_on(at, field.number, None))) {
            return None;
        }
    }
    let span = if size == 0 {
        Span {
            len: leaves.len(),
            n_registers: 0,
            steps: Box::default(),
            total: None,
        }
    } else {
        span(&first, 0, &columns, leaves.len(), scratch)?
    };
    let of = match span.steps.last() {
        Some(Step::Real { out, .. }) => out.clone(),
        Some(_) => return None,
        None => columns[0].place(),
    };
    let total = Total {
        code: last.code,
        of,
        out: last.out,
    };
    Some(Span {
        total: Some(total),
        ..span
    })
}

/// The ops of a leaf with the same scratch slots as those of every other leaf; `None` if they read other scratch slots, or
/// are no operations on reals.
fn renamed(tape: &Tape, ops: &[Op], scratch: &[bool]) -> Option<Vec<Op>> {
    let of_result =
        |slot: u32, before: usize| match ops[..before].iter().rposition(|op| op.out == slot) {
            Some(at) => Some(tape.scratch[at].0),
            None => (!scratch[slot as usize]).then_some(slot),
        };
    let ops = ops.iter().enumerate().map(|(at, op)| {
        let reals = matches!(op.code.shape(), Shape::Unary | Shape::Binary);
        (reals && scratch[op.out as usize]).then_some(())?;
        Some(Op {
            code: op.code,
            out: tape.scratch[at].0,
            a: of_result(op.a, at)?,
            b: of_result(op.b, at)?,
        })
    });
    ops.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_combined_in_portions() {
        let text = |n| {
            let nodes = nodes_of_total(n).into_iter();
            let words =
                nodes.map(|node| node.map_or("+".to_owned(), |leaf| (leaf + 1).to_string()));
            words.collect::<Vec<String>>().join(" ")
        };
        assert_eq!(text(1), "1");
        assert_eq!(text(3), "1 3 + 2 +");
        assert_eq!(text(5), "1 5 + 3 + 2 4 + +");
        assert_eq!(text(65), format!("{} 65 +", text(64)));
    }
}
