//! The table that is written out: lists of rows for single elements.

use super::families::{Env, Kind, Scope, size};
use super::{Block, Expanded, Expander, each_env};
use crate::resolve::merged::Merged;
use crate::source::{Span, Spanned};
use crate::tree::{
    AnyRow, Assignment, Clock, ClockEntry, Comparison, Expr, ExprKind, FamilyRow, Guard, Invariant,
    LiteralKind, Name, Place, Range, Relation, Row, Side, Situation, Table, Value,
};
use crate::{parse, print};
use situ_engine::model::{Counter, MAX_COUNTERS};

impl<'a> Expander<'a> {
    pub(super) fn write_out(&mut self, tables: &'a [Table], merged: &Merged<'a>) -> Expanded {
        let last = tables.last().expect("there is a table");
        let text = |value: Option<&str>| value.map(|text| Spanned::new(text.to_owned(), last.span));
        let constants = self.quantities(&merged.constants);
        let mut reals = self.quantities(&merged.reals);
        let switches = self.switches(merged);
        let ranges = self.ranges(merged);
        let mut situations = self.situations(merged);
        let assignments = self.assignments(merged);
        // What ranges and situations need of reductions stands behind all relations.
        let behind = std::mem::take(&mut self.parts.relations);
        self.switches = merged.switches.iter().map(|one| one.name.base()).collect();
        let mut relations = self.relations(merged);
        relations.extend(behind);
        let scheme = self.scheme(merged);
        self.switches.clear();
        let clocks: Vec<Clock> = merged
            .clocks
            .iter()
            .map(|clock| self.clock(clock))
            .collect();
        let mut cases: Vec<_> = merged.cases.iter().map(|case| self.case(case)).collect();
        let invariants = merged.invariants.iter().map(|one| Invariant {
            name: one.name.clone(),
            span: one.span,
            value: self.expression(&one.value, &Env::new()),
        });
        let invariants = invariants.collect();
        let (mut expect, mut lab) = (Vec::new(), None);
        if self.for_people {
            expect = self.expectations(&last.expect);
            let latest = tables.iter().rev().find_map(|table| table.lab.as_ref());
            lab = latest.map(|lab| self.lab(lab));
        }
        relations.append(&mut self.parts.relations);
        situations.append(&mut self.parts.situations);
        reals.append(&mut self.parts.reals);
        let scene = self.scene(merged);
        let mut inputs = Vec::new();
        for input in &merged.inputs {
            let elements = self.declared(input);
            inputs.extend(elements.map(|one| Name::new(one.name(), input.span)));
        }
        let shapes: Vec<(String, f64)> = self.shape_of_parts();
        let shape = self.values.asked();
        let shape: Vec<(String, f64)> = shape
            .map(|(name, value)| (name.to_owned(), value))
            .chain(self.values.asked_elements())
            .chain(shapes)
            .collect();
        let mut left_out = Vec::new();
        if self.for_people {
            // Written out, a table has one number of elements.
            let others = merged.cases.iter();
            let others = others.filter(|case| self.has_other_shape(case, &shape));
            left_out = others.map(|case| case.name.value.clone()).collect();
            cases.retain(|case| !left_out.contains(&case.name.value));
        }
        let table = Table {
            source_id: last.source_id,
            span: last.span,
            format: Some(Spanned::new(1.0, last.span)),
            name: text(merged.name),
            about: text(merged.about),
            source: text(merged.source),
            clock: None,
            extends: None,
            replace: Vec::new(),
            drop: Vec::new(),
            constants,
            counters: Vec::new(),
            inputs,
            reals,
            lookups: merged.lookups.iter().map(|&one| one.clone()).collect(),
            switches,
            parts: Vec::new(),
            ranges,
            situations,
            assignments,
            relations,
            scheme,
            machines: Vec::new(),
            invariants,
            expect,
            cases,
            scene,
            lab,
            unread: tables
                .iter()
                .flat_map(|table| table.unread.clone())
                .collect(),
        };
        let (table, part_inputs) = self.composed(merged, table);
        Expanded {
            table,
            clocks,
            left_out,
            shape,
            part_inputs,
            counters: self.ranges_of_counters(),
            declared: self.families.declared(),
        }
    }

