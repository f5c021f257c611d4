//! Algebraic loops through kinks: the solutions on all combinations of branches.

use crate::backend::equations::solve;
use crate::backend::residuals::Equations;
use crate::backend::value::{Jet, RunningError, Stairs, Value};
use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::{Kink, Loop, Saturated};
use crate::sim::events::iteration::row_programs::SAFETY;
use crate::sim::events::modes::evaluation::algebraic_loops::{bounds_of, is_rounding};
use crate::sim::events::modes::evaluation::guess::LoopGaps;
use crate::sim::events::modes::evaluation::loop_matrix::eliminate;
use crate::sim::events::modes::kink_branches::{branch_value, margin};
use crate::tape::{Code, Op, Pieces, Slot};
use situ_solve::lookup;

/// The ops of a loop with the kinks in them.
pub(crate) struct Knot<'a> {
    pub(crate) inner: &'a Loop,
    /// Per op its kink.
    pub(super) kinks: Vec<Option<Kink>>,
    /// Per op how far rounding may move what its side follows from.
    pub(super) noise: Vec<f64>,
    /// Rounding errors of the unknowns.
    pub(super) errors: Vec<f64>,
    /// False if a lookup has no value beyond its ends, true if its last pieces go on there.
    pub(super) beyond_ends: bool,
}

impl<'k> Knot<'k> {
    pub(super) fn of(inner: &'k Loop, kinks: Vec<Option<Kink>>) -> Self {
        Self {
            noise: vec![0.0; kinks.len()],
            errors: vec![0.0; inner.unknowns.len()],
            inner,
            kinks,
            beyond_ends: false,
        }
    }

    /// The branches that are held, per op.
    pub(crate) fn held(&self, (sides, steps): (&[Side], &[f64])) -> Vec<(Side, f64)> {
        let held = |kink: &Option<Kink>| match kink {
            Some(Kink::Border(view) | Kink::Saturated(Saturated { outward: view, .. })) => {
                (view.side(sides[view.border.index()]), 0.0)
            }
            Some(Kink::Staircase(staircase, _)) => (Side::On, steps[*staircase]),
            None => (Side::On, 0.0),
        };
        self.kinks.iter().map(held).collect()
    }

