//! On which side of each border the motion goes on, and along which borders it slides.

use crate::ids::{RangeId, RealId};
use crate::lower::border::{BorderId, Owner, Side};
use crate::model::{Boolean, Literal};
use crate::sim::events::detect::crossing_search::{Departure, Departures};
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::Bound;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::filippov_weights;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::{direction, place};
use crate::sim::events::run::fault::{loop_fault, step_fault};
use crate::sim::events::state::HybridState;
use crate::sim::{Finding, RunFault};
use crate::trace::What;
use situ_solve::{Locate, StepError};
use smallvec::SmallVec;

/// How z leaves a border, as far as a motion tells: the sign of its first derivative that is not 0,
/// and which one it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Lean {
    pub(super) sign: i8,
    pub(super) order: usize,
}

impl EventIteration {
    /// Decides on which side of each flagged border the motion goes on, and along which it slides.
    pub(super) fn decide(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        self.decide_bound(state, dynamics, observe)?;
        let mut borders: SmallVec<[BorderId; 8]> = SmallVec::new();
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        state.discrete.flags.each_one(|index| {
            let border = BorderId::new(index);
            if mode.margin(border).is_some() && !state.borders.only_watched[index] {
                borders.push(border);
            }
        });
        for border in borders {
            if dynamics.bound.slides.contains(&border)
                || dynamics.bound.rest.iter().any(|push| push.border == border)
            {
                continue;
            }
            if self.goes_on_as_crossed(state, dynamics, border)? {
                continue;
            }
            let [minus, plus] = self.leans(state, dynamics, observe, border)?;
            let index = border.index();
            let held = state.discrete.sides[index];
            if self.sides_by_value([minus, plus]) || dynamics.is_far_beyond(state, border)? {
                self.take_side_of_value(state, dynamics, border, held)?;
                continue;
            }
            // Where a jump brings it there and it stays, a comparison of two equal numbers decides by its
            // strictness.
            let still = plus.sign == 0 && minus.sign == 0;
            let chosen = match (plus.sign >= 0, minus.sign <= 0) {
                (true, false) => Side::Plus,
                (false, true) => Side::Minus,
                (true, true) if held == Side::On || (still && self.has_landed(state, border)) => {
                    match dynamics.lean_of_motion(state, border)?.sign {
                        1 => Side::Plus,
                        -1 => Side::Minus,
                        _ => Side::On,
                    }
                }
                (true, true) => {
                    if plus.sign != 0
                        && minus.sign != 0
                        && let Some(border) = place(&state.borders, border)
                    {
                        observe.log.note(|| What::NotUnique {
                            border,
                            kept: direction(held),
                        });
                    }
                    held
                }
                (false, false) => {
                    if state.borders.is_step_end(border) {
                        return Err(dynamics.chattering(state, border));
                    }
                    if let Some(lift) = self.lift_on(state, dynamics, observe, border)? {
                        dynamics.look_off(state, lift)?;
                    }
                    dynamics.bound.slides.push(border);
                    dynamics.bound.lambda.clear();
                    dynamics.check_slides(state)?;
                    let unique = self.first_shares(state, dynamics, observe)?;
                    self.note_slide(state, dynamics, observe, unique);
                    self.assemble_and_enter(state, dynamics, observe)?;
                    self.iteration.undecided = true;
                    continue;
                }
            };
            let chosen = match chosen {
                Side::Plus if plus.sign == 0 && dynamics.is_bound(border) => Side::On,
                Side::Minus if minus.sign == 0 && dynamics.is_bound(border) => Side::On,
                chosen => chosen,
            };
            if chosen != held
                && !self.leans_by_distance(state, dynamics, observe, border, [minus, plus])?
                && !self.turn_step_to(state, dynamics, border, chosen)
            {
                if self.jumps_back(state, dynamics, observe, border, chosen)? {
                    self.slide_through(state, dynamics, observe, border)?;
                } else {
                    self.set_side(state, dynamics, border, chosen);
                }
            }
        }
        Ok(())
    }

