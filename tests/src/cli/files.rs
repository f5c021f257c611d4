//! Files of the user: never one for another, never half of one, whatever happens meanwhile.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{BALL, Folder, Said, command};

/// Tables of which one extends the other, under several names.
pub(super) fn family() -> Folder {
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

pub(super) fn names(folder: &Folder) -> Vec<String> {
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
pub(super) struct Started(pub(super) Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn start(folder: &Folder, line: &str) -> Started {
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

#[cfg(unix)]
#[test]
fn rows_go_into_standard_output_under_the_name_of_a_device() {
    let folder = family();
    for device in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let said = folder.situ(&format!("run ball.ron --no-plot --out {device}"));
        assert_eq!(said.status, 0, "{device}: {}", said.err);
        assert!(said.out.contains("time,"), "{device}: {}", said.out);
    }
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

/// A run that was put aside within an instant goes on with its next microstep.
#[test]
fn the_log_of_an_instant_goes_on_where_it_was_left() {
    let table = r#"(
        format: 1,
        clock: (stepping: events, stop: 1.5),
        reals: {"x": 0, "n": 0},
        ranges: ["full: x >= 1", "more: n > 0.5"],
        situations: ["event empty: full", "event more_now: more"],
        relations: ["x = integral(1)", "x, n := 0, n + 1 when empty"],
    )"#;
    let folder = Folder::with(&[("t.ron", table)]);
    let log = |options: &str| {
        let line = format!("run t.ron -q --event-log log.csv {options}");
        folder.situ(&line).expect(0, "");
        let lines: Vec<String> = folder.read("log.csv").lines().map(str::to_owned).collect();
        lines
    };
    let whole = log("");
    let mut parts = log("--until full --save-state s");
    parts.extend(log("--from s").into_iter().skip(1));
    assert_eq!(parts, whole);
}

/// Coverage, firings and the event log of a run that was taken up begin where it goes on.
#[test]
fn a_run_that_goes_on_tells_of_its_own_part() {
    let table = r#"(
        format: 1,
        clock: (stepping: events, stop: 1),
        reals: {"x": 0, "n": 0},
        switches: {"on": true},
        ranges: ["low: x < 10", "far: x > 1.5"],
        situations: ["event begun: start", "event reached: far"],
        relations: ["x = integral(1)", "n := n + 1 when begun", "n := n + 10 when reached"],
    )"#;
    let folder = Folder::with(&[("t.ron", table)]);
    folder.situ("run t.ron -q --save-state s").expect(0, "");
    let said = folder.situ("run t.ron --from s --stop 2 --json --event-log log.csv");
    let summary: serde_json::Value = serde_json::from_str(&said.expect(0, "").out).unwrap();
    let held = |name: &str| {
        let all = summary["situations"].as_array().unwrap();
        let one = all.iter().find(|one| one["name"] == name);
        one.unwrap_or_else(|| panic!("{name} in {summary}")).clone()
    };
    assert_eq!(held("on")["time"], 1.0, "{summary}");
    assert_eq!(held("begun")["fired"], 0, "{summary}");
    assert_eq!(held("reached")["fired"], 1, "{summary}");
    let log = folder.read("log.csv");
    let times = log.lines().skip(1).map(|line| line.split(',').next());
    assert!(
        times
            .clone()
            .all(|time| time.is_some_and(|time| time.starts_with("1.5"))),
        "{log}"
    );
    assert!(times.count() > 0);
}
