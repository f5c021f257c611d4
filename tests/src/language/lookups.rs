//! Lookups: their values beside those of another implementation, in every way of running them.

use std::sync::Arc;

use serde_json::Value;
use situ_engine::procedure::lookup::{Interpolation, Kind, Outside, Points};
use situ_engine::sim::{Run, RunConfig, RunFault, TickConfig, TickRun};
use situ_engine::trace::{Measure, TraceRecorder};
use situ_jit::{Jit, Options};
use situ_rules::{DataFile, Loader, TableText, load};

use crate::cli::Folder;
use crate::tables::{Table, root};

const FOLDER: &str = "tests/data/lookups";

fn known(name: &str) -> Value {
    let path = root().join(FOLDER).join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect()
}

/// A table that reads the motor's torque by a kind of interpolation.
fn motor(kind: &str, rows: &str) -> Table {
    let text = format!(
        r#"(format: 1, clock: (step: 1e-3, stop: 10),
            lookups: {{"torque": (file: "../../../scenarios/loader/motor.csv", x: "t", y: "torque", kind: "{kind}")}},
            reals: {{"at": 0, "M": 0}},
            relations: [{rows}])"#
    );
    Table::in_folder(FOLDER, &text)
}

#[test]
fn each_kind_has_the_values_of_another_implementation() {
    let known = known("motor_torque.json");
    let arguments = numbers(&known["argument"]);
    let kinds = [
        ("linear", "linear", 1e-14),
        ("previous", "previous", 1e-14),
        ("nearest", "nearest", 1e-14),
        ("cubic", "cubic_not_a_knot", 1e-12),
        ("pchip", "pchip", 1e-12),
    ];
    for (kind, column, tolerance) in kinds {
        let table = motor(kind, r#""M = torque(at)""#);
        let lookup = &table.model.lookups[0].interpolation;
        let values = numbers(&known["values"][column]);
        for (&argument, value) in arguments.iter().zip(values) {
            let found = lookup.value(&[argument]);
            let error = (found - value).abs();
            assert!(
                error <= tolerance * value.abs().max(1.0),
                "{kind} {argument}: {found} {value}"
            );
        }
    }
}

#[test]
fn maps_are_linear_in_each_argument() {
    let known = known("map_2d.json");
    let matrix = r#"(format: 1, lookups: {"map": (file: "map_2d.csv", z: "A1:AF42")},
        reals: {"z": 0}, relations: ["z = map(1, 1)"])"#;
    let regions = r#"(format: 1, lookups: {"map": (file: "map_2d.csv", x: "A2:A42", y: "B1:AF1", z: "B2:AF42")},
        reals: {"z": 0}, relations: ["z = map(1, 1)"])"#;
    for text in [matrix, regions] {
        let table = Table::in_folder(FOLDER, text);
        let lookup = &table.model.lookups[0].interpolation;
        let arguments = known["arguments"].as_array().unwrap();
        for (arguments, value) in arguments.iter().zip(numbers(&known["bilinear"])) {
            let found = lookup.value(&numbers(arguments));
            assert!(
                (found - value).abs() <= 1e-13 * value.abs().max(0.1),
                "{found} {value}"
            );
        }
    }
    let long = r#"(format: 1, lookups: {"map": (x: [1, 0, 1, 0], y: [0, 0, 2, 2], z: [3, 1, 7, 2])},
        reals: {"z": 0}, relations: ["z = map(1, 1)"])"#;
    let lookup = &Table::from_text(long).model.lookups[0].interpolation;
    assert_eq!(lookup.value(&[0.5, 1.0]), 3.25);
    assert_eq!(lookup.value(&[1.0, 2.0]), 7.0);
}

