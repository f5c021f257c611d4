//! Rows of a design are run.

use std::ops::ControlFlow;

use rayon::prelude::*;
use situ_engine::model::Input;
use situ_engine::sim::{Ended, RunFault, SetupError, Template};
use situ_engine::trace::{Recorder, Row};

use crate::design::Design;

/// Rows that are run together: so many per thread.
const ROWS_PER_THREAD: usize = 64;

/// A part of a sweep.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The model, ready.
    pub template: Template,
    /// What the values of a row are.
    pub inputs: Vec<Input>,
    /// Number of the first row in the whole sweep.
    pub first: u64,
    /// One value per input.
    pub rows: Vec<Vec<f64>>,
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
    /// When it ended [units of `time`].
    pub time: f64,
    /// How it ended.
    pub ending: Ending,
}

/// How a run of a sweep ended.
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
}

/// Breaks a run off when asked to.
struct Breaker<'b>(&'b (dyn Fn() -> bool + Sync));

impl Recorder for Breaker<'_> {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        match (self.0)() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Slice {
    /// Runs the rows on the threads of the present rayon pool; the results in the order of the rows, up to
    /// the first that was broken off because `broken` says so.
    pub fn run(&self, broken: &(dyn Fn() -> bool + Sync)) -> Vec<Done> {
        let rows = self.rows.par_iter().enumerate();
        let done = rows.map(|(place, values)| self.one(place, values, broken));
        let done: Vec<Option<Done>> = done.collect();
        done.into_iter().map_while(|done| done).collect()
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
        let inputs = self.inputs.iter().copied();
        let given: Vec<(Input, f64)> = inputs.zip(values.iter().copied()).collect();
        let mut done = Done {
            row: self.first + place as u64,
            values: values.to_vec(),
            measured: Vec::new(),
            time: 0.0,
            ending: Ending::Stop,
        };
        let mut run = match self.template.run(&given) {
            Ok(run) => run,
            Err(error) => {
                done.ending = Ending::Refused(Box::new(error));
                return Some(done);
            }
        };
        done.ending = match run.run(&mut Breaker(broken)) {
            Ok(Ended::Stop) => Ending::Stop,
            Ok(Ended::Condition) => Ending::Condition,
            Ok(Ended::Recorder) => return None,
            Err(fault) => Ending::Failed(Box::new(fault)),
        };
        done.time = run.time();
        done.measured = run.measured();
        Some(done)
    }
}

/// Runs a design from a row on, slice by slice; each result is handed over once, in order. Ends early if
/// `broken` says so, or if `take` breaks off. The number of runs that were handed over.
///
/// Memory: that of one slice, whatever the size of the design, besides the permutations of a Latin
/// hypercube (8 bytes per run and drawn axis).
pub fn sweep(
    template: &Template,
    design: &Design,
    from: u64,
    broken: &(dyn Fn() -> bool + Sync),
    take: &mut dyn FnMut(&[Done]) -> ControlFlow<()>,
) -> u64 {
    let mut rows = design.rows(from);
    let size = ROWS_PER_THREAD * rayon::current_num_threads();
    let mut first = from;
    loop {
        let rows: Vec<Vec<f64>> = rows.by_ref().take(size).collect();
        let wanted = rows.len();
        let slice = Slice {
            template: template.clone(),
            inputs: design.inputs().to_vec(),
            first,
            rows,
        };
        let done = slice.run(broken);
        first += done.len() as u64;
        let over = done.len() < wanted || wanted == 0;
        if (!done.is_empty() && take(&done).is_break()) || over {
            return first - from;
        }
    }
}
