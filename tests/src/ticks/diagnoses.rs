//! Findings of tick runs, and the memory of derivatives and schedules: the same under every engine.

use situ_engine::model::{Model, Scan};
use situ_engine::sim::{Finding, TickConfig, TickRun};
use situ_engine::trace::{Trace, TraceRecorder};
use situ_jit::{Jit, Layout, Options};
use situ_rules::check::{Budget, check};

use crate::tables::{Table, root};

/// A run by the interpreter, as one loop of native code, and as several functions.
fn by_every_engine(model: &Model) -> [TickRun; 3] {
    let config = TickConfig::from_clock(&model.clock).unwrap();
    let plain = TickRun::new(model.clone(), config).unwrap();
    [None, Some(Layout::Loop), Some(Layout::Parts(8))].map(|layout| {
        let mut run = plain.clone();
        if let Some(layout) = layout {
            let options = Options {
                layout,
                ..Options::default()
            };
            run.compile_with(&Jit::at_once(options)).unwrap();
        }
        run
    })
}

/// Findings of a run, which every engine has alike.
fn findings(table: &Table) -> Vec<Finding> {
    let mut found: Vec<Vec<Finding>> = Vec::new();
    for mut run in by_every_engine(&table.model) {
        run.run(&mut ()).unwrap();
        found.push(run.findings());
    }
    assert!(
        found.windows(2).all(|pair| pair[0] == pair[1]),
        "{found:#?}"
    );
    found.remove(0)
}

/// The rows of a run, the same by every engine.
fn rows(table: &Table) -> Trace {
    let mut traces: Vec<Trace> = Vec::new();
    for mut run in by_every_engine(&table.model) {
        let mut recorder = TraceRecorder::new(&table.model);
        run.run(&mut recorder).unwrap();
        traces.push(recorder.trace);
    }
    assert!(traces.windows(2).all(|pair| pair[0] == pair[1]));
    traces.remove(0)
}

fn column(table: &Table, trace: &Trace, name: &str) -> Vec<f64> {
    trace.reals[table.real(name).index()].clone()
}

#[test]
fn calm_scenarios_are_silent() {
    for name in ["hoop", "pendulum", "cart", "rlc", "stand"] {
        let table = Table::at(format!("{name}/table.ron"));
        assert_eq!(findings(&table), [], "{name}");
    }
}

/// A room with a thermostat, whose ranges are true for a tick because the heater acts.
#[test]
fn a_thermostat_with_a_gap_is_silent() {
    let table = Table::at("thermostat/table.ron");
    assert_eq!(findings(&table), []);
}

#[test]
fn a_ball_that_falls_through_the_floor_is_heard() {
    let found = findings(&Table::at("zeno_ball/table.ron"));
    let [
        Finding::Gathering { limit, fired, .. },
        Finding::Stuck { margin, since, .. },
    ] = found[..]
    else {
        panic!("{found:#?}");
    };
    assert!((limit - 2.557).abs() < 0.05, "{limit}");
    assert_eq!(fired, Some(19));
    assert!(
        (since - limit).abs() < 0.05 && margin < -50.0,
        "{since} {margin}"
    );
}

#[test]
fn chatter_is_heard() {
    let found = findings(&Table::at("sliding_pair/table.ron"));
    let [Finding::Chatter { from, share, .. }] = found[..] else {
        panic!("{found:#?}");
    };
    assert!((from - 1.0 / 7.0).abs() < 1e-3, "{from}");
    assert!(share > 0.25, "{share}");
    let relay = root().join("tests/faults/run/a_relay.ron");
    let relay = Table::of(crate::tables::read(&relay));
    let found = findings(&relay);
    assert!(matches!(found[..], [Finding::Chatter { .. }]), "{found:#?}");
}

