//! Texts about runs with counters and reductions: measures, stops, columns, against what rows of the run give.

use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Measure, Trace, TraceRecorder};
use situ_rules::resolve;
use situ_views::columns::kept::Kept;
use situ_views::columns::{Columns, Unreadable};

use crate::tables::{Table, literal};

/// Five rooms, heated while their thermostats are on; `CLOCK` is filled in.
const ROOMS: &str = r#"(
    format: 1, clock: (CLOCK, stop: 10),
    constants: {"N": 5}, counters: {"j": "1 .. N"},
    reals: {"T[j]": "10 + j"}, switches: {"on[j]": false},
    situations: ["cold[j]: T[j] < 18", "warm[j]: T[j] > 22", "event reached[j]: T[j] > 20"],
    assignments: ["when cold[j]: on[j]", "when warm[j]: !on[j]"],
    relations: ["T[j] = integral(2 * j) when on[j]", "T[j] = integral(-1) when !on[j]"],
)"#;

const CLOCKS: [&str; 4] = [
    "stepping: events, method: \"tsit5\"",
    "stepping: events, method: \"taylor\"",
    "step: 0.05",
    "step: 0.05, scan: simultaneous",
];

fn rooms(clock: &str) -> Table {
    Table::from_text(&ROOMS.replace("CLOCK", clock))
}

