//! Ordinary differential equations: methods, step control, dense output, roots.
//!
//! A [`System`] and [`Settings`] become steps: [`Stepper`] finds one at a time, with its [`Dense`]
//! output, and commits it when the caller says so. This module knows no model, no mode and no
//! event; what it offers to those who do is the candidate step that can be searched for roots and
//! cut.
//!
//! A driver of events goes round like this: [`Stepper::attempt`] finds a candidate that ends at the
//! next time known in advance at the latest; [`Stepper::dense`] gives its polynomials; a margin
//! that is affine in the state becomes a polynomial by [`Dense::affine`], any other an
//! [`roots::Indicator`]; [`roots::RootFinder::first_crossing`] says where the first border is
//! reached. Then the candidate is taken ([`Stepper::accept`]) or left at the event
//! ([`Stepper::restart`]; [`Stepper::enter`] if the components change). A system that refuses
//! points beyond a border is never evaluated there: the step is shortened instead.
//!
//! A method is a folder or file with its numbers, its step and its dense output ([`Method`] lists
//! them); the loop around it (error test, control, commitment) is written once, in `stepper`. The
//! Jacobian comes with its pattern and is put into the matrix of a step at one place in each
//! implicit method, where a mass matrix or a sparse factorisation would enter.

#![expect(
    clippy::needless_range_loop,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "several arrays share an index, and NaN has to fail a comparison"
)]

mod auto;
mod combine;
mod control;
mod dense;
mod difference;
mod dop853;
mod engine;
mod euler;
mod gauss;
pub(crate) mod lanes;
mod linear;
mod locate;
mod method;
pub(crate) mod record;
mod rk4;
mod rodas5p;
pub mod roots;
mod settings;
mod step;
mod stepper;
pub(crate) mod summit;
mod system;
mod taylor;
mod tsit5;
#[cfg(test)]
mod verify;

pub use auto::Watch;
pub use control::Memory;
pub use dense::Dense;
pub(crate) use dense::horner;
pub use locate::Locate;
pub use method::{About, Method, Steps};
pub use settings::{Settings, SettingsError};
pub use step::{Rejection, Stats};
pub use stepper::{Candidate, EnterError, Progress, Snapshot, StepError, Stepper};
pub use system::{Derivatives, Pattern, Refusal, System};
