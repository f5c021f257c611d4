//! Rows in a circle, and rows that are solved: their values are unknowns of a part of the tape, which computes what these
//! must be equal to, and residuals that must vanish.

use crate::backend::sparse_derivatives::FEW;
use crate::graph::components;
use crate::ids::{RealId, RelationId};
use crate::lower::border::BorderSource;
use crate::lower::flow::{Action, FlowRow};
use crate::tape::{Code, Op, Slot};

use super::rows::{Lowering, reader};
use super::systems::linear_unknowns;
use super::systems::roots::Equation;
use super::systems::signed_squares::{InSquare, in_signed_square};
use super::systems::triangular::{Triangular, split, taken_apart};
use super::versions::Versions;
use super::{Cut, ModeError};

impl Lowering<'_> {
    /// Emits rows in a circle, as a part of the tape that is solved.
    pub(super) fn circle(&mut self, rows: &[usize]) -> Result<(), ModeError> {
        let mut all = rows.iter();
        if let Some(&row) = all.find(|&&row| self.flow.rows[row].action == Action::Derivative) {
            return Err(ModeError::DerivativeInLoop(self.flow.rows[row].relation));
        }
        for &row in rows {
            let FlowRow { target, action, .. } = self.flow.rows[row];
            if matches!(action, Action::Solved(_)) {
                continue;
            }
            let writers = &self.flow.writers[target.index()];
            let integrated = self.corners.iter().any(|corner| {
                let rate = |&writer: &usize| {
                    corner.active[writer] && !self.flow.rows[writer].action.is_value()
                };
                corner.active[row] && writers.iter().any(rate)
            });
            if integrated {
                return Err(ModeError::ClampReadsItself(self.flow.rows[row].relation));
            }
        }
        let is_solved = |&row: &usize| matches!(self.flow.rows[row].action, Action::Solved(_));
        let (solved, others): (Vec<usize>, Vec<usize>) = rows.iter().copied().partition(is_solved);
        let mut found = Vec::with_capacity(solved.len());
        for &row in &solved {
            let (slot, target) = (self.emitter.asm.slot(), self.flow.rows[row].target);
            self.versions[row] = Some(slot);
            if self.is_final(row, target) {
                self.stated.push((slot, target));
            }
            found.push((slot, target));
        }
        let start = self.emitter.asm.len();
        for row in self.without(others, &solved) {
            self.row(row)?;
        }
        let (residuals, bounds) = self.residuals(&solved);
        let start = self.behind_fixed_kinks(start, &found);
        let mut relations: Vec<RelationId> = (rows.iter())
            .map(|&row| self.flow.rows[row].relation)
            .collect();
        relations.dedup();
        let is_free = self.unknowns.is_empty() && bounds.iter().all(Option::is_none);
        if let (true, [(unknown, _)], [relation]) = (is_free, &found[..], &relations[..])
            && self.is_signed_root(start, *unknown, &residuals, *relation)
        {
            return Ok(());
        }
        if is_free && !found.is_empty() && !self.has_branches_from(start) {
            self.systems(start, &found, &residuals, &relations);
            return Ok(());
        }
        let unknowns = std::mem::take(&mut self.unknowns);
        let sought = found.iter().map(|(slot, _)| *slot);
        let sought = sought.chain(unknowns.iter().map(|(_, slot)| *slot));
        let roots = self.signed_roots(start, &sought.collect::<Vec<Slot>>());
        let n_roots: usize = self.cuts.iter().map(|cut| cut.roots.len()).sum();
        let behind_reals = self.emitter.model.reals.len() + n_roots;
        let numbers = (0..roots.len()).map(|number| RealId::new(behind_reals + number));
        for &(row, slot) in &unknowns {
            let target = self.flow.rows[row].target;
            if self.is_final(row, target) {
                self.stated.push((slot, target));
            }
        }
        self.cuts.push(Cut {
            start,
            end: self.emitter.asm.len(),
            implicit: found.len() + roots.len(),
            bounds: bounds
                .into_iter()
                .chain(roots.iter().map(|_| None))
                .collect(),
            results: residuals
                .into_iter()
                .chain(roots.iter().map(|root| root.residual))
                .chain(unknowns.iter().map(|(row, _)| {
                    self.versions[*row].expect("every row of the circle was emitted")
                }))
                .collect(),
            roots: (found.len()..)
                .zip(roots.iter().map(|root| root.of))
                .collect(),
            unknowns: found
                .into_iter()
                .chain(roots.iter().map(|root| root.unknown).zip(numbers))
                .chain(
                    unknowns
                        .into_iter()
                        .map(|(row, slot)| (slot, self.flow.rows[row].target)),
                )
                .collect(),
            rows: relations,
        });
        Ok(())
    }

    /// Computes an unknown as the signed root of what an equation that stands from a place on is solved for; false, and
    /// nothing is changed, unless it is an equation in the signed square of the unknown alone.
    fn is_signed_root(
        &mut self,
        start: usize,
        unknown: Slot,
        residuals: &[Slot],
        relation: RelationId,
    ) -> bool {
        if self.slopes.covers(start) || !self.has_branches_from(start) {
            return false;
        }
        let asm = &mut self.emitter.asm;
        let [square, one] = [asm.slot(), asm.number(1.0)];
        let is_two = |slot: Slot| asm.known_number(slot) == Some(2.0);
        let before = &asm.ops()[start..];
        let Some(InSquare { ops, gone }) = in_signed_square(before, unknown, [square, one], is_two)
        else {
            return false;
        };
        let is_gone = |(position, _): &mut (usize, BorderSource)| {
            gone.iter().any(|place| *position == start + place)
        };
        let (site, edge) = (self.sites.pop_if(is_gone), self.roots.edges.pop_if(is_gone));
        let written = (!self.has_branches_from(start)).then(|| {
            let before = self.emitter.asm.take_from(start);
            self.emitter.asm.append(&ops);
            before
        });
        let asm = &mut self.emitter.asm;
        let is_solved = written.is_some()
            && linear_unknowns::solved(asm, start, &[square], residuals, &mut self.fixed);
        if !is_solved {
            if let Some(before) = written {
                asm.take_from(start);
                asm.append(&before);
            }
            self.sites.extend(site);
            self.roots.edges.extend(edge);
            return false;
        }
        let since = asm.len();
        let sign = asm.unary(Code::Sign, square);
        let size = asm.unary(Code::Abs, square);
        let root = asm.unary(Code::Sqrt, size);
        asm.op_into(unknown, Code::Mul, sign, root);
        self.note_edges(since, relation);
        self.note_kinks(since, |ordinal| BorderSource::RowKink(relation, ordinal));
        true
    }

    /// Takes equations, which stand from a place on and have no branches, apart into systems; those whose unknowns
    /// enter linearly are computed, the others become loops.
    fn systems(
        &mut self,
        start: usize,
        found: &[(Slot, RealId)],
        residuals: &[Slot],
        rows: &[RelationId],
    ) {
        let unknowns: Vec<Slot> = found.iter().map(|(slot, _)| *slot).collect();
        let ops = &self.emitter.asm.ops()[start..];
        let Some(Triangular { free, systems }) = taken_apart(ops, &unknowns, residuals) else {
            return self.system(start, found.to_vec(), residuals.to_vec(), rows);
        };
        self.emitter.asm.take_from(start);
        self.emitter.asm.append(&free);
        for system in systems {
            let start = self.emitter.asm.len();
            self.emitter.asm.append(&system.ops);
            let own = system.unknowns.iter().map(|&at| found[at]).collect();
            let results = system.equations.iter().map(|&at| residuals[at]).collect();
            self.system(start, own, results, rows);
            self.emitter.asm.append(&system.behind);
        }
    }

    /// Equations that stand from a place on and are solved together.
    fn system(
        &mut self,
        start: usize,
        unknowns: Vec<(Slot, RealId)>,
        results: Vec<Slot>,
        rows: &[RelationId],
    ) {
        let asm = &mut self.emitter.asm;
        let slots: Vec<Slot> = unknowns.iter().map(|(slot, _)| *slot).collect();
        if slots.len() <= FEW
            && linear_unknowns::solved(asm, start, &slots, &results, &mut self.fixed)
        {
            return;
        }
        self.cuts.push(Cut {
            start,
            end: asm.len(),
            implicit: unknowns.len(),
            bounds: vec![None; unknowns.len()],
            unknowns,
            roots: Vec::new(),
            results,
            rows: rows.to_vec(),
        });
    }

    /// Makes unknowns of the signed roots in a loop that stands from a place on.
    fn signed_roots(&mut self, start: usize, unknowns: &[Slot]) -> Vec<Equation> {
        if self.slopes.covers(start) {
            return Vec::new();
        }
        let asm = &mut self.emitter.asm;
        let equations = self.roots.solved_for(asm, start, unknowns, &self.sites);
        let sites = self.sites.iter_mut().map(|(position, _)| position);
        let bounds = self.saturations.iter_mut().map(|one| &mut one.position);
        for position in sites.chain(bounds).filter(|position| **position >= start) {
            *position += equations.len();
        }
        equations
    }

    /// The start of a loop behind what does not depend on its unknowns, if there are kinks in that: these have the values
    /// that they would have in a row of their own.
    fn behind_fixed_kinks(&mut self, start: usize, found: &[(Slot, RealId)]) -> usize {
        let has_kinks = self.sites.last().is_some_and(|(last, _)| *last >= start);
        if !has_kinks || self.slopes.covers(start) {
            return start;
        }
        let numbered: Vec<(usize, Op)> = (0..)
            .zip(self.emitter.asm.ops().iter().copied())
            .skip(start)
            .collect();
        let unknowns = found.iter().map(|(slot, _)| *slot);
        let unknowns = unknowns.chain(self.unknowns.iter().map(|(_, slot)| *slot));
        let [dependent, fixed] = split(&numbered, unknowns, |(_, op)| *op);
        let is_kink = |(at, _): &(usize, Op)| self.sites.iter().any(|(site, _)| site == at);
        if !fixed.iter().any(is_kink) {
            return start;
        }
        let behind = start + fixed.len();
        let ordered = [fixed, dependent].concat();
        let mut places = vec![start; ordered.len()];
        for (place, (before, _)) in (start..).zip(&ordered) {
            places[before - start] = place;
        }
        let asm = &mut self.emitter.asm;
        asm.take_from(start);
        let ops: Vec<Op> = ordered.into_iter().map(|(_, op)| op).collect();
        asm.append(&ops);
        let sites = self.sites.iter_mut().map(|(position, _)| position);
        let bounds = self.saturations.iter_mut().map(|one| &mut one.position);
        let edges = self.roots.edges.iter_mut().map(|(position, _)| position);
        for position in sites.chain(bounds).chain(edges) {
            if *position >= start {
                *position = places[*position - start];
            }
        }
        self.sites.sort_by_key(|(position, _)| *position);
        self.saturations.sort_by_key(|one| one.position);
        self.roots.edges.sort_by_key(|(position, _)| *position);
        behind
    }

    /// True if operations from a place on have kinks, ends of their domains, or are looked up by their place.
    fn has_branches_from(&self, start: usize) -> bool {
        let sites = self.sites.last().map(|(position, _)| *position);
        let edges = self.roots.edges.last().map(|(position, _)| *position);
        let bounds = self.saturations.last().map(|one| one.position);
        sites
            .max(edges)
            .max(bounds)
            .is_some_and(|last| last >= start)
    }

    /// Rows of a circle in the order in which they depend on each other once what is solved is known.
    fn without(&self, rows: Vec<usize>, solved: &[usize]) -> Vec<usize> {
        if solved.is_empty() {
            return rows;
        }
        let place = |row: &usize| rows.iter().position(|other| other == row);
        let order = components(rows.len(), |at| {
            self.reads(rows[at]).iter().filter_map(place).collect()
        });
        order.into_iter().flatten().map(|at| rows[at]).collect()
    }

    /// Emits the residuals of rows that are solved, and the bounds of their targets.
    fn residuals(&mut self, solved: &[usize]) -> (Vec<Slot>, Vec<Option<[Slot; 2]>>) {
        let (mut residuals, mut bounds) = (Vec::new(), Vec::new());
        let mut done = 0;
        while let Some(&row) = solved.get(done) {
            let id = self.flow.rows[row].relation;
            let relation = &self.emitter.model.relations[id.index()];
            let n_targets = relation.targets.len();
            let since = self.emitter.asm.len();
            for number in 0..n_targets {
                let mut reader = reader!(self, Some(row));
                let residual = self.emitter.argument(relation, number, &mut reader);
                // A residual is computed in the loop.
                let own = self.emitter.asm.slot();
                self.emitter
                    .asm
                    .op_into(own, Code::Copy, residual, residual);
                residuals.push(own);
            }
            match relation.bounds() {
                Some(exprs) => bounds.push(Some(exprs.map(|expr| {
                    let mut reader = reader!(self, Some(row));
                    self.emitter.expr(expr, &mut reader)
                }))),
                None => bounds.extend(std::iter::repeat_n(None, n_targets)),
            }
            self.note_edges(since, id);
            self.note_kinks(since, |ordinal| BorderSource::RowKink(id, ordinal));
            done += n_targets;
        }
        (residuals, bounds)
    }
}
