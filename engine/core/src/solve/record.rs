//! A step of an explicit method as a tape, to be compiled: its formula, run on operations in place of
//! numbers ([`Recorded`]).

use std::ops::Range;
use std::sync::Arc;

use super::combine::{Number, Way};
use super::method::Method;
use super::step::{Outcome, Span, Start};
use super::system::Refusal;
use super::{dop853, tsit5};
use crate::backend::compiled::{StraightCode, StraightJob};
use crate::backend::record::{Recorded, Recorder};
use crate::tape::Slot;

impl Number for Recorded<'_> {
    fn weighted(self, weight: f64) -> Self {
        Recorded::Number(weight) * self
    }
}

/// Writes down the rates of a system: time, state -> derivative.
pub(crate) type RatesOf<'s> =
    dyn for<'r> FnMut(&'r Recorder, Recorded<'r>, &[Recorded<'r>], &mut [Recorded<'r>]) + 's;

/// Says that rates are written down by one recorder.
fn rates_on<'r, F>(_: &'r Recorder, rates: F) -> F
where
    F: FnMut(Recorded<'r>, &[Recorded<'r>], &mut [Recorded<'r>]) -> Result<(), Refusal>,
{
    rates
}

/// First slots of what goes in and comes out.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// Start, end and length.
    span: u32,
    y: u32,
    k1: u32,
    end: u32,
    end_rates: u32,
    error: u32,
    /// What else the method wants to have of a trial, and how much.
    rest: u32,
    n_rest: usize,
    dense: u32,
    n_dense: usize,
}

/// A step of a method in one system, recorded.
#[derive(Clone, Debug)]
pub(crate) struct StepTape {
    pub(crate) job: StraightJob,
    method: Method,
    n: usize,
    places: Places,
}

impl StepTape {
    /// The same with numbers that the rates read.
    pub(crate) fn with_numbers(mut self, numbers: &[(Slot, f64)]) -> Self {
        Arc::make_mut(&mut self.job.tape).numbers.extend(numbers);
        self
    }
}

/// Records a trial and the dense output of a method; `None` if it is not an explicit one with step
/// control.
///
/// Shapes: `n`: components of the system; `n_slots`: slots that `rates` reads, the first ones.
pub(crate) fn record(
    method: Method,
    n: usize,
    n_slots: u32,
    rates: &mut RatesOf<'_>,
) -> Option<StepTape> {
    let recorder = Recorder::new(n_slots);
    let r = &recorder;
    let [span, y, k1, end, end_rates, error] = [3, n, n, n, n, n].map(|n| r.row(n));
    let row = |first: u32| -> Vec<Recorded<'_>> { (first..).take(n).map(|s| r.at(s)).collect() };
    let room = || row(y);
    let way = Way {
        t0: r.at(span),
        t1: r.at(span + 1),
        h: r.at(span + 2),
    };
    let (state, first) = (row(y), row(k1));
    let [mut u, mut to, mut to_rates] = std::array::from_fn(|_| room());
    let mut rates = rates_on(r, |t, y, dy| {
        rates(r, t, y, dy);
        Ok(())
    });
    let (rest, dense, n_trial): (Vec<_>, Vec<_>, usize);
    match method {
        Method::Tsit5 => {
            let mut k: [_; 5] = std::array::from_fn(|_| room());
            let mut estimate = room();
            let on = tsit5::Stages {
                y: &state,
                k1: &first,
                u: &mut u,
                k: k.each_mut().map(|k| &mut k[..]),
                end: &mut to,
                end_rates: &mut to_rates,
                error: &mut estimate,
            };
            tsit5::stages(n, &mut rates, &way, on).ok()?;
            r.store(error, &estimate);
            rest = [&u[..], &k[4]].concat();
            n_trial = r.len();
            let [k2, k3, k4, k5, k6] = &k;
            let stages: [&[_]; 6] = [k2, k3, k4, k5, k6, &to_rates];
            let bow = |i| tsit5::bow(i, way.h, &first, stages);
            dense = (0..n).map(bow).collect();
        }
        Method::Dop853 => {
            let mut k: [_; 11] = std::array::from_fn(|_| room());
            let [mut e5, mut e3] = std::array::from_fn(|_| room());
            let on = dop853::Stages {
                y: &state,
                k1: &first,
                u: &mut u,
                k: k.each_mut().map(|k| &mut k[..]),
                end: &mut to,
                end_rates: &mut to_rates,
                errors: [&mut e5, &mut e3],
            };
            dop853::stages(n, &mut rates, &way, on).ok()?;
            r.store(error, &e5);
            rest = e3;
            n_trial = r.len();
            let [_, _, _, _, k6, k7, k8, k9, k10, k11, k12] = &k;
            let mut more: [_; 3] = std::array::from_fn(|_| room());
            let mut levels: [_; 4] = std::array::from_fn(|_| room());
            let on = dop853::MoreStages {
                y: &state,
                k: [&first, k6, k7, k8, k9, k10, k11, k12, &to_rates],
                u: &mut u,
                more: more.each_mut().map(|k| &mut k[..]),
                levels: levels.each_mut().map(|level| &mut level[..]),
            };
            dop853::more_stages(n, &mut rates, &way, on).ok()?;
            dense = levels.concat();
        }
        _ => return None,
    }
    let (n_rest, n_dense) = (rest.len(), dense.len());
    let [rest_at, dense_at] = [n_rest, n_dense].map(|n| r.row(n));
    r.store(dense_at, &dense);
    let before = r.len();
    r.store(end, &to);
    r.store(end_rates, &to_rates);
    r.store(rest_at, &rest);
    let places = Places {
        span,
        y,
        k1,
        end,
        end_rates,
        error,
        rest: rest_at,
        n_rest,
        dense: dense_at,
        n_dense,
    };
    let kept = [
        (end, n),
        (end_rates, n),
        (error, n),
        (rest_at, n_rest),
        (dense_at, n_dense),
    ];
    let kept = kept.into_iter().flat_map(|(first, n)| (first..).take(n));
    let mut tape = recorder.into_tape();
    // What a trial gives belongs to its part.
    let n_stored = tape.ops.len() - before;
    tape.ops[n_trial..].rotate_right(n_stored);
    let n_trial = n_trial + n_stored;
    let parts: Vec<Range<usize>> = vec![0..n_trial, n_trial..tape.ops.len()];
    Some(StepTape {
        job: StraightJob {
            tape: Arc::new(tape),
            parts,
            kept: kept.collect(),
        },
        method,
        n,
        places,
    })
}

