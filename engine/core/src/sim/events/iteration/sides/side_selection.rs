//! On which side of each border the motion goes on, and along which borders it slides.

use crate::ids::RangeId;
use crate::lower::border::{BorderId, BorderSource, Side};
use crate::lower::mode::Margin;
use crate::sim::events::detect::departure::Departure;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::sides::bound_departures::MotionAhead;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::{direction, place};
use crate::sim::events::state::HybridState;
use crate::sim::{Finding, NoSlide, RunFault};
use crate::trace::What;
use situ_solve::Locate;
use smallvec::SmallVec;

/// Sign with which z leaves a border, as far as a motion tells: the sign of its first derivative that is not 0,
/// and which one it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct DepartureSign {
    pub(crate) sign: i8,
    pub(crate) order: usize,
}

impl EventIteration {
    /// Decides on which side of each flagged border the motion goes on, and along which it slides.
    pub(crate) fn decide(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        self.decide_bound(state, dynamics, observe)?;
        self.rest_on_touched(state, dynamics)?;
        let mut borders: SmallVec<[BorderId; 8]> = SmallVec::new();
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        state.discrete.flags.each_one(|index| {
            let border = BorderId::new(index);
            if mode.margin(border).is_some() && !state.borders.only_watched[index] {
                borders.push(border);
            }
        });
        // On which branch of a kink the motion goes on tells what the margins of comparisons are.
        let kinked = &state.borders.kinked;
        borders.sort_by_key(|border| !kinked.get(border.index()));
        let n_kinks = borders.partition_point(|border| kinked.get(border.index()));
        let mut turned = false;
        let mut ahead = MotionAhead::default();
        for (number, border) in borders.into_iter().enumerate() {
            if turned && number >= n_kinks {
                self.iteration.undecided = true;
                break;
            }
            if dynamics.bound.slides.contains(&border)
                || dynamics.slides_along_twin(border)
                || dynamics.motion.bound_to(border)
                || self.is_untouched(state, border)
            {
                continue;
            }
            if self.goes_on_as_crossed(state, dynamics, border)? {
                if state.discrete.sides[border.index()] == Side::On {
                    let lean = dynamics.lean_of_motion_ahead(state, &mut ahead, border)?;
                    let side = match lean.sign {
                        1 => Side::Plus,
                        -1 => Side::Minus,
                        _ => Side::On,
                    };
                    self.set_side(state, dynamics, border, side);
                }
                continue;
            }
            let leans = self.leans_ahead(state, dynamics, observe, &mut ahead, border)?;
            let index = border.index();
            let held = state.discrete.sides[index];
            if self.sides_by_value(leans) || dynamics.is_far_beyond(state, border)? {
                self.take_side_of_value(state, dynamics, border, held)?;
                continue;
            }
            let [minus, plus] = self.leans_on_border(state, dynamics, observe, border, leans)?;
            if [minus, plus] != leans {
                ahead = MotionAhead::default();
            }
            // Where a jump brings it there and it would stay on one of the sides, a comparison of two equal numbers
            // decides by its strictness, as in ticks; where nothing moves, numbers that are equal but for rounding decide as
            // they were computed, unless the state has been on the border.
            let still = plus.sign == 0 && minus.sign == 0;
            let parts = plus.sign != 0 && minus.sign != 0;
            let comes = still && held != Side::On;
            let landed = self.landed_on(state, border);
            let landed = landed.or_else(|| self.set_onto(state, border).filter(|_| comes));
            if landed.is_some() && plus.sign >= 0 && minus.sign <= 0 {
                self.note_rounding(state, dynamics, observe, border)?;
            }
            let chosen = match (plus.sign >= 0, minus.sign <= 0) {
                (true, false) => Side::Plus,
                (false, true) => Side::Minus,
                (true, true)
                    if landed == Some(Side::On) && !still && !parts && held != Side::On =>
                {
                    self.iteration.borders.leave(border);
                    Side::On
                }
                (true, true) if held == Side::On || (still && landed.is_some()) => {
                    let lean = dynamics.lean_of_motion_ahead(state, &mut ahead, border)?;
                    match lean.sign {
                        1 => Side::Plus,
                        -1 => Side::Minus,
                        _ => landed.unwrap_or(Side::On),
                    }
                }
                (true, true) => {
                    if parts && let Some(border) = place(&state.borders, border) {
                        observe.log.note(|| What::NotUnique {
                            border,
                            kept: direction(held),
                        });
                    }
                    held
                }
                (false, false) => {
                    if state.borders.is_step_end(border) {
                        return Err(dynamics.no_slide(state, border, NoSlide::StepEnd));
                    }
                    if let Some(lift) = self.lift_on(state, dynamics, observe, border)? {
                        dynamics.look_off(state, lift)?;
                    }
                    dynamics.bound.slides.push(border);
                    dynamics.bound.lambda.clear();
                    dynamics.check_slides(state)?;
                    let unique = self.begin_slide(state, dynamics, observe, border)?;
                    let before = state.reals.clone();
                    self.assemble_and_enter(state, dynamics, observe)?;
                    ahead = MotionAhead::default();
                    self.mark_changed(state, &before);
                    dynamics.check_kinked_loop(state, border)?;
                    self.note_slide(state, dynamics, observe, unique);
                    self.iteration.undecided = true;
                    continue;
                }
            };
            let chosen = match chosen {
                Side::Plus if plus.sign == 0 && dynamics.is_bound(border) => Side::On,
                Side::Minus if minus.sign == 0 && dynamics.is_bound(border) => Side::On,
                Side::Plus
                    if plus.sign == 0 && self.stays_on_edge(state, dynamics, border, chosen) =>
                {
                    Side::On
                }
                Side::Minus
                    if minus.sign == 0 && self.stays_on_edge(state, dynamics, border, chosen) =>
                {
                    Side::On
                }
                chosen if dynamics.is_beyond_bound(border, chosen) => Side::On,
                chosen => chosen,
            };
            if chosen == held && plus.order.min(minus.order) > 1 {
                self.iteration.borders.stop_on(border);
            }
            if chosen != held
                && !self.leans_by_distance(state, dynamics, observe, border, [minus, plus])?
            {
                // Steps of others may be steps of what has jumped with this one.
                if self.turn_step_to(state, dynamics, border, chosen)? {
                    break;
                }
                if self.jumps_back(state, dynamics, observe, border, chosen)? {
                    self.slide_through(state, dynamics, observe, border)?;
                    ahead = MotionAhead::default();
                } else {
                    turned |= number < n_kinks;
                    self.set_side_with_twins(state, dynamics, border, chosen);
                }
            }
        }
        Ok(())
    }

