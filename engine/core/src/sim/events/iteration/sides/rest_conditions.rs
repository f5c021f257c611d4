//! The event rows that keep a state at rest on a border -> what has to hold for them to act: where it does not hold any more,
//! nothing keeps the state there.

use crate::ids::{RangeId, RelationId};
use crate::model::{Boolean, Guard, Literal};
use crate::sim::RunFault;
use crate::sim::events::iteration::sides::weak_blows::WEAK;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact::ContactReaction;
use crate::sim::events::state::HybridState;

/// Conjunctions, of which one has to hold.
type Alternatives = Vec<Vec<Literal>>;

impl ContactReaction {
    /// True if one of the event rows that made the jumps would act again if the state moved across the border.
    pub(super) fn is_held_up(&self, state: &HybridState) -> bool {
        let holds = |all: &Vec<Literal>| all.iter().all(|literal| state.discrete.holds(*literal));
        self.conditions.is_empty() || self.conditions.iter().any(holds)
    }
}

impl Dynamics {
    /// What has to hold for one of these event rows to act, but for what motion across the borders on which the state is
    /// turns; none if no row would act.
    pub(crate) fn rest_conditions(
        &mut self,
        state: &HybridState,
        rows: &[RelationId],
    ) -> Result<Alternatives, RunFault> {
        let plan = std::sync::Arc::clone(&self.plan);
        let mut all = Alternatives::new();
        for row in rows {
            all.extend(match &plan.model.relations[row.index()].guard {
                Guard::When(literals) => self.alternatives(state, literals)?,
                Guard::Always | Guard::Otherwise => vec![Vec::new()],
            });
        }
        Ok(all)
    }

    fn alternatives(
        &mut self,
        state: &HybridState,
        literals: &[Literal],
    ) -> Result<Alternatives, RunFault> {
        let mut all = vec![Vec::new()];
        for literal in literals {
            let more = self.alternatives_of(state, *literal)?;
            let joined = all.iter().flat_map(|one: &Vec<Literal>| {
                more.iter().map(|other| [one.as_slice(), other].concat())
            });
            all = joined.collect();
        }
        Ok(all)
    }

    fn alternatives_of(
        &mut self,
        state: &HybridState,
        literal: Literal,
    ) -> Result<Alternatives, RunFault> {
        let is_turned = match literal.what {
            Boolean::Situation(id) if !literal.negated => {
                let plan = std::sync::Arc::clone(&self.plan);
                let rows = plan.model.situation_rows.iter();
                let mut all = Alternatives::new();
                for row in rows.filter(|row| row.situation == id) {
                    all.extend(self.alternatives(state, &row.all)?);
                }
                return Ok(all);
            }
            Boolean::Range(id) => self.is_on_border_of(state, id)?,
            // What is true for a moment only.
            Boolean::Situation(id) => self.plan.model.situations[id.index()].event,
            Boolean::Schedule(_) | Boolean::Start => true,
            Boolean::Switch(_) => false,
        };
        Ok(match (is_turned, state.discrete.holds(literal)) {
            (true, _) => vec![Vec::new()],
            (false, true) => vec![vec![literal]],
            (false, false) => Vec::new(),
        })
    }

    /// True if the state is on a border of a range, up to what a weak blow does.
    fn is_on_border_of(&mut self, state: &HybridState, range: RangeId) -> Result<bool, RunFault> {
        let views = self.views.ranges[range.index()].clone();
        for view in views {
            let border = view.border;
            let is_seen = (self.modes.at(self.motion.mode).mode.margin(border)).is_some();
            if !is_seen
                || self.motion.bound_to(border)
                || self.z_now(state, border)?.abs() <= WEAK * self.reach(state, border)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
