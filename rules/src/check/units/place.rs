//! Places of expressions in the text of a table.

use crate::print;
use crate::source::Span;
use crate::tree::{
    BinaryOp, Condition, Expr, ExprKind, Guard, Literal, LiteralKind, Measure, Predicted, Table,
    Value,
};

/// An expression where it stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) expr: &'t Expr,
    /// True if it stands in a condition.
    pub(super) in_condition: bool,
    /// True if it is all that stands behind the sign of a line with one target.
    pub(super) is_value: bool,
    /// True if a product in its place needs parentheses.
    binds: bool,
}

/// What an expression is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All behind the sign of a line with one target.
    Value,
    Condition,
    Other,
}

/// The expressions of a table that units are looked at in, each as a whole.
pub(super) fn roots(table: &Table) -> Vec<Place<'_>> {
    let mut roots = Roots::default();
    for quantity in table.constants.iter().chain(&table.reals) {
        roots.add(&quantity.start, Part::Other);
    }
    for range in &table.ranges {
        for comparison in &range.body.all {
            roots.add([&comparison.left, &comparison.right], Part::Condition);
        }
    }
    for situation in &table.situations {
        roots.condition(&situation.body.all);
    }
    for assignment in &table.assignments {
        roots.condition(&assignment.body.when);
    }
    for relation in &table.relations {
        match &relation.body.value {
            Value::Exprs(values) if values.len() == 1 => roots.add(values, Part::Value),
            values => roots.add(values.exprs(), Part::Other),
        }
        match &relation.body.guard {
            Guard::When(condition) => roots.condition(condition),
            Guard::Each(conditions) => conditions.iter().for_each(|one| roots.condition(one)),
            Guard::Always | Guard::Otherwise(_) => {}
        }
    }
    roots.add(
        table.invariants.iter().map(|invariant| &invariant.value),
        Part::Other,
    );
    for expectation in &table.expect {
        roots.add(expectation.exprs(), Part::Other);
        if let Some(condition) = expectation.condition() {
            roots.condition(condition);
        }
    }
    for field in table.lab.iter().flat_map(|lab| &lab.fields) {
        match &field.of {
            Predicted::Measured(Measure::OfValue(_, value) | Measure::At(value, _)) => {
                roots.add([value], Part::Other);
            }
            Predicted::Measured(Measure::OfCondition(_, condition)) => roots.condition(condition),
            Predicted::Each { value, at, .. } => {
                roots.add([value], Part::Other);
                roots.condition(at);
            }
        }
    }
    roots.found
}

#[derive(Default)]
struct Roots<'t> {
    found: Vec<Place<'t>>,
}

impl<'t> Roots<'t> {
    fn add(&mut self, exprs: impl IntoIterator<Item = &'t Expr>, part: Part) {
        for expr in exprs {
            let place = Place {
                expr,
                in_condition: part == Part::Condition,
                is_value: part == Part::Value,
                binds: false,
            };
            self.found.push(place);
            for inner in within(place) {
                if let ExprKind::Boolean(literal) = &inner.expr.kind {
                    self.literal(literal);
                }
            }
        }
    }

    fn condition(&mut self, condition: &'t Condition) {
        condition.literals.iter().for_each(|one| self.literal(one));
    }

    fn literal(&mut self, literal: &'t Literal) {
        match &literal.kind {
            LiteralKind::Comparison(comparison) => {
                self.add([&comparison.left, &comparison.right], Part::Condition);
            }
            LiteralKind::Every(args) => self.add(args, Part::Condition),
            LiteralKind::Name(_)
            | LiteralKind::Element(_)
            | LiteralKind::Reduction(_)
            | LiteralKind::Start
            | LiteralKind::Error => {}
        }
    }
}

/// An expression and all in it.
fn within(root: Place<'_>) -> Vec<Place<'_>> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&place) = found.get(at) {
        let inner = |expr, binds| Place {
            expr,
            is_value: false,
            binds,
            ..place
        };
        match &place.expr.kind {
            ExprKind::Paren(one) => found.push(inner(one, false)),
            ExprKind::Neg(one) => found.push(inner(one, false)),
            ExprKind::Binary(op, left, right) => {
                let is_power = *op == BinaryOp::Pow;
                found.push(inner(left, is_power));
                found.push(inner(right, is_power || *op == BinaryOp::Div));
            }
            ExprKind::Call(_, args) => found.extend(args.iter().map(|one| inner(one, false))),
            ExprKind::Reduction(reduction) => found.push(inner(&reduction.body, false)),
            ExprKind::Number(_)
            | ExprKind::Name(_)
            | ExprKind::Element(_)
            | ExprKind::Time
            | ExprKind::Pi
            | ExprKind::Counted(_)
            | ExprKind::Terms(_)
            | ExprKind::Boolean(_)
            | ExprKind::Error => {}
        }
        at += 1;
    }
    found
}

/// The place of an expression, in words, in one of these, however it is spaced; `None` if it stands there twice or not
/// at all.
pub(super) fn find<'t>(
    roots: impl IntoIterator<Item = Place<'t>>,
    words: &str,
) -> Option<Place<'t>> {
    let tight = |text: &str| text.replace([' ', '`'], "");
    let wanted = tight(words);
    let inner = roots.into_iter().flat_map(within);
    let mut found = inner.filter(|place| tight(&print::expression(place.expr)) == wanted);
    match (found.next(), found.next()) {
        (Some(place), None) => Some(place),
        _ => None,
    }
}

impl Place<'_> {
    /// True if it lies in a piece of the text.
    pub(super) fn is_in(&self, span: Span) -> bool {
        let own = self.expr.span;
        own.source == span.source && span.start <= own.start && own.end <= span.end
    }

    /// It times a factor, as it is written.
    pub(super) fn times(&self, factor: &str, written: &str) -> String {
        let is_sum = matches!(
            self.expr.kind,
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..)
        );
        let product = match is_sum || written.starts_with('-') {
            true => format!("{factor} * ({written})"),
            false => format!("{factor} * {written}"),
        };
        match self.binds {
            true => format!("({product})"),
            false => product,
        }
    }
}
