//! Measures and expectations where a run, or what is measured, begins or ends.

use situ_engine::Method;
use situ_engine::model::{Clock, Stepping};
use situ_engine::sim::{EndReason, EventConfig, EventRun, Run, RunConfig};
use situ_engine::trace::{Gap, Measure};
use situ_rules::{load, standalone};

use crate::tables::Table;

const METHODS: [Method; 6] = [
    Method::Auto,
    Method::Rk4,
    Method::Tsit5,
    Method::Rodas5p,
    Method::Bdf,
    Method::Taylor,
];

const RISES: &str = r#"(format: 1, clock: (stepping: events, stop: 2), reals: {"x": 0}, relations: ["x = integral(1)"])"#;

fn clock(method: Method) -> Clock {
    Clock {
        stepping: Some(Stepping::Events),
        stop: Some(2.0),
        method: Some(method),
        step: Some(0.1),
        ..Clock::default()
    }
}

/// What stops a run has happened: a measure of the same condition sees it.
#[test]
fn a_condition_that_stops_a_run_is_counted() {
    for method in METHODS {
        for (text, known) in [
            ("x ^ 2 > 0.5", 0.5_f64.sqrt()),
            ("x ^ 2 >= 0.5", 0.5_f64.sqrt()),
            ("sin(3 * x) > 0.5", std::f64::consts::PI / 18.0),
            ("x > 0.5", 0.5),
        ] {
            let mut table = Table::from_text(RISES);
            table.model.clock.stop_when = Some(table.watch(text));
            let wanted = [
                Measure::Count(table.watch(text)),
                Measure::First(table.watch(text)),
                Measure::Duration(table.watch(text)),
            ];
            let config = EventConfig::from_clock(&clock(method)).unwrap();
            let mut run = EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
            assert_eq!(run.run(&mut ()).unwrap(), EndReason::Condition);
            let found = run.measured();
            assert_eq!(found[0], Some(1.0), "{method:?} {text}");
            assert!(
                (found[1].unwrap() - known).abs() < 1e-9,
                "{method:?} {text}: {found:?}"
            );
            assert_eq!(found[2], Some(0.0), "{method:?} {text}");
        }
    }
}

/// Where a run stops on a border, comparisons are those of the numbers; where it goes on, of what follows.
#[test]
fn at_the_stop_numbers_are_compared() {
    for method in METHODS {
        // In the steps of a fixed length `x` is 1 up to rounding errors only.
        let quantities = ["time", "x"];
        let exact = usize::from(method != Method::Rk4);
        for quantity in &quantities[..=exact] {
            for (op, at_stop, behind) in [(">", 0.0, 1.0), (">=", 1.0, 1.0)] {
                let mut table = Table::from_text(RISES);
                let watch = table.watch(&format!("{quantity} {op} 1"));
                let wanted = [Measure::Count(watch.clone()), Measure::Duration(watch)];
                let config = EventConfig::from_clock(&clock(method)).unwrap();
                let mut run =
                    EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
                run.run_to(1.0, &mut ()).unwrap();
                let [count, duration] = [0, 1].map(|at| run.measured()[at].unwrap());
                assert_eq!(count, at_stop, "{method:?} {quantity} {op}");
                assert!(duration.abs() < 1e-12, "{method:?} {quantity} {op}");
                run.run_to(2.0, &mut ()).unwrap();
                let [count, duration] = [0, 1].map(|at| run.measured()[at].unwrap());
                assert_eq!(count, behind, "{method:?} {quantity} {op}");
                assert!(
                    (duration - 1.0).abs() < 1e-9,
                    "{method:?} {quantity} {op}: {duration}"
                );
            }
        }
    }
}