    fn ranges_of_counters(&self) -> Vec<Counter> {
        let counters = self.counters.iter().map(|(name, extent)| Counter {
            name: (*name).to_owned(),
            from: extent.from,
            to: extent.to,
        });
        counters.collect()
    }

    fn ranges(&mut self, merged: &Merged<'a>) -> Vec<Row<Range>> {
        let mut all = Vec::new();
        for entry in &merged.ranges {
            let (row, body) = (entry.row, &entry.row.body);
            for env in self.envs_of(row, &[&body.name]) {
                let body = Range {
                    name: self.name(&body.name, &env),
                    all: body
                        .all
                        .iter()
                        .map(|one| Comparison {
                            span: one.span,
                            left: self.counted(&one.left, &env),
                            op: one.op,
                            right: self.counted(&one.right, &env),
                        })
                        .collect(),
                    mark: body.mark.clone(),
                };
                all.push(element_of(row, &entry.id, &env, body));
            }
        }
        all
    }

    fn situations(&mut self, merged: &Merged<'a>) -> Vec<Row<Situation>> {
        let mut all = Vec::new();
        for entry in &merged.situations.rows {
            let (row, body) = (entry.row, &entry.row.body);
            for env in self.envs_of(row, &[&body.name]) {
                let body = Situation {
                    name: self.name(&body.name, &env),
                    event: body.event,
                    behind: body.behind,
                    all: self.condition(&body.all, &env),
                };
                let row = element_of(row, &entry.id, &env, body);
                push(row, &mut self.parts.situations, &mut all);
            }
        }
        all
    }

    fn assignments(&mut self, merged: &Merged<'a>) -> Vec<Row<Assignment>> {
        let mut all = Vec::new();
        for entry in &merged.assignments {
            let (row, body) = (entry.row, &entry.row.body);
            let targets: Vec<&Name> = body.set.iter().map(|(name, _)| name).collect();
            for env in self.envs_of(row, &targets) {
                let set = body.set.iter();
                let body = Assignment {
                    when: self.condition(&body.when, &env),
                    set: set
                        .map(|(name, value)| (self.name(name, &env), *value))
                        .collect(),
                };
                all.push(element_of(row, &entry.id, &env, body));
            }
        }
        all
    }

    fn relations(&mut self, merged: &Merged<'a>) -> Vec<Row<Relation>> {
        let mut all = Vec::new();
        for entry in &merged.relations {
            let (row, body) = (entry.row, &entry.row.body);
            let targets: Vec<&Name> = body.targets.iter().collect();
            let scope = self.row_scope(&targets, row.each.as_deref(), false);
            let scope = scope.unwrap_or_default();
            let n = size(&scope.iter().map(|(_, extent)| *extent).collect::<Block>());
            // Solved under conditions of their own, elements are rows of their own.
            let apart =
                matches!(body.value, Value::Solve { .. }) && self.guard_counts(&body.guard, &scope);
            if n > 1 && !scope.is_empty() && self.is_joint(row) && !apart {
                let row = match self.family_row(row, &entry.id, &scope) {
                    Some(row) => row,
                    None => self.joint(row, &entry.id, &scope),
                };
                push(row, &mut self.parts.relations, &mut all);
                continue;
            }
            if let Some(row) = self.family_row(row, &entry.id, &scope) {
                push(row, &mut self.parts.relations, &mut all);
                continue;
            }
            for env in envs(&scope) {
                let body = self.relation(body, &env);
                let row = element_of(row, &entry.id, &env, body);
                push(row, &mut self.parts.relations, &mut all);
            }
        }
        all
    }

