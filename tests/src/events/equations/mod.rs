//! Rows that are solved, constraints, and starts in an equilibrium.

mod constraints;
pub(crate) mod implicit;
mod singular;
mod steady;
