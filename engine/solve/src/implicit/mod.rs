//! Implicit methods: a step is the solution of equations, linear ones ([`rodas5p`], [`mk21`]) or such as
//! Newton's method solves ([`gauss`], [`radau`], [`bdf`]).
//!
//! The matrix of those equations is made of the Jacobian with its pattern at one place in each method. [`kept`] has the
//! Jacobian that serves for many steps, [`polynomials`] those through the points of earlier steps.

pub(crate) mod bdf;
pub(crate) mod gauss;
mod kept;
pub(crate) mod mk21;
mod polynomials;
pub(crate) mod radau;
pub(crate) mod rodas5p;
