//! Files of the user: never one for another, never half of one, whatever happens meanwhile.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{BALL, Folder, Said, command};
use crate::sessions::Dice;

/// Tables of which one extends the other, under several names.
fn family() -> Folder {
    let folder = Folder::with(&[
        ("ball.ron", BALL),
        (
            "more.ron",
            "(format: 1, extends: \"ball.ron\", clock: (stop: 1))",
        ),
        ("values.csv", "k\n0.5\n0.6\n"),
    ]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("ball.ron", folder.path("link.csv")).unwrap();
        std::fs::hard_link(folder.path("ball.ron"), folder.path("hard.csv")).unwrap();
    }
    folder
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn what_is_read_is_not_written_over() {
    let folder = family();
    folder
        .situ("run more.ron -q --save-state state --out rows.csv")
        .expect(0, "");
    let before: Vec<String> = names(&folder)
        .iter()
        .map(|name| folder.read(name))
        .collect();
    for line in [
        "run more.ron -q --out more.ron",
        "run more.ron -q --out ./ball.ron",
        "run more.ron -q --out link.csv",
        "run more.ron -q --out hard.csv",
        "run more.ron -q --record ball.ron",
        "run more.ron -q --save-state ball.ron",
        "run more.ron -q --events --event-log ball.ron",
        "run more.ron -q --from state --out state",
        "run more.ron -q --from state --save-state ./state",
        "sweep more.ron -q --over k=0.5 --out ball.ron",
        "sweep more.ron -q --over k=0.5 --out link.csv",
        "sweep more.ron -q --parameters values.csv --out values.csv",
    ] {
        folder.situ(line).expect(2, "which is read");
    }
    folder
        .situ(
            "repl more.ron -e step -e export~hard.csv"
                .replace('~', "\u{a0}")
                .as_str(),
        )
        .expect(2, "");
    for name in ["svg", "png"] {
        let link = folder.path(&format!("ball.{name}"));
        std::os::unix::fs::symlink("ball.ron", &link).unwrap();
        for line in [
            format!("run more.ron --plot ball.{name}"),
            format!("plot rows.csv --table more.ron --plot ball.{name}"),
            format!("sweep more.ron -q --over k=0.5,0.6 --plot ball.{name}"),
        ] {
            folder.situ(&line).expect(2, "which is read");
        }
        std::fs::remove_file(link).unwrap();
    }
    let after: Vec<String> = names(&folder)
        .iter()
        .map(|name| folder.read(name))
        .collect();
    assert_eq!(after, before);
}

#[cfg(unix)]
#[test]
fn standard_input_is_not_written_over() {
    let folder = family();
    let mut command = command(&folder.path(""), "run - -q --out ball.ron");
    let table = std::fs::File::open(folder.path("ball.ron")).unwrap();
    let output = command.stdin(table).output().unwrap();
    Said::of(&output).expect(2, "which is read");
    assert_eq!(folder.read("ball.ron"), BALL);
}

#[test]
fn two_outputs_have_two_names() {
    let folder = family();
    for (line, both) in [
        ("run ball.ron -q --out x --record x", "--out and --record"),
        (
            "run ball.ron -q --out x --save-state ./x",
            "--out and --save-state",
        ),
        (
            "run ball.ron -q --events --out x --event-log x",
            "--out and --event-log",
        ),
        (
            "run ball.ron -q --record s.before --save-state s --save-every 1",
            "--record and --save-every",
        ),
        (
            "sweep ball.ron -q --over k=0.5 --out x.parquet --trajectories x.parquet",
            "--out and --trajectories",
        ),
    ] {
        folder.situ(line).expect(2, both);
    }
    assert!(!folder.path("x").exists());
}

/// No format under the name of another.
#[test]
fn endings_say_what_is_written() {
    let folder = family();
    let before = names(&folder);
    for (line, ending) in [
        ("run ball.ron -q --out rows.parquet", ".csv"),
        ("run ball.ron -q --out rows.PNG", ".csv"),
        ("run ball.ron -q --out rows.json", ".csv"),
        ("run ball.ron -q --events --event-log log.svg", ".csv"),
        ("run ball.ron -q --record run.csv", ".json"),
        ("run ball.ron -q --save-state end.csv", ".state"),
        ("run ball.ron -q --plot rows.csv", ".svg or .png"),
        (
            "sweep ball.ron -q --over k=0.5 --out k.json",
            ".csv or .parquet",
        ),
        (
            "sweep ball.ron -q --over k=0.5 --trajectories k.csv",
            ".parquet",
        ),
        (
            "sweep ball.ron -q --over k=0.5 --plot k.csv",
            ".svg or .png",
        ),
        ("new tank.csv", ".ron"),
    ] {
        folder.situ(line).expect(2, ending);
    }
    assert_eq!(names(&folder), before);
    folder
        .situ("run ball.ron -q --out rows.txt --record run.record --save-state end")
        .expect(0, "");
}

/// A program that is killed when a test is over.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Folder, line: &str) -> Started {
    let mut command = command(&folder.path(""), line);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::piped());
    Started(quiet.spawn().unwrap())
}

