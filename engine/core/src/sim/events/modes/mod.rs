//! Modes: for each set of active rows and branches of kinks the right-hand side, its margins and their derivatives.
//!
//! A mode is made when it is entered first and kept. The evaluation of a mode knows reals and sides, no event.

pub(super) mod affine_margin_derivatives;
pub(super) mod affine_rates;
pub(super) mod algebraic_loops;
pub(super) mod cache;
pub(super) mod evaluator;
pub(super) mod jit;
pub(super) mod kink_branches;
pub(super) mod mode_entry;
pub(super) mod parametric_affine;
pub(super) mod program;
pub(super) mod series;
pub(super) mod shared_modes;
pub(super) mod sparsity;
pub(super) mod supposed_sides;
