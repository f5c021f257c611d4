//! Why a boolean does not hold: what fails, nearest first, and when each part is going to turn.

use std::sync::Arc;

use situ_engine::model::{Boolean, Literal, Model};
use situ_engine::trace::Row;

use crate::moment::Asker;
use crate::reason::{Fact, Reason, Turn};
use crate::same_row::same_boolean;
use crate::why::{Explained, positive};
use crate::{Interrupted, Past, ProgressSink, STRETCH, look};

/// Most steps that are run ahead to see when something turns.
const AHEAD: u64 = 200_000;

/// A literal that fails, and the row that it stands in, by its place among those that could make the boolean hold.
type Failing = (Literal, usize);

impl<T> Past<'_, T> {
    /// Reasons for which a boolean does not hold, nearest first, and the time at which each part is going to change.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn why_not(
        &mut self,
        present: Boolean,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reason, Interrupted> {
        let moment = self.moment();
        let Some(what) = self.at_moment(&moment, present) else {
            let mut reason = self.new_boolean(present);
            if let Fact::Literal { turn, .. } = &mut reason.fact
                && reason.holds == Some(false)
            {
                let model = Arc::clone(&reason.model);
                *turn = self.turns(&model, &[(positive(present), 0)], progress)?[0];
            }
            return Ok(reason);
        };
        let model = Arc::clone(&moment.model);
        // A switch is asked for as it stands, after the assignments.
        let asker = match what {
            Boolean::Switch(_) => Asker::Relation,
            _ => Asker::Situation,
        };
        let holds_now = match what {
            Boolean::Switch(_) => self.run().holds(present),
            _ => moment.holds(what),
        };
        if holds_now {
            return Ok(Reason::of_literal(&model, positive(what), true));
        }
        let mut failing: Vec<Failing> = Vec::new();
        // Per row that could make it true: what it is, and who asks in it.
        let mut rows: Vec<(Fact, Asker)> = Vec::new();
        match what {
            Boolean::Switch(id) => {
                for (index, row) in model.assignments.iter().enumerate() {
                    if !row.set.contains(&(id, true)) {
                        continue;
                    }
                    let (number, asker) = (rows.len(), Asker::Assignment(index));
                    rows.push((Fact::AssignmentRow(index), asker));
                    let fails = |literal: &&Literal| {
                        moment.held_for(literal.what, asker) == literal.negated
                    };
                    failing.extend(row.when.iter().filter(fails).map(|one| (*one, number)));
                }
            }
            Boolean::Situation(id) => {
                for (index, row) in model.situation_rows.iter().enumerate() {
                    if row.situation != id {
                        continue;
                    }
                    let (number, arising) = (rows.len(), None);
                    let fact = Fact::SituationRow {
                        row: index,
                        arising,
                    };
                    rows.push((fact, Asker::Situation));
                    let fails = |literal: &&Literal| moment.holds(literal.what) == literal.negated;
                    failing.extend(row.all.iter().filter(fails).map(|one| (*one, number)));
                }
            }
            _ => failing.push((positive(what), 0)),
        }
        let turns = self.turns(&model, &failing, progress)?;
        let mut parts: Vec<(usize, Reason)> = Vec::new();
        for ((literal, row), turn) in failing.iter().zip(turns) {
            let asker = rows.get(*row).map_or(asker, |(_, asker)| *asker);
            let mut part = self.reason(&moment, *literal, asker, &mut Explained::default());
            let margins = part.under.iter().filter_map(|under| under.margin);
            part.margin = margins.reduce(f64::min);
            if let Fact::Literal { turn: when, .. } = &mut part.fact {
                *when = turn;
            }
            parts.push((*row, part));
        }
        let distance = |reason: &Reason| reason.margin.map_or(f64::INFINITY, f64::abs);
        parts.sort_by(|a, b| {
            a.0.cmp(&b.0)
                .then(distance(&a.1).total_cmp(&distance(&b.1)))
        });
        let mut reason = Reason::of_literal(&model, positive(what), false);
        if rows.is_empty() {
            // A boolean that no row makes true is the only part.
            return Ok(parts.pop().map_or(reason, |(_, part)| part));
        }
        for (number, (fact, asker)) in rows.into_iter().enumerate() {
            let of_row = parts.iter().filter(|(of, _)| *of == number);
            let mut under: Vec<Reason> = of_row.map(|(_, part)| part.clone()).collect();
            if under.is_empty() {
                let why = if matches!(asker, Asker::Assignment(_)) {
                    Fact::SetOtherwise
                } else if !moment.begun {
                    Fact::NothingArises
                } else {
                    Fact::HeldBefore
                };
                under.push(Reason::new(&model, why));
            }
            reason.under.push(Reason {
                under,
                ..Reason::of_truth(&model, fact, false)
            });
        }
        Ok(reason)
    }

    /// When literals of a model that fail are going to hold, if nothing is changed; `None` of what the present model has
    /// no more.
    fn turns(
        &mut self,
        model: &Model,
        failing: &[Failing],
        progress: &mut dyn ProgressSink,
    ) -> Result<Vec<Option<Turn>>, Interrupted> {
        let mut run = self.run().clone();
        let end = run.model().clock.stop.unwrap_or(f64::INFINITY);
        let now = |(literal, _): &Failing| {
            let what = same_boolean((model, literal.what), run.model())?;
            Some(Literal { what, ..*literal })
        };
        let literals: Vec<Option<Literal>> = failing.iter().map(now).collect();
        let mut found: Vec<Option<f64>> = vec![None; failing.len()];
        for step in 0..AHEAD {
            let sought = literals.iter().zip(&mut found);
            let mut sought = sought.filter(|(literal, at)| literal.is_some() && at.is_none());
            let over = sought.next().is_none() || run.time() >= end;
            if over || run.advance(1).1.is_err() {
                break;
            }
            for (literal, at) in literals.iter().zip(&mut found) {
                let Some(literal) = literal.filter(|_| at.is_none()) else {
                    continue;
                };
                let holds = run.holds(literal.what) != literal.negated;
                let mut within = run.microsteps();
                let held = |row: Row<'_>| row.boolean(run.model(), literal.what) != literal.negated;
                if holds || within.any(held) {
                    *at = Some(run.time());
                }
            }
            if step.is_multiple_of(STRETCH) {
                look(progress, step, AHEAD)?;
            }
        }
        let end = run.time();
        let turn = |(literal, at): (Option<Literal>, Option<f64>)| {
            literal.map(|_| at.map_or(Turn::NotBefore(end), Turn::At))
        };
        Ok(literals.into_iter().zip(found).map(turn).collect())
    }
}
