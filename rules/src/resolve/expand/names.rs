//! Names and indices of a row: each element that it reads or writes belongs to its family.

use situ_engine::procedure::ProcedureId;
use smallvec::SmallVec;

use super::check::each_element_of;
use super::families::{Block, Env, Extent, Family, Scope, size};
use super::index::{Form, form, reads};
use super::{Expander, cover, each_env, report};
use crate::tree::{
    Comparison, Condition, Expr, ExprKind, IndexItem, Literal, LiteralKind, Name, Reduction,
    ReductionKind,
};

/// So many elements of a network are looked at.
const MAX_NETWORK: u64 = 20_000_000;

impl<'a> Expander<'a> {
    pub(super) fn check_expr(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        match &expr.kind {
            ExprKind::Name(name) => self.check_name(name, expr.span, scope),
            ExprKind::Element(name) => self.check_element(name, scope),
            ExprKind::Reduction(reduction) => self.check_reduction(reduction, scope),
            ExprKind::Paren(inner) | ExprKind::Neg(inner) => self.check_expr(inner, scope),
            ExprKind::Binary(_, left, right) => {
                self.check_expr(left, scope);
                self.check_expr(right, scope);
            }
            ExprKind::Call(_, args) => args.iter().for_each(|arg| self.check_expr(arg, scope)),
            ExprKind::Boolean(literal) => self.check_literal(literal, scope),
            ExprKind::Number(_)
            | ExprKind::Time
            | ExprKind::Pi
            | ExprKind::Counted(_)
            | ExprKind::Terms(_)
            | ExprKind::Error => {}
        }
    }

    pub(super) fn check_condition(&mut self, condition: &'a Condition, scope: &Scope<'a>) {
        for literal in &condition.literals {
            self.check_literal(literal, scope);
        }
    }

    pub(super) fn check_literal(&mut self, literal: &'a Literal, scope: &Scope<'a>) {
        match &literal.kind {
            LiteralKind::Name(name) => self.check_name(name, literal.span, scope),
            LiteralKind::Element(name) => self.check_element(name, scope),
            LiteralKind::Reduction(reduction) => self.check_reduction(reduction, scope),
            LiteralKind::Every(args) => args.iter().for_each(|arg| self.check_expr(arg, scope)),
            LiteralKind::Comparison(comparison) => {
                let Comparison { left, right, .. } = &**comparison;
                self.check_expr(left, scope);
                self.check_expr(right, scope);
            }
            LiteralKind::Start | LiteralKind::Error => {}
        }
    }

    /// A name without indices, or with numbers for them.
    pub(super) fn check_name(
        &mut self,
        name: &'a str,
        span: crate::source::Span,
        scope: &Scope<'a>,
    ) {
        if scope.iter().any(|(counter, _)| *counter == name) {
            return;
        }
        if let Some(family) = self.families.get(name) {
            let report = report::family_alone(name, family, span);
            return self.report(report);
        }
        if self.counters.iter().any(|(counter, _)| *counter == name) {
            return self.report(report::counter_alone(name, span));
        }
        let Some((family, indices)) = self.families.of_element(name) else {
            return;
        };
        if reads_nothing(scope) {
            return;
        }
        if indices.len() != family.n_indices() {
            let (n, declared) = (family.n_indices(), family.span);
            return self.report(report::index_count(name, indices.len(), n, span, declared));
        }
        let block: Block = indices.iter().map(|at| Extent::one(*at)).collect();
        if cover::lacks(family, &block).is_some() {
            let report = self.outside(name, name, family, span, &[]);
            self.report(report);
        }
    }

    pub(super) fn check_element(&mut self, name: &'a Name, scope: &Scope<'a>) {
        let Some(index) = name.index.as_deref() else {
            return;
        };
        let mut lost = None;
        super::index::each_index_name(name, &mut |part| {
            let known = scope.iter().any(|(counter, _)| *counter == part);
            if !known && self.counters.iter().any(|(counter, _)| *counter == part) {
                lost.get_or_insert(part);
            }
        });
        if let Some(counter) = lost {
            return self.report(report::counter_alone(counter, name.span));
        }
        if self.families.get(&index.base).is_none() {
            return self.unknown_family(name);
        }
        let mut block = Block::new();
        let mut network = false;
        for item in &index.items {
            let IndexItem::At(at) = item else {
                return self.report(report::range_as_index(name.span));
            };
            let form = form(at, scope, &mut self.values);
            let Some(form) = self.or_report(form) else {
                return;
            };
            if let Form::Network(inner) = form {
                let errors = self.diagnostics.len();
                self.check_element(inner, scope);
                if self.diagnostics.len() > errors {
                    return;
                }
                network = true;
            }
            block.push(form.extent().unwrap_or(Extent::one(0)));
        }
        match network {
            true => self.check_network(name, scope),
            false => self.check_inside(name, &block, scope),
        }
    }