/// The same where something is due at the stop, and where a range of the table has the border.
#[test]
fn at_a_stop_where_something_is_due_numbers_are_compared() {
    let beat = r#"situations: ["event beat: every(1)"], "#;
    let range = r#"ranges: ["late: time > 1"], "#;
    let event = r#"situations: ["event later: time >= 1"], "#;
    let both = format!("{range}{beat}");
    for (method, rows, quantity) in METHODS
        .into_iter()
        .flat_map(|method| [beat, range, event, &both].map(|rows| (method, rows)))
        .flat_map(|(method, rows)| ["time", "x"].map(|quantity| (method, rows, quantity)))
    {
        for (op, at_stop) in [(">", None), (">=", Some(1.0))] {
            let mut table =
                Table::from_text(&RISES.replace("relations:", &format!("{rows}relations:")));
            let watch = table.watch(&format!("{quantity} {op} 1"));
            let wanted = [
                Measure::First(watch.clone()),
                Measure::Count(watch.clone()),
                Measure::Duration(watch),
            ];
            let config = EventConfig::from_clock(&clock(method)).unwrap();
            let mut run = EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
            run.run_to(1.0, &mut ()).unwrap();
            // Some methods come to 1 up to rounding errors only.
            let x = run.row().reals[0];
            let at_stop = match (quantity, op) {
                ("x", ">") => (x > 1.0).then_some(1.0),
                ("x", _) => (x >= 1.0).then_some(1.0),
                _ => at_stop,
            };
            let place = format!("{method:?} {rows} {quantity} {op}");
            let [first, count, duration] = [0, 1, 2].map(|at| run.measured()[at]);
            assert_eq!(first.is_some(), at_stop.is_some(), "{place}: {first:?}");
            assert_eq!(count, Some(at_stop.map_or(0.0, |_| 1.0)), "{place}");
            let near = |found: f64, known: f64| (found - known).abs() < 1e-12;
            assert!(
                first.is_none_or(|first| near(first, 1.0)),
                "{place}: {first:?}"
            );
            assert!(near(duration.unwrap(), 0.0), "{place}: {duration:?}");
            run.run_to(2.0, &mut ()).unwrap();
            for found in run.measured() {
                assert!(near(found.unwrap(), 1.0), "{place}: {found:?}");
            }
        }
    }
}

/// What is crossed where a run stops is counted there, or by the run that goes on from it.
#[test]
fn a_crossing_at_the_stop_is_counted_once() {
    let rows = [
        "",
        r#"situations: ["event beat: every(1)"], "#,
        r#"ranges: ["late: time > 1"], "#,
        r#"situations: ["event later: x >= 1"], "#,
    ];
    for (method, rows) in METHODS
        .into_iter()
        .flat_map(|method| rows.map(|rows| (method, rows)))
    {
        for (op, counts) in [(">", [0.0, 1.0]), (">=", [1.0, 0.0])] {
            let mut table =
                Table::from_text(&RISES.replace("relations:", &format!("{rows}relations:")));
            let watch = table.watch(&format!("x {op} 1"));
            let wanted = [
                Measure::Count(watch.clone()),
                Measure::First(watch.clone()),
                Measure::Duration(watch),
            ];
            let config = EventConfig::from_clock(&clock(method)).unwrap();
            let prepared =
                || EventRun::with_measures(table.model.clone(), config.clone(), &wanted).unwrap();
            let [mut part, mut rest] = [prepared(), prepared()];
            part.run_to(1.0, &mut ()).unwrap();
            rest.load(&part.saved()).unwrap();
            rest.run_to(2.0, &mut ()).unwrap();
            let found = [&part, &rest].map(|run| run.measured()[0].unwrap());
            let place = format!("{method:?} {rows} {op}: {found:?}");
            assert_eq!(found[0] + found[1], 1.0, "{place}");
            // Other methods come to 1 up to rounding errors only.
            if method == Method::Auto {
                assert_eq!(found, counts, "{place}");
            }
            for (run, known) in [(&part, 0.0), (&rest, 1.0)] {
                let [first, duration] = [1, 2].map(|at| run.measured()[at]);
                assert_eq!(first.is_some(), known == 1.0 || found[0] == 1.0, "{place}");
                let off = (first.unwrap_or(1.0) - 1.0).abs();
                let off = off.max((duration.unwrap() - known).abs());
                assert!(off < 1e-12, "{place}: {first:?} {duration:?}");
            }
        }
    }
}

