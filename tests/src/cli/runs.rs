//! Output and ending of `situ run`: rows, options, faults, measures.

use serde_json::Value;

use super::{BALL, Folder, LEAK, series};

/// A table that has no meaning in event stepping.
const CIRCLE: &str = r#"(
    format: 1,
    clock: (step: 0.1, stop: 1),
    reals: {"x": 0, "v": 0},
    relations: ["v = derivative(x)", "x = integral(1 - v)"],
)"#;

#[test]
fn rows_have_the_start_first_and_the_stop_last() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let said = folder
        .situ("run ball.ron --out - --every 0.5 --stop 1.25 --quiet")
        .expect(0, "");
    let mut lines = said.out.lines();
    assert_eq!(
        lines.next(),
        Some("time,v,h,bounced,below,down,bounce,falling")
    );
    assert_eq!(lines.next(), Some("0,0,2,0,0,0,0,0"));
    let run = series(&said.out);
    assert_eq!(run.time, [0.0, 0.5, 1.0, 1.25]);
    assert_eq!(
        run.boolean("bounce").unwrap().values,
        [false, false, true, false],
        "it fired since the row before"
    );
    assert_eq!(
        run.boolean("bounced").unwrap().values,
        [false, false, true, true]
    );
}

/// Expressions that are written may have no value where every real has one: that is told once.
#[test]
fn rows_without_finite_values_are_told() {
    let table = r#"(format: 1, clock: (step: 0.5, stop: 2), reals: {"x": 1}, relations: ["x = integral(-1)"])"#;
    let folder = Folder::with(&[("line.ron", table)]);
    let said = folder.situ("run line.ron --no-plot --out a.csv --vars x,1/x,ln(x)");
    let said = said.expect(0, "`1/x` has no finite value at t = 1:");
    assert_eq!(
        said.err.matches("no finite value").count(),
        1,
        "{}",
        said.err
    );
    let said = folder.situ("run line.ron --no-plot --out a.csv --vars x,1/(x+2)");
    let said = said.expect(0, "");
    assert!(!said.err.contains("finite"), "{}", said.err);
}

#[test]
fn options_change_the_run() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let end = |options: &str| {
        let said = folder.situ(&format!("run ball.ron --out - -q {options}"));
        let run = series(&said.expect(0, "").out);
        (
            *run.time.last().unwrap(),
            *run.real("h").unwrap().values.last().unwrap(),
        )
    };
    let plain = end("");
    assert_eq!(plain.0, 3.0);
    for options in [
        "--case rubber",
        "--set k=0.5",
        "--set h=3",
        "--step 0.002",
        "--scan simultaneous",
        "--integral trapezoid",
    ] {
        assert_ne!(end(options).1, plain.1, "{options}");
        assert_eq!(end(options).0, 3.0, "{options}");
    }
    assert_eq!(end("--case rubber").1, end("--set k=0.95").1);
    assert_eq!(
        end("--set k=0.95 --case rubber --set k=0.8").1,
        plain.1,
        "set comes after the case"
    );
    let (time, height) = end("--until h<1");
    assert!(time < 0.5 && height < 1.0 && height > 0.9);
}

#[test]
fn a_table_can_come_from_standard_input() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let piped = folder.situ_reading("run - --out - -q", BALL).expect(0, "");
    assert_eq!(piped.out, folder.situ("run ball.ron --out - -q").out);
    let bad = folder
        .situ_reading("check -", "(reals: {\"x\": y})")
        .expect(2, "");
    assert!(bad.out.contains("<stdin>:1:"), "{}", bad.out);
    let extends = "(format: 1, extends: \"ball.ron\", clock: (stop: 1))";
    let extended = folder
        .situ_reading("run - --out - -q", extends)
        .expect(0, "");
    assert!(
        extended.out.ends_with('\n') && piped.out.starts_with(extended.out.lines().next().unwrap())
    );
}

