//! The commands beside `run`: check, new, emit, fmt, help, completions, plot.

use serde_json::Value;

use super::{BALL, Folder};
use crate::tables::root;

#[test]
fn the_check_is_strict_if_asked() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let clean = folder.situ("check ball.ron --deny warnings");
    let warned = BALL.replace("\"k\": 0.8", "\"k\": 0.8, \"unused\": 1");
    let json = folder.situ_reading("check - --json", &warned).expect(0, "");
    let reports: Value = serde_json::from_str(&json.out).unwrap();
    assert!(!reports.as_array().unwrap().is_empty());
    folder
        .situ_reading("check - --deny warnings", &warned)
        .expect(2, "warning");
    assert_eq!(
        clean.status,
        i32::from(clean.out.contains("warning[")) * 2,
        "{}",
        clean.out
    );
}

/// Options that a run does not look at are told of; a clock may have both kinds.
#[test]
fn options_of_the_other_stepping_are_told() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let told = |line: &str| folder.situ(line).err;
    let ticks = told("run ball.ron --ticks --no-plot --method bdf --rtol 1e-9");
    assert!(ticks.contains("`--method` has no part in ticks"), "{ticks}");
    assert!(ticks.contains("`--rtol`"), "{ticks}");
    let events = told("run ball.ron --events --no-plot --scan simultaneous");
    assert!(events.contains("`--scan` has no part"), "{events}");
    let both = told("run ball.ron --events --no-plot --method bdf");
    assert!(!both.contains("has no part"), "{both}");
}

#[test]
fn a_new_table_runs_and_is_not_written_over() {
    let folder = Folder::with(&[]);
    folder.situ("new tank").expect(0, "wrote `tank.ron`");
    folder.situ("check tank.ron --deny warnings").expect(0, "");
    folder.situ("fmt tank.ron --check").expect(0, "");
    let run = folder
        .situ("run tank.ron --measure count(pumping)")
        .expect(0, "");
    assert!(run.out.starts_with("tank: "), "{}", run.out);
    let before = folder.read("tank.ron");
    folder
        .situ("new tank.ron")
        .expect(2, "`tank.ron` exists already");
    assert_eq!(folder.read("tank.ron"), before);
    // What is said can be typed.
    for (name, said) in [
        ("my tank", "situ run 'my tank.ron'"),
        ("бак_2", "situ run бак_2.ron"),
    ] {
        let new = super::command(&folder.path(""), "new")
            .arg(name)
            .output()
            .unwrap();
        let err = String::from_utf8(new.stderr).unwrap();
        assert!(err.contains(&format!("run it with `{said}`")), "{err}");
    }
}

/// All templates check and run without a word, and every field that a table may have stands in one of them.
#[test]
fn templates_are_silent_and_show_every_field() {
    let names = [
        "ball",
        "tank",
        "thermostat",
        "circuit",
        "chain",
        "reaction",
        "parts",
        "machine",
    ];
    let folder = Folder::with(&[]);
    let mut texts = String::new();
    for name in names {
        folder.situ(&format!("new first_{name}")).expect(0, "wrote");
        let file = format!("first_{name}.ron");
        let chosen = folder.read(&file);
        folder
            .situ(&format!("new zzz --template {name}"))
            .expect(0, "wrote");
        assert_eq!(
            folder
                .read("zzz.ron")
                .replace("zzz", &format!("first_{name}")),
            chosen
        );
        std::fs::remove_file(folder.path("zzz.ron")).unwrap();
        folder
            .situ(&format!("check {file}"))
            .expect(0, "nothing found");
        folder.situ(&format!("fmt {file} --check")).expect(0, "");
        let run = folder
            .situ(&format!("run {file} --deny warnings --no-plot"))
            .expect(0, "");
        assert!(!run.err.contains("warning"), "{}", run.err);
        if chosen.contains("expect:") {
            let tested = folder.situ(&format!("test {file}")).expect(0, "");
            assert!(tested.out.contains("all passed"), "{}", tested.out);
        }
        texts += &chosen;
    }
    texts += &folder.read("first_parts_tank.ron");
    for field in situ_rules::tree::FIELDS {
        assert!(
            texts.contains(&format!("{field}: ")),
            "no template has `{field}`"
        );
    }
    folder.situ("new falls").expect(0, "wrote");
    assert!(folder.read("falls.ron").contains("a ball that falls"));
}

