//! Values that land on a border, rest on it or touch it: steps of staircases after a jump, comparisons with plateaus,
//! bounds, ends of lookups.

use situ_engine::sim::{EventConfig, EventRun, RunFault};
use situ_engine::trace::Measure;

use super::{ADAPTIVE, Kind, clock, ends_at, last, measures};
use crate::tables::Table;

fn model(reals: &str, more: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"plateaus\", reals: {{{reals}}}, {more}, relations: [{relations}])"
    ))
}

const LOOKUPS: &str = r#"lookups: {
    "steps": (x: [0, 1, 2, 3, 9], y: [0, 10, 20, 30, 40], kind: "previous"),
    "hill": (x: [0, 1, 2, 3], y: [0, 5, 5, 7], outside: "hold"),
    "line": (x: [0, 1], y: [0, 1]), "held": (x: [0, 1], y: [0, 1], outside: "hold"),
    "wave": (x: [0, 1, 2], y: [0, 1, 0], outside: "periodic")}"#;

/// A counter stands on the ends of steps in every beat: each row reads the step that holds the number.
#[test]
fn a_jump_onto_the_end_of_a_step_is_on_the_step_above() {
    for (row, known) in [
        ("floor(n)", 4.0),
        ("mod(n, 2)", 0.0),
        ("mod(n, 3)", 1.0),
        ("mod(n, 4)", 0.0),
        ("floor(n / 4)", 1.0),
        ("floor(6 - n)", 2.0),
        ("steps(max(n - 1, 0))", 30.0),
    ] {
        let relations = format!("\"n := n + 1 when every(1)\", \"a = {row}\"");
        let table = model("\"n\": 0, \"a\": 0", LOOKUPS, &relations);
        ends_at(&table, 4.5, "a", known, 0.0);
    }
    for (rows, known) in [
        ("\"n = step(1) + step(2)\", \"a = floor(n)\"", 2.0),
        ("\"n = floor(time)\", \"a = mod(n, 3)\"", 1.0),
        (
            "\"n = 1 when late\", \"n = 0 otherwise\", \"a = floor(n)\"",
            1.0,
        ),
    ] {
        let table = model("\"n\": 0, \"a\": 0", "ranges: [\"late: time >= 2\"]", rows);
        ends_at(&table, 4.5, "a", known, 0.0);
    }
}

/// No microstep shows the number that the step before would give.
#[test]
fn a_remainder_stays_below_its_divisor() {
    let mut table = model(
        "\"n\": 0, \"day\": 0",
        "ranges: [\"sunday: day >= 6\"]",
        "\"n := n + 1 when every(1)\", \"day = mod(n, 7)\"",
    );
    let wanted: [(Kind, &str); 2] = [(Measure::Count, "day > 6"), (Measure::Duration, "sunday")];
    measures(&mut table, 15.5, &wanted, &[0.0, 2.0]);
}

#[test]
fn a_comparison_with_a_counter_is_that_of_its_number() {
    let mut table = model(
        "\"n\": 0, \"s\": 5",
        LOOKUPS,
        "\"n := n + 1 when every(1)\", \"s := s - 1 when every(1)\"",
    );
    let wanted: [(Kind, &str); 5] = [
        (Measure::First, "n >= 3"),
        (Measure::Duration, "n >= 3"),
        (Measure::First, "n > 3"),
        (Measure::First, "s <= 0"),
        (Measure::Duration, "s > 0"),
    ];
    measures(&mut table, 9.5, &wanted, &[3.0, 6.5, 4.0, 5.0, 5.0]);
}

/// What is reached has held, though a row of the same instant leads off it (FORMALISM 10.2).
#[test]
fn a_comparison_that_holds_where_it_is_reached_is_counted() {
    let mut table = model(
        "\"x\": 0, \"n\": 0",
        "ranges: [\"full: x >= 1\"], situations: [\"event e: full\"]",
        "\"x = integral(1)\", \"x, n := 0, n + 1 when e\"",
    );
    let wanted: [(Kind, &str); 3] = [
        (Measure::Count, "full"),
        (Measure::Count, "x >= 1"),
        (Measure::First, "x >= 1"),
    ];
    measures(&mut table, 9.5, &wanted, &[9.0, 9.0, 1.0]);
}

