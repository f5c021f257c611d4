//! Binding: expressions, conditions and calls of the tree become those of the model.
//!
//! [`Binder`] knows what may stand where: a number or a condition, something known before the run,
//! a procedure without memory, a coefficient. What it cannot bind it reports and replaces by
//! something harmless, so that one pass finds every mistake.

mod calls;
mod conditions;
mod family;
mod shared;

use std::collections::HashMap;

use indexmap::IndexMap;
use situ_engine::ids::{ExprId, LookupId, RangeId, RealId, ScheduleId, SwitchId};
use situ_engine::model::{self, Argument, Coefficient, Model, Setting};
use situ_engine::procedure::ProcedureId;
use smallvec::SmallVec;

use self::calls::bit;
use self::family::FamilyExprs;
use self::shared::Recent;
use super::desugar::OPERATORS;
use super::names::{Scope, Unknown};
use super::report;
use super::symbol::{Declared, Known, Symbol, UnknownName, Use};
use crate::diag::Diagnostic;
use crate::lex::{self, FLUX};
use crate::source::{Origins, SourceMap, Span};
use crate::tree::{self, BinaryOp, ExprKind, Name, SettingValue};

/// Binds parts of trees to names and adds what they become to a model.
pub(in crate::resolve) struct Binder<'s> {
    pub(in crate::resolve) scope: &'s Scope<'s>,
    pub(in crate::resolve) model: &'s mut Model,
    pub(in crate::resolve) origins: &'s mut Origins,
    pub(in crate::resolve) sources: &'s SourceMap,
    pub(in crate::resolve) diagnostics: Vec<Diagnostic>,
    recent: Recent,
    families: FamilyExprs,
    unknown: Unknown,
    /// True if nothing was passed over because the reader could not read it.
    complete: bool,
    /// Number of expressions that could not be bound.
    n_missing: usize,
    /// Unknown procedures: where they are reported, and how often they are used.
    unknown_procedures: IndexMap<String, (usize, usize)>,
    comparisons: HashMap<String, RangeId>,
    schedules: HashMap<String, ScheduleId>,
    /// Conditions of which one holds, by the name that stands for them in a text.
    pub(in crate::resolve) alternatives: HashMap<String, Vec<tree::Condition>>,
    /// True where `rate(x)` may be read: in rows that are solved, and in what is asked of a model.
    pub(in crate::resolve) reads_rates: bool,
    /// True in what a delay takes in.
    in_delay: bool,
}

/// A call as the model has it.
pub(in crate::resolve) struct BoundCall {
    pub(in crate::resolve) procedure: ProcedureId,
    pub(in crate::resolve) coef: Coefficient,
    pub(in crate::resolve) args: SmallVec<[Argument; 2]>,
    pub(in crate::resolve) coef2: Coefficient,
}

impl<'s> Binder<'s> {
    pub(in crate::resolve) fn new(
        scope: &'s Scope<'s>,
        model: &'s mut Model,
        origins: &'s mut Origins,
        sources: &'s SourceMap,
    ) -> Self {
        Self {
            scope,
            model,
            origins,
            sources,
            diagnostics: Vec::new(),
            recent: Recent::default(),
            families: FamilyExprs::default(),
            unknown: Unknown::default(),
            complete: true,
            n_missing: 0,
            unknown_procedures: IndexMap::new(),
            comparisons: HashMap::new(),
            schedules: HashMap::new(),
            alternatives: HashMap::new(),
            reads_rates: true,
            in_delay: false,
        }
    }

    /// The names that nothing declares, the other reports, and whether nothing was passed over because
    /// the reader could not read it.
    pub(in crate::resolve) fn finish(mut self) -> (Vec<UnknownName>, Vec<Diagnostic>, bool) {
        for (index, n_uses) in self.unknown_procedures.into_values() {
            report::count_uses(&mut self.diagnostics[index], n_uses);
        }
        (self.unknown.into_names(), self.diagnostics, self.complete)
    }

    /// Stands for an expression that could not be bound; a model with it is never handed on.
    fn missing(&mut self) -> model::Expr {
        self.n_missing += 1;
        model::Expr::Number(f64::NAN)
    }

