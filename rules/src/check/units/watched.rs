//! What only watches a run: where it stops, what should not change, what is expected.

use situ_engine::model::{Invariant, Model, Watch};

use crate::check::Watchers;
use crate::resolve::{Expectation, Lab, Reading};
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
