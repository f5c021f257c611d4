//! Assembly of a motion: free in one mode, or bound to the borders along which the state slides or on which it rests.

use crate::ids::RangeId;
use crate::lower::border::{BorderId, BorderSource, Side};
use crate::lower::coupling::MAX_SLIDES;
use crate::lower::mode::SlideGroups;
use crate::model::Guard;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::sides::after_reset::OtherSides;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::active_constraints::ActiveConstraints;
use crate::sim::events::motion::contact_direction::ContactDirection;
use crate::sim::events::motion::exits::SplitKinks;
use crate::sim::events::motion::sliding::Sliding;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::{mode_fault, value_fault};
use crate::sim::events::state::HybridState;
use crate::sim::{NoSlide, RunFault};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Groups of the borders of a slide, and the modes at its corners, each with the borders that are on other sides in it.
type CornersAround = (Arc<SlideGroups>, Vec<usize>, Vec<OtherSides>);

impl EventIteration {
    /// True if all modes have a margin for a border: it is that of a comparison, or of a kink in a row without a condition.
    fn is_always_seen(&self, state: &HybridState, border: BorderId) -> bool {
        let relations = &self.plan.model.relations;
        let seen = match state.borders.owners[border.index()] {
            BorderSource::Comparison(..) => true,
            BorderSource::RowKink(row, _) => relations[row.index()].guard == Guard::Always,
            _ => false,
        };
        seen && !self.plan.flow.views_vary
    }

    /// True if the modes around a border have a margin for it; with one more border on a side, if given.
    fn is_seen(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        other: Option<(BorderId, Side)>,
    ) -> Result<bool, RunFault> {
        if self.is_always_seen(state, border) {
            return Ok(true);
        }
        let kept = |border| dynamics.keeps_mode(state, border);
        if kept(border) && other.is_none_or(|(other, _)| kept(other)) {
            let mode = &dynamics.modes.at(dynamics.mode).mode;
            return Ok(mode.margin(border).is_some());
        }
        let mut seen = true;
        for side in [Side::Minus, Side::Plus] {
            let on: SmallVec<[(BorderId, Side); 2]> =
                [(border, side)].into_iter().chain(other).collect();
            let mode = self.mode_on(state, dynamics, observe, &on)?;
            seen &= dynamics.modes.at(mode).mode.margin(border).is_some();
        }
        Ok(seen)
    }

    /// Which of the borders along which the state slides move each other, by the kinks of the present mode and by kinks and
    /// ranges of those around, as far as these are known, each with the borders that are on other sides in it. A bend has
    /// one value on its border, whichever side counts.
    pub(crate) fn slide_groups(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        slides: &[BorderId],
        around: (&[usize], &[OtherSides]),
    ) -> SlideGroups {
        if slides.len() < 2 {
            return SlideGroups::one(slides.len());
        }
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let mut places: FxHashMap<BorderId, usize> = FxHashMap::default();
        let mut starts = vec![(Vec::new(), Vec::new()); slides.len()];
        for (at, &border) in slides.iter().enumerate() {
            let twins = mode.twins_of(border).map(|(twin, _)| twin);
            for border in [border].into_iter().chain(twins) {
                places.insert(border, at);
                let (ranges, rows) = &mut starts[at];
                let on = dynamics.ranges_on(border).into_iter();
                ranges.extend(on.map(RangeId::index));
                let owner = state.borders.owners[border.index()];
                let is_kink = matches!(owner, BorderSource::RowKink(..));
                rows.extend(owner.relation().filter(|_| !is_kink));
            }
        }
        let (around, sides) = around;
        let around = around.iter().map(|&mode| &dynamics.modes.at(mode).mode);
        let kinks = around.flat_map(|mode| &mode.kinks);
        for kink in mode.kinks.iter().chain(kinks).filter(|kink| kink.jumps) {
            if let (Some(&at), Some(row)) = (places.get(&kink.view.border), kink.owner.relation()) {
                starts[at].1.push(row);
            }
        }
        let is_in_all = |one: &(BorderId, Side)| sides.iter().all(|sides| sides.contains(one));
        let turning = sides.iter().flatten().filter(|one| !is_in_all(one));
        let turning = turning.map(|(border, _)| *border);
        let turning = turning.filter(|border| !places.contains_key(border));
        let turning = turning.flat_map(|border| dynamics.ranges_on(border));
        let mut turning: Vec<usize> = turning.map(RangeId::index).collect();
        turning.sort_unstable();
        turning.dedup();
        let (model, borders) = (&self.plan.model, &state.borders);
        (self.plan.coupling).groups(model, borders, slides, &starts, &turning)
    }

