//! Looking at the past: it changes nothing, and shows what was.

use std::sync::Arc;

use crate::{Console, MemoryFiles};

/// A session with a table.
pub(super) fn session(table: &str) -> (MemoryFiles, Console) {
    let files = MemoryFiles::default();
    files.put("table.ron", table);
    let mut console = Console::new(Arc::new(files.clone()));
    said(&mut console, &["load table.ron"]);
    (files, console)
}

/// What the last of some lines shows.
pub(super) fn said(console: &mut Console, lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}: {}", reply.text);
        text = reply.text;
    }
    text
}

/// The words of the first line that begins so.
fn line<'t>(text: &'t str, begin: &str) -> Vec<&'t str> {
    let mut lines = text.lines().map(str::trim);
    let found = lines.find(|line| line.starts_with(begin));
    let found = found.unwrap_or_else(|| panic!("no line `{begin}` in\n{text}"));
    found.split_whitespace().collect()
}

const BALL: &str = r#"(format: 1, clock: (stepping: events, stop: 10), reals: {"v": 0, "h": 2, "s": 0},
    ranges: ["below: h <= 0", "down: v < 0"], situations: ["event bounce: below & down"],
    relations: ["v = integral(-9.81)", "v := -0.8 * v when bounce", "h = integral(v)", "s = integral(1)"])"#;

const SINE: &str = r#"(format: 1, clock: (stepping: events, stop: 10), constants: {"A": 1}, reals: {"s": 0, "y": 0},
    relations: ["s = integral(A)", "y = A * sin(time)^2"])"#;

const COUNT: &str =
    r#"(format: 1, clock: (step: 0.1, stop: 10), reals: {"s": 0}, relations: ["s = integral(1)"])"#;

/// However short the time is for which it holds, and where a run that goes on behind it stops again.
#[test]
fn the_stop_of_a_table_is_located_as_in_a_run() {
    let table = r#"(format: 1, clock: (stop: 20, stepping: events, stop_when: "x > 0.999999"), reals: {"x": 0, "v": 1},
        relations: ["x = integral(v)", "v = integral(-x)"])"#;
    let first = f64::asin(0.999999);
    for method in ["auto", "tsit5", "radau", "rk4"] {
        let (_, mut console) = session(table);
        let settings = [&format!("set method = {method}")[..], "set step = 0.001"];
        said(&mut console, &settings[..1 + usize::from(method == "rk4")]);
        for turns in 0..3 {
            let stopped = said(&mut console, &["run"]);
            assert!(stopped.contains("`stop_when` holds"), "{method}: {stopped}");
            let known = first + f64::from(turns) * std::f64::consts::TAU;
            assert!(
                (console.time() - known).abs() < 2e-4,
                "{method}: {known}, not {}",
                console.time()
            );
        }
        said(&mut console, &["run"]);
        assert_eq!(console.time(), 20.0, "{method}");
    }
    // In ticks it is known at their ends.
    let (_, mut console) = session(table);
    said(
        &mut console,
        &[
            "set stepping = tick",
            "set step = 0.01",
            "set stop_when = x > 0.9",
        ],
    );
    for known in [1.12, 7.41, 13.69] {
        said(&mut console, &["run"]);
        assert!((console.time() - known).abs() < 1e-9, "{}", console.time());
    }
}

/// A condition that arises and ends between two places of one step is located, alone and where several turn in the step.
#[test]
fn what_holds_within_a_step_only_is_located() {
    let thrown = r#"(format: 1, clock: (stepping: events, stop: 4), reals: {"v": 5, "h": 0},
        relations: ["v = integral(-9.81)", "h = integral(v)"])"#;
    let top = 5.0 / 9.81;
    // Times at which a height is passed, from 5 t - 9.81 t^2 / 2.
    let rising = |height: f64| top - (top * top - 2.0 * height / 9.81).sqrt();
    let falling = |height: f64| 2.0 * top - rising(height);
    let cases = [
        ("h > 1.27", rising(1.27)),
        ("h > 1.2742", rising(1.2742)),
        ("h > 1.27 & v < 0", top),
        ("h > 1.27 & h < 1.271 & v < 0", falling(1.271)),
        ("abs(h - 1.2) < 1e-3", rising(1.2 - 1e-3)),
    ];
    for method in ["auto", "radau"] {
        for (condition, known) in &cases {
            for command in ["run until", "break"] {
                let (_, mut console) = session(thrown);
                let lines = [
                    &format!("set method = {method}")[..],
                    &format!("{command} {condition}"),
                ];
                said(&mut console, &lines);
                if command == "break" {
                    said(&mut console, &["run"]);
                }
                let found = console.time();
                assert!(
                    (found - known).abs() < 1e-6,
                    "{method}, {command} {condition}: {found}, not {known}"
                );
                said(
                    &mut console,
                    &[
                        "delete all",
                        "run until time >= 3",
                        &format!("back until {condition}"),
                    ],
                );
                let back = console.time();
                assert!(
                    (back - known).abs() < 1e-6 || condition.contains("abs"),
                    "{method}, {condition}: {back}"
                );
            }
        }
        let (_, mut console) = session(thrown);
        let missed = said(&mut console, &["run until h > 1.2743"]);
        assert!(missed.contains("never"), "{method}: {missed}");
    }
}

