//! Standing rows: the rows that hold between events, each with the reals that it reads and that it leaves. They hold
//! all at once, but where several write one real, each reads what the one above has given (`P = m * g`, then
//! `P = P + drag`).

use crate::ids::{RealId, RelationId};
use crate::model::Argument;
use crate::procedure::Body;
use crate::sim::events::run::EventRun;

/// A row that stands, with all reals as it reads them and as they are below it.
#[derive(Clone, Copy, Debug)]
pub struct StandingRow<'a> {
    /// The row.
    pub relation: RelationId,
    /// All reals as it reads them.
    pub before: &'a [f64],
    /// All reals as the row below it reads them.
    pub after: &'a [f64],
}

impl EventRun {
    /// Goes through the rows that stand on the present row of the run, as written.
    ///
    /// Along a slide rows of several modes stand by shares, and all of them read the row.
    pub fn standing_rows(&self, mut see: impl FnMut(&StandingRow<'_>)) {
        let (row, model) = (self.row(), self.model());
        let ids = (0..model.relations.len()).map(RelationId::new);
        let active: Vec<RelationId> = ids.filter(|id| self.share(*id) > 0.0).collect();
        let is_given = |id: &RelationId| {
            let body = &model.relations[id.index()].procedure.get().body;
            matches!(body, Body::Value(_))
        };
        let mut writers = vec![0; model.reals.len()];
        for id in active.iter().filter(|id| is_given(id)) {
            for target in &model.relations[id.index()].targets {
                writers[target.index()] += 1;
            }
        }
        let is_chained = |target: RealId| writers[target.index()] > 1 && !self.slides();
        let mut before = row.reals.to_vec();
        let mut after = before.clone();
        for id in active {
            let relation = &model.relations[id.index()];
            if is_given(&id) && relation.targets.iter().any(|target| is_chained(*target)) {
                let values = model.row_values(relation, (&before, row.constants), row.time);
                for (target, value) in relation.targets.iter().zip(values) {
                    if is_chained(*target) {
                        after[target.index()] = value;
                    }
                }
            }
            see(&StandingRow {
                relation: id,
                before: &before,
                after: &after,
            });
            before.copy_from_slice(&after);
        }
    }

    /// The rate that an integral gives its real, from reals as it reads them [unit of the real per unit of `time`].
    pub fn integral_rate(&self, relation: RelationId, reals: &[f64]) -> f64 {
        let (row, model) = (self.row(), self.model());
        let relation = &model.relations[relation.index()];
        match relation.args.first() {
            Some(Argument::Real(expr)) => {
                let rate = model.value_at(*expr, reals, row.constants, row.time);
                relation.coef.value(row.constants) * rate
            }
            _ => f64::NAN,
        }
    }
}
