//! The branches of kinks at a point: on which side of its border each kink is.
//!
//! The active rows are evaluated in the order in which they depend on each other, with rounding
//! bounds: a kink whose operand is beyond rounding takes the side of its value, one whose operand is on its border
//! keeps the side that is held. So kinks may stand in each other's arguments as deep as they like. Values that
//! depend on each other through kinks are found by Newton's method on the branches that the values ask for (a
//! semismooth Newton method); where that comes to no end, all branches of up to ten kinks are tried, and one unknown is
//! bracketed.
//!
//! Sides turned one after another would give wrong branches in silence where kinks lie within each other. Where the
//! sign in a loop jumps past its only solution, the state slides along the border of the sign.

use crate::backend::value::{self, Jet, RunningError, Value};
use crate::ids::RealId;
use crate::lower::border::{BorderId, Side, View};
use crate::lower::mode::Kink;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::row_programs::beyond_rounding;
use crate::sim::events::modes::unbranched_values::{KinkedSolutions, walk};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::place;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use crate::sim::{Finding, RunFault};
use crate::tape::{Code, Op, Slot};
use crate::trace::What;
use smallvec::SmallVec;

/// Solutions that differ by a smaller part of their size are one.
pub(crate) const SAME_SOLUTION: f64 = 1e-8;

/// The value of an op with a kink on a side of its border, or on a step of its staircase.
pub(super) fn branch_value<V: Value>(code: Code, side: Side, step: f64, [old, a, b]: [V; 3]) -> V {
    match code.pieces() {
        Some(pieces) => value::piece(pieces, side as usize, step, a, b),
        None => V::apply(code, old, a, b),
    }
}

/// What the side of a kink, or the step of a staircase, follows from.
pub(super) fn margin<V: Value>(op: &Op, a: V, b: V) -> V {
    let pieces = op.code.pieces();
    pieces.map_or(a, |pieces| value::height(pieces, a, b))
}

/// Branches of the kinks: those decided so far, and those that are held.
pub(super) struct Branches<'a> {
    /// Per border its side and whether the state lies on it.
    pub(super) sides: Vec<Side>,
    /// Per row of the flow whether it acts.
    active: &'a [bool],
    flags: Vec<(BorderId, bool)>,
    pub(super) steps: Vec<f64>,
    /// Borders that keep their sides, whatever their value: those to which the motion is bound.
    bound: &'a dyn Fn(BorderId) -> bool,
    /// True if a margin of a border is what it was when the instant began, on the border.
    stays: &'a dyn Fn(BorderId, f64) -> bool,
    /// True if the state has slid along a border up to this instant: it is left to the side that is held.
    pub(super) left: &'a dyn Fn(BorderId) -> bool,
    staircases: &'a [crate::lower::border::StairStep],
    /// True if the motion has not carried the operand of a staircase to an end of a step at this instant: there, or behind
    /// it by rounding only, it is on the step of the number that was computed, as in ticks.
    jumps: &'a dyn Fn(BorderId) -> bool,
    /// Borders on which an operand has come to lie, up to rounding.
    landed: Vec<Landing>,
    /// Kinks of a loop whose values jump past its only solution: it lies on their borders.
    pub(super) jumping: Vec<BorderId>,
}

/// A border on which an operand has come to lie.
struct Landing {
    border: BorderId,
    /// True if rounding has a part in that.
    is_rounded: bool,
}

/// As [`beyond_rounding`], but not a number beside a pole: a value there is far from 0, and rounding leaves nothing of its sign.
fn beyond_rounding_and_poles(number: &RunningError<1>) -> f64 {
    match number.series.0[0].is_finite() && !number.bound[0].is_finite() {
        true => f64::NAN,
        false => beyond_rounding(number),
    }
}

