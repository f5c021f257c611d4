//! Merged tables become a model, list by list in the order in which a tick scans them.

use std::collections::{HashMap, HashSet};

use situ_engine::ids::{ConstantId, Origin, RealId, SituationId, SwitchId};
use situ_engine::model::{
    self, Argument, Boolean, Case, Clock, ClockValue, Coefficient, Conjunction, Guard, Model,
    Relation, SituationRow,
};
use smallvec::SmallVec;

use super::desugar::{Arg, Call, Called, Coef, OPERATORS, desugar};
use super::edits::moved_to_reals;
use super::extends::{Merged, MergedQuantity, merge};
use super::kinds::{Binder, BoundCall, Known, Refused, is_instant};
use super::names::{Scope, Suggestions, Symbol, UnknownName, Unread, symbols};
use super::rows::Entry;
use super::starts::Starts;
use super::{Resolved, look_alikes, report};
use crate::diag::{Diagnostic, MAX_PER_CODE, has_errors};
use crate::source::{Origins, SourceMap, Span, Spanned};
use crate::tree::{self, ClockEntry, Name, Table, Value};

/// For so many mistakes of one kind a change of the text is offered; each may cost as much as reading
/// the text once.
const MAX_OFFERS: usize = 50;

/// Turns tables into a model, see [`super::resolve`].
pub(super) fn build(tables: &[Table], sources: &SourceMap) -> Resolved {
    let mut diagnostics = Vec::new();
    for table in tables {
        if table.format.is_none() {
            diagnostics.push(report::no_format(table));
        }
    }
    let merged = merge(tables, &mut diagnostics);
    let unread = Unread::of(tables, sources);
    let scope = Scope::of(&merged, &mut diagnostics);
    if scope.has_letters_beyond_ascii {
        let names = symbols(&merged).map(|(name, _)| name);
        look_alikes::report(names, &mut diagnostics);
    }

    let mut model = with_capacity(&merged);
    let mut origins = Origins::default();
    let mut builder = Builder {
        merged: &merged,
        tables,
        sources,
        binder: Binder::new(&scope, &mut model, &mut origins, sources),
        unread: &unread,
        constants_written: HashSet::new(),
    };
    builder.quantities();
    builder.ranges();
    builder.situations();
    builder.assignments();
    builder.relations();
    builder.invariants();
    builder.settings();
    let (unknown, found, complete) = builder.binder.finish();
    diagnostics.extend(found);
    let complete = complete && unknown.is_empty() && unread.is_empty() && !scope.has_unnamed;
    let unknown = unknown
        .into_iter()
        .filter(|name| !unread.may_declare(name.name))
        .collect();
    unknown_names(unknown, &merged, tables, sources, &mut diagnostics);
    circular_starts(&model, &merged, &mut diagnostics);
    super::sort(&mut diagnostics);
    let sound = complete && !has_errors(&diagnostics);
    if sound {
        debug_assert_eq!(
            model::verify(&model),
            Ok(()),
            "a model without errors is sound"
        );
    }
    Resolved {
        model: sound.then_some(model),
        origins,
        diagnostics,
    }
}

/// An empty model with room for what the tables hold.
fn with_capacity(merged: &Merged) -> Model {
    Model {
        constants: Vec::with_capacity(merged.constants.len()),
        reals: Vec::with_capacity(merged.reals.len()),
        switches: Vec::with_capacity(merged.switches.len()),
        ranges: Vec::with_capacity(merged.ranges.len()),
        situations: Vec::with_capacity(merged.situation_names.len()),
        situation_rows: Vec::with_capacity(merged.situations.len()),
        assignments: Vec::with_capacity(merged.assignments.len()),
        relations: Vec::with_capacity(merged.relations.len()),
        ..Model::default()
    }
}

struct Builder<'s, 'a> {
    merged: &'s Merged<'a>,
    tables: &'a [Table],
    sources: &'s SourceMap,
    binder: Binder<'s, 'a>,
    unread: &'s Unread<'s>,
    /// Constants that are written and reported already.
    constants_written: HashSet<ConstantId>,
}

