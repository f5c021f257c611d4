//! Algebraic loops through kinks: the solutions on all combinations of branches.

use crate::backend::value::{Jet, RunningError, Value};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::{Kink, Loop, Segment, Site, Unbranched};
use crate::sim::events::modes::evaluation::algebraic_loops::{LoopFault, eliminate, is_rounding};
use crate::sim::events::modes::kink_branches::Branches;
use crate::sim::events::modes::kink_branches::branch_value;
use crate::sim::events::modes::kink_branches::margin;
use crate::tape::{Code, Op, Pieces};

/// The ops of a loop with the kinks in them.
struct Knot<'a> {
    inner: &'a Loop,
    /// Per op its kink.
    kinks: Vec<Option<Kink>>,
}

impl Knot<'_> {
    fn run<V: Value>(
        &self,
        slots: &mut [V],
        mut side: impl FnMut(usize, &Op, V, V) -> (Side, f64),
    ) {
        for (number, op) in self.inner.ops.iter().enumerate() {
            let all = [op.out, op.a, op.b].map(|slot| slots[slot as usize]);
            slots[op.out as usize] = match self.kinks[number] {
                None => V::apply(op.code, all[0], all[1], all[2]),
                Some(_) => {
                    let (side, step) = side(number, op, all[1], all[2]);
                    branch_value(op.code, side, step, all)
                }
            };
        }
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
                _ if z == 0.0 => given[number],
                _ => (Side::of(z), 0.0),
            };
            sides[number]
        });
        sides
    }

    fn residual(&self, slots: &[f64]) -> Vec<f64> {
        let pairs = self.inner.unknowns.iter().zip(&self.inner.results);
        pairs
            .map(|((unknown, _), result)| slots[result.index()] - slots[unknown.index()])
            .collect()
    }

    /// True if unknowns and results agree up to rounding.
    fn is_solved(&self, slots: &[f64], residual: &[f64]) -> bool {
        let sizes = self
            .inner
            .results
            .iter()
            .map(|slot| slots[slot.index()].abs());
        let scale = sizes.fold(f64::MIN_POSITIVE, f64::max);
        let most = residual.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
        residual.iter().all(|r| r.is_finite())
            && (most <= 4.0 * f64::EPSILON * scale
                || is_rounding(&self.inner.ops, self.inner, slots))
    }

    /// A Newton step on some branches; false if there is none.
    fn step(&self, slots: &mut [f64], sides: &[(Side, f64)]) -> bool {
        self.run(slots, |number, _, _, _| sides[number]);
        let mut right = self.residual(slots);
        let m = right.len();
        let mut matrix = vec![0.0; m * m];
        let mut duals: Vec<Jet<2>> = slots.iter().map(|&value| Jet([value, 0.0])).collect();
        for column in 0..m {
            let unknown = self.inner.unknowns[column].0.index();
            duals[unknown] = Jet([slots[unknown], 1.0]);
            self.run(&mut duals, |number, _, _, _| sides[number]);
            for (row, result) in self.inner.results.iter().enumerate() {
                let identity = f64::from(u8::from(row == column));
                matrix[row * m + column] = identity - duals[result.index()].0[1];
            }
            duals[unknown] = Jet([slots[unknown], 0.0]);
        }
        if eliminate(&mut matrix, &mut right) == 0 {
            return false;
        }
        for ((slot, _), change) in self.inner.unknowns.iter().zip(&right) {
            slots[slot.index()] += change;
        }
        true
    }

    /// Newton's method on the branches that values ask for.
    fn solve(&self, slots: &mut [f64], held: &[(Side, f64)]) -> bool {
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
    fn solutions(&self, slots: &[f64], held: &[(Side, f64)]) -> Vec<Vec<f64>> {
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
    fn jump_past(&self, slots: &[f64], held: &[(Side, f64)]) -> Option<(f64, BorderId)> {
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

/// Newton steps before the branches that values ask for count as not settling.
const MAX_NEWTON: usize = 40;

/// All branches of so many kinks are tried.
const MOST_KINKS: usize = 10;

/// One unknown is bracketed between so many powers of two of its size, up and down.
const REACH: std::ops::Range<i32> = -30..40;

/// Goes through the computations by value.
///
/// Shapes: `slots`: those of the mode, inputs set; `reals`: from which unknowns are sought.
pub(super) fn walk(
    unbranched: &Unbranched,
    slots: &mut [f64],
    reals: &[f64],
    branches: &mut Branches<'_>,
    several: &mut Vec<Vec<crate::ids::RelationId>>,
) -> Result<(), LoopFault> {
    let mut numbers: Vec<RunningError<1>> = slots
        .iter()
        .map(|&value| RunningError::constant(value))
        .collect();
    let mut sites = unbranched.sites.iter().peekable();
    let mut done = 0;
    for segment in &unbranched.segments {
        let ops = match segment {
            Segment::Ops(ops) => ops,
            Segment::Loop(inner) => {
                let mut kinks = vec![None; inner.ops.len()];
                let mut ahead = sites.clone();
                while let Some(Site { position, kink }) =
                    ahead.next_if(|site| site.position < done + inner.ops.len())
                {
                    kinks[position - done] = Some(*kink);
                }
                let knot = Knot { inner, kinks };
                if knot.kinks.iter().any(Option::is_some) {
                    solve_knot(&knot, slots, &mut numbers, reals, branches, several)?;
                } else {
                    solve_smooth(&knot, slots, &mut numbers, reals)?;
                }
                &inner.ops
            }
        };
        for (number, op) in ops.iter().enumerate() {
            let all = [op.out, op.a, op.b].map(|slot| numbers[slot as usize]);
            let site = sites.next_if(|site| site.position == done + number);
            let result = match site {
                Some(site) if op.code.pieces().is_some() => {
                    let (side, step) = branches.decide(site.kink, &margin(op, all[1], all[2]));
                    branch_value(op.code, side, step, all)
                }
                _ => RunningError::apply(op.code, all[0], all[1], all[2]),
            };
            numbers[op.out as usize] = result;
            slots[op.out as usize] = result.series.0[0];
        }
        done += ops.len();
    }
    Ok(())
}

fn fault(inner: &Loop) -> LoopFault {
    LoopFault {
        rows: inner.rows.clone(),
        singular: false,
    }
}

fn begin(inner: &Loop, slots: &mut [f64], reals: &[f64]) {
    for &(slot, real) in &inner.unknowns {
        slots[slot.index()] = reals[real.index()];
    }
}

/// The unknowns carry the rounding errors that the end of Newton's method leaves.
fn note_unknowns(inner: &Loop, slots: &[f64], numbers: &mut [RunningError<1>]) {
    for &(slot, _) in &inner.unknowns {
        let value = slots[slot.index()];
        numbers[slot.index()] = RunningError {
            series: Jet([value]),
            bound: [8.0 * f64::EPSILON * value.abs()],
        };
    }
}

fn solve_smooth(
    knot: &Knot<'_>,
    slots: &mut [f64],
    numbers: &mut [RunningError<1>],
    reals: &[f64],
) -> Result<(), LoopFault> {
    begin(knot.inner, slots, reals);
    let none = vec![(Side::On, 0.0); knot.kinks.len()];
    if !knot.solve(slots, &none) {
        return Err(fault(knot.inner));
    }
    note_unknowns(knot.inner, slots, numbers);
    Ok(())
}

/// Values that depend on each other through kinks.
fn solve_knot(
    knot: &Knot<'_>,
    slots: &mut [f64],
    numbers: &mut [RunningError<1>],
    reals: &[f64],
    branches: &mut Branches<'_>,
    several: &mut Vec<Vec<crate::ids::RelationId>>,
) -> Result<(), LoopFault> {
    begin(knot.inner, slots, reals);
    let held = |kink: &Option<Kink>| match kink {
        Some(Kink::Border(view)) => (view.side(branches.sides[view.border.index()]), 0.0),
        Some(Kink::Staircase(staircase, _)) => (Side::On, branches.steps[*staircase]),
        None => (Side::On, 0.0),
    };
    let held: Vec<(Side, f64)> = knot.kinks.iter().map(held).collect();
    let start = slots.to_vec();
    if !knot.solve(slots, &held) {
        slots.copy_from_slice(&start);
        let found = knot.solutions(slots, &held);
        let far = |solution: &Vec<f64>| {
            let pairs = solution.iter().zip(&knot.inner.unknowns);
            pairs
                .map(|(value, (slot, _))| (value - start[slot.index()]).abs())
                .fold(0.0, f64::max)
        };
        let nearest = found.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        let Some(nearest) = nearest else {
            let Some((solution, border)) = knot.jump_past(slots, &held) else {
                return Err(fault(knot.inner));
            };
            let [(unknown, _)] = knot.inner.unknowns[..] else {
                unreachable!("only loops of one unknown are bracketed");
            };
            slots[unknown.index()] = solution;
            branches.jumping.push(border);
            note_unknowns(knot.inner, slots, numbers);
            return Ok(());
        };
        for (value, (slot, _)) in nearest.iter().zip(&knot.inner.unknowns) {
            slots[slot.index()] = *value;
        }
        if found.len() > 1 {
            several.push(knot.inner.rows.clone());
        }
    }
    note_unknowns(knot.inner, slots, numbers);
    Ok(())
}
