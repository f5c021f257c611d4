//! Crowds of units that switch one by one, against runs that are exact between their events.

use std::ops::ControlFlow;

use serde_json::Value;
use situ_engine::Method;
use situ_engine::ids::{SituationId, SwitchId};
use situ_engine::model::{Boolean, Clock, Model};
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Recorder, Row};

use super::{by, table};
use crate::events::{known, list, number};
use crate::tables::Table;

/// What happens to the booleans of a run, without keeping its rows.
struct Changes<'m> {
    model: &'m Model,
    switches: Vec<bool>,
    /// Times with switches that changed, and what they became.
    switched: Vec<(f64, usize, bool)>,
    /// Times with the number of events that fired, and the first of them.
    fired: Vec<(f64, usize, usize)>,
}

impl Recorder for Changes<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let switches: Vec<bool> = (0..self.model.switches.len())
            .map(|index| row.boolean(self.model, Boolean::Switch(SwitchId::new(index))))
            .collect();
        for (index, (&now, &before)) in switches.iter().zip(&self.switches).enumerate() {
            if now != before {
                self.switched.push((row.time, index, now));
            }
        }
        self.switches = switches;
        let fired = (0..self.model.situations.len()).filter(|&index| {
            self.model.situations[index].name.starts_with("fire[")
                && row.boolean(self.model, Boolean::Situation(SituationId::new(index)))
        });
        let fired: Vec<usize> = fired.collect();
        if let Some(&first) = fired.first() {
            self.fired.push((row.time, fired.len(), first));
        }
        ControlFlow::Continue(())
    }
}

/// What happens in a run of a crowd, and the reals at its end. By default settings if there is no method.
fn changes(table: &Table, stop: f64, method: Option<Method>) -> (Changes<'_>, Vec<f64>) {
    let mut clock = clock(method);
    (clock.stop, clock.every) = (Some(stop), Some(stop));
    let clock = table.model.clock.overridden_by(&clock);
    let mut run = EventRun::new(
        table.model.clone(),
        EventConfig::from_clock(&clock).unwrap(),
    )
    .unwrap();
    let mut changes = Changes {
        model: &table.model,
        switches: Vec::new(),
        switched: Vec::new(),
        fired: Vec::new(),
    };
    run.run(&mut changes).unwrap();
    let ends = table
        .model
        .reals
        .iter()
        .map(|real| run.real(table.real(&real.name)));
    let ends = ends.collect();
    (changes, ends)
}

fn clock(method: Option<Method>) -> Clock {
    method.map_or_else(Clock::default, |method| by(method, 1e-12, 1e-12))
}

/// Largest error of a number with these settings.
fn allowed(method: Option<Method>, tight: f64) -> f64 {
    if method.is_some() { tight } else { 1e-4 }
}

#[track_caller]
fn near(what: &str, found: f64, known: f64, allowed: f64) {
    assert!(
        (found - known).abs() <= allowed,
        "{what}: {found}, should be {known}"
    );
}

/// The index after the first `[` of a name.
fn index(name: &str) -> usize {
    let (_, index) = name.split_once('[').unwrap();
    index.trim_end_matches(']').parse().unwrap()
}

/// Compares a rod with a thermostat in each cell: all switchings, and the cells at some times.
fn thermostats(n: usize, set: &[&str], method: Option<Method>) {
    let file = known(&format!("thermostats_{n}"));
    let table = table("thermostat_row", set, None);
    let stop: f64 = file["T"].as_str().unwrap().parse().unwrap();
    let (changes, _) = changes(&table, stop, method);
    let error = allowed(method, 1e-11);
    let switched = &changes.switched;
    // The first one, at the start, stands in no row of its own.
    let n_events = usize::try_from(file["events"].as_u64().unwrap()).unwrap();
    assert_eq!(switched.len(), n_events - 1);
    let first = list(&file["first_events"])[1..].iter().zip(switched);
    let last = list(&file["last_events"])
        .iter()
        .rev()
        .zip(switched.iter().rev());
    for (known, (time, switch, on)) in first.chain(last) {
        let name = &table.model.switches[*switch].name;
        near(name, *time, number(&known[0]), error);
        // By default settings those that are close together may change their order.
        if method.is_none() {
            continue;
        }
        assert_eq!(index(name) as u64, known[1].as_u64().unwrap(), "at {time}");
        assert_eq!(*on, known[2] == "on", "{name} at {time}");
    }
    let mut clock = clock(method);
    clock.stop = Some(stop);
    let config = EventConfig::from_clock(&table.model.clock.overridden_by(&clock)).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    for row in list(&file["rows"]) {
        let row = list(row);
        run.run_to(number(&row[0]), &mut ()).unwrap();
        for (cell, known) in row[1..].iter().enumerate() {
            let name = format!("T[{}]", cell + 1);
            let error = allowed(method, 1e-10);
            near(&name, run.real(table.real(&name)), number(known), error);
        }
    }
}

/// Compares pulse-coupled units: all instants at which some fire, how many do, and the end.
///
/// Shapes: `may_merge`: instants that may be one with another.
fn firing(file: &str, set: &[&str], may_merge: usize, method: Option<Method>) {
    let file: Value = known(file);
    let table = table("firing", set, None);
    let stop: f64 = file["T"].as_str().unwrap().parse().unwrap();
    let (changes, ends) = changes(&table, stop, method);
    let fired = &changes.fired;
    let count = |name: &str| usize::try_from(file[name].as_u64().unwrap()).unwrap();
    let n_fired: usize = fired.iter().map(|(_, n, _)| n).sum();
    assert_eq!(n_fired, count("firings"));
    // Units that do not touch each other may fire closer together than times can tell apart.
    let merged = count("instants") - fired.len();
    assert!(merged <= may_merge, "{merged} instants are missing");
    if merged == 0 {
        let largest = fired.iter().map(|(_, n, _)| *n).max();
        assert_eq!(largest, Some(count("largest_avalanche")));
    }
    let first = list(&file["first_instants"]).iter().zip(fired);
    let last = list(&file["last_instants"])
        .iter()
        .rev()
        .zip(fired.iter().rev());
    for (known, (time, n, _)) in first.chain(last) {
        near(
            "an instant",
            *time,
            number(&known[0]),
            allowed(method, 1e-11),
        );
        assert_eq!(*n as u64, known[1].as_u64().unwrap(), "at {time}");
    }
    let ends = table.model.reals.iter().zip(ends);
    let ends = ends.filter(|(real, _)| real.name.starts_with("V["));
    for ((real, end), known) in ends.zip(list(&file["V_end"])) {
        near(&real.name, end, number(known), allowed(method, 1e-10));
    }
}

/// Two methods at tight settings, and what a user has who chooses nothing.
const SETTINGS: [Option<Method>; 3] = [Some(Method::Auto), Some(Method::Dop853), None];

#[test]
fn each_cell_of_a_rod_has_its_thermostat() {
    for method in SETTINGS {
        thermostats(20, &["N=20"], method);
        thermostats(100, &["N=100", "D=0.00002"], method);
    }
}

#[test]
fn units_fire_and_kick_each_other() {
    for method in SETTINGS {
        firing("integrate_and_fire_50", &["N=50"], 0, method);
    }
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_a_thousand_units_fire() {
    for method in SETTINGS {
        firing("integrate_and_fire_1000", &["N=1000"], 0, method);
        let uncoupled = "integrate_and_fire_uncoupled_1000";
        firing(uncoupled, &["N=1000", "eps=0"], 2, method);
    }
}
