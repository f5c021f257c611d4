//! Rows that write: assignments and relations become those of the model.

use std::collections::HashMap;

use situ_engine::ids::{ConstantId, RealId, SwitchId};
use situ_engine::model::{self, Argument, Coefficient, Guard, Relation};
use smallvec::SmallVec;

use super::groups::{Guards, is_group};
use super::{Builder, MAX_OFFERS, note};
use crate::resolve::binder::{BoundCall, Refused};
use crate::resolve::desugar::{Arg, Call, Called, Coef, OPERATORS};
use crate::resolve::edits::moved_to_reals;
use crate::resolve::merged::{Entry, declaration};
use crate::resolve::report;
use crate::resolve::symbol::{Known, Symbol};
use crate::source::Span;
use crate::tree::{self, Name, Value};
use situ_engine::procedure::{Body, Memory, ProcedureId};

impl<'a> Builder<'_, 'a> {
    pub(super) fn assignments(&mut self) {
        for Entry { id, row } in &self.merged.assignments {
            self.binder.wants_some(&row.body.set);
            let mut set: SmallVec<[(SwitchId, bool); 2]> = SmallVec::new();
            let mut written = Written::default();
            for (name, value) in &row.body.set {
                let Some(switch) = self.binder.switch(name) else {
                    continue;
                };
                match written.earlier(name) {
                    Some(first) => self.report(report::written_twice(name, first)),
                    None => set.push((switch, *value)),
                }
            }
            let assignment = model::Assignment {
                id: id.clone().into_owned(),
                when: self.binder.conjunction(&row.body.when),
                set,
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            self.model().assignments.push(assignment);
        }
    }

    pub(super) fn relations(&mut self) {
        let mut guards = vec![Guards::default(); self.binder.model.reals.len()];
        for Entry { id, row } in &self.merged.relations {
            if let Value::Family(family) = &row.body.value {
                self.family(id, row, family, &mut guards);
                continue;
            }
            if is_group(&row.body) {
                self.group(id, row, &mut guards);
                continue;
            }
            let targets = self.targets(&row.body.targets);
            let guard = self.guard(row, &targets, &mut guards);
            let at_event = matches!(&guard, Guard::When(all) if self.binder.model.names_event(all));
            let call = self.value(row);
            self.moment(row, at_event, call.as_ref());
            let Some(call) = call else { continue };
            let solves = call.procedure.solves();
            self.add_row(row, id.clone().into_owned(), &targets, call, guard, false);
            if solves && let Some(solved) = self.model().relations.last().cloned() {
                self.integrals_of_rates(row, &solved);
            }
        }
        for (real, guards) in guards.iter().enumerate() {
            if let (Some(otherwise), false) = (guards.otherwise, guards.conditional) {
                let name = &self.binder.model.reals[real].name;
                if !self.unread.may_declare(name) {
                    self.report(report::lonely_otherwise(name, otherwise));
                }
            }
        }
    }

    /// Adds a row of the model that a row of the table becomes.
    pub(super) fn add_row(
        &mut self,
        row: &tree::Row<tree::Relation>,
        id: String,
        targets: &[RealId],
        call: BoundCall,
        guard: Guard,
        grouped: bool,
    ) {
        let relation = Relation {
            id,
            targets: SmallVec::from_slice(targets),
            procedure: call.procedure,
            coef: call.coef,
            args: call.args,
            coef2: call.coef2,
            guard,
            once: row.body.once,
            grouped,
            note: note(&row.note),
            origin: self.origin(row.span),
        };
        self.model().relations.push(relation);
    }

    pub(super) fn targets(&mut self, names: &'a [Name]) -> SmallVec<[RealId; 1]> {
        self.binder.wants_some(names);
        let mut targets = SmallVec::new();
        let mut written = Written::default();
        for name in names {
            match self.binder.target(name) {
                Ok(real) => match written.earlier(name) {
                    Some(first) => self.report(report::written_twice(name, first)),
                    None => targets.push(real),
                },
                Err(Refused::Reported) => {}
                Err(Refused::Kind(declared)) => match declared.symbol {
                    Symbol::Constant(id) => {
                        if self.constants_written.insert(id) {
                            let few = self.constants_written.len() <= MAX_OFFERS;
                            let edit = if few { self.move_to_reals(id) } else { None };
                            self.report(report::constant_written(name, declared, edit));
                        }
                    }
                    _ => self.report(report::not_a_real(name, declared)),
                },
            }
        }
        targets
    }

    fn move_to_reals(&self, constant: ConstantId) -> Option<(Span, String)> {
        let (written, _) = declaration(&self.merged.constants, constant.index())?;
        let span = written.span;
        let table = self
            .tables
            .iter()
            .find(|table| table.source_id == span.source)?;
        let constants = &table.constants;
        let index = constants.binary_search_by_key(&span.start, |constant| constant.span.start);
        let index = index.ok()?;
        moved_to_reals(self.sources, table, index)
    }

    pub(super) fn guard(
        &mut self,
        row: &'a tree::Row<tree::Relation>,
        targets: &[RealId],
        guards: &mut [Guards],
    ) -> Guard {
        match &row.body.guard {
            tree::Guard::Always => Guard::Always,
            tree::Guard::When(condition) => {
                for target in targets {
                    guards[target.index()].conditional = true;
                }
                Guard::When(self.binder.conjunction(condition))
            }
            // Only rows of a group have one for each target.
            tree::Guard::Each(_) => Guard::Always,
            tree::Guard::Otherwise(span) => {
                for target in targets {
                    match guards[target.index()].otherwise {
                        Some(first) => {
                            let name = &self.binder.model.reals[target.index()].name;
                            self.report(report::second_otherwise(name, *span, first));
                        }
                        None => guards[target.index()].otherwise = Some(*span),
                    }
                }
                Guard::Otherwise
            }
        }
    }

    /// The right side of a relation.
    fn value(&mut self, row: &'a tree::Row<tree::Relation>) -> Option<BoundCall> {
        let body = &row.body;
        let n_targets = body.targets.len();
        match &body.value {
            Value::Solve { equations, bounds } => Some(self.solved(equations, bounds.as_deref())),
            // Bound element by element.
            Value::Family(_) => None,
            Value::Exprs(exprs) => match exprs.as_slice() {
                [expr] if n_targets == 1 => self.binder.line(expr),
                several => {
                    let call = self.several(several);
                    match body.once && several.len() == n_targets {
                        true => Some(call),
                        // Reported when the line was read.
                        false => self.binder.unread(),
                    }
                }
            },
            Value::Columns {
                procedure,
                coef,
                args,
                coef2,
            } => {
                if n_targets > 1 {
                    if procedure.value != OPERATORS.assignment.get().name {
                        let name = &procedure.value;
                        self.report(report::several_by_procedure(procedure.span, name));
                    }
                    if n_targets != args.len() {
                        self.report(report::value_count(row.span, n_targets, args.len()));
                    }
                    let call = self.several(args);
                    return match body.once {
                        true => Some(call),
                        // Reported when the row was read.
                        false => self.binder.unread(),
                    };
                }
                let column = |coef: &'a Option<Box<tree::Expr>>| Coef {
                    negative: false,
                    atom: coef.as_deref(),
                };
                let call = Call {
                    procedure: Called::Named(&procedure.value, procedure.span),
                    coef: column(coef),
                    args: args.iter().map(Arg::whole).collect(),
                    coef2: column(coef2),
                };
                self.binder.call(&call, row.span)
            }
        }
    }

    /// Residuals of equations, and bounds behind them.
    fn solved(
        &mut self,
        equations: &'a [tree::Equality],
        bounds: Option<&'a [tree::Expr; 2]>,
    ) -> BoundCall {
        self.binder.reads_rates = true;
        let mut args: SmallVec<[Argument; 2]> = SmallVec::new();
        for equation in equations {
            let sides = [&equation.left, &equation.right];
            let [left, right] = sides.map(|side| self.binder.expr(side, Known::Running));
            let residual = self.binder.push(model::Expr::Sub(left, right));
            args.push(Argument::Real(residual));
        }
        for bound in bounds.into_iter().flatten() {
            let bound = self.binder.expr(bound, Known::Running);
            args.push(Argument::Real(bound));
        }
        self.binder.reads_rates = false;
        BoundCall {
            procedure: ProcedureId::solve(),
            coef: Coefficient::ONE,
            args,
            coef2: Coefficient::ONE,
        }
    }

    /// The rows that move reals by the rates which another row finds.
    fn integrals_of_rates(&mut self, row: &'a tree::Row<tree::Relation>, solved: &Relation) {
        for name in &row.body.targets {
            let Some(real) = tree::real_of_rate(&name.value) else {
                continue;
            };
            let symbol = |name: &str| self.binder.scope.get(name).map(|declared| declared.symbol);
            let (Some(Symbol::Real(rate)), Some(Symbol::Real(real))) =
                (symbol(&name.value), symbol(real))
            else {
                self.report(report::rate_of_no_real(real, name.span));
                continue;
            };
            let rate = self.binder.push(model::Expr::Real(rate));
            let target = self.model().reals[real.index()].name.clone();
            let relation = Relation {
                // No row of a table has an id with a blank in it.
                id: format!("{} {target}", solved.id),
                targets: SmallVec::from_slice(&[real]),
                procedure: ProcedureId::named("integral").expect("the procedure exists"),
                args: SmallVec::from_slice(&[Argument::Real(rate)]),
                note: String::new(),
                origin: self.origin(row.span),
                ..solved.clone()
            };
            self.model().relations.push(relation);
        }
    }

    /// The values of several reals written at once.
    fn several(&mut self, values: &'a [tree::Expr]) -> BoundCall {
        let args = values
            .iter()
            .map(|value| self.binder.expr(value, Known::Running));
        BoundCall {
            procedure: OPERATORS.assignment,
            coef: Coefficient::ONE,
            args: args.map(Argument::Real).collect(),
            coef2: Coefficient::ONE,
        }
    }

    /// Checks that the row may run when it does: once or through time.
    pub(super) fn moment(
        &mut self,
        row: &'a tree::Row<tree::Relation>,
        at_event: bool,
        call: Option<&BoundCall>,
    ) {
        let condition = match &row.body.guard {
            tree::Guard::When(condition) => Some(condition.span),
            tree::Guard::Each(all) => all.first().map(|condition| condition.span),
            tree::Guard::Otherwise(span) => Some(*span),
            tree::Guard::Always => None,
        };
        if row.body.once && !at_event {
            let readable = match &row.body.guard {
                tree::Guard::When(condition) => self.is_bound(condition),
                _ => true,
            };
            if readable {
                self.report(report::once_without_event(
                    row.body.once_span,
                    row.form,
                    condition,
                ));
            }
        }
        if let (true, Some(call), Some(condition)) = (at_event, call, condition)
            && (cannot_happen_at_once(call)
                || row
                    .body
                    .targets
                    .iter()
                    .any(|name| tree::real_of_rate(&name.value).is_some()))
        {
            let span = match &row.body.value {
                Value::Columns { procedure, .. } => procedure.span,
                Value::Exprs(exprs) => exprs[0].span,
                Value::Family(family) => family.span,
                Value::Solve { .. } => row.body.once_span,
            };
            self.report(report::memory_at_event(
                span,
                call.procedure.get(),
                condition,
            ));
        }
    }

    /// True if every literal of a condition means something.
    fn is_bound(&self, condition: &tree::Condition) -> bool {
        condition
            .literals
            .iter()
            .all(|literal| match &literal.kind {
                tree::LiteralKind::Name(name) => {
                    self.binder.scope.get(name).is_some_and(|declared| {
                        matches!(
                            declared.symbol,
                            Symbol::Switch(_) | Symbol::Range(_) | Symbol::Situation(_)
                        )
                    })
                }
                tree::LiteralKind::Error => false,
                _ => true,
            })
    }
}

/// True if a call works through time, so that it has no meaning at one time; a past can be read at any.
fn cannot_happen_at_once(call: &BoundCall) -> bool {
    let description = call.procedure.get();
    description.has_memory() && !matches!(description.body, Body::Memory(Memory::Delay))
}

/// The names that one row writes.
#[derive(Default)]
struct Written<'a> {
    first: Option<&'a Name>,
    others: HashMap<&'a str, Span>,
}

impl<'a> Written<'a> {
    /// Place at which the row wrote the name before.
    fn earlier(&mut self, name: &'a Name) -> Option<Span> {
        match self.first {
            None => {
                self.first = Some(name);
                None
            }
            Some(first) if first.value == name.value => Some(first.span),
            Some(_) => self.others.insert(&name.value, name.span),
        }
    }
}
