//! Families: rows that count against the same rows written out, and large systems against published numbers.
//!
//! The flat tables are written here, by other code than that which writes families out. [`grids`] compares systems on
//! grids of points, [`borders`] elements that rest and slide on borders of their own with single ones, [`crowds`] crowds of units that switch one by one, [`gates`] rows that switch as data with modes, [`spans`] rows that
//! the interpreter executes together with native code. [`starts`] looks at what single elements are given,
//! [`texts`] at measures, stops and columns over elements, [`ramps`] at those whose rows are known exactly.

mod borders;
mod crowds;
mod gates;
mod grids;
mod ramps;
mod spans;
mod starts;
mod texts;

use std::fmt::Write as _;

use situ_engine::Method;
use situ_engine::model::{Clock, IntegralRule, Model, Stepping};
use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Measure, Trace, TraceRecorder};
use situ_rules::{Choices, load_as, print, resolve, standalone};
use situ_views::model::model_listing::stage_model;

use crate::tables::{Table, column, root};

/// A generator of numbers: the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// A text with `{j}`, `{j-1}` and `{j+1}` at a value of the counter.
fn at(text: &str, j: i64) -> String {
    text.replace("{j}", &j.to_string())
        .replace("{j-1}", &(j - 1).to_string())
        .replace("{j+1}", &(j + 1).to_string())
}

/// The same with the counter itself.
fn counted(text: &str) -> String {
    text.replace("{j}", "j")
        .replace("{j-1}", "j - 1")
        .replace("{j+1}", "j + 1")
}

/// The sum of terms in the order of families: in each block of 64 the upper half to the lower one, again and again.
fn added(mut terms: Vec<String>) -> String {
    if terms.is_empty() {
        return "0".to_owned();
    }
    while terms.len() > 1 {
        let blocks = terms.chunks(64).map(|block| {
            let mut block = block.to_vec();
            for half in [32, 16, 8, 4, 2, 1] {
                let whole = block.clone();
                block.truncate(half);
                for (lower, upper) in block.iter_mut().zip(whole.iter().skip(half)) {
                    *lower = format!("({lower} + {upper})");
                }
            }
            block.swap_remove(0)
        });
        terms = blocks.collect();
    }
    terms.swap_remove(0)
}

