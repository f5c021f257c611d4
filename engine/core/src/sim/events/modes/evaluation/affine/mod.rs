//! Modes whose rates and margins are affine in the states: as matrices, also with numbers that vary from run to run.

pub(crate) mod margin_derivatives;
pub(crate) mod parametric;
pub(crate) mod rates;
