//! Modes made on first entry and kept.

use std::collections::HashMap;

use super::eval::Evaluator;
use super::truth::Truths;
use crate::lower::border::{BorderId, Borders, Side};
use crate::lower::flow::Flow;
use crate::lower::mode::{Branches, ModeError, mode};
use crate::model::{Comparison, Model};

/// All modes met so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes {
    known: HashMap<Key, usize>,
    made: Vec<Evaluator>,
}

/// What tells modes apart: the rows that are active, and the branches of kinks.
type Key = (Vec<bool>, Vec<Side>);

struct Sides<'t>(&'t [Side]);

impl Branches for Sides<'_> {
    fn side(&self, border: BorderId) -> Side {
        // A border met for the first time; the mode is made again once its side is known.
        self.0.get(border.index()).copied().unwrap_or(Side::Plus)
    }
}

impl Modes {
    /// Number of modes made.
    pub(super) fn len(&self) -> usize {
        self.made.len()
    }

    /// The mode of the present truths. Borders met for the first time are added to `borders` and
    /// get a place, but not yet a side, in `truths`.
    pub(super) fn find(
        &mut self,
        model: &Model,
        flow: &Flow,
        watched: &[Comparison],
        constants: &[f64],
        borders: &mut Borders,
        truths: &mut Truths,
    ) -> Result<usize, ModeError> {
        let active = flow.active(|literal| truths.holds(literal));
        let branches: Vec<Side> = truths
            .sides
            .iter()
            .zip(&borders.kinked)
            .filter(|(_, kinked)| **kinked)
            .map(|(side, _)| *side)
            .collect();
        let key = (active, branches);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let before = borders.len();
        let made = mode(
            model,
            flow,
            watched,
            constants,
            &key.0,
            borders,
            &Sides(&truths.sides),
        )?;
        truths.grow(borders);
        if borders.len() == before {
            self.known.insert(key, self.made.len());
        }
        self.made.push(Evaluator::new(made, constants));
        Ok(self.made.len() - 1)
    }

    /// Forgets the modes beyond the first `n`, those that were made last.
    pub(super) fn truncate(&mut self, n: usize) {
        self.known.retain(|_, mode| *mode < n);
        self.made.truncate(n);
    }

    /// A mode.
    pub(super) fn get(&mut self, mode: usize) -> &mut Evaluator {
        &mut self.made[mode]
    }
}
