//! Random trees: expressions, conditions, rows.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use situ_engine::model::{CompareOp, Mark};

use super::NOWHERE;
use super::scenes::a_shape;
use crate::print::Columns;
use crate::source::Spanned;
use crate::tree::{
    Amount, AnyRow, Assignment, BinaryOp, Comparison, Condition, Expr, ExprKind, Form, Guard,
    Literal, LiteralKind, Name, Place, Range, RateLaw, Reaction, Relation, Row, Side, Situation,
    Term, Value,
};

pub(super) fn expr_of(kind: ExprKind) -> Expr {
    Expr {
        span: NOWHERE,
        kind,
    }
}

fn a_name() -> impl Strategy<Value = String> {
    select(
        &[
            "x", "y", "K", "g", "air drag", "угол", "when on", "not", "a#\"b\\",
        ][..],
    )
    .prop_map(str::to_owned)
}

pub(super) fn text(text: &str) -> Spanned<String> {
    Spanned::new(text.to_owned(), NOWHERE)
}

pub(super) fn named(name: &str) -> Name {
    Name::new(name.to_owned(), NOWHERE)
}

pub(super) fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..20_u32).prop_map(f64::from),
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        select(&[1.0, -1.0, 0.5, -2.0, 1e-7, 1e300][..]),
    ]
}

pub(super) fn an_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        number().prop_map(ExprKind::Number),
        a_name().prop_map(ExprKind::Name),
        Just(ExprKind::Time),
        Just(ExprKind::Pi),
    ];
    leaf.prop_map(expr_of).prop_recursive(5, 24, 3, |inner| {
        let op = select(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Pow][..]);
        let call = select(&["sin", "min", "integral", "f", "power", "clamp"][..]);
        let negated = any::<bool>();
        prop_oneof![
            4 => (op, inner.clone(), inner.clone())
                .prop_map(|(op, left, right)| ExprKind::Binary(op, Box::new(left), Box::new(right))),
            1 => inner.clone().prop_map(|inner| ExprKind::Neg(Box::new(inner))),
            1 => inner.clone().prop_map(|inner| ExprKind::Paren(Box::new(inner))),
            1 => (call, vec(inner.clone(), 0..3)).prop_map(|(name, args)| ExprKind::Call(Box::new(named(name)), args)),
            1 => (a_name(), (negated, inner.clone(), inner)).prop_map(|(name, (negated, left, right))| {
                let kind = if negated {
                    LiteralKind::Name(name.clone())
                } else {
                    comparison(left, CompareOp::LessEqual, right)
                };
                let literal = Literal { span: NOWHERE, negated, kind };
                ExprKind::Call(Box::new(named("timer")), vec![expr_of(ExprKind::Boolean(Box::new(literal)))])
            }),
        ]
        .prop_map(expr_of)
    })
}

pub(super) fn comparison(left: Expr, op: CompareOp, right: Expr) -> LiteralKind {
    LiteralKind::Comparison(Box::new(Comparison {
        span: NOWHERE,
        left,
        op,
        right,
    }))
}

pub(super) fn compare_op() -> impl Strategy<Value = CompareOp> {
    select(
        &[
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ][..],
    )
}

fn a_literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        (any::<bool>(), a_name()).prop_map(|(negated, name)| (negated, LiteralKind::Name(name))),
        any::<bool>().prop_map(|negated| (negated, LiteralKind::Start)),
        (any::<bool>(), vec(an_expr(), 1..3))
            .prop_map(|(negated, args)| (negated, LiteralKind::Every(args))),
        (an_expr(), compare_op(), an_expr())
            .prop_map(|(left, op, right)| (false, comparison(left, op, right))),
    ]
    .prop_map(|(negated, kind)| Literal {
        span: NOWHERE,
        negated,
        kind,
    })
}

pub(super) fn a_condition() -> impl Strategy<Value = Condition> {
    vec(a_literal(), 1..4).prop_map(|literals| Condition {
        span: NOWHERE,
        literals,
    })
}

fn a_guard() -> impl Strategy<Value = Guard> {
    prop_oneof![
        Just(Guard::Always),
        Just(Guard::Otherwise(NOWHERE)),
        a_condition().prop_map(Guard::When),
    ]
}

/// A coefficient: a number or a constant, with a sign.
fn a_coef() -> impl Strategy<Value = Option<Expr>> {
    let constant =
        select(&["K", "g"][..]).prop_map(|name| expr_of(ExprKind::Name(name.to_owned())));
    let atom = prop_oneof![
        number().prop_map(|value| expr_of(ExprKind::Number(value))),
        constant.clone(),
        constant.prop_map(|constant| expr_of(ExprKind::Neg(Box::new(constant)))),
    ];
    proptest::option::of(atom)
}

pub(super) fn is_constant(name: &str) -> bool {
    ["K", "g"].contains(&name)
}

