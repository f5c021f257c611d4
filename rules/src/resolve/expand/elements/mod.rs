//! Expressions and conditions of one element: counters become numbers, indices become names.

mod cases;
mod flat;
mod observed;
mod patterns;
mod ranged;

pub use self::flat::{Flat, flat};
pub(in crate::resolve) use self::observed::{Parts, with_elements};
pub(super) use self::patterns::Patterns;
use self::ranged::Ranged;
use super::families::{Env, Scope};
use super::{Expander, each_env, index, needed};
use crate::print;
use crate::resolve::merged::Merged;
use crate::source::{Span, Spanned};
use crate::tree::{
    Amount, Comparison, Condition, Equality, Expectation, Expr, ExprKind, Guard, IndexItem, Lab,
    LabField, Literal, LiteralKind, Name, Observed, RateLaw, Reaction, Row, Scheme, Term, Value,
    element_name,
};

impl<'a> Expander<'a> {
    /// Equations and bounds with the counters at their values.
    pub(super) fn solved(
        &mut self,
        equations: &'a [Equality],
        bounds: Option<&'a [Expr; 2]>,
        env: &Env<'a>,
    ) -> Value {
        let equations = equations.iter().map(|one| Equality {
            left: self.expression(&one.left, env),
            right: self.expression(&one.right, env),
        });
        Value::Solve {
            equations: equations.collect(),
            bounds: bounds
                .map(|[low, high]| Box::new([low, high].map(|bound| self.expression(bound, env)))),
        }
    }

    /// The expression with the counters at their values.
    pub(super) fn expression(&mut self, expr: &'a Expr, env: &Env<'a>) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Name(name) => match env.iter().rev().find(|(counter, _)| counter == name) {
                Some((_, value)) => return crate::tree::number(*value, span),
                None => ExprKind::Name(name.clone()),
            },
            ExprKind::Element(name) => ExprKind::Name(self.element_name(name, env)),
            ExprKind::Reduction(reduction) => return self.reduction(reduction, span, env),
            ExprKind::Paren(inner) => ExprKind::Paren(Box::new(self.expression(inner, env))),
            ExprKind::Neg(inner) => ExprKind::Neg(Box::new(self.expression(inner, env))),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(
                *op,
                Box::new(self.expression(left, env)),
                Box::new(self.expression(right, env)),
            ),
            ExprKind::Call(name, args) => {
                let args = args.iter().map(|arg| self.expression(arg, env)).collect();
                ExprKind::Call(name.clone(), args)
            }
            ExprKind::Boolean(literal) => {
                let mut literals = Vec::new();
                self.literal(literal, env, &mut literals);
                // A reduction that is true or false of itself has none, or several.
                match literals.len() {
                    1 => ExprKind::Boolean(Box::new(literals.swap_remove(0))),
                    _ => ExprKind::Boolean(Box::new(self.named_condition(literal, env, literals))),
                }
            }
            ExprKind::Number(_)
            | ExprKind::Time
            | ExprKind::Pi
            | ExprKind::Counted(_)
            | ExprKind::Terms(_)
            | ExprKind::Error => expr.kind.clone(),
        };
        Expr { span, kind }
    }

    /// The name of the element that a name with indices stands for.
    pub(super) fn element_name(&mut self, name: &'a Name, env: &Env<'a>) -> String {
        let Some(index) = &name.index else {
            return name.value.clone();
        };
        let mut indices: smallvec::SmallVec<[i64; 2]> = smallvec::SmallVec::new();
        for item in &index.items {
            let at = match item {
                IndexItem::At(at) => self.values.whole(at, env, super::report::Whole::Index),
                IndexItem::Range(from, _) => {
                    self.values.whole(from, env, super::report::Whole::Index)
                }
            };
            // What has none has been reported by the check.
            indices.extend(self.or_report(at));
        }
        element_name(&index.base, &indices)
    }

    /// The name of an element as the name of something declared or written.
    pub(super) fn name(&mut self, name: &'a Name, env: &Env<'a>) -> Name {
        Name::new(self.element_name(name, env), name.span)
    }

    pub(super) fn condition(&mut self, condition: &'a Condition, env: &Env<'a>) -> Condition {
        let mut literals = Vec::with_capacity(condition.literals.len());
        for literal in &condition.literals {
            self.literal(literal, env, &mut literals);
        }
        if literals.is_empty() {
            // All of nothing.
            literals.push(always(true, condition.span));
        }
        Condition {
            span: condition.span,
            literals,
        }
    }

    /// Adds what a literal becomes: one literal, or those of a conjunction.
    pub(super) fn literal(&mut self, literal: &'a Literal, env: &Env<'a>, into: &mut Vec<Literal>) {
        let kind = match &literal.kind {
            LiteralKind::Element(name) => LiteralKind::Name(self.element_name(name, env)),
            LiteralKind::Reduction(reduction) => {
                return self.condition_over(reduction, literal, env, into);
            }
            LiteralKind::Every(args) => {
                LiteralKind::Every(args.iter().map(|arg| self.expression(arg, env)).collect())
            }
            LiteralKind::Comparison(comparison) => {
                LiteralKind::Comparison(Box::new(self.comparison(comparison, env)))
            }
            LiteralKind::Name(_) | LiteralKind::Start | LiteralKind::Error => literal.kind.clone(),
        };
        into.push(Literal {
            span: literal.span,
            negated: literal.negated,
            kind,
        });
    }

    pub(super) fn comparison(&mut self, comparison: &'a Comparison, env: &Env<'a>) -> Comparison {
        Comparison {
            span: comparison.span,
            left: self.expression(&comparison.left, env),
            op: comparison.op,
            right: self.expression(&comparison.right, env),
        }
    }
}

