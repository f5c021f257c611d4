//! The whole scenario suite under every engine: each table with each of its cases, in ticks and with events
//! located, comes to the same final states to the last bit.

use std::sync::Arc;

use situ_engine::ids::RealId;
use situ_engine::model::{Expr, IntegralRule, Model, Scan, Stepping};
use situ_engine::sim::{EventConfig, Run, RunConfig, Template, TickConfig};
use situ_engine::solve::Method;
use situ_engine::trace::Measure;
use situ_sweep::{Keep, Slice};

use crate::tables::{Table, files, scenario_folders};

/// Ticks of a run at most.
const MOST_TICKS: u64 = 5000;

/// Every table of the scenarios, as it is and with each of its cases.
fn all_cases() -> Vec<(String, Model)> {
    let mut all = Vec::new();
    for path in scenario_folders()
        .iter()
        .flat_map(|folder| files(folder, "ron"))
    {
        let model = Table::at(&path).model;
        for case in 0..model.cases.len() {
            let mut with_case = model.clone();
            with_case.apply_case(case);
            all.push((
                format!("{} {}", path.display(), model.cases[case].name),
                with_case,
            ));
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

/// How a run ends, with reals as bits.
type End = (Vec<Option<u64>>, u64, String);

fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN } else { x }.to_bits()
}

fn alone(mut run: Run) -> End {
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

/// Runs with the model's own start values in all lanes.
fn in_lanes(template: Template) -> Option<End> {
    template.lanes()?;
    let slice = Slice {
        template,
        inputs: Vec::new(),
        first: 0,
        rows: vec![Vec::new(); 64],
        keep: Keep::Measures,
    };
    let done = slice.run(&|| false).swap_remove(63);
    let measured = done.measured.iter().map(|value| value.map(bits));
    Some((
        measured.collect(),
        bits(done.time),
        format!("{:?}", done.ending),
    ))
}

#[test]
fn scenarios_end_the_same_under_every_engine_in_ticks() {
    let (mut native, mut lanes) = (0, 0);
    for (name, model) in all_cases() {
        for (scan, integral) in [
            (Scan::Sequential, IntegralRule::Rectangle),
            (Scan::Simultaneous, IntegralRule::Trapezoid),
        ] {
            let (mut model, finals) = with_finals(model.clone());
            model.clock.stepping = Some(Stepping::Tick);
            (model.clock.scan, model.clock.integral) = (Some(scan), Some(integral));
            let Ok(mut config) = TickConfig::from_clock(&model.clock) else {
                continue;
            };
            config.ticks = config.ticks.min(MOST_TICKS);
            config.every = config.ticks;
            let config = RunConfig::Ticks(config);
            let run = Run::new(model.clone(), config.clone(), &finals).unwrap();
            let expected = alone(run.clone());
            if let Some(job) = run.tick_job() {
                let mut run = run;
                let code = situ_jit::compile(&job, &situ_jit::Options::default()).unwrap();
                run.plug_in(Arc::new(situ_jit::Ready::new(code)));
                assert_eq!(alone(run), expected, "{name} in native code");
                native += 1;
            }
            let template = Template::new(model, config, &finals).unwrap();
            if let Some((measured, time, _)) = in_lanes(template) {
                assert_eq!(
                    (&measured, time),
                    (&expected.0, expected.1),
                    "{name} in lanes"
                );
                lanes += 1;
            }
        }
    }
    assert!(
        native > 80 && lanes > 80,
        "{native} native, {lanes} in lanes"
    );
}

#[test]
fn scenarios_end_the_same_under_every_engine_with_events() {
    let (mut native, mut lanes) = (0, 0);
    let methods = [Method::Dop853, Method::Rodas5p].into_iter().cycle();
    for ((name, model), method) in all_cases().into_iter().zip(methods) {
        let (mut model, finals) = with_finals(model.clone());
        model.clock.stepping = Some(Stepping::Events);
        model.clock.method = Some(method);
        let Ok(mut config) = EventConfig::from_clock(&model.clock) else {
            continue;
        };
        config.stop = config.stop.min(10.0);
        config.every = None;
        let config = RunConfig::Events(config);
        let Ok(run) = Run::new(model.clone(), config.clone(), &finals) else {
            continue;
        };
        let expected = alone(run.clone());
        let mut compiled = run;
        compiled.plug_in_steps(Arc::new(situ_jit::StepsAtOnce));
        assert_eq!(alone(compiled.clone()), expected, "{name} in native code");
        native += 1;
        let template = Template::new(model, config, &finals).unwrap();
        if let Some((measured, time, _)) = in_lanes(template) {
            assert_eq!(
                (&measured, time),
                (&expected.0, expected.1),
                "{name} in lanes"
            );
            lanes += 1;
        }
    }
    assert!(
        native > 25 && lanes > 1,
        "{native} native, {lanes} in lanes"
    );
}