/// Neither after the warnings on the table nor after the run.
#[test]
fn options_that_cannot_be_met_are_told_first() {
    let stale = BALL
        .replace("when bounce", "when falling")
        .replace(":=", "=");
    let folder = Folder::with(&[("ball.ron", &stale)]);
    let warned = folder.situ("run ball.ron --no-plot").expect(0, "warning[");
    assert!(!warned.out.is_empty());
    for (options, message) in [
        ("--curves hh", "the model has no `hh`"),
        (
            "--curves h:below",
            "`below` is true or false, an axis needs numbers",
        ),
        ("--vars h,q", "the model has no `q`"),
        (
            "--measure maxx(h)",
            "there is no measure `maxx`; did you mean `max`?",
        ),
        ("--measure max(q)", "unknown name `q`"),
        (
            "--record none/r.json",
            "cannot write `none/r.json`: no such file or directory",
        ),
        (
            "--plot none/p.svg",
            "cannot write `none/p.svg`: no such file or directory",
        ),
        (
            "--plot ball.ron/p.svg",
            "cannot write `ball.ron/p.svg`: not a directory",
        ),
    ] {
        let said = folder.situ(&format!("run ball.ron {options}"));
        assert!(
            said.status != 0 && said.out.is_empty(),
            "{options}: {}",
            said.out
        );
        assert!(said.err.contains(message), "{options}: {}", said.err);
        assert!(!said.err.contains("warning["), "{options}: {}", said.err);
    }
}

#[test]
fn what_is_wrong_is_said_with_its_status() {
    let folder = Folder::with(&[
        ("ball.ron", BALL),
        ("leak.ron", LEAK),
        ("circle.ron", CIRCLE),
    ]);
    std::fs::write(folder.path("latin.ron"), b"(name: \"\xff\")").unwrap();
    std::fs::write(folder.path("folder.ron"), "(extends: \".\")").unwrap();
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (line, status, in_err) in [
        ("run", 2, "required"),
        (
            "run nowhere.ron",
            2,
            "error: cannot read `nowhere.ron`: no such file",
        ),
        (
            "run latin.ron",
            2,
            "cannot read `latin.ron`: it is not text in UTF-8 (byte 0xff in line 1)",
        ),
        (
            "run ball.ron --case ruber",
            2,
            "no case `ruber`; did you mean `rubber`?",
        ),
        ("run ball.ron --set q=3", 2, "<--set>"),
        ("compare ball.ron --against q=3", 2, "<--against>"),
        (
            "sweep ball.ron --over k=1..2/1e20",
            2,
            "from 1 to 9007199254740992",
        ),
        (
            "sweep ball.ron --over k~uniform(1,2) --runs 1e18",
            2,
            "from 1 to 9007199254740992",
        ),
        (
            "run ball.ron --events --step-formula 0",
            1,
            "its length is what `step_formula` gives",
        ),
        ("run folder.ron", 2, "cannot read `.`: is a directory"),
        ("test empty", 2, "there is nothing to test"),
        ("--lang ru new nowhere/x", 1, "нет такого файла или папки"),
        ("--lang ru plot empty", 2, "это папка"),
        ("run ball.ron --set k", 2, "<--set>"),
        ("run ball.ron --until h<<3", 2, "<--until>"),
        ("run ball.ron --measure max(hh)", 2, "<--measure>"),
        (
            "run ball.ron --measure mx(h)",
            2,
            "no measure `mx`; did you mean `max`?",
        ),
        (
            "run ball.ron --measure at(h)",
            2,
            "needs a value and a time",
        ),
        (
            "run ball.ron --vars hh",
            2,
            "the model has no `hh`; did you mean `h`?",
        ),
        (
            "run ball.ron --curves h,vv",
            2,
            "the model has no `vv`; did you mean `v`?",
        ),
        ("run ball.ron --curves h:", 2, "a name is missing"),
        ("run ball.ron --plot run.pdf", 2, ".svg or .png"),
        ("run ball.ron --every 0.0015", 2, "not a multiple"),
        ("run ball.ron --step -1", 2, "`step` must be positive"),
        (
            "run ball.ron --json --out -",
            2,
            "both write to standard output",
        ),
        ("run circle.ron --events", 3, "error[R004]"),
        (
            "run leak.ron --out nowhere/run.csv",
            1,
            "cannot write `nowhere/run.csv`",
        ),
        (
            "run leak.ron --plot nowhere/run.svg",
            1,
            "cannot write `nowhere/run.svg`",
        ),
        ("plot ball.ron", 2, "cannot read `ball.ron` as a run"),
        ("explain N01", 2, "no code `N01`"),
        ("procedures integrl", 2, "did you mean `integral`?"),
        ("--log x=y=z run ball.ron", 2, "log filter"),
    ] {
        folder.situ(line).expect(status, in_err);
    }
}

