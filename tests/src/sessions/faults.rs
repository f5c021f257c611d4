//! Going back in runs that fail or spend a budget, and runs that go on after a change that is none of theirs.

use std::sync::Arc;

use situ_console::{Console, MemoryFiles, Reply};

/// A session with a table in a file.
fn session(table: &str) -> Console {
    let files = MemoryFiles::default();
    files.put("table.ron", table);
    let mut console = Console::new(Arc::new(files));
    assert!(!say(&mut console, "load table.ron").failed);
    console
}

fn say(console: &mut Console, line: &str) -> Reply {
    console.execute(line, &mut ())
}

/// What a session answers, all of it without a fault.
fn answers(console: &mut Console, lines: &[&str]) -> Vec<String> {
    let mut answers = Vec::new();
    for line in lines {
        let reply = say(console, line);
        assert!(!reply.failed, "{line}: {}", reply.text);
        answers.push(reply.text);
    }
    answers
}

fn value(console: &mut Console, name: &str) -> f64 {
    let value = console.value(name).and_then(|value| value.as_f64());
    value.unwrap_or_else(|| panic!("no `{name}`"))
}

/// Commands that do parts of the past again.
const QUESTIONS: &[&str] = &[
    "coverage",
    "blame x",
    "trace x",
    "why x",
    "curves x into 2",
    "curves x",
    "plot x",
    "events",
    "margins",
    "tight",
    "explain",
    "back",
    "step",
    "goto start",
    "goto end",
    "export out.csv",
];

const BEATS: &str = r#"(format: 1, clock: (stepping: events, stop: 6, MORE rtol: 1e-9, step: 0.01),
    constants: {"k": 1}, reals: {"x": 1, "v": 0, "y": 0},
    ranges: ["L: time >= 2", "M: time < 4", "low: x < 0.2"], situations: ["event e: low", "event b: every(1.5)"],
    relations: ["v = integral(-k*x)", "v = integral(-0.5*v) when L", "x = integral(v)", "x := x + 0.1 when b",
        "v := -v when e", "[y] y = x*v when M"])"#;

/// x goes to 4, where the root is one of a negative number.
const ROOT: &str = r#"(format: 1, clock: (stepping: events, stop: 10, step: 0.25), reals: {"x": 1, "s": 0},
    relations: ["x = integral(1)", "s = sqrt(5 - x)"])"#;

#[test]
fn steps_that_are_done_again_spend_no_budget() {
    let mut console = session(&BEATS.replace("MORE", "max_steps: 25,"));
    for _ in 0..9 {
        answers(&mut console, &["goto start", "finish", "coverage"]);
    }
    assert_eq!(console.time(), 6.0);
}

#[test]
fn the_past_of_a_run_without_budget_answers() {
    let mut console = session(&BEATS.replace("MORE", "max_steps: 10,"));
    let reply = say(&mut console, "run");
    assert!(
        reply.failed && reply.text.contains("R025"),
        "{}",
        reply.text
    );
    let end = console.time();
    for line in QUESTIONS {
        let reply = say(&mut console, line);
        assert!(!reply.text.contains("run before"), "{line}: {}", reply.text);
        say(&mut console, "goto end");
        assert_eq!(console.time().to_bits(), end.to_bits(), "{line}");
    }
}

#[test]
fn the_past_of_a_run_that_failed_inside_a_step_answers() {
    for stepping in ["events", "tick"] {
        let mut console = session(&ROOT.replace("events", stepping));
        let reply = say(&mut console, "run");
        assert!(
            reply.failed && reply.text.contains("R001"),
            "{}",
            reply.text
        );
        let end = [console.time(), value(&mut console, "x")];
        assert!((end[0] - 4.0).abs() < 1e-6, "{end:?}");
        assert!((end[1] - 5.0).abs() < 1e-6, "{end:?}");
        assert!(value(&mut console, "s").is_finite());
        let at = answers(
            &mut console,
            &["x at 3", "x at 1.5", "goto 3", "x", "goto end"],
        );
        assert_eq!(at[0].trim(), "x = 4", "{stepping}");
        assert_eq!(at[1].trim(), "x = 2.5", "{stepping}");
        assert_eq!(at[3].trim(), "x = 4", "{stepping}");
        for line in QUESTIONS {
            let reply = say(&mut console, line);
            assert!(!reply.text.contains("run before"), "{line}: {}", reply.text);
            say(&mut console, "goto end");
            let now = [console.time(), value(&mut console, "x")];
            assert_eq!(now.map(f64::to_bits), end.map(f64::to_bits), "{line}");
        }
    }
}

/// What was done after a run had failed is done again by the session's script.
#[test]
fn a_session_that_failed_is_read_again() {
    let mut console = session(ROOT);
    assert!(say(&mut console, "run").failed);
    answers(
        &mut console,
        &["set x = 0", "run to 6", "save session.situ"],
    );
    let end = [console.time(), value(&mut console, "x")];
    answers(&mut console, &["read session.situ"]);
    assert_eq!([console.time(), value(&mut console, "x")], end);
}

