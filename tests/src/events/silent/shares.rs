//! Shares of the sides of slides: for how long conditions hold, margins that jump across their own borders, and slides that
//! move each other.

use situ_engine::Method;
use situ_engine::sim::{EventConfig, EventRun, NoSlide, RunFault};
use situ_engine::trace::{Measure, What};

use super::{Kind, clock, ends_at, instants, last, measures, written};
use crate::tables::Table;

/// Along a border a range holds with its share: half of the time here, while `count` and `first` see its truth on entry.
#[test]
fn a_duration_along_a_border() {
    let mut table = written(
        r#""T": 18"#,
        r#""cold: T < 20""#,
        r#""T = integral(2 - 0.1 * (T - 10)) when cold", "T = integral(-0.1 * (T - 10)) otherwise""#,
    );
    // T = 30 - 12 exp(-t / 10) up to 20.
    let reached = 10.0 * 1.2_f64.ln();
    let known = reached + 0.5 * (10.0 - reached);
    let wanted: [(Kind, &str); 5] = [
        (Measure::Duration, "cold"),
        (Measure::Duration, "!cold"),
        (Measure::Duration, "T < 20"),
        (Measure::Count, "!cold"),
        (Measure::First, "!cold"),
    ];
    measures(
        &mut table,
        10.0,
        &wanted,
        &[known, 10.0 - known, known, 1.0, reached],
    );
}

/// A share that changes along the way: a sliding state follows sin t, between rates of 3 and -2, so that the share is
/// (2 + cos t) / 5.
#[test]
fn a_duration_with_a_share_that_changes() {
    let mut table = written(
        r#""x": 1"#,
        r#""low: x < sin(time)", "late: time >= 4""#,
        r#""x = integral(3) when low", "x = integral(-2) otherwise""#,
    );
    // It falls onto sin t where 1 - 2 t = sin t.
    let mut reached = 0.3_f64;
    for _ in 0..40 {
        reached -= (1.0 - 2.0 * reached - reached.sin()) / (-2.0 - reached.cos());
    }
    let held = |from: f64, to: f64| 0.4 * (to - from) + 0.2 * (to.sin() - from.sin());
    let known = held(reached, 7.0);
    let wanted: [(Kind, &str); 4] = [
        (Measure::Duration, "low"),
        (Measure::Duration, "low & late"),
        (Measure::Duration, "!low & time >= 4"),
        (Measure::Duration, "low & time < 4"),
    ];
    let late = held(4.0, 7.0);
    measures(
        &mut table,
        7.0,
        &wanted,
        &[known, late, 3.0 - late, known - late],
    );
}

/// A range that contradicts itself holds with the share 2 (x - 1) from x = 1 to 1.5.
#[test]
fn a_duration_of_a_contradiction() {
    let mut table = written(
        r#""x": 0, "a": 0"#,
        r#""high: a > 1""#,
        r#""x = integral(1)", "a = x when !high", "a = x - 0.5 when high""#,
    );
    let wanted: [(Kind, &str); 3] = [
        (Measure::Duration, "high"),
        (Measure::Duration, "!high"),
        (Measure::Duration, "high & x > 1.2"),
    ];
    measures(&mut table, 2.0, &wanted, &[0.75, 1.25, 0.71]);
    let log = instants(&table, 2.0);
    let entered = log.iter().find_map(|(time, what)| match what {
        What::SlideEntered { borders, .. } => Some((*time, borders[0].1)),
        _ => None,
    });
    let (time, share) = entered.unwrap();
    assert!(
        (time - 1.0).abs() < 1e-9 && share.abs() < 1e-9,
        "{time} {share}"
    );
}

/// Of two borders the shares multiply, in a conjunction and in what the rows make of it.
#[test]
fn a_duration_on_two_borders() {
    let mut table = Table::from_text(
        r#"(format: 1, name: "two", reals: {"x": 1, "y": 0.5}, ranges: ["p: x < 0", "q: y > 0"],
            situations: ["both: p & q", "any: p", "any: q"],
            relations: ["x = integral(1) when p", "x = integral(-1) otherwise",
                "y = integral(-1) when q", "y = integral(3) otherwise"])"#,
    );
    // y is on its border from 0.5 on, with the share 3/4, x from 1 on with 1/2.
    let wanted: [(Kind, &str); 4] = [
        (Measure::Duration, "p & q"),
        (Measure::Duration, "both"),
        (Measure::Duration, "any"),
        (Measure::Duration, "!p & q"),
    ];
    let (q, both) = (0.5 + 0.5 * 0.75, 2.0 * 0.375);
    measures(
        &mut table,
        3.0,
        &wanted,
        &[both, both, q + 2.0 * 0.875, q + both],
    );
}

