//! Sweeps: many runs of one table, here on all cores, or slice by slice wherever bytes can be sent.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use situ_engine::model::Input;
use situ_rules::diag::{fault, setup_error};
use situ_rules::resolve::measures_time;
use situ_sweep::{Design, Done, Ending, Keep, sweep};
use situ_views::chart::ensemble::{Ensemble, Measured, Varied};
use situ_views::chart::svg;

use crate::error::{Refusal, Reports, working};
use crate::frame::{About, Column, Frame, FrameData, Values};
use crate::interrupt::Watch;
use crate::setup::Ready;
use crate::table::of_texts;
use crate::wire::{self, Head, RESULT, SLICE, Slice, Sweep, Varies, opened, read_slice, sealed};

/// Time between two looks at Ctrl-C and reports of progress.
const PAUSE: Duration = Duration::from_millis(50);

/// Templates that a process keeps, for sweeps that come in slices.
const MOST_KEPT: usize = 4;

/// A sweep that is ready to be run.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Study(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sweep: Sweep,
    hash: String,
    ready: Ready,
    design: Design,
}

impl Inner {
    fn new(sweep: Sweep, hash: String) -> Result<Self, Refusal> {
        let loaded = of_texts(sweep.texts.clone());
        if loaded.model.is_none() {
            let reports = Reports::new(&loaded.diagnostics, &loaded.sources);
            return Err(Refusal::Table(reports));
        }
        let ready = Ready::new(&loaded, &sweep.options)?;
        let design = sweep.design(&ready)?;
        Ok(Self {
            sweep,
            hash,
            ready,
            design,
        })
    }

    /// Number of rows of the whole sweep.
    fn len(&self) -> u64 {
        match self.sweep.varies {
            Varies::Rows { all, .. } => all,
            Varies::Axes { .. } => self.design.len(),
        }
    }

    /// Runs that are over as columns; numbers of rows are counted from 1.
    fn columns(&self, done: &[Done]) -> FrameData {
        let ready = &self.ready;
        let mut columns = vec![column(
            ("run", "run", ""),
            "number of the run",
            Values::Integers(done.iter().map(|done| done.row.cast_signed() + 1).collect()),
        )];
        let inputs = self.sweep.inputs.iter().zip(self.design.inputs());
        for (index, (name, input)) in inputs.enumerate() {
            let values = done.iter().map(|done| done.values[index]).collect();
            let (kind, unit, about) = match input {
                Input::Constant(id) => {
                    let one = &ready.model.constants[id.index()];
                    ("constant", &*one.unit, &*one.about)
                }
                Input::Real(id) => {
                    let one = &ready.model.reals[id.index()];
                    ("start", &*one.unit, &*one.about)
                }
                Input::Switch(id) => ("switch", "", &*ready.model.switches[id.index()].about),
            };
            columns.push(column((name, kind, unit), about, Values::Reals(values)));
        }
        for (index, text) in ready.measured.iter().enumerate() {
            let measured = |done: &Done| done.measured.get(index).copied().flatten();
            let values = done.iter().map(|done| measured(done).unwrap_or(f64::NAN));
            let values = Values::Gaps(values.collect());
            let unit = match measures_time(text) {
                true => ready.model.clock.time_unit(),
                false => "",
            };
            columns.push(column((text, "measure", unit), "", values));
        }
        let faults = done.iter().map(|done| {
            let report = match &done.ending {
                Ending::Stop | Ending::Condition => return String::new(),
                Ending::Failed(why) => fault(why, &ready.model, &ready.origins),
                Ending::Refused(why) => setup_error(why, &ready.model, &ready.origins),
            };
            format!("{}: {}", report.code, report.message)
        });
        columns.push(column(
            ("time", "time", ready.model.clock.time_unit()),
            "when the run ended",
            Values::Reals(done.iter().map(|done| done.time).collect()),
        ));
        columns.push(column(
            ("ended", "outcome", ""),
            "how the run ended",
            Values::texts(done.iter().map(|done| done.ending.word())),
        ));
        columns.push(column(
            ("fault", "outcome", ""),
            "why the run failed",
            Values::texts(faults),
        ));
        FrameData::new(&ready.model.name, columns)
    }

    /// The results of some rows as bytes.
    fn result(&self, from: u64, done: &[Done]) -> Vec<u8> {
        let head = Head {
            version: wire::VERSION.to_owned(),
            of: self.hash.clone(),
            from,
            to: from + done.len() as u64,
        };
        let head = serde_json::to_vec(&head).expect("it has texts and whole numbers only");
        let mut payload = (head.len() as u64).to_le_bytes().to_vec();
        payload.extend(head);
        payload.extend(self.columns(done).bytes());
        sealed(RESULT, &payload)
    }
}

fn column((name, kind, unit): (&str, &str, &str), about: &str, values: Values) -> Column {
    let about = About {
        name: name.to_owned(),
        kind: kind.to_owned(),
        unit: unit.to_owned(),
        about: about.to_owned(),
    };
    Column { about, values }
}

