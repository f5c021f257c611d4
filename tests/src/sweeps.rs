//! Files of sweeps: results that are gone on with, Parquet beside CSV, whole trajectories.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use situ_views::text::number::exact;

use crate::cli::{BALL, Folder};

#[test]
fn a_sweep_that_was_broken_off_goes_on() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let line = "sweep ball.ron -q --over g=1..20/40 --over v=0,1 --measure max(h) --out all.csv";
    folder.situ(line).expect(0, "");
    let whole = folder.read("all.csv");
    assert_eq!(whole.lines().count(), 81);
    let resume = format!("{line} --resume");
    // Broken off inside a line, between two lines, before the first, at the end.
    let middle = whole.len() / 2;
    let line_end = whole[..middle].rfind('\n').unwrap() + 1;
    let head = whole.find('\n').unwrap() + 1;
    for cut in [middle, line_end, head, whole.len()] {
        std::fs::write(folder.path("all.csv"), &whole[..cut]).unwrap();
        folder.situ(&resume).expect(0, "");
        assert_eq!(folder.read("all.csv"), whole, "cut at {cut}");
    }
    // The threads do not show.
    std::fs::write(folder.path("all.csv"), &whole[..middle]).unwrap();
    folder.situ(&format!("{resume} --threads 3")).expect(0, "");
    assert_eq!(folder.read("all.csv"), whole);
}

#[test]
fn a_sweep_goes_on_only_with_its_own_file() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let sweep = |rest: &str| folder.situ(&format!("sweep ball.ron -q --out s.csv --resume {rest}"));
    sweep("--over g=1,2 --measure max(h)").expect(0, "");
    let whole = folder.read("s.csv");
    for (rest, why) in [
        (
            "--over g=1,3 --measure max(h)",
            "its run 2 has other values",
        ),
        ("--over g=1,2 --measure min(h)", "the columns are different"),
        (
            "--over g=1,2 --measure max(h) --stop 0.25",
            "the settings were different",
        ),
        (
            "--over g=1 --measure max(h)",
            "more runs than the 1 of this one",
        ),
    ] {
        sweep(rest).expect(2, why);
        assert_eq!(folder.read("s.csv"), whole, "{rest}");
    }
    // A number that somebody has damaged. A measure may have no value, a time has one.
    let (before, last) = whole.trim_end().rsplit_once('\n').unwrap();
    for (column, text, why) in [
        (
            2,
            "x1.5",
            "`x1.5` in column `max(h)` of its run 2 is not a number",
        ),
        (2, "1.5.2", "`1.5.2` in column `max(h)`"),
        (3, "", "`` in column `time` of its run 2 is not a number"),
        (0, "", "`` in column `run` of its run 2 is not a number"),
        (2, "", ""),
    ] {
        let mut cells: Vec<&str> = last.split(',').collect();
        cells[column] = text;
        let damaged = format!("{before}\n{}\n", cells.join(","));
        std::fs::write(folder.path("s.csv"), &damaged).unwrap();
        let status = if why.is_empty() { 0 } else { 2 };
        sweep("--over g=1,2 --measure max(h)").expect(status, why);
        assert_eq!(folder.read("s.csv"), damaged);
    }
}

/// A Parquet file as CSV would have it, and what it says of its columns.
pub(crate) fn parquet(path: &Path) -> (Vec<Vec<String>>, Value) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let names = metadata.schema_descr().columns().iter();
    let mut lines = vec![names.map(|column| column.name().to_owned()).collect()];
    let mut entries = metadata.key_value_metadata().unwrap().iter();
    let about = entries.find(|entry| entry.key == "situ").unwrap();
    let about = serde_json::from_str(about.value.as_ref().unwrap()).unwrap();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let fields = row.get_column_iter().map(|(_, field)| match field {
            Field::Long(value) => value.to_string(),
            Field::Double(value) => exact(*value),
            Field::Bool(value) => u8::from(*value).to_string(),
            Field::Str(value) => value.clone(),
            Field::Null => String::new(),
            other => panic!("{other:?}"),
        });
        lines.push(fields.collect());
    }
    (lines, about)
}

/// The lines of a CSV file without the column that says what was swept.
pub(crate) fn without_sweep(text: &str) -> Vec<Vec<String>> {
    let mut lines = csv(text);
    lines.iter_mut().for_each(|line| drop(line.pop()));
    lines
}

fn csv(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let lines = reader.records().map(|line| {
        let line = line.unwrap();
        line.iter().map(str::to_owned).collect()
    });
    lines.collect()
}

