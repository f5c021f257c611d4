//! The command line: the transcripts in `tests/cli/`, and what they cannot show (files, exit status,
//! signals, pipes).

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use situ_repl::view::csv::{CsvWriter, Sink};
use situ_repl::view::series::Series;
use tempfile::TempDir;

use crate::tables::root;

const SITU: &str = env!("CARGO_BIN_EXE_situ-for-tests");

/// A bouncing ball: an event, a level, a case.
pub(crate) const BALL: &str = include_str!("../cli/ball.in/ball.ron");

/// A table that has no meaning in event stepping.
const CIRCLE: &str = r#"(
    format: 1,
    clock: (step: 0.1, stop: 1),
    reals: {"x": 0, "v": 0},
    relations: ["v = derivative(x)", "x = integral(1 - v)"],
)"#;

/// A level that runs below zero, where its root is no number.
const LEAK: &str = r#"(
    format: 1,
    name: "leak",
    clock: (step: 0.125, stop: 2),
    reals: {"level": 1, "outflow": 0},
    relations: ["outflow = sqrt(level)", "level = integral(-outflow)"],
)"#;

/// A folder with tables in it, gone at the end of the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn situ(&self, line: &str) -> Said {
        self.situ_reading(line, "")
    }

    /// Runs `situ` with the words of a line as arguments and a text as standard input.
    fn situ_reading(&self, line: &str, input: &str) -> Said {
        let mut child = command(self.0.path(), line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input closes it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Said::of(&child.wait_with_output().unwrap())
    }
}

/// What a command printed and how it ended.
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            status: output.status.code().expect("ends by itself"),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn expect(self, status: i32, in_err: &str) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.out, self.err);
        assert!(self.err.contains(in_err), "{in_err:?} in {:?}", self.err);
        self
    }
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(SITU);
    command
        .current_dir(folder)
        .args(line.split_whitespace())
        .env_remove("RUST_LOG")
        .env_remove("NO_COLOR");
    command
}

pub(crate) fn series(csv: &str) -> Series {
    Series::read_csv("run", csv.as_bytes()).unwrap()
}

#[test]
fn transcripts() {
    trycmd::TestCases::new()
        .register_bin("situ", Path::new(SITU))
        .case(root().join("tests/cli/*.trycmd").to_str().unwrap());
}

