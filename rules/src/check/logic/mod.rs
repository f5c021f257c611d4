//! Logic of conditions: comparisons, switches and situations as decision diagrams.
//!
//! [`borders`] brings comparisons into sides of shared borders, [`terms`] being what is compared; [`conditions`] knows for every
//! boolean what it is about and whether it can be true and false at all, as [`truths`] finds out; a [`scope::Scope`] is a
//! decision diagram over the booleans that one question is about; [`state`] turns a path of it into
//! numbers a person can check, [`witness`] finds those at which expressions that are not linear have their values. Knows no rows other than situations and assignments.
//!
//! Two [`atoms::View`]s bound the truth from both sides, so that neither kind of finding is a false
//! alarm: what *can* be is shown in a settled state with the present constants, what *cannot* be is
//! claimed only if even looser states do not allow it.

pub(super) mod atoms;
pub(super) mod borders;
pub(super) mod conditions;
mod example;
mod linear;
mod reach;
pub(super) mod scope;
pub(super) mod state;
pub(super) mod terms;
mod truths;
mod witness;