    fn relation(&mut self, body: &'a Relation, env: &Env<'a>) -> Relation {
        Relation {
            targets: body
                .targets
                .iter()
                .map(|name| self.name(name, env))
                .collect(),
            once: body.once,
            once_span: body.once_span,
            value: match &body.value {
                Value::Exprs(values) => {
                    let values = values.iter().map(|value| self.counted(value, env));
                    Value::Exprs(values.collect())
                }
                Value::Solve { equations, bounds } => {
                    self.solved(equations, bounds.as_deref(), env)
                }
                Value::Family(row) => Value::Family(row.clone()),
                Value::Columns {
                    procedure,
                    coef,
                    args,
                    coef2,
                } => {
                    let coef = coef.as_deref().map(|coef| self.expression(coef, env));
                    let coef2 = coef2.as_deref().map(|coef| self.expression(coef, env));
                    Value::Columns {
                        procedure: procedure.clone(),
                        coef: coef.map(Box::new),
                        args: args.iter().map(|arg| self.expression(arg, env)).collect(),
                        coef2: coef2.map(Box::new),
                    }
                }
            },
            guard: match &body.guard {
                Guard::When(all) => Guard::When(self.condition(all, env)),
                Guard::Each(all) => {
                    Guard::Each(all.iter().map(|one| self.condition(one, env)).collect())
                }
                Guard::Always => Guard::Always,
                Guard::Otherwise(span) => Guard::Otherwise(*span),
            },
        }
    }

    /// One row for all elements of a family; `None` if they differ in more than the values of the counters.
    fn family_row(
        &mut self,
        row: &'a Row<Relation>,
        id: &str,
        scope: &Scope<'a>,
    ) -> Option<Row<Relation>> {
        let body = &row.body;
        let ([target], Value::Exprs(values)) = (&body.targets[..], &body.value) else {
            return None;
        };
        let family = self.families.get(target.base());
        let is_real = family.is_some_and(|family| family.kind == Kind::Real);
        let block: Block = scope.iter().map(|(_, extent)| *extent).collect();
        let joint = size(&block) > 1 && self.is_joint(row);
        let is_one_row = joint && body.once;
        let is_counted = (1..=MAX_COUNTERS).contains(&scope.len());
        if !is_counted || !is_real || is_one_row || self.guard_counts(&body.guard, scope) {
            return None;
        }
        let first = scope.iter().map(|(name, extent)| (*name, extent.from));
        let first: Env<'a> = first.collect();
        let value = self.common(values.first()?, &first, &block)?;
        let ExprKind::Counted(counted) = value.kind else {
            return None;
        };
        let body = Relation {
            targets: vec![self.normal_name(target, scope)?],
            once: body.once,
            once_span: body.once_span,
            value: Value::Family(Box::new(FamilyRow {
                span: value.span,
                first: counted,
                counters: scope.iter().map(|(name, _)| (*name).to_owned()).collect(),
                block,
                joint,
            })),
            guard: match &body.guard {
                Guard::When(all) => Guard::When(self.condition(all, &first)),
                other => other.clone(),
            },
        };
        Some(element_of(row, id, &Env::new(), body))
    }

