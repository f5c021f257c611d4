//! Random inputs through the whole of situ: nothing panics, whatever the text, and tables without
//! mistakes run as [`crate::oracle`] does.
//!
//! Every target runs as a test on the same inputs each time. `cargo soak` goes on with others:
//!
//! ```text
//! cargo soak                                     ten minutes
//! SITU_SOAK_MINUTES=120 SITU_SOAK_ROUND=500 cargo soak    two hours, from round 500 on
//! SITU_SOAK_TARGET="event stepping" cargo soak   only this one; several with commas between them
//! SITU_SOAK_INPUTS=100000 cargo soak             until each target had so many inputs, however long that takes
//! SITU_SOAK_LAST=last.ron cargo soak             the input under way is written there: one that does not end is found so
//! ```

mod choices;
mod hybrids;
mod models;
mod texts;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use situ_engine::Method;
use situ_engine::ids::SituationId;
use situ_engine::model::{
    Boolean, Clock, IntegralRule, Literal, Model, Scan, Stepping, WatchLiteral,
};
use situ_engine::sim::{EventConfig, Run, RunConfig, TickConfig, TickRun};
use situ_engine::trace::{Recorder, Row};
use situ_rules::check::{Budget, begins, check};
use situ_rules::diag::{Style, fault, has_errors, render, setup_error, to_json};
use situ_rules::layout::format;
use situ_rules::source::Origins;
use situ_rules::tree::Form;
use situ_rules::{Diagnostic, Loaded, SourceId, SourceMap, TableText, load, parse, resolve};

use crate::oracle::Oracle;
use crate::tables::{Table, from_disk, laid_out};
use choices::Choices;

/// The texts of random tables without mistakes, the same for a seed.
pub(crate) fn random_tables(count: usize, seed: u64) -> Vec<String> {
    texts_of(models::table, count, seed)
}

/// The same of what moves and switches.
pub(crate) fn random_hybrids(count: usize, seed: u64) -> Vec<String> {
    texts_of(hybrids::table, count, seed)
}

