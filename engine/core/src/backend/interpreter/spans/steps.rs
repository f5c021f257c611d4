//! Operands of statements of one shape -> the steps of a span.
//!
//! Results that only their statement reads get registers, as few as may be: a register is free again when its value
//! has been read for the last time.

use super::columns::{Column, Role};
use super::order::{Access, Numbers, keeps_order};
use super::{Conjunction, Literal, Place, Span, Step};
use crate::tape::{Code, Op, Shape};

/// The span of n statements; `None` if the order of their operations matters.
///
/// `ops`: those of the first statement, which begins at `begin`; `scratch`: which slots are read in one statement only.
pub(super) fn span(
    ops: &[Op],
    begin: usize,
    columns: &[Column],
    n: usize,
    scratch: &[bool],
) -> Option<Span> {
    let is_scratch = |column: &Column| {
        matches!(column.field.role, Role::Reads | Role::Writes)
            && column.stride == 0
            && column.listed.is_empty()
            && scratch[column.field.number as usize]
    };
    let (registers, n_registers) = registers(ops, columns, is_scratch)?;
    let accesses = |bits: bool| -> Vec<Access<'_>> {
        let of_kind = columns.iter().filter(|column| {
            bits == matches!(column.field.role, Role::Needs(_) | Role::Decides)
                && !is_scratch(column)
        });
        let of_kind = of_kind.map(|column| Access {
            step: column.field.step,
            writes: matches!(column.field.role, Role::Writes | Role::Decides),
            numbers: match column.listed.as_slice() {
                [] => Numbers::Progression(column.field.number.into(), column.stride.into()),
                listed => Numbers::Listed(listed),
            },
        });
        of_kind.collect()
    };
    if !(keeps_order(&accesses(false), n) && keeps_order(&accesses(true), n)) {
        return None;
    }
    let mut operands = vec![Vec::new(); ops.len()];
    for (column, register) in columns.iter().zip(registers) {
        operands[column.field.step].push((column, register));
    }
    let steps = ops.iter().zip(&operands);
    Some(Span {
        len: n,
        n_registers,
        steps: steps
            .map(|(op, operands)| step(op, begin, operands))
            .collect(),
        total: None,
    })
}

/// The register of each operand that has one, and how many there are; `None` if one is read that the statement has not
/// written.
fn registers(
    ops: &[Op],
    columns: &[Column],
    is_scratch: impl Fn(&Column) -> bool,
) -> Option<(Vec<Option<u32>>, usize)> {
    // The slot for which each register stands.
    let mut slots: Vec<Option<u32>> = Vec::new();
    let mut registers = vec![None; columns.len()];
    for (at, column) in columns.iter().enumerate() {
        let slot = column.field.number;
        let holds = |slots: &[Option<u32>], what| slots.iter().position(|held| *held == what);
        if is_scratch(column) && column.field.role == Role::Reads {
            registers[at] = Some(holds(&slots, Some(slot))? as u32);
        } else if is_scratch(column) {
            if ops[column.field.step].code.shape() == Shape::Update {
                return None;
            }
            let free = holds(&slots, None).unwrap_or(slots.len());
            slots
                .iter_mut()
                .filter(|held| **held == Some(slot))
                .for_each(|held| *held = None);
            slots.resize(slots.len().max(free + 1), None);
            slots[free] = Some(slot);
            registers[at] = Some(free as u32);
        }
        let rest = &columns[at + 1..];
        if rest
            .first()
            .is_some_and(|next| next.field.step == column.field.step)
        {
            continue;
        }
        for held in &mut slots {
            let mut later = rest.iter().filter(|column| is_scratch(column));
            let next = later.find(|column| Some(column.field.number) == *held);
            *held = held.filter(|_| next.is_some_and(|next| next.field.role == Role::Reads));
        }
    }
    Some((registers, slots.len()))
}

/// The step of an op, whose operands are listed with their registers.
fn step(op: &Op, begin: usize, operands: &[(&Column, Option<u32>)]) -> Step {
    let is_literal = |(column, _): &&(&Column, _)| matches!(column.field.role, Role::Needs(_));
    let n_literals = operands.iter().take_while(is_literal).count();
    let (test, rest) = operands.split_at(n_literals);
    let test: Conjunction = (test.iter())
        .map(|(column, _)| Literal {
            first: column.field.number,
            each: column.stride == 1,
            value: column.field.role == Role::Needs(true),
        })
        .collect();
    let places = |operands: &[(&Column, Option<u32>)]| -> Box<[Place]> {
        let place = |(column, register): &(&Column, Option<u32>)| match register {
            Some(register) => Place::Register(*register),
            None => column.place(),
        };
        operands.iter().map(place).collect()
    };
    let code = op.code;
    match (code.shape(), rest) {
        (Shape::Unary | Shape::Binary | Shape::Update, [operands @ .., out]) => Step::Real {
            code,
            out: places(&[*out])[0].clone(),
            operands: places(operands),
        },
        (Shape::Compare, [operands @ .., _]) => Step::Compare {
            code,
            out: op.out,
            operands: places(operands),
        },
        (Shape::Test, _) => Step::Test {
            joins: code == Code::OrTest,
            out: op.out,
            test,
        },
        (Shape::Rise, _) => Step::Rise {
            out: op.out,
            test,
            remembered: op.b,
        },
        (Shape::Bit, _) => Step::Set {
            out: op.out,
            value: code == Code::SetBit,
        },
        (Shape::Jump, _) => Step::Where {
            test,
            end: op.out as usize - begin,
        },
        (
            Shape::Unary
            | Shape::Binary
            | Shape::Update
            | Shape::Compare
            | Shape::Push
            | Shape::Due,
            _,
        ) => {
            unreachable!(
                "statements of spans have no such operations, and their operands are listed"
            )
        }
    }
}
