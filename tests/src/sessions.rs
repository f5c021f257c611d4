//! Random sessions at the prompt, on every scenario and in both steppings: going back and on again,
//! undo and redo, times that are visited, and scripts all lead to the same bits; what `why` and `blame`
//! say is held against runs of their own.
//!
//! `cargo soak` runs ten thousand sessions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use situ_engine::ids::{RangeId, RealId};
use situ_engine::model::{Boolean, CompareOp, Model};
use situ_engine::sim::{Run, RunConfig};
use situ_repl::console::Console;

use crate::tables::scenario_folders;

/// Sessions on each scenario and stepping in a test run.
const SESSIONS: u64 = 2;

/// Sessions in all under `cargo soak`; `SITU_SOAK_SESSIONS` for another number.
const SOAK: u64 = 10_000;

/// Numbers that are the same each time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }
}

/// A console that remembers what it was told.
struct Talk {
    console: Console,
    told: String,
    stepping: &'static str,
}

impl Talk {
    fn on(table: &Path, stepping: &'static str) -> Self {
        let mut talk = Self {
            console: Console::default(),
            told: String::new(),
            stepping,
        };
        talk.must(&format!("load \"{}\"", table.display()));
        talk.must(&format!("set stepping = {stepping}"));
        talk
    }

    fn say(&mut self, line: &str) -> situ_repl::console::Reply {
        let _ = writeln!(self.told, "{line}");
        self.console.execute(line, &mut ())
    }

    fn must(&mut self, line: &str) -> Value {
        let reply = self.say(line);
        assert!(!reply.failed, "{}\n{}", self.told, reply.text);
        reply.data["result"].clone()
    }

    fn state(&mut self) -> Value {
        self.must("state")
    }

    fn same(&mut self, expected: &Value, after: &str) {
        let state = self.state();
        let same = state["values"] == expected["values"] && state["time"] == expected["time"];
        assert!(same, "after {after}\n{}\n{expected}\n{state}", self.told);
    }
}

fn tables() -> Vec<PathBuf> {
    let folders = scenario_folders().into_iter();
    folders.map(|folder| folder.join("table.ron")).collect()
}

/// A table runs in a stepping, if it can.
fn runs(table: &Path, stepping: &str) -> bool {
    let mut console = Console::default();
    console.execute(&format!("load \"{}\"", table.display()), &mut ());
    let set = console.execute(&format!("set stepping = {stepping}"), &mut ());
    !set.failed && !console.execute("step 20", &mut ()).failed
}

/// A line that may change something.
fn line(dice: &mut Dice, talk: &mut Talk) -> String {
    let stop = 1.0;
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
            let Some(rules) = rules.as_array() else {
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
        if !talk.say(&format!("step {back}")).failed {
            talk.same(&state, "back and on again");
        }
    }
    talk.must("undo");
    talk.must("redo");
    talk.same(&state, "undo and redo");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("session.situ");
    talk.must(&format!("save \"{}\"", script.display()));
    let mut again = Console::default();
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
    if talk.say("run to 1").failed {
        return;
    }
    let end = talk.state();
    for _ in 0..3 {
        let at = dice.share();
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
    }
}

/// What a tick run finds: the row before a tick and the row after it.
fn around(model: &Model, config: &RunConfig, ticks: u64) -> (Run, Run) {
    let mut before = Run::new(model.clone(), config.clone(), &[]).unwrap();
    for _ in 1..ticks {
        before.step(f64::INFINITY).unwrap();
    }
    let mut after = before.clone();
    after.step(f64::INFINITY).unwrap();
    (before, after)
}

/// The truth and the margin of a range, computed on a row.
fn range(model: &Model, run: &Run, id: RangeId) -> (bool, Vec<f64>) {
    let row = run.row();
    let value = |expr| model.value_at(expr, row.reals, row.constants, row.time);
    let comparisons = model.ranges[id.index()].all.iter();
    let sides = comparisons.map(|one| (one.op, value(one.left), value(one.right)));
    let margins = sides.clone().map(|(op, left, right)| match op {
        CompareOp::Less | CompareOp::LessEqual => right - left,
        CompareOp::Greater | CompareOp::GreaterEqual => left - right,
    });
    let mut holds = true;
    for (op, left, right) in sides {
        holds &= op.holds(left, right);
    }
    (holds, margins.collect())
}

