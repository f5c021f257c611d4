//! Trees without what a spelling may change: places, parentheses of the author, signs of numbers.

use situ_engine::procedure::ProcedureId;

use super::NOWHERE;
use super::scenes::plain_shape;
use super::trees::{expr_of, named, text};
use crate::print::Columns;
use crate::source::Spanned;
use crate::tree::{
    Amount, AnyRow, Assignment, Comparison, Condition, Expr, ExprKind, Form, Guard, Literal,
    LiteralKind, Name, Place, Range, RateLaw, Reaction, Relation, Row, Situation, Term, Value,
};

/// The text of a tree without its places.
pub(super) fn without_places(tree: &str) -> String {
    let mut parts = tree.split("Span {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('}').map_or("", |(_, rest)| rest)
    })
}

/// The tree as text, without what two spellings of one thing may differ in: places, parentheses,
/// and whether a sign belongs to a number.
pub(super) fn meaning(tree: &impl std::fmt::Debug) -> String {
    format!("{tree:?}")
}

pub(super) fn plain(expr: &Expr) -> Expr {
    let plain_box = |expr: &Expr| Box::new(plain(expr));
    let kind = match &expr.kind {
        ExprKind::Paren(inner) => return plain(inner),
        ExprKind::Number(value) if value.is_sign_negative() => {
            ExprKind::Neg(Box::new(expr_of(ExprKind::Number(-value))))
        }
        ExprKind::Neg(inner) => ExprKind::Neg(plain_box(inner)),
        ExprKind::Binary(op, left, right) => {
            ExprKind::Binary(*op, plain_box(left), plain_box(right))
        }
        ExprKind::Call(name, args) => ExprKind::Call(
            Box::new(named(&name.value)),
            args.iter().map(plain).collect(),
        ),
        ExprKind::Boolean(literal) => ExprKind::Boolean(Box::new(plain_literal(literal))),
        other => other.clone(),
    };
    expr_of(kind)
}

fn plain_comparison(comparison: &Comparison) -> Comparison {
    let [left, right] = [&comparison.left, &comparison.right].map(plain);
    Comparison {
        span: NOWHERE,
        left,
        op: comparison.op,
        right,
    }
}

fn plain_literal(literal: &Literal) -> Literal {
    let kind = match &literal.kind {
        LiteralKind::Every(args) => LiteralKind::Every(args.iter().map(plain).collect()),
        LiteralKind::Comparison(comparison) => {
            LiteralKind::Comparison(Box::new(plain_comparison(comparison)))
        }
        other => other.clone(),
    };
    Literal {
        span: NOWHERE,
        negated: literal.negated,
        kind,
    }
}

pub(super) fn plain_condition(condition: &Condition) -> Condition {
    Condition {
        span: NOWHERE,
        literals: condition.literals.iter().map(plain_literal).collect(),
    }
}

fn plain_guard(guard: &Guard) -> Guard {
    match guard {
        Guard::Always => Guard::Always,
        Guard::When(condition) => Guard::When(plain_condition(condition)),
        Guard::Each(all) => Guard::Each(all.iter().map(plain_condition).collect()),
        Guard::Otherwise(_) => Guard::Otherwise(NOWHERE),
    }
}

fn plain_names(names: &[Name]) -> Vec<Name> {
    names.iter().map(|name| named(&name.value)).collect()
}

pub(super) fn plain_row<T>(row: &Row<T>, body: impl FnOnce(&T) -> T) -> Row<T> {
    let again = |from: &Option<Spanned<String>>| from.as_ref().map(|from| text(&from.value));
    Row {
        form: Form::Line,
        span: NOWHERE,
        id: again(&row.id),
        place: row.place.as_ref().map(|place| {
            Box::new(Place {
                side: place.side,
                id: text(&place.id.value),
            })
        }),
        note: again(&row.note),
        each: row.each.clone(),
        body: body(&row.body),
    }
}

pub(super) fn plain_any(row: &AnyRow) -> AnyRow {
    match row {
        AnyRow::Range(row) => AnyRow::Range(plain_row(row, |body| Range {
            name: named(&body.name.value),
            all: body.all.iter().map(plain_comparison).collect(),
            mark: (body.mark.as_ref()).map(|mark| Spanned::new(mark.value, NOWHERE)),
        })),
        AnyRow::Situation(row) => AnyRow::Situation(plain_row(row, |body| Situation {
            name: named(&body.name.value),
            event: body.event,
            behind: body.behind,
            all: plain_condition(&body.all),
        })),
        AnyRow::Assignment(row) => AnyRow::Assignment(plain_row(row, |body| Assignment {
            when: plain_condition(&body.when),
            set: body
                .set
                .iter()
                .map(|(name, value)| (named(&name.value), *value))
                .collect(),
        })),
        AnyRow::Relation(row) => AnyRow::Relation(plain_row(row, |body| Relation {
            targets: plain_names(&body.targets),
            once: body.once,
            once_span: NOWHERE,
            value: match &body.value {
                Value::Exprs(exprs) => Value::Exprs(exprs.iter().map(plain).collect()),
                columns => columns.clone(),
            },
            guard: plain_guard(&body.guard),
        })),
        AnyRow::Reaction(row) => AnyRow::Reaction(plain_row(row, |body| Reaction {
            left: body.left.iter().map(plain_term).collect(),
            right: body.right.iter().map(plain_term).collect(),
            reversible: body.reversible,
            equation: NOWHERE,
            law: match &body.law {
                RateLaw::MassAction(all) => RateLaw::MassAction(all.iter().map(plain).collect()),
                RateLaw::Rate(all) => RateLaw::Rate(all.iter().map(plain).collect()),
            },
            guard: plain_guard(&body.guard),
        })),
        AnyRow::Shape(row) => AnyRow::Shape(plain_row(row, plain_shape)),
    }
}

fn plain_term(term: &Term) -> Term {
    Term {
        amount: match &term.amount {
            Amount::One => Amount::One,
            Amount::Number(number) => Amount::Number(Spanned::new(number.value, NOWHERE)),
            Amount::Constant(name) => Amount::Constant(named(&name.value)),
        },
        species: named(&term.species.value),
    }
}

pub(super) fn plain_columns(columns: &Columns) -> Columns {
    // No coefficient is the coefficient 1.
    let one = || expr_of(ExprKind::Number(1.0));
    let coef = |coef: &Option<Expr>| Some(coef.as_ref().map_or_else(one, plain));
    let args: Vec<Expr> = columns.args.iter().map(plain).collect();
    // A row with what is no procedure takes the value of a lookup over.
    let (procedure, args) = match ProcedureId::named(&columns.procedure) {
        Some(_) => (columns.procedure.clone(), args),
        None => {
            let call = ExprKind::Call(Box::new(named(&columns.procedure)), args);
            ("assignment".to_owned(), vec![expr_of(call)])
        }
    };
    Columns {
        targets: plain_names(&columns.targets),
        once: columns.once,
        procedure,
        coef: coef(&columns.coef),
        args,
        coef2: coef(&columns.coef2),
        guard: plain_guard(&columns.guard),
    }
}
