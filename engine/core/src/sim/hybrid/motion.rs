//! What is integrated: the rates of one mode, or Filippov's mixture of two while sliding.

use super::eval::Evaluator;
use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::solve::{Derivatives, Refusal, System};

/// A slide along a border: both modes point at it.
#[derive(Clone, Debug)]
pub(super) struct Slide {
    pub(super) border: BorderId,
    /// The modes on both sides, with arrays of their own.
    pub(super) plus: Evaluator,
    pub(super) minus: Evaluator,
    /// Reals that move in one of the modes and follow from others in none.
    states: Vec<RealId>,
    /// Reals that follow from others in one of the modes.
    pub(super) algebraic: Vec<RealId>,
    /// Share of the plus mode.
    pub(super) lambda: f64,
    /// Values of all reals at entry; what neither mode writes is held.
    held: Vec<f64>,
}

impl Slide {
    pub(super) fn new(border: BorderId, plus: Evaluator, minus: Evaluator, reals: &[f64]) -> Self {
        let mut algebraic: Vec<RealId> = [&plus, &minus]
            .iter()
            .flat_map(|side| side.mode.algebraic.iter().map(|(real, _)| *real))
            .collect();
        algebraic.sort_unstable();
        algebraic.dedup();
        let mut states: Vec<RealId> = [&plus, &minus]
            .iter()
            .flat_map(|side| side.mode.states.iter().copied())
            .filter(|real| algebraic.binary_search(real).is_err())
            .collect();
        states.sort_unstable();
        states.dedup();
        Self {
            border,
            plus,
            minus,
            states,
            algebraic,
            lambda: 0.5,
            held: reals.to_vec(),
        }
    }

    pub(super) fn states(&self) -> &[RealId] {
        &self.states
    }

    /// Evaluates both modes; the rates of the border's margin in the plus and in the minus mode.
    pub(super) fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(f64, f64), Refusal> {
        let mut reals = self.held.clone();
        for (real, &value) in self.states.iter().zip(y) {
            reals[real.index()] = value;
        }
        let border = self.border;
        let side = |side: &mut Evaluator| {
            side.hold(&reals);
            let own = side.states(&reals);
            side.series(t, &own).map_err(|_| Refusal::Outside)?;
            side.margin_rate(border).ok_or(Refusal::Outside)
        };
        let plus = side(&mut self.plus)?;
        let minus = side(&mut self.minus)?;
        let span = minus - plus;
        if span != 0.0 {
            self.lambda = (minus / span).clamp(0.0, 1.0);
        }
        Ok((plus, minus))
    }

    /// After [`Self::evaluate`]: writes all reals that follow from others.
    pub(super) fn write_algebraic(&self, reals: &mut [f64]) {
        for &real in &self.algebraic {
            let value =
                |side: &Evaluator| side.final_value(real).unwrap_or(self.held[real.index()]);
            let (plus, minus) = (value(&self.plus), value(&self.minus));
            reals[real.index()] = minus + self.lambda * (plus - minus);
        }
    }
}

impl System for Slide {
    fn dim(&self) -> usize {
        self.states.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.evaluate(t, y)?;
        for (dy, &real) in dy.iter_mut().zip(&self.states) {
            let rate = |side: &Evaluator| side.state_of(real).map_or(0.0, |at| side.rate(at));
            let (plus, minus) = (rate(&self.plus), rate(&self.minus));
            *dy = minus + self.lambda * (plus - minus);
        }
        Ok(())
    }
}

/// What moves now.
#[derive(Clone, Debug)]
pub(super) enum Motion {
    /// One mode.
    Mode(Box<Evaluator>),
    /// A slide.
    Slide(Box<Slide>),
}

impl Motion {
    /// The reals that are integrated, in the order of the state.
    pub(super) fn states(&self) -> &[RealId] {
        match self {
            Self::Mode(evaluator) => &evaluator.mode.states,
            Self::Slide(slide) => slide.states(),
        }
    }

    /// Writes everything at a point into `reals`.
    pub(super) fn write(&mut self, t: f64, y: &[f64], reals: &mut [f64]) -> Result<(), Refusal> {
        for (real, &value) in self.states().iter().zip(y) {
            reals[real.index()] = value;
        }
        match self {
            Self::Mode(evaluator) => {
                evaluator.evaluate(t, y).map_err(|_| Refusal::Outside)?;
                evaluator.algebraic(reals);
            }
            Self::Slide(slide) => {
                slide.evaluate(t, y)?;
                slide.write_algebraic(reals);
            }
        }
        Ok(())
    }
}

impl System for Motion {
    fn dim(&self) -> usize {
        self.states().len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        match self {
            Self::Mode(evaluator) => evaluator.rhs(t, y, dy),
            Self::Slide(slide) => slide.rhs(t, y, dy),
        }
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        match self {
            Self::Mode(evaluator) => evaluator.linearise(t, y, jacobian, df_dt),
            Self::Slide(_) => Ok(Derivatives::Unknown),
        }
    }
}
