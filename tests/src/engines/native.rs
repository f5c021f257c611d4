//! Native code against the interpreter: the same trajectory to the last bit, the same measures,
//! coverage, events and faults, however a run is cut into pieces.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use situ_engine::backend::compiled::{BasicBlockCode, BasicBlockJob};
use situ_engine::ids::{RealId, SituationId};
use situ_engine::model::{
    Boolean, Clock, Expr, IntegralRule, Literal, Model, Scan, Watch, WatchLiteral,
};
use situ_engine::sim::compiled::{CompileError, Compiler, Pending, TickCode, TickJob};
use situ_engine::sim::{RunFault, TickConfig, TickRun};
use situ_engine::trace::{Measure, Recorder, Row, Trace, TraceRecorder};
use situ_jit::{Jit, Layout, Options};

use crate::tables::{Table, files, scenario_folders};

/// Lets a run do its ticks in native code.
fn made_native(run: TickRun) -> TickRun {
    laid_out(run, Layout::BySize)
}

fn laid_out(mut run: TickRun, layout: Layout) -> TickRun {
    let options = Options {
        layout,
        ..Options::default()
    };
    run.compile_with(&Jit::at_once(options)).unwrap();
    run
}

/// Code that is ready when it has been asked for so often.
#[derive(Debug)]
struct Late(u32);

impl Compiler for Late {
    fn ticks(
        &self,
        job: TickJob,
        ticks: u64,
    ) -> Result<Option<Pending<dyn TickCode>>, CompileError> {
        let (asked, ready) = (AtomicU32::new(0), self.0);
        let code = Jit::at_once(Options::default()).ticks(job, ticks)?;
        let code = code.and_then(|code| code.code());
        Ok(Some(Pending::when(move || {
            let is_ready = asked.fetch_add(1, Ordering::Relaxed) >= ready;
            code.clone().filter(|_| is_ready)
        })))
    }

    fn straight(&self, job: BasicBlockJob) -> Pending<dyn BasicBlockCode> {
        Jit::at_once(Options::default()).straight(job)
    }

    fn pays_after(&self) -> u64 {
        0
    }
}

#[test]
fn native_code_takes_over_in_mid_run_without_a_trace() {
    for name in ["cart_stops", "thermostat", "hoop"] {
        let run =
            Table::at(format!("{name}/table.ron")).ticks(1e-3, 20_000, 50, IntegralRule::Rectangle);
        let expected = whole(run.simulation());
        for ready in [0, 1, 7, 300] {
            let mut late = run.simulation();
            late.compile_with(&Late(ready)).unwrap();
            let mut watched = late.clone();
            watched.run(&mut ()).unwrap();
            let native = watched.native_ticks();
            let interpreted = 20_000 - native;
            assert!(
                native > 0 && interpreted >= 50 * u64::from(ready),
                "{name}: {native}"
            );
            assert_eq!(whole(late), expected, "{name}");
        }
    }
}

/// Outcome of a run, with reals as bits.
#[derive(PartialEq, Debug)]
struct Outcome {
    times: Vec<u64>,
    reals: Vec<Vec<u64>>,
    booleans: [Vec<Vec<bool>>; 3],
    measured: Vec<Option<u64>>,
    covered: String,
    fault: Option<String>,
    end: (u64, Vec<u64>, bool),
}

/// Bits, with one NaN for all.
fn bits(values: &[f64]) -> Vec<u64> {
    let one = |x: &f64| if x.is_nan() { f64::NAN } else { *x }.to_bits();
    values.iter().map(one).collect()
}

impl Outcome {
    fn of(run: &TickRun, trace: Trace, result: Result<(), RunFault>) -> Self {
        let measured: Vec<f64> = run.measured().iter().map(|x| x.unwrap_or(-0.5)).collect();
        Self {
            times: bits(&trace.time),
            reals: trace.reals.iter().map(|column| bits(column)).collect(),
            booleans: [trace.switches, trace.ranges, trace.situations],
            measured: bits(&measured).into_iter().map(Some).collect(),
            covered: format!("{:?}", run.covered()),
            fault: result.err().map(|fault| format!("{fault:?}")),
            end: (run.tick(), bits(run.row().reals), run.stopped()),
        }
    }
}

/// Runs to the end of the settings.
fn whole(mut run: TickRun) -> Outcome {
    let model = run.model().clone();
    let mut recorder = TraceRecorder::new(&model);
    let result = run.run(&mut recorder).map(drop);
    Outcome::of(&run, recorder.trace, result)
}