impl Branches<'_> {
    /// The side of a kink's own margin, and the step of a staircase; notes them.
    pub(super) fn decide(&mut self, kink: Kink, number: &RunningError<1>) -> (Side, f64) {
        let (z, computed) = (beyond_rounding_and_poles(number), number.series.0[0]);
        match kink {
            Kink::Border(view) => (self.decide_border(view, z, computed), 0.0),
            Kink::Saturated(saturated) => {
                let is_reached = saturated.is_reached(self.sides[saturated.arrival.border.index()]);
                let side = match self.active[saturated.row] && is_reached {
                    true => self.decide_border(saturated.outward, z, computed),
                    false => saturated.inner(),
                };
                (side, 0.0)
            }
            Kink::Staircase(staircase, stairs) => {
                let ends = self.staircases[staircase];
                let step = self.steps[staircase];
                if z.is_nan() && computed.is_finite() && !step.is_nan() {
                    self.flags.extend([(ends.low, false), (ends.high, false)]);
                    return (Side::On, step);
                }
                let end = |at: f64| {
                    let near = RunningError {
                        series: Jet([computed - at]),
                        bound: number.bound,
                    };
                    beyond_rounding(&near)
                };
                let places = stairs.ends(step);
                let [low, high] = places.map(end);
                let kept = (self.stays)(ends.low, computed - places[0])
                    || (self.stays)(ends.high, computed - places[1]);
                let passed = match (computed < places[0], computed >= places[1]) {
                    (true, _) => Some(ends.low),
                    (_, true) => Some(ends.high),
                    _ => None,
                };
                let lands = passed.filter(|&end| low >= 0.0 && high <= 0.0 && (self.jumps)(end));
                self.landed.extend(lands.map(|border| Landing {
                    border,
                    is_rounded: number.bound[0] > 0.0,
                }));
                let is_beyond = low < 0.0 || high > 0.0 || step.is_nan();
                if !kept && (is_beyond || lands.is_some()) {
                    self.steps[staircase] = stairs.at(computed);
                    self.sides[ends.low.index()] = Side::Plus;
                    self.sides[ends.high.index()] = Side::Minus;
                    let [low, high] = stairs.ends(self.steps[staircase]).map(end);
                    self.flags.push((ends.low, low == 0.0));
                    self.flags.push((ends.high, high == 0.0));
                } else if !kept {
                    self.flags.push((ends.low, low == 0.0));
                    self.flags.push((ends.high, high == 0.0));
                }
                (Side::On, self.steps[staircase])
            }
        }
    }

    fn decide_border(&mut self, view: View, z: f64, computed: f64) -> Side {
        let border = view.border;
        let index = border.index();
        let held = view.side(self.sides[index]);
        if (self.bound)(border) || self.jumping.contains(&border) || (self.stays)(border, computed)
        {
            return held;
        }
        if z == 0.0 || z.is_nan() {
            self.flags.push((border, z == 0.0));
            if computed == 0.0 {
                let is_rounded = false;
                self.landed.push(Landing { border, is_rounded });
            }
            return held;
        }
        let side = Side::of(z);
        if view.folded {
            return side;
        }
        self.flags.push((border, false));
        self.sides[index] = if view.upright { side } else { side.flipped() };
        side
    }
}

