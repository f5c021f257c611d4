//! Pasts that are read at events, `y := delay(x, tau) when e`: against closed forms, and against the same with a delay in a
//! row of its own.

use situ_engine::model::{Clock, Stepping};
use situ_engine::sim::{Run, RunConfig, RunFault};
use situ_engine::trace::{Trace, TraceRecorder};

use crate::events::equations::implicit::near;
use crate::tables::{Table, column};

pub(in crate::events) fn run(
    text: &str,
    stepping: Stepping,
    stop: f64,
) -> (Table, Trace, Result<(), RunFault>) {
    let table = Table::from_text(text);
    let clock = Clock {
        step: Some(0.01),
        stop: Some(stop),
        rtol: Some(1e-10),
        stepping: Some(stepping),
        ..Clock::default()
    };
    let config = RunConfig::from_clock(&clock).unwrap();
    let mut run = Run::new(table.model.clone(), config, &[]).unwrap();
    let mut recorder = TraceRecorder::new(&table.model);
    let ended = run.run(&mut recorder).map(|_| ());
    let trace = recorder.trace;
    (table, trace, ended)
}

/// The last value of a real before a time.
pub(in crate::events) fn at(table: &Table, trace: &Trace, name: &str, time: f64) -> f64 {
    let values = column(&table.model, trace, name).unwrap();
    let row = trace.time.iter().rposition(|&t| t <= time).unwrap();
    values[row]
}

pub(in crate::events) const BOTH: [Stepping; 2] = [Stepping::Tick, Stepping::Events];

/// The row reads what a row of its own above it gives, to the bit.
#[track_caller]
fn is_that_of_its_own_row(head: &str, delay: &str, when: &str) {
    let direct = format!("{head} \"y := {delay} when {when}\"])");
    let apart = format!("{head} \"late = {delay}\", \"y := late when {when}\"])")
        .replace("reals: {", "reals: {\"late\": 0, ");
    for stepping in BOTH {
        let (one, trace, ended) = run(&direct, stepping, 4.0);
        ended.unwrap();
        let (other, twin, ended) = run(&apart, stepping, 4.0);
        ended.unwrap();
        let values = column(&one.model, &trace, "y").unwrap();
        assert!(
            values.windows(2).any(|pair| pair[0] != pair[1]),
            "{stepping:?}"
        );
        for time in [0.5, 1.5, 2.5, 3.5] {
            let [found, known] = [at(&one, &trace, "y", time), at(&other, &twin, "y", time)];
            match stepping {
                Stepping::Tick => assert_eq!(found, known, "{stepping:?} at {time}"),
                Stepping::Events => near(&format!("y({time})"), found, known, 1e-9),
            }
        }
    }
}

#[test]
fn what_was_is_read_at_beats_and_crossings() {
    let table = "(format: 1, name: \"beats\", reals: {\"x\": 0, \"y\": -1},
        relations: [\"x = integral(cos(time))\", \"y := delay(2 * x, 0.3) when every(1)\"])";
    for (stepping, tolerance) in [(Stepping::Tick, 2e-2), (Stepping::Events, 1e-9)] {
        let (table, trace, ended) = run(table, stepping, 3.5);
        ended.unwrap();
        for beat in [1.0, 2.0, 3.0_f64] {
            let found = at(&table, &trace, "y", beat + 0.2);
            near(
                &format!("y({beat})"),
                found,
                2.0 * (beat - 0.3).sin(),
                tolerance,
            );
        }
    }
    let head =
        "(format: 1, name: \"twin\", reals: {\"x\": 0, \"y\": -1}, ranges: [\"high: x > 0.6\"],
        situations: [\"event e: high\"], relations: [\"x = integral(cos(3 * time))\", ";
    let head = head.replace("cos(3 * time)", "2 * cos(3 * time)");
    is_that_of_its_own_row(&head, "delay(x, 0.2)", "e");
    is_that_of_its_own_row(&head, "delay(3 * x, 0.2)", "every(0.8)");
    is_that_of_its_own_row(&head, "delay(x^2 + time, 0.2)", "e");
}

#[test]
fn a_past_before_the_start_and_one_that_jumps_are_read() {
    let head =
        "(format: 1, name: \"twin\", reals: {\"x\": (start: 1, before: \"cos(time)\"), \"y\": -1},
        situations: [\"event e: every(0.7)\", \"event up: every(1)\"],
        relations: [\"x = integral(-x)\", \"x := x + 1 when up\", ";
    is_that_of_its_own_row(head, "delay(x, 1.2)", "e");
    is_that_of_its_own_row(head, "delay(x, 0.4)", "e");
}

#[test]
fn the_length_is_read_at_the_event() {
    let head = "(format: 1, name: \"twin\", reals: {\"x\": 0, \"z\": 0.1, \"y\": -1},
        situations: [\"event e: every(0.7)\"],
        relations: [\"x = integral(cos(time))\", \"z = integral(0.2)\", ";
    is_that_of_its_own_row(head, "delay(x, 2 * z)", "e");
    let (table, trace, ended) = run(
        &format!("{head} \"y := delay(x, 2 * z) when e\"])"),
        Stepping::Events,
        3.0,
    );
    ended.unwrap();
    // At 2.8 the length is 0.2 + 0.4 * 2.8 = 1.32.
    near("y", at(&table, &trace, "y", 2.9), 1.48_f64.sin(), 1e-9);
    for stepping in BOTH {
        let future = format!("{head} \"y := delay(x, z - 0.4) when e\"])");
        let (_, _, ended) = run(&future, stepping, 3.0);
        assert!(
            matches!(ended, Err(RunFault::NegativeDelay { .. })),
            "{stepping:?}: {ended:?}"
        );
    }
    // Without a length it is what stands.
    let (table, trace, ended) = run(
        &format!("{head} \"y := delay(x, 0) when e\"])"),
        Stepping::Events,
        3.0,
    );
    ended.unwrap();
    near("y", at(&table, &trace, "y", 2.9), 2.8_f64.sin(), 1e-9);
}

#[test]
fn elements_read_their_own_past() {
    let table = "(format: 1, name: \"family\", counters: {\"j\": \"1 .. 3\"}, reals: {\"x[j]\": 0, \"y[j]\": 0},
        relations: [\"x[j] = integral(j)\", \"y[j] := delay(x[j], 0.1 * j) when every(1)\"])";
    for (stepping, tolerance) in [(Stepping::Tick, 3e-2), (Stepping::Events, 1e-9)] {
        let (table, trace, ended) = run(table, stepping, 2.5);
        ended.unwrap();
        for j in 1..=3 {
            let known = f64::from(j) * (2.0 - 0.1 * f64::from(j));
            let name = format!("y[{j}]");
            near(&name, at(&table, &trace, &name, 2.2), known, tolerance);
        }
    }
}
