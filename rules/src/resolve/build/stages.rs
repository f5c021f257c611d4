//! Stages of reactions: which rows they became, and what they conserve.

use std::collections::{BTreeMap, HashMap};

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{self, Coefficient, Expr, Guard, Share, Stage};
use smallvec::SmallVec;

use super::Builder;
use crate::conservation::{Sparse, laws};
use crate::diag::Diagnostic;
use crate::resolve::report;
use crate::resolve::scheme::{Stages, side};
use crate::resolve::symbol::Symbol;
use crate::{print, tree};

/// Longest name of a law; a longer one is numbered.
const MAX_NAME: usize = 60;
/// Numbers of molecules are whole if multiplied by this.
const DECIMALS: f64 = 1e6;

impl<'a> Builder<'_, 'a> {
    /// Notes which rows are stages, and adds the invariants that follow from them.
    pub(super) fn stages(&mut self, stages: &Stages<'_>) {
        let relations = &self.binder.model.relations;
        let ids: HashMap<&str, RelationId> = relations
            .iter()
            .enumerate()
            .rev()
            .map(|(index, row)| (row.id.as_str(), RelationId::new(index)))
            .collect();
        let sums: Vec<Option<RelationId>> = stages
            .sums
            .iter()
            .map(|id| ids.get(id.as_str()).copied())
            .collect();
        let rows: Vec<_> = stages
            .stages
            .iter()
            .map(|stage| {
                let row = ids.get(stage.flux().as_str()).copied();
                (row, ids.get(stage.off_id().as_str()).copied())
            })
            .collect();
        self.amounts(stages);
        self.written_rates(stages);
        let mut bound = Vec::with_capacity(stages.stages.len());
        for (written, (row, off)) in stages.stages.iter().zip(rows) {
            let Some(row) = row else { return };
            let relation = &self.binder.model.relations[row.index()];
            if let (Guard::When(all), tree::Guard::When(condition)) =
                (&relation.guard, &written.row.body.guard)
                && self.binder.model.names_event(all)
            {
                if !written.back {
                    let report = report::stage_at_event(&written.id, condition.span);
                    self.report(report);
                }
                continue;
            }
            let Some(Symbol::Real(rate)) = self
                .binder
                .scope
                .get(&written.flux())
                .map(|known| known.symbol)
            else {
                return;
            };
            let sides = [written.left, written.right].map(|terms| side(terms, self.binder.scope));
            let [left, right] = sides;
            let origin = self.origin(written.row.span);
            bound.push(Stage {
                id: written.id.clone(),
                back: written.back,
                text: written.text(),
                rate,
                row,
                off,
                left: left.into(),
                right: right.into(),
                origin,
            });
        }
        let mut shares: BTreeMap<RealId, Vec<Share>> = BTreeMap::new();
        for (index, stage) in bound.iter().enumerate() {
            for (real, amounts) in changes(stage) {
                shares.entry(real).or_default().push(Share {
                    stage: index,
                    amounts,
                });
            }
        }
        let model = self.model();
        model.scheme.stages = bound;
        for row in sums.into_iter().flatten() {
            let target = model.relations[row.index()].targets.first();
            if let Some(shares) = target.and_then(|real| shares.remove(real)) {
                model.scheme.sums.push((row, shares));
            }
        }
        model.scheme.sums.sort_by_key(|(row, _)| *row);
        self.laws();
    }

    /// Reports numbers of molecules that are no constants.
    fn amounts(&mut self, stages: &Stages<'_>) {
        for stage in stages.stages.iter().filter(|stage| !stage.back) {
            for term in stage.left.iter().chain(stage.right) {
                let tree::Amount::Constant(name) = &term.amount else {
                    continue;
                };
                if let Some(declared) = self.binder.scope.get(&name.value)
                    && !matches!(declared.symbol, Symbol::Constant(_) | Symbol::Unusable)
                {
                    self.report(report::amount_no_constant(name, declared));
                }
            }
        }
    }

    /// Reports rows of the table that write rates of stages.
    fn written_rates(&mut self, stages: &Stages<'_>) {
        let rates: HashMap<String, &str> = stages
            .stages
            .iter()
            .map(|stage| (stage.flux(), stage.id.as_str()))
            .collect();
        let own = stages.table.relations.first().map(|row| row as *const _);
        for entry in &self.merged.relations {
            if own == Some(std::ptr::from_ref(entry.row)) {
                break;
            }
            for target in &entry.row.body.targets {
                if let Some(id) = rates.get(&target.value) {
                    self.binder
                        .diagnostics
                        .push(report::rate_written(target, id));
                }
            }
        }
    }

    /// Adds what the stages conserve to the invariants.
    fn laws(&mut self) {
        let model = self.model();
        let stages = &model.scheme.stages;
        let changed: Vec<RealId> = {
            let sums = model.scheme.sums.iter();
            let rows = sums.flat_map(|(row, _)| &model.relations[row.index()].targets);
            let mut changed: Vec<RealId> = rows.copied().collect();
            changed.sort_unstable();
            changed
        };
        let number = |real: RealId| {
            let index = changed.binary_search(&real).ok()?;
            u32::try_from(index).ok()
        };
        let mut columns: Vec<Sparse> = Vec::new();
        for stage in stages {
            columns.extend(numbers(stage, &number));
        }
        // What other rows write is not conserved by itself.
        for (index, row) in model.relations.iter().enumerate() {
            if model.scheme.shares(RelationId::new(index)).is_none() {
                let targets = row.targets.iter().filter_map(|real| number(*real));
                columns.extend(targets.map(|target| vec![(target, 1)]));
            }
        }
        columns.retain(|column| !column.is_empty());
        columns.sort_unstable();
        columns.dedup();
        let found = laws(changed.len(), &columns);
        model.scheme.laws_left_open = found.left_open;
        for (index, law) in found.laws.iter().enumerate() {
            let model = self.model();
            let text = words(model, &changed, law);
            let name = match text.chars().count() <= MAX_NAME {
                true => text,
                false => format!("law {}", index + 1),
            };
            if self.binder.scope.get(&name).is_some() {
                continue;
            }
            let model = self.model();
            let value = sum(model, &changed, law);
            let origin = model.scheme.stages.first().map(|stage| stage.origin);
            model.invariants.push(model::Invariant {
                name,
                value,
                origin: origin.unwrap_or(situ_engine::ids::Origin::NONE),
            });
            model.scheme.n_laws += 1;
        }
    }
}

