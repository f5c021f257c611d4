//! Looks for values that are not finite, at each point the run comes to, and names the row.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::within_steps::value_edges::ValueEdge;
use crate::sim::RunFault;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use crate::sim::fault::finite::{all_finite, read_by};

impl HybridState {
    /// Checks that all values are finite after the rows between events.
    ///
    /// # Errors
    ///
    /// [`RunFault::NotFinite`] with the row that began it: one that reads finite values
    /// only, if there is one.
    pub(crate) fn check_motion(&self, plan: &Plan) -> Result<(), RunFault> {
        if all_finite(&self.reals) {
            return Ok(());
        }
        let mut active = Vec::new();
        plan.flow
            .active(|literal| self.discrete.holds(literal), &mut active);
        let rows = plan.flow.rows.iter().zip(active);
        let rows = rows.filter(|(_, active)| *active);
        self.blame(
            plan,
            rows.map(|(row, _)| (row.relation, row.target)),
            &self.reals,
        )
    }

    /// The fault of a row that is about to give a real a value that is not finite in a microstep.
    ///
    /// `read`: all reals, as the row read them.
    pub(crate) fn not_finite_in_scan(
        &self,
        plan: &Plan,
        relation: RelationId,
        (real, value): (RealId, f64),
        read: &[f64],
    ) -> RunFault {
        let (reals, constants) = read_by(
            &plan.model,
            relation,
            |id| read[id.index()],
            |id| plan.constants[id.index()],
        );
        // An event row above it may have led out of the condition of this one.
        let mut written = self.shown.deeds.written.iter().rev();
        let after = written.find(|deed| {
            deed.relation != relation && reals.iter().any(|(real, _)| *real == deed.real)
        });
        RunFault::NotFinite {
            tick: None,
            time: self.t,
            relation,
            real,
            value,
            reals,
            constants,
            after: after.map(|deed| deed.relation),
        }
    }

    /// The fault of a row beside a place about which the value that it gives grows without bound.
    pub(crate) fn without_bound(&self, plan: &Plan, edge: ValueEdge) -> RunFault {
        let (reals, constants) = read_by(
            &plan.model,
            edge.relation,
            |id| self.reals[id.index()],
            |id| plan.constants[id.index()],
        );
        RunFault::NotFinite {
            tick: None,
            time: self.t,
            relation: edge.relation,
            real: edge.target,
            value: self.reals[edge.target.index()] * f64::INFINITY,
            reals,
            constants,
            after: None,
        }
    }

    /// The fault of the row that gave a value that is not finite: one of `rows`, or, where these act no
    /// more, any that writes such a real.
    fn blame(
        &self,
        plan: &Plan,
        rows: impl Iterator<Item = (RelationId, RealId)>,
        read: &[f64],
    ) -> Result<(), RunFault> {
        self.blame_one_of(plan, rows, read)?;
        let all = plan.model.relations.iter().enumerate();
        let all = all.flat_map(|(index, row)| {
            let targets = row.targets.iter();
            targets.map(move |&real| (RelationId::new(index), real))
        });
        self.blame_one_of(plan, all, read)
    }

    /// The fault of the first row that gave a value that is not finite from values that were; of the
    /// first that gave one at all, if there is none such.
    fn blame_one_of(
        &self,
        plan: &Plan,
        rows: impl Iterator<Item = (RelationId, RealId)>,
        read: &[f64],
    ) -> Result<(), RunFault> {
        let mut first = Ok(());
        let mut not_finite = Vec::new();
        for (relation, real) in rows {
            let value = self.reals[real.index()];
            if value.is_finite() {
                continue;
            }
            let (reals, constants) = read_by(
                &plan.model,
                relation,
                |id| read[id.index()],
                |id| plan.constants[id.index()],
            );
            let began = reals.iter().all(|(_, value)| value.is_finite());
            if !not_finite.contains(&relation) {
                not_finite.push(relation);
            }
            let fault = Err(RunFault::NotFinite {
                tick: None,
                time: self.t,
                relation,
                real,
                value,
                reals,
                constants,
                after: None,
            });
            if began && !solves(plan, &relation) {
                return fault;
            }
            first = first.and(fault);
        }
        if not_finite.iter().any(|relation| solves(plan, relation)) {
            // What has no value is the solution of an equation that is level in its unknown.
            return Err(RunFault::Loop {
                time: self.t,
                rows: not_finite,
                singular: true,
                at_bounds: None,
            });
        }
        first
    }
}

/// True if a row solves equations.
fn solves(plan: &Plan, relation: &RelationId) -> bool {
    plan.model.relations[relation.index()].procedure.solves()
}

impl Dynamics {
    ///
    /// # Errors
    ///
    /// The fault of a row that takes a root of what has just become negative (FORMALISM 10.6), found here and not
    /// where the next row of the trajectory happens to be written.
    pub(crate) fn check_edges(
        &mut self,
        state: &mut HybridState,
        crossed: &[BorderId],
    ) -> Result<(), RunFault> {
        for &border in crossed {
            let mode = &self.modes.at(self.motion.mode).mode;
            let Some(margin) = mode.margin(border).filter(|margin| margin.edge) else {
                continue;
            };
            let undefined = if margin.upright {
                Side::Minus
            } else {
                Side::Plus
            };
            let (Some(form), true) = (&margin.form, self.motion.is_free()) else {
                continue;
            };
            if state.discrete.sides[border.index()] != undefined {
                continue;
            }
            let terms = form.terms.iter();
            let terms = terms.map(|&(real, weight)| weight * state.reals[real.index()]);
            let terms = terms.chain([form.constant, form.per_time * state.t]);
            let begun = form.terms.iter();
            let begun = begun.map(|&(real, weight)| weight * state.begun.reals[real.index()]);
            let sizes = terms.clone().chain(begun).map(f64::abs);
            let size = sizes.fold(f64::MIN_POSITIVE, f64::max);
            let beyond = terms.sum::<f64>() + 64.0 * f64::EPSILON * size;
            let moving = margin.moving.first().copied();
            let per_time = form.per_time;
            let states = self.motion.states.iter();
            let mut y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
            self.y.clone_from(&y);
            if self.stands_still_beside(state, border, state.t) {
                continue;
            }
            let mut t = state.t;
            match moving {
                Some((state, weight)) => y[state] -= beyond / weight,
                None if per_time != 0.0 => t -= beyond / per_time,
                // What does not move goes to neither side of the edge.
                None => continue,
            }
            let stands = state.reals.clone();
            let written = self
                .motion
                .write(&mut self.modes, &state.past, t, &y, &mut state.reals);
            let checked = written.map_or(Ok(()), |()| state.check_motion(&self.plan));
            checked?;
            state.reals = stands;
        }
        Ok(())
    }
}
