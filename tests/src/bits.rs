//! Trajectories to the last bit: hashes of what scenarios, tables of wrong results and random tables compute, held
//! against those of an earlier program.
//!
//! A change that is meant to leave all results alone passes unchanged. One that is meant to alter numbers replaces the
//! file, and its commit names the reason: `SITU_BLESS=1 cargo soak bits::soak --exact` writes it anew (a few minutes).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use situ_engine::Method;
use situ_engine::ids::{RangeId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Clock, Model, Stepping};
use situ_engine::sim::{Run, RunConfig, SetupError};
use situ_engine::trace::{Recorder, Row};

use crate::fuzz::{random_hybrids, random_tables};
use crate::tables::{Table, files, root, scenario_folders, stem};

/// Random tables of one line of the file, of either generator.
const BLOCK: usize = 500;
/// Lines of each generator: 100,000 tables in all.
const BLOCKS: usize = 100;
/// Of these the tests do the first ones.
const IN_TESTS: usize = 1;

/// No run of a file is longer [units of `time`].
const LONGEST: f64 = 50.0;
/// Nor has it more ticks or steps.
const STEPS: f64 = 200_000.0;

/// The methods of the program that wrote the file, in its order.
const METHODS: [Method; 8] = [
    Method::Euler,
    Method::Rk4,
    Method::Tsit5,
    Method::Dop853,
    Method::Gauss,
    Method::Rodas5p,
    Method::Taylor,
    Method::Auto,
];

/// A recorder that keeps a hash of all rows: times, reals and booleans.
struct Hash<'a> {
    model: &'a Model,
    booleans: Vec<Boolean>,
    sum: &'a mut Sha256,
}

impl Recorder for Hash<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.sum.update(row.time.to_bits().to_le_bytes());
        for value in row.reals {
            self.sum.update(value.to_bits().to_le_bytes());
        }
        for &what in &self.booleans {
            self.sum.update([u8::from(row.boolean(self.model, what))]);
        }
        ControlFlow::Continue(())
    }
}

/// Adds the rows of a run to a hash, and the refusal that ends it, if one does.
fn add(model: &Arc<Model>, clock: &Clock, sum: &mut Sha256) {
    let switches = (0..model.switches.len()).map(|index| Boolean::Switch(SwitchId::new(index)));
    let ranges = (0..model.ranges.len()).map(|index| Boolean::Range(RangeId::new(index)));
    let situations = 0..model.situations.len();
    let situations = situations.map(|index| Boolean::Situation(SituationId::new(index)));
    let mut rows = Hash {
        model,
        booleans: switches.chain(ranges).chain(situations).collect(),
        sum,
    };
    let Ok(config) = RunConfig::from_clock(clock) else {
        sum.update("no such run");
        return;
    };
    let refusal = match Run::new(model.clone(), config, &[]) {
        Ok(mut run) => run.run(&mut rows).err(),
        Err(SetupError::Fault(fault)) => Some(*fault),
        Err(error) => panic!("{}: {error:?}", model.name),
    };
    if let Some(fault) = refusal {
        let name = format!("{fault:?}");
        sum.update(name.split(' ').next().unwrap_or_default());
    }
}

fn shown(sum: Sha256) -> String {
    let mut text = String::new();
    for byte in &sum.finalize()[..8] {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// Ticks and these methods, of a table as it stands but for the time it may take.
fn of_table(table: &Table) -> Vec<(&'static str, String)> {
    let model = Arc::new(table.model.clone());
    let stop = model.clock.stop.unwrap_or(1.0).min(LONGEST);
    let run = |stepping: Stepping, method: Option<Method>| {
        let clock = Clock {
            stop: Some(stop),
            stepping: Some(stepping),
            max_steps: Some(STEPS),
            method: method.or(model.clock.method),
            ..model.clock.clone()
        };
        let mut sum = Sha256::new();
        add(&model, &clock, &mut sum);
        shown(sum)
    };
    let ticks = ("ticks", run(Stepping::Tick, None));
    let methods = METHODS.into_iter();
    let events = methods.map(|method| (method.name(), run(Stepping::Events, Some(method))));
    std::iter::once(ticks).chain(events).collect()
}

/// The lines of all tables of the scenarios and of those that were wrong.
fn of_files() -> String {
    let mut folders = scenario_folders();
    folders.push(root().join("tests/data/tables"));
    let mut lines = String::new();
    for folder in folders {
        for path in files(&folder, "ron") {
            let found = of_table(&Table::at(&path));
            let found: Vec<String> = found
                .iter()
                .map(|(way, sum)| format!("{way} {sum}"))
                .collect();
            writeln!(
                lines,
                "{}/{}: {}",
                stem(&folder),
                stem(&path),
                found.join(", ")
            )
            .unwrap();
        }
    }
    lines
}

/// The line of a block of random tables.
fn of_block(number: usize) -> String {
    let seed = 1000 + number as u64;
    let mut hybrids = Sha256::new();
    for (index, text) in random_hybrids(BLOCK, seed).iter().enumerate() {
        let model = Arc::new(Table::from_text(text).model);
        let clock = |stepping| Clock {
            step: Some(1.0 / 512.0),
            stop: Some(2.0),
            every: Some(0.125),
            stepping: Some(stepping),
            method: Some(METHODS[index % METHODS.len()]),
            h0: Some(1.0 / 64.0),
            max_steps: Some(20_000.0),
            ..Clock::default()
        };
        add(&model, &clock(Stepping::Tick), &mut hybrids);
        add(&model, &clock(Stepping::Events), &mut hybrids);
    }
    let mut models = Sha256::new();
    for text in random_tables(BLOCK, seed) {
        let model = Arc::new(Table::from_text(&text).model);
        let clock = Clock {
            max_steps: Some(200.0),
            ..model.clock.clone()
        };
        add(&model, &clock, &mut models);
    }
    format!(
        "block {number}: what moves {}, ticks {}\n",
        shown(hybrids),
        shown(models)
    )
}

fn path() -> PathBuf {
    root().join("tests/data/bits.txt")
}

/// Every line that was found must stand in the file.
fn hold(found: &str) {
    let known = std::fs::read_to_string(path()).unwrap();
    let known: Vec<&str> = known.lines().collect();
    let other: Vec<&str> = found.lines().filter(|line| !known.contains(line)).collect();
    assert!(
        other.is_empty(),
        "other bits than before:\n{}",
        other.join("\n")
    );
}

#[test]
fn trajectories_of_scenarios_have_the_bits_of_before() {
    hold(&of_files());
}

#[test]
fn trajectories_of_random_tables_have_the_bits_of_before() {
    for number in 0..IN_TESTS {
        hold(&of_block(number));
    }
}

#[test]
#[ignore = "the long run: cargo soak"]
fn soak() {
    let next = AtomicUsize::new(0);
    let blocks = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= BLOCKS {
                break;
            }
            let line = of_block(number);
            blocks.lock().unwrap().insert(number, line);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let blocks: String = blocks.into_inner().unwrap().into_values().collect();
    let found = of_files() + &blocks;
    if std::env::var_os("SITU_BLESS").is_some() {
        std::fs::write(path(), found).unwrap();
    } else {
        hold(&found);
    }
}
