//! Margins after a microstep: borders whose margins have jumped take the sides of their values, and what follows from others is settled in the mode of the present booleans.

use crate::lower::border::{BorderId, BorderSource, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::standing_margins::MarginSource;
use crate::sim::events::iteration::zeno::jumps::borders_behind;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;

/// Largest factor by which a reset is taken to multiply a margin of 0.
const LARGEST_FACTOR: f64 = 16.0;

impl EventIteration {
    /// Takes in borders met since the last time.
    pub(crate) fn know_borders(&mut self, state: &HybridState) {
        let from = MarginSource {
            model: &self.plan.model,
            constants: &self.plan.constants,
            watched: &self.plan.watched,
        };
        self.standing.grow(from, &state.borders);
        self.todo.borders.grow(state.borders.len());
    }

    /// Borders whose margins have jumped take the sides of the values that stand; those at 0 are flagged.
    pub(super) fn follow_standing_values(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        while let Some(index) = self.todo.borders.take_from(0) {
            self.todo.gone_through += 1;
            let border = BorderId::new(index);
            let Some(z) = self.standing.z(border, state.t, &state.reals) else {
                continue;
            };
            self.follow_value(state, dynamics, observe, border, z)?;
        }
        Ok(())
    }

    /// A border whose margin has changed follows its value: z, 0 where it is 0 up to rounding, and as it was computed.
    pub(in crate::sim::events::iteration) fn follow_value(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        [mut z, computed]: [f64; 2],
    ) -> Result<(), RunFault> {
        let index = border.index();
        if z.is_nan() {
            observe.has_no_value(&state.borders, border, state.t);
            return Ok(());
        }
        if self.iteration.stays_begun(border, computed) {
            return Ok(());
        }
        if self.is_residue(state, dynamics, border, computed) {
            z = 0.0;
            // For kinks of the same border it is what it was.
            self.note_begun_on(border, computed);
        }
        if let Some((slid, alike)) = dynamics.slide_on(state, border) {
            // Where a margin jumps across its border itself, its values on both sides tell ([`Self::stays_through`]).
            if z != 0.0 && !dynamics.bound.is_through(slid) {
                let side = match (Side::of(z), alike) {
                    (side, true) => side,
                    (side, false) => side.flipped(),
                };
                // What was proportional to the margin along the border need not be so off it.
                for (twin, _) in dynamics.twins(slid, side) {
                    state.discrete.flags.set(twin.index(), false);
                    self.todo.borders.insert(twin.index());
                }
                self.set_side_with_twins(state, dynamics, slid, side);
                state.discrete.flags.set(slid.index(), false);
                self.release_constraint(state, dynamics, observe, slid, side);
            }
            return Ok(());
        }
        // Where a slide has been left in this microstep, the motion is still the one along it.
        let slide = dynamics.motion.slide.as_ref();
        let is_left = slide.is_some_and(|slide| slide.borders != dynamics.bound.slides);
        if dynamics.motion.bound_to(border) && (!is_left || dynamics.slides_along_twin(border)) {
            return Ok(());
        }
        let turns = Side::of(z) != state.discrete.sides[index];
        if turns
            && computed != 0.0
            && let Some(side) = dynamics.side_behind_pole(state, border, computed)
        {
            self.iteration.borders.leave(border);
            state.discrete.flags.set(index, false);
            self.set_side(state, dynamics, border, side);
            return Ok(());
        }
        if z == 0.0 {
            self.iteration.borders.land(border, Side::of(computed));
        } else {
            self.iteration.borders.jump_off(border);
        }
        self.iteration.undecided = true;
        state.discrete.flags.set(index, z == 0.0);
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        if state.borders.only_watched[index] {
            // Nothing depends on it: its side is that of the number, in each microstep.
            let mut begun = self.iteration.borders.begun_on.iter();
            if mode.is_always_on(border) {
                state.discrete.sides[index] = Side::On;
            } else if z == 0.0 && begun.all(|(other, _)| *other != border) {
                state.discrete.sides[index] = Side::of(computed);
            }
        } else if dynamics.is_watched(border) {
            // The same for the comparison that is watched; the side of the border is for the motion to tell.
            let mut begun = self.iteration.borders.begun_on.iter();
            if mode.is_always_on(border) {
                observe.watching.land(border, Side::On);
            } else if z != 0.0 {
                observe.watching.leave(border);
            } else if begun.all(|(other, _)| *other != border) {
                observe.watching.land(border, Side::of(computed));
            }
        }
        if computed == 0.0 && mode.is_held(border) {
            // No motion is going to decide: two equal numbers compare by strictness, as in ticks.
            self.set_side(state, dynamics, border, Side::On);
        }
        if z == 0.0 || self.jump_steps(state, dynamics, border, z) {
            return Ok(());
        }
        let side = Side::of(z);
        if side == state.discrete.sides[index] {
            return Ok(());
        }
        // It turns back because of what its turning has brought about (FORMALISM 10.4).
        if self.iteration.borders.turned.contains(&border)
            && self.jumps_back(state, dynamics, observe, border, side)?
        {
            return self.slide_through(state, dynamics, observe, border);
        }
        self.iteration.borders.turned.push(border);
        self.set_side(state, dynamics, border, side);
        Ok(())
    }

    /// True if a margin is, times the factor of a reset, what the search left of 0 where the motion crossed its border, which
    /// has fired the reset. Where the state is as near to the border of another comparison that has a part in that, as in
    /// "low & down" of a body about to rest, the instants that follow tell to which side it goes on; it is none such where the
    /// floor has risen above the body.
    fn is_residue(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        margin: f64,
    ) -> bool {
        let borders = &self.iteration.borders;
        let mut begun = borders.begun_on.iter();
        let is_left =
            begun.any(|&(other, z)| other == border && margin.abs() <= LARGEST_FACTOR * z.abs());
        if !(is_left && borders.crossed.contains(&border)) {
            return false;
        }
        let written = state.shown.deeds.written.iter().map(|deed| deed.relation);
        let behind = borders_behind(written, &self.plan, &dynamics.views);
        let mut is_behind = false;
        for other in behind {
            if other == border {
                is_behind = true;
            } else if !dynamics.has_strayed(state, other).is_ok_and(|has| has) {
                return false;
            }
        }
        is_behind
    }

    /// Settles the algebraic values by dependence, in the mode of the present booleans. Result: true if a side
    /// has changed by that, so that microsteps go on.
    pub(super) fn settle_values(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<bool, RunFault> {
        if !(self.iteration.reshaped || self.iteration.unsettled) {
            return Ok(false);
        }
        let reshaped = std::mem::take(&mut self.iteration.reshaped);
        self.iteration.unsettled = false;
        self.iteration.undecided = true;
        situ_solve::slices::copy(&mut self.iteration.before, &state.reals);
        let has_kinks = dynamics.modes.at(dynamics.mode).mode.unbranched.is_some();
        if reshaped || has_kinks || !dynamics.bound.is_free() {
            self.find_bound_mode(state, dynamics, observe)?;
        }
        self.assemble_and_enter(state, dynamics, observe)?;
        if state.check_motion(&self.plan).is_err() {
            self.step_into_domain(state, dynamics, observe)?;
            state.check_motion(&self.plan)?;
        }
        self.know_borders(state);
        for border in &self.standing.unknown {
            self.todo.borders.insert(border.index());
        }
        if self.iteration.stepped {
            self.mark_behind_kinks(state, dynamics);
        }
        if std::mem::take(&mut self.iteration.seen_anew) {
            for view in dynamics.views.ranges.iter().flatten() {
                self.todo.borders.insert(view.border.index());
            }
        }
        let before = std::mem::take(&mut self.iteration.before);
        let algebraic = std::sync::Arc::clone(&dynamics.modes.at(dynamics.motion.mode).mode);
        for &(real, _) in &algebraic.algebraic {
            if before[real.index()].to_bits() != state.reals[real.index()].to_bits() {
                self.mark_margins(real);
            }
        }
        self.iteration.before = before;
        while let Some(index) = self.todo.borders.take_from(0) {
            self.todo.gone_through += 1;
            let border = BorderId::new(index);
            if state.borders.kinked.get(index) && !dynamics.bound.slides.contains(&border) {
                continue;
            }
            if dynamics.modes.is_variant(dynamics.motion.mode) {
                // Other variants may have been looked at.
                dynamics.margins_now(state)?;
            }
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let z = match (evaluator.z(border), evaluator.sure_z(border)) {
                (Some(computed), Some(z)) => Some([z, computed]),
                (Some(computed), None) => {
                    dynamics.bound_margins(state)?;
                    let evaluator = dynamics.modes.at(dynamics.motion.mode);
                    let [z, _] = evaluator.z_first(border).unwrap_or_default();
                    Some([z, computed])
                }
                (None, _) => self.standing.z(border, state.t, &state.reals),
            };
            if let Some(z) = z {
                self.follow_value(state, dynamics, observe, border, z)?;
            }
        }
        Ok(self.has_turned())
    }

    /// True if a side has changed on which something depends.
    pub(super) fn has_turned(&self) -> bool {
        !self.todo.ranges.is_empty() || self.iteration.may_latch
    }

    /// On which side a margin was computed that a jump has brought onto its border, up to rounding.
    pub(super) fn landed_on(&self, state: &HybridState, border: BorderId) -> Option<Side> {
        let borders = &self.iteration.borders;
        let has_begun = borders.begun_on.iter().any(|(other, _)| *other == border);
        let side = borders.landed_on(border)?;
        (!has_begun && !state.borders.is_step_end(border)).then_some(side)
    }

    /// Marks the comparisons with kinks or staircases in them, those of hysteresis rows as well.
    fn mark_behind_kinks(&mut self, state: &HybridState, dynamics: &Dynamics) {
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let relay_views = &mode.relay_views;
        // Kinks with one border in common have one owner there; staircases have borders of their own.
        let kinks = mode.kinks.iter().map(|kink| &kink.owner);
        for &owner in state.borders.owners.iter().chain(kinks) {
            let views = match owner {
                BorderSource::RangeKink(range, _) => &dynamics.views.ranges[range.index()][..],
                BorderSource::WatchKink(place, _) => {
                    std::slice::from_ref(&dynamics.views.watched[place])
                }
                BorderSource::RowKink(row, _) => {
                    let relay = self.plan.flow.relays.iter().position(|relay| *relay == row);
                    relay.map_or(&[][..], |relay| &relay_views[relay])
                }
                _ => &[],
            };
            for view in views {
                self.todo.borders.insert(view.border.index());
            }
        }
    }
}
