//! Runs in lanes against single runs: the same measures to the last bit, the same ends and faults, for
//! tables and start values of every kind.

use std::sync::atomic::{AtomicU32, Ordering};

use situ_engine::ids::{ConstantId, RealId, SwitchId};
use situ_engine::model::{Clock, Expr, Input, IntegralRule, Model, Scan, Stepping};
use situ_engine::sim::{EventConfig, RunConfig, Template, TickConfig};
use situ_engine::solve::Method;
use situ_engine::trace::Measure;
use situ_sweep::{Done, Keep, Slice};

use crate::native::measures;
use crate::tables::{Table, files, scenario_folders};

/// Start values that make something special, besides a factor of the table's own.
const VALUES: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -7.25,
    1e-3,
    1e3,
    1e-310,
    1e200,
    f64::INFINITY,
];

/// Numbers that look random, the same ones each time.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Rows of start values for all constants, reals and switches of a model; the first has its own.
fn rows(model: &Model, n: usize, wild: usize) -> (Vec<Input>, Vec<Vec<f64>>) {
    let own = model.start_values().unwrap();
    let constants = (0..model.constants.len()).map(|i| Input::Constant(ConstantId::new(i)));
    let reals = (0..model.reals.len()).map(|i| Input::Real(RealId::new(i)));
    let switches = (0..model.switches.len()).map(|i| Input::Switch(SwitchId::new(i)));
    let inputs: Vec<Input> = constants.chain(reals).chain(switches).collect();
    let mut choices = Choices(n as u64);
    let mut value = |row: usize, input: Input| {
        let own = match input {
            Input::Constant(id) => own.constants[id.index()],
            Input::Real(id) => own.reals[id.index()],
            Input::Switch(id) => f64::from(u8::from(model.switches[id.index()].start)),
        };
        match (input, choices.below(8)) {
            _ if row == 0 => own,
            (Input::Switch(_), part) => f64::from(u8::from(part % 2 == 0)),
            (_, 0..5) => own,
            (_, 5 | 6) => own * [0.5, 1.01, 1.5, -1.0][choices.below(4)],
            _ if choices.below(8) >= wild => own * 0.99,
            _ => VALUES[choices.below(VALUES.len())],
        }
    };
    let rows = (0..n).map(|row| inputs.iter().map(|&input| value(row, input)).collect());
    let rows = rows.collect();
    (inputs, rows)
}

/// What a run comes to, with numbers as bits and one NaN for all.
fn outcome(done: &Done) -> (u64, Vec<Option<u64>>, u64, String) {
    let bits = |x: f64| if x.is_nan() { f64::NAN } else { x }.to_bits();
    let measured = done.measured.iter().map(|value| value.map(bits));
    (
        done.row,
        measured.collect(),
        bits(done.time),
        format!("{:?}", done.ending),
    )
}

