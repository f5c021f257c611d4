//! Comparisons and studies of convergence of runs in ticks, of which is known when they jump.

use situ_engine::model::{Clock, Model};
use situ_engine::sim::{Run, RunConfig};

use super::contact_intervals::ContactIntervals;
use super::convergence::{Convergence, Refinement};
use super::observed::Observed;
use super::{Comparison, RunOf};

fn model_of(text: &str) -> Model {
    let loaded = situ_rules::load("t.ron", text, &mut situ_rules::standalone);
    loaded.model.expect("the table has no mistakes")
}

fn run_of(model: &Model, clock: &Clock) -> Observed {
    let config = RunConfig::from_clock(clock).expect("the clock is sound");
    let mut observed = Observed::new(model, config.stop());
    let config = config.with_rows(observed.distance());
    let mut run = Run::new(model.clone(), config, &[]).expect("it can begin");
    run.run(&mut observed.recorder(model, &mut ()))
        .expect("it comes to its end");
    observed
}

/// Runs of a table with these steps.
fn observed(text: &str, steps: &[f64]) -> (Model, Vec<(f64, Observed)>) {
    let model = model_of(text);
    let runs = steps.iter().map(|&step| {
        let mut clock = model.clock.clone();
        clock.step = Some(step);
        (step, run_of(&model, &clock))
    });
    let runs = runs.collect();
    (model, runs)
}

fn compared(text: &str, steps: [f64; 2]) -> Comparison {
    let (model, runs) = observed(text, &steps);
    let [(_, a), (_, b)] = &runs[..] else {
        unreachable!("there are two");
    };
    comparison(&model, [a, b])
}

fn comparison(model: &Model, [a, b]: [&Observed; 2]) -> Comparison {
    let of = || RunOf {
        stepping: "tick",
        how: String::new(),
        fault: None,
    };
    let contacts = ContactIntervals::new(model);
    Comparison::of([model; 2], [(of(), a, &contacts), (of(), b, &contacts)], "")
}

/// A line that counts when its square passes 0.13, at 0.3606.
const LINE: &str = r#"(format: 1, clock: (step: 0.01, stop: 3), reals: {"x": 0, "n": 0, "m": 0},
    ranges: ["pos: x * x > 0.13"],
    relations: ["x = integral(1)", "n = counter(pos)", "m = 2 * n + x"])"#;

#[test]
fn a_jump_that_comes_later_is_a_time_and_no_difference() {
    let comparison = compared(LINE, [0.01, 0.005]);
    let change = &comparison.booleans[0];
    assert_eq!((change.both, change.only), (1, [0, 0]));
    for real in &comparison.reals {
        assert!(real.difference < 1e-12, "{real:?}");
    }
    assert!(comparison.agrees());
}

#[test]
fn what_counts_has_whole_values_at_all_times() {
    let (model, runs) = observed(LINE, &[0.01, 0.006, 0.0015]);
    let n = model.real("n").expect("it is declared").index();
    for (step, run) in &runs {
        let values = &run.reals[n];
        let is_whole = |value: &f64| [0.0, 1.0].contains(value);
        assert!(values.iter().all(is_whole), "{step}");
    }
}

#[test]
fn counts_that_are_equal_at_the_end_converge() {
    // x oscillates with period 1 and rises above 0.45 three times.
    let text = r#"(format: 1, clock: (step: 0.01, stop: 3), reals: {"x": 0, "n": 0}, ranges: ["up: x > 0.45"],
        relations: ["x = sin(2 * pi * time)", "n = counter(up)"])"#;
    let (model, runs) = observed(text, &[0.01, 0.005, 0.0025, 0.00125]);
    let config = RunConfig::from_clock(&model.clock).unwrap();
    let convergence = Convergence::of(&model, &Refinement::of(&config), &runs);
    assert_eq!(convergence.reals[1].changes, [0.0; 3]);
}

#[test]
fn jumps_at_a_schedule_are_paired() {
    // A saw tooth of height 0.503; its beats fall between ticks.
    let text = r#"(format: 1, clock: (step: 0.01, stop: 3), reals: {"x": 0, "n": 0},
        relations: ["x = integral(1)", "x := 0 when every(0.503)", "n := n + 1 when every(0.503)"])"#;
    let comparison = compared(text, [0.01, 0.005]);
    let [x, n] = &comparison.reals[..] else {
        unreachable!("there are two");
    };
    // A tooth begins at most a tick later.
    assert!(x.difference < 0.01 + 1e-9, "{x:?}");
    assert_eq!(n.difference, 0.0);
}

#[test]
fn what_changes_in_the_last_row_is_compared() {
    let table = |value: f64, clock: &str| {
        format!(
            r#"(format: 1, clock: ({clock}), constants: {{"a": {value}}}, reals: {{"x": 0, "y": 0}},
            ranges: ["late: y > 1.5"], situations: ["event b: every(3)"],
            relations: ["y = integral(1)", "x = a when late", "x := a when b"])"#
        )
    };
    for clock in ["stop: 3, step: 1", "stop: 3, stepping: events"] {
        let [model, other] = [1.0, 5.0].map(|value| model_of(&table(value, clock)));
        let runs = [&model, &other].map(|model| run_of(model, &model.clock));
        let comparison = comparison(&model, runs.each_ref());
        assert_eq!(comparison.reals[0].difference, 4.0, "{clock}");
        assert_eq!(comparison.reals[1].difference, 0.0, "{clock}");
    }
}
