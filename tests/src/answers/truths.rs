//! One oracle, from the rows of a trajectory alone: `why`, `why not`, `state`, `margins`, `events` and measures
//! say the same of every boolean and real, at random ticks of all scenarios and of random tables, and at every
//! tick in which a switch turns.

use std::path::{Path, PathBuf};

use serde_json::Value;
use situ_engine::ids::{RangeId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Clock, CompareOp, Literal, Mark, Model, Stepping, WatchLiteral};
use situ_engine::sim::{EventConfig, EventRun, TickConfig, TickRun};
use situ_engine::trace::{Measure, Trace, TraceRecorder};

use crate::fuzz::{random_hybrids, random_tables};
use crate::sessions::random::{Dice, Talk, runs, tables};

/// Random tables in a test run.
const RANDOM: usize = 12;

/// The same under `cargo soak`.
const SOAK: usize = 400;

/// The rows of a run: of ticks one per tick, the start first.
struct Rows {
    model: Model,
    trace: Trace,
    constants: Vec<f64>,
}

impl Rows {
    /// Of a table; `None` if it makes no such run to the end.
    fn of(table: &Path, ticks: u64) -> Option<Self> {
        let model = crate::answers::reasons::loaded(table);
        let mut config = TickConfig::from_clock(&model.clock).ok()?;
        (config.ticks, config.every) = (ticks, 1);
        let mut run = TickRun::new(model.clone(), config).ok()?;
        let constants = run.row().constants.to_vec();
        let mut recorder = TraceRecorder::new(&model);
        let _ = run.run(&mut recorder);
        let trace = recorder.trace;
        Some(Self {
            model,
            trace,
            constants,
        })
    }

    /// Those of an event-accurate run.
    fn of_events(table: &Path) -> Option<Self> {
        let model = crate::answers::reasons::loaded(table);
        let clock = Clock {
            stepping: Some(Stepping::Events),
            stop: Some(model.clock.stop.unwrap_or(2.0).min(5.0)),
            every: None,
            stop_when: None,
            ..model.clock.clone()
        };
        let config = EventConfig::from_clock(&clock).ok()?;
        let mut run = EventRun::new(model.clone(), config).ok()?;
        let constants = run.row().constants.to_vec();
        let mut recorder = TraceRecorder::new(&model);
        let _ = run.run(&mut recorder);
        let trace = recorder.trace;
        Some(Self {
            model,
            trace,
            constants,
        })
    }

