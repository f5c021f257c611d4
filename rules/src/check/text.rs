//! Words for messages: expressions, numbers, lists of names.

use situ_engine::ids::ExprId;
use situ_engine::model::{Boolean, Comparison, Expr, Model};

/// A longer expression is cut.
const MAX_LENGTH: usize = 60;

/// An expression as it could be written in a table; a long one is cut.
pub(super) fn expression(model: &Model, root: ExprId) -> String {
    // Text with the strength of its outermost operation: 1 sum, 2 product, 3 sign, 4 the rest.
    let mut operands: Vec<(String, u8)> = Vec::new();
    model.exprs.visit(root, |_, node| {
        let binary = |operands: &mut Vec<(String, u8)>, symbol: &str, strength: u8, tight: u8| {
            let b = inside(operands.pop(), tight);
            let a = inside(operands.pop(), strength);
            (format!("{a} {symbol} {b}"), strength)
        };
        let made = match node {
            Expr::Number(value) => (number(*value), if *value < 0.0 { 3 } else { 4 }),
            Expr::Constant(id) => (model.constants[id.index()].name.clone(), 4),
            Expr::Real(id) => (model.reals[id.index()].name.clone(), 4),
            Expr::Time => ("time".to_owned(), 4),
            Expr::Neg(_) => (format!("-{}", inside(operands.pop(), 4)), 3),
            Expr::Add(..) => binary(&mut operands, "+", 1, 2),
            Expr::Sub(..) => binary(&mut operands, "-", 1, 2),
            Expr::Mul(..) => binary(&mut operands, "*", 2, 3),
            Expr::Div(..) => binary(&mut operands, "/", 2, 3),
            Expr::Call(procedure, args) => {
                let name = procedure.get().name;
                if name == "power" {
                    let exponent = inside(operands.pop(), 4);
                    let base = inside(operands.pop(), 4);
                    (format!("{base}^{exponent}"), 3)
                } else {
                    let first = operands.len() - args.len();
                    let args: Vec<String> = operands.drain(first..).map(|(text, _)| text).collect();
                    (format!("{name}({})", args.join(", ")), 4)
                }
            }
        };
        operands.push((cut(made.0), made.1));
    });
    operands.pop().map(|(text, _)| text).unwrap_or_default()
}

fn inside(operand: Option<(String, u8)>, strength: u8) -> String {
    let (text, own) = operand.unwrap_or_default();
    if own < strength {
        format!("({text})")
    } else {
        text
    }
}

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_LENGTH {
        return text;
    }
    let mut short: String = text.chars().take(MAX_LENGTH - 3).collect();
    short.push_str("...");
    short
}

/// `left op right`
pub(super) fn comparison(model: &Model, comparison: &Comparison) -> String {
    format!(
        "{} {} {}",
        expression(model, comparison.left),
        comparison.op.symbol(),
        expression(model, comparison.right)
    )
}

/// A number, short: with an exponent where that is shorter.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e15).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A boolean as a person would name it; events are said to be events.
pub(super) fn boolean(model: &Model, what: Boolean) -> String {
    let name = model.boolean_name(what);
    if model.is_event(what) && what != Boolean::Start {
        format!("event {name}")
    } else {
        name
    }
}

/// So many names of a list are written out.
pub(super) const MAX_NAMES: usize = 6;

/// "`a`", "`a` and `b`", "`a`, `b` and `c`", "`a`, `b`, `c` and 4 more".
pub(super) fn names<S: AsRef<str>>(names: &[S]) -> String {
    some_names(names, names.len())
}

/// As [`names`], of `count` names of which the first are given.
pub(super) fn some_names<S: AsRef<str>>(names: &[S], count: usize) -> String {
    let quoted: Vec<String> = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    let more = count.saturating_sub(quoted.len());
    match (&quoted[..], more) {
        ([], _) => String::new(),
        ([one], 0) => one.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (all, more) => format!("{} and {more} more", all.join(", ")),
    }
}
