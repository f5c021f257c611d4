//! C052: rows that read their own target as it stood at the end of the last tick, so that they add
//! up tick by tick: `x = 0.5 * x`, or `P = P + F` without a row of `P` above it.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Coefficient, Expr, Model, Relation, Scan};

use super::budget::OverBudget;
use super::index::Effect;
use super::logic::scope::{Scope, View};
use super::logic::state::State;
use super::{Context, conflicts};
use crate::diag::{Diagnostic, Severity};

const QUESTION: &str = "which rows add up tick by tick";
/// A real with more rows than this is analysed only up to the first unconditional one.
const MAX_WRITERS: usize = 48;
/// Procedures that give their own result back: applying them every tick changes nothing.
const IDEMPOTENT: [&str; 7] = ["assignment", "min", "max", "clamp", "mod", "abs", "floor"];

pub(super) fn check(context: &mut Context<'_>, real: RealId) {
    let writers = context.index.writers.of(real.index());
    for (at, &row) in writers.iter().enumerate() {
        let relation = context.relation(row);
        let adds_up = context.kind(row).is_computed()
            && context.index.chains(row, real)
            && !is_idempotent(context.model, relation);
        if !adds_up {
            continue;
        }
        let above: Vec<RelationId> = match context.scan {
            Scan::Sequential => writers[..at].to_vec(),
            Scan::Simultaneous => Vec::new(),
        };
        // A row that reads its target itself stands on the rows above it, and is reported itself
        // where there are none.
        let above: Vec<RelationId> = above
            .into_iter()
            .filter(|id| context.kind(*id).is_computed())
            .collect();
        if above.iter().any(|id| context.kind(*id).always) {
            continue;
        }
        let state = if above.is_empty() || above.len() > MAX_WRITERS {
            Some(None)
        } else {
            let name = context.real_name(real).to_owned();
            context.ask(
                QUESTION,
                || name,
                |context| ungrounded(context, row, &above),
            )
        };
        match state {
            Some(None) if !above.is_empty() => {}
            Some(state) => {
                context.report("C052", |context| {
                    accumulates(context, real, row, state.as_ref())
                });
            }
            None => {}
        }
    }
}

/// A state in which the row acts and none of the rows above does.
fn ungrounded(
    context: &mut Context<'_>,
    row: RelationId,
    above: &[RelationId],
) -> Result<Option<State>, OverBudget> {
    let mut all = vec![row];
    all.extend(above);
    let guards = conflicts::guards(context, &all);
    let booleans = context.booleans(&all);
    let mut scope = Scope::new(
        context.conditions,
        View::Settled,
        booleans,
        &mut context.work,
    )?;
    let active = conflicts::active(&mut scope, &guards)?;
    let mut alone = active[0].clone();
    for over in &active[1..] {
        alone = scope.and_not(&alone, over)?;
    }
    scope.state(&alone)
}

fn is_idempotent(model: &Model, relation: &Relation) -> bool {
    let named = |name: &str| IDEMPOTENT.contains(&name);
    let own = named(relation.procedure.get().name) && relation.coef == Coefficient::ONE;
    match (relation.procedure.get().name, &relation.args[..]) {
        ("assignment", [Argument::Real(expr)]) => match model.exprs.get(*expr) {
            Expr::Call(procedure, _) => named(procedure.get().name),
            Expr::Real(_) => true,
            _ => false,
        },
        _ => own,
    }
}

fn accumulates(
    context: &Context<'_>,
    real: RealId,
    row: RelationId,
    state: Option<&State>,
) -> Diagnostic {
    let name = context.real_name(real);
    let id = context.row_id(row);
    let writers = context.index.writers.of(real.index());
    let integrated = writers
        .iter()
        .any(|id| context.kind(*id).effect == Effect::Updates);
    let message = format!("row `{id}` changes `{name}` again in every tick");
    let mut diagnostic = Diagnostic::new("C052", Severity::Warning, message);
    diagnostic = context.at(
        diagnostic,
        context.relation(row).origin,
        format!("reads `{name}` as the last tick left it"),
    );
    if let Some(state) = state {
        diagnostic = diagnostic.with_note(format!(
            "no row above writes it at {}",
            state.describe(context.model)
        ));
    }
    diagnostic = diagnostic.with_note("the result depends on the length of the tick");
    diagnostic.with_help(if integrated {
        "to change it once, write `:=` at an event"
    } else {
        "place it below a row that computes the value afresh, use `integral`, or write `:=` at an event"
    })
}