/// What holds where an event is located has held, whatever the event does then.
#[test]
fn what_held_up_to_an_event_is_seen() {
    let fires = r#"(format: 1, clock: (stepping: events, stop: 3.5), reals: {"x": 0, "n": 0, "y": 0},
        situations: ["event full: x >= 1"], relations: ["x = integral(1)", "x, n := 0, n + 1 when full", "y = min(x, 0)"])"#;
    for (condition, part) in [("x >= 1", 1.0), ("x > 0.99", 0.99), ("x > 1", 1.0)] {
        let (_, mut console) = session(fires);
        for turn in 0..3 {
            said(&mut console, &[&format!("run until {condition}")]);
            let known = f64::from(turn) + part;
            assert!(
                (console.time() - known).abs() < 1e-9,
                "{condition}: {}",
                console.time()
            );
        }
        said(&mut console, &[&format!("back until {condition}")]);
        assert!(
            (console.time() - 1.0 - part).abs() < 1e-9,
            "{condition}: {}",
            console.time()
        );
    }
    // What rests on its border is not reached by each event.
    for condition in ["y < 0", "x > 1.5"] {
        let (_, mut console) = session(fires);
        let missed = said(&mut console, &[&format!("run until {condition}")]);
        assert!(
            missed.contains("never became true"),
            "{condition}: {missed}"
        );
    }
}

/// A run that stops at a microstep stops behind its rows, and goes on with the next.
#[test]
fn a_run_stops_behind_a_microstep() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 3, stop_when: "n >= 1"), reals: {"x": 0, "n": 0, "m": 0},
        situations: ["event a: x >= 1", "event b: n >= 1"],
        relations: ["x = integral(1)", "n := 1 when a", "m := m + 10 when b"])"#;
    for lines in [
        &["run"][..],
        &["finish"],
        &["run until n >= 1"],
        &["run until a"],
        &["run until x >= 1"],
        &["break n >= 1", "run to 2"],
        &["break a", "run to 2"],
        &["break rule 2", "run to 2"],
        &["watch n", "run to 2"],
        &["run to 2", "back until n >= 1"],
        &["run to 2", "back change n"],
    ] {
        let (files, mut console) = session(table);
        let mut stands = |lines: &[&str]| {
            said(&mut console, lines);
            (
                console.time(),
                ["n", "m"].map(|name| console.value(name).unwrap().as_f64().unwrap()),
            )
        };
        assert_eq!(stands(lines), (1.0, [1.0, 0.0]), "{lines:?}");
        assert_eq!(
            stands(&["state", "events", "trace m", "plot m", "why n"]),
            (1.0, [1.0, 0.0]),
            "{lines:?}"
        );
        assert_eq!(
            stands(&["save s.situ", "step"]),
            (1.0, [1.0, 10.0]),
            "{lines:?}"
        );
        assert_eq!(
            stands(&["undo", "delete all", "run"]),
            (3.0, [1.0, 10.0]),
            "{lines:?}"
        );
        assert_eq!(
            stands(&["undo", "set stop = 2", "run"]),
            (2.0, [1.0, 10.0]),
            "{lines:?}"
        );
        // A change does not lose the rest of the instant.
        for line in ["set x = 1.5", "set dt = 0.5", "rename x y", "n := 2 when a"] {
            assert_eq!(stands(&["undo 2"]).1, [1.0, 0.0], "{lines:?}, {line}");
            assert_eq!(stands(&[line, "step"]).1, [1.0, 10.0], "{lines:?}, {line}");
        }
        let mut again = Console::new(Arc::new(files));
        said(&mut again, &["read s.situ"]);
        assert_eq!(said(&mut again, &["m"]), "m = 0\n", "{lines:?}");
    }
    // A truth of one microstep, and the next stop in the same instant.
    let (_, mut console) = session(table);
    assert!(said(&mut console, &["run", "why m"]).contains("m = 0"));
    assert!(said(&mut console, &["why not b"]).contains("b"));
    said(&mut console, &["break m > 5", "run"]);
    assert_eq!(
        (console.time(), said(&mut console, &["m"])),
        (1.0, "m = 10\n".to_owned())
    );
}

