//! The point from which loops are solved: guesses of their unknowns, of large ones the factors there, and on which of its
//! solutions each loop is.

use std::sync::Arc;

use situ_solve::SparseFactors;
use smallvec::SmallVec;

use crate::backend::equations::{RESTS, solve};
use crate::backend::residuals::{Equations, PIECES};
use crate::ids::{RealId, RelationId};
use crate::lower::border::Side;
use crate::lower::mode::{Loop, Mode, TERMS, VaryingDelay};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::algebraic_loops::{Gaps, ValueFault};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::modes::evaluation::loop_matrix::{LoopProblem, branch};
use crate::sim::events::modes::kink_branches::SAME_SOLUTION;
use crate::sim::events::modes::kinked_loops::Knot;
use crate::sim::events::modes::unbranched_values::knots;
use crate::tape::Slot;

/// Where the unknowns of loops are sought.
#[derive(Clone, Debug, Default)]
pub(super) struct Guess {
    /// Values of all reals, then of signed roots that are solved for; and their time.
    pub(super) reals: Vec<f64>,
    t: f64,
}

/// Factors of the large loops at the guess. What they are follows from the guess alone: the same point gives the same bits,
/// whatever was evaluated before.
#[derive(Clone, Debug, Default)]
pub(super) enum FactorsAtGuess {
    /// Nobody has asked since the guess changed.
    #[default]
    Unknown,
    /// A loop cannot be solved without.
    Wanted,
    /// Of the loops whose matrix there is not singular.
    Known(Vec<LoopFactors>),
}

/// Factors of one loop.
#[derive(Clone, Debug)]
pub(super) struct LoopFactors {
    /// The slot of its first unknown.
    pub(super) first: Slot,
    pub(super) factors: SparseFactors,
    /// The sign of the determinant.
    pub(super) sign: i8,
}

impl FactorsAtGuess {
    pub(super) fn are_wanted(&self) -> bool {
        matches!(self, Self::Wanted)
    }

    fn of(&self, circle: &LoopProblem) -> Option<&LoopFactors> {
        let Self::Known(known) = self else {
            return None;
        };
        known.iter().find(|own| own.first == circle.first())
    }
}

/// Solutions of the rows that are solved, at one point of a motion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solutions {
    pub(crate) values: Vec<f64>,
    /// Their rates along the motion.
    pub(crate) rates: Vec<f64>,
}

/// The unknowns of a loop whose solution is followed: those of equations, but not where these are linear in them, nor where
/// a rate is among them, which is sought from zero, nor in a large loop.
fn followed<'a>(
    circle: &'a LoopProblem,
    guess: &[f64],
) -> impl Iterator<Item = (Slot, RealId)> + use<'a> {
    let Loop {
        unknowns, implicit, ..
    } = &circle.inner;
    let are_reals = unknowns.iter().all(|(_, real)| real.index() < guess.len());
    let is_followed = are_reals && !circle.is_linear && !circle.is_large();
    let unknowns = unknowns.iter().take(*implicit).copied();
    unknowns.filter(move |_| is_followed)
}

/// A part of what lies between the bounds within which solutions are one.
const BESIDE: f64 = 1e-12;

/// How closely a second solution between bounds is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// At places between the bounds.
    Everywhere,
    /// There only if the signs at the bounds tell of one.
    AtBounds,
}

/// Gaps of a loop, computed in slots of the mode.
pub(crate) trait LoopGaps: Equations {
    fn slots(&mut self) -> &mut [f64];
}

impl LoopGaps for Gaps<'_> {
    fn slots(&mut self) -> &mut [f64] {
        self.slots
    }
}

/// The gaps of a loop far from its solution, where delays whose lengths are found in it read the past elsewhere.
struct GapsAnywhere<'a, G> {
    gaps: G,
    inner: &'a Loop,
    mode: &'a Mode,
    /// Those delays.
    delays: SmallVec<[&'a VaryingDelay; 1]>,
    past: &'a DelayHistory,
    t: f64,
}

