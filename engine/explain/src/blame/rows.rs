//! Parts that rows have in a value: what they add, and whether they start from what stands there.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Coefficient, Expr, Model, Relation, Share};
use situ_engine::procedure::{Body, Effect};

use crate::stepper::Stepper;

/// True if a run puts a real back onto constraints that hold.
pub(super) fn is_put_back(run: &Stepper, target: RealId) -> bool {
    let (model, events) = (run.model(), run.events());
    let holds = |row: RelationId| events.is_some_and(|run| run.share(row) > 0.0);
    model.constraints.iter().any(|one| {
        let mut states = one.levels.iter().flat_map(|level| &level.gradient);
        states.any(|(state, _)| *state == target) && holds(one.relation)
    })
}

/// Amounts that the rules between events add to what the rule above them has given a real.
pub(super) fn added(run: &Stepper, target: RealId) -> Vec<(RelationId, f64)> {
    let mut added = Vec::new();
    if let Some(events) = run.events() {
        let model = run.model();
        events.standing_rows(|rule| {
            let relation = &model.relations[rule.relation.index()];
            let starts_from = relation.targets.contains(&target)
                && matches!(relation.procedure.get().body, Body::Value(_))
                && reads_target(model, relation, target);
            if starts_from {
                let more = rule.after[target.index()] - rule.before[target.index()];
                added.push((rule.relation, rule.weight * more));
            }
        });
    }
    added
}

/// Entries of either list, with their amounts now and before; missing ones count as 0.
pub(super) fn differences(
    before: &[(RelationId, f64)],
    now: &[(RelationId, f64)],
) -> Vec<(RelationId, f64, f64)> {
    let amount = |list: &[(RelationId, f64)], id| {
        let found = list.iter().find(|(one, _)| *one == id);
        found.map_or(0.0, |(_, amount)| *amount)
    };
    let mut ids: Vec<RelationId> = before.iter().chain(now).map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let amounts = ids
        .into_iter()
        .map(|id| (id, amount(now, id), amount(before, id)));
    amounts.filter(|(_, now, before)| now != before).collect()
}

/// True if a row starts from what its target has: integrals and the like, and rows that name it. What is solved names its
/// unknowns, but has them anew.
pub(super) fn reads_target(model: &Model, row: &Relation, target: RealId) -> bool {
    if row.procedure.solves() {
        return false;
    }
    let keeps = row.procedure.get().effect() == Effect::Updates;
    keeps
        || row.args.iter().any(|argument| match argument {
            Argument::Real(expr) => {
                let mut found = false;
                model
                    .exprs
                    .visit(*expr, |_, node| found |= *node == Expr::Real(target));
                found
            }
            Argument::Boolean(_) => false,
        })
}

/// What a stage gives a species per unit of time.
pub(super) fn amount(model: &Model, reals: &[f64], constants: &[f64], share: &Share) -> f64 {
    let rate = reals[model.scheme.stages[share.stage].rate.index()];
    let times = share.amounts.iter().map(|amount| match *amount {
        Coefficient::Number(number) => number,
        Coefficient::Constant { id, negative } if negative => -constants[id.index()],
        Coefficient::Constant { id, .. } => constants[id.index()],
    });
    times.sum::<f64>() * rate
}