#[test]
fn a_failing_run_keeps_what_it_has() {
    let folder = Folder::with(&[("leak.ron", LEAK)]);
    let said = folder.situ("run leak.ron --out run.csv --record run.json --plot run.svg");
    let said = said.expect(1, "error[R001]: `outflow` becomes NaN");
    assert!(
        said.err.contains("sqrt(level)"),
        "the row is shown: {}",
        said.err
    );
    let run = series(&folder.read("run.csv"));
    let level = &run.real("level").unwrap().values;
    assert!(level.len() > 5 && *level.last().unwrap() < 0.0);
    assert!(folder.read("run.svg").contains("</svg>"));
    let manifest: Value = serde_json::from_str(&folder.read("run.json")).unwrap();
    assert_eq!(manifest["result"]["ended"], "fault");
    assert_eq!(manifest["result"]["rows"], level.len());
    let json = folder.situ("run leak.ron --json").expect(1, "");
    assert_eq!(json.err, "");
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["diagnostics"][0]["code"], "R001");
}

/// An instant that cannot be done leaves no trace: what is told at the end is what was before it.
#[test]
fn a_run_ends_before_the_instant_that_fails() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 2), reals: {"x": 0, "y": 0, "n": 0},
        situations: ["event e: time >= 0.5"],
        relations: ["x = integral(1)", "y = 2 * x", "x, n := 7, 1 / (x - x) when e"])"#;
    let folder = Folder::with(&[("t.ron", table)]);
    let said = folder.situ("run t.ron --no-plot");
    let said = said.expect(1, "error[R001]: `n` becomes infinite at time 0.5");
    assert!(said.err.contains("it read `x` = 0.5"), "{}", said.err);
    for end in [
        "x          0   0.5",
        "y          0     1",
        "n          0     0",
    ] {
        assert!(said.out.contains(end), "{}", said.out);
    }
}

/// The last row is the end, though nothing but the grid is shown and an event lies there.
#[test]
fn rows_on_the_grid_end_with_what_happens_at_the_stop() {
    let table = r#"(format: 1, clock: (stop: 1.4, stepping: events, every: 0.5), reals: {"n": 0},
        situations: ["event beat: every(0.7)"], relations: ["n := n + 1 when beat"])"#;
    let folder = Folder::with(&[("t.ron", table)]);
    let said = folder
        .situ("run t.ron --grid --quiet --out -")
        .expect(0, "");
    assert_eq!(said.out, "time,n,beat\n0,0,0\n0.5,0,0\n1,1,1\n1.4,2,1\n");
}

/// What is compared in an exercise is located, whatever rows are written, and has to arise.
#[test]
fn an_exercise_sees_conditions_between_rows() {
    let table = r#"(format: 1, clock: (stop: 10, stepping: events, every: 2), reals: {"x": 0, "v": 1},
        relations: ["v = integral(-x)", "x = integral(v)"],
        lab: (predict: {"u": (value: "time", at: "x > 0.5", count: 2), "w": (value: "time", at: "x > -2")}))"#;
    let folder = Folder::with(&[("t.ron", table)]);
    let said = folder
        .situ("lab t.ron --predict u[1]=0.5 --json")
        .expect(0, "");
    let log: Value = serde_json::from_str(&said.out).unwrap();
    let obtained: Vec<_> = (0..3).map(|row| log[row]["obtained"].as_f64()).collect();
    let sixth = std::f64::consts::PI / 6.0;
    for (at, exact) in [(0, sixth), (1, 13.0 * sixth)] {
        assert!((obtained[at].unwrap() - exact).abs() < 1e-5, "{obtained:?}");
    }
    assert_eq!(obtained[2], None);
    for value in ["nan", "inf", "-inf", "1e400"] {
        folder
            .situ(&format!("lab t.ron --predict u[1]={value}"))
            .expect(2, "a number is needed, like 0.5 or 1e-3");
    }
}

