//! Filippov sliding along borders beyond which values are not defined.
//!
//! The flow through an orifice ends with an infinite slope: `sqrt(p - outside)` where `p > outside`. Where it
//! keeps the balance with another flow that becomes as small, the state is pulled to the border so strongly that
//! no step goes there but in roundings of the state, and on the border itself the fields of both sides are the
//! same. What holds it shows off the border only. So the fields are evaluated where the tolerances of the states
//! reach: if values are not defined beyond the border, and both fields point at it there, the state is nearer than
//! that and stays so. It slides along the border, on the mixture of these fields, until one of them points away.

use crate::sim::events::iteration::EventIteration;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use serde::{Deserialize, Serialize};

use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::detect::departure::{Departure, Departures};
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::run::fault::step_fault;
use situ_solve::StepError;

/// So many rounding errors from a border a root is at least twice what rounding makes of it on the border, where it is 0.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Points at which the fields beside a border are evaluated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SingularSliding {
    pub(crate) border: BorderId,
    /// Distance from the border [unit of its z], below and above; 0 where values are defined beyond it.
    by: [f64; 2],
    /// True if the fields below and above keep the state on their sides.
    keeps: [bool; 2],
    /// The way along which z grows by 1.
    pub(crate) along: Vec<(RealId, f64)>,
}

impl SingularSliding {
    /// Distance of z from its border where the field of a side is evaluated.
    pub(super) fn z(&self, side: Side) -> f64 {
        match side {
            Side::Minus => -self.by[0],
            Side::On => 0.0,
            Side::Plus => self.by[1],
        }
    }

    /// Moves a state of a mode along this way, so that z grows by so much.
    pub(super) fn shift(&self, evaluator: &Evaluator, by: f64, y: &mut [f64]) {
        for &(real, part) in &self.along {
            if let Some(at) = evaluator.state_of(real) {
                y[at] += by * part;
            }
        }
    }

    /// True if the state stays on a side, without end: no event follows from such a slide.
    /// That is asked of the field on the border itself: where it points at the border by more than rounding makes of
    /// a root, the state does not stay.
    pub(crate) fn keeps(&self, side: Side) -> bool {
        match side {
            Side::Minus => self.keeps[0],
            Side::On => false,
            Side::Plus => self.keeps[1],
        }
    }
}

impl EventIteration {
    /// Points at which to evaluate the fields beside a border along which the state slides without reaching it, in
    /// doubles; `None` if there is no such border. Asked where trials came to points where values are not defined.
    pub(crate) fn lifted(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        departures: &Departures,
    ) -> Result<Option<SingularSliding>, RunFault> {
        let margins = dynamics.modes.at(dynamics.motion.mode).mode.margins.clone();
        for margin in margins.iter() {
            let index = margin.border.index();
            let known = matches!(
                departures.of(margin.border),
                Departure::Off(Side::Minus | Side::Plus) | Departure::Leaves(..)
            );
            if known
                && !state.borders.only_watched[index]
                && let Some(lift) = self.lift_on(state, dynamics, observe, margin.border)?
                && lift.keeps(state.discrete.sides[index])
            {
                return Ok(Some(lift));
            }
        }
        Ok(None)
    }