fn measure(table: &mut Table, text: &str) -> Measure {
    let (model, origins, sources) = (&mut table.model, &mut table.origins, &mut table.sources);
    resolve::measure(model, origins, sources, "<measure>", text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The rows of a run, and what was measured.
fn run(table: &Table, measures: &[Measure]) -> (Trace, Vec<f64>) {
    let config = RunConfig::from_clock(&table.model.clock).unwrap();
    let mut run = Run::new(table.model.clone(), config, measures).unwrap();
    let mut recorder = TraceRecorder::new(&table.model);
    run.run(&mut recorder).unwrap();
    let measured = run.measured().into_iter();
    (recorder.trace, measured.map(Option::unwrap).collect())
}

/// What stands in the rows: the temperatures, and which thermostats are on.
struct Rows {
    time: Vec<f64>,
    temperatures: Vec<[f64; 5]>,
    on: Vec<[bool; 5]>,
    warm: Vec<[bool; 5]>,
}

impl Rows {
    fn of(model: &Model, trace: &Trace) -> Self {
        let columns: [&[f64]; 5] =
            std::array::from_fn(|j| trace.column(&format!("T[{}]", j + 1)).unwrap());
        let truths = |name: &str| {
            let all: [Vec<bool>; 5] =
                std::array::from_fn(|j| literal(model, trace, &format!("{name}[{}]", j + 1)));
            let rows = 0..trace.time.len();
            rows.map(|row| std::array::from_fn(|j| all[j][row]))
                .collect()
        };
        let rows = 0..trace.time.len();
        Self {
            time: trace.time.clone(),
            temperatures: rows.map(|row| columns.map(|one| one[row])).collect(),
            on: truths("on"),
            warm: truths("warm"),
        }
    }

    /// The largest of the values in the rows.
    fn most(&self, value: impl Fn(&[f64; 5], &[bool; 5]) -> f64) -> f64 {
        let rows = self.temperatures.iter().zip(&self.on);
        let values = rows.map(|(temperatures, on)| value(temperatures, on));
        values.fold(f64::MIN, f64::max)
    }
}

/// The temperatures are straight lines between the rows: extremes and times are those of rows.
#[test]
fn measures_of_reductions_are_those_of_the_rows() {
    for clock in CLOCKS {
        let mut table = rooms(clock);
        let texts = [
            "max(mean(T[j] for j))",
            "max(sum(T[j] ^ 2 for j in 2 .. N - 1))",
            "max(min(T[j] for j))",
            "max(number(on[j] for j))",
            "max(sum(T[j] for j when on[j] & T[j] >= 0))",
            "first(any(warm[j] for j in 1 .. 2))",
            "duration(any(on[j] for j))",
            "duration(!any(on[j] for j))",
            "final(T[N] + T[N - 1])",
        ];
        let measures: Vec<Measure> = texts.iter().map(|text| measure(&mut table, text)).collect();
        let (trace, measured) = run(&table, &measures);
        let rows = Rows::of(&table.model, &trace);
        let is_event = clock.contains("events");
        // Between events it is never warm, as the heating goes off where it becomes so.
        let first = match is_event {
            true => rows
                .temperatures
                .iter()
                .position(|all| all[0].max(all[1]) > 22.0 - 1e-9),
            false => rows.warm.iter().position(|warm| warm[0] || warm[1]),
        };
        let held = |holds: bool| -> f64 {
            let spans = rows.time.windows(2).zip(&rows.on[1..]);
            let spans = spans.zip(&rows.on);
            // In ticks a row says what held in the tick that ends there, else what holds from there on.
            let held = spans.filter(|((_, after), before)| {
                let on = if is_event { before } else { after };
                on.contains(&true) == holds
            });
            held.map(|((span, _), _)| span[1] - span[0]).sum()
        };
        let last = rows.temperatures.last().unwrap();
        let expected = [
            rows.most(|all, _| all.iter().sum::<f64>() / 5.0),
            rows.most(|all, _| all[1..4].iter().map(|one| one * one).sum()),
            rows.most(|all, _| all.iter().copied().fold(f64::MAX, f64::min)),
            rows.most(|_, on| on.iter().filter(|on| **on).count() as f64),
            rows.most(|all, on| {
                all.iter()
                    .zip(on)
                    .filter(|(_, on)| **on)
                    .map(|one| one.0)
                    .sum()
            }),
            rows.time[first.unwrap()],
            held(true),
            held(false),
            last[4] + last[3],
        ];
        for ((text, measured), expected) in texts.iter().zip(measured).zip(expected) {
            let error = (measured - expected).abs();
            assert!(
                error < 1e-9 * expected.abs().max(1.0),
                "{clock}: {text}: {measured}, {expected}"
            );
        }
    }
}

/// Expectations of a table are judged by the measures that a text asks for, in the family's table and in the one that is
/// written out, which has them and the exercise for its elements.
#[test]
fn expectations_are_those_of_measures() {
    let lab = r#"lab: (predict: {
        "hot": (measure: "max(number(on[j] for j))"),
        "mean": (value: "mean(T[j] for j)", at: "any(reached[j] for j in 1 .. 2)", count: 2),
    }),"#;
    for clock in CLOCKS {
        let mut plain = rooms(clock);
        let texts = [
            "max(number(on[j] for j))",
            "max(sum(T[j] for j when on[j] & T[j] >= 0))",
            "first(any(warm[j] for j in 1 .. 2))",
            "final(T[N] + T[N - 1])",
        ];
        let measures: Vec<Measure> = texts.iter().map(|text| measure(&mut plain, text)).collect();
        let (_, measured) = run(&plain, &measures);
        let expect = texts.iter().zip(&measured);
        let expect: Vec<String> = expect
            .map(|(text, value)| format!("\"{text} = {value} +- 1e-9\""))
            .collect();
        let more = format!("expect: [{}], {lab}\n)", expect.join(", "));
        let text = ROOMS.replace("CLOCK", clock);
        let text = text.trim_end().trim_end_matches(')').to_owned() + &more;
        let loaded = situ_rules::load("rooms.ron", &text, &mut situ_rules::standalone);
        let flat = resolve::flat(&loaded.tables)
            .expect("it has families")
            .table;
        let flat = situ_rules::print::table(&flat);
        let flat = situ_rules::load("flat.ron", &flat, &mut situ_rules::standalone);
        assert!(!situ_rules::diag::has_errors(&flat.diagnostics), "{flat:?}");
        let (own, written) = (loaded.lab.unwrap(), flat.lab.unwrap());
        assert_eq!(own.fields.len(), written.fields.len());
        let mut tables = vec![(loaded.model, loaded.expectations)];
        tables.push((flat.model, flat.expectations));
        for (model, expectations) in tables {
            let model = model.expect("the table has no mistakes");
            let measures: Vec<Measure> = expectations
                .iter()
                .flat_map(resolve::Expectation::measures)
                .collect();
            let config = RunConfig::from_clock(&model.clock).unwrap();
            let mut run = Run::new(model.clone(), config, &measures).unwrap();
            run.run(&mut ()).unwrap();
            for outcome in resolve::outcomes(&expectations, &model, &run.measured()) {
                assert!(outcome.met, "{clock}: {outcome:?}");
            }
        }
    }
}

