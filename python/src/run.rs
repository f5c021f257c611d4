//! Runs: columns as the engine filled them, events, measures, and what the run was like.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_engine::model::{Boolean, Input};
use situ_engine::sim::{self, EndReason, RunFault};
use situ_engine::trace::{Instant, Recorder, Row};
use situ_rules::Severity;
use situ_rules::diag::{fault, findings, in_one_line, setup_error};
use situ_views::chart::{compose, svg};
use situ_views::columns::Columns;
use situ_views::columns::selection::Picks;
use situ_views::columns::series::{BooleanColumn, RealColumn, Series};
use situ_views::run::summary::{Start, Summary};

use crate::error::{Refusal, Reports, working};
use crate::event_log::events;
use crate::frame::{About, Column, Frame, FrameData, Values};
use crate::interrupt::Watch;
use crate::setup::Ready;
use crate::table::Prepared;

/// A run that is over.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Run {
    ready: Arc<Ready>,
    given: Vec<(Input, f64)>,
    frame: Arc<FrameData>,
    instants: Vec<Instant>,
    events: OnceLock<Arc<FrameData>>,
    measured: Vec<Option<f64>>,
    /// The last time that it came to, which need not have a row [units of `time`].
    reached: f64,
    /// What stands there: a row of the columns.
    last: OnceLock<Arc<FrameData>>,
    ended: String,
    /// Id of the row that failed.
    rule: Option<String>,
    /// The run as it stands at its end, and what it began with; not of one that has travelled.
    end: Option<Mutex<(sim::Run, Start)>>,
    told: OnceLock<Told>,
}

/// What a run was like: a text, JSON, and findings about it as a text and JSON.
type Told = (String, String, String, String);

/// Takes rows and events down.
struct Recording<'r> {
    ready: &'r Ready,
    time: Vec<f64>,
    numbers: Vec<Vec<f64>>,
    truths: Vec<Vec<bool>>,
    instants: Vec<Instant>,
    watch: Watch,
}

impl<'r> Recording<'r> {
    fn of(ready: &'r Ready) -> Self {
        let n_truths = ready.columns.booleans.len();
        Self {
            ready,
            time: Vec::new(),
            numbers: vec![Vec::new(); ready.columns.len() - n_truths],
            truths: vec![Vec::new(); n_truths],
            instants: Vec::new(),
            watch: Watch::begin(),
        }
    }
}

impl Recorder for Recording<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let columns = &self.ready.columns;
        self.time.push(row.time);
        for (column, value) in self.numbers.iter_mut().zip(columns.numbers(row)) {
            column.push(value);
        }
        let truths = columns.truths(&self.ready.model, row);
        for (column, truth) in self.truths.iter_mut().zip(truths) {
            column.push(truth);
        }
        ControlFlow::Continue(())
    }

    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        self.watch.look()
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        self.instants.push(instant.clone());
        ControlFlow::Continue(())
    }
}

impl Run {
    /// Runs from the start values, some of which are given. If it did not come to its end, why.
    ///
    /// # Errors
    ///
    /// It cannot begin.
    pub(crate) fn of(
        ready: &Arc<Ready>,
        given: Vec<(Input, f64)>,
    ) -> Result<(Self, Option<Refusal>), Refusal> {
        let mut run = ready.template.run(&given).map_err(|error| {
            let report = setup_error(&error, &ready.model, &ready.origins);
            Refusal::Run(Reports::new(&[report], &ready.sources))
        })?;
        let mut recording = Recording::of(ready);
        let start = Start::of(&run);
        let outcome = run.run(&mut recording);
        let (ended, why) = match &outcome {
            Ok(EndReason::Stop) => ("stop", None),
            Ok(EndReason::Condition) => ("condition", None),
            Ok(EndReason::Recorder) => {
                let raised = recording.watch.raised.take();
                ("interrupted", raised.map(Refusal::Python))
            }
            Err(why) => {
                let report = fault(why, &ready.model, &ready.origins);
                let reports = Reports::new(&[report], &ready.sources);
                ("fault", Some(Refusal::Run(reports)))
            }
        };
        let instants = std::mem::take(&mut recording.instants);
        let run = Self {
            ready: Arc::clone(ready),
            given,
            frame: Arc::new(frame(ready, recording)),
            instants,
            events: OnceLock::new(),
            measured: run.measured(),
            reached: run.time(),
            last: OnceLock::new(),
            ended: ended.to_owned(),
            rule: (outcome.as_ref().err()).and_then(|fault| rule(ready, fault)),
            end: Some(Mutex::new((run, start))),
            told: OnceLock::new(),
        };
        Ok((run, why))
    }

