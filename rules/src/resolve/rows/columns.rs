//! Lines that have columns: those whose columns say the same before and after the table is written out.

use crate::resolve::desugar::{Called, desugar};
use crate::tree::{Expr, ExprKind, Name, ReductionKind, Relation, Value};

/// True if a line of a table is taken apart into the columns that it has when families and parts are written out.
///
/// `is_open`: whether a name, of an element that of its family, may stand for a constant or a number then.
pub fn has_columns(
    relation: &Relation,
    is_constant: &dyn Fn(&str) -> bool,
    is_open: &dyn Fn(&str) -> bool,
) -> bool {
    let value = match &relation.value {
        Value::Exprs(values) => match values.as_slice() {
            [value] => value,
            _ => return relation.once,
        },
        Value::Columns { .. } | Value::Solve { .. } | Value::Family(_) => return true,
    };
    let shape = |open: Open| {
        let value = written_out(value, is_open, open);
        let is_constant = |name: &str| match name {
            OPEN => open == Open::Constant,
            name => is_constant(name),
        };
        let call = desugar(&value, &is_constant);
        let named = match call.procedure {
            Called::Operator(id) => id.get().name.to_owned(),
            Called::Named(name, _) => name.to_owned(),
        };
        let coefs = [call.coef, call.coef2].map(|coef| (coef.negative, coef.atom.is_some()));
        (named, coefs, call.args.len())
    };
    let of_real = shape(Open::Real);
    [Open::Constant, Open::Number]
        .into_iter()
        .all(|open| shape(open) == of_real)
}

/// What an open name stands for when it is written out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Real,
    Constant,
    /// As a counter does.
    Number,
}

/// Stands for an open name: no name is empty.
const OPEN: &str = "";

/// The expression as it may stand when it is written out; least and greatest values are calls then.
fn written_out(expr: &Expr, is_open: &dyn Fn(&str) -> bool, open: Open) -> Expr {
    let again = |inner: &Expr| Box::new(written_out(inner, is_open, open));
    let stands = || match open {
        Open::Number => ExprKind::Number(2.0),
        Open::Real | Open::Constant => ExprKind::Name(OPEN.to_owned()),
    };
    let kind = match &expr.kind {
        ExprKind::Name(name) if is_open(name) => stands(),
        ExprKind::Element(name) if is_open(name.base()) => stands(),
        ExprKind::Reduction(reduction) if open != Open::Real => match reduction.kind {
            ReductionKind::Min | ReductionKind::Max => {
                let name = Name::new("max".to_owned(), expr.span);
                ExprKind::Call(Box::new(name), vec![reduction.body.clone(); 2])
            }
            _ => expr.kind.clone(),
        },
        ExprKind::Paren(inner) => ExprKind::Paren(again(inner)),
        ExprKind::Neg(inner) => ExprKind::Neg(again(inner)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, again(left), again(right)),
        ExprKind::Call(name, args) => {
            let args = args.iter().map(|arg| *again(arg));
            ExprKind::Call(name.clone(), args.collect())
        }
        _ => expr.kind.clone(),
    };
    Expr {
        span: expr.span,
        kind,
    }
}
