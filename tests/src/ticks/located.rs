//! Ticks that end where a range turns, and ticks whose length a formula says.

use situ_engine::ids::ExprId;
use situ_engine::model::{Clock, IntegralRule, Stepping};
use situ_engine::sim::{ConfigError, Run, RunConfig, RunFault, SetupError, TickConfig, TickRun};
use situ_engine::trace::Trace;
use situ_engine::{Locate, StepError};
use situ_rules::load;

use crate::events::published::stand::{late, ticks_bounce};
use crate::events::{entries, known, list, number};
use crate::tables::{Table, column, files, from_disk, scenario_folders};

fn located(mut table: Table, step: f64, stop: f64, way: Locate) -> (Table, TickConfig) {
    let clock = Clock {
        step: Some(step),
        stop: Some(stop),
        every: Some(step),
        locate: Some(way),
        ..Clock::default()
    };
    table.model.clock = table.model.clock.overridden_by(&clock);
    let config = TickConfig::from_clock(&table.model.clock).unwrap();
    (table, config)
}

fn run(table: Table, config: TickConfig) -> (Table, Trace) {
    let run = crate::tables::Run { table, config };
    let trace = run.trace();
    (run.table, trace)
}

/// The last value of a column.
fn end(table: &Table, trace: &Trace, name: &str) -> f64 {
    *column(&table.model, trace, name).unwrap().last().unwrap()
}

/// The stand with other rows of motion.
fn stand(path: &str, rows: &str) -> Table {
    let text = format!(
        r#"(format: 1, extends: "{path}.ron", name: "stand_in_ticks", reals: {{"dt": 0}},
            replace: ["7"], relations: [{rows}])"#
    );
    Table::of(load("scenarios/stand/ticks.ron", &text, &mut from_disk))
}

#[test]
fn the_stand_in_ticks() {
    let euler = r#""[7] y = integral(vy)""#;
    let parabola = r#""[6a after 6] dt = min((abs(y) + 0.2) / H, 1) * 0.05", "[7] y = integral(vy - g * dt / 2)""#;
    let fixed = r#""[6a after 6] dt = 0.05 * 1", "[7] y = integral(vy - g * dt / 2)""#;
    let mut n = 0;
    for (name, known) in entries(&known("stand")["cases"]) {
        for (path, step, rows) in [
            ("table", "euler/fixed_dt", euler),
            ("table", "parabola/fixed_dt", fixed),
            ("variable_step", "euler/variable_dt", euler),
            ("variable_step", "parabola/variable_dt", parabola),
        ] {
            for way in [Locate::Linear, Locate::Quadratic] {
                let expected = &known["runs"][format!("{step}/{}", way.name())];
                let last = number(&list(expected).last().unwrap()["t"]);
                let (table, config) = located(stand(path, rows).case(name), 0.05, last + 0.1, way);
                let what = format!("{name} {step} {}", way.name());
                ticks_bounce(&what, &run(table, config), expected);
                n += list(expected).len();
            }
        }
    }
    assert_eq!(n, 4 * 8 * 8);
}

/// Without location a formula still says how long ticks are.
#[test]
fn the_stand_in_variable_ticks_without_location() {
    for (name, known) in entries(&known("stand")["cases"]) {
        let table = late("variable_step").case(name);
        let expected = &known["runs"]["euler/variable_dt/none"];
        let last = number(&list(expected).last().unwrap()["t"]);
        // Rows between all ticks, which have at least 2 ms.
        let (table, config) = located(table, 0.001, last + 0.1, Locate::None);
        ticks_bounce(name, &run(table, config), expected);
    }
}

/// Crossings of a line and of a parabola, for many steps and borders.
#[test]
fn a_line_and_a_parabola_are_located_to_rounding() {
    let mut cut = 0;
    for case in 1..200_u32 {
        let number = |factor: f64| (f64::from(case) * factor).fract();
        let (slope, border, step) = (
            0.3 + number(0.618),
            0.05 + number(0.377),
            0.01 + 0.1 * number(0.831),
        );
        let text = format!(
            r#"(format: 1, name: "line", clock: (step: 1, stop: 1),
            constants: {{"a": {slope}, "b": {border}, "h": {step}}},
            reals: {{"x": 0, "v": 0, "y": 0, "t_x": -1, "t_y": -1}},
            ranges: ["there: x > b", "up: y >= b"],
            situations: ["event arrives: there", "event rises: up"],
            relations: [
                "t_x := time when arrives", "t_y := time when rises",
                "x = integral(a)", "y = integral(v + a * h / 2)", "v = integral(a)",
            ])"#
        );
        let way = Locate::Quadratic;
        let (table, config) = located(Table::from_text(&text), step, 3.5, way);
        let n_full = config.stop() / step;
        let (table, trace) = run(table, config);
        let (t_x, t_y) = (end(&table, &trace, "t_x"), end(&table, &trace, "t_y"));
        let (x, y) = (border / slope, (2.0 * border / slope).sqrt());
        assert!((t_x - x).abs() < 1e-14 * x.max(1.0), "{case}: {t_x} {x}");
        // A first tick is straight: it has no third point.
        if x.min(y) > step {
            assert!((t_y - y).abs() < 1e-13 * y.max(1.0), "{case}: {t_y} {y}");
        }
        cut += u32::from(trace.time.len() as f64 > n_full + 1.5);
    }
    assert!(cut > 150, "most crossings lie inside a tick: {cut}");
}