/// Beats are met by the prompt, whether the table has the schedule or not.
#[test]
fn a_beat_is_a_condition() {
    for stepping in ["events", "tick"] {
        let table = format!(
            r#"(format: 1, clock: (stepping: {stepping}, stop: 5, step: 0.1), reals: {{"x": 0}},
            situations: ["event b: every(2)"], relations: ["x = integral(1)"])"#
        );
        // The tick that begins at the beat finds it.
        let tick = if stepping == "tick" { 0.1 } else { 0.0 };
        for (lines, known) in [
            (&["run until every(2)"][..], 2.0),
            (&["run until every(1.5)"], 1.5),
            (&["run until every(3.9)"], 3.9),
            (&["run until every(1.5) & x > 2"], 3.0),
            (&["break every(2)", "run", "run"], 4.0),
            (&["break every(1.3)", "run", "run"], 2.6),
            (&["run", "back until every(2)"], 4.0),
            (&["run", "back until every(1.4)"], 4.2),
            (&["set stop_when = every(2) & x > 1", "run"], 2.0),
        ] {
            let (_, mut console) = session(&table);
            said(&mut console, lines);
            let at = console.time();
            assert!(
                (at - known - tick).abs() < 1e-9,
                "{stepping} {lines:?}: {at}"
            );
        }
    }
}

/// What holds at the start ends a run there, as it ends one of the whole table.
#[test]
fn a_stop_that_holds_at_the_start_ends_a_run_there() {
    for stepping in ["events", "tick"] {
        let (_, mut console) = session(&format!(
            r#"(format: 1, clock: (stepping: {stepping}, stop: 3, step: 0.1, stop_when: "n >= 4"), constants: {{"k": 0}},
            reals: {{"x": 0, "n": 5}}, relations: ["x = integral(1)"])"#
        ));
        for line in ["run", "finish", "run"] {
            let stopped = said(&mut console, &[line]);
            assert!(stopped.contains("`stop_when` holds"), "{stopped}");
            assert_eq!(console.time(), 0.0, "{stepping}");
        }
        said(&mut console, &["step", "run"]);
        assert_eq!(console.time(), 3.0, "{stepping}");
    }
}
/// A fixed step that does not divide the time ends there all the same.
#[test]
fn a_run_ends_at_the_time_itself() {
    let table = r#"(format: 1, clock: (stepping: events, method: rk4, h0: 0.05, stop: 2.5), reals: {"x": 0},
        relations: ["x = integral(1)"])"#;
    let (_, mut console) = session(table);
    for (line, end) in [("run to 2.25", 2.25), ("run", 2.5)] {
        said(&mut console, &[line]);
        assert_eq!(console.time(), end);
    }
}

#[test]
fn looking_behind_a_zeno_limit_moves_nothing() {
    let looks = ["timeline down", "plot s", "curves s", "trace s", "blame s"];
    for look in looks.into_iter().chain(["frames", "why down at 5.746955"]) {
        let (_, mut console) = session(BALL);
        said(&mut console, &["run to 7", look]);
        assert_eq!(console.time(), 7.0, "{look}");
        assert_eq!(
            said(&mut console, &["set s = 0", "run to 10", "s"]),
            "s = 3\n",
            "{look}"
        );
    }
    // A time between the last bounce and the limit is the limit.
    let (_, mut console) = session(BALL);
    said(&mut console, &["run to 5.746955"]);
    let stood = console.time();
    assert!(stood > 5.746955, "{stood}");
    said(&mut console, &["plot s", "step", "goto 5.746955"]);
    assert_eq!(console.time(), stood);
}

#[test]
fn branches_are_compared_at_the_same_times() {
    let (_, mut console) = session(SINE);
    let lines = [
        "branch b",
        "set A = 3",
        "run to 9",
        "checkout main",
        "run to 8",
    ];
    said(&mut console, &lines);
    let text = said(&mut console, &["compare main b"]);
    assert_eq!(line(&text, "s ")[1..], ["8", "24", "16", "8"], "{text}");
    assert_eq!(line(&text, "y ")[3], "2", "{text}");
    let own = said(&mut console, &["branch c", "run to 9", "compare main c"]);
    assert!(own.contains("equal"), "{own}");
    // Ticks of two lengths are compared where both are.
    let (_, mut console) = session(COUNT);
    let lines = [
        "branch b",
        "set dt = 0.3",
        "run to 0.9",
        "set s = 5",
        "checkout main",
    ];
    said(&mut console, &lines);
    let text = said(&mut console, &["run to 1", "compare main b"]);
    assert_eq!(line(&text, "s ")[1..], ["0.9", "5", "4.1", "0.9"], "{text}");
}

#[test]
fn each_change_at_one_time_is_blamed_for_its_own() {
    let (_, mut console) = session(COUNT);
    let lines = [
        "run to 1",
        "set s = 5",
        "set dt = 0.1",
        "run to 2",
        "blame s",
    ];
    let text = said(&mut console, &lines);
    assert!(text.contains("+4   at the prompt: set s = 5"), "{text}");
    assert!(!text.contains("set dt"), "{text}");
    let text = said(
        &mut console,
        &["real k = 3", "k = integral(2)", "run to 3", "blame k"],
    );
    assert!(
        text.starts_with("k went from 3 at t = 2 to 5 at t = 3"),
        "{text}"
    );
}

