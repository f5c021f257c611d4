//! Rows that are solved, constraints, and starts in an equilibrium.

mod branches;
mod constraints;
pub(crate) mod implicit;
mod large;
mod singular;
mod steady;