/// A row that does not hold any longer wrote its real until then.
#[test]
fn a_row_writes_up_to_where_it_ends() {
    let mut console = session(&BEATS.replace("MORE", ""));
    let said = answers(&mut console, &["run", "why y", "trace y"]);
    assert!(said[1].contains("wrote it last, at t = 4\n"), "{}", said[1]);
    let line = said[2].lines().find(|line| line.contains("[y]")).unwrap();
    assert_eq!(line.split_whitespace().nth(1), Some("4"), "{}", said[2]);
}

const BALL: &str = r#"(format: 1, clock: (stepping: events, stop: 6, step: 0.001),
    constants: {"g": 9.81, "e": 0.7}, reals: {"h": 1, "v": 0},
    ranges: ["low: h <= 0", "down: v < 0"], situations: ["event hit: low & down"],
    relations: ["v = integral(-g)", "h = integral(v)", "v := -e * v when hit"])"#;

/// A speed of zero that is going to be negative at once does not turn negative on the way.
#[test]
fn what_holds_right_behind_the_start_has_not_arisen() {
    for line in ["run until h > 0.2 & v < 0", "run until v < 0"] {
        let mut console = session(BALL);
        answers(&mut console, &[line]);
        // After the bounce at sqrt(2 / 9.81) it rises for another 0.7 of that.
        let turn = 1.7 * (2.0_f64 / 9.81).sqrt();
        assert!(
            (console.time() - turn).abs() < 1e-6,
            "{line}: {}",
            console.time()
        );
    }
    let mut console = session(BALL);
    answers(&mut console, &["break v < 0", "run"]);
    assert!(console.time() > 0.4, "{}", console.time());
}

const RISES: &str = r#"(format: 1, clock: (stepping: events, stop: 2), reals: {"x": 0}, relations: ["x = integral(1)"])"#;

/// What begins and ends within one step of the method is found, forward and back, and its place in the step.
#[test]
fn what_holds_within_a_step_is_found() {
    let mut console = session(RISES);
    for (line, time) in [
        ("run until x > 0.3 & x < 0.45", 0.3),
        ("run until x > 1.2 & x < 1.35", 1.2),
        ("back until x > 0.3 & x < 0.45", 0.3),
        ("back until x > 0.1", 0.1),
        ("run to 2", 2.0),
        ("back until x > 1.5 & x < 1.7", 1.5),
        ("back until x > 0.5", 0.5),
        ("break x > 0.7 & x < 0.9", 0.5),
        ("run", 0.7),
        ("run", 2.0),
    ] {
        answers(&mut console, &[line]);
        assert!(
            (console.time() - time).abs() < 1e-9,
            "{line}: {}",
            console.time()
        );
    }
    assert!(say(&mut console, "back until x > 3").failed);
    assert_eq!(console.time(), 2.0);
}

#[test]
fn conditions_may_begin_with_a_word_of_stops() {
    let mut console = session(BALL);
    let said = answers(
        &mut console,
        &[
            "break time > 3",
            "break time 2",
            "break once time + h >= 4",
            "run",
            "run",
        ],
    );
    assert!(said[0].starts_with("1: time > 3"), "{}", said[0]);
    assert!(said[3].contains("2: time 2"), "{}", said[3]);
    assert!((console.time() - 3.0).abs() < 1e-9, "{}", console.time());
}

#[test]
fn a_row_without_an_id_comes_back_by_its_number() {
    let mut console = session(BALL);
    let rules = answers(&mut console, &["rules"]);
    answers(
        &mut console,
        &["disable 1", "disable 2", "enable 2", "enable relations.1"],
    );
    assert_eq!(answers(&mut console, &["rules"]), rules);
}

/// Stop, rows, budgets and names are nothing that a run depends on.
#[test]
fn a_change_that_is_none_leaves_every_bit() {
    let names = ["x", "v", "y"];
    for stepping in ["events", "tick"] {
        let table = BEATS.replace("MORE", "").replace("events", stepping);
        let mut whole = session(&table);
        answers(&mut whole, &["run"]);
        let bits = |console: &mut Console, names: [&str; 3]| {
            names.map(|name| value(console, name).to_bits())
        };
        for (change, names) in [
            ("set stop = 6", names),
            ("set stop = 7", names),
            ("set max_steps = 1000", names),
            ("rename v speed", ["x", "speed", "y"]),
        ] {
            let mut console = session(&table);
            answers(&mut console, &["run to 1.23", change, "run to 6"]);
            let found = bits(&mut console, names);
            assert_eq!(
                found,
                bits(&mut whole, ["x", "v", "y"]),
                "{stepping}: {change}"
            );
        }
    }
}

/// Ticks that begin inside a step of a run with events have no tick before them.
#[test]
fn ticks_that_begin_behind_events_are_asked() {
    let mut console = session(BALL);
    let lines = [
        "run to 1e-9",
        "set stepping = tick",
        "margins",
        "tight",
        "why h",
        "why low",
        "why not hit",
    ];
    answers(&mut console, &lines);
}