#[pymethods]
impl Study {
    /// A sweep, from a JSON text.
    #[new]
    fn new(py: Python<'_>, sweep: &str) -> PyResult<Self> {
        let sweep: Sweep =
            serde_json::from_str(sweep).map_err(|error| Refusal::Type(error.to_string()))?;
        let inner = working(py, || {
            let hash = sweep.hash();
            Inner::new(sweep, hash)
        })??;
        Ok(Self(Arc::new(inner)))
    }

    /// Number of runs.
    fn __len__(&self) -> usize {
        usize::try_from(self.0.len()).unwrap_or(usize::MAX)
    }

    /// Hash of all that its runs follow from.
    fn hash(&self) -> String {
        self.0.hash.clone()
    }

    /// The slice of the rows from one number up to another, as bytes.
    fn slice<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        behind: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if first > behind || behind > self.0.len() {
            let said = format!("the sweep has no rows from {first} to {behind}");
            return Err(Refusal::Value(said).into());
        }
        let bytes = working(py, || {
            let slice = self.0.sweep.slice(&self.0.hash, first, behind);
            let slice = serde_json::to_vec(&slice).expect("it has texts and finite numbers only");
            sealed(SLICE, &slice)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Runs the rows from one on, on so many threads (0: one per core), and hands each part that is over to a function,
    /// as bytes, in the order of the rows. Stops at Ctrl-C, or if the function raises.
    fn run(
        &self,
        py: Python<'_>,
        first: u64,
        threads: usize,
        take: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let take = take.clone().unbind();
        let raised = working(py, || self.parts(first, threads, &take))?;
        match raised? {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Study {
    fn parts(&self, from: u64, threads: usize, take: &Py<PyAny>) -> Result<Option<PyErr>, Refusal> {
        let inner = &self.0;
        let work = |broken: &(dyn Fn() -> bool + Sync), parts: Sender<Vec<u8>>| {
            let (template, design) = (&inner.ready.template, &inner.design);
            sweep(
                template,
                design,
                from,
                Keep::Measures,
                broken,
                &mut |done| {
                    let first = done.first().map_or(0, |done| done.row);
                    match parts.send(inner.result(first, done)) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    }
                },
            )
        };
        let taken = |part: Vec<u8>| {
            let taken = Python::attach(|py| take.call1(py, (PyBytes::new(py, &part),)).map(drop));
            taken.err()
        };
        Ok(on_threads(threads, work, &taken)?.1)
    }
}

/// Work on so many threads of its own (0: one per core), while this one takes its parts and hears Ctrl-C.
fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync), Sender<Vec<u8>>) -> T + Send,
    take: &dyn Fn(Vec<u8>) -> Option<PyErr>,
) -> Result<(T, Option<PyErr>), Refusal> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Refusal::Value(format!("no threads: {error}")))?;
    let stop = AtomicBool::new(false);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let (stop, pool) = (&stop, &pool);
        let worker = scope.spawn(move || {
            let broken = || stop.load(Ordering::Relaxed);
            pool.install(|| work(&broken, sender))
        });
        let mut watch = Watch::begin();
        let mut raised = None;
        loop {
            match receiver.recv_timeout(PAUSE) {
                // What was finished before Ctrl-C is still handed over.
                Ok(part) => raised = raised.or_else(|| take(part)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if raised.is_none() && watch.ask().is_break() {
                raised = watch.raised.take();
            }
            if raised.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        match worker.join() {
            Ok(done) => Ok((done, raised)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Runs a slice; the result, as bytes.
#[pyfunction]
pub(crate) fn run_slice<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = bytes.to_vec();
    let (result, raised) = working(py, move || run(&bytes))??;
    match raised {
        Some(error) => Err(error),
        None => Ok(PyBytes::new(py, &result)),
    }
}

fn run(bytes: &[u8]) -> Result<(Vec<u8>, Option<PyErr>), Refusal> {
    let slice = read_slice(bytes)?;
    let inner = kept(&slice)?;
    let from = slice.from;
    let rows = inner.design.rows(from - slice.first());
    let count = usize::try_from(slice.to - from).unwrap_or(usize::MAX);
    let work = situ_sweep::Slice {
        template: inner.ready.template.clone(),
        inputs: inner.design.inputs().to_vec(),
        first: from,
        rows: rows.take(count).collect(),
        keep: Keep::Measures,
    };
    // One thread: how many there are is the scheduler's affair.
    let work = |broken: &(dyn Fn() -> bool + Sync), _: Sender<Vec<u8>>| work.run(broken);
    let (done, raised) = on_threads(1, work, &|_| None)?;
    if raised.is_none() && done.len() < count {
        return Err(Refusal::Value("the slice was broken off".to_owned()));
    }
    Ok((inner.result(from, &done), raised))
}

/// The sweep of a slice, made ready once.
fn kept(slice: &Slice) -> Result<Arc<Inner>, Refusal> {
    static KEPT: Mutex<Vec<Arc<Inner>>> = Mutex::new(Vec::new());
    // Rows that were listed differ from slice to slice.
    let lists = matches!(slice.sweep.varies, Varies::Rows { .. });
    let same = |inner: &&Arc<Inner>| inner.hash == slice.of;
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all.iter().find(same).cloned();
    match found {
        Some(found) if lists => {
            let design = slice.sweep.design(&found.ready)?;
            Ok(Arc::new(Inner {
                sweep: slice.sweep.clone(),
                hash: slice.of.clone(),
                ready: found.ready.clone(),
                design,
            }))
        }
        Some(found) => Ok(found),
        None => {
            let inner = Arc::new(Inner::new(slice.sweep.clone(), slice.of.clone())?);
            if all.len() >= MOST_KEPT {
                all.remove(0);
            }
            all.push(Arc::clone(&inner));
            Ok(inner)
        }
    }
}

/// Sweep, first row, row behind the last, and columns of a result.
fn result(bytes: &[u8]) -> Result<(Head, FrameData), Refusal> {
    let mut payload = opened(RESULT, bytes)?;
    let damaged = || Refusal::Value("these bytes are no result of a slice".to_owned());
    let (length, rest) = payload.split_first_chunk().ok_or_else(damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
    let (head, rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let head: Head = serde_json::from_slice(head).map_err(|_| damaged())?;
    payload = rest;
    if head.version != wire::VERSION {
        return Err(Refusal::Version(format!(
            "situ {} has made this result, and here is situ {}",
            head.version,
            wire::VERSION
        )));
    }
    let frame = FrameData::read(&mut payload).ok_or_else(damaged)?;
    Ok((head, frame))
}

/// Hash of the sweep of a result, its first row and the one behind its last, and its columns.
#[pyfunction]
pub(crate) fn result_about(bytes: &[u8]) -> PyResult<(String, u64, u64, Frame)> {
    let (head, frame) = result(bytes)?;
    Ok((head.of, head.from, head.to, Frame(Arc::new(frame))))
}

/// Results of one sweep that are being joined, in the order of rows.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug, Default)]
pub(crate) struct Joined(Mutex<Parts>);

#[derive(Debug, Default)]
struct Parts {
    of: Option<String>,
    next: Option<u64>,
    columns: Vec<Column>,
    source: String,
}

#[pymethods]
impl Joined {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a result, which follows the one before it; the number of rows in all.
    fn add(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<usize> {
        let bytes = bytes.to_vec();
        Ok(working(py, move || {
            let (head, frame) = result(&bytes)?;
            let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if parts.of.as_ref().is_some_and(|of| *of != head.of) {
                return Err(Refusal::Value(
                    "results of two sweeps cannot be joined".to_owned(),
                ));
            }
            if parts.next.is_some_and(|next| next != head.from) {
                return Err(Refusal::Value(format!(
                    "rows {} to {} are missing, or results stand in another order",
                    parts.next.unwrap_or_default(),
                    head.from
                )));
            }
            parts.of = Some(head.of);
            parts.next = Some(head.to);
            if parts.columns.is_empty() {
                parts.columns = frame.columns;
                parts.source = frame.source;
            } else {
                for (all, more) in parts.columns.iter_mut().zip(frame.columns) {
                    all.values.append(more.values);
                }
            }
            Ok(parts
                .columns
                .first()
                .map_or(0, |column| column.values.len()))
        })??)
    }

    /// The columns of all results, which are then no longer here.
    fn finish(&self) -> Frame {
        let parts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Frame(Arc::new(FrameData::new(&parts.source, parts.columns)))
    }
}

/// A picture of the results of a sweep: curves, a map or histograms.
#[pyfunction]
pub(crate) fn picture(py: Python<'_>, frame: &Bound<'_, Frame>, drawn: bool) -> PyResult<String> {
    let frame = Arc::clone(&frame.get().0);
    let picture = working(py, || {
        let numbers = |column: &Column| match &column.values {
            Values::Reals(values) | Values::Gaps(values) => values.clone(),
            _ => Vec::new(),
        };
        let mut ensemble = Ensemble {
            drawn,
            ..Ensemble::default()
        };
        for column in &frame.columns {
            let (name, values) = (column.about.name.clone(), numbers(column));
            match &*column.about.kind {
                "constant" | "start" | "switch" => ensemble.varied.push(Varied {
                    name,
                    unit: column.about.unit.clone(),
                    values,
                }),
                "measure" => ensemble.measured.push(Measured {
                    name,
                    unit: column.about.unit.clone(),
                    values,
                }),
                _ => {}
            }
        }
        let picture = ensemble.picture(&frame.source);
        match picture.is_empty() {
            true => None,
            false => Some(svg(&picture.figure())),
        }
    })?;
    let nothing = || Refusal::Value("nothing is drawn: no measure has two values".to_owned());
    Ok(picture.ok_or_else(nothing)?)
}
