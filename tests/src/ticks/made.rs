//! Rows that others need and nobody wrote, counts and rates: they are done where their readers read them.

use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::TraceRecorder;
use situ_rules::{TableText, load};

use crate::tables::{Run, Table, column};

/// A quantity at each row of a run.
fn course(run: &Run, name: &str) -> Vec<f64> {
    let trace = run.trace();
    column(&run.table.model, &trace, name).unwrap_or_else(|| panic!("no column {name}"))
}

fn table(clock: &str, rest: &str) -> Table {
    Table::from_text(&format!("(format: 1, clock: ({clock}), {rest})"))
}

const CROWD: &str = r#"counters: {"j": "1 .. 3"}, ranges: ["hot[j]: u[j] > 3.5" MORE],
    reals: {"u[j]": "j", "n": 0, "a": 0, "c": 0}, relations: [ROWS "u[j] = u[j] + 1"]"#;

fn crowd(more: &str, rows: &str) -> String {
    CROWD.replace("MORE", more).replace("ROWS", rows)
}

#[test]
fn a_count_does_not_depend_on_who_else_counts() {
    let clock = "step: 1, stop: 5";
    let many = r#", "many: number(hot[j] for j) >= 2""#;
    let counted = r#""n = number(hot[j] for j)","#;
    let machine = r#", machines: {"q": (states: {"a": ["a = number(hot[j] for j)"], "b": []},
        transitions: ["a -> b when number(hot[j] for j) >= 9: c := number(hot[j] for j)"])}"#;
    for rest in [
        crowd("", counted),
        crowd(many, counted),
        crowd("", counted) + machine,
    ] {
        let run = table(clock, &rest).into_run();
        assert_eq!(course(&run, "n"), [0.0, 0.0, 1.0, 2.0, 3.0, 3.0], "{rest}");
    }
    // What stands above no row has counted yet.
    let mean = r#""a = mean(u[j] for j when hot[j]) when many","#;
    let run = table(clock, &crowd(many, mean)).into_run();
    assert_eq!(course(&run, "a"), [0.0, 0.0, 0.0, 0.0, 5.0, 6.0]);
    let hot = crowd(many, r#""a = mean(u[j] for j when hot[j])","#).replace("3.5", "0.5");
    assert_eq!(
        course(&table(clock, &hot).into_run(), "a"),
        [0.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
}

#[test]
fn counts_stand_before_rows_that_are_scanned_earlier() {
    let mut parts = |path: &str, _: &str| {
        let text = match path {
            "heater.ron" => {
                r#"(format: 1, clock: (step: 1, stop: 5), reals: {"x": 0},
                    ranges: ["hot: x > 3.5"], relations: ["x = x + 1"])"#
            }
            _ => {
                r#"(format: 1, clock: (step: 1, stop: 5), inputs: {"k": 0}, reals: {"y": 0},
                    relations: ["y = 2 * k"])"#
            }
        };
        Ok::<_, String>(TableText {
            name: path.to_owned(),
            text: text.to_owned(),
        })
    };
    let text = r#"(format: 1, clock: (step: 1, stop: 5), counters: {"j": "1 .. 3"}, reals: {"n": 0},
        parts: {"c[j]": (file: "heater.ron", set: {"x": "j"}), "d": (file: "reader.ron")},
        relations: ["n = number(c[j].hot for j)", "d.k = number(c[j].hot for j)"])"#;
    let run = Table::of(load("table.ron", text, &mut parts)).into_run();
    let expected = [0.0, 0.0, 1.0, 2.0, 3.0, 3.0];
    assert_eq!(course(&run, "d.k"), expected);
    assert_eq!(course(&run, "n"), expected);
}

#[test]
fn a_count_at_an_event_is_that_of_its_instant() {
    for many in ["", r#", "many: number(hot[j] for j) >= 2""#] {
        let text = format!(
            r#"(format: 1, clock: (step: 0.01, stop: 2, stepping: events), counters: {{"j": "1 .. 3"}},
            reals: {{"u[j]": "-0.3 * j", "n": 0, "av": 0}}, ranges: ["hot[j]: u[j] > 0"{many}],
            situations: ["event e[j]: hot[j]"], relations: ["u[j] = integral(1)",
            "n := number(hot[j] for j) when e[2]", "av := mean(u[j] for j when hot[j]) when e[3]"])"#
        );
        let table = Table::from_text(&text);
        let config = EventConfig::from_clock(&table.model.clock).unwrap();
        let mut recorder = TraceRecorder::new(&table.model);
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        run.run(&mut recorder).unwrap();
        let last = |name| {
            *column(&table.model, &recorder.trace, name)
                .unwrap()
                .last()
                .unwrap()
        };
        assert_eq!(last("n"), 2.0, "{many}");
        assert!((last("av") - 0.3_f64).abs() < 1e-9, "{many}");
    }
}
