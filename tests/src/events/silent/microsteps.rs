//! What the microsteps of an instant find and read.

use situ_engine::sim::{EndReason, EventConfig, EventRun, StateDefect, StateError};
use situ_engine::trace::Measure;

use super::{ADAPTIVE, Kind, clock, ends_at, measures};
use crate::tables::Table;

/// A number that leaves a border and comes back to it within one instant stands on it as one that came from elsewhere.
#[test]
fn a_jump_off_a_border_and_back() {
    let mut table = Table::from_text(
        r#"(format: 1, reals: {"x": 2, "n": 0, "w": 0}, ranges: ["full: x >= 2"], situations: ["event refill: !full"],
        relations: ["x := x - 1 when every(1)", "x := 2 when refill", "n := n + 1 when refill", "w = integral(1) when full"])"#,
    );
    ends_at(&table, 4.5, "n", 4.0, 0.0);
    ends_at(&table, 4.5, "w", 4.5, 1e-9);
    let held: Kind = Measure::Duration;
    measures(
        &mut table,
        4.5,
        &[(held, "full"), (held, "x > 2")],
        &[4.5, 0.0],
    );
}

/// An event row between two rows that write what it reads reads what stands at its place.
#[test]
fn an_event_row_reads_what_stands_above_it() {
    for (relations, known) in [
        (r#""a = 2", "v := a when every(3)", "a = a + 1""#, 2.0),
        (r#""a = 2", "v = sample_and_hold(a, e)", "a = 1""#, 2.0),
        (r#""a = 2 + t", "v := a when e", "a = 3 * a""#, 5.0),
        (r#""a = 2", "a = a + 1", "v := a when e""#, 3.0),
        (r#""v := a when e", "a = 2", "a = a + 1""#, 3.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"v": 0, "a": 0, "t": 0}}, situations: ["event e: every(3)"],
            relations: ["t = integral(1)", {relations}])"#
        ));
        ends_at(&table, 4.0, "v", known, 1e-9);
    }
}

/// An assignment between two that write what it reads reads what stands at its place, as in ticks.
#[test]
fn an_assignment_reads_what_stands_above_it() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"t": 0, "w": 0}, switches: {"s0": true, "s1": false}, situations: ["event e: t >= 1"],
        assignments: ["when !e: !s1", "when s1: !s0", "when !e: s1"],
        relations: ["t = integral(1)", "w = integral(1) when s0"])"#,
    );
    ends_at(&table, 2.0, "w", 1.0, 1e-9);
}

/// A row that goes on from its own target along a slide reads what it has in the modes in which the row acts.
#[test]
fn a_row_of_one_side_of_a_slide_goes_on_from_its_own_target() {
    for row in ["", r#""a = a + 0 when p","#] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"a": 0, "t": 0, "w": 0}}, ranges: ["p: a + t < 0.1"],
            relations: ["t = integral(1)", "a = 5 when p", "a = -1 otherwise", {row} "w = integral(1) when p"])"#
        ));
        // The share of p is (1.1 - t) / 6 (FORMALISM 10.4).
        ends_at(&table, 1.0, "w", 0.1, 1e-6);
        ends_at(&table, 1.0, "a", -0.9, 1e-6);
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"a": 0, "x": 0}}, ranges: ["p: x > 0"],
            relations: ["a = -3 when p", "a = 1 otherwise", {row} "x = integral(a)"])"#
        ));
        // It is 0 where x rests.
        ends_at(&table, 1.0, "a", 0.0, 1e-9);
    }
}