#[test]
fn a_single_tick_is_heard_but_not_what_ends_it() {
    let table = |relations: &str| {
        Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.01, stop: 2), reals: {{"x": 0, "n": 0}},
                ranges: ["gate: x > 1.001 & x < 1.015"], situations: ["event passed: gate"],
                relations: [{relations}])"#
        ))
    };
    let seen = table(r#""x = integral(1)", "n := n + 1 when passed""#);
    let found = findings(&seen);
    let [
        Finding::Flicker {
            holds: true,
            time,
            times: 1,
            ..
        },
    ] = found[..]
    else {
        panic!("{found:#?}");
    };
    assert!((time - 1.01).abs() < 0.011, "{time}");
    // The gate throws back what passes it.
    let thrown = table(r#""x = integral(1)", "x := 0 when passed""#);
    assert_eq!(findings(&thrown), []);
}

#[test]
fn a_derivative_remembers_what_its_row_read() {
    for scan in [Scan::Sequential, Scan::Simultaneous] {
        let mut table = Table::from_text(
            r#"(format: 1, clock: (step: 0.125, stop: 4),
                reals: {"above": 0, "x": 1, "below": 0, "t": 0, "late": 0},
                ranges: ["on: x > 3"],
                relations: ["above = derivative(x)", "x = integral(2)", "below = derivative(3 * x)",
                    "t = derivative(time * time)", "late = derivative(x) when on"])"#,
        );
        table.model.clock.scan = Some(scan);
        let trace = rows(&table);
        let [above, below, t, late] =
            ["above", "below", "t", "late"].map(|name| column(&table, &trace, name));
        // A row that reads what the tick has not moved yet sees nothing in the first tick.
        let first = if scan == Scan::Sequential { 6.0 } else { 0.0 };
        assert_eq!(above[..3], [0.0, 0.0, 2.0], "{scan:?}");
        assert_eq!(below[..3], [0.0, first, 6.0], "{scan:?}");
        assert!(above[2..].iter().all(|rate| *rate == 2.0));
        assert!(below[2..].iter().all(|rate| *rate == 6.0));
        // (t^2 - (t - dt)^2) / dt with t as the tick reads it.
        assert_eq!(t[..3], [0.0, 0.0, 0.125]);
        // What was read while the row did not act counts, too: no jump when it begins to.
        assert!(
            late.iter().all(|rate| *rate == 0.0 || *rate == 2.0),
            "{late:?}"
        );
        assert_eq!(late.last(), Some(&2.0));
    }
}

#[test]
fn beats_coincide() {
    for (step, both) in [
        (0.01, 10.0),
        (0.1, 10.0),
        (0.001, 10.0),
        (0.03, 10.0),
        (0.025, 10.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: {step}, stop: 3.05),
                reals: {{"n": 0, "na": 0, "nc": 0}},
                situations: ["event a: every(0.1)", "event c: every(0.3)", "event both: a & c"],
                relations: ["na := na + 1 when a", "nc := nc + 1 when c", "n := n + 1 when both"])"#
        ));
        let trace = rows(&table);
        let last = |name: &str| *column(&table, &trace, name).last().unwrap();
        assert_eq!(
            (last("n"), last("na"), last("nc")),
            (both, 30.0, 10.0),
            "step {step}"
        );
    }
}

/// A beat is due in the tick in which `time >= k * T` arises.
#[test]
fn a_beat_is_due_when_the_time_has_come() {
    for (step, period) in [
        (0.01, 0.25),
        (0.1, 0.3),
        (0.007, 0.1),
        (0.003, 0.2),
        (0.0125, 1.0 / 3.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: {step}, stop: 3),
                reals: {{"n": 0, "m": 0, "next": {period}, "k": 1}},
                situations: ["event beat: every({period})", "event come: time >= next - 1e-9"],
                relations: ["n := n + 1 when beat", "m := m + 1 when come", "k := k + 1 when come",
                    "next := k * {period} when come"])"#
        ));
        let trace = rows(&table);
        assert_eq!(
            column(&table, &trace, "n"),
            column(&table, &trace, "m"),
            "{step} {period}"
        );
    }
}

