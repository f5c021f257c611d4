//! Every example of every command, on the scenarios.

mod delays;
mod edits;
mod movers;
mod past;

use std::path::Path;
use std::sync::Arc;

use situ_engine::model::{Clock, ClockKind};

use super::{Console, MemoryFiles, commands};

/// A session whose files are in memory, with all scenarios.
pub(super) fn session() -> (MemoryFiles, Console) {
    let files = MemoryFiles::default();
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    for folder in std::fs::read_dir(scenarios).unwrap() {
        let folder = folder.unwrap().path();
        for file in folder
            .is_dir()
            .then(|| std::fs::read_dir(&folder).unwrap())
            .into_iter()
            .flatten()
        {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "ron") {
                let name = Path::new("scenarios").join(folder.file_name().unwrap());
                let name = name.join(path.file_name().unwrap());
                files.put(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let console = Console::new(Arc::new(files.clone()));
    (files, console)
}

#[test]
fn every_example_shows_what_it_says() {
    let mut wrong = Vec::new();
    for command in commands::all() {
        assert!(
            !command.examples.is_empty(),
            "`{}` has no example",
            command.name
        );
        for example in command.examples {
            let (_, mut console) = session();
            for line in example.given {
                let reply = console.execute(line, &mut ());
                assert!(!reply.failed, "{}: {line}\n{}", command.name, reply.text);
            }
            let reply = console.execute(example.line, &mut ());
            if reply.failed || !reply.text.contains(example.shows) {
                wrong.push(format!(
                    "{}: {}\n{}",
                    command.name, example.line, reply.text
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// `help all` prints what `help` says of each command, with its examples.
#[test]
fn all_help_is_the_help_of_each_command() {
    let (_, mut console) = session();
    let mut help = |what: &str| console.execute(&format!("help {what}"), &mut ()).text;
    let all = help("all");
    for command in commands::all() {
        assert!(all.contains(&help(command.name)), "{}", command.name);
    }
}

#[test]
fn the_reference_is_that_of_the_list() {
    let file = include_str!("../../repl/commands.md");
    let hint = "write it anew: situ repl --reference > repl/commands.md";
    assert!(file == super::reference(), "{hint}");
}

#[test]
fn lines_on_the_other_layout_are_recognised() {
    let (_, mut console) = session();
    console.execute("load scenarios/hoop/table.ron", &mut ());
    for (line, advice) in [
        (
            "кгт",
            "did you mean `run`? It was typed on the other keyboard layout",
        ),
        ("кгт ещ 1", "did you mean `run to 1`?"),
        ("црн тще сщтефсе", "did you mean `why not contact`?"),
        ("ыуе л = 5", "did you mean `set k = 5`?"),
        ("help лтщиы", "did you mean `knobs`?"),
        ("why сщтефсе", "did you mean `contact`? It was typed"),
        ("сщтефсе", "did you mean `contact`? It was typed"),
        (
            "Vу",
            "did you mean `Vy`? It looks the same, but has Latin letters",
        ),
        (
            "show Vу",
            "did you mean `Vy`? It looks the same, but has Latin letters",
        ),
        (
            "stер",
            "did you mean `step`? It looks the same, but has Latin letters",
        ),
        ("правило", "`help` lists all commands"),
    ] {
        let reply = console.execute(line, &mut ());
        assert!(
            reply.failed && reply.text.contains(advice),
            "{line}\n{}",
            reply.text
        );
    }
}

#[test]
fn a_million_ticks_are_rewound_in_bounded_memory() {
    let (_, mut console) = session();
    let mut say = |line: &str| {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
        reply.data["result"].clone()
    };
    say("load scenarios/cart/table.ron");
    say("step 700000");
    let middle = say("state");
    say("step 300000");
    say("goto start");
    say("step 700000");
    assert_eq!(say("state")["values"], middle["values"]);
    for at in ["999_999", "1", "500_001", "300_000"] {
        say("goto end");
        say(&format!("back {at}"));
    }
    let (bytes, steps) = console.segments.cost();
    assert!(bytes <= 32 << 20, "{bytes} bytes");
    // A tick of the cart takes less than 0.2 us, in the slowest build less than 5 us.
    assert!(steps <= 4096, "{steps} steps are done again");
}

#[test]
fn a_session_replays_from_its_script() {
    let (_, mut console) = session();
    for line in [
        "load scenarios/hoop/table.ron",
        "break contact & V_pos",
        "run",
        "set Vy = 100",
        "real Fdrag = 0 [kg*cm/s^2]",
        "constant kc = 0.1 [kg/s]",
        "[9] Fdrag = -kc * Vy when !contact",
        "add after 1: [10] P = P + Fdrag",
        "run for 0.3",
        "back 500",
        "set K_braking = 9000",
        "branch soft",
        "step 1000",
        "undo",
        "redo",
        "disable 10",
        "step 10",
        "save script.situ",
    ] {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
    }
    let state = console.execute("state", &mut ());
    let table = console.version().document.text.clone();
    let mut again = Console::new(Arc::clone(&console.files));
    let reply = again.execute("read script.situ", &mut ());
    assert!(!reply.failed, "{}", reply.text);
    assert_eq!(again.execute("state", &mut ()), state);
    assert_eq!(again.version().document.text, table);
}

#[test]
fn in_event_stepping_runs_stop_exactly() {
    let (_, mut console) = session();
    let mut say = |line: &str| {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
        reply.data["result"].clone()
    };
    say("load scenarios/hoop/table.ron");
    say("set stepping = events");
    say("break h < 200");
    let at = say("run to 2")["time"].as_f64().unwrap();
    // It falls freely from 400 cm.
    assert!((at - (2.0 * 200.0 / 981.0_f64).sqrt()).abs() < 1e-9, "{at}");
    let event = say("run until contact")["time"].as_f64().unwrap();
    let contact = (2.0 * 370.0 / 981.0_f64).sqrt();
    assert!((event - contact).abs() < 1e-9, "{event}");
    say("break time 1.25");
    assert_eq!(say("run to 2")["time"].as_f64(), Some(1.25));
    // Stops leave no trace.
    say("run to 1.5");
    let stopped = say("state");
    say("delete all");
    say("reset");
    say("run to 1.5");
    assert_eq!(say("state")["values"], stopped["values"]);
}

#[test]
fn rows_that_share_a_slide_are_told_with_their_shares() {
    let (files, mut console) = session();
    let table = r#"(format: 1, clock: (step: 0.01, stop: 5, stepping: events),
        reals: {"x": -1, "v": 0},
        ranges: ["beyond: x > 0"],
        relations: ["[1] v = -3 when beyond", "[2] v = 1 otherwise", "[3] x = integral(v)"])"#;
    files.put("slide.ron", table);
    let mut say = |line: &str| console.execute(line, &mut ()).text;
    say("load slide.ron");
    say("run to 2");
    let why = say("why v");
    for line in [
        "[1] v = -3 when beyond   counts 25 %: the state slides along a border\n",
        "[2] v = 1 otherwise   counts 75 %: the state slides along a border\n",
    ] {
        assert!(why.contains(line), "{why}");
    }
    assert!(!say("why x").contains("counts"));
    let bound = "the state slides along this border: it holds as when that began";
    let why = say("why beyond");
    assert!(why.contains(bound), "{why}");
    say("reset");
    assert!(!say("why beyond").contains("slides"));
}

#[test]
fn a_rest_is_told_until_it_ends() {
    let (files, mut console) = session();
    // A ball comes to rest on the floor, from which it is pulled up from t = 6 on.
    let table = r#"(format: 1, clock: (step: 0.01, stop: 10, stepping: events),
        reals: {"h": 1, "v": 0, "lift": 0},
        ranges: ["late: time >= 6", "low: h <= 0"],
        situations: ["event hit: low & v < 0"],
        relations: ["lift = 15 when late", "lift = 0 otherwise", "v = integral(lift - 9.81)", "h = integral(v)",
            "v := -0.5 * v when hit"])"#;
    files.put("ball.ron", table);
    let mut say = |line: &str| {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
        reply.text
    };
    say("load ball.ron");
    say("run to 1");
    assert!(!say("why low").contains("rests"), "{}", say("why low"));
    say("run to 5");
    let why = say("why low");
    let told = "the state rests on this border: it does not hold as when that began";
    assert!(why.contains(told), "{why}");
    say("run to 6.5");
    assert!(!say("why low").contains("rests"), "{}", say("why low"));
}

#[test]
fn rows_of_events_are_found_in_event_stepping() {
    let (files, mut console) = session();
    let table = r#"(format: 1, clock: (step: 0.01, stop: 5, stepping: events),
        reals: {"n": 0, "x": 0, "v": 1},
        switches: {"late": false},
        ranges: ["old: time > 3.5"],
        situations: ["event beat: every(1)", "event turn: every(1.5)"],
        assignments: ["[5] when beat & old: late"],
        relations: [
            "[1] n := n + 1 when every(1)",
            "[2] x = integral(v)",
            "[3] x := 0 when every(2)",
            "[4] v := -v when turn",
        ])"#;
    files.put("beat.ron", table);
    let mut say = |line: &str| {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
        (reply.data["result"].clone(), reply.text)
    };
    say("load beat.ron");
    say("run to 3.7");
    let mut moved = |name: &str| {
        let (blame, _) = say(&format!("blame {name} from 0"));
        let shares = blame["shares"].as_array().unwrap().iter();
        let share = |one: &serde_json::Value| {
            let rule = one["rule"].as_str().unwrap().to_owned();
            (rule, one["moved"].as_f64().unwrap())
        };
        shares.map(share).collect::<Vec<_>>()
    };
    assert_eq!(moved("n"), [("1".to_owned(), 3.0)]);
    // v turns at 1.5, 3: 1, then -1, then 1 again; x is set back at 2.
    let x = moved("x");
    let of = |rule: &str| x.iter().find(|(who, _)| who == rule).unwrap().1;
    assert!((of("2") - 0.7).abs() < 1e-12, "{x:?}");
    assert!((of("3") - -1.0).abs() < 1e-12, "{x:?}");
    // v turns twice, and is what it was.
    assert_eq!(moved("v"), [("4".to_owned(), 0.0)]);

    let (spans, _) = say("trace n");
    let spans = spans.as_array().unwrap().iter();
    let spans: Vec<_> = spans
        .map(|span| {
            (
                span["from"].as_f64().unwrap(),
                span["first"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(spans, [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);

    say("break rule 1");
    say("break rule 5");
    assert_eq!(say("run to 5").0["time"].as_f64(), Some(4.0));
    let (_, why) = say("why n");
    assert!(
        why.contains("[1] n := n + 1 when every(1)   gave 4\n    n = 3\n"),
        "{why}"
    );
    let (_, why) = say("why late");
    assert!(why.contains("set last at t = 4 by [5]"), "{why}");
    let (_, why) = say("why beat");
    assert!(why.contains("+ every(1) holds"), "{why}");
}

/// Replies for people, in lines.
fn told(lines: &[&str]) -> String {
    let (_, mut console) = session();
    lines
        .iter()
        .fold(String::new(), |_, line| console.execute(line, &mut ()).text)
}

/// If numbers contradict the side of a border, the side is told.
#[test]
fn on_a_border_the_side_is_told_and_not_the_numbers() {
    let load = "load scenarios/zeno_ball/table.ron";
    let lines = [load, "set stepping = events", "next", "next", "why floor"];
    assert_eq!(
        told(&lines),
        "- floor does not hold\n  - h <= 0: on its border, on the side where it does not hold\n"
    );
}

#[test]
fn a_switch_that_is_set_at_the_start_names_its_row() {
    let table = [
        "set stepping = events",
        "real x = 5",
        "switch on = false",
        "low: x < 10",
        "when low: on",
        "x = integral(1) when on",
    ];
    for run in ["why on", "run to 3"] {
        let said = told(&[&table[..], &[run, "why on"]].concat());
        assert!(said.contains("set last at t = 0 by [1]"), "{said}");
    }
}

#[test]
fn a_comparison_without_a_value_has_no_margin() {
    let told = told(&["real x = 1", "a: x > 0 & sqrt(x - 4) > 1", "margins"]);
    assert!(told.contains("NaN") && !told.contains("inf"), "{told}");
}

#[test]
fn what_no_row_makes_true_is_told_once() {
    let said = told(&[
        "load scenarios/hoop/table.ron",
        "run to 0.5",
        "why not contact",
    ]);
    let (first, rest) = said.split_once('\n').unwrap();
    assert_eq!(
        first,
        "- contact does not hold; it is going to at t = 0.8686"
    );
    assert!(rest.starts_with("  - h < R: "), "{said}");
    assert_eq!(said.matches("contact").count(), 1, "{said}");
}

#[test]
fn beyond_the_stop_there_is_no_next_event() {
    let load = "load scenarios/zeno_ball/table.ron";
    for stepping in ["set stepping = tick", "set stepping = events"] {
        for line in ["next", "run"] {
            let said = told(&[load, stepping, "run", line]);
            assert!(
                said.ends_with("  this is the table's `stop`; `run for T` goes on\n"),
                "{stepping}, {line}: {said}"
            );
        }
        let said = told(&[load, stepping, "run until h > 1000"]);
        assert!(
            said.contains("  reached the table's `stop`; the condition never became true\n"),
            "{said}"
        );
    }
}

#[test]
fn of_a_long_trace_the_ends_are_shown() {
    let hoop = "load scenarios/hoop/table.ron";
    let short = told(&[hoop, "run", "trace Fel"]);
    assert_eq!(short.lines().count(), 2 + 41 + 1, "{short}");
    assert!(
        short.ends_with("left out; `trace Fel all` shows all\n"),
        "{short}"
    );
    let all = told(&[hoop, "run", "trace Fel all"]);
    assert!(all.lines().count() > 1000 && !all.contains(" .."));
    assert!(!told(&[hoop, "run to 1", "trace Fel"]).contains("left out"));
}

#[test]
fn what_a_whole_run_is_expected_to_come_to_is_told_from_a_condition() {
    let (_, mut console) = session();
    console.execute("load scenarios/hoop/table.ron", &mut ());
    let said = console.execute("expect count(contact) = 2", &mut ());
    assert!(
        said.failed && said.text.contains("is met by a whole run"),
        "{}",
        said.text
    );
    let said = console.execute("expect count(contact", &mut ());
    assert!(
        said.failed && !said.text.contains("whole run"),
        "{}",
        said.text
    );
}

#[test]
fn settings_that_the_prompt_has_not_are_said_to_be_elsewhere() {
    for (name, hint) in [
        ("every", "`situ run --every`"),
        ("start", "the table's `clock`"),
    ] {
        let said = told(&[
            "load scenarios/hoop/table.ron",
            &format!("set {name} = 0.5"),
        ]);
        assert!(
            said.contains("is a setting of the clock") && said.contains(hint),
            "{said}"
        );
    }
}

#[test]
fn every_setting_of_the_clock_is_set() {
    let table = "load scenarios/hoop/table.ron";
    for setting in Clock::SETTINGS.iter().filter(|row| row.name != "every") {
        let name = setting.name;
        let value = match setting.kind {
            ClockKind::Positive | ClockKind::NotNegative | ClockKind::Count => "0.5",
            ClockKind::Word(words) => words()[0].0,
            ClockKind::Expression => "0.001 + 0.001 * abs(Vy)",
            ClockKind::Condition => "h < 100 & Vy < 0",
        };
        let events = "set stepping = events";
        let said = told(&[table, events, &format!("set {name} = {value}")]);
        assert!(said.contains(&format!("{name} = {value}\n")), "{said}");
    }
    let formula = told(&[table, "set step_formula = 0.001 + time", "step 3"]);
    assert!(formula.contains("0.007"), "{formula}");
    let stopped = told(&[table, "set stop_when = h < 200", "run"]);
    assert!(stopped.contains("`stop_when` holds"), "{stopped}");
    let events = "set stepping = events";
    let located = told(&[table, events, "set stop_when = h < 200", "run", "print h"]);
    assert!(located.starts_with("h = 200 "), "{located}");
    let wrong = told(&[table, "set step_formula = 0.001 * nothing"]);
    assert!(
        wrong.contains("nothing") && !wrong.contains("step_formula = "),
        "{wrong}"
    );
}
