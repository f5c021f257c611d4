//! Delays of a model: which rows are some, and whether their lengths change during a run.

use super::{Argument, Model, Relation};
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

    /// True if it has delays whose lengths change.
    pub fn has_varying_delays(&self) -> bool {
        let mut lengths = self.relations.iter().filter_map(Relation::delay);
        lengths.any(|length| !self.exprs.is_constant(length))
    }
}
