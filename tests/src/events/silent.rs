//! Tables that once gave wrong numbers without a word (`tests/data/tables`), by their true values: closed forms,
//! integration at tight tolerances, ticks extrapolated to length 0.

use std::f64::consts::PI;

use situ_engine::model::{Clock, Model};
use situ_engine::sim::{EventConfig, Hybrid};
use situ_engine::solve::{Locate, Method};
use situ_engine::trace::{Trace, TraceRecorder};

use crate::tables::{Table, root};

/// Methods that choose their steps.
const ADAPTIVE: [Method; 5] = [
    Method::Auto,
    Method::Tsit5,
    Method::Dop853,
    Method::Taylor,
    Method::Rodas5p,
];

/// A table of `tests/data/tables`.
fn table(name: &str) -> Table {
    let path = root().join(format!("tests/data/tables/{name}.ron"));
    Table::of(crate::tables::read(&path))
}

/// A table written out.
fn written(reals: &str, ranges: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"silent\", reals: {{{reals}}}, ranges: [{ranges}], relations: [{relations}])"
    ))
}

fn clock(stop: f64, method: Method, rtol: f64) -> Clock {
    Clock {
        stop: Some(stop),
        method: Some(method),
        rtol: Some(rtol),
        ..Clock::default()
    }
}

/// The rows of a run to its end.
#[track_caller]
fn rows(model: &Model, clock: &Clock) -> Trace {
    let mut recorder = TraceRecorder::new(model);
    let config = EventConfig::from_clock(clock).unwrap();
    let mut run = Hybrid::new(model.clone(), config).unwrap();
    let ended = run.run(&mut recorder);
    assert!(ended.is_ok(), "{} {clock:?}: {ended:?}", model.name);
    recorder.trace
}

/// The last value of a real.
#[track_caller]
fn last(table: &Table, clock: &Clock, name: &str) -> f64 {
    let trace = rows(&table.model, clock);
    let column = &trace.reals[table.real(name).index()];
    column[column.len() - 1]
}

/// Checks a value at the end of a run by all adaptive methods.
#[track_caller]
fn ends_at(table: &Table, stop: f64, name: &str, known: f64, tolerance: f64) {
    for method in ADAPTIVE {
        let found = last(table, &clock(stop, method, 1e-8), name);
        let off = (found - known).abs();
        assert!(
            off <= tolerance,
            "{method:?}: {name} = {found}, not {known}"
        );
    }
}

#[test]
fn a_delay_beside_an_affine_model() {
    ends_at(&table("1_delay_panic"), 2.0, "a", (-1.73_f64).exp(), 1e-7);
}

#[test]
fn kinks_in_the_arguments_of_kinks() {
    ends_at(&table("2_floor_of_kink"), 0.2, "a", 0.5, 1e-12);
    ends_at(&table("2b_hysteresis_of_two_kinks"), 1.0, "a", 0.0, 0.0);
    for (start, stop, row, known) in [
        (-1.7, 0.2, "floor(max(x, -3 * x))", 4.0),
        (-1.7, 0.2, "floor(clamp(x, -1, 1) + 5.5)", 4.0),
        (-1.7, 0.2, "floor(2 + 3.3 * sign(x))", -2.0),
    ] {
        let reals = format!("\"x\": {start}, \"a\": 0");
        let relations = format!("\"x = integral(1)\", \"a = {row}\"");
        ends_at(&written(&reals, "", &relations), stop, "a", known, 0.0);
    }
}

#[test]
fn loops_through_kinks() {
    ends_at(&table("3_kink_in_loop"), 2.0, "y", 2.0 / 3.0, 1e-9);
    for (kink, known) in [("max(y, 0)", 2.0 / 3.0), ("sign(y)", 0.5)] {
        let relations = format!("\"x = integral(1)\", \"y = x - 0.5 * {kink}\"");
        let table = written("\"y\": -2, \"x\": -1", "", &relations);
        ends_at(&table, 2.0, "y", known, 1e-9);
        if kink == "sign(y)" {
            ends_at(&table, 1.25, "y", 0.0, 1e-9);
        }
    }
    ends_at(&table("3b_hydraulic"), 2.0, "q", -0.307_412_907_3, 1e-7);
}

#[test]
fn inside_of_stiff_steps() {
    let table = table("4_stiff_inside");
    for method in [Method::Auto, Method::Rodas5p] {
        for rtol in [1e-3, 1e-4, 1e-6, 1e-8, 1e-10] {
            let mut clock = clock(12.0, method, rtol);
            clock.every = Some(0.003);
            let trace = rows(&table.model, &clock);
            let x = &trace.reals[table.real("x").index()];
            let off = trace.time.iter().zip(x);
            let off = off.map(|(t, x)| (x - t.cos()).abs()).fold(0.0, f64::max);
            assert!(off <= 10.0 * rtol, "{method:?} {rtol}: {off}");
        }
    }
}