#[test]
fn reasons_are_those_of_a_run_of_their_own() {
    let mut dice = Dice(7);
    let mut checked = 0;
    for table in tables() {
        if !runs(&table, "tick") {
            continue;
        }
        let text = std::fs::read_to_string(&table).unwrap();
        let mut bases = |path: &str, _: &str| {
            let base = table.parent().unwrap().join(path);
            let text = std::fs::read_to_string(&base).map_err(|error| error.to_string())?;
            Ok(situ_rules::TableText {
                name: base.display().to_string(),
                text,
            })
        };
        let mut model = situ_rules::load("table", &text, &mut bases).model.unwrap();
        model.clock.stepping = Some(situ_engine::model::Stepping::Tick);
        model.clock.step = model.clock.step.or(Some(0.001));
        model.clock.stop_when = None;
        let config = RunConfig::from_clock(&model.clock).unwrap();
        let ticks = 1 + dice.below(4000);
        let mut talk = Talk::on(&table, "tick");
        if talk.say(&format!("step {ticks}")).failed {
            continue;
        }
        let (before, after) = around(&model, &config, ticks);
        for (index, it) in model.ranges.iter().enumerate() {
            if it.anonymous {
                continue;
            }
            let (holds, margins) = range(&model, &before, RangeId::new(index));
            let lines = talk.must(&format!("why `{}`", it.name));
            assert_eq!(lines[0]["holds"], Value::Bool(holds), "{}", talk.told);
            for (number, margin) in margins.iter().enumerate() {
                assert_eq!(
                    lines[number + 1]["margin"].as_f64(),
                    Some(*margin),
                    "{}",
                    talk.told
                );
            }
            checked += 1;
        }
        for (index, it) in model.situations.iter().enumerate() {
            let id = situ_engine::ids::SituationId::new(index);
            let held = after.present().boolean(&model, Boolean::Situation(id));
            let lines = talk.must(&format!("why `{}`", it.name));
            assert_eq!(lines[0]["holds"], Value::Bool(held), "{}", talk.told);
            // It holds if one of its rows does, and a row if all of its literals do.
            let lines = lines.as_array().unwrap();
            let rows = |depth: u64| move |line: &&Value| line["depth"].as_u64() == Some(depth);
            let any = lines
                .iter()
                .filter(rows(1))
                .any(|line| line["holds"] == Value::Bool(true));
            assert_eq!(any, held, "{}", talk.told);
            let not = talk.must(&format!("why not `{}`", it.name));
            assert_eq!(not[0]["holds"], Value::Bool(held), "{}", talk.told);
            let fails = |line: &Value| line["depth"] != 2 || line["holds"] != Value::Bool(true);
            assert!(not.as_array().unwrap().iter().all(fails), "{}", talk.told);
            checked += 1;
        }
        for (index, it) in model.reals.iter().enumerate() {
            let value = after.real(RealId::new(index));
            let start = Run::new(model.clone(), config.clone(), &[])
                .unwrap()
                .real(RealId::new(index));
            let blame = talk.must(&format!("blame `{}`", it.name));
            assert_eq!(blame["to"][1].as_f64(), Some(value), "{}", talk.told);
            let shares = blame["shares"].as_array().unwrap().iter();
            let sum: f64 = shares.map(|share| share["moved"].as_f64().unwrap()).sum();
            let size = value.abs().max(start.abs()).max(1e-300);
            let largest = blame["shares"].as_array().unwrap().iter();
            let largest = largest.map(|share| share["moved"].as_f64().unwrap().abs());
            let size = largest.fold(size, f64::max);
            assert!(
                (sum - (value - start)).abs() <= 1e-12 * size,
                "{} {sum}",
                talk.told
            );
            talk.must(&format!("why `{}`", it.name));
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn blame_sums_up_in_event_stepping_too() {
    let mut checked = 0;
    for table in tables() {
        if !runs(&table, "events") {
            continue;
        }
        let mut talk = Talk::on(&table, "events");
        if talk.say("run to 1").failed {
            continue;
        }
        let values = talk.state();
        for (name, value) in values["values"].as_object().unwrap() {
            let Some(value) = value.as_f64() else {
                continue;
            };
            let blame = talk.must(&format!("blame `{name}`"));
            assert_eq!(blame["to"][1].as_f64(), Some(value), "{}", talk.told);
            let shares = blame["shares"].as_array().unwrap();
            let moved = |share: &Value| share["moved"].as_f64().unwrap();
            let sum: f64 = shares.iter().map(moved).sum();
            let size: f64 = shares.iter().map(|share| moved(share).abs()).sum();
            let change = blame["change"].as_f64().unwrap();
            let size = size.max(value.abs()).max(1e-300);
            assert!(
                (sum - change).abs() <= 1e-12 * size,
                "{} {sum} {change}",
                talk.told
            );
            let rest = shares
                .iter()
                .find(|share| share["line"] == "error of the sums above")
                .map_or(0.0, moved);
            assert!(rest.abs() <= 1e-5 * size, "{} {rest} of {size}", talk.told);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn reasons_in_event_stepping_are_those_of_the_row() {
    let mut dice = Dice(11);
    let mut checked = 0;
    for table in tables() {
        if !runs(&table, "events") {
            continue;
        }
        let mut talk = Talk::on(&table, "events");
        for _ in 0..3 {
            if talk.say(&format!("step {}", 1 + dice.below(40))).failed {
                break;
            }
            let values = talk.state()["values"].clone();
            for (name, value) in values.as_object().unwrap() {
                let lines = talk.must(&format!("why `{name}`"));
                if let Value::Bool(held) = value {
                    assert_eq!(lines[0]["holds"], Value::Bool(*held), "{}", talk.told);
                    let not = talk.must(&format!("why not `{name}`"));
                    assert_eq!(not[0]["holds"], Value::Bool(*held), "{}", talk.told);
                    // Off its border, a range has the sign of its margin.
                    let one = lines.as_array().unwrap().len() == 2;
                    let margin = lines[1]["margin"]
                        .as_f64()
                        .filter(|margin| one && margin.abs() > 1e-6);
                    if let Some(margin) = margin {
                        assert_eq!(margin > 0.0, *held, "{}", talk.told);
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "{checked}");
}
