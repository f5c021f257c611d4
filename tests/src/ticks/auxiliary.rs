//! Auxiliary variables, counts and rates that rows have in them: they are done where their readers read them.

use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Measure, TraceRecorder};
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

const DECAYS: &str = r#"constants: {"k": 5}, species: {"A": 1},
    reals: {"x": 1, "y": 1, "B": 1}, ranges: ["p: time >= 0"],
    relations: ["x = integral(-k * x)", "solve rate(y): rate(y) = -k * y"],
    reactions: ["A -> : k", "B -> : k when p"]"#;

#[test]
fn rates_are_those_of_what_stands_in_every_scan_and_formula() {
    for choice in [
        "scan: simultaneous",
        "integral: trapezoid",
        "scan: sequential",
    ] {
        let run = table(&format!("step: 0.1, stop: 1, {choice}"), DECAYS).into_run();
        let x = course(&run, "x");
        assert_eq!(x[1..3], [0.5, 0.25], "{choice}");
        for name in ["y", "A", "B"] {
            assert_eq!(course(&run, name), x, "{name}, {choice}");
        }
    }
}

#[test]
fn what_is_summed_under_conditions_is_of_one_time() {
    let rest = r#"counters: {"j": "1 .. 3"}, reals: {"u[j]": "j", "s": 0, "n": 0, "q": 0},
        ranges: ["hot[j]: u[j] > 1.5"], relations: ["u[j] = u[j] + 1",
        "s = sum(u[j] for j when hot[j])", "n = number(hot[j] for j)", "q = u[2] when hot[2]"]"#;
    let run = table("step: 1, stop: 3, scan: simultaneous", rest).into_run();
    assert_eq!(course(&run, "s"), [0.0, 5.0, 9.0, 12.0]);
    assert_eq!(course(&run, "n"), [0.0, 2.0, 3.0, 3.0]);
    assert_eq!(course(&run, "q"), [0.0, 2.0, 3.0, 4.0]);
    // The trapezoid has the sums of both ends: v is v = integral(sum of u) by hand.
    let rest = r#"counters: {"j": "1 .. 3"}, reals: {"u[j]": "j", "v": 0, "w": 0},
        ranges: ["on[j]: time >= 0 & u[j] > -1"], relations: ["u[j] = u[j] + j",
        "v = integral(sum(u[j] for j when on[j]))", "w = integral(u[1] + u[2] + u[3])"]"#;
    let run = table("step: 1, stop: 4, integral: trapezoid", rest).into_run();
    assert_eq!(course(&run, "v"), course(&run, "w"));
    assert_eq!(course(&run, "w")[1], 9.0);
}

#[test]
fn a_delay_of_a_simultaneous_scan_reads_its_length_with_the_rest() {
    let rest = r#"reals: {"tau": 0.1, "d": 0, "e": 0, "y": 0}, relations: ["y = integral(1)",
        "tau = 0.4", "d = delay(y, tau)", "tau = 0.1", "e = delay(y, 0.1)"]"#;
    let run = table("step: 0.1, stop: 1, scan: simultaneous", rest).into_run();
    let [d, e] = ["d", "e"].map(|name| course(&run, name));
    for (d, e) in d.iter().zip(&e) {
        assert!((d - e).abs() < 1e-12, "{d} {e}");
    }
}

#[test]
fn times_that_ticks_miss_by_rounding_are_reached() {
    let rest = r#"reals: {"s": 0, "b": 0, "r": 0, "p": 0, "c": 0, "l": 0},
        ranges: ["q: time >= 0.9", "late: 0.9 <= time", "before: time < 0.9", "over: time > 0.9"],
        situations: ["event arise: q", "event beat: every(0.9)"],
        relations: ["s = step(0.9)", "b := b + 1 when beat", "r := 1 when arise",
        "p = pulse(0.9, 0.3)", "c = 1 when q", "l = 1 when late"]"#;
    let run = table("step: 0.3, stop: 2.4", rest).into_run();
    // The third tick ends a little below 0.9.
    let from_fourth = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    for name in ["s", "r", "c", "l", "q", "late"] {
        assert_eq!(course(&run, name), from_fourth, "{name}");
    }
    assert_eq!(
        course(&run, "b"),
        [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0]
    );
    assert_eq!(
        course(&run, "p"),
        [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    );
    assert_eq!(course(&run, "before")[3..5], [1.0, 0.0]);
    assert_eq!(course(&run, "over")[4..6], [0.0, 1.0]);
}

/// The time is that of the tick's beginning throughout, and behind the tick that of its end, also in functions of it.
#[test]
fn functions_of_the_time_read_the_time_that_others_read() {
    let rest = r#"reals: {"a": 0, "b": 0, "c": 0}, relations: ["a = integral(time)", "b = integral(ramp(0))",
        "c = integral(2 * sine_wave(0.25))"]"#;
    let run = table("step: 0.5, stop: 2, integral: trapezoid", rest).into_run();
    assert_eq!(course(&run, "a"), [0.0, 0.0, 0.25, 0.75, 1.5]);
    assert_eq!(course(&run, "b"), course(&run, "a"));
    let rectangle = table("step: 0.5, stop: 2", rest).into_run();
    assert_eq!(course(&run, "c"), course(&rectangle, "c"));
    let mut table = rectangle.table;
    let measures = [
        Measure::Max(table.expr("ramp(0)")),
        Measure::Max(table.expr("time")),
        Measure::First(table.watch("ramp(0) >= 1")),
        Measure::At(table.expr("ramp(0.5)"), 1.0),
    ];
    assert_eq!(table.into_run().measure(measures), [2.0, 2.0, 1.0, 0.5]);
}
