//! Reductions: sums and the like become expressions, conditions over elements become literals.
//!
//! The order of sums is that of [`reduced`]. What counts only while a condition holds is a real of its own, which is
//! the value while it holds and else 0 (of a least value the largest number, of a greatest the lowest); how many
//! conditions hold is the sum of reals that are 1 and 0. They are not in the output. That one of many
//! conditions holds is a situation with a row for each.

use std::collections::HashSet;

use super::elements::always;
use super::families::{Env, Kind, Scope};
use super::{Expander, each_env, report};
use crate::print;
use crate::source::Span;
use crate::tree::{
    BinaryOp, Combine, Condition, Expr, ExprKind, Literal, LiteralKind, Name, Quantity, Reduction,
    ReductionKind, Relation, Row, Situation, is_within_block, reduced,
};

/// Quantities and rows that reductions need.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) reals: Vec<Quantity>,
    pub(super) situations: Vec<Row<Situation>>,
    pub(super) relations: Vec<Row<Relation>>,
    pub(super) known: HashSet<String>,
    /// The situations that are scanned behind the assignments.
    pub(super) behind: HashSet<String>,
    /// The reals that are 1 and 0, which rows share.
    pub(super) counts: HashSet<String>,
}

impl Parts {
    /// Takes out what has been added and not been written; true if that is anything.
    pub(super) fn take_all(&mut self) -> bool {
        let any = self.reals.len() + self.situations.len() + self.relations.len() > 0;
        (self.reals, self.situations, self.relations) = Default::default();
        any
    }
}

impl<'a> Expander<'a> {
    /// The counters of a reduction with their ranges.
    pub(super) fn reduction_scope(&mut self, reduction: &'a Reduction) -> Option<Scope<'a>> {
        let mut scope = Scope::new();
        for over in &reduction.over {
            let name = over.counter.value.as_str();
            let extent = match &over.range {
                Some((from, to)) => self.extent(from, to, name),
                None => self.counter(&over.counter),
            };
            if scope.iter().any(|(known, _)| *known == name) {
                self.report(report::counted_twice(&over.counter));
                return None;
            }
            scope.push((name, extent?));
        }
        Some(scope)
    }

    /// The elements that a reduction is over, each with its counters.
    fn envs(&mut self, reduction: &'a Reduction, env: &Env<'a>) -> Vec<Env<'a>> {
        let mut envs = Vec::new();
        // What is wrong has been reported by the check.
        if let Some(scope) = self.reduction_scope(reduction) {
            each_env(&scope, |inner| {
                envs.push(env.iter().chain(inner).copied().collect());
            });
        }
        envs
    }

    fn is_real(&self, name: &Name) -> bool {
        let family = self.families.get(name.base());
        family.is_some_and(|family| family.kind == Kind::Real)
    }

    /// The value of a reduction.
    pub(super) fn reduction(
        &mut self,
        reduction: &'a Reduction,
        span: Span,
        env: &Env<'a>,
    ) -> Expr {
        let at = |kind| Expr { span, kind };
        if reduction.kind.is_condition() {
            let literal = Literal {
                span,
                negated: false,
                kind: LiteralKind::Reduction(Box::new(reduction.clone())),
            };
            let mut literals = Vec::new();
            self.condition_over(reduction, &literal, env, &mut literals);
            let one = match literals.len() {
                1 => literals.swap_remove(0),
                _ => self.named_condition(&literal, env, literals),
            };
            return at(ExprKind::Boolean(Box::new(one)));
        }
        let mut values = Vec::new();
        let mut truths = Vec::new();
        let envs = self.envs(reduction, env);
        let n = envs.len();
        for (place, env) in envs.into_iter().enumerate() {
            if reduction.kind == ReductionKind::Number {
                let mut all = Vec::new();
                self.truth(&reduction.body, &env, &mut all);
                if let Some(when) = &reduction.when {
                    all.extend(self.condition(when, &env).literals);
                }
                values.push(self.as_number(all, span));
                continue;
            }
            // A row may take a constant for a coefficient, which has to be seen; a real is none.
            let value = match &reduction.body.kind {
                _ if is_within_block(place, n) => self.counted(&reduction.body, &env),
                ExprKind::Element(name) if self.is_real(name) => {
                    self.counted(&reduction.body, &env)
                }
                _ => self.expression(&reduction.body, &env),
            };
            let Some(when) = &reduction.when else {
                values.push(value);
                continue;
            };
            let all = self.condition(when, &env).literals;
            if reduction.kind != ReductionKind::Sum {
                truths.push(self.as_number(all.clone(), span));
            }
            let absent = match reduction.kind {
                ReductionKind::Min => f64::MAX,
                ReductionKind::Max => f64::MIN,
                _ => 0.0,
            };
            values.push(self.while_holds(value, all, absent, span));
        }
        let count = values.len() as f64;
        let combine = match reduction.kind {
            ReductionKind::Min => Combine::Min,
            ReductionKind::Max => Combine::Max,
            _ => Combine::Sum,
        };
        let result = reduced(values, combine, span);
        let Some(result) = result else {
            return at(ExprKind::Number(0.0));
        };
        let result = in_parentheses(result);
        let present = reduced(truths, Combine::Sum, span);
        let present = present.map(in_parentheses);
        let result = match (reduction.kind, present) {
            (ReductionKind::Mean, Some(present)) => binary(BinaryOp::Div, result, present, span),
            (ReductionKind::Mean, None) => {
                binary(BinaryOp::Div, result, at(ExprKind::Number(count)), span)
            }
            // Without any element it divides by zero, and says so.
            (ReductionKind::Min | ReductionKind::Max, Some(present)) => {
                let one = binary(BinaryOp::Div, present.clone(), present, span);
                binary(BinaryOp::Mul, result, in_parentheses(one), span)
            }
            _ => return result,
        };
        in_parentheses(result)
    }

