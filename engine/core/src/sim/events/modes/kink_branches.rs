//! The branches of kinks at a point: on which side of its border each kink is.
//!
//! What the active rows compute is gone through by value, in the order in which it depends on each other, with rounding
//! bounds: a kink whose operand is beyond rounding takes the side of its value, one whose operand is on its border
//! keeps the side that is held. So kinks may stand in each other's arguments as deep as they like. Values that
//! depend on each other through kinks are found by Newton's method on the branches that the values ask for (a
//! semismooth Newton method); where that comes to no end, all branches of up to ten kinks are tried, and one unknown is
//! bracketed.
//!
//! Sides turned one after another would give wrong branches in silence where kinks lie within each other. Where the
//! sign in a loop jumps past its only solution, the state slides along the border of the sign.

use crate::backend::value::{self, Bounded, Jet, Value};
use crate::lower::border::{BorderId, Side, View};
use crate::lower::mode::{Kink, Loop, Segment, Site, Unbranched};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::row_programs::beyond_rounding;
use crate::sim::events::modes::algebraic_loops::{LoopFault, eliminate, is_rounding};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::loop_fault;
use crate::sim::events::state::HybridState;
use crate::tape::{Code, Op, Pieces};
use crate::trace::What;

/// Newton steps before the branches that values ask for count as not settling.
const MAX_NEWTON: usize = 40;

/// All branches of so many kinks are tried.
const MOST_KINKS: usize = 10;

/// One unknown is bracketed between so many powers of two of its size, up and down.
const REACH: std::ops::Range<i32> = -30..40;

/// The value of an op with a kink on a side of its border, or on a step of its staircase.
fn branch_value<V: Value>(code: Code, side: Side, step: f64, [old, a, b]: [V; 3]) -> V {
    match code.pieces() {
        Some(pieces) => value::piece(pieces, side as usize, step, a, b),
        None => V::apply(code, old, a, b),
    }
}

/// What the side of a kink, or the step of a staircase, follows from.
fn margin<V: Value>(op: &Op, a: V, b: V) -> V {
    let pieces = op.code.pieces();
    pieces.map_or(a, |pieces| value::height(pieces, a, b))
}

/// What has been decided of the kinks, and what of them is held.
struct Branches<'a> {
    /// Per border its side and whether the state lies on it.
    sides: Vec<Side>,
    flags: Vec<(BorderId, bool)>,
    steps: Vec<f64>,
    /// Borders that keep their sides, whatever their value: those to which the motion is bound.
    bound: &'a dyn Fn(BorderId) -> bool,
    /// Whether a margin of a border is what it was when the instant began, on the border.
    stays: &'a dyn Fn(BorderId, f64) -> bool,
    staircases: &'a [crate::lower::border::Piece],
    /// Borders on which an operand has come to lie exactly.
    landed: Vec<BorderId>,
    /// Kinks of a loop whose values jump past its only solution: it lies on their borders.
    jumping: Vec<BorderId>,
}

