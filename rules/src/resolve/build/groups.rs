//! Rows that become several of the model: one for each target, or for each element of a family.

use situ_engine::ids::RealId;
use situ_engine::model::{self, Guard};

use super::Builder;
use crate::resolve::merged::Entry;
use crate::source::Span;
use crate::tree::{self, ExprKind, Value, counter_values};

impl<'a> Builder<'_, 'a> {
    /// A row for all elements of a family: one of the model for each.
    pub(super) fn family(
        &mut self,
        id: &str,
        row: &'a tree::Row<tree::Relation>,
        family: &tree::FamilyRow,
        guards: &mut [Guards],
    ) {
        let target = &row.body.targets[0];
        let Some((first, index)) = self.binder.reals(target, &family.counters) else {
            return self.binder.unread().unwrap_or_default();
        };
        let mut grouped = false;
        tree::each_element(&family.block, |at| {
            let real = counter_values(at).and_then(|at| index.at(at));
            let (Some(place), Some(counted)) = (real, family.counted(at)) else {
                return self.binder.unread().unwrap_or_default();
            };
            let real = RealId::new(first.index() + place);
            let guard = self.guard(row, &[real], guards);
            let at_event = matches!(&guard, Guard::When(all) if self.binder.model.names_event(all));
            let call = self.binder.line(&tree::Expr {
                span: family.span,
                kind: ExprKind::Counted(counted),
            });
            self.moment(row, at_event, call.as_ref());
            let Some(call) = call else { return };
            let id = match family.joint {
                true => in_group(id, &self.binder.model.reals[real.index()].name),
                false => tree::element_name(id, at),
            };
            let grouped = family.joint && std::mem::replace(&mut grouped, true);
            self.add_row(row, id, &[real], call, guard, grouped);
        });
    }

    /// `u1, u2 = e1, e2`: a row for each real, all of which read before one of them stores.
    pub(super) fn group(
        &mut self,
        id: &str,
        row: &'a tree::Row<tree::Relation>,
        guards: &mut [Guards],
    ) {
        let body = &row.body;
        let targets = self.targets(&body.targets);
        let Value::Exprs(values) = &body.value else {
            // Reported when the row was read.
            return self.binder.unread().unwrap_or_default();
        };
        if targets.len() != body.targets.len() || values.len() != targets.len() {
            return self.binder.unread().unwrap_or_default();
        }
        let common = match &body.guard {
            tree::Guard::Each(_) => None,
            _ => Some(self.guard(row, &targets, guards)),
        };
        for (at, (target, value)) in targets.iter().zip(values).enumerate() {
            let guard = match (&common, &body.guard) {
                (None, tree::Guard::Each(all)) => {
                    guards[target.index()].conditional = true;
                    match all.get(at) {
                        Some(condition) => Guard::When(self.binder.conjunction(condition)),
                        // Reported when the line was read.
                        None => return self.binder.unread().unwrap_or_default(),
                    }
                }
                (Some(common), _) => common.clone(),
                (None, _) => Guard::Always,
            };
            let at_event = matches!(&guard, Guard::When(all) if self.binder.model.names_event(all));
            let call = self.binder.line(value);
            self.moment(row, at_event, call.as_ref());
            let Some(call) = call else { continue };
            let id = in_group(id, &body.targets[at].value);
            self.add_row(row, id, &[*target], call, guard, at > 0);
        }
    }
}

/// The id of the row of one target among those of a group.
fn in_group(id: &str, target: &str) -> String {
    match model::element(target) {
        Some((base, _)) => format!("{id}{}", &target[base.len()..]),
        None => format!("{id}[{target}]"),
    }
}

/// Number of rows of the model that these become.
pub(super) fn n_relations(rows: &[Entry<'_, tree::Relation>]) -> usize {
    let numbers = rows.iter().map(|entry| match &entry.row.body {
        tree::Relation {
            value: Value::Family(family),
            ..
        } => family.len(),
        body if is_group(body) => body.targets.len(),
        _ => 1,
    });
    numbers.sum()
}

/// True if a row has several targets with a row of the model each. One that acts at an event, whose condition is the
/// same for all, is one row there too.
pub(super) fn is_group(body: &tree::Relation) -> bool {
    let each = matches!(body.guard, tree::Guard::Each(_));
    body.targets.len() > 1 && matches!(body.value, Value::Exprs(_)) && (!body.once || each)
}

/// The conditions under which a real is written.
#[derive(Clone, Copy, Default)]
pub(super) struct Guards {
    pub(super) conditional: bool,
    pub(super) otherwise: Option<Span>,
}
