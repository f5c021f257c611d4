//! Random sessions at the prompt, on every scenario and in both steppings: going back and on again,
//! undo and redo, times that are visited, and scripts all lead to the same bits.
//!
//! `cargo soak` runs ten thousand sessions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use situ_console::Console;
use situ_repl::engine::EngineArg;

use crate::tables::{read, scenario_folders};

/// Sessions on each scenario and stepping in a test run.
const SESSIONS: u64 = 2;

/// Sessions in all under `cargo soak`; `SITU_SOAK_SESSIONS` for another number.
const SOAK: u64 = 10_000;

/// Numbers that are the same each time (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }
}

/// A console that remembers what it was told.
pub(crate) struct Talk {
    console: Console,
    pub(crate) told: String,
    stepping: &'static str,
    /// The time up to which it talks, at most that of the table [units of `time`].
    stop: f64,
}

impl Talk {
    pub(crate) fn on(table: &Path, stepping: &'static str) -> Self {
        let mut talk = Self {
            console: situ_repl::console(None).unwrap(),
            told: String::new(),
            stepping,
            stop: read(table)
                .model
                .unwrap()
                .clock
                .stop
                .map_or(1.0, |stop| stop.min(1.0)),
        };
        talk.must(&format!("load \"{}\"", table.display()));
        talk.must(&format!("set stepping = {stepping}"));
        talk
    }

    pub(crate) fn say(&mut self, line: &str) -> situ_console::Reply {
        let _ = writeln!(self.told, "{line}");
        self.console.execute(line, &mut ())
    }

    pub(crate) fn must(&mut self, line: &str) -> Value {
        let reply = self.say(line);
        assert!(!reply.failed, "{}\n{}", self.told, reply.text);
        reply.data["result"].clone()
    }

    pub(crate) fn state(&mut self) -> Value {
        self.must("state")
    }

    fn same(&mut self, expected: &Value, after: &str) {
        let state = self.state();
        let same = state["values"] == expected["values"] && state["time"] == expected["time"];
        assert!(same, "after {after}\n{}\n{expected}\n{state}", self.told);
    }
}

pub(crate) fn tables() -> Vec<PathBuf> {
    let folders = scenario_folders().into_iter();
    folders.map(|folder| folder.join("table.ron")).collect()
}

/// A table runs in a stepping, if it can.
pub(crate) fn runs(table: &Path, stepping: &str) -> bool {
    let mut console = situ_repl::console(None).unwrap();
    console.execute(&format!("load \"{}\"", table.display()), &mut ());
    let set = console.execute(&format!("set stepping = {stepping}"), &mut ());
    !set.failed && !console.execute("step 20", &mut ()).failed
}

/// A line that may change something.
fn line(dice: &mut Dice, talk: &mut Talk) -> String {
    let stop = talk.stop;
    match dice.below(14) {
        0..=2 => format!(
            "step {}",
            1 + dice.below(if talk.stepping == "tick" { 3000 } else { 12 })
        ),
        3 => format!("run for {}", 0.2 * stop * dice.share()),
        4 => "next".to_owned(),
        5 => format!("back {}", 1 + dice.below(400)),
        6 => "goto end".to_owned(),
        7 => {
            let now = talk.state()["time"].as_f64().unwrap();
            format!("goto {}", now * dice.share())
        }
        8 | 9 => {
            let values = talk.must("vars");
            let names: Vec<&String> = values.as_object().unwrap().keys().collect();
            let name = (*dice.pick(&names)).clone();
            match &values[&name] {
                Value::Bool(held) => format!("set `{name}` = {}", !held),
                value => {
                    let value = value.as_f64().unwrap_or(1.0);
                    format!(
                        "set `{name}` = {}",
                        value * (1.0 + 0.02 * (dice.share() - 0.5))
                    )
                }
            }
        }
        10 => {
            let rules = talk.must("rules");
            let Some(rules) = rules.as_array().filter(|rules| !rules.is_empty()) else {
                return "step".to_owned();
            };
            let rule = dice.pick(rules);
            let (list, id) = (rule["list"].as_str().unwrap(), rule["id"].as_str().unwrap());
            format!("disable {list}.{id}")
        }
        11 => format!("undo {}", 1 + dice.below(3)),
        12 => "redo".to_owned(),
        _ => format!("branch b{}", dice.below(1000)),
    }
}

