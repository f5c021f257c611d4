//! The text of an expression in one spelling, whatever blanks the author wrote: the name of a
//! comparison that has none of its own.

use crate::lex;
use crate::tree::{BinaryOp, Comparison, Expr, ExprKind, LiteralKind};

/// `left < right`
pub(super) fn comparison(comparison: &Comparison) -> String {
    let mut text = String::new();
    write_comparison(comparison, &mut text);
    text
}

/// The expression.
pub(super) fn expr(expr: &Expr) -> String {
    let mut text = String::new();
    write(expr, &mut text);
    text
}

fn write_comparison(comparison: &Comparison, text: &mut String) {
    write(&comparison.left, text);
    text.push(' ');
    text.push_str(comparison.op.symbol());
    text.push(' ');
    write(&comparison.right, text);
}

fn write(expr: &Expr, text: &mut String) {
    match &expr.kind {
        ExprKind::Number(number) => text.push_str(&number.to_string()),
        ExprKind::Name(name) => write_name(name, text),
        ExprKind::Time => text.push_str("time"),
        ExprKind::Pi => text.push_str("pi"),
        ExprKind::Paren(inner) => {
            text.push('(');
            write(inner, text);
            text.push(')');
        }
        ExprKind::Neg(inner) => {
            text.push('-');
            write(inner, text);
        }
        ExprKind::Binary(op, left, right) => {
            write(left, text);
            text.push_str(match op {
                BinaryOp::Add => " + ",
                BinaryOp::Sub => " - ",
                BinaryOp::Mul => " * ",
                BinaryOp::Div => " / ",
                BinaryOp::Pow => "^",
            });
            write(right, text);
        }
        ExprKind::Call(name, args) => {
            write_name(&name.value, text);
            text.push('(');
            for (index, arg) in args.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(arg, text);
            }
            text.push(')');
        }
        ExprKind::Boolean(literal) => {
            if let LiteralKind::Comparison(comparison) = &literal.kind {
                write_comparison(comparison, text);
            }
        }
        ExprKind::Error => {}
    }
}

fn write_name(name: &str, text: &mut String) {
    if lex::is_plain_name(name) {
        text.push_str(name);
    } else {
        text.push('`');
        text.push_str(name);
        text.push('`');
    }
}
