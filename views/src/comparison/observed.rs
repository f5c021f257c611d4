//! A run as others are compared with it: values at common times, and when what became true.

use std::ops::ControlFlow;

use situ_engine::ids::{RangeId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Model};
use situ_engine::trace::{Recorder, Row};

/// Times at which the values of a run are looked at: equally many in every run.
const SAMPLES: u32 = 1000;

/// Up to so many changes are kept of a run.
const MAX_CHANGES: usize = 1_000_000;

/// Record of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Observed {
    /// The times of the samples, from 0 to the stop [units of `time`].
    pub times: Vec<f64>,
    /// Per real its values at these times; fewer if the run broke off.
    pub reals: Vec<Vec<f64>>,
    /// When booleans changed and events fired, in order; what holds at the start changed there.
    pub changes: Vec<Change>,
    /// True if further changes were left out.
    pub overflowed: bool,
    names: Vec<(Boolean, bool)>,
    held: Vec<bool>,
    last: Option<(f64, Vec<f64>)>,
    /// The time of the first row behind the start [units of `time`].
    first_step: Option<f64>,
}

/// A boolean changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// When [units of `time`].
    pub time: f64,
    /// Its id.
    pub what: Boolean,
    /// To what; events fire and become true only.
    pub to: bool,
}

impl Observed {
    /// Ready for a run of a model to a time.
    pub fn new(model: &Model, stop: f64) -> Self {
        let situations = (0..model.situations.len()).map(|index| {
            (
                Boolean::Situation(SituationId::new(index)),
                model.situations[index].event,
            )
        });
        let switches =
            (0..model.switches.len()).map(|index| (Boolean::Switch(SwitchId::new(index)), false));
        let mut names: Vec<(Boolean, bool)> = switches.chain(situations).collect();
        if names.is_empty() {
            let ranges = 0..model.ranges.len();
            names = ranges
                .map(|index| (Boolean::Range(RangeId::new(index)), false))
                .collect();
        }
        Self {
            times: (0..=SAMPLES)
                .map(|sample| stop * (f64::from(sample) / f64::from(SAMPLES)))
                .collect(),
            reals: vec![Vec::new(); model.reals.len()],
            changes: Vec::new(),
            overflowed: false,
            held: vec![false; names.len()],
            names,
            last: None,
            first_step: None,
        }
    }

    /// The distance of samples [units of `time`].
    pub fn distance(&self) -> f64 {
        self.times[1]
    }

    /// The samples at which a real is looked at that counts from the first step on only, of those that are given.
    pub fn from_first_step(&self, samples: &[usize]) -> Vec<usize> {
        let begin = self.first_step.unwrap_or(0.0);
        let samples = samples.iter().copied();
        samples
            .filter(|&sample| self.times[sample] >= begin)
            .collect()
    }

    /// The booleans whose changes are kept.
    pub fn booleans(&self) -> impl Iterator<Item = Boolean> {
        self.names.iter().map(|(what, _)| *what)
    }

    /// A recorder that fills it.
    pub fn recorder<'a, R: Recorder>(
        &'a mut self,
        model: &'a Model,
        then: &'a mut R,
    ) -> Observing<'a, R> {
        Observing {
            model,
            observed: self,
            then,
        }
    }

    /// When a boolean became so, up to a time.
    pub fn times_of(&self, what: Boolean, to: bool, until: f64) -> Vec<f64> {
        let changes = self.changes.iter();
        let those =
            changes.filter(|change| change.what == what && change.to == to && change.time <= until);
        those.map(|change| change.time).collect()
    }

    fn sample(&mut self, row: &Row<'_>) {
        let (before, values) = self
            .last
            .get_or_insert_with(|| (row.time, row.reals.to_vec()));
        if row.time > *before {
            self.first_step.get_or_insert(row.time);
        }
        while let Some(&at) = self
            .times
            .get(self.reals.first().map_or(usize::MAX, Vec::len))
            && at <= row.time
        {
            let share = if at == row.time {
                1.0
            } else {
                (at - *before) / (row.time - *before)
            };
            for ((column, old), new) in self.reals.iter_mut().zip(&*values).zip(row.reals) {
                column.push(if share == 1.0 {
                    *new
                } else {
                    old + share * (new - old)
                });
            }
        }
        *before = row.time;
        values.copy_from_slice(row.reals);
    }

    fn note(&mut self, model: &Model, row: &Row<'_>) {
        let first = self.last.is_none();
        for ((what, event), held) in self.names.iter().zip(&mut self.held) {
            let now = row.boolean(model, *what);
            let changes = if *event { now } else { now != *held };
            *held = now;
            // What holds at the start has come to hold there, but no event fires.
            if !changes || (first && (*event || !now)) {
                continue;
            }
            if self.changes.len() == MAX_CHANGES {
                self.overflowed = true;
            } else {
                self.changes.push(Change {
                    time: row.time,
                    what: *what,
                    to: now,
                });
            }
        }
    }
}

/// Fills an [`Observed`] and hands on to another recorder.
#[derive(Debug)]
pub struct Observing<'a, R> {
    model: &'a Model,
    observed: &'a mut Observed,
    then: &'a mut R,
}

impl<R: Recorder> Recorder for Observing<'_, R> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.observed.note(self.model, row);
        self.observed.sample(row);
        self.then.row(row)
    }

    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.then.poll(done, all)
    }
}