#[test]
fn memories_are_blamed_for_what_they_keep() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (stepping: events, stop: 5), reals: {"x": 0, "y": 0, "z": 0, "u": 0},
        ranges: ["high: x > 1"], relations: ["x = 2 * sin(time)", "[sm] y = smoothing(x, 0.5)",
        "[ti] z = timer(high)", "[hy] u = hysteresis(x, -1, 1)"])"#,
    );
    said(&mut console, &["run to 1"]);
    for (name, row) in [("y", "[sm]"), ("z", "[ti]"), ("u", "[hy]")] {
        let text = said(&mut console, &[&format!("blame {name}")]);
        assert!(text.contains(row) && !text.contains("[rest]"), "{text}");
    }
}

/// What a bound takes away is the share of its row, as in ticks: y would come to 3, and rests on 2.
#[test]
fn bounds_are_blamed_for_what_they_take_away() {
    for stepping in ["tick", "events"] {
        for bound in ["clamp(y, 0, 2)", "min(y, 2)", "min(y, high)"] {
            let (_, mut console) = session(&format!(
                r#"(format: 1, clock: (stepping: {stepping}, step: 0.01, stop: 6), constants: {{"high": 2}},
                reals: {{"rate": 1, "y": 0}}, situations: ["event later: time >= 2.5"],
                relations: ["rate = 1", "y = integral(rate)", "[low] y = max(y, -1)", "[high] y = {bound}"])"#
            ));
            let text = said(&mut console, &["run to 3", "blame y"]);
            assert_eq!(
                line(&text, "-1 ")[1],
                "[high]",
                "{stepping} {bound}: {text}"
            );
            let mut rest = text.lines().filter(|line| line.contains("[rest]"));
            let is_rounding = |line: &str| line.contains("e-1");
            assert!(rest.all(is_rounding), "{stepping} {bound}: {text}");
        }
    }
}

#[test]
fn the_past_is_found_under_a_new_name() {
    let (files, mut console) = session(COUNT);
    let lines = [
        "run to 1",
        "set s = 5",
        "run to 2",
        "real k = 3",
        "k = integral(2)",
        "run to 3",
    ];
    said(&mut console, &lines);
    said(&mut console, &["rename s pos", "run to 4"]);
    assert_eq!(said(&mut console, &["pos at 0.5"]), "pos = 0.5\n");
    assert!(said(&mut console, &["why pos at 0.5"]).contains("[1]"));
    let blame = said(&mut console, &["blame pos"]);
    assert!(
        blame.starts_with("pos went from 0 at t = 0 to 8 at t = 4"),
        "{blame}"
    );
    assert!(
        blame.contains("40 steps") && !blame.contains("NaN"),
        "{blame}"
    );
    assert!(line(&said(&mut console, &["trace pos"]), "0 ").contains(&"[1]"));
    let covered = said(&mut console, &["coverage"]);
    assert!(
        covered.contains("[1] pos = integral(1)   100.0 %"),
        "{covered}"
    );
    assert!(!said(&mut console, &["curves pos"]).contains("inf"));
    said(&mut console, &["export all.csv"]);
    let rows = files.get("all.csv").unwrap();
    assert_eq!(rows.lines().nth(6), Some("0.5,0.5,NaN"), "{rows}");
    // Before it was renamed it had the old name.
    assert!(
        console
            .execute("goto 0.5", &mut ())
            .text
            .contains("t = 0.5")
    );
    assert_eq!(said(&mut console, &["s"]), "s = 0.5\n");
}

#[test]
fn what_a_step_passes_is_least_and_greatest() {
    let (_, mut console) = session(BALL);
    let traced = said(&mut console, &["run to 1", "trace v"]);
    assert_eq!(
        line(&traced, "0 ")[1..],
        ["0.638551", "[1]", "0", "-6.26418", "-6.26418", "0"],
        "{traced}"
    );
    let traced = said(&mut console, &["trace down"]);
    assert_eq!(line(&traced, "0 ")[1..], ["0.638551", "true"], "{traced}");
    let traced = said(&mut console, &["trace bounce"]);
    assert_eq!(
        line(&traced, "0.638551 ")[1..],
        ["0.638551", "true"],
        "{traced}"
    );
    let parts = said(&mut console, &["curves h from 0 to 1 into 4"]);
    assert_eq!(line(&parts, "h ")[1], "0", "{parts}");
    let greatest = parts
        .lines()
        .last()
        .and_then(|line| line.split_whitespace().last());
    let expected = {
        let (fall, up) = ((4.0_f64 / 9.81).sqrt(), 0.8 * (4.0 * 9.81_f64).sqrt());
        let way = 1.0 - fall;
        up * way - 9.81 / 2.0 * way * way
    };
    let greatest: f64 = greatest.unwrap().parse().unwrap();
    assert!((greatest - expected).abs() < 1e-4, "{parts}\n{expected}");
    let fired = said(&mut console, &["run to 2", "curves bounce"]);
    assert_eq!(
        line(&fired, "bounce")[3..],
        ["false", "0.638551,", "1.66023"],
        "{fired}"
    );
    // A peak inside a step.
    let (_, mut console) = session(SINE);
    let traced = said(&mut console, &["run to 8", "trace y"]);
    assert_eq!(line(&traced, "0 ")[6], "1", "{traced}");
}