/// What rounding puts behind the stop is measured at the stop.
#[test]
fn no_time_lies_behind_the_stop() {
    for method in METHODS {
        for slope in [0.3, 0.7, 1.1, 2.9] {
            let text = format!(
                r#"(format: 1, clock: (stepping: events, stop: 2), constants: {{"c": {slope}}}, reals: {{"x": 0}},
                ranges: ["high: x >= 2 * c"], relations: ["x = integral(c)"])"#
            );
            let mut table = Table::from_text(&text);
            let high = table.watch("high");
            let wanted = [Measure::First(high.clone()), Measure::Duration(high)];
            let config = EventConfig::from_clock(&clock(method)).unwrap();
            let mut run = EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
            run.run(&mut ()).unwrap();
            let [first, duration] = [0, 1].map(|at| run.measured()[at]);
            assert!(
                first.is_none_or(|first| first <= 2.0),
                "{method:?} {slope}: {first:?}"
            );
            assert!(
                duration.is_some_and(|held| (0.0..1e-12).contains(&held)),
                "{method:?} {slope}: {duration:?}"
            );
        }
    }
}

/// Where an extreme is taken of what has no value for some time, it is told from when until when.
#[test]
fn gaps_of_extremes_are_told() {
    let ticks = Clock {
        step: Some(0.01),
        stop: Some(2.0),
        ..Clock::default()
    };
    for clock in METHODS.map(clock).into_iter().chain([ticks]) {
        for (text, gap) in [
            ("sqrt(x - 0.5)", Some((0.0, 0.5, 1))),
            ("sqrt(1.5 - x)", Some((1.5, 2.0, 1))),
            ("ln(abs(x - 1) - 0.25)", Some((0.75, 1.25, 1))),
            ("sqrt(cos(2 * pi * x))", Some((0.25, 1.75, 2))),
            ("sqrt(max(x - 0.5, 0))", None),
            ("x ^ 2", None),
        ] {
            let mut table = Table::from_text(RISES);
            let value = table.expr(text);
            let wanted = [
                Measure::Min(value),
                Measure::Max(value),
                Measure::Final(value),
            ];
            let config = RunConfig::from_clock(&clock).unwrap();
            let mut run = Run::new(table.model.clone(), config, &wanted).unwrap();
            run.run(&mut ()).unwrap();
            let [min, max, last] = [0, 1, 2].map(|at| run.gaps()[at]);
            assert_eq!((min, last), (max, None), "{:?} {text}", clock.method);
            let near = match (min, gap) {
                (Some(Gap { from, until, spans }), Some((begin, end, n))) => {
                    spans == n && (from - begin).abs() < 0.011 && (until - end).abs() < 0.011
                }
                (found, gap) => found.is_none() && gap.is_none(),
            };
            assert!(near, "{:?} {text}: {min:?}", clock.method);
        }
    }
}

/// Whether expectations are met, and the first time at which they are not.
fn judged(expect: &str, clock: &Clock) -> (bool, Option<f64>) {
    let text = RISES.replace("clock:", &format!("expect: [\"{expect}\"], clock:"));
    let loaded = load("rises.ron", &text, &mut standalone);
    let model = loaded.model.unwrap();
    let measures = loaded.expectations[0].measures();
    let config = RunConfig::from_clock(clock).unwrap();
    let mut run = Run::new(model.clone(), config, &measures).unwrap();
    run.run(&mut ()).unwrap();
    let start = model.start_values().unwrap();
    let outcome = loaded.expectations[0].judge(&model, &start, &run.measured());
    (outcome.met, outcome.found)
}

/// What has no value does not hold, and what ends with the run has held throughout.
#[test]
fn expectations_hold_throughout() {
    let ticks = Clock {
        step: Some(0.01),
        stop: Some(2.0),
        ..Clock::default()
    };
    let clocks = METHODS.map(clock).into_iter().chain([ticks]);
    for clock in clocks {
        for (text, first) in [
            ("sqrt(x - 1) <= 5", Some(0.0)),
            ("sqrt(1.5 - x) <= 5", Some(1.5)),
            ("ln(2.5 - x) < 3", None),
            ("acos(x) >= 0 & x >= 0", Some(1.0)),
            ("x ^ 2 < 9", None),
            ("time <= 2", None),
            ("time < 2", Some(2.0)),
            ("x <= 2.0001", None),
        ] {
            let (met, found) = judged(text, &clock);
            assert_eq!(met, first.is_none(), "{:?} {text}", clock.method);
            let near = match (found, first) {
                (Some(found), Some(first)) => (found - first).abs() < 0.011,
                (found, first) => found == first,
            };
            assert!(near, "{:?} {text}: {found:?}", clock.method);
        }
    }
}

