//! Explicit Euler with its polygon as dense output.

use super::combine::advance;
use super::dense::Dense;
use super::engine::Formula;
use super::method::{About, Steps};
use super::step::{Counted, Failure, Outcome, Span, Start};
use super::system::System;

pub(super) static ABOUT: About = About {
    name: "euler",
    about: "explicit Euler, the limit case that the tick run resembles",
    order: 1,
    dense_order: 1,
    dense_degree: 1,
    steps: Steps::Fixed,
    stiff: false,
    source: "L. Euler, Institutiones calculi integralis, 1768",
    others: &[],
};

#[derive(Clone, Debug, Default)]
pub(super) struct Euler;

impl Formula for Euler {
    fn trial<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
    ) -> Result<(), Failure> {
        advance(&mut out.y, start.y, span.h, &[1.0], [start.f]);
        Ok(())
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        _out: &Outcome,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        for (i, line) in dense.begin(span, 1, start.y.len()).enumerate() {
            line.copy_from_slice(&[start.y[i], span.h * start.f[i]]);
        }
        Ok(())
    }
}