/// Periods that no tick can follow beat once a tick and do not hang.
#[test]
fn dense_beats_are_one_a_tick() {
    for period in ["0.03", "1e-12", "1e-301"] {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.1, stop: 2), reals: {{"n": 0}},
                situations: ["event beat: every({period})"], relations: ["n := n + 1 when beat"])"#
        ));
        let trace = rows(&table);
        assert_eq!(column(&table, &trace, "n").last(), Some(&19.0), "{period}");
    }
}

/// A transition leaves the state that its condition names: it is true for a single tick by its own doing.
#[test]
fn what_an_event_ends_itself_does_not_flicker() {
    for rest in [
        r#"machines: {"m": (start: "a", states: {"a": [], "b": []}, transitions: ["a -> b when x >= 0.55"])},"#,
        r#"switches: {"a": true}, situations: ["event e: a & x >= 0.55"], assignments: ["when e: !a"],"#,
        r#"machines: {"m": (start: "a", states: {"a": [], "b": []},
            transitions: ["a -> a when x >= 0.3: y := 1", "a -> b when x >= 0.55"])},"#,
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {{"x": 0, "y": 0}}, {rest}
            relations: ["x = integral(1)"])"#
        ));
        assert_eq!(findings(&table), [], "{rest}");
    }
}

/// Transitions of one machine never leave it in two states, whatever a case begins with.
#[test]
fn transitions_do_not_write_a_state_together() {
    let table = Table::from_text(
        r#"(format: 1, clock: (step: 0.1, stop: 3), reals: {"x": 0}, relations: ["x = integral(1)"],
        machines: {"m": (start: "a", states: {"a": [], "b": []},
            transitions: ["a -> b when x >= 1.95", "b -> a when x > 99"])},
        cases: {"in b": (set: {"m.b": true})})"#,
    );
    let found = check(&table.model, &table.origins, Budget::default());
    assert!(
        found.iter().all(|report| report.code != "C002"),
        "{found:?}"
    );
}

#[test]
fn of_a_family_that_flickers_one_element_is_told() {
    let text = r#"(format: 1, clock: (step: 0.01, stop: 2), counters: {"j": "1 .. 5"}, reals: {"x": 0, "n[j]": 0},
        ranges: ["gate[j]: x > 1.001 & x < 1.015"], situations: ["event passed[j]: gate[j]"],
        relations: ["x = integral(1)", "n[j] := n[j] + 1 when passed[j]"])"#;
    let loaded = situ_rules::load("t.ron", text, &mut situ_rules::standalone);
    let table = Table::from_text(text);
    let found =
        situ_rules::diag::findings(&findings(&table), &loaded.model.unwrap(), &loaded.origins);
    let messages: Vec<&str> = found.iter().map(|one| &*one.message).collect();
    let [one] = messages[..] else {
        panic!("{messages:#?}");
    };
    assert!(one.ends_with("; 4 more elements have the same"), "{one}");
}

/// The booleans from which a run begins are those of no tick: a relation that only they would let act has never acted.
#[test]
fn a_relation_that_is_switched_off_before_it_acts_has_not_acted() {
    for (stop, acted) in [("!s", [false, true]), ("s", [true, true])] {
        let table = Table::from_text(&format!(
            r#"(format: 1, clock: (step: 0.5, stop: 200), reals: {{"x": 0, "y": 0}}, switches: {{"s": true}},
            ranges: ["low: x < 1e6"], assignments: ["when low: {stop}"],
            relations: ["x = integral(1) when s", "y = integral(1)"])"#
        ));
        for mut run in by_every_engine(&table.model) {
            run.run(&mut ()).unwrap();
            let ever: Vec<bool> = run.covered().relations.iter().map(|one| one.ever).collect();
            assert_eq!(ever, acted, "{stop}");
        }
    }
}