#[test]
fn an_edit_is_no_step_of_coverage() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (step: 0.1, stop: 2), reals: {"x": 0, "y": 0}, relations: ["x = integral(1)", "y = x"])"#,
    );
    let text = said(
        &mut console,
        &["run to 1", "replace 2: y = 2 * x", "coverage"],
    );
    assert!(text.contains("[2] y = x             100.0 %"), "{text}");
    assert!(text.contains("never   [2] y = 2 * x"), "{text}");
    let text = said(&mut console, &["run to 2", "coverage"]);
    assert!(
        text.contains("in 20 steps") && text.contains("[2] y = 2 * x          50.0 %"),
        "{text}"
    );
}

/// A table whose run comes to a pole at `a`.
const POLE: &str = r#"(format: 1, clock: (stepping: events, stop: 4), constants: {"a": 1}, reals: {"x": 0, "y": 1},
    relations: ["x = integral(1)", "y = integral(-1 / (a - x))"])"#;

#[test]
fn what_was_done_when_a_run_failed_is_done_again() {
    for lines in [
        &["set stop = 0.5", "run", "rerun a = 0.2"][..],
        &["set stop = 0.5", "run", "rerun a = 0.2", "rerun a = 0.1"],
        &["set stop = 0.5", "run", "rerun a = 0"],
        &["break x > 0.5", "run", "finish"],
        &["break x > 0.5", "finish"],
    ] {
        let (files, mut console) = session(POLE);
        for line in lines {
            console.execute(line, &mut ());
        }
        said(&mut console, &["save again.situ"]);
        let mut again = Console::new(Arc::new(files));
        said(&mut again, &["read again.situ"]);
        for name in ["time", "a", "x", "y"] {
            let (one, other) = (console.value(name), again.value(name));
            assert_eq!(one, other, "{lines:?}: {name}");
        }
        assert_eq!(
            console.time().to_bits(),
            again.time().to_bits(),
            "{lines:?}"
        );
        assert_eq!(
            said(&mut console, &["stops"]),
            said(&mut again, &["stops"]),
            "{lines:?}"
        );
    }
}

#[test]
fn waiting_for_a_condition_at_the_stop_ends_there() {
    let events = r#"(format: 1, clock: (stepping: events, stop: 1), reals: {"s": 0}, relations: ["s = integral(-s)"])"#;
    let ticks = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"s": 0}, relations: ["s = integral(-s)"])"#;
    for table in [ticks, events] {
        let (_, mut console) = session(table);
        let text = said(&mut console, &["run to 1", "run until s > 3"]);
        assert!(text.contains("never became true"), "{text}");
    }
}

/// An event that fires in each of several steps fires so many times, wherever the past is looked at.
#[test]
fn an_event_of_successive_steps_is_one_in_each() {
    for (stepping, begin) in [("step: 0.25", 0.0), ("stepping: events", 0.0)] {
        let table = format!(
            r#"(format: 1, clock: ({stepping}, stop: 1), reals: {{"n": 0}},
            situations: ["event beat: every(0.25)"], relations: ["[count] n := n + 1 when beat"])"#
        );
        let (_, mut console) = session(&table);
        said(&mut console, &["run to 1"]);
        let n: f64 = said(&mut console, &["n"])["n = ".len()..]
            .trim()
            .parse()
            .unwrap();
        let reply = console.execute("trace beat", &mut ());
        let spans = reply.data["result"].as_array().unwrap();
        let firings: Vec<f64> = (spans.iter())
            .filter(|span| span["is"] == "true")
            .map(|span| {
                assert_eq!(span["from"], span["to"], "{stepping}");
                span["from"].as_f64().unwrap()
            })
            .collect();
        assert_eq!(firings.len() as f64, n, "{stepping}: {}", reply.text);
        let reply = console.execute("events", &mut ());
        let begun = reply.data["result"].as_array().unwrap().iter();
        let begun: Vec<f64> = begun
            .filter(|change| change["begins"][0] == "beat")
            .map(|change| change["time"].as_f64().unwrap())
            .collect();
        let last = &firings[firings.len() - begun.len()..];
        assert_eq!(
            (begun.as_slice(), begun.len() >= 3),
            (last, true),
            "{stepping}"
        );
        for stop in ["watch beat", "break change beat", "break rule count"] {
            said(&mut console, &["goto start", stop]);
            let mut stops = Vec::new();
            loop {
                said(&mut console, &["run to 1"]);
                if console.time() >= 1.0 || stops.len() > 9 {
                    break;
                }
                stops.push(console.time());
            }
            let inner: Vec<f64> = firings
                .iter()
                .copied()
                .filter(|t| *t > begin && *t < 1.0)
                .collect();
            assert_eq!(stops, inner, "{stepping}, {stop}");
            said(&mut console, &["undo"; 1]);
            said(&mut console, &["stops off 1"]);
        }
        said(&mut console, &["goto end"]);
        said(&mut console, &["back change beat"]);
        assert_eq!(
            console.time(),
            *firings.iter().rfind(|t| **t < 1.0).unwrap(),
            "{stepping}"
        );
    }
}

