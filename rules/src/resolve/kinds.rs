//! Binding: expressions, conditions and calls of the tree become those of the model.
//!
//! [`Binder`] knows what may stand where: a number or a condition, something known before the run,
//! a procedure without memory, a coefficient. What it cannot bind it reports and replaces by
//! something harmless, so that one pass finds every mistake.

use std::collections::HashMap;

use indexmap::IndexMap;
use situ_engine::ids::{ExprId, RangeId, RealId, ScheduleId, SwitchId};
use situ_engine::model::{
    self, Argument, Boolean, Coefficient, Comparison, Conjunction, Literal, Model, Schedule,
    Setting, Watch, WatchLiteral,
};
use situ_engine::procedure::{CoefRole, ParamKind, Procedure, ProcedureId};
use smallvec::{SmallVec, smallvec};

use super::desugar::{Arg, Call, Called, Coef, OPERATORS};
use super::names::{Declared, Scope, Symbol, Unknown, UnknownName, Use};
use super::report;
use crate::diag::Diagnostic;
use crate::print;
use crate::source::{Origins, SourceMap, Span};
use crate::tree::{self, BinaryOp, ExprKind, LiteralKind, Name, SettingValue};

/// Binds parts of trees to names and adds what they become to a model.
pub(super) struct Binder<'s, 'a> {
    pub(super) scope: &'s Scope<'s>,
    pub(super) model: &'s mut Model,
    pub(super) origins: &'s mut Origins,
    pub(super) sources: &'s SourceMap,
    pub(super) diagnostics: Vec<Diagnostic>,
    unknown: Unknown<'a>,
    /// Whether nothing was passed over because the reader could not read it.
    complete: bool,
    /// How many expressions could not be bound.
    n_missing: usize,
    /// Unknown procedures: where they are reported, and how often they are used.
    unknown_procedures: IndexMap<&'a str, (usize, usize)>,
    comparisons: HashMap<String, RangeId>,
    schedules: HashMap<String, ScheduleId>,
}

/// When the value of an expression must be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// While it runs: anything may stand in it.
    Running,
    /// At the start: constants and start values of reals.
    AtStart,
    /// Before the start: constants only.
    Before,
}

/// A call as the model has it.
pub(super) struct BoundCall {
    pub(super) procedure: ProcedureId,
    pub(super) coef: Coefficient,
    pub(super) args: SmallVec<[Argument; 2]>,
    pub(super) coef2: Coefficient,
}