    /// Unbinds the motion from borders for which the modes around them have no margin any more.
    pub(crate) fn unbind_unseen(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if dynamics.bound.is_free() {
            return Ok(());
        }
        let bound: SmallVec<[BorderId; 4]> = dynamics.bound.borders().collect();
        for border in bound {
            if !self.is_seen(state, dynamics, observe, border, None)? {
                self.release_constraint(
                    state,
                    dynamics,
                    observe,
                    border,
                    state.discrete.sides[border.index()],
                );
            }
        }
        let rest = dynamics.bound.rest.clone();
        for push in rest {
            // What a reaction would act on is not integrated any more.
            let mode = self.mode_on(state, dynamics, observe, &[])?;
            let states = &dynamics.modes.at(mode).mode.states;
            if push.by_state(states).is_empty() {
                self.release_constraint(state, dynamics, observe, push.border, push.side);
            }
        }
        Ok(())
    }

    /// Staircases in modes around the borders of a slide, which the present mode does not have, go to the steps that their
    /// values ask for.
    pub(crate) fn find_steps_beside(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let slides = dynamics.bound.slides.clone();
        if state.borders.staircases.is_empty() {
            return Ok(());
        }
        let groups = self.slide_groups(state, dynamics, &slides, (&[], &[]));
        if groups.largest() > MAX_SLIDES {
            return Ok(());
        }
        for corner in 0..groups.n_corners() {
            let on = groups.sides(&slides, corner);
            let (mode, _) = self.mode_beside(state, dynamics, observe, &on, false)?;
            if mode == dynamics.mode {
                continue;
            }
            let t = state.t;
            let evaluator = dynamics.modes.get(mode);
            let around = Arc::clone(&evaluator.mode);
            evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
            evaluator.states(&state.reals, &mut dynamics.y);
            evaluator
                .first_order(&state.past, t, &dynamics.y, &[], &[])
                .map_err(|fault| value_fault(t, fault))?;
            for stair in &around.stairs {
                let present = &dynamics.modes.at(dynamics.mode).mode.stairs;
                if present.iter().any(|own| own.staircase == stair.staircase) {
                    continue;
                }
                let ends = state.borders.staircases[stair.staircase];
                let evaluator = dynamics.modes.at(mode);
                let stays = [ends.low, ends.high].iter().any(|&end| {
                    let z = evaluator.z(end).unwrap_or_default();
                    self.iteration.stays_begun(end, z)
                });
                let beyond = |end| evaluator.z_first(end).unwrap_or_default()[0];
                if stays || beyond(ends.low) >= 0.0 && beyond(ends.high) <= 0.0 {
                    continue;
                }
                let height = evaluator.value(stair.slot);
                let step = stair.stairs.at(height);
                state.steps[stair.staircase] = step;
                state.discrete.sides[ends.low.index()] = Side::Plus;
                state.discrete.sides[ends.high.index()] = Side::Minus;
                for (end, place) in [ends.low, ends.high]
                    .into_iter()
                    .zip(stair.stairs.ends(step))
                {
                    state.discrete.flags.set(end.index(), height == place);
                }
                dynamics.sides_stand = false;
            }
        }
        Ok(())
    }

    /// The modes around the borders of a slide, each with the borders that are on other sides in it; with one more border
    /// on a side, if given. The kinks of these modes may tell of more borders that move each other.
    fn corners_around(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        bound: &ActiveConstraints,
        other: Option<(BorderId, Side)>,
    ) -> Result<CornersAround, RunFault> {
        let slides = &bound.slides[..];
        let mut groups = self.slide_groups(state, dynamics, slides, (&[], &[]));
        loop {
            if groups.largest() > MAX_SLIDES {
                let largest = groups.members().iter().max_by_key(|group| group.len());
                let first = largest.map_or(0, |group| group[0]);
                let why = NoSlide::TooMany(groups.largest());
                return Err(dynamics.no_slide(state, slides[first], why));
            }
            let n = groups.n_corners();
            let (mut corners, mut sides) = (Vec::with_capacity(n), Vec::with_capacity(n));
            for corner in 0..n {
                let mut on = groups.sides(slides, corner);
                on.extend(other);
                let is_corner = bound.through.is_empty();
                let (mode, taken) = self.mode_beside(state, dynamics, observe, &on, is_corner)?;
                corners.push(mode);
                sides.push(taken);
            }
            if groups.len() == 1 {
                return Ok((Arc::new(groups), corners, sides));
            }
            let seen = self.slide_groups(state, dynamics, slides, (&corners, &sides));
            if seen.len() == groups.len() {
                return Ok((Arc::new(seen), corners, sides));
            }
            groups = seen;
        }
    }