/// What the front page shows is what the program says.
#[test]
fn the_front_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("README.md");
    std::fs::copy(root().join("README.md"), &page).unwrap();
    // Commands run in the folder that has the page's name.
    copy_folder(
        &root().join("scenarios"),
        &folder.path().join("README.in/scenarios"),
    );
    trycmd::TestCases::new()
        .register_bin("situ", Path::new(SITU))
        .case(page.to_str().unwrap());
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

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
    for (line, status, in_err) in [
        ("run", 2, "required"),
        (
            "run nowhere.ron",
            2,
            "error: cannot read `nowhere.ron`: no such file",
        ),
        ("run latin.ron", 2, "cannot read `latin.ron`"),
        (
            "run ball.ron --case ruber",
            2,
            "no case `ruber`; did you mean `rubber`?",
        ),
        ("run ball.ron --set q=3", 2, "<--set>"),
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
    let said = said.expect(1, "error[R001]: `outflow` becomes no number");
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
fn a_manifest_tells_what_was_run() {
    let folder = Folder::with(&[
        ("ball.ron", BALL),
        (
            "more.ron",
            "(format: 1, extends: \"ball.ron\", clock: (stop: 1))",
        ),
    ]);
    let line = "run more.ron --case rubber --set h=3 -q --record";
    folder
        .situ(&format!("{line} one.json --out run.csv"))
        .expect(0, "");
    folder.situ(&format!("{line} two.json")).expect(0, "");
    assert_eq!(
        folder.read("one.json"),
        folder.read("two.json"),
        "with and without a file of rows"
    );
    let manifest: Value = serde_json::from_str(&folder.read("one.json")).unwrap();
    assert_eq!(manifest["tables"][0]["name"], "ball.ron");
    assert_eq!(manifest["tables"][1]["name"], "more.ron");
    assert_eq!(manifest["options"]["set"][0], "h=3");
    let mut writer = CsvWriter::new(std::io::sink(), []);
    writer.row(0.0, [], []).unwrap();
    let empty = writer.finish().unwrap().sha256;
    let hash = manifest["result"]["sha256"].as_str().unwrap();
    assert!(hash.len() == empty.len() && hash != empty);
    folder
        .situ("run more.ron --case rubber --set h=3.0000001 -q --record three.json")
        .expect(0, "");
    assert!(
        !folder.read("three.json").contains(hash),
        "another run, another hash"
    );
}

#[test]
fn both_engines_write_the_same_rows_and_the_record_names_them() {
    let folder = Folder::with(&[("ball.ron", BALL), ("leak.ron", LEAK)]);
    let line = "run ball.ron --step 0.0001 -q";
    for engine in ["interpreter", "native"] {
        let files =
            format!("--out {engine}.csv --record {engine}.json --save-state {engine}.state");
        let line = format!("{line} --engine {engine} {files}");
        folder.situ(&line).expect(0, "");
        let manifest: Value =
            serde_json::from_str(&folder.read(&format!("{engine}.json"))).unwrap();
        assert_eq!(manifest["engine"], engine);
        assert!(manifest["fast_math"].is_null());
    }
    assert_eq!(folder.read("interpreter.csv"), folder.read("native.csv"));
    // A long run goes over to native code by itself; a run put aside goes on in either engine.
    let long = "run ball.ron --step 0.0001 --stop 3000 --every 3000 --json --quiet";
    let long = long.replace(" --quiet", "");
    let json: Value = serde_json::from_str(&folder.situ(&long).expect(0, "").out).unwrap();
    assert_eq!(json["engine"], "native");
    let on = |from: &str, engine: &str| {
        let line = format!("run ball.ron --step 0.0001 --stop 8 -q --from {from}.state --out -");
        folder
            .situ(&format!("{line} --engine {engine}"))
            .expect(0, "")
            .out
    };
    assert_eq!(on("native", "interpreter"), on("interpreter", "native"));

    let fault = |engine: &str| folder.situ(&format!("run leak.ron --step 0.001 --engine {engine}"));
    let (native, interpreted) = (fault("native").expect(1, "sqrt"), fault("interpreter"));
    assert_eq!(native.err, interpreted.err);

    folder
        .situ("run ball.ron -q --fast-math --record fast.json")
        .expect(0, "");
    assert!(folder.read("fast.json").contains("\"fast_math\": true"));
    folder
        .situ("run ball.ron --fast-math --events")
        .expect(2, "--fast-math belongs to tick stepping");
    let events = |engine: &str| {
        let files = format!("--out - --record {engine}.events");
        let line = format!("run ball.ron --events -q --engine {engine} {files}");
        let said = folder.situ(&line).expect(0, "").out;
        let record = folder.read(&format!("{engine}.events"));
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(record["engine"], engine);
        said
    };
    assert_eq!(events("native"), events("interpreter"));
    folder
        .situ("run ball.ron --engine interpreter --fast-math")
        .expect(2, "--fast-math belongs to native code");
}

/// Whatever runs a model takes `--engine`, and its results do not depend on it.
#[test]
fn every_command_that_runs_a_model_takes_an_engine() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    for line in [
        "sweep ball.ron --over h=1..3/20 --quiet",
        "sweep ball.ron --over h=1..3/20 --quiet --events",
        "converge ball.ron --json",
        "converge ball.ron --json --events",
        "coverage ball.ron --json",
        "coverage ball.ron --json --events",
        "repl ball.ron -e next -e h",
    ] {
        let told = ["auto", "interpreter", "native"].map(|engine| {
            let said = folder.situ(&format!("{line} --engine {engine}"));
            let told = said.expect(0, "").out;
            told.replace("\"engine\": \"native\"", "\"engine\": \"interpreter\"")
        });
        assert!(!told[0].is_empty());
        assert_eq!(told[1], told[0], "{line}");
        assert_eq!(told[2], told[0], "{line}");
    }
    for stepping in ["", "--events"] {
        let line = "compare ball.ron --engine interpreter --against engine=native";
        let line = format!("{line} --json {stepping}");
        let compared = folder.situ(&line).expect(0, "").out;
        let compared: Value = serde_json::from_str(&compared).unwrap();
        for real in compared["reals"].as_array().unwrap() {
            assert_eq!(real["difference"], 0.0, "{compared}");
        }
        let profile = format!("profile ball.ron --json --engine native {stepping}");
        let profile: Value =
            serde_json::from_str(&folder.situ(&profile).expect(0, "").out).unwrap();
        assert_eq!(profile["engine"], "native");
    }
    folder
        .situ("sweep ball.ron --over h=1..3/20 --engine interpreter --fast-math")
        .expect(2, "--fast-math belongs to native code");
    folder
        .situ("run ball.ron --step-formula min(h+1,1)*0.01 --engine native")
        .expect(2, "no native code");
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
fn json_holds_what_would_be_said() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let json = |line: &str, status| -> Value {
        let said = folder.situ(line).expect(status, "");
        assert_eq!(said.err, "");
        serde_json::from_str(&said.out).unwrap()
    };
    let done = json("run ball.ron --json --stop 1.0005", 0);
    assert_eq!(done["ended"], "stop");
    assert_eq!(done["diagnostics"][0]["severity"], "note");
    let refused = json("run ball.ron --json --set q=1", 2);
    assert_eq!(refused["ended"], "refused");
    assert_eq!(refused["diagnostics"][0]["code"], "N001");
    let covered = json("coverage ball.ron --json", 0);
    assert_eq!(covered["rows"][0]["fired"], true);
}

