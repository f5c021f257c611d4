//! Standing rows: the rows that hold between events, each with the reals that it reads and that it leaves. They hold
//! all at once, but where several write one real, each reads what the one above has given (`P = m * g`, then
//! `P = P + drag`).

use crate::ids::{RealId, RelationId};
use crate::model::{Argument, Model};
use crate::procedure::Body;
use crate::sim::events::run::EventRun;
use smallvec::SmallVec;

/// A row that stands, with all reals as it reads them and as it gives them.
#[derive(Clone, Copy, Debug)]
pub struct StandingRow<'a> {
    /// The row.
    pub relation: RelationId,
    /// All reals as it reads them.
    pub before: &'a [f64],
    /// The same with what the row gives where several write one real.
    pub after: &'a [f64],
    /// The weight with which what it gives counts in its targets: 1, but along a slide, where it is that of the modes
    /// in which the row acts among those in which rows write the target.
    pub weight: f64,
}

/// The rows that write one real, one below the other: what they have given so far, in each of the modes around.
struct Chain {
    /// The modes, with their weights in the real.
    modes: Vec<(usize, f64)>,
    /// The weight of those in which rows write it.
    written: f64,
    /// For each mode the value that the last row above has given in it.
    given: Vec<Option<f64>>,
}

impl Chain {
    /// The value that stands, mixed from the modes that count, as far as rows have given it there.
    fn mixed(&self, counts: impl Fn(usize) -> bool) -> Option<f64> {
        let modes = self.modes.iter().zip(&self.given);
        let modes = modes.filter(|((mode, _), _)| counts(*mode));
        let mut parts =
            modes.filter_map(|((_, weight), given)| given.map(|value| (*weight, value)));
        let (mut sum, first) = parts.next()?;
        let mut more = 0.0;
        for (weight, value) in parts {
            sum += weight;
            more += weight * (value - first);
        }
        // What all modes have stays as it is, to the last bit.
        match more == 0.0 {
            true => Some(first),
            false => Some(first + more / sum).filter(|value| value.is_finite()),
        }
    }

    /// Takes in what a row gives in the modes in which it acts. Result: its weight.
    fn give(&mut self, value: f64, acts: impl Fn(usize) -> bool) -> f64 {
        let mut sum = 0.0;
        for (&(mode, weight), given) in self.modes.iter().zip(&mut self.given) {
            if acts(mode) {
                *given = Some(value);
                sum += weight;
            }
        }
        match self.written == 0.0 {
            true => 0.0,
            false => sum / self.written,
        }
    }
}

/// True if a row computes a value from what it reads.
fn is_given(model: &Model, id: RelationId) -> bool {
    let body = &model.relations[id.index()].procedure.get().body;
    matches!(body, Body::Value(_))
}

impl EventRun {
    /// Goes through the rows that stand on the present row of the run, as written.
    ///
    /// Along a slide rows of several modes stand by shares. Each reads a real that several write as the rows above it
    /// have given it in the modes in which it acts, by their weights.
    pub fn standing_rows(&self, mut see: impl FnMut(&StandingRow<'_>)) {
        let (row, model) = (self.row(), self.model());
        let ids = (0..model.relations.len()).map(RelationId::new);
        let active: Vec<RelationId> = ids.filter(|id| self.share(*id) > 0.0).collect();
        let mut chains = self.chains(&active);
        let mut before = row.reals.to_vec();
        let mut after = before.clone();
        for id in active {
            let relation = &model.relations[id.index()];
            let targets = relation.targets.iter().enumerate();
            let chained: SmallVec<[(usize, RealId); 1]> = targets
                .map(|(at, target)| (at, *target))
                .filter(|(_, target)| is_given(model, id) && chains[target.index()].is_some())
                .collect();
            let acts = |mode: usize| self.acts_in(id, mode);
            for (_, target) in &chained {
                let chain = chains[target.index()].as_ref();
                let above = chain.and_then(|chain| chain.mixed(acts));
                before[target.index()] = above.unwrap_or(row.reals[target.index()]);
            }
            let values = match chained.is_empty() {
                true => Vec::new(),
                false => model.row_values(relation, (&before, row.constants), row.time),
            };
            let mut weight = 1.0;
            for &(at, target) in &chained {
                if let Some(chain) = &mut chains[target.index()] {
                    after[target.index()] = values[at];
                    weight = chain.give(values[at], acts);
                }
            }
            see(&StandingRow {
                relation: id,
                before: &before,
                after: &after,
                weight,
            });
            for (_, target) in chained {
                let chain = chains[target.index()].as_ref();
                let stands = chain.and_then(|chain| chain.mixed(|_| true));
                let value = stands.unwrap_or(row.reals[target.index()]);
                (before[target.index()], after[target.index()]) = (value, value);
            }
        }
    }

    /// For each real the chain of the rows that give it its value, if several of the active ones do.
    fn chains(&self, active: &[RelationId]) -> Vec<Option<Chain>> {
        let model = self.model();
        let mut writers = vec![0; model.reals.len()];
        for id in active.iter().filter(|id| is_given(model, **id)) {
            for target in &model.relations[id.index()].targets {
                writers[target.index()] += 1;
            }
        }
        let writers = writers.into_iter().enumerate();
        writers
            .map(|(real, writers)| (writers > 1).then(|| self.chain(RealId::new(real))))
            .collect()
    }

    fn chain(&self, target: RealId) -> Chain {
        let motion = &self.dynamics.motion;
        let modes: Vec<(usize, f64)> = match &motion.slide {
            None => vec![(motion.mode, 1.0)],
            Some(slide) => slide.weighted_in(target).collect(),
        };
        let written = modes
            .iter()
            .filter(|(mode, _)| self.is_written_in(target, *mode));
        Chain {
            written: written.map(|(_, weight)| weight).sum(),
            given: vec![None; modes.len()],
            modes,
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