#[test]
fn events_of_stiff_quantities() {
    for method in [Method::Auto, Method::Rodas5p] {
        for rtol in [1e-3, 1e-4, 1e-6] {
            // i' = 0 integrated by itself counts as many.
            let servo = table("4b_servo");
            assert_eq!(last(&servo, &clock(10.0, method, rtol), "n"), 4.0);
            assert_eq!(last(&servo, &clock(20.0, method, rtol), "n"), 7.0);
            let events = table("4c_stiff_events");
            let trace = rows(&events.model, &clock(12.0, method, rtol));
            let n = &trace.reals[events.real("n").index()];
            let at = |count: f64| trace.time[n.iter().position(|&n| n == count).unwrap()];
            for (count, known) in [(1.0, 0.5 * PI), (2.0, 2.5 * PI)] {
                assert!(
                    (at(count) - known).abs() < 30.0 * rtol,
                    "{rtol}: {}",
                    at(count)
                );
            }
            assert_eq!(n[n.len() - 1], 2.0);
        }
    }
}

#[test]
fn a_range_that_its_own_consequence_moves() {
    let table = table("5_self_jump");
    ends_at(&table, 1.25, "w", 0.0625, 1e-7);
    ends_at(&table, 2.0, "w", 0.75, 1e-7);
}

#[test]
fn a_loop_that_has_one_solution_always() {
    let table = table("6_false_R006");
    for method in ADAPTIVE {
        for rtol in [1e-3, 1e-5, 1e-6, 1e-7, 1e-9] {
            let found = last(&table, &clock(2.0, method, rtol), "x");
            let off = (found - -0.389_154_777_5).abs();
            assert!(off <= 10.0 * rtol, "{method:?} {rtol}: {found}");
        }
    }
}

#[test]
fn times_that_are_computed_are_one() {
    let table = table("7_beats");
    for (name, known) in [("n", 30.0), ("m", 10.0), ("b", 10.0)] {
        ends_at(&table, 3.05, name, known, 0.0);
    }
    ends_at(&table, 0.3, "n", 3.0, 0.0);
}

#[test]
fn a_microstep_is_a_tick_of_no_length() {
    let hold = table("8_hold");
    ends_at(&hold, 2.0, "a", 1.0, 1e-12);
    ends_at(&hold, 2.0, "b", 1.0, 1e-12);
    let below = Table::from_text(
        r#"(format: 1, name: "below", reals: {"x": 0, "b": 0}, ranges: ["p: x < 2", "q: x >= 1"],
        situations: ["event e: q"], relations: ["x = integral(1)", "x := 5 when e", "b = x when p"])"#,
    );
    ends_at(&below, 2.0, "b", 5.0, 1e-12);
    let chain = Table::from_text(
        r#"(format: 1, name: "chain", reals: {"x": 0, "c": 0, "y": 0, "n": 0},
        switches: {"s1": false, "s2": false}, ranges: ["q: x >= 1"],
        situations: ["event e: q", "event mid: s1 & !s2"],
        assignments: ["when s1: s2", "when q: s1"],
        relations: ["c = 3 when q", "y := c when e", "n := n + 1 when mid", "x = integral(1)"])"#,
    );
    ends_at(&chain, 2.0, "y", 3.0, 0.0);
    ends_at(&chain, 2.0, "n", 1.0, 0.0);
}

#[test]
fn an_event_at_the_stop() {
    let table = table("9_at_the_stop");
    for method in [Method::Rk4, Method::Gauss, Method::Euler] {
        let mut clock = clock(1.0, method, 1e-6);
        clock.step = Some(0.01);
        assert_eq!(last(&table, &clock, "n"), 1.0, "{method:?}");
    }
    ends_at(&table, 1.0, "n", 1.0, 0.0);
}

#[test]
fn a_drain_that_runs_dry() {
    let table = table("10_drain");
    // Series of Taylor about a point close to the edge of a root's domain reach almost no further.
    for method in ADAPTIVE
        .into_iter()
        .filter(|method| *method != Method::Taylor)
    {
        for rtol in [1e-6, 1e-8, 1e-11] {
            let found = last(&table, &clock(5.0, method, rtol), "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
        }
    }
}

#[test]
fn a_root_that_ends_at_the_floor() {
    let table = table("11_sqrt_bounce");
    for method in ADAPTIVE {
        let mut one_sided = clock(3.0, method, 1e-8);
        let known = last(&table, &one_sided, "y");
        one_sided.locate = Some(Locate::OneSided);
        let found = last(&table, &one_sided, "y");
        assert!((found - known).abs() < 1e-5, "{method:?}: {found} {known}");
    }
}