/// Reports numbers of molecules that are constants below zero.
pub(super) fn negative_amounts(
    model: &model::Model,
    stages: &Stages<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let forth = stages.stages.iter().filter(|stage| !stage.back);
    let terms = forth.flat_map(|stage| stage.left.iter().chain(stage.right));
    let names = terms.filter_map(|term| match &term.amount {
        tree::Amount::Constant(name) => Some(name),
        tree::Amount::One | tree::Amount::Number(_) => None,
    });
    let mut names = names.peekable();
    if names.peek().is_none() {
        return;
    }
    let Ok(start) = model.start_values() else {
        return;
    };
    let constants = model.constants.iter().zip(&start.constants);
    let values: HashMap<&str, f64> = constants
        .map(|(constant, value)| (constant.name.as_str(), *value))
        .collect();
    diagnostics.extend(names.filter_map(|name| {
        let value = *values.get(name.value.as_str())?;
        (value < 0.0).then(|| report::amount_below_zero(name, value))
    }));
}

/// What a stage changes, with the numbers of molecules whose sum it is.
fn changes(stage: &Stage) -> Vec<(RealId, SmallVec<[Coefficient; 2]>)> {
    let mut changes: BTreeMap<RealId, SmallVec<[Coefficient; 2]>> = BTreeMap::new();
    for (amount, real) in &stage.left {
        let taken = match *amount {
            Coefficient::Number(number) => Coefficient::Number(-number),
            Coefficient::Constant { id, negative } => Coefficient::Constant {
                id,
                negative: !negative,
            },
        };
        changes.entry(*real).or_default().push(taken);
    }
    for (amount, real) in &stage.right {
        changes.entry(*real).or_default().push(*amount);
    }
    changes.into_iter().collect()
}

/// The changes of a stage in whole numbers: one column for the numbers, and one for each constant, as a law holds
/// whatever their values are.
fn numbers(stage: &Stage, number: &dyn Fn(RealId) -> Option<u32>) -> Vec<Sparse> {
    let mut columns: BTreeMap<Option<u32>, BTreeMap<u32, f64>> = BTreeMap::new();
    for (real, amounts) in changes(stage) {
        let Some(species) = number(real) else {
            continue;
        };
        for amount in amounts {
            let (key, by) = match amount {
                Coefficient::Number(by) => (None, by),
                Coefficient::Constant { id, negative } => {
                    (Some(id.0), if negative { -1.0 } else { 1.0 })
                }
            };
            *columns.entry(key).or_default().entry(species).or_default() += by;
        }
    }
    let mut all = Vec::new();
    for column in columns.into_values() {
        let mut scale = 1.0;
        let whole = |scale: f64| {
            column.values().all(|by| {
                let scaled = by * scale;
                (scaled - scaled.round()).abs() < 1e-9 && scaled.abs() < 1e12
            })
        };
        while !whole(scale) && scale < DECIMALS {
            scale *= 10.0;
        }
        match whole(scale) {
            true => {
                let scaled = column
                    .iter()
                    .map(|(at, by)| (*at, (by * scale).round() as i64));
                all.push(scaled.filter(|(_, by)| *by != 0).collect());
            }
            // Numbers without a common measure: none of these species is part of a law.
            false => all.extend(column.keys().map(|at| vec![(*at, 1)])),
        }
    }
    all
}

/// `S + ES + 2 P`
fn words(model: &model::Model, species: &[RealId], law: &Sparse) -> String {
    let mut text = String::new();
    for (at, by) in law {
        let real = &model.reals[species[*at as usize].index()].name;
        text.push_str(match (text.is_empty(), *by < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if by.abs() != 1 {
            text.push_str(&format!("{} ", by.abs()));
        }
        text.push_str(&print::name(real));
        if text.len() > 4 * MAX_NAME {
            break;
        }
    }
    text
}

/// The same as an expression.
fn sum(model: &mut model::Model, species: &[RealId], law: &Sparse) -> situ_engine::ids::ExprId {
    let exprs = &mut model.exprs;
    let mut terms: Vec<_> = law
        .iter()
        .map(|(at, by)| {
            let real = exprs.push(Expr::Real(species[*at as usize]));
            match *by {
                1 => real,
                by => {
                    let by = exprs.push(Expr::Number(by as f64));
                    exprs.push(Expr::Mul(by, real))
                }
            }
        })
        .collect();
    // In pairs: a long sum does not become a deep one.
    while terms.len() > 1 {
        terms = terms
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => exprs.push(Expr::Add(*left, *right)),
                _ => pair[0],
            })
            .collect();
    }
    terms[0]
}