    /// One row of all elements, which reads before it stores.
    fn joint(&mut self, row: &'a Row<Relation>, id: &str, scope: &Scope<'a>) -> Row<Relation> {
        let (mut targets, mut values, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        let mut solved = Vec::new();
        let mut guard = Guard::Always;
        let block: Block = scope.iter().map(|(_, extent)| *extent).collect();
        let n_targets = usize::try_from(size(&block)).unwrap_or(0) * row.body.targets.len();
        targets.reserve(n_targets);
        values.reserve(n_targets);
        each_env(scope, |env| {
            if let (Value::Exprs(all), Guard::Always) = (&row.body.value, &row.body.guard) {
                let names = row.body.targets.iter();
                targets.extend(names.map(|name| self.name(name, env)));
                values.extend(all.iter().map(|value| self.counted(value, env)));
                return;
            }
            let mut body = self.relation(&row.body, env);
            let n = body.targets.len();
            match &mut body.value {
                Value::Solve { equations, .. } => solved.append(equations),
                _ => values.extend(self.as_line(&mut body, row.span)),
            }
            targets.extend(body.targets);
            match body.guard {
                Guard::When(all) => conditions.extend(std::iter::repeat_n(all, n)),
                Guard::Each(all) => conditions.extend(all),
                other => guard = other,
            }
        });
        let differs = self.guard_counts(&row.body.guard, scope);
        if !conditions.is_empty() {
            guard = match differs {
                true => Guard::Each(conditions),
                false => Guard::When(conditions.swap_remove(0)),
            };
        }
        let body = Relation {
            targets,
            once: row.body.once,
            once_span: row.body.once_span,
            value: match solved.is_empty() {
                true => Value::Exprs(values),
                false => Value::Solve {
                    equations: solved,
                    bounds: None,
                },
            },
            guard,
        };
        element_of(row, id, &Env::new(), body)
    }

    /// The values of a row as they stand in a line.
    fn as_line(&self, body: &mut Relation, span: Span) -> Vec<Expr> {
        let (procedure, coef, args, coef2) = match &mut body.value {
            Value::Exprs(values) => return std::mem::take(values),
            Value::Solve { .. } | Value::Family(_) => return Vec::new(),
            Value::Columns {
                procedure,
                coef,
                args,
                coef2,
            } => (procedure, coef, args, coef2),
        };
        let columns = print::Columns {
            targets: body.targets.clone(),
            once: body.once,
            procedure: procedure.value.clone(),
            coef: coef.as_deref().cloned(),
            args: args.clone(),
            coef2: coef2.as_deref().cloned(),
            guard: Guard::Always,
        };
        let is_constant = |name: &str| {
            let family = self.families.of_element(name);
            match family {
                Some((family, _)) => family.kind == Kind::Constant,
                None => self.values.is_constant(name),
            }
        };
        let line = print::relation_line(&columns, &is_constant);
        let read = line.map(|line| parse::line_within(&line, span));
        match read {
            Some(Some(AnyRow::Relation(row))) => match row.body.value {
                Value::Exprs(values) => values,
                Value::Columns { .. } | Value::Solve { .. } | Value::Family(_) => Vec::new(),
            },
            // Columns that make no line are wrong, and reported when they are bound.
            _ => args.clone(),
        }
    }

    /// True if the condition differs from element to element.
    fn guard_counts(&self, guard: &'a Guard, scope: &Scope<'a>) -> bool {
        match guard {
            Guard::When(all) => all.literals.iter().any(|literal| match &literal.kind {
                LiteralKind::Element(_)
                | LiteralKind::Reduction(_)
                | LiteralKind::Every(_)
                | LiteralKind::Comparison(_) => !scope.is_empty(),
                LiteralKind::Name(_) | LiteralKind::Start | LiteralKind::Error => false,
            }),
            Guard::Each(_) => true,
            Guard::Always | Guard::Otherwise(_) => false,
        }
    }

    fn envs_of<T>(&mut self, row: &'a Row<T>, targets: &[&'a Name]) -> Vec<Env<'a>> {
        let scope = self.row_scope(targets, row.each.as_deref(), false);
        envs(&scope.unwrap_or_default())
    }

    pub(super) fn clock(&mut self, clock: &'a Clock) -> Clock {
        let mut written = clock.clone();
        for ((_, entry), (_, from)) in written.settings.iter_mut().zip(&clock.settings) {
            match from {
                ClockEntry::Expression(expr) => {
                    *entry = ClockEntry::Expression(self.expression(expr, &Env::new()));
                }
                ClockEntry::Condition(all) => {
                    *entry = ClockEntry::Condition(self.watch(all));
                }
                ClockEntry::Number(_) | ClockEntry::Word(_) => {}
            }
        }
        written
    }
}

pub(super) fn envs<'a>(scope: &Scope<'a>) -> Vec<Env<'a>> {
    let mut envs = Vec::new();
    each_env(scope, |env| envs.push(env.clone()));
    envs
}

/// Adds a row behind what it needs of reductions, which goes where it goes.
fn push<T>(row: Row<T>, parts: &mut Vec<Row<T>>, all: &mut Vec<Row<T>>) {
    let id = row.id.clone();
    all.extend(parts.drain(..).map(|part| Row {
        place: id.clone().map(|id| {
            let side = Side::Before;
            Box::new(Place { side, id })
        }),
        ..part
    }));
    all.push(row);
}

/// A row of one element: id, place and remark are those of the author's row.
pub(super) fn element_of<T>(row: &Row<impl Sized>, id: &str, env: &Env<'_>, body: T) -> Row<T> {
    let indices: Vec<i64> = env.iter().map(|(_, value)| *value).collect();
    let id = match indices.is_empty() {
        true => id.to_owned(),
        false => crate::tree::element_name(id, &indices),
    };
    let span: Span = row.span;
    Row {
        form: row.form,
        span,
        id: Some(Spanned::new(id, row.id.as_ref().map_or(span, |id| id.span))),
        place: row.place.clone(),
        note: row.note.clone(),
        each: None,
        body,
    }
}
