//! Rows that are added, names that are changed, elements of families that are named.

use std::sync::Arc;

use super::past::{said, session};
use crate::{Console, MemoryFiles};

/// What the session says against a line.
fn refused(console: &mut Console, line: &str) -> String {
    let reply = console.execute(line, &mut ());
    assert!(reply.failed, "{line}: {}", reply.text);
    reply.text
}

const NUMBERED: &str = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"a": 0, "b": 0, "c": 0, "d": 0},
    relations: ["[1] a = integral(1)", "[2] b = 2 * a"])"#;

#[test]
fn a_new_row_gets_a_number_that_no_row_has() {
    let (_, mut console) = session(NUMBERED);
    said(
        &mut console,
        &["add before 2: c = 3 * a", "d = 4 * a", "drop 1"],
    );
    let rules = said(&mut console, &["rules"]);
    for row in ["[3] c = 3 * a", "[2] b = 2 * a", "[4] d = 4 * a"] {
        assert!(rules.contains(row), "{rules}");
    }
    let (_, mut console) = session(NUMBERED);
    said(&mut console, &["disable 2", "c = 3 * a", "enable 2"]);
    let rules = said(&mut console, &["rules"]);
    assert!(
        rules.contains("[2] b = 2 * a") && rules.contains("[3] c = 3 * a"),
        "{rules}"
    );
    // Where no row has a number as its id, the place is its number.
    let (files, mut console) = session(
        r#"(format: 1, clock: (step: 1), reals: {"a": 0, "b": 0}, relations: ["a = integral(1)"])"#,
    );
    said(&mut console, &["b = 2 * a", "save own.ron"]);
    assert!(files.get("own.ron").unwrap().contains(r#""b = 2 * a""#));
}

#[test]
fn shapes_and_cases_do_not_stand_in_the_way_of_a_name() {
    let (files, mut console) = session(
        r#"(format: 1, clock: (step: 1), constants: {"k": 1}, reals: {"h": 1}, cases: {"h": (set: {"k": 2})},
        ranges: [(name: "low", all: [("h", "<", 0.5)])], situations: [(name: "deep", all: ["low"])],
        relations: ["h = integral(-k) when !deep"],
        scene: (view: (0, 2, 2, 0), rows: ["circle h: at (1, h), radius 0.1"]))"#,
    );
    said(
        &mut console,
        &[
            "rename h q",
            "rename low under",
            "rename deep far",
            "save own.ron",
        ],
    );
    let text = files.get("own.ron").unwrap();
    for part in [
        "circle h: at (1, q)",
        r#""h": (set: {"k": 2})"#,
        r#"(name: "under", all: [("q","#,
        r#"(name: "far", all: ["under"])"#,
        "q = integral(-k) when !far",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn families_and_their_elements_are_names_and_no_commands() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (step: 1, stop: 9), counters: {"i": "1 .. 2", "j": "1 .. 2"},
        reals: {"u[i, j]": 0, "b[i]": 1}, relations: ["u[i, j] = integral(i)"])"#,
    );
    said(&mut console, &["run to 3"]);
    for (line, known) in [
        ("u", "u[1,1] = 3\nu[1,2] = 3\nu[2,1] = 6\nu[2,2] = 6\n"),
        ("b", "b[1] = 1\nb[2] = 1\n"),
        ("u[1..2, 2] at 1", "u[1,2] = 1\nu[2,2] = 2\n"),
    ] {
        assert_eq!(said(&mut console, &[line]), known);
    }
    assert_eq!(console.time(), 3.0);
    let text = said(&mut console, &["show u"]);
    let short = "u[1,1] .. u[2,2]: 4 elements, from 3 (`u[1,1]`) to 6 (`u[2,2]`), mean 4.5";
    assert!(
        text.starts_with(short) && text.contains("  u[i, j] = integral(i)\n"),
        "{text}"
    );
    let text = refused(&mut console, "why u");
    assert!(text.contains("is a family"), "{text}");
    let text = refused(&mut console, "u[3, 1]");
    assert!(
        !text.contains("command") && text.contains("u[3,1]"),
        "{text}"
    );
    assert_eq!(said(&mut console, &["u[2, 1]"]), "u[2,1] = 6\n");
    said(
        &mut console,
        &[
            "set u[2, 1] = 7",
            "why u[2, 1]",
            "break change u[2, 1]",
            "watch b[ 1 ]",
        ],
    );
    assert_eq!(
        said(&mut console, &["print u[2,1] * 2 at 3"]),
        "u[2,1] * 2 = 14\n"
    );
}