/// Every command that answers programs gives JSON with the fields that the manual lists.
#[test]
fn commands_answer_in_json() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder.situ("fmt ball.ron").expect(0, "");
    folder
        .situ("run ball.ron --quiet --out rows.csv")
        .expect(0, "");
    for (line, fields) in [
        (
            "show ball.ron --json",
            "name about source tables constants reals switches ranges situations assignments relations invariants cases",
        ),
        ("graph ball.ron --json", "name nodes edges"),
        ("graph ball.ron --of machines --json", "name machines"),
        ("graph ball.ron --of parts --json", "name nodes edges"),
        (
            "procedures integral --json",
            "name call about help memory arguments coefficient examples",
        ),
        (
            "explain N001 --json",
            "code title what why bad repaired base",
        ),
        ("fmt ball.ron --check --json", "tables written"),
        (
            "sweep ball.ron --over h=1,2 --json",
            "model runs done failed columns rows diagnostics",
        ),
        (
            "sweep ball.ron --over h=1,2 --json --out swept.csv",
            "model runs done failed columns diagnostics",
        ),
        ("plot rows.csv --json", "runs time panels lanes"),
    ] {
        let said = folder.situ(line).expect(0, "");
        let data: serde_json::Value = serde_json::from_str(&said.out).expect(line);
        let object = data.as_object().expect(line);
        let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
        let mut wanted: Vec<&str> = fields.split(' ').collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{line}");
    }
    let shown = folder.situ("show ball.ron --json").expect(0, "").out;
    let data: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let model = crate::tables::Table::from_text(BALL).model;
    assert_eq!(data["reals"].as_array().unwrap().len(), model.reals.len());
    assert_eq!(data["relations"][0]["id"], model.relations[0].id.as_str());
    let steady = BALL.replacen(r#""h": (start: 2,"#, r#""h": (start: "steady(2)","#, 1);
    assert_ne!(steady, BALL);
    std::fs::write(folder.path("steady.ron"), &steady).unwrap();
    let shown = folder.situ("show steady.ron --json").expect(0, "").out;
    let data: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let mut reals = data["reals"].as_array().unwrap().iter();
    let real = reals.find(|real| real["name"] == "h").unwrap();
    assert_eq!(
        (&real["start"], &real["guess"]),
        (&"steady".into(), &2.0.into())
    );
    // What a program reads of a sweep and of a picture is what people read in CSV files.
    let read = |line: &str| -> Value {
        serde_json::from_str(&folder.situ(line).expect(0, "").out).unwrap()
    };
    let (swept, csv) = (
        read("sweep ball.ron --over h=1,2 --json"),
        folder.read("swept.csv"),
    );
    for (row, line) in swept["rows"]
        .as_array()
        .unwrap()
        .iter()
        .zip(csv.lines().skip(1))
    {
        for (value, cell) in row.as_array().unwrap().iter().zip(line.split(',')) {
            assert_eq!(value.as_f64(), cell.parse().ok(), "{line}");
        }
    }
    assert_eq!(swept["rows"].as_array().unwrap().len(), 2);
    assert_eq!(swept["columns"][1]["name"], "h");
    let drawn = read("plot rows.csv --json");
    let rows = crate::cli::series(&folder.read("rows.csv"));
    for panel in drawn["panels"].as_array().unwrap() {
        for curve in panel["curves"].as_array().unwrap() {
            let values = &rows.real(curve["name"].as_str().unwrap()).unwrap().values;
            let (first, last) = (&curve["y"][0], curve["y"].as_array().unwrap().last());
            let ends = [first, last.unwrap()].map(|end| end.as_f64().unwrap());
            let axis = ["low", "high"].map(|end| panel["y"][end].as_f64().unwrap());
            let apart = |drawn: f64, value: f64| (drawn - value).abs() / (axis[1] - axis[0]);
            assert!(apart(ends[0], values[0]) < 1e-6);
            assert!(apart(ends[1], *values.last().unwrap()) < 1e-6);
        }
    }
    for line in ["procedures --json", "explain --json"] {
        let all: serde_json::Value =
            serde_json::from_str(&folder.situ(line).expect(0, "").out).unwrap();
        assert!(all.as_array().unwrap().len() > 20, "{line}");
    }
}

/// Factors go in where units differ by one, once; what measures another thing is left as it stands.
#[test]
fn a_factor_between_units_is_written_in() {
    let text = r#"(
    format: 1,
    clock: (step: 0.1, stop: 1),
    constants: {"d": (start: 5, unit: "cm"), "g": (start: 9.81, unit: "m/s^2")},
    reals: {"h": (start: 1, unit: "m"), "F": (start: 0, unit: "N")},
    relations: [
        "h = d   # as it was measured",
        "F = g",
    ],
    expect: ["max(h) <= 2 * d", "h >= d"],
)
"#;
    let folder = Folder::with(&[("units.ron", text)]);
    let first = folder.situ("check units.ron --fix").expect(0, "1 warning");
    assert!(
        first.out.contains("C060") && !first.out.contains("C061"),
        "{}",
        first.out
    );
    for (line, written) in [
        (7, "\"h = 0.01 * d   # as"),
        (10, "expect: [\"max(h) <= 0.01 * 2 * d\""),
    ] {
        let said = format!("changed line {line} of units.ron: {written}");
        assert!(first.err.contains(&said), "{}", first.err);
    }
    let fixed = folder.read("units.ron");
    let right = text
        .replace("h = d ", "h = 0.01 * d ")
        .replace("<= 2 * d", "<= 0.01 * 2 * d")
        .replace(">= d", ">= 0.01 * d");
    assert_eq!(fixed, right);
    folder.situ("check units.ron --fix").expect(0, "1 warning");
    assert_eq!(folder.read("units.ron"), fixed);
    folder
        .situ_reading("check - --fix", text)
        .expect(2, "changes a file");
}

