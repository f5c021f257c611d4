//! Work that is killed at a random moment leaves what was there, and goes on.

use std::process::Stdio;
use std::time::Duration;

use super::files::{Started, family, names, start};
use super::{Folder, command};
use crate::sessions::random::Dice;

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

/// Places of the grid, times of saving and beats that are the same but for rounding, or lie beside each other.
#[test]
fn saving_writes_no_rows_of_its_own() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 8), reals: {"x": 1},
        situations: ["event b: every(0.7)"], relations: ["x = integral(-x)", "x := x + 1 when b"])"#;
    let folder = Folder::with(&[("beats.ron", table)]);
    let rows = "--out whole.csv --save-state whole";
    for line in [
        "run beats.ron -q --every 0.1",
        "run beats.ron -q --every 0.1 --grid",
        "run beats.ron -q",
    ] {
        folder.situ(&format!("{line} {rows}")).expect(0, "");
        for every in ["0.7", "1.1", "0.05", "3"] {
            let files = format!("--out also.csv --save-state also --save-every {every}");
            folder.situ(&format!("{line} {files}")).expect(0, "");
            assert_eq!(
                folder.read("whole.csv"),
                folder.read("also.csv"),
                "{line} {every}"
            );
            assert_eq!(folder.read("whole"), folder.read("also"));
            let rest = "--from also.before --save-state end --out rest.csv";
            folder.situ(&format!("{line} {rest}")).expect(0, "");
            assert_eq!(folder.read("end"), folder.read("whole"));
            // Its first row is the one at which it was put aside.
            let (whole, rest) = (folder.read("whole.csv"), folder.read("rest.csv"));
            let rest: Vec<&str> = rest.lines().skip(2).collect();
            let left = whole.lines().count() - rest.len();
            assert!(whole.lines().skip(left).eq(rest), "{line} {every}");
        }
    }
}

/// The state of the instant that failed is none to go on from.
#[test]
fn a_run_that_failed_leaves_no_state() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 10), reals: {"h": 0.2, "x": 0, "k": 0},
        ranges: ["big: h > 0.3", "a: x > 1"], situations: ["both: big & a"],
        relations: ["x = integral(1)", "h = integral(0.3 - h) when both", "h = integral(-0.1) when big & !a",
            "h = integral(0.2) otherwise", "k = counter(both)"])"#;
    let folder = Folder::with(&[("slide.ron", table)]);
    let said = folder.situ("run slide.ron -q --save-state s");
    let said = said.expect(1, "its last state is not written to `s`");
    assert!(said.err.contains("R009"), "{}", said.err);
    assert_eq!(names(&folder), ["slide.ron"]);
    // Those of pauses before it stay.
    let line = "run slide.ron -q --every 0.25 --save-state s --save-every 0.25";
    folder.situ(line).expect(1, "R009");
    let at = |file: &str| folder.read(file).split_once(r#""time":"#).unwrap().1[..3].to_owned();
    assert_eq!(at("s"), "0.7");
    assert_eq!(at("s.before"), "0.5");
}

/// A state at an `--until` that goes on holding: without it the run goes to its stop, with it to where it holds again.
#[test]
fn a_run_goes_on_behind_the_condition_that_ended_it() {
    let table = r#"(format: 1, clock: (step: 0.01, stop: 6), reals: {"x": 0, "v": 1},
        relations: ["v = integral(-x)", "x = integral(v)"])"#;
    let folder = Folder::with(&[("swing.ron", table)]);
    for (stepping, slack) in [("--events", 1e-6), ("--ticks", 0.2)] {
        for engine in ["native", "interpreter"] {
            let line = format!("run swing.ron -q --engine {engine} {stepping}");
            let whole = format!("{line} --save-state whole --out whole.csv");
            folder.situ(&whole).expect(0, "");
            let ended = |file: &str| *super::series(&folder.read(file)).time.last().unwrap();
            let until = "--until x<-0.5";
            let first = format!("{line} {until} --save-state s --out first.csv");
            folder.situ(&first).expect(0, "");
            let at = std::f64::consts::PI * 7.0 / 6.0;
            assert!((ended("first.csv") - at).abs() < slack);
            // It does not arise again before the stop.
            for more in ["", until] {
                let rest = format!("{line} {more} --from s --out rest.csv --save-state t");
                folder.situ(&rest).expect(0, "");
                assert_eq!(ended("rest.csv"), 6.0, "{stepping} {engine} {more}");
                let last = |file| folder.read(file).lines().last().map(str::to_owned);
                assert_eq!(
                    last("rest.csv"),
                    last("whole.csv"),
                    "{stepping} {engine} {more}"
                );
            }
            // It does before a later one.
            let again = format!("{line} {until} --from s --stop 12 --out again.csv");
            folder.situ(&again).expect(0, "");
            let at = at + std::f64::consts::TAU;
            assert!(
                (ended("again.csv") - at).abs() < slack,
                "{stepping} {engine}"
            );
            // A state of a run that went on behind it can be gone on with, too.
            let on = format!("{line} --from t --stop 7 --out on.csv");
            folder.situ(&on).expect(0, "");
            assert_eq!(ended("on.csv"), 7.0);
        }
    }
    folder
        .situ("run swing.ron -q --events --until x>0.5 --from s")
        .expect(2, "belongs to another run");
}

/// The condition of `--until` stands in the place of the table's: without it, this one ends the run again.
#[test]
fn a_run_goes_on_to_the_condition_of_its_table() {
    let table = r#"(format: 1, clock: (step: 0.01, stop: 9, stop_when: "x > 5 & n < 2"), reals: {"x": 0, "n": 0},
        situations: ["event high: x > 1"], relations: ["x = integral(1)", "n := n + 1 when high"])"#;
    let folder = Folder::with(&[("line.ron", table)]);
    for stepping in ["--events", "--ticks"] {
        for engine in ["native", "interpreter"] {
            let line = format!("run line.ron -q --engine {engine} {stepping}");
            let ends = |more: &str, saved: &str| {
                let line = format!("{line} {more} --out rows.csv --save-state {saved}");
                folder.situ(&line).expect(0, "");
                let rows = folder.read("rows.csv");
                (
                    rows.lines().last().map(str::to_owned),
                    super::series(&rows).time.pop().unwrap(),
                )
            };
            let whole = ends("", "t");
            assert!((whole.1 - 5.0).abs() < 0.02, "{whole:?}");
            for until in ["x>3", "time>3&x>2"] {
                let first = ends(&format!("--until {until}"), "s");
                assert!((first.1 - 3.0).abs() < 0.02);
                assert_eq!(ends("--from s", "t"), whole, "{stepping} {engine} {until}");
                // Behind both conditions it goes on to its stop.
                assert_eq!(ends("--from t", "u").1, 9.0);
                assert_eq!(ends(&format!("--until {until} --from s"), "u").1, 9.0);
            }
            let other = format!("{line} --until x>4 --from s");
            folder.situ(&other).expect(2, "belongs to another run");
        }
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
