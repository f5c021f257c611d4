//! Computations of a mode -> the pattern of its Jacobian, and groups of columns that one pass with derivatives gives together.

use std::rc::Rc;
use std::sync::Arc;

use crate::backend::sparse_derivatives::{Dependence, Group, Set, groups, union};
use crate::ids::RealId;
use crate::lower::mode::{Loop, Mode, Segment};
use crate::sim::events::modes::evaluation::affine::rates::Linear;
use crate::tape::Slot;
use rustc_hash::FxHashSet;
use situ_solve::Pattern;

/// The structure of a mode's Jacobian.
#[derive(Clone, Debug)]
pub(crate) struct Sparsity {
    pub(crate) pattern: Arc<Pattern>,
    /// Columns of which no two have an entry in the same row.
    pub(super) groups: Vec<Group>,
    /// Rows that depend on the time.
    pub(super) in_time: Vec<usize>,
}

impl Sparsity {
    /// Of a mode that is computed op by op.
    ///
    /// Shapes: `unknowns`: algebraic components behind the states; their rows are the gaps of their loops, and the rows of the
    ///         states have their diagonal then.
    pub(super) fn of(mode: &Mode, unknowns: &[(Slot, RealId)]) -> Self {
        let n_states = mode.states.len();
        let n = n_states + unknowns.len();
        let mut dependence = Dependence::new(mode.tape.n_slots as usize);
        for (index, real) in mode.states.iter().enumerate() {
            dependence.sets[real.index()] = Some(Rc::new(vec![index]));
        }
        let time = Some(Rc::new(vec![n]));
        dependence.sets[mode.time.index()].clone_from(&time);
        for (_, value, slope) in &mode.delays.fixed {
            dependence.sets[value.index()].clone_from(&time);
            dependence.sets[slope.index()] = None;
        }
        let mut gaps: Vec<Set> = Vec::new();
        for segment in &mode.flow {
            match segment {
                Segment::Ops(ops) => dependence.follow(ops),
                Segment::Loop(inner) => match unknowns.get(gaps.len()) {
                    Some((first, _)) if *first == inner.unknowns[0].0 => {
                        let component = n_states + gaps.len();
                        gaps.extend(follow_components(&mut dependence, inner, component));
                    }
                    _ => follow_loop(&mut dependence, inner),
                },
            }
        }
        let mut in_time = Vec::new();
        let rates = mode.rates.iter();
        let rates = rates.map(|rate| dependence.sets[rate.index()].clone());
        let rows = rates.chain(gaps).enumerate();
        let rows: Vec<Vec<usize>> = rows
            .map(|(row, set)| {
                let mut columns = set.as_deref().cloned().unwrap_or_default();
                if columns.last() == Some(&n) {
                    columns.pop();
                    in_time.push(row);
                }
                if row < n_states && !unknowns.is_empty() {
                    columns.push(row);
                }
                columns
            })
            .collect();
        let pattern = Pattern::from_rows(&rows);
        Self {
            groups: groups(&pattern),
            pattern: Arc::new(pattern),
            in_time,
        }
    }

    /// Of rates that are a matrix; its entries are known, and there is nothing to group.
    pub(super) fn of_matrix(linear: &Linear) -> Self {
        let columns = |row| {
            let terms = linear.row(row).iter();
            terms.map(|term| term.column as usize).collect()
        };
        let rows: Vec<Vec<usize>> = (0..linear.offsets.len()).map(columns).collect();
        Self {
            pattern: Arc::new(Pattern::from_rows(&rows)),
            groups: Vec::new(),
            in_time: Vec::new(),
        }
    }
}

/// Of a loop whose unknowns are components from a number on: what its gaps depend on.
fn follow_components(dependence: &mut Dependence, inner: &Loop, component: usize) -> Vec<Set> {
    let own = |at: usize| Some(Rc::new(vec![component + at]));
    for (at, (slot, _)) in inner.unknowns.iter().enumerate() {
        dependence.sets[slot.index()] = own(at);
    }
    dependence.follow(&inner.ops);
    let results = inner.results.iter().enumerate();
    let gap = |(at, slot): (usize, &Slot)| match at < inner.implicit {
        true => dependence.sets[slot.index()].clone(),
        false => {
            let read = std::mem::replace(&mut dependence.sets[slot.index()], own(at));
            union(&read, &own(at))
        }
    };
    results.map(gap).collect()
}

/// In a loop each unknown depends on all that comes in.
fn follow_loop(dependence: &mut Dependence, inner: &Loop) {
    for (slot, _) in &inner.unknowns {
        dependence.sets[slot.index()] = None;
    }
    dependence.follow(&inner.ops);
    let results = inner.results.iter();
    let all = results.fold(None, |all, slot| {
        union(&all, &dependence.sets[slot.index()])
    });
    for (slot, _) in &inner.unknowns {
        dependence.sets[slot.index()].clone_from(&all);
    }
    dependence.follow(&inner.ops);
}

/// The states on which a slot of a margin depends.
pub(super) fn states_read_by(mode: &Mode, margin: Slot) -> Vec<usize> {
    let mut dependence = Dependence::new(mode.tape.n_slots as usize);
    for (index, real) in mode.states.iter().enumerate() {
        dependence.sets[real.index()] = Some(Rc::new(vec![index]));
    }
    for segment in &mode.tests {
        match segment {
            Segment::Ops(ops) => dependence.follow(ops),
            Segment::Loop(inner) => follow_loop(&mut dependence, inner),
        }
    }
    let read = dependence.sets[margin.index()].as_deref();
    read.cloned().unwrap_or_default()
}

/// The least order in which a derivative of one of these states need not be 0, as far as the structure of the rates tells;
/// `None` if they all rest for good.
///
/// `moves`: whether the rate of a state is not 0; `reads`: the states that it reads; `in_time`: whether it reads the time.
pub(super) fn first_to_move<R: Iterator<Item = usize>>(
    of: Vec<usize>,
    moves: impl Fn(usize) -> bool,
    reads: impl Fn(usize) -> R,
    in_time: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut reached: FxHashSet<usize> = of.iter().copied().collect();
    let mut layer = of;
    let mut order = 1;
    while !layer.is_empty() {
        if layer.iter().any(|&state| moves(state)) {
            return Some(order);
        }
        order += 1;
        if layer.iter().any(|&state| in_time(state)) {
            return Some(order);
        }
        let read = layer.iter().flat_map(|&state| reads(state));
        layer = read.filter(|&state| reached.insert(state)).collect();
    }
    None
}