/// How many runs so far went to their end in lanes, and how many could not.
static RUNS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Runs of a model with many start values come to the same in lanes and alone.
pub(crate) fn agrees(model: &Model, config: &TickConfig, n: usize, wild: usize) {
    let mut model = model.clone();
    let name = model.name.clone();
    let mut all = measures(&mut model);
    let finals: Vec<Measure> = (0..model.reals.len())
        .map(|real| Measure::Final(model.exprs.push(Expr::Real(RealId::new(real)))))
        .collect();
    all.extend(finals.iter().cloned());
    let (inputs, rows) = rows(&model, n, wild);
    for measures in [finals, all] {
        let run = RunConfig::Ticks(config.clone());
        let Ok(template) = Template::new(model.clone(), run, &measures) else {
            return;
        };
        if config.is_uneven() {
            assert!(
                template.lanes().is_none(),
                "{name}: lanes have ticks of one length"
            );
            return;
        }
        assert!(template.lanes().is_some(), "{name} has no lanes");
        let slice = |first: usize, rows: &[Vec<f64>]| Slice {
            keep: Keep::Measures,
            template: template.clone(),
            inputs: inputs.clone(),
            first: first as u64,
            rows: rows.to_vec(),
        };
        let together = slice(0, &rows).run(&|| false);
        assert_eq!(together.len(), rows.len());
        for (place, done) in together.iter().enumerate() {
            let alone = slice(place, &rows[place..=place]).run(&|| false);
            assert_eq!(
                outcome(done),
                outcome(&alone[0]),
                "{name}, row {:?}",
                rows[place]
            );
            let failed = outcome(done).3.contains("Failed");
            RUNS[usize::from(failed)].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Runs of a model with many start values and by several methods come to the same in lanes and alone.
/// Result: how many runs failed.
fn agrees_in_events(text: &str, stop: f64, n: usize, wild: usize) -> usize {
    let model = Table::from_text(text).model;
    let (inputs, rows) = rows(&model, n, wild);
    let mut failed = 0;
    for (method, rtol) in [
        (Method::Tsit5, 1e-5),
        (Method::Tsit5, 1e-9),
        (Method::Dop853, 1e-4),
        (Method::Dop853, 1e-10),
        (Method::Auto, 1e-6),
    ] {
        let mut model = model.clone();
        let clock = Clock {
            stop: Some(stop),
            stepping: Some(Stepping::Events),
            method: Some(method),
            rtol: Some(rtol),
            ..Clock::default()
        };
        let mut config = EventConfig::from_clock(&clock).unwrap();
        config.every = None;
        let finals: Vec<Measure> = (0..model.reals.len())
            .map(|real| Measure::Final(model.exprs.push(Expr::Real(RealId::new(real)))))
            .collect();
        let template = Template::new(model, RunConfig::Events(config), &finals).unwrap();
        assert!(template.lanes().is_some(), "no lanes for {text}");
        let slice = |first: usize, rows: &[Vec<f64>]| Slice {
            template: template.clone(),
            inputs: inputs.clone(),
            first: first as u64,
            rows: rows.to_vec(),
            keep: Keep::Measures,
        };
        let together = slice(0, &rows).run(&|| false);
        assert_eq!(together.len(), rows.len());
        for (place, done) in together.iter().enumerate() {
            let alone = slice(place, &rows[place..=place]).run(&|| false);
            let (found, known) = (outcome(done), outcome(&alone[0]));
            let about = (method, rtol, &rows[place]);
            assert_eq!(found, known, "{text}, {about:?}");
            failed += usize::from(!found.3.contains("Stop"));
        }
    }
    failed
}

#[test]
fn steps_have_the_same_bits_in_lanes() {
    let pendulum = r#"(format: 1, constants: {"l": 1, "g": 9.81},
        reals: {"a": 1.2, "w": 0, "pull": 0}, relations:
        ["pull = sin(a)", "w = integral(-1 * g / l * pull)", "a = integral(w)"])"#;
    agrees_in_events(pendulum, 3.0, 90, 0);
    let circuit = r#"(format: 1, constants: {"R": 1, "C": 0.000001, "L": 0.001, "E": 1},
        reals: {"I": 0, "U": 0, "E2": 0.5}, relations:
        ["I = integral((E - I * R - U + E2) / L)", "U = integral(I / C)"])"#;
    agrees_in_events(circuit, 2e-4, 90, 0);
    let driven = r#"(format: 1, constants: {"k": 4, "T": 0.5},
        reals: {"x": 1, "v": 0, "s": 0, "e": 0, "f": 2}, relations:
        ["v = integral(f * cos(3 * time) - k * x - 0.1 * v)", "x = integral(v)",
         "s = smoothing(x * x, T)", "e = exp(s) + sqrt(f)"])"#;
    agrees_in_events(driven, 3.0, 80, 0);
    let linear_in_time = r#"(format: 1, constants: {"k": 0.3, "m": 1},
        reals: {"x": 1, "v": 0}, relations:
        ["v = integral(2 * time - k * x / m)", "x = integral(v + m * 0.5)"])"#;
    agrees_in_events(linear_in_time, 5.0, 80, 0);
}

#[test]
fn runs_that_fail_or_turn_stiff_are_run_alone() {
    let ends = r#"(format: 1, constants: {"k": 1}, reals: {"x": 1, "y": 0}, relations:
        ["x = integral(k)", "y = sqrt(1.2 - x)"])"#;
    assert!(agrees_in_events(ends, 1.5, 70, 0) > 50);
    let stiff = r#"(format: 1, constants: {"k": 900}, reals: {"x": 0, "c": 1}, relations:
        ["c = cos(time)", "x = integral(-1 * k * (x - c))"])"#;
    agrees_in_events(stiff, 0.1, 30, 0);
}

/// How many runs were compared so far: those that went to their end, and those that failed.
pub(crate) fn compared() -> [u32; 2] {
    RUNS.each_ref().map(|runs| runs.load(Ordering::Relaxed))
}

#[test]
fn scenarios_have_the_same_bits_in_lanes() {
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let table = Table::at(&path);
            for (scan, integral) in [
                (Scan::Sequential, IntegralRule::Rectangle),
                (Scan::Simultaneous, IntegralRule::Trapezoid),
            ] {
                let clock = Clock {
                    scan: Some(scan),
                    ..table.model.clock.clone()
                };
                let mut run = table.clone().clock(clock).ticks(1e-3, 900, 900, integral);
                run.config.options.scan = scan;
                agrees(&run.table.model, &run.config, 40, 1);
            }
        }
    }
}

#[test]
fn runs_that_stop_make_room_for_others() {
    let mut table = Table::at("hoop/table.ron");
    let watch = table.watch("h < R & Vy > 0");
    table.model.clock.stop_when = Some(watch);
    let run = table.ticks(1e-3, 3000, 3000, IntegralRule::Rectangle);
    agrees(&run.table.model, &run.config, 300, 1);
}

#[test]
fn functions_have_the_same_bits_in_lanes() {
    let text = r#"(format: 1, clock: (step: 0.01, stop: 1),
        reals: {"x": 0.7, "y": 0, "z": 1, "a": 30, "b": 1, "s": 0, "c": 0, "on": 0},
        relations: ["x = integral(y + 1)", "y = sin(x * 9) + cos(7 * x * z)", "a = a * 1.37 + 1",
            "s = sind(a) * cosd(a)", "c = exp(-1 * abs(s)) + sqrt(abs(y)) when x < 1",
            "z = atan2(y, x) + floor(a * 0.01) + min(x, y) * max(s, c)",
            "b = abs(x)^y + x^2 - x^3 + sign(y) + mod(a, 7)", "on = sin(b) when y > 0"])"#;
    let run = Table::from_text(text).into_run();
    agrees(&run.table.model, &run.config, 200, 4);
}
