//! Crossing a border: its side flips, a staircase goes to another step, what was bound to it is released.

use crate::lower::border::{BorderId, BorderSource, Side, StairStep};
use crate::sim::RunFault;
use crate::sim::events::detect::next_step::TOGETHER;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::place;
use crate::sim::events::state::HybridState;
use crate::trace::What;
use smallvec::SmallVec;

impl EventIteration {
    /// The motion leaves a border to which it was bound.
    pub(crate) fn unbind(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        side: Side,
    ) {
        state.leaving.clear();
        let twins = dynamics.twins(border, side);
        let bound = &mut dynamics.bound;
        if let Some(at) = bound.slides.iter().position(|&other| other == border) {
            // Of several that are left at once the shares of the later ones are gone.
            let end = f64::from(u8::from(side == Side::Plus));
            let share = bound.lambda.get(at).copied().unwrap_or(end);
            let through = bound.is_through(border);
            bound.end_slide(border);
            self.iteration.borders.slid.push(border);
            if through {
                self.iteration.borders.left.push(border);
            }
            let begun = &mut self.iteration.slides_through;
            let unknown = begun.contains(&border);
            begun.retain(|other| *other != border);
            if let (false, Some(border)) = (unknown, place(&state.borders, border)) {
                observe.log.note(|| What::SlideLeft { border, share });
            }
            let beside = dynamics.leave_between(state, border, side);
            if !(through || beside) {
                state.leaving.push((border, side, 2));
                for (twin, side) in twins {
                    state.leaving.push((twin, side, 2));
                    self.set_side(state, dynamics, twin, side);
                }
            }
        }
        let bound = &mut dynamics.bound;
        if let Some(at) = bound.rest.iter().position(|push| push.border == border) {
            bound.rest.remove(at);
            state.leaving.push((border, side, 3));
            if let Some(border) = place(&state.borders, border) {
                observe.log.note(|| What::RestLeft { border });
            }
        }
    }

    /// The motion is not bound to a border any more, though it has not moved off it.
    pub(crate) fn release_constraint(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        side: Side,
    ) {
        dynamics.bound.lifts.retain(|lift| lift.border != border);
        self.unbind(state, dynamics, observe, border, side);
        state.leaving.clear();
    }

    /// Crosses the borders that have been reached.
    pub(crate) fn cross_borders(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        reason: &EventCause,
    ) -> Result<(), RunFault> {
        let is_kink = |border: &BorderId| state.borders.kinked.get(border.index());
        let has_kinks = reason.borders.iter().any(is_kink);
        let crossed = reason.borders.iter().copied();
        let crossed = crossed.filter(|border| !reason.jumps.contains(border));
        let (steps, others): (SmallVec<[BorderId; 4]>, SmallVec<[BorderId; 4]>) =
            crossed.partition(|&border| state.borders.is_step_end(border));
        for border in others {
            self.cross_border(state, dynamics, border)?;
        }
        for &border in &steps {
            if has_kinks && self.is_touched_beyond_kinks(state, dynamics, observe, border)? {
                let z = dynamics.z_now(state, border)?;
                self.note_begun_on(border, z);
                state.discrete.flags.set(border.index(), true);
            } else {
                self.cross_border(state, dynamics, border)?;
            }
        }
        if !steps.is_empty() && state.borders.staircases.len() > 1 {
            self.jump_to_steps(state, dynamics, observe)?;
        }
        self.rest_beyond_kinks(state, dynamics, observe, &reason.borders)?;
        self.jump_over(state, dynamics, observe, &reason.jumps)?;
        self.enter_domains(state, dynamics, observe, &reason.borders)?;
        self.jump_with_kinks(state, dynamics, observe)
    }

    /// Comparisons with kinks or staircases in them that are crossed: what jumps there has its value beyond them from the first
    /// microstep on, beside the beats and events of the instant, as in a tick (FORMALISM 10.1).
    fn jump_with_kinks(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let crossed = self.iteration.borders.crossed.iter();
        let owners = crossed.map(|border| state.borders.owners[border.index()]);
        let mut borders: SmallVec<[BorderId; 4]> = SmallVec::new();
        for owner in owners {
            if let BorderSource::RangeKink(range, _) = owner {
                let views = dynamics.views.ranges[range.index()].iter();
                borders.extend(views.map(|view| view.border));
            }
        }
        if borders.is_empty() {
            return Ok(());
        }
        let beyond = self.mode_on(state, dynamics, observe, &[])?;
        for border in borders {
            if dynamics.modes.at(beyond).mode.margin(border).is_none() {
                continue;
            }
            let [z, rate] = dynamics.z_in(state, beyond, border)?;
            // At a pole what is computed tells nothing.
            let ahead = dynamics.sign_ahead(state, beyond, border);
            let is_sure = Side::of(z) == Side::of(f64::from(ahead));
            if is_sure && Side::of(z) != state.discrete.sides[border.index()] {
                self.follow_value(state, dynamics, observe, border, [z, z])?;
                if z == 0.0 && rate == 0.0 {
                    // Two equal numbers compare by strictness.
                    self.set_side(state, dynamics, border, Side::On);
                }
            }
        }
        Ok(())
    }