/// Ranges on one border that are not written alike: x comes to 0.3 at 0.3 and slides there, a third of the time above it,
/// until 1.5, where it leaves it upwards; y grows with the share above.
#[test]
fn borders_that_are_the_same_in_a_mode() {
    for (low, high) in [
        ("max(x, -3 * x) <= 0.3", "x > 0.3"),
        ("x <= 0.3", "max(x, 0.017) > 0.3"),
        ("a < 0.3", "x >= 0.3"),
        ("x < 0.3", "-0.3 > -a"),
        ("x * exp(x) < 0.3 * exp(0.3)", "a * exp(a) > 0.3 * exp(0.3)"),
        ("min(x, 7) < 0.3", "2 * abs(a) - 0.4 > 0.2"),
    ] {
        for (when, share) in [("high", 1.0), ("high & !low", 1.0), ("high & low", 0.0)] {
            let mut table = written(
                r#""x": 0, "y": 0, "a": 0"#,
                &format!("\"low: {low}\", \"high: {high}\""),
                &format!(
                    r#""a = x", "x = integral(1) when low", "x = integral(time - 1.5) otherwise", "y = integral(1) when {when}""#
                ),
            );
            let known = share * 2.2_f64.ln();
            ends_at(&table, 1.4, "x", 0.3, 1e-7);
            ends_at(&table, 1.5, "y", known, 1e-6);
            ends_at(&table, 2.0, "x", 0.425, 1e-6);
            ends_at(&table, 2.0, "y", known + 0.5 * share, 1e-6);
            let wanted: [(Kind, &str); 2] =
                [(Measure::Duration, "high"), (Measure::Duration, "low")];
            let high = 2.2_f64.ln() + 0.5;
            measures(&mut table, 2.0, &wanted, &[high, 2.0 - high]);
        }
    }
}

/// A range that stands exactly on its border while another one contradicts itself agrees with either truth, and keeps
/// one all along, by all methods, whatever rounding makes of its margin: a = 0.3 from x = 0.3 to 0.8, and b is 0.3 or
/// 0.35.
#[test]
fn a_range_that_stands_beside_a_contradiction() {
    let table = written(
        r#""x": 0, "a": 0, "b": 0, "w": 0"#,
        r#""p: a > 0.3", "q: b > 0.3""#,
        r#""x = integral(1)", "a = x when !p", "a = x - 0.5 when p", "b = a when !q", "b = a + 0.05 when q", "w = integral(b)""#,
    );
    let kept = last(&table, &clock(1.0, Method::Auto, 1e-8), "w");
    let known = if kept < 0.3 { 0.285 } else { 0.31 };
    ends_at(&table, 1.0, "w", known, 1e-7);
}

/// A slide along a border that its margin jumps across, with the share y / 0.43, does not keep another part of the model
/// from sliding along its own border.
#[test]
fn a_slide_begins_beside_one_of_a_margin_that_jumps() {
    let table = written(
        r#""y": 0.2, "a": 0, "x": 0.5, "w": 0, "u": 0"#,
        r#""up: a > 0", "right: x > 0""#,
        r#""y = integral(0.01)", "a = y when !up", "a = y - 0.43 when up", "w = integral(1) when up",
           "x = integral(-1) when right", "x = integral(1) when !right", "u = integral(1) when right""#,
    );
    ends_at(&table, 2.0, "a", 0.0, 1e-12);
    ends_at(&table, 2.0, "w", 0.42 / 0.43, 1e-7);
    ends_at(&table, 2.0, "x", 0.0, 1e-12);
    ends_at(&table, 2.0, "u", 1.25, 1e-7);
}