    fn last_row(&self) -> FrameData {
        let mut place = Recording::of(&self.ready);
        if let Some(end) = &self.end {
            let end = end.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = place.row(&end.0.row());
        }
        frame(&self.ready, place)
    }

    fn told(&self) -> Told {
        let Some(end) = &self.end else {
            return Told::default();
        };
        let end = end.lock().unwrap_or_else(PoisonError::into_inner);
        let (run, start) = &*end;
        let found = findings(&run.findings(), &self.ready.model, &self.ready.origins);
        let notes = found
            .iter()
            .filter(|found| found.severity < Severity::Warning);
        let notes = notes.map(in_one_line).collect();
        let ended = ENDS.iter().find(|end| **end == self.ended).copied();
        let summary = Summary::of(run, start, ended.unwrap_or_default(), &self.ready.measured);
        let summary = summary.with_notes(notes);
        let Reports { text, json, .. } = Reports::new(&found, &self.ready.sources);
        let data = serde_json::to_string(&summary).expect("it has texts and numbers only");
        (summary.text(None), data, text, json)
    }
}

/// Words for the ends of runs.
const ENDS: [&str; 4] = ["stop", "condition", "interrupted", "fault"];

#[pymethods]
impl Run {
    /// The columns: time, constants that were asked for, reals, booleans.
    fn frame(&self) -> Frame {
        Frame(Arc::clone(&self.frame))
    }

    /// What stands where it ended: a row of the columns.
    fn last(&self, py: Python<'_>) -> PyResult<Frame> {
        let last = || Arc::new(self.last_row());
        let last = working(py, || Arc::clone(self.last.get_or_init(last)))?;
        Ok(Frame(last))
    }

    /// What happened at the instants of an event-accurate run.
    fn events(&self, py: Python<'_>) -> PyResult<Frame> {
        let events = || Arc::new(events(&self.ready, &self.instants));
        let events = working(py, || Arc::clone(self.events.get_or_init(events)))?;
        Ok(Frame(events))
    }

    /// The measures, in the order of their texts.
    fn measured(&self) -> Vec<Option<f64>> {
        self.measured.clone()
    }

    /// The texts of the measures.
    fn measured_texts(&self) -> Vec<String> {
        self.ready.measured.clone()
    }

    /// A picture of some curves, or of those that `situ run` draws.
    #[pyo3(signature = (curves = None))]
    fn svg(&self, py: Python<'_>, curves: Option<&str>) -> PyResult<String> {
        Ok(working(py, || self.picture(curves))??)
    }

    /// Why it ended, one word.
    fn ended(&self) -> &str {
        &self.ended
    }