    /// Crosses a border that has been reached: its flag is set and its side changes.
    pub(crate) fn cross_border(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
    ) -> Result<(), RunFault> {
        let index = border.index();
        let now = dynamics.z_now(state, border)?;
        let z = self.iteration.borders.arrived_with(border).unwrap_or(now);
        if self.turn_step(state, dynamics, border, z) {
            return Ok(());
        }
        self.note_begun_on(border, z);
        state.discrete.flags.set(index, true);
        let side = match state.discrete.sides[index] {
            Side::On => match dynamics.lean_of_motion(state, border)?.sign {
                1 => Side::Plus,
                -1 => Side::Minus,
                _ => Side::of(dynamics.z_now(state, border)?),
            },
            // A state that arrives at its bound is not beyond it.
            _ if dynamics.is_bound(border) => Side::On,
            // On the edge of its domain a comparison has its value yet.
            side if self.stays_on_edge(state, dynamics, border, side.flipped()) => Side::On,
            side => side.flipped(),
        };
        self.set_side(state, dynamics, border, side);
        Ok(())
    }

    /// Staircases whose heights have jumped, because another one has turned: their steps are those to which the motion leads
    /// on from there.
    fn jump_to_steps(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let beyond = self.mode_on(state, dynamics, observe, &[])?;
        let evaluator = dynamics.margins_in(state, beyond)?;
        let mut jumped: SmallVec<[(StairStep, BorderId, f64); 2]> = SmallVec::new();
        for ends in &state.borders.staircases {
            for (end, inside) in [(ends.low, Side::Plus), (ends.high, Side::Minus)] {
                let Some([z, rate]) = evaluator.z_first(end) else {
                    continue;
                };
                let near = 2.0 * TOGETHER * (state.t * rate).abs().max(z.abs());
                if z.abs() > near && Side::of(z) != inside {
                    jumped.push((*ends, end, z + rate.signum() * near));
                    break;
                }
            }
        }
        for (ends, end, ahead) in jumped {
            self.jump_steps(state, dynamics, end, ahead);
            for end in [ends.low, ends.high] {
                let [z, _] = dynamics.z_in(state, beyond, end)?;
                state.discrete.flags.set(end.index(), z == 0.0);
            }
        }
        Ok(())
    }

    /// True if an end of a step is only touched, because a kink has turned that is crossed together with it, as that of
    /// `floor(abs(x))` at 0.
    fn is_touched_beyond_kinks(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let beyond = self.mode_on(state, dynamics, observe, &[])?;
        if dynamics.modes.at(beyond).mode.margin(border).is_none() {
            return Ok(false);
        }
        let [z, rate] = dynamics.z_in(state, beyond, border)?;
        // Borders that are reached together are located as one.
        let is_on = z.abs() <= 2.0 * TOGETHER * (state.t * rate).abs();
        let lean = dynamics.lean_in(state, beyond, border, 1)?;
        Ok(is_on && Side::of(f64::from(lean.sign)) == state.discrete.sides[border.index()])
    }

    /// Comparisons and kinks crossed together with a kink. Where their margins are 0 for good beyond it, as that of
    /// `max(h, 2) < 2` is once h is below 2, they are on their borders, where strictness decides; where those of
    /// comparisons turn back, as that of `abs(h) < 0` does, they are only touched.
    pub(crate) fn rest_beyond_kinks(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        crossed: &[BorderId],
    ) -> Result<(), RunFault> {
        let (kinks, mut compared): (SmallVec<[BorderId; 4]>, SmallVec<[BorderId; 4]>) =
            (crossed.iter().copied()).partition(|border| {
                state.borders.kinked.get(border.index()) || state.borders.is_step_end(*border)
            });
        if kinks.is_empty() {
            return Ok(());
        }
        compared.extend(dynamics.views.watched.iter().map(|view| view.border));
        let mut beyond = self.mode_on(state, dynamics, observe, &[])?;
        // Kinks in whose arguments others have turned.
        if self.find_branches(state, dynamics, observe, beyond)? {
            beyond = self.mode_on(state, dynamics, observe, &[])?;
        }
        // A comparison that is watched may have the border of its own kink, on which the motion does not stay.
        let mode = &dynamics.modes.at(beyond).mode;
        for (view, ahead) in dynamics.views.watched.iter().zip(&mode.watched) {
            if view.border != ahead.border && mode.is_always_on(ahead.border) {
                observe.watching.land(view.border, Side::On);
            }
        }
        let n_crossed = crossed.len();
        for &border in &kinks {
            self.rest_on_kink(state, dynamics, border, beyond)?;
            if n_crossed > 1 && !state.borders.is_step_end(border) {
                self.turn_back_if_touched(state, dynamics, observe, border)?;
            }
        }
        for border in compared {
            if dynamics.modes.at(beyond).mode.is_always_on(border) {
                self.set_side(state, dynamics, border, Side::On);
                state.discrete.flags.set(border.index(), true);
            } else if crossed.contains(&border) {
                self.turn_back_if_touched(state, dynamics, observe, border)?;
            }
        }
        Ok(())
    }