fn session(table: &Path, stepping: &'static str, seed: u64) {
    let mut dice = Dice(seed);
    let mut talk = Talk::on(table, stepping);
    for _ in 0..10 {
        let line = line(&mut dice, &mut talk);
        let before = talk.state();
        let reply = talk.say(&line);
        if reply.failed && reply.data.get("result").is_none() {
            talk.same(&before, "a command that failed");
        }
    }
    // From the end of a step: inside of one, `back` goes to its beginning.
    talk.say("step");
    let state = talk.state();
    let steps = state["steps"].as_u64().unwrap();
    if steps > 0 {
        let back = 1 + dice.below(steps.min(500));
        talk.must(&format!("back {back}"));
        let mut failed = talk.say(&format!("step {back}")).failed;
        // Where nothing happens any more and steps grow without end each of them ends the command.
        for _ in 0..back {
            if failed || talk.state()["steps"] == state["steps"] {
                break;
            }
            failed = talk.say("step").failed;
        }
        if !failed {
            talk.same(&state, "back and on again");
        }
    }
    talk.must("undo");
    talk.must("redo");
    talk.same(&state, "undo and redo");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("session.situ");
    talk.must(&format!("save \"{}\"", script.display()));
    let mut again = situ_repl::console(None).unwrap();
    let lines = std::fs::read_to_string(&script).unwrap();
    if lines.lines().any(|line| line.starts_with("load ")) {
        // What the session that reads it has set up does not matter.
        again.execute(&format!("load \"{}\"", table.display()), &mut ());
        again.execute("break time 0.01", &mut ());
    }
    // A run that failed on the way is told by its steps, which fail again.
    let _ = again.execute(&format!("read \"{}\"", script.display()), &mut ());
    let replayed = again.execute("state", &mut ()).data["result"].clone();
    assert_eq!(
        replayed["values"], state["values"],
        "script of\n{}",
        talk.told
    );
}

/// A time that is visited looks as it does to a run that goes there.
fn visits(table: &Path, stepping: &'static str, seed: u64) {
    let mut dice = Dice(seed);
    let mut talk = Talk::on(table, stepping);
    if talk.say(&format!("run to {}", talk.stop)).failed {
        return;
    }
    let end = talk.state();
    for _ in 0..3 {
        let at = talk.stop * dice.share();
        talk.must(&format!("goto {at}"));
        let seen = talk.state();
        let mut direct = Talk::on(table, stepping);
        let whole = seen["time"].as_f64().unwrap();
        direct.must(&format!("run to {whole}"));
        direct.same(&seen, "a direct run");
    }
    talk.must("goto end");
    talk.same(&end, "visits to the past");
}

fn all(test: impl Fn(&Path, &'static str, u64)) {
    let mut count = 0;
    for table in tables() {
        for stepping in ["tick", "events"] {
            if runs(&table, stepping) {
                for seed in 0..SESSIONS {
                    test(&table, stepping, seed);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 40, "only {count} sessions could be held");
}

#[test]
fn every_way_to_a_state_leads_to_the_same_bits() {
    all(session);
}

/// Replies in a session do not depend on the engine.
fn engines(table: &Path, stepping: &'static str, seed: u64) {
    let mut dice = Dice(seed);
    let mut talk = Talk::on(table, stepping);
    let mut native = situ_repl::console(Some(EngineArg::Native)).unwrap();
    for line in talk.told.lines() {
        assert!(!native.execute(line, &mut ()).failed);
    }
    for _ in 0..10 {
        let line = line(&mut dice, &mut talk);
        let reply = talk.say(&line);
        let other = native.execute(&line, &mut ());
        assert_eq!(other.text, reply.text, "{}", talk.told);
        assert_eq!(other.data, reply.data, "{}", talk.told);
    }
}

#[test]
fn sessions_are_the_same_in_native_code() {
    all(engines);
}

#[test]
fn times_that_are_visited_are_those_of_a_direct_run() {
    all(visits);
}

#[test]
#[ignore = "takes long; `cargo soak` runs it"]
fn sessions_soak() {
    let tables: Vec<(PathBuf, &str)> = tables()
        .into_iter()
        .flat_map(|table| ["tick", "events"].map(|stepping| (table.clone(), stepping)))
        .filter(|(table, stepping)| runs(table, stepping))
        .collect();
    let wanted = std::env::var("SITU_SOAK_SESSIONS").ok();
    let wanted = wanted.and_then(|count| count.parse().ok());
    for seed in 0..wanted.unwrap_or(SOAK) {
        let (table, stepping) = &tables[usize::try_from(seed).unwrap() % tables.len()];
        session(table, stepping, 1_000_000 + seed);
        if seed % 500 == 499 {
            println!("{} sessions", seed + 1);
        }
    }
}

/// A condition that holds in a microstep only has held (FORMALISM 10.2): runs stop behind it, `why not` foresees it.
#[test]
fn what_holds_in_a_microstep_stops_a_run() {
    let table = r#"(format: 1, clock: (stepping: events, stop: 5), reals: {"T": 20}, switches: {"on": false},
        ranges: ["cold: T < 19", "warm: T >= 21"], assignments: ["when cold: on", "when warm: !on"],
        relations: ["T = integral(-1)", "T = integral(2) when on"])"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.ron"), table).unwrap();
    let said = |commands: &[&str]| {
        let mut words = vec!["repl", "t.ron"];
        words.extend(commands.iter().flat_map(|command| ["-e", command]));
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_situ-for-tests"))
            .args(words)
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C")
            .current_dir(folder.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(said(&["run until cold"]).contains("t = 1, step 1: on"));
    assert!(said(&["break cold", "run"]).contains("stopped: break 1: cold"));
    assert!(said(&["watch warm", "run"]).contains("t = 3, step 2"));
    assert!(said(&["why not cold"]).contains("it is going to at t = 1"));
}