    /// Passes over something that the reader could not read.
    pub(in crate::resolve) fn unread<T>(&mut self) -> Option<T> {
        self.complete = false;
        None
    }

    /// Notes that a list which cannot be empty is: the reader could not read what stands there.
    pub(in crate::resolve) fn wants_some<T>(&mut self, list: &[T]) {
        self.complete &= !list.is_empty();
    }

    /// An expression over quantities.
    pub(in crate::resolve) fn expr(&mut self, expr: &tree::Expr, known: Known) -> ExprId {
        let node = match &expr.kind {
            ExprKind::Number(value) => model::Expr::Number(*value),
            ExprKind::Pi => model::Expr::Number(std::f64::consts::PI),
            ExprKind::Time if known.is_timed() => model::Expr::Time,
            ExprKind::Time => {
                self.diagnostics
                    .push(report::not_known_before(expr.span, "time", known, None));
                self.missing()
            }
            ExprKind::Name(name) => self.quantity(name, expr.span, known),
            ExprKind::Paren(inner) => return self.expr(inner, known),
            ExprKind::Neg(inner) => match &inner.kind {
                ExprKind::Number(value) => model::Expr::Number(-value),
                _ => model::Expr::Neg(self.expr(inner, known)),
            },
            ExprKind::Binary(op, left, right) => {
                let left = self.expr(left, known);
                let right = self.expr(right, known);
                binary(*op, left, right)
            }
            ExprKind::Call(name, args) => match self.inner_call(name, args, known) {
                Some(call) => call,
                None => self.missing(),
            },
            ExprKind::Counted(counted) => {
                return match self.counted(counted, known) {
                    Some(bound) => bound,
                    None => self.expr(&counted.written_out(), known),
                };
            }
            ExprKind::Terms(terms) => return self.expr(&terms.combined(expr.span), known),
            ExprKind::Boolean(_) => {
                self.diagnostics
                    .push(report::condition_for_number(expr.span, None));
                self.missing()
            }
            ExprKind::Element(_) | ExprKind::Reduction(_) => {
                self.diagnostics.push(report::not_written_out(expr.span));
                self.missing()
            }
            ExprKind::Error => {
                self.complete = false;
                self.missing()
            }
        };
        self.push(node)
    }

    /// Adds a node of an expression.
    pub(in crate::resolve) fn push(&mut self, node: model::Expr) -> ExprId {
        self.recent.push(&mut self.model.exprs, node)
    }

    fn quantity(&mut self, name: &str, span: Span, known: Known) -> model::Expr {
        let Some(declared) = self.scope.get(name) else {
            return match name.strip_prefix(FLUX) {
                Some(inside) => self.flux(name, inside.trim_end_matches(')'), span, known),
                None => {
                    self.unknown.add(name, span, Use::Value);
                    self.missing()
                }
            };
        };
        match declared.symbol {
            Symbol::Constant(id) => model::Expr::Constant(id),
            Symbol::Real(_) if known == Known::InPast => {
                self.diagnostics
                    .push(report::past_reads(span, name, &declared));
                self.missing()
            }
            Symbol::Real(_) if known == Known::Before => {
                self.diagnostics
                    .push(report::not_known_before(span, name, known, declared.span));
                self.missing()
            }
            Symbol::Real(id) => model::Expr::Real(id),
            Symbol::Switch(_) | Symbol::Range(_) | Symbol::Situation(_) => {
                self.diagnostics
                    .push(report::condition_for_number(span, Some((name, declared))));
                self.missing()
            }
            Symbol::Lookup(id) if known == Known::InPast && self.is_curve(id) => {
                let time = self.push(model::Expr::Time);
                model::Expr::Lookup(id, [time][..].into())
            }
            Symbol::Lookup(id) => {
                let lookup = &self.model.lookups[id.index()];
                self.diagnostics
                    .push(report::lookup_without_arguments(span, lookup, declared));
                self.missing()
            }
            Symbol::Invariant => {
                self.diagnostics
                    .push(report::invariant_used(span, name, declared));
                self.missing()
            }
            Symbol::Unusable => {
                self.complete = false;
                self.missing()
            }
        }
    }

