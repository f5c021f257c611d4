//! Slides along borders beyond which values are not defined.
//!
//! The flow through an orifice ends with an infinite slope: `sqrt(p - outside)` where `p > outside`. Where it
//! keeps the balance with another flow that becomes as small, the state is pulled to the border so strongly that
//! no step goes there but in roundings of the state, and on the border itself the fields of both sides are the
//! same. What holds it shows off the border only. So the fields are looked at where the tolerances of the states
//! reach: if values are not defined beyond the border, and both fields point at it there, the state is nearer than
//! that and stays so. It slides along the border, on the mixture of these fields, until one of them turns.

use serde::{Deserialize, Serialize};

use super::driver::Hybrid;
use super::eval::Evaluator;
use super::fault::loop_fault;
use super::instant::{Bound, Reason};
use super::log::place;
use super::modes::Modes;
use super::motion::Slide;
use super::past::Past;
use super::search::Departure;
use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::solve::Refusal;
use crate::tape::Slot;
use crate::trace::What;

/// Where the fields beside a border are looked at.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Lift {
    pub(super) border: BorderId,
    /// How far from the border [unit of its z], below and above; 0 where values are defined beyond it.
    by: [f64; 2],
    /// The way along which z grows by 1.
    along: Vec<(RealId, f64)>,
}

impl Lift {
    /// How far z is from its border where the field of a side is looked at.
    fn z(&self, side: Side) -> f64 {
        match side {
            Side::Minus => -self.by[0],
            Side::On => 0.0,
            Side::Plus => self.by[1],
        }
    }
}

impl Slide {
    /// Moves the state of a corner, which is in `y`, to where its field is looked at.
    pub(super) fn raise(&mut self, corner: usize, evaluator: &Evaluator) {
        let Some(lift) = &self.lift else {
            return;
        };
        let mut borders = self.borders.iter();
        let Some(bit) = borders.position(|&border| border == lift.border) else {
            return;
        };
        let above = corner >> bit & 1 == 1;
        let by = lift.z(if above { Side::Plus } else { Side::Minus });
        for &(real, part) in &lift.along {
            if let Some(at) = evaluator.state_of(real) {
                self.y[at] += by * part;
            }
        }
    }

    /// Writes what follows from the states as the mixture of it in the modes around, as the rates are: where these are
    /// looked at off a border, on which the modes have other values; and where kinks that lie within each other
    /// take different branches.
    pub(super) fn write_between(
        &mut self,
        modes: &mut Modes,
        (past, t): (&Past, f64),
        algebraic: &[(RealId, Slot)],
        reals: &mut [f64],
    ) -> Result<(), Refusal> {
        let mut sums = vec![0.0; algebraic.len()];
        for number in 0..self.corners.len() {
            let weight = self.weights[number];
            let evaluator = modes.get(self.corners[number]);
            evaluator.states(reals, &mut self.y);
            self.raise(number, evaluator);
            evaluator
                .evaluate(past, t, &self.y)
                .map_err(|_| Refusal::Outside)?;
            for (sum, (real, _)) in sums.iter_mut().zip(algebraic) {
                let mut known = evaluator.mode.algebraic.iter();
                let value = match known.find(|(other, _)| other == real) {
                    Some(&(_, slot)) => evaluator.value(slot),
                    None => evaluator.slots()[real.index()],
                };
                *sum += weight * value;
            }
        }
        for (sum, (real, _)) in sums.into_iter().zip(algebraic) {
            reals[real.index()] = sum;
        }
        Ok(())
    }
}

impl Hybrid {
    /// Where the fields beside a border are looked at along which the state slides though it has not got there, in
    /// doubles; `None` if there is no such border. Asked where trials came to points where values are not defined.
    pub(super) fn lifted(&mut self, departures: &[Departure]) -> Result<Option<Lift>, RunFault> {
        let margins = self.modes.at(self.motion.mode).mode.margins.clone();
        for margin in margins.iter() {
            let index = margin.border.index();
            let known = matches!(
                departures[index],
                Departure::Off(Side::Minus | Side::Plus) | Departure::Leaves(..)
            );
            if known
                && !self.borders.only_watched[index]
                && let Some(lift) = self.lift_on(margin.border)?
            {
                return Ok(Some(lift));
            }
        }
        Ok(None)
    }

