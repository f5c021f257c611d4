//! What is wrong with a table's families, from the formulas of their indices: no element is made.
//!
//! Goes through all rows; [`names`](super::names) looks at their indices, [`coverage`](super::coverage) at what they
//! write. How large the table would become is counted on the way.

use super::cover::Elements;
use super::families::{Block, Extent, Kind, Scope, block_text, size};
use super::{Expander, MAX_NODES, report};
use crate::resolve::merged::Merged;
use crate::tree::{
    ClockEntry, Condition, Each, Expectation, Expr, ExprKind, Guard, IndexItem, Literal,
    LiteralKind, Name, Relation, Row, SettingValue, Value,
};

/// What a row writes of a family.
pub(super) struct Written<'a> {
    pub(super) base: &'a str,
    pub(super) elements: Elements,
    /// Its indices, as they are shown.
    pub(super) shown: String,
    pub(super) id: String,
    pub(super) row: &'a Row<Relation>,
}

impl<'a> Expander<'a> {
    pub(super) fn check(&mut self, merged: &Merged<'a>) {
        self.check_quantities(merged);
        for entry in &merged.ranges {
            let body = &entry.row.body;
            let Some(scope) = self.check_row(entry.row, &[&body.name]) else {
                continue;
            };
            let sides = || body.all.iter().flat_map(|one| [&one.left, &one.right]);
            sides().for_each(|side| self.check_expr(side, &scope));
            let nodes = sides().map(|side| self.nodes(side)).sum();
            self.count(&scope, nodes);
        }
        for entry in &merged.situations.rows {
            let body = &entry.row.body;
            let Some(scope) = self.check_row(entry.row, &[&body.name]) else {
                continue;
            };
            self.check_condition(&body.all, &scope);
            self.check_self(&body.name, &body.all);
            self.count(&scope, self.nodes_of_condition(&body.all));
        }
        for entry in &merged.assignments {
            let body = &entry.row.body;
            let targets: Vec<&Name> = body.set.iter().map(|(name, _)| name).collect();
            let Some(scope) = self.check_row(entry.row, &targets) else {
                continue;
            };
            self.check_targets(&targets, &scope, Kind::Switch);
            self.check_condition(&body.when, &scope);
            self.count(&scope, self.nodes_of_condition(&body.when));
        }
        let mut written = Vec::new();
        for entry in &merged.relations {
            let row = entry.row;
            let targets: Vec<&Name> = row.body.targets.iter().collect();
            let Some(scope) = self.check_row(row, &targets) else {
                continue;
            };
            self.check_relation(row, &scope);
            for name in targets {
                let ties = self.ties(name, &scope);
                let block = match &name.index {
                    Some(_) => self.target_block(name, &scope),
                    None => {
                        let element = situ_engine::model::element(&name.value);
                        element.map(|(_, at)| at.iter().map(|at| Extent::one(*at)).collect())
                    }
                };
                if let Some(block) = block {
                    let element = situ_engine::model::element(&name.value);
                    let shown = match ties.is_empty() {
                        true => block_text(&block),
                        false => name.value.clone(),
                    };
                    written.push(Written {
                        base: element.map_or(name.base(), |(base, _)| base),
                        elements: Elements { block, ties },
                        shown,
                        id: entry.id.clone().into_owned(),
                        row,
                    });
                }
            }
        }
        let scope = Scope::new();
        for clock in &merged.clocks {
            for (_, entry) in &clock.settings {
                match entry {
                    ClockEntry::Expression(expr) => self.check_expr(expr, &scope),
                    ClockEntry::Condition(all) => self.check_condition(all, &scope),
                    ClockEntry::Number(_) | ClockEntry::Word(_) => {}
                }
            }
        }
        for one in &merged.invariants {
            self.check_expr(&one.value, &scope);
        }
        self.check_scene(merged);
        if self.n_nodes > MAX_NODES {
            let span = merged.relations.first().map(|entry| entry.row.span);
            let asked: Vec<_> = self.values.asked().collect();
            let report = report::too_large(self.n_nodes, MAX_NODES, span, &asked);
            return self.report(report);
        }
        if !crate::diag::has_errors(&self.diagnostics) {
            self.check_coverage(merged, &written);
        }
    }

    /// Checks the indices in expectations.
    pub(super) fn check_expectations(&mut self, all: &'a [Expectation]) {
        let scope = Scope::new();
        for expectation in all {
            for expr in expectation.exprs() {
                self.check_expr(expr, &scope);
            }
            if let Some(condition) = expectation.condition() {
                self.check_condition(condition, &scope);
            }
        }
    }

