//! A run as others are compared with it: values at common times, and when what became true.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use situ_engine::ids::{RangeId, RealId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Guard, Model, Relation};
use situ_engine::procedure::{Effect, Motion};
use situ_engine::trace::{Recorder, Row};

use crate::comparison::pairing::{pairs, span};

/// Times at which the values of a run are looked at: equally many in every run.
const SAMPLES: u32 = 1000;

/// Up to so many changes are kept of a run.
const MAX_CHANGES: usize = 1_000_000;

/// Up to this part of a run is left out between an instant of a schedule in one run and the same one in the other.
const BETWEEN_INSTANTS: f64 = 0.25;

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
    /// So many of the booleans, the first, are told of whether the runs differ in them or not.
    n_told: usize,
    held: Vec<bool>,
    /// How the values of each real lie between two rows.
    interpolations: Vec<Interpolation>,
    /// Per sample whether it lies inside a step in which something jumps.
    in_jump: Vec<bool>,
    schedule_instants: ScheduleInstants,
    last: Option<(f64, Vec<f64>)>,
    /// The time of the first row behind the start [units of `time`].
    first_step: Option<f64>,
}

/// Interpolation of a real between two rows of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interpolation {
    /// Held: it jumps at the row.
    Held,
    /// Linear: it moves without jumps.
    Linear,
    /// It does both, or follows what does.
    Mixed,
}

impl Interpolation {
    fn of(model: &Model, real: RealId) -> Self {
        let writers: Vec<&Relation> = (model.writers(real))
            .map(|id| &model.relations[id.index()])
            .collect();
        let is_held = |relation: &Relation| {
            let procedure = relation.procedure.get();
            let counts = procedure.effect() == Effect::Updates;
            jumps(model, relation) || counts && procedure.motion() == Motion::Held
        };
        let flows = |relation: &Relation| {
            let procedure = relation.procedure.get();
            !jumps(model, relation) && procedure.motion() == Motion::Integrated
        };
        if writers.iter().all(|relation| is_held(relation)) {
            Self::Held
        } else if writers.iter().all(|relation| flows(relation)) {
            Self::Linear
        } else {
            Self::Mixed
        }
    }
}

/// True if a row acts at events only.
fn jumps(model: &Model, relation: &Relation) -> bool {
    let at_event = match &relation.guard {
        Guard::When(all) => all
            .iter()
            .any(|literal| !literal.negated && model.is_event(literal.what)),
        Guard::Always | Guard::Otherwise => false,
    };
    relation.once || at_event
}

/// Instants of the schedules of a run.
#[derive(Clone, PartialEq, Debug, Default)]
struct ScheduleInstants {
    /// Per schedule the next instant and the period [units of `time`], from the first row on.
    schedules: Vec<[f64; 2]>,
    /// Per schedule the times of the rows that show its instants.
    shown: Vec<Vec<f64>>,
    /// True if the last row has the time of the one before it.
    is_double: bool,
}