const RANGES: &str = r#"(format: 1, name: "several", clock: (step: 1, stop: 1),
    reals: {"x": 0, "z": 0.8, "n": 0, "t1": 0, "t2": 0, "t3": 0, "t4": 0, "both": 0},
    ranges: ["r1: x > 0.3", "r2: z < 0.4", "r3: x >= 0.4", "r4: x > 5.25 & x < 5.5"],
    situations: ["event e1: r1", "event e2: r2", "event e3: r3", "event e4: r4"],
    relations: [
        "t1 := time when e1", "t2 := time when e2", "t3 := time when e3", "t4 := time when e4",
        "both := both + 1 when e2 & e3",
        "n = counter(r1)",
        "x = integral(1)", "z = integral(-1)",
    ])"#;

#[test]
fn ranges_that_turn_in_one_tick_are_taken_one_after_the_other() {
    for way in [Locate::Linear, Locate::Quadratic] {
        let (table, config) = located(Table::from_text(RANGES), 1.0, 9.0, way);
        let (table, trace) = run(table, config);
        for (name, time) in [("t1", 0.3), ("t2", 0.4), ("t3", 0.4), ("t4", 5.25)] {
            let found = end(&table, &trace, name);
            assert!((found - time).abs() < 1e-14, "{name}: {found}");
        }
        assert_eq!(end(&table, &trace, "both"), 1.0, "two at the same time");
        assert_eq!(end(&table, &trace, "n"), 1.0);
        // After 0.3 and 0.4 whole ticks, then 5.25 and 5.5.
        let near = |time: f64| trace.time.iter().any(|t| (t - time).abs() < 1e-13);
        let times = [0.3, 0.4, 1.4, 4.4, 5.25, 5.5, 6.5];
        assert!(times.into_iter().all(near), "{:?}", trace.time);
    }
}

/// Procedures with a memory keep time in ticks that are cut short.
#[test]
fn memories_keep_time() {
    let text = r#"(format: 1, name: "memories", clock: (step: 1, stop: 1),
        reals: {"x": 0, "late": 0, "T": 0, "n": 0, "beats": 0, "s": 0, "d": 0, "sum": 0, "begin": 0},
        ranges: ["up: x > 0.337", "more: x > 1.043"],
        situations: ["event beat: every(0.25)"],
        relations: [
            "x = integral(1)",
            "late = delay(x, 0.3)",
            "T = timer(up)",
            "n = counter(more)",
            "beats := beats + 1 when beat",
            "s = smoothing(1, 0.5)",
            "d = derivative(x)",
            "sum = integral(d)",
            "begin = 1 * time",
        ])"#;
    for integral in [IntegralRule::Rectangle, IntegralRule::Trapezoid] {
        for way in [Locate::None, Locate::Linear, Locate::Quadratic] {
            let (mut table, mut config) = located(Table::from_text(text), 0.1, 2.0, way);
            if way == Locate::None {
                // Ticks between 0.03 and 0.1.
                let formula = table.expr("0.03 + 0.07 * abs(cos(1000 * x))");
                config.step_formula = Some(formula);
            }
            config.options.integral = integral;
            let (table, trace) = run(table, config);
            let column = |name: &str| column(&table.model, &trace, name).unwrap();
            let (time, near) = (&trace.time, |a: f64, b: f64| (a - b).abs() < 1e-12);
            let [x, late, timer, n, beats, s, d, sum, begin] =
                ["x", "late", "T", "n", "beats", "s", "d", "sum", "begin"].map(column);
            for row in 1..time.len() {
                let t = time[row];
                let what = format!("{integral:?} {} at {t}", way.name());
                assert!(near(x[row], t), "{what}: x {}", x[row]);
                let has_kink = way != Locate::None && (0.3..0.4).contains(&t);
                assert!(
                    has_kink || near(late[row], (t - 0.3).max(0.0)),
                    "{what}: {}",
                    late[row]
                );
                // Where a tick is cut short, an exponential is a line or a parabola.
                let off = (s[row] - (1.0 - (-2.0 * t).exp())).abs();
                let allowed = match way {
                    Locate::Linear => 0.1 * 0.1 / 8.0 * 4.0,
                    Locate::Quadratic if row > 4 => 1e-3,
                    Locate::Quadratic => 0.1 * 0.1 / 8.0 * 4.0,
                    _ => 1e-12,
                };
                assert!(off < allowed, "{what}: {off}");
                assert!(near(d[row], 1.0), "{what}: {}", d[row]);
                let n_beats = ((begin[row] + 1e-9) / 0.25).floor();
                assert_eq!(beats[row], n_beats, "{what}");
                // The trapezoid of a rate that jumps at the start from 0 to 1.
                let lag = if integral == IntegralRule::Trapezoid {
                    0.5 * time[1]
                } else {
                    0.0
                };
                assert!(near(sum[row], t - lag), "{what}: {}", sum[row]);
                if way != Locate::None {
                    assert!(near(timer[row], (t - 0.337).max(0.0)), "{what}: T");
                    assert_eq!(n[row], f64::from(t > 1.0431), "{what}");
                }
            }
            if way != Locate::None {
                for place in [0.25, 0.337, 0.5, 1.043, 1.25, 1.75] {
                    assert!(time.iter().any(|t| near(*t, place)), "{place}: {time:?}");
                }
            }
        }
    }
}

