//! C031: rows that say what another row says already.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use situ_engine::ids::{ExprId, RangeId, RelationId};
use situ_engine::model::{Argument, Expr, Guard, Literal, Model};
use situ_engine::procedure::Effect;
use situ_words::{Phrase, phrase, say};

use super::Context;
use super::logic::atoms::View;
use super::logic::borders::Test;
use super::logic::scope::Scope;
use crate::diag::{Diagnostic, Severity};

/// A situation with more rows than this is not compared row by row.
const MAX_ROWS: usize = 32;
/// Nor is one with a longer row than this.
const MAX_LITERALS: usize = 64;
/// Rows of a real are compared with so many rows below.
const MAX_BELOW: usize = 32;
const QUESTION: Phrase = phrase!("check-redundant.question");

pub(super) fn check(context: &mut Context<'_>) {
    ranges(context);
    situations(context);
    relations(context);
}

/// Named ranges with the same comparisons.
fn ranges(context: &mut Context<'_>) {
    let mut known: HashMap<Vec<Test>, usize> = HashMap::new();
    for (number, range) in context.model.ranges.iter().enumerate() {
        if range.anonymous {
            continue;
        }
        let Some(tests) = context.conditions.tests(RangeId::new(number)) else {
            continue;
        };
        match known.entry(tests) {
            Entry::Vacant(entry) => {
                entry.insert(number);
            }
            Entry::Occupied(entry) => {
                let first = &context.model.ranges[*entry.get()];
                context.report("C031", |context| {
                    let message = say!("check-ranges", range = range.name, first = first.name);
                    let mut diagnostic = Diagnostic::new("C031", Severity::Note, message);
                    diagnostic = context.at(diagnostic, range.origin, say!("check-repeats"));
                    context.also(diagnostic, first.origin, say!("check-ranges.also"))
                });
            }
        }
    }
}

/// Rows of a situation that hold only where other rows of it hold.
fn situations(context: &mut Context<'_>) {
    for situation in 0..context.model.situations.len() {
        let rows = context.conditions.rows.of(situation);
        if rows.len() < 2 {
            continue;
        }
        let event = context.model.situations[situation].event;
        // One written row may stand for several; a model that was built has no places.
        let mut covered = covered(context, rows, event);
        let written = |row: usize| {
            context
                .origins
                .get(context.model.situation_rows[row].origin)
        };
        covered.retain(|&(row, by)| {
            let other = by.map(written);
            other.is_none_or(|other| other.is_none() || other != written(row))
        });
        for (row, by) in covered {
            context.report("C031", |context| adds_nothing(context, row, by));
        }
    }
}

fn adds_nothing(context: &Context<'_>, row: usize, by: Option<usize>) -> Diagnostic {
    let model = context.model;
    let row = &model.situation_rows[row];
    let name = &model.situations[row.situation.index()].name;
    let by = by.map(|by| &model.situation_rows[by]);
    let message = match by {
        Some(by) => say!("check-adds-nothing", id = row.id, name, id_2 = by.id),
        None => say!("check-adds-nothing.row-adds", id = row.id, name),
    };
    let mut diagnostic = Diagnostic::new("C031", Severity::Note, message);
    diagnostic = context.at(diagnostic, row.origin, say!("check-adds-nothing.label"));
    match by {
        Some(by) => context.also(diagnostic, by.origin, say!("check-adds-nothing.also")),
        None => diagnostic,
    }
}

/// Rows covered by others; with the one that covers it, if it is a single one.
fn covered(context: &mut Context<'_>, rows: &[usize], event: bool) -> Vec<(usize, Option<usize>)> {
    let model = context.model;
    let long = |row: &usize| model.situation_rows[*row].all.len() > MAX_LITERALS;
    if rows.len() > MAX_ROWS || rows.iter().any(long) {
        return Vec::new();
    }
    let sets: Vec<Vec<Literal>> = rows
        .iter()
        .map(|&row| sorted(&model.situation_rows[row].all))
        .collect();
    let mut left = vec![true; rows.len()];
    let mut found = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let says_less = |by: &usize| {
            let narrower = sets[*by].iter().all(|literal| set.contains(literal));
            let first = sets[*by].len() < set.len() || *by < at;
            narrower && first && (!event || sets[*by] == *set)
        };
        let by = (0..rows.len())
            .filter(|&by| by != at && left[by])
            .find(says_less);
        if let Some(by) = by {
            left[at] = false;
            found.push((rows[at], Some(rows[by])));
        }
    }
    // A row of an event fires at its own arising: only an equal one makes it superfluous.
    let shared = (0..rows.len()).any(|at| {
        let all = &model.situation_rows[rows[at]].all;
        rows[at + 1..].iter().any(|other| {
            context
                .conditions
                .related(all, &model.situation_rows[*other].all)
        })
    });
    if event || !shared {
        return found;
    }
    let name = || {
        model.situations[model.situation_rows[rows[0]].situation.index()]
            .name
            .clone()
    };
    let semantic = context.ask(QUESTION, name, |context| {
        let booleans = sets.iter().flatten().map(|literal| literal.what);
        let mut scope = Scope::new(context.conditions, View::Loose, booleans, &mut context.work)?;
        let mut holds = Vec::with_capacity(rows.len());
        for &row in rows {
            holds.push(scope.before(&model.situation_rows[row].all)?);
        }
        let mut covered = Vec::new();
        for at in (0..rows.len()).rev().filter(|&at| left[at]) {
            if !scope.is_possible(&holds[at])? {
                continue;
            }
            let mut alone = holds[at].clone();
            for by in (0..rows.len()).filter(|&by| by != at && !covered.contains(&by)) {
                alone = scope.and_not(&alone, &holds[by])?;
            }
            if !scope.is_possible(&alone)? {
                covered.push(at);
            }
        }
        Ok(covered)
    });
    found.extend(
        semantic
            .unwrap_or_default()
            .into_iter()
            .map(|at| (rows[at], None)),
    );
    found
}