/// Nor does a slide that goes on keep such a one from beginning, or ending by a jump.
#[test]
fn a_margin_jumps_beside_a_slide() {
    let table = |jump: &str| {
        written(
            r#""x": 0, "a": 0, "w": 0, "z": 0.3, "u": 0"#,
            r#""p: a > 1", "up: z > 0""#,
            &format!(
                r#""a = x when !p", "a = x - 0.5 when p", "w = integral(1) when p", "x = integral(1)"{jump},
                   "z = integral(-2) when up", "z = integral(1) when !up", "u = integral(1) when up""#
            ),
        )
    };
    let jumps = r#", "x := 0.2 when every(1.25)""#;
    for (jump, w) in [("", 0.75), (jumps, 0.0625)] {
        ends_at(&table(jump), 2.0, "w", w, 1e-7);
        ends_at(&table(jump), 2.0, "z", 0.0, 1e-12);
        ends_at(&table(jump), 2.0, "u", 0.15 + 1.85 / 3.0, 1e-7);
    }
}

/// Two ranges that their own consequences move slide at once, from 1 to 1.5 and from 1.2 to 1.7 with the shares 2 (x - 1)
/// and 2 (x - 1.2), which multiply where a condition reads both.
#[test]
fn margins_jump_across_two_borders_at_once() {
    let table = |jump: &str| {
        written(
            r#""x": 0, "a": 0, "b": 0, "v": 0, "w": 0, "both": 0"#,
            r#""p: a > 1", "q: b > 1.2""#,
            &format!(
                r#""x = integral(1)"{jump}, "a = x when !p", "a = x - 0.5 when p", "b = x when !q", "b = x - 0.5 when q",
                   "v = integral(1) when p", "w = integral(1) when q", "both = integral(1) when p & q""#
            ),
        )
    };
    let jumps = r#", "x := 0.2 when every(1.25)""#;
    for (jump, [v, w, both]) in [
        ("", [0.75, 0.55, 0.072 + 0.16 + 0.3]),
        (jumps, [0.0625, 0.0025, 0.002 / 3.0 * 0.25 + 0.001]),
    ] {
        ends_at(&table(jump), 2.0, "v", v, 1e-7);
        ends_at(&table(jump), 2.0, "w", w, 1e-7);
        ends_at(&table(jump), 2.0, "both", both, 1e-7);
    }
    let mut table = table("");
    measures(
        &mut table,
        2.0,
        &[(Measure::Duration, "p"), (Measure::Duration, "p & q")],
        &[0.75, 0.532],
    );
}

/// Such ranges that move each other have shares p and q with x - 0.5 p - 0.2 q = 1 and x - 0.2 p - 0.5 q = 1.2: alone p
/// grows as 2 (x - 1) up to 2/3 at 4/3, then to 1 while q grows to 1/3, then q alone as 2 (x - 1.4).
#[test]
fn margins_that_jump_move_each_other() {
    let table = written(
        r#""x": 0, "a": 0, "b": 0, "v": 0, "w": 0"#,
        r#""p: a > 1", "q: b > 1.2""#,
        r#""x = integral(1)", "v = integral(1) when p", "w = integral(1) when q",
           "a = x when !p & !q", "a = x - 0.5 when p & !q", "a = x - 0.2 when !p & q", "a = x - 0.7 when p & q",
           "b = x when !p & !q", "b = x - 0.2 when p & !q", "b = x - 0.5 when !p & q", "b = x - 0.7 when p & q""#,
    );
    ends_at(&table, 2.0, "v", 0.7388888889, 1e-7);
    ends_at(&table, 2.0, "w", 0.3611111111, 1e-7);
}

/// A slide that such a range moves is refused by name.
#[test]
fn a_slide_that_a_jumping_margin_moves_is_named() {
    let table = written(
        r#""x": 0, "a": 0, "z": 0.3"#,
        r#""p: a > 1", "up: z > 0""#,
        r#""x = integral(1)", "a = x when !p", "a = x - 0.5 when p",
           "z = integral(-2) when up", "z = integral(a) when !up""#,
    );
    let config = EventConfig::from_clock(&clock(2.0, Method::Auto, 1e-6)).unwrap();
    let mut run = EventRun::new(table.model, config).unwrap();
    match run.run(&mut ()) {
        Err(RunFault::Chattering { time, why, .. }) => {
            assert!((time - 1.0).abs() < 1e-9, "{time}");
            assert_eq!(why, NoSlide::Coupled);
        }
        other => panic!("{other:?}"),
    }
}

