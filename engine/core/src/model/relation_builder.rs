//! The columns of a relation that most rows leave out, as methods on what the builder of a model hands out.

use super::{Coefficient, Guard, Literal, Model, Relation};
use crate::ids::{ConstantId, RelationId};

/// The rest of a relation's columns.
#[derive(Debug)]
pub struct RelationBuilder<'a> {
    pub(super) model: &'a mut Model,
    pub(super) relation: RelationId,
}

impl RelationBuilder<'_> {
    fn row(&mut self) -> &mut Relation {
        &mut self.model.relations[self.relation.index()]
    }

    /// The coefficient.
    pub fn coef(mut self, value: f64) -> Self {
        self.row().coef = Coefficient::Number(value);
        self
    }

    /// A constant as the coefficient.
    pub fn coef_of(mut self, id: ConstantId) -> Self {
        self.row().coef = Coefficient::Constant {
            id,
            negative: false,
        };
        self
    }

    /// The coefficient of the second argument.
    pub fn coef2(mut self, value: f64) -> Self {
        self.row().coef2 = Coefficient::Number(value);
        self
    }

    /// Active while all literals hold.
    pub fn when(mut self, all: impl IntoIterator<Item = Literal>) -> Self {
        self.row().guard = Guard::When(all.into_iter().collect());
        self
    }

    /// Active while no other conditional row of the real is.
    pub fn otherwise(mut self) -> Self {
        self.row().guard = Guard::Otherwise;
        self
    }

    /// Done once, at an event.
    pub fn once(mut self) -> Self {
        self.row().once = true;
        self
    }

    /// Gives the row an id.
    pub fn id(mut self, id: &str) -> Self {
        self.row().id = id.to_owned();
        self
    }
}