impl<'a> Expander<'a> {
    /// The expectations with the ranges of their counters.
    pub(super) fn expectations(&mut self, all: &'a [Expectation]) -> Vec<Expectation> {
        let all = all.iter().map(|one| match needed::expectation(one) {
            false => one.clone(),
            true => {
                let what = one.what.rewritten(&mut Ranged::new(self));
                Expectation {
                    span: one.span,
                    text: what.as_ref().map(print::expected).unwrap_or_default(),
                    what,
                }
            }
        });
        all.collect()
    }

    /// A condition over rows of the trajectory, which is written out when it is bound; for people, with the ranges of its
    /// counters.
    pub(super) fn watch(&mut self, condition: &'a Condition) -> Condition {
        match self.for_people {
            true => condition.rewritten(&mut Ranged::new(self)),
            false => condition.clone(),
        }
    }

    /// The exercise with the ranges of its counters.
    pub(super) fn lab(&mut self, lab: &'a Lab) -> Lab {
        let fields = lab.fields.iter().map(|field| LabField {
            of: field.of.rewritten(&mut Ranged::new(self)),
            ..field.clone()
        });
        Lab {
            fields: fields.collect(),
            ..lab.clone()
        }
    }
}

impl<'a> Expander<'a> {
    /// The stages for single elements.
    pub(super) fn scheme(&mut self, merged: &Merged<'a>) -> Scheme {
        let mut reactions = Vec::new();
        for entry in &merged.scheme.reactions {
            let row = entry.row;
            let Some(scope) = self.stage_scope(row) else {
                continue;
            };
            let mut envs: Vec<Env<'a>> = Vec::new();
            each_env(&scope, |env| envs.push(env.clone()));
            for env in envs {
                let at: Vec<i64> = scope
                    .iter()
                    .filter_map(|(name, _)| env.iter().find(|(known, _)| known == name))
                    .map(|(_, value)| *value)
                    .collect();
                let id = match at.is_empty() {
                    true => entry.id.to_string(),
                    false => element_name(&entry.id, &at),
                };
                reactions.push(Row {
                    form: row.form,
                    span: row.span,
                    id: Some(Spanned::new(id, row.span)),
                    place: None,
                    each: None,
                    note: row.note.clone(),
                    body: self.stage(&row.body, &env),
                });
            }
        }
        let formulas = merged.scheme.formulas.as_ref();
        let formulas = formulas.map(|all| all.values().map(|&one| one.clone()).collect());
        Scheme {
            reactions,
            formulas,
        }
    }

    /// The counters of a stage: those behind `for`, and those that its species name.
    fn stage_scope(&mut self, row: &'a Row<Reaction>) -> Option<Scope<'a>> {
        let body = &row.body;
        let species: Vec<&Name> = body
            .left
            .iter()
            .chain(&body.right)
            .map(|term| &term.species)
            .filter(|name| name.index.is_some())
            .collect();
        let mut names: Vec<&str> = Vec::new();
        for name in &species {
            index::each_index_name(name, &mut |counter| names.push(counter));
        }
        let mut scope: Scope<'a> = Vec::new();
        for over in row.each.iter().flat_map(|each| &each.over) {
            let name = over.counter.value.as_str();
            if !names.contains(&name) {
                let target = species.first().map_or("", |name| name.value.as_str());
                self.report(super::report::target_lacks(name, over.counter.span, target));
                return None;
            }
            let extent = match &over.range {
                Some((from, to)) => self.extent(from, to, name),
                None => self.counter(&over.counter),
            };
            scope.push((name, extent?));
        }
        for name in names {
            let known = self.counters.iter().find(|(counter, _)| *counter == name);
            if let Some(counter) = known.copied()
                && !scope.iter().any(|(other, _)| *other == name)
            {
                scope.push(counter);
            }
        }
        Some(scope)
    }

    fn stage(&mut self, body: &'a Reaction, env: &Env<'a>) -> Reaction {
        let mut side = |terms: &'a [Term]| -> Vec<Term> {
            let terms = terms.iter().map(|term| Term {
                amount: match &term.amount {
                    Amount::Constant(name) => Amount::Constant(self.name(name, env)),
                    amount => amount.clone(),
                },
                species: self.name(&term.species, env),
            });
            terms.collect()
        };
        let (left, right) = (side(&body.left), side(&body.right));
        let values = body.law.values().iter();
        let values = values.map(|value| self.expression(value, env)).collect();
        Reaction {
            left,
            right,
            reversible: body.reversible,
            equation: body.equation,
            law: match &body.law {
                RateLaw::MassAction(_) => RateLaw::MassAction(values),
                RateLaw::Rate(_) => RateLaw::Rate(values),
            },
            guard: match &body.guard {
                Guard::When(all) => Guard::When(self.condition(all, env)),
                guard => guard.clone(),
            },
        }
    }
}

/// A literal that always holds, or never. It stands nowhere in the table: its place, where it would, is empty.
pub(super) fn always(truth: bool, place: Span) -> Literal {
    let span = Span {
        end: place.start,
        ..place
    };
    let number = |value| Expr {
        span,
        kind: ExprKind::Number(value),
    };
    let (left, right) = if truth { (0.0, 1.0) } else { (1.0, 0.0) };
    Literal {
        span,
        negated: false,
        kind: LiteralKind::Comparison(Box::new(Comparison {
            span,
            left: number(left),
            op: situ_engine::model::CompareOp::Less,
            right: number(right),
        })),
    }
}