/// Reals as bits.
fn bits(simulation: &TickRun) -> Vec<u64> {
    let row = simulation.row();
    let reals = row.reals.iter().map(|value| value.to_bits());
    reals.chain([row.time.to_bits(), row.tick]).collect()
}

/// Every table of the scenarios with location, or with a formula for the step.
fn runs() -> Vec<(Table, TickConfig)> {
    let tables = scenario_folders();
    let tables = tables.iter().flat_map(|folder| files(folder, "ron"));
    tables
        .flat_map(|path| {
            let table = Table::at(path);
            [Locate::Linear, Locate::Quadratic, Locate::None].map(|way| {
                let mut table = table.clone();
                let formula: Option<ExprId> =
                    (way != Locate::Linear).then(|| table.expr("0.001 * (1.5 + cos(777 * time))"));
                let (table, mut config) = located(table, 1e-3, 2.0, way);
                config.step_formula = formula;
                (table, config)
            })
        })
        .collect()
}

#[test]
fn stopping_and_going_back_leave_no_trace() {
    let mut n_cut = 0;
    for (table, config) in runs() {
        let what = format!("{} {}", table.model.name, config.locate.name());
        let new = || TickRun::new(table.model.clone(), config.clone()).unwrap();
        let (mut whole, mut pieces, mut timed) = (new(), new(), new());
        if whole.advance(900).is_err() {
            continue;
        }
        n_cut += u32::from((whole.time() - 0.9).abs() > 1e-6);
        let (state, carried) = (whole.state().clone(), whole.carried());
        if whole.advance(600).is_err() {
            continue;
        }
        for piece in [1, 899, 37, 563] {
            pieces.advance(piece).unwrap();
        }
        assert_eq!(bits(&pieces), bits(&whole), "{what}: in pieces");
        for part in 1..40_u32 {
            timed.run_to(f64::from(part) * 0.0173, &mut ()).unwrap();
            assert!(timed.time() <= f64::from(part) * 0.0173 + 1e-9, "{what}");
        }
        timed.advance(1500 - timed.tick()).unwrap();
        assert_eq!(bits(&timed), bits(&whole), "{what}: stopped in between");
        assert_eq!(timed.state(), whole.state(), "{what}");
        pieces.restore(&state);
        pieces.advance(600).unwrap();
        assert_eq!(bits(&pieces), bits(&whole), "{what}: gone back");
        let text = serde_json::to_string(&state).unwrap();
        let mut other = new();
        other.restore(&serde_json::from_str(&text).unwrap());
        other.advance(600).unwrap();
        assert_eq!(bits(&other), bits(&whole), "{what}: through a file");
        let mut resumed = TickRun::resume(table.model.clone(), config.clone(), &carried).unwrap();
        assert_eq!(resumed.carried(), carried, "{what}");
        resumed.advance(600).unwrap();
        assert_eq!(bits(&resumed), bits(&whole), "{what}: carried over");
    }
    assert!(n_cut > 40, "{n_cut}");
}

