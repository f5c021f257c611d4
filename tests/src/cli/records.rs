//! Records of a run: its record, its engine, states to go on from.

use serde_json::Value;
use situ_views::columns::csv::CsvWriter;

use super::{BALL, Folder, LEAK};
use crate::tables::root;

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
        ("cart_stops", 2.0, 0.7, "--case both_stops"),
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
    // What is damaged anywhere is told of as that, with what to do.
    let state = std::fs::read(folder.path("s")).unwrap();
    for at in [0, 20, 40, state.len() / 2, state.len() - 80] {
        for bit in [1, 128] {
            let mut damaged = state.clone();
            damaged[at] ^= bit;
            std::fs::write(folder.path("s"), damaged).unwrap();
            folder.situ("run ball.ron -q --from s").expect(
                2,
                "`s` is damaged: it is not as it was written; take an older state",
            );
        }
    }
    std::fs::write(folder.path("s"), &state[..state.len() / 2]).unwrap();
    folder.situ("run ball.ron -q --from s").expect(
        2,
        "is not a state written by `--save-state`, or a damaged one",
    );
    std::fs::write(folder.path("s"), "what").unwrap();
    folder
        .situ("run ball.ron -q --from s")
        .expect(2, "is not a state");
}