impl EventIteration {
    /// Finds the branches of the kinks of a mode's rows at the present point; the sides of their borders and the steps
    /// of staircases are then those. Whether any has changed, or loops are sought from elsewhere.
    pub(crate) fn find_branches(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        mode: usize,
    ) -> Result<bool, RunFault> {
        let Some(unbranched) = dynamics.modes.at(mode).mode.unbranched.clone() else {
            return Ok(false);
        };
        // Kinks of one border may have margins that are multiples of each other, and of different rounding.
        let begun = self.iteration.borders_begun_on();
        let begun = begun.filter(|border| state.borders.kinked.get(border.index()));
        let begun: SmallVec<[BorderId; 4]> = begun.collect();
        let unmoved = begun.into_iter().filter(|&border| {
            let z = dynamics.margin_in(state, mode, border);
            z.is_some_and(|z| self.iteration.stays_begun(border, z))
        });
        let unmoved: SmallVec<[BorderId; 4]> = unmoved.collect();
        let t = state.t;
        let evaluator = dynamics.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut dynamics.y);
        evaluator.place_at(&state.past, t, &dynamics.y);
        let mut slots: Vec<f64> = evaluator.slots().to_vec();
        let iteration = &self.iteration;
        let stays = |border: BorderId, z: f64| {
            unmoved.contains(&border) || iteration.stays_begun(border, z)
        };
        let left = |border: BorderId| iteration.has_left(border);
        let jumps = |border: BorderId| !iteration.has_met(border);
        let motion = &dynamics.motion;
        let slides = &dynamics.bound.slides;
        // What jumped between the modes of a slide has one value again where the slide ends.
        let slide = motion.slide.as_ref();
        let ended = slide.filter(|slide| slide.borders.iter().any(|one| !slides.contains(one)));
        let freed = |border: BorderId| ended.is_some_and(|slide| slide.splits(border));
        let bound = |border: BorderId| {
            slides.contains(&border) || motion.bound_to(border) && !freed(border)
        };
        let mut branches = Branches {
            sides: state.discrete.sides.clone(),
            active: dynamics.modes.active(mode),
            flags: Vec::new(),
            steps: state.steps.clone(),
            bound: &bound,
            stays: &stays,
            left: &left,
            jumps: &jumps,
            staircases: &state.borders.staircases,
            landed: Vec::new(),
            jumping: Vec::new(),
        };
        let mut kinked = KinkedSolutions::default();
        let walked = walk(
            &unbranched,
            &mut slots,
            &state.reals,
            &mut branches,
            &mut kinked,
        );
        let Branches {
            sides,
            flags,
            steps,
            landed,
            jumping,
            ..
        } = branches;
        walked.map_err(|fault| value_fault(t, fault))?;
        for Landing { border, is_rounded } in landed {
            self.iteration.borders.land(border, Side::On);
            if let Some(place) = place(&state.borders, border).filter(|_| is_rounded) {
                observe.log.find(Finding::OnBorder { place, time: t });
            }
        }
        let moved_steps = steps != state.steps;
        state.steps = steps;
        let mut changed = false;
        for (border, flag) in flags {
            state.discrete.flags.set(border.index(), flag);
        }
        for (index, side) in sides.into_iter().enumerate() {
            if side != state.discrete.sides[index] {
                changed = true;
                self.set_side(state, dynamics, BorderId::new(index), side);
            }
        }
        for rows in kinked.several {
            observe.log.note(|| What::SeveralSolutions { rows });
        }
        for border in jumping {
            if !dynamics.bound.slides.contains(&border) {
                self.slide_through(state, dynamics, observe, border)?;
            }
        }
        // The mode with other sides is another one, which is not sought from here.
        let is_led = !changed && self.seek_on_pieces(state, dynamics, mode, &kinked.unknowns);
        Ok(changed || moved_steps || is_led)
    }

    /// A mode in which loops are sought on the pieces of their kinks: where it comes to a solution outside of these, or to none,
    /// it begins with the one that was found by value. Whether it does.
    fn seek_on_pieces(
        &self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        mode: usize,
        found: &[(Slot, RealId, f64)],
    ) -> bool {
        if found.is_empty() {
            return false;
        }
        let evaluator = dynamics.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        let solved = evaluator.evaluate(&state.past, state.t, &dynamics.y);
        let is_found = |&(slot, real, value): &(Slot, RealId, f64)| {
            let own = evaluator.value(slot);
            let size = own.abs().max(value.abs());
            (own - value).abs() <= self.plan.atol_of(real) + SAME_SOLUTION * size
        };
        if solved.is_ok() && found.iter().all(is_found) {
            return false;
        }
        let mut moved = false;
        for &(_, real, value) in found {
            moved |= std::mem::replace(&mut state.reals[real.index()], value) != value;
        }
        moved
    }
}