/// Location changes nothing if no range turns.
#[test]
fn a_run_in_which_nothing_turns_is_that_without_location() {
    let text = r#"(format: 1, name: "calm", clock: (step: 0.001, stop: 3),
        reals: {"x": 1, "v": 0, "late": 1, "T": 0, "d": 0, "s": 0},
        ranges: ["far: x > 2", "near: x < 3"],
        relations: [
            "v = integral(-9 * x)", "x = integral(v)", "late = delay(x, 0.05)", "T = timer(near)",
            "d = derivative(late)", "s = smoothing(d, 0.2)",
        ])"#;
    let plain = located(Table::from_text(text), 1e-3, 3.0, Locate::None);
    let plain = run(plain.0, plain.1).1;
    for way in [Locate::Linear, Locate::Quadratic] {
        let other = located(Table::from_text(text), 1e-3, 3.0, way);
        assert_eq!(run(other.0, other.1).1, plain);
    }
}

/// Coverage counts the time of cut ticks as it is.
#[test]
fn coverage_adds_up_to_the_time() {
    let (table, config) = located(Table::at("stand/table.ron"), 0.05, 3.5, Locate::Linear);
    let mut simulation = TickRun::new(table.model, config).unwrap();
    simulation.run(&mut ()).unwrap();
    let covered = simulation.covered();
    let sum: f64 = covered.visits.iter().map(|visit| visit.time).sum();
    assert!((sum - simulation.time()).abs() < 1e-12, "{sum}");
    assert_eq!(covered.fired, [3]);
}

#[test]
fn a_margin_marked_noevent_is_not_located() {
    let text = |mark: &str| {
        format!(
            r#"(format: 1, name: "marked", clock: (step: 1, stop: 1), reals: {{"x": 0, "t": 0}},
            ranges: [(name: "up", all: [("x", ">", "0.5")]{mark})], situations: ["event e: up"],
            relations: ["t := time when e", "x = integral(1)"])"#
        )
    };
    for (mark, expected) in [("", 0.5), (", mark: noevent", 1.0)] {
        let (table, config) = located(Table::from_text(&text(mark)), 1.0, 3.0, Locate::Linear);
        let (table, trace) = run(table, config);
        let found = end(&table, &trace, "t");
        assert!((found - expected).abs() < 1e-14, "{mark}: {found}");
    }
}

#[test]
fn ways_without_a_meaning_are_refused() {
    for way in [Locate::Root, Locate::OneSided] {
        let clock = Clock {
            step: Some(0.1),
            stop: Some(1.0),
            locate: Some(way),
            ..Clock::default()
        };
        let error = TickConfig::from_clock(&clock).unwrap_err();
        assert_eq!(error, ConfigError::NotInTicks(way));
        assert!(error.to_string().contains("`linear`"), "{error}");
    }
}

#[test]
fn a_formula_that_gives_no_step_ends_the_run() {
    let text = r#"(format: 1, name: "stuck", clock: (step: 0.1, stop: 3, step_formula: "1 - x"),
        reals: {"x": 0}, relations: ["x = integral(1)"])"#;
    let table = Table::from_text(text);
    let config = TickConfig::from_clock(&table.model.clock).unwrap();
    let mut simulation = TickRun::new(table.model, config).unwrap();
    let fault = simulation.run(&mut ()).unwrap_err();
    assert!(matches!(fault, RunFault::Step { .. }), "{fault}");
    assert_eq!(simulation.time(), 1.0, "a step of 1, then one of 0");
}

/// Cuts without end in the time of one tick are a fault.
#[test]
fn crossings_that_gather_end_the_run() {
    let text = r#"(format: 1, name: "saw", clock: (step: 1, stop: 3),
        reals: {"x": -0.00001}, ranges: ["up: x > 0", "half: x > -0.000005"], situations: ["event e: up"],
        relations: ["x := -0.00001 when e", "x = integral(1)"])"#;
    let (table, config) = located(Table::from_text(text), 1.0, 3.0, Locate::Linear);
    let mut simulation = TickRun::new(table.model, config).unwrap();
    let fault = simulation.run(&mut ()).unwrap_err();
    let RunFault::Endless { time, situations } = &fault else {
        panic!("{fault}");
    };
    assert_eq!(situations.len(), 1);
    assert!((0.04..0.06).contains(time), "{time}");
}