impl<G: LoopGaps> Equations for GapsAnywhere<'_, G> {
    fn residuals(&mut self, x: &[f64], residuals: &mut [f64]) {
        self.gaps.residuals(x, residuals);
        if self.delays.is_empty() {
            return;
        }
        for one in &self.delays {
            let slots = self.gaps.slots();
            // There is no value where a delay would read the future.
            let terms = one.read(self.mode, slots, self.past, self.t);
            one.put_terms(slots, terms.unwrap_or([f64::NAN; TERMS]));
        }
        self.gaps.residuals(x, residuals);
    }

    fn jacobian(&mut self, x: &[f64], matrix: &mut [f64]) {
        self.gaps.jacobian(x, matrix);
    }

    fn is_rounding(&mut self, x: &[f64]) -> bool {
        self.gaps.is_rounding(x)
    }
}

impl<'a, G: LoopGaps> GapsAnywhere<'a, G> {
    /// `t`: the time at which the mode stands.
    fn of(inner: &'a Loop, gaps: G, mode: &'a Mode, past: &'a DelayHistory, t: f64) -> Self {
        let own = |one: &&VaryingDelay| {
            let mut ops = inner.ops.iter();
            ops.any(|op| op.out == one.at.0)
        };
        Self {
            gaps,
            inner,
            mode,
            delays: mode.delays.varying.iter().filter(own).collect(),
            past,
            t,
        }
    }

    /// True if the equation of the loop has another solution between the bounds of its one unknown, as far as its signs tell.
    /// Where they change it may have a pole as well.
    fn have_second(&mut self, look: Look) -> bool {
        let Loop {
            unknowns, bounds, ..
        } = self.inner;
        let ([(unknown, _)], [Some(bounds)]) = (&unknowns[..], &bounds[..]) else {
            return false;
        };
        let slots = self.gaps.slots();
        let own = slots[unknown.index()];
        let [low, high] = bounds.map(|slot| slots[slot.index()]);
        let near = RESTS * own.abs();
        let is_inside = low + near < own && own < high - near;
        if !(is_inside && low.is_finite() && high.is_finite()) {
            return false;
        }
        let inputs = self.mode.delays.varying_inputs();
        let about: SmallVec<[f64; 8]> = inputs.map(|slot| slots[slot.index()]).collect();
        let found = self.change_sign(own, [low, high], look);
        for (slot, value) in self.mode.delays.varying_inputs().zip(about) {
            self.gaps.slots()[slot.index()] = value;
        }
        self.gaps.residuals(&[own], &mut [0.0]);
        found
    }

    /// A place with the sign of the residual there, if it has one.
    fn is_above(&mut self, x: f64) -> Option<(f64, bool)> {
        let mut residual = [0.0];
        self.residuals(&[x], &mut residual);
        (!residual[0].is_nan() && residual[0] != 0.0).then_some((x, residual[0] > 0.0))
    }

    /// True if the sign changes at another place than a solution.
    fn change_sign(&mut self, own: f64, [low, high]: [f64; 2], look: Look) -> bool {
        let mut signs = |x: [f64; 2]| x.map(|x| self.is_above(x).map(|(_, above)| above));
        let ends = signs([low, high]);
        if look == Look::AtBounds && (ends[0].is_none() || ends[0] != ends[1]) {
            return false;
        }
        let near = (SAME_SOLUTION * own.abs()).max(BESIDE * (high - low));
        let beside = signs([own - near, own + near]);
        let place = |piece: u32| low + (high - low) * (f64::from(piece) / f64::from(PIECES));
        let away = (0..=PIECES).map(place).filter(|x| (x - own).abs() > near);
        let places: SmallVec<[(f64, bool); 4]> = away.filter_map(|x| self.is_above(x)).collect();
        places.windows(2).any(|pair| {
            let [(from, before), (to, behind)] = [pair[0], pair[1]];
            if from < own && own < to {
                // On a kink the residual may come to 0 and turn back.
                let turns = beside[0] == beside[1];
                return before == behind && !turns;
            }
            let mut x = [0.5 * (from + to)];
            before != behind && solve(self, &mut x, &[[from, to]]).is_ok()
        })
    }
}

