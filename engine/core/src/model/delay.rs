//! Delays of a model: which rows are some, and whether their lengths change during a run.

use super::{Argument, Expr, Model, Relation, Scan};
use crate::ids::{ExprId, RelationId};
use crate::procedure::{Body, Memory};

impl Relation {
    /// The length of a delay [units of `time`], if it is one.
    pub fn delay(&self) -> Option<ExprId> {
        match (self.procedure.get().body, self.args.get(1)) {
            (Body::Memory(Memory::Delay), Some(Argument::Real(length))) => Some(*length),
            _ => None,
        }
    }
}

impl Model {
    /// True if a row is a delay whose length stays what it is.
    pub fn has_constant_delay(&self, row: RelationId) -> bool {
        let length = self.relations[row.index()].delay();
        length.is_some_and(|length| self.exprs.is_constant(length))
    }

    /// The value that a delay row takes in for these values of all reals and constants.
    pub fn delayed_argument(
        &self,
        row: RelationId,
        (reals, constants): (&[f64], &[f64]),
        time: f64,
    ) -> f64 {
        let relation = &self.relations[row.index()];
        let Some(Argument::Real(argument)) = relation.args.first() else {
            return f64::NAN;
        };
        let value = self.value_at(*argument, reals, constants, time);
        relation.coef.value(constants) * value
    }

    /// True if a tick hands the argument of a delay over as it stands at the tick's beginning: the argument reads `time`,
    /// or a real that its own row or one below writes, other than at events; where rows act simultaneously, any.
    pub(crate) fn delays_from_the_beginning(&self, row: RelationId, scan: Scan) -> bool {
        if scan == Scan::Simultaneous {
            return true;
        }
        let Some(Argument::Real(argument)) = self.relations[row.index()].args.first() else {
            return false;
        };
        let below = &self.relations[row.index()..];
        let is_written_below = |real| {
            let mut rows = below.iter().filter(|relation| !relation.once);
            rows.any(|relation| relation.targets.contains(&real))
        };
        let mut is_early = false;
        self.exprs.visit(*argument, |_, node| {
            is_early |= match node {
                Expr::Real(real) => is_written_below(*real),
                _ => node.reads_time(),
            };
        });
        is_early
    }

    /// True if it has delays whose lengths change.
    pub fn has_varying_delays(&self) -> bool {
        let mut lengths = self.relations.iter().filter_map(Relation::delay);
        lengths.any(|length| !self.exprs.is_constant(length))
    }
}
