//! Borders across which a jump has carried the state: their sides follow the values.

use crate::backend::value::Stairs;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use smallvec::SmallVec;

/// Kinks that lie within each other change branches in rounds, so many at most.
pub(super) const NESTED_KINKS: usize = 8;

/// Borders that are on other sides than in the present mode.
pub(crate) type OtherSides = SmallVec<[(BorderId, Side); 8]>;

/// A border, the side that its margin asks for, and the margin with its noise.
type AskedSide = (BorderId, Option<Side>, [f64; 2]);

impl EventIteration {
    /// On which side a margin is computed that is 0 up to rounding, if an event row of this instant has written what it
    /// reads: perhaps the number at which the border was crossed, but one that does not go on across it.
    pub(super) fn set_onto(&mut self, state: &HybridState, border: BorderId) -> Option<Side> {
        let readers = &self.standing.readers;
        let mut written = state.shown.deeds.written.iter();
        let is_written = written.any(|effect| readers[effect.real.index()].contains(&border));
        if !is_written {
            return None;
        }
        let [z, computed] = self.standing.z(border, state.t, &state.reals)?;
        (z == 0.0).then(|| Side::of(computed))
    }

    /// If the border is an end of a step of a staircase, goes to the step on which the state is.
    pub(crate) fn jump_steps(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        z: f64,
    ) -> bool {
        let mut staircases = state.borders.staircases.iter();
        let Some(index) = staircases.position(|ends| ends.low == border || ends.high == border)
        else {
            return false;
        };
        let (ends, step) = (state.borders.staircases[index], &mut state.steps[index]);
        let upper = ends.high == border;
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        let known = mode.stairs.iter().find(|stair| stair.staircase == index);
        match known.map(|stair| stair.stairs) {
            // Within this end; whether it is within the other one is asked of that.
            Some(Stairs::Knots(_)) if upper == (z < 0.0) => {}
            Some(stairs @ Stairs::Knots(_)) => {
                *step = stairs.at(stairs.ends(*step)[usize::from(upper)] + z);
            }
            _ => *step += if upper { z + 1.0 } else { z }.floor(),
        }
        state.discrete.sides[ends.low.index()] = Side::Plus;
        state.discrete.sides[ends.high.index()] = Side::Minus;
        dynamics.sides_stand = false;
        self.iteration.reshaped = true;
        true
    }