    /// The same for one border.
    pub(crate) fn lift_on(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<Option<SingularSliding>, RunFault> {
        let moves_alone = self.moves_alone(state, dynamics, border);
        if !moves_alone || self.plan.flow.views_vary || state.borders.is_step_end(border) {
            return Ok(None);
        }
        let Some(along) = dynamics.way_up(border) else {
            return Ok(None);
        };
        let (z, reach) = (
            dynamics.z_now(state, border)?,
            dynamics.reach(state, border)?,
        );
        if z.abs() > reach {
            return Ok(None);
        }
        let mut lift = SingularSliding {
            border,
            by: [0.0; 2],
            keeps: [false; 2],
            along,
        };
        let near = reach * (ROUNDING / self.plan.config.settings.rtol).min(1.0);
        let holds = self.holding(state, dynamics, observe, &mut lift, z, [near, reach])?;
        Ok(holds.then_some(lift))
    }

    /// True if a border is none of those to which the motion is bound, and neither moves these nor is moved by them.
    fn moves_alone(&self, state: &HybridState, dynamics: &Dynamics, border: BorderId) -> bool {
        let bound = &dynamics.bound;
        if bound.is_free() || dynamics.motion.is_free() {
            return bound.is_free() && dynamics.motion.is_free();
        }
        if !(bound.rest.is_empty() && bound.through.is_empty()) || bound.slides.contains(&border) {
            return false;
        }
        let slides: Vec<BorderId> = bound.slides.iter().copied().chain([border]).collect();
        let groups = self.slide_groups(state, dynamics, &slides, (&[], &[]));
        groups.members()[groups.place(bound.slides.len())].len() == 1
    }

    /// Points at which to evaluate the fields beside the crossed border, if the state gets no further: it slides
    /// along the border, and does not cross it.
    pub(crate) fn lift_at_crossing(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        reason: &EventCause,
    ) -> Result<Option<SingularSliding>, RunFault> {
        let [border] = reason.borders[..] else {
            return Ok(None);
        };
        // Asked at every crossing: looking beside each would be a seventh of what a ball that bounces takes.
        if !dynamics.modes.at(dynamics.motion.mode).has_roots() {
            return Ok(None);
        }
        let side = state.discrete.sides[border.index()];
        let lift = self.lift_on(state, dynamics, observe, border)?;
        Ok(lift.filter(|lift| lift.keeps(side)))
    }

    /// True if the fields below and above a border both point at it, and one of them is not defined beyond. Finds how
    /// far off it they are to be evaluated: sides that are defined beyond are evaluated on the border.
    ///
    /// `z`: where the state is; `near`, `reach`: how far rounding of the states and their tolerances reach.
    /// The fields are evaluated so far off the border, and not so far off the state: stages and difference quotients
    /// take the state off the border.
    fn holding(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        lift: &mut SingularSliding,
        z: f64,
        [near, reach]: [f64; 2],
    ) -> Result<bool, RunFault> {
        for (number, outward) in [-1.0, 1.0].into_iter().enumerate() {
            let mode = self.mode_on(
                state,
                dynamics,
                observe,
                &[(lift.border, Side::of(outward))],
            )?;
            let defined_beyond = dynamics
                .rate_at(state, lift, mode, -outward * reach - z)
                .is_some();
            if !defined_beyond {
                if dynamics.hides_margins(mode) {
                    return Ok(false);
                }
                lift.by[number] = reach;
            }
            let inward = |rate: f64| -outward * rate;
            let there = dynamics.rate_at(state, lift, mode, outward * lift.by[number] - z);
            if !there.is_some_and(|rate| inward(rate) > 0.0) {
                return Ok(false);
            }
            if !defined_beyond {
                let mut inward_at = |by: f64| {
                    dynamics
                        .rate_at(state, lift, mode, outward * by - z)
                        .map(inward)
                };
                lift.keeps[number] = match [inward_at(0.0), inward_at(near)] {
                    [Some(on_border), Some(near)] => on_border <= 0.0 || on_border < 0.5 * near,
                    // Rounding has taken it beyond.
                    _ => true,
                };
            }
        }
        Ok(lift.by != [0.0; 2])
    }

    /// The state slides along a border from here on that it has not got to.
    pub(crate) fn slide_between(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        lift: &SingularSliding,
    ) -> Result<(), RunFault> {
        let border = lift.border;
        state.discrete.flags.set(border.index(), true);
        state.leaving.clear();
        dynamics.look_off(state, lift.clone())?;
        dynamics.bound.slides.push(border);
        dynamics.bound.lambda.clear();
        let unique = self.first_shares(state, dynamics, observe)?;
        self.note_slide(state, dynamics, observe, unique);
        self.assemble_and_enter(state, dynamics, observe)
    }

    /// True if the fields beside a border, evaluated off it, still point at it; if not, the side to which it
    /// is left is taken.
    pub(crate) fn stays_between(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let mut motion = self.assemble_bound(state, dynamics, observe)?;
        let t = state.t;
        let states = motion.states.iter();
        let y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        let mut exits = Vec::new();
        motion
            .exits(&mut dynamics.modes, &state.past, t, &y, &mut exits)
            .map_err(|_| step_fault(&motion, StepError::Start { t, component: None }))?;
        let leaves = (0..exits.len()).find_map(|number| {
            let (other, side) = motion.exit(number)?;
            let is_left = exits[number] >= 0.0 || exits[number].is_nan();
            (other == border && is_left).then_some(side)
        });
        if let Some(side) = leaves {
            self.set_side(state, dynamics, border, side);
        }
        Ok(leaves.is_none())
    }
}

impl Dynamics {
    /// The shortest way along which the z of a border of the present motion grows by 1; `None` where z is not affine,
    /// or no state moves it.
    pub(crate) fn way_up(&self, border: BorderId) -> Option<Vec<(RealId, f64)>> {
        let mode = &self.modes.at(self.motion.mode).mode;
        let margin = mode.margin(border).filter(|it| !it.moving.is_empty())?;
        let square: f64 = margin.moving.iter().map(|(_, w)| w * w).sum();
        let up = if margin.upright { 1.0 } else { -1.0 };
        let along = margin.moving.iter();
        let along = along.map(|&(state, weight)| (self.motion.states[state], up * weight / square));
        Some(along.collect())
    }