fn owned(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn note(note: &Option<Spanned<String>>) -> String {
    note.as_ref()
        .map(|note| note.value.clone())
        .unwrap_or_default()
}

impl<'a> Builder<'_, 'a> {
    fn model(&mut self) -> &mut Model {
        self.binder.model
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.binder.diagnostics.push(diagnostic);
    }

    fn origin(&mut self, span: Span) -> Origin {
        self.binder.origins.add(span)
    }

    fn quantities(&mut self) {
        let Merged {
            name,
            about,
            source,
            ..
        } = self.merged;
        let model = self.model();
        model.name = owned(*name);
        model.about = owned(*about);
        model.source = owned(*source);
        for constant in &self.merged.constants {
            if constant.start.is_none() {
                self.report(report::constant_without_value(constant.name));
            }
            let quantity = self.quantity(constant, false);
            self.model().constants.push(quantity);
        }
        for real in &self.merged.reals {
            let quantity = self.quantity(real, true);
            self.model().reals.push(quantity);
        }
        for switch in &self.merged.switches {
            let switch = model::Switch {
                name: switch.name.value.clone(),
                start: switch.start.unwrap_or(false),
                about: owned(switch.about),
                origin: self.origin(switch.span),
            };
            self.model().switches.push(switch);
        }
    }

    fn quantity(&mut self, written: &MergedQuantity<'a>, output: bool) -> model::Quantity {
        let start = match written.start {
            Some(start) if self.asks_to_solve(start) => {
                self.report(report::start_not_supported(
                    "to solve for a start value",
                    start.span,
                ));
                self.model().exprs.push(model::Expr::Number(0.0))
            }
            Some(start) => self.binder.expr(start, Known::AtStart),
            None => self.model().exprs.push(model::Expr::Number(0.0)),
        };
        model::Quantity {
            name: written.name.value.clone(),
            start,
            unit: owned(written.unit),
            about: owned(written.about),
            output: written.output.unwrap_or(output),
            nominal: written.nominal,
            origin: self.origin(written.span),
        }
    }

    /// Whether a start is `steady` or `solve(..)`, and nothing of that name is declared.
    fn asks_to_solve(&self, start: &tree::Expr) -> bool {
        let name = match &start.kind {
            tree::ExprKind::Name(name) if name == tree::Start::Steady.name() => name,
            tree::ExprKind::Call(name, _) if name.value == "solve" => &name.value,
            _ => return false,
        };
        self.binder.scope.get(name).is_none()
    }

    fn ranges(&mut self) {
        for Entry { id, row } in &self.merged.ranges {
            self.binder.wants_some(&row.body.all);
            let comparisons = row.body.all.iter();
            let range = model::Range {
                id: id.clone().into_owned(),
                name: row.body.name.value.clone(),
                anonymous: false,
                all: comparisons
                    .map(|comparison| self.binder.comparison(comparison))
                    .collect(),
                mark: row.body.mark.as_ref().map(|mark| mark.value),
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            self.model().ranges.push(range);
        }
    }

    fn situations(&mut self) {
        let n_names = self.merged.situation_names.len();
        let mut first_rows: Vec<Option<usize>> = vec![None; n_names];
        let mut last_rows = vec![0; n_names];
        let mut mixed = vec![false; n_names];
        for (index, (&name, entry)) in self
            .merged
            .defines
            .iter()
            .zip(&self.merged.situations)
            .enumerate()
        {
            last_rows[name] = index;
            let body = &entry.row.body;
            match first_rows[name] {
                None => {
                    first_rows[name] = Some(index);
                    let situation = model::Situation {
                        name: body.name.value.clone(),
                        event: body.event,
                        origin: self.origin(entry.row.span),
                    };
                    self.model().situations.push(situation);
                }
                Some(first) => {
                    let first = &self.merged.situations[first].row.body;
                    if first.event != body.event && !mixed[name] {
                        mixed[name] = true;
                        self.report(report::event_and_level(
                            &body.name,
                            body.event,
                            first.name.span,
                        ));
                    }
                }
            }
        }
        for (index, (&name, Entry { id, row })) in self
            .merged
            .defines
            .iter()
            .zip(&self.merged.situations)
            .enumerate()
        {
            self.binder.wants_some(&row.body.all.literals);
            let mut all = Conjunction::new();
            for written in &row.body.all.literals {
                let Some(literal) = self.binder.literal(written) else {
                    continue;
                };
                if let Boolean::Situation(used) = literal.what
                    && last_rows[used.index()] >= index
                {
                    let text = &self.merged.situation_names[used.index()].value;
                    let below = self.merged.situations[last_rows[used.index()]].row.span;
                    self.report(if used.index() == name {
                        report::self_reference(written.span, text)
                    } else {
                        report::forward_reference(written.span, text, below)
                    });
                }
                all.push(literal);
            }
            let situation_row = SituationRow {
                id: id.clone().into_owned(),
                situation: SituationId::new(name),
                all,
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            self.model().situation_rows.push(situation_row);
        }
    }

    fn assignments(&mut self) {
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

    fn relations(&mut self) {
        let mut guards = vec![Guards::default(); self.merged.reals.len()];
        for Entry { id, row } in &self.merged.relations {
            let targets = self.targets(&row.body.targets);
            let guard = self.guard(row, &targets, &mut guards);
            let at_event = matches!(&guard, Guard::When(all) if is_instant(self.binder.model, all));
            let call = self.value(row);
            self.moment(row, at_event, call.as_ref());
            let Some(call) = call else { continue };
            let relation = Relation {
                id: id.clone().into_owned(),
                targets,
                procedure: call.procedure,
                coef: call.coef,
                args: call.args,
                coef2: call.coef2,
                guard,
                once: row.body.once,
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            self.model().relations.push(relation);
        }
        for (real, guards) in guards.iter().enumerate() {
            if let (Some(otherwise), false) = (guards.otherwise, guards.conditional) {
                let name = &self.merged.reals[real].name.value;
                if !self.unread.may_declare(name) {
                    self.report(report::lonely_otherwise(name, otherwise));
                }
            }
        }
    }

    fn targets(&mut self, names: &'a [Name]) -> SmallVec<[RealId; 1]> {
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
        let span = self.merged.constants[constant.index()].span;
        let table = self
            .tables
            .iter()
            .find(|table| table.source_id == span.source)?;
        let constants = &table.constants;
        let index = constants.binary_search_by_key(&span.start, |constant| constant.span.start);
        let index = index.ok()?;
        moved_to_reals(self.sources, table, index)
    }

    fn guard(
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
            tree::Guard::Otherwise(span) => {
                for target in targets {
                    match guards[target.index()].otherwise {
                        Some(first) => {
                            let name = &self.merged.reals[target.index()].name.value;
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
            Value::Exprs(exprs) => match exprs.as_slice() {
                [expr] if n_targets == 1 => {
                    let scope = self.binder.scope;
                    let call = desugar(expr, &|name| scope.is_constant(name));
                    self.binder.call(&call, expr.span)
                }
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

    /// Whether the row may run when it does: once or through time.
    fn moment(
        &mut self,
        row: &'a tree::Row<tree::Relation>,
        at_event: bool,
        call: Option<&BoundCall>,
    ) {
        let condition = match &row.body.guard {
            tree::Guard::When(condition) => Some(condition.span),
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
            && call.procedure.get().has_memory()
        {
            let span = match &row.body.value {
                Value::Columns { procedure, .. } => procedure.span,
                Value::Exprs(exprs) => exprs[0].span,
            };
            self.report(report::memory_at_event(
                span,
                call.procedure.get(),
                condition,
            ));
        }
    }

    /// Whether every literal of a condition means something.
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

    fn invariants(&mut self) {
        for written in &self.merged.invariants {
            let invariant = model::Invariant {
                name: written.name.value.clone(),
                value: self.binder.expr(&written.value, Known::Running),
                origin: self.origin(written.span),
            };
            self.model().invariants.push(invariant);
        }
    }

    /// Clock and cases.
    fn settings(&mut self) {
        for written in &self.merged.clocks {
            let clock = self.clock(written);
            let model = self.model();
            model.clock = model.clock.overridden_by(&clock);
        }
        for case in &self.merged.cases {
            let set = case
                .set
                .iter()
                .filter_map(|setting| self.binder.setting(setting))
                .collect();
            let clock = case
                .clock
                .as_ref()
                .map(|clock| self.clock(clock))
                .unwrap_or_default();
            let case = Case {
                name: case.name.value.clone(),
                about: owned(case.about.as_ref().map(|about| &*about.value)),
                set,
                clock,
                origin: self.origin(case.span),
            };
            self.model().cases.push(case);
        }
    }

    fn clock(&mut self, written: &'a tree::Clock) -> Clock {
        if let Some(start) = &written.start
            && start.value == tree::Start::Steady
        {
            self.report(report::start_not_supported(
                "to start in an equilibrium",
                start.span,
            ));
        }
        let mut clock = Clock::default();
        for (setting, entry) in &written.settings {
            let value = match entry {
                ClockEntry::Number(number) => ClockValue::Number(number.value),
                ClockEntry::Word(word) => ClockValue::Word(word.value),
                ClockEntry::Expression(formula) => {
                    ClockValue::Expression(self.binder.expr(formula, Known::Running))
                }
                ClockEntry::Condition(condition) => {
                    ClockValue::Condition(self.binder.watch(condition))
                }
            };
            setting
                .set(&mut clock, value)
                .expect("an entry is of its setting's kind");
        }
        clock
    }
}

/// The names that one row writes.
#[derive(Default)]
struct Written<'a> {
    first: Option<&'a Name>,
    others: HashMap<&'a str, Span>,
}

impl<'a> Written<'a> {
    /// Where the row wrote the name before.
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

/// The conditions under which a real is written.
#[derive(Clone, Copy, Default)]
struct Guards {
    conditional: bool,
    otherwise: Option<Span>,
}

/// Reports names that nothing declares, each with the known name nearest to it.
fn unknown_names(
    unknown: Vec<UnknownName>,
    merged: &Merged,
    tables: &[Table],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if unknown.is_empty() {
        return;
    }
    let known = symbols(merged).map(|(name, symbol)| (&*name.value, symbol));
    let mut suggestions = Suggestions::new(known);
    for (index, name) in unknown.into_iter().enumerate() {
        // Of those that are not shown nobody needs to know what was meant.
        let near = (index < MAX_PER_CODE).then(|| suggestions.nearest(&name));
        let near = near.flatten();
        let table = tables
            .iter()
            .find(|table| table.source_id == name.span.source && index < MAX_OFFERS);
        diagnostics.push(report::unknown_name(&name, near, sources, table));
    }
}

fn circular_starts(model: &Model, merged: &Merged, diagnostics: &mut Vec<Diagnostic>) {
    let n_constants = merged.constants.len();
    let place = |quantity: &usize| {
        let quantity = match quantity.checked_sub(n_constants) {
            Some(real) => &merged.reals[real],
            None => &merged.constants[*quantity],
        };
        (&*quantity.name.value, quantity.name.span)
    };
    let circles = Starts::of(model, &[]).circles();
    let in_tables = !circles.is_empty();
    for circle in circles {
        let places: Vec<_> = circle.iter().map(place).collect();
        diagnostics.push(report::circular_start(&places, None));
    }
    if in_tables {
        return;
    }
    for (case, written) in model.cases.iter().zip(&merged.cases) {
        for circle in Starts::of(model, &case.set).circles() {
            let places: Vec<_> = circle.iter().map(place).collect();
            diagnostics.push(report::circular_start(&places, Some(&written.name)));
        }
    }
}