    fn check_quantities(&mut self, merged: &Merged<'a>) {
        for one in merged.constants.iter().chain(&merged.reals) {
            let Some(scope) = self.check_declared(one.name) else {
                continue;
            };
            for value in one.start.into_iter().chain(one.before) {
                self.check_expr(value, &scope);
                self.count(&scope, self.nodes(value));
            }
        }
        for one in &merged.switches {
            self.check_declared(one.name);
        }
        for case in &merged.cases {
            let has_shape = self.has_shape_of(case);
            for setting in &case.set {
                if !has_shape && self.lies_outside(&setting.name.value) {
                    continue;
                }
                let Some(scope) = self.check_declared(&setting.name) else {
                    continue;
                };
                if let SettingValue::Expr(value) = &setting.value {
                    self.check_expr(value, &scope);
                }
            }
        }
    }

    /// The counters of a declaration; checks that single elements belong to their family.
    fn check_declared(&mut self, name: &'a Name) -> Option<Scope<'a>> {
        let mut scope = Scope::new();
        let Some(index) = &name.index else {
            self.check_name(&name.value, name.span, &scope);
            return Some(scope);
        };
        for item in &index.items {
            if let IndexItem::At(Expr {
                kind: ExprKind::Name(counter),
                ..
            }) = item
            {
                let known = self.counters.iter().find(|(name, _)| name == counter);
                scope.extend(known.copied());
            }
        }
        let block = self.declared_block(name)?;
        self.n_nodes = self.n_nodes.saturating_add(size(&block));
        self.check_inside(name, &block, &scope);
        Some(scope)
    }

    /// The counters of a row.
    fn check_row<T>(&mut self, row: &'a Row<T>, targets: &[&'a Name]) -> Option<Scope<'a>> {
        let each: Option<&'a Each> = row.each.as_deref();
        self.row_scope(targets, each, true)
    }

    fn check_targets(&mut self, targets: &[&'a Name], scope: &Scope<'a>, kind: Kind) {
        for name in targets {
            let base = match &name.index {
                Some(index) => index.base.as_str(),
                None => {
                    self.check_name(&name.value, name.span, scope);
                    continue;
                }
            };
            match self.families.get(base) {
                None => self.unknown_family(name),
                Some(family) if family.kind != kind => {
                    let (found, span) = (family.kind, family.span);
                    self.report(report::wrong_kind(name, found, kind, span));
                }
                Some(_) => {
                    if let Some(block) = self.target_block(name, scope) {
                        self.check_inside(name, &block, scope);
                    }
                }
            }
        }
    }

    fn check_relation(&mut self, row: &'a Row<Relation>, scope: &Scope<'a>) {
        let body = &row.body;
        let targets: Vec<&Name> = body.targets.iter().collect();
        self.check_targets(&targets, scope, Kind::Real);
        let values: Vec<&Expr> = match &body.value {
            Value::Exprs(values) => values.iter().collect(),
            Value::Columns {
                coef, args, coef2, ..
            } => {
                let coefs = coef.as_deref().into_iter().chain(coef2.as_deref());
                args.iter().chain(coefs).collect()
            }
            Value::Solve { .. } | Value::Family(_) => body.value.exprs(),
        };
        let mut nodes = 0_u64;
        for value in &values {
            self.check_expr(value, scope);
            nodes = nodes.saturating_add(self.nodes(value));
        }
        match &body.guard {
            Guard::When(all) => self.check_condition(all, scope),
            Guard::Each(all) => all.iter().for_each(|all| self.check_condition(all, scope)),
            Guard::Always | Guard::Otherwise(_) => {}
        }
        self.count(scope, nodes.saturating_add(1));
        let reads_others = |target: &Name, read: &str, inside| inside || target.value != read;
        if scope.is_empty() || !reads_targets(row, reads_others) {
            return;
        }
        let in_turn = row.each.as_ref().and_then(|each| each.one_after_another);
        let integrates = values.iter().any(|value| is_integral(value))
            || matches!(&body.value, Value::Columns { procedure, .. } if procedure.value == "integral");
        let solves = matches!(body.value, Value::Solve { .. });
        if in_turn.is_none() && !integrates && !solves {
            self.report(report::reads_old_values(row));
        }
    }

    /// True if the elements of a row are computed together: it reads what it writes at another index.
    pub(super) fn is_joint(&self, row: &'a Row<Relation>) -> bool {
        let each = row.each.as_deref();
        let several = row.body.targets.len() > 1;
        each.and_then(|each| each.one_after_another).is_none()
            && reads_targets(row, |target, read, inside| {
                inside || several || target.value != read
            })
    }
}

/// How large a table becomes when it is written out.
impl<'a> Expander<'a> {
    /// Counts what a row becomes.
    pub(super) fn count(&mut self, scope: &Scope<'a>, nodes: u64) {
        let block: Block = scope.iter().map(|(_, extent)| *extent).collect();
        let all = size(&block).saturating_mul(nodes.saturating_add(1));
        self.n_nodes = self.n_nodes.saturating_add(all);
    }

