//! Equations of a loop -> what is solved for, and how: taken apart into systems, those computed that are linear, roots of
//! what is solved for made unknowns.

pub(crate) mod linear_unknowns;
pub(super) mod roots;
pub(super) mod signed_squares;
pub(super) mod triangular;