    /// The motion from the present point that is bound to the borders to which the state is.
    pub(crate) fn assemble_bound(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<Motion, RunFault> {
        let bound = std::mem::take(&mut dynamics.bound);
        let motion = self.assemble(state, dynamics, observe, &bound, None);
        dynamics.bound = bound;
        motion
    }

    /// The motion from the present point that is bound to borders; with one more border on a side
    /// that it does not have, if asked for.
    pub(crate) fn assemble(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        bound: &ActiveConstraints,
        other: Option<(BorderId, Side)>,
    ) -> Result<Motion, RunFault> {
        let mut bound = bound.clone();
        if other.is_some() {
            for border in bound.borders().collect::<Vec<_>>() {
                if !self.is_seen(state, dynamics, observe, border, other)? {
                    bound.end_slide(border);
                    bound.rest.retain(|push| push.border != border);
                }
            }
        }
        let m = bound.slides.len();
        let (mode, slide) = if m == 0 {
            let mode = match other {
                None => dynamics.mode,
                Some((border, side)) => {
                    self.mode_beside(state, dynamics, observe, &[(border, side)], false)?
                        .0
                }
            };
            (mode, None)
        } else {
            let (groups, corners, sides) =
                self.corners_around(state, dynamics, observe, &bound, other)?;
            let is_through = |at: &usize| bound.is_through(bound.slides[*at]);
            for members in groups.members() {
                let mut others = members.iter().filter(|at| !is_through(at));
                if let (true, Some(&at)) = (members.iter().any(is_through), others.next()) {
                    let why = NoSlide::Coupled;
                    return Err(dynamics.no_slide(state, bound.slides[at], why));
                }
            }
            let sides: Vec<Vec<Side>> = sides
                .into_iter()
                .map(|taken| {
                    let mut all = state.discrete.sides.clone();
                    all.resize(state.borders.len(), Side::Plus);
                    for (border, side) in taken {
                        all[border.index()] = side;
                    }
                    all
                })
                .collect();
            for &corner in &corners {
                let evaluator = dynamics.modes.get(corner);
                evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
            }
            let mixture = dynamics
                .modes
                .mixture(
                    self.plan.source(),
                    &mut state.borders,
                    &corners,
                    &groups,
                    &sides,
                )
                .map_err(mode_fault)?;
            state.discrete.grow(&state.borders);
            // Where a margin jumps across its border itself, what follows from it has one value along the slide.
            let split = match bound.through.is_empty() {
                true => dynamics.split_kinks(state, &bound.slides, (&corners, &sides), mixture)?,
                false => SplitKinks {
                    borders: state.split_kinks(&bound.slides, &sides),
                    ..SplitKinks::default()
                },
            };
            (mixture, Some(Sliding::new(&bound, groups, corners, split)))
        };
        let evaluator = dynamics.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        let rest = bound.rest.clone();
        let mut motion = Motion::new(&mut dynamics.modes, mode, slide, rest, &state.reals);
        motion.turning =
            ContactDirection::new(&motion.rest, &self.plan.model, &self.plan.constants);
        Ok(motion)
    }

    /// Makes the motion from the present point and solves what follows from others.
    pub(crate) fn assemble_and_enter(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if dynamics.bound.is_free() {
            let evaluator = dynamics.modes.get(dynamics.mode);
            evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
            dynamics.motion.set_free(&dynamics.modes, dynamics.mode);
            return dynamics.write_reals(state);
        }
        dynamics.motion = self.assemble_bound(state, dynamics, observe)?;
        let slide = dynamics.motion.slide.as_ref();
        let agreed = slide.map(|slide| slide.split.agreed.clone());
        for (border, side) in agreed.unwrap_or_default() {
            if state.discrete.sides[border.index()] != side {
                state.discrete.flags.set(border.index(), false);
                self.set_side(state, dynamics, border, side);
            }
        }
        dynamics.write_reals(state)
    }
}

impl Dynamics {
    /// True if the motion is that of the present mode already, so that entering it again at the point
    /// where it was entered before would change nothing.
    pub(crate) fn stands_in_mode(&self, state: &HybridState) -> bool {
        let plain = state.borders.staircases.is_empty() && state.past.is_empty();
        plain
            && self.bound.is_free()
            && self.motion.is_free()
            && self.motion.mode == self.mode
            && !self.modes.at(self.mode).has_loops()
    }
}