#[test]
fn a_rounded_delay_is_warned_of() {
    let text = "(format: 1, clock: (step: 0.1, stop: 1), reals: {\"x\": 0, \"y\": 0},
        relations: [\"x = 2 * time\", \"y = delay(x, 0.25)\"])";
    let folder = Folder::with(&[]);
    folder
        .situ_reading("run - --no-plot", text)
        .expect(0, "warning[R003]");
    let divided = folder
        .situ_reading("run - --no-plot --step 0.05", text)
        .expect(0, "");
    assert_eq!(divided.err, "");
}

#[test]
fn measures_are_printed_and_given_as_json() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let measures = "--measure max(h) --measure at(h,0.5) --measure first(bounce) --measure count(bounce) \
                    --measure period(bounce) --measure duration(falling) --measure final(h+v) --measure min(v)";
    let said = folder
        .situ(&format!("run ball.ron --no-plot {measures}"))
        .expect(0, "");
    assert!(said.out.contains("count(bounce) = "), "{}", said.out);
    let json = folder
        .situ(&format!("run ball.ron --json {measures}"))
        .expect(0, "");
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let value = |index: usize| report["measures"][index]["value"].as_f64().unwrap();
    assert_eq!(value(0), 2.0);
    // Falling from rest: h = 2 - g t^2 / 2, first contact at sqrt(4 / g), all within a tick.
    assert!((value(1) - (2.0 - 9.81 * 0.125)).abs() < 5e-3);
    assert!((value(2) - (4.0_f64 / 9.81).sqrt()).abs() < 2.5e-3);
    assert!(value(3) >= 2.0);
    // Each bounce takes 2 k v / g; the mean of the first ones is below the first of them.
    assert!(value(4) > 0.4 && value(4) < 1.1);
    assert!(value(5) > 0.6 && value(5) < 3.0);
    assert!((value(7) + (4.0_f64 * 9.81).sqrt()).abs() < 0.05);
}

/// What is asked for is printed also where nothing else is.
#[test]
fn a_quiet_run_prints_what_is_measured() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let said = folder
        .situ("run ball.ron --quiet --measure max(h) --measure count(bounce)")
        .expect(0, "");
    assert!(
        said.out.starts_with("max(h) = 2\ncount(bounce) = "),
        "{}",
        said.out
    );
    assert_eq!((said.out.lines().count(), &*said.err), (2, ""));
    let rows = folder
        .situ("run ball.ron --quiet --measure max(h) --out - --stop 0.25")
        .expect(0, "");
    assert!(rows.out.starts_with("time,"), "{}", rows.out);
    assert_eq!(rows.err, "max(h) = 2\n");
    let nothing = folder.situ("run ball.ron --quiet").expect(0, "");
    assert_eq!((&*nothing.out, &*nothing.err), ("", ""));
}

/// A run that is to stop within its first tick does that tick.
#[test]
fn a_stop_within_the_first_tick_is_reached() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    for stop in ["1e-300", "1e-12"] {
        let said = folder
            .situ(&format!("run ball.ron --json --stop {stop}"))
            .expect(0, "");
        let summary: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(summary["ticks"], 1, "{stop}");
    }
}

#[test]
fn rule_firings_can_be_logged() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let said = folder
        .situ("--log situ::rules=debug run ball.ron --no-plot --stop 1")
        .expect(0, "bounce");
    assert!(said.err.contains("relation"), "{}", said.err);
    let silent = folder.situ("run ball.ron --no-plot --stop 1").expect(0, "");
    assert!(!silent.err.contains("situ::rules"));
}

/// A ball that falls through its floor in ticks.
const DROP: &str = r#"(
    format: 1,
    name: "drop",
    clock: (step: 0.001, stop: 4),
    reals: {"h": 1, "v": 0},
    ranges: ["floor: h <= 0"],
    situations: ["event hit: floor"],
    relations: ["v := -0.7 * v when hit", "v = integral(-9.81)", "h = integral(v)"],
)"#;