/// For how long comparisons with the level of a plateau hold: their strictness decides.
#[test]
fn a_plateau_is_on_its_level() {
    for (row, condition, known) in [
        ("hill(x)", "u > 5", 1.0),
        ("hill(x)", "u >= 5", 3.0),
        ("hill(x)", "u < 5", 2.0),
        ("hill(x)", "u <= 5", 4.0),
        ("held(x)", "u > 1", 0.0),
        ("held(x)", "u >= 1", 3.0),
        ("held(2 - x)", "u < 0", 0.0),
        ("held(2 - x)", "u <= 0", 1.0),
        ("min(x, 2)", "u > 2", 0.0),
        ("clamp(x, 0, 1)", "u >= 1", 3.0),
    ] {
        let relations =
            format!("\"x = integral(0.5)\", \"u = {row}\", \"held_for = integral(1) when such\"");
        let ranges = format!("{LOOKUPS}, ranges: [\"such: {condition}\"]");
        let table = model("\"x\": 0, \"u\": 0, \"held_for\": 0", &ranges, &relations);
        ends_at(&table, 5.0, "held_for", known, 1e-9);
    }
}

/// A margin that turns back at its border where a kink does is touched, and a state that arrives at its bound is not beyond
/// it: no event.
#[test]
fn what_is_touched_at_a_kink_is_not_crossed() {
    for (condition, known) in [
        ("abs(x) < 0", 0.0),
        ("min(time, 4 - time) > 2", 0.0),
        ("wave(time) > 1", 0.0),
        ("wave(time) < 0", 0.0),
        ("y > 2", 0.0),
        ("y >= 2", 1.0),
        ("z < 0", 0.0),
        ("z <= 0", 1.0),
        ("z > 1", 0.0),
    ] {
        let ranges =
            format!("{LOOKUPS}, ranges: [\"such: {condition}\"], situations: [\"event e: such\"]");
        let table = model(
            "\"x\": -1, \"y\": 0, \"z\": 0.5, \"n\": 0",
            &ranges,
            r#""x = integral(1)", "y = integral(1)", "y = min(y, 2)", "z = integral(cos(time))", "z = clamp(z, 0, 1)",
                "n := n + 1 when e""#,
        );
        ends_at(&table, 5.0, "n", known, 0.0);
    }
}

/// Arriving at an end of a lookup and staying there is no fault; going on is one.
#[test]
fn a_lookup_holds_at_its_end() {
    for (rows, known) in [
        ("\"x = min(time, 1)\"", 1.0),
        ("\"x = integral(1)\", \"x = clamp(x, 0, 1)\"", 1.0),
        ("\"x = integral(1) when !full\"", 1.0),
        ("\"x := 1 when every(2)\"", 1.0),
        ("\"x = max(1 - time, 0)\"", 0.0),
        (
            "\"x = integral(1) when !late\", \"x = integral(-0.1) when late\", \"x = min(x, 1)\"",
            0.8,
        ),
    ] {
        let ranges = format!("{LOOKUPS}, ranges: [\"full: x >= 1\", \"late: time >= 3\"]");
        let relations = format!("{rows}, \"a = line(x)\"");
        let table = model("\"x\": 0, \"a\": 0", &ranges, &relations);
        ends_at(&table, 5.0, "a", known, 1e-9);
    }
    let leaves = model(
        "\"x\": 1, \"a\": 1",
        &format!("{LOOKUPS}, ranges: [\"late: time >= 3\"]"),
        "\"x = integral(0.1) when late\", \"a = line(x)\"",
    );
    for method in ADAPTIVE {
        let config = EventConfig::from_clock(&clock(5.0, method, 1e-6)).unwrap();
        let mut run = EventRun::new(leaves.model.clone(), config).unwrap();
        let ended = run.run(&mut ());
        assert!(
            matches!(ended, Err(RunFault::OutsideLookup { time: 3.0, .. })),
            "{method:?}: {ended:?}"
        );
    }
}

/// A ball bounces where a lookup of its height ends.
#[test]
fn a_jump_leads_back_from_the_end_of_a_lookup() {
    let rows = r#""v := -0.5 * v when hit", "v = integral(-9.81)", "h = integral(v)""#;
    let begin = "situations: [\"event hit: h <= 0\"]";
    let free = model("\"h\": 1, \"v\": 0, \"d\": 0", begin, rows);
    let ends = model(
        "\"h\": 1, \"v\": 0, \"d\": 0",
        &format!("{}, {begin}", LOOKUPS),
        &format!("{rows}, \"d = line(h)\""),
    );
    for method in ADAPTIVE {
        let clock = clock(1.0, method, 1e-9);
        let [free, ends] = [&free, &ends].map(|table| last(table, &clock, "h"));
        assert!((free - ends).abs() < 1e-8, "{method:?}: {free} {ends}");
    }
}

