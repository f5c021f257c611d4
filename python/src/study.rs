//! Sweeps: many runs of one table, here on all cores, or slice by slice wherever bytes can be sent.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use situ_engine::model::Input;
use situ_repl::results::{Identity, Results, ResultsFile, Swept, columns, varied};
use situ_rules::diag::{fault, in_a_cell, setup_error};
use situ_sweep::{Design, Done, Ending, Keep, OtherSize, sweep};
use situ_views::chart::ensemble::{Ensemble, Measured, Varied};
use situ_views::chart::svg;
use situ_views::columns::cells;
use situ_views::text::number::exact;

use crate::error::{Refusal, Reports, working};
use crate::frame::{Column, Frame, FrameData, Values};
use crate::interrupt::Watch;
use crate::results::{Joined, StudyFile, empty, push};
use crate::setup::{Options, Ready, sized};
use crate::wire::{self, Head, SentFile, Slice, Sweep, Varies, read_slice};

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
    /// The columns of its results.
    columns: Vec<cells::Column>,
    /// What files of its results say of it.
    identity: Identity,
}

impl Inner {
    fn new(sweep: Sweep, hash: String) -> Result<Self, Refusal> {
        let loaded = sweep.table();
        if loaded.model.is_none() {
            let reports = Reports::new(&loaded.diagnostics, &loaded.sources);
            return Err(Refusal::Table(reports));
        }
        let mut ready = Ready::new(&loaded, &sweep.options)?;
        let design = sweep.design(&ready)?;
        if !design.sizing(&ready.model).is_empty() {
            let sizes_vary = true;
            let options = sweep.options.clone();
            ready = Ready::new(
                &loaded,
                &Options {
                    sizes_vary,
                    ..options
                },
            )?;
        }
        let inputs = sweep.inputs.iter().zip(design.inputs());
        let varied: Vec<_> = inputs
            .map(|(name, input)| varied(name, *input, &ready.model))
            .collect();
        let columns = columns(&varied, &ready.measured, ready.model.clock.time_unit());
        let identity = Identity::of_measures(
            Swept {
                table: &sized(&loaded, &sweep.options)?,
                model: &ready.model,
                config: ready.template.config(),
                fast_math: sweep.options.fast_math,
            },
            &ready.measured,
        );
        Ok(Self {
            sweep,
            hash,
            ready,
            design,
            columns,
            identity,
        })
    }

    /// The model that the values of a row ask for, with families of another size.
    ///
    /// # Errors
    ///
    /// There is none: why, in one line.
    fn resized(&self, row: &[f64]) -> Result<OtherSize, String> {
        let mut options = self.sweep.options.clone();
        options.sizes_vary = true;
        let names = &self.sweep.inputs;
        for ((name, input), value) in names.iter().zip(self.design.inputs()).zip(row) {
            if let Input::Constant(_) = input {
                options.set.push((name.clone(), exact(*value)));
            }
        }
        let ready = Ready::new(&self.sweep.table(), &options);
        let ready = ready.map_err(|refusal| refusal.in_one_line())?;
        let inputs: Result<_, Refusal> = names.iter().map(|name| ready.input(name)).collect();
        let Ready { model, origins, .. } = ready;
        let words = move |ending: &Ending| {
            let report = match ending {
                Ending::Stop | Ending::Condition => return String::new(),
                Ending::Failed(why) => fault(why, &model, &origins),
                Ending::Refused(why) => setup_error(why, &model, &origins),
                Ending::OtherFailed(why) | Ending::NoModel(why) => return why.clone(),
            };
            in_a_cell(&report)
        };
        Ok(OtherSize {
            template: ready.template,
            inputs: inputs.map_err(|refusal| refusal.in_one_line())?,
            words: Box::new(words),
        })
    }

    /// Number of rows of the whole sweep.
    fn len(&self) -> u64 {
        match self.sweep.varies {
            Varies::Rows { all, .. } => all,
            Varies::Axes { .. } => self.design.len(),
        }
    }

    /// What files of its results have in them.
    fn results(&self) -> Results<'_> {
        Results {
            columns: &self.columns,
            n_measures: self.ready.measured.len(),
            model: &self.ready.model,
            origins: &self.ready.origins,
            identity: &self.identity,
        }
    }

    /// Runs that are over as columns; numbers of rows are counted from 1.
    fn frame(&self, done: &[Done]) -> FrameData {
        let results = self.results();
        let mut columns: Vec<Column> = self.columns.iter().map(empty).collect();
        for done in done {
            for (column, cell) in columns.iter_mut().zip(results.cells(done)) {
                push(&mut column.values, cell);
            }
        }
        FrameData::new(&self.ready.model.name, columns)
    }

    /// The results of some rows as bytes.
    fn result(&self, from: u64, done: &[Done]) -> Vec<u8> {
        let head = Head {
            version: wire::VERSION.to_owned(),
            of: self.hash.clone(),
            from,
            to: from + done.len() as u64,
            all: self.len(),
        };
        wire::result_bytes(&head, &self.frame(done).bytes())
    }
}

#[pymethods]
impl Study {
    /// A sweep, from a JSON text and the files of its lookups.
    #[new]
    fn new(py: Python<'_>, sweep: &str, files: Vec<(String, PyBackedBytes)>) -> PyResult<Self> {
        let mut sweep: Sweep =
            serde_json::from_str(sweep).map_err(|error| Refusal::Type(error.to_string()))?;
        let files = files.into_iter();
        sweep.files = files
            .map(|(name, bytes)| SentFile::new(name, &bytes))
            .collect();
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
            self.0.sweep.slice(&self.0.hash, first, behind).bytes()
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Its results, of which there are none yet.
    fn joined(&self) -> Joined {
        Joined::of(self.0.columns.iter().map(empty).collect())
    }

    /// The file for its results.
    fn file(&self, py: Python<'_>, path: PathBuf, resume: bool) -> PyResult<StudyFile> {
        let inner = &self.0;
        let file = working(py, || {
            ResultsFile::open(&path, resume, &inner.results(), &inner.design)
                .map_err(Refusal::Value)
        })??;
        Ok(StudyFile::new(&self.0.hash, self.0.len(), file))
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
            let resize = |row: &[f64]| inner.resized(row);
            sweep(
                template,
                design,
                from,
                Keep::Measures,
                Some(&resize),
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
    let resize = |row: &[f64]| inner.resized(row);
    let work =
        |broken: &(dyn Fn() -> bool + Sync), _: Sender<Vec<u8>>| work.run_resized(&resize, broken);
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
                columns: found.columns.clone(),
                identity: found.identity.clone(),
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
