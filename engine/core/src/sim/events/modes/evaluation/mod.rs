//! Evaluation of one mode: right-hand side, margins, their derivatives, series and Jacobian, and algebraic loops.
//!
//! Rates that are affine come from a matrix, others from the tape or from compiled steps.

pub(crate) mod affine;
pub(crate) mod algebraic;
pub(crate) mod algebraic_loops;
pub(crate) mod cones;
pub(crate) mod delays;
pub(crate) mod evaluator;
pub(crate) mod guess;
pub(crate) mod jacobian;
pub(crate) mod jit;
mod krawczyk;
pub(crate) mod loop_matrix;
pub(crate) mod margins;
pub(crate) mod program;
pub(crate) mod series;
pub(crate) mod sparsity;
