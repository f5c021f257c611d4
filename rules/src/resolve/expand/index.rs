//! Indices: which values they take, and which counters stand in them.

use super::families::{Env, Extent, Scope, single_name};
use super::report;
use super::values::{Refusal, Values};
use crate::source::Span;
use crate::tree::{Expr, ExprKind, IndexItem, LiteralKind, Name};

/// Which values an index takes.
#[derive(Clone, Debug)]
pub(super) enum Form<'a> {
    /// A counter plus a number.
    Counter(&'a str, Extent, i64),
    /// A number.
    Fixed(i64),
    /// Looked up in a family of constants.
    Network(&'a Name),
}

impl Form<'_> {
    /// The least and the greatest of its values; `None` if they have to be looked up.
    pub(super) fn extent(&self) -> Option<Extent> {
        match self {
            Self::Counter(_, extent, by) => Some(extent.shifted(*by)),
            Self::Fixed(at) => Some(Extent::one(*at)),
            Self::Network(_) => None,
        }
    }
}

/// The form of an index.
///
/// # Errors
///
/// It is none of them, or a value of it is not known.
pub(super) fn form<'a>(
    expr: &'a Expr,
    scope: &Scope<'a>,
    values: &mut Values<'a>,
) -> Result<Form<'a>, Refusal> {
    let counter = |name: &str| scope.iter().rev().find(|(counter, _)| *counter == name);
    match &expr.kind {
        ExprKind::Name(name) => {
            if let Some((counter, extent)) = counter(name) {
                return Ok(Form::Counter(counter, *extent, 0));
            }
        }
        ExprKind::Paren(inner) => return form(inner, scope, values),
        ExprKind::Element(name) => {
            return match mentions(expr, scope) {
                true => Ok(Form::Network(name)),
                false => values
                    .whole(expr, &Env::new(), super::report::Whole::Index)
                    .map(Form::Fixed),
            };
        }
        ExprKind::Binary(op, left, right) if mentions(expr, scope) => {
            use crate::tree::BinaryOp::{Add, Sub};
            let (of, by, sign) = match op {
                Add if !mentions(right, scope) => (left, right, 1),
                Add if !mentions(left, scope) => (right, left, 1),
                Sub if !mentions(right, scope) => (left, right, -1),
                _ => return Err(Some(Box::new(report::odd_index(expr.span)))),
            };
            let Form::Counter(counter, extent, offset) = form(of, scope, values)? else {
                return Err(Some(Box::new(report::odd_index(expr.span))));
            };
            let by = values.whole(by, &Env::new(), super::report::Whole::Index)?;
            let offset = offset.saturating_add(sign * by);
            return Ok(Form::Counter(counter, extent, offset));
        }
        _ => {}
    }
    match mentions(expr, scope) {
        true => Err(Some(Box::new(report::odd_index(expr.span)))),
        false => values
            .whole(expr, &Env::new(), super::report::Whole::Index)
            .map(Form::Fixed),
    }
}

/// True if a counter stands in the expression.
pub(super) fn mentions(expr: &Expr, scope: &Scope<'_>) -> bool {
    let mut found = false;
    each_name(expr, &mut |name| {
        found |= scope.iter().any(|(counter, _)| *counter == name);
    });
    found
}

/// True if a counter stands in the indices of a name.
fn names_one_of(name: &Name, scope: &Scope<'_>) -> bool {
    let mut found = false;
    each_index_name(name, &mut |name| {
        found |= scope.iter().any(|(counter, _)| *counter == name);
    });
    found
}

/// True if the value of an expression may depend on a counter: one over which it counts itself is another.
pub(super) fn reads(expr: &Expr, scope: &Scope<'_>) -> bool {
    match &expr.kind {
        ExprKind::Reduction(reduction) => {
            let own = |name: &str| reduction.over.iter().any(|over| over.counter.value == name);
            let outer: Scope<'_> = scope
                .iter()
                .filter(|(name, _)| !own(name))
                .copied()
                .collect();
            !outer.is_empty() && (reduction.when.is_some() || reads(&reduction.body, &outer))
        }
        ExprKind::Boolean(literal) => match &literal.kind {
            LiteralKind::Name(_) => false,
            LiteralKind::Element(name) => names_one_of(name, scope),
            LiteralKind::Comparison(comparison) => {
                reads(&comparison.left, scope) || reads(&comparison.right, scope)
            }
            _ => true,
        },
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => reads(inner, scope),
        ExprKind::Binary(_, left, right) => reads(left, scope) || reads(right, scope),
        ExprKind::Call(_, args) => args.iter().any(|arg| reads(arg, scope)),
        _ => mentions(expr, scope),
    }
}

/// Calls `each` with every name without index in an expression, those in indices included.
pub(super) fn each_name<'a>(expr: &'a Expr, each: &mut impl FnMut(&'a str)) {
    match &expr.kind {
        ExprKind::Name(name) => each(name),
        ExprKind::Element(name) => each_index_name(name, each),
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => each_name(inner, each),
        ExprKind::Binary(_, left, right) => {
            each_name(left, each);
            each_name(right, each);
        }
        ExprKind::Call(_, args) => args.iter().for_each(|arg| each_name(arg, each)),
        ExprKind::Reduction(_)
        | ExprKind::Boolean(_)
        | ExprKind::Counted(_)
        | ExprKind::Terms(_)
        | ExprKind::Number(_)
        | ExprKind::Time
        | ExprKind::Pi
        | ExprKind::Error => {}
    }
}

/// The index of a name that is the same counter as one before it: `E[i, i]`.
pub(super) fn repeated(name: &Name) -> Option<Span> {
    let mut seen: Vec<&str> = Vec::new();
    let mut items = name.index.iter().flat_map(|index| &index.items);
    items.find_map(|item| {
        let IndexItem::At(at) = item else { return None };
        let counter = single_name(at)?;
        let again = seen.contains(&counter);
        seen.push(counter);
        again.then_some(at.span)
    })
}

/// Calls `each` with every name in the indices of a name.
pub(super) fn each_index_name<'a>(name: &'a Name, each: &mut impl FnMut(&'a str)) {
    for item in name.index.iter().flat_map(|index| &index.items) {
        match item {
            IndexItem::At(at) => each_name(at, each),
            IndexItem::Range(from, to) => {
                each_name(from, each);
                each_name(to, each);
            }
        }
    }
}