    /// True if margins of a mode are not defined at the point that it has been evaluated at: along the slide they
    /// would not be those of the mixture.
    fn hides_margins(&self, mode: usize) -> bool {
        let evaluator = self.modes.at(mode);
        let mut margins = evaluator.mode.margins.iter();
        margins.any(|margin| !evaluator.z(margin.border).is_some_and(f64::is_finite))
    }

    /// The rate of z in a mode where z is larger by so much; `None` if anything there is not defined.
    fn rate_at(
        &mut self,
        state: &HybridState,
        lift: &SingularSliding,
        mode: usize,
        by: f64,
    ) -> Option<f64> {
        let evaluator = self.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        if !self.bound.lifts.is_empty() {
            evaluator
                .evaluate_margins(&state.past, state.t, &self.y)
                .ok()?;
            // The other slides are looked at where their fields are, too.
            for other in &self.bound.lifts {
                let side = state.discrete.sides[other.border.index()];
                let z = evaluator.z(other.border)?;
                other.shift(evaluator, other.z(side) - z, &mut self.y);
            }
        }
        for &(real, part) in &lift.along {
            self.y[evaluator.state_of(real)?] += by * part;
        }
        evaluator.evaluate(&state.past, state.t, &self.y).ok()?;
        evaluator.write_rates(&mut self.y);
        let defined = self.y.iter().all(|rate| rate.is_finite());
        let is_affine = evaluator.is_affine(lift.border);
        let rate = is_affine.then(|| evaluator.z_rate(lift.border, &self.y))?;
        rate.filter(|rate| defined && rate.is_finite())
    }

    /// Has the fields beside a border where a slide begins evaluated off it: the state is put onto the border,
    /// so that it is left from there.
    pub(crate) fn look_off(
        &mut self,
        state: &mut HybridState,
        lift: SingularSliding,
    ) -> Result<(), RunFault> {
        let z = self.z_now(state, lift.border)?;
        state.shift(&lift.along, -z);
        self.bound.lifts.push(lift);
        Ok(())
    }

    /// If the field of a side is evaluated off the border that is left to this side: the state goes on from there,
    /// where that field does not point at the border any more. Result: true if it does so.
    pub(crate) fn leave_between(
        &mut self,
        state: &mut HybridState,
        border: BorderId,
        side: Side,
    ) -> bool {
        let lifts = &mut self.bound.lifts;
        let Some(at) = lifts.iter().position(|lift| lift.border == border) else {
            return false;
        };
        let lift = lifts.remove(at);
        let by = lift.z(side);
        if by == 0.0 {
            return false;
        }
        state.shift(&lift.along, by);
        state.discrete.flags.set(border.index(), false);
        true
    }
}

impl HybridState {
    /// Moves the state along such a way, so that z grows by so much.
    pub(crate) fn shift(&mut self, along: &[(RealId, f64)], by: f64) {
        for &(real, part) in along {
            self.reals[real.index()] += by * part;
        }
    }
}