/// Measures and stops begin with what stands at the start, also where a row of the table counts the same.
#[test]
fn counts_and_sums_under_conditions_have_values_at_the_start() {
    for (clock, row) in CLOCKS
        .iter()
        .flat_map(|clock| [(clock, ""), (clock, r#""n = number(hot[j] for j)""#)])
    {
        let text = format!(
            r#"(format: 1, clock: ({clock}, stop: 0.5), counters: {{"j": "1 .. 3"}}, reals: {{"x[j]": "j", "n": 0}},
            ranges: ["hot[j]: x[j] > 1.25"], relations: ["x[j] = integral(-1)", {row}])"#
        );
        let mut table = Table::from_text(&text);
        let texts = [
            "min(number(hot[j] for j))",
            "at(number(hot[j] for j), 0)",
            "at(sum(x[j] for j when hot[j]), 0)",
            "duration(number(hot[j] for j) < 1.5)",
        ];
        let measures: Vec<Measure> = texts.iter().map(|text| measure(&mut table, text)).collect();
        assert_eq!(
            run(&table, &measures).1,
            [2.0, 2.0, 5.0, 0.0],
            "{clock} {row}"
        );
        let own = Arc::new(Table::from_text(&text).model);
        let mut sources = table.sources.clone();
        let asked = ["number(hot[j] for j)"];
        let columns =
            Columns::asked(&own, &table.origins, &mut sources, "<--vars>", asked).unwrap();
        let mut kept = Kept::new(columns);
        let config = RunConfig::from_clock(&own.clock).unwrap();
        kept.push(&own, &Run::new((*own).clone(), config, &[]).unwrap().row());
        assert_eq!(
            kept.series(&own, "").reals[0].values,
            [2.0],
            "{clock} {row}"
        );
    }
}

/// What is measured of elements and of conditions over them leaves the steps as they are.
#[test]
fn reductions_of_measures_change_no_step() {
    for clock in CLOCKS {
        let bits = |texts: &[&str]| -> Vec<u64> {
            let mut table = rooms(clock);
            let measures: Vec<Measure> =
                texts.iter().map(|text| measure(&mut table, text)).collect();
            let (trace, _) = run(&table, &measures);
            let last = trace.reals.iter().map(|column| column.last().unwrap());
            last.map(|value| value.to_bits()).collect()
        };
        let texts = [
            "max(mean(T[j] for j))",
            "first(any(T[j] > 19.5 for j))",
            "duration(!any(T[j] > 21 for j))",
            "count(any(reached[j] for j))",
        ];
        assert_eq!(bits(&[]), bits(&texts), "{clock}");
    }
}

/// A run ends where one of many conditions comes true; by hand the third room is warm at 1.5.
#[test]
fn a_run_stops_when_any_condition_holds() {
    for (clock, stops) in CLOCKS.into_iter().zip([1.5, 1.5, 1.55, 1.55]) {
        let mut table = rooms(clock);
        table.model.clock.stop_when = Some(table.watch("any(warm[j] for j in 1 .. 3)"));
        let (trace, _) = run(&table, &[]);
        let end = trace.time.last().unwrap();
        assert!((end - stops).abs() < 0.051, "{clock}: {end}");
        let warm = Rows::of(&table.model, &trace).warm;
        if clock.contains("events") {
            // It is warm for an instant only: the heating goes off.
            let last = trace.column("T[3]").unwrap().last().unwrap();
            assert!((last - 22.0).abs() < 1e-9, "{clock}: {last}");
            continue;
        }
        assert!(warm.last().unwrap()[2], "{clock}");
        let before = trace.time.iter().take_while(|time| *time < end);
        let mut before = warm[..before.count()].iter();
        assert!(before.all(|warm| !warm[..3].contains(&true)), "{clock}");
    }
}

/// How often one of several events happens: once for each room that passes 20, in the first three seconds each does.
#[test]
fn arisings_of_any_event_are_counted() {
    let mut table = rooms(CLOCKS[0]);
    table.model.clock.stop = Some(3.0);
    let count = measure(&mut table, "count(any(reached[j] for j))");
    let (_, measured) = run(&table, &[count]);
    // The first room has 16 degrees at 3, the others have passed.
    assert_eq!(measured, [4.0]);
}

/// Columns that are expressions are computed of each row, and no run knows of them.
#[test]
fn columns_may_be_expressions() {
    let table = rooms(CLOCKS[0]);
    let own = Arc::new(table.model.clone());
    let mut sources = table.sources.clone();
    let asked = [
        "T[1]",
        "mean(T[j] for j)",
        "number(on[j] for j)",
        "T[1] - T[2] + time",
    ];
    let columns = Columns::asked(&own, &table.origins, &mut sources, "<--vars>", asked).unwrap();
    let names: Vec<&str> = columns.names(&own).collect();
    assert_eq!(names, asked);
    let mut kept = Kept::new(columns);
    let config = RunConfig::from_clock(&own.clock).unwrap();
    let mut run = Run::new((*own).clone(), config, &[]).unwrap();
    let mut recorder = TraceRecorder::new(&own);
    while run.time() < 10.0 {
        run.run_to(run.time() + 0.25, &mut recorder).unwrap();
        kept.push(&own, &run.row());
    }
    let series = kept.series(&own, "");
    assert!(series.time.len() > 30);
    let row = run.row();
    let mean = row.reals.iter().sum::<f64>() / 5.0;
    let on = (1..=5).filter(|j| {
        let what = own.find(&format!("on[{j}]"));
        matches!(what, Some(situ_engine::model::Named::Boolean(what)) if row.boolean(&own, what))
    });
    let last: Vec<f64> = series
        .reals
        .iter()
        .map(|one| *one.values.last().unwrap())
        .collect();
    let expected = [
        row.reals[0],
        mean,
        on.count() as f64,
        row.reals[0] - row.reals[1] + row.time,
    ];
    for (found, expected) in last.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{last:?} {expected}");
    }
    for (text, code) in [
        ("mean(U[j] for j)", "F005"),
        ("mean(T[i] for i)", "F007"),
        ("mean(T[j + 1] for j)", "F004"),
        ("sum(1 for j in 1 .. 9 * 10 ^ 9)", "F009"),
        ("min(T[j] for j in 2 .. 1)", "F010"),
        ("any(on[j] for j)", "N008"),
        ("T[j] + 1", "F007"),
        ("T[7] + 1", "F004"),
    ] {
        match Columns::asked(&own, &table.origins, &mut sources, "<--vars>", [text]) {
            Err(Unreadable::Wrong(found)) => assert_eq!(found[0].code, code, "{text}: {found:?}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Conditions of sums and counts stand in rows, which see what the assignments of the same tick or microstep have set.
#[test]
fn conditions_of_sums_read_switches_as_those_of_rows() {
    for clock in [CLOCKS[0], "step: 0.25"] {
        let text = format!(
            r#"(format: 1, name: "set", clock: ({clock}, stop: 2, every: 2), constants: {{"N": 2}}, counters: {{"j": "1 .. N"}},
            reals: {{"x": 0, "alone": 0, "all": 0, "counted": 0, "ones": 0, "least": 0, "w[j]": "j"}}, switches: {{"on[j]": false}},
            ranges: ["full: x >= 1", "yes[j]: w[j] > 0"], situations: ["event e: full"], assignments: ["when e: on[j]"],
            relations: ["x = integral(1)", "alone := alone + 1 when e & on[1]", "all := all + 1 when e & all(on[j] for j)",
                "counted := counted + number(on[j] for j) when e", "least := min(w[j] for j when on[j] & yes[j]) when e & on[1]",
                "ones := ones + sum(w[j] for j when on[j] & yes[j]) when e"])"#
        );
        let (trace, _) = run(&Table::from_text(&text), &[]);
        let end = ["alone", "all", "counted", "ones", "least"].map(|name| {
            let column = trace.column(name).unwrap();
            column[column.len() - 1]
        });
        assert_eq!(end, [1.0, 1.0, 2.0, 3.0, 1.0], "{clock}");
    }
}

/// Over a family without elements there is nothing: no sum, none of any, all of all.
#[test]
fn texts_over_nothing_are_those_of_rows() {
    let mut rooms = Table::from_text(
        &ROOMS
            .replace("CLOCK", "step: 0.5")
            .replace("\"N\": 5", "\"N\": 0"),
    );
    let measures = [
        ("final(sum(T[j] for j))", 0.0),
        ("max(number(cold[j] for j))", 0.0),
        ("duration(all(cold[j] for j))", 10.0),
        ("duration(any(cold[j] for j))", 0.0),
    ];
    let texts = measures.map(|(text, _)| measure(&mut rooms, text));
    let (_, found) = run(&rooms, &texts);
    assert_eq!(found, measures.map(|(_, known)| known));
    let wrong = {
        let (model, origins, sources) = (&mut rooms.model, &mut rooms.origins, &mut rooms.sources);
        resolve::measure(model, origins, sources, "<measure>", "final(T[1])")
    };
    assert!(wrong.is_err());
}

/// A row over no elements reads nothing, whatever the indices would be.
#[test]
fn rows_over_nothing_read_nothing() {
    for relations in [
        r#""u[j] = integral(u[N] - u[j])", "y = sum(u[j] for j)""#,
        r#""u[j] = integral(0)", "y = sum(u[j] * u[N] for j)""#,
        r#""u[j] = integral(0)", "y = sum(u[1] + u[N + 1] for j)""#,
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {{"N": 0}}, counters: {{"j": "1 .. N"}},
            reals: {{"u[j]": 1, "y": 1}}, relations: [{relations}])"#
        ));
        let (trace, _) = run(&table, &[]);
        assert_eq!(trace.reals[0].last(), Some(&0.0), "{relations}");
    }
}

/// A range that is turned round is of its row, not of each of its elements.
#[test]
fn a_range_turned_round_is_told_of_once() {
    let text = r#"(format: 1, constants: {"N": 30}, counters: {"j": "1 .. N"}, reals: {"u[j]": 1, "y[j]": 0},
        relations: ["u[j] = integral(-u[j])", "y[j] = sum(u[j] for j in 4 .. 1)"])"#;
    let loaded = situ_rules::load("t.ron", text, &mut situ_rules::standalone);
    let mut found = loaded.diagnostics.iter().filter(|one| one.code == "F003");
    let notes = found.next().map(|one| one.notes.clone());
    assert_eq!(
        (notes, found.next()),
        (Some(vec!["here N = 30".to_owned()]), None)
    );
}