/// A pole among the runs, so that there are faults and measures that are missing.
const POLE: &str = r#"(
    format: 1, name: "pole", clock: (step: 0.125, stop: 1),
    constants: {"a": (start: 1, unit: "m", about: "where it is")}, reals: {"x": 0, "y": 0},
    relations: ["x = x + 0.125", "y = 1 / (x - a)"],
)"#;

#[test]
fn parquet_holds_what_csv_holds() {
    let folder = Folder::with(&[("pole.ron", POLE)]);
    let line = "sweep pole.ron -q --over a=0..2/9 --measure first(x>1.5) --measure max(y)";
    let said = folder.situ(&format!("{line} --out runs.csv"));
    folder
        .situ(&format!("{line} --out runs.parquet"))
        .expect(said.status, "");
    let (lines, about) = parquet(&folder.path("runs.parquet"));
    assert_eq!(lines, without_sweep(&folder.read("runs.csv")));
    let failed = lines.iter().filter(|line| line[5] == "failed").count();
    assert!(failed > 0 && failed < 9, "{lines:?}");
    assert_eq!(about["table"], "pole");
    let a = &about["columns"][1];
    assert_eq!((&a["name"], &a["unit"]), (&"a".into(), &"m".into()));
    assert_eq!(
        (&a["kind"], &a["about"]),
        (&"constant".into(), &"where it is".into())
    );
    assert!(!folder.path("runs.parquet.part").exists());
}

/// One run that fails is enough, also one of an earlier sweep; its line is in the file.
#[test]
fn a_sweep_with_runs_that_failed_ends_with_1() {
    let folder = Folder::with(&[("pole.ron", POLE)]);
    let sweep = |values: &str, rest: &str| {
        let line = format!("sweep pole.ron --over a={values} --measure max(y) --no-plot {rest}");
        folder.situ(&line)
    };
    let why = "1 of 3 runs failed; the first is run 2: R001: `y` becomes infinite";
    for rest in ["", "-q", "--out runs.csv", "--out runs.parquet -q"] {
        sweep("0.3,0.5,0.7", rest).expect(1, why);
    }
    assert_eq!(folder.read("runs.csv").lines().count(), 4);
    sweep("0.3,0.5", "--out some.csv").expect(1, "1 of 2 runs failed");
    sweep("0.3,0.5,0.7", "--out some.csv --resume").expect(1, why);
    assert_eq!(folder.read("some.csv"), folder.read("runs.csv"));
    sweep("0.3,0.7", "").expect(0, "note: 2 runs");
}

/// Truth values in words and in digits.
#[test]
fn switches_of_a_file_are_true_or_false() {
    let folder = Folder::with(&[
        ("ball.ron", BALL),
        (
            "words.csv",
            "\"k\", bounced\n0.5,true\n0.5, false\n0.5,1\n0.5,0\n",
        ),
        ("wrong.csv", "k,bounced\n0.5,true\n0.5,0.5\n"),
    ]);
    let said = folder.situ("sweep ball.ron --parameters words.csv --measure first(bounced)");
    let lines = csv(&said.expect(0, "").out);
    let bounced: Vec<&str> = lines.iter().map(|line| &*line[2]).collect();
    assert_eq!(bounced, ["bounced", "1", "0", "1", "0"]);
    assert!(lines[1][3] == lines[3][3] && lines[2][3] == lines[4][3] && lines[1][3] != lines[2][3]);
    folder
        .situ("sweep ball.ron --parameters wrong.csv")
        .expect(2, "wrong.csv:3: `bounced` is a switch");
    for values in ["=2", "=0,yes", "=0..1/2", "~uniform(0,1)"] {
        folder
            .situ(&format!("sweep ball.ron --over bounced{values} --runs 2"))
            .expect(2, "`bounced` is a switch");
    }
}

/// Lines are counted as an editor does, whatever ends them.
#[test]
fn the_line_of_a_wrong_value_is_named() {
    for (text, line) in [
        ("k\n0.5\nx\n", 3),
        ("k\n\n0.5\n\nx", 5),
        ("k\r\n0.5\r\nx\r\n", 3),
        ("k\r\n0.5\r\n\r\nx\r\n", 4),
        ("k\r\n0.5\r\n0.5,0.5\r\n", 3),
    ] {
        let folder = Folder::with(&[("ball.ron", BALL), ("wrong.csv", text)]);
        folder
            .situ("sweep ball.ron --parameters wrong.csv --measure final(h)")
            .expect(2, &format!("wrong.csv:{line}: "));
    }
}