/// A loader whose only file holds this text.
struct File(&'static str);

impl Loader for File {
    fn load(&mut self, path: &str, _: &str) -> Result<TableText, String> {
        Err(format!("no table {path}"))
    }

    fn data(&mut self, path: &str, _: &str) -> Result<DataFile, String> {
        Ok(DataFile {
            name: path.to_owned(),
            bytes: self.0.as_bytes().to_vec(),
        })
    }
}

/// Arguments and values of a lookup over a text file.
fn points(file: &'static str, axes: &str) -> [Vec<f64>; 2] {
    let text = format!(
        r#"(format: 1, lookups: {{"f": (file: "f.csv", {axes})}}, reals: {{"a": 0}}, relations: ["a = f(1)"])"#
    );
    let table = Table::of(load("table.ron", &text, &mut File(file)));
    let points = table.model.lookups[0].interpolation.points();
    [points.axes()[0].to_vec(), points.values().to_vec()]
}

#[test]
fn rows_of_text_have_the_numbers_of_a_spreadsheet() {
    for (file, rows) in [
        ("x,y\n0,5\n1,6\n2,7\n", [2, 4]),
        ("x,y\r\n0,5\r\n1,6\r\n2,7\r\n", [2, 4]),
        ("x,y\r0,5\r1,6\r2,7", [2, 4]),
        ("\nx,y\n0,5\n1,6\n2,7\n", [3, 5]),
        ("\r\n\r\nx,y\r\n0,5\r\n1,6\r\n2,7\r\n", [4, 6]),
        ("\"x\nof a field\",y\n\n\n0,5\n1,6\n2,7\n", [4, 6]),
    ] {
        let [first, last] = rows;
        let region = format!(r#"x: "A{first}:A{last}", y: "B{first}:B{last}""#);
        let read = points(file, &region);
        assert_eq!(read, [[0.0, 1.0, 2.0], [5.0, 6.0, 7.0]], "{file:?}");
        if !file.contains('"') {
            assert_eq!(points(file, r#"x: "x", y: "y""#), read, "{file:?}");
        }
    }
}

/// A sheet that holds a chart is none of cells, and a column may have a number as its name.
#[test]
fn charts_and_years_of_a_workbook() {
    let text = r#"(format: 1, lookups: {"f": (file: "years.xlsx", x: "t", y: "2020")},
        reals: {"a": 0}, relations: ["a = f(1)"])"#;
    let table = Table::in_folder(FOLDER, text);
    let points = table.model.lookups[0].interpolation.points();
    assert_eq!(points.axes()[0], [0.0, 1.0, 2.0]);
    assert_eq!(points.values(), [5.0, 6.0, 8.0]);
}

fn curve(kind: Kind, outside: Outside) -> Interpolation {
    let points = Points::Curve {
        x: [1.0, 2.0, 4.0, 5.0].into(),
        y: [10.0, 30.0, 20.0, 10.0].into(),
    };
    Interpolation::new(points, kind, outside)
}

#[test]
fn outside_of_the_points_is_as_it_is_said() {
    let beyond = [0.0, 6.0];
    let values = |kind, outside| beyond.map(|x| curve(kind, outside).value(&[x]));
    for (_, kind) in Kind::NAMES {
        assert!(
            values(kind, Outside::Error)
                .iter()
                .all(|value| value.is_nan())
        );
        assert_eq!(values(kind, Outside::Hold), [10.0, 10.0], "{kind:?}");
        let inside = [4.0, 2.0].map(|x| curve(kind, Outside::Extend).value(&[x]));
        assert_eq!(values(kind, Outside::Periodic), inside, "{kind:?}");
        for x in [1.0, 5.0] {
            assert_eq!(
                curve(kind, Outside::Error).value(&[x]),
                10.0,
                "{kind:?} {x}"
            );
        }
    }
    assert_eq!(values(Kind::Linear, Outside::Extend), [-10.0, 0.0]);
    assert_eq!(values(Kind::Previous, Outside::Extend), [10.0, 10.0]);
    let cubic = curve(Kind::Cubic, Outside::Extend);
    // Through four points there is one cubic.
    let exact = |x: f64| {
        let [a, b, c, d] = [(1.0, 10.0), (2.0, 30.0), (4.0, 20.0), (5.0, 10.0)];
        let part = |p: (f64, f64), q: (f64, f64), r: (f64, f64), s: (f64, f64)| {
            let over = (p.0 - q.0) * (p.0 - r.0) * (p.0 - s.0);
            p.1 * (x - q.0) * (x - r.0) * (x - s.0) / over
        };
        part(a, b, c, d) + part(b, a, c, d) + part(c, a, b, d) + part(d, a, b, c)
    };
    for x in [0.0, 1.5, 3.0, 4.5, 6.0] {
        assert!((cubic.value(&[x]) - exact(x)).abs() < 1e-12, "{x}");
    }
}

/// Whatever watches a run may call a lookup that no row calls.
#[test]
fn measures_and_conditions_call_lookups() {
    let events = r#"(format: 1, clock: (stepping: events, stop: 4), reals: {"x": 0},
        lookups: {"f": (x: [0, 1, 2, 4], y: [0, 1, 0.5, 2]), "g": (x: [0, 1, 5], y: [1, 3, 2], kind: "previous"),
            "e": (x: [0, 1], y: [0, 1])},
        invariants: {"i": "f(x)"}, expect: ["max(f(x)) = 2 +- 1e-6", "f(x) >= 0"], relations: ["x = integral(1)"])"#;
    let ticks = events.replace("stepping: events", "step: 1e-3");
    for (text, tolerance) in [(events, 1e-9), (ticks.as_str(), 3e-3)] {
        let loaded = load("table.ron", text, &mut situ_rules::standalone);
        assert_eq!(loaded.expectations.len(), 2);
        let mut table = Table::of(loaded);
        let high = table.watch("f(x) > 0.75");
        let jumps = table.watch("g(x) > 1.5");
        let value = table.expr("f(x) + 1");
        let measures = [
            Measure::Max(value),
            Measure::At(value, 3.0),
            Measure::First(high.clone()),
            Measure::Duration(high),
            Measure::First(jumps),
        ];
        let config = RunConfig::from_clock(&table.model.clock).unwrap();
        let mut run = Run::new(table.model.clone(), config, &measures).unwrap();
        run.run(&mut ()).unwrap();
        let exact = [3.0, 2.25, 0.75, 0.75 + 5.0 / 3.0, 1.0];
        for ((found, exact), measure) in run.measured().iter().zip(exact).zip(&measures) {
            let found = found.unwrap();
            assert!((found - exact).abs() <= tolerance, "{measure:?}: {found}");
        }
    }
    let folder = Folder::with(&[("table.ron", events)]);
    let said = folder.situ("run table.ron --no-plot --until e(x)>2");
    said.expect(1, "`e` has no value beyond 0 .. 1");
    let asked = folder.situ_reading(
        "repl",
        "load table.ron\nprint f(0.5) + 1\nrun until f(x) > 1.5\n",
    );
    assert!(
        asked.out.contains("1.5") && asked.out.contains("t = 3.33333"),
        "{}",
        asked.out
    );
}

/// Tables whose lookups nobody reads but what compares, with the tick in which they leave the points.
const COMPARED: [&str; 4] = [
    r#"ranges: ["p: f(x) > 0.5"], relations: ["x = integral(1)"]"#,
    r#"situations: ["event e: f(x) > 0.5"], relations: ["x = integral(1)"]"#,
    r#"relations: ["x = integral(1)", "y = counter(f(x) > 0.5)"]"#,
    r#"relations: ["y = hysteresis(f(x), 0.2, 0.5)", "x = integral(1)"]"#,
];

#[test]
fn a_comparison_outside_of_the_points_ends_a_run_of_ticks_in_every_engine() {
    for rows in COMPARED {
        let text = format!(
            r#"(format: 1, clock: (step: 0.125, stop: 200), lookups: {{"f": (x: [0, 100], y: [1, 0])}},
            reals: {{"x": 0, "y": 0}}, {rows})"#
        );
        for locate in ["none", "linear", "quadratic"] {
            let text = text.replace("stop: 200", &format!("stop: 200, locate: {locate}"));
            let table = Table::from_text(&text);
            let config = RunConfig::from_clock(&table.model.clock).unwrap();
            for native in [false, true] {
                let mut run = Run::new(table.model.clone(), config.clone(), &[]).unwrap();
                if native {
                    run.compile_with(Arc::new(Jit::at_once(Options::default())))
                        .unwrap();
                }
                let fault = run.run(&mut ()).unwrap_err();
                let RunFault::OutsideLookup {
                    time,
                    argument,
                    ends,
                    ..
                } = fault
                else {
                    panic!("{rows}: {fault}");
                };
                let expected = (100.125, 100.125, [0.0, 100.0]);
                assert_eq!((time, argument, ends), expected, "{rows} {locate}");
            }
        }
    }
}

/// The values of all reals in every row of a run of ticks, as bits.
fn bits(table: &Table, native: bool) -> Vec<Vec<u64>> {
    let config = TickConfig::from_clock(&table.model.clock).unwrap();
    let mut run = TickRun::new(table.model.clone(), config).unwrap();
    if native {
        run.compile_with(&Jit::at_once(Options::default())).unwrap();
    }
    let mut recorder = TraceRecorder::new(&table.model);
    run.run(&mut recorder).unwrap();
    let columns = recorder.trace.reals.iter();
    columns
        .map(|column| column.iter().map(|value| value.to_bits()).collect())
        .collect()
}

#[test]
fn ticks_in_native_code_have_the_same_bits() {
    for (kind, _) in Kind::NAMES {
        let table = motor(
            kind,
            r#""at = time", "M = torque(at)", "M = 0.5 * torque(10 - at) + M""#,
        );
        let interpreted = bits(&table, false);
        assert_eq!(interpreted, bits(&table, true), "{kind}");
        // The row computes what the lookup says.
        let [at, value] = [0, 1].map(|real| f64::from_bits(interpreted[real][4321]));
        let lookup = &table.model.lookups[0].interpolation;
        let exact = lookup.value(&[at]) + 0.5 * lookup.value(&[10.0 - at]);
        assert_eq!(value, exact, "{kind}");
    }
}