    /// The same for one border.
    fn lift_on(&mut self, border: BorderId) -> Result<Option<Lift>, RunFault> {
        if !self.motion.is_free() || !self.bound.is_free() || self.flow.views_vary {
            return Ok(None);
        }
        let mode = &self.modes.at(self.motion.mode).mode;
        let Some(margin) = mode.margin(border).filter(|it| !it.moving.is_empty()) else {
            return Ok(None);
        };
        // What loops give depends on where they were looked at last.
        if self.modes.at(self.motion.mode).has_loops() {
            return Ok(None);
        }
        let square: f64 = margin.moving.iter().map(|(_, w)| w * w).sum();
        let up = if margin.upright { 1.0 } else { -1.0 };
        let along = margin.moving.iter();
        let along = along.map(|&(state, weight)| (self.motion.states[state], up * weight / square));
        let along = along.collect();
        let (z, reach) = (self.z_now(border)?, self.reach(border)?);
        if z.abs() > reach || self.borders.is_step_end(border) {
            return Ok(None);
        }
        let by = [reach; 2];
        let mut lift = Lift { border, by, along };
        let reals = self.reals.clone();
        self.shift(&lift, -z);
        let holds = self.holds_between(&mut lift);
        self.reals = reals;
        // The present mode has been looked at elsewhere.
        let (t, evaluator) = (self.t, self.modes.get(self.motion.mode));
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .evaluate(&self.past, t, &self.y)
            .map_err(|fault| loop_fault(t, fault))?;
        // On such a side the state stays, without end, on that side of the border: no event follows from that.
        let keeps = lift.z(self.truths.sides[border.index()]) != 0.0;
        let lasts = holds? && (keeps || !self.drives_events(border));
        Ok(lasts.then_some(lift))
    }

    /// Where the fields beside the border are looked at that is crossed, if the state gets no further: it slides
    /// along the border, and does not cross it.
    pub(super) fn lift_at_crossing(&mut self, reason: &Reason) -> Result<Option<Lift>, RunFault> {
        let [border] = reason.borders[..] else {
            return Ok(None);
        };
        if !self.modes.at(self.motion.mode).has_roots() {
            return Ok(None);
        }
        let side = self.truths.sides[border.index()];
        let lift = self.lift_on(border)?;
        Ok(lift.filter(|lift| lift.z(side) != 0.0))
    }

    /// If the fields beside a border along which the state begins to slide are to be looked at off it: puts the state
    /// onto it.
    pub(super) fn look_off(&mut self, border: BorderId) -> Result<(), RunFault> {
        if let Some(lift) = self.lift_on(border)? {
            let z = self.z_now(border)?;
            self.shift(&lift, -z);
            self.bound.lift = Some(lift);
        }
        Ok(())
    }

    /// Moves the state so that z grows by so much.
    fn shift(&mut self, lift: &Lift, by: f64) {
        for &(real, part) in &lift.along {
            self.reals[real.index()] += by * part;
        }
    }

    /// Whether the fields point at the border on which the state is, and one of them is not defined beyond; sides
    /// that are defined beyond are looked at on the border.
    fn holds_between(&mut self, lift: &mut Lift) -> Result<bool, RunFault> {
        let mut rates = [0.0; 2];
        let [reach, _] = lift.by;
        for (number, side) in [Side::Minus, Side::Plus].into_iter().enumerate() {
            let mode = self.mode_on(&[(lift.border, side)])?;
            let beyond = if side == Side::Plus { -reach } else { reach };
            if self.rate_at(lift, mode, beyond).is_some() {
                lift.by[number] = 0.0;
            } else if self.hides_margins(mode) {
                return Ok(false);
            }
            let Some(rate) = self.rate_at(lift, mode, lift.z(side)) else {
                return Ok(false);
            };
            rates[number] = rate;
        }
        let [minus, plus] = rates;
        Ok(lift.by != [0.0; 2] && minus > 0.0 && plus < 0.0)
    }