#[test]
fn ticks_that_go_wrong_warn() {
    let folder = Folder::with(&[("drop.ron", DROP), ("ball.ron", BALL)]);
    let said = folder.situ("run drop.ron --no-plot");
    assert_eq!(said.status, 0);
    for code in [
        "warning[R021]: the instants of `hit`",
        "warning[R023]: `hit` fired",
    ] {
        let lines: Vec<&str> = said
            .err
            .lines()
            .filter(|line| line.contains(code))
            .collect();
        assert!(
            lines.len() == 1 && lines[0].contains("--events"),
            "{}",
            said.err
        );
    }
    for quiet in ["", "--quiet"] {
        assert_eq!(
            folder
                .situ(&format!("run drop.ron --no-plot --deny warnings {quiet}"))
                .status,
            1
        );
    }
    let report = folder.situ("run drop.ron --json");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    let codes = report["diagnostics"].as_array().unwrap().iter();
    assert!(codes.clone().any(|one| one["code"] == "R021"), "{report}");
    let exact = folder.situ("run drop.ron --no-plot --events --deny warnings");
    assert_eq!(exact.status, 0, "{}", exact.err);
    assert!(
        exact
            .out
            .contains("note[R021]: the instants of `hit` gather at time"),
        "{}",
        exact.out
    );
}

#[test]
fn a_value_that_a_row_writes_again_is_told() {
    let table = r#"(format: 1, clock: (step: 0.5, stop: 1), reals: {"T": 1, "x": 0},
        relations: ["T = 5 + x", "x = integral(T)"])"#;
    let folder = Folder::with(&[("house.ron", table)]);
    let said = folder.situ("run house.ron --no-plot --set T=30");
    assert!(
        said.err.contains("row `[1]` writes `T` again"),
        "{}",
        said.err
    );
    let said = folder.situ("run house.ron --no-plot --set x=30");
    assert!(!said.err.contains("again"), "{}", said.err);
}

#[test]
fn a_guess_that_a_row_begins_from_is_told() {
    let table = r#"(format: 1, clock: (step: 0.5, stop: 1, stepping: events), reals: {"x": 1, "p": 1, "J": 0},
        ranges: ["late: x > 5"], situations: ["event hit: x > 6"],
        relations: ["x = integral(1)", "solve p: p ^ 2 = x when !late", "solve J: J + J ^ 3 = x when hit"])"#;
    let folder = Folder::with(&[("root.ron", table)]);
    let said = folder.situ("run root.ron --no-plot --set p=-0.5");
    let note = "row `[2]` finds `p` again, beginning from this value while !late";
    assert!(said.err.contains(note), "{}", said.err);
    assert!(said.out.contains("p         -1   -1.41421"), "{}", said.out);
    // At an event it is found once.
    let said = folder.situ("run root.ron --no-plot --set J=3");
    assert!(!said.err.contains("again"), "{}", said.err);
    let said = folder.situ("--lang ru run root.ron --no-plot --set p=-0.5");
    assert!(said.err.contains("находит `p` заново"), "{}", said.err);
}

#[test]
fn a_run_without_end_is_ended() {
    let dense = r#"(format: 1, clock: (stepping: events, stop: 1), reals: {"n": 0, "x": 0, "late": 0},
        situations: ["event beat: every(1e-5)"],
        relations: ["n := n + 1 when beat", "x = integral(1)", "late = delay(x, 1e-5)"])"#;
    let folder = Folder::with(&[("dense.ron", dense), ("ball.ron", BALL)]);
    for (line, says) in [
        (
            "run dense.ron --no-plot --max-events 1e3",
            "a schedule is due every 0.00001",
        ),
        (
            "run dense.ron --no-plot --max-steps 1e3",
            "no step is longer than the delay of 0.00001",
        ),
        (
            "run ball.ron --no-plot --events --every 1e-13",
            "there is a row every 1e-13",
        ),
        ("run ball.ron --no-plot --max-steps 100", "a tick is"),
    ] {
        let said = folder.situ(line);
        assert_eq!(said.status, 1, "{line}: {}", said.err);
        assert!(
            said.err.contains("R025") && said.err.contains(says),
            "{line}: {}",
            said.err
        );
    }
    let record = "run ball.ron -q --no-plot --max-rows 1e6 --record run.json";
    folder.situ(record).expect(0, "");
    assert!(folder.read("run.json").contains("\"max_rows\": 1000000"));
}