    /// True if a lookup has one argument; also if its points could not be read.
    fn is_curve(&self, id: LookupId) -> bool {
        let lookup = self.model.lookups.get(id.index());
        lookup.is_none_or(|lookup| lookup.interpolation.n_args() == 1)
    }

    /// `flux(x)` where there is no stage `x`: a lookup of that name with its argument.
    fn flux(&mut self, name: &str, inside: &str, span: Span, known: Known) -> model::Expr {
        let Some(id) = self.lookup(&FLUX[..FLUX.len() - 1]) else {
            let stages = self.scope.iter().filter(|known| known.starts_with(FLUX));
            let report = report::no_such_stage(name, span, stages);
            self.diagnostics.push(report);
            return self.missing();
        };
        let argument = match lex::number(inside) {
            Ok(number) => model::Expr::Number(number),
            Err(_) => self.quantity(inside, span, known),
        };
        let argument = self.push(argument);
        model::Expr::Lookup(id, [argument][..].into())
    }

    /// A real that a relation writes.
    pub(in crate::resolve) fn target(&mut self, name: &Name) -> Result<RealId, Refused> {
        let Some(declared) = self.scope.get(&name.value) else {
            self.unknown.add(&name.value, name.span, Use::Written);
            return Err(Refused::Reported);
        };
        match declared.symbol {
            Symbol::Real(id) => Ok(id),
            Symbol::Unusable => {
                self.complete = false;
                Err(Refused::Reported)
            }
            _ => Err(Refused::Kind(declared)),
        }
    }

    /// A switch that an assignment sets.
    pub(in crate::resolve) fn switch(&mut self, name: &Name) -> Option<SwitchId> {
        let Some(declared) = self.scope.get(&name.value) else {
            self.unknown.add(&name.value, name.span, Use::Set);
            return None;
        };
        match declared.symbol {
            Symbol::Switch(id) => Some(id),
            Symbol::Unusable => self.unread(),
            _ => {
                self.diagnostics.push(report::not_a_switch(name, declared));
                None
            }
        }
    }

    /// A changed start value.
    pub(in crate::resolve) fn setting(&mut self, setting: &tree::Setting) -> Option<Setting> {
        let name = &setting.name;
        let Some(declared) = self.scope.get(&name.value) else {
            self.unknown.add(&name.value, name.span, Use::Setting);
            return None;
        };
        match (declared.symbol, &setting.value) {
            (Symbol::Constant(id), SettingValue::Expr(value)) => {
                Some(Setting::Constant(id, self.expr(value, Known::AtStart)))
            }
            (Symbol::Real(id), SettingValue::Expr(value)) => {
                Some(Setting::Real(id, self.expr(value, Known::AtStart)))
            }
            (Symbol::Switch(id), SettingValue::Bool(value)) => {
                Some(Setting::Switch(id, value.value))
            }
            // As booleans stand in the output.
            (Symbol::Switch(id), SettingValue::Expr(value)) if let Some(bit) = bit(value) => {
                Some(Setting::Switch(id, bit))
            }
            (Symbol::Unusable, _) => self.unread(),
            (_, SettingValue::Expr(value)) if matches!(value.kind, ExprKind::Error) => {
                self.unread()
            }
            (symbol, value) => {
                let span = match value {
                    _ if !symbol.is_settable() => name.span,
                    SettingValue::Bool(value) => value.span,
                    SettingValue::Expr(value) => value.span,
                };
                self.diagnostics
                    .push(report::setting_kind(name, span, declared));
                None
            }
        }
    }
}

fn binary(op: BinaryOp, left: ExprId, right: ExprId) -> model::Expr {
    match op {
        BinaryOp::Add => model::Expr::Add(left, right),
        BinaryOp::Sub => model::Expr::Sub(left, right),
        BinaryOp::Mul => model::Expr::Mul(left, right),
        BinaryOp::Div => model::Expr::Div(left, right),
        BinaryOp::Pow => model::Expr::Call(OPERATORS.power, [left, right][..].into()),
    }
}

/// Why a name cannot be written.
pub(in crate::resolve) enum Refused {
    /// A report is made already.
    Reported,
    /// It is no real.
    Kind(Declared),
}
