//! What only watches a run, as equations between units: where it stops, what should not change, what is expected.

use situ_engine::model::{Invariant, Model, Watch, WatchLiteral};
use situ_engine::trace::Measure as Measured;
use situ_words::say;

use super::agreement::Disagreement;
use super::measure::Measure;
use super::rows::Rows;
use super::unit::{Monomial, read};
use crate::check::Watchers;
use crate::resolve::{Expectation, Expected, Lab, Obtained, Reading};
use crate::source::{Origins, Span};

/// Something that reads a run and changes nothing in it.
#[derive(Clone, Copy)]
pub(super) enum Watched<'m> {
    /// The condition at which a run stops.
    Stop(&'m Watch),
    /// A quantity that should not change.
    Invariant(&'m Invariant),
    /// What runs must come to.
    Expected(&'m Expectation),
    /// What is read off a run.
    Read(Reading<'m>),
}

/// All that watches the runs of a model.
pub(super) fn watched<'m>(
    model: &'m Model,
    watchers: Watchers<'m>,
) -> impl Iterator<Item = Watched<'m>> {
    let stop = model.clock.stop_when.iter().map(Watched::Stop);
    let invariants = model.invariants.iter().map(Watched::Invariant);
    let expectations = watchers.expectations.iter().map(Watched::Expected);
    let predicted = watchers.lab.into_iter().flat_map(Lab::readings);
    let read = watchers.readings.iter().copied();
    stop.chain(invariants)
        .chain(expectations)
        .chain(predicted.chain(read).map(Watched::Read))
}

impl<'m> Watched<'m> {
    pub(super) fn place(self, origins: &Origins) -> Option<Span> {
        match self {
            Self::Stop(_) => None,
            Self::Invariant(invariant) => origins.get(invariant.origin),
            Self::Expected(expectation) => Some(expectation.span),
            Self::Read(reading) => Some(reading.span),
        }
    }

    pub(super) fn name(self) -> &'m str {
        match self {
            Self::Stop(_) => "stop_when",
            Self::Invariant(invariant) => &invariant.name,
            Self::Expected(expectation) => &expectation.text,
            Self::Read(reading) => reading.text,
        }
    }
}

impl Rows<'_> {
    pub(super) fn watched(&mut self, watched: Watched<'_>) {
        match watched {
            Watched::Stop(all) => self.watch(all),
            Watched::Invariant(invariant) => _ = self.side(invariant.value),
            Watched::Expected(expectation) => match expectation.expected() {
                Expected::Never(opposites) => opposites.iter().for_each(|all| self.watch(all)),
                Expected::Value {
                    measure,
                    value,
                    tolerance,
                    ..
                } => {
                    let measured = self.measured(measure, &expectation.text);
                    for value in [Some(*value), *tolerance].into_iter().flatten() {
                        let value = self.side(value);
                        self.agree(measured.clone(), value);
                    }
                }
            },
            Watched::Read(reading) => {
                let side = match reading.of {
                    Obtained::Measured(measure) => self.measured(measure, reading.text),
                    Obtained::Each { value, at, .. } => {
                        self.watch(at);
                        self.side(*value)
                    }
                };
                if !reading.unit.is_empty() {
                    self.given_in(side, reading.unit);
                }
            }
        }
    }

    /// States that a number is given in a unit.
    fn given_in(&mut self, (words, measure): (String, Measure), unit: &str) {
        let (Measure::Unit(own, _), Some(given)) = (measure, read(unit)) else {
            return;
        };
        let of_this_row = |found: &Disagreement| found.row == self.row;
        if self.found.last().is_some_and(of_this_row) {
            return;
        }
        if let Err(mismatch) = self.unknowns.equate(&own, &given.unit, self.row) {
            self.found.push(Disagreement {
                row: self.row,
                left: (words, own),
                right: (say!("unit-side.given"), given.unit),
                mismatch,
                argument: None,
            });
        }
    }

    fn watch(&mut self, all: &Watch) {
        for literal in all {
            if let WatchLiteral::Comparison(comparison) = literal {
                self.comparison(comparison);
            }
        }
    }

    /// What a measure is in: what it measures, the time, or a number of times.
    fn measured(&mut self, measure: &Measured, text: &str) -> (String, Measure) {
        let call = match text.split_once(')') {
            Some((call, _)) => format!("{call})"),
            None => format!("`{text}`"),
        };
        match measure {
            Measured::Final(value)
            | Measured::Min(value)
            | Measured::Max(value)
            | Measured::Drift(value)
            | Measured::At(value, _) => self.side(*value),
            Measured::First(all) | Measured::Duration(all) | Measured::Period(all) => {
                self.watch(all);
                (call, self.time())
            }
            Measured::Count(all) => {
                self.watch(all);
                (call, Measure::Unit(Monomial::default(), 1.0))
            }
        }
    }
}
