//! Tables that once gave wrong numbers without a word (`tests/data/tables`), by their true values: closed forms,
//! integration at tight tolerances, ticks extrapolated to length 0.

mod bounds;
mod domains;
mod instants;
mod jumping_values;
mod kinks;
mod microsteps;
mod plateaus;
mod poles;
mod pulses;
mod shares;
mod slides;
mod unwatched;
mod without_values;

use std::ops::ControlFlow;

use situ_engine::Method;
use situ_engine::model::{Clock, Model, Watch};
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Instant, Measure, Recorder, Row, Trace, TraceRecorder, What};

use crate::tables::{Table, root};

/// Methods that choose their steps.
const ADAPTIVE: [Method; 5] = [
    Method::Auto,
    Method::Tsit5,
    Method::Dop853,
    Method::Taylor,
    Method::Rodas5p,
];

/// A table of `tests/data/tables`.
fn table(name: &str) -> Table {
    let path = root().join(format!("tests/data/tables/{name}.ron"));
    Table::of(crate::tables::read(&path))
}

/// A table written out.
fn written(reals: &str, ranges: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"silent\", reals: {{{reals}}}, ranges: [{ranges}], relations: [{relations}])"
    ))
}

pub(super) fn clock(stop: f64, method: Method, rtol: f64) -> Clock {
    Clock {
        stop: Some(stop),
        method: Some(method),
        rtol: Some(rtol),
        ..Clock::default()
    }
}

/// The rows of a run to its end.
#[track_caller]
fn rows(model: &Model, clock: &Clock) -> Trace {
    let mut recorder = TraceRecorder::new(model);
    let config = EventConfig::from_clock(clock).unwrap();
    let mut run = EventRun::new(model.clone(), config).unwrap();
    let ended = run.run(&mut recorder);
    assert!(ended.is_ok(), "{} {clock:?}: {ended:?}", model.name);
    recorder.trace
}

/// Events in a run, and their times.
#[track_caller]
fn instants(table: &Table, stop: f64) -> Vec<(f64, What)> {
    let config = EventConfig::from_clock(&clock(stop, Method::Auto, 1e-9)).unwrap();
    instants_of(table, config).0
}

/// The same of a run with its settings, and the reals at its end.
#[track_caller]
fn instants_of(table: &Table, config: EventConfig) -> (Vec<(f64, What)>, Vec<f64>) {
    #[derive(Default)]
    struct Log(Vec<(f64, What)>, Vec<f64>);
    impl Recorder for Log {
        fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
            self.1 = row.reals.to_vec();
            ControlFlow::Continue(())
        }
        fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
            let events = instant.events.iter();
            self.0
                .extend(events.map(|event| (instant.time, event.what.clone())));
            ControlFlow::Continue(())
        }
        fn wants_instants(&self) -> bool {
            true
        }
    }
    let mut log = Log::default();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut log).unwrap();
    (log.0, log.1)
}

/// The last value of a real.
#[track_caller]
pub(super) fn last(table: &Table, clock: &Clock, name: &str) -> f64 {
    let trace = rows(&table.model, clock);
    let column = &trace.reals[table.real(name).index()];
    column[column.len() - 1]
}

/// A measure of a condition.
type Kind = fn(Watch) -> Measure;

/// Measures of a run, by all adaptive methods.
#[track_caller]
fn measures(table: &mut Table, stop: f64, wanted: &[(Kind, &str)], known: &[f64]) {
    let measures: Vec<Measure> = wanted
        .iter()
        .map(|(measure, condition)| measure(table.watch(condition)))
        .collect();
    for method in ADAPTIVE {
        let config = EventConfig::from_clock(&clock(stop, method, 1e-9)).unwrap();
        let mut run = EventRun::with_measures(table.model.clone(), config, &measures).unwrap();
        // Where a run is stopped and goes on leaves no trace in its measures.
        for part in [0.37, 0.81, 1.0] {
            run.run_to(part * stop, &mut ()).unwrap();
            run.measured();
        }
        for ((found, known), (_, condition)) in run.measured().iter().zip(known).zip(wanted) {
            let found = found.unwrap();
            let off = (found - known).abs();
            assert!(
                off <= 1e-6 * known.abs(),
                "{method:?} {condition}: {found}, not {known}"
            );
        }
    }
}

/// Checks a value at the end of a run by all adaptive methods.
#[track_caller]
fn ends_at(table: &Table, stop: f64, name: &str, known: f64, tolerance: f64) {
    for method in ADAPTIVE {
        let found = last(table, &clock(stop, method, 1e-8), name);
        let off = (found - known).abs();
        assert!(
            off <= tolerance,
            "{method:?}: {name} = {found}, not {known}"
        );
    }
}
