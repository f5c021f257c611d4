//! Schemes of reactions: which rows of a model are stages, for all that speaks in their words.

use smallvec::SmallVec;

use super::Coefficient;
use crate::ids::{Origin, RealId, RelationId};

/// The stages of a model. Its rows say the same: nothing here is needed to run it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scheme {
    /// The stages, one entry per direction.
    pub stages: Vec<Stage>,
    /// Rows that integrate a species, with what the stages give it, in rising order.
    pub sums: Vec<(RelationId, Vec<Share>)>,
    /// So many of the invariants, the last ones, follow from the stages.
    pub n_laws: usize,
    /// True if there may be more laws than were found.
    pub laws_left_open: bool,
}

/// One direction of a stage of reactions.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// Its id in the list of reactions.
    pub id: String,
    /// It is the way back of the one before it.
    pub back: bool,
    /// As its author wrote it.
    pub text: String,
    /// Its rate.
    pub rate: RealId,
    /// The row of its rate.
    pub row: RelationId,
    /// The row that makes its rate zero when its condition does not hold.
    pub off: Option<RelationId>,
    /// What it takes.
    pub left: SmallVec<[(Coefficient, RealId); 2]>,
    /// What it gives.
    pub right: SmallVec<[(Coefficient, RealId); 2]>,
    /// Place in the source.
    pub origin: Origin,
}

/// What a stage gives a species, or takes from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Share {
    /// The stage, as an index into the stages.
    pub stage: usize,
    /// Numbers of molecules, whose sum it is.
    pub amounts: SmallVec<[Coefficient; 2]>,
}

impl Scheme {
    /// What the stages give the species that a row integrates; nothing for other rows.
    pub fn shares(&self, row: RelationId) -> Option<&[Share]> {
        let found = self.sums.binary_search_by_key(&row, |(sum, _)| *sum);
        found.ok().map(|index| self.sums[index].1.as_slice())
    }

    /// The stage whose rate a row computes.
    pub fn stage_of(&self, row: RelationId) -> Option<&Stage> {
        let found = self.stages.binary_search_by_key(&row, |stage| stage.row);
        found.ok().map(|index| &self.stages[index])
    }

    /// True if a real is the rate of a stage.
    pub fn is_rate(&self, real: RealId) -> bool {
        self.stages
            .binary_search_by_key(&real, |stage| stage.rate)
            .is_ok()
    }

    /// True if a row was made from stages and is none of them: it sums them up, or makes a rate zero.
    pub fn is_auxiliary(&self, row: RelationId) -> bool {
        let first = self.stages.first();
        first.is_some_and(|stage| stage.row < row) && self.stage_of(row).is_none()
    }
}