    /// Its gaps as equations, computed in slots.
    pub(crate) fn gaps<'a>(
        &'a self,
        slots: &'a mut [f64],
        held: &'a [(Side, f64)],
    ) -> Gaps<'a, 'k> {
        Gaps {
            knot: self,
            slots,
            held,
            sides: held.to_vec(),
        }
    }

    fn run<V: Value>(
        &self,
        slots: &mut [V],
        mut side: impl FnMut(usize, &Op, V, V) -> (Side, f64),
    ) {
        for (number, op) in self.inner.ops.iter().enumerate() {
            let all = [op.out, op.a, op.b].map(|slot| slots[slot as usize]);
            slots[op.out as usize] = match self.kinks[number] {
                None => V::apply(op.code, all[0], all[1], all[2]),
                Some(kink) => {
                    let (side, step) = side(number, op, all[1], all[2]);
                    match !self.beyond_ends && is_beyond_ends(kink, step, all[1]) {
                        true => V::constant(f64::NAN),
                        false => branch_value(op.code, side, step, all),
                    }
                }
            };
        }
    }

    /// Finds the rounding errors of unknowns, and of margins of borders that the state has just left, about the values
    /// in `slots`.
    ///
    /// Where a slide along a sign ends the unknown is a difference of large values, and its own size tells nothing of its
    /// error: by value it would be within the slide again as often as not.
    pub(super) fn find_noise(
        &mut self,
        slots: &[f64],
        numbers: &[RunningError<1>],
        held: &[(Side, f64)],
        left: impl Fn(BorderId) -> bool,
    ) {
        let is_left =
            |kink: &Option<Kink>| matches!(kink, Some(Kink::Border(view)) if left(view.border));
        if !self.kinks.iter().any(is_left) {
            return;
        }
        let mut trial = numbers.to_vec();
        let unknowns = &self.inner.unknowns;
        let mut noise = vec![0.0; self.kinks.len()];
        let mut errors = vec![0.0; unknowns.len()];
        for _ in 0..2 {
            for ((slot, _), error) in unknowns.iter().zip(&errors) {
                trial[slot.index()] = RunningError {
                    series: Jet([slots[slot.index()]]),
                    bound: [*error],
                };
            }
            self.run(&mut trial, |number, op, a, b| {
                if is_left(&self.kinks[number]) {
                    noise[number] = SAFETY * margin(op, a, b).bound[0];
                }
                held[number]
            });
            for (at, error) in errors.iter_mut().enumerate() {
                let (unknown, result) = (unknowns[at].0, self.inner.results[at]);
                // The error of a residual is none of the unknown, which is found as far as numbers go.
                *error = match at < self.inner.implicit {
                    true => 8.0 * f64::EPSILON * slots[unknown.index()].abs(),
                    false => trial[result.index()].bound[0],
                };
            }
        }
        (self.noise, self.errors) = (noise, errors);
    }

    /// The sides that values ask for, per op; on a border the one that is given.
    fn sides_by_value(&self, slots: &mut [f64], given: &[(Side, f64)]) -> Vec<(Side, f64)> {
        let mut sides = given.to_vec();
        self.run(slots, |number, op, a, b| {
            let z = margin(op, a, b);
            let size = a.abs().max(b.abs());
            sides[number] = match self.kinks[number] {
                Some(Kink::Staircase(_, stairs)) => (Side::On, stairs.at(z)),
                _ if z.abs() <= 8.0 * f64::EPSILON * size && op.code != Code::Abs => given[number],
                _ if z.abs() <= self.noise[number] => given[number],
                _ => (Side::of(z), 0.0),
            };
            sides[number]
        });
        sides
    }

    fn residual(&self, slots: &[f64]) -> Vec<f64> {
        (0..self.inner.unknowns.len())
            .map(|at| self.inner.gap(at, slots))
            .collect()
    }

    /// True if unknowns and results agree up to rounding.
    fn is_solved(&self, slots: &[f64], residual: &[f64]) -> bool {
        let values = self.inner.results.iter().skip(self.inner.implicit);
        let sizes = values.map(|slot| slots[slot.index()].abs());
        let scale = sizes.fold(f64::MIN_POSITIVE, f64::max);
        let most = residual.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
        residual.iter().all(|r| r.is_finite())
            && (self.inner.implicit == 0 && most <= 4.0 * f64::EPSILON * scale
                || is_rounding(&self.inner.ops, self.inner, slots))
    }

    /// Writes the matrix with which gaps are solved on some branches.
    fn matrix(&self, slots: &[f64], sides: &[(Side, f64)], matrix: &mut [f64]) {
        let m = self.inner.unknowns.len();
        let mut duals: Vec<Jet<2>> = slots.iter().map(|&value| Jet([value, 0.0])).collect();
        for column in 0..m {
            let unknown = self.inner.unknowns[column].0.index();
            duals[unknown] = Jet([slots[unknown], 1.0]);
            self.run(&mut duals, |number, _, _, _| sides[number]);
            for (row, result) in self.inner.results.iter().enumerate() {
                let slope = duals[result.index()].0[1];
                matrix[row * m + column] = self.inner.entry(row, column, slope);
            }
            duals[unknown] = Jet([slots[unknown], 0.0]);
        }
    }

    /// A Newton step on some branches; false if there is none.
    fn step(&self, slots: &mut [f64], sides: &[(Side, f64)]) -> bool {
        self.run(slots, |number, _, _, _| sides[number]);
        let mut right = self.residual(slots);
        let m = right.len();
        let mut matrix = vec![0.0; m * m];
        self.matrix(slots, sides, &mut matrix);
        if eliminate(&mut matrix, &mut right) == 0 {
            return false;
        }
        for ((slot, _), change) in self.inner.unknowns.iter().zip(&right) {
            slots[slot.index()] += change;
        }
        true
    }

    /// Newton's method on the branches that values ask for.
    pub(super) fn solve(&self, slots: &mut [f64], held: &[(Side, f64)]) -> bool {
        if self.inner.implicit > 0 {
            return self.solve_equations(slots, held);
        }
        for _ in 0..MAX_NEWTON {
            let sides = self.sides_by_value(slots, held);
            if self.is_solved(slots, &self.residual(slots)) {
                return true;
            }
            if !self.step(slots, &sides) {
                return false;
            }
        }
        false
    }

    /// The same where equations stand in the loop.
    fn solve_equations(&self, slots: &mut [f64], held: &[(Side, f64)]) -> bool {
        let own = |(slot, _): &(Slot, RealId)| slots[slot.index()];
        let mut x: Vec<f64> = self.inner.unknowns.iter().map(own).collect();
        let run = |slots: &mut [f64]| drop(self.sides_by_value(slots, held));
        let bounds = bounds_of(self.inner, run, slots);
        let mut gaps = self.gaps(slots, held);
        let found = solve(&mut gaps, &mut x, &bounds).is_ok();
        gaps.put(&x);
        found
    }

    /// Newton's method on fixed branches, whose values must ask for them.
    fn solve_on(&self, slots: &mut [f64], sides: &[(Side, f64)]) -> bool {
        for _ in 0..MAX_NEWTON {
            if !self.step(slots, sides) {
                return false;
            }
            self.run(slots, |number, _, _, _| sides[number]);
            if self.is_solved(slots, &self.residual(slots)) {
                return self.sides_by_value(slots, sides) == sides;
            }
        }
        false
    }

    /// All solutions that trying branches and bracketing find.
    pub(super) fn solutions(&self, slots: &[f64], held: &[(Side, f64)]) -> Vec<Vec<f64>> {
        let mut found: Vec<Vec<f64>> = Vec::new();
        let unknowns = |slots: &[f64]| -> Vec<f64> {
            let all = self.inner.unknowns.iter();
            all.map(|(slot, _)| slots[slot.index()]).collect()
        };
        let mut take = |solution: Vec<f64>| {
            let same = |other: &Vec<f64>| {
                let pairs = other.iter().zip(&solution);
                pairs
                    .clone()
                    .all(|(a, b)| (a - b).abs() <= 1e-9 * (a.abs() + b.abs() + 1e-300))
            };
            if !found.iter().any(same) {
                found.push(solution);
            }
        };
        let kinks: Vec<usize> = (0..self.kinks.len())
            .filter(|&number| matches!(self.kinks[number], Some(Kink::Border(_))))
            .collect();
        if kinks.len() <= MOST_KINKS {
            for pattern in 0..1_usize << kinks.len() {
                let mut sides = held.to_vec();
                for (bit, &number) in kinks.iter().enumerate() {
                    let above = pattern >> bit & 1 == 1;
                    sides[number].0 = if above { Side::Plus } else { Side::Minus };
                }
                let mut trial = slots.to_vec();
                if self.solve_on(&mut trial, &sides) {
                    take(unknowns(&trial));
                }
            }
        }
        if let [(unknown, _)] = self.inner.unknowns[..] {
            for start in self.brackets(slots, held, unknown.index()) {
                let mut trial = slots.to_vec();
                trial[unknown.index()] = start;
                if self.solve(&mut trial, held) {
                    take(unknowns(&trial));
                }
            }
        }
        found
    }

    /// Point at which the unknown would be its result if a sign in the loop did not jump past that: the unknown,
    /// and the border of the sign.
    pub(super) fn jump_past(&self, slots: &[f64], held: &[(Side, f64)]) -> Option<(f64, BorderId)> {
        let [(unknown, _)] = self.inner.unknowns[..] else {
            return None;
        };
        let starts = self.brackets(slots, held, unknown.index()).into_iter();
        starts.filter(|start| start.is_finite()).find_map(|start| {
            let mut trial = slots.to_vec();
            trial[unknown.index()] = start;
            let mut border = None;
            self.run(&mut trial, |number, op, a, b| {
                let z = margin(op, a, b);
                let near = 1e-9 * a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
                let jumps = matches!(op.code.pieces(), Some(Pieces::Jump(..)));
                if let (true, Some(Kink::Border(view))) =
                    (jumps && z.abs() <= near.max(1e-12), self.kinks[number])
                {
                    border = Some(view.border);
                }
                match self.kinks[number] {
                    Some(Kink::Staircase(_, stairs)) => (Side::On, stairs.at(z)),
                    _ => (Side::of(z), 0.0),
                }
            });
            Some((start, border?))
        })
    }

    /// Values of the one unknown close to which it equals its result, by halving between changes of sign.
    fn brackets(&self, slots: &[f64], held: &[(Side, f64)], unknown: usize) -> Vec<f64> {
        let mut trial = slots.to_vec();
        let mut excess = |u: f64| {
            trial[unknown] = u;
            self.sides_by_value(&mut trial, held);
            self.residual(&trial)[0]
        };
        let middle = slots[unknown];
        let size = middle.abs().max(1.0);
        let steps = || REACH.map(|power| size * 2.0_f64.powi(power));
        let mut places: Vec<f64> = steps().map(|step| middle - step).collect();
        places.reverse();
        places.push(middle);
        places.extend(steps().map(|step| middle + step));
        let values: Vec<f64> = places.iter().map(|&place| excess(place)).collect();
        let mut found = Vec::new();
        for (at, pair) in values.windows(2).enumerate() {
            if !(pair[0].is_finite() && pair[1].is_finite()) || (pair[0] > 0.0) == (pair[1] > 0.0) {
                continue;
            }
            let (mut low, mut high) = (places[at], places[at + 1]);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if (excess(middle) > 0.0) == (pair[0] > 0.0) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            found.push(0.5 * (low + high));
        }
        found
    }
}