/// A name that an edit has brought is looked for where the table has it.
#[test]
fn a_change_of_what_is_new_is_looked_for_since_it_is_there() {
    let table = r#"(format: 1, clock: (step: 0.5, stop: 10), reals: {"x": 0}, relations: ["x = integral(1)"])"#;
    let (_, mut console) = session(table);
    said(
        &mut console,
        &[
            "run to 1",
            "real y = 3",
            "run to 1.5",
            "set y = 4",
            "run to 3",
        ],
    );
    said(&mut console, &["back change y"]);
    assert_eq!(console.time(), 1.5);
    for (name, why) in [
        ("y", "`y` has not changed before"),
        ("z", "the model has no `z`"),
    ] {
        let reply = console.execute(&format!("back change {name}"), &mut ());
        assert!(reply.failed && reply.text.contains(why), "{}", reply.text);
    }
}

/// What an edit changed is looked for and traced as what a rule changed.
#[test]
fn an_edit_is_a_change() {
    for stepping in ["step: 0.1", "stepping: events, hmax: 0.1"] {
        let table = format!(
            r#"(format: 1, clock: ({stepping}, stop: 2), reals: {{"x": 0}}, ranges: ["q: x > 50"],
            relations: ["x = integral(1)"])"#
        );
        let (_, mut console) = session(&table);
        said(&mut console, &["run to 0.5", "set x = 100", "run to 1"]);
        let spans = console.execute("trace x", &mut ());
        let spans = spans.data["result"].as_array().unwrap();
        let numbers: Vec<[f64; 4]> = (spans.iter())
            .map(|span| ["from", "to", "first", "last"].map(|end| span[end].as_f64().unwrap()))
            .collect();
        let expected = [[0.0, 0.5, 0.0, 0.5], [0.5, 1.0, 100.0, 100.5]];
        assert_eq!(numbers.len(), 2, "{stepping}: {spans:?}");
        for (number, expected) in numbers.iter().flatten().zip(expected.iter().flatten()) {
            assert!((number - expected).abs() < 1e-9, "{stepping}: {spans:?}");
        }
        let near = |console: &mut Console, at: f64| (console.time() - at).abs() < 1e-9;
        said(&mut console, &["back until x > 50"]);
        assert!(near(&mut console, 0.5), "{stepping}");
        for line in ["run until x > 50", "run to 1"] {
            said(&mut console, &["break x > 50", "goto 0.2", line]);
            assert!(near(&mut console, 0.5), "{stepping}, {line}");
        }
    }
}

/// What event rows do in the instant at the start, before the first step, is of the past, too.
#[test]
fn the_instant_at_the_start_is_told() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (stepping: events, stop: 1), reals: {"x": 1, "y": 0}, ranges: ["p: x > 0"],
        situations: ["event first: start", "event never: !p"],
        relations: ["[a] y := 5 when first", "[b] y := 7 when never", "[c] x = integral(-0.5)"])"#,
    );
    let told = |console: &mut Console| {
        let changes = said(console, &["events"]);
        assert_eq!(line(&changes, "0 ")[1], "first", "{changes}");
        let why = said(console, &["why y"]);
        assert!(why.contains("[a] y := 5 when first"), "{why}");
        assert!(!why.contains("no rule has written it"), "{why}");
        let blame = said(console, &["blame y from 0"]);
        assert!(blame.contains("+5   [a]"), "{blame}");
        let covered = said(console, &["coverage"]);
        assert!(covered.contains("at the start   [a]"), "{covered}");
        assert!(line(&covered, "never").contains(&"[b]"), "{covered}");
    };
    told(&mut console);
    said(&mut console, &["run"]);
    told(&mut console);
}