/// A family model of `n` elements, and the same flat.
fn pair(numbers: &mut Numbers, n: i64) -> [String; 2] {
    let mut family = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut flat = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let all = || 1..=n;
    // Ranges and switches.
    let limit = numbers.of(&["0.4", "a[{j}]", "m", "u[{j+1}]"]);
    let range = format!("hot[{{j}}]: u[{{j}}] > {limit}");
    family.0.push(counted(&range));
    flat.0
        .extend(all().map(|j| format!("[1[{j}]] {}", at(&range, j))));
    let event = numbers.below(2) == 0;
    let situation = format!("{}up[{{j}}]: hot[{{j}}]", if event { "event " } else { "" });
    family.1.push(counted(&situation));
    flat.1
        .extend(all().map(|j| format!("[1[{j}]] {}", at(&situation, j))));
    let assignment = "when up[{j}]: on[{j}]";
    family.2.push(counted(assignment));
    flat.2
        .extend(all().map(|j| format!("[1[{j}]] {}", at(assignment, j))));
    // Rows.
    let add =
        |family: &mut Vec<String>, flat: &mut Vec<String>, row: &str, joint: bool, first: i64| {
            let id = family.len() + 1;
            let narrowed = match first {
                1 => String::new(),
                _ => format!(" for j in {first} .. N"),
            };
            let (head, guard) = match row.split_once(" when ") {
                Some((head, guard)) => (head, Some(guard)),
                None => (row, None),
            };
            let when = guard.map_or(String::new(), |guard| format!(" when {}", counted(guard)));
            family.push(format!("{}{narrowed}{when}", counted(head)));
            let elements = first..=n;
            if !joint || n <= first {
                for j in elements {
                    flat.push(format!("[{id}[{j}]] {}", at(row, j)));
                }
                return;
            }
            let (target, value) = head.split_once(" = ").unwrap();
            let each = |text: &str| {
                elements
                    .clone()
                    .map(|j| at(text, j))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let when = guard.map_or(String::new(), |guard| format!(" when {}", each(guard)));
            flat.push(format!("[{id}] {} = {}{when}", each(target), each(value)));
        };
    let (rows, flat_rows) = (&mut family.3, &mut flat.3);
    rows.push("u[0] = 0.1 + m".to_owned());
    flat_rows.push("[1] u[0] = 0.1 + m".to_owned());
    rows.push("u[N + 1] = u[N]".to_owned());
    flat_rows.push(format!("[2] u[{}] = u[{n}]", n + 1));
    let rate = numbers.of(&[
        "k * (u[{j-1}] - 2 * u[{j}] + u[{j+1}])",
        "a[{j}] - u[{j}]",
        "u[{j-1}] - u[{j}]",
        "sin(u[{j+1}]) - a[{j}] * u[{j}]",
    ]);
    let joint = rate.contains("{j-1}") || rate.contains("{j+1}");
    add(
        rows,
        flat_rows,
        &format!("u[{{j}}] = integral({rate})"),
        joint,
        1,
    );
    if numbers.below(2) == 0 {
        add(
            rows,
            flat_rows,
            "w[{j}] = a[{j}] * u[{j}] when on[{j}]",
            false,
            1,
        );
    }
    if numbers.below(2) == 0 && !event {
        add(
            rows,
            flat_rows,
            "w[{j}] = w[{j-1}] + u[{j}] when up[{j}]",
            true,
            2,
        );
    }
    let row = numbers.of(&["w[{j}] = u[{j}]^2", "w[{j}] = 0.5 * w[{j}] + u[{j-1}]"]);
    add(rows, flat_rows, row, false, 1);
    let id = rows.len() + 1;
    match numbers.below(3) {
        0 => {
            rows.push("m = sum(a[j] * u[j] for j) / (N + 1)".to_owned());
            let sum = added(all().map(|j| format!("a[{j}] * u[{j}]")).collect());
            flat_rows.push(format!("[{id}] m = ({sum}) / (N + 1)"));
        }
        1 => {
            rows.push("m = 0.1 * mean(u[j] for j in 0 .. N)".to_owned());
            let sum = added((0..=n).map(|j| format!("u[{j}]")).collect());
            flat_rows.push(format!("[{id}] m = 0.1 * (({sum}) / {})", n + 1));
        }
        _ => {
            rows.push("m = u[0] - sum(w[j] for j in 2 .. N - 1)".to_owned());
            let sum = added((2..n).map(|j| format!("w[{j}]")).collect());
            flat_rows.push(format!("[{id}] m = u[0] - ({sum})"));
        }
    }
    let list = |rows: &[String]| {
        rows.iter()
            .map(|row| format!("        {row:?},\n"))
            .collect::<String>()
    };
    let table = |quantities: &str, lists: &(Vec<String>, Vec<String>, Vec<String>, Vec<String>)| {
        format!(
            "(\n    format: 1,\n    clock: (step: 0.01, stop: 0.6, every: 0.05),\n{quantities}    ranges: [\n{}    ],\n    situations: [\n{}    ],\n    assignments: [\n{}    ],\n    relations: [\n{}    ],\n)\n",
            list(&lists.0),
            list(&lists.1),
            list(&lists.2),
            list(&lists.3),
        )
    };
    let counted_quantities = format!(
        "    constants: {{\"N\": {n}, \"k\": 3, \"a[j]\": \"0.2 + j / (N + 1)\"}},\n    counters: {{\"j\": \"1 .. N\"}},\n    reals: {{\"u[0 .. N + 1]\": 0.3, \"u[j]\": \"1 / (1 + j)\", \"w[0 .. N]\": 0.1, \"m\": 0.2}},\n    switches: {{\"on[j]\": false}},\n"
    );
    let mut written = format!("    constants: {{\"N\": {n}, \"k\": 3");
    for j in all() {
        write!(written, ", \"a[{j}]\": \"0.2 + {j} / (N + 1)\"").unwrap();
    }
    written.push_str("},\n    reals: {\"u[0]\": 0.3");
    for j in all() {
        write!(written, ", \"u[{j}]\": \"1 / (1 + {j})\"").unwrap();
    }
    write!(written, ", \"u[{}]\": 0.3", n + 1).unwrap();
    for j in 0..=n {
        write!(written, ", \"w[{j}]\": 0.1").unwrap();
    }
    written.push_str(", \"m\": 0.2},\n    switches: {");
    for j in all() {
        write!(written, "\"on[{j}]\": false, ").unwrap();
    }
    written.push_str("},\n");
    [table(&counted_quantities, &family), table(&written, &flat)]
}

fn trace(model: &Model, clock: &Clock) -> Result<Trace, String> {
    let config = RunConfig::from_clock(&model.clock.overridden_by(clock)).unwrap();
    let mut recorder = TraceRecorder::new(model);
    let mut run = Run::new(model.clone(), config, &[]).map_err(|error| error.to_string())?;
    run.run(&mut recorder).map_err(|fault| fault.to_string())?;
    Ok(recorder.trace)
}

fn bits(trace: &Trace) -> (Vec<u64>, Vec<Vec<u64>>) {
    let of = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    (
        of(&trace.time),
        trace.reals.iter().map(|column| of(column)).collect(),
    )
}

/// Compares generated families with the same written flat.
fn compare(seeds: std::ops::Range<u64>, largest: u64) {
    let mut n_events = 0;
    for seed in seeds {
        let mut numbers = Numbers(seed);
        let n = i64::try_from(numbers.below(largest + 1)).unwrap();
        let [family, flat] = pair(&mut numbers, n);
        let [family_model, flat_model] = [&family, &flat].map(|text| Table::from_text(text).model);
        let names = |model: &Model| {
            let reals = model.reals.iter().map(|real| real.name.clone());
            reals.collect::<Vec<_>>()
        };
        assert_eq!(names(&family_model), names(&flat_model), "{family}");
        let ticks = Clock::default();
        let events = Clock {
            stepping: Some(Stepping::Events),
            method: Some(Method::Tsit5),
            step: None,
            ..Clock::default()
        };
        let trapezoid = Clock {
            integral: Some(IntegralRule::Trapezoid),
            ..Clock::default()
        };
        for clock in [ticks, trapezoid, events] {
            let [a, b] = [&family_model, &flat_model].map(|model| trace(model, &clock));
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    assert!(bits(&a) == bits(&b), "seed {seed}: {family}\n{flat}");
                    n_events += a.time.len().saturating_sub(13);
                }
                (a, b) => assert_eq!(a.err(), b.err(), "seed {seed}: {family}\n{flat}"),
            }
        }
    }
    assert!(n_events > 0, "some have events");
}

