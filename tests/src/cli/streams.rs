//! Streams of messages: JSON, silence, colours, pipes that close, disks that are full, interruptions.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use situ_views::columns::csv::{CsvWriter, Sink};

use super::{BALL, Folder, Said, command, series};

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
fn a_family_that_is_not_there_is_told_where_nothing_is_drawn() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    for view in ["--map", "--profile"] {
        for silent in ["", "--quiet", "--json", "--out rows.csv"] {
            let line = format!("run ball.ron {view} u {silent}");
            folder.situ(&line).expect(2, "there is no family `u`");
        }
    }
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
    for line in ["--help", "run --help", "--version"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut help = command(folder.0.path(), line);
        let output = help.stdout(full.unwrap()).output().unwrap();
        Said::of(&output).expect(1, "no space left on device");
    }
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
    let begun = || {
        let entries = std::fs::read_dir(folder.path("")).unwrap();
        let mut parts = entries.map(|entry| entry.unwrap()).filter(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with(".run.csv.")
        });
        parts.any(|part| part.metadata().is_ok_and(|part| part.len() > 0))
    };
    while !begun() {
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
fn what_a_script_says_has_no_colours_in_a_list() {
    let script = "load ball.ron\nfrobnicate\n";
    let folder = Folder::with(&[("ball.ron", BALL), ("wrong.situ", script)]);
    for line in ["test wrong.situ", "test wrong.situ --json"] {
        let said = folder.situ(line).expect(4, "");
        assert!(said.out.contains("frobnicate") && !said.out.contains("u001b"));
        assert!(!said.out.contains('\u{1b}'), "{}", said.out);
    }
}
