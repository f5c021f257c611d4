//! What a row of a table writes and reads.

use situ_engine::ids::RangeId;
use situ_engine::model::{
    Argument as RowArgument, Boolean, Coefficient, Expr, Guard, Literal, Model,
};
use situ_rules::tree::List;

use crate::names::Named;
use crate::row_ids::RowRef;

/// True if a row writes something that is meant.
pub(super) fn writes(model: &Model, row: RowRef, is_meant: &dyn Fn(Named) -> bool) -> bool {
    let real = |id| is_meant(Named::Real(id));
    let boolean = |what| is_meant(Named::Boolean(what));
    match row.list {
        List::Relations => model.relations[row.index]
            .targets
            .iter()
            .any(|id| real(*id)),
        List::Reactions => {
            let stage = &model.scheme.stages[row.index];
            let mut sides = stage.left.iter().chain(&stage.right);
            real(stage.rate) || sides.any(|(_, species)| real(*species))
        }
        List::Ranges => boolean(Boolean::Range(RangeId::new(row.index))),
        List::Situations => boolean(Boolean::Situation(
            model.situation_rows[row.index].situation,
        )),
        List::Assignments => {
            let mut set = model.assignments[row.index].set.iter();
            set.any(|(switch, _)| boolean(Boolean::Switch(*switch)))
        }
        List::Scene => false,
    }
}

/// True if a row reads something that is meant.
pub(super) fn reads(model: &Model, row: RowRef, is_meant: &dyn Fn(Named) -> bool) -> bool {
    let in_expr = |root| {
        let mut found = false;
        model.exprs.visit(root, |_, node| {
            found |= match node {
                Expr::Real(id) => is_meant(Named::Real(*id)),
                Expr::Constant(id) => is_meant(Named::Constant(*id)),
                _ => false,
            };
        });
        found
    };
    let is_boolean = |found: Boolean| match found {
        // A comparison written inside a condition reads its sides.
        Boolean::Range(id) if model.ranges[id.index()].anonymous => {
            let mut all = model.ranges[id.index()].all.iter();
            all.any(|one| in_expr(one.left) || in_expr(one.right))
        }
        found => is_meant(Named::Boolean(found)),
    };
    let in_all = |all: &[Literal]| all.iter().any(|one| is_boolean(one.what));
    match row.list {
        List::Ranges => {
            let mut all = model.ranges[row.index].all.iter();
            all.any(|one| in_expr(one.left) || in_expr(one.right))
        }
        List::Situations => in_all(&model.situation_rows[row.index].all),
        List::Assignments => in_all(&model.assignments[row.index].when),
        List::Scene => {
            let shape = &model.shapes()[row.index];
            let mut found = false;
            shape.each_expression(&mut |root| found |= in_expr(root));
            shape.each_literal(&mut |literal| found |= is_boolean(literal.what));
            found
        }
        List::Relations | List::Reactions => {
            let relation = match row.list {
                List::Reactions => model.scheme.stages[row.index].row.index(),
                _ => row.index,
            };
            let relation = &model.relations[relation];
            let constant = |coefficient| match coefficient {
                Coefficient::Constant { id, .. } => is_meant(Named::Constant(id)),
                Coefficient::Number(_) => false,
            };
            let mut args = relation.args.iter();
            constant(relation.coef)
                || constant(relation.coef2)
                || matches!(&relation.guard, Guard::When(all) if in_all(all))
                || args.any(|arg| match arg {
                    RowArgument::Real(expr) => in_expr(*expr),
                    RowArgument::Boolean(literal) => is_boolean(literal.what),
                })
        }
    }
}
