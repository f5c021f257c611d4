//! What helps where the rates of stages do not agree with the species that they change: nobody writes these rows.

use std::collections::HashSet;

use situ_engine::ids::RelationId;
use situ_engine::model::{Argument, Coefficient, Expr, Stage};
use situ_words::say;

use super::agreement::{Disagreement, Mismatch};
use super::fix::written;
use super::monomial::{Atom, Monomial};
use super::rows::{Row, Rows};

/// The number of a rate, and the words of two sides that do not agree.
pub(super) type Told<'f> = (usize, &'f str, &'f str);

impl<'m> Rows<'m> {
    /// What is found in rows of stages: the rates that these compute, as quantities, and the words of both sides.
    pub(super) fn told_by_stages<'f>(&self, found: &'f [Disagreement]) -> HashSet<Told<'f>> {
        let told = found.iter().filter_map(|one| {
            let stage = self.model.scheme.stage_of(self.relation_number(one.row)?)?;
            Some((self.real(stage.rate.index()), &*one.left.0, &*one.right.0))
        });
        told.collect()
    }

    /// True if the same is found in the row of a stage, which is the start of its rate as well.
    pub(super) fn is_told_by_stage(&self, found: &Disagreement, told: &HashSet<Told<'_>>) -> bool {
        matches!(self.rows[found.row], Row::Start(number)
            if told.contains(&(number, &*found.left.0, &*found.right.0)))
    }

    /// What to do where a species and the rates that change it are in units of other sizes.
    pub(super) fn help_of_stages(&self, found: &Disagreement) -> Option<String> {
        let (Row::Relation(row), Mismatch::Scale(_)) = (self.rows[found.row], &found.mismatch)
        else {
            return None;
        };
        let model = self.model;
        let shares = model.scheme.shares(self.relation_number(found.row)?)?;
        let target = row.targets.first()?.index();
        let own = self.unknowns.resolve(&self.units[self.real(target)]);
        let stages = shares.iter().map(|share| &model.scheme.stages[share.stage]);
        for stage in stages.clone() {
            for (_, species) in stage.left.iter().chain(&stage.right) {
                let unit = &self.units[self.real(species.index())];
                let [first, second] = [target, species.index()].map(|real| &model.reals[real]);
                if !(first.unit.is_empty() || second.unit.is_empty())
                    && factor(&self.unknowns.resolve(unit), &own).is_some()
                {
                    return Some(say!(
                        "unit-report.species",
                        first = first.name,
                        first_unit = first.unit,
                        second = second.name,
                        second_unit = second.unit
                    ));
                }
            }
        }
        let wanted = self.unknowns.resolve(&own.times(self.units.last()?, -1.0));
        stages.into_iter().find_map(|stage| {
            let rate = &self.units[self.real(stage.rate.index())];
            let factor = factor(&self.unknowns.resolve(rate), &wanted)?;
            let (factor, id) = (written(factor), &stage.id);
            Some(match self.measured_in_time(stage) {
                Some(constant) => say!("unit-report.rate-constant", constant, factor, id),
                None => say!("unit-report.rate", factor, id),
            })
        })
    }

    /// The one constant of the law of a stage that is a number in some time.
    fn measured_in_time(&self, stage: &Stage) -> Option<&'m str> {
        let model = self.model;
        let relation = &model.relations[stage.row.index()];
        let mut constants = Vec::new();
        if let Coefficient::Constant { id, .. } = relation.coef {
            constants.push(id);
        }
        for argument in &relation.args {
            if let Argument::Real(expr) = argument {
                model.exprs.visit(*expr, |_, node| {
                    if let Expr::Constant(id) = node {
                        constants.push(*id);
                    }
                });
            }
        }
        constants.sort_unstable();
        constants.dedup();
        let mut timed = constants.into_iter().filter(|id| {
            let unit = self.unknowns.resolve(&self.units[id.index()]);
            unit.powers.contains_key(&Atom::Base("s"))
        });
        let first = timed.next()?;
        (timed.next().is_none()).then(|| model.constants[first.index()].name.as_str())
    }

    /// The number of a real among the quantities.
    fn real(&self, index: usize) -> usize {
        self.model.constants.len() + index
    }

    fn relation_number(&self, row: usize) -> Option<RelationId> {
        let relations = self.n_acting.checked_sub(self.model.relations.len())?;
        let index = row.checked_sub(relations)?;
        (row < self.n_acting).then(|| RelationId::new(index))
    }
}

/// What makes a number in one unit of one in another, if that is no 1.
fn factor(from: &Monomial, to: &Monomial) -> Option<f64> {
    let quotient = from.times(to, -1.0).without_angles();
    (quotient.powers.is_empty() && quotient.log.abs() > 1e-8).then(|| quotient.log.exp())
}
