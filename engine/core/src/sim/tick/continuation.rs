//! Where a parabola through three ends of ticks may be laid: while the same relations act and nothing jumps that they
//! or the ranges read.

use super::sample::Sheet;
use crate::backend::interpreter::holds;
use crate::lower::Program;
use crate::model::{Argument, Expr, Guard, Model, Relation};
use crate::procedure::Motion;

/// Relations that make, and those that break, the course of the reals from tick to tick.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// Per relation.
    roles: Vec<Role>,
    /// Reals that relations or ranges read and that move by jumps only.
    steps: Vec<usize>,
    /// Per real whether it is written by a relation whose results move steadily.
    pub(super) bends: Vec<bool>,
}

/// Role of a relation for the course of the reals from tick to tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// It makes the way: another begins where it starts or ceases to act.
    Makes,
    /// It acts at events and changes what the way depends on.
    Breaks,
    /// It acts at events and writes what nothing on the way reads.
    Notes,
}

impl Course {
    pub(super) fn new(model: &Model) -> Self {
        let acts_at_events = |row: &Relation| match &row.guard {
            Guard::When(all) => all
                .iter()
                .any(|literal| !literal.negated && model.is_event(literal.what)),
            Guard::Always | Guard::Otherwise => false,
        };
        let made = || model.relations.iter().filter(|row| !acts_at_events(row));
        let mut is_read = vec![false; model.reals.len()];
        let sides = model.ranges.iter().flat_map(|range| &range.all);
        let sides = sides.flat_map(|comparison| [comparison.left, comparison.right]);
        let arguments = made().flat_map(|row| &row.args);
        let arguments = arguments.filter_map(|argument| match argument {
            Argument::Real(expr) => Some(*expr),
            Argument::Boolean(_) => None,
        });
        for expr in sides.chain(arguments) {
            model.exprs.visit(expr, |_, node| {
                if let Expr::Real(id) = node {
                    is_read[id.index()] = true;
                }
            });
        }
        let mut bends = vec![false; model.reals.len()];
        let bending = made().filter(|row| row.procedure.get().motion() != Motion::Held);
        for target in bending.flat_map(|row| &row.targets) {
            bends[target.index()] = true;
        }
        let role = |row: &Relation| {
            let mut targets = row.targets.iter().map(|real| real.index());
            if !acts_at_events(row) {
                Role::Makes
            } else if targets.any(|real| is_read[real] || bends[real]) {
                Role::Breaks
            } else {
                Role::Notes
            }
        };
        let steps = 0..model.reals.len();
        Self {
            roles: model.relations.iter().map(role).collect(),
            steps: steps
                .filter(|&real| is_read[real] && !bends[real])
                .collect(),
            bends,
        }
    }

    /// True if the reals go on as they did in the tick before: the same relations act, and nothing
    /// jumps that they or the ranges read.
    pub(super) fn goes_on(
        &self,
        program: &Program,
        (before, still): (&Sheet, &Sheet),
        now: &[u64],
    ) -> bool {
        let tests = &program.tape.tests;
        let then = before.bits.as_slice();
        let mut rows = program.relation_tests.iter().zip(&self.roles);
        let mut reals = self.steps.iter();
        rows.all(|(test, role)| {
            test.is_none_or(|test| match role {
                Role::Makes => holds(tests, test, now) == holds(tests, test, then),
                Role::Breaks => !holds(tests, test, now),
                Role::Notes => true,
            })
        }) && reals.all(|&real| before.reals[real] == still.reals[real])
    }
}
