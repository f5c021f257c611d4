//! Rows of an event that stop a quantity on the border that it has crossed -> a finding.
//!
//! A body whose speed is set to 0 where it reaches the floor, and on which its weight acts, goes on through the floor: the
//! condition of the event stays true, and it does not arise again.

use crate::ids::SituationId;
use crate::lower::border::BorderId;
use crate::model::{Boolean, Guard};
use crate::procedure::Motion;
use crate::sim::Finding;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// Tells of events that hold on beyond borders on which their rows have stopped a quantity.
    pub(super) fn note_stopped(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
    ) {
        for &border in &self.iteration.borders.stopped {
            for &situation in &self.taken.situations.list {
                if let Some(finding) = self.stops_on(state, dynamics, border, situation) {
                    observe.log.find(finding);
                }
            }
        }
    }

    /// The finding, if a row of an event has set an integrated real and the event still holds by a range of the border.
    fn stops_on(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        border: BorderId,
        situation: SituationId,
    ) -> Option<Finding> {
        let model = &*self.plan.model;
        let mut written = state.shown.deeds.written.iter();
        let is_stop = written.any(|deed| {
            let row = &model.relations[deed.relation.index()];
            let is_own = matches!(&row.guard, Guard::When(all)
                if all.iter().any(|literal| !literal.negated && literal.what == Boolean::Situation(situation)));
            is_own
                && row.targets.iter().any(|target| {
                    let mut rows = model.relations.iter();
                    rows.any(|row| {
                        row.targets.contains(target)
                            && row.procedure.get().motion() == Motion::Integrated
                    })
                })
        });
        let ranges = &dynamics.views.ranges_by_border[border.index()];
        let mut rows = self.plan.scan.rows_of[situation.index()].iter();
        let range = rows.find_map(|&row| {
            let row = row as usize;
            let holds = state.discrete.row_holds(model, &self.plan.scan, row);
            let literals = model.situation_rows[row].all.iter().filter(|_| holds);
            let mut literals = literals.filter_map(|literal| match literal.what {
                Boolean::Range(id) => Some(id),
                _ => None,
            });
            literals.find(|id| ranges.iter().any(|&range| range as usize == id.index()))
        })?;
        is_stop.then_some(Finding::Through {
            situation,
            range,
            time: state.t,
        })
    }
}