    /// Checks that elements belong to their family.
    pub(super) fn check_inside(&mut self, name: &'a Name, block: &Block, scope: &Scope<'a>) {
        let Some(family) = self.families.get(name.base()) else {
            return;
        };
        if block.len() != family.n_indices() {
            let (n, declared) = (family.n_indices(), family.span);
            let report = report::index_count(&name.value, block.len(), n, name.span, declared);
            return self.report(report);
        }
        if reads_nothing(scope) || cover::lacks(family, block).is_none() {
            return;
        }
        let items = name.index.iter().flat_map(|index| &index.items);
        let mut counted = Vec::with_capacity(block.len());
        for item in items {
            counted.push(match item {
                IndexItem::At(expr) => match form(expr, scope, &mut self.values) {
                    Ok(Form::Counter(counter, extent, by)) => Some((counter, extent, by)),
                    _ => None,
                },
                IndexItem::Range(..) => None,
            });
        }
        let Some(family) = self.families.get(name.base()) else {
            return;
        };
        let Some(missing) = lacks_counted(family, block, &counted) else {
            return;
        };
        // The values of counters at which it happens.
        let mut at: Vec<(&str, i64)> = Vec::new();
        for (counted, index) in counted.iter().zip(&missing) {
            if let Some((counter, _, by)) = counted
                && at.iter().all(|(known, _)| known != counter)
            {
                at.push((counter, index - by));
            }
        }
        let element = crate::tree::element_name(name.base(), &missing);
        if let Some(family) = self.families.get(name.base()) {
            let report = self.outside(&name.value, &element, family, name.span, &at);
            self.report(report);
        }
    }

    pub(super) fn outside(
        &self,
        written: &str,
        element: &str,
        family: &Family,
        span: crate::source::Span,
        at: &[(&str, i64)],
    ) -> crate::diag::Diagnostic {
        let asked: Vec<_> = self.values.asked().collect();
        report::outside(written, element, family, span, at, &asked)
    }

    /// Indices that are looked up: each is looked at, since nothing else tells where it leads.
    pub(super) fn check_network(&mut self, name: &'a Name, scope: &Scope<'a>) {
        if reads_nothing(scope) {
            return;
        }
        let mut used: Scope<'a> = Vec::new();
        super::index::each_index_name(name, &mut |part| {
            let counter = scope.iter().rev().find(|(counter, _)| *counter == part);
            if let Some(counter) = counter
                && !used.contains(counter)
            {
                used.push(*counter);
            }
        });
        let block: Block = used.iter().map(|(_, extent)| *extent).collect();
        if size(&block) > MAX_NETWORK {
            let asked: Vec<_> = self.values.asked().collect();
            let report = report::too_large(size(&block), MAX_NETWORK, Some(name.span), &asked);
            return self.report(report);
        }
        let mut found = None;
        each_env(&used, |env| {
            if found.is_none() {
                found = self.leads_nowhere(name, env);
            }
        });
        if let Some(report) = found {
            self.report(report);
        }
    }

    pub(super) fn leads_nowhere(
        &mut self,
        name: &'a Name,
        env: &Env<'a>,
    ) -> Option<crate::diag::Diagnostic> {
        let indices = match self.values.indices(name, env) {
            Ok(indices) => indices,
            Err(report) => return report.map(|report| *report),
        };
        let family = self.families.get(name.base())?;
        if indices.len() != family.n_indices() {
            let (n, declared) = (family.n_indices(), family.span);
            return Some(report::index_count(
                &name.value,
                indices.len(),
                n,
                name.span,
                declared,
            ));
        }
        let block: Block = indices.iter().map(|at| Extent::one(*at)).collect();
        cover::lacks(family, &block)?;
        let element = crate::tree::element_name(name.base(), &indices);
        Some(self.outside(&name.value, &element, family, name.span, env))
    }