#[test]
fn families_are_what_is_written_flat() {
    compare(0..60, 9);
    compare(1000..1004, 70);
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_families_are_what_is_written_flat() {
    compare(0..20_000, 70);
}

/// A model in words, with what these leave out of rows and reals.
fn said(model: &Model) -> String {
    let rows = model.relations.iter();
    let grouped: Vec<bool> = rows.map(|row| row.grouped).collect();
    let reals = model.reals.iter();
    let marks: Vec<_> = reals
        .map(|real| (real.auxiliary, real.observed, real.steady, real.nominal))
        .collect();
    format!("{}{grouped:?}\n{marks:?}", stage_model(model))
}

/// What `--expand` prints is the same table.
#[test]
fn the_table_that_is_printed_is_the_one_that_is_run() {
    for seed in 0..40 {
        let mut numbers = Numbers(seed);
        let n = i64::try_from(numbers.below(8)).unwrap();
        let [family, _] = pair(&mut numbers, n);
        let loaded = situ_rules::load("table.ron", &family, &mut standalone);
        let flat = resolve::flat(&loaded.tables)
            .expect("it has families")
            .table;
        let printed = print::table(&flat);
        let model = loaded.model.expect("it has no mistakes");
        let again = Table::from_text(&printed).model;
        assert_eq!(said(&model), said(&again), "{family}\n{printed}");
    }
}

/// In a row of relations, `all` reads switches as the assignments have left them and `any` as situations do; with `!` both
/// are the opposite of that, in ticks and at events, and in the table that is printed.
#[test]
fn conditions_over_elements_are_opposites_where_they_are_read() {
    let conditions = [
        ("all(on[j] for j)", true),
        ("all(on[j] for j when up)", true),
        ("all(any(on[i] for i) for j)", false),
        ("any(all(on[i] for i) for j)", false),
        ("any(on[j] for j)", false),
        ("any(on[j] for j when up)", false),
        ("any(on[j] for j in 1 .. 1)", false),
    ];
    for scan in ["step: 1", "step: 1, scan: simultaneous", "stepping: events"] {
        for (condition, behind) in conditions {
            let text = format!(
                r#"(format: 1, clock: ({scan}, stop: 4), counters: {{"j": "1 .. 2", "i": "1 .. 2"}}, reals: {{"x": 0, "y": 0, "c": 0}},
                switches: {{"on[j]": false}}, ranges: ["up: time >= 1", "down: time >= 3"],
                situations: ["event go: up", "event off: down"], assignments: ["when go: on[j]", "when off: !on[j]"],
                relations: ["x := x + 1 when go & {condition}", "x := x + 10 when off & {condition}",
                    "y := y + 1 when go & !{condition}", "y := y + 10 when off & !{condition}"])"#
            );
            let loaded = situ_rules::load("table.ron", &text, &mut standalone);
            let printed = print::table(
                &resolve::flat(&loaded.tables)
                    .expect("it has families")
                    .table,
            );
            for text in [&text, &printed] {
                let mut table = Table::from_text(text);
                let measures = ["x", "y"].map(|name| Measure::Final(table.expr(name)));
                let config = RunConfig::from_clock(&table.model.clock).unwrap();
                let mut run = Run::new(table.model, config, &measures).unwrap();
                run.run(&mut ()).unwrap();
                let expected = match behind {
                    true => [1.0, 10.0],
                    false => [10.0, 1.0],
                };
                assert_eq!(
                    run.measured(),
                    expected.map(Some),
                    "{scan}: {condition}\n{printed}"
                );
            }
        }
    }
}

