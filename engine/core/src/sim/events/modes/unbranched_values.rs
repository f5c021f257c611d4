//! The computations of a mode with the kinks in them, gone through by value: which branches values ask for, loops solved
//! on the way.

use crate::backend::value::{Jet, RunningError, Value};
use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::{Kink, Loop, Segment, Site, Unbranched};
use crate::sim::events::iteration::row_programs::beyond_rounding;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::kink_branches::{Branches, branch_value, margin};
use crate::sim::events::modes::kinked_loops::Knot;
use crate::tape::{Code, MarginOf, Pieces, Slot};

/// What is found of loops through kinks.
#[derive(Default)]
pub(super) struct KinkedSolutions {
    /// Their unknowns that are reals, with the values that solve them.
    pub(super) unknowns: Vec<(Slot, RealId, f64)>,
    /// The rows of those that have several solutions.
    pub(super) several: Vec<Vec<RelationId>>,
}

/// Goes through the computations by value.
///
/// Shapes: `slots`: those of the mode, inputs set; `reals`: from which unknowns are sought.
pub(super) fn walk(
    unbranched: &Unbranched,
    slots: &mut [f64],
    reals: &[f64],
    branches: &mut Branches<'_>,
    kinked: &mut KinkedSolutions,
) -> Result<(), ValueFault> {
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
                let mut knot = Knot::of(inner, kinks);
                if knot.kinks.iter().any(Option::is_some) {
                    solve_knot(&mut knot, slots, &mut numbers, reals, branches, kinked)?;
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
                    let margin = margin(op, all[1], all[2]);
                    let (side, step) = branches.decide(site.kink, &margin);
                    let value = branch_value(op.code, side, step, all);
                    match margin.series.0[0] == 0.0 {
                        true => value_on_border(op.code, value, all),
                        false => value,
                    }
                }
                _ => value_of(op.code, all),
            };
            numbers[op.out as usize] = result;
            slots[op.out as usize] = result.series.0[0];
        }
        done += ops.len();
    }
    Ok(())
}

/// The value of a kink whose margin is computed to be 0. Where the branches meet it is that of each of them, and as exact as
/// the best: an event may put a state there.
fn value_on_border(
    code: Code,
    value: RunningError<1>,
    [_, a, b]: [RunningError<1>; 3],
) -> RunningError<1> {
    let bound = match code.pieces() {
        Some(Pieces::Bend(MarginOf::First, _)) => 0.0,
        Some(Pieces::Bend(MarginOf::Difference, _)) => a.bound[0].min(b.bound[0]),
        _ => return value,
    };
    RunningError {
        bound: [bound],
        ..value
    }
}

/// The value of an op. Nothing bounds a quotient by what is 0 up to rounding, nor its logarithm.
fn value_of(code: Code, [old, a, b]: [RunningError<1>; 3]) -> RunningError<1> {
    let mut value = RunningError::apply(code, old, a, b);
    let at_pole = match code {
        Code::Div => beyond_rounding(&b) == 0.0,
        Code::Ln => beyond_rounding(&a) == 0.0,
        _ => false,
    };
    if at_pole {
        value.bound = [f64::INFINITY];
    }
    value
}

/// The loops with kinks in them.
pub(crate) fn knots(unbranched: &Unbranched) -> impl Iterator<Item = Knot<'_>> {
    let mut done = 0;
    unbranched.segments.iter().filter_map(move |segment| {
        let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
        let from = done;
        done += ops.len();
        let Segment::Loop(inner) = segment else {
            return None;
        };
        let mut kinks = vec![None; ops.len()];
        for site in &unbranched.sites {
            if (from..done).contains(&site.position) {
                kinks[site.position - from] = Some(site.kink);
            }
        }
        let is_kinked = kinks.iter().any(Option::is_some);
        is_kinked.then(|| Knot::of(inner, kinks))
    })
}