    /// Nodes of an expression when it is written out.
    pub(super) fn nodes(&self, expr: &'a Expr) -> u64 {
        match &expr.kind {
            ExprKind::Reduction(reduction) => {
                let mut n = 1_u64;
                for over in &reduction.over {
                    let extent = match &over.range {
                        Some((from, to)) => self.known_extent(from, to),
                        None => {
                            let mut counters = self.counters.iter();
                            let found = counters.find(|(name, _)| *name == over.counter.value);
                            found.map_or(1, |(_, extent)| extent.len())
                        }
                    };
                    n = n.saturating_mul(extent);
                }
                let when = reduction.when.as_ref();
                let parts = when.map_or(0, |when| self.nodes_of_condition(when).saturating_add(8));
                let body = self.nodes(&reduction.body).saturating_add(parts);
                n.saturating_mul(body.saturating_add(1))
            }
            ExprKind::Paren(inner) | ExprKind::Neg(inner) => self.nodes(inner).saturating_add(1),
            ExprKind::Binary(_, left, right) => self
                .nodes(left)
                .saturating_add(self.nodes(right))
                .saturating_add(1),
            ExprKind::Call(_, args) => args
                .iter()
                .fold(1, |sum: u64, arg| sum.saturating_add(self.nodes(arg))),
            ExprKind::Boolean(literal) => self.nodes_of_literal(literal),
            _ => 1,
        }
    }

    /// Length of a range whose ends have been computed before.
    pub(super) fn known_extent(&self, from: &'a Expr, to: &'a Expr) -> u64 {
        let [from, to] = [from, to].map(|end| self.values.known_whole(end));
        match (from, to) {
            (Some(from), Some(to)) => Extent { from, to }.len(),
            _ => 1,
        }
    }

    pub(super) fn nodes_of_condition(&self, condition: &'a Condition) -> u64 {
        let literals = condition.literals.iter();
        literals.fold(1, |sum: u64, literal| {
            sum.saturating_add(self.nodes_of_literal(literal))
        })
    }

    pub(super) fn nodes_of_literal(&self, literal: &'a Literal) -> u64 {
        match &literal.kind {
            LiteralKind::Comparison(comparison) => {
                let [left, right] = [&comparison.left, &comparison.right];
                self.nodes(left).saturating_add(self.nodes(right))
            }
            LiteralKind::Reduction(reduction) => {
                let mut n = 1_u64;
                for over in &reduction.over {
                    let mut counters = self.counters.iter();
                    let found = counters.find(|(name, _)| *name == over.counter.value);
                    let extent = match &over.range {
                        Some((from, to)) => self.known_extent(from, to),
                        None => found.map_or(1, |(_, extent)| extent.len()),
                    };
                    n = n.saturating_mul(extent);
                }
                n.saturating_mul(self.nodes(&reduction.body).saturating_add(2))
            }
            _ => 1,
        }
    }
}

pub(super) fn integrates(row: &Row<Relation>) -> bool {
    match &row.body.value {
        Value::Exprs(values) => values.iter().any(is_integral),
        Value::Columns { procedure, .. } => procedure.value == "integral",
        Value::Solve { .. } | Value::Family(_) => false,
    }
}

pub(super) fn is_integral(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(name, _) if name.value == "integral")
}

/// Calls `each` with the family of every element that an expression reads, the element as written and
/// whether it stands in a reduction.
pub(super) fn each_element_of<'a>(expr: &'a Expr, each: &mut impl FnMut(&'a str, &'a str, bool)) {
    visit_elements(expr, false, each);
}

fn visit_elements<'a>(expr: &'a Expr, inside: bool, each: &mut impl FnMut(&'a str, &'a str, bool)) {
    match &expr.kind {
        ExprKind::Name(name) => {
            if let Some((base, _)) = situ_engine::model::element(name) {
                each(base, name, inside);
            }
        }
        ExprKind::Element(name) => each(name.base(), &name.value, inside),
        ExprKind::Reduction(reduction) => visit_elements(&reduction.body, true, each),
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => visit_elements(inner, inside, each),
        ExprKind::Binary(_, left, right) => {
            visit_elements(left, inside, each);
            visit_elements(right, inside, each);
        }
        ExprKind::Call(_, args) => {
            for arg in args {
                visit_elements(arg, inside, each);
            }
        }
        ExprKind::Boolean(_)
        | ExprKind::Counted(_)
        | ExprKind::Terms(_)
        | ExprKind::Number(_)
        | ExprKind::Time
        | ExprKind::Pi
        | ExprKind::Error => {}
    }
}

/// True if a row reads an element of a family that it writes, of which `counts` says yes: by the target, the name of the
/// element that is read, and whether it is read inside of a reduction.
fn reads_targets(row: &Row<Relation>, counts: impl Fn(&Name, &str, bool) -> bool) -> bool {
    let mut found = false;
    let mut look = |expr| {
        each_element_of(expr, &mut |base, read, inside| {
            let mut targets = row.body.targets.iter();
            found |= targets.any(|target| target.base() == base && counts(target, read, inside));
        });
    };
    row.body.value.exprs().into_iter().for_each(&mut look);
    found
}