/// Columns that fit their procedure.
pub(super) fn a_relation() -> impl Strategy<Value = Columns> {
    const PROCEDURES: &[(&str, usize, usize)] = &[
        ("assignment", 1, 0),
        ("proportional", 1, 1),
        ("sum", 2, 2),
        ("product", 2, 1),
        ("quotient", 2, 1),
        ("power", 2, 1),
        ("integral", 1, 1),
        ("derivative", 1, 1),
        ("delay", 2, 1),
        ("smoothing", 1, 3),
        ("sin", 1, 1),
        ("clamp", 3, 1),
        ("min", 2, 1),
        ("hysteresis", 3, 0),
    ];
    let args = vec(an_expr(), 3);
    (
        a_name(),
        select(PROCEDURES),
        a_coef(),
        args,
        a_coef(),
        a_guard(),
    )
        .prop_map(
            |(target, (procedure, count, coefs), coef, mut args, coef2, guard)| {
                args.truncate(count);
                let coef = match coefs {
                    0 => None,
                    3 => Some(coef.unwrap_or_else(|| expr_of(ExprKind::Number(2.0)))),
                    _ => coef,
                };
                let coef2 = coef2.filter(|_| coefs == 2);
                Columns {
                    targets: vec![named(&target)],
                    once: false,
                    procedure: procedure.to_owned(),
                    coef,
                    args,
                    coef2,
                    guard,
                }
            },
        )
}

/// A row that is printed as a line.
pub(super) fn a_row() -> impl Strategy<Value = AnyRow> {
    let word = "[0-9]{1,3}[a-z]?";
    let id = proptest::option::of(word.prop_map(|id| text(&id)));
    let side = select(&[Side::After, Side::Before][..]);
    let place = proptest::option::of((side, word).prop_map(|(side, id)| Place {
        side,
        id: text(&id),
    }));
    let note = proptest::option::of(
        "[a-z\"][a-z #\"\\\\]{0,8}[a-z\"]"
            .prop_map(|note| text(&note.split_whitespace().collect::<Vec<_>>().join(" "))),
    );
    let comparisons = vec((an_expr(), compare_op(), an_expr()), 1..3);
    let set = vec(
        (a_name().prop_map(|name| named(&name)), any::<bool>()),
        1..3,
    );
    let body = prop_oneof![
        (a_name(), comparisons, option::of(select(&Mark::ALL))).prop_map(|(name, all, mark)| {
            let all = all.into_iter().map(|(left, op, right)| Comparison {
                span: NOWHERE,
                left,
                op,
                right,
            });
            AnyRow::Range(row(Range {
                name: named(&name),
                all: all.collect(),
                mark: mark.map(|mark| Spanned::new(mark, NOWHERE)),
            }))
        }),
        (a_name(), any::<bool>(), a_condition()).prop_map(|(name, event, all)| AnyRow::Situation(
            row(Situation {
                name: named(&name),
                event,
                behind: false,
                all
            })
        )),
        (a_condition(), set)
            .prop_map(|(when, set)| AnyRow::Assignment(row(Assignment { when, set }))),
        (vec((a_name(), an_expr()), 1..3), any::<bool>(), a_guard()).prop_map(
            |(values, once, guard)| {
                let (targets, values): (Vec<String>, Vec<Expr>) = values.into_iter().unzip();
                let once = once || targets.len() > 1;
                let targets = targets.iter().map(|name| named(name)).collect();
                let value = Value::Exprs(values);
                AnyRow::Relation(row(Relation {
                    targets,
                    once,
                    once_span: NOWHERE,
                    value,
                    guard,
                }))
            }
        ),
        a_reaction(),
        a_shape().prop_map(|shape| AnyRow::Shape(row(shape))),
    ];
    (body, id, place, note).prop_map(|(mut row, id, place, note)| {
        let place = place.map(Box::new);
        match &mut row {
            AnyRow::Range(row) => (row.id, row.place, row.note) = (id, place, note),
            AnyRow::Situation(row) => (row.id, row.place, row.note) = (id, place, note),
            AnyRow::Assignment(row) => (row.id, row.place, row.note) = (id, place, note),
            AnyRow::Relation(row) => (row.id, row.place, row.note) = (id, place, note),
            AnyRow::Reaction(row) => (row.id, row.place, row.note) = (id, place, note),
            AnyRow::Shape(row) => (row.id, row.place, row.note) = (id, place, note),
        }
        row
    })
}

/// A stage with a rate law for each way, or with numbers as constants.
fn a_reaction() -> impl Strategy<Value = AnyRow> {
    let amount = prop_oneof![
        Just(Amount::One),
        (1_u8..5).prop_map(|n| Amount::Number(Spanned::new(f64::from(n) / 2.0, NOWHERE))),
        a_name().prop_map(|name| Amount::Constant(named(&name))),
    ];
    let term = (amount, a_name()).prop_map(|(amount, name)| Term {
        amount,
        species: named(&name),
    });
    let term = term.boxed();
    let sides = (vec(term.clone(), 1..3), vec(term, 0..3));
    let values = [an_expr(), an_expr()];
    (sides, any::<[bool; 2]>(), values, a_guard()).prop_map(|(sides, ways, values, guard)| {
        let (left, right) = sides;
        let [reversible, by_law] = ways;
        let n_values = if reversible { 2 } else { 1 };
        let number = |n: usize| expr_of(ExprKind::Number(n as f64));
        let law = match by_law {
            true => RateLaw::Rate(values.into_iter().take(n_values).collect()),
            false => RateLaw::MassAction((1..=n_values).map(number).collect()),
        };
        AnyRow::Reaction(row(Reaction {
            left,
            right,
            reversible,
            equation: NOWHERE,
            law,
            guard: match guard {
                Guard::Otherwise(_) => Guard::Always,
                guard => guard,
            },
        }))
    })
}

pub(super) fn row<T>(body: T) -> Row<T> {
    Row {
        form: Form::Line,
        span: NOWHERE,
        id: None,
        place: None,
        note: None,
        each: None,
        body,
    }
}