impl Branches<'_> {
    /// The side of a kink's own margin, and the step of a staircase; notes them.
    fn decide(&mut self, kink: Kink, number: &Bounded<1>) -> (Side, f64) {
        let (z, computed) = (beyond_rounding(number), number.series.0[0]);
        match kink {
            Kink::Border(view) => (self.decide_border(view, z, computed), 0.0),
            Kink::Staircase(staircase) => {
                let ends = self.staircases[staircase];
                let step = self.steps[staircase];
                let end = |at: f64| {
                    let near = Bounded {
                        series: Jet([computed - at]),
                        bound: number.bound,
                    };
                    beyond_rounding(&near)
                };
                let [low, high] = [end(step), end(step + 1.0)];
                let kept = (self.stays)(ends.low, computed - step)
                    || (self.stays)(ends.high, computed - step - 1.0);
                if !kept && (low < 0.0 || high > 0.0) {
                    self.steps[staircase] = computed.floor();
                    self.sides[ends.low.index()] = Side::Plus;
                    self.sides[ends.high.index()] = Side::Minus;
                    let step = self.steps[staircase];
                    self.flags.push((ends.low, end(step) == 0.0));
                    self.flags.push((ends.high, end(step + 1.0) == 0.0));
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
                self.landed.push(border);
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
                Some(Kink::Staircase(_)) => (Side::On, z.floor()),
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

    /// Whether unknowns and results agree up to rounding.
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

    /// Where the one unknown would be its result if the value of a sign in the loop did not jump past that: the unknown,
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
                    Some(Kink::Staircase(_)) => (Side::On, z.floor()),
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

impl EventIteration {
    /// Finds the branches of the kinks of a mode's rows at the present point; the sides of their borders and the steps
    /// of staircases are then those. Whether any has changed.
    pub(super) fn find_branches(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        mode: usize,
    ) -> Result<bool, RunFault> {
        let Some(unbranched) = dynamics.modes.at(mode).mode.unbranched.clone() else {
            return Ok(false);
        };
        let t = state.t;
        let evaluator = dynamics.modes.get(mode);
        evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut dynamics.y);
        evaluator.place_at(&state.past, t, &dynamics.y);
        let mut slots: Vec<f64> = evaluator.slots().to_vec();
        let iteration = &self.iteration;
        let stays = |border: BorderId, z: f64| iteration.stays_begun(border, z);
        let motion = &dynamics.motion;
        let slides = &dynamics.bound.slides;
        let bound = |border: BorderId| motion.bound_to(border) || slides.contains(&border);
        let mut branches = Branches {
            sides: state.discrete.sides.clone(),
            flags: Vec::new(),
            steps: state.steps.clone(),
            bound: &bound,
            stays: &stays,
            staircases: &state.borders.staircases,
            landed: Vec::new(),
            jumping: Vec::new(),
        };
        let mut several = Vec::new();
        let walked = walk(
            &unbranched,
            &mut slots,
            &state.reals,
            &mut branches,
            &mut several,
        );
        let Branches {
            sides,
            flags,
            steps,
            landed,
            jumping,
            ..
        } = branches;
        walked.map_err(|fault| loop_fault(t, fault))?;
        for border in landed {
            crate::sim::events::iteration::microstep::add(&mut self.iteration.landed, border);
        }
        let mut changed = steps != state.steps;
        state.steps = steps;
        for (border, flag) in flags {
            state.discrete.flags.set(border.index(), flag);
        }
        for (index, side) in sides.into_iter().enumerate() {
            if side != state.discrete.sides[index] {
                changed = true;
                self.set_side(state, dynamics, BorderId::new(index), side);
            }
        }
        for rows in several {
            observe.log.note(|| What::SeveralSolutions { rows });
        }
        for border in jumping {
            if dynamics.bound.slides.is_empty() {
                self.slide_through(state, dynamics, observe, border)?;
            }
        }
        Ok(changed)
    }
}

/// Goes through the computations by value.
///
/// Shapes: `slots`: those of the mode, inputs set; `reals`: from which unknowns are sought.
fn walk(
    unbranched: &Unbranched,
    slots: &mut [f64],
    reals: &[f64],
    branches: &mut Branches<'_>,
    several: &mut Vec<Vec<crate::ids::RelationId>>,
) -> Result<(), LoopFault> {
    let mut numbers: Vec<Bounded<1>> = slots
        .iter()
        .map(|&value| Bounded::constant(value))
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
                _ => Bounded::apply(op.code, all[0], all[1], all[2]),
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
fn note_unknowns(inner: &Loop, slots: &[f64], numbers: &mut [Bounded<1>]) {
    for &(slot, _) in &inner.unknowns {
        let value = slots[slot.index()];
        numbers[slot.index()] = Bounded {
            series: Jet([value]),
            bound: [8.0 * f64::EPSILON * value.abs()],
        };
    }
}

fn solve_smooth(
    knot: &Knot<'_>,
    slots: &mut [f64],
    numbers: &mut [Bounded<1>],
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
    numbers: &mut [Bounded<1>],
    reals: &[f64],
    branches: &mut Branches<'_>,
    several: &mut Vec<Vec<crate::ids::RelationId>>,
) -> Result<(), LoopFault> {
    begin(knot.inner, slots, reals);
    let held = |kink: &Option<Kink>| match kink {
        Some(Kink::Border(view)) => (view.side(branches.sides[view.border.index()]), 0.0),
        Some(Kink::Staircase(staircase)) => (Side::On, branches.steps[*staircase]),
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