/// A tick that ends where a range turns is followed by one in which it has turned, whatever the comparison says of
/// equal times.
#[test]
fn a_comparison_with_the_time_holds_from_where_it_is_located() {
    for way in [Locate::Linear, Locate::Quadratic] {
        for (range, turned) in [
            ("time > 0.33", 1.0),
            ("time >= 0.33", 1.0),
            ("0.33 < time", 1.0),
            ("time < 0.33", -1.0),
            ("time <= 0.33", -1.0),
            ("time > 0.3", 1.0),
        ] {
            let text = format!(
                r#"(format: 1, clock: (step: 0.1, stop: 0.6), reals: {{"y": 0, "z": 0}}, ranges: ["r: {range}"],
                relations: ["y = integral(1) when r", "z = integral(1)"])"#
            );
            let (table, config) = located(Table::from_text(&text), 0.1, 0.6, way);
            let (table, trace) = run(table, config);
            let at = range.split(' ').find_map(|word| word.parse::<f64>().ok());
            let last = trace.time.last().unwrap();
            let expected = if turned > 0.0 {
                last - at.unwrap()
            } else {
                at.unwrap()
            };
            let found = end(&table, &trace, "y");
            assert!(
                (found - expected).abs() < 1e-12,
                "{way:?} {range}: {found} {expected}"
            );
        }
    }
}

/// A row that fails is named, also in a tick of another length.
#[test]
fn a_row_that_fails_is_named() {
    let text = r#"(format: 1, name: "root", clock: (step: 0.3, stop: 3),
        reals: {"x": 1, "y": 1}, ranges: ["low: x < 0.5"],
        relations: ["x = integral(-1)", "y = sqrt(x)"])"#;
    let (table, config) = located(Table::from_text(text), 0.3, 3.0, Locate::Linear);
    let mut simulation = TickRun::new(table.model, config).unwrap();
    let fault = simulation.run(&mut ()).unwrap_err();
    let RunFault::NotFinite { tick, reals, .. } = &fault else {
        panic!("{fault}");
    };
    // 0.7, 0.5, 0.2, then -0.1.
    assert_eq!((*tick, simulation.tick()), (Some(4), 3));
    assert!((reals[0].1 + 0.1).abs() < 1e-12, "{fault:?}");
    assert!((simulation.time() - 0.8).abs() < 1e-12);
}

/// Each tick has a row, however short a formula makes it, unless `every` says how far apart rows are.
#[test]
fn ticks_by_a_formula_have_a_row_each() {
    let times = |clock: &str| {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.1, stop: 0.3, step_formula: "0.025"{clock}), reals: {{"x": 0}},
            relations: ["x = integral(1)"])"#
        ));
        table.into_run().trace().time.len()
    };
    assert_eq!(times(""), 13);
    assert_eq!(times(", every: 0.1"), 4);
}

/// The end is the first tick that reaches the stop, which need not be a multiple of `step`.
#[test]
fn ticks_by_a_formula_end_at_the_stop() {
    let end = |formula: &str| {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.1, stop: 0.94, step_formula: "{formula}"), reals: {{"x": 0}},
            relations: ["x = integral(1)"])"#
        ));
        *table.into_run().trace().time.last().unwrap()
    };
    assert!((end("0.02") - 0.94).abs() < 1e-12);
    assert!((end("0.03") - 0.96).abs() < 1e-12);
}

#[test]
fn a_formula_without_a_length_and_a_negative_time_constant_are_told() {
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1, step_formula: "0.5 - time"), reals: {"x": 0},
        relations: ["x = integral(1)"])"#;
    let run = Table::from_text(text).into_run();
    let fault = run.simulation().run(&mut ()).unwrap_err();
    assert!(matches!(
        fault,
        RunFault::Step { error: StepError::NoRoom { t, until }, .. } if t == 0.5 && until == 0.5
    ));
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"T": -1}, reals: {"x": 0, "y": 0},
        relations: ["x = integral(1)", "y = smoothing(x, T)"])"#;
    let run = Table::from_text(text).into_run();
    let refused = TickRun::new(run.table.model, run.config).unwrap_err();
    assert!(matches!(
        refused,
        SetupError::BadInterval {
            what: "smoothing",
            ..
        }
    ));
    // With the time constant 0 a tick has the value at once; in exact time there is no rate.
    let text = text.replace("-1}", "0}");
    let run = Table::from_text(&text).into_run();
    assert!(TickRun::new(run.table.model.clone(), run.config).is_ok());
    let clock = Clock {
        stepping: Some(Stepping::Events),
        ..run.table.model.clock.clone()
    };
    let config = RunConfig::from_clock(&clock).unwrap();
    let refused = Run::new(run.table.model, config, &[]).unwrap_err();
    assert!(matches!(
        refused,
        SetupError::BadInterval {
            what: "smoothing",
            value: 0.0,
            ..
        }
    ));
}
