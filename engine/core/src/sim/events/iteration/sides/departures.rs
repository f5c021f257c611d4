//! Departures: in which direction the motion leaves a border, from the signs of the derivatives of its margin.

use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::detect::departure::Departures;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::sides::bound_departures::MotionAhead;
use crate::sim::events::iteration::sides::side_selection::DepartureSign;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::active_constraints::ActiveConstraints;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use smallvec::SmallVec;

/// Part of the time in which a state changes by its own size over which the change of a margin is looked at.
const SHORT: f64 = 1e-5;

/// Steps in which the motion is followed there.
const STEPS_AHEAD: u32 = 8;

impl EventIteration {
    /// Signs with which z leaves a border under the motions that its sides give, the lower first.
    pub(super) fn leans(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<[DepartureSign; 2], RunFault> {
        self.leans_ahead(
            state,
            dynamics,
            observe,
            &mut MotionAhead::default(),
            border,
        )
    }

    /// The same, of one of several borders.
    ///
    /// `ahead`: of the present motion and this point, or not looked at yet.
    pub(super) fn leans_ahead(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        ahead: &mut MotionAhead,
        border: BorderId,
    ) -> Result<[DepartureSign; 2], RunFault> {
        let [minus, plus] = [Side::Minus, Side::Plus];
        let zeros = [minus, plus].map(|side| state.known_zeros(border, Some(side)));
        if dynamics.bound.is_free() {
            let free = ActiveConstraints::default();
            if zeros[0] == zeros[1] && dynamics.keeps_mode(state, border) {
                let mode = dynamics.mode;
                let evaluator = dynamics.modes.get(mode);
                evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
                let lean = dynamics.lean_in(state, mode, border, zeros[0])?;
                return Ok([lean; 2]);
            }
            return either([
                self.departure_sign(state, dynamics, observe, border, minus, &free),
                self.departure_sign(state, dynamics, observe, border, plus, &free),
            ]);
        }
        let is_known = dynamics.motion.slide.is_none() && dynamics.bound.slides.is_empty();
        if is_known && zeros == [1; 2] && dynamics.keeps_motion(state, border) {
            let lean = dynamics.lean_of_motion_ahead(state, ahead, border)?;
            return Ok([lean; 2]);
        }
        let mut bound = dynamics.bound.clone();
        if bound.slides.contains(&border) {
            bound.end_slide(border);
        }
        either([
            self.departure_sign(state, dynamics, observe, border, minus, &bound),
            self.departure_sign(state, dynamics, observe, border, plus, &bound),
        ])
    }

    pub(super) fn departure_sign(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        side: Side,
        bound: &ActiveConstraints,
    ) -> Result<DepartureSign, RunFault> {
        let is_step_end = state.borders.is_step_end(border);
        if bound.is_free() && !is_step_end {
            let stands = state.discrete.sides[border.index()] == side
                && dynamics.has_entered()
                && dynamics.twins_stand(state, border, side);
            let mode = if stands {
                dynamics.mode
            } else {
                self.mode_beside(state, dynamics, observe, &[(border, side)], false)?
                    .0
            };
            let evaluator = dynamics.modes.get(mode);
            evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
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
        let lean = motion.and_then(
            |mut motion| match dynamics.crosses_slide(state, &mut motion) {
                Some(to) => {
                    self.departure_beyond(state, dynamics, observe, (border, side), to, bound)
                }
                None => {
                    let mut ahead = MotionAhead::default();
                    dynamics.lean_along(state, &mut motion, &mut ahead, border, Some(side))
                }
            },
        );
        // Staircases that were met for the first time on the way stay known.
        state.steps[..steps.len()].copy_from_slice(&steps);
        lean
    }

    /// Signs with which z leaves a border, given those where the state is. If both sides lead back from there, but not both
    /// from the border itself, as where a state goes on at rest on it, the state is put onto the border and goes on from there.
    pub(super) fn leans_on_border(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        leans: [DepartureSign; 2],
    ) -> Result<[DepartureSign; 2], RunFault> {
        let lead_back = |[minus, plus]: [DepartureSign; 2]| minus.sign > 0 && plus.sign < 0;
        if !lead_back(leans) {
            return Ok(leans);
        }
        let z = dynamics.z_now(state, border)?;
        let Some(along) = dynamics.way_up(border).filter(|_| z != 0.0) else {
            return Ok(leans);
        };
        let before = state.reals.clone();
        state.shift(&along, -z);
        match self.leans(state, dynamics, observe, border) {
            Ok(there) if !lead_back(there) => {
                dynamics.write_reals(state)?;
                self.mark_changed(state, &before);
                Ok(there)
            }
            _ => {
                state.reals = before;
                Ok(leans)
            }
        }
    }

    /// True if z returns to its border only because it is not 0, as a spring's does: on the border itself
    /// nothing moves it. Then the state is beyond the border, by what rounding has added up to, and not on it.
    #[cold]
    pub(super) fn leans_by_distance(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        leans: [DepartureSign; 2],
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
}

impl Dynamics {
    /// Sign with which z leaves a border along the present motion.
    pub(crate) fn lean_of_motion(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Result<DepartureSign, RunFault> {
        self.lean_of_motion_ahead(state, &mut MotionAhead::default(), border)
    }

    /// The same, of one of several borders.
    ///
    /// `ahead`: as in [`Self::lean_along`].
    pub(super) fn lean_of_motion_ahead(
        &mut self,
        state: &HybridState,
        ahead: &mut MotionAhead,
        border: BorderId,
    ) -> Result<DepartureSign, RunFault> {
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        if self.motion.is_free() {
            let zeros = state.known_zeros(border, None);
            return self.lean_in(state, self.motion.mode, border, zeros);
        }
        let mut motion = std::mem::take(&mut self.motion);
        let lean = self.lean_along(state, &mut motion, ahead, border, None);
        self.motion = motion;
        lean
    }

    /// Sign with which z leaves a border in a mode, which has been entered.
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
    ) -> Result<DepartureSign, RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.states(&state.reals, &mut self.y);
        let sure = evaluator.sure_derivative(border, zeros.max(1), t, &self.y);
        if let Some((derivative, order)) = sure {
            let sign = sign(derivative);
            return Ok(if sign == 0 {
                DepartureSign::default()
            } else {
                DepartureSign { sign, order }
            });
        }
        evaluator
            .first_order(&state.past, t, &self.y, &[], &[])
            .map_err(|fault| value_fault(t, fault))?;
        let [_, rate] = evaluator.z_first(border).unwrap_or_default();
        // Rounding may have left the state just outside of where a root is defined.
        if rate.is_nan() {
            return Ok(self.lean_ahead(state, mode, border));
        }
        if rate != 0.0 && zeros == 1 {
            return Ok(DepartureSign {
                sign: sign(rate),
                order: 1,
            });
        }
        let next = if zeros == 1 { 2 } else { zeros };
        let margin = evaluator.mode.margin(border);
        if margin.is_some_and(|margin| margin.still_from <= next) {
            return Ok(DepartureSign::default());
        }
        evaluator
            .taylor(&state.past, t, &self.y, &[])
            .map_err(|fault| value_fault(t, fault))?;
        let series = evaluator.z_series(border).unwrap_or_default();
        let orders = series.iter().enumerate().skip(zeros.max(1));
        match orders.into_iter().find(|(_, c)| **c != 0.0) {
            // Beside the beginning of a root rounding hides its slopes, which are large.
            None if evaluator.has_roots() => Ok(self.lean_ahead(state, mode, border)),
            None => {
                let late = evaluator.late_coefficient(&state.past, t, border);
                let late = late.map_err(|fault| value_fault(t, fault))?;
                Ok(
                    late.map_or(DepartureSign::default(), |(c, order)| DepartureSign {
                        sign: sign(c),
                        order,
                    }),
                )
            }
            Some((_, c)) if c.is_nan() => Ok(self.lean_ahead(state, mode, border)),
            Some((order, &c)) => Ok(DepartureSign {
                sign: sign(c),
                order,
            }),
        }
    }

    /// Sign of a border's z a short way along the motion of a mode, at whose point it stands: where there is no series, since
    /// a root begins at 0. (Tanks in a row that begin empty: how fast the second one fills has no derivative at the start.)
    pub(super) fn lean_ahead(
        &mut self,
        state: &HybridState,
        mode: usize,
        border: BorderId,
    ) -> DepartureSign {
        if !self.modes.get(mode).knows_ahead() {
            let defined = self.look_ahead(state, mode).is_some();
            self.modes.get(mode).note_ahead(defined);
        }
        let z = self.modes.get(mode).z_ahead(border);
        z.map_or(DepartureSign::default(), |z| DepartureSign {
            sign: sign(z),
            order: 1,
        })
    }

    /// Computes the margins of a mode a short way along its motion; `None` if it is not defined there.
    fn look_ahead(&mut self, state: &HybridState, mode: usize) -> Option<()> {
        let evaluator = self.modes.get(mode);
        evaluator.states(&state.reals, &mut self.y);
        let (mut t, mut y) = (state.t, self.y.clone());
        let mut rates = vec![0.0; y.len()];
        let past = &state.past;
        evaluator.rates(past, t, &y, &mut rates).ok()?;
        let states = evaluator.mode.states.clone();
        let way = self.short_time(t, &states, &y, &rates) / f64::from(STEPS_AHEAD);
        let evaluator = self.modes.get(mode);
        for _ in 0..STEPS_AHEAD {
            let middle = y.iter().zip(&rates).map(|(y, rate)| y + 0.5 * way * rate);
            let middle: Vec<f64> = middle.collect();
            let seen = evaluator.rates(past, t + 0.5 * way, &middle, &mut rates);
            let next = y.iter().zip(&rates).map(|(y, rate)| y + way * rate);
            y = next.collect();
            t += way;
            seen.ok()?;
            evaluator.rates(past, t, &y, &mut rates).ok()?;
        }
        evaluator.first_order(past, t, &y, &[], &[]).ok()
    }

    /// A time in which no state changes by more than a small part of its size.
    pub(super) fn short_time(&self, t: f64, states: &[RealId], y: &[f64], rates: &[f64]) -> f64 {
        let rtol = self.plan.config.settings.rtol;
        let times = states.iter().zip(y).zip(rates).map(|((&real, y), rate)| {
            let usual = self.plan.atol_of(real) / rtol;
            (y.abs() + usual) / rate.abs()
        });
        SHORT * times.fold(f64::max(t.abs(), 1.0), f64::min)
    }

    /// Facts about each border at the start of a step.
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
        let mut ahead = MotionAhead::default();
        for border in flagged {
            if let Some(departure) = self.departure_from(state, &mut ahead, border)? {
                into.on.push((border, departure));
            }
        }
        if !self.plan.limited.is_empty() {
            self.stay_outside_domains(state, into)?;
        }
        Ok(())
    }

    /// True if a margin that does not move is further from its border than the errors of the states
    /// explain.
    pub(crate) fn has_strayed(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let z = self.z_now(state, border)?;
        self.is_off(state, border, z)
    }

    /// True if a z is further from 0 than the errors of the states explain.
    pub(crate) fn is_off(
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

    /// Tolerance of a border's z, from those of the states.
    pub(crate) fn reach(&mut self, state: &HybridState, border: BorderId) -> Result<f64, RunFault> {
        let t = state.t;
        let rtol = self.plan.config.settings.rtol;
        let scale = |real: RealId| self.plan.atol_of(real) + rtol * state.reals[real.index()].abs();
        let margin = self.modes.at(self.motion.mode).mode.margin(border);
        if let Some(form) = margin.and_then(|margin| margin.form.as_ref()) {
            let terms = form
                .terms
                .iter()
                .filter(|(real, _)| self.plan.flow.is_moved(*real));
            let reach = terms.map(|&(real, weight)| weight.abs() * scale(real));
            return Ok(reach.sum());
        }
        let evaluator = self.modes.get(self.motion.mode);
        // By values and not by slopes, which tell nothing where a root begins; what is not defined there, or solved by
        // nothing between its bounds, is left out.
        let mut reals = state.reals.clone();
        let y = &mut self.y;
        let inputs = evaluator.inputs_of(border);
        let mut z = |reals: &[f64]| evaluator.z_with(&state.past, (t, reals), border, y);
        let here = z(&reals).map_err(|fault| value_fault(t, fault))?;
        let mut reach = 0.0;
        // What is held here but moves elsewhere got here with its errors, too.
        for real in inputs {
            if !self.plan.flow.is_moved(real) {
                continue;
            }
            let stands = reals[real.index()];
            let scale = scale(real);
            let mut far = 0.0;
            for there in [stands + scale, stands - scale] {
                reals[real.index()] = there;
                if let Ok(there) = z(&reals) {
                    far = f64::max(far, (there - here).abs());
                }
            }
            reals[real.index()] = stands;
            reach += far;
        }
        evaluator.hold(&state.reals);
        Ok(reach)
    }

    /// The z of a border of the present motion at the present point.
    pub(crate) fn z_now(&mut self, state: &HybridState, border: BorderId) -> Result<f64, RunFault> {
        Ok(self.margins_now(state)?.z(border).unwrap_or_default())
    }
}

impl HybridState {
    /// Number of derivatives of z, counting z itself, that are known to vanish on the way to a side.
    pub(super) fn known_zeros(&self, border: BorderId, side: Option<Side>) -> usize {
        let mut leaving = self.leaving.iter();
        let known = leaving.find(|(other, to, _)| *other == border && Some(*to) == side);
        known.map_or(1, |(.., zeros)| *zeros)
    }
}

/// The signs with which the motions of two sides leave their border. Where one is not defined and the other does not lead
/// back, that is the only one there is: a row that is switched off need have no solution any more.
fn either(
    [minus, plus]: [Result<DepartureSign, RunFault>; 2],
) -> Result<[DepartureSign; 2], RunFault> {
    match (minus, plus) {
        (Err(_), Ok(plus)) if plus.sign >= 0 => Ok([plus; 2]),
        (Ok(minus), Err(_)) if minus.sign <= 0 => Ok([minus; 2]),
        (minus, plus) => Ok([minus?, plus?]),
    }
}

pub(super) fn sign(value: f64) -> i8 {
    if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }
}
