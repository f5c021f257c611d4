//! Explicit methods. Those of Runge and Kutta are numbers, and what follows from them; beside them stand a
//! stabilised one ([`rock`]) and Taylor series ([`taylor`]).
//!
//! A Runge-Kutta method is a [`Tableau`]: rows of weights, an error estimate, a dense output. [`RungeKutta`] makes steps of
//! it, [`ExplicitTrial`] a step on numbers of any kind, the lanes steps of many runs at once.

mod choice;
mod dop853;
mod dop853_numbers;
mod euler;
mod merson;
mod rk4;
pub(crate) mod rock;
mod runge_kutta;
mod stages;
mod tableau;
pub(crate) mod taylor;
mod trace;
mod tsit5;

pub(crate) use choice::{match_tableau, with_tableau};
pub(crate) use dop853::Dop853;
#[cfg(test)]
pub(crate) use dop853::{error_weights_3, error_weights_5};
pub(crate) use euler::Euler;
pub(crate) use merson::Merson;
pub(crate) use rk4::Rk4;
pub(crate) use runge_kutta::RungeKutta;
pub(crate) use tableau::{At, MOST_ESTIMATES, MOST_LEVELS, Rows, SumKind, Sums, Tableau};
pub use trace::ExplicitTrial;
pub(crate) use tsit5::Tsit5;