    /// Notes that rounding has a part in the value of a margin that a jump has brought onto its border.
    fn note_rounding(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<(), RunFault> {
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        // The margin of a push is a rate, which a kink may bring to 0 while nothing jumps.
        let is_push = matches!(state.borders.owners[border.index()], BorderSource::Push(..));
        if is_push || mode.is_whole(border, &state.reals) {
            return Ok(());
        }
        dynamics.bound_margins(state)?;
        let noise = dynamics.modes.at(dynamics.motion.mode).z_noise(border);
        let place = place(&state.borders, border).filter(|_| noise.is_some_and(|it| it > 0.0));
        if let Some(place) = place {
            let time = state.t;
            observe.log.find(Finding::OnBorder { place, time });
        }
        Ok(())
    }

    /// A microstep has changed the mode: borders on which the state stands are left by the motion of the new one, as in
    /// the tick in which it changes; ranges over which the microstep has jumped have turned by then. (FORMALISM 10.1 would ask after the last microstep; then two balls that part would
    /// collide in the next one, for they still touch, against the numbers of `sticky_balls`.)
    pub(crate) fn leave_borders(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if !dynamics.bound.is_free() || self.plan.config.locate.sees_ends_only() {
            return Ok(());
        }
        let earlier = self.suppose_turned_ranges(state, dynamics);
        let outcome = self.leave_by_present_mode(state, dynamics, observe);
        self.forget_supposed(state, earlier);
        outcome
    }

    fn leave_by_present_mode(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        self.find_mode_by_value(state, dynamics, observe)?;
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let mut borders: SmallVec<[BorderId; 8]> = SmallVec::new();
        state.discrete.flags.each_one(|index| {
            let border = BorderId::new(index);
            if mode.margin(border).is_some()
                && !state.borders.only_watched[index]
                && !state.borders.is_step_end(border)
                && !self.is_untouched(state, border)
            {
                borders.push(border);
            }
        });
        for border in borders {
            let Ok([minus, plus]) = self.leans(state, dynamics, observe, border) else {
                // What is not defined in a mode that does not last need not be.
                continue;
            };
            let held = state.discrete.sides[border.index()];
            if held == Side::On && dynamics.is_bound(border) {
                continue;
            }
            let side = match (held, plus.sign, minus.sign) {
                (Side::Minus, 0 | 1, 1) | (Side::On, 1, 1) => Side::Plus,
                (Side::Plus, -1, -1 | 0) | (Side::On, -1, -1) => Side::Minus,
                _ => continue,
            };
            // What the rows of that mode compute may lie elsewhere already; then values tell.
            let mode = dynamics.mode;
            if self.lies_on(state, dynamics, mode, border)
                && !self.jumps_back(state, dynamics, observe, border, side)?
            {
                self.set_side(state, dynamics, border, side);
            }
        }
        Ok(())
    }

    /// True if a border that was crossed is left as the dense output says: in a stiff motion the rates are those of
    /// a state that is off by its tolerances, and tell nothing of the way on.
    fn goes_on_as_crossed(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        if self.plan.config.locate != Locate::Root || !self.motion_is_untouched(state, dynamics) {
            return Ok(false);
        }
        let z = dynamics.z_now(state, border)?;
        Ok(self.iteration.was_crossed(border, z) && dynamics.keeps_mode(state, border))
    }

    /// True if values decide on which side of a border the motion goes on: where events are seen at the ends of
    /// steps only, and rules undo each other: with an event at the end of a step the state may be far beyond the
    /// border. Without location the fields do not settle it either: so a border along which the state would
    /// slide is crossed once a step, as in ticks.
    /// Sides by value throughout would lose the second bounce of a ball that is still below the floor at the end of
    /// the next step.
    fn sides_by_value(&self, [minus, plus]: [DepartureSign; 2]) -> bool {
        let inward = plus.sign < 0 && minus.sign > 0;
        let locate = self.plan.config.locate;
        (locate == Locate::None && inward) || (locate.sees_ends_only() && self.iteration.rounds > 1)
    }

    /// The state goes on on the side on which it is; on the border itself, on the one that is held.
    fn take_side_of_value(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        held: Side,
    ) -> Result<(), RunFault> {
        let side = match (Side::of(dynamics.z_now(state, border)?), held) {
            (Side::On, Side::On) => Side::Plus,
            (Side::On, held) => held,
            (side, _) => side,
        };
        if side != held && !self.turn_step_to(state, dynamics, border, side)? {
            self.set_side(state, dynamics, border, side);
        }
        Ok(())
    }

    /// An end of a step on which the state stands: the step is the one to which it moves.
    pub(super) fn turn_step_to(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        side: Side,
    ) -> Result<bool, RunFault> {
        let staircases = state.borders.staircases.iter();
        let over = staircases
            .filter(|ends| ends.low == border || ends.high == border)
            .any(|ends| (ends.low == border) == (side == Side::Minus));
        if !over {
            return Ok(false);
        }
        // The evaluator may hold the step that was left in this instant.
        let [z, _] = dynamics.z_in(state, dynamics.motion.mode, border)?;
        Ok(self.turn_step(state, dynamics, border, z))
    }

    /// Borders to which the motion is bound and no longer has to be are left.
    pub(super) fn decide_bound(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if dynamics.bound.is_free() {
            return Ok(());
        }
        let slides = dynamics.bound.slides.clone();
        for border in slides {
            if self.is_untouched(state, border) {
                continue;
            }
            let holds = if dynamics.bound.is_through(border) {
                self.stays_through(state, dynamics, observe, border)?
            } else if dynamics.bound.is_lifted(border) {
                self.stays_between(state, dynamics, observe, border)?
            } else {
                let [minus, plus] = self.leans(state, dynamics, observe, border)?;
                let held = state.discrete.sides[border.index()];
                let left_to = match (plus.sign >= 0, minus.sign <= 0) {
                    (false, false) => None,
                    (true, true) if held == Side::Minus => Some(held),
                    (true, _) => Some(Side::Plus),
                    (false, true) => Some(Side::Minus),
                };
                if let Some(side) = left_to {
                    if plus.sign == 0
                        && minus.sign == 0
                        && let Some(place) = place(&state.borders, border)
                    {
                        observe.log.stops_sliding(place, state.t);
                    }
                    self.set_side_with_twins(state, dynamics, border, side);
                }
                left_to.is_none()
            };
            if !holds {
                let side = state.discrete.sides[border.index()];
                self.unbind(state, dynamics, observe, border, side);
                state.leaving.clear();
                self.assemble_and_enter(state, dynamics, observe)?;
                self.iteration.undecided = true;
            }
        }
        if dynamics.bound.rest.is_empty() {
            return Ok(());
        }
        // A rest ends where nothing pushes any more, or the border has been left by a jump.
        dynamics.bound_margins(state)?;
        let mut exits = Vec::new();
        let y: Vec<f64> = dynamics.y.clone();
        let t = state.t;
        let pushed = dynamics
            .motion
            .exits(&mut dynamics.modes, &state.past, t, &y, &mut exits);
        let first = exits.len() - dynamics.bound.rest.len().min(exits.len());
        let rest = dynamics.bound.rest.clone();
        let mut is_off = false;
        for (number, push) in rest.iter().enumerate() {
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let [z, rate] = evaluator.z_first(push.border).unwrap_or([1.0; 2]);
            let on_it = self.is_in_contact(state, dynamics, push, [z, rate])?;
            let exit = exits.get(first + number).filter(|_| pushed.is_ok());
            let pressed = exit.is_some_and(|&exit| exit < 0.0);
            if on_it && pressed {
                if push.is_held_up(state) {
                    is_off |= z != 0.0 || rate != 0.0;
                } else {
                    self.release_constraint(state, dynamics, observe, push.border, push.side);
                    self.assemble_and_enter(state, dynamics, observe)?;
                    self.iteration.undecided = true;
                }
                continue;
            }
            self.unbind(state, dynamics, observe, push.border, push.side);
            // What has jumped to a pull leaves with it, in the second order.
            if !on_it || exit.is_some_and(|&exit| exit > 0.0) {
                state.leaving.clear();
            }
            if z.abs() > dynamics.reach(state, push.border)? {
                self.set_side_with_twins(state, dynamics, push.border, Side::of(z));
                state.discrete.flags.set(push.border.index(), false);
            }
            self.assemble_and_enter(state, dynamics, observe)?;
            self.iteration.undecided = true;
        }
        match is_off {
            true => self.absorb(state, dynamics, observe),
            false => Ok(()),
        }
    }
}

impl Dynamics {
    /// True if the state is beyond a border by more than its tolerances, as at the end of a step behind which nothing
    /// has been located.
    fn is_far_beyond(&mut self, state: &HybridState, border: BorderId) -> Result<bool, RunFault> {
        let places = matches!(self.plan.config.locate, Locate::Linear | Locate::Quadratic);
        // What time alone moves is landed on.
        let margin = self.modes.at(self.motion.mode).mode.margin(border);
        let is_searched = margin.is_some_and(Margin::is_searched);
        if !(places && is_searched && self.bound.is_free()) {
            return Ok(false);
        }
        let z = self.z_now(state, border)?;
        self.is_off(state, border, z)
    }