/// A run that needs as many steps and instants as it may have comes to its end, and with one less it does not.
#[test]
fn a_run_may_use_its_budgets_up() {
    let swing = r#"(format: 1, clock: (stepping: events, stop: 4, method: tsit5), reals: {"v": 0, "x": 1},
        relations: ["v = integral(-x)", "x = integral(v)"])"#;
    let beats = r#"(format: 1, clock: (stepping: events, stop: 0.95, step: 0.1), reals: {"n": 0, "x": 1},
        relations: ["x = integral(-x)", "n := n + 1 when every(0.03)"])"#;
    let folder = Folder::with(&[("swing.ron", swing), ("beats.ron", beats)]);
    for (table, last) in [
        ("swing.ron", ""),
        ("beats.ron", "--stop 0.9"),
        ("beats.ron", ""),
    ] {
        let line = format!("run {table} --json {last}");
        let said = folder.situ(&line).expect(0, "");
        let whole: Value = serde_json::from_str(&said.out).unwrap();
        for (option, count) in [("--max-steps", "steps"), ("--max-events", "instants")] {
            let needs = whole[count].as_u64().unwrap();
            if needs == 0 {
                continue;
            }
            let said = folder.situ(&format!("{line} {option} {needs}"));
            let again: Value = serde_json::from_str(&said.expect(0, "").out).unwrap();
            assert_eq!(again[count], needs, "{table}");
            let less = needs - 1;
            let said = folder.situ(&format!("{line} {option} {less}"));
            let broken: Value = serde_json::from_str(&said.expect(1, "").out).unwrap();
            assert_eq!(broken[count], less, "{table} {option}");
        }
    }
}

/// Runs that break off, ranges that only one has, and families of which the second run has another size.
#[test]
fn a_comparison_tells_all_that_differs() {
    let range = r#"(format: 1, clock: (stepping: events, stop: 4), constants: {"lim": 1}, reals: {"x": 0, "y": 0},
        ranges: ["r: x > lim"], situations: ["s: r & x > 7"], relations: ["x = integral(1)", "y = integral(1) when s"])"#;
    let family = r#"(format: 1, clock: (stepping: events, stop: 1), constants: {"N": 3}, counters: {"j": "1 .. N"},
        reals: {"x[j]": "j", "s": 0}, ranges: ["w[j]: x[j] < 0.5"], switches: {"o[j]": false},
        assignments: ["when w[j]: o[j]"], relations: ["x[j] = integral(-j * x[j])", "s = integral(1)"])"#;
    let folder = Folder::with(&[("range.ron", range), ("family.ron", family)]);
    let compared = |line: &str, status: i32| -> Value {
        let said = folder.situ(&format!("compare {line} --json"));
        serde_json::from_str(&said.expect(status, "").out).unwrap()
    };
    let found = compared("range.ron --against lim=9", 0);
    assert_eq!(found["first_difference"]["name"], "r");
    assert_eq!(found["booleans"][0]["only"], serde_json::json!([1, 0]));
    // Where both have the same changes of a range, those of what names it are enough.
    let found = compared("range.ron --against rtol=1e-9", 0);
    assert_eq!(found["booleans"], serde_json::json!([]));
    for (size, only) in [
        ("4", [vec![], vec!["x[4]", "o[4]", "w[4]"]]),
        ("2", [vec!["x[3]", "o[3]", "w[3]"], vec![]]),
    ] {
        let found = compared(&format!("family.ron --against N={size}"), 0);
        assert_eq!(found["only"], serde_json::json!(only), "{found}");
        for real in found["reals"].as_array().unwrap() {
            assert!(real["difference"].as_f64().unwrap() < 1e-6, "{real}");
        }
        let verdict = found["verdict"].as_str().unwrap();
        assert!(verdict.contains("run has `x["), "{verdict}");
    }
    let found = compared("family.ron --max-events 2 --against rtol=1e-9", 1);
    assert!(found["runs"][0]["fault"].is_string(), "{found}");
}