    /// Whether margins of a mode are not defined at the point that it has been evaluated at: along the slide they
    /// would not be those of the mixture.
    fn hides_margins(&self, mode: usize) -> bool {
        let evaluator = self.modes.at(mode);
        let mut margins = evaluator.mode.margins.iter();
        margins.any(|margin| !evaluator.z(margin.border).is_some_and(f64::is_finite))
    }

    /// The rate of z in a mode, so far from the border on which the state is; `None` if anything there is not
    /// defined.
    fn rate_at(&mut self, lift: &Lift, mode: usize, z: f64) -> Option<f64> {
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        evaluator.states(&self.reals, &mut self.y);
        for &(real, part) in &lift.along {
            self.y[evaluator.state_of(real)?] += z * part;
        }
        evaluator.evaluate(&self.past, self.t, &self.y).ok()?;
        evaluator.write_rates(&mut self.y);
        let defined = self.y.iter().all(|rate| rate.is_finite());
        let affine = evaluator.is_affine(lift.border);
        let rate = evaluator.z_rate(lift.border, &self.y);
        rate.filter(|rate| defined && affine && rate.is_finite())
    }

    /// The state is put onto the border, and slides along it from here on.
    pub(super) fn slide_between(&mut self, lift: &Lift) -> Result<(), RunFault> {
        let border = lift.border;
        let z = self.z_now(border)?;
        self.shift(lift, -z);
        self.truths.flags.set(border.index(), true);
        self.leaving.clear();
        self.bound = Bound {
            slides: vec![border],
            lift: Some(lift.clone()),
            ..Bound::default()
        };
        let unique = self.first_shares()?;
        self.note_slide(unique);
        self.assemble_and_enter()
    }

    /// If the field of a side is looked at off the border that is left to this side: the state goes on from there,
    /// where that field does not point at the border any more. Whether it does.
    pub(super) fn leave_between(&mut self, border: BorderId, side: Side) -> bool {
        let Some(lift) = self.bound.lift.take_if(|lift| lift.border == border) else {
            return false;
        };
        let by = lift.z(side);
        if by == 0.0 {
            return false;
        }
        self.shift(&lift, by);
        self.truths.flags.set(border.index(), false);
        true
    }

    /// Whether the fields beside a border at which they are looked at off it still point at it; `None` if there is
    /// no such border. The side to which it is left is taken.
    pub(super) fn stays_between(&mut self, border: BorderId) -> Result<Option<bool>, RunFault> {
        let lifted = self.bound.lift.as_ref().map(|lift| lift.border);
        if lifted != Some(border) {
            return Ok(None);
        }
        let bound = std::mem::take(&mut self.bound);
        let motion = self.assemble(&bound, None);
        self.bound = bound;
        let mut motion = motion?;
        let states = motion.states.iter();
        let y: Vec<f64> = states.map(|real| self.reals[real.index()]).collect();
        let t = self.t;
        let Some(at) = self.bound.slides.iter().position(|&slide| slide == border) else {
            return Ok(Some(false));
        };
        let mut exits = Vec::new();
        let seen = motion.exits(&mut self.modes, &self.past, t, &y, &mut exits);
        let side = match (seen, exits.get(2 * at..)) {
            (Ok(()), Some([up, down, ..])) if *up < 0.0 && *down < 0.0 => return Ok(Some(true)),
            (Ok(()), Some([up, ..])) if *up >= 0.0 => Side::Plus,
            _ => Side::Minus,
        };
        self.truths.sides[border.index()] = side;
        Ok(Some(false))
    }

    /// Notes a slide that is left; `share`: of the upper side.
    pub(super) fn note_left(&mut self, border: BorderId, share: f64) {
        if let Some(border) = place(&self.borders, border) {
            self.log.note(|| What::SlideLeft { border, share });
        }
    }
}