/// Measures of everything that there is to measure in a model.
pub(crate) fn measures(model: &mut Model) -> Vec<Measure> {
    let mut measures = Vec::new();
    for index in 0..model.reals.len().min(3) {
        let value = model.exprs.push(Expr::Real(RealId::new(index)));
        measures.extend([Measure::Max(value), Measure::Min(value)]);
        measures.extend([Measure::At(value, 0.6), Measure::Drift(value)]);
    }
    for index in 0..model.situations.len() {
        let literal = Literal {
            what: Boolean::Situation(SituationId::new(index)),
            negated: false,
        };
        let watch: Watch = [WatchLiteral::Boolean(literal)].into_iter().collect();
        measures.push(Measure::First(watch.clone()));
        measures.push(Measure::Count(watch.clone()));
        measures.push(Measure::Period(watch.clone()));
        measures.push(Measure::Duration(watch));
    }
    measures
}

/// Native and interpreted runs of a model come to the same, with and without measures and in pieces.
/// Result: how many ticks native code has done.
pub(crate) fn agrees(model: &Model, config: &TickConfig) -> u64 {
    let mut model = model.clone();
    let name = model.name.clone();
    let measures = measures(&mut model);
    let last = model.exprs.push(Expr::Real(RealId(0)));
    let mut done = 0;
    let last = [Measure::Final(last)];
    for measures in [&[], last.as_slice(), measures.as_slice()] {
        let Ok(start) = TickRun::with_measures(model.clone(), config.clone(), measures) else {
            return 0;
        };
        let native = made_native(start.clone());
        let expected = whole(start.clone());
        assert_eq!(whole(native.clone()), expected, "{name}");
        let cut = laid_out(start.clone(), Layout::Parts(7));
        assert_eq!(whole(cut), expected, "{name} as parts");

        let mut pieces = native;
        let mut interpreted = start;
        for piece in [1, 2, 17, 3, 400, 1, 33] {
            let ends = [&mut interpreted, &mut pieces].map(|run| {
                let result = run.advance(piece);
                Outcome::of(run, Trace::default(), result)
            });
            assert_eq!(ends[1], ends[0], "{name} in pieces");
            if ends[0].fault.is_some() {
                break;
            }
        }
        done += pieces.native_ticks();
    }
    done
}

#[test]
fn scenarios_have_the_same_bits_in_native_code() {
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let table = Table::at(&path);
            // A tick of 1 ms is too long for the stiffest.
            let step = table.model.clock.step.map_or(1e-3, |step| step.min(1e-3));
            for (scan, integral, every) in [
                (Scan::Sequential, IntegralRule::Rectangle, 1),
                (Scan::Sequential, IntegralRule::Trapezoid, 7),
                (Scan::Simultaneous, IntegralRule::Rectangle, 1000),
            ] {
                let clock = Clock {
                    scan: Some(scan),
                    ..table.model.clock.clone()
                };
                let mut run = table
                    .clone()
                    .clock(clock)
                    .ticks(step, 6000, every, integral);
                (run.config.options.scan, run.config.step_formula) = (scan, None);
                let done = agrees(&run.table.model, &run.config);
                assert!(done > 40, "{}: {done} ticks in native code", path.display());
            }
        }
    }
}

/// Scenarios at their own step and to their own end, as far as that is done in a moment.
#[test]
fn whole_scenarios_have_the_same_end_in_native_code() {
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let table = Table::at(&path);
            let Ok(mut config) = TickConfig::from_clock(&table.model.clock) else {
                continue;
            };
            config.ticks = config.ticks.min(300_000);
            config.every = config.ticks;
            let start = TickRun::new(table.model.clone(), config).unwrap();
            let native = made_native(start.clone());
            assert_eq!(whole(native), whole(start), "{}", path.display());
        }
    }
}

/// Breaks off after so many rows.
struct Impatient<'a, 'm>(usize, &'a mut TraceRecorder<'m>);

impl Recorder for Impatient<'_, '_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.0 -= 1;
        let _ = self.1.row(row);
        match self.0 {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_run_broken_off_in_native_code_stands_at_its_last_row() {
    let table = Table::at("thermostat/table.ron").ticks(1e-3, 20_000, 10, IntegralRule::Rectangle);
    let start = table.simulation();
    let model = start.model().clone();
    for rows in [1, 2, 50, 333, 1500] {
        let [interpreted, native] = [start.clone(), made_native(start.clone())].map(|mut run| {
            let mut recorder = TraceRecorder::new(&model);
            run.run(&mut Impatient(rows, &mut recorder)).unwrap();
            let first = Outcome::of(&run, recorder.trace, Ok(()));
            assert_eq!(run.tick(), 10 * (rows as u64 - 1));
            // And goes on from there.
            let mut recorder = TraceRecorder::new(&model);
            run.run(&mut recorder).unwrap();
            (first, Outcome::of(&run, recorder.trace, Ok(())))
        });
        assert_eq!(native, interpreted);
    }
}

#[test]
fn a_fault_in_native_code_is_the_one_of_the_interpreter() {
    let text = r#"(format: 1, clock: (step: 0.01, stop: 100), reals: {"x": 1, "y": 0, "z": 0},
        relations: ["x = integral(-1 * 0.02)", "y = sqrt(x)", "z = integral(y)"])"#;
    let run = Table::from_text(text).into_run();
    let [interpreted, native] = [run.simulation(), made_native(run.simulation())].map(whole);
    assert!(
        interpreted
            .fault
            .as_ref()
            .is_some_and(|fault| fault.contains("NotFinite"))
    );
    assert_eq!(native, interpreted);
}