/// However long the run is in which it lies.
#[test]
fn a_time_just_before_a_change_is_before_it() {
    let table = |clock: &str| {
        format!(
            r#"(format: 1, clock: ({clock}), reals: {{"x": 0}}, relations: ["x = integral(1)"])"#
        )
    };
    for (clock, end, before) in [
        ("stepping: events, stop: 1e6", "1e6", "0.4995"),
        ("step: 0.01, stop: 1e4", "1e4", "0.49"),
    ] {
        let (_, mut console) = session(&table(clock));
        let run = format!("run to {end}");
        said(&mut console, &["run to 0.5", "set x = 100", &run]);
        let x = format!("x at {before}");
        assert_eq!(
            said(&mut console, &[&x]),
            format!("x = {before}\n"),
            "{clock}"
        );
        let blame = said(&mut console, &[&format!("blame x from {before}")]);
        assert!(
            blame.contains(&format!("x went from {before} at t = {before}")),
            "{blame}"
        );
        // What comes then is known still.
        said(
            &mut console,
            &[&format!("goto {before}"), "mark here", "step", "back"],
        );
        assert!(console.time() < 0.4996, "{clock}: {}", console.time());
        said(&mut console, &["goto end"]);
        assert_eq!(
            console.time().to_string(),
            end.parse::<f64>().unwrap().to_string()
        );
        said(&mut console, &["goto here"]);
        assert_eq!(console.time().to_string(), before);
        // At the change it is behind it.
        assert_eq!(said(&mut console, &["x at 0.5"]), "x = 100\n", "{clock}");
    }
    // Between two ticks, and at a tick whose time is rounded up.
    let (_, mut console) = session(&table("step: 0.1, stop: 1e4"));
    said(&mut console, &["run to 0.3", "set x = 100", "run to 1e4"]);
    for (at, x) in [("0.29999", "0.2"), ("0.3", "100"), ("0.1 + 0.2", "100")] {
        let found = said(&mut console, &[&format!("x at {at}")]);
        assert_eq!(found, format!("x = {x}\n"), "{at}");
    }
}

/// Also if the edit gives rules other numbers, and to the answers of the last tick.
#[test]
fn after_an_edit_in_ticks_the_same_name_is_asked_for() {
    let table = r#"(format: 1, clock: (step: 0.1, stop: 20), reals: {"x": 0, "y": 0}, switches: {"s1": true, "s2": false},
        ranges: ["z: x > 100", "a: x > 1", "b: x > 5"], situations: ["both: a & b", "c: a & s2"],
        assignments: ["when b: s2"], relations: ["x = integral(1)", "y = 2 * x when a", "y = 7 otherwise"])"#;
    let add = "add before ranges.1: w: x > 50";
    for edit in [
        "drop ranges.1",
        "drop situations.1",
        "drop relations.1",
        add,
    ] {
        let (_, mut console) = session(table);
        said(&mut console, &["run to 3", edit]);
        let why = said(&mut console, &["why b"]);
        assert_eq!(
            why, "- b does not hold\n  - x > 5: 2.9 > 5, margin -2.1\n",
            "{edit}"
        );
        let turns = match edit {
            "drop relations.1" => "not before t = 20",
            _ => "it is going to at t = 5.2",
        };
        for line in ["why not b", "why not s2"] {
            let why = said(&mut console, &[line]);
            assert!(
                why.contains(&format!("b does not hold; {turns}")),
                "{edit}: {why}"
            );
        }
        let expected = console.execute("expect b", &mut ());
        assert!(
            expected.text.contains("- b does not hold"),
            "{}",
            expected.text
        );
        let why = said(&mut console, &["why y"]);
        assert!(
            why.contains("written by this row since t = 1.2"),
            "{edit}: {why}"
        );
        let margins = said(&mut console, &["margins"]);
        assert_eq!(line(&margins, "b")[4], "-2.1", "{margins}");
        said(&mut console, &["tight"]);
    }
    // A row that says the same under another number is the same row.
    let (_, mut console) = session(table);
    let why = said(
        &mut console,
        &[
            "run to 3",
            "move relations.1 after relations.3",
            "step",
            "why y",
        ],
    );
    assert!(why.contains("written by this row since t = 1.2"), "{why}");
}

/// Nothing has been found of it by the last tick.
#[test]
fn what_an_edit_in_ticks_has_added_is_new() {
    let (_, mut console) = session(COUNT);
    said(
        &mut console,
        &["run to 1", "switch on", "r: s > 1.95", "q: r & !on"],
    );
    for (line, expected) in [
        (
            "why not on",
            "- on does not hold; not before t = 10\n  it is new here and has its start value\n",
        ),
        (
            "why on",
            "- on does not hold\n  no assignment has written it: it has its start value, or what was set\n",
        ),
        (
            "why r",
            "- r does not hold\n  - s > 1.95: 1 > 1.95, margin -0.95\n",
        ),
        (
            "why not r",
            "- r does not hold; it is going to at t = 2.1\n  - s > 1.95: 1 > 1.95, margin -0.95\n",
        ),
        (
            "why not q",
            "- q does not hold; it is going to at t = 2.1\n  it is new here: the present values say how it stands\n",
        ),
    ] {
        assert_eq!(said(&mut console, &[line]), expected, "{line}");
    }
    for line in ["expect on", "expect r", "expect q"] {
        assert!(console.execute(line, &mut ()).failed, "{line}");
    }
    // An assignment that is new has not been executed.
    let (_, mut console) = session(COUNT);
    let why = said(
        &mut console,
        &[
            "run to 1",
            "switch on",
            "r: s > 0.5",
            "when r: on",
            "why on",
        ],
    );
    assert!(why.contains("no assignment has written it"), "{why}");
    let why = said(&mut console, &["step", "why on"]);
    assert!(why.contains("set last at t = 1.1"), "{why}");
}

