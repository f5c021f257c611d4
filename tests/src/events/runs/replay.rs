//! A state that was kept is all that the rest of a run depends on: going on from it, in whatever run of
//! the same model, gives the same states bit for bit.

use situ_engine::Method;
use situ_engine::sim::{EventConfig, EventRun, EventState};

use crate::tables::{Table, scenario_folders};

/// Steps of each run, and between two of the states from which it is gone on.
const STEPS: usize = 200;
const STRIDE: usize = 16;

/// A state and the time up to which the run was asked to go from the one before.
struct Kept {
    until: f64,
    state: EventState,
}

/// A run with a state after each of its steps; every third step is gone in two parts.
fn recorded(origin: &EventRun) -> Vec<Kept> {
    let mut run = origin.clone();
    let state = run.state();
    let until = f64::INFINITY;
    let mut kept = vec![Kept { until, state }];
    for step in 0..STEPS {
        let mut ahead = run.clone();
        if ahead.advance(f64::INFINITY, &mut ()).is_err() {
            break;
        }
        let inside = run.time() + 0.3 * (ahead.time() - run.time());
        let parts = if step % 3 == 0 { 0 } else { 1 };
        for &until in &[inside, f64::INFINITY][parts..] {
            run.advance(until, &mut ()).unwrap();
            let state = run.state();
            kept.push(Kept { until, state });
        }
    }
    kept
}

/// Goes on from one of the states and compares all that follow.
#[track_caller]
fn follows(name: &str, run: &mut EventRun, kept: &[Kept], from: usize) {
    run.restore(&kept[from].state).unwrap();
    assert_eq!(run.state(), kept[from].state, "{name}: state {from}");
    for (number, known) in kept.iter().enumerate().skip(from + 1) {
        run.advance(known.until, &mut ()).unwrap();
        let (found, known) = (run.state(), &known.state);
        assert!(
            found == *known,
            "{name}: gone on from state {from}, state {number} is\n{found:?}\nand not\n{known:?}"
        );
    }
}

/// In runs that have just begun, that have been everywhere, and that have come back to the start.
pub(crate) fn replays(name: &str, origin: &EventRun) {
    let states = recorded(origin);
    let last = states.last().expect("the start is one");
    assert!(states.len() > 20, "{name} has only {} states", states.len());
    let mut far = origin.clone();
    far.restore(&last.state).unwrap();
    for from in (0..states.len()).step_by(STRIDE) {
        follows(name, &mut origin.clone(), &states, from);
        follows(name, &mut far, &states, from);
        far.restore(&states[0].state).unwrap();
    }
}

pub(crate) fn config(table: &Table) -> EventConfig {
    let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
    (config.stop, config.every) = (f64::INFINITY, None);
    config
}

#[test]
fn every_scenario_replays_from_any_state() {
    for folder in scenario_folders() {
        let table = Table::at(folder.join("table.ron"));
        let name = table.model.name.clone();
        let Ok(origin) = EventRun::new(table.model.clone(), config(&table)) else {
            continue;
        };
        replays(&name, &origin);
    }
}

#[test]
fn a_run_that_was_meddled_with_replays_from_any_state() {
    let table = Table::at("cart/table.ron");
    let mut run = EventRun::new(table.model.clone(), config(&table)).unwrap();
    for _ in 0..20 {
        run.advance(f64::INFINITY, &mut ()).unwrap();
    }
    let mut carried = run.carried();
    for (name, value) in &mut carried.reals {
        if name == "om2" {
            *value = -7.313_246_346_272_405;
        }
    }
    let mut run = EventRun::resume(table.model.clone(), config(&table), &carried).unwrap();
    let until = run.time() + 0.167_300_143_193_079_93;
    while run.time() < until {
        run.advance(until, &mut ()).unwrap();
    }
    replays("cart", &run);
}

#[test]
fn conditions_that_turn_inside_steps_replay_from_any_state() {
    let mut table = Table::at("thermostat/table.ron");
    let condition = table.watch("abs(T - 20) < 0.5 & T > 20.1");
    table.model.clock.stop_when = Some(condition);
    replays(
        "thermostat",
        &EventRun::new(table.model.clone(), config(&table)).unwrap(),
    );
}

/// Along a slide the sides of a kink of what jumps are those in each of the modes around, whatever the run that takes the
/// state up has moved in before.
#[test]
fn slides_with_kinks_of_what_jumps_replay_from_any_state() {
    let table = Table::from_text(
        r#"(format: 1, name: "shares", clock: (stop: 4, stepping: events), reals: {"x": -1, "u": 0, "eff": 0, "lost": 0}, ranges: ["above: x > 0"],
            relations: ["u = -4 when above", "u = 4 otherwise", "x = integral(u + 3 * sin(time))",
                "eff = integral(abs(u))", "lost = integral(max(u, sin(time)))"])"#,
    );
    for method in [Method::Tsit5, Method::Radau] {
        let mut config = config(&table);
        config.settings.method = method;
        let run = EventRun::new(table.model.clone(), config).unwrap();
        replays("shares", &run);
    }
}

/// An instant that leaves the motion as it was lies inside a step of the method; the step is made again from the solution of
/// the loop at its start.
#[test]
fn the_rest_of_a_step_through_a_loop_replays() {
    let table = Table::from_text(
        r#"(format: 1, name: "loop", clock: (stop: 5, stepping: events), reals: {"v": 0, "x": 1, "u": 1},
            ranges: ["neg: x < 0", "far: x > 9"], situations: ["hold: neg & far"],
            relations: ["u = 0.3 * cos(u) + x", "v = integral(-u)", "v = 0 when hold", "x = integral(v)"])"#,
    );
    let origin = EventRun::new(table.model.clone(), config(&table)).unwrap();
    let mut run = origin.clone();
    for tenths in 1..=50_u32 {
        let until = 0.1 * f64::from(tenths);
        while run.time() < until {
            run.advance(until, &mut ()).unwrap();
        }
        let mut again = origin.clone();
        again.restore(&run.state()).unwrap();
        let mut on = run.clone();
        for _ in 0..4 {
            on.advance(f64::INFINITY, &mut ()).unwrap();
            again.advance(f64::INFINITY, &mut ()).unwrap();
            assert_eq!(again.state(), on.state(), "from {until}");
        }
    }
}