/// With a unit of the time a factor goes in also where times are asked for, and inside of what has a memory.
#[test]
fn a_factor_between_units_of_time_is_written_in() {
    let text = std::fs::read_to_string(root().join("tests/faults/units/unit_of_time.ron")).unwrap();
    let folder = Folder::with(&[("hours.ron", &text)]);
    folder.situ("check hours.ron").expect(0, "4 warnings");
    folder.situ("check hours.ron --fix").expect(0, "");
    let right = text
        .replace("integral(rate)", "integral(3600 * rate)")
        .replace("delay(V, dead)", "delay(V, 1 / 60 * dead)")
        .replace("every(beat)", "every(1 / 60 * beat)")
        .replace("derivative(V)", "derivative(1 / 3600 * V)");
    assert_eq!(folder.read("hours.ron"), right);
    folder.situ("check hours.ron --deny warnings").expect(0, "");
}

#[test]
fn a_table_without_a_command_is_pointed_to_run() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder
        .situ("ball.ron")
        .expect(2, "`situ run ball.ron` runs it");
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let folder = Folder::with(&[(
        "wrong.ron",
        "(format: 1, reals: {\"x\": 0}, relations: [\"x = y\"])",
    )]);
    let coloured = |line: &str| folder.situ(line).expect(2, "").out.contains("\u{1b}[");
    assert!(coloured("check wrong.ron --color always"));
    assert!(!coloured("check wrong.ron --color never"));
    assert!(!coloured("check wrong.ron"));
}

#[test]
fn stages_print_as_text() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let tree = folder.situ("emit tree ball.ron").expect(0, "").out;
    assert!(
        tree.starts_with("1:1..") && tree.contains("relation (line)"),
        "{tree}"
    );
    let tape = folder.situ("emit tape ball.ron").expect(0, "").out;
    assert!(
        tape.contains("= less_equal h 0") && tape.contains("v = add_mul v a"),
        "{tape}"
    );
    assert!(tape.contains("b3  bounce"), "bits have names: {tape}");
    // A tree needs no names that can be looked up, the later stages do.
    let unknown = "(format: 1, reals: {\"x\": 0}, relations: [\"x = integral(q)\"])";
    folder.situ_reading("emit tree -", unknown).expect(0, "");
    let unreadable = unknown.replace("(q)", "(");
    let tree = folder
        .situ_reading("emit tree -", &unreadable)
        .expect(2, "not closed");
    assert!(tree.out.contains("target x"), "{}", tree.out);
    folder
        .situ_reading("emit model -", unknown)
        .expect(2, "unknown name `q`");
}

#[test]
fn tables_are_laid_out_in_place() {
    let squeezed = BALL.replace("    relations: [\n        ", "relations:[");
    let folder = Folder::with(&[
        ("ball.ron", BALL),
        ("squeezed.ron", &squeezed),
        ("bad.ron", "("),
    ]);
    let before = folder.situ("run squeezed.ron --out - -q").out;
    folder
        .situ("fmt squeezed.ron --check")
        .expect(1, "`squeezed.ron` is not formatted");
    assert_eq!(
        folder.read("squeezed.ron"),
        squeezed,
        "a check changes nothing"
    );
    folder.situ("fmt squeezed.ron").expect(0, "");
    assert_ne!(folder.read("squeezed.ron"), squeezed);
    folder.situ("fmt squeezed.ron --check").expect(0, "");
    for (spelling, other) in [
        ("--rows", "(id: \"1\", real: \"a\""),
        ("--lines", "\"[1] a = -g\""),
    ] {
        folder
            .situ(&format!("fmt squeezed.ron {spelling}"))
            .expect(0, "");
        assert!(
            folder.read("squeezed.ron").contains(other),
            "{}",
            folder.read("squeezed.ron")
        );
        assert_eq!(
            folder.situ("run squeezed.ron --out - -q").out,
            before,
            "{spelling}"
        );
    }
    let said = folder.situ_reading("fmt -", &squeezed).expect(0, "");
    assert!(said.out.contains("relations: [\n"), "{}", said.out);
    folder.situ("fmt bad.ron ball.ron").expect(2, "bad.ron:1");
    assert_eq!(folder.read("bad.ron"), "(");
    folder
        .situ("fmt ball.ron --rows --lines")
        .expect(2, "cannot be used with");
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = Folder::with(&[]);
    let help = folder.situ("--help").expect(0, "").out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let help = folder.situ(&format!("{name} --help")).expect(0, "").out;
        assert_eq!(folder.situ(&format!("help {name}")).expect(0, "").out, help);
        let example = help
            .split_once("Example")
            .map(|(_, rest)| rest.contains(&format!("situ {name}")));
        assert_eq!(example, Some(true), "{help}");
    }
}