/// A row added in ticks has not written anything at the tick at which it is added.
#[test]
fn a_tick_run_that_begins_anew_has_written_nothing() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (step: 0.5), reals: {"x": 1, "y": 0}, ranges: ["p: x > 0"], situations: ["on: p"],
        relations: ["[a] x = integral(1)"])"#,
    );
    let text = said(
        &mut console,
        &["step 2", "add [b] y = 2 * x when on", "trace y"],
    );
    assert!(!text.contains("[b]  "), "{text}");
    let text = said(&mut console, &["step", "trace y"]);
    assert!(line(&text, "1.5").contains(&"[b]"), "{text}");
}

/// An event that fires at an instant has no length: nothing ends where the next step does.
#[test]
fn an_event_of_an_instant_does_not_end_later() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (stepping: events, method: rk4, step: 0.3, stop: 4), reals: {"x": 0, "n": 0},
        ranges: ["near: x < 100", "late: x > 1.25"], situations: ["event beat: every(1)"],
        relations: ["x = integral(1)", "n := n + 1 when beat"])"#,
    );
    said(&mut console, &["run"]);
    let data = console.execute("events", &mut ()).data["result"].clone();
    let times: Vec<f64> = (data.as_array().unwrap().iter())
        .map(|change| change["time"].as_f64().unwrap())
        .collect();
    let rounded: Vec<f64> = times
        .iter()
        .map(|time| (1e9 * time).round() / 1e9)
        .collect();
    assert_eq!(rounded, [1.0, 1.25, 2.0, 3.0, 4.0], "{data}");
    assert!(
        data.as_array()
            .unwrap()
            .iter()
            .all(|one| one["ends"] == serde_json::json!([])),
        "{data}"
    );
    let tight = said(&mut console, &["tight"]);
    assert!(!tight.contains("no more"), "{tight}");
}

/// Points of curves are ascending in time, also in a window whose steps end by rounding where its points do.
#[test]
fn points_of_curves_are_ascending() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (stop: 3, stepping: events), reals: {"h": 1, "v": 0}, ranges: ["floor: h <= 0"],
        situations: ["event hit: floor"],
        relations: ["v := -0.8 * v when hit", "h = integral(v)", "v = integral(-9.81)"])"#,
    );
    said(&mut console, &["run"]);
    let windows = [
        (1.8319882017623321, 1.840315555905088),
        (0.1, 0.7),
        (0.0, 1.0),
        (1.0, 1.000000000000002),
    ];
    for (from, to) in windows {
        let reply = console.execute(&format!("curves h from {from} to {to} into 1000"), &mut ());
        assert!(!reply.failed, "{}", reply.text);
        let times = reply.data["result"]["times"].clone();
        let times: Vec<f64> = (times.as_array().unwrap().iter())
            .map(|time| time.as_f64().unwrap())
            .collect();
        assert!(times.is_sorted(), "{from} to {to}");
    }
}

/// An instant stays what it was, whatever is changed right behind it.
#[test]
fn a_change_at_an_event_leaves_the_event_in_the_past() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 3), constants: {"c": 1}, reals: {"x": 0, "n": 0},
        switches: {"on": false}, ranges: ["hi: x >= 1"], situations: ["event hit: hi"],
        assignments: ["[1] when hit: on"],
        relations: ["[2] x = integral(c)", "[3] x := 0 when hit", "[4] n := n + 1 when hit"])"#;
    let edits = [
        &["set c = 2"][..],
        &["title about", "set c = 2"],
        &["add [5] n := 10 * n when hit & n > 5"],
        &["set n = 7"],
        &["set rtol = 1e-5", "set c = 2"],
        &["title about"],
    ];
    for edit in edits {
        let (files, mut console) = session(table);
        said(&mut console, &["next"]);
        said(&mut console, edit);
        let at_once = ["why n", "why on"].map(|line| said(&mut console, &[line]));
        assert!(
            at_once[0].contains("[4] n := n + 1 when hit"),
            "{edit:?}: {}",
            at_once[0]
        );
        let is_outside = at_once[0].contains("set");
        assert_eq!(is_outside, edit == ["set n = 7"], "{}", at_once[0]);
        for (file, later) in [("a.csv", &[][..]), ("b.csv", &["run to 1.25"])] {
            said(&mut console, later);
            let events = said(&mut console, &["events"]);
            assert_eq!(events.matches("hit").count(), 1, "{edit:?}: {events}");
            let trace = said(&mut console, &["trace hit"]);
            assert!(trace.contains("true"), "{edit:?}: {trace}");
            let why = said(&mut console, &["why on"]);
            assert!(why.contains("[1] when hit: on"), "{edit:?}: {why}");
            let why = said(&mut console, &["why n"]);
            assert!(why.contains("[4]"), "{edit:?}: {why}");
            said(&mut console, &[&format!("export {file} n hit")]);
            let csv = files.get(file).unwrap();
            let fired = csv.lines().filter(|row| row.ends_with(",1"));
            assert_eq!(fired.collect::<Vec<_>>(), ["1,1,1"], "{edit:?}: {csv}");
        }
    }
}
