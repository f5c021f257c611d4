//! Lookups asked by what compares: a value that is NaN would end there, so that it is kept for those who look for it.

use smallvec::SmallVec;

use crate::ids::{LookupId, RangeId, RelationId};
use crate::model::Lookup;
use crate::procedure::lookup::Outside;
use crate::tape::{Assembler, Code, Slot};

/// Range or row that compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asker {
    /// A range.
    Range(RangeId),
    /// A row.
    Relation(RelationId),
}

/// A lookup that has no values outside of its points, asked by what compares.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Asked {
    /// The slot that keeps its value.
    pub(crate) value: Slot,
    /// Slots of its arguments, as they are when the value is stored.
    pub(crate) args: SmallVec<[Slot; 2]>,
    /// The lookup.
    pub(crate) lookup: LookupId,
    /// What asks.
    pub(crate) by: Asker,
}

/// Who compares what is being written, and the place for the lookups that are asked.
pub(super) struct Asking<'l> {
    pub(super) by: Asker,
    pub(super) lookups: &'l [Lookup],
    pub(super) asked: &'l mut Vec<Asked>,
}

impl Asking<'_> {
    /// Keeps the value of a lookup.
    pub(super) fn looked_up(
        &mut self,
        lookup: LookupId,
        args: &[Slot],
        value: Slot,
        asm: &mut Assembler,
    ) {
        let outside = self.lookups[lookup.index()].interpolation.outside();
        if outside != Outside::Error {
            return;
        }
        let kept = asm.slot();
        asm.op_into(kept, Code::Copy, value, value);
        self.asked.push(Asked {
            value: kept,
            args: SmallVec::from_slice(args),
            lookup,
            by: self.by,
        });
    }
}
