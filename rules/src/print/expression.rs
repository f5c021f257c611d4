//! Expressions and conditions with the parentheses that they need.

use situ_engine::model::CompareOp;

use super::{Printer, name, number};
use crate::tree::{BinaryOp, Comparison, Condition, Expr, ExprKind, Literal, LiteralKind};

impl Printer<'_> {
    pub(crate) fn condition(&mut self, condition: &Condition) {
        for (index, literal) in condition.literals.iter().enumerate() {
            if index > 0 {
                self.out.push_str(" & ");
            }
            self.literal(literal);
        }
    }

    pub(super) fn literal(&mut self, literal: &Literal) {
        if let (LiteralKind::Comparison(comparison), true) = (&literal.kind, literal.negated) {
            // Not in the grammar; what it says is.
            let op = match comparison.op {
                CompareOp::Less => CompareOp::GreaterEqual,
                CompareOp::LessEqual => CompareOp::Greater,
                CompareOp::Greater => CompareOp::LessEqual,
                CompareOp::GreaterEqual => CompareOp::Less,
            };
            return self.comparison(&Comparison {
                op,
                ..(**comparison).clone()
            });
        }
        if literal.negated {
            self.out.push('!');
        }
        match &literal.kind {
            LiteralKind::Name(name) => self.name(name),
            LiteralKind::Element(name) => self.written(name),
            LiteralKind::Reduction(reduction) => self.reduction(reduction),
            LiteralKind::Start => self.out.push_str("start"),
            LiteralKind::Every(args) => self.call("every", args),
            LiteralKind::Comparison(comparison) => self.comparison(comparison),
            LiteralKind::Error => {}
        }
    }

    pub(super) fn comparison(&mut self, comparison: &Comparison) {
        self.expr(&comparison.left, 0);
        self.out.push_str(&format!(" {} ", comparison.op.symbol()));
        self.expr(&comparison.right, 0);
    }

    /// An expression where operators must bind at least as strongly as `minimum`.
    pub(crate) fn expr(&mut self, expr: &Expr, minimum: u8) {
        let power = power(expr);
        let parentheses = power < minimum;
        if parentheses {
            self.out.push('(');
        }
        match &expr.kind {
            ExprKind::Number(value) => self.number(expr, *value),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Element(name) => self.written(name),
            ExprKind::Reduction(reduction) => self.reduction(reduction),
            ExprKind::Time => self.out.push_str("time"),
            ExprKind::Pi => self.out.push_str("pi"),
            ExprKind::Paren(inner) => {
                let mut inner = inner;
                while let ExprKind::Paren(innermost) = &inner.kind {
                    inner = innermost;
                }
                self.out.push('(');
                self.expr(inner, 0);
                self.out.push(')');
            }
            ExprKind::Neg(inner) => {
                self.out.push('-');
                self.expr(inner, SIGN);
            }
            ExprKind::Binary(op, left, right) => {
                let (symbol, left_power, right_power) = operator(*op);
                // A sign or `^` at the end of the left side would take in what follows.
                let left_power = if tail_power(left) <= left_power {
                    ATOM + 1
                } else {
                    left_power
                };
                self.expr(left, left_power);
                self.out.push_str(symbol);
                self.expr(right, right_power);
            }
            ExprKind::Call(name, args) => self.call(&name.value, args),
            ExprKind::Counted(counted) => self.expr(&counted.written_out(), minimum),
            ExprKind::Terms(terms) => self.expr(&terms.combined(expr.span), minimum),
            ExprKind::Boolean(literal) => self.literal(literal),
            ExprKind::Error => {}
        }
        if parentheses {
            self.out.push(')');
        }
    }

    pub(super) fn call(&mut self, name: &str, args: &[Expr]) {
        self.name(name);
        self.out.push('(');
        self.list(args, |printer, arg| printer.expr(arg, 0));
        self.out.push(')');
    }

    pub(super) fn number(&mut self, expr: &Expr, value: f64) {
        let spelt = self.sources.map(|sources| sources.text(expr.span));
        match spelt {
            Some(text)
                if text.parse::<f64>().map(f64::to_bits) == Ok(value.to_bits())
                    && !text.starts_with('+') =>
            {
                self.out.push_str(text);
            }
            _ => self.out.push_str(&number(value)),
        }
    }

    pub(super) fn name(&mut self, text: &str) {
        self.out.push_str(&name(text));
    }
}

/// Binding power of signs.
const SIGN: u8 = 5;

/// Binding power of an expression without an operator.
const ATOM: u8 = 10;

/// Symbol, and how strongly the operands must bind.
fn operator(op: BinaryOp) -> (&'static str, u8, u8) {
    match op {
        BinaryOp::Add => (" + ", 1, 2),
        BinaryOp::Sub => (" - ", 1, 2),
        BinaryOp::Mul => (" * ", 3, 4),
        BinaryOp::Div => (" / ", 3, 4),
        BinaryOp::Pow => ("^", 8, 7),
    }
}

/// Binding power of the outermost operation.
fn power(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(op, ..) => operator(*op).1,
        // A sign may stand in front of any operand; what it takes in is seen by `tail_power`.
        _ => ATOM,
    }
}

/// The weakest of the operations at whose right end the expression ends.
fn tail_power(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(op, _, right) => operator(*op).2.min(tail_power(right)),
        ExprKind::Neg(inner) => SIGN.min(tail_power(inner)),
        ExprKind::Number(value) if value.is_sign_negative() => SIGN,
        _ => u8::MAX,
    }
}

/// True if it is printed as a number: one with any sign.
pub(super) fn is_number(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) => true,
        ExprKind::Neg(inner) => {
            matches!(inner.kind, ExprKind::Number(value) if !value.is_sign_negative())
        }
        _ => false,
    }
}