/// The least and largest values of functions that begin or end on the way.
#[test]
fn extremes_lie_where_values_begin_or_end() {
    for method in METHODS {
        for (text, least, largest) in [
            ("sqrt(x - 0.5)", 0.0, 1.5_f64.sqrt()),
            ("sqrt(1.3 - x)", 0.0, 1.3_f64.sqrt()),
            ("acos(x - 1.7)", 0.3_f64.acos(), std::f64::consts::PI),
            ("sqrt(0.0001 - (x - 1.234)^2)", 0.0, 0.01),
            ("sqrt(sqrt(x) - 1)", 0.0, (2.0_f64.sqrt() - 1.0).sqrt()),
            ("x", 0.0, 2.0),
        ] {
            let mut table = Table::from_text(RISES);
            let value = table.expr(text);
            let wanted = [Measure::Min(value), Measure::Max(value)];
            let config = EventConfig::from_clock(&clock(method)).unwrap();
            let mut run = EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
            run.run(&mut ()).unwrap();
            let [min, max] = [0, 1].map(|at| run.measured()[at].unwrap());
            assert!((min - least).abs() < 1e-6, "{method:?} {text}: {min}");
            assert!((max - largest).abs() < 1e-6, "{method:?} {text}: {max}");
        }
    }
}

/// Functions of many periods, in steps as long as the run: the motion is a line. Extremes, counts, durations and first times
/// are those of all periods; one that never comes to its height again is seen as well.
#[test]
fn no_period_of_a_long_step_is_passed_over() {
    for method in METHODS {
        for stop in [9.0, 105.0, 1000.0] {
            let mut table = Table::from_text(RISES);
            let [wave, once] =
                ["2 + sin(x)", "exp(-(x - 7)^2) + 0.1 * sin(3 * x)"].map(|text| table.expr(text));
            let high = table.watch("sin(5 * x) > 0.99");
            let late = table.watch(&format!("sin(5 * x) > 0.9 & time > {}", stop - 3.0));
            let wanted = [
                Measure::Min(wave),
                Measure::Max(wave),
                Measure::Max(once),
                Measure::Count(high.clone()),
                Measure::Duration(high),
                Measure::First(late),
            ];
            let clock = Clock {
                stop: Some(stop),
                ..clock(method)
            };
            let config = EventConfig::from_clock(&clock).unwrap();
            let mut run = EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
            run.run(&mut ()).unwrap();
            // By hand: where sin(5 x) comes above 0.99 and leaves it, and the highest place of the bell, by Newton's method.
            let (first, period) = (0.99_f64.asin() / 5.0, std::f64::consts::TAU / 5.0);
            let width = std::f64::consts::PI / 5.0 - 2.0 * first;
            let count = ((stop - first) / period).floor() + 1.0;
            let last = first + (count - 1.0) * period;
            let duration = (count - 1.0) * width + width.min(stop - last);
            let mut bell = 7.0_f64;
            for _ in 0..50 {
                let away = bell - 7.0;
                let e = (-away * away).exp();
                let slope = -2.0 * away * e + 0.3 * (3.0 * bell).cos();
                bell -= slope / ((4.0 * away * away - 2.0) * e - 0.9 * (3.0 * bell).sin());
            }
            let height = (-(bell - 7.0) * (bell - 7.0)).exp() + 0.1 * (3.0 * bell).sin();
            let rises = 0.9_f64.asin() / 5.0;
            let before = ((stop - 3.0 - rises) / period).floor();
            let begun = rises + before * period;
            let lasts = std::f64::consts::PI / 5.0 - 2.0 * rises;
            let late = if begun + lasts > stop - 3.0 {
                stop - 3.0
            } else {
                begun + period
            };
            for (found, known) in run
                .measured()
                .into_iter()
                .zip([1.0, 3.0, height, count, duration, late])
            {
                let found = found.unwrap_or(f64::NAN);
                assert!(
                    (found - known).abs() < 1e-6 * known.max(1.0),
                    "{method:?} {stop}: {found}, not {known}"
                );
            }
        }
    }
}