#[test]
fn a_row_of_elements_is_meant_by_its_number() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (step: 1, stop: 9), counters: {"i": "1 .. 2"}, reals: {"u[i]": 0, "c": 0},
        ranges: ["late: time > 3"], relations: ["u[i] = integral(i) when late", "c = 3 * u[1]"])"#,
    );
    assert!(said(&mut console, &["show rule 1"]).contains("u[1] = integral(1) when late"));
    let text = said(&mut console, &["break rule 1", "run"]);
    assert!(
        text.contains("t = 5") && text.contains("break 1: rule 1"),
        "{text}"
    );
    assert!(refused(&mut console, "break rule 7").contains("7"));
}

/// A body that rests behind a Zeno limit, by a speed that its bounces count down, can be edited.
#[test]
fn what_rests_can_be_edited() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 4.5), reals: {"n": 0, "y": 5, "vy": 0},
        situations: ["event hit: y <= 0"],
        relations: ["n := n + 1 when hit", "y, vy := 0, 0.6^n * 9.9 when hit", "y = integral(vy)", "vy = integral(-9.81)"])"#;
    for edit in ["set n = 0", "set rtol = 1e-7", "real q = 3", "disable 1"] {
        let (_, mut console) = session(table);
        said(&mut console, &["run", edit, "run for 1"]);
        let y: f64 = said(&mut console, &["y"])
            .trim_start_matches("y = ")
            .trim()
            .parse()
            .unwrap();
        assert!(y.abs() < 1e-9, "{edit}: {y}");
    }
}

/// Beats that were over are over under another grid and another period, and those that are to come, come.
#[test]
fn beats_go_on_through_edits() {
    let table = r#"(format: 1, clock: (step: 0.01, stop: 10), constants: {"P": 0.5}, reals: {"m": 0},
        relations: ["m := m + 1 when every(P)"])"#;
    let events = table.replace("step: 0.01", "step: 0.01, stepping: events");
    for (table, edit, expected) in [
        (table, "set P = 0.7", 5.0),
        (table, "set P = 0.1", 22.0),
        (table, "set dt = 0.02", 6.0),
        (&*events, "set stepping = tick", 6.0),
        (&*events, "set P = 0.7", 5.0),
    ] {
        let (_, mut console) = session(table);
        said(&mut console, &["run to 1.22", edit, "run to 3.22"]);
        assert_eq!(
            said(&mut console, &["m"]),
            format!("m = {expected}\n"),
            "{edit}"
        );
    }
}

/// A row of a delay that is added goes on as if it had been there from the start, in both orders of the scan.
#[test]
fn an_added_delay_reads_the_past_of_its_scan() {
    for scan in ["sequential", "simultaneous"] {
        let table = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 3, scan: {scan}), reals: {{"x": 0, "d": 0}}, relations: ["x = integral(1)"])"#
        );
        let whole = table.replace("integral(1)\"", "integral(1)\", \"d = delay(x, 0.3)\"");
        let d = |table: &str, lines: &[&str]| {
            let (_, mut console) = session(table);
            said(&mut console, lines);
            said(&mut console, &["run to 1.2", "d"])
        };
        let added = d(&table, &["run to 1", "d = delay(x, 0.3)"]);
        assert_eq!(added, d(&whole, &[]), "{scan}");
    }
}

