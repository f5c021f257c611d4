//! The commands beside `run`: check, new, emit, fmt, help, completions, plot.

use serde_json::Value;

use super::{BALL, Folder};

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

#[test]
fn a_new_table_runs_and_is_not_written_over() {
    let folder = Folder::with(&[]);
    folder.situ("new tank").expect(0, "wrote `tank.ron`");
    folder.situ("check tank.ron --deny warnings").expect(0, "");
    folder.situ("fmt tank.ron --check").expect(0, "");
    let run = folder
        .situ("run tank.ron --measure count(bounce)")
        .expect(0, "");
    assert!(run.out.starts_with("tank: "), "{}", run.out);
    let before = folder.read("tank.ron");
    folder
        .situ("new tank.ron")
        .expect(2, "`tank.ron` exists already");
    assert_eq!(folder.read("tank.ron"), before);
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
