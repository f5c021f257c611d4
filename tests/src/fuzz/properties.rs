//! What must hold for a text, a table or a model, whatever it is.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use situ_engine::model::{Clock, IntegralRule, Model, Scan, Stepping};
use situ_engine::sim::{Run, RunConfig, TickConfig, TickRun};
use situ_engine::trace::{Recorder, Row};
use situ_rules::check::{Budget, begins, check};
use situ_rules::diag::{Style, fault, has_errors, render, setup_error, to_json};
use situ_rules::layout::format;
use situ_rules::source::Origins;
use situ_rules::tree::Form;
use situ_rules::{Diagnostic, Loaded, SourceId, SourceMap, TableText, load, parse, resolve};

use crate::tables::{Table, from_disk, laid_out};
use crate::ticks::oracle::Oracle;

/// Number of inputs so far whose table ran to the end of its ticks.
pub(super) static RAN: AtomicU32 = AtomicU32::new(0);

/// Number of runs of random models that the oracle has followed to the end.
pub(super) static FOLLOWED: AtomicU32 = AtomicU32::new(0);

/// Reads a table that may extend a scenario, or itself.
pub(super) fn read(text: &str) -> Loaded {
    let mut loader = |path: &str, _: &str| match path {
        "self.ron" => Ok(TableText {
            name: path.to_owned(),
            text: text.to_owned(),
        }),
        _ => from_disk(path, "scenarios/hoop/table.ron"),
    };
    load("self.ron", text, &mut loader)
}

/// Reads, checks and runs whatever the text allows.
pub(super) fn pipeline(text: &str) -> Loaded {
    let loaded = read(text);
    let Loaded {
        sources,
        model,
        origins,
        diagnostics,
        ..
    } = &loaded;
    render(diagnostics, sources, Style::Coloured);
    to_json(diagnostics, sources);
    assert_eq!(model.is_none(), has_errors(diagnostics));
    if let Some(model) = model {
        let budget = Budget {
            total: 20_000,
            question: 5_000,
            ..Budget::BRIEF
        };
        let found = check(model, origins, budget);
        render(&found, sources, Style::Plain);
        assert!(!has_errors(&found));
        run(model, origins, sources);
    }
    loaded
}

/// Runs a few ticks; a fault can be told.
pub(super) fn run(model: &Model, origins: &Origins, sources: &SourceMap) {
    let clock = Clock {
        step: model.clock.step.or(Some(0.125)),
        stop: Some(1e9),
        every: None,
        stepping: None,
        ..model.clock.clone()
    };
    let Ok(mut config) = TickConfig::from_clock(&clock) else {
        return;
    };
    config.ticks = 20;
    let mut simulation = match TickRun::new(model.clone(), config) {
        Ok(simulation) => simulation,
        Err(error) => {
            render(
                &[setup_error(&error, model, origins)],
                sources,
                Style::Plain,
            );
            return;
        }
    };
    match simulation.run(&mut ()) {
        Ok(_) => drop(RAN.fetch_add(1, Ordering::Relaxed)),
        Err(why) => drop(render(
            &[fault(&why, model, origins)],
            sources,
            Style::Plain,
        )),
    }
}

/// A table that is laid out says what it said.
pub(super) fn says_the_same_laid_out(text: &str) {
    let loaded = read(text);
    if let Ok(laid_out) = format(&loaded.sources, SourceId(0), None) {
        let again = loaded.again(&laid_out);
        // Where a table extends itself what is read of it again is the old text; nothing is written then.
        let extends_itself = text.contains("self.ron");
        assert!(extends_itself || loaded.says_the_same(&again), "{laid_out}");
    }
}

/// Number of inputs that were tables that a run began with.
pub(super) static BEGINNINGS: AtomicU32 = AtomicU32::new(0);

/// A run of a table in which the check has found nothing begins.
pub(super) fn begins_if_checked(text: &str) {
    let loaded = read(text);
    let Some(model) = loaded.model.map(Arc::new) else {
        return;
    };
    let is_long = |config: &RunConfig| match config {
        RunConfig::Ticks(config) => config.ticks > 10_000,
        RunConfig::Events(_) => false,
    };
    let Ok(config) = RunConfig::from_clock(&model.clock) else {
        assert!(begins(&model, &loaded.origins).is_some());
        return;
    };
    if is_long(&config) || begins(&model, &loaded.origins).is_some() {
        return;
    }
    let mut run = Run::new(model, config, &[]).expect("it can be set up");
    run.run(&mut Beginning).expect("its first step can be done");
    BEGINNINGS.fetch_add(1, Ordering::Relaxed);
}

/// Breaks a run off after its first step.
struct Beginning;