    /// What it was like: a text, JSON, and findings about it as a text and JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<Told> {
        working(py, || self.told.get_or_init(|| self.told()).clone())
    }

    /// A run that has travelled, from what was kept of it.
    #[staticmethod]
    fn restored(
        prepared: &Bound<'_, Prepared>,
        given: Option<&Bound<'_, PyDict>>,
        frames: (Vec<u8>, Vec<u8>, Vec<u8>),
        end: (Vec<Option<f64>>, String, Option<String>),
        told: Told,
    ) -> PyResult<Self> {
        let ((frame, events, last), (measured, ended, rule)) = (frames, end);
        let prepared = prepared.get();
        let read = |bytes: Vec<u8>| FrameData::read(&mut &*bytes).map(Arc::new);
        let damaged = || Refusal::Value("these bytes are no run".to_owned());
        let last = read(last).ok_or_else(damaged)?;
        let reached = times(&last).first().copied();
        Ok(Self {
            given: prepared.given(given)?,
            ready: Arc::clone(&prepared.0),
            frame: read(frame).ok_or_else(damaged)?,
            instants: Vec::new(),
            events: OnceLock::from(read(events).ok_or_else(damaged)?),
            measured,
            reached: reached.ok_or_else(damaged)?,
            last: OnceLock::from(last),
            ended,
            rule,
            end: None,
            told: OnceLock::from(told),
        })
    }

    /// Id of the row that failed.
    pub(crate) fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// The value of a real or a boolean at times that do not fall, exactly, by running again.
    ///
    /// Shapes: one value per time; between ticks it is on the straight line.
    fn at(&self, py: Python<'_>, name: &str, times: Vec<f64>) -> PyResult<Vec<f64>> {
        let model = &self.ready.model;
        let subject = model.find(name);
        let subject = subject.ok_or_else(|| Refusal::Name(format!("the model has no `{name}`")))?;
        let values = working(py, || {
            self.again(&times, &|run| {
                use situ_engine::model::Named;
                match subject {
                    Named::Real(id) => run.real(id),
                    Named::Constant(id) => run.constant(id),
                    Named::Boolean(what) => f64::from(u8::from(run.boolean(what))),
                }
            })
        })??;
        Ok(values)
    }
}

impl Run {
    fn picture(&self, curves: Option<&str>) -> Result<String, Refusal> {
        let picks = curves.map_or(Ok(Picks::default()), str::parse);
        let Picks(picks) = picks.map_err(|error| Refusal::Value(error.to_string()))?;
        let series = [self.series(picks.is_empty())];
        let figure = compose(&series, &picks);
        let mut figure = figure.map_err(|error| Refusal::Value(error.to_string()))?;
        figure.title.clone_from(&self.ready.model.name);
        figure.heading.clone_from(&self.ready.model.name);
        Ok(svg(&figure))
    }

    /// The columns, or those that are drawn if nothing is said.
    fn series(&self, drawn_only: bool) -> Series {
        let model = &self.ready.model;
        let drawn = Columns::drawn(model);
        let drawn: Vec<&str> = drawn.names(model).collect();
        let mut series = Series {
            time: self.times().to_vec(),
            time_unit: model.clock.time_unit().to_owned(),
            ..Series::default()
        };
        for Column { about, values } in self.frame.columns.iter().skip(1) {
            if drawn_only && !drawn.contains(&&*about.name) {
                continue;
            }
            let (name, unit, text) = (&about.name, &about.unit, &about.about);
            match values {
                Values::Reals(values) => series.reals.push(RealColumn {
                    name: name.clone(),
                    unit: unit.clone(),
                    about: text.clone(),
                    values: values.clone(),
                }),
                Values::Truths(values) => series.booleans.push(BooleanColumn {
                    name: name.clone(),
                    about: text.clone(),
                    event: about.kind == "event",
                    values: values.clone(),
                }),
                _ => {}
            }
        }
        series
    }