impl<'s, 'a> Binder<'s, 'a> {
    pub(super) fn new(
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
            unknown: Unknown::default(),
            complete: true,
            n_missing: 0,
            unknown_procedures: IndexMap::new(),
            comparisons: HashMap::new(),
            schedules: HashMap::new(),
        }
    }

    /// The names that nothing declares, the other reports, and whether nothing was passed over because
    /// the reader could not read it.
    pub(super) fn finish(mut self) -> (Vec<UnknownName<'a>>, Vec<Diagnostic>, bool) {
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
    pub(super) fn unread<T>(&mut self) -> Option<T> {
        self.complete = false;
        None
    }

    /// Notes that a list which cannot be empty is: the reader could not read what stands there.
    pub(super) fn wants_some<T>(&mut self, list: &[T]) {
        self.complete &= !list.is_empty();
    }

    /// A row's procedure with coefficients and arguments; `None` if nothing can be made of it.
    pub(super) fn call(&mut self, call: &Call<'a>, row: Span) -> Option<BoundCall> {
        let procedure = match call.procedure {
            Called::Operator(id) => id,
            Called::Named(name, span) => match self.procedure(name, span) {
                Some(id) => id,
                None => {
                    let args = call.args.iter().map(|arg| arg.expr);
                    let coefs = call.coef.atom.into_iter().chain(call.coef2.atom);
                    return self.look_through(args.chain(coefs));
                }
            },
        };
        let description = procedure.get();
        let span = match call.procedure {
            Called::Operator(_) => row,
            Called::Named(_, span) => span,
        };
        let coef = self.coefficient(&call.coef, description, span);
        let coef2 = match call.coef2.atom {
            Some(atom) if description.coef != CoefRole::ScalesBoth => {
                self.diagnostics
                    .push(report::no_second_coefficient(atom.span, description));
                Some(Coefficient::ONE)
            }
            _ => self.factor(&call.coef2, description),
        };
        let n_args = call.args.len();
        if n_args < description.required() || n_args > description.params.len() {
            let n_written =
                n_args + usize::from(is_parameter(description) && call.coef.atom.is_some());
            let comma = self.decimal_comma(call.args.iter().map(|arg| arg.expr));
            self.diagnostics
                .push(report::argument_count(span, n_written, description, comma));
            return self.look_through(call.args.iter().map(|arg| arg.expr));
        }
        let mut args: SmallVec<[Argument; 2]> = SmallVec::with_capacity(description.params.len());
        for (index, param) in description.params.iter().enumerate() {
            let Some(arg) = call.args.get(index) else {
                let value = param.default.expect("arguments left out have a value");
                let value = self.model.exprs.push(model::Expr::Number(value));
                args.push(Argument::Real(value));
                continue;
            };
            match param.kind {
                ParamKind::Real => args.push(Argument::Real(self.arg(arg, Known::Running))),
                ParamKind::Constant => args.push(Argument::Real(self.arg(arg, Known::Before))),
                ParamKind::Boolean => {
                    args.extend(self.condition_arg(arg.expr).map(Argument::Boolean));
                }
            }
        }
        if args.len() < description.params.len() {
            return None;
        }
        Some(BoundCall {
            procedure,
            coef: coef?,
            args,
            coef2: coef2?,
        })
    }

    /// The coefficient of a row, as far as its procedure takes one.
    fn coefficient(
        &mut self,
        coef: &Coef<'a>,
        procedure: &'static Procedure,
        span: Span,
    ) -> Option<Coefficient> {
        match (procedure.coef, coef.atom) {
            (CoefRole::Parameter(name), None) => {
                self.diagnostics
                    .push(report::missing_parameter(span, name, procedure));
                None
            }
            (CoefRole::Unused, atom) => {
                let bound = self.factor(coef, procedure)?;
                if bound != Coefficient::ONE {
                    let span = atom.map_or(span, |atom| atom.span);
                    self.diagnostics
                        .push(report::no_coefficient(span, procedure));
                }
                Some(Coefficient::ONE)
            }
            _ => self.factor(coef, procedure),
        }
    }

    /// A number or a constant, with a sign.
    fn factor(&mut self, coef: &Coef<'a>, of: &'static Procedure) -> Option<Coefficient> {
        let mut negative = coef.negative;
        let Some(mut atom) = coef.atom else {
            return Some(Coefficient::Number(if negative { -1.0 } else { 1.0 }));
        };
        while let ExprKind::Neg(inner) = &atom.kind {
            negative = !negative;
            atom = inner;
        }
        let number = |value: f64| Coefficient::Number(if negative { -value } else { value });
        match &atom.kind {
            ExprKind::Number(value) => Some(number(*value)),
            ExprKind::Pi => Some(number(std::f64::consts::PI)),
            ExprKind::Name(name) => match self.scope.get(name) {
                None => {
                    self.unknown.add(name, atom.span, Use::Value);
                    None
                }
                Some(Declared {
                    symbol: Symbol::Constant(id),
                    ..
                }) => Some(Coefficient::Constant { id, negative }),
                Some(Declared {
                    symbol: Symbol::Unusable,
                    ..
                }) => self.unread(),
                Some(declared) => {
                    self.diagnostics
                        .push(report::variable_coefficient(atom.span, name, declared, of));
                    None
                }
            },
            ExprKind::Error => self.unread(),
            _ => {
                self.diagnostics
                    .push(report::compound_coefficient(atom.span, of));
                None
            }
        }
    }

    fn arg(&mut self, arg: &Arg<'a>, known: Known) -> ExprId {
        if arg.without_minus {
            self.without_leading_minus(arg.expr, known)
        } else {
            self.expr(arg.expr, known)
        }
    }

    /// An argument that is a condition.
    fn condition_arg(&mut self, expr: &'a tree::Expr) -> Option<Literal> {
        let plain = |what| {
            Some(Literal {
                what,
                negated: false,
            })
        };
        match &expr.kind {
            ExprKind::Paren(inner) => self.condition_arg(inner),
            ExprKind::Name(name) => plain(self.boolean(name, expr.span)?),
            ExprKind::Boolean(literal) => self.literal(literal),
            ExprKind::Call(name, args) if name.value == "every" => {
                plain(self.schedule(args, expr.span)?)
            }
            ExprKind::Error => self.unread(),
            _ => {
                self.diagnostics
                    .push(report::number_for_condition(expr.span));
                None
            }
        }
    }

    /// An expression without the minus at its very start.
    fn without_leading_minus(&mut self, expr: &'a tree::Expr, known: Known) -> ExprId {
        match &expr.kind {
            ExprKind::Neg(inner) => self.expr(inner, known),
            ExprKind::Binary(op, left, right) => {
                let left = self.without_leading_minus(left, known);
                let right = self.expr(right, known);
                self.binary(*op, left, right)
            }
            _ => self.expr(expr, known),
        }
    }

    /// An expression over quantities.
    pub(super) fn expr(&mut self, expr: &'a tree::Expr, known: Known) -> ExprId {
        let node = match &expr.kind {
            ExprKind::Number(value) => model::Expr::Number(*value),
            ExprKind::Pi => model::Expr::Number(std::f64::consts::PI),
            ExprKind::Time if known == Known::Running => model::Expr::Time,
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
                return self.binary(*op, left, right);
            }
            ExprKind::Call(name, args) => match self.inner_call(name, args, known) {
                Some(call) => call,
                None => self.missing(),
            },
            ExprKind::Boolean(_) => {
                self.diagnostics
                    .push(report::condition_for_number(expr.span, None));
                self.missing()
            }
            ExprKind::Error => {
                self.complete = false;
                self.missing()
            }
        };
        self.model.exprs.push(node)
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.model.exprs.push(match op {
            BinaryOp::Add => model::Expr::Add(left, right),
            BinaryOp::Sub => model::Expr::Sub(left, right),
            BinaryOp::Mul => model::Expr::Mul(left, right),
            BinaryOp::Div => model::Expr::Div(left, right),
            BinaryOp::Pow => model::Expr::Call(OPERATORS.power, smallvec![left, right]),
        })
    }

    fn quantity(&mut self, name: &'a str, span: Span, known: Known) -> model::Expr {
        let Some(declared) = self.scope.get(name) else {
            self.unknown.add(name, span, Use::Value);
            return self.missing();
        };
        match declared.symbol {
            Symbol::Constant(id) => model::Expr::Constant(id),
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

    /// A call inside an expression.
    fn inner_call(
        &mut self,
        name: &'a Name,
        args: &'a [tree::Expr],
        known: Known,
    ) -> Option<model::Expr> {
        let Some(id) = self.procedure(&name.value, name.span) else {
            return self.look_through(args);
        };
        let procedure = id.get();
        if procedure.has_memory() {
            self.diagnostics
                .push(report::memory_inside(name, procedure));
            return self.look_through(args);
        }
        if args.len() < procedure.required() || args.len() > procedure.params.len() {
            let comma = self.decimal_comma(args);
            self.diagnostics.push(report::argument_count(
                name.span,
                args.len(),
                procedure,
                comma,
            ));
            return self.look_through(args);
        }
        let mut bound: SmallVec<[ExprId; 3]> =
            args.iter().map(|arg| self.expr(arg, known)).collect();
        for param in &procedure.params[args.len()..] {
            let value = param.default.expect("arguments left out have a value");
            bound.push(self.model.exprs.push(model::Expr::Number(value)));
        }
        Some(model::Expr::Call(id, bound))
    }

    /// The first comma among arguments that stands right between two numbers, as in `9,81`.
    fn decimal_comma(&self, args: impl IntoIterator<Item = &'a tree::Expr>) -> Option<Span> {
        let mut left: Option<Span> = None;
        for arg in args {
            if let (Some(left), ExprKind::Number(_)) = (left, &arg.kind) {
                let gap = Span {
                    start: left.end,
                    end: arg.span.start,
                    ..left
                };
                if gap.start < gap.end && self.sources.text(gap) == "," {
                    return Some(gap);
                }
            }
            let mut last = arg;
            while let ExprKind::Neg(inner) | ExprKind::Binary(_, _, inner) = &last.kind {
                last = inner;
            }
            left = matches!(last.kind, ExprKind::Number(_)).then_some(last.span);
        }
        None
    }

    /// Reports what is wrong with arguments whatever they are arguments of; gives `None`.
    fn look_through<T>(&mut self, args: impl IntoIterator<Item = &'a tree::Expr>) -> Option<T> {
        for arg in args {
            match &arg.kind {
                ExprKind::Name(name) if self.scope.get(name).is_none() => {
                    self.unknown.add(name, arg.span, Use::Value);
                }
                ExprKind::Name(_) | ExprKind::Time => {}
                ExprKind::Boolean(literal) => {
                    self.literal(literal);
                }
                _ => {
                    self.expr(arg, Known::Running);
                }
            }
        }
        None
    }

    /// The procedure of a name; an unknown one is reported at its first use only.
    fn procedure(&mut self, name: &'a str, span: Span) -> Option<ProcedureId> {
        let found = ProcedureId::named(name);
        if found.is_none() {
            let (_, n_uses) = self.unknown_procedures.entry(name).or_insert_with(|| {
                let declared = self.scope.get(name);
                self.diagnostics.push(report::unknown_procedure(
                    name,
                    span,
                    declared,
                    self.sources,
                ));
                (self.diagnostics.len() - 1, 0)
            });
            *n_uses += 1;
        }
        found
    }

    /// A real that a relation writes.
    pub(super) fn target(&mut self, name: &'a Name) -> Result<RealId, Refused> {
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
    pub(super) fn switch(&mut self, name: &'a Name) -> Option<SwitchId> {
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

    /// A conjunction; literals that cannot be bound are left out.
    pub(super) fn conjunction(&mut self, condition: &'a tree::Condition) -> Conjunction {
        self.wants_some(&condition.literals);
        condition
            .literals
            .iter()
            .filter_map(|literal| self.literal(literal))
            .collect()
    }

    /// One literal of a condition of the model.
    pub(super) fn literal(&mut self, literal: &'a tree::Literal) -> Option<Literal> {
        let what = match &literal.kind {
            LiteralKind::Comparison(comparison) => Boolean::Range(self.anonymous_range(comparison)),
            _ => self.named_literal(literal)?,
        };
        Some(Literal {
            what,
            negated: literal.negated,
        })
    }

    /// A condition over rows of the trajectory.
    pub(super) fn watch(&mut self, condition: &'a tree::Condition) -> Watch {
        self.wants_some(&condition.literals);
        let literals = condition.literals.iter();
        literals
            .filter_map(|literal| match &literal.kind {
                LiteralKind::Comparison(comparison) => {
                    Some(WatchLiteral::Comparison(self.comparison(comparison)))
                }
                _ => {
                    let what = self.named_literal(literal)?;
                    Some(WatchLiteral::Boolean(Literal {
                        what,
                        negated: literal.negated,
                    }))
                }
            })
            .collect()
    }

    fn named_literal(&mut self, literal: &'a tree::Literal) -> Option<Boolean> {
        match &literal.kind {
            LiteralKind::Name(name) => self.boolean(name, literal.span),
            LiteralKind::Start => Some(Boolean::Start),
            LiteralKind::Every(args) => self.schedule(args, literal.span),
            LiteralKind::Comparison(_) | LiteralKind::Error => self.unread(),
        }
    }

    fn boolean(&mut self, name: &'a str, span: Span) -> Option<Boolean> {
        let Some(declared) = self.scope.get(name) else {
            self.unknown.add(name, span, Use::Condition);
            return None;
        };
        match declared.symbol {
            Symbol::Switch(id) => Some(Boolean::Switch(id)),
            Symbol::Range(id) => Some(Boolean::Range(id)),
            Symbol::Situation(id) => Some(Boolean::Situation(id)),
            Symbol::Constant(_) | Symbol::Real(_) => {
                self.diagnostics
                    .push(report::quantity_for_condition(span, name, declared));
                None
            }
            Symbol::Invariant => {
                self.diagnostics
                    .push(report::invariant_used(span, name, declared));
                None
            }
            Symbol::Unusable => self.unread(),
        }
    }

    pub(super) fn comparison(&mut self, comparison: &'a tree::Comparison) -> Comparison {
        Comparison {
            left: self.expr(&comparison.left, Known::Running),
            op: comparison.op,
            right: self.expr(&comparison.right, Known::Running),
        }
    }

    /// The range of a comparison inside a condition; equal comparisons share one, unless there is a
    /// mistake in it to be reported in each place.
    fn anonymous_range(&mut self, comparison: &'a tree::Comparison) -> RangeId {
        let name = print::comparison(comparison);
        if let Some(&known) = self.comparisons.get(&name) {
            return known;
        }
        let n_missing = self.n_missing;
        let bound = self.comparison(comparison);
        let id = RangeId::new(self.model.ranges.len());
        let origin = self.origins.add(comparison.span);
        self.model.ranges.push(model::Range {
            id: String::new(),
            name: name.clone(),
            anonymous: true,
            all: smallvec![bound],
            mark: None,
            note: String::new(),
            origin,
        });
        if n_missing == self.n_missing {
            self.comparisons.insert(name, id);
        }
        id
    }

    /// `every(period)` or `every(period, first)`.
    fn schedule(&mut self, args: &'a [tree::Expr], span: Span) -> Option<Boolean> {
        let (period, first) = match args {
            [period] => (period, period),
            [period, first] => (period, first),
            _ => {
                self.diagnostics
                    .push(report::schedule_arguments(span, args.len()));
                // Another instant stands for it.
                return Some(Boolean::Start);
            }
        };
        let key = format!(
            "{}, {}",
            print::expression(period),
            print::expression(first)
        );
        if let Some(&known) = self.schedules.get(&key) {
            return Some(Boolean::Schedule(known));
        }
        let n_missing = self.n_missing;
        let period_id = self.expr(period, Known::Before);
        let first = match args.len() {
            1 => period_id,
            _ => self.expr(first, Known::Before),
        };
        if let model::Expr::Number(value) = *self.model.exprs.get(period_id)
            && value <= 0.0
        {
            self.diagnostics.push(report::no_period(period.span, value));
        }
        let id = ScheduleId::new(self.model.schedules.len());
        let origin = self.origins.add(span);
        self.model.schedules.push(Schedule {
            period: period_id,
            first,
            origin,
        });
        if n_missing == self.n_missing {
            self.schedules.insert(key, id);
        }
        Some(Boolean::Schedule(id))
    }

    /// A changed start value.
    pub(super) fn setting(&mut self, setting: &'a tree::Setting) -> Option<Setting> {
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

/// Why a name cannot be written.
pub(super) enum Refused {
    /// A report is made already.
    Reported,
    /// It is no real.
    Kind(Declared),
}

/// The truth value that is written as 0 or 1.
fn bit(expr: &tree::Expr) -> Option<bool> {
    match expr.kind {
        ExprKind::Number(0.0) => Some(false),
        ExprKind::Number(1.0) => Some(true),
        _ => None,
    }
}

fn is_parameter(procedure: &Procedure) -> bool {
    matches!(procedure.coef, CoefRole::Parameter(_))
}

/// Whether a condition is true for instants only.
pub(super) fn is_instant(model: &Model, condition: &Conjunction) -> bool {
    condition
        .iter()
        .any(|literal| !literal.negated && model.is_event(literal.what))
}