/// Beyond a kink a margin may be 0 for good: strictness decides there, in measures as in ranges.
#[test]
fn what_is_zero_behind_a_kink_holds_by_its_strictness() {
    for (condition, duration) in [
        ("max(x, 0) < 0", 0.0),
        ("max(x, 0) >= 0", 4.0),
        ("max(2 * x, 0) < 0", 0.0),
        ("clamp(x, -1, 0.7) > x", 2.0),
        ("clamp(x, -1, 0.7) >= x", 3.7),
        ("max(x, 0.3) > 0.3", 0.7),
        ("abs(x) < x", 0.0),
        ("abs(x) <= x", 1.0),
        ("clamp(time, -1, 0.7) >= time", 0.7),
    ] {
        let range = format!("ranges: [\"such: {condition}\"]");
        let mut table = model("\"x\": 1", &range, "\"x = integral(-1)\"");
        let own: [(Kind, &str); 1] = [(Measure::Duration, "such")];
        measures(&mut table, 4.0, &own, &[duration]);
        let mut table = model("\"x\": 1", "constants: {}", "\"x = integral(-1)\"");
        let watched: [(Kind, &str); 1] = [(Measure::Duration, condition)];
        measures(&mut table, 4.0, &watched, &[duration]);
    }
    let mut table = model("\"x\": 1", "constants: {}", "\"x = integral(-1)\"");
    let never: [(Kind, &str); 3] = [
        (Measure::Count, "max(x, 0) < 0"),
        (Measure::Count, "clamp(x, -1, 0.7) > x"),
        (Measure::First, "clamp(x, -1, 0.7) > x"),
    ];
    measures(&mut table, 4.0, &never, &[0.0, 1.0, 2.0]);
}

/// A run that begins on a kink goes on along one of its branches, and comparisons are those of that branch.
#[test]
fn comparisons_begin_on_the_branch_of_their_kinks() {
    for (condition, duration) in [
        ("max(x, y) < y", 0.0),
        ("max(x, y) > x", 3.0),
        ("max(x, y) <= x", 0.0),
        ("min(x, y) > x", 0.0),
        ("min(x, y) < x", 0.0),
        ("max(0 - x, 0) < 0", 0.0),
        ("clamp(0 - x, 0, 5) < 0", 0.0),
        ("m < y", 0.0),
        ("min(0, x) < 0", 0.0),
        ("time > 0", 3.0),
        ("-0.6 * max(time, -1) < time", 3.0),
    ] {
        let range = format!("ranges: [\"such: {condition}\"]");
        let rows = "\"x = integral(1)\", \"y = integral(2)\", \"m = max(x, y)\"";
        let reals = "\"x\": 0, \"y\": 0, \"m\": 0";
        let wanted: [(Kind, &str); 2] =
            [(Measure::Duration, "such"), (Measure::Duration, condition)];
        let mut table = model(reals, &range, rows);
        measures(&mut table, 3.0, &wanted, &[duration; 2]);
        let mut alone = model(reals, "constants: {}", rows);
        measures(&mut alone, 3.0, &wanted[1..], &[duration]);
    }
}

/// Counters that reach their limits exactly: no event fires by what held before, as in ticks.
#[test]
fn what_nothing_moves_is_compared_in_the_microstep_in_which_it_jumps() {
    let begin = r#"ranges: ["late: x >= 0.995"], switches: {"was": false},
        situations: ["event come: late", "event serve: n > 0 & was", "event refuse: n <= 0 & was"],
        assignments: ["when come: was"]"#;
    let rows = r#""x = integral(1)", "n := n - 1 when come", "served := served + 1 when serve",
        "refused := refused + 1 when refuse""#;
    let table = model(
        "\"x\": 0, \"n\": 1, \"served\": 0, \"refused\": 0",
        begin,
        rows,
    );
    ends_at(&table, 3.0, "served", 0.0, 0.0);
    ends_at(&table, 3.0, "refused", 1.0, 0.0);
}

/// A sine cut off at 0 rests where a sign, a whole part and a remainder jump: they have the values of 0 there, and a
/// comparison of the same numbers is not changed by a sign that stands beside it.
#[test]
fn an_operand_that_rests_has_the_value_of_the_border() {
    for (row, known) in [
        ("sign(x)", std::f64::consts::PI),
        ("floor(x)", 0.0),
        ("mod(x, 2)", 2.0),
    ] {
        for x in ["max(sin(2 * time), 0)", "clamp(sin(2 * time), 0, 1)"] {
            let rows = format!("\"x = {x}\", \"s = {row}\", \"y = integral(s)\"");
            let table = model("\"x\": 0, \"s\": 0, \"y\": 0", "constants: {}", &rows);
            ends_at(&table, 6.0, "y", known, 1e-5);
        }
    }
    let rows = "\"p = pulse(1, 0.25)\", \"q = max(sin(2 * time + 2), 0)\", \"s = sign(p - q)\"";
    let reals = "\"p\": 0, \"q\": 0, \"s\": 0";
    let mut table = model(reals, "ranges: [\"r: p - q > 0\"]", rows);
    measures(&mut table, 6.0, &[(Measure::Duration, "r")], &[1.5]);
}