    /// Adds the literals of `any(..)` or `all(..)`.
    pub(super) fn condition_over(
        &mut self,
        reduction: &'a Reduction,
        literal: &Literal,
        env: &Env<'a>,
        into: &mut Vec<Literal>,
    ) {
        let span = literal.span;
        let exists = reduction.kind == ReductionKind::Any;
        let (mut rows, mut direct) = (Vec::new(), exists == literal.negated);
        for env in self.envs(reduction, env) {
            let mut row = Vec::new();
            self.truth(&reduction.body, &env, &mut row);
            let mut one = self.single(row, reduction.kind, span);
            if !exists {
                one = negated(one);
            }
            let mut row = match &reduction.when {
                Some(when) => self.condition(when, &env).literals,
                None => Vec::new(),
            };
            row.push(one);
            direct &= row.len() == 1;
            rows.push(row);
        }
        let in_row = rows.iter().any(|row| self.reads_switches(row));
        // None of them, which each literal says for itself, unless it were to say so of other switches than `any` reads.
        if direct && !(exists && in_row) {
            into.extend(rows.into_iter().map(|mut row| negated(row.swap_remove(0))));
            return;
        }
        if rows.is_empty() {
            let holds = exists == literal.negated;
            return into.push(always(holds, span));
        }
        // The rows of `all` say when it does not hold.
        let printed = print_reduction(reduction);
        let text = match exists {
            true => printed,
            false => format!("!{printed}"),
        };
        let behind = in_row && !exists;
        let name = self.part_name(text, env, behind);
        self.define(&name, rows, span, behind);
        let named = Literal {
            span,
            negated: exists == literal.negated,
            kind: LiteralKind::Name(name),
        };
        into.push(named);
    }

    /// A situation that stands for a conjunction.
    pub(super) fn named_condition(
        &mut self,
        literal: &Literal,
        env: &Env<'a>,
        literals: Vec<Literal>,
    ) -> Literal {
        let span = literal.span;
        let printed = Condition {
            span,
            literals: vec![literal.clone()],
        };
        // Several literals are all of them.
        let behind = self.is_behind(ReductionKind::All, &literals);
        let name = self.part_name(print::condition(&printed), env, behind);
        self.define(&name, vec![literals], span, behind);
        Literal {
            span,
            negated: false,
            kind: LiteralKind::Name(name),
        }
    }

    /// The literals of an element that is true or false.
    fn truth(&mut self, body: &'a Expr, env: &Env<'a>, into: &mut Vec<Literal>) {
        let (span, negated) = (body.span, false);
        let kind = match &body.kind {
            ExprKind::Boolean(literal) => return self.literal(literal, env, into),
            ExprKind::Paren(inner) => return self.truth(inner, env, into),
            ExprKind::Reduction(reduction) if reduction.kind.is_condition() => {
                let literal = Literal {
                    span,
                    negated,
                    kind: LiteralKind::Reduction(reduction.clone()),
                };
                return self.condition_over(reduction, &literal, env, into);
            }
            ExprKind::Name(name) => LiteralKind::Name(name.clone()),
            ExprKind::Element(name) => LiteralKind::Name(self.element_name(name, env)),
            ExprKind::Call(name, args) if name.value == "every" => {
                LiteralKind::Every(args.iter().map(|arg| self.expression(arg, env)).collect())
            }
            _ => LiteralKind::Error,
        };
        into.push(Literal {
            span,
            negated,
            kind,
        });
    }
}

fn print_reduction(reduction: &Reduction) -> String {
    print::expression(&Expr {
        span: reduction.word,
        kind: ExprKind::Reduction(Box::new(reduction.clone())),
    })
}

/// The literal that says the opposite.
pub(super) fn negated(mut literal: Literal) -> Literal {
    use situ_engine::model::CompareOp;
    match &mut literal.kind {
        LiteralKind::Comparison(comparison) => {
            comparison.op = match comparison.op {
                CompareOp::Less => CompareOp::GreaterEqual,
                CompareOp::LessEqual => CompareOp::Greater,
                CompareOp::Greater => CompareOp::LessEqual,
                CompareOp::GreaterEqual => CompareOp::Less,
            };
        }
        _ => literal.negated = !literal.negated,
    }
    literal
}

fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    Expr {
        span,
        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
    }
}

/// What consists of several parts, as one.
fn in_parentheses(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Binary(..) => Expr {
            span: expr.span,
            kind: ExprKind::Paren(Box::new(expr)),
        },
        _ => expr,
    }
}