impl ScheduleInstants {
    /// Takes the next row; true if a schedule was due between it and the row before.
    fn note(&mut self, model: &Model, before: Option<f64>, row: &Row<'_>) -> bool {
        if self.schedules.is_empty() {
            let value = |expr| model.value_at(expr, row.reals, row.constants, 0.0);
            let schedules = model.schedules.iter();
            self.schedules = schedules
                .map(|schedule| [value(schedule.first), value(schedule.period)])
                .collect();
            self.shown = vec![Vec::new(); self.schedules.len()];
        }
        let Some(before) = before else { return false };
        if row.time <= before {
            self.is_double = true;
            return false;
        }
        let was_double = std::mem::replace(&mut self.is_double, false);
        let mut due = false;
        // A tick does what is due when it begins.
        let reached = before + 1e-9 * (row.time - before).max(before);
        for ([next, period], shown) in self.schedules.iter_mut().zip(&mut self.shown) {
            if !(*next <= reached && *period > 0.0) {
                continue;
            }
            *next += (((reached - *next) / *period).floor() + 1.0) * *period;
            if shown.len() < MAX_CHANGES {
                shown.push(if was_double { before } else { row.time });
            }
            due |= !was_double;
        }
        due
    }
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
        let ranges =
            (0..model.ranges.len()).map(|index| (Boolean::Range(RangeId::new(index)), false));
        let mut names: Vec<(Boolean, bool)> = switches.chain(situations).collect();
        // Ranges are told of where there is nothing else, or where runs of one stepping differ in them.
        let n_told = match names.len() {
            0 => model.ranges.len(),
            n => n,
        };
        names.extend(ranges);
        Self {
            times: (0..=SAMPLES)
                .map(|sample| stop * (f64::from(sample) / f64::from(SAMPLES)))
                .collect(),
            reals: vec![Vec::new(); model.reals.len()],
            changes: Vec::new(),
            overflowed: false,
            held: vec![false; names.len()],
            names,
            n_told,
            interpolations: (0..model.reals.len())
                .map(|index| Interpolation::of(model, RealId::new(index)))
                .collect(),
            in_jump: Vec::new(),
            schedule_instants: ScheduleInstants::default(),
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

    /// The booleans, each with whether it is told of in any case: others are where runs differ in them.
    pub fn booleans(&self) -> impl Iterator<Item = (Boolean, bool)> {
        let booleans = self.names.iter().map(|(what, _)| *what);
        booleans.zip((0..).map(|at| at < self.n_told))
    }

    /// Number of changes of the booleans that are told of in any case.
    pub fn n_changes(&self) -> usize {
        let told = self.booleans().filter(|(_, is_told)| *is_told);
        let told: BTreeSet<Boolean> = told.map(|(what, _)| what).collect();
        let changes = self.changes.iter();
        changes.filter(|change| told.contains(&change.what)).count()
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

    /// The samples at which a real is compared with another run, of those that are given: where it may jump, none
    /// inside a step in which something does, unless all are.
    pub(super) fn clear_of_jumps(
        &self,
        other: &Self,
        real: usize,
        samples: &[usize],
    ) -> Vec<usize> {
        let is_clear = |&&sample: &&usize| !(self.in_jump[sample] || other.in_jump[sample]);
        let clear: Vec<usize> = match self.interpolations[real] {
            Interpolation::Mixed => samples.iter().filter(is_clear).copied().collect(),
            Interpolation::Held | Interpolation::Linear => Vec::new(),
        };
        match clear.is_empty() {
            true => samples.to_vec(),
            false => clear,
        }
    }

    /// Times from a change in this run to the same one in another, up to a time: of booleans and of schedules.
    ///
    /// `own`: what is a boolean of the other run in this one.
    pub(super) fn spans(
        &self,
        other: &Self,
        own: impl Fn(Boolean) -> Option<Boolean>,
        until: f64,
    ) -> Vec<[f64; 2]> {
        let mut changes: BTreeMap<(Boolean, bool), [Vec<f64>; 2]> = BTreeMap::new();
        for (run, seen) in [self, other].into_iter().enumerate() {
            for change in seen.changes.iter().filter(|change| change.time <= until) {
                let what = match run {
                    0 => Some(change.what),
                    _ => own(change.what),
                };
                let Some(what) = what else { continue };
                let times = changes.entry((what, change.to)).or_default();
                times[run].push(change.time);
            }
        }
        let mut spans: Vec<[f64; 2]> = (changes.into_values())
            .flat_map(pairs)
            .filter_map(span)
            .collect();
        let [shown, others] = [self, other].map(|run| &run.schedule_instants.shown);
        // Schedules have no names: those of models with as many are the same.
        let instants = shown.iter().zip(others);
        for (one, other) in instants.filter(|_| shown.len() == others.len()) {
            let times = [one, other].map(|times| {
                let times = times.iter().copied();
                times.filter(|time| *time <= until).collect()
            });
            let between: Vec<[f64; 2]> = pairs(times).into_iter().filter_map(span).collect();
            let length: f64 = between.iter().map(|[from, to]| to - from).sum();
            // Of instants that come in nearly every step nothing would be left.
            if length <= BETWEEN_INSTANTS * self.times[SAMPLES as usize] {
                spans.extend(between);
            }
        }
        // What both do at the last time is over in the last sample of both.
        let last = self.times.last().copied();
        spans.retain(|[from, to]| from != to || Some(*to) != last);
        spans
    }

    /// `jumps`: whether something changes in the step to this row.
    fn sample(&mut self, row: &Row<'_>, jumps: bool) {
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
            let values = values.iter().zip(row.reals);
            for ((column, interpolation), (old, new)) in
                self.reals.iter_mut().zip(&self.interpolations).zip(values)
            {
                column.push(match interpolation {
                    _ if share == 1.0 => *new,
                    Interpolation::Held => *old,
                    Interpolation::Linear | Interpolation::Mixed => old + share * (new - old),
                });
            }
            self.in_jump.push(jumps && share < 1.0);
        }
        // The last sample is that of the last row, behind all that happens at its time.
        if self.times.last() == Some(&row.time) {
            for (column, value) in self.reals.iter_mut().zip(row.reals) {
                column[self.times.len() - 1] = *value;
            }
        }
        *before = row.time;
        values.copy_from_slice(row.reals);
    }

    /// True if something changes.
    fn note(&mut self, model: &Model, row: &Row<'_>) -> bool {
        let first = self.last.is_none();
        let before = self.last.as_ref().map(|(before, _)| *before);
        let mut any = self.schedule_instants.note(model, before, row);
        for ((what, event), held) in self.names.iter().zip(&mut self.held) {
            let now = row.boolean(model, *what);
            let changes = if *event { now } else { now != *held };
            *held = now;
            // What holds at the start has come to hold there, but no event fires.
            if !changes || (first && (*event || !now)) {
                continue;
            }
            any = true;
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
        any
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
        let jumps = self.observed.note(self.model, row);
        self.observed.sample(row, jumps);
        self.then.row(row)
    }

    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.then.poll(done, all)
    }
}
