//! Expressions of elements that stay patterns: what all elements have in common is kept once.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::resolve::expand::Expander;
use crate::resolve::expand::families::{Block, Env, Extent, Scope};
use crate::resolve::expand::index::{Form, each_name, form};
use crate::resolve::merged::Merged;
use crate::tree::{BinaryOp, Counted, Expr, ExprKind, Index, IndexItem, Name, Pattern};

/// Patterns by the place of their expression in the tree; none for those that have to be written out.
#[derive(Default)]
pub(in crate::resolve::expand) struct Patterns {
    known: FxHashMap<*const Expr, Option<Arc<Pattern>>>,
    /// True if expressions may stay patterns: in a table that goes to the binder as it is.
    kept: bool,
}

impl Patterns {
    /// True if what elements have in common stays as it is.
    pub(in crate::resolve::expand) fn kept(&self) -> bool {
        self.kept
    }
}

impl<'a> Expander<'a> {
    /// Keeps patterns, unless there are parts: names within these are changed when they join the table.
    pub(in crate::resolve::expand) fn with_patterns(mut self, merged: &Merged<'a>) -> Self {
        self.patterns.kept = merged.parts.is_empty();
        self
    }

    /// The form of an expression for all elements of a block, as that of the first; `None` if there is none.
    pub(in crate::resolve::expand) fn common(
        &mut self,
        expr: &'a Expr,
        first: &Env<'a>,
        block: &Block,
    ) -> Option<Expr> {
        let is_small = |at: i64| i32::try_from(at).is_ok();
        let mut extents = block.iter();
        let is_small = extents.all(|extent| is_small(extent.from) && is_small(extent.to));
        if !self.patterns.kept || !is_small {
            return None;
        }
        let counted = self.counted_by(expr, first)?;
        let (span, kind) = (expr.span, ExprKind::Counted(counted));
        Some(Expr { span, kind })
    }

    /// The expression of an element; as a pattern, if it can be one.
    pub(in crate::resolve::expand) fn counted(&mut self, expr: &'a Expr, env: &Env<'a>) -> Expr {
        let is_leaf = match &expr.kind {
            ExprKind::Number(_) | ExprKind::Time | ExprKind::Pi | ExprKind::Error => true,
            ExprKind::Name(name) => env.iter().any(|(counter, _)| counter == name),
            _ => false,
        };
        if !self.patterns.kept || env.is_empty() || is_leaf {
            return self.expression(expr, env);
        }
        let counted = self.counted_by(expr, env);
        match counted {
            Some(counted) => Expr {
                span: expr.span,
                kind: ExprKind::Counted(counted),
            },
            None => self.expression(expr, env),
        }
    }

    /// The pattern of an expression with values of the counters.
    fn counted_by(&mut self, expr: &'a Expr, env: &Env<'a>) -> Option<Counted> {
        let known = self.patterns.known.get(&std::ptr::from_ref(expr));
        let pattern = match known {
            Some(pattern) => pattern.clone(),
            None => {
                let pattern = self.pattern(expr, env);
                let place = std::ptr::from_ref(expr);
                self.patterns.known.insert(place, pattern.clone());
                pattern
            }
        };
        pattern.and_then(|pattern| {
            let value = |name: &String| {
                let known = env.iter().rev().find(|(counter, _)| counter == name);
                known.map_or(0, |(_, value)| *value)
            };
            Counted::new(Arc::clone(&pattern), pattern.counters().iter().map(value))
        })
    }

    /// The pattern of an expression; `None` if it is none.
    fn pattern(&mut self, expr: &'a Expr, env: &Env<'a>) -> Option<Arc<Pattern>> {
        let mut counters: Vec<String> = Vec::new();
        each_name(expr, &mut |name| {
            let is_counter = env.iter().any(|(counter, _)| *counter == name);
            if is_counter && !counters.iter().any(|known| known == name) {
                counters.push(name.to_owned());
            }
        });
        let scope: Scope<'a> = env
            .iter()
            .map(|(counter, value)| (*counter, Extent::one(*value)))
            .collect();
        Pattern::new(self.normal(expr, &scope)?, counters)
    }

    /// The expression with indices of one form.
    fn normal(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<Expr> {
        let mut boxed = |inner: &'a Expr| self.normal(inner, scope).map(Box::new);
        let kind = match &expr.kind {
            ExprKind::Paren(inner) => ExprKind::Paren(boxed(inner)?),
            ExprKind::Neg(inner) => ExprKind::Neg(boxed(inner)?),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left)?, boxed(right)?),
            ExprKind::Call(name, args) => {
                let args = args.iter().map(|arg| self.normal(arg, scope));
                ExprKind::Call(name.clone(), args.collect::<Option<_>>()?)
            }
            ExprKind::Element(name) => ExprKind::Element(Box::new(self.normal_name(name, scope)?)),
            ExprKind::Reduction(_)
            | ExprKind::Boolean(_)
            | ExprKind::Counted(_)
            | ExprKind::Terms(_) => return None,
            ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Time
            | ExprKind::Pi
            | ExprKind::Error => expr.kind.clone(),
        };
        Some(Expr {
            span: expr.span,
            kind,
        })
    }

    /// The name with indices of one form.
    pub(in crate::resolve::expand) fn normal_name(
        &mut self,
        name: &'a Name,
        scope: &Scope<'a>,
    ) -> Option<Name> {
        let index = name.index.as_deref()?;
        let mut items = Vec::new();
        for item in &index.items {
            let IndexItem::At(at) = item else { return None };
            let span = at.span;
            let expr = |kind| Expr { span, kind };
            let fixed = |value: i64| expr(ExprKind::Number(value as f64));
            items.push(IndexItem::At(match form(at, scope, &mut self.values) {
                Ok(Form::Fixed(at)) => fixed(at),
                Ok(Form::Counter(counter, _, by)) => {
                    let counter = expr(ExprKind::Name(counter.to_owned()));
                    let (counter, by) = (Box::new(counter), Box::new(fixed(by)));
                    expr(ExprKind::Binary(BinaryOp::Add, counter, by))
                }
                Ok(Form::Network(_)) | Err(_) => return None,
            }));
        }
        let base = index.base.clone();
        Some(Name {
            index: Some(Box::new(Index { base, items })),
            ..name.clone()
        })
    }
}