/// A range that nothing reads changes no measure: a comparison of numbers that a jump makes equal is that of the numbers.
#[test]
fn measures_do_not_depend_on_ranges_that_nothing_reads() {
    let jumps = r#"(format: 1, clock: (stepping: events, stop: 3, every: 1), reals: {"x": 0.5, "y": 0},
        RANGES situations: ["event r: every(1)"],
        relations: ["x = integral(1)", "x := 0 when r"])"#;
    let begins = r#"(format: 1, clock: (stepping: events, stop: 3, every: 1), reals: {"x": 0, "y": 0},
        RANGES relations: ["x = integral(1)"])"#;
    for (text, counts) in [
        (jumps, ["2", "3", "1"].map(str::to_owned)),
        (begins, ["1", "0", "0"].map(str::to_owned)),
    ] {
        for ranges in ["", r#"ranges: ["p: x > 0"],"#] {
            let folder = Folder::with(&[("t.ron", &text.replace("RANGES", ranges))]);
            let said = folder.situ(
                "run t.ron --json --no-plot --measure count(x>0) --measure count(x<=0) --measure first(x<=0)",
            );
            let summary: Value = serde_json::from_str(&said.expect(0, "").out).unwrap();
            for (at, count) in counts.iter().enumerate() {
                let value = summary["measures"][at]["value"].as_f64();
                assert_eq!(value, count.parse().ok(), "{at} of {ranges:?}");
            }
            let said = folder.situ("run t.ron --json --no-plot --until x<=0");
            let summary: Value = serde_json::from_str(&said.expect(0, "").out).unwrap();
            assert_eq!(summary["time"].as_f64(), counts[2].parse().ok());
        }
    }
}

/// Of a tick, coverage tells the time of the row at its end, as all else does.
#[test]
fn coverage_of_ticks_tells_times_of_rows() {
    let table = r#"(format: 1, clock: (CLOCK), reals: {"x": 0, "y": 0}, ranges: ["a: x > 1"],
        relations: ["x = integral(1)", "y = 1 when a"])"#;
    // The row at 1.25 has 1.25, which the tick from there to 1.5 reads. A tick that is located ends where x is 1.
    for (clock, first, nothing) in [
        ("step: 0.25, stop: 3", "1.5", "0"),
        ("step: 0.25, stop: 3, locate: linear", "1.25", "0"),
    ] {
        let folder = Folder::with(&[("t.ron", &table.replace("CLOCK", clock))]);
        let measured = folder.situ("run t.ron --no-plot -q --measure first(a)");
        let measured = measured.expect(0, "").out;
        let measured = measured.trim().strip_prefix("first(a) = ").unwrap();
        let said = folder.situ("coverage t.ron --json").expect(0, "").out;
        let covered: Value = serde_json::from_str(&said).unwrap();
        let firsts = |holds: &[&str]| {
            let all = covered["combinations"].as_array().unwrap().iter();
            let names = |one: &Value| {
                let names = one["holds"].as_array().unwrap().iter();
                names
                    .map(|name| name.as_str().unwrap().to_owned())
                    .collect::<Vec<_>>()
            };
            let mut these = all.filter(|one| names(one) == holds);
            these.next().unwrap()["first"].to_string()
        };
        let number = |text: &str| text.parse::<f64>().unwrap();
        let at = number(&firsts(&["a"]));
        assert!((at - number(first)).abs() < 1e-12, "{clock}: {said}");
        assert!((at - number(measured)).abs() < 1e-12, "{clock}: {said}");
        assert_eq!(number(&firsts(&[])), number(nothing), "{clock}: {said}");
    }
}