/// What stands for a part of a condition is called by what holds while it does.
#[test]
fn parts_of_conditions_hold_as_their_names_say() {
    let table = Table::from_text(
        r#"(format: 1, clock: (step: 0.1, stop: 1), counters: {"j": "1 .. 2"}, reals: {"u[j]": 0, "n": 0}, switches: {"on[j]": true},
        ranges: ["hot[j]: u[j] > 0.35 * j"], situations: ["ready: all(hot[j] for j when on[j])", "cold: !any(hot[j] for j when on[j])"],
        relations: ["u[j] = integral(1)", "n = counter(!any(hot[j] for j))"])"#,
    );
    let mut recorder = TraceRecorder::new(&table.model);
    let config = RunConfig::from_clock(&table.model.clock).unwrap();
    let mut run = Run::new(table.model.clone(), config, &[]).unwrap();
    run.run(&mut recorder).unwrap();
    let truths = |name: &str| column(&table.model, &recorder.trace, name).unwrap();
    let opposite =
        |name: &str| -> Vec<f64> { truths(name).iter().map(|truth| 1.0 - truth).collect() };
    assert_eq!(truths("ready"), opposite("!all(hot[j] for j when on[j])"));
    assert_eq!(truths("cold"), opposite("any(hot[j] for j when on[j])"));
    assert_eq!(truths("cold"), truths("!any(hot[j] for j)"));
}

