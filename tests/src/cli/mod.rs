//! The command line: the transcripts in `tests/cli/`, and what they cannot show (files, exit status,
//! signals, pipes).

mod commands;
mod files;
mod killed;
mod records;
mod runs;
mod streams;
mod tables;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use situ_views::columns::series::Series;
use tempfile::TempDir;

use crate::tables::root;

const SITU: &str = env!("CARGO_BIN_EXE_situ-for-tests");

/// A bouncing ball: an event, a level, a case.
pub(crate) const BALL: &str = include_str!("../../cli/ball.in/ball.ron");

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
    pub(crate) fn situ_reading(&self, line: &str, input: &str) -> Said {
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

/// Output of a command, and how it ended.
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
        .env("LC_ALL", "C")
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
        .env("LC_ALL", "C")
        .register_bin("situ", Path::new(SITU))
        .case(root().join("tests/cli/*.trycmd").to_str().unwrap());
}