fn sorted(literals: &[Literal]) -> Vec<Literal> {
    let key = |literal: &Literal| (literal.what, literal.negated);
    let mut literals = literals.to_vec();
    literals.sort_unstable_by_key(key);
    literals.dedup();
    literals
}

/// Relations that stand there twice.
fn relations(context: &mut Context<'_>) {
    for real in 0..context.model.reals.len() {
        let writers = context.index.writers.of(real);
        for (at, &second) in writers.iter().enumerate().skip(1) {
            let first = writers[at.saturating_sub(MAX_BELOW)..at]
                .iter()
                .copied()
                .find(|first| repeats(context, *first, second));
            let Some(first) = first else { continue };
            // A row with several targets is reported for the first of them.
            if context.relation(second).targets[0].index() != real {
                continue;
            }
            context.report("C031", |context| repeated(context, first, second));
        }
    }
}

fn repeated(context: &Context<'_>, first: RelationId, second: RelationId) -> Diagnostic {
    let relation = context.relation(second);
    let target = relation.targets[0];
    let (severity, effect) = match context.kind(second).effect {
        Effect::Updates => (Severity::Warning, phrase!("check-repeated.both-add-counts")),
        _ if context.index.chains(second, target) => {
            (Severity::Warning, phrase!("check-repeated.both-work-value"))
        }
        _ => (Severity::Note, phrase!("check-repeated.once-enough")),
    };
    let message = say!(
        "check-repeated.row-repeats",
        second = context.row_id(second),
        first = context.row_id(first),
        target = context.real_name(target)
    );
    let mut diagnostic = Diagnostic::new("C031", severity, message);
    diagnostic = context.at(diagnostic, relation.origin, say!("check-repeats"));
    diagnostic = context.also(
        diagnostic,
        context.relation(first).origin,
        say!("check-here-already"),
    );
    diagnostic.with_note(effect)
}

/// True if two relations are the same but for their ids.
pub(super) fn repeats(context: &Context<'_>, first: RelationId, second: RelationId) -> bool {
    let (one, other) = (context.relation(first), context.relation(second));
    let guards = match (&one.guard, &other.guard) {
        (Guard::When(one), Guard::When(other)) if one.len() == other.len() => {
            one == other || (one.len() > 1 && sorted(one) == sorted(other))
        }
        (one, other) => one == other,
    };
    guards && one.once == other.once && same_effect(context, first, second)
}

/// True if two relations do the same where they are active.
pub(super) fn same_effect(context: &Context<'_>, first: RelationId, second: RelationId) -> bool {
    let (one, other) = (context.relation(first), context.relation(second));
    one.targets == other.targets
        && one.procedure == other.procedure
        && one.coef == other.coef
        && one.coef2 == other.coef2
        && one.args.len() == other.args.len()
        && one.args.iter().zip(&other.args).all(|args| match args {
            (Argument::Real(a), Argument::Real(b)) => same_expression(context.model, *a, *b),
            (Argument::Boolean(a), Argument::Boolean(b)) => a == b,
            _ => false,
        })
}

fn same_expression(model: &Model, a: ExprId, b: ExprId) -> bool {
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        if a == b {
            continue;
        }
        match (&model.exprs.get(a), &model.exprs.get(b)) {
            (Expr::Number(a), Expr::Number(b)) if a.to_bits() == b.to_bits() => {}
            (Expr::Constant(a), Expr::Constant(b)) if a == b => {}
            (Expr::Real(a), Expr::Real(b)) if a == b => {}
            (Expr::Time, Expr::Time) => {}
            (Expr::Neg(a), Expr::Neg(b)) => open.push((*a, *b)),
            (Expr::Add(a, b), Expr::Add(c, d))
            | (Expr::Sub(a, b), Expr::Sub(c, d))
            | (Expr::Mul(a, b), Expr::Mul(c, d))
            | (Expr::Div(a, b), Expr::Div(c, d)) => open.extend([(*a, *c), (*b, *d)]),
            (Expr::Call(p, a), Expr::Call(q, b)) if p == q && a.len() == b.len() => {
                open.extend(a.iter().copied().zip(b.iter().copied()));
            }
            (Expr::Lookup(p, a), Expr::Lookup(q, b)) if p == q && a.len() == b.len() => {
                open.extend(a.iter().copied().zip(b.iter().copied()));
            }
            _ => return false,
        }
    }
    true
}