/// Quantities with the names of columns that every table of results has.
#[test]
fn columns_have_names_of_their_own() {
    let table = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"run": 1, "sweep": 2}, reals: {"x": 0, "ended": 1},
        switches: {"fault": true}, relations: ["x = integral(run)", "ended = integral(sweep) when fault"])"#;
    let folder = Folder::with(&[("t.ron", table)]);
    let over = "--over run=5,6 --over sweep=3 --over ended=4 --over fault=1";
    let sweep =
        |rest: &str| folder.situ(&format!("sweep t.ron -q {over} --measure final(x) {rest}"));
    let said = sweep("").expect(0, "");
    let expected =
        "run,constant run,constant sweep,start ended,switch fault,final(x),time,ended,fault";
    assert_eq!(said.out.lines().next(), Some(expected));
    for file in ["runs.csv", "runs.parquet"] {
        sweep(&format!("--out {file}")).expect(0, "");
        sweep(&format!("--out {file} --resume")).expect(0, "");
    }
}

#[test]
fn a_sweep_goes_on_with_parquet() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let sweep = |values: &str, rest: &str| {
        folder.situ(&format!(
            "sweep ball.ron -q --over g={values} --measure max(h) {rest}"
        ))
    };
    sweep("1,2,3,4,5", "--out whole.parquet").expect(0, "");
    sweep("1,2", "--out some.parquet").expect(0, "");
    sweep("1,2,3,4,5", "--out some.parquet --resume").expect(0, "");
    let whole = parquet(&folder.path("whole.parquet"));
    assert_eq!(parquet(&folder.path("some.parquet")), whole);
    sweep("1,2,3,4,5", "--out some.parquet --resume").expect(0, "");
    assert_eq!(parquet(&folder.path("some.parquet")), whole);
    sweep("1,9", "--out some.parquet --resume").expect(2, "its run 2 has other values");
    assert_eq!(parquet(&folder.path("some.parquet")), whole);
    std::fs::write(folder.path("some.parquet"), "PAR1").unwrap();
    sweep("1,2", "--out some.parquet --resume").expect(2, "some.parquet");
}

/// Trajectories go on, too, wherever either file ends; the runs whose rows are missing are done again.
#[test]
fn a_sweep_goes_on_with_its_trajectories() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let sweep = |values: &str, files: &str, rest: &str| {
        let [out, rows] = ["csv", "parquet"].map(|end| format!("{files}.{end}"));
        folder.situ(&format!(
            "sweep ball.ron -q --events --stop 1 --over k={values} --out {out} --trajectories {rows} {rest}"
        ))
    };
    let read = |files: &str| {
        let rows = parquet(&folder.path(&format!("{files}.parquet")));
        (folder.read(&format!("{files}.csv")), rows)
    };
    let whole = "0.5,0.6,0.7,0.8,0.9";
    sweep(whole, "whole", "").expect(0, "");
    let expected = read("whole");
    for (table, rows) in [(3, 3), (3, 2), (1, 4), (5, 2), (2, 5), (5, 5), (0, 3)] {
        let values = |n: usize| whole.split(',').take(n).collect::<Vec<_>>().join(",");
        sweep(&values(rows), "some", "").expect(0, "");
        let lines = expected.0.lines().take(table + 1);
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        std::fs::write(folder.path("some.csv"), lines).unwrap();
        sweep(whole, "some", "--resume").expect(0, "");
        assert!(
            read("some") == expected,
            "{table} lines, {rows} runs with rows"
        );
    }
    // Rows that were never closed.
    std::fs::remove_file(folder.path("some.parquet")).unwrap();
    sweep(whole, "some", "--resume").expect(0, "");
    assert!(read("some") == expected);
    // Another sweep.
    sweep("0.5,0.6", "other", "--set g=3").expect(0, "");
    std::fs::copy(folder.path("other.parquet"), folder.path("some.parquet")).unwrap();
    sweep(whole, "some", "--resume").expect(2, "the settings were different");
}

