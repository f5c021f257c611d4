//! Small typed indices: a table of the model is a `Vec`, a reference to one of its rows is a `u32`.
//!
//! Knows nothing of what the rows contain.

/// Defines index types, each the position of a row in one table.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
        )]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the row at `index`.
            ///
            /// # Panics
            /// If a table has more than `u32::MAX` rows, which the readers of tables refuse.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table has fewer than 2^32 rows"))
            }

            /// The position of the row in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A constant: a quantity that no rule writes (`Model::constants`).
    ConstantId;
    /// A real: a quantity that rules write (`Model::reals`).
    RealId;
    /// A switch: a latched boolean, the paper's Q (`Model::switches`).
    SwitchId;
    /// A range, rule (3): a conjunction of comparisons (`Model::ranges`).
    RangeId;
    /// A situation: a boolean that follows its conjunctions, or an event (`Model::situations`).
    SituationId;
    /// A periodic time event, `every(T)` (`Model::schedules`).
    ScheduleId;
    /// A lookup (`Model::lookups`).
    LookupId;
    /// A relation, rule (2) (`Model::relations`).
    RelationId;
    /// An expression (`Model::exprs`).
    ExprId;
    /// Place of a row in the source. The engine copies it and never reads it; `u32::MAX` means "nowhere".
    Origin;
}

impl Origin {
    /// The origin of what was not written by anybody (a model built from Rust).
    pub const NONE: Origin = Origin(u32::MAX);
}

impl Default for Origin {
    fn default() -> Self {
        Self::NONE
    }
}