/// True if a step of a staircase is a piece of a lookup beyond its ends, where this has no value.
fn is_beyond_ends<V: Value>(kink: Kink, step: f64, argument: V) -> bool {
    let Kink::Staircase(_, Stairs::Knots(handle)) = kink else {
        return false;
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number of a piece"
    )]
    let piece = step as usize;
    lookup::Pieces::of(handle).is_some_and(|pieces| {
        let is_outside = || argument.number().is_some_and(|at| pieces.is_outside(at));
        pieces.is_beyond(piece) && is_outside()
    })
}

/// The gaps of a loop as equations in its unknowns, each on the branches that its values ask for.
pub(crate) struct Gaps<'a, 'k> {
    knot: &'a Knot<'k>,
    slots: &'a mut [f64],
    held: &'a [(Side, f64)],
    /// The branches of the last residuals.
    sides: Vec<(Side, f64)>,
}

impl Gaps<'_, '_> {
    fn put(&mut self, x: &[f64]) {
        for ((slot, _), &x) in self.knot.inner.unknowns.iter().zip(x) {
            self.slots[slot.index()] = x;
        }
        self.sides = self.knot.sides_by_value(self.slots, self.held);
    }
}

impl LoopGaps for Gaps<'_, '_> {
    fn slots(&mut self) -> &mut [f64] {
        self.slots
    }
}

impl Equations for Gaps<'_, '_> {
    fn residuals(&mut self, x: &[f64], residuals: &mut [f64]) {
        self.put(x);
        for (at, residual) in residuals.iter_mut().enumerate() {
            *residual = -self.knot.inner.gap(at, self.slots);
        }
    }

    fn jacobian(&mut self, _: &[f64], matrix: &mut [f64]) {
        self.knot.matrix(self.slots, &self.sides, matrix);
    }

    fn is_rounding(&mut self, _: &[f64]) -> bool {
        is_rounding(&self.knot.inner.ops, self.knot.inner, self.slots)
    }

    fn has_kinks(&self) -> bool {
        self.knot.kinks.iter().any(Option::is_some)
    }

    fn are_on_one_piece(&mut self, places: [&[f64]; 2]) -> bool {
        let [one, other] = places.map(|x| {
            self.put(x);
            self.sides.clone()
        });
        one == other
    }
}

/// Newton steps before the branches that values ask for count as not settling.
const MAX_NEWTON: usize = 40;

/// All branches of so many kinks are tried.
const MOST_KINKS: usize = 10;

/// One unknown is bracketed between so many powers of two of its size, up and down.
const REACH: std::ops::Range<i32> = -30..40;
