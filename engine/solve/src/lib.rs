//! Ordinary differential equations: methods, step control, dense output, roots.
//!
//! A [`System`] and [`Settings`] become steps: [`Stepper`] finds one at a time, with its [`Dense`]
//! output, and commits it when the caller says so. Nothing here knows a model, a mode or an event;
//! what is offered to those who do is the candidate step, which can be searched for roots and cut.
//!
//! A driver of events goes round like this: [`Stepper::attempt`] finds a candidate that ends at the
//! next time known in advance at the latest; [`Stepper::dense`] gives its polynomials; a margin
//! that is affine in the state becomes a polynomial by [`Dense::affine`], any other an
//! [`roots::Indicator`]; [`roots::RootFinder::first_crossing`] says where the first border is
//! reached. Then the candidate is taken ([`Stepper::accept`]) or left at the event
//! ([`Stepper::restart`]; [`Stepper::enter`] if the components change). A system that refuses
//! points beyond a border is never evaluated there: the step is shortened instead.
//!
//! When does `x' = -x` from 1 pass one half?
//!
//! ```
//! use situ_solve::roots::{Query, RootFinder, Side};
//! use situ_solve::{Refusal, Settings, Stepper, System};
//!
//! struct Decay;
//!
//! impl System for Decay {
//!     fn dim(&self) -> usize {
//!         1
//!     }
//!
//!     fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refusal> {
//!         dx[0] = -x[0];
//!         Ok(())
//!     }
//! }
//!
//! let mut stepper = Stepper::new(Settings { rtol: 1e-10, ..Settings::default() })?;
//! stepper.enter(&mut Decay, 0.0, &[1.0], &[1e-10])?;
//! let mut finder = RootFinder::default();
//! let half = loop {
//!     stepper.attempt(&mut Decay, f64::INFINITY)?;
//!     let dense = stepper.dense(&mut Decay)?;
//!     let mut margin = vec![0.0; dense.degree() + 1];
//!     dense.affine(-0.5, 0.0, &[(0, 1.0)], &mut margin);
//!     if let Some(root) = finder.first_crossing(&margin, &Query::whole(dense, Side::Plus)) {
//!         break dense.time(root.hi);
//!     }
//!     stepper.accept();
//! };
//! assert!((half - std::f64::consts::LN_2).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Results have the same bits on every machine: what a step is computed with are IEEE operations in a
//! fixed order and the functions of [`elementary`], none of the system's mathematical library. Only
//! [`System::rhs`] can add to that.
//!
//! A method is a folder or file of `explicit/` or `implicit/` with its numbers, its step and its dense output
//! ([`Method`] lists them); the loop around it (error test, control, commitment) is written once, in `stepper`. The
//! Jacobian comes with its pattern and is put into the matrix of a step at one place in each
//! implicit method, where a mass matrix or a sparse factorisation would enter.

#![expect(
    clippy::needless_range_loop,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "several arrays share an index, and NaN has to fail a comparison"
)]

mod about;
mod auto;
mod catalogue;
mod compiled;
mod dense;
pub mod elementary;
pub mod equilibrium;
mod explicit;
pub mod extremum;
mod implementation;
mod implicit;
mod integration_method;
pub mod interval;
pub mod lanes;
mod linear;
mod locate;
pub mod lookup;
mod method;
pub mod roots;
mod settings;
pub mod slices;
mod span;
mod step;
mod stepper;
mod system;
#[cfg(test)]
mod verify;

pub use about::{About, Steps};
pub use auto::StiffnessDetector;
pub use compiled::{CompiledStep, DenseFactors, TrialResult};
pub use dense::{Dense, horner};
pub use explicit::ExplicitTrial;
pub use implicit::rodas5p::{FactorsOf, RosenbrockStart, RosenbrockTrial};
pub use linear::{LinearWay, LinearWork, SparseFactors};
pub use locate::Locate;
pub use method::Method;
pub use settings::{Settings, SettingsError};
pub use span::{Number, StepSpan};
pub use step::control::ControllerState;
pub use step::history::History;
pub use step::sums::Rates;
pub use step::{Rejection, Stats};
pub use stepper::{Candidate, EnterError, Progress, Snapshot, StepError, Stepper};
pub use system::{Derivatives, Pattern, Refusal, System};
