//! When rows act: the conditions of relations as functions over a scope.

use biodivine_lib_bdd::Bdd;
use situ_engine::ids::RelationId;
use situ_engine::model::{Boolean, Conjunction, Guard, Literal};

use super::Context;
use super::budget::OverBudget;
use super::logic::atoms::View;
use super::logic::scope::Scope;

/// An `otherwise` row beside more rows than this is not analysed.
const MAX_OTHERS: usize = 64;

/// When a row acts: while one of the conjunctions holds, or while none does.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    conjunctions: Vec<Conjunction>,
    negated: bool,
}

impl Activity {
    /// Of what is always active.
    pub(super) fn always() -> Self {
        Self::while_all(&[])
    }

    /// Of what is active while all literals hold.
    pub(super) fn while_all(all: &[Literal]) -> Self {
        Self {
            conjunctions: vec![all.into()],
            negated: false,
        }
    }

    /// Of a relation.
    pub(super) fn of(context: &Context<'_>, id: RelationId) -> Result<Self, OverBudget> {
        let relation = context.relation(id);
        match &relation.guard {
            Guard::Always => Ok(Self::always()),
            Guard::When(all) => Ok(Self::while_all(all)),
            Guard::Otherwise => {
                let writers = context.index.writers.of(relation.targets[0].index());
                if writers.len() > MAX_OTHERS {
                    return Err(OverBudget);
                }
                let conditions =
                    writers
                        .iter()
                        .filter_map(|other| match &context.relation(*other).guard {
                            Guard::When(all) => Some(all.clone()),
                            Guard::Always | Guard::Otherwise => None,
                        });
                Ok(Self {
                    conjunctions: conditions.collect(),
                    negated: true,
                })
            }
        }
    }

    /// Removes a boolean from the condition.
    pub(super) fn without(mut self, what: Boolean) -> Self {
        for all in &mut self.conjunctions {
            all.retain(|literal| literal.what != what);
        }
        self
    }

    pub(super) fn is_always(&self) -> bool {
        !self.negated && self.conjunctions.iter().any(|all| all.is_empty())
    }

    pub(super) fn booleans(&self) -> impl Iterator<Item = Boolean> {
        self.conjunctions
            .iter()
            .flatten()
            .map(|literal| literal.what)
    }

    pub(super) fn function(&self, scope: &mut Scope<'_, '_>) -> Result<Bdd, OverBudget> {
        let mut any = scope.never();
        for all in &self.conjunctions {
            let one = scope.after(all)?;
            any = scope.or(&any, &one)?;
        }
        Ok(if self.negated { any.into_not() } else { any })
    }
}

/// A scope about the conditions of rows, with the function of each.
pub(super) fn scope<'a, 'w>(
    context: &'w mut Context<'a>,
    view: View,
    rows: &[RelationId],
) -> Result<(Scope<'a, 'w>, Vec<Bdd>), OverBudget> {
    let activities: Vec<Activity> = rows
        .iter()
        .map(|id| Activity::of(context, *id))
        .collect::<Result<_, OverBudget>>()?;
    let booleans = activities.iter().flat_map(Activity::booleans);
    let mut scope = Scope::new(context.conditions, view, booleans, &mut context.work)?;
    let functions = activities
        .iter()
        .map(|activity| activity.function(&mut scope))
        .collect::<Result<_, OverBudget>>()?;
    Ok((scope, functions))
}