impl Evaluator {
    /// The unknowns whose solutions are followed.
    fn followed(&self) -> impl Iterator<Item = (Slot, RealId)> {
        let guess = &self.guess.reals;
        self.all
            .circles()
            .flat_map(|circle| followed(circle, guess))
    }

    /// True if there are solutions to be followed.
    pub(crate) fn follows_solutions(&self) -> bool {
        self.has_loops && self.followed().next().is_some()
    }

    /// The rows whose solutions are followed.
    pub(crate) fn followed_rows(&self) -> Vec<RelationId> {
        let guess = &self.guess.reals;
        let circles = self.all.circles();
        let own = circles.filter(|circle| followed(circle, guess).next().is_some());
        own.flat_map(|circle| circle.inner.rows.iter().copied())
            .collect()
    }

    /// Finds the solutions that are followed at a point of a path, with their rates along it.
    ///
    /// The path is that of the dense output, and its slopes are not the rates there: of a stiff motion a point within the
    /// tolerance of the states has others by far.
    ///
    /// Shapes: `y`, `slopes`: one entry per state.
    ///
    /// # Errors
    ///
    /// There are none that are found, or no rates of them.
    pub(crate) fn find_solutions(
        &mut self,
        past: &DelayHistory,
        t: f64,
        (y, slopes): (&[f64], &[f64]),
    ) -> Result<Solutions, ValueFault> {
        self.evaluate(past, t, y)?;
        self.put_motion();
        for (real, slope) in self.mode.states.iter().zip(slopes) {
            self.jets.duals[real.index()].0[1] = *slope;
        }
        self.all
            .pass(&self.slots, &mut self.jets.duals, &mut self.work)?;
        let slots: Vec<Slot> = self.followed().map(|(slot, _)| slot).collect();
        let duals = slots.iter().map(|slot| self.jets.duals[slot.index()].0);
        let (values, rates) = duals.map(|[value, rate]| (value, rate)).unzip();
        Ok(Solutions { values, rates })
    }

    /// Seeks the solutions that are followed from other values; those from which they were sought.
    pub(crate) fn seek_from(&mut self, values: &[f64]) -> Vec<f64> {
        let unknowns: Vec<(Slot, RealId)> = self.followed().collect();
        self.work.near = FactorsAtGuess::Unknown;
        let pairs = unknowns.iter().zip(values);
        pairs
            .map(|((_, real), value)| {
                std::mem::replace(&mut self.guess.reals[real.index()], *value)
            })
            .collect()
    }

    /// True if an equation has bounds for its unknown.
    pub(crate) fn has_bounds(&self) -> bool {
        let mut circles = self.all.circles();
        self.has_loops && circles.any(|circle| circle.inner.bounds.iter().any(Option::is_some))
    }

    /// The rows of an equation with a second solution between its bounds, after [`Self::evaluate`]. `look`: how closely it is
    /// looked for; `held`: sides of borders and steps of staircases, on which kinks are that are met.
    pub(crate) fn second_between_bounds(
        &mut self,
        past: &DelayHistory,
        t: f64,
        look: Look,
        held: (&[Side], &[f64]),
    ) -> Option<Vec<RelationId>> {
        let mode = Arc::clone(&self.mode);
        let mut kinked: Vec<Knot<'_>> = Vec::new();
        if let Some(unbranched) = mode.unbranched.as_deref() {
            kinked.extend(knots(unbranched));
        }
        let (slots, work) = (&mut self.slots, &mut self.work);
        let mut circles = self.all.circles();
        let several = circles.find(|circle| {
            let inner = &circle.inner;
            // The branches need not be the same at both solutions.
            if let Some(knot) = kinked.iter().find(|knot| knot.inner.rows == inner.rows) {
                let mut slots = slots.clone();
                let held = knot.held(held);
                let gaps = knot.gaps(&mut slots, &held);
                return GapsAnywhere::of(knot.inner, gaps, &mode, past, t).have_second(look);
            }
            let gaps = Gaps {
                circle,
                slots,
                work,
            };
            GapsAnywhere::of(inner, gaps, &mode, past, t).have_second(look)
        })?;
        Some(several.inner.rows.clone())
    }