    fn again(&self, times: &[f64], value: &dyn Fn(&sim::Run) -> f64) -> Result<Vec<f64>, Refusal> {
        let ended = self.reached;
        let mut run = self.ready.template.run(&self.given).map_err(|error| {
            let report = setup_error(&error, &self.ready.model, &self.ready.origins);
            Refusal::Run(Reports::new(&[report], &self.ready.sources))
        })?;
        let mut watch = Listening(Watch::begin());
        // The last place that is known to lie before the time asked for.
        let mut before = (run.time(), value(&run));
        let mut now = before;
        let mut values = Vec::with_capacity(times.len());
        for &time in times {
            let slack = 1e-9 * ended.abs();
            if !(before.0 - slack..=ended + slack).contains(&time) {
                return Err(Refusal::Value(format!(
                    "the run has no t = {time}: it goes from {} to {ended}, and times do not fall",
                    self.frame_begin(),
                )));
            }
            if time > now.0 {
                let ran = run.run_to(time.min(ended), &mut watch);
                if let Some(raised) = watch.0.raised.take() {
                    return Err(Refusal::Python(raised));
                }
                ran.map_err(|why| self.failed(&why))?;
                before = (run.time(), value(&run));
                now = before;
                if now.0 < time.min(ended) && !run.stopped() {
                    // Between two ticks.
                    run.step(ended).map_err(|why| self.failed(&why))?;
                    now = (run.time(), value(&run));
                }
            }
            let share = (time - before.0) / (now.0 - before.0);
            values.push(match now.0 > before.0 && time < now.0 {
                true if time <= before.0 => before.1,
                true => before.1 + share * (now.1 - before.1),
                false => now.1,
            });
        }
        Ok(values)
    }

    fn failed(&self, why: &RunFault) -> Refusal {
        let report = fault(why, &self.ready.model, &self.ready.origins);
        Refusal::Run(Reports::new(&[report], &self.ready.sources))
    }

    fn frame_begin(&self) -> f64 {
        self.times().first().copied().unwrap_or(0.0)
    }

    fn times(&self) -> &[f64] {
        times(&self.frame)
    }
}

/// The times of rows.
fn times(frame: &FrameData) -> &[f64] {
    match frame.columns.first().map(|column| &column.values) {
        Some(Values::Reals(times)) => times,
        _ => &[],
    }
}

/// Keeps nothing but an ear on Ctrl-C.
struct Listening(Watch);

impl Recorder for Listening {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        self.0.look()
    }
}

/// Id of the row that failed, if it is one.
fn rule(ready: &Ready, fault: &RunFault) -> Option<String> {
    let relation = match fault {
        RunFault::NotFinite { relation, .. }
        | RunFault::DerivativeInLoop(relation)
        | RunFault::ClampReadsItself(relation) => relation,
        _ => return None,
    };
    Some(ready.model.relations[relation.index()].id.clone())
}

fn frame(ready: &Ready, recording: Recording<'_>) -> FrameData {
    let (model, columns) = (&ready.model, &ready.columns);
    let n_constants = columns.constants.len();
    let kinds = (0..).map(|at| if at < n_constants { "constant" } else { "real" });
    let quantities = kinds.zip(columns.quantities(model)).zip(recording.numbers);
    let quantities = quantities.map(|((kind, quantity), values)| Column {
        about: About {
            name: quantity.name.clone(),
            kind: kind.to_owned(),
            unit: quantity.unit.clone(),
            about: quantity.about.clone(),
        },
        values: Values::Reals(values),
    });
    let booleans = columns.booleans.iter().zip(recording.truths);
    let booleans = booleans.map(|(&what, values)| {
        let (kind, about) = match what {
            Boolean::Switch(id) => ("switch", &*model.switches[id.index()].about),
            Boolean::Range(id) => ("range", &*model.ranges[id.index()].note),
            _ if model.is_event(what) => ("event", ""),
            _ => ("situation", ""),
        };
        Column {
            about: About {
                name: model.boolean_name(what),
                kind: kind.to_owned(),
                unit: String::new(),
                about: about.to_owned(),
            },
            values: Values::Truths(values),
        }
    });
    let time = Column {
        about: About {
            name: "time".to_owned(),
            kind: "time".to_owned(),
            unit: model.clock.time_unit().to_owned(),
            ..About::default()
        },
        values: Values::Reals(recording.time),
    };
    let all = std::iter::once(time).chain(quantities).chain(booleans);
    FrameData::new(&model.name, all.collect())
}
