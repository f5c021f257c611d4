//! Which rows of a mode must stand before which, and which of its computations some results need.

use rustc_hash::FxHashSet;
use std::collections::HashSet;

use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::lower::flow::Action;
use crate::model::{Argument, Expr};
use crate::tape::{Op, Slot};

use super::rows::Lowering;
use super::versions::{Writers, versions_read};
use super::{Cut, Margin, Segment};

impl Lowering<'_> {
    pub(super) fn writers(&self, row: Option<usize>, real: RealId) -> Writers {
        if let Some(choice) = self.shares.choice(real) {
            return choice.rows.iter().map(|&row| (row, 1)).collect();
        }
        versions_read(self.flow, self.corners, row, real)
    }

    /// The reals that stand in a row's arguments; of a delay those in its length, for the rest is of the past.
    fn arguments(&self, row: usize, mut each: impl FnMut(RealId)) {
        let relation = &self.emitter.model.relations[self.flow.rows[row].relation.index()];
        let past = usize::from(matches!(self.flow.rows[row].action, Action::Delay(_)));
        for arg in &relation.args[past..] {
            if let Argument::Real(expr) = arg {
                self.emitter.model.exprs.visit(*expr, |_, node| {
                    if let Expr::Real(id) = node {
                        each(*id);
                    }
                });
            }
        }
    }

    /// The unknowns of the row that one of them belongs to.
    pub(super) fn group(&self, row: usize) -> std::ops::Range<usize> {
        let Action::Solved(number) = self.flow.rows[row].action else {
            return row..row;
        };
        let first = row - number as usize;
        let relation = &self.emitter.model.relations[self.flow.rows[row].relation.index()];
        first..first + relation.targets.len()
    }

    /// The rows whose values an active row reads.
    pub(super) fn reads(&self, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        if !self.active[row] {
            return rows;
        }
        match self.flow.rows[row].action {
            Action::Steady(_) | Action::Zero | Action::Relay(_) => {}
            Action::Derivative => return self.reads_for_slope(row),
            Action::Value | Action::Rate | Action::Smoothing | Action::Delay(_) => {
                self.arguments(row, |id| {
                    rows.extend(self.writers(Some(row), id).iter().map(|(row, _)| *row));
                })
            }
            Action::Solved(number) => {
                // All that a row solves for is found at once: a circle through its unknowns, of which the first reads for all.
                let group = self.group(row);
                rows.push(if row + 1 < group.end {
                    row + 1
                } else {
                    group.start
                });
                if number == 0 {
                    self.arguments(row, |id| {
                        rows.extend(self.writers(Some(row), id).iter().map(|(row, _)| *row));
                    });
                }
            }
            Action::Saturation => {
                rows = self.reads_for_slope(row);
                let writers = self.flow.writers[self.flow.rows[row].target.index()].iter();
                let moves = |&&other: &&usize| {
                    let saturates = self.flow.rows[other].action == Action::Saturation;
                    self.active[other] && !self.flow.rows[other].action.is_value() && !saturates
                };
                rows.extend(writers.clone().filter(moves));
                rows.retain(|&other| {
                    other < row || self.flow.rows[other].action != Action::Saturation
                });
            }
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The rows that must stand before a derivative: those that its argument follows from, and the
    /// rates of the states among what these read.
    fn reads_for_slope(&self, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![row];
        while let Some(reader) = open.pop() {
            self.arguments(reader, |id| {
                let writers = self.writers(Some(reader), id);
                if writers.is_empty() {
                    let all = self.flow.writers[id.index()].iter().copied();
                    rows.extend(all.filter(|&row| self.active[row]));
                }
                for &(writer, _) in &writers {
                    rows.push(writer);
                    let follows = matches!(
                        self.flow.rows[writer].action,
                        Action::Value | Action::Solved(_) | Action::Derivative | Action::Delay(_)
                    );
                    if follows && seen.insert(writer) {
                        open.push(writer);
                    }
                }
            });
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// The unknowns of a loop that reads what cannot be bounded over a piece of a step cannot be bounded either.
pub(super) fn mark_opaque_loops(ops: &[Op], cuts: &[Cut], opaque: &mut [bool]) {
    let mut known = opaque.to_vec();
    let follow = |ops: &[Op], known: &mut [bool]| {
        let mut any = false;
        for op in ops {
            let depends = known[op.a as usize] || known[op.b as usize];
            known[op.out as usize] |= depends;
            any |= depends;
        }
        any
    };
    let mut done = 0;
    for cut in cuts {
        follow(&ops[done..cut.start], &mut known);
        if follow(&ops[cut.start..cut.end], &mut known) {
            for (slot, _) in &cut.unknowns {
                opaque[slot.index()] = true;
                known[slot.index()] = true;
            }
            follow(&ops[cut.start..cut.end], &mut known);
        }
        done = cut.end;
    }
}

/// The slots of margins that tell how the motion goes on: of borders that comparisons have, and of bounds of states.
pub(super) fn told_by(
    margins: &[Margin],
    compared: FxHashSet<BorderId>,
) -> impl Iterator<Item = Slot> {
    let tells =
        move |margin: &&Margin| !margin.bounds.is_empty() || compared.contains(&margin.border);
    margins.iter().filter(tells).map(|margin| margin.slot)
}

/// The parts of the computation that the given slots need.
pub(crate) fn needed(
    all: &[Segment],
    slots: impl Iterator<Item = Slot>,
    n_slots: usize,
) -> Vec<Segment> {
    let mut wanted = vec![false; n_slots];
    for slot in slots {
        wanted[slot.index()] = true;
    }
    let mut kept = Vec::new();
    for segment in all.iter().rev() {
        match segment {
            Segment::Ops(ops) => {
                let mut some: Vec<Op> = Vec::new();
                for op in ops.iter().rev() {
                    if wanted[op.out as usize] {
                        wanted[op.a as usize] = true;
                        wanted[op.b as usize] = true;
                        some.push(*op);
                    }
                }
                some.reverse();
                if !some.is_empty() {
                    kept.push(Segment::Ops(some.into()));
                }
            }
            Segment::Loop(inner) => {
                let outs = inner.ops.iter().map(|op| op.out);
                let unknowns = inner.unknowns.iter().map(|(slot, _)| slot.0);
                if outs.chain(unknowns).any(|slot| wanted[slot as usize]) {
                    for op in &*inner.ops {
                        wanted[op.a as usize] = true;
                        wanted[op.b as usize] = true;
                    }
                    let bounds = inner.bounds.iter().flatten().flatten();
                    let given = inner.results.iter().chain(bounds);
                    given.for_each(|slot| wanted[slot.index()] = true);
                    kept.push(segment.clone());
                }
            }
        }
    }
    kept.reverse();
    kept
}