    /// A border that has been crossed together with kinks is on its side of before if it is only touched in the mode beyond.
    fn turn_back_if_touched(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<(), RunFault> {
        let before = state.discrete.sides[border.index()].flipped();
        if before == Side::On {
            return Ok(());
        }
        let beyond = self.mode_on(state, dynamics, observe, &[(border, before)])?;
        if dynamics.modes.at(beyond).mode.margin(border).is_none() {
            return Ok(());
        }
        let is_on = dynamics.is_on(state, beyond, border);
        // A mode whose equations nothing solves here, as behind the bound of an unknown, is not gone on in.
        let Some(z) = dynamics.margin_in(state, beyond, border) else {
            return Ok(());
        };
        let lean = dynamics.lean_in(state, beyond, border, 1)?;
        match Side::of(f64::from(lean.sign)) {
            Side::On if is_on => self.set_side(state, dynamics, border, Side::On),
            side if side == before && (is_on || Side::of(z) == before) => {
                // What turns with it may lead on across it.
                let beyond = before.flipped();
                let across = self.supposing_side(
                    state,
                    dynamics,
                    (border, beyond),
                    |this, state, dynamics| this.mode_on(state, dynamics, observe, &[]),
                )?;
                let mut goes_on = dynamics.modes.at(across).mode.margin(border).is_some();
                if goes_on {
                    dynamics.z_in(state, across, border)?;
                    let lean = dynamics.lean_in(state, across, border, 1)?;
                    goes_on = Side::of(f64::from(lean.sign)) == beyond;
                }
                if !goes_on {
                    self.set_side(state, dynamics, border, before);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A kink whose operand rests from now on where its value jumps: a sign is 0 there, a staircase on the upper step.
    fn rest_on_kink(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        beyond: usize,
    ) -> Result<(), RunFault> {
        let mode = &dynamics.modes.at(beyond).mode;
        if !state.borders.is_step_end(border) {
            if mode.is_always_on(border) {
                self.set_side(state, dynamics, border, Side::On);
                state.discrete.flags.set(border.index(), true);
            }
            return Ok(());
        }
        let mut staircases = state.borders.staircases.iter();
        let Some(ends) = staircases.find(|ends| [ends.low, ends.high].contains(&border)) else {
            return Ok(());
        };
        let high = ends.high;
        let is_known = mode.margin(high).is_some();
        if is_known
            && dynamics.z_in(state, beyond, high)?[0] == 0.0
            && dynamics.lean_in(state, beyond, high, 1)?.sign == 0
        {
            self.turn_step(state, dynamics, high, 0.0);
        }
        Ok(())
    }

    /// If the border is an end of a step of a staircase: goes to the next step. Its margin there is the present one, z.
    pub(super) fn turn_step(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        z: f64,
    ) -> bool {
        for (staircase, step) in state.borders.staircases.iter().zip(&mut state.steps) {
            let reached = if staircase.low == border {
                *step -= 1.0;
                staircase.high
            } else if staircase.high == border {
                *step += 1.0;
                staircase.low
            } else {
                continue;
            };
            for end in [staircase.low, staircase.high] {
                state.discrete.flags.set(end.index(), end == reached);
            }
            state.discrete.sides[staircase.low.index()] = Side::Plus;
            state.discrete.sides[staircase.high.index()] = Side::Minus;
            dynamics.sides_stand = false;
            self.iteration.borders.begun_on.push((reached, z));
            self.iteration.borders.crossed.extend([border, reached]);
            self.iteration.reshaped = true;
            self.iteration.stepped = true;
            self.iteration.undecided = true;
            self.mark_jumping_rows(state.borders.owners[border.index()]);
            return true;
        }
        false
    }
}