/// What comes out of a delay, and rounding of a margin, do not split an instant in two.
#[test]
fn borders_reached_at_a_time_known_in_advance_are_one_instant() {
    for delayed in ["", r#""unread = delay(s, 0.25)","#] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"z": 0, "s": 0, "unread": 0, "n": 0}},
            situations: ["event up: z > 0.5", "event late: time > 0.5", "event both: up & late"],
            relations: ["s = step(0.25)", {delayed} "z = integral(1)", "n := n + 1 when both"])"#
        ));
        ends_at(&table, 1.0, "n", 1.0, 0.0);
    }
    for (start, rate, high) in [(0.7, 0.3, 0.73), (0.2, 0.1, 0.23), (1000.1, 3.0, 1001.0)] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"z": {start}, "n": 0}}, ranges: ["high: z > {high}"],
            situations: ["event up: high", "event beat: every(0.05)", "event both: up & beat"],
            relations: ["z = integral({rate})", "n = counter(both)"])"#
        ));
        ends_at(&table, 0.5, "n", 1.0, 0.0);
    }
}

/// A beat that is the stop up to rounding is not behind it.
#[test]
fn a_beat_at_the_stop_is_not_behind_it() {
    for (beat, stop) in [
        ("0.1, 0.2", 6.5),
        ("0.1, 0.2", 3.0),
        ("0.1", 0.3),
        ("0.1", 0.7),
    ] {
        let mut table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 0}}, situations: ["event beat: every({beat})"], relations: ["x = integral(1)"])"#
        ));
        let behind = Measure::First(table.watch(&format!("time > {stop}")));
        for method in ADAPTIVE {
            let config = EventConfig::from_clock(&clock(stop, method, 1e-6)).unwrap();
            let mut run =
                EventRun::with_measures(table.model.clone(), config, std::slice::from_ref(&behind))
                    .unwrap();
            run.run_to(stop, &mut ()).unwrap();
            assert_eq!(run.measured(), [None], "{beat} to {stop}");
        }
    }
}

/// A run that stops in a microstep stops behind its rows (FORMALISM 10.2); where it goes on, with the next microstep, it
/// has the bits of one that was not stopped, also by way of a saved state.
#[test]
fn a_run_stops_behind_the_rows_of_a_microstep() {
    let text = |stop_when: &str| {
        format!(
            r#"(format: 1, clock: (stop: 3, stepping: events{stop_when}), reals: {{"x": 0, "t": 0, "n": 0, "z": 0}},
            ranges: ["big: x > 3"], situations: ["event e: t >= 1", "event f: big", "event g: z > 0.5"],
            relations: ["t = integral(1)", "x := 5 when e", "n := n + 1 when f", "z := 1 when f", "x := 0 when f",
            "n := n + 10 when g"])"#
        )
    };
    let begin = |stop_when: &str| {
        let model = Table::from_text(&text(stop_when)).model;
        let config = EventConfig::from_clock(&model.clock).unwrap();
        EventRun::new(model, config).unwrap()
    };
    let reals = |run: &EventRun| {
        let row = run.row();
        (row.time, row.reals.to_vec())
    };
    let mut whole = begin("");
    whole.run(&mut ()).unwrap();
    for (stop_when, x, n, z) in [
        ("e", 5.0, 0.0, 0.0),
        ("t >= 1", 5.0, 0.0, 0.0),
        ("x > 4", 5.0, 0.0, 0.0),
        ("big", 0.0, 1.0, 1.0),
        ("f", 0.0, 1.0, 1.0),
        ("z > 0.5", 0.0, 1.0, 1.0),
        ("g", 0.0, 11.0, 1.0),
    ] {
        let stop_when = format!(r#", stop_when: "{stop_when}""#);
        let mut run = begin(&stop_when);
        assert_eq!(run.run(&mut ()), Ok(EndReason::Condition));
        assert_eq!(reals(&run), (1.0, vec![x, 1.0, n, z]), "{stop_when}");
        let saved = ron::to_string(&run.saved()).unwrap();
        let mut other = begin(&stop_when);
        other.load(&ron::from_str(&saved).unwrap()).unwrap();
        assert_eq!(reals(&other), reals(&run), "{stop_when}");
        assert_eq!(ron::to_string(&other.saved()).unwrap(), saved);
        other.run(&mut ()).unwrap();
        assert_eq!(reals(&other), reals(&whole), "{stop_when}");
        while run.time() < 3.0 {
            run.advance(3.0, &mut ()).unwrap();
        }
        assert_eq!(reals(&run), reals(&whole), "{stop_when}");
    }
}