/// A value that was set goes with its name, as one that is set in mid-run does.
#[test]
fn a_text_without_a_name_has_no_value_set_for_it() {
    let table = |names: &str| {
        format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {{"k": 1}}, reals: {{"x": 0}}, {names}
            relations: ["x = integral(k)"])"#
        )
    };
    let [with, without] = [r#"switches: {"a": false},"#, r#"ranges: ["a: x > 5"],"#].map(table);
    for text in [without, table("")] {
        let (files, mut console) = session(&with);
        said(&mut console, &["set a = true", "set k = 2"]);
        files.put("table.ron", text.as_str());
        said(&mut console, &["reload", "run to 1"]);
        assert_eq!(said(&mut console, &["x"]), "x = 2\n");
        let (_, mut console) = session(&with);
        let rewrite = format!("rewrite {}", serde_json::to_string(&text).unwrap());
        said(&mut console, &["set a = true", "set k = 2", &rewrite]);
        assert_eq!(said(&mut console, &["k"]), "k = 2\n");
    }
}

/// A constant is what it was set to in mid-run, whatever the expression would come to later.
#[test]
fn a_constant_that_was_set_to_an_expression_keeps_its_value() {
    let table = |stepping: &str| {
        format!(
            r#"(format: 1, clock: (step: 0.1, stop: 3{stepping}), constants: {{"c": 3, "k": 1}}, reals: {{"x": 0}},
            relations: ["x = integral(c + 0 * k)"])"#
        )
    };
    let edits = [
        "title foo",
        "set rtol = 1e-5",
        "set k = 5",
        "real y = 3",
        "set dt = 0.05",
        "reset",
        "rerun k = 2",
    ];
    for stepping in ["", ", stepping: events"] {
        // x has run to 3 * 0.2.
        for (value, expected) in [("x + 1", 1.6), ("2 * k", 2.0), ("2 * c", 6.0), ("1.6", 1.6)] {
            let (_, mut console) = session(&table(stepping));
            said(
                &mut console,
                &["run to 0.2", &format!("set c = {value}"), "run to 0.5"],
            );
            for edit in edits {
                said(&mut console, &[edit]);
                let c = console.value("c").and_then(|c| c.as_f64()).unwrap();
                assert!((c - expected).abs() < 1e-12, "{value}, {edit}: {c}");
                let knobs = said(&mut console, &["knobs"]);
                assert!(knobs.lines().any(|line| line.starts_with("c ")), "{knobs}");
            }
        }
    }
}

/// A tolerance stands behind a value only, at the prompt as in a table.
#[test]
fn a_bound_has_no_tolerance_at_the_prompt() {
    let (files, mut console) = session(NUMBERED);
    for text in [
        "time < 1 +- 9",
        "time < 1 ± 9",
        "!(time > 5) & time < 1 +- 9",
    ] {
        let refusal = refused(&mut console, &format!("expect {text}"));
        assert!(refusal.contains("X001"), "{refusal}");
        files.put("wrong.situ", format!("expect {text}\n"));
        let refusal = refused(&mut console, "read wrong.situ");
        assert!(refusal.contains("X001"), "{refusal}");
    }
    said(&mut console, &["expect time < 1 + -0.5", "expect time < 1"]);
}

/// `_` is the last number in what calculates; texts, names and remarks keep it.
#[test]
fn the_last_number_gets_into_no_text() {
    let table = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"k": 1}, reals: {"x": 0},
        // rate _ see below
        relations: ["x = integral(k)"])"#;
    let (files, mut console) = session(table);
    said(&mut console, &["k"]);
    let named = table.replace(r#""x": 0"#, r#""x": 0, "_": 2"#);
    let named = named.replace("integral(k)", "integral( _ )");
    let rewrite = format!("rewrite {}", serde_json::to_string(&named).unwrap());
    said(&mut console, &[&rewrite, "save! a.ron"]);
    assert_eq!(files.get("a.ron").unwrap(), named);

    let (files, mut console) = session(table);
    said(&mut console, &["k * 4"]);
    said(
        &mut console,
        &[
            "save a _ b.ron",
            "real y = _ # half of _",
            "set k = _",
            "title about a _ b",
        ],
    );
    assert!(files.get("a _ b.ron").is_some());
    assert_eq!(said(&mut console, &["y + k + _"]), "y + k + 4 = 12\n");
    let text = said(&mut console, &["table"]);
    assert!(
        text.contains("half of _") && text.contains("a _ b"),
        "{text}"
    );
}