/// Reactions have conditions and rates over elements as rows have.
#[test]
fn reactions_count_elements() {
    let table = Table::from_text(
        r#"(format: 1, clock: (step: 0.5, stop: 1), constants: {"k": 1}, counters: {"j": "1 .. 3"}, switches: {"on[j]": true},
        species: {"A": 1}, reactions: ["A -> : k when !all(on[j] for j)", "-> A : k * number(on[j] for j) when any(on[j] for j)"])"#,
    );
    let mut run = table.into_run();
    let last = run.table.expr("A");
    assert_eq!(run.measure([Measure::Final(last)]), [4.0]);
}

/// Scans that tell values before a tick from those in it have counts done where they are read, also written out.
#[test]
fn counts_that_are_written_out_are_parts_of_their_readers() {
    for choice in ["scan: simultaneous", "integral: trapezoid"] {
        let text = r#"(
            format: 1, clock: (step: 0.1, stop: 2, CHOICE),
            constants: {"N": 3}, counters: {"j": "1 .. N"},
            reals: {"x[j]": "j", "heat": 0},
            ranges: ["hot[j]: x[j] > 0.5"],
            relations: ["x[j] = integral(-x[j])", "heat = integral(number(hot[j] for j))"],
        )"#
        .replace("CHOICE", choice);
        let loaded = situ_rules::load("table.ron", &text, &mut standalone);
        let printed = print::table(
            &resolve::flat(&loaded.tables)
                .expect("it has families")
                .table,
        );
        assert!(printed.contains("auxiliary: true"), "{printed}");
        let [family, flat] = [&text, &printed].map(|text| {
            let mut run = Table::from_text(text).into_run();
            let heat = run.table.expr("heat");
            run.measure([Measure::Final(heat)])
        });
        assert_eq!(family, flat, "{choice}\n{printed}");
        let model = loaded.model.expect("it has no mistakes");
        let again = Table::from_text(&printed).model;
        assert_eq!(said(&model), said(&again), "{printed}");
    }
}

/// A scenario, or a table of `tests/data/families/`, of the size that settings give it.
fn table(name: &str, set: &[&str], case: Option<&str>) -> Table {
    let scenario = root().join(format!("scenarios/{name}/table.ron"));
    let path = match scenario.is_file() {
        true => scenario,
        false => root().join(format!("tests/data/families/{name}.ron")),
    };
    let text = std::fs::read_to_string(path).unwrap();
    let choices = Choices {
        case: case.map(str::to_owned),
        set: set.iter().map(|&text| text.to_owned()).collect(),
    };
    Table::of(load_as("table.ron", &text, &mut standalone, &choices))
}

/// Tolerances of a run by a method.
fn by(method: Method, rtol: f64, atol: f64) -> Clock {
    Clock {
        method: Some(method),
        rtol: Some(rtol),
        atol: Some(atol),
        ..Clock::default()
    }
}

/// The last row reads its neighbours as they were before the tick; measures and stops read what it has written. By hand
/// `v[1]` is 1.1, 1.18 and 1.244.
#[test]
fn measures_read_what_the_last_family_has_written() {
    let text = r#"(
        format: 1,
        clock: (step: 0.1, stop: 1, stop_when: "v[1] > 1.24"),
        constants: {"N": 3, "west[j]": "1 + abs(j - 2)"},
        counters: {"j": "1 .. N"},
        reals: {"v[j]": "j"},
        relations: ["v[j] = integral(v[west[j]] - v[j])"],
    )"#;
    let mut run = Table::from_text(text).into_run();
    let value = run.table.expr("v[1]");
    let [last, most] = run.measure([Measure::Final(value), Measure::Max(value)]);
    assert!((last - 1.244).abs() < 1e-14, "{last}");
    assert_eq!(last.to_bits(), most.to_bits());
    let time = run.trace().time;
    assert!((time[time.len() - 1] - 0.3).abs() < 1e-14, "{time:?}");
}
