//! Calls: a procedure with its coefficient and arguments becomes one of the model, or an expression.

use situ_engine::ids::{ExprId, LookupId};
use situ_engine::model::{self, Argument, Coefficient, Literal};
use situ_engine::procedure::{Body, CoefRole, Memory, ParamKind, Procedure, ProcedureId};
use smallvec::SmallVec;

use super::{Binder, BoundCall};
use crate::resolve::desugar::{Arg, Call, Called, Coef, OPERATORS, desugar};
use crate::resolve::report;
use crate::resolve::symbol::{Declared, Known, Symbol, Use};
use crate::source::Span;
use crate::tree::{self, ExprKind, Name};

impl Binder<'_> {
    /// The row that a line's expression is; `None` if nothing can be made of it.
    pub(in crate::resolve) fn line(&mut self, expr: &tree::Expr) -> Option<BoundCall> {
        if let ExprKind::Counted(counted) = &expr.kind
            && let Some(call) = self.counted_call(counted)
        {
            return Some(call);
        }
        let (expr, scope) = (expr.written_out(), self.scope);
        let call = desugar(&expr, &|name| scope.is_constant(name));
        self.call(&call, expr.span)
    }

    /// A row's procedure with coefficients and arguments; `None` if nothing can be made of it.
    pub(in crate::resolve) fn call(&mut self, call: &Call<'_>, row: Span) -> Option<BoundCall> {
        let procedure = match call.procedure {
            Called::Operator(id) => id,
            Called::Named(name, span) if self.lookup(name).is_some() => {
                return self.lookup_row(call, name, span);
            }
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
                let value = self.push(model::Expr::Number(value));
                args.push(Argument::Real(value));
                continue;
            };
            match param.kind {
                ParamKind::Real => {
                    let is_delay = matches!(description.body, Body::Memory(Memory::Delay));
                    self.in_delay = is_delay && index == 0;
                    args.push(Argument::Real(self.arg(arg, Known::Running)));
                    self.in_delay = false;
                }
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
        coef: &Coef<'_>,
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
    fn factor(&mut self, coef: &Coef<'_>, of: &'static Procedure) -> Option<Coefficient> {
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

    fn arg(&mut self, arg: &Arg<'_>, known: Known) -> ExprId {
        if arg.without_minus {
            self.without_leading_minus(arg.expr, known)
        } else {
            self.expr(arg.expr, known)
        }
    }

    /// An argument that is a condition.
    fn condition_arg(&mut self, expr: &tree::Expr) -> Option<Literal> {
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
    fn without_leading_minus(&mut self, expr: &tree::Expr, known: Known) -> ExprId {
        match &expr.kind {
            ExprKind::Neg(inner) => self.expr(inner, known),
            ExprKind::Binary(op, left, right) => {
                let left = self.without_leading_minus(left, known);
                let right = self.expr(right, known);
                self.push(super::binary(*op, left, right))
            }
            _ => self.expr(expr, known),
        }
    }

    /// A call inside an expression.
    pub(super) fn inner_call(
        &mut self,
        name: &Name,
        args: &[tree::Expr],
        known: Known,
    ) -> Option<model::Expr> {
        if let Some(id) = self.lookup(&name.value) {
            let args: Vec<Arg<'_>> = args.iter().map(Arg::whole).collect();
            return self.lookup_call(id, name.span, &args, known);
        }
        if let ("rate", [arg]) = (name.value.as_str(), args)
            && let ExprKind::Name(real) = &arg.kind
        {
            return self.rate(name, real, arg.span);
        }
        let Some(id) = self.procedure(&name.value, name.span) else {
            return self.look_through(args);
        };
        let procedure = id.get();
        if procedure.has_memory() {
            self.diagnostics
                .push(report::memory_inside(name, procedure));
            return self.look_through(args);
        }
        if id.reads_time() && !known.is_timed() {
            self.diagnostics.push(report::not_known_before(
                name.span,
                &name.value,
                known,
                None,
            ));
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
            bound.push(self.push(model::Expr::Number(value)));
        }
        Some(model::Expr::Call(id, bound[..].into()))
    }

    /// `rate(x)` in an expression: what a row solves for.
    fn rate(&mut self, name: &Name, real: &str, span: Span) -> Option<model::Expr> {
        let known = self
            .scope
            .get(&tree::rate_name(real))
            .map(|known| known.symbol);
        match (known, self.scope.get(real)) {
            (_, Some(_)) if self.in_delay => {
                let report = report::rate_of_the_past(name.span.to(span), real);
                self.diagnostics.push(report);
                None
            }
            (Some(Symbol::Real(id)), _) if self.reads_rates => Some(model::Expr::Real(id)),
            (_, None) => {
                self.unknown.add(real, span, Use::Value);
                None
            }
            (known, _) => {
                let report = report::rate_outside(name.span.to(span), real, known.is_some());
                self.diagnostics.push(report);
                None
            }
        }
    }

    /// The lookup of a name.
    pub(in crate::resolve) fn lookup(&self, name: &str) -> Option<LookupId> {
        match self.scope.get(name)?.symbol {
            Symbol::Lookup(id) => Some(id),
            _ => None,
        }
    }

    /// A row whose outermost operation is a lookup: its value, or the value times a coefficient.
    fn lookup_row(&mut self, call: &Call<'_>, name: &str, span: Span) -> Option<BoundCall> {
        let id = self.lookup(name)?;
        let scale = OPERATORS.proportional;
        let coef = self.factor(&call.coef, scale.get());
        if let Some(atom) = call.coef2.atom {
            let report = report::no_second_coefficient(atom.span, scale.get());
            self.diagnostics.push(report);
        }
        let node = self.lookup_call(id, span, &call.args, Known::Running)?;
        let value = self.push(node);
        let coef = coef?;
        Some(BoundCall {
            procedure: if coef == Coefficient::ONE {
                OPERATORS.assignment
            } else {
                scale
            },
            coef,
            args: SmallVec::from_slice(&[Argument::Real(value)]),
            coef2: Coefficient::ONE,
        })
    }

    fn lookup_call(
        &mut self,
        id: LookupId,
        span: Span,
        args: &[Arg<'_>],
        known: Known,
    ) -> Option<model::Expr> {
        // Of a lookup whose points could not be read the arguments are not known.
        let wanted = self.model.lookups.get(id.index())?.interpolation.n_args();
        if args.len() != wanted {
            let comma = self.decimal_comma(args.iter().map(|arg| arg.expr));
            let lookup = &self.model.lookups[id.index()];
            let report = report::lookup_argument_count(span, args.len(), lookup, comma);
            self.diagnostics.push(report);
            return self.look_through(args.iter().map(|arg| arg.expr));
        }
        let args = args.iter().map(|arg| self.arg(arg, known)).collect();
        Some(model::Expr::Lookup(id, args))
    }

    /// The only comma among arguments that stands right between two numbers, as in `9,81`.
    fn decimal_comma<'e>(&self, args: impl IntoIterator<Item = &'e tree::Expr>) -> Option<Span> {
        let (mut left, mut found): (Option<Span>, Option<Span>) = (None, None);
        for arg in args {
            let mut first = arg;
            while let ExprKind::Binary(_, inner, _) = &first.kind {
                first = inner;
            }
            if let (Some(left), ExprKind::Number(_)) = (left, &first.kind) {
                let gap = Span {
                    start: left.end,
                    end: arg.span.start,
                    ..left
                };
                if gap.start < gap.end && self.sources.text(gap) == "," {
                    if found.is_some() {
                        return None;
                    }
                    found = Some(gap);
                }
            }
            let mut last = arg;
            while let ExprKind::Neg(inner) | ExprKind::Binary(_, _, inner) = &last.kind {
                last = inner;
            }
            left = matches!(last.kind, ExprKind::Number(_)).then_some(last.span);
        }
        found
    }

    /// Reports what is wrong with arguments whatever they are arguments of; gives `None`.
    fn look_through<'e, T>(&mut self, args: impl IntoIterator<Item = &'e tree::Expr>) -> Option<T> {
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
    pub(in crate::resolve) fn procedure(&mut self, name: &str, span: Span) -> Option<ProcedureId> {
        let found = ProcedureId::named(name);
        if found.is_none() {
            let unknown = self.unknown_procedures.entry(name.to_owned());
            let (_, n_uses) = unknown.or_insert_with(|| {
                let declared = self.scope.get(name);
                let is_family = self.scope.has_elements_of(name);
                self.diagnostics.push(match is_family {
                    true => report::family_called(name, span),
                    false => {
                        let lookups = &self.model.lookups;
                        report::unknown_procedure(name, span, declared, lookups, self.sources)
                    }
                });
                (self.diagnostics.len() - 1, 0)
            });
            *n_uses += 1;
        }
        found
    }
}

fn is_parameter(procedure: &Procedure) -> bool {
    matches!(procedure.coef, CoefRole::Parameter(_))
}

/// The truth value that is written as 0 or 1.
pub(super) fn bit(expr: &tree::Expr) -> Option<bool> {
    match expr.kind {
        ExprKind::Number(0.0) => Some(false),
        ExprKind::Number(1.0) => Some(true),
        _ => None,
    }
}
