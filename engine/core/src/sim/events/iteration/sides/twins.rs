//! Borders that are reached and left together in the present motion ([`crate::lower::mode::twins`]): they are supposed
//! on their sides, turned and left with each other.

use smallvec::SmallVec;

use crate::lower::border::{BorderId, Side};
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::progress::Iteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

/// Borders with the sides on which they are.
type Sides = SmallVec<[(BorderId, Side); 2]>;

impl Dynamics {
    /// The twins of a border, with the sides on which they are while it is on one. None along a border that its margin
    /// jumps across: what jumps with it need not be proportional beyond it.
    pub(crate) fn twins(&self, border: BorderId, side: Side) -> Sides {
        let mode = &self.modes.at(self.motion.mode).mode;
        if mode.twins.is_empty() {
            return Sides::new();
        }
        let twins = mode.twins_of(border);
        let twins: Sides = twins
            .map(|(twin, alike)| (twin, if alike { side } else { side.flipped() }))
            .collect();
        let mut all = twins.iter().map(|(twin, _)| *twin).chain([border]);
        match all.any(|border| self.bound.is_through(border)) {
            true => Sides::new(),
            false => twins,
        }
    }

    /// True if all twins of a border are on the sides on which they are while it is on this one.
    pub(super) fn twins_stand(&self, state: &HybridState, border: BorderId, side: Side) -> bool {
        let twins = self.twins(border, side);
        let mut sides = twins.iter();
        sides.all(|(twin, side)| state.discrete.sides[twin.index()] == *side)
    }

    /// The border along which the state slides and on which it is not any more once the margin of this one is not 0, and
    /// whether their z grow alike: this border itself, or its twin, if that is the kink of a row. (The margin of such a kink is
    /// known in its mode only.)
    pub(in crate::sim::events::iteration) fn slide_on(
        &self,
        state: &HybridState,
        border: BorderId,
    ) -> Option<(BorderId, bool)> {
        let slides = &self.bound.slides;
        if slides.contains(&border) {
            return Some((border, true));
        }
        let mode = &self.modes.at(self.motion.mode).mode;
        let mut twins = (!slides.is_empty()).then(|| mode.twins_of(border))?;
        twins.find(|(twin, _)| slides.contains(twin) && state.borders.kinked.get(twin.index()))
    }

    /// True if a border is the twin of one along which the state slides.
    pub(in crate::sim::events::iteration) fn slides_along_twin(&self, border: BorderId) -> bool {
        let slides = &self.bound.slides;
        let mode = &self.modes.at(self.motion.mode).mode;
        !slides.is_empty()
            && mode
                .twins_of(border)
                .any(|(twin, _)| slides.contains(&twin))
    }
}

impl EventIteration {
    /// Puts a border on a side, and its twins on theirs.
    pub(crate) fn set_side_with_twins(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        side: Side,
    ) {
        self.set_side(state, dynamics, border, side);
        for (twin, side) in dynamics.twins(border, side) {
            self.set_side(state, dynamics, twin, side);
        }
    }

    /// What is found where a border and its twins are on a side, and the ranges that follow have turned; nothing of that
    /// stays.
    pub(super) fn supposing_side<T>(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        (border, side): (BorderId, Side),
        find: impl FnOnce(&mut Self, &mut HybridState, &mut Dynamics) -> T,
    ) -> T {
        let sides = state.discrete.sides.clone();
        let (ranges, rows) = (self.todo.ranges.clone(), self.todo.rows.clone());
        let Iteration {
            reshaped,
            stepped,
            may_latch,
            ..
        } = self.iteration;
        self.set_side_with_twins(state, dynamics, border, side);
        let earlier = self.suppose_turned_ranges(state, dynamics);
        let found = find(self, state, dynamics);
        self.forget_supposed(state, earlier);
        state.discrete.sides[..sides.len()].copy_from_slice(&sides);
        dynamics.sides_stand = false;
        (self.todo.ranges, self.todo.rows) = (ranges, rows);
        let iteration = &mut self.iteration;
        (iteration.reshaped, iteration.stepped, iteration.may_latch) =
            (reshaped, stepped, may_latch);
        found
    }
}