/// A state in an instant that has fewer microsteps than it says is none.
#[test]
fn a_state_behind_a_microstep_that_is_not_there() {
    let table = Table::from_text(
        r#"(format: 1, clock: (stop: 3, stepping: events, stop_when: "e"), reals: {"x": 0},
        situations: ["event e: every(2)"], relations: ["x := x + 1 when e"])"#,
    );
    let config = EventConfig::from_clock(&table.model.clock).unwrap();
    let mut run = EventRun::new(table.model, config).unwrap();
    run.run(&mut ()).unwrap();
    let saved = ron::to_string(&run.saved()).unwrap();
    assert!(saved.contains("microsteps:Some(1)"), "{saved}");
    for other in ["Some(0)", "Some(40)"] {
        let saved = saved.replace("microsteps:Some(1)", &format!("microsteps:{other}"));
        let foreign = Err(StateError::Foreign(StateDefect::Microstep));
        assert_eq!(run.clone().load(&ron::from_str(&saved).unwrap()), foreign);
    }
}

/// The row that comes back has kinks: on which side the border goes on is asked on the branches of their values.
#[test]
fn rows_that_come_back_have_kinks_on_their_branches() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"x": -3, "y": 0, "n": 0}, ranges: ["on: y < 1"], situations: ["event e: x >= -0.5"],
        relations: ["x = integral(1.5)", "x = integral(clamp(x, -2, 2)) when on", "y = integral(2)", "y, n := 0, n + 1 when e"])"#,
    );
    ends_at(&table, 3.0, "n", 1.0, 0.0);
}

/// A border that is reached is one in the next microstep, however far off it rounding has located it.
#[test]
fn a_border_is_left_wherever_it_was_located() {
    for start in [-1.0, -0.7, -0.6875, -0.45, -0.3, -0.123] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"y": {start}, "k": 0}}, switches: {{"s": false}}, ranges: ["p: y > 0"],
            situations: ["event e1: p", "event e2: s & p"], assignments: ["when e1: s"],
            relations: ["k := k + 1 when e2", "y = integral(1) when !s", "y = integral(-1) when s"])"#
        ));
        ends_at(&table, 1.5, "k", 0.0, 0.0);
    }
}

/// A staircase of a staircase that turns with it stands on the step of its new value.
#[test]
fn staircases_within_each_other_turn_one_after_the_other() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"x": 0.5, "p": 0, "m": 0, "y": 0}, situations: ["event e: x >= 1.5"],
        relations: ["x = integral(1)", "x := 0 when e", "m = mod(-x, 1)", "p = floor(2 * m)", "y = integral(p)"])"#,
    );
    ends_at(&table, 1.9, "y", 1.0, 1e-9);
    let table = Table::from_text(
        r#"(format: 1, reals: {"z": 0, "q": 0}, relations: ["z = mod(mod(time, -1.398), -1.154)", "q = integral(z)"])"#,
    );
    // From -0.244 up to 0 and on from -1.154, and so on with each 1.398.
    let turn = -0.244 * 0.244 / 2.0 - 1.154 * 1.154 / 2.0;
    let rest = -0.244 * 0.244 / 2.0 - (1.154 * 1.154 - 0.194 * 0.194) / 2.0;
    ends_at(&table, 4.0, "q", 2.0 * turn + rest, 1e-9);
}

/// A whole part of what wraps at the same time goes to the step below the wrap at once, and not over the one at it.
#[test]
fn staircases_turn_together_at_a_wrap() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"v": 0, "n": 0, "y": 0}, ranges: ["hi: v > 1.5"],
        relations: ["v = floor(mod(0.5 - time, 2))", "n = counter(hi)", "y = integral(v)"])"#,
    );
    ends_at(&table, 5.0, "n", 0.0, 0.0);
    // 1 from 0.5 to 1.5, from 2.5 to 3.5, and from 4.5 on.
    ends_at(&table, 5.0, "y", 2.5, 1e-9);
}

