//! Rows of a design are run, a slice of them at a time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use situ_engine::model::Input;
use situ_engine::sim::{EndReason, LaneEnd, PreparedModel, RunFault, Runs, SetupError};
use situ_engine::trace::{Recorder, Row, Trace, TraceRecorder};

/// Fewer rows than this per thread are run one by one: ticks in lanes take about as long as so many ticks
/// in native code.
const LEAST_IN_LANES: usize = 6;

/// Part of each run that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// Its measures.
    #[default]
    Measures,
    /// Its rows, too.
    Rows,
}

/// A part of a sweep.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The model, ready.
    pub template: PreparedModel,
    /// Inputs of which a row has values.
    pub inputs: Vec<Input>,
    /// Number of the first row in the whole sweep.
    pub first: u64,
    /// One value per input.
    pub rows: Vec<Vec<f64>>,
    /// Part of the runs that is kept.
    pub keep: Keep,
}

/// A run of a row that is over.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// The number of the row in the whole sweep.
    pub row: u64,
    /// The row's values.
    pub values: Vec<f64>,
    /// The template's measures.
    pub measured: Vec<Option<f64>>,
    /// The rows of the run, if they were to be kept; those that it came to.
    pub trace: Option<Box<Trace>>,
    /// When it ended [units of `time`].
    pub time: f64,
    /// Ending of the run.
    pub ending: Ending,
}

/// Ending of a run of a sweep.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// At its end.
    Stop,
    /// `stop_when` came true.
    Condition,
    /// It could not go on.
    Failed(Box<RunFault>),
    /// It could not begin.
    Refused(Box<SetupError>),
    /// A run of a model of another size could not go on: why, in words.
    OtherFailed(String),
    /// There is no model of its size, or it could not begin: why, in words.
    NoModel(String),
}

impl Ending {
    /// In one word, for tables of results.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Condition => "condition",
            Self::Failed(_) | Self::OtherFailed(_) => "failed",
            Self::Refused(_) | Self::NoModel(_) => "refused",
        }
    }

    /// `None` if the run was broken off.
    fn of(ended: EndReason) -> Option<Self> {
        match ended {
            EndReason::Stop => Some(Self::Stop),
            EndReason::Condition => Some(Self::Condition),
            EndReason::Recorder => None,
        }
    }
}

/// Share of one thread in a slice in lanes.
struct Part<'s> {
    slice: &'s Slice,
    /// The first row that no thread has taken.
    next: &'s AtomicUsize,
    /// Number of further rows that may be taken.
    free: usize,
    /// Rows that are over, by their place.
    done: Vec<(usize, Option<Done>)>,
    broken: &'s (dyn Fn() -> bool + Sync),
}

impl Runs for Part<'_> {
    fn next(&mut self, given: &mut Vec<(Input, f64)>) -> Option<usize> {
        self.free = self.free.checked_sub(1)?;
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        let values = self.slice.rows.get(place)?;
        given.clear();
        given.extend(self.slice.given(values));
        Some(place)
    }

    fn done(&mut self, place: usize, end: LaneEnd) {
        self.free += 1;
        let done = self.slice.not_run(place);
        let done = match end {
            LaneEnd::Over {
                measured,
                time,
                ended,
            } => Ending::of(ended).map(|ending| Done {
                measured,
                time,
                ending,
                ..done
            }),
            LaneEnd::Failed {
                measured,
                time,
                fault,
            } => Some(Done {
                measured,
                time,
                ending: Ending::Failed(fault),
                ..done
            }),
            LaneEnd::Refused(error) => Some(Done {
                ending: Ending::Refused(error),
                ..done
            }),
            LaneEnd::Spoilt => self.slice.one(place, &self.slice.rows[place], self.broken),
        };
        self.done.push((place, done));
    }

    fn broken(&mut self) -> bool {
        (self.broken)()
    }
}

/// Breaks a run off when asked to, and keeps its rows if they are wanted.
struct Breaker<'b> {
    broken: &'b (dyn Fn() -> bool + Sync),
    kept: Option<TraceRecorder<'b>>,
}

impl Recorder for Breaker<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        match &mut self.kept {
            Some(kept) => kept.row(row),
            None => ControlFlow::Continue(()),
        }
    }

    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        match (self.broken)() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Slice {
    /// Runs the rows on the threads of the present rayon pool, in lanes where the template has some and it
    /// pays; the results in the order of the rows, up to the first that was broken off because `broken`
    /// says so. They have the same bits on any number of threads, in lanes and alone.
    pub fn run(&self, broken: &(dyn Fn() -> bool + Sync)) -> Vec<Done> {
        let threads = rayon::current_num_threads();
        let few = self.rows.len() < LEAST_IN_LANES * threads;
        let done = match self.template.lanes() {
            Some(lanes) if !few && self.keep == Keep::Measures => {
                let share = self.rows.len().div_ceil(threads).min(lanes);
                self.in_lanes(threads, share, broken)
            }
            _ => self.alone(broken),
        };
        done.into_iter().map_while(|done| done).collect()
    }

    /// Every row in a run of its own.
    fn alone(&self, broken: &(dyn Fn() -> bool + Sync)) -> Vec<Option<Done>> {
        let rows = self.rows.par_iter().enumerate();
        rows.map(|(place, values)| self.one(place, values, broken))
            .collect()
    }

    /// The rows in lanes, on each thread at most `share` at a time.
    fn in_lanes(
        &self,
        threads: usize,
        share: usize,
        broken: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Done>> {
        let next = AtomicUsize::new(0);
        let parts = (0..threads).into_par_iter().with_max_len(1).map(|_| {
            let mut part = Part {
                slice: self,
                next: &next,
                free: share,
                done: Vec::with_capacity(self.rows.len().div_ceil(threads)),
                broken,
            };
            self.template.run_in_lanes(&mut part);
            part.done
        });
        let mut rows: Vec<Option<Done>> = self.rows.iter().map(|_| None).collect();
        for (place, done) in parts.collect::<Vec<_>>().into_iter().flatten() {
            rows[place] = done;
        }
        rows
    }

    fn given<'s>(&'s self, values: &'s [f64]) -> impl Iterator<Item = (Input, f64)> + 's {
        self.inputs.iter().copied().zip(values.iter().copied())
    }

    /// A row that has not been run.
    pub(crate) fn not_run(&self, place: usize) -> Done {
        Done {
            row: self.first + place as u64,
            values: self.rows[place].clone(),
            measured: Vec::new(),
            trace: None,
            time: 0.0,
            ending: Ending::Stop,
        }
    }

    /// `None` if it was broken off.
    fn one(
        &self,
        place: usize,
        values: &[f64],
        broken: &(dyn Fn() -> bool + Sync),
    ) -> Option<Done> {
        if broken() {
            return None;
        }
        let mut done = self.not_run(place);
        let given: Vec<(Input, f64)> = self.given(values).collect();
        let mut run = match self.template.run(&given) {
            Ok(run) => run,
            Err(error) => {
                done.ending = Ending::Refused(Box::new(error));
                return Some(done);
            }
        };
        let keeps = self.keep == Keep::Rows;
        let mut breaker = Breaker {
            broken,
            kept: keeps.then(|| TraceRecorder::new(self.template.model())),
        };
        done.ending = match run.run(&mut breaker) {
            Ok(ended) => Ending::of(ended)?,
            Err(fault) => Ending::Failed(Box::new(fault)),
        };
        done.trace = breaker.kept.map(|kept| Box::new(kept.trace));
        done.time = run.time();
        done.measured = run.measured();
        Some(done)
    }
}