/// A reset onto a border that moves as the state does, up to errors of the method, keeps it there until something else moves
/// it; from then on its sides are told again.
#[test]
fn a_state_that_lands_on_a_moving_border_leaves_it() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"h": 0.05, "v": 1.2, "w": 0},
        ranges: ["low: h < 0.1 * sin(12 * time)", "fly: time > 0.65"], situations: ["event land: every(100, 0.36)"],
        relations: ["h, v := 0.1 * sin(12 * time), 1.2 * cos(12 * time) when land",
            "v = integral(-14.4 * sin(12 * time)) when !fly", "v = integral(-9.81) when fly", "h = integral(v)",
            "w = integral(1) when low"])"#,
    );
    // It flies up off the floor, and comes down through it at the root of h - 0.1 sin(12 t).
    let flies = |t: f64| {
        let [since, begin] = [t - 0.65, 0.65 * 12.0];
        0.1 * begin.sin() + 1.2 * begin.cos() * since
            - 4.905 * since * since
            - 0.1 * (12.0 * t).sin()
    };
    let mut span = [0.8, 1.0];
    for _ in 0..60 {
        let middle = 0.5 * (span[0] + span[1]);
        span[usize::from(flies(middle) < 0.0)] = middle;
    }
    // Errors of the method are crossed on the way up.
    ends_at(&table, 1.1, "w", 1.1 - span[0], 1e-5);
}

/// A value leaves its plateau without a rate, be it at the second order or the third, while the state slides along another
/// border: as it does where nothing slides.
#[test]
fn plateaus_are_left_along_slides() {
    use std::f64::consts::PI;
    let lookup = r#"lookups: {"f": (x: [-2, -1, 1, 3], y: [-1, 0.2, 0.2, 1], kind: "pchip", outside: "hold")},
        ranges: ["up: v > 0.2", "l: x + 2 * y > 0"]"#;
    let corner = r#""v = f(2 * sin(time))", "x = integral(0.31) when up & l", "y = integral(-0.45) when up & l",
        "x = integral(2.81) when !up & l", "y = integral(-2.78) when !up & l",
        "x = integral(0.58) when up & !l", "y = integral(2.87) when up & !l",
        "x = integral(-2.62) when !up & !l", "y = integral(-0.64) when !up & !l""#;
    let drags = r#""v = f(2 * sin(time))", "y = integral(0.3 * sin(time) - sign(y))", "x = 1""#;
    let known = 2.0 * PI / 3.0 + 7.0 - 2.0 * PI - PI / 6.0;
    for rows in [corner, drags] {
        let mut table = model(r#""v": 0, "x": 0.43, "y": 0.89"#, lookup, rows);
        measures(
            &mut table,
            7.0,
            &[(Measure::Duration, "up"), (Measure::First, "up")],
            &[known, PI / 6.0],
        );
    }
    let cubic = r#""v = max(time - 1, 0)^3", "y = integral(0.3 - sign(y))", "x = 1""#;
    let mut table = model(
        r#""v": 0, "x": 0, "y": 0.2"#,
        "ranges: [\"up: v > 0\"]",
        cubic,
    );
    measures(&mut table, 3.0, &[(Measure::Duration, "up")], &[2.0]);
}

/// A body brakes exactly to its goal: until it brakes less, the way that it needs is the way that it has, but for rounding,
/// which crosses nothing.
#[test]
fn a_margin_that_stays_at_zero_is_not_crossed() {
    let text = r#"(format: 1, name: "brake", constants: {"a": 0.8, "goal": 12.8}, reals: {"v": 1.8, "x": 0},
        ranges: ["late: x + v^2 / (2 * a) >= goal", "off: time >= 7"],
        relations: ["x = integral(v)", "v = integral(0.1) when lift.up", "v = integral(-a) when lift.brake & !off",
            "v = integral(0.1 - a) when lift.brake & off"],
        machines: {"lift": (start: "up", states: {"up": [], "brake": []}, transitions: ["up -> brake when late"])})"#;
    let begin = (6.525_f64.sqrt() - 2.025) / 0.1125;
    let speed = 1.8 + 0.1 * begin - 0.8 * (7.0 - begin);
    let end = 7.0 + 2.0 * speed / 0.7;
    measures(
        &mut Table::from_text(text),
        10.0,
        &[(Measure::Duration, "late"), (Measure::Count, "late")],
        &[end - begin, 1.0],
    );
}