/// A run that is stopped behind the microstep of an instant at a time that is known in advance goes on from what is saved, and
/// its measures have taken the instant once.
#[test]
fn a_run_that_is_stopped_in_an_instant_goes_on() {
    for (more, stop_when, at, [before, known]) in [
        (r#""n := n + 1 when every(0.5)""#, "n >= 2", 1.0, [2.0, 4.0]),
        (r#""n = step(1)""#, "n > 0.5", 1.0, [1.0, 1.0]),
        (
            r#""u = step(1)", "n = delay(u, 0.3)""#,
            "n > 0.5",
            1.3,
            [1.0, 1.0],
        ),
        (
            r#""n := n + 1 when every(0.5)""#,
            "time >= 1.5",
            1.5,
            [3.0, 4.0],
        ),
        (
            r#""u = integral(1)", "u, n := 0, n + 1 when late""#,
            "n >= 1",
            1.25,
            [1.0, 1.0],
        ),
    ] {
        let table = |stop_when: &str| {
            Table::from_text(&format!(
                r#"(format: 1, clock: (stop: 2.1, stepping: events{stop_when}), reals: {{"n": 0, "u": 0}},
                situations: ["event late: u >= 1.25"], relations: [{more}])"#
            ))
        };
        let stop_when = format!(r#", stop_when: "{stop_when}""#);
        let begin = || {
            let mut table = table(&stop_when);
            let measures = [Measure::Count(table.watch("late"))];
            let config = EventConfig::from_clock(&table.model.clock).unwrap();
            EventRun::with_measures(table.model, config, &measures).unwrap()
        };
        let mut run = begin();
        assert_eq!(run.run(&mut ()), Ok(EndReason::Condition), "{stop_when}");
        assert!(
            (run.time() - at).abs() < 1e-12,
            "{stop_when}: {}",
            run.time()
        );
        assert_eq!(run.row().reals[0], before, "{stop_when}");
        let fired = if more.contains("late") { 1.0 } else { 0.0 };
        assert_eq!(run.measured(), [Some(fired)], "{stop_when}");
        let mut other = begin();
        let saved = ron::to_string(&run.saved()).unwrap();
        other.load(&ron::from_str(&saved).unwrap()).unwrap();
        assert_eq!(other.measured(), [Some(0.0)], "{stop_when}");
        other.ignore_stop_when(None);
        assert_eq!(other.run(&mut ()), Ok(EndReason::Stop), "{stop_when}");
        assert_eq!(other.row().reals[0], known, "{stop_when}");
    }
}

/// Ranges that hold what jumps at the time of a beat are true or false with it, as in a tick: of the beats at 0, 1, .. 6 those
/// from 3 on count, with a window of `mod` those at 24, 48 and 72 do not.
#[test]
fn beats_meet_what_jumps_in_comparisons() {
    for (comparison, beats) in [
        ("floor(time) >= 3", 4.0),
        ("prev(time) > 0.5", 4.0),
        ("prev(time) >= 1", 4.0),
        ("step(3) > 0.5", 4.0),
        ("floor(time / 3) > 0.5", 4.0),
        ("sign(time - 3) > -0.5", 4.0),
        ("mod(time, 3) < 0.5", 2.0),
        ("mod(time, 3) >= 0.5", 4.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "beats", lookups: {{"prev": (x: [0, 3], y: [0, 1], kind: "previous", outside: "hold")}},
            reals: {{"n": 0, "m": 0}}, switches: {{"w": false}}, ranges: ["in: {comparison}"],
            situations: ["event both: every(1) & in"],
            relations: ["n := n + 1 when every(1) & in", "m := m + 1 when both"])"#
        ));
        for name in ["n", "m"] {
            ends_at(&table, 6.5, name, beats, 0.0);
        }
    }
    let day = Table::from_text(
        r#"(format: 1, name: "day", reals: {"n": 0}, ranges: ["day: mod(time, 24) >= 6"],
        relations: ["n := n + 1 when every(6) & day"])"#,
    );
    ends_at(&day, 72.0, "n", 9.0, 0.0);
}
