//! Which rows of a mode must stand before which.

use std::collections::HashSet;

use crate::ids::RealId;
use crate::lower::flow::Action;
use crate::model::{Argument, Expr};

use super::rows::Lowering;
use super::versions::{Writers, versions_read};

impl Lowering<'_> {
    pub(super) fn writers(&self, row: Option<usize>, real: RealId) -> Writers {
        versions_read(self.flow, self.corners, row, real)
    }

    /// The reals that stand in a row's arguments.
    fn arguments(&self, row: usize, mut each: impl FnMut(RealId)) {
        let relation = &self.model.relations[self.flow.rows[row].relation.index()];
        for arg in &relation.args {
            if let Argument::Real(expr) = arg {
                self.model.exprs.visit(*expr, |_, node| {
                    if let Expr::Real(id) = node {
                        each(*id);
                    }
                });
            }
        }
    }

    /// The rows whose values an active row reads.
    pub(super) fn reads(&self, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        if !self.active[row] {
            return rows;
        }
        match self.flow.rows[row].action {
            Action::Steady(_) | Action::Zero | Action::Relay(_) | Action::Delay(_) => {}
            Action::Derivative => return self.reads_for_slope(row),
            Action::Value | Action::Rate | Action::Smoothing => self.arguments(row, |id| {
                rows.extend(self.writers(Some(row), id).iter().map(|(row, _)| *row));
            }),
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
                        Action::Value | Action::Derivative
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
