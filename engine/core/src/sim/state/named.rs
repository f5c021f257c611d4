//! The state of a run by the names of its model, as it is handed on to a changed model or to other settings.

use std::collections::{HashMap, VecDeque};

use crate::ids::{RealId, RelationId};
use crate::lower::border::Side;
use crate::model::{Input, Model, Scan, StartError, StartValues};
use crate::sim::grid::Grid;
use crate::sim::past::Break;
use crate::sim::past::line::Line;
use crate::sim::state::keys::{counter_key, delay_key, is_counter, row_key};

/// State of a run at one time, by the names of its model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NamedState {
    /// The time [units of `time`].
    pub time: f64,
    /// Values of the reals.
    pub reals: Vec<(String, f64)>,
    /// Values of the switches.
    pub switches: Vec<(String, bool)>,
    /// Ranges and situations as they were found last.
    pub found: Vec<(String, bool)>,
    pub(in crate::sim) ticks: Option<Ticks>,
    /// Truth of the conjunctions of event rows and counters, by their text.
    pub(in crate::sim) remembered: Vec<(String, bool)>,
    /// Per delay row what its argument was at the ends of ticks, newest first.
    pub(in crate::sim) pasts: Vec<(String, Vec<f64>)>,
    /// The same with times, where ticks have no common length: oldest first.
    pub(in crate::sim) trails: Vec<(String, VecDeque<(f64, f64)>)>,
    /// Per derivative row what it read last.
    pub(in crate::sim) read: Vec<(String, f64)>,
    /// Comparisons that changed in the last tick, by their ranges and places in them.
    pub(in crate::sim) turned: Vec<(String, bool)>,
    /// Start of the last tick, and the reals there.
    pub(in crate::sim) earlier: Option<(f64, Vec<(String, f64)>)>,
    /// Memory that only an event-accurate run has.
    pub(in crate::sim) memory: Option<NamedHistory>,
    /// Per delay row what its argument was along a history, with the times at which that jumps, where a run keeps less.
    pub(in crate::sim) given: Vec<(String, Line, Vec<Break>)>,
}

impl NamedState {
    /// Notes how the conjunctions of event rows and counters stand, by their positions.
    pub(in crate::sim) fn remember(
        &mut self,
        model: &Model,
        held: impl Fn(usize) -> bool,
        counted: impl Fn(RelationId) -> bool,
    ) {
        let rows = model.situation_rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| model.situations[row.situation.index()].event);
        let counters = (0..model.relations.len()).map(RelationId::new);
        let counters = counters.filter(|&id| is_counter(model, id));
        self.remembered = rows
            .map(|(index, row)| (row_key(model, row), held(index)))
            .chain(counters.map(|id| (counter_key(model, id), counted(id))))
            .collect();
    }

    /// The values of a model that goes on from it: quantities that are new have the values of their start expressions.
    ///
    /// # Errors
    ///
    /// A start expression has no value.
    pub fn values_in(&self, model: &Model) -> Result<StartValues, StartError> {
        present_values(model, self)
    }

    /// The past that a tick run has left of a delay row, for an event-accurate one.
    pub(in crate::sim) fn past_of_ticks(&self, model: &Model, id: RelationId) -> Option<Line> {
        let key = delay_key(model, id);
        let (_, past) = self.pasts.iter().find(|(known, _)| *known == key)?;
        let step = self.ticks?.step;
        (!past.is_empty()).then(|| Line::through(past, self.time, step))
    }

    /// What the argument of a delay row was along a history, with the times at which it jumps, if that was given.
    pub(in crate::sim) fn given_past(&self, key: &str) -> Option<(&Line, &[Break])> {
        let mut given = self.given.iter();
        let found = given.find(|(known, ..)| known == key);
        found.map(|(_, line, breaks)| (line, &breaks[..]))
    }
}

/// Grid of the ticks, and the order of their scan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::sim) struct Ticks {
    pub(in crate::sim) done: u64,
    pub(in crate::sim) step: f64,
    pub(in crate::sim) grid: Grid,
    pub(in crate::sim) scan: Scan,
}

/// Memory that only an event-accurate run has, by names.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::sim) struct NamedHistory {
    /// Latched values of hysteresis rows.
    pub(in crate::sim) relays: Vec<(String, f64)>,
    /// Per delay its past, and the times at which what it gives is not smooth.
    pub(in crate::sim) pasts: Vec<(String, Line, Vec<Break>)>,
    /// The borders on which the state lies.
    pub(in crate::sim) flagged: Vec<(String, Side)>,
    /// Contact reactions that keep the state on its borders.
    pub(in crate::sim) rest: Vec<(String, Side, Change, [Vec<String>; 2])>,
    /// The last instants.
    pub(in crate::sim) seen: Vec<NamedInstant>,
}

/// Reals with what is added to them.
pub(in crate::sim) type Change = Vec<(String, f64)>;

/// An instant that may be one of infinitely many.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::sim) struct NamedInstant {
    pub(in crate::sim) time: f64,
    pub(in crate::sim) borders: Vec<String>,
    pub(in crate::sim) bound: Vec<String>,
    pub(in crate::sim) sides: Vec<Side>,
    pub(in crate::sim) reals: Vec<(String, f64)>,
    pub(in crate::sim) jump: Change,
    pub(in crate::sim) rows: Vec<String>,
}

impl NamedHistory {
    /// The past of a delay row.
    pub(in crate::sim) fn past(&self, key: &str) -> Option<&Line> {
        let mut pasts = self.pasts.iter();
        pasts
            .find(|(known, ..)| known == key)
            .map(|(_, past, _)| past)
    }
}

/// Start values for a run that goes on: quantities that were there have their present values.
pub(in crate::sim) fn present_values(
    model: &Model,
    from: &NamedState,
) -> Result<StartValues, StartError> {
    let present = pairs(&from.reals);
    let reals = model.reals.iter().enumerate();
    let given: Vec<(Input, f64)> = reals
        .filter_map(|(index, real)| {
            let value = present.get(&*real.name)?;
            Some((Input::Real(RealId::new(index)), *value))
        })
        .collect();
    model.start_values_given(&given)
}

/// The values by their keys.
pub(in crate::sim) fn pairs<T>(pairs: &[(String, T)]) -> HashMap<&str, T>
where
    T: Clone,
{
    // The first of equal keys counts, in both models.
    let all = pairs.iter().rev();
    all.map(|(key, value)| (key.as_str(), value.clone()))
        .collect()
}