#[test]
fn methods_of_other_programs_have_ours_named() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    for (theirs, ours) in [
        ("rk45", "tsit5"),
        ("RK45", "tsit5"),
        ("ode45", "tsit5"),
        ("dopri5", "tsit5"),
        ("DOP853", "dop853"),
        ("LSODA", "auto"),
        ("CVODE", "auto"),
        ("BDF", "bdf"),
        ("Radau", "radau"),
        ("ode15s", "bdf"),
        ("rodas", "rodas5p"),
    ] {
        let said = folder.situ(&format!("run ball.ron --method {theirs}"));
        said.expect(2, &format!("a similar value exists: '{ours}'"));
    }
    let prompt = folder.situ_reading("repl ball.ron", "set method = rk45\n");
    prompt.expect(2, "did you mean `tsit5`?");
    folder
        .situ("run ball.ron --events --rtol 0")
        .expect(2, "the relative tolerance 0 is not between");
}

/// Halved ticks round the times of events anew, which no order describes.
#[test]
fn ticks_that_do_not_converge_point_to_events() {
    let folder = Folder::with(&[(
        "thermostat.ron",
        include_str!("../../../scenarios/thermostat/table.ron"),
    )]);
    let said = folder.situ("converge thermostat.ron --stop 4");
    let out = said.expect(0, "").out;
    assert!(
        out.contains("rounded to ticks; --events locates them"),
        "{out}"
    );
    let out = folder.situ("converge thermostat.ron --locate linear --step 0.01");
    let out = out.expect(0, "").out;
    assert!(
        out.contains("All converge") && !out.contains("1019"),
        "{out}"
    );
}

#[test]
fn completions_know_the_commands() {
    let folder = Folder::with(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder
            .situ(&format!("completions {shell}"))
            .expect(0, "")
            .out;
        assert!(
            script.contains("coverage") && script.contains("until"),
            "{shell}"
        );
    }
}

#[test]
fn pictures_of_runs_and_of_files_agree() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder
        .situ("run ball.ron --out run.csv --curves h,v:h,falling --plot run.svg")
        .expect(0, "");
    folder
        .situ("plot run.csv --curves h,v:h,falling --plot file.svg")
        .expect(0, "");
    // The file has no units and descriptions; the curves are the same.
    let curves = |name: &str| {
        let text = folder.read(name);
        let lines = text.lines().filter(|line| line.contains("fill=\"none\""));
        lines.count()
    };
    assert_eq!((curves("run.svg"), curves("file.svg")), (2, 2));
    folder.situ("run ball.ron --plot run.png -q").expect(0, "");
    assert!(
        std::fs::read(folder.path("run.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn several_files_are_overlaid() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder.situ("run ball.ron --out plain.csv -q").expect(0, "");
    folder
        .situ("run ball.ron --case rubber --out rubber.csv -q")
        .expect(0, "");
    let said = folder
        .situ("plot plain.csv rubber.csv --curves h")
        .expect(0, "");
    assert!(said.out.contains("a plain   b rubber"), "{}", said.out);
    std::fs::create_dir(folder.path("more")).unwrap();
    std::fs::copy(folder.path("plain.csv"), folder.path("more/plain.csv")).unwrap();
    let said = folder
        .situ("plot plain.csv more/plain.csv --curves h")
        .expect(0, "");
    assert!(
        said.out.contains("a plain.csv   b more/plain.csv"),
        "{}",
        said.out
    );
}

#[test]
fn a_table_describes_the_columns_of_a_file() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let rows = folder.situ("run ball.ron --out - -q").out;
    let plain = folder
        .situ_reading("plot - --curves h,bounce", &rows)
        .expect(0, "");
    assert!(!plain.out.contains("h (m)"), "{}", plain.out);
    let described = folder
        .situ_reading("plot - --curves h,bounce --table ball.ron", &rows)
        .expect(0, "");
    assert_eq!(described.out.lines().next(), Some("       h (m)  height"));
    assert!(
        described.out.contains('╿'),
        "an event is drawn as one: {}",
        described.out
    );
}