fn wait_for(there: impl Fn() -> bool) {
    let mut left = 6000;
    while !there() {
        left -= 1;
        assert!(left > 0, "it does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn of_two_sweeps_into_one_file_the_second_says_who_writes_it() {
    let folder = family();
    for name in ["k.csv", "k.parquet"] {
        for _ in 0..10 {
            let line = format!("sweep ball.ron -q --over k=0.1..0.9/4000000 --out {name}");
            let first = start(&folder, &line);
            let lock = folder.path(&format!(".{name}.lock"));
            let id = first.0.id().to_string();
            wait_for(|| std::fs::read_to_string(&lock).is_ok_and(|text| text == id));
            let said = folder.situ(&format!("sweep ball.ron -q --over k=0.5 --out {name}"));
            said.expect(
                1,
                &format!("is being written by another sweep: process {id}"),
            );
        }
        folder
            .situ(&format!("sweep ball.ron -q --over k=0.5 --out {name}"))
            .expect(0, "");
    }
    assert_eq!(folder.read("k.csv").lines().count(), 2);
    let left: Vec<String> = names(&folder);
    let left: Vec<&String> = left.iter().filter(|name| name.starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Kills a command at a random moment.
fn kill(folder: &Folder, line: &str, dice: &mut Dice, most_ms: u64) {
    let mut started = start(folder, line);
    std::thread::sleep(Duration::from_micros(dice.below(most_ms * 1000)));
    started.0.kill().unwrap();
    started.0.wait().unwrap();
}

/// How often every kind of work is killed: `SITU_SOAK_KILLS` times.
fn kills() -> u64 {
    let kills = std::env::var("SITU_SOAK_KILLS");
    kills.map_or(25, |kills| kills.parse().expect("a number"))
}

#[test]
fn a_run_that_was_killed_goes_on_from_its_last_state() {
    let folder = family();
    let line = "run ball.ron -q --stop 200 --step 0.0001";
    folder
        .situ(&format!("{line} --out whole.csv --save-state whole"))
        .expect(0, "");
    folder
        .situ(&format!(
            "{line} --out also.csv --save-state also --save-every 20"
        ))
        .expect(0, "");
    assert!(
        folder.read("whole.csv") == folder.read("also.csv"),
        "saving leaves no trace in the rows"
    );
    assert_eq!(folder.read("whole"), folder.read("also"));
    assert_ne!(folder.read("also.before"), folder.read("also"));
    let mut dice = Dice(1);
    let saving = format!("{line} --save-state s --save-every 1");
    let mut went_on = 0;
    for _ in 0..kills() {
        kill(&folder, &saving, &mut dice, 150);
        for state in ["s", "s.before"] {
            if !folder.path(state).exists() {
                continue;
            }
            went_on += 1;
            folder
                .situ(&format!("{line} --from {state} --save-state end"))
                .expect(0, "");
            assert!(folder.read("end") == folder.read("whole"), "from {state}");
        }
    }
    assert!(went_on > 0);
}

/// Ticks whose length a row gives, and ticks that are cut at events.
#[test]
fn runs_of_uneven_ticks_are_put_aside_without_a_trace() {
    let folder = family();
    let stand = crate::tables::root().join("scenarios/stand/variable_step.ron");
    let variable = format!("run {} -q --stop 4", stand.display());
    for line in [
        variable.as_str(),
        "run ball.ron -q --stop 4 --step 0.01 --locate quadratic",
    ] {
        let files = "--out whole.csv --save-state whole";
        folder.situ(&format!("{line} {files}")).expect(0, "");
        let files = "--out also.csv --save-state also --save-every 0.7";
        folder.situ(&format!("{line} {files}")).expect(0, "");
        assert!(
            folder.read("whole.csv") == folder.read("also.csv"),
            "{line}"
        );
        assert_eq!(folder.read("whole"), folder.read("also"));
        assert_ne!(folder.read("also.before"), folder.read("also"));
        folder
            .situ(&format!("{line} --from also.before --save-state end"))
            .expect(0, "");
        assert_eq!(folder.read("end"), folder.read("whole"));
    }
}

#[test]
fn event_runs_are_put_aside_without_a_trace() {
    let folder = family();
    let line = "run ball.ron -q --events --stop 3 --every 0.01";
    let files = |name: &str| format!("--out {name}.csv --event-log {name}.log --save-state {name}");
    folder
        .situ(&format!("{line} {}", files("whole")))
        .expect(0, "");
    folder
        .situ(&format!("{line} {} --save-every 0.5", files("also")))
        .expect(0, "");
    for end in [".csv", ".log", ""] {
        let [whole, also] = ["whole", "also"].map(|name| folder.read(&format!("{name}{end}")));
        assert!(whole == also, "{end}");
    }
}

#[test]
fn a_sweep_that_was_killed_goes_on() {
    let folder = family();
    let line = "sweep ball.ron -q --over k=0.1..0.9/700 --measure max(h) --stop 1 --threads 1";
    folder
        .situ(&format!(
            "{line} --out whole.csv --trajectories rows.parquet"
        ))
        .expect(0, "");
    let whole = folder.read("whole.csv");
    let rows = crate::sweeps::parquet(&folder.path("rows.parquet")).0;
    let mut dice = Dice(2);
    for files in [
        "--out k.csv",
        "--out k.parquet",
        "--out k.csv --trajectories t.parquet",
    ] {
        for name in ["k.csv", "k.parquet", "t.parquet"] {
            let _ = std::fs::remove_file(folder.path(name));
        }
        for _ in 0..kills() {
            kill(&folder, &format!("{line} {files} --resume"), &mut dice, 400);
        }
        folder
            .situ(&format!("{line} {files} --resume"))
            .expect(0, "");
        if files.contains("k.csv") {
            assert!(folder.read("k.csv") == whole, "{files}");
        } else {
            let lines = crate::sweeps::parquet(&folder.path("k.parquet")).0;
            assert_eq!(lines, crate::sweeps::without_sweep(&whole));
        }
        if files.contains("t.parquet") {
            assert!(crate::sweeps::parquet(&folder.path("t.parquet")).0 == rows);
        }
    }
    let left: Vec<String> = names(&folder);
    let left: Vec<&String> = left
        .iter()
        .filter(|name| name.ends_with(".sweep"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_table_is_whole_when_its_saving_is_killed() {
    let folder = family();
    let mut dice = Dice(3);
    for round in 0..kills() {
        let started = command(&folder.path(""), "repl ball.ron")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut started = Started(started.unwrap());
        let mut input = started.0.stdin.take().unwrap();
        let lines = format!("constant c{round} = 1\nsave!\n").repeat(3) + "save!\n";
        let _ = std::io::Write::write_all(&mut input, lines.as_bytes());
        std::thread::sleep(Duration::from_micros(dice.below(60_000)));
        drop(started);
        folder.situ("check ball.ron").expect(0, "");
    }
}

/// A file that may not grow beyond some size stands for a disk that is full.
#[cfg(unix)]
#[test]
fn on_a_full_disk_what_was_there_stays() {
    let folder = family();
    let limited = |line: &str| {
        let shell = format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" {line}");
        let output = Command::new("sh")
            .env("LC_ALL", "C")
            .current_dir(folder.path(""))
            .args(["-c", &shell, super::SITU])
            .output();
        Said::of(&output.unwrap())
    };
    for name in ["run.csv", "s", "k.csv", "k.parquet", "log.csv"] {
        std::fs::write(folder.path(name), "old").unwrap();
    }
    for (line, name) in [
        ("run ball.ron -q --every 0.001 --out run.csv", "run.csv"),
        (
            "sweep ball.ron -q --over 'k=0.1..0.9/3000' --out k.csv",
            "k.csv",
        ),
        (
            "sweep ball.ron -q --over 'k=0.1..0.9/3000' --out k.parquet",
            "k.parquet",
        ),
        (
            "run ball.ron -q --events --stop 100 --event-log log.csv",
            "log.csv",
        ),
    ] {
        limited(line).expect(1, name);
        assert_eq!(folder.read(name), "old", "{line}");
    }
    // Rows that take nobody's place are kept as far as they go.
    limited("run ball.ron -q --every 0.001 --out new.csv").expect(1, "new.csv");
    let rows = folder.read("new.csv");
    assert!(rows.ends_with('\n') && rows.lines().count() > 50);
    // A sweep goes on when there is room again.
    std::fs::remove_file(folder.path("k.csv")).unwrap();
    let sweep = "sweep ball.ron -q --over k=0.1..0.9/3000 --out k.csv";
    limited(&format!(
        "{} --resume",
        sweep.replace("k=0", "'k=0").replace("/3000", "/3000'")
    ))
    .expect(1, "k.csv");
    folder.situ(&format!("{sweep} --resume")).expect(0, "");
    let resumed = folder.read("k.csv");
    folder.situ(sweep).expect(0, "");
    assert!(resumed == folder.read("k.csv"));
}

#[cfg(target_os = "linux")]
#[test]
fn where_no_file_can_be_made_that_is_said() {
    let folder = family();
    for line in [
        "run ball.ron -q --out /proc/none.csv",
        "run ball.ron -q --record /proc/none.json",
        "run ball.ron -q --save-state /proc/none.state",
        "sweep ball.ron -q --over k=0.5 --out /proc/none.csv",
        "run ball.ron -q --out no/such/folder.csv",
        "run ball.ron -q --out .",
    ] {
        folder.situ(line).expect(1, "cannot write");
    }
}

#[test]
fn a_table_that_changes_while_a_sweep_runs_changes_nothing_in_it() {
    let folder = family();
    let sweep = "sweep ball.ron -q --over k=0.1..0.9/300 --measure max(h) --out k.csv";
    folder.situ(sweep).expect(0, "");
    let whole = folder.read("k.csv");
    std::fs::remove_file(folder.path("k.csv")).unwrap();
    let mut started = start(&folder, sweep);
    wait_for(|| folder.path(".k.csv.lock").exists() || folder.path("k.csv").exists());
    std::fs::write(folder.path("ball.ron"), BALL.replace("9.81", "1.62")).unwrap();
    assert!(started.0.wait().unwrap().success());
    assert!(folder.read("k.csv") == whole);
    folder
        .situ(&format!("{sweep} --resume"))
        .expect(2, "k.csv belongs to another sweep: the table was different");
    assert!(folder.read("k.csv") == whole);
}

#[test]
fn only_regular_files_of_a_size_are_tables() {
    let folder = family();
    for name in ["/dev/zero", "."] {
        let table = format!("(format: 1, extends: \"{name}\")");
        std::fs::write(folder.path("odd.ron"), table).unwrap();
        for command in ["check", "run"] {
            let said = folder.situ(&format!("{command} odd.ron"));
            assert_eq!(said.status, 2);
            assert!((said.out + &said.err).contains("cannot read"), "{name}");
        }
    }
    #[cfg(unix)]
    {
        let made = Command::new("mkfifo").arg(folder.path("pipe")).status();
        assert!(made.unwrap().success());
        folder
            .situ("run pipe")
            .expect(2, "it is not a regular file");
        folder
            .situ("sweep ball.ron --parameters pipe")
            .expect(2, "it is not a regular file");
        folder
            .situ("run ball.ron --from pipe")
            .expect(2, "it is not a regular file");
    }
    folder
        .situ("check ball.ron --max-table 500")
        .expect(2, "it is longer than 500 bytes; --max-table allows more");
    folder.situ("check ball.ron --max-table 1M").expect(0, "");
    folder
        .situ_reading("check - --max-table 500", BALL)
        .expect(2, "it is longer than 500 bytes");
}

#[test]
fn a_sweep_into_a_pipe_that_closes_ends_quietly() {
    let folder = family();
    let mut started = command(
        &folder.path(""),
        "sweep ball.ron -q --stop 0.1 --over k=0.1..0.9/200000",
    );
    let mut started = Started(started.stdout(Stdio::piped()).spawn().unwrap());
    let mut first = String::new();
    let mut output = BufReader::new(started.0.stdout.take().unwrap());
    output.read_line(&mut first).unwrap();
    drop(output);
    assert!(first.starts_with("run,k,"));
    assert!(started.0.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn rows_for_a_closed_output_are_an_error() {
    let folder = family();
    for line in ["run ball.ron -q --out -", "sweep ball.ron -q --over k=0.5"] {
        let output = Command::new("sh")
            .env("LC_ALL", "C")
            .current_dir(folder.path(""))
            .args(["-c", &format!("exec \"$0\" {line} >&-"), super::SITU])
            .output();
        Said::of(&output.unwrap()).expect(1, "cannot write to standard output: it is closed");
        let said = command(&folder.path(""), line)
            .stdout(Stdio::null())
            .status();
        assert!(said.unwrap().success());
    }
}

/// Units, ids and texts that would steer a terminal; names cannot.
const HOSTILE: &str = "(
    format: 1, name: \"na\\u{1b}[7mme\", about: \"ab\\u{1b}]0;title\\u{7}out\", source: \"so\\u{1b}[7mce\",
    clock: (step: 0.01, stop: 1),
    constants: {\"c\": (start: 1, unit: \"m\\u{1b}[7m\", about: \"co\\u{9b}7mnst\")},
    reals: {\"x\": (start: 1, unit: \"s\\u{1b}[7m\", about: \"re\\u{1b}[7mal\")},
    switches: {\"on\": (start: false, about: \"sw\\u{1b}[7mitch\")},
    ranges: [(id: \"r1\", name: \"low\", all: [(\"x\", \"<\", \"0.5\")], note: \"no\\u{1b}[7mte\")],
    assignments: [\"when low: on\"],
    relations: [\"[1] x = integral(-c) # no\\u{1b}[7mte\"],
    cases: {\"fast\": (about: \"ab\\u{1b}[7mout\", set: {\"c\": 2})},
)";

#[test]
fn texts_of_a_table_do_not_steer_the_terminal() {
    let folder = Folder::with(&[("hostile.ron", HOSTILE)]);
    for line in [
        "show hostile.ron",
        "show hostile.ron --markdown",
        "run hostile.ron --set none=1",
        "run hostile.ron --case none",
        "run hostile.ron",
        "run hostile.ron --events",
        "check hostile.ron",
        "graph hostile.ron",
        "coverage hostile.ron",
        "converge hostile.ron",
        "compare hostile.ron",
        "profile hostile.ron",
        "emit hostile.ron tree",
        "sweep hostile.ron -q --over c=1,2",
        "repl hostile.ron --echo -e rules -e vars -e step -e state -e plot -e history -e title -e check",
    ] {
        let mut coloured = command(&folder.path(""), line);
        let output = coloured.env("CLICOLOR_FORCE", "1").output().unwrap();
        let said = Said::of(&output);
        for text in [said.out, said.err] {
            let steers = ["\u{1b}[7", "\u{1b}]", "\u{7}", "\u{9b}"];
            let steers = steers.iter().any(|escape| text.contains(escape));
            assert!(!steers, "{line}: {text:?}");
        }
    }
    let shown = folder.situ("show hostile.ron").expect(0, "").out;
    assert!(
        shown.contains("na␛[7mme") && shown.contains("re␛[7mal"),
        "{shown}"
    );
}

#[test]
fn what_cannot_begin_is_found_by_the_check() {
    let table = |clock: &str, rows: &str| {
        format!(
            "(format: 1, clock: ({clock}), constants: {{\"c\": 0}}, reals: {{\"h\": 1, \"y\": 0}}, relations: [{rows}])"
        )
    };
    let fine = "\"y = 1\"";
    for (clock, rows) in [
        ("step: 0.1, stop: 1, every: 0.15", fine),
        ("step: 0.1, stop: 0", fine),
        ("step: 1e-300, stop: 1", fine),
        ("stop: 1", fine),
        ("step: 0.1", fine),
        ("stepping: events, rtol: 0, stop: 1", fine),
        ("step: 0.1, stop: 1", "\"y = delay(h, -1)\""),
        ("step: 0.1, stop: 1", "\"y = h / c\""),
        ("step: 0.1, stop: 1", "\"y = sqrt(h - 2)\""),
        ("stepping: events, stop: 1", "\"y = sqrt(h - 2)\""),
    ] {
        let folder = Folder::with(&[("t.ron", &table(clock, rows))]);
        let checked = folder.situ("check t.ron").status;
        let ran = folder.situ("run t.ron -q").status;
        assert!(checked == 2 && ran != 0, "{clock} {rows}: {checked}, {ran}");
    }
    let start = table("step: 0.1, stop: 1", fine).replace("\"h\": 1", "\"h\": \"1 / c\"");
    let folder = Folder::with(&[("t.ron", &start)]);
    assert_eq!(folder.situ("check t.ron").status, 2);
    let folder = Folder::with(&[("t.ron", &table("step: 0.1, stop: 1", fine))]);
    folder.situ("check t.ron").expect(0, "");
    folder.situ("run t.ron -q").expect(0, "");
}

#[test]
fn of_many_findings_of_a_kind_the_rest_are_counted() {
    let unknown: String = (0..5000)
        .map(|row| format!("\"x = unknown{row}\","))
        .collect();
    let broken = "\"x = = 1\",".repeat(5000);
    for (rows, code) in [(unknown, "error[N001]"), (broken, "error[P")] {
        let text = format!(
            "(format: 1, clock: (step: 1, stop: 1), reals: {{\"x\": 0}}, relations: [{rows}])"
        );
        let folder = Folder::with(&[("t.ron", &text)]);
        let said = folder.situ("check t.ron");
        assert_eq!(said.status, 2);
        assert_eq!(said.out.matches(code).count(), 100);
        assert!(
            said.out.contains("4900 more findings of this kind"),
            "{}",
            said.out
        );
    }
}

#[test]
fn fmt_writes_the_same_model_or_nothing() {
    let folder = Folder::with(&[
        (
            "odd.ron",
            "(format: 1, clock: (step: 1, stop: 1), reals: {\"x\": 0}, relations: [\"[[1] x = 1\"])",
        ),
        ("hostile.ron", HOSTILE),
    ]);
    let before = folder.read("odd.ron");
    let said = folder.situ("fmt --rows odd.ron");
    if said.status == 0 {
        assert_eq!(folder.situ("check odd.ron").status, 0);
    } else {
        assert_eq!(folder.read("odd.ron"), before);
    }
    let said = folder.situ_reading("fmt -", HOSTILE);
    folder.situ("fmt hostile.ron").expect(0, "");
    assert_eq!(said.out, folder.read("hostile.ron"));
}

fn is_there(folder: &Folder, name: &str) -> bool {
    Path::new(&folder.path(name)).exists()
}

#[test]
fn the_prompt_asks_before_it_writes_over_the_table() {
    let folder = family();
    let before = folder.read("ball.ron");
    let lines = |lines: &str| folder.situ_reading("repl ball.ron --strict", lines);
    lines("constant c = 1\nsave\n").expect(2, "`save!` writes over it");
    assert_eq!(folder.read("ball.ron"), before);
    lines("constant c = 1\nsave!\nconstant d = 1\nsave\n").expect(0, "");
    let saved = folder.read("ball.ron");
    assert!(saved.contains("\"c\"") && saved.contains("\"d\""));
    for (line, why) in [
        ("save ball.html", "is neither a table nor a script"),
        ("save ball", "is neither a table nor a script"),
        ("export rows.json", "is no CSV file"),
        ("export rows.ron", "is no CSV file"),
    ] {
        lines(&format!("step\n{line}\n")).expect(2, why);
    }
    assert!(!is_there(&folder, "ball.html") && !is_there(&folder, "rows.json"));
    let more = |lines: &str| folder.situ_reading("repl more.ron --strict", lines);
    more("save ball.ron\n").expect(2, "which is read");
    assert_eq!(folder.read("ball.ron"), saved);
}

#[test]
fn a_real_that_is_there_is_shown_and_keeps_what_is_not_said() {
    let folder = family();
    let said = folder.situ_reading(
        "repl ball.ron --strict",
        "real h\nreal h = 3\nsave other.ron\n",
    );
    assert!(said.out.contains("h = 2"), "{}", said.out);
    let saved = folder.read("other.ron");
    assert!(
        saved.contains("\"h\": (start: 3, unit: \"m\", about: \"height\")"),
        "{saved}"
    );
}

#[test]
fn a_script_whose_table_was_changed_is_refused() {
    let folder = family();
    let lines = "load more.ron\nset k = 0.5\nstep 100\nsave session.situ\n";
    folder.situ_reading("repl --strict", lines).expect(0, "");
    let state =
        |folder: &Folder| folder.situ_reading("repl --strict", "read session.situ\nstate\n");
    state(&folder).expect(0, "");
    for name in ["ball.ron", "more.ron"] {
        let text = folder.read(name);
        std::fs::write(folder.path(name), format!("{text}\n// changed\n")).unwrap();
        let said = state(&folder);
        assert!((said.out + &said.err).contains("not what it was"), "{name}");
        std::fs::write(folder.path(name), text).unwrap();
    }
    state(&folder).expect(0, "");
}