/// A range sets the threshold that it compares with, by a margin that is not affine: it is crossed once.
#[test]
fn a_range_that_sets_its_own_threshold_is_crossed_once() {
    let table = written(
        r#""x": -1, "a": 0.5, "b": 0.4"#,
        r#""r: x >= a""#,
        r#""a = sin(b) when r", "x = integral(0.5)""#,
    );
    ends_at(&table, 6.0, "x", 2.0, 1e-9);
    ends_at(&table, 6.0, "a", 0.4_f64.sin(), 1e-12);
}

/// Slides that move each other's margins in nothing stay apart where a row adds their shares up, and one more reads the
/// sum: each share is 2/3.
#[test]
fn a_sum_over_slides_leaves_them_apart() {
    let table = Table::from_text(
        r#"(format: 1, name: "sum", counters: {"j": "1 .. 8"}, reals: {"x[j]": "0.1 * j", "n": 0, "h": 0, "y": 0},
            ranges: ["above[j]: x[j] > 0"],
            relations: ["x[j] = integral(-1) when above[j]", "x[j] = integral(2) when !above[j]",
                "n = number(above[j] for j)", "h = 3 - n / 2", "y = integral(2 * h + 1)"])"#,
    );
    ends_at(&table, 3.0, "n", 16.0 / 3.0, 1e-9);
    ends_at(&table, 3.0, "h", 1.0 / 3.0, 1e-9);
    // Between the beginnings of the slides at 0.1, 0.2 .. the sum falls by thirds.
    let n = |k: f64| 8.0 - k / 3.0;
    let before: f64 = (0..8).map(|k| 0.1 * (7.0 - n(f64::from(k)))).sum();
    ends_at(&table, 3.0, "y", before + 2.2 * (7.0 - n(8.0)), 1e-6);
}

/// Where the sum moves the margins, the slides are found together: with too many of them the run says so.
#[test]
fn a_sum_over_slides_that_moves_them_joins_them() {
    let text = |n: usize| {
        format!(
            r#"(format: 1, name: "joined", clock: (stop: 3, stepping: events), counters: {{"j": "1 .. {n}"}},
            reals: {{"x[j]": "0.1 * j", "n": 0}}, ranges: ["above[j]: x[j] > 0"],
            relations: ["n = number(above[j] for j)", "x[j] = integral(-1 - 0.1 * n) when above[j]",
                "x[j] = integral(2) when !above[j]"])"#
        )
    };
    let two = Table::from_text(&text(2));
    // While a range holds it is counted itself: each share p has p (-1.1 - 0.1 p) + 2 (1 - p) = 0.
    let share = (-3.1 + (3.1_f64.powi(2) + 0.8).sqrt()) / 0.2;
    ends_at(&two, 3.0, "n", 2.0 * share, 1e-7);
    let eight = Table::from_text(&text(8));
    let config = EventConfig::from_clock(&eight.model.clock).unwrap();
    let mut run = EventRun::new(eight.model, config).unwrap();
    let refused = run.run(&mut ());
    assert!(
        matches!(
            refused,
            Err(RunFault::Chattering {
                why: NoSlide::TooMany(_),
                ..
            })
        ),
        "{refused:?}"
    );
}

/// The friction work of blocks that never go back is the way that they have gone together: on its border a bend has one value,
/// whatever the share, and joins no slides.
#[test]
fn a_row_that_bends_on_the_borders_of_slides_leaves_them_apart() {
    let table = Table::from_text(
        r#"(format: 1, name: "work", counters: {"j": "1 .. 8"},
            reals: {"v[j]": 0, "x[j]": 0, "work": 0, "back": 0, "off": 0, "lost": 0},
            relations: ["v[j] = integral(2 * (0.4 * time * (1 + 0.1 * j) - x[j]) - sign(v[j]))",
                "x[j] = integral(v[j])", "work = integral(sum(abs(v[j]) for j))",
                "back = sum(min(v[j], 0) for j)", "lost = sum(max(v[j], -v[j]) - v[j] for j)",
                "off = work - sum(x[j] for j)"])"#,
    );
    for (real, tolerance) in [("off", 1e-7), ("back", 1e-12), ("lost", 1e-12)] {
        ends_at(&table, 5.0, real, 0.0, tolerance);
    }
}
