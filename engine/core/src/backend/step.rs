//! A step of a method as a tape, to be compiled: its formula, run on operations in place of numbers ([`TracedValue`]).
//! Explicit methods are whole steps; of `rodas5p` Jacobian and factors are found outside, and the stages with all their
//! linear systems are compiled.

use std::ops::Range;
use std::sync::Arc;

use situ_solve::slices::write;
use situ_solve::{
    CompiledStep, DenseFactors, ExplicitTrial, FactorsOf, Method, Number, Pattern, Refusal,
    RosenbrockStart, RosenbrockTrial, StepSpan, TrialResult,
};

use super::compiled::{BasicBlockCode, BasicBlockJob};
use super::record::{TapeRecorder, TracedValue};
use crate::tape::Slot;

impl Number for TracedValue<'_> {
    fn number(value: f64) -> Self {
        TracedValue::Number(value)
    }

    fn weighted(self, weight: f64) -> Self {
        TracedValue::Number(weight) * self
    }
}

/// Writes down the rates of a system: time, state -> derivative.
pub(crate) type RatesOf<'s> = dyn for<'r> FnMut(&'r TapeRecorder, TracedValue<'r>, &[TracedValue<'r>], &mut [TracedValue<'r>])
    + 's;

/// Says that rates are written down by one recorder.
fn rates_on<'r, F>(_: &'r TapeRecorder, rates: F) -> F
where
    F: FnMut(TracedValue<'r>, &[TracedValue<'r>], &mut [TracedValue<'r>]) -> Result<(), Refusal>,
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
    /// The derivative at the end, if the method gives it.
    end_rates: Option<u32>,
    error: u32,
    /// Other results of a trial that the method needs, and their number.
    rest: u32,
    n_rest: usize,
    dense: u32,
    n_dense: usize,
}

/// First slots of what the linear systems of `rodas5p` are made of.
#[derive(Clone, Debug)]
struct LinearPlaces {
    per_h: u32,
    /// Derivatives of the rates by the time; none if they are zero.
    df_dt: Option<u32>,
    factors: u32,
    /// Positions of the factors among the entries of a dense matrix.
    taken: Vec<usize>,
    reciprocals: u32,
    /// A time, a state and slopes, of which a correction is computed.
    point: u32,
}

/// A step of a method in one system, recorded.
#[derive(Clone, Debug)]
pub(crate) struct StepTape {
    pub(crate) job: BasicBlockJob,
    method: Method,
    n: usize,
    places: Places,
    linear: Option<Arc<LinearPlaces>>,
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
    let recorder = TapeRecorder::new(n_slots);
    let r = &recorder;
    let [span, y, k1, end, end_rates, error] = [3, n, n, n, n, n].map(|n| r.row(n));
    let row = |first: u32| -> Vec<TracedValue<'_>> { (first..).take(n).map(|s| r.at(s)).collect() };
    let way = StepSpan {
        t0: r.at(span),
        t1: r.at(span + 1),
        h: r.at(span + 2),
    };
    let mut rates = rates_on(r, |t, y, dy| {
        rates(r, t, y, dy);
        Ok(())
    });
    let mut trial = ExplicitTrial::new(method, way, [&row(y), &row(k1)], &mut rates)?;
    r.store(error, &trial.error);
    let n_trial = r.len();
    let dense = trial.dense(&mut rates)?.to_vec();
    let ExplicitTrial {
        end: to,
        end_rates: to_rates,
        rest,
        ..
    } = &trial;
    let (n_rest, n_dense) = (rest.len(), dense.len());
    let [rest_at, dense_at] = [n_rest, n_dense].map(|n| r.row(n));
    r.store(dense_at, &dense);
    let before = r.len();
    r.store(end, to);
    r.store(end_rates, to_rates);
    r.store(rest_at, rest);
    let places = Places {
        span,
        y,
        k1,
        end,
        end_rates: Some(end_rates),
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
        job: BasicBlockJob {
            tape: Arc::new(tape),
            parts,
            kept: kept.collect(),
        },
        method,
        n,
        places,
        linear: None,
    })
}