    /// A microstep has changed the mode: borders on which the state stands are left by the motion of the new one, as in
    /// the tick in which it changes. (FORMALISM 10.1 would ask after the last microstep; then two balls that part would
    /// collide in the next one, for they still touch, against the numbers of `sticky_balls`.)
    pub(super) fn leave_borders(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if !dynamics.bound.is_free() || self.plan.config.locate.sees_ends_only() {
            return Ok(());
        }
        self.find_mode(state, dynamics, observe)?;
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let mut borders: SmallVec<[BorderId; 8]> = SmallVec::new();
        state.discrete.flags.each_one(|index| {
            let border = BorderId::new(index);
            if mode.margin(border).is_some()
                && !state.borders.only_watched[index]
                && !state.borders.is_step_end(border)
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
            let side = match (held, plus.sign, minus.sign) {
                (Side::Minus, 0 | 1, 1) | (Side::On, 1, 0 | 1) => Side::Plus,
                (Side::Plus, -1, -1 | 0) | (Side::On, -1 | 0, -1) => Side::Minus,
                _ => continue,
            };
            if !self.jumps_back(state, dynamics, observe, border, side)? {
                self.set_side(state, dynamics, border, side);
            }
        }
        Ok(())
    }

    /// Whether a border that has been crossed is left as the dense output says: in a stiff motion the rates are those of
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

    /// Whether values decide on which side of a border the motion goes on: where events are seen at the ends of
    /// steps only, and rules undo each other: with an event at the end of a step the state may be far beyond the
    /// border. Without location the fields do not settle it either: so a border along which the state would
    /// slide is crossed once a step, as in ticks.
    /// Sides by value throughout would lose the second bounce of a ball that is still below the floor at the end of
    /// the next step.
    fn sides_by_value(&self, [minus, plus]: [Lean; 2]) -> bool {
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
        if side != held && !self.turn_step_to(state, dynamics, border, side) {
            self.set_side(state, dynamics, border, side);
        }
        Ok(())
    }

    /// Whether z leans back to its border only because it is not 0, as a spring's does: on the border itself
    /// nothing moves it. Then the state is beyond the border, by what rounding has added up to, and not on it.
    #[cold]
    fn leans_by_distance(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        leans: [Lean; 2],
    ) -> Result<bool, RunFault> {
        if leans.iter().any(|lean| lean.order < 2) || !dynamics.motion.is_free() {
            return Ok(false);
        }
        let held = state.discrete.sides[border.index()];
        let z = dynamics.z_now(state, border)?;
        if held == Side::On || Side::of(z) != held {
            return Ok(false);
        }
        let Some(along) = dynamics.way_up(border) else {
            return Ok(false);
        };
        let moved = state.reals.clone();
        state.shift(&along, -z);
        let there = self.leans(state, dynamics, observe, border);
        state.reals = moved;
        Ok(there?.iter().all(|lean| lean.sign == 0))
    }

    /// An end of a step on which the state stands: the step is the one to which it moves.
    pub(super) fn turn_step_to(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        side: Side,
    ) -> bool {
        let staircases = state.borders.staircases.iter();
        let over = staircases
            .filter(|ends| ends.low == border || ends.high == border)
            .any(|ends| (ends.low == border) == (side == Side::Minus));
        over && self.turn_step(state, dynamics, border)
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
            let holds = if dynamics.bound.through {
                self.stays_through(state, dynamics, observe, border)?
            } else if dynamics.bound.is_lifted(border) {
                self.stays_between(state, dynamics, observe, border)?
            } else {
                let [minus, plus] = self.leans(state, dynamics, observe, border)?;
                match (plus.sign >= 0, minus.sign <= 0) {
                    (false, false) => true,
                    (upper, _) => {
                        let side = if upper { Side::Plus } else { Side::Minus };
                        self.set_side(state, dynamics, border, side);
                        false
                    }
                }
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
        for (number, push) in rest.iter().enumerate() {
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let [z, rate] = evaluator.z_first(push.border).unwrap_or([1.0; 2]);
            let scale = self.plan.config.atol + self.plan.config.settings.rtol;
            let on_it = z.abs() <= scale && rate.abs() <= scale;
            let pressed =
                pushed.is_ok() && exits.get(first + number).is_some_and(|&exit| exit < 0.0);
            if !(on_it && pressed) {
                self.unbind(state, dynamics, observe, push.border, push.side);
                if !on_it {
                    state.leaving.clear();
                }
                self.assemble_and_enter(state, dynamics, observe)?;
                self.iteration.undecided = true;
            }
        }
        Ok(())
    }

    /// Whether a margin still jumps across its border: the value on either side asks for the other.
    pub(super) fn stays_through(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let [below, above] = [Side::Minus, Side::Plus];
        let (mode_below, mode_above) = (
            self.mode_on(state, dynamics, observe, &[(border, below)])?,
            self.mode_on(state, dynamics, observe, &[(border, above)])?,
        );
        let asked_below = dynamics.asked_in(state, mode_below, border)?;
        let asked_above = dynamics.asked_in(state, mode_above, border)?;
        if asked_below == above && asked_above == below {
            return Ok(true);
        }
        let side = if asked_above == below { below } else { above };
        self.set_side(state, dynamics, border, side);
        Ok(false)
    }

    /// Finds the shares with which a slide begins; whether they are the only ones.
    pub(crate) fn first_shares(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<bool, RunFault> {
        let mut motion = self.assemble_bound(state, dynamics, observe)?;
        let m = dynamics.bound.slides.len();
        let t = state.t;
        let y: Vec<f64> = motion
            .states
            .iter()
            .map(|real| state.reals[real.index()])
            .collect();
        let corners = motion.corner_rates(&mut dynamics.modes, &state.past, t, &y);
        let corners =
            corners.map_err(|_| dynamics.chattering(state, dynamics.bound.slides[m - 1]))?;
        if m == 1 {
            let [minus, plus] = [corners[0], corners[1]];
            let share = if minus > 0.0 && plus < 0.0 {
                minus / (minus - plus)
            } else {
                self.share_of_next_derivatives(state, dynamics, observe)?
            };
            dynamics.bound.lambda = vec![share];
            return Ok(true);
        }
        let all = filippov_weights::all(&corners, m);
        let far = |lambda: &Vec<f64>| lambda.iter().map(|l| (l - 0.5).abs()).fold(0.0, f64::max);
        let nearest = all.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        let Some(nearest) = nearest else {
            return Err(dynamics.chattering(state, dynamics.bound.slides[m - 1]));
        };
        dynamics.bound.lambda.clone_from(nearest);
        Ok(all.len() == 1)
    }

    /// The share of the upper side where both rates vanish: by the next derivatives that do not.
    pub(super) fn share_of_next_derivatives(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<f64, RunFault> {
        let border = dynamics.bound.slides[0];
        let mut series = [[0.0; crate::sim::events::modes::evaluation::evaluator::ORDERS]; 2];
        for (series, side) in series.iter_mut().zip([Side::Minus, Side::Plus]) {
            let (mode, _) = self.mode_beside(state, dynamics, observe, &[(border, side)])?;
            let t = state.t;
            let evaluator = dynamics.modes.get(mode);
            evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
            evaluator.states(&state.reals, &mut dynamics.y);
            evaluator
                .taylor(&state.past, t, &dynamics.y, &[])
                .map_err(|fault| loop_fault(t, fault))?;
            *series = evaluator.z_series(border).unwrap_or_default();
        }
        let [minus, plus] = series;
        let pairs = minus.iter().zip(&plus).skip(1);
        let first = pairs
            .into_iter()
            .find(|(minus, plus)| **minus != 0.0 || **plus != 0.0);
        Ok(first.map_or(0.5, |(minus, plus)| {
            (minus / (minus - plus)).clamp(0.0, 1.0)
        }))
    }

    /// A slide begins, and its shares are known.
    pub(crate) fn note_slide(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
        unique: bool,
    ) {
        self.find_slide(state, dynamics, observe);
        self.note_shares(state, dynamics, observe, unique);
    }

    /// A summary tells that the state slides.
    pub(super) fn find_slide(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
    ) {
        let slides = dynamics.bound.slides.iter();
        let places = slides.filter_map(|&border| place(&state.borders, border));
        let places: Vec<_> = places.collect();
        if !places.is_empty() {
            observe.log.find(Finding::Sliding {
                places,
                from: state.t,
                by_itself: dynamics.bound.through,
            });
        }
    }

    fn note_shares(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
        unique: bool,
    ) {
        let bound = &dynamics.bound;
        let borders = bound
            .slides
            .iter()
            .zip(&bound.lambda)
            .filter_map(|(&border, &share)| Some((place(&state.borders, border)?, share)))
            .collect();
        observe.log.note(|| What::SlideEntered { borders, unique });
    }

    /// Notes that the state slides along a border that its margin jumps across, if that is new; the share is what the
    /// motion that has been entered makes of it.
    pub(crate) fn note_slide_through(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) {
        if !std::mem::take(&mut self.iteration.slides_through) {
            return;
        }
        if let (true, Some(slide)) = (dynamics.bound.through, &dynamics.motion.slide) {
            let shares = slide.lambda.iter().map(|share| share.clamp(0.0, 1.0));
            dynamics.bound.lambda = shares.collect();
            self.note_shares(state, dynamics, observe, true);
        }
    }

    /// How z leaves a border under the motions that its sides give, the lower first.
    pub(super) fn leans(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<[Lean; 2], RunFault> {
        let [minus, plus] = [Side::Minus, Side::Plus];
        if dynamics.bound.is_free() {
            let free = Bound::default();
            let zeros = [minus, plus].map(|side| state.known_zeros(border, Some(side)));
            if zeros[0] == zeros[1] && dynamics.keeps_mode(state, border) {
                let mode = dynamics.mode;
                let evaluator = dynamics.modes.get(mode);
                evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
                let lean = dynamics.lean_in(state, mode, border, zeros[0])?;
                return Ok([lean; 2]);
            }
            return Ok([
                self.lean(state, dynamics, observe, border, minus, &free)?,
                self.lean(state, dynamics, observe, border, plus, &free)?,
            ]);
        }
        let mut bound = dynamics.bound.clone();
        if let Some(at) = bound.slides.iter().position(|&other| other == border) {
            bound.slides.remove(at);
            bound.lambda.clear();
        }
        Ok([
            self.lean(state, dynamics, observe, border, minus, &bound)?,
            self.lean(state, dynamics, observe, border, plus, &bound)?,
        ])
    }

    pub(super) fn lean(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        side: Side,
        bound: &Bound,
    ) -> Result<Lean, RunFault> {
        let is_step_end = state.borders.is_step_end(border);
        if bound.is_free() && !is_step_end {
            let stands = state.discrete.sides[border.index()] == side && dynamics.has_entered();
            let mode = if stands {
                dynamics.mode
            } else {
                self.mode_beside(state, dynamics, observe, &[(border, side)])?
                    .0
            };
            let evaluator = dynamics.modes.get(mode);
            evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
            return dynamics.lean_in(state, mode, border, state.known_zeros(border, Some(side)));
        }
        let steps = state.steps.clone();
        if is_step_end {
            // Beyond an end the next step holds.
            let ends = state.borders.staircases.iter().zip(&mut state.steps);
            for (ends, step) in ends {
                match side {
                    Side::Minus if ends.low == border => *step -= 1.0,
                    Side::Plus if ends.high == border => *step += 1.0,
                    _ => {}
                }
            }
        }
        let motion = self.assemble(state, dynamics, observe, bound, Some((border, side)));
        let lean = motion
            .and_then(|mut motion| dynamics.lean_along(state, &mut motion, border, Some(side)));
        // Staircases that were met for the first time on the way stay known.
        state.steps[..steps.len()].copy_from_slice(&steps);
        lean
    }
}

impl Dynamics {
    /// Whether a border is a bound of a state, on which the state rests exactly.
    fn is_bound(&self, border: BorderId) -> bool {
        let kinks = &self.modes.at(self.mode).mode.kinks;
        let mut bounds = kinks
            .iter()
            .filter(|(owner, _)| matches!(owner, Owner::Bound(..)));
        bounds.any(|(_, view)| view.border == border)
    }

    /// Whether the state is beyond a border by more than its tolerances, as at the end of a step behind which nothing
    /// has been located.
    fn is_far_beyond(&mut self, state: &HybridState, border: BorderId) -> Result<bool, RunFault> {
        let places = matches!(self.plan.config.locate, Locate::Linear | Locate::Quadratic);
        if !(places && self.bound.is_free()) {
            return Ok(false);
        }
        let z = self.z_now(state, border)?;
        self.is_off(state, border, z)
    }

    /// A slide must not drive events or assignments, unless the state stays on one side all along.
    pub(super) fn check_slides(&self, state: &HybridState) -> Result<(), RunFault> {
        let Some(&border) = self.bound.slides.last() else {
            return Ok(());
        };
        let side = state.discrete.sides[border.index()];
        let lift = self.bound.lift.as_ref();
        let stays = lift.is_some_and(|lift| lift.border == border && lift.keeps(side));
        match !stays && self.drives_events(border) {
            true => Err(self.chattering(state, border)),
            false => Ok(()),
        }
    }

    pub(super) fn chattering(&self, state: &HybridState, border: BorderId) -> RunFault {
        RunFault::Chattering {
            time: state.t,
            ranges: self.ranges_on(border),
        }
    }

    /// Whether the mode on either side of a border is the present one, as far as can be told without
    /// looking for it.
    pub(super) fn keeps_mode(&self, state: &HybridState, border: BorderId) -> bool {
        if self.plan.flow.heeds_events || state.borders.is_step_end(border) {
            return false;
        }
        let ranges = self
            .views
            .ranges_by_border
            .get(border.index())
            .into_iter()
            .flatten();
        let mut readers = ranges.map(|&range| self.plan.scan.of(Boolean::Range(RangeId(range))));
        let shapes = readers.any(|readers| readers.shapes);
        let shapes = shapes || state.borders.kinked.get(border.index());
        !shapes && self.has_entered()
    }

    /// Whether the present truths certainly give the present mode.
    fn has_entered(&self) -> bool {
        !self.plan.flow.heeds_events && !self.plan.flow.views_vary && self.sides_stand
    }

    /// How z leaves a border along the present motion.
    pub(super) fn lean_of_motion(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Result<Lean, RunFault> {
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
        if self.motion.is_free() {
            let zeros = state.known_zeros(border, None);
            return self.lean_in(state, self.motion.mode, border, zeros);
        }
        let mut motion = std::mem::take(&mut self.motion);
        let lean = self.lean_along(state, &mut motion, border, None);
        self.motion = motion;
        lean
    }

    pub(super) fn lean_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        border: BorderId,
        side: Option<Side>,
    ) -> Result<Lean, RunFault> {
        let t = state.t;
        if !motion.is_free() {
            let zeros = state.known_zeros(border, side);
            let states = motion.states.iter();
            self.y.clear();
            self.y.extend(states.map(|real| state.reals[real.index()]));
            let mut rates = vec![0.0; self.y.len()];
            motion
                .rates(&mut self.modes, &state.past, t, &self.y, &mut rates)
                .map_err(|_| step_fault(motion, StepError::Start { t, component: None }))?;
            let evaluator = self.modes.get(motion.mode);
            evaluator
                .first_order(&state.past, t, &self.y, &rates, &[])
                .map_err(|fault| loop_fault(t, fault))?;
            let [_, rate] = evaluator.z_first(border).unwrap_or_default();
            let rate = if zeros > 1 { 0.0 } else { rate };
            return Ok(Lean {
                sign: sign(rate),
                order: 1,
            });
        }
        self.lean_in(state, motion.mode, border, state.known_zeros(border, side))
    }

    /// How z leaves a border in a mode, which has been entered.
    ///
    /// `zeros`: as [`Self::known_zeros`].
    ///
    /// The matrix of the rates tells nearly always. Only where its number is less than a millionth of the sum of the
    /// sizes are series with rounding bounds computed; computed each time, they were a seventh of the work of
    /// masses that stick.
    pub(super) fn lean_in(
        &mut self,
        state: &HybridState,
        mode: usize,
        border: BorderId,
        zeros: usize,
    ) -> Result<Lean, RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.states(&state.reals, &mut self.y);
        let sure = evaluator.sure_derivative(border, zeros.max(1), t, &self.y);
        if let Some((derivative, order)) = sure {
            let sign = sign(derivative);
            return Ok(if sign == 0 {
                Lean::default()
            } else {
                Lean { sign, order }
            });
        }
        evaluator
            .first_order(&state.past, t, &self.y, &[], &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let [_, rate] = evaluator.z_first(border).unwrap_or_default();
        if rate != 0.0 && zeros == 1 {
            return Ok(Lean {
                sign: sign(rate),
                order: 1,
            });
        }
        let next = if zeros == 1 { 2 } else { zeros };
        let margin = evaluator.mode.margin(border);
        if margin.is_some_and(|margin| margin.still_from <= next) {
            return Ok(Lean::default());
        }
        evaluator
            .taylor(&state.past, t, &self.y, &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let series = evaluator.z_series(border).unwrap_or_default();
        let orders = series.iter().enumerate().skip(zeros.max(1));
        let first = orders.into_iter().find(|(_, c)| **c != 0.0);
        Ok(first.map_or_else(Lean::default, |(order, &c)| Lean {
            sign: sign(c),
            order,
        }))
    }

    /// What is known of each border at the start of a step.
    pub(crate) fn departures(
        &mut self,
        state: &mut HybridState,
        into: &mut Departures,
    ) -> Result<(), RunFault> {
        situ_solve::slices::copy(&mut into.sides, &state.discrete.sides);
        into.on.clear();
        let mut flagged: SmallVec<[BorderId; 8]> = SmallVec::new();
        let flags = &state.discrete.flags;
        flags.each_one(|index| flagged.push(BorderId::new(index)));
        for border in flagged {
            if let Some(departure) = self.departure_from(state, border)? {
                into.on.push((border, departure));
            }
        }
        Ok(())
    }

    /// How the motion departs from a border that is flagged; `None` if it is as if it were off it.
    fn departure_from(
        &mut self,
        state: &mut HybridState,
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
        let lean = self.lean_of_motion(state, border)?;
        let held = state.discrete.sides[index];
        Ok(match Side::of(f64::from(lean.sign)) {
            Side::On if self.has_strayed(state, border)? => {
                state.discrete.flags.set(index, false);
                // A state that rested on the border since the start crosses it now.
                Some(Departure::Off(match held {
                    Side::On => Side::of(-self.z_now(state, border)?),
                    side => side,
                }))
            }
            Side::On => Some(Departure::Stays),
            // It has come back from where it was going.
            to if to.flipped() == held => None,
            to => Some(Departure::Leaves(to, lean.order)),
        })
    }

    /// Whether a margin that stands still is further from its border than the errors of the states
    /// explain.
    pub(super) fn has_strayed(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let z = self.z_now(state, border)?;
        self.is_off(state, border, z)
    }

    /// The z of a border of the present motion at the present point.
    pub(crate) fn z_now(&mut self, state: &HybridState, border: BorderId) -> Result<f64, RunFault> {
        Ok(self.margins_now(state)?.z(border).unwrap_or_default())
    }

    /// Whether a z is further from 0 than the errors of the states explain.
    pub(super) fn is_off(
        &mut self,
        state: &HybridState,
        border: BorderId,
        z: f64,
    ) -> Result<bool, RunFault> {
        if z == 0.0 {
            return Ok(false);
        }
        let reach = self.reach(state, border)?;
        // Where a root or a logarithm begins, its slope is infinite and explains anything; where it is not defined the
        // state is not on its border.
        let explained = z.abs() <= 100.0 * f64::max(reach, f64::EPSILON * z.abs());
        Ok(!(explained && reach.is_finite()))
    }

    /// How far the tolerances of the states reach in the z of a border.
    pub(crate) fn reach(&mut self, state: &HybridState, border: BorderId) -> Result<f64, RunFault> {
        let t = state.t;
        let rtol = self.plan.config.settings.rtol;
        let scale = |real: RealId| self.plan.atol_of(real) + rtol * state.reals[real.index()].abs();
        let margin = self.modes.at(self.motion.mode).mode.margin(border);
        if let Some(form) = margin.and_then(|margin| margin.form.as_ref()) {
            // What is held here but moves elsewhere got here with its errors.
            let terms = form
                .terms
                .iter()
                .filter(|(real, _)| self.plan.flow.is_moved(*real));
            let reach = terms.map(|&(real, weight)| weight.abs() * scale(real));
            return Ok(reach.sum());
        }
        let states = self.motion.states.iter();
        let scales: SmallVec<[f64; 8]> = states.map(|&real| scale(real)).collect();
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&state.reals, &mut self.y);
        // By values and not by slopes, which tell nothing where a root begins; what is not defined there is left out.
        let mut y = self.y.clone();
        let mut z = |y: &[f64]| match evaluator.evaluate_margins(&state.past, t, y) {
            Ok(()) => Ok(evaluator.z(border).unwrap_or_default()),
            Err(fault) => Err(loop_fault(t, fault)),
        };
        let here = z(&y)?;
        let mut reach = 0.0;
        for (component, scale) in scales.into_iter().enumerate() {
            let stands = y[component];
            let mut far = 0.0;
            for there in [stands + scale, stands - scale] {
                y[component] = there;
                far = f64::max(far, (z(&y)? - here).abs());
            }
            y[component] = stands;
            reach += far;
        }
        Ok(reach)
    }

    pub(crate) fn ranges_on(&self, border: BorderId) -> Vec<RangeId> {
        let on = self.views.ranges_by_border.get(border.index());
        on.into_iter()
            .flatten()
            .map(|&range| RangeId(range))
            .collect()
    }

    /// Whether a range on the border has a part in an event or an assignment.
    pub(super) fn drives_events(&self, border: BorderId) -> bool {
        let model = &self.plan.model;
        let on_border = |index: usize| {
            self.views.ranges[index]
                .iter()
                .any(|view| view.border == border)
        };
        let mut touched = vec![false; model.situations.len()];
        let touches = |all: &[Literal], touched: &[bool]| {
            all.iter().any(|literal| match literal.what {
                Boolean::Range(id) => on_border(id.index()),
                Boolean::Situation(id) => touched[id.index()],
                Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => false,
            })
        };
        for row in &model.situation_rows {
            if touches(&row.all, &touched) {
                touched[row.situation.index()] = true;
            }
        }
        let events = model
            .situations
            .iter()
            .zip(&touched)
            .any(|(s, touched)| s.event && *touched);
        let counts = self.plan.flow.events.iter().filter_map(|row| row.counts);
        events
            || model
                .assignments
                .iter()
                .any(|assignment| touches(&assignment.when, &touched))
            || counts.into_iter().any(|what| touches(&[what], &touched))
    }
}

impl HybridState {
    /// How many derivatives of z, and z itself, are known to vanish on the way to a side.
    pub(super) fn known_zeros(&self, border: BorderId, side: Option<Side>) -> usize {
        let mut leaving = self.leaving.iter();
        let known = leaving.find(|(other, to, _)| *other == border && Some(*to) == side);
        known.map_or(1, |(.., zeros)| *zeros)
    }
}

fn sign(value: f64) -> i8 {
    if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }
}