    /// How the motion departs from a border that is flagged; `None` if it is as if it were off it.
    pub(super) fn departure_from(
        &mut self,
        state: &mut HybridState,
        ahead: &mut MotionAhead,
        border: BorderId,
    ) -> Result<Option<Departure>, RunFault> {
        let index = border.index();
        let is_seen = self
            .modes
            .at(self.motion.mode)
            .mode
            .margin(border)
            .is_some();
        if !is_seen || self.motion.bound_to(border) {
            return Ok(Some(Departure::Stays));
        }
        let left = state.leaving.iter().find(|(other, ..)| *other == border);
        if let Some(&(_, side, zeros)) = left {
            return Ok(Some(Departure::Leaves(side, zeros)));
        }
        let lean = self.lean_of_motion_ahead(state, ahead, border)?;
        let held = state.discrete.sides[index];
        Ok(match Side::of(f64::from(lean.sign)) {
            // On a bound that moves, errors take a state off it, and not its rate.
            Side::On if !self.is_bound(border) && self.has_strayed(state, border)? => {
                state.discrete.flags.set(index, false);
                // A state that rested on the border since the start crosses it now.
                Some(Departure::Off(match held {
                    Side::On => Side::of(-self.z_now(state, border)?),
                    side => side,
                }))
            }
            Side::On => Some(Departure::Stays),
            // Beside the border, as errors of the method have it, rates tell nothing.
            _ if held == Side::On && self.is_beside(state, border)? => Some(Departure::Stays),
            // A state that rested on the border since the start leaves it now.
            to if held == Side::On => {
                state.discrete.flags.set(index, false);
                Some(Departure::Off(to.flipped()))
            }
            // It has come back from where it was going.
            to if to.flipped() == held => None,
            to => Some(Departure::Leaves(to, lean.order)),
        })
    }

    pub(crate) fn ranges_on(&self, border: BorderId) -> Vec<RangeId> {
        let on = self.views.ranges_by_border.get(border.index());
        on.into_iter()
            .flatten()
            .map(|&range| RangeId(range))
            .collect()
    }
}
