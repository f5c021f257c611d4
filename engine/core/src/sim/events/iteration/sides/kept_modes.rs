//! Borders on whose two sides the mode, or the motion, is the present one.

use crate::ids::RangeId;
use crate::lower::border::{BorderId, Side};
use crate::model::Boolean;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

impl Dynamics {
    /// True if the mode on either side of a border is the present one, as far as can be told without
    /// looking for it.
    pub(crate) fn keeps_mode(&self, state: &HybridState, border: BorderId) -> bool {
        self.keeps(state, border, |border| {
            state.borders.kinked.get(border.index())
        })
    }

    /// True if the motion on either side of a border is the present one: no more turns there than kinks of what nothing
    /// moves by.
    pub(super) fn keeps_motion(&self, state: &HybridState, border: BorderId) -> bool {
        let kinks = &self.modes.at(self.motion.mode).mode.kinks;
        self.keeps(state, border, |border| {
            let mut own = kinks.iter().filter(|kink| kink.view.border == border);
            state.borders.kinked.get(border.index())
                && (own.clone().next().is_none() || own.any(|kink| kink.moves))
        })
    }

    /// True if nothing that tells the motion turns on a border, of whose kinks those are asked for that do.
    fn keeps(
        &self,
        state: &HybridState,
        border: BorderId,
        turns: impl Fn(BorderId) -> bool,
    ) -> bool {
        if self.plan.flow.heeds_events || state.borders.is_step_end(border) {
            return false;
        }
        let shapes = |border: BorderId| {
            let ranges = self.views.ranges_by_border.get(border.index());
            let ranges = ranges.into_iter().flatten();
            let mut readers =
                ranges.map(|&range| self.plan.scan.of(Boolean::Range(RangeId(range))));
            readers.any(|readers| readers.shapes) || turns(border)
        };
        let twins = self.twins(border, Side::Plus);
        let shapes_mode = shapes(border) || twins.iter().any(|(twin, _)| shapes(*twin));
        !shapes_mode && self.has_entered()
    }

    /// True if the present booleans certainly give the present mode.
    pub(super) fn has_entered(&self) -> bool {
        !self.plan.flow.heeds_events && !self.plan.flow.views_vary && self.sides_stand
    }
}
