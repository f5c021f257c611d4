//! Texts about runs (`stop_when`, expectations, the exercise) for people to read: each reduction with the ranges of its
//! counters.
//!
//! ```text
//! "any(v[j] > u[N] for j)"  --counters, values-->  "any(v[j] > u[3] for j in 1 .. 3)"
//! ```
//!
//! They are bound to a model as they are, over its rows as they stand after a tick. Written out as rows of the table,
//! their conditions would be as that tick has found them.

use super::super::{Expander, index};
use super::Env;
use crate::tree::{
    Comparison, Condition, Expr, ExprKind, Literal, LiteralKind, Name, Over, Reduction, Rewrite,
};

/// Gives texts their ranges.
pub(super) struct Ranged<'e, 'a> {
    pub(super) expander: &'e mut Expander<'a>,
    /// The counters of the reductions around.
    counters: Vec<&'a str>,
}

impl<'e, 'a> Ranged<'e, 'a> {
    pub(super) fn new(expander: &'e mut Expander<'a>) -> Self {
        let counters = Vec::new();
        Self { expander, counters }
    }

    /// The element that a name stands for; the name itself where a counter is in its indices.
    fn element(&mut self, name: &'a Name) -> Result<String, Name> {
        let mut counts = false;
        index::each_index_name(name, &mut |one| counts |= self.counters.contains(&one));
        match counts {
            true => Err(name.clone()),
            false => Ok(self.expander.element_name(name, &Env::new())),
        }
    }

    fn reduction(&mut self, reduction: &'a Reduction) -> Box<Reduction> {
        let scope = self.expander.reduction_scope(reduction).unwrap_or_default();
        let over = reduction
            .over
            .iter()
            .zip(&scope)
            .map(|(over, (_, extent))| {
                let end = |at| crate::tree::number(at, over.counter.span);
                Over {
                    counter: over.counter.clone(),
                    range: Some((end(extent.from), end(extent.to))),
                }
            });
        let over = over.collect();
        let n_outer = self.counters.len();
        self.counters.extend(scope.iter().map(|(name, _)| *name));
        let body = self.expression(&reduction.body);
        let when = reduction.when.as_ref().map(|when| self.condition(when));
        self.counters.truncate(n_outer);
        Box::new(Reduction {
            kind: reduction.kind,
            word: reduction.word,
            body,
            over,
            when,
        })
    }

    fn literal(&mut self, literal: &'a Literal) -> Literal {
        let kind = match &literal.kind {
            LiteralKind::Element(name) => match self.element(name) {
                Ok(name) => LiteralKind::Name(name),
                Err(name) => LiteralKind::Element(Box::new(name)),
            },
            LiteralKind::Reduction(reduction) => LiteralKind::Reduction(self.reduction(reduction)),
            LiteralKind::Every(args) => {
                LiteralKind::Every(args.iter().map(|arg| self.expression(arg)).collect())
            }
            LiteralKind::Comparison(comparison) => LiteralKind::Comparison(Box::new(Comparison {
                span: comparison.span,
                left: self.expression(&comparison.left),
                op: comparison.op,
                right: self.expression(&comparison.right),
            })),
            LiteralKind::Name(_) | LiteralKind::Start | LiteralKind::Error => literal.kind.clone(),
        };
        Literal { kind, ..*literal }
    }
}

impl<'a> Rewrite<'a> for Ranged<'_, 'a> {
    fn expression(&mut self, expr: &'a Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Element(name) => match self.element(name) {
                Ok(name) => ExprKind::Name(name),
                Err(name) => ExprKind::Element(Box::new(name)),
            },
            ExprKind::Reduction(reduction) => ExprKind::Reduction(self.reduction(reduction)),
            ExprKind::Paren(inner) => ExprKind::Paren(Box::new(self.expression(inner))),
            ExprKind::Neg(inner) => ExprKind::Neg(Box::new(self.expression(inner))),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(
                *op,
                Box::new(self.expression(left)),
                Box::new(self.expression(right)),
            ),
            ExprKind::Call(name, args) => {
                let args = args.iter().map(|arg| self.expression(arg)).collect();
                ExprKind::Call(name.clone(), args)
            }
            ExprKind::Boolean(literal) => ExprKind::Boolean(Box::new(self.literal(literal))),
            ExprKind::Number(_)
            | ExprKind::Name(_)
            | ExprKind::Time
            | ExprKind::Pi
            | ExprKind::Counted(_)
            | ExprKind::Terms(_)
            | ExprKind::Error => expr.kind.clone(),
        };
        Expr {
            span: expr.span,
            kind,
        }
    }

    fn condition(&mut self, condition: &'a Condition) -> Condition {
        let literals = condition.literals.iter();
        Condition {
            span: condition.span,
            literals: literals.map(|literal| self.literal(literal)).collect(),
        }
    }
}