#[test]
fn quiet_runs_say_nothing() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let said = folder.situ("run ball.ron --quiet").expect(0, "");
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn without_a_terminal_there_are_no_colours() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let said = folder.situ("run ball.ron --curves v,h").expect(0, "");
    assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'));
    let mut coloured = command(folder.0.path(), "run ball.ron");
    let output = coloured.env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(Said::of(&output).out.contains("\u{1b}[38;5;32m"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let mut child = command(
        folder.0.path(),
        "run ball.ron --stop 10000 --every 0.001 --out - -q",
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with("time,v,h"));
    Said::of(&child.wait_with_output().unwrap()).expect(0, "");
}

#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder
        .situ("run ball.ron --out /dev/full --no-plot")
        .expect(1, "cannot write `/dev/full`: no space left on device");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_readable_file() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let line = "run ball.ron --stop 1e9 --every 0.001 --out run.csv --record run.json --no-plot";
    let child = command(folder.0.path(), line)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Interrupted once some rows are there, however fast the machine is.
    while std::fs::metadata(folder.path("run.csv")).map_or(0, |file| file.len()) == 0 {
        std::thread::yield_now();
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(kill.success());
    let said = Said::of(&child.wait_with_output().unwrap()).expect(130, "interrupted");
    assert!(
        said.out.contains("where it was interrupted"),
        "{}",
        said.out
    );
    let run = series(&folder.read("run.csv"));
    let manifest: Value = serde_json::from_str(&folder.read("run.json")).unwrap();
    assert_eq!(manifest["result"]["rows"], run.len());
    assert_eq!(manifest["result"]["ended"], "interrupted");
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
        .expect(1, "`squeezed.ron` is not laid out");
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
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let help = folder.situ(&format!("{name} --help")).expect(0, "").out;
        let example = help
            .split_once("Example")
            .map(|(_, rest)| rest.contains(&format!("situ {name}")));
        assert_eq!(example, Some(true), "{help}");
    }
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

#[test]
fn files_hold_whole_rows_while_they_grow() {
    struct Watched {
        pieces: Vec<usize>,
        ends_in_line: bool,
    }
    impl Write for Watched {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.pieces.push(bytes.len());
            self.ends_in_line &= bytes.ends_with(b"\n");
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    impl Sink for &mut Watched {}
    let mut watched = Watched {
        pieces: Vec::new(),
        ends_in_line: true,
    };
    let mut writer = CsvWriter::new(&mut watched, ["x"]);
    for i in 0..50_000 {
        writer.row(f64::from(i), [0.1], []).unwrap();
    }
    writer.finish().unwrap();
    assert!(watched.ends_in_line && watched.pieces.len() > 3);
}

#[test]
fn a_run_in_two_parts_has_the_rows_of_the_whole() {
    let scenarios = root().join("scenarios");
    for (table, stop, half, options) in [
        ("hoop", 3.0, 0.9137, ""),
        ("hoop", 8.0, 6.95, "--events"),
        (
            "cart_stops",
            8.0,
            5.5,
            "--events --method dop853 --until XC>1e9",
        ),
        ("cart_stops", 2.0, 0.7, "--case soft_deg60"),
        ("elastic_thread", 4.0, 2.2, "--events --rtol 1e-8"),
        ("rlc", 0.02, 0.0111, "--events --method rk4 --h0 0.001"),
    ] {
        let folder = Folder::with(&[]);
        let table = scenarios.join(table).join("table.ron");
        let run = |stop: f64, more: &str| {
            let table = table.display();
            let every = if options.contains("--events") {
                " --every 0.01"
            } else {
                ""
            };
            let line = format!("run {table} --quiet {options}{every} --stop {stop} {more}");
            folder.situ(&line).expect(0, "");
        };
        run(stop, "--out whole.csv --save-state end.whole");
        run(half, "--out first.csv --save-state half");
        run(stop, "--out second.csv --from half --save-state end.parts");
        let lines =
            |name: &str| -> Vec<String> { folder.read(name).lines().map(str::to_owned).collect() };
        let [whole, first, second] = ["whole.csv", "first.csv", "second.csv"].map(lines);
        // The first row of the second part is the last one of the first; it is in the whole if the
        // half lies on its grid.
        assert_eq!(first.last(), second.get(1), "{}", table.display());
        let joined: Vec<&String> = first.iter().chain(&second[2..]).collect();
        let missing = |row: &&String| !whole.contains(row);
        let extra: Vec<&&String> = joined.iter().filter(|row| missing(row)).collect();
        assert!(extra.len() <= 1, "{}: {extra:?}", table.display());
        assert_eq!(
            joined.len() - extra.len(),
            whole.len(),
            "{}",
            table.display()
        );
        assert_eq!(
            folder.read("end.whole"),
            folder.read("end.parts"),
            "{}",
            table.display()
        );
    }
}

#[test]
fn a_state_of_another_run_is_refused() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder
        .situ("run ball.ron -q --stop 1 --save-state s")
        .expect(0, "");
    folder
        .situ("run ball.ron -q --stop 2 --from s")
        .expect(0, "");
    for (line, said) in [
        ("--step 0.01", "`step` was 0.001 there and is 0.01 here"),
        ("--events", "`stepping`"),
        ("--set k=0.5", "`set`"),
        ("--measure final(h)", "`measures`"),
        ("--stop 0.5", "stands at 1, after the stop 0.5"),
    ] {
        folder
            .situ(&format!("run ball.ron -q --from s {line}"))
            .expect(2, said);
    }
    let text = folder.read("s");
    std::fs::write(folder.path("s"), text.replacen("0", "1", 40)).unwrap();
    folder.situ("run ball.ron -q --from s").expect(2, "`s`");
    std::fs::write(folder.path("s"), "what").unwrap();
    folder
        .situ("run ball.ron -q --from s")
        .expect(2, "is no state");
}