    pub(super) fn unknown_family(&mut self, name: &'a Name) {
        let known: Vec<&str> = {
            let mut known: Vec<&str> = self.families.by_name.keys().map(|name| &**name).collect();
            known.sort_unstable();
            known
        };
        let mut lookups = self.lookups.iter();
        let report = match self.lost_in_part(name) {
            Some(report) => report,
            None => match lookups.find(|lookup| lookup.value == name.base()) {
                Some(lookup) => report::lookup_with_index(name, lookup.span),
                None if ProcedureId::named(name.base()).is_some() => {
                    report::arguments_in_brackets(name)
                }
                None => report::no_family(name, &known),
            },
        };
        self.report(report);
    }

    pub(super) fn check_reduction(&mut self, reduction: &'a Reduction, scope: &Scope<'a>) {
        let Some(inner) = self.reduction_scope(reduction) else {
            return;
        };
        let block: Block = inner.iter().map(|(_, extent)| *extent).collect();
        let needs_one = matches!(
            reduction.kind,
            ReductionKind::Mean | ReductionKind::Min | ReductionKind::Max
        );
        if needs_one && size(&block) == 0 && !reads_nothing(scope) {
            let asked: Vec<_> = self.values.asked().collect();
            self.report(report::over_nothing(reduction, &inner, &asked));
        }
        for &(name, extent) in &inner {
            if extent.len() > 1 && !reads_counter(reduction, (name, extent)) {
                self.report(report::same_for_all(reduction, name, extent.len()));
            }
        }
        let mut all = scope.clone();
        all.extend(inner);
        self.check_expr(&reduction.body, &all);
        if let Some(when) = &reduction.when {
            self.check_condition(when, &all);
        }
    }

    /// A condition does not name the family that it defines.
    pub(super) fn check_self(&mut self, name: &'a Name, condition: &'a Condition) {
        let own = match situ_engine::model::element(&name.value) {
            Some((base, _)) => base,
            None => name.base(),
        };
        if self.families.get(own).is_none() {
            return;
        }
        for literal in &condition.literals {
            let names_it = match &literal.kind {
                LiteralKind::Element(other) => other.base() == own,
                LiteralKind::Name(other) => {
                    situ_engine::model::element(other).is_some_and(|(base, _)| base == own)
                }
                LiteralKind::Reduction(reduction) => {
                    let mut found = false;
                    each_element_of(&reduction.body, &mut |base, _, _| found |= base == own);
                    found
                }
                _ => false,
            };
            if names_it {
                self.report(report::names_itself(own, literal.span, name.span));
            }
        }
    }
}

/// True if what a reduction is over may differ with one of its counters. A number alone is meant to be counted, `sum(1 for j)`;
/// a condition may read the counter.
fn reads_counter<'a>(reduction: &'a Reduction, counter: (&'a str, Extent)) -> bool {
    let is_number = matches!(reduction.body.kind, ExprKind::Number(_));
    is_number || reduction.when.is_some() || reads(&reduction.body, &vec![counter])
}

/// True in a row or a sum over no elements.
fn reads_nothing(scope: &Scope<'_>) -> bool {
    scope.iter().any(|(_, extent)| extent.is_empty())
}

/// An element that a family lacks of those that a row reaches. A counter in several indices has one value in all of them,
/// so that the row reaches a diagonal of the block.
///
/// Shapes: `counted`, one for each index: its counter, from where to where that goes, and what is added to it.
fn lacks_counted<'a>(
    family: &Family,
    block: &Block,
    counted: &[Option<(&'a str, Extent, i64)>],
) -> Option<SmallVec<[i64; 2]>> {
    let of = |counter: &str| {
        let named = counted.iter().flatten();
        named.filter(|(name, ..)| *name == counter).count()
    };
    let mut shared: Scope<'a> = Vec::new();
    for (counter, extent, _) in counted.iter().flatten() {
        if of(counter) > 1 && shared.iter().all(|(name, _)| name != counter) {
            shared.push((counter, *extent));
        }
    }
    let sides: Block = shared.iter().map(|(_, extent)| *extent).collect();
    if shared.is_empty() || size(&sides) > MAX_NETWORK {
        return cover::lacks(family, block);
    }
    let mut missing = None;
    each_env(&shared, |env| {
        if missing.is_some() {
            return;
        }
        let mut reached = block.clone();
        for (extent, counted) in reached.iter_mut().zip(counted) {
            let value = counted.and_then(|(counter, _, by)| {
                let (_, value) = env.iter().find(|(name, _)| *name == counter)?;
                Some(value + by)
            });
            if let Some(value) = value {
                *extent = Extent::one(value);
            }
        }
        missing = cover::lacks(family, &reached);
    });
    missing
}