/// Records the stages of `rodas5p`, and what corrects its dense output; `None` if its matrices are not dense, or the step
/// would be long.
///
/// Shapes: as of [`record`]; `pattern`: of the Jacobian; `in_time`: whether the rates depend on the time; `most`: most
/// operations.
pub(crate) fn record_rosenbrock(
    (n, pattern): (usize, &Pattern),
    in_time: bool,
    n_slots: u32,
    most: usize,
    rates: &mut RatesOf<'_>,
) -> Option<StepTape> {
    let structure = FactorsOf::<f64>::structure(pattern, n)?;
    let recorder = TapeRecorder::new(n_slots);
    let r = &recorder;
    let [span, per_h, y, k1, end, rest, reciprocals] = [3, 1, n, n, n, 8 * n, n].map(|n| r.row(n));
    let [factors, point, corrected] = [structure.len(), 1 + 2 * n, n].map(|n| r.row(n));
    let df_dt = in_time.then(|| r.row(n));
    let row = |first: u32, n: usize| -> Vec<TracedValue<'_>> {
        (first..).take(n).map(|slot| r.at(slot)).collect()
    };
    let mut rates = rates_on(r, |t, y, dy| {
        rates(r, t, y, dy);
        Ok(())
    });
    let lu = FactorsOf::new(
        &structure,
        &row(factors, structure.len()),
        &row(reciprocals, n),
    );
    let way = StepSpan {
        t0: r.at(span),
        t1: r.at(span + 1),
        h: r.at(span + 2),
    };
    let by_time = df_dt.map(|first| row(first, n));
    let start = RosenbrockStart {
        span: way,
        per_h: r.at(per_h),
        y: &row(y, n),
        f: &row(k1, n),
        df_dt: by_time.as_deref(),
    };
    let trial = RosenbrockTrial::new(&start, &lu, &mut rates)?;
    r.store(end, &trial.end);
    r.store(rest, &trial.stages);
    let n_trial = r.len();
    let there = row(point, 1 + 2 * n);
    let (state, slopes) = there[1..].split_at(n);
    let moved = RosenbrockTrial::correction(there[0], [state, slopes], &lu, &mut rates)?;
    r.store(corrected, &moved);
    if r.len() > most || r.was_undecided() {
        return None;
    }
    let kept = [(end, n), (rest, 8 * n), (corrected, n)];
    let kept = kept.into_iter().flat_map(|(first, n)| (first..).take(n));
    let kept = kept.collect();
    let linear = LinearPlaces {
        per_h,
        df_dt,
        factors,
        taken: structure
            .iter()
            .map(|(row, column)| row * n + column)
            .collect(),
        reciprocals,
        point,
    };
    let tape = recorder.into_tape();
    Some(StepTape {
        job: BasicBlockJob {
            parts: vec![0..n_trial, n_trial..tape.ops.len()],
            tape: Arc::new(tape),
            kept,
        },
        method: Method::Rodas5p,
        n,
        places: Places {
            span,
            y,
            k1,
            end,
            end_rates: None,
            // The last stage is the estimate.
            error: rest + 7 * n as u32,
            rest,
            n_rest: 8 * n,
            dense: corrected,
            n_dense: n,
        },
        linear: Some(Arc::new(linear)),
    })
}

/// A step of a method in one system, compiled, with the slots that it works on.
#[derive(Clone, Debug)]
pub(crate) struct NativeStep {
    code: Arc<dyn BasicBlockCode>,
    pub(crate) slots: Vec<f64>,
    pub(crate) method: Method,
    n: usize,
    places: Places,
    linear: Option<Arc<LinearPlaces>>,
}

const TRIAL: usize = 0;
const DENSE: usize = 1;
const CORRECTION: usize = 1;

impl NativeStep {
    /// Shapes: `known`: what the slots hold that the rates read.
    pub(crate) fn new(tape: &StepTape, code: Arc<dyn BasicBlockCode>, known: &[f64]) -> Self {
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
            linear: tape.linear.clone(),
        }
    }

    fn get(&self, first: u32, n: usize) -> &[f64] {
        &self.slots[first as usize..][..n]
    }
}

/// Writes values into slots that follow each other.
fn put(slots: &mut [f64], first: u32, values: &[f64]) {
    write(&mut slots[first as usize..][..values.len()], values);
}

impl CompiledStep for NativeStep {
    fn trial(&mut self, span: &StepSpan, [y, k1]: [&[f64]; 2], into: TrialResult<'_>) {
        let (n, places) = (self.n, self.places);
        put(&mut self.slots, places.span, &[span.t0, span.t1, span.h]);
        put(&mut self.slots, places.y, y);
        put(&mut self.slots, places.k1, k1);
        self.code.run(TRIAL, &mut self.slots);
        write(into.y, self.get(places.end, n));
        if let Some(end_rates) = places.end_rates {
            write(into.f, self.get(end_rates, n));
        }
        write(into.error, self.get(places.error, n));
    }

    fn linear(&mut self, factors: DenseFactors<'_>, df_dt: &[f64], per_h: f64) {
        let Self { slots, linear, .. } = self;
        let linear = linear.as_ref().expect("it is a step of rodas5p");
        put(slots, linear.per_h, &[per_h]);
        put(slots, linear.reciprocals, factors.reciprocals);
        if let Some(first) = linear.df_dt {
            put(slots, first, df_dt);
        }
        let places = slots[linear.factors as usize..].iter_mut();
        for (slot, &at) in places.zip(&linear.taken) {
            *slot = factors.entries[at];
        }
    }

    fn correction(&mut self, t: f64, [state, slopes]: [&[f64]; 2], into: &mut [f64]) {
        let linear = self.linear.as_ref().expect("it is a step of rodas5p");
        let first = linear.point;
        put(&mut self.slots, first, &[t]);
        put(&mut self.slots, first + 1, state);
        put(&mut self.slots, first + 1 + state.len() as u32, slopes);
        self.code.run(CORRECTION, &mut self.slots);
        write(into, self.get(self.places.dense, self.n));
    }

    fn rest(&self, row: usize, into: &mut [f64]) {
        let rest = self.get(self.places.rest, self.places.n_rest);
        write(into, &rest[row * self.n..][..self.n]);
    }

    fn dense(&mut self) -> &[f64] {
        self.code.run(DENSE, &mut self.slots);
        self.get(self.places.dense, self.places.n_dense)
    }
}