    /// Algebraic loops start from the values of these reals at a time.
    pub(crate) fn guess_from(&mut self, t: f64, reals: &[f64]) {
        if self.has_loops {
            self.guess.t = t;
            self.guess.reals.clear();
            self.guess.reals.extend_from_slice(reals);
            self.guess_signed_roots();
            self.work.near = FactorsAtGuess::Unknown;
        }
    }

    /// Guesses the signed roots that loops solve for, behind the reals, where these and the time are those of the guess.
    fn guess_signed_roots(&mut self) {
        let mut circles = self.all.circles();
        if circles.all(|circle| circle.inner.roots.is_empty()) {
            return;
        }
        let Guess { reals, t } = &mut self.guess;
        let mut slots = self.slots.clone();
        slots[..reals.len()].copy_from_slice(reals);
        slots[self.mode.time.index()] = *t;
        self.all.guess_signed_roots(&mut slots, reals);
    }

    /// Finds the factors of large loops at the guess.
    #[cold]
    pub(super) fn factor_at_guess(&mut self, past: &DelayHistory) {
        self.work.near = FactorsAtGuess::Known(Vec::new());
        let states = self.mode.states.iter();
        let y: Vec<f64> = states.map(|real| self.guess.reals[real.index()]).collect();
        let placed = self.put_point(past, self.guess.t, &y);
        let (slots, work) = (&mut self.slots, &mut self.work);
        let guess = &self.guess.reals;
        let found = placed.and_then(|_| self.all.factor_at_guess(slots, guess, work));
        self.work.near = FactorsAtGuess::Known(found.unwrap_or_default());
    }

    /// The point of the last evaluation is committed: loops start to look there from now on. The
    /// rows of loops that have gone over to another solution are handed to `changed`.
    ///
    /// Shapes: `branches`: for each loop on which of its solutions it was at the last commitment; at
    ///         the first one empty.
    pub(crate) fn commit(
        &mut self,
        past: &DelayHistory,
        (t, reals): (f64, &[f64]),
        branches: &mut Vec<i8>,
        mut changed: impl FnMut(&[RelationId]),
    ) {
        if !self.has_loops {
            return;
        }
        self.guess_from(t, reals);
        let work = &self.work;
        let is_solved = |circle: &LoopProblem| circle.given(work).is_none();
        if self
            .all
            .circles()
            .any(|circle| circle.is_large() && is_solved(circle))
        {
            self.factor_at_guess(past);
        }
        for (number, circle) in self.all.circles().enumerate() {
            if circle.given(&self.work).is_some() {
                branches.resize(branches.len().max(number + 1), 0);
                continue;
            }
            // Rates that are unknown are sought from zero.
            let mut unknowns = circle.inner.unknowns.iter();
            let are_reals = unknowns.all(|(_, real)| real.index() < reals.len());
            let near = self.work.near.of(circle).filter(|_| are_reals);
            let known = near.map(|own| own.sign);
            let now = known.unwrap_or_else(|| branch(circle, &self.slots, &mut self.work));
            match branches.get_mut(number) {
                Some(before) => {
                    if *before != now {
                        changed(&circle.inner.rows);
                    }
                    *before = now;
                }
                None => branches.push(now),
            }
        }
    }
}
