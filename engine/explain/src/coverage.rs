//! Coverage: which rows were active in how many steps, over all versions of a table.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::ids::RelationId;
use situ_engine::model::Model;

use crate::history::{At, Piece, SegmentId};
use crate::reason::RowRef;
use crate::same_row::{Part, id, parts, same_row};
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
    /// The last model in which it stands.
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
            self.segments.walk_with_instants(
                &self.history,
                begin,
                end,
                &mut |segment, model, run| {
                    each(segment, model, run);
                    ControlFlow::Continue(())
                },
            );
            begin = end + 1;
            look(progress, begin, to)?;
        }
        Ok(())
    }
}

impl Covered {
    /// The rows of a model with their places in the list, which takes in those that are new. A row that says what one of an
    /// earlier version does is that one, also if rows were written or left out above it; of several it is the one with its id.
    fn places(&mut self, model: &Arc<Model>) -> Vec<(usize, RowRef)> {
        let assignments = (0..model.assignments.len()).map(RowRef::Assignment);
        let relations = (0..model.relations.len()).map(RelationId::new);
        let relations = relations.filter(|row| !model.scheme.is_auxiliary(*row));
        let rows: Vec<RowRef> = assignments.chain(relations.map(RowRef::Relation)).collect();
        let earlier: Vec<(Arc<Model>, RowRef)> = (self.rows.iter())
            .map(|known| (Arc::clone(&known.model), known.row))
            .collect();
        let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut by_parts: BTreeMap<Vec<Part<'_>>, VecDeque<usize>> = BTreeMap::new();
        for (place, (model, row)) in earlier.iter().enumerate() {
            by_id.entry(id(model, *row)).or_default().push(place);
        }
        let with_its_id = |row: RowRef| {
            let mut known = by_id.get(id(model, row)).into_iter().flatten().copied();
            known.find(|place| {
                let (known, known_row) = &earlier[*place];
                same_row((known, *known_row), (model, row))
            })
        };
        let mut places: Vec<Option<usize>> = rows.iter().map(|row| with_its_id(*row)).collect();
        if places.contains(&None) {
            let found: BTreeSet<usize> = places.iter().flatten().copied().collect();
            let others = earlier.iter().enumerate();
            for (place, (model, row)) in others.filter(|(place, _)| !found.contains(place)) {
                let said = by_parts.entry(parts(model, *row)).or_default();
                said.push_back(place);
            }
        }
        for (place, row) in places.iter_mut().zip(&rows) {
            let renumbered = || by_parts.get_mut(&parts(model, *row))?.pop_front();
            *place = place.or_else(renumbered);
        }
        let places = places.into_iter().zip(rows).map(|(place, row)| {
            let place = place.unwrap_or_else(|| {
                self.rows.push(CoveredRow {
                    model: Arc::clone(model),
                    row,
                    steps: 0,
                    at_start: false,
                });
                self.rows.len() - 1
            });
            let known = &mut self.rows[place];
            (known.model, known.row) = (Arc::clone(model), row);
            (place, row)
        });
        places.collect()
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