/// Data of a lookup are a part of what was read: nothing is written over them, an edit leaves them as they were, and
/// a script and a page notice that the file has changed.
#[test]
fn data_of_a_lookup_are_read_with_the_table() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 1), constants: {"k": 1}, reals: {"y": 0},
        lookups: {"f": (file: "data.csv", x: "a", y: "b")}, relations: ["y = k * f(time)"])"#;
    let files = MemoryFiles::default();
    files.put("table.ron", table);
    files.put("data.csv", "a,b\n0,1\n1,3\n");
    let mut console = Console::new(Arc::new(files.clone()));
    said(&mut console, &["load table.ron", "run", "save s.situ"]);
    assert_eq!(said(&mut console, &["y"]), "y = 3\n");
    let refusal = refused(&mut console, "export data.csv");
    assert!(
        refusal.contains("would write over `data.csv`, which is read"),
        "{refusal}"
    );
    assert!(!console.is_stale());

    files.put("data.csv", "a,b\n0,1\n1,5\n");
    assert!(console.is_stale());
    said(&mut console, &["rerun k = 2"]);
    assert_eq!(said(&mut console, &["y"]), "y = 6\n");
    let changed = refused(&mut Console::new(Arc::new(files)), "read s.situ");
    assert!(changed.contains("is not what it was"), "{changed}");
    said(&mut console, &["reload", "rerun k = 1"]);
    assert_eq!(said(&mut console, &["y"]), "y = 5\n");
    assert!(!console.is_stale());
}

/// Scripts that read one another end at a depth.
#[test]
fn scripts_are_read_inside_one_another_up_to_a_depth() {
    let (files, mut console) = session(NUMBERED);
    for depth in 0..400 {
        files.put(
            format!("{depth}.situ"),
            format!("step\nread {}.situ\n", depth + 1),
        );
    }
    let refusal = refused(&mut console, "read 0.situ");
    assert!(
        refusal.contains("`32.situ` is not read: 32 scripts"),
        "{refusal}"
    );
    files.put("3.situ", "step 2\n");
    said(&mut console, &["load table.ron", "read 0.situ"]);
    assert_eq!(console.time(), 0.5);
}

/// What is set by hand makes conditions true as a reset does: their events fire as the run goes on, in ticks and
/// event-accurately, by an event row, by a transition of a machine, and counted; also behind a look at the past. By hand:
/// heated from 10 on, T tends to 30.
#[test]
fn what_is_set_fires_events() {
    let rows = r#"ranges: ["cold: T <= 12"], situations: ["event sw: cold"], assignments: ["when sw: on"],
        switches: {"on": false}, relations: ["T = integral(0.3 * (10 - T))", "T = integral(6) when on", "n = counter(cold)"])"#;
    let machine = r#"machines: {"m": (start: "off", states: {"off": ["T = integral(0.3 * (10 - T))"],
        "on": ["T = integral(0.3 * (30 - T))"]}, transitions: ["[sw] off -> on when T <= 12: n := n + 1"])})"#;
    for rest in [rows, machine] {
        for clock in ["stepping: events", "step: 0.00001"] {
            let table = format!(
                "(format: 1, clock: (stop: 5, {clock}), reals: {{\"T\": 19, \"n\": 0}}, {rest}"
            );
            let (_, mut console) = session(&table);
            said(
                &mut console,
                &[
                    "run for 0.1",
                    "set T = 10",
                    "run for 0.5",
                    "back 1",
                    "goto end",
                ],
            );
            let known = 30.0 - 20.0 * (-0.15_f64).exp();
            for (name, known) in [("T", known), ("n", 1.0)] {
                let text = said(&mut console, &[name]);
                let words: Vec<&str> = text.split_whitespace().collect();
                let found: f64 = words[2].parse().unwrap();
                assert!(
                    (found - known).abs() < 2e-4,
                    "{clock} {rest}: {name} = {found}"
                );
            }
        }
    }
    // A row that an edit adds finds the present true already.
    let (_, mut console) = session(
        r#"(format: 1, clock: (stop: 5, stepping: events), reals: {"x": 1, "n": 0}, relations: ["x = integral(1)"])"#,
    );
    said(
        &mut console,
        &[
            "run for 1",
            "event late: x > 1.5",
            "n := n + 1 when late",
            "run for 1",
        ],
    );
    assert!(said(&mut console, &["n"]).contains("n = 0"));
}