/// The rows of the loop in which a kink with a border is.
pub(crate) fn loop_around(unbranched: &Unbranched, border: BorderId) -> Option<Vec<RelationId>> {
    let is_own = |kink: Kink| matches!(kink, Kink::Border(view) if view.border == border);
    let mut all = knots(unbranched);
    let own = all.find(|knot| knot.kinks.iter().flatten().any(|&kink| is_own(kink)))?;
    Some(own.inner.rows.clone())
}

fn fault(inner: &Loop) -> ValueFault {
    ValueFault::Loop {
        rows: inner.rows.clone(),
        singular: false,
        at_bounds: None,
    }
}

/// The unknowns carry the rounding errors that the end of Newton's method leaves.
fn note_unknowns(knot: &Knot<'_>, slots: &[f64], numbers: &mut [RunningError<1>]) {
    for (&(slot, _), error) in knot.inner.unknowns.iter().zip(&knot.errors) {
        let value = slots[slot.index()];
        numbers[slot.index()] = RunningError {
            series: Jet([value]),
            bound: [error.max(8.0 * f64::EPSILON * value.abs())],
        };
    }
}

fn solve_smooth(
    knot: &Knot<'_>,
    slots: &mut [f64],
    numbers: &mut [RunningError<1>],
    reals: &[f64],
) -> Result<(), ValueFault> {
    knot.inner.put_guess(slots, reals);
    let none = vec![(Side::On, 0.0); knot.kinks.len()];
    if !knot.solve(slots, &none) {
        return Err(fault(knot.inner));
    }
    note_unknowns(knot, slots, numbers);
    Ok(())
}

/// Values that depend on each other through kinks. Solutions beyond the ends of lookups count only where there are no others.
fn solve_knot(
    knot: &mut Knot<'_>,
    slots: &mut [f64],
    numbers: &mut [RunningError<1>],
    reals: &[f64],
    branches: &mut Branches<'_>,
    kinked: &mut KinkedSolutions,
) -> Result<(), ValueFault> {
    knot.inner.put_guess(slots, reals);
    let held = knot.held((&branches.sides, &branches.steps));
    let start = slots.to_vec();
    knot.find_noise(slots, numbers, &held, branches.left);
    let mut is_found = false;
    for beyond_ends in [false, true] {
        knot.beyond_ends = beyond_ends;
        is_found = is_found || find_nearest(knot, slots, &start, &held, &mut kinked.several);
    }
    let unknowns = &knot.inner.unknowns;
    if is_found {
        let values = unknowns
            .iter()
            .filter(|(_, real)| real.index() < reals.len());
        let found = values.map(|&(slot, real)| (slot, real, slots[slot.index()]));
        kinked.unknowns.extend(found);
    } else {
        let Some((solution, border)) = knot.jump_past(slots, &held) else {
            return Err(fault(knot.inner));
        };
        let [(unknown, _)] = unknowns[..] else {
            unreachable!("only loops of one unknown are bracketed");
        };
        slots[unknown.index()] = solution;
        branches.jumping.push(border);
    }
    note_unknowns(knot, slots, numbers);
    Ok(())
}

/// Finds the solution to which Newton's method leads, or else the nearest one; false if there is none, the unknowns are
/// then where the search began.
fn find_nearest(
    knot: &Knot<'_>,
    slots: &mut [f64],
    start: &[f64],
    held: &[(Side, f64)],
    several: &mut Vec<Vec<RelationId>>,
) -> bool {
    if knot.solve(slots, held) {
        return true;
    }
    slots.copy_from_slice(start);
    let found = knot.solutions(slots, held);
    let far = |solution: &Vec<f64>| {
        let pairs = solution.iter().zip(&knot.inner.unknowns);
        pairs
            .map(|(value, (slot, _))| (value - start[slot.index()]).abs())
            .fold(0.0, f64::max)
    };
    let Some(nearest) = found.iter().min_by(|a, b| far(a).total_cmp(&far(b))) else {
        return false;
    };
    for (value, (slot, _)) in nearest.iter().zip(&knot.inner.unknowns) {
        slots[slot.index()] = *value;
    }
    if found.len() > 1 {
        several.push(knot.inner.rows.clone());
    }
    true
}