    /// Rows that show no instant, some at random.
    fn between_instants(&self, dice: &mut Dice) -> Vec<usize> {
        let time = &self.trace.time;
        let mut rows: Vec<usize> = (0..6)
            .map(|_| usize::try_from(dice.below(time.len() as u64)).unwrap())
            .filter(|&row| row > 0 && row + 1 < time.len())
            .filter(|&row| time[row - 1] < time[row] && time[row] < time[row + 1])
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn len(&self) -> usize {
        self.trace.time.len()
    }

    fn holds(&self, what: Boolean, row: usize) -> bool {
        let trace = &self.trace;
        match what {
            Boolean::Switch(id) => trace.switches[id.index()][row],
            Boolean::Range(id) => trace.ranges[id.index()][row],
            Boolean::Situation(id) => trace.situations[id.index()][row],
            Boolean::Schedule(_) | Boolean::Start => unreachable!("they stand in no row"),
        }
    }

    fn reals(&self, row: usize) -> Vec<f64> {
        self.trace.reals.iter().map(|column| column[row]).collect()
    }

    /// The margins of a range in a row: the tick read the row before.
    fn margins(&self, id: RangeId, row: usize) -> Vec<f64> {
        let read = row.saturating_sub(1);
        let (reals, time) = (self.reals(read), self.trace.time[read]);
        let value = |expr| self.model.value_at(expr, &reals, &self.constants, time);
        let of = self.model.ranges[id.index()].all.iter();
        of.map(|one| match one.op {
            CompareOp::Less | CompareOp::LessEqual => value(one.right) - value(one.left),
            CompareOp::Greater | CompareOp::GreaterEqual => value(one.left) - value(one.right),
        })
        .collect()
    }

    /// All booleans with names.
    fn booleans(&self) -> Vec<(String, Boolean)> {
        let model = &self.model;
        let named = |name: &String, what| (name.clone(), what);
        let switches = model.switches.iter().enumerate();
        let ranges = model
            .ranges
            .iter()
            .enumerate()
            .filter(|(_, range)| !range.anonymous);
        let situations = model.situations.iter().enumerate();
        (switches.map(|(index, it)| named(&it.name, Boolean::Switch(SwitchId::new(index)))))
            .chain(ranges.map(|(index, it)| named(&it.name, Boolean::Range(RangeId::new(index)))))
            .chain(
                situations.map(|(index, it)| {
                    named(&it.name, Boolean::Situation(SituationId::new(index)))
                }),
            )
            .collect()
    }

    /// Booleans that change between two rows, and events that fire in the second, with the names in order.
    fn turned(&self, row: usize, to: bool) -> Vec<String> {
        let turns = |what| {
            let again = to && self.model.is_event(what);
            self.holds(what, row) == to && (again || self.holds(what, row - 1) != to)
        };
        let all = self.booleans().into_iter();
        let mut names: Vec<String> = all
            .filter(|(_, what)| turns(*what))
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names
    }
}

/// Holds what the prompt says at a row against the rows.
fn ask(talk: &mut Talk, rows: &Rows, row: usize) {
    let state = talk.state();
    for (real, value) in rows.model.reals.iter().zip(rows.reals(row)) {
        assert_eq!(
            state["values"][&real.name].as_f64(),
            Some(value),
            "{}\n{}",
            real.name,
            talk.told
        );
        let why = talk.must(&format!("why `{}`", real.name));
        let shown = format!("= {}", situ_views::text::number::rounded(value));
        assert!(
            why[0]["text"].as_str().unwrap().contains(&shown),
            "{}\n{}",
            why,
            talk.told
        );
    }
    let margins = talk.must("margins");
    for (name, what) in rows.booleans() {
        let holds = Value::Bool(rows.holds(what, row));
        assert_eq!(
            state["values"][&name], holds,
            "state of {name}\n{}",
            talk.told
        );
        for question in ["why", "why not"] {
            let said = talk.must(&format!("{question} `{name}`"));
            assert_eq!(
                said[0]["holds"], holds,
                "{question} {name}: {said}\n{}",
                talk.told
            );
        }
        if let Boolean::Range(id) = what {
            let expected = rows.margins(id, row);
            // What has no value leaves no least one.
            let least = match expected.iter().any(|margin| margin.is_nan()) {
                true => f64::NAN,
                false => expected.iter().copied().fold(f64::INFINITY, f64::min),
            };
            let margin = &margins[&name];
            // JSON has what is not finite as a text.
            let infinite = margin.as_str().and_then(|text| text.parse().ok());
            let found: Option<f64> = margin.as_f64().or(infinite);
            let same =
                found.is_some_and(|found| found == least || found.is_nan() && least.is_nan());
            assert!(
                same,
                "margin of {name}: {found:?}, not {least}\n{}",
                talk.told
            );
        }
    }
    // The changes that lead here, the last one in front.
    let events = talk.must("events 4");
    let changed =
        |row: &usize| !(rows.turned(*row, true).is_empty() && rows.turned(*row, false).is_empty());
    let expected: Vec<usize> = (1..=row).rev().filter(changed).take(4).collect();
    let empty = Vec::new();
    let said = events.as_array().unwrap_or(&empty);
    assert_eq!(said.len(), expected.len(), "{events}\n{}", talk.told);
    for (said, &row) in said.iter().rev().zip(&expected) {
        assert_eq!(
            said["time"].as_f64(),
            Some(rows.trace.time[row]),
            "{}",
            talk.told
        );
        for (key, to) in [("begins", true), ("ends", false)] {
            let mut names: Vec<String> = serde_json::from_value(said[key].clone()).unwrap();
            names.sort();
            assert_eq!(
                names,
                rows.turned(row, to),
                "{key} at row {row}\n{}",
                talk.told
            );
        }
    }
}

/// `why SWITCH` goes down to the condition of the assignment that set it, as it stood then: each literal that
/// it names first holds.
fn why_it_turned(talk: &mut Talk, name: &str) {
    let why = talk.must(&format!("why `{name}`"));
    let lines = why.as_array().unwrap();
    let set = lines
        .iter()
        .any(|line| line["text"].as_str().unwrap().starts_with("set last at"));
    assert!(set, "{why}\n{}", talk.told);
    let causes: Vec<&Value> = lines.iter().filter(|line| line["depth"] == 2).collect();
    assert!(!causes.is_empty(), "{why}\n{}", talk.told);
    for cause in causes.iter().filter(|line| line["holds"].is_boolean()) {
        assert_eq!(cause["holds"], Value::Bool(true), "{why}\n{}", talk.told);
    }
}

/// Measures over the rows, computed from the rows.
fn measures(rows: &Rows) {
    let model = &rows.model;
    let mut config = TickConfig::from_clock(&model.clock).unwrap();
    config.ticks = rows.len() as u64 - 1;
    for (name, what) in rows.booleans() {
        let watch = [WatchLiteral::Boolean(Literal {
            what,
            negated: false,
        })];
        let watch = || watch.iter().cloned().collect();
        let measures = [Measure::Count(watch()), Measure::First(watch())];
        let mut run = TickRun::with_measures(model.clone(), config.clone(), &measures).unwrap();
        if run.run(&mut ()).is_err() {
            return;
        }
        let held: Vec<bool> = (0..rows.len()).map(|row| rows.holds(what, row)).collect();
        let first = held
            .iter()
            .position(|held| *held)
            .map(|row| rows.trace.time[row]);
        let event = model.is_event(what);
        let arisen = (1..held.len())
            .filter(|&row| held[row] && (event || !held[row - 1]))
            .count();
        let arisen = f64::from(u32::try_from(arisen).unwrap());
        let [counted, found] = run.measured()[..] else {
            panic!("two measures")
        };
        assert_eq!(found, first, "first({name}) in {}", model.name);
        // An event that fires in each of two ticks may count as one.
        let counted = counted.unwrap_or(0.0);
        assert!(
            counted == arisen || event && counted <= arisen,
            "count({name}): {counted} {arisen}"
        );
    }
}

fn check(table: &Path, dice: &mut Dice) -> u32 {
    let ticks = 20 + dice.below(400);
    if !runs(table, "tick") {
        return 0;
    }
    let Some(rows) = Rows::of(table, ticks).filter(|rows| rows.len() > 4) else {
        return 0;
    };
    let mut talk = Talk::on(table, "tick");
    let last = rows.len() - 1;
    let mut places: Vec<usize> = (0..2)
        .map(|_| 1 + usize::try_from(dice.below(last as u64)).unwrap())
        .collect();
    let switches: Vec<(String, Boolean)> = rows.booleans();
    let switches: Vec<_> = switches
        .into_iter()
        .filter(|(_, what)| matches!(what, Boolean::Switch(_)))
        .collect();
    for (_, what) in &switches {
        places.extend(
            (1..=last)
                .filter(|&row| rows.holds(*what, row) != rows.holds(*what, row - 1))
                .take(2),
        );
    }
    places.sort_unstable();
    places.dedup();
    let mut done = 0;
    for row in places {
        let steps = row - done;
        if steps > 0 && talk.say(&format!("step {steps}")).failed {
            break;
        }
        done = row;
        ask(&mut talk, &rows, row);
        for (name, what) in &switches {
            if rows.holds(*what, row) != rows.holds(*what, row - 1) {
                why_it_turned(&mut talk, name);
            }
        }
    }
    measures(&rows);
    1
}

#[test]
fn all_that_tells_of_a_tick_says_the_same() {
    let mut dice = Dice(3);
    let mut checked = 0;
    for table in tables() {
        checked += check(&table, &mut dice);
    }
    assert!(checked > 10, "{checked}");
}

/// Compares the replies on a moment of an event-accurate run with its row: values, truths, and the part of margins in
/// them.
fn ask_between_instants(talk: &mut Talk, rows: &Rows, row: usize) {
    let state = talk.state();
    assert_eq!(
        state["time"].as_f64(),
        Some(rows.trace.time[row]),
        "{}",
        talk.told
    );
    for (real, value) in rows.model.reals.iter().zip(rows.reals(row)) {
        let said = &state["values"][&real.name];
        assert_eq!(said.as_f64(), Some(value), "{}\n{}", real.name, talk.told);
    }
    let margins = talk.must("margins");
    for (name, what) in rows.booleans() {
        let told = |talk: &Talk| format!("{name}\n{}", talk.told);
        let is_read_late = match what {
            Boolean::Range(id) => rows.model.ranges[id.index()].mark == Some(Mark::NoEvent),
            _ => false,
        };
        if is_read_late {
            continue;
        }
        let holds = Value::Bool(rows.holds(what, row));
        assert_eq!(state["values"][&name], holds, "{}", told(talk));
        for question in ["why", "why not"] {
            let said = talk.must(&format!("{question} `{name}`"));
            assert_eq!(said[0]["holds"], holds, "{question} {}", told(talk));
        }
        if let Some(margin) = margins[&name].as_f64().filter(|margin| margin.abs() > 1e-6) {
            assert_eq!(Value::Bool(margin > 0.0), holds, "margin of {}", told(talk));
        }
    }
}

/// A run that stops where a boolean arises shows the microstep in which it does.
fn ask_at_instants(table: &Path, rows: &Rows) {
    for (name, what) in rows.booleans() {
        let arises = |&row: &usize| rows.holds(what, row) && !rows.holds(what, row - 1);
        let Some(row) = (1..rows.len()).find(arises) else {
            continue;
        };
        let mut talk = Talk::on(table, "events");
        if talk.state()["values"][&name] == Value::Bool(true) {
            continue;
        }
        talk.must(&format!("run until `{name}`"));
        let state = talk.state();
        let held = state["values"][&name] == Value::Bool(true);
        assert!(held, "{name}: {state}\n{}", talk.told);
        let time = state["time"].as_f64().unwrap();
        assert!(time <= rows.trace.time[row] + 1e-9, "{name}\n{}", talk.told);
        let why = talk.must(&format!("why `{name}`"));
        assert_eq!(why[0]["holds"], Value::Bool(true), "{why}\n{}", talk.told);
    }
}

fn check_events(table: &Path, dice: &mut Dice) -> u32 {
    if !runs(table, "events") {
        return 0;
    }
    let Some(rows) = Rows::of_events(table).filter(|rows| rows.len() > 4) else {
        return 0;
    };
    let mut talk = Talk::on(table, "events");
    for row in rows.between_instants(dice) {
        let time = rows.trace.time[row];
        if talk.say(&format!("run to {time:?}")).failed {
            break;
        }
        ask_between_instants(&mut talk, &rows, row);
    }
    ask_at_instants(table, &rows);
    1
}

#[test]
fn all_that_tells_of_an_event_accurate_run_says_the_same() {
    let mut dice = Dice(4);
    let mut checked = 0;
    for table in tables() {
        checked += check_events(&table, &mut dice);
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn all_that_tells_of_an_event_accurate_run_of_random_tables_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(5);
    let mut checked = 0;
    for (number, text) in random_hybrids(RANDOM, 13).into_iter().enumerate() {
        let table: PathBuf = folder.path().join(format!("{number}.ron"));
        std::fs::write(&table, text).unwrap();
        checked += check_events(&table, &mut dice);
    }
    assert!(checked > 3, "{checked}");
}

fn random(count: usize, seed: u64) -> u32 {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(seed);
    let mut checked = 0;
    for (number, text) in random_tables(count, seed).into_iter().enumerate() {
        let table: PathBuf = folder.path().join(format!("{number}.ron"));
        std::fs::write(&table, text).unwrap();
        checked += check(&table, &mut dice);
    }
    checked
}

#[test]
fn all_that_tells_of_a_tick_says_the_same_in_random_tables() {
    assert!(random(RANDOM, 11) > 3);
}

#[test]
#[ignore = "for cargo soak"]
fn soak_all_that_tells_of_a_tick() {
    let checked = random(SOAK, 12);
    println!("{checked} random tables");
}