    /// The margin of a border jumps across it: the state slides along the border, with the share at which the margin
    /// is 0 (FORMALISM 10.4).
    /// A margin that is the same on both sides never does that; there the rates decide.
    pub(crate) fn slide_through(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<(), RunFault> {
        let bound = &mut dynamics.bound;
        if bound.lambda.len() == bound.slides.len() {
            bound.lambda.push(0.5);
        }
        bound.slides.push(border);
        bound.through.push(border);
        state.discrete.flags.set(border.index(), true);
        dynamics.check_slides(state)?;
        self.find_slide(state, dynamics, observe, true);
        self.iteration.slides_through.push(border);
        self.iteration.reshaped = true;
        self.iteration.undecided = true;
        Ok(())
    }

    /// True if the side that a margin's value asks for gives a value that asks for the other side.
    pub(crate) fn jumps_back(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        side: Side,
    ) -> Result<bool, RunFault> {
        if state.borders.is_step_end(border) {
            return Ok(false);
        }
        if !self.iteration.reshaped && dynamics.keeps_mode(state, border) {
            return Ok(false);
        }
        let mut there = self.motion_beside(state, dynamics, observe, (border, side))?;
        let mut here = self.motion_beside(state, dynamics, observe, (border, side.flipped()))?;
        if there.mode == here.mode {
            return Ok(false);
        }
        let [z_there, rate_there] = dynamics.z_along(state, &mut there, border)?;
        let [z_here, rate_here] = dynamics.z_along(state, &mut here, border)?;
        // A margin that is the same on both sides does not jump: along its border its rates decide.
        Ok(z_there != z_here
            && asked(z_there, rate_there) == side.flipped()
            && asked(z_here, rate_here) == side)
    }

    /// The motion with a border on a side, along the other borders to which it is bound.
    pub(super) fn motion_beside(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        (border, side): (BorderId, Side),
    ) -> Result<Motion, RunFault> {
        let mut bound = dynamics.bound.clone();
        bound.end_slide(border);
        if bound.slides.is_empty() {
            let mode = self.mode_on(state, dynamics, observe, &[(border, side)])?;
            let mut motion = Motion::default();
            motion.set_free(&dynamics.modes, mode);
            return Ok(motion);
        }
        self.assemble(state, dynamics, observe, &bound, Some((border, side)))
    }

    /// True if the state is on a border in a mode, up to rounding or as it was when the instant began.
    pub(super) fn lies_on(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        mode: usize,
        border: BorderId,
    ) -> bool {
        let stays = |z: f64| self.iteration.stays_begun(border, z);
        dynamics.is_on(state, mode, border)
            || dynamics.margin_in(state, mode, border).is_some_and(stays)
    }

    /// The mode with some borders on other sides, as [`Self::mode_on`], with its kinks on the sides of their values
    /// there: what they depend on may jump over the borders.
    ///
    /// `is_corner`: whether it is one of those around a slide, in which ranges that rows depend on have their own truth, too,
    /// and two numbers that nothing moves compare as they are.
    /// Result: the mode, and the borders that are on other sides in it.
    pub(crate) fn mode_beside(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        sides: &[(BorderId, Side)],
        is_corner: bool,
    ) -> Result<(usize, OtherSides), RunFault> {
        let mut sides: OtherSides = sides.into();
        for at in 0..sides.len() {
            let (border, side) = sides[at];
            for twin in dynamics.twins(border, side) {
                if sides.iter().all(|(other, _)| *other != twin.0) {
                    sides.push(twin);
                }
            }
        }
        let mut mode = self.mode_on(state, dynamics, observe, &sides)?;
        if mode == dynamics.motion.mode || !is_corner && !state.borders.kinked.any() {
            return Ok((mode, sides));
        }
        let given = sides.len();
        for _ in 0..NESTED_KINKS {
            let margins = dynamics.modes.at(mode).mode.margins.clone();
            let margins = margins.iter().filter(|margin| {
                let border = margin.border;
                let is_it = |(other, _): &(BorderId, Side)| *other == border;
                let (given, found) = sides.split_at(given);
                // What was found by branches that have turned since is asked again.
                !given.iter().any(is_it)
                    && (found.iter().any(is_it)
                        || dynamics.may_jump(state, margin, is_corner)
                        || is_corner && dynamics.is_shaping(border))
            });
            let jumping: SmallVec<[BorderId; 8]> = margins.map(|margin| margin.border).collect();
            let mut changed = false;
            if !jumping.is_empty() {
                let evaluator = dynamics.margins_in(state, mode)?;
                let margins = jumping.into_iter().map(|border| {
                    let [z, rate] = evaluator.z_first(border).unwrap_or_default();
                    let asked = match is_corner && evaluator.mode.is_held(border) {
                        true => Some(Side::of(evaluator.z(border).unwrap_or_default())),
                        false => Some(asked(z, rate)).filter(|asked| *asked != Side::On),
                    };
                    let noise = evaluator.z_noise(border).unwrap_or_default();
                    (border, asked, [z, noise])
                });
                let margins: SmallVec<[AskedSide; 8]> = margins.collect();
                for (border, asked, [z, noise]) in margins {
                    let stands = state.discrete.sides[border.index()];
                    // What stands on the border of a kink in the present motion may be off it there; what stands on it there
                    // alone leaves it.
                    let is_flagged = state.discrete.flags.get(border.index());
                    let other = match asked.filter(|asked| *asked != stands) {
                        Some(side)
                            if !is_flagged
                                || is_corner
                                    && dynamics.turns_at_corners(state, mode, border)
                                    && dynamics.jumps_to(state, border, z, noise)? =>
                        {
                            Some(side)
                        }
                        _ => None,
                    };
                    let found = sides.iter().position(|(other, _)| *other == border);
                    match (found, other) {
                        (None, Some(side)) => sides.push((border, side)),
                        (Some(at), None) => _ = sides.remove(at),
                        (Some(at), Some(side)) if sides[at].1 != side => sides[at].1 = side,
                        _ => continue,
                    }
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            mode = self.mode_on(state, dynamics, observe, &sides)?;
        }
        Ok((mode, sides))
    }
}

impl Dynamics {
    /// True if the margin of another mode is that of a kink, and may have another value than in the present motion; or, in
    /// one of the modes around a slide, than when the kink was last seen to turn, since along a slide nothing turns it.
    fn may_jump(&self, state: &HybridState, margin: &Margin, is_corner: bool) -> bool {
        let border = margin.border;
        let index = border.index();
        let here = self.modes.at(self.motion.mode).mode.margin(border);
        let same = here.is_some_and(|here| here.form.is_some() && here.form == margin.form);
        state.borders.kinked.get(index)
            && (is_corner || !same)
            && !state.borders.is_step_end(border)
    }

    /// True if the margin of a border in a mode around a slide, which is z there up to its noise, is another one than in the
    /// present motion, or the state is not on the border any more.
    fn jumps_to(
        &mut self,
        state: &HybridState,
        border: BorderId,
        z: f64,
        noise: f64,
    ) -> Result<bool, RunFault> {
        let evaluator = self.margins_in(state, self.motion.mode)?;
        let [here, _] = evaluator.z_first(border).unwrap_or_default();
        let noise_here = evaluator.z_noise(border).unwrap_or_default();
        Ok((z - here).abs() > noise + noise_here || self.is_off(state, border, z)?)
    }

    /// True if the state is on a border in a mode, up to rounding.
    pub(super) fn is_on(&mut self, state: &HybridState, mode: usize, border: BorderId) -> bool {
        let evaluator = self.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        let on = evaluator.is_on(&state.past, (state.t, &self.y), border);
        on.unwrap_or(false)
    }

    /// The z of a border as it is computed in a mode; `None` if it has no value.
    pub(crate) fn margin_in(
        &mut self,
        state: &HybridState,
        mode: usize,
        border: BorderId,
    ) -> Option<f64> {
        let evaluator = self.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        let computed = evaluator.evaluate_margins(&state.past, state.t, &self.y);
        computed.ok().and_then(|()| evaluator.z(border))
    }

    /// The z of a border and its rate in a mode.
    pub(super) fn z_in(
        &mut self,
        state: &HybridState,
        mode: usize,
        border: BorderId,
    ) -> Result<[f64; 2], RunFault> {
        let evaluator = self.margins_in(state, mode)?;
        Ok(evaluator.z_first(border).unwrap_or_default())
    }

    /// The margins and their rates in a mode.
    pub(crate) fn margins_in(
        &mut self,
        state: &HybridState,
        mode: usize,
    ) -> Result<&Evaluator, RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        evaluator
            .first_order(&state.past, t, &self.y, &[], &[])
            .map_err(|fault| value_fault(t, fault))?;
        Ok(evaluator)
    }
}

impl HybridState {
    /// The kinks whose branches differ between some modes around the borders of a slide.
    ///
    /// Shapes: `sides`: for each mode the sides of all borders.
    pub(crate) fn split_kinks(&self, slides: &[BorderId], sides: &[Vec<Side>]) -> Vec<BorderId> {
        let kinks = self.borders.kinked.iter().enumerate();
        let kinks = kinks.filter(|(_, kinked)| *kinked);
        let kinks = kinks.map(|(index, _)| BorderId::new(index));
        let differs = |border: &BorderId| {
            let mut all = sides.iter().map(|sides| sides.get(border.index()));
            let first = all.next();
            all.any(|side| Some(side) != first)
        };
        kinks
            .filter(|border| !slides.contains(border) && differs(border))
            .collect()
    }
}

/// The side that a margin and its rate ask for.
pub(crate) fn asked(z: f64, rate: f64) -> Side {
    Side::of(if z == 0.0 { rate } else { z })
}
