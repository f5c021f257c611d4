//! Equations of rows that are solved, and the rates that they may be solved for.

use super::{BinaryOp, Expr, ExprKind, Value};

/// `left = right`, something that holds.
#[derive(Clone, Debug)]
pub struct Equality {
    /// Left side.
    pub left: Expr,
    /// Right side.
    pub right: Expr,
}

impl Equality {
    /// Both sides as one expression, which vanishes where the equation holds.
    pub fn residual(&self) -> Expr {
        Expr {
            span: self.left.span.to(self.right.span),
            kind: ExprKind::Binary(
                BinaryOp::Sub,
                Box::new(self.left.clone()),
                Box::new(self.right.clone()),
            ),
        }
    }
}

/// Name of the rate of a real, for which rows may solve: `rate(x)`.
pub fn rate_name(real: &str) -> String {
    format!("rate({real})")
}

/// The real of which this is the rate.
pub fn real_of_rate(name: &str) -> Option<&str> {
    name.strip_prefix("rate(")?.strip_suffix(')')
}

impl Value {
    /// The expressions of which its value is computed, without coefficients; of a row that is solved both sides of its
    /// equations, and its bounds.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Exprs(values) => values.iter().collect(),
            Self::Columns { args, .. } => args.iter().collect(),
            Self::Family(_) => Vec::new(),
            Self::Solve { equations, bounds } => {
                let sides = equations.iter().flat_map(|one| [&one.left, &one.right]);
                sides
                    .chain(bounds.iter().flat_map(|bounds| bounds.iter()))
                    .collect()
            }
        }
    }
}
