//! Expressions and conditions.

use super::{Comparison, Counted, Name, Reduction, Terms};
use crate::source::Span;

/// A conjunction.
#[derive(Clone, Debug)]
pub struct Condition {
    /// All of it.
    pub span: Span,
    /// Its literals, at least one unless the parse failed.
    pub literals: Vec<Literal>,
}

/// One literal of a condition.
#[derive(Clone, Debug)]
pub struct Literal {
    /// All of it, the `!` included.
    pub span: Span,
    /// `!` stands before it.
    pub negated: bool,
    /// Subject of the literal.
    pub kind: LiteralKind,
}

/// Subject of a literal.
#[derive(Clone, Debug)]
pub enum LiteralKind {
    /// A named boolean.
    Name(String),
    /// An element of a family whose index is no number yet.
    Element(Box<Name>),
    /// `any(..)` or `all(..)`.
    Reduction(Box<Reduction>),
    /// `start`
    Start,
    /// `every(period)` or `every(period, first)`.
    Every(Vec<Expr>),
    /// A comparison.
    Comparison(Box<Comparison>),
    /// Could not be read; already reported.
    Error,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// All of it.
    pub span: Span,
    /// Its description.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(f64),
    /// A quantity (or, as an argument of a procedure that takes one, a boolean).
    Name(String),
    /// An element of a family whose index is no number yet.
    Element(Box<Name>),
    /// `sum(u[j] for j)` and the like.
    Reduction(Box<Reduction>),
    /// `time`
    Time,
    /// `pi`
    Pi,
    /// `(inner)`; kept, because a factor in parentheses is no coefficient.
    Paren(Box<Expr>),
    /// `-inner`
    Neg(Box<Expr>),
    /// `left op right`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `name(args)`
    Call(Box<Name>, Vec<Expr>),
    /// The expression of an element of a family.
    Counted(Counted),
    /// Terms of a reduction over a family.
    Terms(Box<Terms>),
    /// A truth value as an argument: `!name`, `start`, `a < b`, where it cannot be read as a quantity.
    Boolean(Box<Literal>),
    /// Could not be read; already reported.
    Error,
}

/// Operators between two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `^`
    Pow,
}