fn texts_of(make: fn(&mut Choices<'_>) -> String, count: usize, seed: u64) -> Vec<String> {
    let mut dice = crate::sessions::Dice(seed);
    let mut table = || {
        let list: Vec<u16> = (0..160)
            .map(|_| u16::try_from(dice.below(1 << 16)).unwrap())
            .collect();
        make(&mut Choices::new(&list))
    };
    (0..count).map(|_| table()).collect()
}

/// Something that must hold for every input.
struct Target {
    name: &'static str,
    /// Inputs of a test run.
    cases: u32,
    /// Most choices that make an input.
    length: usize,
    make: fn(&mut Choices<'_>) -> String,
    check: fn(&str),
}

impl Target {
    /// Runs it on the inputs of a round; a failing one is made as simple as it can be.
    fn run(&self, round: u32) {
        let config = Config {
            cases: self.cases,
            failure_persistence: None,
            max_shrink_time: 60_000,
            ..Config::default()
        };
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&round.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let choices = vec(any::<u16>(), 0..=self.length);
        let texts = choices.prop_map(|list| (self.make)(&mut Choices::new(&list)));
        let last = std::env::var_os("SITU_SOAK_LAST");
        let result = TestRunner::new_with_rng(config, rng).run(&texts, |text| {
            if let Some(path) = &last {
                std::fs::write(path, &text).unwrap();
            }
            (self.check)(&text);
            Ok(())
        });
        match result {
            Ok(()) => {}
            Err(TestError::Fail(why, text)) => {
                panic!(
                    "{} in round {round}: {why}\n{text}\nas bytes: {text:?}",
                    self.name
                )
            }
            Err(error) => panic!("{} in round {round}: {error}", self.name),
        }
    }
}

const BYTES: Target = Target {
    name: "bytes",
    cases: 16_000,
    length: 80,
    make: texts::bytes,
    check: |text| drop(pipeline(text)),
};

const RON: Target = Target {
    name: "ron",
    cases: 8_000,
    length: 300,
    make: texts::ron,
    check: |text| drop(pipeline(text)),
};

const MUTATED: Target = Target {
    name: "mutated tables",
    cases: 3_000,
    length: 60,
    make: texts::mutated,
    check: |text| drop(pipeline(text)),
};

const WRITTEN: Target = Target {
    name: "written tables",
    cases: 1_500,
    length: 60,
    make: texts::mutated,
    check: says_the_same_laid_out,
};

const BEGUN: Target = Target {
    name: "beginnings",
    cases: 3_000,
    length: 60,
    make: texts::mutated,
    check: begins_if_checked,
};

const LINES: Target = Target {
    name: "lines",
    cases: 12_000,
    length: 60,
    make: texts::bytes,
    check: lines,
};

const MODELS: Target = Target {
    name: "models",
    cases: 2_000,
    length: 300,
    make: models::table,
    check: |text| {
        let loaded = pipeline(text);
        let model = loaded.model.unwrap_or_else(|| {
            panic!(
                "{}",
                render(&loaded.diagnostics, &loaded.sources, Style::Plain)
            )
        });
        for scan in [Scan::Sequential, Scan::Simultaneous] {
            for integral in [IntegralRule::Rectangle, IntegralRule::Trapezoid] {
                agrees_with_oracle(&model, scan, integral);
            }
        }
    },
};

const NATIVE: Target = Target {
    name: "native code",
    cases: 150,
    length: 300,
    make: models::table,
    check: |text| {
        let model = Table::from_text(text).model;
        let scans = [Scan::Sequential, Scan::Simultaneous];
        let rules = [IntegralRule::Rectangle, IntegralRule::Trapezoid];
        let place = text.len() % 4;
        let clock = Clock {
            scan: Some(scans[place / 2]),
            integral: Some(rules[place % 2]),
            every: None,
            ..model.clock.clone()
        };
        let mut config = TickConfig::from_clock(&clock).unwrap();
        (config.ticks, config.every) = (300, 1 + text.len() as u64 % 40);
        NATIVE_TICKS.fetch_add(crate::native::agrees(&model, &config), Ordering::Relaxed);
    },
};

const LANES: Target = Target {
    name: "lanes",
    cases: 150,
    length: 300,
    make: models::table,
    check: |text| {
        let mut model = Table::from_text(text).model;
        let scans = [Scan::Sequential, Scan::Simultaneous];
        let rules = [IntegralRule::Rectangle, IntegralRule::Trapezoid];
        let place = text.len() % 4;
        if let Some(situation) = (text.len() % 3 == 0).then_some(text.len() % 2) {
            let literal = Literal {
                what: Boolean::Situation(SituationId::new(situation)),
                negated: false,
            };
            model.clock.stop_when = Some([WatchLiteral::Boolean(literal)].into_iter().collect());
        }
        let clock = Clock {
            scan: Some(scans[place / 2]),
            integral: Some(rules[place % 2]),
            every: None,
            ..model.clock.clone()
        };
        let mut config = TickConfig::from_clock(&clock).unwrap();
        (config.ticks, config.every) = (60, 60);
        crate::lanes::agrees(&model, &config, 80, 3);
    },
};

/// Explicit methods with step control.
const EXPLICIT: [Method; 4] = [Method::Tsit5, Method::Dop853, Method::Auto, Method::Taylor];

const SMOOTH_LANES: Target = Target {
    name: "lanes of smooth models",
    cases: 150,
    length: 60,
    make: models::smooth,
    check: |text| {
        let model = Table::from_text(text).model;
        let clock = Clock {
            stepping: Some(Stepping::Events),
            method: Some(EXPLICIT[text.len() % EXPLICIT.len()]),
            ..model.clock.clone()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let [over, _] = crate::lanes::smooth_agrees(&model, &config, 70, 2);
        SMOOTH_RUNS.fetch_add(over as u64, Ordering::Relaxed);
    },
};

/// Runs of random smooth models that went to their end in lanes so far.
static SMOOTH_RUNS: AtomicU64 = AtomicU64::new(0);

/// Ticks that native code has done in random models so far.
static NATIVE_TICKS: AtomicU64 = AtomicU64::new(0);

const EXPRESSIONS: Target = Target {
    name: "expressions",
    cases: 8_000,
    length: 80,
    make: |choices| models::expression(choices, 4),
    check: same_with_parentheses,
};

const LAYOUTS: Target = Target {
    name: "spellings",
    cases: 1_000,
    length: 300,
    make: models::table,
    check: both_spellings_run_alike,
};

const EVENTS: Target = Target {
    name: "event stepping",
    cases: 2_000,
    length: 200,
    make: |choices| match choices.once_in(2) {
        true => models::table(choices),
        false => texts::mutated(choices),
    },
    check: runs_or_tells_in_event_stepping,
};

const NATIVE_STEPS: Target = Target {
    name: "native steps",
    cases: 150,
    length: 200,
    make: models::motion,
    check: |text| {
        let model = Table::from_text(text).model;
        let clock = Clock {
            stop: Some(1.0),
            every: None,
            stepping: Some(Stepping::Events),
            ..model.clock.clone()
        };
        let Ok(mut config) = EventConfig::from_clock(&clock) else {
            return;
        };
        config.settings.method = Method::ALL[text.len() % Method::ALL.len()];
        config.settings.h0 = Some(0.01);
        let modes = crate::events::native::agrees_at_first(&model, &config);
        NATIVE_MODES.fetch_add(modes as u64, Ordering::Relaxed);
    },
};

/// Modes of random models that had native steps so far.
static NATIVE_MODES: AtomicU64 = AtomicU64::new(0);

const COURSES: Target = Target {
    name: "courses of instants",
    cases: 150,
    length: 200,
    make: |choices| match choices.once_in(3) {
        true => models::motion(choices),
        false => models::flights(choices),
    },
    check: |text| {
        let model = Table::from_text(text).model;
        let clock = Clock {
            every: None,
            stepping: Some(Stepping::Events),
            method: Some(EXPLICIT[text.len() % EXPLICIT.len()]),
            ..model.clock.clone()
        };
        if let Ok(mut config) = EventConfig::from_clock(&clock) {
            // Long steps: what is of interest is between them.
            (config.settings.rtol, config.atol) = (1e-3, 1e-3);
            let instants = crate::events::courses::agree(&model, &config);
            INSTANTS.fetch_add(instants, Ordering::Relaxed);
        }
    },
};

/// Instants of random models so far.
static INSTANTS: AtomicU64 = AtomicU64::new(0);

const HYBRIDS: Target = Target {
    name: "hybrids",
    cases: 500,
    length: 120,
    make: hybrids::table,
    check: hybrids::compare,
};

const WIDE: Target = Target {
    name: "hybrids of all parts",
    cases: 200,
    length: 120,
    make: hybrids::wide_table,
    check: hybrids::compare_wide,
};

const TARGETS: [Target; 17] = [
    HYBRIDS,
    WIDE,
    WRITTEN,
    BEGUN,
    BYTES,
    RON,
    MUTATED,
    LINES,
    MODELS,
    NATIVE,
    LANES,
    SMOOTH_LANES,
    EXPRESSIONS,
    LAYOUTS,
    EVENTS,
    NATIVE_STEPS,
    COURSES,
];

/// Number of inputs so far whose table ran to the end of its ticks.
static RAN: AtomicU32 = AtomicU32::new(0);

/// Number of runs of random models that the oracle has followed to the end.
static FOLLOWED: AtomicU32 = AtomicU32::new(0);

/// Reads a table that may extend a scenario, or itself.
fn read(text: &str) -> Loaded {
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
fn pipeline(text: &str) -> Loaded {
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
fn run(model: &Model, origins: &Origins, sources: &SourceMap) {
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
fn says_the_same_laid_out(text: &str) {
    let loaded = read(text);
    if let Ok(laid_out) = format(&loaded.sources, SourceId(0), None) {
        let again = loaded.again(&laid_out);
        // Where a table extends itself what is read of it again is the old text; nothing is written then.
        let extends_itself = text.contains("self.ron");
        assert!(extends_itself || loaded.says_the_same(&again), "{laid_out}");
    }
}

/// Number of inputs that were tables that a run began with.
static BEGINNINGS: AtomicU32 = AtomicU32::new(0);

/// A run of a table in which the check has found nothing begins.
fn begins_if_checked(text: &str) {
    let loaded = read(text);
    let Some(model) = loaded.model else { return };
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
    let mut run = Run::new(Arc::new(model), config, &[]).expect("it can be set up");
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
static STEPPED: AtomicU32 = AtomicU32::new(0);

/// Goes some steps of a method; a fault can be told.
fn runs_or_tells_in_event_stepping(text: &str) {
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
fn lines(text: &str) {
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
fn agrees_with_oracle(model: &Model, scan: Scan, integral: IntegralRule) {
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
fn same_with_parentheses(expression: &str) {
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
fn both_spellings_run_alike(text: &str) {
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

/// Nesting of hundreds of thousands of levels is refused, in time and without overflowing the stack.
#[test]
fn deep_nesting_is_refused() {
    const DEEP: usize = 300_000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let row = |expression: String| {
        format!("(format: 1, reals: {{\"x\": 0}}, relations: [\"x = {expression}\"])")
    };
    let texts = [
        nested("(", "", ")"),
        nested("[", "", "]"),
        nested("[", "", ""),
        nested("/*", "", "*/"),
        format!("(format: 1, relations: {})", nested("[", "", "]")),
        format!("(format: 1, clock: {})", nested("(step: ", "1", ")")),
        row(nested("(", "1", ")")),
        row(nested("-", "1", "")),
        row(nested("abs(", "1", ")")),
        row(nested("x^", "1", "")),
        row(nested("1+", "1", "")),
        row(nested("x ", "", "")),
        row(format!("1 when {}", nested("!", "x", ""))),
        row(format!("1 when {}", nested("x < ", "x", ""))),
    ];
    for text in texts {
        let loaded = pipeline(&text);
        assert!(loaded.model.is_none(), "{}", &text[..80]);
        assert!(
            loaded.diagnostics.len() < 200,
            "{}",
            loaded.diagnostics.len()
        );
    }
}

#[test]
fn both_spellings_of_random_tables_run_alike() {
    LAYOUTS.run(0);
}

#[test]
fn mutated_tables_say_the_same_laid_out() {
    WRITTEN.run(0);
}

#[test]
fn mutated_tables_that_are_checked_can_begin() {
    BEGUN.run(0);
    let begun = BEGINNINGS.load(Ordering::Relaxed);
    assert!(begun > BEGUN.cases / 50, "only {begun} tables began");
}

#[test]
fn random_bytes() {
    BYTES.run(0);
}

#[test]
fn random_ron() {
    RON.run(0);
}

#[test]
fn mutated_tables() {
    MUTATED.run(0);
    let ran = RAN.load(Ordering::Relaxed);
    assert!(ran > MUTATED.cases / 20, "only {ran} tables ran");
}

#[test]
fn random_tables_in_event_stepping() {
    EVENTS.run(0);
    let stepped = STEPPED.load(Ordering::Relaxed);
    assert!(stepped > EVENTS.cases / 20, "only {stepped} tables ran");
}

/// Tables that random tests in event stepping have found.
#[test]
fn tables_that_were_found_in_event_stepping() {
    let texts = [
        // The value of угол at the start is not finite and turns off the row that gives it.
        r#"(format: 1, reals: {"x": 0, "угол": 3},
            relations: ["угол = derivative(-1 * (time)^0.5) when угол > x"])"#,
        // Rows write x in turn while a range that is read by value looks at it.
        r#"(format: 1, reals: {"x": 3, "v": -0.25}, ranges: ["noevent up: x * 0.25 < v"],
            relations: ["x = pi", "x = x + x", "x = x + x"])"#,
    ];
    for text in texts {
        runs_or_tells_in_event_stepping(text);
    }
}

#[test]
fn random_lines() {
    LINES.run(0);
}

#[test]
fn random_models_run_as_the_oracle_does() {
    MODELS.run(0);
    let followed = FOLLOWED.load(Ordering::Relaxed);
    assert!(followed > MODELS.cases, "only {followed} runs were long");
}

#[test]
fn random_models_have_the_same_bits_in_native_code() {
    NATIVE.run(0);
    let ticks = NATIVE_TICKS.load(Ordering::Relaxed);
    assert!(ticks > 10_000, "only {ticks} ticks in native code");
}

#[test]
fn random_models_have_the_same_bits_in_lanes() {
    LANES.run(0);
    let [over, failed] = crate::lanes::compared();
    assert!(
        over > 5000 && failed > 100,
        "{over} runs over, {failed} failed"
    );
}

#[test]
fn random_smooth_models_have_the_same_bits_in_lanes() {
    SMOOTH_LANES.run(0);
    let runs = SMOOTH_RUNS.load(Ordering::Relaxed);
    assert!(runs > 2000, "only {runs} runs in lanes");
}

#[test]
fn random_models_have_the_same_bits_in_native_steps() {
    NATIVE_STEPS.run(0);
    let modes = NATIVE_MODES.load(Ordering::Relaxed);
    assert!(modes > 20, "only {modes} modes in native code");
}

#[test]
fn random_models_come_to_the_same_with_and_without_a_log() {
    COURSES.run(0);
    let instants = INSTANTS.load(Ordering::Relaxed);
    assert!(instants > 200, "only {instants} instants");
}

#[test]
fn event_accurate_runs_are_the_limit_of_ticks() {
    HYBRIDS.run(0);
    let [same, no_limit, refused] = [&hybrids::SAME, &hybrids::NO_LIMIT, &hybrids::REFUSED]
        .map(|count| count.load(Ordering::Relaxed));
    println!("{same} tables alike, {no_limit} without a limit, {refused} refused");
    assert!(
        same > u64::from(HYBRIDS.cases) * 3 / 4,
        "only {same} tables"
    );
}

#[test]
fn tables_of_all_parts_are_the_limit_of_ticks() {
    WIDE.run(0);
}

/// The same with other tables for each state of the project: a commit always sees the same ones.
#[test]
fn event_accurate_runs_of_this_commit_are_the_limit_of_ticks() {
    let mut git = std::process::Command::new("git");
    git.args(["rev-parse", "HEAD^{tree}"])
        .current_dir(crate::tables::root());
    let Some(tree) = git
        .output()
        .ok()
        .and_then(|said| String::from_utf8(said.stdout).ok())
    else {
        println!("no commit");
        return;
    };
    if let Some(Ok(seed)) = tree.get(..8).map(|digits| u32::from_str_radix(digits, 16)) {
        println!("SITU_SOAK_ROUND={seed}");
        HYBRIDS.run(seed);
        WIDE.run(seed);
    }
}

#[test]
fn lines_compute_what_their_expression_says() {
    EXPRESSIONS.run(0);
}

/// The scenarios as well: the oracle is held by tables that somebody meant.
#[test]
fn scenarios_run_as_the_oracle_does() {
    for folder in crate::tables::scenario_folders() {
        for path in crate::tables::files(&folder, "ron") {
            let mut model = Table::at(path).model;
            if crate::tables::solves(&model) {
                continue;
            }
            model.clock.step = Some(0.01);
            for scan in [Scan::Sequential, Scan::Simultaneous] {
                for integral in [IntegralRule::Rectangle, IntegralRule::Trapezoid] {
                    agrees_with_oracle(&model, scan, integral);
                }
            }
        }
    }
}

/// Until the minutes are over; or, if so many inputs are wanted, until each target had them.
#[test]
#[ignore = "the long run: cargo soak"]
fn soak() {
    let variable = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    let minutes = variable("SITU_SOAK_MINUTES").unwrap_or(10);
    let first = variable("SITU_SOAK_ROUND").unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(60 * u64::from(minutes));
    let inputs = variable("SITU_SOAK_INPUTS");
    let only = std::env::var("SITU_SOAK_TARGET").ok();
    let names: Option<Vec<&str>> = only.as_ref().map(|only| only.split(',').collect());
    let wanted = |target: &&Target| {
        names
            .as_ref()
            .is_none_or(|names| names.contains(&target.name))
    };
    let mut targets: Vec<(&Target, u32)> = TARGETS.iter().filter(wanted).map(|t| (t, 0)).collect();
    let n_names = names.as_ref().map_or(1, Vec::len);
    assert!(targets.len() >= n_names, "not all are targets: {only:?}");
    for round in first.. {
        for (target, done) in &mut targets {
            if inputs.is_none_or(|inputs| *done < inputs) {
                target.run(round);
                *done += target.cases;
            }
        }
        let all: u32 = targets.iter().map(|(_, done)| done).sum();
        println!("round {round}: {all} inputs so far, nothing found");
        let is_over = match inputs {
            Some(inputs) => targets.iter().all(|(_, done)| *done >= inputs),
            None => Instant::now() > end,
        };
        if is_over {
            break;
        }
    }
}
