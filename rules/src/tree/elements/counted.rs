//! Expressions of elements: one expression for all elements of a family, and the values of its counters.
//!
//! A family of a million elements has a million expressions that differ in numbers only. Each is written out where it is
//! read, and dropped again.

use std::borrow::Cow;
use std::sync::Arc;

use situ_engine::model::{CounterValues, MAX_COUNTERS};
use smallvec::SmallVec;

use crate::source::Span;
use crate::tree::{BinaryOp, Expr, ExprKind, Index, IndexItem, Name, element_name};

/// What the expressions of all elements of a family have in common.
#[derive(Debug)]
pub struct Pattern {
    /// The expression with its counters. Indices are a number, a counter, or a counter plus a number.
    expr: Expr,
    /// Names of the counters.
    counters: Vec<String>,
}

impl Pattern {
    /// A pattern; `None` if there are too many counters.
    pub(crate) fn new(expr: Expr, counters: Vec<String>) -> Option<Arc<Self>> {
        (counters.len() <= MAX_COUNTERS).then(|| Arc::new(Self { expr, counters }))
    }

    /// The expression with its counters.
    pub(crate) fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Names of the counters.
    pub(crate) fn counters(&self) -> &[String] {
        &self.counters
    }
}

/// The expression of an element.
#[derive(Clone, Debug)]
pub struct Counted {
    pattern: Arc<Pattern>,
    /// The values of the counters, in their order.
    at: CounterValues,
}

impl Counted {
    /// The expression for values of the counters; `None` if one of them is too large.
    pub(crate) fn new(
        pattern: Arc<Pattern>,
        values: impl IntoIterator<Item = i64>,
    ) -> Option<Self> {
        let at = counter_values(
            &values
                .into_iter()
                .collect::<SmallVec<[i64; MAX_COUNTERS]>>(),
        )?;
        Some(Self { pattern, at })
    }

    /// What it has in common with those of other elements.
    pub(crate) fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The pattern, to be used for another element.
    pub(crate) fn shared(&self) -> Arc<Pattern> {
        Arc::clone(&self.pattern)
    }

    /// The values of the counters.
    pub(crate) fn at(&self) -> CounterValues {
        self.at
    }

    /// The expression as it would be written for this element alone.
    pub fn written_out(&self) -> Expr {
        self.expression(&self.pattern.expr)
    }

    fn value(&self, counter: &str) -> Option<i64> {
        let mut counters = self.pattern.counters.iter();
        let place = counters.position(|known| known == counter)?;
        Some(i64::from(self.at[place]))
    }

    fn expression(&self, expr: &Expr) -> Expr {
        let span = expr.span;
        let boxed = |inner: &Expr| Box::new(self.expression(inner));
        let kind = match &expr.kind {
            ExprKind::Name(name) => match self.value(name) {
                Some(value) => return number(value, span),
                None => ExprKind::Name(name.clone()),
            },
            ExprKind::Element(name) => ExprKind::Name(self.element(name)),
            ExprKind::Paren(inner) => ExprKind::Paren(boxed(inner)),
            ExprKind::Neg(inner) => ExprKind::Neg(boxed(inner)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left), boxed(right)),
            ExprKind::Call(name, args) => {
                let args = args.iter().map(|arg| self.expression(arg)).collect();
                ExprKind::Call(name.clone(), args)
            }
            other => other.clone(),
        };
        Expr { span, kind }
    }

    fn element(&self, name: &Name) -> String {
        match &name.index {
            Some(index) => index.element_name(&|counter: &str| self.value(counter)),
            None => name.value.clone(),
        }
    }
}

impl Index {
    /// The name of the element for values of counters; indices are a number, a counter, or a counter plus a number.
    pub(crate) fn element_name(&self, value: &dyn Fn(&str) -> Option<i64>) -> String {
        let items = self.items.iter();
        let indices: SmallVec<[i64; 2]> = items
            .filter_map(|item| match item {
                IndexItem::At(at) => index(at, value),
                IndexItem::Range(..) => None,
            })
            .collect();
        element_name(&self.base, &indices)
    }
}

fn index(expr: &Expr, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    match &expr.kind {
        ExprKind::Name(counter) => value(counter),
        ExprKind::Number(value) => Some(*value as i64),
        ExprKind::Binary(BinaryOp::Add, counter, by) => {
            Some(index(counter, value)? + index(by, value)?)
        }
        _ => None,
    }
}

/// Values of counters as the model has them; `None` if one is too large, or if there are too many.
pub(crate) fn counter_values(values: &[i64]) -> Option<CounterValues> {
    let mut at = [0; MAX_COUNTERS];
    let room = at.get_mut(..values.len())?;
    for (place, value) in room.iter_mut().zip(values) {
        *place = i32::try_from(*value).ok()?;
    }
    Some(at)
}

impl Expr {
    /// The expression as it would be written for one element alone.
    pub fn written_out(&self) -> Cow<'_, Expr> {
        match &self.kind {
            ExprKind::Counted(counted) => Cow::Owned(counted.written_out()),
            _ => Cow::Borrowed(self),
        }
    }
}

/// A counter's value as it would be written.
pub(crate) fn number(value: i64, span: Span) -> Expr {
    let expr = |kind| Expr { span, kind };
    let size = expr(ExprKind::Number(value.unsigned_abs() as f64));
    match value < 0 {
        true => expr(ExprKind::Paren(Box::new(expr(ExprKind::Neg(Box::new(
            size,
        )))))),
        false => size,
    }
}
