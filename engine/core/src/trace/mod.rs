//! Trajectories: rows as a run hands them over, and [`Trace`], which keeps them in columns.

mod instant;
mod measure;

use std::ops::ControlFlow;

pub use instant::{Direction, Event, Instant, Place, What};
pub(crate) use measure::{Extreme, Kind};
pub use measure::{Gap, Measure, Measured};

use crate::ids::{RangeId, RealId, SituationId, SwitchId};
use crate::model::{Boolean, Model};

/// One row of a trajectory: the state after a tick, or at the start.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Ticks done.
    pub tick: u64,
    /// The model's time [units of `time`].
    pub time: f64,
    /// One value per real.
    pub reals: &'a [f64],
    /// One value per constant.
    pub constants: &'a [f64],
    /// Bits: switches, ranges, situations.
    pub(crate) words: &'a [u64],
    /// Bits of events that fired since the row before.
    pub(crate) fired: &'a [u64],
}

impl Row<'_> {
    /// A boolean as the tick found it; for an event, whether it fired since the row before.
    pub fn boolean(&self, model: &Model, what: Boolean) -> bool {
        let bit = match what {
            Boolean::Switch(id) => id.index(),
            Boolean::Range(id) => model.switches.len() + id.index(),
            Boolean::Situation(id) => model.switches.len() + model.ranges.len() + id.index(),
            Boolean::Schedule(_) | Boolean::Start => return false,
        };
        let words = if model.is_event(what) {
            self.fired
        } else {
            self.words
        };
        words
            .get(bit / 64)
            .is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// The value of a real.
    pub fn real(&self, id: RealId) -> f64 {
        self.reals[id.index()]
    }
}

/// Takes the rows of a run.
pub trait Recorder {
    /// A row; [`ControlFlow::Break`] ends the run.
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()>;

    /// Called now and then with the ticks done and the ticks of the whole run, also between rows;
    /// [`ControlFlow::Break`] ends the run after one last row.
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        let _ = (done, all);
        ControlFlow::Continue(())
    }

    /// True if [`Recorder::instant`] is to be called; read once, when a run begins or goes on.
    fn wants_instants(&self) -> bool {
        false
    }

    /// Takes the record of an instant of an event-accurate run, between the rows of its two sides; the
    /// start comes first. [`ControlFlow::Break`] ends the run.
    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        let _ = instant;
        ControlFlow::Continue(())
    }
}

/// A recorder that keeps nothing.
impl Recorder for () {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A trajectory in columns.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// Per real its name.
    pub names: Vec<String>,
    /// Time of each row [units of `time`].
    pub time: Vec<f64>,
    /// Per real one value per row.
    pub reals: Vec<Vec<f64>>,
    /// Per switch one value per row.
    pub switches: Vec<Vec<bool>>,
    /// Per range one value per row.
    pub ranges: Vec<Vec<bool>>,
    /// Per situation one value per row; for an event, whether it fired since the row before.
    pub situations: Vec<Vec<bool>>,
}

impl Trace {
    /// The values of the real of this name, one per row, if there is one.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|known| known == name)?;
        self.reals.get(index).map(Vec::as_slice)
    }
}

/// Keeps a [`Trace`] of a model's runs.
#[derive(Clone, Debug)]
pub struct TraceRecorder<'m> {
    model: &'m Model,
    /// Trace kept so far.
    pub trace: Trace,
}

impl<'m> TraceRecorder<'m> {
    /// An empty trace for runs of this model.
    pub fn new(model: &'m Model) -> Self {
        let trace = Trace {
            names: model.reals.iter().map(|real| real.name.clone()).collect(),
            time: Vec::new(),
            reals: vec![Vec::new(); model.reals.len()],
            switches: vec![Vec::new(); model.switches.len()],
            ranges: vec![Vec::new(); model.ranges.len()],
            situations: vec![Vec::new(); model.situations.len()],
        };
        Self { model, trace }
    }
}

impl Recorder for TraceRecorder<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let trace = &mut self.trace;
        trace.time.push(row.time);
        for (column, &value) in trace.reals.iter_mut().zip(row.reals) {
            column.push(value);
        }
        for (index, column) in trace.switches.iter_mut().enumerate() {
            column.push(row.boolean(self.model, Boolean::Switch(SwitchId::new(index))));
        }
        for (index, column) in trace.ranges.iter_mut().enumerate() {
            column.push(row.boolean(self.model, Boolean::Range(RangeId::new(index))));
        }
        for (index, column) in trace.situations.iter_mut().enumerate() {
            column.push(row.boolean(self.model, Boolean::Situation(SituationId::new(index))));
        }
        ControlFlow::Continue(())
    }
}