/// A test whose run fails checks nothing of what the table expects, and says so.
#[test]
fn expectations_of_a_run_that_fails_are_counted() {
    // x is 1 / (1 - t).
    let table = r#"(format: 1, clock: (stepping: events, stop: 5), reals: {"x": 1}, relations: ["x = integral(x^2)"],
        expect: ["final(x) = 3", "x >= 0", "max(x) >= 1"])"#;
    let folder = Folder::with(&[("fail.ron", table)]);
    let said = folder.situ("test fail.ron").expect(4, "").out;
    let unchecked = "none of its 3 expectations could be checked";
    assert!(said.contains(unchecked), "{said}");
    assert!(
        said.ends_with("1 file, 3 expectations: 1 file failed\n"),
        "{said}"
    );
    let json = folder.situ("test fail.ron --json").expect(4, "").out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["unchecked"], 3);
}

/// Along a slide the summary and coverage count the share of each side, as `duration` does.
#[test]
fn slides_are_covered_by_share() {
    let text = r#"(format: 1, clock: (stepping: events, stop: 4, every: 1), reals: {"x": 1},
        ranges: ["above: x > 0"], situations: ["not_up: !above"],
        relations: ["x = integral(-2) when above", "x = integral(1) when not_up"])"#;
    let folder = Folder::with(&[("t.ron", text)]);
    // From 0.5 on the state is above for a third of the time.
    let run = folder.situ("run t.ron --no-plot --measure duration(not_up)");
    let said = run.expect(0, "").out;
    assert!(said.contains("2.33333   58.3 %"), "{said}");
    let said = folder.situ("coverage t.ron").expect(0, "").out;
    for share in ["when above   41.7 %", "when not_up   58.3 %"] {
        assert!(said.contains(share), "{said}");
    }
}

/// Names between backticks hold blanks, ids none: what is written out reads back.
#[test]
fn machines_and_parts_with_blanks_in_names_are_written_so_that_they_read_back() {
    let machine = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 0},
        machines: {"m": (start: "`go up`", states: {"`go up`": ["x = integral(1)"], "down": ["x = integral(-1)"]},
            transitions: ["`go up` -> down when x > 0.5"])})"#;
    let part = r#"(format: 1, clock: (step: 0.1, stop: 1), inputs: {"`in flow`": 1}, reals: {"x": 0},
        relations: ["x = integral(`in flow`)"])"#;
    let outer = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"y": 0}, parts: {"left": (file: "part.ron")},
        relations: ["y = left.x"])"#;
    let connected = outer.replace("\"y = left.x\"", "\"`left.in flow` = 2\", \"y = left.x\"");
    let folder = Folder::with(&[
        ("machine.ron", machine),
        ("part.ron", part),
        ("outer.ron", outer),
        ("connected.ron", &connected),
    ]);
    let written = folder.situ("show --expand machine.ron").expect(0, "").out;
    let again = Folder::with(&[("again.ron", &written)]);
    again.situ("check again.ron").expect(0, "");
    let said = folder.situ("check outer.ron").expect(0, "");
    let said = format!("{}{}", said.out, said.err);
    assert!(said.contains("such as ``left.in flow` = ..`"), "{said}");
    folder.situ("check connected.ron").expect(0, "");
}

#[test]
fn an_infinite_measure_is_a_text_in_json() {
    let text = r#"(format: 1, clock: (step: 0.5, stop: 1), reals: {"x": 1},
        relations: ["x = integral(-2)"])"#;
    let folder = Folder::with(&[("t.ron", text)]);
    let said = folder.situ("run t.ron --json --no-plot --measure max(1/x) --measure first(x>9)");
    let summary: Value = serde_json::from_str(&said.expect(0, "").out).unwrap();
    assert_eq!(summary["measures"][0]["value"], "inf");
    assert!(summary["measures"][1]["value"].is_null());
}

#[test]
fn a_quote_that_is_not_closed_is_refused() {
    let folder = Folder::with(&[("ball.ron", BALL), ("wrong.csv", "k\n\"0.5\n")]);
    folder
        .situ("sweep ball.ron --parameters wrong.csv --measure final(h)")
        .expect(2, "wrong.csv:2: this quote is not closed");
}

#[test]
fn blanks_around_quoted_names_are_none_of_them() {
    let values = "\"k\", \"h\" \n0.5, \"2\"\n";
    let folder = Folder::with(&[("ball.ron", BALL), ("values.csv", values)]);
    folder
        .situ("sweep ball.ron --parameters values.csv --measure final(h)")
        .expect(0, "");
}