/// A step of a method in one system, compiled, with the slots that it works on.
#[derive(Clone, Debug)]
pub struct CompiledStep {
    code: Arc<dyn StraightCode>,
    pub(crate) slots: Vec<f64>,
    pub(crate) method: Method,
    n: usize,
    places: Places,
}

const TRIAL: usize = 0;
const DENSE: usize = 1;

impl CompiledStep {
    /// Shapes: `known`: what the slots hold that the rates read.
    pub(crate) fn new(tape: &StepTape, code: Arc<dyn StraightCode>, known: &[f64]) -> Self {
        let all = &tape.job.tape;
        let mut slots = known.to_vec();
        slots.resize(all.n_slots as usize, 0.0);
        for &(slot, value) in &all.numbers {
            slots[slot.index()] = value;
        }
        Self {
            code,
            slots,
            method: tape.method,
            n: tape.n,
            places: tape.places,
        }
    }

    fn put(&mut self, first: u32, values: &[f64]) {
        self.slots[first as usize..][..values.len()].copy_from_slice(values);
    }

    fn get(&self, first: u32, n: usize) -> &[f64] {
        &self.slots[first as usize..][..n]
    }

    /// Does a trial: writes the state and the derivative at the end and the error estimate.
    pub(super) fn trial(&mut self, span: &Span, start: &Start<'_>, out: &mut Outcome) {
        let (n, places) = (self.n, self.places);
        self.put(places.span, &[span.t0, span.t1, span.h]);
        self.put(places.y, start.y);
        self.put(places.k1, start.f);
        self.code.run(TRIAL, &mut self.slots);
        out.y.copy_from_slice(self.get(places.end, n));
        out.f.copy_from_slice(self.get(places.end_rates, n));
        out.error.copy_from_slice(self.get(places.error, n));
    }

    /// Reads a row of what else a trial has given.
    pub(super) fn read(&self, row: usize, into: &mut [f64]) {
        let rest = self.get(self.places.rest, self.places.n_rest);
        into.copy_from_slice(&rest[row * self.n..][..self.n]);
    }

    /// What the dense output of the last trial needs that a trial does not give.
    pub(super) fn dense(&mut self) -> &[f64] {
        self.code.run(DENSE, &mut self.slots);
        self.get(self.places.dense, self.places.n_dense)
    }
}