impl Recorder for Beginning {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        match row.tick {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Number of inputs so far whose table went some steps in event stepping.
pub(super) static STEPPED: AtomicU32 = AtomicU32::new(0);

/// Goes some steps of a method; a fault can be told.
pub(super) fn runs_or_tells_in_event_stepping(text: &str) {
    let Loaded {
        sources,
        model: Some(model),
        origins,
        ..
    } = read(text)
    else {
        return;
    };
    let tell = |report: Diagnostic| drop(render(&[report], &sources, Style::Plain));
    let clock = Clock {
        stop: Some(3.0),
        every: None,
        stepping: Some(Stepping::Events),
        ..model.clock.clone()
    };
    let Ok(config) = RunConfig::from_clock(&clock) else {
        return;
    };
    let mut run = match Run::new(model.clone(), config, &[]) {
        Ok(run) => run,
        Err(error) => return tell(setup_error(&error, &model, &origins)),
    };
    for _ in 0..40 {
        if let Err(why) = run.step(3.0) {
            return tell(fault(&why, &model, &origins));
        }
        assert!(run.row().reals.iter().all(|value| value.is_finite()));
    }
    STEPPED.fetch_add(1, Ordering::Relaxed);
}

/// A table whose names lines may use.
const HOOP: &str = include_str!("../../../scenarios/hoop/table.ron");

/// Single lines, conditions, expressions and settings, as the command line takes them.
pub(super) fn lines(text: &str) {
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", text);
    let span = sources.span(id);
    let (row, mistakes) = parse::line(&sources, span, None);
    assert!(
        row.is_some() || has_errors(&mistakes),
        "neither row nor report"
    );
    render(&mistakes, &sources, Style::Plain);

    static TABLE: OnceLock<Table> = OnceLock::new();
    let mut table = TABLE.get_or_init(|| Table::from_text(HOOP)).clone();
    let Table {
        model,
        origins,
        sources,
    } = &mut table;
    let reports = [
        resolve::condition(model, origins, sources, "<--until>", text).err(),
        resolve::expression(model, origins, sources, "<--measure>", text).err(),
        resolve::setting(model, origins, sources, "<--set>", text).err(),
    ];
    for mistakes in reports.into_iter().flatten() {
        assert!(has_errors(&mistakes), "refused without a report");
        render(&mistakes, sources, Style::Plain);
    }
}

/// A run of the engine and one of the oracle, bit for bit, until a value is not finite.
pub(super) fn agrees_with_oracle(model: &Model, scan: Scan, integral: IntegralRule) {
    let clock = Clock {
        scan: Some(scan),
        integral: Some(integral),
        every: None,
        ..model.clock.clone()
    };
    let mut config = TickConfig::from_clock(&clock).unwrap();
    // The oracle has ticks of one length.
    (config.ticks, config.step_formula) = (40, None);
    let dt = config.step;
    let mut simulation = TickRun::new(model.clone(), config).unwrap();
    let mut oracle = Oracle::new(model, scan, integral, dt);
    let truths = |simulation: &TickRun| {
        use situ_engine::ids::{RangeId, SituationId, SwitchId};
        use situ_engine::model::Boolean;
        let of = |what| simulation.boolean(what);
        let switches = (0..model.switches.len()).map(|index| Boolean::Switch(SwitchId::new(index)));
        let ranges = (0..model.ranges.len()).map(|index| Boolean::Range(RangeId::new(index)));
        let situations =
            (0..model.situations.len()).map(|index| Boolean::Situation(SituationId::new(index)));
        switches
            .chain(ranges)
            .chain(situations)
            .map(of)
            .collect::<Vec<bool>>()
    };
    let mut fired = vec![false; model.situations.len()];
    for tick in 1..=40 {
        let at = format!("tick {tick} of {}, {scan:?}, {integral:?}", model.name);
        let outcome = simulation.advance(1);
        oracle.step();
        let finite = oracle.reals.iter().all(|value| value.is_finite());
        assert_eq!(outcome.is_ok(), finite, "{:?} at {at}", oracle.reals);
        if !finite {
            return;
        }
        let row = simulation.row();
        let bits = |values: &[f64]| -> Vec<u64> { values.iter().map(|x| x.to_bits()).collect() };
        let (found, known) = (row.reals, &oracle.reals);
        assert_eq!(bits(found), bits(known), "{found:?}, not {known:?} at {at}");
        for (index, situation) in model.situations.iter().enumerate() {
            // `advance` does not clear what was noted of events.
            fired[index] = oracle.situations[index] || situation.event && fired[index];
        }
        let known = oracle.switches.iter().chain(&oracle.ranges).chain(&fired);
        let known: Vec<bool> = known.copied().collect();
        assert_eq!(truths(&simulation), known, "booleans at {at}");
    }
    FOLLOWED.fetch_add(1, Ordering::Relaxed);
}

/// Taking a line apart into coefficient, procedure and arguments does not change what it computes:
/// in parentheses it is one expression.
pub(super) fn same_with_parentheses(expression: &str) {
    let text = format!(
        r#"(format: 1, clock: (step: 0.125, stop: 1), constants: {{"K": 0.75, "c": -3, "tau": 2}},
            reals: {{"x": 0.3, "y": -2, "v": 7, "F": 0.01, "угол": 30, "a": 0, "b": 0}},
            relations: ["a = {expression}", "b = ({expression})", "x = x + 0.7", "y = y * 1.1"])"#
    );
    let run = Table::from_text(&text).into_run();
    let (a, b) = (run.table.real("a"), run.table.real("b"));
    let mut simulation = run.simulation();
    for _ in 0..4 {
        if simulation.advance(1).is_err() {
            return;
        }
        let (a, b) = (simulation.real(a), simulation.real(b));
        assert_eq!(a, b);
    }
}

/// A random table, laid out with all rows in one spelling or the other, runs as it did, bit for bit.
pub(super) fn both_spellings_run_alike(text: &str) {
    let written = Table::from_text(text);
    let steps = |table: Table| {
        let run = table.ticks(0.125, 30, 1, IntegralRule::Rectangle);
        let mut simulation = run.simulation();
        let outcome = simulation.advance(30);
        let row = simulation.row();
        let reals: Vec<u64> = row.reals.iter().map(|value| value.to_bits()).collect();
        (outcome.is_ok(), row.tick, reals)
    };
    let expected = steps(written);
    for form in [Form::Line, Form::Columns] {
        let laid_out = laid_out("table.ron", text, Some(form));
        assert_eq!(steps(Table::from_text(&laid_out)), expected, "{laid_out}");
    }
}
