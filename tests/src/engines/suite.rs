//! The whole scenario suite under every engine: each table with each of its cases, in ticks and with events
//! located, comes to the same to the last bit in native code, in ticks also in lanes.

use std::sync::Arc;

use situ_engine::Method;
use situ_engine::ids::RealId;
use situ_engine::model::{Expr, IntegralRule, Model, Scan, Stepping};
use situ_engine::sim::compiled::Compiler;
use situ_engine::sim::{EventConfig, Run, RunConfig, TickConfig};
use situ_engine::trace::Measure;
use situ_jit::{Jit, Options};

use crate::tables::{Table, files, scenario_folders, solves};

/// Ticks of a run at most.
const MOST_TICKS: u64 = 5000;
const MOST_TICKS_IN_LANES: u64 = 700;

/// Explicit methods, then an implicit one.
const METHODS: [Method; 3] = [Method::Tsit5, Method::Dop853, Method::Rodas5p];

/// Every table of the scenarios, as it is and with each of its cases.
fn all_cases() -> Vec<(String, Model)> {
    let mut all = Vec::new();
    for path in scenario_folders()
        .iter()
        .flat_map(|folder| files(folder, "ron"))
    {
        let model = Table::at(&path).model;
        let text = std::fs::read_to_string(&path).unwrap();
        for (case, name) in model.cases.iter().map(|case| &case.name).enumerate() {
            // A case may decide how many elements a family has.
            let choices = situ_rules::Choices {
                case: Some(name.clone()),
                ..Default::default()
            };
            let at = crate::tables::shown(&path);
            let loaded = situ_rules::load_as(&at, &text, &mut crate::tables::FromDisk, &choices);
            let mut with_case = loaded.model.unwrap();
            with_case.apply_case(case);
            all.push((format!("{} {name}", path.display()), with_case));
        }
        all.push((path.display().to_string(), model));
    }
    all
}

/// The same with all final values measured.
fn with_finals(mut model: Model) -> (Model, Vec<Measure>) {
    let finals = (0..model.reals.len()).map(|real| model.exprs.push(Expr::Real(RealId::new(real))));
    let finals = finals.map(Measure::Final).collect();
    (model, finals)
}

fn at_once() -> Arc<dyn Compiler> {
    Arc::new(Jit::at_once(Options::default()))
}

/// End of a run, with reals as bits.
type End = (Vec<Option<u64>>, u64, String);

fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN } else { x }.to_bits()
}

fn alone(run: &mut Run) -> End {
    let ended = match run.run(&mut ()) {
        Ok(ended) => format!("{ended:?}"),
        Err(fault) => format!("Failed({fault:?})"),
    };
    let measured = run.measured().into_iter();
    (
        measured.map(|value| value.map(bits)).collect(),
        bits(run.time()),
        ended,
    )
}

/// A run of a model in ticks comes to the same in native code. Result: how many ticks that has done.
fn native_ticks(name: &str, model: &Model, config: &TickConfig) -> u64 {
    let (model, finals) = with_finals(model.clone());
    let config = RunConfig::Ticks(config.clone());
    let mut run = Run::new(model, config, &finals).unwrap();
    let expected = alone(&mut run.clone());
    run.compile_with(at_once()).unwrap();
    assert_eq!(alone(&mut run), expected, "{name} in native code");
    run.native_ticks()
}

/// A run of a model with events located comes to the same with native code. Result: whether that has done
/// anything; `None` if there is no such run.
fn is_native(name: &str, model: &Model, config: &EventConfig) -> Option<bool> {
    let (model, finals) = with_finals(model.clone());
    let mut config = config.clone();
    config.stop = config.stop.min(5.0);
    config.every = None;
    let mut run = Run::new(model, RunConfig::Events(config), &finals).ok()?;
    let expected = alone(&mut run.clone());
    run.compile_with(at_once()).unwrap();
    assert_eq!(alone(&mut run), expected, "{name} in native code");
    Some(run.is_native())
}

#[test]
fn scenarios_end_the_same_under_every_engine_in_ticks() {
    let (mut runs, mut ticks, mut in_lanes) = (0, 0, 0);
    for (name, mut model) in all_cases() {
        for (scan, integral) in [
            (Scan::Sequential, IntegralRule::Rectangle),
            (Scan::Simultaneous, IntegralRule::Trapezoid),
        ] {
            model.clock.stepping = Some(Stepping::Tick);
            (model.clock.scan, model.clock.integral) = (Some(scan), Some(integral));
            let Ok(mut config) = TickConfig::from_clock(&model.clock) else {
                continue;
            };
            config.ticks = config.ticks.min(MOST_TICKS);
            config.every = config.ticks;
            ticks += native_ticks(&name, &model, &config);
            config.ticks = config.ticks.min(MOST_TICKS_IN_LANES);
            config.every = config.ticks;
            in_lanes += crate::engines::lanes::agrees(&model, &config, 20, 1);
            runs += u64::from(!solves(&model));
        }
    }
    assert!(
        runs > 80 && ticks > 3000 * runs && in_lanes as u64 > 30 * runs,
        "{runs} runs, {ticks} ticks in native code, {in_lanes} runs in lanes"
    );
}

#[test]
fn scenarios_end_the_same_under_every_engine_with_events() {
    let (mut runs, mut native) = ([0; METHODS.len()], [0; METHODS.len()]);
    for (name, mut model) in all_cases() {
        model.clock.stepping = Some(Stepping::Events);
        for (number, method) in METHODS.into_iter().enumerate() {
            let about = format!("{name} by {}", method.name());
            model.clock.method = Some(method);
            let Ok(config) = EventConfig::from_clock(&model.clock) else {
                continue;
            };
            if let Some(is_native) = is_native(&about, &model, &config) {
                runs[number] += 1;
                native[number] += usize::from(is_native);
            }
        }
    }
    let about = format!("{runs:?} runs, {native:?} of them in native code");
    // Rates that are a matrix have no native code.
    assert!(
        native
            .iter()
            .zip(&runs)
            .all(|(native, runs)| *runs > 25 && 3 * native > *runs),
        "{about}"
    );
}
