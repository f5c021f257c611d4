//! C052: rows that read their own target as it stood at the end of the last tick, so that they add
//! up tick by tick: `x = 0.5 * x`, or `P = P + F` without a row of `P` above it.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Coefficient, Expr, Model, Relation, Scan};
use situ_engine::procedure::Effect;
use situ_words::{Phrase, phrase, say};

use crate::check::budget::OverBudget;
use crate::check::logic::atoms::View;
use crate::check::logic::state::State;
use crate::check::{Context, activity};
use crate::diag::{Diagnostic, Severity};

const QUESTION: Phrase = phrase!("writer-accumulate.question");
/// Only so many rows of a real are looked at.
const MAX_WRITERS: usize = 48;
/// Procedures that give their own result back: applying them every tick changes nothing.
const IDEMPOTENT: [&str; 7] = ["assignment", "min", "max", "clamp", "mod", "abs", "floor"];

/// Reports the rows of a real that add up, and marks them in `settled`.
pub(in crate::check) fn check(context: &mut Context<'_>, real: RealId, settled: &mut [bool]) {
    let model = context.model;
    let writers = context.index.writers.of(real.index());
    // Rows above that compute the value, as long as none of them always does. A row that reads its
    // target itself stands on the rows above it, and is reported itself where there are none.
    let mut above: Vec<RelationId> = Vec::new();
    for &row in writers {
        let kind = context.kind(row);
        if !kind.is_computed() {
            continue;
        }
        let adds_up =
            context.index.chains(row, real) && !is_idempotent(context.model, context.relation(row));
        if adds_up && above.is_empty() {
            settled[row.index()] = context.relation(row).targets.len() == 1;
            context.report("C052", |context| accumulates(context, real, row, None));
        } else if adds_up {
            let name = || model.reals[real.index()].name.clone();
            let state = context.ask(QUESTION, name, |context| ungrounded(context, row, &above));
            if let Some(Some(state)) = state {
                context.report("C052", |context| {
                    accumulates(context, real, row, Some(&state))
                });
            }
        }
        if context.scan == Scan::Simultaneous {
            continue;
        }
        above.push(row);
        if kind.always || above.len() > MAX_WRITERS {
            break;
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
    let (mut scope, active) = activity::scope(context, View::Settled, &all)?;
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
    let message = say!("writer-accumulates", id, name);
    let mut diagnostic = Diagnostic::new("C052", Severity::Warning, message);
    diagnostic = context.at(
        diagnostic,
        context.relation(row).origin,
        if integrated {
            say!("writer-accumulates.works-own-result")
        } else {
            say!("writer-accumulates.reads-last-tick", name)
        },
    );
    if let Some(state) = state {
        diagnostic = diagnostic.with_note(say!(
            "writer-accumulates.note-no-row",
            context = state.describe(context.model)
        ));
    }
    diagnostic = diagnostic.with_note(say!("writer-accumulates.note-result-depends"));
    diagnostic.with_help(if integrated {
        phrase!("writer-accumulates.change-once-write")
    } else {
        phrase!("writer-accumulates.place-below-row")
    })
}
