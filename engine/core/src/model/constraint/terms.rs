//! Terms of expressions: sums, products and calls, written so that an equation that was differentiated can be read.

use smallvec::SmallVec;

use crate::ids::ExprId;
use crate::model::expr::{Expr, Exprs, for_each_operand};
use crate::procedure::ProcedureId;

pub(super) fn number(exprs: &mut Exprs, value: f64) -> ExprId {
    exprs.push(Expr::Number(value))
}

pub(super) fn call(exprs: &mut Exprs, name: &str, args: &[ExprId]) -> ExprId {
    let procedure = ProcedureId::named(name).expect("a procedure of the list");
    exprs.push(Expr::Call(procedure, args.into()))
}

fn is_number(exprs: &Exprs, id: ExprId, value: f64) -> bool {
    exprs.get(id) == Expr::Number(value)
}

pub(super) fn sum(exprs: &mut Exprs, a: Option<ExprId>, b: Option<ExprId>) -> Option<ExprId> {
    match (a, b) {
        (Some(a), Some(b)) => match exprs.get(b) {
            Expr::Neg(b) => Some(exprs.push(Expr::Sub(a, b))),
            _ => Some(exprs.push(Expr::Add(a, b))),
        },
        (one, other) => one.or(other),
    }
}

pub(super) fn difference(
    exprs: &mut Exprs,
    a: Option<ExprId>,
    b: Option<ExprId>,
) -> Option<ExprId> {
    match (a, b) {
        (Some(a), Some(b)) => match exprs.get(b) {
            Expr::Neg(b) => Some(exprs.push(Expr::Add(a, b))),
            _ => Some(exprs.push(Expr::Sub(a, b))),
        },
        (None, Some(b)) => Some(negative(exprs, b)),
        (one, None) => one,
    }
}

pub(super) fn negative(exprs: &mut Exprs, a: ExprId) -> ExprId {
    match exprs.get(a) {
        Expr::Neg(inner) => inner,
        Expr::Number(value) => number(exprs, -value),
        _ => exprs.push(Expr::Neg(a)),
    }
}

pub(super) fn product(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if is_number(exprs, a, 1.0) {
        return b;
    }
    if is_number(exprs, b, 1.0) {
        return a;
    }
    if is_number(exprs, a, -1.0) {
        return negative(exprs, b);
    }
    if is_number(exprs, b, -1.0) {
        return negative(exprs, a);
    }
    match (exprs.get(a), exprs.get(b)) {
        (Expr::Neg(a), _) => {
            let positive = product(exprs, a, b);
            negative(exprs, positive)
        }
        (_, Expr::Neg(b)) => {
            let positive = product(exprs, a, b);
            negative(exprs, positive)
        }
        _ => exprs.push(Expr::Mul(a, b)),
    }
}

pub(super) fn quotient(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    match is_number(exprs, b, 1.0) {
        true => a,
        false => exprs.push(Expr::Div(a, b)),
    }
}

pub(super) fn scaled(exprs: &mut Exprs, factor: f64, a: ExprId) -> ExprId {
    let factor = number(exprs, factor);
    product(exprs, factor, a)
}

/// One expression divided by another; a number if they say the same.
pub(super) fn ratio(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    let unsigned = |id: ExprId| match exprs.get(id) {
        Expr::Neg(inner) => (inner, -1.0),
        _ => (id, 1.0),
    };
    let ((a, sign), (b, other)) = (unsigned(a), unsigned(b));
    let size = match says_the_same(exprs, a, b) {
        true => number(exprs, 1.0),
        false => quotient(exprs, a, b),
    };
    match sign == other {
        true => size,
        false => negative(exprs, size),
    }
}

fn says_the_same(exprs: &Exprs, a: ExprId, b: ExprId) -> bool {
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        if a == b {
            continue;
        }
        let operands = |id: ExprId| {
            let mut all: SmallVec<[ExprId; 3]> = SmallVec::new();
            for_each_operand(&exprs.get(id), |operand| all.push(operand));
            all
        };
        let (left, right) = (operands(a), operands(b));
        let same = match (exprs.get(a), exprs.get(b)) {
            (Expr::Call(a, _), Expr::Call(b, _)) => a == b,
            (Expr::Lookup(a, _), Expr::Lookup(b, _)) => a == b,
            (one, other) if left.is_empty() => one == other,
            (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
        };
        if !same || left.len() != right.len() {
            return false;
        }
        open.extend(left.into_iter().zip(right));
    }
    true
}

/// The expressions of a row's coefficient.
pub(super) fn coefficient(exprs: &mut Exprs, coefficient: crate::model::Coefficient) -> ExprId {
    match coefficient {
        crate::model::Coefficient::Number(value) => number(exprs, value),
        crate::model::Coefficient::Constant { id, negative: sign } => {
            let constant = exprs.push(Expr::Constant(id));
            match sign {
                true => negative(exprs, constant),
                false => constant,
            }
        }
    }
}

/// A call of a procedure of a row, written with operators where there are some.
pub(super) fn called(exprs: &mut Exprs, procedure: ProcedureId, args: &[ExprId]) -> ExprId {
    match (procedure.get().name, args) {
        ("assignment" | "proportional", [a]) => *a,
        ("sum", [a, b]) => exprs.push(Expr::Add(*a, *b)),
        ("product", [a, b]) => exprs.push(Expr::Mul(*a, *b)),
        ("quotient", [a, b]) => exprs.push(Expr::Div(*a, *b)),
        _ => exprs.push(Expr::Call(procedure, args.into())),
    }
}