/// The rows of each run are those of the single run, in ticks and in events.
#[test]
fn trajectories_are_those_of_single_runs() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    for stepping in ["", "--events"] {
        let line = format!("sweep ball.ron -q {stepping} --over k=0.5,0.75,0.9 --stop 1");
        folder
            .situ(&format!("{line} --out runs.csv --trajectories all.parquet"))
            .expect(0, "");
        let (lines, about) = parquet(&folder.path("all.parquet"));
        let mut expected = Vec::new();
        for (number, k) in ["0.5", "0.75", "0.9"].iter().enumerate() {
            folder
                .situ(&format!(
                    "run ball.ron -q {stepping} --set k={k} --stop 1 --out one.csv"
                ))
                .expect(0, "");
            let mut rows = csv(&folder.read("one.csv"));
            let header = rows.remove(0);
            if expected.is_empty() {
                expected.push([vec!["run".to_owned()], header].concat());
            }
            let run = (number + 1).to_string();
            let rows = rows
                .into_iter()
                .map(|row| [vec![run.clone()], row].concat());
            expected.extend(rows);
        }
        assert_eq!(lines, expected, "{stepping}");
        assert!(lines.len() > 300);
        assert_eq!(about["columns"][3]["about"], "height");
        assert_eq!(about["columns"][3]["unit"], "m");
    }
    folder
        .situ("sweep ball.ron -q --over k=0.5 --trajectories all.csv")
        .expect(2, ".parquet");
}

/// A chain of `2 N` cells, the j-th of which decays from j at the rate k.
const CHAIN: &str = r#"(
    format: 1, name: "chain", clock: (step: 0.01, stop: 1, stepping: events),
    constants: {"N": 2, "M": "2 * N", "k": 1},
    counters: {"j": "1 .. M"},
    reals: {"x[j]": "j", "total": 0},
    relations: ["[1] x[j] = integral(-k * x[j])", "[2] total = sum(x[j] for j)"],
    cases: {"fast": (set: {"k": 2})},
)"#;

/// A value that decides the size of families varies: each run is that of the table with this value.
#[test]
fn sizes_vary_in_a_sweep() {
    let folder = Folder::with(&[("chain.ron", CHAIN)]);
    let sweep = |rest: &str| folder.situ(&format!("sweep chain.ron -q {rest}"));
    for (rest, rate) in [("", 1.0_f64), ("--case fast", 2.0), ("--set k=0.5", 0.5)] {
        let said = sweep(&format!("{rest} --over N=1..9/5 --measure final(total)"));
        let lines: Vec<&str> = said.out.lines().skip(1).collect();
        assert_eq!(lines.len(), 5, "{}", said.err);
        for (line, n) in lines.iter().zip([1.0, 3.0, 5.0, 7.0, 9.0]) {
            let fields: Vec<&str> = line.split(',').collect();
            let (size, total): (f64, f64) =
                (fields[1].parse().unwrap(), fields[2].parse().unwrap());
            let known = n * (2.0 * n + 1.0) * (-rate).exp();
            assert_eq!(size, n);
            assert!((total / known - 1.0).abs() < 1e-5, "{line}: {known}");
        }
    }
    // The bits of single runs, in ticks and events, beside another value that varies, on any number of threads.
    for stepping in ["--ticks", "--events"] {
        let line = format!("{stepping} --over N=1,4,2 --over k=1,3 --measure final(total)");
        let said = sweep(&line).out;
        assert_eq!(said, sweep(&format!("{line} --threads 3")).out);
        for line in said.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let set = format!("--set N={} --set k={}", fields[1], fields[2]);
            let line = format!("run chain.ron -q {stepping} {set} --measure final(total)");
            let alone = folder.situ(&line);
            assert_eq!(
                alone.out.trim(),
                format!("final(total) = {}", fields[3]),
                "{set}"
            );
        }
    }
}

/// What one size lacks is told of in its run; what all have is measured where nothing is asked for.
#[test]
fn sizes_that_are_wrong_are_refused_alone() {
    let folder = Folder::with(&[("chain.ron", CHAIN)]);
    let sweep = |rest: &str| folder.situ(&format!("sweep chain.ron -q {rest}"));
    let said = sweep("--over N=1,1.3,3 --measure final(x[4])");
    let mut lines = said.out.lines().skip(1);
    assert_eq!(
        lines.next(),
        Some("1,1,,0,refused,\"F004: `x[4]` lies outside of `x`, which goes over 1 .. 2\"")
    );
    assert!(
        lines
            .next()
            .is_some_and(|line| line.contains("F002: the range of `j` ends at 2.6"))
    );
    assert!(lines.next().is_some_and(|line| line.ends_with(",1,stop,")));
    said.expect(1, "2 of 3 runs failed");
    let said = sweep("--over N=1,3");
    assert_eq!(
        said.out.lines().next(),
        Some("run,N,final(total),time,ended,fault")
    );
    said.expect(0, "");
    sweep("--over N=1,3 --trajectories all.parquet")
        .expect(2, "`N` gives the runs different sizes");
}
