//! The classical Runge-Kutta method with a Hermite cubic as dense output.

use super::combine::advance;
use super::dense::{Dense, hermite};
use super::engine::Formula;
use super::method::{About, Steps};
use super::step::{Counted, Failure, Outcome, Span, Start};
use super::system::System;

pub(super) static ABOUT: About = About {
    name: "rk4",
    about: "the classical Runge-Kutta method",
    order: 4,
    dense_order: 3,
    dense_degree: 3,
    steps: Steps::Fixed,
    stiff: false,
    source: "W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435",
    others: &[],
};

#[derive(Clone, Debug, Default)]
pub(super) struct Rk4 {
    /// Argument of a stage.
    u: Vec<f64>,
    /// Second to fourth stage; the first is the derivative at the start.
    k: [Vec<f64>; 3],
}

/// Weights of the stages.
const B: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

impl Formula for Rk4 {
    fn resize<S: System>(&mut self, system: &mut S) {
        for values in self.k.iter_mut().chain([&mut self.u]) {
            values.clear();
            values.resize(system.dim(), 0.0);
        }
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
    ) -> Result<(), Failure> {
        let (y, h, u, [k2, k3, k4]) = (start.y, span.h, &mut self.u, &mut self.k);
        advance(u, y, h, &[0.5], [start.f]);
        system.rhs(span.at(0.5), u, k2)?;
        advance(u, y, h, &[0.5], [k2]);
        system.rhs(span.at(0.5), u, k3)?;
        advance(u, y, h, &[1.0], [k3]);
        system.rhs(span.t1, u, k4)?;
        advance(&mut out.y, y, h, &B, [start.f, k2, k3, k4]);
        Ok(())
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        hermite(dense, span, [start.y, start.f, &out.y, &out.f]);
        Ok(())
    }
}
