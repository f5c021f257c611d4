//! Coverage: which rows were active in how many steps, over all versions of a table.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::ids::RelationId;
use situ_engine::model::Model;

use crate::history::{At, Piece, SegmentId};
use crate::reason::RowRef;
use crate::same_row::{id, same_row};
use crate::stepper::Stepper;
use crate::{Interrupted, Past, ProgressSink, STRETCH, look};

/// How often rows were active.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// Steps in all.
    pub steps: u64,
    /// Assignments and relations, as written; of rows that say the same in several versions, one.
    pub rows: Vec<CoveredRow>,
}

/// A row and how often it was active.
#[derive(Clone, Debug)]
pub struct CoveredRow {
    /// The model in which it stands.
    pub model: Arc<Model>,
    /// The row.
    pub row: RowRef,
    /// Steps in which it was active.
    pub steps: u64,
    /// True if it acted in the instant at the start of an event-accurate run, before the first step.
    pub at_start: bool,
}

impl<T> Past<'_, T> {
    /// How often each row was active, from the start to the present.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn coverage(&mut self, progress: &mut dyn ProgressSink) -> Result<Covered, Interrupted> {
        let history = self.history.clone();
        let (steps, last) = (history.steps_before(), history.piece());
        let mut covered = Covered::default();
        for (piece, Piece { segment, end }) in history.pieces()[..=last].iter().enumerate() {
            let end = if piece == last {
                history.place().1
            } else {
                *end
            };
            if end.step == 0 && !(piece == 0 || piece == last) {
                continue;
            }
            let model = self.segments.named(&history, (piece, last));
            let rows = covered.places(&model);
            if piece == 0 {
                let run = self.segments.at(*segment, At::default());
                for (place, row) in &rows {
                    covered.rows[*place].at_start = acted_at_start(run, *row);
                }
            }
            // What stands where a piece begins has not been active in its steps.
            for step in 1..=end.step {
                let at = if step == end.step {
                    end
                } else {
                    At::step(step)
                };
                let run = self.segments.at(*segment, at);
                for (place, row) in &rows {
                    covered.rows[*place].steps += u64::from(was_active(run, *row));
                }
                covered.steps += 1;
                if covered.steps.is_multiple_of(STRETCH) {
                    look(progress, covered.steps, steps)?;
                }
            }
        }
        Ok(covered)
    }

    /// Calls `each` for every step from the beginning to the present.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn each_step(
        &mut self,
        progress: &mut dyn ProgressSink,
        each: &mut dyn FnMut(SegmentId, &Arc<Model>, &Stepper),
    ) -> Result<(), Interrupted> {
        let to = self.history.steps_before();
        let mut begin = 0;
        while begin <= to {
            let end = (begin + STRETCH).min(to);
            self.segments
                .walk(&self.history, begin, end, &mut |segment, model, run| {
                    each(segment, model, run);
                    ControlFlow::Continue(())
                });
            begin = end + 1;
            look(progress, begin, to)?;
        }
        Ok(())
    }
}

impl Covered {
    /// The rows of a model with their places in the list, which takes in those that are new.
    fn places(&mut self, model: &Arc<Model>) -> Vec<(usize, RowRef)> {
        let assignments = (0..model.assignments.len()).map(RowRef::Assignment);
        let relations = (0..model.relations.len()).map(RelationId::new);
        let relations = relations.filter(|row| !model.scheme.is_auxiliary(*row));
        let rows = assignments.chain(relations.map(RowRef::Relation));
        let mut by_id: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, known) in self.rows.iter().enumerate() {
            let id = id(&known.model, known.row).to_owned();
            by_id.entry(id).or_default().push(place);
        }
        let mut places = Vec::new();
        for row in rows {
            let mut known = by_id.get(id(model, row)).into_iter().flatten().copied();
            let known = known.find(|place| {
                let known = &self.rows[*place];
                same_row((&known.model, known.row), (model, row))
            });
            let place = known.unwrap_or_else(|| {
                let model = Arc::clone(model);
                self.rows.push(CoveredRow {
                    model,
                    row,
                    steps: 0,
                    at_start: false,
                });
                self.rows.len() - 1
            });
            places.push((place, row));
        }
        places
    }
}

/// True if a row acted in the instant in which a run stands, at its start.
fn acted_at_start(run: &Stepper, row: RowRef) -> bool {
    let Some(events) = run.events() else {
        return false;
    };
    match row {
        RowRef::Relation(id) => events.step_effects().iter().any(|it| it.relation == id),
        RowRef::Assignment(index) => events.was_executed(index),
    }
}

fn was_active(run: &Stepper, row: RowRef) -> bool {
    match row {
        RowRef::Relation(id) => run.is_active(id),
        RowRef::Assignment(index) => run.is_executed(index),
    }
}