/// Rows that are solved: linear, from near and from afar, on branches, between bounds that are met, in groups, under a
/// condition, and where there is no solution any more.
#[test]
fn rows_that_are_solved_have_the_same_bits_in_native_code() {
    for (rows, reals, ends) in [
        ("solve p: p + 0.1 * p + x = 0", "\"p\": 0", false),
        ("solve p: p + 0.1 * p ^ 3 + x = 0", "\"p\": 0", false),
        ("solve p: p + 0.1 * p ^ e + x = 0", "\"p\": 0", false),
        (
            "solve p: x * sin(7 * time) = 10 * p + 0.025 * ln(1 + p / 1e-9)",
            "\"p\": 0",
            false,
        ),
        ("solve p: exp(p) - cos(p) * x = 3 * x", "\"p\": 8", false),
        (
            "solve p: p + abs(p - x) / 2 = 3 * sin(7 * time)",
            "\"p\": 0",
            false,
        ),
        (
            "solve p from 0 to 0.7: p ^ 3 - p + 0.38 * sin(x) = 0",
            "\"p\": 0.1",
            false,
        ),
        (
            "solve p from -1 to 0.5: p ^ 3 + p = sin(10 * x + 3)",
            "\"p\": 0.1",
            true,
        ),
        ("solve p: p ^ 2 = x - 0.4", "\"p\": 1", true),
        ("solve p: p ^ 2 = x - 0.4 when low", "\"p\": 1", true),
        (
            "solve p, q: p + q ^ 3 = x, q - p * x = 1",
            "\"p\": 0, \"q\": 0",
            false,
        ),
    ] {
        let text = format!(
            r#"(format: 1, clock: (step: 0.01, stop: 20), constants: {{"e": 3}}, reals: {{"x": 1, {reals}}},
            ranges: ["low: x <= 0.9"], relations: ["x = integral(-0.1 * x + 0.01 * sin(p))", "{rows}"])"#
        );
        let run = Table::from_text(&text).into_run();
        let done = agrees(&run.table.model, &run.config);
        assert!(done > 100, "{rows}: {done} ticks in native code");
        let outcomes = [run.simulation(), made_native(run.simulation())].map(whole);
        assert_eq!(outcomes[0], outcomes[1], "{rows}");
        assert_eq!(
            outcomes[0].fault.is_some(),
            ends,
            "{rows}: {:?}",
            outcomes[0].fault
        );
    }
}

/// An event in ticks that are done on beyond a fault has not fired: the last row is that of the tick before.
#[test]
fn the_last_row_before_a_fault_has_the_events_up_to_it() {
    let text = r#"(format: 1, clock: (step: 0.1, stop: 10), reals: {"x": 1, "y": 0},
        situations: ["event early: every(0.1)", "event late: every(0.4, 0.6)"],
        relations: ["x = integral(-1 * 3)", "y = sqrt(x)"])"#;
    let run = Table::from_text(text).ticks(0.1, 100, 100, IntegralRule::Rectangle);
    for run in [run.simulation(), made_native(run.simulation())] {
        let outcome = whole(run);
        assert!(
            outcome
                .fault
                .is_some_and(|fault| fault.contains("NotFinite"))
        );
        assert_eq!(outcome.end.0, 3);
        let [.., situations] = outcome.booleans;
        assert_eq!(situations, [[false, true], [false, false]]);
    }
}

#[test]
fn stop_when_stops_native_code_at_the_same_tick() {
    for every in [1, 10, 1_000_000] {
        let mut table = Table::at("hoop/table.ron");
        let watch = table.watch("h < R & Vy > 0");
        table.model.clock.stop_when = Some(watch);
        let run = table.ticks(1e-4, 100_000, every, IntegralRule::Rectangle);
        let mut native = made_native(run.simulation());
        native.run(&mut ()).unwrap();
        assert!(native.native_ticks() > 1000 && native.stopped());
        let native = whole(made_native(run.simulation()));
        assert_eq!(native, whole(run.simulation()));
    }
}

#[test]
fn states_are_exchanged_between_engines() {
    let run = Table::at("cart_stops/table.ron").ticks(1e-3, 9000, 1, IntegralRule::Rectangle);
    let mut expected = run.simulation();
    expected.advance(9000).unwrap();
    for native_first in [true, false] {
        let mut runs = [run.simulation(), run.simulation()];
        let native = usize::from(!native_first);
        runs[native] = made_native(runs[native].clone());
        let [first, second] = &mut runs;
        first.advance(5000).unwrap();
        second.restore(first.state());
        second.advance(4000).unwrap();
        assert_eq!(bits(second.row().reals), bits(expected.row().reals));
    }
}
